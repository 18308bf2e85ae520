r"""Bounds on the regret itself that hold for all T at once with probability 1 - delta, on a table.

They are for rules whose confidence parameter grows with t: f lies within sqrt(zeta_t) sd of its mean at every candidate
and every t with probability 1 - delta/2 (IRGP-UCB with :class:`regretless.confidence.HighProbabilityShift`), and then

.. math:: R_T \le 2 \sqrt{C_1 \gamma_T \sum_{t \le T} \zeta_t}
"""

import math
from collections.abc import Sequence

import numpy as np

from regretless.arrays import as_vector, as_whole
from regretless.confidence import GammaLaw, HighProbabilityShift, Schedule, ShiftedExponential
from regretless.confidence.schedules import check_delta, check_t
from regretless.errors import InvalidInput
from regretless.theory.conditions import check_not_alone, variance_sum
from regretless.theory.zeta_sums import Total, zeta_sum, zeta_sum_as_printed

__all__ = [
    "gp_ucb_beta",
    "high_probability_lemma",
    "high_probability_regret_anytime",
    "high_probability_regret_as_printed",
    "high_probability_regret_fixed",
    "high_probability_regret_gp_ucb_anytime",
    "high_probability_regret_realised_anytime",
    "least_mean_zeta",
]


def high_probability_lemma(law: ShiftedExponential | GammaLaw | Schedule, T: int, *, n_candidates: int) -> float:
    r"""The lemma behind these bounds (Takeno et al. 2024, Lemma 4.3): how likely f leaves its band by step T.

    .. math:: P\big(\exists\, t \le T, x : |f(x) - \mu_{t-1}(x)| > \sqrt{\zeta_t}\, \sigma_{t-1}(x)\big)
              \le N \sum_{t \le T} E[U_t], \qquad \zeta_t = 2 \log(1/U_t)

    A two-sided normal tail is at most exp(-zeta/2) = U given the draw; then the union over candidates and steps. With
    E[U_t] <= 6 delta/(N t^2 pi^2) it is at most delta for every T. IRGP-UCB's own law has E[U_t] = 1/N at every step,
    so nothing is said, and nothing of the kind is needed for its expected regret.

    >>> law = ShiftedExponential.high_probability(500, delta=0.1)
    >>> round(high_probability_lemma(law, 100, n_candidates=500), 6)
    0.049698
    >>> high_probability_lemma(ShiftedExponential.for_table(500), 1, n_candidates=500)
    1.0
    """
    N = as_whole(n_candidates, "n_candidates", least=1)
    return min(1.0, N * math.fsum(law.mean_u(t) for t in range(1, as_whole(T, "T", least=1) + 1)))


def least_mean_zeta(t: int, *, n_candidates: int, delta: float) -> float:
    r"""Jensen's bound: the least mean of zeta_t (squared) that the condition of the lemma leaves room for.

    .. math:: E[\zeta_t] = -2\, E[\log U_t] \ge -2 \log E[U_t] \ge 2 \log\frac{N t^2 \pi^2}{6 \delta}

    for E[U_t] <= 6 delta/(N t^2 pi^2), with equality for a constant: however zeta is drawn, a band that holds for all t
    has to grow like that of GP-UCB. (The paper prints 3 in place of 6, which belongs to its corollary, where E[U_t]
    is half as large.)

    >>> least = least_mean_zeta(100, n_candidates=500, delta=0.1)
    >>> round(least, 6), ShiftedExponential.high_probability(500, 0.1).mean(100) > least
    (36.450468, True)
    """
    return HighProbabilityShift(n_candidates, delta)(check_t(t))


def high_probability_regret_anytime(
    T: int,
    *,
    n_candidates: int,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    total: Total = "quantile",
) -> float:
    r"""IRGP-UCB with the high-probability shift: R_T for all T at once with probability 1 - delta.

    .. math:: R_T \le 2 \sqrt{C_1 \gamma_T Q_T}, \qquad P\Big(\sum_{t \le T} \zeta_t > Q_T\Big)
              \le \frac{3\delta}{\pi^2 T^2}

    ``total="sum"`` is the corrected closed form of the corollary, with 2T degrees of freedom. 0 for one candidate.

    >>> model = {"n_candidates": 500, "delta": 0.1, "info_gain": 50.0, "noise_var": 0.01}
    >>> round(high_probability_regret_anytime(100, **model, total="sum"), 6)
    557.354994
    """
    law = ShiftedExponential.high_probability(n_candidates, delta)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    failure = 3.0 * delta / (math.pi * as_whole(T, "T", least=1)) ** 2
    bound = 2.0 * math.sqrt(variances * zeta_sum(law, T, failure=failure, total=total))
    return bound if n_candidates > 1 else 0.0


