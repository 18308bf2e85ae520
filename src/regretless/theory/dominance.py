r"""Which term of the conditional bound on a table is the large one, and from when on.

The bound is A(T) + sqrt(C_1 gamma_T Q_T) (:func:`regretless.theory.conditional_regret_table_anytime`). The paper calls
sqrt(2 C_1 T gamma_T s) its dominant term under a condition that does not give it: the other terms of Q_T may exceed
T s, and A(T) is left aside. Here the condition under which Q_T <= 2 T s, and what A(T) adds. The order O(sqrt(T gamma_T
log N)) is right all the same for N > 2, since gamma_T grows at least like log T.
"""

import math

from regretless.arrays import as_positive, as_whole
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import check_delta
from regretless.errors import InvalidInput
from regretless.theory.conditions import variance_sum

__all__ = [
    "deviation_over_dominant_term",
    "dominant_term",
    "dominates",
    "dominates_as_printed",
    "least_information_gain",
]


def dominant_term(T: int, *, n_candidates: int, info_gain: float, noise_var: float, signal_var: float = 1.0) -> float:
    r"""The term of the conditional bound that gives its order.

    .. math:: \sqrt{2 C_1 T \gamma_T s}, \qquad s = 2 \log(N/2)

    Needs N > 2, or s is 0. Where :func:`dominates` holds, the conditional bound is at most this times (1 + ratio), with
    the ratio of :func:`deviation_over_dominant_term`.

    >>> round(dominant_term(200, n_candidates=1000, info_gain=900.0, noise_var=1e-4), 3)
    985.707
    """
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return math.sqrt(2.0 * variances * as_whole(T, "T", least=1) * _shift(n_candidates))


def dominates(T: int, *, n_candidates: int, delta: float) -> bool:
    r"""Whether the bound on the sum of the zetas is at most twice its leading part at T.

    .. math:: T s + 2T + 2\sqrt{2 T L} + 2L \le 2 T s \iff
              s \ge 2 \text{ and } L \le \tfrac12 T \big(\sqrt{s - 1} - 1\big)^2, \qquad
              L = \log\frac{\pi^2 T^2}{3\delta}

    With 2T degrees of freedom. Never for N <= 5, where s < 2; from some T on for all others.

    >>> [dominates(T, n_candidates=100, delta=0.1) for T in (5, 6)]
    [False, True]
    """
    T, s = as_whole(T, "T", least=1), _shift(n_candidates)
    return s >= 2.0 and _level(T, delta) <= 0.5 * T * (math.sqrt(s - 1.0) - 1.0) ** 2


def dominates_as_printed(T: int, *, n_candidates: int, delta: float) -> bool:
    r"""The paper's condition for the same conclusion; for comparison, since the conclusion does not follow from it.

    .. math:: \min(s^2/2, s)\, T > L, \qquad L = \log\frac{\pi^2 T^2}{3\delta}

    It bounds the other terms by (2 + sqrt 2) T s + T together (T degrees of freedom), not by T s. For boxes the paper
    has 2 L in place of L.

    >>> [dominates_as_printed(T, n_candidates=100, delta=0.1) for T in (1, 5)]
    [True, True]
    """
    T, s = as_whole(T, "T", least=1), _shift(n_candidates)
    return min(0.5 * s * s, s) * T > _level(T, delta)


def deviation_over_dominant_term(
    T: int, *, n_candidates: int, delta: float, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""What the first term of the conditional bound adds, in units of the dominant one.

    .. math:: \frac{A(T)}{\sqrt{2 C_1 T \gamma_T s}} = \kappa \sqrt{\frac{L}{C_1 \gamma_T s}}, \qquad
              A(T) = \kappa \sqrt{2 T L}

    L grows like 2 log T and gamma_T at least like log(T)/2, so it stays bounded, and it tends to 0 where gamma_T grows
    faster.

    >>> case = {"n_candidates": 1000, "delta": 0.1, "noise_var": 1e-4}
    >>> round(deviation_over_dominant_term(200, **case, info_gain=900.0), 3)
    0.076
    """
    T, s = as_whole(T, "T", least=1), _shift(n_candidates)
    as_positive(info_gain, "info_gain")
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return math.sqrt(signal_var * _level(T, delta) / (variances * s))


def least_information_gain(T: int, *, noise_var: float, signal_var: float = 1.0) -> float:
    r"""Lower bound of the maximum information gain of any kernel: all T evaluations at one point.

    .. math:: \gamma_T \ge \tfrac12 \log(1 + T \kappa^2/\sigma^2)

    ``signal_var`` is the largest prior variance. Not for the regret bounds, which need an upper bound.

    >>> round(least_information_gain(3, noise_var=1.0), 6)
    0.693147
    """
    ratio = as_positive(signal_var, "signal_var") / as_positive(noise_var, "noise_var")
    return 0.5 * math.log1p(as_whole(T, "T", least=1) * ratio)


def _shift(n_candidates: int) -> float:
    if as_whole(n_candidates, "n_candidates", least=1) <= 2:
        raise InvalidInput(
            f"n_candidates must be > 2, got {n_candidates}: up to 2 the shift s is 0 and dominates nothing."
        )
    return ShiftedExponential.for_table(n_candidates).mean(t=1) - 2.0


def _level(T: int, delta: float) -> float:
    return math.log((math.pi * T) ** 2 / (3.0 * check_delta(delta)))
