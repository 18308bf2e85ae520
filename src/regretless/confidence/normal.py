"""Standard normal quantities that never cancel: ``N ~ N(0, 1)`` with density phi and distribution function Phi."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import erfc, erfcx

from regretless.arrays import Floats

__all__ = ["inverse_mills_lower", "log_psi", "mills", "psi", "psi_ratio", "tail", "truncated_variance"]

_SQRT_HALF = np.sqrt(0.5)
_SQRT_HALF_PI = np.sqrt(0.5 * np.pi)
_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)

# From here on 1 - z M(z) is taken from its continued fraction: below, the difference loses under two digits; above, the
# fraction cut at this depth is exact to rounding (relative error 2e-17 at z = 5 in 60-digit arithmetic, less beyond).
_FRACTION_FROM = 5.0
_FRACTION_DEPTH = 28


def tail(z: npt.ArrayLike) -> Floats:
    r"""Upper tail of the standard normal law.

    .. math:: \bar\Phi(z) = P(N > z) = \tfrac12 \operatorname{erfc}(z/\sqrt2)

    Underflows to 0 beyond z = 38.5; ``tail(-inf)`` is 1.

    >>> float(tail(0.0))
    0.5
    """
    return _floats(0.5 * erfc(_SQRT_HALF * np.asarray(z, dtype=np.float64)))


def mills(z: npt.ArrayLike) -> Floats:
    r"""Mills ratio: tail over density.

    .. math:: M(z) = \bar\Phi(z)/\phi(z) = \sqrt{\pi/2}\,\operatorname{erfcx}(z/\sqrt2)

    Never computed as the quotient, which is 0/0 from z = 38.5 on. Overflows to infinity below z = -37.6.

    >>> round(float(mills(1e8)) * 1e8, 12)
    1.0
    """
    with np.errstate(over="ignore"):
        return _floats(_SQRT_HALF_PI * erfcx(_SQRT_HALF * np.asarray(z, dtype=np.float64)))


def psi_ratio(z: npt.ArrayLike) -> Floats:
    r"""Expected excess over a level ``z >= 0``, divided by the density there.

    .. math:: \psi(z)/\phi(z) = 1 - z M(z) = M(z) \Big/ \Big(z + \frac{2}{z + 3/(z + \cdots)}\Big)

    The left form cancels for large z, where the continued fraction is used. For z < 0 use :func:`psi`, which does not
    overflow.

    >>> round(float(psi_ratio(1e4)) * 1e8, 6)
    1.0
    """
    z = np.asarray(z, dtype=np.float64)
    far = z > _FRACTION_FROM
    if far.all():  # a common case, worth the copies it saves
        return _floats(mills(z) / (z + 2.0 / _fraction(z)))
    ratio = np.asarray(mills(z))
    if not far.any():
        return _floats(1.0 - z * ratio)
    near = ~far
    ratio[near] = 1.0 - z[near] * ratio[near]
    ratio[far] /= z[far] + 2.0 / _fraction(z[far])
    return _floats(ratio)


def psi(z: npt.ArrayLike) -> Floats:
    r"""Expected excess of a standard normal variable over the level ``z``.

    .. math:: \psi(z) = E[(N - z)^+] = \phi(z) - z \bar\Phi(z) = \psi(|z|) + \max(-z, 0)

    Relative accuracy about 1e-13 wherever the value is a normal number (z < 37.4), then a correct underflow to 0;
    ``psi(-inf)`` is infinity.

    >>> float(psi(0.0)) == float(1 / np.sqrt(2 * np.pi))
    True
    """
    z = np.asarray(z, dtype=np.float64)
    size = np.abs(z)
    with np.errstate(over="ignore", under="ignore"):  # z^2 = inf and exp(-inf) = 0 are the right limits
        density = np.exp(-0.5 * size * size - _LOG_SQRT_2PI)
    return _floats(density * psi_ratio(size) + np.maximum(-z, 0.0))


def log_psi(z: npt.ArrayLike) -> Floats:
    r"""Logarithm of the expected excess, for every real ``z``.

    .. math:: \log \psi(z) = -\tfrac12 z^2 - \tfrac12 \log 2\pi + \log\big(1 - z M(z)\big)

    Below z = 5 it is the logarithm of :func:`psi`. log EI is ``log(sd) + log_psi((best - mean) / sd)``.

    >>> float(log_psi(1e10))
    -5e+19
    """
    z = np.asarray(z, dtype=np.float64)
    far = z > _FRACTION_FROM
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        if not far.any():
            return _floats(np.log(psi(z)))
        if far.all():
            return _floats(-0.5 * z * z - _LOG_SQRT_2PI + np.log(psi_ratio(z)))
    log = np.empty_like(z)  # evaluate each branch only where it is used, above all the costly fraction
    log[far], log[~far] = log_psi(z[far]), log_psi(z[~far])
    return log


def inverse_mills_lower(z: npt.ArrayLike) -> Floats:
    r"""Density over lower tail, minus the mean of ``N`` given ``N < z``.

    .. math:: r(z) = \phi(z)/\Phi(z) = 1/M(-z)

    Behaves like -z for z to minus infinity and is 0 from z = 37.6 on.

    >>> round(float(inverse_mills_lower(-1e6)), 3)
    1000000.0
    """
    with np.errstate(over="ignore", divide="ignore"):  # M(-inf) is infinity and r 0; M(inf) is 0 and r infinity
        return _floats((1.0 / _SQRT_HALF_PI) / erfcx(-_SQRT_HALF * np.asarray(z, dtype=np.float64)))


def truncated_variance(z: npt.ArrayLike) -> Floats:
    r"""Variance of ``N`` given ``N < z``.

    .. math:: \mathrm{Var}(N \mid N < z) = 1 - z\,r(z) - r(z)^2, \qquad r = \phi/\Phi

    The printed form, which joint entropy search uses, cancels to nothing for z below -1e4. With w = -z and the
    continued fraction C = w + 2/D, D = w + 3/(w + ...), it is (2/D - 1/C)/C, about 1/z^2.

    >>> round(float(truncated_variance(-1e8)) * 1e16, 6)
    1.0
    """
    z = np.minimum(np.asarray(z, dtype=np.float64), 40.0)  # 1 to the last digit from here on, and inf * 0 is avoided
    near = np.maximum(z, -_FRACTION_FROM)
    r = inverse_mills_lower(near)
    variance = np.asarray(1.0 - near * r - r * r)
    far = z < -_FRACTION_FROM
    if far.any():  # rarely, and the fraction is the costly part
        w = -z[far]
        inner = _fraction(w)
        outer = w + 2.0 / inner
        variance[far] = (2.0 / inner - 1.0 / outer) / outer
    return _floats(variance)


def _fraction(z: Floats) -> Floats:
    """``z + 3/(z + 4/(z + ...))``, cut at a fixed depth; exact to rounding for z >= 5."""
    value = np.array(z)
    for k in range(_FRACTION_DEPTH, 2, -1):
        np.divide(float(k), value, out=value)
        value += z
    return value


def _floats(value: Any) -> Floats:
    """The array, or the NumPy scalar where the input was a scalar."""
    result: Floats = np.asarray(value, dtype=np.float64)[()]
    return result
