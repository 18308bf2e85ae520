"""Several objectives: the recommended Pareto set, and what is certified about it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.certificate import FrontRegret
from regretless.optimizer.history import TOLD, History
from regretless.optimizer.joint import JointMoments, expected_at, moments_everywhere
from regretless.optimizer.proof import finite_only, limits_of, refuse_infinite
from regretless.optimizer.scene import reference_of
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, params_of
from regretless.optimizer.trust import least_trusted
from regretless.pareto import front_rows, hypervolume
from regretless.rng import Purpose
from regretless.spaces import Point
from regretless.theory import epsilon_bound, hypervolume_bound, log_prob_feasible

__all__ = ["Front", "certify_front", "recommend_front"]


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
        rows = _pareto_rows(task, found, pf, allowed)
        return Front(tuple(found.point(int(i)) for i in rows), pf[rows])


def certify_front(task: Task, history: History, state: State, front: Front | None) -> FrontRegret:
    """The certificate of a recommended front, or of what the models of the certificate themselves recommend."""
    with finite_only():
        fitted, K = tuple(state.doubted(k) for k in range(len(task.outcomes))), len(task.objectives)
        also = [] if front is None else [np.array([point.x for point in front.points])]
        found = moments_everywhere(task, history, fitted, Purpose.CERTIFICATE, *also)
        allowed = history.allowed(len(found.X)) if found.listed else np.ones(len(found.X), dtype=np.bool_)
        pf = _prob_feasible(task, found)
        if front is None:
            rows = _pareto_rows(task, found, pf, allowed)
        elif found.listed:
            rows = np.array([point.index for point in front.points], dtype=np.intp)
        else:
            rows = np.arange(len(front.points))
        weight = np.where(allowed, pf, 0.0) if task.constraints or not allowed.all() else None
        mean, sd = found.mean[:, :K], found.sd[:, :K]
        reference = np.array(reference_of(task, history))
        ranges = _ranges(mean, rows)
        limits, hold = zip(*map(limits_of, task.objectives, fitted[:K]), strict=True)
        columns = found.covariances[:K]
        epsilon = epsilon_bound(mean, sd, rows, columns, scale=ranges, weight=weight, limits=limits)
        left = hypervolume_bound(mean, sd, rows, reference, columns, weight=weight, limits=limits)
        volume = hypervolume(np.clip(mean[rows], *np.array(limits).T), reference)
        refuse_infinite(epsilon, left, volume, *ranges, *reference)
        points = tuple(params_of(task, found.point(int(i))) for i in rows)
        objectives = task.objectives
        return FrontRegret(
            rows=tuple(row for _, row in points),
            params=tuple(params for params, _ in points),
            expected=tuple(expected_at(task, fitted, found.X[i]) for i in rows.tolist()),
            epsilon=epsilon,
            ranges={outcome.name: float(size) for outcome, size in zip(objectives, ranges, strict=True)},
            hypervolume=volume,
            hypervolume_left=left,
            reference={o.name: float(o.outward(float(z))) for o, z in zip(objectives, reference, strict=True)},
            exact=found.listed,
            trust=least_trusted(task, fitted),
            objectives=tuple(outcome.wanted for outcome in objectives),
            model="given" if task.surrogate.method == "fixed" else "fitted",
            used=len(fitted[0].used),
            told=len(history.series().y),
            limits={outcome.name: outcome.limits.given for outcome in objectives if outcome.limits.given} or None,
            contradicted=tuple(outcome.name for outcome, holds in zip(objectives, hold, strict=True) if not holds),
        )


def _prob_feasible(task: Task, found: JointMoments) -> Floats:
    K = len(task.objectives)
    if not task.constraints:
        return np.ones(len(found.X))
    thresholds = [outcome.threshold for outcome in task.constraints]
    return np.exp(log_prob_feasible(found.mean[:, K:], found.sd[:, K:], thresholds))


def _pareto_rows(task: Task, found: JointMoments, pf: Floats, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    candidates = np.flatnonzero(allowed & (pf >= 1.0 - task.risk))
    if not len(candidates):
        candidates = np.flatnonzero(allowed) if allowed.any() else np.arange(len(found.X))
    rows: npt.NDArray[np.intp] = candidates[front_rows(found.mean[candidates, : len(task.objectives)])]
    return np.sort(rows)


def _ranges(mean: Floats, rows: npt.NDArray[np.intp]) -> Floats:
    """The width of the front in each objective; of all means, where it has none."""
    width, everywhere = np.ptp(mean[rows], axis=0), np.ptp(mean, axis=0)
    width = np.where(width > 0.0, width, everywhere)
    return np.where(width > 0.0, width, 1.0)
