"""Several objectives: the recommended Pareto set and its certificate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.certificate import Certified
from regretless.optimizer.history import TOLD, History
from regretless.optimizer.joint import (
    JointMoments,
    expected_at_each,
    log_feasible,
    moments_everywhere,
    objective_moments,
    points_everywhere,
)
from regretless.optimizer.limits import Given, as_limits
from regretless.optimizer.model import told_key
from regretless.optimizer.proof import finite_only, limits_of, refuse_infinite
from regretless.optimizer.scene import reference_of
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, params_of
from regretless.optimizer.trust import footing
from regretless.optimizer.wording import rounded
from regretless.pareto import front_rows, hypervolume
from regretless.rng import Purpose, stream
from regretless.spaces import Point
from regretless.theory import (
    Calibration,
    careful_mean,
    epsilon_bound,
    hypervolume_bound,
    log_prob_feasible,
    share_unsure,
)

__all__ = ["Front", "FrontRegret", "certify_front", "recommend_front"]

#: Settings of each objective that are averaged over: each costs two bounds over all pairs of objectives.
_SETTINGS = 6


@dataclass(frozen=True, slots=True)
class Front:
    """Points that are Pareto-optimal by the means of the objectives, and how probably each is feasible."""

    points: tuple[Point, ...]
    prob_feasible: Floats  # (h,)


@dataclass(frozen=True, slots=True)
class FrontRegret(Certified):
    """What a recommended Pareto set misses at most, in expectation, given the data.

    Attributes
    ----------
    rows, params, expected
        What is recommended, point by point: ids of rows, parameters, and mean and sd of every outcome by name.
    epsilon, ranges
        Every candidate is within ``epsilon`` of a recommended point in all objectives at once, each counted in widths
        of the recommended front, ``ranges``: an upper bound on its expectation.
    hypervolume
        Of the expected values of the recommended points, above the reference point, in the units of the objectives.
    hypervolume_left
        Upper bound on the expected hypervolume that the recommended points miss.
    reference
        The reference point, by objective.
    limits, contradicted
        What objectives cannot leave, by name, None where nothing is known; and those whose limits were not used, as the
        data contradict them.
    exact, trust, model, used, told
        As for `Certificate`; the light is that of the outcome whose model is trusted least.
    """

    rows: tuple[Any, ...]
    params: tuple[Mapping[str, Any], ...]
    expected: tuple[Mapping[str, tuple[float, float]], ...]
    epsilon: float
    ranges: Mapping[str, float]
    hypervolume: float
    hypervolume_left: float
    reference: Mapping[str, float]
    exact: bool
    trust: Calibration
    objectives: tuple[str, ...]
    model: Literal["fitted", "given"]
    used: int
    told: int
    limits: Mapping[str, Given] | None = None
    contradicted: tuple[str, ...] = ()
    settings: int = 1
    unsure: float = 0.0

    @property
    def bound(self) -> float:  # type: ignore[override]  # computed, and frozen as the field is
        """What `Regret` looks at: the additive epsilon, in widths of the front."""
        return self.epsilon

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        n, of_rows = len(self.params), self.rows[0] is not None
        ignored = "".join(
            f" The limits of {name} ({as_limits(limits)}) were not used: the results contradict them."
            for name, limits in (self.limits or {}).items()
            if name in self.contradicted
        )
        what = f"{row_name}{'s' if n > 1 else ''}" if of_rows else f"point{'s' if n > 1 else ''}"
        return (
            f"Under the {self.model} models{self.rests_on}, the {n} recommended {what} miss{'' if n > 1 else 'es'} "
            f"{self.cost} in expectation; every other candidate is within {100.0 * self.epsilon:.3g} % of the front's "
            f"width of one of them, in all objectives at once"
            + ("." if self.exact else " (estimates: a dense sample stands for the space).")
            + ignored
        )

    @property
    def cost(self) -> str:
        """The hypervolume left in words."""
        share = f" ({100.0 * self.hypervolume_left / self.hypervolume:.3g} %)" if self.hypervolume > 0.0 else ""
        most = "at most" if self.exact else "about"
        return f"{most} {rounded(self.hypervolume_left)} of hypervolume{share}"


def recommend_front(task: Task, history: History, state: State) -> Front:
    """The Pareto set of the means, among candidates that are feasible with probability 1 - risk.

    Where none is, among all of them. In a product space measured points and a dense sample stand for the candidates.
    """
    with single_thread():
        fitted = tuple(state.believed(k) for k in range(len(task.outcomes)))
        measured = history.points[(history.status == TOLD).any(axis=1) & history.points.inside]
        found = moments_everywhere(task, history, fitted, Purpose.CANDIDATES, measured.X)
        allowed = history.allowed(len(found.X)) if found.listed else np.ones(len(found.X), dtype=np.bool_)
        pf = _prob_feasible(task, found)
        rows = _pareto_rows(task, found.mean, pf, allowed)
        return Front(tuple(found.point(int(i)) for i in rows), pf[rows])


def certify_front(task: Task, history: History, state: State, front: Front | None) -> FrontRegret:
    """The certificate of a recommended front, or of what the models of the certificate themselves recommend.

    The settings of the objectives are independent: the first of each makes one setting of all, the second another, and
    the bounds are averaged over these.
    """
    with finite_only():
        beliefs, K, candidates = state.all_doubted(), len(task.objectives), task.domain.candidates
        rng = stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE)
        also = [] if front is None else [np.array([point.x for point in front.points])]
        X = points_everywhere(task, beliefs, rng, *also)
        allowed = history.allowed(len(X)) if candidates is not None else np.ones(len(X), dtype=np.bool_)
        pf = np.exp(log_feasible(task, beliefs, X))
        each = [objective_moments(task, belief, X, _SETTINGS) for belief in beliefs[:K]]
        settings = [[known[h % len(known)] for known in each] for h in range(max(map(len, each)))]
        means = [np.column_stack([mean for mean, _, _ in setting]) for setting in settings]
        mixture = np.mean(means, axis=0)
        if front is None:
            rows = _pareto_rows(task, mixture, pf, allowed)
        elif candidates is not None:
            rows = np.array([point.index for point in front.points], dtype=np.intp)
        else:
            rows = np.arange(len(front.points))
        weight = np.where(allowed, pf, 0.0) if task.constraints or not allowed.all() else None
        reference = np.array(reference_of(task, history))
        ranges = _ranges(mixture, rows)
        limits, hold = zip(*map(limits_of, task.objectives, beliefs[:K]), strict=True)
        epsilons, lefts = [], []
        for mean, setting in zip(means, settings, strict=True):
            sd, columns = np.column_stack([one for _, one, _ in setting]), [column for _, _, column in setting]
            epsilons.append(epsilon_bound(mean, sd, rows, columns, scale=ranges, weight=weight, limits=limits))
            lefts.append(hypervolume_bound(mean, sd, rows, reference, columns, weight=weight, limits=limits))
        epsilon, left = careful_mean(np.array(epsilons)), careful_mean(np.array(lefts))
        volume = hypervolume(np.clip(mixture[rows], *np.array(limits).T), reference)
        refuse_infinite(epsilon, left, volume, *ranges, *reference)
        chosen = [Point(X[i], i if candidates is not None else None) for i in rows.tolist()]
        points = tuple(params_of(task, point) for point in chosen)
        objectives = task.objectives
        return FrontRegret(
            rows=tuple(row for _, row in points),
            params=tuple(params for params, _ in points),
            expected=tuple(expected_at_each(task, beliefs, chosen)),
            epsilon=epsilon,
            ranges={outcome.name: float(size) for outcome, size in zip(objectives, ranges, strict=True)},
            hypervolume=volume,
            hypervolume_left=left,
            reference={o.name: float(o.outward(float(z))) for o, z in zip(objectives, reference, strict=True)},
            exact=candidates is not None,
            objectives=tuple(outcome.wanted for outcome in objectives),
            **footing(task, history, state),
            limits={outcome.name: outcome.limits.given for outcome in objectives if outcome.limits.given} or None,
            contradicted=tuple(outcome.name for outcome, holds in zip(objectives, hold, strict=True) if not holds),
            settings=len(epsilons),
            unsure=share_unsure(epsilon, epsilons),
        )


def _prob_feasible(task: Task, found: JointMoments) -> Floats:
    K = len(task.objectives)
    if not task.constraints:
        return np.ones(len(found.X))
    thresholds = [outcome.threshold for outcome in task.constraints]
    return np.exp(log_prob_feasible(found.mean[:, K:], found.sd[:, K:], thresholds))


def _pareto_rows(task: Task, mean: Floats, pf: Floats, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    candidates = np.flatnonzero(allowed & (pf >= 1.0 - task.risk))
    if not len(candidates):
        candidates = np.flatnonzero(allowed) if allowed.any() else np.arange(len(mean))
    rows: npt.NDArray[np.intp] = candidates[front_rows(mean[candidates, : len(task.objectives)])]
    return np.sort(rows)


def _ranges(mean: Floats, rows: npt.NDArray[np.intp]) -> Floats:
    """The width of the front in each objective; of all means, where it has none."""
    width, everywhere = np.ptp(mean[rows], axis=0), np.ptp(mean, axis=0)
    width = np.where(width > 0.0, width, everywhere)
    return np.where(width > 0.0, width, 1.0)
