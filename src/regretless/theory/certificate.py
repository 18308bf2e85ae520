r"""How much can still be gained, and may one stop: bounds on the regret of the recommendation, given the data.

The recommendation is ``argmax mean``, or another candidate that is named. Everything holds given the data, so it may be
looked at after every evaluation and used to stop: stopping as soon as ``bound <= eps`` leaves an expected regret of at
most eps, with no price for having looked often. Everything is stated under the model, on the candidates, in the model's
units.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_nonnegative, as_whole, show
from regretless.confidence import tail_sum
from regretless.confidence.normal import tail
from regretless.errors import InvalidInput
from regretless.gp import Belief, Candidates, Posterior
from regretless.linalg import cholesky
from regretless.theory.lemma import lemma_bound
from regretless.theory.limited import limited_exceedance, limited_mean, limited_pairwise, limited_tail_sum

__all__ = ["BestProbability", "Certificate", "remaining_regret"]

#: Candidates drawn jointly at most, and what may be left out for certain to save more.
_JOINTLY = 1000
_LEFT_OUT = 1e-6
#: Standard deviation of a difference, as a share of the prior's, below which two candidates cannot be told apart.
_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class BestProbability:
    """Probability that the recommendation is the best candidate, by simulation.

    ``estimate`` is the share of the joint draws in which no drawn candidate was better, ``se`` its Monte Carlo standard
    error (never 0: one success and one failure are added). ``drawn`` candidates were drawn jointly, the recommendation
    among them; those left out are better with probability ``left_out`` in total at most, so the probability lies
    between ``estimate - left_out`` and ``estimate``, up to simulation. Candidates that cannot be told apart from the
    recommendation do not count as better.
    """

    estimate: float
    se: float
    draws: int
    drawn: int
    left_out: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the data prove about the recommended candidate.

    ``bound`` bounds its expected regret and is the smaller of ``tail_sum`` and ``pairwise``. ``lemma``, the bound of
    the paper's key lemma, is never smaller than ``tail_sum`` and kept for comparison; it knows no limits. ``exceeds``
    bounds the probability that its regret exceeds ``eps``; None where no eps was given. ``best`` is None where no draws
    were asked for. ``mean`` is that of f cut off at the limits.
    """

    index: int
    mean: float
    sd: float
    n_candidates: int
    bound: float
    tail_sum: float
    pairwise: float
    lemma: float
    eps: float | None
    exceeds: float | None
    best: BestProbability | None


