r"""Fidelities: which approximation to buy at a point, and the regret that a budget leaves.

One Gaussian process on (x, m), levels m = 1..M with costs lambda_m, of which M is the target. The rule looks at the
target alone for the point, and then at all levels for what tells most about it per cost:

.. math:: x_t = \arg\max_x \mu_M(x) + \sqrt{\zeta_t}\, \sigma_M(x), \qquad
          m_t = \arg\max_m I_m / \lambda_m, \qquad
          I_m = -\tfrac12 \log\Big(1 - \frac{\mathrm{cov}^2}{v_M (v_m + \sigma^2)}\Big)

with I_m the mutual information of f(x_t, M) and a measurement at (x_t, m), cov their posterior covariance and v the
posterior variances. Nothing is assumed about how far a level is from the target but the joint process.

Proof of the bound. I_{m_t} >= (lambda_{m_t}/lambda_M) I_M by the choice of the level, v_M <= C_1 I_M, and by the chain
rule the sum of all I_{m_t} is at most the information gain gamma of the joint process. So

.. math:: \sum_t \lambda_{m_t} v_M(x_t) \le C_1 \lambda_M \gamma

The recommendation, the largest mean at the end, is in expectation no worse than any point visited, whatever its weight:
budget times its regret is at most :math:`E \sum_t \lambda_{m_t} r_t`. A weight depends on zeta_t, so that the key lemma
alone is not enough. With u the upper bound,

.. math:: E_t[\lambda r_t] \le E_t[\lambda \sqrt{\zeta_t}\, \sigma_M(x_t)] - \mathrm{Cov}_t(\lambda, \max_x u(x))

The first sum is at most the root of :math:`E \sum \lambda \zeta` times the sum above. For the second,
:math:`c = \sqrt{\zeta}` has the density :math:`c\, e^{-(c^2 - s)/2}` on :math:`c \ge \sqrt s`, which is 1-strongly
log-concave, and max u has the slope :math:`\sigma_M(x_t)` in c: by Brascamp and Lieb (1976) its variance is at most
:math:`E \sigma_M(x_t)^2`; the variance of lambda is at most lambda_M E lambda.

The noise variance by which levels are compared may be larger than that of the measurements, which makes cheap levels
more attractive: then :math:`I_m` only becomes smaller, its sum stays below gamma, and C_1 is that of the larger noise.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_nonnegative, as_positive, as_vector, as_whole
from regretless.confidence import ShiftedExponential
from regretless.errors import InvalidInput
from regretless.theory.bounds import c1

__all__ = ["best_level", "expected_regret_budget", "level_information", "weighted_variance_sum"]

#: Squared correlations are kept below one by this: a measurement without noise tells everything.
_CLOSEST = 1e-12


def level_information(
    covariance: npt.ArrayLike, *, target_var: float, level_vars: npt.ArrayLike, noise_var: npt.ArrayLike
) -> Floats:
    r"""What a measurement at each level tells about f at the target, in nats.

    .. math:: I_m = -\tfrac12 \log\big(1 - \mathrm{cov}_m^2 / (v_M (v_m + \sigma^2))\big)

    ``covariance`` and ``level_vars`` have an entry per level, ``noise_var`` too or one for all. 0 where nothing is left
    to learn.

    >>> level_information([0.7, 0.8], target_var=0.8, level_vars=[0.9, 0.8], noise_var=[0.02, 0.05]).round(4).tolist()
    [0.5479, 1.4166]
    """
    cov, var = as_vector(covariance, "covariance"), as_vector(level_vars, "level_vars")
    if len(cov) != len(var):
        raise InvalidInput(f"covariance and level_vars need an entry per level, got {len(cov)} and {len(var)}.")
    v, noise = as_nonnegative(target_var, "target_var"), as_vector(np.atleast_1d(noise_var), "noise_var")
    if len(noise) not in (1, len(var)) or min(noise.min(), var.min()) < 0.0:
        raise InvalidInput(
            f"level_vars and noise_var must be >= 0, one per level, got {var.tolist()}, {noise.tolist()}."
        )
    whole = v * (var + noise)
    r2 = np.divide(cov**2, whole, out=np.zeros_like(whole), where=whole > 0.0)
    information: Floats = -0.5 * np.log1p(-np.minimum(r2, 1.0 - _CLOSEST))
    return information


def best_level(information: npt.ArrayLike, costs: npt.ArrayLike) -> int:
    """The number of the level with the most information per cost; of equals the dearest.

    >>> best_level([0.5, 1.4], [0.1, 1.0]), best_level([0.0, 0.0], [0.1, 1.0])
    (0, 1)
    """
    told, paid = as_vector(information, "information"), _costs(costs)
    if len(told) != len(paid):
        raise InvalidInput(f"information and costs need an entry per level, got {len(told)} and {len(paid)}.")
    worth = told / paid
    return int(max(range(len(paid)), key=lambda m: (worth[m], paid[m])))


def weighted_variance_sum(info_gain: float, *, target_cost: float, noise_var: float, signal_var: float = 1.0) -> float:
    r"""Bound on the posterior variances at the points of a run, each weighted by what its evaluation cost.

    .. math:: \sum_t \lambda_{m_t} v_M(x_t) \le C_1 \lambda_M \gamma

    >>> weighted_variance_sum(3.0, target_cost=2.0, noise_var=1.0).__round__(4)
    17.3123
    """
    constant = c1(noise_var, signal_var)
    return constant * as_positive(target_cost, "target_cost") * as_nonnegative(info_gain, "info_gain")


def expected_regret_budget(
    budget: float,
    *,
    costs: Sequence[float],
    n_candidates: int,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
) -> float:
    r"""IRGP-UCB with fidelities on a table: bound on the expected regret of what is recommended.

    .. math:: E[f(x^*) - f(\hat x)] \le \frac{\sqrt{C_1 \lambda_M \gamma\, (\Lambda + \lambda_M)}}{\Lambda}
              \Big(\sqrt{s + 2 H_T} + \sqrt{\lambda_M/\lambda_{\min}}\Big)

    for a run that begins its last evaluation before the ``budget`` Lambda is spent, with the theorem's shift
    s = max(0, 2 log(N/2)) at every step, at most T = Lambda/lambda_min + 1 evaluations, their harmonic number H_T, and
    the information gain of T evaluations of the joint process. ``costs`` are those of the levels, the target's last;
    ``noise_var`` is that by which levels are compared. 0 for one candidate.

    >>> expected_regret_budget(100.0, costs=[0.1, 1.0], n_candidates=49, info_gain=20.0, noise_var=0.01).__round__(3)
    2.303
    """
    spent, paid = as_positive(budget, "budget"), _costs(costs)
    N = as_whole(n_candidates, "n_candidates", least=1)
    if N == 1:
        return 0.0
    target, least = float(paid[-1]), float(paid.min())
    if paid.max() > target:
        raise InvalidInput("the target, the last level, must not cost less than another one: then buy the target only.")
    T = math.floor(spent / least * (1.0 + 1e-12)) + 1  # a quotient that rounds below a whole number is one
    s = ShiftedExponential.for_table(N).mean(t=1) - 2.0
    variances = weighted_variance_sum(info_gain, target_cost=target, noise_var=noise_var, signal_var=signal_var)
    harmonic = math.log(T) + 0.5772156649015329 + 0.5 / T if T > 10_000 else sum(1.0 / t for t in range(1, T + 1))
    root = math.sqrt(variances * (spent + target)) / spent
    return root * (math.sqrt(s + 2.0 * harmonic) + math.sqrt(target / least))


def _costs(costs: npt.ArrayLike) -> Floats:
    paid = as_vector(costs, "costs")
    if not len(paid) or paid.min() <= 0.0:
        raise InvalidInput(f"costs need a number > 0 per level, got {paid.tolist()}.")
    return paid
