"""Moments of all outcomes at the same points, as they are inside, in the units of y."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.optimizer.history import History
from regretless.optimizer.model import Fitted, in_use, told_key
from regretless.optimizer.scene import desirability
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import dense_sample, points_around
from regretless.spaces import Point

__all__ = ["JointMoments", "moments_at", "moments_everywhere", "outward_moments"]

#: Points of a product space that stand for it.
_DENSE = 2000


@dataclass(frozen=True, slots=True)
class JointMoments:
    """N points with m outcomes: objectives first, then constraints."""

    X: Floats
    mean: Floats  # (N, m)
    sd: Floats  # (N, m)
    covariances: tuple[Callable[[int], Floats], ...]  # of each outcome, between one of the points and all of them
    listed: bool  # whether the points are all candidates

    def point(self, index: int) -> Point:
        """One of the points."""
        return Point(self.X[index], index if self.listed else None)


def moments_everywhere(
    task: Task, history: History, fitted: tuple[Fitted, ...], purpose: Purpose, *also: Floats
) -> JointMoments:
    """Moments at every candidate of a list; elsewhere at points that stand for the space, and at ``also``."""
    X = fitted[0].belief.candidates
    if X is None:
        series = history.series()
        rng = stream(task.seed, told_key(series), purpose)
        worth = desirability(task, fitted, [each.belief.posterior for each in fitted], rng)
        around = points_around(task.domain, worth, in_use(series, fitted[0]).told.X, rng)
        X = np.vstack([*also, around, dense_sample(task.domain, _DENSE, rng)])
        return moments_at(fitted, X, listed=False)
    return moments_at(fitted, X, listed=True)


def moments_at(fitted: tuple[Fitted, ...], X: Floats, *, listed: bool) -> JointMoments:
    """Moments at the rows of X, which are all candidates if they are ``listed``."""
    means, sds, covariances = [], [], []
    for each in fitted:
        units, known = each.fit.hyperparameters.units, each.belief.on(None if listed else X)
        mean, sd = units.restored(known.mean, known.sd)
        means.append(mean)
        sds.append(sd)
        covariances.append(_scaled(known.covariance_with, units.scale))
    return JointMoments(X, np.column_stack(means), np.column_stack(sds), tuple(covariances), listed)


def outward_moments(task: Task, mean: Floats, sd: Floats) -> dict[str, tuple[float, float]]:
    """Mean and sd of every outcome at one point by name, as the user sees them."""
    return {
        outcome.name: (float(outcome.outward(float(mean[k]))), float(sd[k])) for k, outcome in enumerate(task.outcomes)
    }


def _scaled(covariance_with: Callable[[int], Floats], scale: float) -> Callable[[int], Floats]:
    return lambda index: scale * (scale * covariance_with(index))
