"""Several objectives: the recommended Pareto set and its certificate."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.certificate import FrontRegret
from regretless.optimizer.history import TOLD, History
from regretless.optimizer.joint import (
    JointMoments,
    expected_at_each,
    log_feasible,
    moments_everywhere,
    objective_moments,
    points_everywhere,
)
from regretless.optimizer.model import told_key
from regretless.optimizer.proof import finite_only, limits_of, refuse_infinite
from regretless.optimizer.scene import reference_of
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, params_of
from regretless.optimizer.trust import least_trusted
from regretless.pareto import front_rows, hypervolume
from regretless.rng import Purpose, stream
from regretless.spaces import Point
from regretless.theory import careful_mean, epsilon_bound, hypervolume_bound, log_prob_feasible, share_unsure

__all__ = ["Front", "certify_front", "recommend_front"]

#: Settings of each objective that are averaged over: each costs two bounds over all pairs of objectives.
_SETTINGS = 6


@dataclass(frozen=True, slots=True)
class Front:
    """Points that are Pareto-optimal by the means of the objectives, and how probably each is feasible."""

    points: tuple[Point, ...]
    prob_feasible: Floats  # (h,)


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
            trust=least_trusted(task, beliefs),
            objectives=tuple(outcome.wanted for outcome in objectives),
            model="given" if task.surrogate.method == "fixed" else "fitted",
            used=beliefs[0].used,
            told=len(history.series().y),
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
