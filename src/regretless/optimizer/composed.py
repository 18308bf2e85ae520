"""A composite objective: what to recommend, by the expected value of the function, and what is certified about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from regretless.acquisition import Outputs, View
from regretless.acquisition.composite import Expectation, OfParts
from regretless.acquisition.network import ExpectedOfCascade
from regretless.arrays import Floats
from regretless.confidence.quantiles import latin_normals
from regretless.linalg import single_thread
from regretless.optimizer.certificate import Certified, named
from regretless.optimizer.history import History
from regretless.optimizer.joint import drawn_everywhere, points_everywhere
from regretless.optimizer.model import told_key
from regretless.optimizer.proof import finite_only, refuse_infinite
from regretless.optimizer.recommendation import Choice
from regretless.optimizer.scene import cascade_of, objective_of, outer_of
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, params_of
from regretless.optimizer.trust import footing
from regretless.optimizer.wording import rounded
from regretless.rng import Purpose, stream
from regretless.search import Allowed, argmax
from regretless.spaces import Point
from regretless.theory import Calibration, simulated_tail_sum

__all__ = ["CompositeRegret", "certify_composite", "recommend_composite"]

#: Draws of a certificate, in so many independent groups, from which its standard error comes.
_DRAWS, _GROUPS = 2048, 8
#: Of a network: draws at the least, and at how many points and draws together.
_LEAST, _ENTRIES = 256, 1_000_000
#: Draws by which expected values are compared.
_FEW = 512


@dataclass(frozen=True, slots=True)
class CompositeRegret(Certified):
    """What recommending a point costs against the best value of a composite objective, in the user's units.

    Attributes
    ----------
    params, row, mean, sd
        What is recommended, and mean and sd of the objective there, by draws.
    bound, error
        An upper bound on the expected regret given the data, whatever the function, estimated by draws from the models
        of the measured outcomes; and the standard error of that estimate.
    exact
        True where every candidate was counted (a table); False where a sample stands for the space.
    trust, objective, model, used, told
        As for `Certificate`; the light is that of the outcome whose model is trusted least.
    """

    params: Mapping[str, Any]
    row: Any
    mean: float
    sd: float
    bound: float
    error: float
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    settings: int = 1
    unsure: float = 0.0

    def beside(self) -> str:
        """How far the draws may be off."""
        return f"by draws, with a standard error of {rounded(self.error)}"

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = named(self.row, self.params, row_name)
        text = f"Under the {self.model} models{self.rests_on}, recommending {what} costs {self.cost} in expectation"
        return text + (" (by draws)." if self.exact else " (an estimate by draws: a sample stands for the space).")


def recommend_composite(task: Task, history: History, state: State) -> Choice:
    """The largest expected value of the function by the averaged beliefs, elsewhere than on a list after an ascent."""
    with single_thread():
        rng = stream(task.seed, told_key(history.series()), Purpose.CANDIDATES)
        beliefs, candidates = state.all_doubted(), task.domain.candidates
        X = points_everywhere(task, beliefs, rng)
        if candidates is None:
            climbed = _climbed(task, state, X, rng)
            X = X if climbed is None else np.vstack([climbed.x, X])
        drawn = drawn_everywhere(task, beliefs, X, _normals(_FEW, task, rng))(np.ones(len(X), dtype=np.bool_))
        mean, sd = np.concatenate([np.stack([F.mean(axis=1), F.std(axis=1)], axis=1) for F in drawn]).T
        index = int(np.argmax(np.where(_allowed(task, history, len(X)), mean, -np.inf)))
        return Choice(Point(X[index], index if candidates is not None else None), float(mean[index]), float(sd[index]))


def _climbed(task: Task, state: State, X: Floats, rng: np.random.Generator) -> Point | None:
    """The largest expected value by ascent, under the models to search by."""
    fitted = state.all_believed()
    if task.network is not None:
        units = [each.fit.hyperparameters.units for each in fitted]
        cascade = cascade_of(task, units, [(each.belief.posterior,) for each in fitted])
        expected = ExpectedOfCascade(cascade, latin_normals(_FEW // 8, len(cascade), rng))
        return argmax(task.domain, objective_of(expected), X, expected.at(X), Allowed(None, X[:0]))
    views = []
    for each in fitted:
        posterior = each.belief.posterior
        mean, sd = posterior.mean_sd(X)
        views.append(View(posterior, X, mean, sd, told=X[:0], best_told=0.0, n_levels=task.domain.n_levels))
    outer = outer_of(task, [each.fit.hyperparameters.units for each in fitted])
    outputs = Outputs(tuple(views), 1, outer=outer)
    formula = Expectation(outer.function, latin_normals(_FEW // 4, len(views) - 1, rng))
    score = OfParts(outputs.posteriors[1:], formula)
    return argmax(task.domain, objective_of(score), X, score.on(outputs), Allowed(None, X[:0]))


def certify_composite(task: Task, history: History, state: State, choice: Choice | None) -> CompositeRegret:
    """The expected maximum of the function over the candidates, bounded by draws, less what ``choice`` is expected of.

    Without a choice it is of what the beliefs of the certificate expect most of. The bound is a tail sum: it holds
    whatever the function is, and however candidates are correlated.
    """
    with finite_only():
        beliefs, candidates, objective = state.all_doubted(), task.domain.candidates, task.objective
        rng = stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE)
        X = points_everywhere(task, beliefs, rng, *([] if choice is None else [choice.point.x[None, :]]))
        allowed = _allowed(task, history, len(X))
        z = np.vstack([_normals(_count(task, len(X)) // _GROUPS, task, rng) for _ in range(_GROUPS)])
        drawn = drawn_everywhere(task, beliefs, X, z)
        everywhere = drawn(np.ones(len(X), dtype=np.bool_))
        mean, sd, top = np.concatenate([np.stack([F.mean(1), F.std(1), F.max(1)], axis=1) for F in everywhere]).T
        if choice is None:
            index = int(np.argmax(np.where(allowed, mean, -np.inf)))
        else:
            index = choice.point.index if choice.point.index is not None else 0
        found = simulated_tail_sum(
            lambda: drawn(allowed),
            _GROUPS,
            around=float(mean[index]),
            below=float(mean[index] - 4.0 * sd[index]),
            above=float(top[allowed].max()),
        )
        point = Point(X[index], index if candidates is not None else None)
        refuse_infinite(found.value, found.error, float(mean[index]), float(sd[index]))
        params, row = params_of(task, point)
        return CompositeRegret(
            params=params,
            row=row,
            mean=float(objective.outward(mean[index])),
            sd=float(sd[index]),
            bound=max(found.value - float(mean[index]), 0.0),
            error=found.error,
            exact=candidates is not None,
            objective=objective.name,
            **footing(task, history, state),
        )


def _count(task: Task, n: int) -> int:
    """Draws of a certificate at n points; of a network there are fewer, where there are many points."""
    if task.network is None:
        return _DRAWS
    return _GROUPS * max(_LEAST // _GROUPS, min(_DRAWS, _ENTRIES // max(n, 1)) // _GROUPS)


def _normals(count: int, task: Task, rng: np.random.Generator) -> Floats:
    return latin_normals(count, len(task.outcomes) - 1, rng)


def _allowed(task: Task, history: History, n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Candidates that count: all of them where every one is excluded."""
    if task.domain.candidates is None:
        return np.ones(n, dtype=np.bool_)
    allowed = history.allowed(n)
    return allowed if allowed.any() else np.ones(n, dtype=np.bool_)
