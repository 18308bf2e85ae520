"""The law that bounds the maximum of ``f`` on a finite set, from posterior means and standard deviations alone.

``f(x) ~ N(mean_x, sd_x^2)`` with any dependence; a candidate with ``sd = 0`` is known. Everything rests on one line:
``max_x f(x) <= u + sum_x (f(x) - u)^+`` for every u. It holds under the model the moments come from.
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from regretless.arrays import Floats, as_finite_float, as_vector, show
from regretless.confidence.normal import psi, tail
from regretless.errors import InvalidInput

__all__ = [
    "certified_threshold",
    "expected_excess",
    "random_threshold",
    "smallest_multiplier",
    "tail_sum",
    "tail_sum_bound",
]

_BLOCK = 1 << 14  # candidates worked on at once: temporaries stay in the cache
_NEGLIGIBLE = 1e-12  # share of the target that the candidates left out of the root search may add up to
_ENOUGH = 1 << 13  # candidates that place the root well enough to start from
_CLOSE = 1e-8  # |log S - log target| from which one more Newton step is exact to rounding
_EPS = float(np.finfo(np.float64).eps)


def tail_sum(u: float, mean: npt.ArrayLike, sd: npt.ArrayLike) -> float:
    r"""Union bound on the probability that the maximum exceeds ``u``.

    .. math:: S(u) = \sum_x P(f(x) > u) = \sum_x \bar\Phi\big((u - \mu_x)/\sigma_x\big)

    Not clipped at 1. A known candidate counts 1 if its mean is above u, otherwise 0.

    >>> tail_sum(0.0, [0.0, 0.0, 1.0], [1.0, 2.0, 0.0])
    2.0
    """
    mean, sd = _moments(mean, sd)
    return _tail_sum(as_finite_float(u, "u"), mean, sd)


def tail_sum_bound(u: float, mean: npt.ArrayLike, sd: npt.ArrayLike) -> float:
    r"""Upper bound of the expected maximum, valid at every ``u``.

    .. math:: h(u) = u + \sum_x \sigma_x\, \psi\big((u - \mu_x)/\sigma_x\big) \;\ge\; E[\max_x f(x)]

    Convex in u with slope 1 - S(u). A known candidate adds (mean - u)^+. Evaluated as ``max(mean)`` plus terms that are
    all >= 0, so with means counted from their maximum the result is the excess over it, to full relative accuracy.

    >>> tail_sum_bound(2.0, [0.0, 1.0], [0.0, 0.0])
    2.0
    """
    mean, sd = _moments(mean, sd)
    return float(mean.max()) + _excess(as_finite_float(u, "u"), mean, sd)


def expected_excess(u: float, mean: npt.ArrayLike, sd: npt.ArrayLike) -> float:
    r"""Sum of the expected excesses over ``u``.

    .. math:: \sum_x E[(f(x) - u)^+] = \sum_x \sigma_x\, \psi\big((u - \mu_x)/\sigma_x\big)

    A known candidate adds (mean - u)^+.

    >>> expected_excess(0.5, [0.0, 1.0], [0.0, 0.0])
    0.5
    """
    mean, sd = _moments(mean, sd)
    u = as_finite_float(u, "u")
    known = sd == 0.0
    total = float(np.maximum(mean[known] - u, 0.0).sum())
    for m, s in _blocks(mean[~known], sd[~known]):
        total += float((s * psi(_standardise(u, m, s))).sum())
    return total


def certified_threshold(mean: npt.ArrayLike, sd: npt.ArrayLike) -> tuple[float, float]:
    r"""The best of the tail-sum bounds: ``(u, h(u))`` where h is least.

    .. math:: \min_u h(u) = h(u), \qquad S(u) = 1

    ``h(u) - max(mean)`` bounds the expected simple regret of ``argmax mean``, never by more than the lemma of Takeno et
    al. 2023 does; hand in ``mean - max(mean)`` to get that difference without cancellation. h(u) is valid for any u, so
    the tolerance of the root search cannot make it invalid. One candidate, or all known: ``(max(mean), max(mean))``.

    >>> u, bound = certified_threshold([0.0, 0.8, 1.0, -0.5], [1.0, 0.5, 0.2, 1.5])
    >>> round(u, 6), round(bound, 6)
    (1.052456, 1.399078)
    """
    mean, sd = _moments(mean, sd)
    top = float(mean.max())
    if len(mean) == 1 or not sd.any():
        return top, top
    u = _root(mean, sd, 1.0)
    return u, top + _excess(u, mean, sd)


def random_threshold(mean: npt.ArrayLike, sd: npt.ArrayLike, uniform: float) -> float:
    r"""A threshold whose law lies above that of the maximum, made from one uniform draw.

    .. math:: u = \min\{u : S(u) \le U\}, \qquad U \sim \mathrm{Uniform}(0, 1]

    Since P(max f > u) <= min(1, S(u)), the expected threshold is at least the expected maximum; draw by draw it stays
    at or below max_x mean + sqrt(zeta) sd with zeta = 2 log(N/(2U)), which has IRGP-UCB's law. All known: the largest
    mean. One candidate: the quantile mean + sd * z(1 - U), and the mean at U = 1, where the minimum is -infinity.
    NumPy's ``random()`` may return 0; hand in ``1 - rng.random()``.

    >>> round(random_threshold([0.0, 0.8, 1.0, -0.5], [1.0, 0.5, 0.2, 1.5], 0.5), 6)
    1.259854
    """
    mean, sd = _moments(mean, sd)
    level = as_finite_float(uniform, "uniform")
    if not 0.0 < level <= 1.0:
        raise InvalidInput(f"uniform must lie in (0, 1], got {show(uniform)}. Use 1 - rng.random().")
    if not sd.any() or (len(mean) == 1 and level == 1.0):
        return float(mean.max())
    if len(mean) == 1:
        return float(mean[0] - sd[0] * ndtri(level))
    return _root(mean, sd, level)


def smallest_multiplier(u: float, mean: npt.ArrayLike, sd: npt.ArrayLike) -> tuple[int, float]:
    r"""The candidate that reaches ``u`` with the smallest multiplier, and that multiplier.

    .. math:: (x, c) = \arg\min_x,\ \min_x\; (u - \mu_x)/\sigma_x

    For u >= max(mean), max_x mean + c sd = u. Negative below the means. A known candidate has c = 0 if its mean reaches
    u, otherwise it never gets there (infinity); if none gets there, ``argmax mean`` with infinity. Ties: the first.

    >>> smallest_multiplier(2.0, [0.0, 1.0], [2.0, 0.5])
    (0, 1.0)
    """
    mean, sd = _moments(mean, sd)
    gap = as_finite_float(u, "u") - mean
    c = np.where(gap > 0.0, np.inf, 0.0)
    with np.errstate(over="ignore"):
        np.divide(gap, sd, out=c, where=sd > 0.0)
    index = int(c.argmin())
    return (index, float(c[index])) if c[index] < np.inf else (int(mean.argmax()), math.inf)


def _root(mean: Floats, sd: Floats, target: float) -> float:
    """The smallest u with S(u) <= target, for two candidates or more of which not all are known."""
    lo, hi = _bracket(mean, sd, target)
    # From lo on known candidates count 0, and those far below cannot add up to what would move the root.
    far = -float(ndtri(max(_NEGLIGIBLE * target / len(mean), 1e-300)))
    matters = (sd > 0.0) & (lo - mean < far * sd)
    known = not sd.all()
    mean, sd = mean[matters], sd[matters]
    # S jumps down at a known candidate: it may be above the target left of lo and below it at lo.
    if known and _tail_sum(lo, mean, sd) <= target:
        return lo
    return _newton(mean, sd, target, lo, hi)


def _bracket(mean: Floats, sd: Floats, target: float) -> tuple[float, float]:
    """``lo <= root <= hi``: S > target left of lo, S <= target at hi."""
    # Left of the second largest mean two candidates count more than 1/2 each.
    lo = float(np.partition(mean, -2)[-2])
    if target < 1.0:
        lo = max(lo, float((mean - float(ndtri(target)) * sd).max()))  # one candidate alone exceeds the target
    lo = max(lo, float(mean.max(where=sd == 0.0, initial=-np.inf)))  # a known candidate counts 1, the others > 0
    hi = float((mean - float(ndtri(target / len(mean))) * sd).max())  # each candidate counts at most target / n
    return lo, max(lo, hi)


def _newton(mean: Floats, sd: Floats, target: float, lo: float, hi: float) -> float:
    """Root of log S(u) = log target in [lo, hi]: Newton's step where it helps, otherwise half the bracket."""
    u = lo
    if (
        len(mean) > _ENOUGH
    ):  # a thinned table gives the start, so that all candidates are passed two or three times only
        every = -(-len(mean) // _ENOUGH)
        u = _newton(mean[::every], sd[::every], target / every, lo, hi)
    before = math.inf
    while hi - lo > 4.0 * _EPS * max(abs(lo), abs(hi)):
        total, slope = _tail_sum_and_slope(u, mean, sd)
        error = math.log(total / target) if total > 0.0 else -math.inf
        lo, hi = (u, hi) if error > 0.0 else (lo, u)
        step = u + error * total / slope if 0.0 < slope < math.inf else u  # where S is flat any u will do
        if abs(error) < _CLOSE:
            return min(max(step, lo), hi)
        u = step if lo < step < hi and abs(error) < 0.5 * before else 0.5 * (lo + hi)
        before = abs(error)
    return hi


def _tail_sum(u: float, mean: Floats, sd: Floats) -> float:
    return math.fsum(float(tail(_standardise(u, m, s)).sum()) for m, s in _blocks(mean, sd))


def _tail_sum_and_slope(u: float, mean: Floats, sd: Floats) -> tuple[float, float]:
    """S(u) and -S'(u) = sum phi(z)/sd, where no candidate is known."""
    total = slope = 0.0
    with np.errstate(over="ignore", under="ignore"):
        for m, s in _blocks(mean, sd):
            z = (u - m) / s
            total += float(tail(z).sum())
            slope += float((np.exp(-0.5 * z * z) / s).sum())
    return total, slope / math.sqrt(2.0 * math.pi)


def _excess(u: float, mean: Floats, sd: Floats) -> float:
    """h(u) - max(mean) as a sum of terms >= 0.

    sd psi(z) = sd psi(|z|) + (mean - u)^+, and of the second terms the one of the largest mean cancels u - max(mean).
    """
    above = np.sort(mean[mean > u])
    linear = float((above[:-1] - u).sum()) if len(above) else u - float(mean.max())
    return linear + math.fsum(float((s * psi(np.abs(_standardise(u, m, s)))).sum()) for m, s in _blocks(mean, sd))


def _standardise(u: float, mean: Floats, sd: Floats) -> Floats:
    """(u - mean)/sd, with the right limits where sd = 0: a known candidate is above u or it is not."""
    z = np.where(mean > u, -np.inf, np.inf)
    with np.errstate(over="ignore"):
        return np.divide(u - mean, sd, out=z, where=sd > 0.0)


def _blocks(mean: Floats, sd: Floats) -> Iterator[tuple[Floats, Floats]]:
    for start in range(0, len(mean), _BLOCK):
        yield mean[start : start + _BLOCK], sd[start : start + _BLOCK]


def _moments(mean: npt.ArrayLike, sd: npt.ArrayLike) -> tuple[Floats, Floats]:
    mu, sigma = as_vector(mean, "mean"), as_vector(sd, "sd")
    if len(mu) == 0 or len(mu) != len(sigma):
        raise InvalidInput(f"mean and sd must have one entry per candidate, got {len(mu)} and {len(sigma)}.")
    if sigma.min() < 0.0:
        at = int(sigma.argmin())
        raise InvalidInput(f"sd must be >= 0, got {sigma[at]} at candidate {at}. Hand in sqrt(var), clipped at 0.")
    return mu, sigma
