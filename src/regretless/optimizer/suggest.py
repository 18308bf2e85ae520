"""Algorithm 1, one iteration: history -> posterior -> zeta -> score -> argmax -> suggestion. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from regretless.acquisition import View
from regretless.errors import NumericalError
from regretless.linalg import single_thread
from regretless.optimizer.available import open_points, worth_trying
from regretless.optimizer.history import Fit, History, Series
from regretless.optimizer.model import Belief, Fitted, heeded, imagine, in_use
from regretless.optimizer.state import State, believed
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import (
    Allowed,
    Objective,
    argmax,
    as_tried,
    climber,
    designed_point,
    is_allowed,
    points_around,
    undirected_point,
)
from regretless.spaces import Point

__all__ = ["Suggestion", "suggest"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One point to try, and why."""

    point: Point  # of what will really be tried, neat decimals and all
    source: str  # "design", "rule" or "random"
    record: Mapping[str, float]  # what was drawn and predicted; mean and sd as maximised, in the units of y
    jitter: float = 0.0
    fallback: str | None = None  # why the rule was not followed, if it was not
    fits: tuple[Fit | None, ...] = ()  # the hyperparameters behind the posterior of each outcome


def suggest(task: Task, history: History, trial: int, state: State | None) -> tuple[Suggestion, State]:
    """The suggestion for ``trial``, and a state that makes the next one cheaper.

    Raises
    ------
    Exhausted
        If every candidate has been tried and repeats are not allowed.
    """
    state = State.empty(task) if state is None else state
    with single_thread():
        allowed = open_points(task, history)
        if len(history.told) + len(history.pending) < task.n_initial:
            point = designed_point(task.domain, task, history.n_designed, trial, allowed)
            return Suggestion(point, "design", {}), state
        try:
            state = believed(task, history, trial, state)
            return _ruled(task, history, trial, state, allowed), state
        except NumericalError as error:
            return _random(task, trial, allowed, str(error)), replace(state, search=State.empty(task).search)


def _random(task: Task, trial: int, allowed: Allowed, why: str) -> Suggestion:
    return Suggestion(undirected_point(task.domain, task, trial, allowed), "random", {}, fallback=why)


def _ruled(task: Task, history: History, trial: int, state: State, allowed: Allowed) -> Suggestion:
    domain, fitted, series = task.domain, state.believed(), history.series()
    counted = heeded(series, fitted)
    belief = imagine(counted, fitted)
    h = fitted.fit.hyperparameters
    y = h.units.standardised(series.y[series.told.inside])  # what may be tried is compared with these
    view = _view(task, in_use(counted, fitted), trial, fitted, belief, float(y.max()) if len(y) else 0.0)
    score = task.rule.draw(view, history.n_ruled + 1, stream(task.seed, trial, Purpose.RULE))
    worth = worth_trying(task, history, allowed, h.noise_var / h.signal_var)
    found = argmax(domain, Objective(score.at, score.value_and_gradient), view.X, score.on(view), worth)
    if found is None:
        listed = domain.n_candidates is not None
        why = "no candidate has a finite score" if listed else "no untried point with a finite score was found"
        return _random(task, trial, allowed, why)
    point = as_tried(domain, found)
    if not is_allowed(domain, point, worth):  # bounds so close that few decimals lie between them
        return _random(task, trial, allowed, "the point found rounds to one already tried")
    mean_y, sd_y = h.units.restored(*view.moments_at(point))
    record = {**score.record, "mean": float(mean_y), "sd": float(sd_y)}
    if len(fitted.used) < len(series.y):
        record |= {"used": float(len(fitted.used)), "told": float(len(series.y))}
    return Suggestion(point, "rule", record, jitter=view.posterior.jitter, fits=(fitted.fit,))


def _view(task: Task, series: Series, trial: int, fitted: Fitted, belief: Belief, best_told: float) -> View:
    told = series.told
    # Pending points are assumed to return their posterior mean. One may be the incumbent: else a batch gathers there.
    believed = np.vstack([told.X[told.inside], series.pending.X])
    table = belief.table
    if table is not None:
        rows = np.searchsorted(told.trials, fitted.used)  # the posterior's own order
        return View(
            posterior=table.posterior,
            X=table.X,
            mean=table.mean,
            sd=table.sd,
            told=believed,
            best_told=best_told,
            n_levels=task.domain.n_levels,
            table=table,
            observed=np.concatenate([told.index[rows], series.pending.index, series.failed.index]),
            prior_factor=fitted.prior_factor,
        )
    posterior = belief.posterior
    X = points_around(task.domain, posterior, told.X, stream(task.seed, trial, Purpose.CANDIDATES))
    mean, sd = posterior.mean_sd(X)
    return View(
        posterior=posterior,
        X=X,
        mean=mean,
        sd=sd,
        told=believed,
        best_told=best_told,
        n_levels=task.domain.n_levels,
        climb=climber(task.domain),
    )
