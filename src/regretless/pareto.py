r"""Pareto fronts and their hypervolume; every objective is maximised.

A point dominates another if it is at least as large in every objective and larger in one. The hypervolume of points Y
above a reference point z is the volume of all that lies above z and below a point of Y. For three objectives and more
it is a sum over disjoint boxes, found through the local bounds of the front (Lacour, Klamroth and Fonseca 2017); their
number grows like n^(K/2). The boxes of what a front leaves free give the improvement by a further point.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_vector
from regretless.errors import InvalidInput

__all__ = ["FreeBoxes", "free_boxes", "front_rows", "hypervolume", "non_dominated"]

#: Numbers worked on at once: memory stays bounded.
_ENTRIES = 1 << 21
#: Boxes at the most: more would not fit into memory.
_MOST = 1 << 19


def non_dominated(Y: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which rows are dominated by no other; equal rows do not dominate each other.

    >>> non_dominated([[1.0, 4.0], [2.0, 3.0], [1.5, 2.0], [2.0, 3.0]]).tolist()
    [True, True, False, True]
    """
    Y = as_matrix(Y, "Y")
    n, K = Y.shape
    keep = np.zeros(n, dtype=np.bool_)
    if not n or not K:
        return ~keep
    if K <= 2:
        order = np.lexsort((-Y[:, -1], -Y[:, 0]))  # the first objective falls, and among equals the last
        first, last = Y[order, 0], Y[order, -1]
        best = np.maximum.accumulate(last)
        starts = np.flatnonzero(np.r_[True, first[1:] < first[:-1]])  # groups of equal first objective
        before = np.r_[-np.inf, best[:-1]][starts]  # largest of those with a larger first objective
        groups = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, n]))
        keep[order] = (last > before[groups]) & (last == last[starts][groups])
        return keep
    # Large sums first: what dominates a point has a larger sum, up to rounding, so most drop out in few passes.
    rows = np.argsort(-Y.sum(axis=1), kind="stable")
    left = Y[rows]
    at = 0
    while at < len(rows):
        here = left[at]
        stays = (left > here).any(axis=1) | (left == here).all(axis=1)
        left, rows = left[stays], rows[stays]
        at = int(np.count_nonzero(stays[:at])) + 1
    keep[rows] = True
    return keep


