r"""Bounds on the expected regret, known before the first evaluation.

Setting of all of them: f ~ GP(0, k) with known k and k(x, x) <= ``signal_var``, noise N(0, ``noise_var``), r_t = f(x*)
- f(x_t), R_T = r_1 + ... + r_T, and BCR_T = E[R_T] (Bayesian cumulative regret). ``info_gain`` is gamma_T or any upper
bound of it (:func:`regretless.theory.information_gain`), never the greedy value, which is a lower bound.

With initial data, T counts the evaluations after them. Every bound stays true as it is, and becomes smaller with the
information gain given the data and with ``signal_var`` the largest posterior variance. On a table it then holds given
those data, on a box on average over them. With fitted hyperparameters all of this is a heuristic.
"""

import math

import numpy.typing as npt

from regretless.arrays import as_nonnegative, as_positive, as_vector, as_whole
from regretless.confidence import BoxShift, ShiftedExponential, TableBeta, TightUnion, certified_threshold
from regretless.confidence.schedules import check_delta
from regretless.errors import InvalidInput
from regretless.theory.conditions import shifts_until, variance_sum

__all__ = [
    "c1",
    "expected_regret_box",
    "expected_regret_box_theorem",
    "expected_regret_gp_ucb",
    "expected_regret_table",
    "grid_error",
    "initial_design_regret",
    "markov_fixed",
    "regret_given_data",
    "simple_regret",
]


def c1(noise_var: float, signal_var: float = 1.0) -> float:
    r"""The constant that turns information gain into a sum of variances.

    .. math:: C_1 = 2 \kappa^2 / \log(1 + \kappa^2/\sigma^2)

    With signal_var = 1 it is the paper's 2/log(1 + 1/noise_var).

    >>> round(c1(1.0), 6)
    2.88539
    """
    return variance_sum(1.0, noise_var=noise_var, signal_var=signal_var)


def expected_regret_table(
    T: int, *, n_candidates: int, info_gain: float, noise_var: float, signal_var: float = 1.0, tight: bool = False
) -> float:
    r"""IRGP-UCB on a table: bound on the expected cumulative regret (Takeno et al. 2023, Theorem 4.1).

    .. math:: \mathrm{BCR}_T \le \sqrt{C_1 \gamma_T T\, E[\zeta]}, \qquad E[\zeta] = 2 + \max(0, 2 \log(N/2))

    ``tight``: with :class:`regretless.confidence.TightUnion`, whose mean is smaller. 0 for one candidate, which is
    always the best.

    >>> round(expected_regret_table(200, n_candidates=1000, info_gain=100.0, noise_var=1e-4), 6)
    250.329002
    >>> round(expected_regret_table(200, n_candidates=1000, info_gain=100.0, noise_var=1e-4, tight=True), 6)
    222.555928
    """
    T = as_whole(T, "T", least=1)
    law = TightUnion(n_candidates) if tight else ShiftedExponential.for_table(n_candidates)
    total = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return math.sqrt(total * T * law.mean(t=1)) if n_candidates > 1 else 0.0


