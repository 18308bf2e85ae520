r"""Places: a crowd of points counts once. Units that no crowd can capture, and whether the values look like one hill.

A search gathers at the best point it knows. Statistics over all points are then statistics of that one neighbourhood:
median and spread rise and shrink with every point that is added there. Over places they stay those of the space.
"""

import math

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.outcome_transform import Units

__all__ = ["ALIKE", "is_one_hill", "places", "units_of_places"]

#: Points of one place: no farther from its best than this share of the cube's diagonal.
RADIUS = 0.1
#: How closely value and distance to the best must go together, at the least, for all to be slopes of one hill (ADR 55).
ALIKE = 0.6
#: With fewer other places there is nothing to tell: the standard error of Fisher's z needs four.
_FEWEST = 4

Ints = npt.NDArray[np.intp]


def places(X: Floats, y: Floats, categorical: tuple[bool, ...]) -> list[Ints]:
    """Numbers of the points of each place, its best one first; places in the order of their best.

    The best point that is in no place yet makes one, with all others of no place that are near it.

    >>> X, y = np.array([[0.1], [0.5], [0.52], [0.9]]), np.array([1.0, 3.0, 2.0, 0.0])
    >>> [place.tolist() for place in places(X, y, (False,))]
    [[1, 2], [0], [3]]
    """
    left = np.argsort(-y, kind="stable")
    near, found = X.shape[1] * RADIUS**2, []
    while len(left):
        here = _squared_distance(X[left], X[left[0]], categorical) < near
        here[0] = True
        found.append(left[here])
        left = left[~here]
    return found


def units_of_places(X: Floats, y: Floats, categorical: tuple[bool, ...], *, compress: bool) -> Units:
    """Those that standardise the mean values of the places: see `Units.of`."""
    means = np.array([(y[place] / len(place)).sum() for place in places(X, y, categorical)])  # no sum overflows
    return Units.of(means, compress=compress)


def is_one_hill(X: Floats, y: Floats, categorical: tuple[bool, ...]) -> bool:
    r"""Whether the farther a place is from the best point, the lower it is: all of them are slopes of one hill.

    Spearman's correlation of the places' values with their distances, its sign turned, less a standard error on
    Fisher's scale, :math:`\tanh(\tanh^{-1} r - (n - 3)^{-1/2})`, is above `ALIKE`. On a field of hills the distance
    says little (fitness-distance correlation, Jones and Forrest 1995).

    >>> X = np.linspace(0.0, 1.0, 9)[:, None]
    >>> is_one_hill(X, -((X[:, 0] - 0.2) ** 2), (False,)), is_one_hill(X, np.sin(20.0 * X[:, 0]), (False,))
    (True, False)
    """
    best, *others = [place[0] for place in places(X, y, categorical)]
    n = len(others)
    if n < _FEWEST:
        return False
    far = _squared_distance(X[others], X[best], categorical)
    r = min(_rank_correlation(-far, y[others]), 0.999)
    return math.tanh(math.atanh(max(r, 0.0)) - 1.0 / math.sqrt(n - 3)) > ALIKE


def _squared_distance(X: Floats, x: Floats, categorical: tuple[bool, ...]) -> Floats:
    """From each row of X to x; two categories are one apart."""
    gap = np.where(np.array(categorical), x != X, X - x) if any(categorical) else X - x
    distance: Floats = np.einsum("ij,ij->i", gap, gap)
    return distance


def _rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's; 0 where one of them does not vary."""
    A, B = _ranks(a), _ranks(b)
    A, B = A - A.mean(), B - B.mean()
    size = math.sqrt(float(A @ A) * float(B @ B))
    return float(A @ B) / size if size > 0.0 else 0.0


def _ranks(a: Floats) -> Floats:
    """Of equal numbers the middle one (as `scipy.stats.rankdata`, whose import takes longer than a suggestion)."""
    _, which, count = np.unique(a, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - 0.5 * (count - 1))[which])
