r"""Two points on which a constant confidence parameter has linear regret (Takeno et al. 2024, Theorem 4.6).

.. math:: f \sim N\Big(0, \begin{pmatrix} 1 & \rho \\ \rho & 0.99 \end{pmatrix}\Big), \qquad
          \varepsilon_t \sim N(0, 1), \qquad x_t = \arg\max_x \mu_{t-1}(x) + c\, \sigma_{t-1}(x), \quad c = \sqrt\beta

With a positive probability that does not depend on T, f(x2) > f(x1) + 1 and yet x1 is chosen for ever. The paper asks
for rho < 1; the matrix is a covariance for abs(rho) <= sqrt(0.99) only, and at both ends, where f(x2) is a multiple of
f(x1), the statement is false.

For the *simple* regret a constant is enough all the same: :func:`constant_beta_simple_regret`.
"""

import math

import numpy as np
from scipy.special import log_ndtr, ndtri

from regretless.arrays import Floats, as_finite_float, as_positive, as_whole, show
from regretless.confidence.normal import tail
from regretless.confidence.schedules import check_delta
from regretless.errors import InvalidInput
from regretless.theory.conditions import variance_sum

__all__ = [
    "LARGEST_RHO",
    "constant_beta_probability",
    "constant_beta_regret",
    "constant_beta_simple_regret",
    "constant_beta_threshold",
    "steady_noise_probability",
    "steady_noise_probability_as_printed",
    "two_point_covariance",
]

_SECOND = 0.99  # variance of f(x2)
#: The theorem needs abs(rho) below this: 0.99499.
LARGEST_RHO = math.sqrt(_SECOND)


def two_point_covariance(rho: float) -> Floats:
    r"""The covariance of f on the two points, for :math:`|\rho| < \sqrt{0.99}`.

    >>> two_point_covariance(0.5).tolist()
    [[1.0, 0.5], [0.5, 0.99]]
    """
    number = as_finite_float(rho, "rho")
    if not abs(number) < LARGEST_RHO:
        raise InvalidInput(
            f"rho must lie strictly between -sqrt(0.99) and sqrt(0.99) = {LARGEST_RHO:.5f}, got {show(rho)}: beyond, "
            "the matrix is not a covariance, and at the ends f(x2) is a multiple of f(x1) and the theorem is false."
        )
    return np.array([[1.0, number], [number, _SECOND]])


def constant_beta_threshold(beta: float, *, rho: float) -> float:
    r"""How large f(x1) must be for x1 to be chosen for ever (beta is squared: ``mean + sqrt(beta) * sd``).

    .. math:: f(x_1) \ge \frac{2 \max(1, c)}{1 - \rho} + 1, \qquad c = \sqrt\beta

    Then mu_t(x1) - mu_t(x2) >= max(1, c) at every t >= 1, as long as the mean of the noise never falls below -1.

    >>> constant_beta_threshold(4.0, rho=0.5)
    9.0
    """
    two_point_covariance(rho)
    return 2.0 * max(1.0, math.sqrt(as_positive(beta, "beta"))) / (1.0 - rho) + 1.0


def steady_noise_probability() -> float:
    r"""Probability that the mean of t standard normal errors stays above -1 for all t, by Spitzer's identity.

    .. math:: P\Big(\forall t \ge 1 : \frac1t \sum_{i \le t} \varepsilon_i \ge -1\Big)
              = \exp\Big(-\sum_{t \ge 1} \frac{\bar\Phi(\sqrt t)}{t}\Big)

    >>> round(steady_noise_probability(), 5)
    0.80054
    """
    t = np.arange(1.0, 1500.0)  # the tail at sqrt(1500) is 1e-328: nothing is left
    return math.exp(-math.fsum(tail(np.sqrt(t)) / t))


def steady_noise_probability_as_printed() -> float:
    r"""The paper's lower bound of :func:`steady_noise_probability`, by the union over t.

    .. math:: 1 - \sum_{t \ge 1} \tfrac12 e^{-t/2} = 1 - \frac{1}{2 (e^{1/2} - 1)}

    >>> round(steady_noise_probability_as_printed(), 3)
    0.229
    """
    return 1.0 - 0.5 / math.expm1(0.5)


def constant_beta_probability(beta: float, *, rho: float) -> float:
    r"""Probability of the event on which GP-UCB with a constant beta never leaves the worse point.

    .. math:: P(E) = P\big(f_1 \ge a,\; f_2 > f_1 + 1\big) \exp\Big(-\sum_t \bar\Phi(\sqrt t)/t\Big), \qquad
              a = \frac{2 \max(1, c)}{1 - \rho} + 1

    Positive, and far too small to be seen in runs; there the regret grows linearly for a milder reason: the better
    point may be unlucky once and then is never tried again. 0 where it is below the smallest double.

    >>> print(f"{constant_beta_probability(1.0, rho=0.0):.1e}")
    1.4e-08
    """
    a, rho = constant_beta_threshold(beta, rho=rho), float(rho)
    if a > 40.0:
        return 0.0
    sd = math.sqrt(_SECOND - rho * rho)  # of f2 given f1, whose mean is rho f1

    def log_density(x: Floats) -> Floats:  # of f1 at x, times P(f2 > f1 + 1 | f1 = x); concave, falling from a on
        logs: Floats = -0.5 * (x * x + math.log(2.0 * math.pi)) + log_ndtr(-(x + 1.0 - rho * x) / sd)
        return logs

    top, near = log_density(a + np.array([0.0, 1e-6 * a]))
    rate = float(top - near) / (1e-6 * a)  # in units of 1/rate the integrand falls a little faster than exp(-v)
    v, weights = np.polynomial.laguerre.laggauss(64)
    area = math.fsum(weights * np.exp(log_density(a + v / rate) - top + v))
    return math.exp(top) / rate * area * steady_noise_probability()


def constant_beta_regret(T: int, *, beta: float, rho: float) -> float:
    r"""Lower bound on the expected cumulative regret of GP-UCB with a constant beta on the two points.

    .. math:: \mathrm{BCR}_T \ge T\, P(E)

    On E every step costs f(x2) - f(x1) > 1. Linear in T, whatever the constant; IRGP-UCB's regret is not.

    >>> 0.0 < constant_beta_regret(1000, beta=1.0, rho=0.0) < 2e-5
    True
    """
    return as_whole(T, "T", least=1) * constant_beta_probability(beta, rho=rho)


def constant_beta_simple_regret(
    T: int, *, n_candidates: int, delta: float, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""GP-UCB with one beta for ever (squared): the least regret of T steps, with probability 1 - delta, for one T.

    .. math:: \min_{t \le T} r_t \le 2 \sqrt{2 \beta\, C_1 \gamma_T / T}, \qquad
              \sqrt\beta = \bar\Phi^{-1}\Big(\frac{\delta}{2 (N + 1)}\Big)

    Given its data each step fails with probability delta/2 at most: N upper bounds and the lower bound at x_t. By
    Markov's inequality at least half of the steps are then valid with probability 1 - delta. There is no contradiction
    to :func:`constant_beta_regret`, which is about the cumulative regret in expectation.

    >>> known = {"n_candidates": 49, "delta": 0.1, "info_gain": 37.1, "noise_var": 0.1}
    >>> round(constant_beta_simple_regret(150, **known), 6)
    3.96988
    """
    T, N = as_whole(T, "T", least=1), as_whole(n_candidates, "n_candidates", least=1)
    if N == 1:
        return 0.0
    root = -float(ndtri(check_delta(delta) / (2.0 * (N + 1.0))))
    return 2.0 * root * math.sqrt(2.0 * variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var) / T)
