"""Which level of a fidelity to buy: at the point of a suggestion, and in the initial design.

The point is chosen as if there were the target alone; then the level that tells most about the target there per cost,
see `regretless.theory.level_information`.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from regretless.gp import Hyperparameters, Posterior
from regretless.gp.regression import VAR_FLOOR
from regretless.optimizer.context import Codes
from regretless.optimizer.history import PENDING, TOLD, History, Series, only
from regretless.optimizer.task import Task
from regretless.spaces import NOISE_FREE, Point
from regretless.theory import best_level, level_information

__all__ = ["Purchase", "alike", "at_level", "designed", "n_designed", "purchase_at", "wanted"]

#: So many points of the initial design are measured at every level.
_PAIRED = 2
#: Levels are compared as if the noise variance were at least this share of the signal's.
_COMPARED = 1e-2


@dataclass(frozen=True, slots=True)
class Purchase:
    """A level: its codes, its cost, and its information about the target in nats."""

    codes: Codes
    cost: float
    information: float

    @property
    def record(self) -> dict[str, float]:
        """The part that is recorded."""
        return {"information": self.information, "cost": self.cost}


def purchase_at(task: Task, history: History, given: Posterior, h: Hyperparameters, point: Point) -> Purchase | None:
    """The level to buy at a point, None without a fidelity. ``h`` is what the posterior was made with.

    A level that is pending there, or measured there without noise, is not bought again while there is another.
    """
    fidelity = task.fidelity
    if fidelity is None:
        return None
    z, costs = fidelity.choices()
    at = np.column_stack([np.tile(point.x, (len(z), 1)), z])
    C = given.covariance(at, at)
    signal_var = given.kernel.signal_var
    var = np.maximum(C.diagonal(), VAR_FLOOR * signal_var)
    noise_vars = max(h.noise_var, _COMPARED * signal_var) + np.where(z > 0.0, h.level_noise_var, 0.0)
    told = level_information(C[0], target_var=float(var[0]), level_vars=var, noise_var=noise_vars)
    free = np.flatnonzero(~_closed(task, history, point, z, h.noise_var / signal_var))
    free = free if len(free) else np.array([0])
    m = int(free[best_level(told[free], costs[free])])
    return Purchase((float(z[m]),), float(costs[m]), float(told[m]))


def _closed(
    task: Task, history: History, point: Point, z: npt.NDArray[np.float64], noise_share: float
) -> npt.NDArray[np.bool_]:
    """Which levels need no further trial at a point."""
    points, status = history.points, history.status[:, 0]
    assert points.context is not None
    closed = status == PENDING
    if task.space.repeats == "never" or (task.space.repeats == "auto" and noise_share < NOISE_FREE):
        closed = closed | (status == TOLD)
    here = closed & (point.x == points.X).all(axis=1)
    return np.isin(z, points.context[here, 0])


def wanted(task: Task, history: History) -> History:
    """The history without results below the target: as candidates, such points are still to be tried."""
    if task.fidelity is None:
        return history
    return _some(history, history.points.at_target | (history.status[:, 0] != TOLD))


def alike(task: Task, series: Series) -> Series:
    """Results of one level, that with the most: values of several levels are not compared with each other."""
    context = series.told.context
    if task.fidelity is None or context is None or not len(series.y):
        return series
    _, which, count = np.unique(context[:, 0], return_inverse=True, return_counts=True)
    return only(series, np.flatnonzero(which.reshape(-1) == int(count.argmax())))


def at_level(task: Task, history: History, codes: Codes) -> History:
    """The trials at one level."""
    context = history.points.context
    if task.fidelity is None or context is None:
        return history
    return _some(history, (context == codes).all(axis=1))


def n_designed(task: Task) -> int:
    """How many trials the initial design has."""
    return task.n_initial if task.fidelity is None else len(_plan(task))


def designed(task: Task, number: int) -> tuple[int, Codes]:
    """Which point of the initial design the trial of that number measures, and at which level.

    Some points are measured at every level, from the cheapest up, which is where the model learns how levels differ;
    the others at the cheapest alone. What takes the place of failed trials is measured at the target.
    """
    if task.fidelity is None:
        return number, ()
    plan = _plan(task)
    return plan[number] if number < len(plan) else (task.n_initial + number - len(plan), (0.0,))


def _plan(task: Task) -> list[tuple[int, Codes]]:
    assert task.fidelity is not None
    z, _ = task.fidelity.choices()
    down = [float(z[-1]), 0.0] if task.fidelity.continuous else z[::-1].tolist()
    paired = min(_PAIRED, task.n_initial)
    at_all = [(point, (code,)) for point in range(paired) for code in down]
    return at_all + [(point, (down[0],)) for point in range(paired, task.n_initial)]


def _some(history: History, kept: npt.NDArray[np.bool_]) -> History:
    rows = np.flatnonzero(kept)
    noise = tuple(None if known is None else known.take(rows) for known in history.noise)
    return replace(history, points=history.points[rows], status=history.status[rows], Y=history.Y[rows], noise=noise)
