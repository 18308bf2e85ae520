"""Decisions in environments: recommendation and certificate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from regretless.acquisition import RobustScore
from regretless.arrays import Floats
from regretless.gp import Expansion, PointMoments, Posterior, Units, grouped, summed
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.certificate import Certified, named
from regretless.optimizer.history import History
from regretless.optimizer.model import in_use, told_key
from regretless.optimizer.proof import Proof, certify_sums, finite_only, refuse_infinite
from regretless.optimizer.recommendation import Choice
from regretless.optimizer.scene import worth_of_means
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, chosen_params
from regretless.optimizer.trust import footing
from regretless.optimizer.wording import amount
from regretless.risk import Aim, Expectation
from regretless.rng import Purpose, stream
from regretless.search import Allowed, Objective, argmax, points_around
from regretless.spaces import Point, Scenarios
from regretless.theory import Calibration, careful_mean, expected_aim, robust_regret, share_unsure

__all__ = ["RobustRegret", "certify_mean", "certify_robust", "recommend_robust"]

#: Joint draws of f over the environments of a decision, over all settings of the model together.
_DRAWS = 2000
#: Decisions whose expected worth is drawn at once.
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class RobustRegret(Certified):
    """An upper bound on what a decision loses against the best one, by an aim over environments, in the user's units.

    It is for the worst case, a set of weights, CVaR and the mean less the standard deviation. The mean over
    environments has a `Certificate`, which is sharper: it is a Gaussian process itself.

    Attributes
    ----------
    params, row
        The decision.
    worth, best
        What it is expected to be worth, at least, and what the best decision is expected to be worth, at most, averaged
        over the settings of the model; of what is minimised the other way round.
    bound
        Upper bound on the expected regret: under each setting the difference of the two, averaged with care. It does
        not vanish before the worth of the decision itself is known.
    aim
        What a decision is worth, in words.
    exact, trust, objective, model, used, told, settings, unsure
        As for `Certificate`.
    """

    params: Mapping[str, Any]
    row: Any
    worth: float
    best: float
    bound: float
    aim: str
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    settings: int = 1
    unsure: float = 0.0

    @property
    def mean(self) -> float:
        """What the decision is expected to be worth, at least."""
        return self.worth

    def beside(self) -> str:
        """What the bound is made of, and how much of it comes from not knowing the model."""
        worth, best = (amount(abs(value), self.objective) for value in (self.worth, self.best))
        signs = ["-" if value < 0.0 else "" for value in (self.worth, self.best)]
        said = f"expected worth {signs[0]}{worth}, of the best decision {signs[1]}{best}, as far as can be proved"
        return "; ".join([said, *self.unsure_words])

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = named(self.row, self.params, row_name)
        text = f"Under the {self.model} model{self.rests_on}, recommending {what} costs {self.cost} in expectation"
        return text + ("." if self.exact else " (an estimate: a dense sample stands for the space).")

    @property
    def cost(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)} ({self.aim})"


def recommend_robust(task: Task, history: History, state: State) -> Choice:
    """The decision of the largest expected worth: on a list by the averaged belief, else by the model to search by.

    As F is concave, F of the means is at least the expected F: decisions below the best expected one by that are out.
    """
    with single_thread():
        (scenarios, aim), decisions = _scenarios(task), _scenarios(task)[0].decisions
        rng = stream(task.seed, told_key(history.series()), Purpose.CANDIDATES)
        expansion = None
        if decisions.candidates is not None:
            belief = state.doubted()
            posteriors, X, numbered = belief.posteriors, decisions.candidates, _numbered(task, belief)
            open_ = _counted(task, history)
        else:
            fitted = state.believed()
            posteriors, numbered, open_ = (fitted.belief.posterior,), None, None
            expansion = fitted.fit.hyperparameters.units.expansion
            X = _searched(task, posteriors[0], expansion, in_use(history.series(), fitted).told.X, rng)
        normals = rng.standard_normal((max(_DRAWS // len(posteriors), 64), len(scenarios.weights)))
        groups = scenarios.points(X) if numbered is None else numbered
        index, mean, sd = _largest(posteriors, groups, scenarios, aim, normals, open_, expansion)
        units = (state.doubted() if decisions.candidates is not None else state.believed().fit.hyperparameters).units
        mean_y = _restored(units, aim, scenarios, mean)
        point = decisions.at_index(index) if decisions.candidates is not None else Point(X[index])
        return Choice(point, mean_y, units.scale * sd)


def certify_mean(
    task: Task, history: History, state: State, chosen: Choice | None, *, eps: float | None, draws: int
) -> Proof:
    """The certificate of the mean over environments, which is a Gaussian process itself: nothing is lost."""
    belief, (scenarios, _) = state.doubted(), _scenarios(task)
    groups, X, index = _certified(task, history, belief, chosen)
    m, w, width = groups.shape
    settings = [
        PointMoments.of(summed(post, scenarios.weights, width, rigid=scenarios.rigid), groups.reshape(m, w * width))
        for post in belief.posteriors
    ]

    def point(i: int) -> Point:
        return scenarios.decisions.at_index(i) if scenarios.rows is not None else Point(X[i])

    return certify_sums(
        task, history, belief, settings, point, index=index, among=_among(task, history), eps=eps, draws=draws
    )


def certify_robust(task: Task, history: History, state: State, chosen: Choice | None) -> RobustRegret:
    """A bound on the loss of a decision, by an aim other than the mean: see `theory.robust_regret`."""
    with finite_only():
        belief, (scenarios, aim), objective = state.doubted(), _scenarios(task), task.objective
        groups, X, index = _certified(task, history, belief, chosen)
        open_ = _among(task, history)
        rows = np.arange(len(groups)) if open_ is None else np.flatnonzero(open_)
        moments = [grouped(post, groups[rows], rigid=scenarios.rigid) for post in belief.posteriors]
        if index is None:
            plain = np.mean([aim.value(each.mean, scenarios.weights) for each in moments], axis=0)
            at = int(plain.argmax())
        else:
            at = int(np.searchsorted(rows, index))
        found = [robust_regret(each.mean, each.cov, aim, scenarios.weights, index=at) for each in moments]
        each_bound = np.array([one.bound for one in found])
        scale, bound = belief.units.scale, careful_mean(each_bound)
        lower, upper = (
            _restored(belief.units, aim, scenarios, float(np.mean(values)))
            for values in ([one.lower for one in found], [one.upper for one in found])
        )
        refuse_infinite(scale * bound, lower, upper)
        number = int(rows[at])
        point = scenarios.decisions.at_index(number) if scenarios.rows is not None else Point(X[number])
        params, row = chosen_params(task, point)
        return RobustRegret(
            params=params,
            row=row,
            worth=float(objective.outward(lower)),
            best=float(objective.outward(upper)),
            bound=scale * bound,
            aim=objective.over,
            exact=scenarios.rows is not None,
            objective=objective.name,
            **footing(task, history, state),
            settings=len(found),
            unsure=share_unsure(bound, each_bound.tolist()),
        )


def _restored(units: Units, aim: Aim, scenarios: Scenarios, worth: float) -> float:
    """A worth in the units of y: F(shift + scale z) = F(1) shift + scale F(z)."""
    of_one = float(aim.value(np.ones((1, len(scenarios.weights))), scenarios.weights)[0])
    return of_one * units.shift + units.scale * worth


def _scenarios(task: Task) -> tuple[Scenarios, Aim]:
    assert task.scenarios is not None
    assert task.aim is not None
    return task.scenarios, task.aim


def _numbered(task: Task, belief: Averaged) -> Floats | None:
    """The points of all decisions of a list, with the numbers of their rows where the model has row effects."""
    scenarios, candidates = task.scenarios, task.domain.candidates
    assert scenarios is not None
    if scenarios.rows is None or candidates is None:
        return None
    return belief.numbered(candidates, np.arange(len(candidates)))[scenarios.rows]


def _counted(task: Task, history: History) -> npt.NDArray[np.bool_]:
    """The decisions of a list of which some row is not excluded; all, where there are none."""
    scenarios = task.scenarios
    assert scenarios is not None
    assert scenarios.rows is not None
    counted = np.asarray(history.allowed(task.domain.n_candidates or 0)[scenarios.rows].any(axis=1))
    return counted if counted.any() else np.ones_like(counted)


def _among(task: Task, history: History) -> npt.NDArray[np.bool_] | None:
    """Those decisions, where they are not all."""
    assert task.scenarios is not None
    if task.scenarios.rows is None:
        return None
    counted = _counted(task, history)
    return None if counted.all() else counted


def _certified(
    task: Task, history: History, belief: Averaged, chosen: Choice | None
) -> tuple[Floats, Floats, int | None]:
    """The points of the decisions that a certificate counts, their codes, and the number of the chosen one."""
    scenarios = task.scenarios
    assert scenarios is not None
    numbered = _numbered(task, belief)
    if numbered is not None:
        assert scenarios.decisions.candidates is not None
        return numbered, scenarios.decisions.candidates, None if chosen is None else chosen.point.index
    rng = stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE)
    told = scenarios.decisions_of(belief.told.X)
    X = points_around(scenarios.decisions, worth_of_means(task, belief.mean), told, rng)
    if chosen is not None:
        X = np.vstack([chosen.point.x, X])
    return scenarios.points(X), X, None if chosen is None else 0


def _searched(
    task: Task, posterior: Posterior, expansion: Expansion | None, told: Floats, rng: np.random.Generator
) -> Floats:
    """Decisions that may be best: points all over, around measured ones, and where an ascent of F of the means ends."""
    scenarios, aim = _scenarios(task)
    score = RobustScore(posterior, scenarios, aim, 0.0, expansion=expansion)
    worth = worth_of_means(task, posterior.mean, expansion)
    X = points_around(scenarios.decisions, worth, scenarios.decisions_of(told), rng)
    anywhere = Allowed(None, np.empty((0, X.shape[1])))
    objective = Objective(score.at, score.value_and_gradient)
    found = argmax(scenarios.decisions, objective, X, score.at(X), anywhere)
    return X if found is None else np.vstack([found.x, X])


def _largest(
    posteriors: tuple[Posterior, ...],
    groups: Floats,
    scenarios: Scenarios,
    aim: Aim,
    normals: Floats,
    open_: npt.NDArray[np.bool_] | None,
    expansion: Expansion | None,
) -> tuple[int, float, float]:
    """The decision of the largest expected worth over the settings, that, and its standard deviation."""
    p = scenarios.weights
    plain = np.mean([_plain(post, groups, scenarios, aim, expansion) for post in posteriors], axis=0)
    if open_ is not None:
        plain = np.where(open_, plain, -np.inf)
    order = np.argsort(-plain, kind="stable")
    order = order[np.isfinite(plain[order])]
    best, most = int(order[0]), -np.inf
    for begin in range(0, len(order), _AT_ONCE):
        some = order[begin : begin + _AT_ONCE]
        if plain[some[0]] <= most:  # at least what is expected of it, and of all that follow
            break
        parts = [grouped(post, groups[some], rigid=scenarios.rigid) for post in posteriors]
        each = [expected_aim(g.mean, g.cov, aim, p, normals=normals, restore=expansion) for g in parts]
        expected = np.mean(each, axis=0)
        if expected.max() > most:
            best, most = int(some[expected.argmax()]), float(expected.max())
    return best, most, _sd(posteriors, groups[best : best + 1], scenarios, aim, normals, expansion)


def _plain(posterior: Posterior, groups: Floats, scenarios: Scenarios, aim: Aim, expansion: Expansion | None) -> Floats:
    """F of the means."""
    m, w, width = groups.shape
    f = posterior.mean(groups.reshape(m * w, width)).reshape(m, w)
    return aim.value(f if expansion is None else expansion(f), scenarios.weights)


def _sd(
    posteriors: tuple[Posterior, ...],
    group: Floats,
    scenarios: Scenarios,
    aim: Aim,
    normals: Floats,
    expansion: Expansion | None,
) -> float:
    """The standard deviation of F at one decision over the posterior, and over the settings."""
    means, variances = [], []
    for post in posteriors:
        each = grouped(post, group, rigid=scenarios.rigid)
        if isinstance(aim, Expectation) and expansion is None:
            means.append(float((each.mean @ scenarios.weights)[0]))
            variances.append(float(each.sd_of(scenarios.weights[None, :])[0] ** 2))
            continue
        values, vectors = np.linalg.eigh(each.cov[0])
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        f = each.mean[0] + normals @ root.T
        F = aim.value(f if expansion is None else expansion(f), scenarios.weights)
        means.append(float(F.mean()))
        variances.append(float(F.var()))
    return float(np.sqrt(np.mean(variances) + np.var(means)))
