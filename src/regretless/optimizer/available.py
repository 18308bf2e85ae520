"""What may be suggested now: repeats, pending and failed trials, excluded candidates."""

from dataclasses import replace

import numpy as np

from regretless.arrays import Floats
from regretless.errors import Exhausted
from regretless.optimizer.history import History
from regretless.optimizer.task import Task
from regretless.search import Allowed
from regretless.spaces import NOISE_FREE

__all__ = ["open_points", "worth_trying"]


def open_points(task: Task, history: History) -> Allowed:
    """What the initial design and random suggestions choose from; what is measured counts as free of noise.

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

    Algorithm 1: all of it. ``repeats="auto"``: without noise a measured row is left out while there are others.
    """
    if allowed.closed is not None:
        if task.space.repeats in ("all", "allow") or noise_share >= NOISE_FREE:
            return allowed
        more = np.union1d(allowed.closed, history.told.rows)
        return replace(allowed, closed=more) if len(more) < (task.domain.n_candidates or 0) else allowed
    if allowed.rows is None:
        return Allowed(None, _blocked(task, history, noise_share))
    if task.space.repeats in ("all", "allow") or noise_share >= NOISE_FREE:
        return allowed
    untried = allowed.rows.copy()
    untried[history.told.rows] = False
    return Allowed(untried, allowed.blocked) if untried.any() else allowed


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
    """Raise Exhausted where every point of a finite product space has been tried and none may be repeated."""
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
    return np.vstack(parts)
