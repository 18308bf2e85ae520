r"""Expected regret and violation under unknown constraints, known before the first evaluation, on tables.

f and the outcomes g_j of J constraints g_j <= h_j are independent GPs, all measured at every point. Setting as in
:mod:`regretless.theory.bounds`; ``objective`` and ``constraints`` are bounds C_1 gamma_T on the sum of posterior
variances of each outcome, from :func:`regretless.theory.variance_sum`. c = sqrt(zeta) is the multiplier, with the
theorem's law at every step: s + Exp(rate 1/2), or with ``tight`` :class:`regretless.confidence.TightUnion`.
"""

import math
from collections.abc import Sequence

import scipy

from regretless.arrays import as_nonnegative, as_positive, as_whole
from regretless.confidence import ShiftedExponential, TightUnion
from regretless.confidence.normal import psi

__all__ = [
    "expected_regret_optimistic",
    "expected_regret_penalised",
    "expected_violation_optimistic",
    "law_of_events",
    "mean_square_width",
]

_FAR = 36.0  # exp(-36) is 2e-16


def law_of_events(n_events: int, *, tight: bool = False) -> ShiftedExponential | TightUnion:
    """The theorem's law of zeta for ``n_events`` one-sided events."""
    return TightUnion(n_events) if tight else ShiftedExponential.for_events(n_events)


def mean_square_width(law: ShiftedExponential | TightUnion) -> float:
    r""":math:`E\,(c + \psi(c))^2`, c = sqrt(zeta): of the positive part of a bound less its value, sd (c + psi(c)).

    >>> round(mean_square_width(ShiftedExponential.for_events(49)), 6)
    8.40181
    """

    def integrand(e: float) -> float:
        c = math.sqrt(law.quantile(1, -math.expm1(-e)))  # the quantile at 1 - exp(-e), e ~ Exp(1)
        return (c + float(psi(c))) ** 2 * math.exp(-e)

    return float(scipy.integrate.quad(integrand, 0.0, _FAR, limit=200)[0])


def expected_regret_penalised(
    T: int,
    *,
    n_candidates: int,
    weight: float,
    objective: float,
    constraints: Sequence[float],
    tight: bool = False,
) -> float:
    r"""The penalised rule: bound on the expected cumulative regret of V(x) = f(x) - Lambda sum_j (g_j(x) - h_j)^+.

    .. math:: E \sum_{t \le T} \big[\max V - V(x_t)\big] \le \sqrt{T\, C_2\, C_1^f \gamma^f_T}
              + \Lambda \sum_j \Big(\sqrt{C_2} + \tfrac{1}{\sqrt{2\pi}}\Big) \sqrt{T\, C_1^j \gamma^j_T}

    C_2 = E zeta for N (J + 1) events. V falls in every g_j and rises in f, so its value at the bounds is above max V in
    law; E(g - h)^+ <= (mu - h)^+ + sd/sqrt(2 pi), and (mu - c sd - h)^+ >= (mu - h)^+ - c sd. max V is at least the
    largest f at a feasible candidate.

    >>> round(expected_regret_penalised(60, n_candidates=49, weight=2.0, objective=20.0, constraints=[10.0]), 3)
    281.131
    """
    T, J = as_whole(T, "T", least=1), len(constraints)
    mean = law_of_events(as_whole(n_candidates, "n_candidates", least=1) * (1 + J), tight=tight).mean(t=1)
    of_f = math.sqrt(T * mean * as_nonnegative(objective, "objective"))
    width = math.sqrt(mean) + 1.0 / math.sqrt(2.0 * math.pi)
    of_g = math.fsum(width * math.sqrt(T * as_nonnegative(sum_, "constraints")) for sum_ in constraints)
    return of_f + as_positive(weight, "weight") * of_g


def expected_regret_optimistic(T: int, *, n_candidates: int, objective: float, tight: bool = False) -> float:
    r"""The optimistic rule: bound on the expected cumulative regret to the best feasible candidate or a fallback.

    .. math:: E \sum_{t \le T} [Y - v_t] \le \sqrt{T\, C_2\, C_1^f \gamma^f_T}, \qquad
              Y = \max\big(f_0, \max_{x \text{ feasible}} f(x)\big)

    f_0 is the value of a fallback that is always allowed. v_t = f(x_t) in the rounds in which some candidate of the
    optimistic set has an upper bound above f_0, and f_0 in the others. x_t need not be feasible: see
    :func:`expected_violation_optimistic`. C_2 = E zeta for N events, whatever the number of constraints: given c, Y is
    above max(f_0, max_S ucb) only if a candidate outside S satisfies the constraint that excludes it, or f at one
    inside is above its bound, which is one event each.

    >>> round(expected_regret_optimistic(60, n_candidates=49, objective=20.0), 3)
    100.383
    """
    T = as_whole(T, "T", least=1)
    mean = law_of_events(as_whole(n_candidates, "n_candidates", least=1), tight=tight).mean(t=1)
    return math.sqrt(T * mean * as_nonnegative(objective, "objective"))


def expected_violation_optimistic(T: int, *, n_candidates: int, constraint: float, tight: bool = False) -> float:
    r"""The optimistic rule: bound on the expected sum of the violations of one constraint.

    .. math:: E \sum_{t \le T} \big(g_j(x_t) - h_j\big)^+ [S_t \ne \emptyset] \le
              \sqrt{T\, E(c + \psi(c))^2\, C_1^j \gamma^j_T}

    since mu_j(x_t) - c sd_j(x_t) <= h_j in the optimistic set. Rounds in which that set is empty are not counted: then
    the candidate that misses least is measured, and nothing bounds its violation.

    >>> round(expected_violation_optimistic(60, n_candidates=49, constraint=10.0), 3)
    71.001
    """
    T, law = as_whole(T, "T", least=1), law_of_events(n_candidates, tight=tight)
    return math.sqrt(T * mean_square_width(law) * as_nonnegative(constraint, "constraint"))
