r"""Several objectives: regret bounds known before the first evaluation, on tables.

f_1, ..., f_K are independent GPs, all measured at every point and maximised. Setting as in
:mod:`regretless.theory.bounds`; ``objectives`` are bounds C_1 gamma_T on the sum of posterior variances of each, from
:func:`regretless.theory.variance_sum`. c = sqrt(zeta) has the theorem's law at every step.

What is a minimum over the objectives needs no more events than one objective: if min_k a_k(f_k(x)) exceeds its value at
the upper bounds, then f_k(x) exceeds its bound for the k at which that minimum is attained, which is one event.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy

from regretless.arrays import Floats, as_matrix, as_nonnegative, as_positive, as_vector, as_whole
from regretless.confidence.normal import tail
from regretless.errors import InvalidInput
from regretless.theory.constraints import law_of_events, mean_square_width

__all__ = [
    "epsilon_of_boxes",
    "expected_hypervolume_scalarisation",
    "expected_regret_chebyshev",
    "hypervolume_constant",
    "hypervolume_regret_of_run",
    "hypervolume_scalarisation",
]


def expected_regret_chebyshev(
    T: int,
    *,
    n_candidates: int,
    objectives: Sequence[float],
    scale: npt.ArrayLike | None = None,
    tight: bool = False,
) -> float:
    r"""Random Chebyshev scalarisation: bound on the expected cumulative regret of the scalarised objective.

    .. math:: E \sum_{t \le T} \big[\max_x s_{\lambda_t}(f(x)) - s_{\lambda_t}(f(x_t))\big] \le \sum_k
              \sqrt{T\, E[\lambda_k^2]\, E(c + \psi(c))^2\, C_1^k \gamma^k_T}\, / r_k, \qquad
              s_\lambda(y) = \min_k \lambda_k (y_k - z_k)/r_k

    lambda ~ Dirichlet(1, ..., 1), so E lambda_k^2 = 2/(K(K + 1)); N events. r_k is the ``scale``, fixed beforehand. A
    T-th of it bounds the expected regret of the map lambda -> argmax of the posterior mean of s_lambda(f(x)), for a
    fresh lambda.

    >>> round(expected_regret_chebyshev(60, n_candidates=49, objectives=[20.0, 20.0]), 3)
    115.944
    """
    T, K = as_whole(T, "T", least=1), len(objectives)
    law = law_of_events(as_whole(n_candidates, "n_candidates", least=1), tight=tight)
    r = np.ones(K) if scale is None else as_vector(scale, "scale")
    if not K or len(r) != K or r.min() <= 0.0:
        raise InvalidInput(f"scale must have a positive number per objective, {K}, got {len(r)}.")
    each = T * 2.0 / (K * (K + 1.0)) * mean_square_width(law)
    return math.fsum(math.sqrt(each * as_nonnegative(objectives[k], "objectives")) / r[k] for k in range(K))


def epsilon_of_boxes(T: int, *, n_candidates: int, objectives: Sequence[float], tight: bool = False) -> float:
    r"""Bounding boxes: bound on the mean over T steps of the expected additive epsilon of the recommended set.

    .. math:: \frac1T \sum_{t \le T} E[\varepsilon(\hat X_t)] \le 2 \sqrt{\frac{C_2}{T} \sum_k C_1^k \gamma^k_T}

    X-hat_t is the Pareto set of the means, and C_2 = E zeta for N K events: a candidate x that is not recommended goes
    further beyond X-hat than its box only if some f_k(x) - f_k(x-hat) is above its bound, with the x-hat that its box
    is compared with; that is K events for each x, and the largest reach a(x) is at most 2 c max_k sd_k(x_t).

    >>> round(epsilon_of_boxes(40, n_candidates=36, objectives=[8.0, 8.0]), 3)
    3.83
    """
    T, K = as_whole(T, "T", least=1), len(objectives)
    law = law_of_events(as_whole(n_candidates, "n_candidates", least=1) * max(K, 1), tight=tight)
    total = math.fsum(as_nonnegative(sum_, "objectives") for sum_ in objectives)
    return 2.0 * math.sqrt(law.mean(t=1) * total / T)


def hypervolume_constant(n_objectives: int) -> float:
    r"""Volume of the unit ball's positive part, :math:`c_K = \pi^{K/2}/(2^K\, \Gamma(K/2 + 1))`.

    >>> round(hypervolume_constant(2), 6)
    0.785398
    """
    K = as_whole(n_objectives, "n_objectives", least=1)
    return float(math.pi ** (K / 2.0) / (2.0**K * math.gamma(K / 2.0 + 1.0)))


def hypervolume_scalarisation(Y: npt.ArrayLike, weights: npt.ArrayLike, reference: npt.ArrayLike) -> Floats:
    r"""The scalarisation whose mean is the hypervolume (Zhang and Golovin 2020), for every row of Y.

    .. math:: s_\lambda(y) = \min_k \Big(\frac{(y_k - z_k)^+}{\lambda_k}\Big)^K, \qquad
              \mathrm{HV}_z(Y) = c_K\, E_\lambda \max_{y \in Y} s_\lambda(y)

    for lambda uniform on the positive part of the unit sphere.

    >>> hypervolume_scalarisation([[1.0, 4.0], [2.0, 3.0]], [0.6, 0.8], [0.0, 0.0]).round(4).tolist()
    [2.7778, 11.1111]
    """
    Y, lam, z = as_matrix(Y, "Y"), as_vector(weights, "weights"), as_vector(reference, "reference")
    if not Y.shape[1] == len(lam) == len(z) or lam.min(initial=1.0) <= 0.0:
        raise InvalidInput(f"weights > 0 and reference need a number per objective, {Y.shape[1]}.")
    least: Floats = (np.maximum(Y - z, 0.0) / lam).min(axis=1) ** len(lam)
    return least


def expected_hypervolume_scalarisation(
    mean: npt.ArrayLike, sd: npt.ArrayLike, weights: npt.ArrayLike, reference: npt.ArrayLike
) -> float:
    r"""Expectation of the hypervolume scalarisation at one point whose objectives are independent and normal.

    .. math:: E\,s_\lambda(f(x)) = \int_0^\infty K v^{K - 1} \prod_k
              \bar\Phi\Big(\frac{z_k + v \lambda_k - \mu_k}{\sigma_k}\Big) dv

    >>> round(expected_hypervolume_scalarisation([1.0, 1.0], [1e-6, 1e-6], [0.6, 0.8], [0.0, 0.0]), 4)
    1.5625
    """
    mu, sigma = as_vector(mean, "mean"), as_vector(sd, "sd")
    lam, z = as_vector(weights, "weights"), as_vector(reference, "reference")
    K = len(mu)
    for one in sigma:
        as_positive(one, "sd")
    ends = (mu + 9.0 * sigma - z) / lam  # beyond the least of them the product is below 1e-18
    top = max(float(ends.min()), 0.0)
    turns = np.unique(np.clip(np.concatenate([(mu + j * sigma - z) / lam for j in (-9, -3, 0, 3)]), 0.0, top))
    if top == 0.0:
        return 0.0

    def integrand(v: float) -> float:
        return K * v ** (K - 1) * float(np.prod(tail((z + v * lam - mu) / sigma)))

    pieces = np.unique(np.concatenate([[0.0], turns, [top]]))
    return math.fsum(scipy.integrate.quad(integrand, a, b)[0] for a, b in pairwise(pieces.tolist()))


def hypervolume_regret_of_run(upper: npt.ArrayLike, expected: npt.ArrayLike, *, n_objectives: int) -> float:
    r"""Random hypervolume scalarisation: what a run of T steps shows about the hypervolume that is missed.

    .. math:: E[\mathrm{HV}(f(X)) - \mathrm{HV}(f(\{\hat x_\lambda\}))] \le \frac{c_K}{T} \sum_{t \le T}
              E\big[s_{\lambda_t}(\mathrm{ucb}(x_t)) - s_{\lambda_t}(f(x_t))\big]

    for the rule x_t = argmax s_lambda(mu + c sd), with a fresh lambda on the sphere and the law for N events, and the
    recommended set of all x-hat_lambda = argmax E s_lambda(f(x)) given the data. ``upper`` are the largest scalarised
    upper bounds at t = 1..T, ``expected`` the means :func:`expected_hypervolume_scalarisation` at x_t.

    >>> round(hypervolume_regret_of_run([2.0, 1.0], [1.0, 0.5], n_objectives=2), 6)
    0.589049
    """
    top, mean = as_vector(upper, "upper"), as_vector(expected, "expected")
    if len(top) != len(mean) or not len(top):
        raise InvalidInput(f"upper and expected need an entry per step, got {len(top)} and {len(mean)}.")
    return hypervolume_constant(n_objectives) * float((top - mean).mean())
