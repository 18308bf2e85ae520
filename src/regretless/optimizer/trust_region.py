"""The trust region of a study: what the results told make of it, and the best point inside."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.gp import Posterior
from regretless.optimizer.history import History
from regretless.optimizer.task import Task
from regretless.search import Allowed, Objective, Subbox, best_inside
from regretless.spaces import Mixed, Point

__all__ = ["Progress", "choose_near", "missing_points", "progress", "sides"]

#: Length of the region at first and at the most, and below which it begins again elsewhere (Eriksson et al. 2019).
_FIRST, _LONGEST, _SHORTEST = 0.8, 1.6, 2.0**-7
#: Results in a row that double the length, and at the least those that halve it.
_SUCCESSES, _FAILURES = 3, 4
#: A success gains at least this share of what the best value is above the median: rounding is none.
_GAIN = 1e-3


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a trust region stands: nothing of it is kept, all of it follows from the results."""

    length: float
    begin: int = 0  # the first result of the region, others are not its own
    restarts: int = 0


def progress(y: Floats, n_initial: int, dim: int) -> Progress:
    """What results, as maximised and in the order of their trials, make of the region.

    The first ``n_initial`` of a region are its start and count neither way.

    >>> progress(np.array([0.0, 1.0]), 2, dim=2)
    Progress(length=0.8, begin=0, restarts=0)
    >>> progress(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), 2, dim=2).length  # three successes
    1.6
    >>> progress(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]), 2, dim=2).length  # four failures
    0.4
    """
    length, begin, restarts, wins, losses = _FIRST, 0, 0, 0, 0
    y = 0.25 * y  # exact, and differences of the largest floats stay finite
    for i in range(len(y)):
        if i - begin < n_initial:
            continue
        own = y[begin:i]
        if y[i] > own.max() + _GAIN * (own.max() - np.median(own)):
            wins, losses = wins + 1, 0
        else:
            wins, losses = 0, losses + 1
        if wins == _SUCCESSES:
            length, wins = min(2.0 * length, _LONGEST), 0
        elif losses == max(_FAILURES, dim):
            length, losses = 0.5 * length, 0
        if length < _SHORTEST:
            length, begin, restarts, losses = _FIRST, i + 1, restarts + 1, 0
    return Progress(length, begin, restarts)


def missing_points(task: Task, history: History) -> int:
    """How many random points a region that begins again still needs, as many as the initial design has; mostly 0."""
    X, y = _results(history)
    region = progress(y, _start(task), task.domain.dim)
    if not region.restarts:
        return 0
    return max(0, _start(task) - (len(X) - region.begin) - len(history.pending))


def choose_near(
    task: Task,
    history: History,
    posterior: Posterior,
    lengthscale: Floats,
    objective: Objective,
    rng: np.random.Generator,
    worth: Allowed,
) -> tuple[Point | None, Mapping[str, float]]:
    """The best point of the trust region, and what is recorded of it.

    The centre is the result of the region with the largest posterior mean.
    """
    space = task.domain
    assert isinstance(space, Mixed)
    X, y = _results(history)
    region = progress(y, _start(task), space.dim)
    record = {"length": region.length, "restarts": float(region.restarts)}
    own = X[region.begin :]
    if not len(own):  # nothing to be near to
        starts = space.sample(1, rng)
        return Point(starts[0]), record
    centre = own[np.argmax(posterior.mean(own))]
    box = Subbox.around(space, centre, sides(region.length, lengthscale, space))
    return best_inside(space, box, objective, box.points(space, rng), blocked=worth.blocked), record


def sides(length: float, lengthscale: Floats, space: Mixed) -> Floats:
    r"""Sides :math:`L \ell_j / (\prod_i \ell_i)^{1/d}` over the d real columns: the volume is that of a cube.

    >>> space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)})
    >>> sides(0.8, np.array([0.1, 0.4]), space).round(3).tolist()
    [0.4, 1.6]
    """
    return np.asarray(length * lengthscale / np.exp(np.log(lengthscale[space.continuous]).mean()))


def _results(history: History) -> tuple[Floats, Floats]:
    """Points that may be tried, and their values."""
    series = history.series()
    inside = series.told.inside
    return series.told.X[inside], series.y[inside]


def _start(task: Task) -> int:
    return max(task.n_initial, 1)
