"""Argmax of a sum of scores of one column each over a product space: the best of each column."""

from collections.abc import Callable

import numpy as np

from regretless.arrays import Floats
from regretless.spaces import Mixed

__all__ = ["best_of_columns"]

#: Values of a column that are looked at first.
_GRID = 201
#: Then so many between the neighbours of the best, so often.
_FINER = 21
_TIMES = 2


def best_of_columns(space: Mixed, score: Callable[[int, Floats], Floats]) -> Floats:
    """The point whose every column has the best score, ``score(column, codes)``; the space has no constraints.

    >>> space = Mixed({"x": (0.0, 1.0), "k": (1, 5), "c": ["a", "b"]})
    >>> at = {0: 0.34567, 1: 0.75, 2: 1.0}
    >>> best_of_columns(space, lambda j, codes: -np.abs(codes - at[j])).round(3).tolist()
    [0.346, 0.75, 1.0]
    """
    assert space.region is None
    return np.array([_best(space, j, score) for j in range(space.dim)])


def _best(space: Mixed, j: int, score: Callable[[int, Floats], Floats]) -> float:
    codes = _codes(space, j)
    best = float(codes[np.argmax(score(j, codes))])
    if not space.continuous[j]:
        return best
    step = 1.0 / (_GRID - 1)
    for _ in range(_TIMES):
        codes = np.linspace(max(best - step, 0.0), min(best + step, 1.0), _FINER)
        best = float(codes[np.argmax(score(j, codes))])
        step *= 2.0 / (_FINER - 1)
    return best


def _codes(space: Mixed, j: int) -> Floats:
    """Values of a column, all of them where they are few."""
    if space.n_levels[j]:
        return np.arange(space.n_levels[j], dtype=np.float64)
    grid = np.linspace(0.0, 1.0, _GRID)
    if space.continuous[j]:
        return grid
    rows = np.zeros((_GRID, space.dim))
    rows[:, j] = grid
    return np.unique(space.snap(rows)[:, j])
