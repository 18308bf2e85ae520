"""Algorithm 1, one iteration: history -> posterior -> zeta -> score -> argmax -> suggestion. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.acquisition import View
from regretless.arrays import Floats
from regretless.errors import Exhausted, NumericalError
from regretless.gp import TablePosterior
from regretless.linalg import single_thread
from regretless.optimizer.design import design_index, design_point, random_index, random_point, settled
from regretless.optimizer.history import Fit, History
from regretless.optimizer.model import Belief, State, believe, heeded, imagine, in_use
from regretless.optimizer.setup import Setup
from regretless.optimizer.starts import candidate_set
from regretless.rng import Purpose, stream
from regretless.search import Objective, climb_in, near, search_product, search_table
from regretless.spaces import NOISE_FREE, Mixed, Table

__all__ = ["Suggestion", "suggest"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One point to try, and why."""

    x: Floats  # the code of what will really be tried, neat decimals and all
    index: int  # candidate number on a table, else -1
    source: str  # "design", "rule" or "random"
    record: Mapping[str, float]  # what was drawn and predicted; mean and sd in the units of y
    jitter: float = 0.0
    fallback: str | None = None  # why the rule was not followed, if it was not
    fit: Fit | None = None  # the hyperparameters behind the posterior


def suggest(setup: Setup, history: History, trial: int, state: State | None) -> tuple[Suggestion, State | None]:
    """The suggestion for ``trial``, and a state that makes the next one cheaper.

    Raises
    ------
    Exhausted
        If every candidate has been tried and repeats are not allowed.
    """
    with single_thread():
        open_ = _open_candidates(setup, history)
        if len(history.told) + len(history.pending) < setup.n_initial:
            return _designed(setup, history, trial, open_), state
        try:
            state = believe(setup, history, trial, state)
            return _ruled(setup, history, trial, state, open_), state
        except NumericalError as error:
            return _random(setup, history, trial, open_, str(error)), None


def _open_candidates(setup: Setup, history: History) -> npt.NDArray[np.bool_]:
    """Which rows of a table may be suggested (empty for a product space)."""
    if not isinstance(setup.domain, Table):
        _check_left(setup.domain, history)
        return np.ones(0, dtype=np.bool_)
    allowed = history.allowed(setup.domain.n_candidates)
    open_ = allowed.copy()
    if setup.space.repeats == "never":
        for points in (history.told, history.pending, history.failed):
            open_[points.rows] = False
    if not open_.any():
        raise _exhausted(len(open_), len(history.closed))
    if setup.space.repeats == "never":
        return open_
    # Measured rows may be asked again; pending and failed ones only when nothing else is left.
    open_[history.pending.rows] = open_[history.failed.rows] = False
    if open_.any():
        return open_
    open_ = allowed.copy()
    open_[history.pending.rows] = False
    return open_ if open_.any() else allowed


def _worth(setup: Setup, history: History, open_: npt.NDArray[np.bool_], noise_share: float) -> npt.NDArray[np.bool_]:
    """Which of the open rows the argmax is taken over.

    Algorithm 1: all of them. ``repeats="auto"``: without noise a measured row is left out while there are others.
    """
    if setup.space.repeats == "allow" or noise_share >= NOISE_FREE:
        return open_
    untried = open_.copy()
    untried[history.told.rows] = False
    return untried if untried.any() else open_


def _check_left(space: Mixed, history: History) -> None:
    """Raise Exhausted where every point of a finite product space has been tried and none may be repeated."""
    parts = [points.X[points.inside] for points in (history.told, history.pending, history.failed)]
    if space.repeats == "never" and space.size is not None and sum(map(len, parts)) >= space.size:
        tried = {row.tobytes() for row in np.vstack(parts)}
        if len(tried) >= space.size:
            raise _exhausted(space.size, 0)


def _exhausted(count: int, closed: int) -> Exhausted:
    if closed == count:
        return Exhausted(f"All {count} candidates are excluded. Include some again.")
    tried = f"tried or excluded ({closed} of them)" if closed else "tried"
    return Exhausted(
        f"All {count} candidates have been {tried} and repeats='never'. "
        "Extend the table by further ones, or allow repeats to measure some again."
    )


def _blocked(setup: Setup, history: History, noise_share: float) -> Floats:
    """Points of a product space that must not be suggested: pending, failed, and as ``repeats`` says measured ones.

    ``"auto"``: with a real column a point close by tells as much as the same point again, so an exact repeat is never
    needed. It would be asked for at corners only, where a model that takes the ups and downs of f for noise can be
    trapped.
    """
    parts = [history.pending.X, history.failed.X]
    tells_nothing = bool(setup.domain.continuous.any()) or noise_share < NOISE_FREE
    if setup.space.repeats == "never" or (setup.space.repeats == "auto" and tells_nothing):
        parts.append(history.told.X)
    return np.vstack(parts)


