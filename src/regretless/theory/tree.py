r"""The expected maximum of correlated candidates, added up along a forest: the tree certificate.

A sum over candidates counts a hill as often as it has rows. Hang every row on another one that tells much of it, its
parent, so that no row is above itself; those without a parent are roots. For every u, whatever the values of f,

.. math:: \max(u, \max_x f_x) \le u + \sum_{x \text{ root}} (f_x - u)^+
          + \sum_{x \text{ other}} \big(f_x - \max(f_{p(x)}, u)\big)^+

since adding the rows one by one, parents first, raises the maximum by no more than that. A row adds only what it has
above its parent: never more than in the tail sum, which is the forest of roots alone. With differences to the
recommendation in place of f and u >= 0 it bounds the regret, and the forest of roots is the pairwise bound.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, owens_t

from regretless.arrays import Floats
from regretless.confidence import certified_threshold, expected_excess
from regretless.confidence.normal import psi

__all__ = ["expected_rise", "nearest_before", "tree_bound", "tree_excess"]

#: Without a parent.
ROOT = -1
#: Share of the standard deviations below which a row and its parent are one, and of an excess that is not refined.
_SAME = 1e-4
_SMALL = 1e-9
#: How close to 1 a correlation may come.
_CLOSE = 1.0 - 1e-12
#: Levels u that are tried, in the one that is best for the forest of roots.
_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


def expected_rise(u: float, mean: Floats, sd: Floats, parent_mean: Floats, parent_sd: Floats, cov: Floats) -> Floats:
    r"""``E(X - max(Y, u))^+`` of jointly normal X and Y, entry by entry; all sds positive.

    With u = 0, q the sd of X - Y, and integration by parts (Stein),

    .. math:: E[X; X > Y^+] - E[Y; X > Y > 0] = \mu_x P(X > Y^+) - \mu_y P(X > Y > 0) + q^2 A_{xy}
              + \sigma_x^2 A_x - \sigma_y^2 A_y

    where A is the density of X - Y, X or Y at 0 times the probability, given that, that X > 0, Y < 0 or X > 0. The
    two probabilities are bivariate normal: Owen's T. It is never more than E(X - u)^+ nor E(X - Y)^+, the smaller of
    which stands in where rounding would show.

    >>> moments = [np.array([value]) for value in (0.1, 0.6**0.5, 0.4, 0.5**0.5, 0.3)]
    >>> round(float(expected_rise(0.2, *moments)[0]), 10)
    0.0923346903
    """
    x, y = mean - u, parent_mean - u
    vx, vy = sd * sd, parent_sd * parent_sd
    larger = np.maximum(sd, parent_sd)
    q = np.sqrt(np.maximum(vx + vy - 2.0 * cov, (_SAME * larger) ** 2))
    d = x - y
    cheap = np.minimum(sd * psi(-x / sd), q * psi(-d / q))
    exact = np.flatnonzero((cheap > _SMALL * sd) & (q > _SAME * larger))
    x, y, d, q, vx, vy, cov = (part[exact] for part in (x, y, d, q, vx, vy, cov))
    sx, sy = sd[exact], parent_sd[exact]
    root = np.sqrt(np.maximum(vx * vy - cov * cov, np.finfo(np.float64).tiny))  # of the determinant
    above = _both(d / q, x / sx, (vx - cov) / (q * sx))  # P(X > Y, X > 0)
    between = _both(d / q, y / sy, (cov - vy) / (q * sy))  # P(X > Y > 0)
    at_parent = q * _density(d / q) * ndtr((x * q * q - (vx - cov) * d) / (q * root))
    at_u = sx * _density(x / sx) * ndtr((cov * x - y * vx) / (sx * root))
    parent_at_u = sy * _density(y / sy) * ndtr((x * vy - cov * y) / (sy * root))
    rise = x * above - y * between + at_parent + at_u - parent_at_u
    cheap[exact] = np.clip(rise, 0.0, cheap[exact])
    return cheap


def tree_excess(u: float, mean: Floats, sd: Floats, cov: Floats, parent: npt.NDArray[np.intp]) -> float:
    r"""``E max(u, max f) - u`` at most, for any forest: ``parent`` has the number of each one's parent, -1 for roots.

    ``cov`` is the covariance of each with its parent; of a root it is not used.
    """
    is_root = parent == ROOT
    total = float((sd[is_root] * psi((u - mean[is_root]) / sd[is_root])).sum())
    x = np.flatnonzero(~is_root)
    p = parent[x]
    return total + float(expected_rise(u, mean[x], sd[x], mean[p], sd[p], cov[x]).sum())


def nearest_before(mean: Floats, sd: Floats, covariance: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """A forest: the parent of each is the one that tells most of it among those that promise more; and covariances.

    They are ordered by E(f - 0)^+. Whoever is closer to 0 than to any of those before, in the mean square, is a root.

    >>> C = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.1], [0.0, 0.1, 1.0]])
    >>> nearest_before(np.array([0.3, 0.2, 0.1]), np.ones(3), C)[0].tolist()
    [-1, 0, -1]
    """
    m = len(mean)
    order = np.argsort(-sd * psi(-mean / sd), kind="stable")
    C = covariance[np.ix_(order, order)]
    v = np.square(sd[order])
    apart = v[:, None] + v - 2.0 * C  # Var(f_x - f_y)
    apart[np.triu_indices(m)] = math.inf
    nearest = apart.argmin(axis=1)
    found = apart[np.arange(m), nearest] < v
    parent = np.full(m, ROOT, dtype=np.intp)
    parent[order[found]] = order[nearest[found]]
    cov = np.zeros(m)
    cov[order[found]] = C[np.flatnonzero(found), nearest[found]]
    return parent, cov


def tree_bound(mean: Floats, sd: Floats, covariance: Floats, other_mean: Floats, other_sd: Floats) -> float:
    r"""``E max(0, max f)`` at most, over candidates of which some are hung on each other and all others are roots.

    .. math:: \min_{u \ge 0}\; u + \text{tree}(u) + \sum_{x \text{ other}} \sigma_x \psi\big((u - \mu_x)/\sigma_x\big)

    The last sum is convex in u, so between its ends the chord is an upper bound: it is computed twice only. Never more
    than the best of the bounds with the same levels in which all are roots, and valid for any of them.
    """
    if not len(mean):
        return expected_excess(0.0, other_mean, other_sd) if len(other_mean) else 0.0
    parent, cov = nearest_before(mean, sd, covariance)
    top = max(certified_threshold(np.append(mean, 0.0), np.append(sd, 0.0))[0], 0.0)
    ends = [expected_excess(u, other_mean, other_sd) if len(other_mean) else 0.0 for u in (0.0, top)]
    return min(
        share * top + tree_excess(share * top, mean, sd, cov, parent) + (1.0 - share) * ends[0] + share * ends[1]
        for share in _LEVELS
    )


def _both(h: Floats, k: Floats, r: Floats) -> Floats:
    """``P(Z < h, Z' < k)`` of standard normal Z and Z' with correlation r (Owen 1956)."""
    r = np.clip(r, -_CLOSE, _CLOSE)
    h, k = (np.where(np.abs(at) < 1e-12, 1e-12, at) for at in (h, k))
    root = np.sqrt((1.0 - r) * (1.0 + r))
    owen = owens_t(h, (k - r * h) / (h * root)) + owens_t(k, (h - r * k) / (k * root))
    both: Floats = np.clip(0.5 * (ndtr(h) + ndtr(k)) - owen - np.where(h * k > 0.0, 0.0, 0.5), 0.0, 1.0)
    return both


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi))
