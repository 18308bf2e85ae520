r"""How large the sum of the drawn zetas can get; zeta is squared: ``mean + sqrt(zeta) * sd``.

``zeta_t - s_t ~ Exp(rate 1/2)``, which is chi-square with **two** degrees of freedom, so the sum over T draws has 2T of
them. The paper counts T; its bound is offered under a name that says so.
"""

import math
from typing import Literal

import numpy as np
from scipy.special import gammainccinv

from regretless.arrays import as_finite_float, as_whole, show
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import value_at
from regretless.errors import InvalidInput
from regretless.theory.conditions import shifts_until

__all__ = ["Total", "zeta_sum", "zeta_sum_as_printed", "zeta_sum_bound", "zeta_sum_quantile"]

#: How the sum of zeta is bounded: its exact quantile, the closed form, or that with T s_T for the sum of the s_t.
Total = Literal["quantile", "sum", "last"]


def zeta_sum_bound(law: ShiftedExponential, T: int, *, failure: float) -> float:
    r"""Closed form that the sum of T zetas exceeds with probability ``failure`` at most, for one fixed T.

    .. math:: \sum_{t \le T} s_t + 2T + 2\sqrt{2 T L} + 2 L, \qquad L = \log(1/\text{failure})

    Laurent and Massart (2000), Lemma 1, with 2T degrees of freedom. For all T at once use a failure probability that
    sums over T, such as 6 delta/(pi^2 T^2).

    >>> round(zeta_sum_bound(ShiftedExponential.for_table(1000), 200, failure=0.1), 3)
    2951.145
    """
    T, L = as_whole(T, "T", least=1), _log_inverse(failure)
    return math.fsum(shifts_until(law.shift, T)) + 2.0 * T + 2.0 * math.sqrt(2.0 * T * L) + 2.0 * L


def zeta_sum_quantile(law: ShiftedExponential, T: int, *, failure: float) -> float:
    r"""The value that the sum of T zetas exceeds with probability ``failure`` exactly, for one fixed T.

    .. math:: \sum_{t \le T} s_t + q, \qquad P(\chi^2_{2T} > q) = \text{failure}

    >>> round(zeta_sum_quantile(ShiftedExponential.for_table(1000), 200, failure=0.1), 3)
    2922.492
    """
    T, L = as_whole(T, "T", least=1), _log_inverse(failure)
    return math.fsum(shifts_until(law.shift, T)) + 2.0 * float(gammainccinv(T, math.exp(-L)))


def zeta_sum_as_printed(law: ShiftedExponential, T: int, *, failure: float) -> float:
    r"""The paper's display, with T degrees of freedom. **Not a bound** when the shift does not grow.

    .. math:: T s_T + T + 2\sqrt{T L} + 2 L, \qquad L = \log(1/\text{failure})

    For constant s it is exceeded with probability tending to one. For the growing shifts of boxes and of the
    high-probability corollary it holds all the same, because T s_T gives away more than the missing T.

    >>> round(zeta_sum_as_printed(ShiftedExponential.for_table(1000), 200, failure=0.1), 3)
    2733.368
    """
    T, L = as_whole(T, "T", least=1), _log_inverse(failure)
    return T * value_at(law.shift, T, "shift") + T + 2.0 * math.sqrt(T * L) + 2.0 * L


def zeta_sum(law: ShiftedExponential, T: int, *, failure: float, total: Total) -> float:
    """One of the valid bounds by name: "quantile" (smallest), "sum" or "last"; see :data:`Total`.

    >>> law = ShiftedExponential.for_table(50)
    >>> zeta_sum(law, 9, failure=0.1, total="quantile") < zeta_sum(law, 9, failure=0.1, total="sum")
    True
    """
    if total == "quantile":
        return zeta_sum_quantile(law, T, failure=failure)
    if total == "sum":
        return zeta_sum_bound(law, T, failure=failure)
    if total == "last":
        shifts = shifts_until(law.shift, as_whole(T, "T", least=1))
        if np.any(np.diff(shifts) < 0.0):
            raise InvalidInput("total='last' needs a shift that never falls. Use total='sum'.")
        return zeta_sum_bound(ShiftedExponential(float(shifts[-1])), T, failure=failure)
    raise InvalidInput(f"total must be 'quantile', 'sum' or 'last', got {show(total)}.")


def _log_inverse(failure: float) -> float:
    number = as_finite_float(failure, "failure")
    if not 0.0 < number < 1.0:
        raise InvalidInput(f"failure must be a probability strictly between 0 and 1, got {show(failure)}.")
    return -math.log(number)
