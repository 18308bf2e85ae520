"""Moments of all outcomes at the same points, as they are inside."""

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

__all__ = ["JointMoments", "expected_at", "moments_at", "moments_everywhere"]

#: Points of a product space that stand for it.
_DENSE = 2000


@dataclass(frozen=True, slots=True)
class JointMoments:
    """N points with m outcomes: objectives first, in the units of y, then constraints, as `Units.linear` has them.

    There a constraint's threshold is what it is in the units of y, and the law is normal.
    """

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
        return moments_at(task, fitted, X, listed=False)
    return moments_at(task, fitted, X, listed=True)


def moments_at(task: Task, fitted: tuple[Fitted, ...], X: Floats, *, listed: bool) -> JointMoments:
    """Moments at the rows of X, which are all candidates if they are ``listed``."""
    means, sds, covariances = [], [], []
    for outcome, each in zip(task.outcomes, fitted, strict=True):
        units, known = each.fit.hyperparameters.units, each.belief.on(None if listed else X)
        in_units = units.restored if outcome.role == "objective" else units.linear
        mean, sd = in_units(known.mean, known.sd)
        means.append(mean)
        sds.append(sd)
        covariances.append(_scaled(known.covariance_with, units.scale))
    return JointMoments(X, np.column_stack(means), np.column_stack(sds), tuple(covariances), listed)


def expected_at(task: Task, fitted: tuple[Fitted, ...], x: Floats) -> dict[str, tuple[float, float]]:
    """Mean and sd of every outcome at one point by name, as the user sees them."""
    found = {}
    for outcome, each in zip(task.outcomes, fitted, strict=True):
        mean, sd = each.fit.hyperparameters.units.restored(*each.belief.posterior.mean_sd(x[None, :]))
        found[outcome.name] = (outcome.outward(float(mean[0])), float(sd[0]))
    return found


def _scaled(covariance_with: Callable[[int], Floats], scale: float) -> Callable[[int], Floats]:
    return lambda index: scale * (scale * covariance_with(index))
