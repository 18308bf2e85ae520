"""Argmax of a score over a product space: climb in the real columns, sweep the discrete ones, in turns."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.blocks import Monotone
from regretless.search.ascent import climb_in
from regretless.search.edges import Edged, along_edges
from regretless.spaces import Mixed

__all__ = ["Objective", "near", "search_product"]

#: Spaces of up to this many points are scanned: that costs no more than the local searches, and misses nothing.
SCAN_UP_TO = 1000
#: Local searches at the most.
STARTS = 8
#: How closely a local search goes for its top, as a share of the score's scale; closer only costs more steps.
PRECISION = 1e-4
#: For steps that look around, to which the last digits are nothing (ADR 90).
COARSE = 1e-2
#: For scores with edges, where constraints or objectives meet: the scale is that of the whole score, and what is to be
#: gained along an edge is a small share of it (ADR 52).
FINE = 1e-6
#: Turns of climbing and sweeping in spaces that have both kinds of column.
TURNS = 3
#: Two points this close in every real column (and equal in the others) are the same experiment.
SAME = 1e-6


@dataclass(frozen=True, slots=True)
class Objective:
    """What is maximised: values at rows, and values with gradients at rows."""

    at: Callable[[Floats], Floats]
    value_and_gradient: Callable[[Floats], tuple[Floats, Floats]]
    precision: float = PRECISION  # how closely a local search goes for its maximum, as a share of the score's scale
    edges: Edged | None = None  # of a set that the best point is wanted in, where the score is one inside a set
    formula: Monotone | None = None  # of mean and sd, for tables that are looked at block by block


def search_product(
    space: Mixed, objective: Objective, X: Floats, values: Floats, *, blocked: Floats
) -> tuple[Floats, float] | None:
    """The best point found that is not blocked, and its score; None where every point seen is blocked.

    Parameters
    ----------
    X, values
        Points to start from (codes the space can decode) and their scores.
    blocked
        Points that must not be returned, one per row.
    """
    if space.size is not None and space.size <= SCAN_UP_TO:
        everything = space.enumerate()
        return _best_open(space, everything, objective.at(everything), blocked)
    starts = X[_spread(X, values, STARTS)]
    continuous = space.continuous
    found, score = _ascend(space, objective, starts)
    if not continuous.all() or (space.region is not None and space.region.limited):
        for _ in range(TURNS):
            # A start on a blocked point has no score of its own: it leaves for the best open one in a sweep's reach.
            before = np.where(near(space, found, blocked) | ~np.isfinite(score), -np.inf, score)
            found, score = _sweep(space, objective, found, before, blocked)
            if not (score > before).any():
                break
            if continuous.any():
                found, score = _ascend(space, objective, found)
    tried = space.snap(found)
    if not np.array_equal(tried, found):  # what counts is the score of what will be tried
        score = objective.at(tried)
    best = _best_open(space, np.vstack([tried, X]), np.concatenate([score, values]), blocked)
    if best is None or objective.edges is None:
        return best
    better = along_edges(space, objective.edges, best[0])
    if better is None or near(space, better[None, :], blocked)[0]:
        return best
    return better, float(objective.at(better[None, :])[0])


def near(space: Mixed, X: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Which rows of X are the same experiment as some row of ``others``: equal, but for `SAME` in real columns."""
    if not len(others):
        return np.zeros(len(X), dtype=np.bool_)
    same = np.ones((len(X), len(others)), dtype=np.bool_)
    for j, is_real in enumerate(space.continuous):
        same &= np.abs(X[:, j, None] - others[:, j]) <= SAME if is_real else X[:, j, None] == others[:, j]
    hit: npt.NDArray[np.bool_] = np.logical_or.reduce(same, axis=1)
    return hit


def _best_open(space: Mixed, X: Floats, values: Floats, blocked: Floats) -> tuple[Floats, float] | None:
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")
    begin, count = 0, 8  # seldom more than the first few have to be compared with what is blocked
    while begin < len(order):
        part = order[begin : begin + count]
        open_ = part[~near(space, X[part], blocked) & np.isfinite(values[part])]
        if len(open_):
            return X[open_[0]], float(values[open_[0]])
        begin, count = begin + count, 4 * count
    return None


def _ascend(space: Mixed, objective: Objective, X: Floats) -> tuple[Floats, Floats]:
    if not space.continuous.any():
        return X, objective.at(X)
    return climb_in(
        space, lambda rows, _: objective.value_and_gradient(rows), X, tolerance=objective.precision, race=True
    )


def _sweep(space: Mixed, objective: Objective, X: Floats, score: Floats, blocked: Floats) -> tuple[Floats, Floats]:
    """One pass over the discrete columns; each start takes the best open other value of a column if that is better."""
    X, score = X.copy(), score.copy()
    for j in np.flatnonzero(~space.continuous):
        moves = [space.moves(x, int(j)) for x in X]
        owner = np.repeat(np.arange(len(X)), [len(m) for m in moves])
        trial = X[owner]
        trial[:, j] = np.concatenate(moves)
        _take_best(space, objective, X, score, owner, trial, blocked)
    if space.region is not None:
        owner, trial = space.region.swaps(X)
        _take_best(space, objective, X, score, owner, trial, blocked)
    return X, score


def _take_best(
    space: Mixed,
    objective: Objective,
    X: Floats,
    score: Floats,
    owner: npt.NDArray[np.intp],
    trial: Floats,
    blocked: Floats,
) -> None:
    """Move each start, in place, to the best open one of its trials if that is better."""
    if not len(trial):
        return
    barred = np.zeros(len(trial), dtype=np.bool_)
    if space.region is not None:
        trial, good = space.region.nudged(trial)
        barred = ~good
    values = objective.at(trial)
    values = np.where(barred | near(space, trial, blocked) | ~np.isfinite(values), -np.inf, values)
    for i in range(len(X)):
        mine = np.flatnonzero(owner == i)
        if len(mine) and values[mine].max() > score[i]:
            best = mine[int(np.argmax(values[mine]))]
            X[i], score[i] = trial[best], values[best]


def _spread(X: Floats, values: Floats, count: int) -> npt.NDArray[np.intp]:
    """Indices of good starts that are not all in one place: the best, each a little away from those before it."""
    order = np.argsort(-values, kind="stable")[: 16 * count]
    radius = 0.05 * np.sqrt(X.shape[1])
    left = X[order]
    chosen: list[int] = []
    while len(order) and len(chosen) < count:
        chosen.append(int(order[0]))
        away = ((left - left[0]) ** 2).sum(axis=1) > radius**2
        order, left = order[away], left[away]
    return np.array(chosen, dtype=np.intp)