def _designed(setup: Setup, history: History, trial: int, open_: npt.NDArray[np.bool_]) -> Suggestion:
    if isinstance(setup.domain, Table):
        index = design_index(setup, setup.domain, history.n_designed, trial, open_)
        return Suggestion(setup.domain.X[index], index, "design", {})
    x = design_point(setup, setup.domain, history.n_designed, trial, _blocked(setup, history, 0.0))
    return Suggestion(x, -1, "design", {})


def _random(setup: Setup, history: History, trial: int, open_: npt.NDArray[np.bool_], why: str) -> Suggestion:
    rng = stream(setup.seed, trial, Purpose.DESIGN)
    if isinstance(setup.domain, Table):
        index = random_index(open_, rng)
        return Suggestion(setup.domain.X[index], index, "random", {}, fallback=why)
    x = random_point(setup.domain, rng, _blocked(setup, history, 0.0))
    return Suggestion(x, -1, "random", {}, fallback=why)


def _ruled(setup: Setup, history: History, trial: int, state: State, open_: npt.NDArray[np.bool_]) -> Suggestion:
    counted = heeded(history, state)
    belief = imagine(counted, state)
    hyperparameters = state.fit.hyperparameters
    y = hyperparameters.units.standardised(history.y[history.told.inside])  # what may be tried is compared with these
    view = _view(setup, in_use(counted, state), trial, state, belief, float(y.max()) if len(y) else 0.0)
    score = setup.rule.draw(view, history.n_ruled + 1, stream(setup.seed, trial, Purpose.RULE))
    values = score.on(view)
    noise_share = hyperparameters.noise_var / hyperparameters.signal_var
    if isinstance(setup.domain, Table):
        index = search_table(values, _worth(setup, history, open_, noise_share))
        if index is None:
            return _random(setup, history, trial, open_, "no candidate has a finite score")
        x = setup.domain.X[index]
        mean, sd = float(view.mean[index]), float(view.sd[index])
    else:
        index = -1
        objective = Objective(score.at, score.value_and_gradient)
        blocked = _blocked(setup, history, noise_share)
        found = search_product(setup.domain, objective, view.X, values, blocked=blocked)
        if found is None:
            return _random(setup, history, trial, open_, "no untried point with a finite score was found")
        x = settled(setup.domain, found[0])
        if near(setup.domain, x[None, :], blocked)[0]:  # bounds so close that few decimals lie between them
            return _random(setup, history, trial, open_, "the point found rounds to one already tried")
        mean, sd = (float(moment[0]) for moment in view.posterior.mean_sd(x[None, :]))
    mean_y, sd_y = hyperparameters.units.restored(mean, sd)
    record = {**score.record, "mean": float(mean_y), "sd": float(sd_y)}
    if len(state.used) < len(history.y):
        record |= {"used": float(len(state.used)), "told": float(len(history.y))}
    return Suggestion(x, index, "rule", record, jitter=view.posterior.jitter, fit=state.fit)


def _view(setup: Setup, history: History, trial: int, state: State, belief: Belief, best_told: float) -> View:
    told = history.told
    # A pending point is taken to bring its posterior mean, so an incumbent may be one: else a batch gathers around it.
    believed = np.vstack([told.X[told.inside], history.pending.X])
    if isinstance(belief, TablePosterior):
        rows = np.searchsorted(told.trials, state.used)  # the posterior's own order
        return View(
            posterior=belief.posterior,
            X=belief.X,
            mean=belief.mean,
            sd=belief.sd,
            told=believed,
            best_told=best_told,
            n_levels=setup.domain.n_levels,
            table=belief,
            observed=np.concatenate([told.index[rows], history.pending.index, history.failed.index]),
            prior_factor=state.prior_factor,
        )
    assert isinstance(setup.domain, Mixed)
    X = candidate_set(setup.domain, belief, told.X, stream(setup.seed, trial, Purpose.CANDIDATES))
    mean, sd = belief.mean_sd(X)
    domain = setup.domain
    return View(
        posterior=belief,
        X=X,
        mean=mean,
        sd=sd,
        told=believed,
        best_told=best_told,
        n_levels=setup.domain.n_levels,
        climb=lambda f, starts: climb_in(domain, f, starts),
    )