def high_probability_regret_fixed(
    T: int,
    *,
    n_candidates: int,
    delta: float,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    total: Total = "quantile",
) -> float:
    r"""IRGP-UCB with the high-probability shift: R_T with probability 1 - delta for one T fixed beforehand.

    .. math:: R_T \le 2 \sqrt{C_1 \gamma_T Q_T}, \qquad P\Big(\sum_{t \le T} \zeta_t > Q_T\Big) \le \delta/2

    >>> model = {"n_candidates": 500, "delta": 0.1, "info_gain": 50.0, "noise_var": 0.01}
    >>> high_probability_regret_fixed(100, **model) < high_probability_regret_anytime(100, **model)
    True
    """
    law = ShiftedExponential.high_probability(n_candidates, delta)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    bound = 2.0 * math.sqrt(variances * zeta_sum(law, T, failure=0.5 * delta, total=total))
    return bound if n_candidates > 1 else 0.0


def high_probability_regret_realised_anytime(
    zeta: Sequence[float], *, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""The general theorem: randomised GP-UCB, from the zetas that were drawn (Takeno et al. 2024, Theorem 4.5).

    .. math:: R_T \le 2 \sqrt{C_1 \gamma_T \sum_{t \le T} \zeta_t}

    For all T at once with probability 1 - delta if zeta_t = 2 log(1/U_t) with E[U_t] <= 6 delta/(N t^2 pi^2) and 0 <
    U_t < 1; with probability 1 - delta/2 for :class:`regretless.confidence.HighProbabilityShift`, whose E[U_t] is half
    of that. The law is the caller's word: only zeta >= 0 can be checked.

    >>> round(high_probability_regret_realised_anytime([9.0, 16.0], info_gain=1.0, noise_var=1.0), 6)
    16.986436
    """
    drawn = as_vector(list(zeta), "zeta")
    if not len(drawn) or drawn.min() < 0.0:
        raise InvalidInput(f"zeta must hold one number >= 0 per evaluation, got {np.array2string(drawn, threshold=9)}.")
    return 2.0 * math.sqrt(variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var) * math.fsum(drawn))


def high_probability_regret_as_printed(
    T: int, *, n_candidates: int, delta: float, info_gain: float, noise_var: float
) -> float:
    r"""The paper's corollary as displayed, signal_var = 1; true, though a step of its proof is not.

    .. math:: 2\sqrt{C_1 \gamma_T \big(T s_T + T + 2\sqrt{T L} + 2 L\big)}, \qquad L = \log\frac{\pi^2 T^2}{3\delta}

    >>> model = {"n_candidates": 500, "delta": 0.1, "info_gain": 50.0, "noise_var": 0.01}
    >>> round(high_probability_regret_as_printed(100, **model), 6)
    577.035327
    """
    law = ShiftedExponential.high_probability(check_not_alone(n_candidates), delta)
    failure = 3.0 * delta / (math.pi * as_whole(T, "T", least=1)) ** 2
    variances = variance_sum(info_gain, noise_var=noise_var)
    return 2.0 * math.sqrt(variances * zeta_sum_as_printed(law, T, failure=failure))


def gp_ucb_beta(t: int, *, n_candidates: int, delta: float) -> float:
    r"""GP-UCB's beta (squared: ``mean + sqrt(beta) * sd``) for regret bounds with probability 1 - delta.

    .. math:: \beta_t = 2 \log\frac{(N + 1) t^2 \pi^2}{12 \delta}

    The lower tail is needed at x_t only, so N + 1 tails of probability exp(-beta/2)/2 are counted instead of 2N.
    Clamped at 0, where N = 1 and delta near 1 would make it negative.

    >>> round(gp_ucb_beta(1, n_candidates=1000, delta=0.1), 3)
    18.032
    """
    union = (as_whole(n_candidates, "n_candidates", least=1) + 1) * (check_t(t) * math.pi) ** 2
    return max(0.0, 2.0 * math.log(union / (12.0 * check_delta(delta))))


def high_probability_regret_gp_ucb_anytime(
    T: int, *, n_candidates: int, delta: float, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""GP-UCB with :func:`gp_ucb_beta`: R_T for all T at once with probability 1 - delta.

    .. math:: R_T \le 2 \sqrt{C_1 \gamma_T \sum_{t \le T} \beta_t}

    Srinivas et al. (2010), Theorem 1, with the sum of the betas as it is. 0 for one candidate.

    >>> model = {"n_candidates": 500, "delta": 0.1, "info_gain": 50.0, "noise_var": 0.01}
    >>> round(high_probability_regret_gp_ucb_anytime(100, **model), 3)
    519.99
    """
    betas = [gp_ucb_beta(t, n_candidates=n_candidates, delta=delta) for t in range(1, as_whole(T, "T", least=1) + 1)]
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return 2.0 * math.sqrt(variances * math.fsum(betas)) if n_candidates > 1 else 0.0
