r"""Bounds on the regret where the objective cannot leave known limits.

The truth is F = min(max(f, L), U) with f ~ the model, L the lower and U the upper limit (infinite where there is
none). Then max F = min(max(max f, L), U), and F(x) - F(x-hat) is never more than (f(x) - f(x-hat))^+. Everything is
counted from the mean of the recommendation x-hat, as in `remaining_regret`: ``below`` are the means, ``upper`` and
``lower`` the limits less that mean. It is proved for the posterior of f. Results that were themselves cut off say less
about f than the model takes them to say; then it is an approximation.
"""

import math

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import certified_threshold, expected_excess, tail_sum_bound
from regretless.confidence.normal import psi, tail

__all__ = ["caps_within", "excess_of_cap", "limited_exceedance", "limited_mean", "limited_pairwise", "limited_tail_sum"]

#: Where the cap of the pairwise bound is tried, in standard deviations of the recommendation beyond the limit.
_CAPS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def limited_mean(mean: float, sd: float, lower: float, upper: float) -> float:
    r"""Mean of a normal variable cut off at both limits.

    .. math:: E[F] = \mu + \sigma \psi\big((\mu - L)/\sigma\big) - \sigma \psi\big((U - \mu)/\sigma\big)

    >>> limited_mean(0.0, 1.0, -math.inf, 0.0) == -float(psi(0.0))
    True
    """
    value = mean + _excess(mean - lower, sd) - _excess(upper - mean, sd)
    return min(max(value, lower), upper)


def limited_tail_sum(below: Floats, sd: Floats, index: int, lower: float, upper: float) -> float:
    r"""Tail-sum bound on the expected regret of candidate ``index`` within the limits.

    .. math:: \min_{L \le u \le U} u + \sum_x \big[\sigma_x \psi\big((u - \mu_x)/\sigma_x\big)
              - \sigma_x \psi\big((U - \mu_x)/\sigma_x\big)\big] - E[F(\hat x)]

    since min(max f, U) <= u + sum_x (min(f(x), U) - u)^+ for u <= U, and the excess of min(f, U) over u is that of f
    less that over U. The sum of the second terms does not depend on u, so the best u is the best without limits, moved
    into them; at u = U it says U - E F(x-hat). Never more than without limits.
    """
    u, free = certified_threshold(below, sd)
    if lower == -math.inf and upper == math.inf:
        return free
    u = min(max(u, lower), upper)
    # Term by term, so that small certificates do not cancel: the recommendation's own second term is in E F(x-hat) too.
    others = np.arange(len(below)) != index
    cut = expected_excess(upper, below[others], sd[others]) if upper < math.inf and others.any() else 0.0
    lifted = _excess(-lower, float(sd[index]))  # E[(L - f(x-hat))^+]
    return min(max(tail_sum_bound(u, below, sd) - cut - lifted, 0.0), free)


def limited_pairwise(below: Floats, difference_sd: Floats, sd: float, lower: float, upper: float) -> float:
    r"""Pairwise bound on the expected regret within the limits; ``sd`` is that of the recommendation itself.

    .. math:: \min_{0 \le u \le c} u + \sum_{x \ne \hat x} \big[q_x \psi\big((u - \Delta_x)/q_x\big)
              - q_x \psi\big((c - \Delta_x)/q_x\big)\big] + E[(U - F(\hat x) - c)^+]

    The regret is at most D = max(f(x) - f(x-hat))^+ and at most C = U - F(x-hat), and for every cap c
    min(D, C) <= min(D, c) + (C - c)^+. The best of a few caps is taken, and of none: the bound without limits.
    """
    u, best = certified_threshold(below, difference_sd)
    if upper == math.inf:
        return best
    for cap in caps_within(sd, lower, upper):
        at = min(u, cap)
        pairs = expected_excess(at, below, difference_sd) - expected_excess(cap, below, difference_sd)
        best = min(best, at + max(pairs, 0.0) + excess_of_cap(cap, sd, lower, upper))
    return best


def caps_within(sd: float, lower: float, upper: float) -> list[float]:
    """Where the cap of a pairwise bound is tried."""
    span = upper - lower
    return [0.0, *np.maximum(upper + _CAPS * sd, 0.0).tolist(), *([span] if span < math.inf else [])]


def excess_of_cap(cap: float, sd: float, lower: float, upper: float) -> float:
    """``E(C - cap)^+`` of what the limit leaves above the recommendation, C = U - F(x-hat)."""
    span = upper - lower
    return max(_excess(cap - upper, sd) - _excess(span - upper, sd), 0.0) if cap < span else 0.0


def limited_exceedance(eps: float, sd: float, lower: float, upper: float) -> float:
    """Probability that the upper limit lies more than ``eps`` above the recommendation: no regret can be larger."""
    if eps >= upper - lower:
        return 0.0
    if upper == math.inf:
        return 1.0
    return float(tail((eps - upper) / sd)) if sd > 0.0 else float(eps < upper)


def _excess(gap: float, sd: float) -> float:
    """Sd psi(gap / sd) = E[(sd N - gap)^+], also where sd is 0 or the gap infinite."""
    if gap == math.inf:
        return 0.0
    return sd * float(psi(gap / sd)) if sd > 0.0 else max(-gap, 0.0)
