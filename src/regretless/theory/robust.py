r"""Robust decisions: what randomised bounds prove of aims over environments, and what the data prove of a decision.

A decision x of n_x has values f(x, w) in n_w environments with probabilities p; f is one Gaussian process on (x, w) and
the decision is worth F(x) = F(f(x, .)), an aim of :mod:`regretless.risk`, concave and positively homogeneous.

**One event per decision.** Let l be a tangent of F at values that the data and c fix. Then F(x) <= l . f(x, .), one
normal variable, so that F(x) > l . mu + c sd_l has at most the probability of N > c. By the quantile lemma, with c =
sqrt(zeta) and zeta from the law with n_x events,

.. math:: E\max_x F(x) \le E \max_x \big( l_x \cdot \mu + c\, \sigma_{l_x} \big)

whatever the number of environments; for the worst case this is the known min_w of upper bounds. It holds for the mean,
the worst case, a set of laws, CVaR, and the mean less the standard deviation alike.

**Step regret** at the maximiser x_t. *Mean*: F - l . mu has mean 0, so c sd_F is left; with w_t that tells most about
F, v_F <= 2 (kappa^2 + sigma^2) I_t, as max_w cov(F, f_w) >= v_F. *Coherent aims*: with an independent c' for n_w
events, E F(x_t) >= E F(mu - c' sd), and with l' the tangent there the difference is at most l' . (c + c') sd, so at
most (c + c') times the largest sd where l' has weight, which is measured. It fails if one zeta chooses both. *Mean less
standard deviation*, share a: c sd_l and (1 - a) (E std f - std mu) are left, and E std f <= sqrt(std(mu)^2 + sum p v)
by Jensen: at most (c + 1 - a) max_w sd, which is measured.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_nonnegative, as_positive, as_whole
from regretless.confidence import ShiftedExponential, certified_threshold
from regretless.confidence.normal import psi
from regretless.errors import InvalidInput
from regretless.risk import Aim, Expectation, MeanMinusStd, as_weights
from regretless.theory.conditions import variance_sum
from regretless.theory.fidelities import level_information

__all__ = [
    "RobustCertificate",
    "environment_information",
    "expected_aim",
    "expected_regret_coherent",
    "expected_regret_mean",
    "expected_regret_mean_std",
    "robust_regret",
    "squared_multipliers",
]

#: Multipliers at whose upper bounds tangents are tried: every tangent gives a bound, the smallest is taken.
_TRIED = (0.0, 1.0, 2.0, 3.0)
#: Grids on which the best v is looked for, and their points; every v is valid.
_ROUNDS = 5
_GRID = 65


def environment_information(covariance: npt.ArrayLike, weights: npt.ArrayLike, *, noise_var: float) -> Floats:
    r"""What a measurement in each environment tells about the mean over all of them, in nats.

    .. math:: I_w = -\tfrac12 \log\Big(1 - \frac{(S p)_w^2}{p' S p\, (S_{ww} + \sigma^2)}\Big)

    ``covariance`` is S, that of f(x, .) given the data.

    >>> environment_information([[1.0, 0.5], [0.5, 1.0]], [0.8, 0.2], noise_var=0.1).round(4).tolist()
    [1.0463, 0.2468]
    """
    S = as_matrix(covariance, "covariance")
    p = as_weights(weights, len(S))
    whole = S @ p
    return level_information(whole, target_var=float(p @ whole), level_vars=np.diag(S), noise_var=noise_var)


def squared_multipliers(n_decisions: int, n_environments: int) -> float:
    r"""``E (c + c')^2`` of the two independent multipliers, c for the decision and c' for the environment.

    .. math:: E(c + c')^2 = s + s' + 4 + 2\, E c\, E c', \qquad s = \max(0, 2 \log(n/2))

    >>> round(squared_multipliers(12, 4), 6)
    17.255202
    """
    one, other = (
        ShiftedExponential.for_events(as_whole(n, what, least=1))
        for n, what in ((n_decisions, "n_decisions"), (n_environments, "n_environments"))
    )
    return one.mean(t=1) + other.mean(t=1) + 2.0 * one.mean_sqrt(t=1) * other.mean_sqrt(t=1)


def expected_regret_mean(
    T: int,
    *,
    n_decisions: int,
    info_gain: float,
    noise_var: float,
    signal_var: float = 1.0,
    information: bool = True,
) -> float:
    r"""Mean over the environments: bound on the expected sum of max F - F(x_t).

    .. math:: \sqrt{2 (\kappa^2 + \sigma^2)\, C_2 T \gamma_T} \quad\text{or}\quad \sqrt{C_1 C_2 T \gamma_T}, \qquad
              C_2 = s + 2, \quad s = \max(0, 2 \log(n_x/2))

    The first is for measurements in the environment that tells most about F, the second, ``information=False``, for
    that with the largest sd or one drawn from p. 0 for one decision.

    >>> round(expected_regret_mean(60, n_decisions=12, info_gain=25.0, noise_var=0.05), 3)
    132.62
    """
    T, n = as_whole(T, "T", least=1), as_whole(n_decisions, "n_decisions", least=1)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    if information:
        variances = 2.0 * (as_positive(signal_var, "signal_var") + noise_var) * as_nonnegative(info_gain, "info_gain")
    return 0.0 if n == 1 else math.sqrt(ShiftedExponential.for_events(n).mean(t=1) * variances * T)


def expected_regret_coherent(
    T: int, *, n_decisions: int, n_environments: int, info_gain: float, noise_var: float, signal_var: float = 1.0
) -> float:
    r"""Worst case, a set of laws, CVaR: bound on the expected sum of max F - F(x_t).

    .. math:: \sqrt{C_1 \gamma_T T\, E(c + c')^2}

    c as for n_x, c' as for n_w events, see :func:`squared_multipliers`. 0 for one decision.

    >>> round(expected_regret_coherent(60, n_decisions=12, n_environments=4, info_gain=25.0, noise_var=0.05), 3)
    130.395
    """
    T, n = as_whole(T, "T", least=1), as_whole(n_decisions, "n_decisions", least=1)
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    return 0.0 if n == 1 else math.sqrt(squared_multipliers(n, n_environments) * variances * T)


def expected_regret_mean_std(
    T: int, *, n_decisions: int, info_gain: float, noise_var: float, signal_var: float = 1.0, share: float = 0.5
) -> float:
    r"""``a mean - (1 - a) std`` over the environments: bound on the expected sum of max F - F(x_t).

    .. math:: \sqrt{C_1 \gamma_T T\, E(c + 1 - a)^2}

    The law has n_x events. 0 for one decision.

    >>> round(expected_regret_mean_std(60, n_decisions=12, info_gain=25.0, noise_var=0.05), 3)
    89.699
    """
    T, n = as_whole(T, "T", least=1), as_whole(n_decisions, "n_decisions", least=1)
    law, rest = ShiftedExponential.for_events(n), 1.0 - MeanMinusStd(share).share
    variances = variance_sum(info_gain, noise_var=noise_var, signal_var=signal_var)
    squared = law.mean(t=1) + 2.0 * rest * law.mean_sqrt(t=1) + rest**2
    return 0.0 if n == 1 else math.sqrt(squared * variances * T)


def expected_aim(
    mean: Floats,
    covariance: Floats,
    aim: Aim,
    weights: Floats,
    *,
    normals: Floats | None = None,
    restore: Callable[[Floats], Floats] | None = None,
) -> Floats:
    """``E F(x)`` of each decision given the data: the mean in closed form, others over ``normals``, (draws, n_w).

    ``mean`` is (n_x, n_w), ``covariance`` (n_x, n_w, n_w). The same normals for all decisions: they are compared. Where
    the model counts in other units than the aim, ``restore`` brings its values there.

    >>> z = np.random.default_rng(1).standard_normal((4000, 2))
    >>> moments = np.zeros((1, 2)), np.eye(2)[None]
    >>> from regretless.risk import WorstCase
    >>> expected_aim(*moments, WorstCase(), np.array([0.5, 0.5]), normals=z).round(1).tolist()  # -1/sqrt(pi)
    [-0.6]
    """
    if isinstance(aim, Expectation) and restore is None:
        return np.asarray(mean @ weights)
    if normals is None or not len(normals):
        raise InvalidInput("the expectation of this aim takes normals: an array of draws, one column per environment.")
    values, vectors = np.linalg.eigh(covariance)  # singular where environments hardly differ
    roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    found = np.empty(len(mean))
    for i, (m, root) in enumerate(zip(mean, roots, strict=True)):
        f = m + normals @ root.T
        found[i] = aim.value(f if restore is None else restore(f), weights).mean()
    return found


@dataclass(frozen=True, slots=True)
class RobustCertificate:
    """What a decision may lose against the best, under the model: ``upper`` bounds E max F, ``lower`` E F of it."""

    index: int
    upper: float
    lower: float

    @property
    def bound(self) -> float:
        """Expected regret, at the most."""
        return max(self.upper - self.lower, 0.0)


def robust_regret(
    mean: npt.ArrayLike, covariance: npt.ArrayLike, aim: Aim, weights: npt.ArrayLike, *, index: int | None = None
) -> RobustCertificate:
    r"""Certificate of a decision given the data, on a list of decisions, for any aim.

    .. math:: E\max_x F(x) \le \min_u\, u + \sum_x E(l_x \cdot f - u)^+, \qquad
              E F(\hat x) \ge \max_v\, v - \sum_k b_k E(v - r_k \cdot f)^+

    The first holds for any tangents l, the second is that of the aim, see `Aim.shortfall`; of the mean less the
    standard deviation it is :math:`a\, m - (1-a) \sqrt{\mathrm{std}(\mu)^2 + \sum_w p_w v_w - v_F}`. All terms have
    closed forms. It does not vanish with the uncertainty about which decision is best alone, but with that of F at the
    decision too. ``index`` is the decision, by default the largest F of the means.

    >>> from regretless.risk import WorstCase
    >>> S = np.array([[[0.04, 0.0], [0.0, 0.04]], [[0.01, 0.0], [0.0, 0.01]]])
    >>> found = robust_regret([[1.0, 2.0], [0.2, 3.0]], S, WorstCase(), [0.5, 0.5])
    >>> found.index, round(found.bound, 4)
    (0, 0.0012)
    """
    mu, S = as_matrix(mean, "mean"), np.asarray(covariance, dtype=np.float64)
    n, w = mu.shape
    if S.shape != (n, w, w):
        raise InvalidInput(
            f"covariance must have the shape {(n, w, w)} beside means of shape {mu.shape}, got {S.shape}."
        )
    p = as_weights(weights, w)
    plain = aim.value(mu, p)
    chosen = int(plain.argmax()) if index is None else as_whole(index, "index", most=n - 1)
    if n == 1:
        return RobustCertificate(chosen, float(plain[0]), float(plain[0]))
    return RobustCertificate(chosen, _largest(mu, S, aim, p), _least(mu[chosen], S[chosen], aim, p))


def _largest(mu: Floats, S: Floats, aim: Aim, p: Floats) -> float:
    """Bound on E max F: for each decision the tangent with the smallest expected excess over a good u."""
    sd = np.sqrt(np.maximum(np.einsum("xww->xw", S), 0.0))
    tangents = [aim.tangent(mu + c * sd, p) for c in (_TRIED if aim.coherent else _TRIED[:1])]
    means = np.array([np.einsum("xw,xw->x", each, mu) for each in tangents])
    sds = np.sqrt(np.maximum([np.einsum("xv,xvw,xw->x", each, S, each) for each in tangents], 0.0))
    u, bound = certified_threshold(means[0], sds[0])
    if len(tangents) == 1:
        return bound
    best = np.argmin([_excess(u, m, s) for m, s in zip(means, sds, strict=True)], axis=0)
    rows = np.arange(len(mu))
    return min(bound, certified_threshold(means[best, rows], sds[best, rows])[1])


def _least(mu: Floats, S: Floats, aim: Aim, p: Floats) -> float:
    """Bound on E F from below at one decision."""
    if isinstance(aim, MeanMinusStd):
        m, v_F = float(p @ mu), float(p @ S @ p)
        spread = float(p @ (mu - m) ** 2) + max(float(p @ np.diag(S)) - v_F, 0.0)
        return aim.share * m - (1.0 - aim.share) * math.sqrt(spread)
    pieces = aim.shortfall(p)
    if pieces is None:
        return float(p @ mu)
    rows, factors = pieces
    means, sds = rows @ mu, np.sqrt(np.maximum(np.einsum("kv,vw,kw->k", rows, S, rows), 0.0))

    low, high, best = float(means.min() - 10.0 * sds.max()), float(means.max() + 10.0 * sds.max()), -math.inf
    for _ in range(_ROUNDS):  # concave in v
        v = np.linspace(low, high, _GRID)
        value = v - _excess(-v[:, None], -means, sds) @ factors  # E(v - g)^+ is the excess of -g over -v
        at = int(value.argmax())
        best = max(best, float(value[at]))
        low, high = float(v[max(at - 1, 0)]), float(v[min(at + 1, _GRID - 1)])
    return best


def _excess(u: Floats | float, mean: Floats, sd: Floats) -> Floats:
    """``E(g - u)^+`` of each normal variable."""
    known = sd == 0.0
    z = (u - mean) / np.where(known, 1.0, sd)
    return np.where(known, np.maximum(mean - u, 0.0), sd * psi(z))