def remaining_regret(
    belief: Belief,
    X: Floats | None = None,
    *,
    index: int | None = None,
    among: npt.NDArray[np.bool_] | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
    eps: float | None = None,
    draws: int = 0,
    rng: np.random.Generator | None = None,
) -> Certificate:
    r"""Certificate of candidate ``index``; None: of the one with the largest posterior mean (ties: the first).

    .. math:: E[f(x^*) - f(\hat x) \mid D] \le \min\Big(\min_u h(u) - \mu_{\hat x},\;
              \min_{u \ge 0} u + \sum_{x \ne \hat x} q_x \psi\big((u - \Delta_x)/q_x\big)\Big)

    with h the tail-sum bound, :math:`\Delta_x = \mu_x - \mu_{\hat x}` and q_x the posterior standard deviation of
    f(x) - f(x-hat). The second is exact for two candidates. Likewise P(regret > eps) is at most the sum of the
    P(f(x) - f(x-hat) > eps). O(nN) for a table posterior; a plain posterior needs candidates ``X`` and O(n^2 N).
    ``among`` marks the candidates that count, where not all of them do: the regret is to the best of those. ``limits``
    are values that the objective cannot leave: it is then f cut off there, and `regretless.theory.limited` says how the
    bounds shrink. They are never larger than without limits, nor than the distance to the upper one.

    >>> from regretless.gp import Kernel, posterior
    >>> data = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=1e-4, X=np.array([[0.5]]), y=np.array([1.5]))
    >>> certificate = remaining_regret(data, np.linspace(0.0, 1.0, 11)[:, None], eps=0.5)
    >>> certificate.index, round(certificate.bound, 3), round(certificate.exceeds, 3)
    (5, 0.63, 0.553)
    """
    draws = as_whole(draws, "draws")
    if draws and rng is None:
        raise InvalidInput("draws need a generator: rng=numpy.random.default_rng(seed).")
    if X is not None and belief.candidates is None:
        X = as_matrix(X, "X")
        if not len(X):
            raise InvalidInput("X must hold one candidate at least.")
    candidates = belief.on(X)
    X, mean, sd = candidates.X, candidates.mean, candidates.sd
    if index is not None and not 0 <= index < len(X):
        raise InvalidInput(f"index must be that of a candidate, 0 to {len(X) - 1}, got {show(index)}.")
    if among is not None and not (among.shape == (len(X),) and among.any() and (index is None or among[index])):
        raise InvalidInput(f"among must mark some of the {len(X)} candidates, the one with the index too.")
    if not limits[0] < limits[1]:
        raise InvalidInput(f"limits must be a lower and a larger upper one, got {limits!r}.")
    counted = np.arange(len(X)) if among is None else np.flatnonzero(among)
    index = int(counted[mean[counted].argmax()]) if index is None else int(index)
    lower, upper = limits[0] - float(mean[index]), limits[1] - float(mean[index])
    below = mean - mean[index]  # counted from the recommendation, so that small certificates do not cancel
    difference_sd = _difference_sd(candidates, sd, index)
    best = None
    if draws and rng is not None:
        best = _best_probability(
            belief.posterior, X, counted, below, difference_sd, index, int(draws), rng, lower, upper
        )
    here, at = float(sd[index]), int(np.searchsorted(counted, index))
    if among is not None:
        below, difference_sd, sd = below[counted], difference_sd[counted], sd[counted]
    tail_bound = limited_tail_sum(below, sd, at, lower, upper)
    # The recommendation itself is the known candidate at 0: it keeps u >= 0 and adds nothing there.
    pairwise = limited_pairwise(below, difference_sd, here, lower, upper)
    exceeds = None
    if eps is not None:
        more = tail_sum(as_nonnegative(eps, "eps"), below, difference_sd)
        exceeds = min(1.0, more, limited_exceedance(eps, here, lower, upper))
    return Certificate(
        index=index,
        mean=limited_mean(float(mean[index]), here, *limits),
        sd=here,
        n_candidates=len(counted),
        bound=min(tail_bound, pairwise),
        tail_sum=tail_bound,
        pairwise=pairwise,
        lemma=float(below.max()) + lemma_bound(below, sd),
        eps=None if eps is None else float(eps),
        exceeds=exceeds,
        best=best,
    )


def _difference_sd(candidates: Candidates, sd: Floats, index: int) -> Floats:
    """Posterior standard deviation of f(x) - f(x-hat) for every candidate; 0 at the recommendation."""
    column = candidates.covariance_with(index)
    column *= -2.0
    column += sd * sd
    column += sd[index] ** 2
    difference = np.sqrt(np.maximum(column, 0.0, out=column), out=column)
    difference[index] = 0.0
    return difference


def _best_probability(
    post: Posterior,
    X: Floats,
    counted: npt.NDArray[np.intp],
    below: Floats,
    difference_sd: Floats,
    index: int,
    draws: int,
    rng: np.random.Generator,
    lower: float,
    upper: float,
) -> BestProbability:
    rivals = counted[difference_sd[counted] > _SAME * math.sqrt(post.kernel.signal_var)]
    better = tail(-below[rivals] / difference_sd[rivals])  # P(f(x) > f(x-hat))
    order = np.argsort(-better, kind="stable")
    rivals, better = rivals[order], better[order]
    remaining = np.append(np.cumsum(better[::-1])[::-1], 0.0)  # in all rivals from each place on
    keep = min(int(np.argmax(remaining <= _LEFT_OUT)), _JOINTLY - 1)
    rows = np.append(rivals[:keep], index)
    K = post.covariance(X[rows], X[rows])
    K[np.diag_indices(len(rows))] += _SAME**2 * post.kernel.signal_var  # what rounding may have taken away
    factor = cholesky(K)
    wins = 0
    for begin in range(0, draws, _JOINTLY):
        count = min(_JOINTLY, draws - begin)
        f = below[rows] + rng.standard_normal((count, len(rows))) @ factor.L.T  # ~ N(mean, covariance), each row
        f = np.clip(f, lower, upper)
        wins += int(np.count_nonzero(f.max(axis=1) <= f[:, -1]))
    smoothed = (wins + 1.0) / (draws + 2.0)
    se = math.sqrt(smoothed * (1.0 - smoothed) / draws)
    return BestProbability(wins / draws, se, draws, len(rows), float(min(1.0, remaining[keep])))