def front_rows(Y: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Numbers of the rows that no other dominates, of equal rows the first only.

    >>> front_rows([[1.0, 4.0], [2.0, 3.0], [1.5, 2.0], [2.0, 3.0]]).tolist()
    [0, 1]
    """
    Y = as_matrix(Y, "Y")
    rows = np.flatnonzero(non_dominated(Y))
    _, first = np.unique(Y[rows], axis=0, return_index=True)
    return rows[np.sort(first)]


def hypervolume(Y: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Volume above ``reference`` and below some row of Y, exactly; rows that are not above it add nothing.

    >>> hypervolume([[1.0, 4.0], [2.0, 3.0], [3.0, 1.5], [4.0, 0.5], [1.5, 2.0]], [0.0, 0.0])
    9.0
    """
    Y, z = _above(Y, reference)
    if not len(Y):
        return 0.0
    if len(z) == 1:
        return float(Y.max() - z[0])
    if len(z) == 2:
        Y = Y[np.argsort(Y[:, 0])]  # the first ascends, so on a front the second falls
        return float(((Y[:, 0] - np.r_[z[0], Y[:-1, 0]]) * (Y[:, 1] - z[1])).sum())
    lower, upper = _dominated_boxes(Y, z)
    return float(np.prod(upper - lower, axis=1).sum())


@dataclass(frozen=True, slots=True)
class FreeBoxes:
    r"""What lies above a reference point and below no point of a front, in disjoint boxes (B, K).

    .. math:: \mathrm{HVI}(u) = \sum_b \prod_k \big(\min(u_k, \bar b_k) - \underline{b}_k\big)^+
    """

    lower: Floats
    upper: Floats  # infinite where nothing bounds

    def improvement(self, U: Floats) -> Floats:
        """Hypervolume that each row of U alone would add to the front, shape (N,).

        >>> boxes = free_boxes([[1.0, 2.0], [2.0, 1.0]], [0.0, 0.0])
        >>> boxes.improvement(np.array([[2.0, 2.0], [3.0, 0.5], [1.0, 1.0]])).tolist()
        [1.0, 0.5, 0.0]
        """
        total = np.empty(len(U))
        for part in self.parts(len(U)):
            total[part] = np.prod(self._sides(U[part]), axis=2).sum(axis=1)
        return total

    def improvement_and_slopes(self, U: Floats) -> tuple[Floats, Floats]:
        """The improvement, and its derivatives by the coordinates of the rows of U (from the left), (N,) and (N, K)."""
        total, slopes = np.empty(len(U)), np.empty_like(U)
        for part in self.parts(len(U)):
            u, sides = U[part], self._sides(U[part])
            total[part] = np.prod(sides, axis=2).sum(axis=1)
            for k in range(U.shape[1]):
                grows = (u[:, None, k] > self.lower[:, k]) & (u[:, None, k] <= self.upper[:, k])
                others = np.prod(np.delete(sides, k, axis=2), axis=2)
                slopes[part, k] = (others * grows).sum(axis=1)
        return total, slopes

    def depth(self, U: Floats, scale: Floats) -> tuple[Floats, Floats]:
        r"""How far each row is inside what is free, and the derivatives: negative where it adds nothing.

        .. math:: \max_b \min_k (u_k - \underline{b}_k)/r_k
        """
        depth, slopes = np.empty(len(U)), np.zeros_like(U)
        for part in self.parts(len(U)):
            gaps = (U[part, None, :] - self.lower) / scale
            least = gaps.min(axis=2)
            rows, box = np.arange(len(gaps)), least.argmax(axis=1)
            depth[part] = least[rows, box]
            k = gaps[rows, box].argmin(axis=1)
            slopes[np.arange(len(U))[part], k] = 1.0 / scale[k]
        return depth, slopes

    def _sides(self, U: Floats) -> Floats:
        return np.maximum(np.minimum(U[:, None, :], self.upper) - self.lower, 0.0)

    def parts(self, N: int) -> list[slice]:
        """Slices of N points so small that a number for each of them, box and side fits into memory."""
        width = max(1, _ENTRIES // self.lower.size)
        return [slice(begin, begin + width) for begin in range(0, N, width)]


def free_boxes(Y: npt.ArrayLike, reference: npt.ArrayLike) -> FreeBoxes:
    """The boxes above ``reference`` that the rows of Y leave free; one, without bounds, where no row is above it."""
    Y, z = _above(Y, reference)
    K = len(z)
    if not len(Y):
        return FreeBoxes(z[None, :], np.full((1, K), np.inf))
    if K == 1:
        return FreeBoxes(Y.max(axis=0)[None, :], np.full((1, 1), np.inf))
    if K == 2:
        Y = Y[np.argsort(Y[:, 0])]
        lower = np.column_stack([np.r_[z[0], Y[:, 0]], np.r_[Y[:, 1], z[1]]])
        return FreeBoxes(lower, np.column_stack([np.r_[Y[:, 0], np.inf], np.full(len(Y) + 1, np.inf)]))
    # What is free is what lies above the local lower bounds: the same decomposition once more, upside down.
    bounds, _ = _local_bounds(Y, z)
    lower, upper = _dominated_boxes(-bounds, np.full(K, -np.inf))
    return FreeBoxes(-upper, -lower)


def _above(Y: npt.ArrayLike, reference: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The front of what is above the reference point, each point once, and that point."""
    Y, z = as_matrix(Y, "Y"), as_vector(reference, "reference")
    if Y.shape[1] != len(z):
        raise InvalidInput(f"reference must have one number per objective, {Y.shape[1]}, got {len(z)}.")
    Y = Y[(z < Y).all(axis=1)]
    return np.unique(Y[non_dominated(Y)], axis=0), z


def _dominated_boxes(Y: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Disjoint boxes of what lies above z and below a row of Y (Lacour et al. 2017, section 3.3), for K >= 2.

    With y^k the point that defines the k-th coordinate of a local bound b: from z_1 to y^1_1 in the first coordinate,
    from b_j to the least of y^1_j, ..., y^(j-1)_j in the j-th.
    """
    bounds, points = _local_bounds(Y, z)
    lower, upper = bounds.copy(), np.empty_like(bounds)
    lower[:, 0], upper[:, 0] = z[0], points[:, 0, 0]
    for j in range(1, len(z)):
        upper[:, j] = points[:, :j, j].min(axis=1)
    real = (upper > lower).all(axis=1)
    return lower[real], upper[real]


def _local_bounds(Y: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Local lower bounds (B, K) of a front, and the points (B, K, K) that define their coordinates.

    All that a front leaves free above z lies above one of them. Points come one by one (Klamroth et al. 2015): a bound
    below the new point is replaced by up to K bounds with one coordinate of that point.
    """
    K = len(z)
    bounds = z[None, :].copy()
    points = np.full((1, K, K), np.inf)  # of the k-th coordinate of z: z in that one, infinite in the others
    points[0, np.arange(K), np.arange(K)] = z
    for y in Y[np.argsort(-Y[:, -1], kind="stable")]:
        hit = (bounds < y).all(axis=1)
        parts, definers = [bounds[~hit]], [points[~hit]]
        old, by = bounds[hit], points[hit]
        for j in range(K):
            others = np.delete(by[:, :, j], j, axis=1).min(axis=1)
            right = y[j] <= others
            fresh, of = old[right].copy(), by[right].copy()
            fresh[:, j], of[:, j] = y[j], y
            parts.append(fresh)
            definers.append(of)
        bounds, points = np.concatenate(parts), np.concatenate(definers)
        if len(bounds) > _MOST:
            raise InvalidInput(
                f"{len(Y)} Pareto points in {K} objectives need more than {_MOST} boxes. Use fewer of either."
            )
    return bounds, points