def expected_regret_box(
    T: int, *, shift: BoxShift, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""IRGP-UCB on a box: bound on the expected cumulative regret, with the sums as they are.

    .. math:: \mathrm{BCR}_T \le \sum_{t \le T} t^{-2} + \sqrt{C_1 \gamma_T \sum_{t \le T} (s_t + 2)}

    Smaller than :func:`expected_regret_box_theorem`, by about 4 d T under the root. The acquisition function must be
    maximised exactly: an optimiser that falls short by eta_t at step t adds the sum of the eta_t.

    >>> shift = BoxShift(dim=2, side=1.0, lipschitz_bound=3.0)
    >>> round(expected_regret_box(50, shift=shift, info_gain=20.0, noise_var=0.01), 3)
    118.531
    """
    T = as_whole(T, "T", least=1)
    total = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return grid_error(T) + math.sqrt(total * (float(shifts_until(shift, T).sum()) + 2.0 * T))


def expected_regret_box_theorem(
    T: int, *, shift: BoxShift, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""IRGP-UCB on a box: bound on the expected cumulative regret as the theorem displays it.

    .. math:: \mathrm{BCR}_T \le \frac{\pi^2}{6} + \sqrt{C_1 \gamma_T T (s_T + 2)}

    >>> shift = BoxShift(dim=2, side=1.0, lipschitz_bound=3.0)
    >>> round(expected_regret_box_theorem(50, shift=shift, info_gain=20.0, noise_var=0.01), 3)
    131.777
    """
    T = as_whole(T, "T", least=1)
    total = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return math.pi**2 / 6.0 + math.sqrt(total * T * (shift(T) + 2.0))


def expected_regret_gp_ucb(
    T: int, *, n_candidates: int, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""GP-UCB with growing beta on a table: bound on the expected cumulative regret.

    .. math:: \mathrm{BCR}_T \le \kappa \frac{\pi^2}{6} + \sqrt{C_1 T \beta_T \gamma_T}, \qquad
              \beta_t = \max\big(0,\; 2 \log(N t^2/\sqrt{2\pi})\big)

    The first term is the expected amount by which f exceeds its confidence bounds, at most kappa/t^2 at step t. beta_T
    grows with T where IRGP-UCB's s + 2 does not. 0 for one candidate.

    >>> round(expected_regret_gp_ucb(200, n_candidates=1000, info_gain=100.0, noise_var=1e-4), 3)
    381.194
    """
    T, beta = as_whole(T, "T", least=1), TableBeta(n_candidates)
    total = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return math.sqrt(signal_var) * math.pi**2 / 6.0 + math.sqrt(total * T * beta(T)) if n_candidates > 1 else 0.0


def grid_error(T: int) -> float:
    r"""What passing from a box to ever finer grids costs in T steps.

    .. math:: D_T = \sum_{t \le T} t^{-2} < \pi^2/6

    >>> grid_error(2)
    1.25
    """
    return math.fsum(1.0 / t**2 for t in range(1, as_whole(T, "T", least=1) + 1))


def simple_regret(expected_regret: float, T: int) -> float:
    r"""From cumulative to simple regret: of the recommendation, and of the best point evaluated.

    .. math:: E[f(x^*) - f(\hat x_T)] \le \mathrm{BCR}_T / T, \qquad \hat x_T = \arg\max_x \mu_T(x)

    since E[f at the recommendation | data] = max mu_T is at least the mean of mu_T over the points evaluated.

    >>> simple_regret(30.0, 100)
    0.3
    """
    return as_nonnegative(expected_regret, "expected_regret") / as_whole(T, "T", least=1)


def markov_fixed(expected_regret: float, delta: float) -> float:
    r"""From expected regret to a bound that holds with probability 1 - delta, for one T fixed beforehand.

    .. math:: P(R_T \le \mathrm{BCR}_T/\delta) \ge 1 - \delta

    Markov's inequality; R_T >= 0. Not valid for all T at once.

    >>> markov_fixed(30.0, delta=0.5)
    60.0
    """
    return as_nonnegative(expected_regret, "expected_regret") / check_delta(delta)


def initial_design_regret(n_initial: int, *, n_candidates: int, signal_var: float = 1.0) -> float:
    r"""Bound on the expected regret of a fixed initial design on a table, to be added to that of the run after it.

    .. math:: n_0 E[f(x^*)] \le n_0 \kappa\, E\sqrt\zeta

    0 for one candidate.

    >>> round(initial_design_regret(8, n_candidates=1000), 4)
    30.323
    """
    n_initial = as_whole(n_initial, "n_initial")
    law, kappa = ShiftedExponential.for_table(n_candidates), math.sqrt(as_positive(signal_var, "signal_var"))
    return n_initial * kappa * law.mean_sqrt(t=1) if n_candidates > 1 else 0.0


def regret_given_data(mean: npt.ArrayLike, sd: npt.ArrayLike, mean_evaluated: npt.ArrayLike) -> float:
    r"""What a run proves: bound on the expected cumulative regret given everything it measured.

    .. math:: E[R_T \mid D_T] \le T \min_u h_T(u) - \sum_{t \le T} \mu_T(x_t)

    ``mean`` and ``sd`` are the final posterior on all candidates, ``mean_evaluated`` its mean at the T points
    evaluated; h is :func:`regretless.confidence.tail_sum_bound`. Any rule may have chosen the points.

    >>> regret_given_data([1.0, 0.0], [0.0, 0.0], [0.0, 1.0, 1.0])
    1.0
    """
    mu, at = as_vector(mean, "mean"), as_vector(mean_evaluated, "mean_evaluated")
    if not len(mu):
        raise InvalidInput("mean must have one entry per candidate, got none.")
    top = float(mu.max())
    _, gap = certified_threshold(mu - top, sd)
    return len(at) * gap + math.fsum(top - at)
