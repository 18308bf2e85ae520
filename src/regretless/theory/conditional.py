r"""Expected regret given the drawn zetas: what one run of IRGP-UCB, with its own luck in drawing, may expect.

With probability 1 - delta over the zetas

.. math:: E[R_T \mid \zeta] \le D_T + A(T) + \sqrt{C_1 \gamma_T Q_T}

where D_T is 0 on a table and the grid error on a box, A(T) bounds a martingale (``deviation``) and Q_T bounds the sum
of the zetas (``total``), which is known once they are drawn: hand in ``zeta`` and nothing is paid for it.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from regretless.arrays import Floats, as_whole
from regretless.confidence import BoxShift, ShiftedExponential
from regretless.confidence.normal import mills, psi_ratio
from regretless.confidence.schedules import check_delta
from regretless.errors import InvalidInput
from regretless.theory.bounds import grid_error
from regretless.theory.conditions import check_not_alone, check_zeta, shifts_until, variance_sum
from regretless.theory.zeta_sums import Total, zeta_sum, zeta_sum_as_printed

__all__ = [
    "Deviation",
    "conditional_regret_box_anytime",
    "conditional_regret_box_as_printed",
    "conditional_regret_box_fixed",
    "conditional_regret_table_anytime",
    "conditional_regret_table_as_printed",
    "conditional_regret_table_fixed",
]

#: A(T): the smaller of the next two, Bernstein's inequality, Gaussian concentration, the paper's constant 6.
Deviation = Literal["least", "bernstein", "gaussian", "six"]


def conditional_regret_table_anytime(
    T: int,
    *,
    n_candidates: int,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    deviation: Deviation = "least",
    total: Total = "quantile",
    zeta: Sequence[float] | None = None,
) -> float:
    r"""IRGP-UCB on a table: bound on E[R_T | zeta] that holds for all T at once with probability 1 - delta.

    .. math:: A(T) + \sqrt{C_1 \gamma_T Q_T}, \qquad L = \log\frac{\pi^2 T^2}{3 \delta}

    with A(T) = kappa min(sqrt(2 L V) + b L/3, sqrt(2 T L)), V the sum of the variances of sqrt(zeta_t) and b the
    largest Mills ratio at sqrt(s_t). With the realised ``zeta`` one family of events is left, and L = log(pi^2 T^2/(6
    delta)). 0 for one candidate.

    >>> model = {"n_candidates": 1000, "delta": 0.1, "info_gain": 900.0, "noise_var": 1e-4}
    >>> round(conditional_regret_table_anytime(200, **model, deviation="bernstein", total="sum"), 6)
    793.817265
    """
    law = ShiftedExponential.for_table(n_candidates)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    failure = _each_time(T, delta, known=zeta is not None)
    bound = _conditional(law, T, failure, variances, math.sqrt(signal_var), deviation, total, zeta)
    return bound if n_candidates > 1 else 0.0


def conditional_regret_table_fixed(
    T: int,
    *,
    n_candidates: int,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    deviation: Deviation = "least",
    total: Total = "quantile",
    zeta: Sequence[float] | None = None,
) -> float:
    r"""IRGP-UCB on a table: bound on E[R_T | zeta] that holds with probability 1 - delta for one T fixed beforehand.

    .. math:: A(T) + \sqrt{C_1 \gamma_T Q_T}, \qquad L = \log(2/\delta)

    A and Q as in :func:`conditional_regret_table_anytime`; with the realised ``zeta``, L = log(1/delta).

    >>> model = {"n_candidates": 1000, "delta": 0.1, "info_gain": 900.0, "noise_var": 1e-4}
    >>> fixed = conditional_regret_table_fixed(200, **model)
    >>> fixed < conditional_regret_table_anytime(200, **model)
    True
    """
    law = ShiftedExponential.for_table(n_candidates)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    failure = _once(delta, known=zeta is not None)
    bound = _conditional(law, T, failure, variances, math.sqrt(signal_var), deviation, total, zeta)
    return bound if n_candidates > 1 else 0.0


def conditional_regret_box_anytime(
    T: int,
    *,
    shift: BoxShift,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    deviation: Deviation = "least",
    total: Total = "quantile",
    zeta: Sequence[float] | None = None,
) -> float:
    r"""IRGP-UCB on a box: bound on E[R_T | zeta] that holds for all T at once with probability 1 - delta.

    .. math:: \sum_{t \le T} t^{-2} + A(T) + \sqrt{C_1 \gamma_T Q_T}, \qquad L = \log\frac{\pi^2 T^2}{3 \delta}

    A and Q as in :func:`conditional_regret_table_anytime`.

    >>> model = {"shift": BoxShift(2, 1.0, 3.0), "delta": 0.1, "info_gain": 20.0, "noise_var": 0.01}
    >>> round(conditional_regret_box_anytime(50, **model), 3)
    128.594
    """
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    failure = _each_time(T, delta, known=zeta is not None)
    law, kappa = ShiftedExponential(shift), math.sqrt(signal_var)
    return grid_error(T) + _conditional(law, T, failure, variances, kappa, deviation, total, zeta)


def conditional_regret_box_fixed(
    T: int,
    *,
    shift: BoxShift,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    deviation: Deviation = "least",
    total: Total = "quantile",
    zeta: Sequence[float] | None = None,
) -> float:
    r"""IRGP-UCB on a box: bound on E[R_T | zeta] that holds with probability 1 - delta for one T fixed beforehand.

    .. math:: \sum_{t \le T} t^{-2} + A(T) + \sqrt{C_1 \gamma_T Q_T}, \qquad L = \log(2/\delta)

    A and Q as in :func:`conditional_regret_table_anytime`; with the realised ``zeta``, L = log(1/delta).

    >>> model = {"shift": BoxShift(2, 1.0, 3.0), "delta": 0.1, "info_gain": 20.0, "noise_var": 0.01}
    >>> conditional_regret_box_fixed(50, **model) < conditional_regret_box_anytime(50, **model)
    True
    """
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    failure = _once(delta, known=zeta is not None)
    law, kappa = ShiftedExponential(shift), math.sqrt(signal_var)
    return grid_error(T) + _conditional(law, T, failure, variances, kappa, deviation, total, zeta)


def conditional_regret_table_as_printed(
    T: int, *, n_candidates: int, delta: float, info_gain: float, noise_var: float
) -> float:
    r"""The paper's display for a table, signal_var = 1; for comparison only, since a step of its proof is false.

    .. math:: 6 \sqrt{T L} + \sqrt{C_1 \gamma_T \big(T s + T + 2\sqrt{T L} + 2L\big)}, \qquad
              L = \log\frac{\pi^2 T^2}{3\delta}

    T degrees of freedom are counted where there are 2T. The constant 6, far too large, hides it for T up to 1e4.

    >>> model = {"n_candidates": 1000, "delta": 0.1, "info_gain": 900.0, "noise_var": 1e-4}
    >>> round(conditional_regret_table_as_printed(200, **model), 6)
    1060.905566
    """
    law = ShiftedExponential.for_table(check_not_alone(n_candidates))
    return _as_printed(law, T, delta, variance_sum(info_gain, noise_var=noise_var))


def conditional_regret_box_as_printed(
    T: int, *, shift: BoxShift, delta: float, info_gain: float, noise_var: float
) -> float:
    r"""The paper's display for a box, signal_var = 1; for comparison, since a step of its proof is false.

    .. math:: \frac{\pi^2}{6} + 6 \sqrt{T L} + \sqrt{C_1 \gamma_T \big(T s_T + T + 2\sqrt{T L} + 2L\big)}

    Its bound on the sum of the zetas is true all the same, as long as s_t is not clamped at 0.

    >>> model = {"shift": BoxShift(2, 1.0, 3.0), "delta": 0.1, "info_gain": 20.0, "noise_var": 0.01}
    >>> round(conditional_regret_box_as_printed(50, **model), 3)
    275.177
    """
    variances = variance_sum(info_gain, noise_var=noise_var)
    return math.pi**2 / 6.0 + _as_printed(ShiftedExponential(shift), T, delta, variances)


def _conditional(
    law: ShiftedExponential,
    T: int,
    failure: float,
    variances: float,
    kappa: float,
    deviation: Deviation,
    total: Total,
    zeta: Sequence[float] | None,
) -> float:
    """A(T) + sqrt(C1 gamma Q); ``failure`` is the probability allowed to each of the events at this T."""
    shifts = shifts_until(law.shift, as_whole(T, "T", least=1))
    summed = zeta_sum(law, T, failure=failure, total=total) if zeta is None else math.fsum(check_zeta(zeta, shifts))
    return kappa * _deviation(shifts, -math.log(failure), deviation) + math.sqrt(variances * summed)


def _deviation(shifts: Floats, L: float, how: Deviation) -> float:
    """A(T)/kappa. The summands are non-decreasing functions of sqrt(zeta_t) with slope <= kappa."""
    gaussian = math.sqrt(2.0 * len(shifts) * L)
    if how == "gaussian":
        return gaussian
    if how == "six":
        return 6.0 * math.sqrt(len(shifts) * L)
    c = np.sqrt(shifts)
    ratio = mills(c)  # E sqrt(zeta) - sqrt(s), the most that sqrt(zeta) can fall below its mean
    variance = math.fsum(2.0 * psi_ratio(c) - ratio * ratio)
    bernstein = math.sqrt(2.0 * L * variance) + float(ratio.max()) * L / 3.0
    if how == "bernstein":
        return bernstein
    if how == "least":  # which of two numbers is smaller is known before anything is drawn
        return min(bernstein, gaussian)
    raise InvalidInput(f"deviation must be 'least', 'bernstein', 'gaussian' or 'six', got {how!r}.")


def _as_printed(law: ShiftedExponential, T: int, delta: float, variances: float) -> float:
    failure = _each_time(T, delta, known=False)
    summed = zeta_sum_as_printed(law, T, failure=failure)
    return 6.0 * math.sqrt(-T * math.log(failure)) + math.sqrt(variances * summed)


def _each_time(T: int, delta: float, *, known: bool) -> float:
    """Allowed to each family of events at T, so that all T together stay below delta."""
    return (6.0 if known else 3.0) * check_delta(delta) / (math.pi * as_whole(T, "T", least=1)) ** 2


def _once(delta: float, *, known: bool) -> float:
    """Allowed to each of the events at one T."""
    return check_delta(delta) if known else 0.5 * check_delta(delta)
