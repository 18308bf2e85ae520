r"""How much can still be gained under constraints: bounds on the regret to the best feasible candidate, given the data.

The objective f and the outcomes g_j of the constraints have models of their own, independent given the data. f_0 is the
value of a *fallback* that is always allowed, such as keeping the present recipe: where nothing may be feasible, the
best feasible value would have no expectation without it. Everything holds given the data, under the models, on the
candidates, as in :mod:`regretless.theory.certificate`; it may be looked at after every evaluation.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from regretless.arrays import Floats, as_finite_float, as_matrix, as_vector, show
from regretless.confidence.normal import psi, tail
from regretless.errors import InvalidInput
from regretless.theory.limited import caps_within, excess_of_cap, limited_mean

__all__ = [
    "FeasibleCertificate",
    "expected_violation",
    "feasible_choice",
    "log_prob_feasible",
    "remaining_feasible_regret",
    "weighted_threshold",
]

_BLOCK = 1 << 14  # candidates worked on at once
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class FeasibleCertificate:
    """What the data prove about the recommended candidate, against the best feasible one or the fallback.

    ``qualified`` says whether the recommendation is feasible with the probability that was asked for. ``gain`` bounds
    what the best feasible candidate is expected to be above the fallback; ``bound``, the smaller of ``tail_sum`` and
    ``pairwise``, what the better of the two is expected to be above the objective at the recommendation. Whether that
    is feasible itself ``prob_feasible`` says; ``violation`` is its expected excess over each threshold.
    """

    index: int
    qualified: bool
    mean: float
    sd: float
    prob_feasible: float
    violation: tuple[float, ...]
    fallback: float
    n_candidates: int
    gain: float
    bound: float
    tail_sum: float
    pairwise: float


def log_prob_feasible(mean: npt.ArrayLike, sd: npt.ArrayLike, thresholds: npt.ArrayLike) -> Floats:
    r"""Log of the probability that all constraints hold, for every candidate.

    .. math:: \log \mathrm{PF}(x) = \sum_j \log \Phi\big((h_j - \mu_j(x))/\sigma_j(x)\big)

    ``mean`` and ``sd`` have one column per constraint. As a sum of logarithms it never underflows. An outcome that is
    known (sd = 0) holds or does not.

    >>> np.exp(log_prob_feasible([[-0.4], [0.2]], [[0.3], [0.4]], [0.0])).round(6).tolist()
    [0.908789, 0.308538]
    """
    mu, sigma, h = _columns(mean, sd, thresholds)
    gap = h - mu
    z = np.where(gap >= 0.0, np.inf, -np.inf)
    with np.errstate(over="ignore"):
        np.divide(gap, sigma, out=z, where=sigma > 0.0)
    total: Floats = log_ndtr(z).sum(axis=1)
    return total


def expected_violation(mean: npt.ArrayLike, sd: npt.ArrayLike, thresholds: npt.ArrayLike) -> Floats:
    r"""Expected excess over each threshold, :math:`E(g_j - h_j)^+ = \sigma_j \psi\big((h_j - \mu_j)/\sigma_j\big)`.

    >>> expected_violation([[-0.4], [0.2]], [[0.3], [0.0]], [0.0]).round(6).tolist()
    [[0.012719], [0.2]]
    """
    mu, sigma, h = _columns(mean, sd, thresholds)
    return _excess(h, mu, sigma)


def feasible_choice(mean: npt.ArrayLike, log_feasible: npt.ArrayLike, *, risk: float = 0.1) -> tuple[int, bool]:
    """The largest mean among the candidates that are feasible with probability 1 - risk at least, and True.

    Where there are none, the candidate that is most probably feasible, and False. Ties: the first.

    >>> feasible_choice([0.2, 0.9, 0.5], np.log([0.91, 0.31, 0.95]))
    (2, True)
    """
    mu, log_pf = as_vector(mean, "mean"), np.asarray(log_feasible, dtype=np.float64)
    if not 0.0 < as_finite_float(risk, "risk") < 1.0:
        raise InvalidInput(f"risk must lie strictly between 0 and 1, got {show(risk)}. 0.1 is usual.")
    if not len(mu) or log_pf.shape != mu.shape:
        raise InvalidInput(f"mean and log_feasible need an entry per candidate, got {len(mu)} and {log_pf.size}.")
    sure = log_pf >= math.log1p(-risk)
    if not sure.any():
        return int(log_pf.argmax()), False
    return int(np.where(sure, mu, -np.inf).argmax()), True


def weighted_threshold(weight: Floats, mean: Floats, sd: Floats, *, least: float) -> tuple[float, float]:
    r"""The best of the weighted tail-sum bounds, ``(u, h(u))``, over u >= ``least``.

    .. math:: h(u) = u + \sum_x w_x \sigma_x \psi\big((u - \mu_x)/\sigma_x\big), \qquad
              h'(u) = 1 - \sum_x w_x \bar\Phi\big((u - \mu_x)/\sigma_x\big)

    h is convex. Every u gives a valid bound, so that the root is only searched for roughly.

    >>> u, h = weighted_threshold(np.array([1.0, 0.5]), np.array([0.0, 1.0]), np.array([1.0, 0.5]), least=0.0)
    >>> round(u, 6), round(h, 6)
    (0.0, 0.901065)
    """

    def slope(u: float) -> float:
        return 1.0 - math.fsum(float(w @ _above(u, m, s)) for w, m, s in _blocks(weight, mean, sd))

    def bound(u: float) -> float:
        return u + math.fsum(float(w @ _excess(u, m, s)) for w, m, s in _blocks(weight, mean, sd))

    if not len(mean) or slope(least) >= 0.0:
        return least, bound(least)
    low = least
    high = max(least, float((mean + 9.0 * sd).max()))  # P(N > 9) is below 1e-18
    for _ in range(_HALVINGS):
        u = 0.5 * (low + high)
        low, high = (u, high) if slope(u) < 0.0 else (low, u)
        if high - low <= 1e-12 * max(abs(low), abs(high), float(sd.max())):
            break
    return high, bound(high)


def remaining_feasible_regret(
    mean: npt.ArrayLike,
    sd: npt.ArrayLike,
    thresholds: npt.ArrayLike,
    *,
    fallback: float,
    covariance_with: Callable[[int], Floats] | None = None,
    index: int | None = None,
    risk: float = 0.1,
    among: npt.NDArray[np.bool_] | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
    log_feasible: Floats | None = None,
) -> FeasibleCertificate:
    r"""Certificate of candidate ``index``; None: of the one that :func:`feasible_choice` recommends.

    With Y the larger of the fallback f_0 and the largest f at a feasible candidate,

    .. math:: E[Y \mid D] \le \min_{u \ge f_0} u + \sum_x \mathrm{PF}(x)\, \sigma_x \psi\big((u - \mu_x)/\sigma_x\big)

    .. math:: E[Y - f(\hat x) \mid D] \le \min_{u \ge 0} u + \hat\sigma \psi\big((u - f_0 + \hat\mu)/\hat\sigma\big)
              + \sum_{x \ne \hat x} \mathrm{PF}(x)\, q_x \psi\big((u - \mu_x + \hat\mu)/q_x\big)

    Both since Y <= u + (f_0 - u)^+ + sum_x [x feasible] (f(x) - u)^+ for every u, and since f is independent of the
    constraints' outcomes. q_x is the standard deviation of f(x) - f(x-hat).

    Within ``limits`` (L, U) the objective is F = min(max(f, L), U), and the fallback is cut off likewise. The first
    bound then has u <= U, less the sum of PF(x) E(f(x) - U)^+ and with E F(x-hat) in place of the mean. In the second,
    the regret is also at most C = U - F(x-hat): for every cap c each excess over u is less that over c, and
    E(C - c)^+ is added; the best of a few caps is taken, and of none. Both as in :mod:`regretless.theory.limited`.

    Parameters
    ----------
    mean, sd
        (N, 1 + J): the objective first, then the outcomes of the constraints.
    thresholds
        A candidate is feasible where every g_j is at most its threshold.
    fallback
        f_0, a number known beforehand.
    covariance_with
        Posterior covariances of the objective between one candidate and all of them, as
        ``TablePosterior.covariance_with``. Without it there is no pairwise bound.
    among
        Which candidates count, where not all of them do.
    limits
        What the objective cannot leave.
    log_feasible
        The log probability that each candidate is feasible, where it is known from elsewhere: then there are no
        thresholds, and a column for the objective alone.
    """
    mu, sigma, h = as_matrix(mean, "mean"), as_matrix(sd, "sd"), as_vector(thresholds, "thresholds")
    if mu.shape != sigma.shape or not len(mu) or mu.shape[1] != 1 + len(h) or sigma.min() < 0.0:
        raise InvalidInput(
            f"mean and sd >= 0 need a row per candidate and 1 + {len(h)} columns, got {mu.shape} and {sigma.shape}."
        )
    lower, upper = limits
    f0 = min(max(as_finite_float(fallback, "fallback"), lower), upper)
    counted = np.arange(len(mu)) if among is None else np.flatnonzero(among)
    if not len(counted) or (index is not None and index not in counted):
        raise InvalidInput(f"index must be that of a candidate that counts, of {len(counted)}; got {show(index)}.")
    log_pf = log_prob_feasible(mu[:, 1:], sigma[:, 1:], h) if log_feasible is None else log_feasible
    best, qualified = feasible_choice(mu[counted, 0], log_pf[counted], risk=risk)
    if index is None:
        index = int(counted[best])
    else:
        qualified = bool(log_pf[index] >= math.log1p(-risk))
    f, here, weight = mu[:, 0], float(sigma[index, 0]), np.exp(log_pf)
    below = f[counted] - f[index]  # counted from the recommendation, so that small certificates do not cancel
    gap = f0 - float(f[index])
    upto = upper - float(f[index])
    u, total = weighted_threshold(weight[counted], below, sigma[counted, 0], least=gap)
    if upper < math.inf:
        total = _at(min(u, upto), weight[counted], below, sigma[counted, 0], upto)
    limited = limited_mean(0.0, here, lower - float(f[index]), upto)  # counted from the mean
    pairwise = math.inf
    if covariance_with is not None:
        q = np.sqrt(np.maximum(sigma[:, 0] ** 2 + here**2 - 2.0 * covariance_with(index), 0.0))[counted]
        others = counted != index
        terms = (np.append(weight[counted][others], 1.0), np.append(below[others], gap), np.append(q[others], here))
        pairwise = _pairwise(*terms, here, lower - float(f[index]), upto)
    return FeasibleCertificate(
        index=index,
        qualified=qualified,
        mean=float(f[index]) + limited,
        sd=here,
        prob_feasible=float(weight[index]),
        violation=tuple(expected_violation(mu[index : index + 1, 1:], sigma[index : index + 1, 1:], h)[0].tolist()),
        fallback=f0,
        n_candidates=len(counted),
        gain=max(total - gap, 0.0),
        bound=max(min(total - limited, pairwise), 0.0),
        tail_sum=total - limited,
        pairwise=pairwise,
    )


def _at(u: float, weight: Floats, mean: Floats, sd: Floats, cap: float) -> float:
    """The weighted tail-sum bound at ``u`` of what is cut off at ``cap``."""
    over = math.fsum(float(w @ (_excess(u, m, s) - _excess(cap, m, s))) for w, m, s in _blocks(weight, mean, sd))
    return u + max(over, 0.0)


def _pairwise(weight: Floats, below: Floats, q: Floats, here: float, lower: float, upper: float) -> float:
    """The pairwise bound within limits, which are counted from the mean of the recommendation, whose sd is ``here``."""
    u, best = weighted_threshold(weight, below, q, least=0.0)
    if upper == math.inf:
        return best
    for cap in caps_within(here, lower, upper):
        best = min(best, _at(min(u, cap), weight, below, q, cap) + excess_of_cap(cap, here, lower, upper))
    return best


def _excess(u: Floats | float, mean: Floats, sd: Floats) -> Floats:
    """``E(f - u)^+``; known where sd = 0."""
    z = np.divide(u - mean, sd, out=np.zeros(mean.shape), where=sd > 0.0)
    return np.where(sd > 0.0, sd * psi(z), np.maximum(mean - u, 0.0))


def _above(u: float, mean: Floats, sd: Floats) -> Floats:
    """``P(f > u)``; known where sd = 0."""
    z = np.divide(u - mean, sd, out=np.zeros(mean.shape), where=sd > 0.0)
    return np.where(sd > 0.0, tail(z), mean > u)


def _blocks(weight: Floats, mean: Floats, sd: Floats) -> list[tuple[Floats, Floats, Floats]]:
    starts = range(0, len(mean), _BLOCK)
    return [(weight[i : i + _BLOCK], mean[i : i + _BLOCK], sd[i : i + _BLOCK]) for i in starts]


def _columns(mean: npt.ArrayLike, sd: npt.ArrayLike, thresholds: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    mu, sigma, h = as_matrix(mean, "mean"), as_matrix(sd, "sd"), as_vector(thresholds, "thresholds")
    if mu.shape != sigma.shape or mu.shape[1] != len(h):
        raise InvalidInput(f"mean and sd need a column per threshold, {len(h)}, got {mu.shape} and {sigma.shape}.")
    return mu, sigma, h
