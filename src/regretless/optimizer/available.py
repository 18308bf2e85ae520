"""What may be suggested now: repeats, pending and failed trials, excluded candidates."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import Exhausted
from regretless.optimizer.history import History, Points, Series
from regretless.optimizer.task import Task
from regretless.search import Allowed
from regretless.spaces import NOISE_FREE

__all__ = ["open_points", "worth_trying"]

#: A point is settled when the variance of the mean of its values is less than this share of that between points.
SETTLED = 1e-2
#: Degrees of freedom among repeated measurements from which on they say how noisy values are.
_ENOUGH = 2


def open_points(task: Task, history: History) -> Allowed:
    """The points that the initial design and random suggestions choose from; measured ones count as free of noise.

    Raises
    ------
    Exhausted
        If every candidate has been tried and repeats are not allowed.
    """
    N = task.domain.n_candidates
    if N is not None and task.domain.engine is not None:
        return _open_in_file(task, history, N)
    if N is None:
        _check_left(task, history)
        return Allowed(None, _blocked(task, history, 0.0))
    never, none = task.space.repeats == "never", np.empty((0, task.domain.dim))
    allowed = history.allowed(N)
    open_ = allowed.copy()
    pending, failed = history.pending.rows, history.failed.rows
    if never:
        open_[history.points.rows] = False
    if not open_.any():
        raise _exhausted(N, len(history.excluded))
    if never:
        return Allowed(open_, none)
    # Measured rows may be asked again; pending (unless all may be) and failed ones only when nothing else is left.
    open_[failed] = False
    if task.space.repeats != "all":
        open_[pending] = False
    if open_.any():
        return Allowed(open_, none)
    open_ = allowed.copy()
    open_[pending] = False
    return Allowed(open_ if open_.any() else allowed, none)


def worth_trying(task: Task, history: History, allowed: Allowed, noise_share: float) -> Allowed:
    """What of it the argmax is taken over, where noise has that share of the signal's variance.

    Algorithm 1: all of it. ``repeats="auto"``: without noise a measured row is left out while there are others, and
    with noise one that is settled.
    """
    if allowed.closed is None and allowed.rows is None:
        return Allowed(None, _blocked(task, history, noise_share))
    if task.space.repeats in ("all", "allow"):
        return allowed
    done = history.told.rows if noise_share < NOISE_FREE else _settled(task, history).rows
    if allowed.closed is not None:
        more = np.union1d(allowed.closed, done)
        return replace(allowed, closed=more) if len(more) < (task.domain.n_candidates or 0) else allowed
    assert allowed.rows is not None
    untried = allowed.rows.copy()
    untried[done] = False
    return Allowed(untried, allowed.blocked) if untried.any() else allowed


def _settled(task: Task, history: History) -> Points:
    """Settled points, of which another measurement would tell little, in every outcome. None under an environment.

    There a decision has other environments to be measured in.
    """
    points = history.points
    settled = np.full(len(points), task.surrogate.pure_error and task.scenarios is None)
    for k in range(len(task.outcomes)):
        if settled.any():
            series = history.series(k)
            settled &= np.isin(points.trials, series.told.trials[_is_settled(series)])
    return points[settled]


def _is_settled(series: Series) -> npt.NDArray[np.bool_]:
    r"""Which told values are those of a settled point, by what repeated measurements say (pure error).

    .. math:: \hat\sigma^2 / k_x < 0.01\, \mathrm{Var}_x(\bar y_x), \qquad
              \hat\sigma^2 = \sum_x \sum_i (y_{xi} - \bar y_x)^2 \Big/ \sum_x (k_x - 1)

    with k_x values at x and their mean. A model with one noise for all takes what single rows have of their own for
    noise, and would measure its favourite for ever. None where the noise of values is given.
    """
    y = series.y
    if series.noise is not None or len(y) <= _ENOUGH:
        return np.zeros(len(y), dtype=np.bool_)
    place = np.unique(series.told.X, axis=0, return_inverse=True)[1].reshape(-1)
    size = float(np.abs(y).max()) or 1.0  # values of 1e300 have a variance then
    count = np.bincount(place)
    mean = np.bincount(place, weights=y / size) / count
    repeats = len(y) - len(count)
    if repeats < _ENOUGH:
        return np.zeros(len(y), dtype=np.bool_)
    noise_var = float(np.square(y / size - mean[place]).sum()) / repeats
    settled: npt.NDArray[np.bool_] = (noise_var < SETTLED * float(mean.var()) * count)[place]
    return settled


def _open_in_file(task: Task, history: History, N: int) -> Allowed:
    """`open_points` for a table in a file, by the few rows that are closed."""
    excluded, pending, failed = np.unique(history.excluded), history.pending.rows, history.failed.rows
    never = task.space.repeats == "never"
    least = np.union1d(excluded, history.points.rows) if never else excluded
    if len(least) >= N:
        raise _exhausted(N, len(history.excluded))
    closed = [least]
    if not never:  # as in a list in memory, these again only when nothing else is left
        closed.insert(0, np.union1d(excluded, pending))
        closed.insert(0, np.union1d(excluded, failed if task.space.repeats == "all" else [*failed, *pending]))
    first = next(rows for rows in closed if len(rows) < N)
    return Allowed(None, np.empty((0, task.domain.dim)), first.astype(np.intp))


def _check_left(task: Task, history: History) -> None:
    """Raise Exhausted if every point of a finite product space has been tried and none may be repeated."""
    size, points = task.domain.size, history.points
    if task.space.repeats == "never" and size is not None and np.count_nonzero(points.inside) >= size:
        tried = {row.tobytes() for row in points.X[points.inside]}
        if len(tried) >= size:
            raise _exhausted(size, 0)


def _exhausted(count: int, excluded: int) -> Exhausted:
    if excluded == count:
        return Exhausted(f"All {count} candidates are excluded. Include some again.")
    tried = f"tried or excluded ({excluded} of them)" if excluded else "tried"
    return Exhausted(
        f"All {count} candidates have been {tried} and repeats='never'. "
        "Extend the table by further ones, or allow repeats to measure some again."
    )


def _blocked(task: Task, history: History, noise_share: float) -> Floats:
    """Points of a product space that must not be suggested: pending, failed, and as ``repeats`` says measured ones.

    ``"auto"``: with a real column a point close by tells as much as the same point again, so an exact repeat is never
    needed. It would be asked for at corners only, where a model that takes the ups and downs of f for noise can be
    trapped.
    """
    parts = [history.failed.X] if task.space.repeats == "all" else [history.pending.X, history.failed.X]
    tells_nothing = bool(task.domain.continuous.any()) or noise_share < NOISE_FREE
    if task.space.repeats == "never" or (task.space.repeats == "auto" and tells_nothing):
        parts.append(history.told.X)
    elif task.space.repeats == "auto":
        parts.append(_settled(task, history).X)
    return np.vstack(parts)
