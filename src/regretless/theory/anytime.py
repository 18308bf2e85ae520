r"""High-probability bounds that need less than a parameter growing with log t: partial answers on a table.

Setting, initial data and ``info_gain`` as in :mod:`regretless.theory.bounds`; N candidates; C_1 gamma_T bounds the sum
of the variances at the points chosen.
"""

import math

import numpy as np

from regretless.arrays import as_positive, as_whole
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import check_delta
from regretless.theory.conditions import variance_sum

__all__ = ["anytime_regret", "second_moment_regret", "second_moment_regret_fixed"]


def anytime_regret(
    T: int,
    *,
    n_candidates: int,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    rho: float = 0.1,
) -> float:
    r"""GP-UCB with :class:`regretless.confidence.AnytimeBand`: R_T for all T at once with probability 1 - delta.

    .. math:: R_T \le 2 \sqrt{(1 + \rho)\, v\, T \Big(2 \log\frac{N}{\delta}
              + \log\Big(1 + \frac{\kappa^2 T}{\rho\, v}\Big)\Big)}, \qquad v = C_1 \gamma_T

    Each step costs at most 2 sqrt(zeta(q)) sd; v -> v log(1 + k/v) is concave, so the sum over steps is largest when
    all variances are equal (Jensen). Where GP-UCB's beta_t has 4 log T, this has log T.

    >>> known = {"n_candidates": 49, "delta": 0.1, "info_gain": 37.1, "noise_var": 0.1}
    >>> round(anytime_regret(150, **known), 6)
    576.797087
    """
    T, N = as_whole(T, "T", least=1), as_whole(n_candidates, "n_candidates", least=1)
    v = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    if N == 1 or v == 0.0:
        return 0.0
    rho = as_positive(rho, "rho")
    budget = 2.0 * math.log(N / check_delta(delta)) + math.log1p(signal_var * T / (rho * v))
    return 2.0 * math.sqrt((1.0 + rho) * v * T * budget)


def second_moment_regret(
    T: int, *, n_candidates: int, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""IRGP-UCB with its constant law: bound on the root mean square of the cumulative regret.

    .. math:: \sqrt{E[R_T^2]} \le \sqrt{2 v T (s + 2 H_T)}
              + \min\Big(\sqrt{v + T \sigma^2} + \sigma \sqrt T,\ \sqrt{T v}\Big), \qquad v = C_1 \gamma_T

    H_T = 1 + 1/2 + ... + 1/T, so that s + 2 H_T is the mean of the largest of T draws of zeta. The first term is f*
    above the best mean and the best mean above that of x_t; the second is what the mean at x_t promises too much.

    >>> round(second_moment_regret(150, n_candidates=49, info_gain=37.1, noise_var=0.1), 6)
    414.625058
    """
    T, N = as_whole(T, "T", least=1), as_whole(n_candidates, "n_candidates", least=1)
    v = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    if N == 1:
        return 0.0
    largest = ShiftedExponential.for_table(N).mean(1) - 2.0 + 2.0 * math.fsum(1.0 / np.arange(1.0, T + 1.0))
    promised = min(math.sqrt(v + T * noise_var) + math.sqrt(T * noise_var), math.sqrt(T * v))
    return math.sqrt(2.0 * v * T * largest) + promised


def second_moment_regret_fixed(
    T: int, *, n_candidates: int, delta: float, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""IRGP-UCB with its constant law: R_T for one T chosen beforehand, with probability 1 - delta (Chebyshev).

    .. math:: P\big(R_T \le \sqrt{E[R_T^2] / \delta}\big) \ge 1 - \delta

    1/sqrt(delta), where :func:`markov_fixed` has 1/delta. No bound with log(1/delta) for every delta can hold with a
    law that does not grow: two arms are enough for a counterexample.

    >>> round(second_moment_regret_fixed(150, n_candidates=49, delta=0.01, info_gain=37.1, noise_var=0.1))
    4146
    """
    norm = second_moment_regret(
        T, n_candidates=n_candidates, info_gain=info_gain, noise_var=noise_var, signal_var=signal_var
    )
    return norm / math.sqrt(check_delta(delta))
