r"""How much can still be gained, and may one stop: bounds on the regret of the recommendation, given the data.

The recommendation is ``argmax mean``, or another candidate that is named. Everything holds given the data, so it may be
looked at after every evaluation and used to stop: stopping as soon as ``bound <= eps`` leaves an expected regret of at
most eps, with no price for having looked often. Everything is stated under the model, on the candidates, in the model's
units.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_nonnegative, as_whole, show
from regretless.confidence import tail_sum
from regretless.confidence.normal import psi, tail
from regretless.errors import InvalidInput
from regretless.gp import Belief, Candidates, PointMoments, Posterior
from regretless.linalg import cholesky
from regretless.theory.lemma import lemma_bound
from regretless.theory.limited import limited_exceedance, limited_mean, limited_pairwise, limited_tail_sum
from regretless.theory.tree import tree_bound

__all__ = ["BestProbability", "Certificate", "SimulatedRegret", "remaining_regret"]

#: Candidates drawn jointly at most, and what may be left out for certain to save more.
_JOINTLY = 1000
_AT_ONCE = 1000  # draws
_LEFT_OUT = 1e-6
#: Candidates that are hung on each other in the tree bound, those that may exceed the recommendation by most.
_IN_TREE = 256
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
class SimulatedRegret:
    """Mean regret of the recommendation over joint draws, and its Monte Carlo standard error.

    What the bound would be if nothing were lost in proving it: the largest of the drawn candidates is compared with the
    recommendation, draw by draw. It is no bound, and has no margin for a model that is wrong.
    """

    estimate: float
    se: float
    draws: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the data prove about the recommended candidate.

    ``bound`` bounds its expected regret and is the smallest of ``tail_sum``, ``pairwise`` and ``tree``, which is the
    pairwise bound with candidates hung on each other (`regretless.theory.tree`). ``lemma``, the bound of
    the paper's key lemma, is never smaller than ``tail_sum`` and kept for comparison; it knows no limits. ``exceeds``
    bounds the probability that its regret exceeds ``eps``; None where no eps was given. ``best`` and ``simulated`` are
    None where no draws were asked for. ``mean`` is that of f cut off at the limits.
    """

    index: int
    mean: float
    sd: float
    n_candidates: int
    bound: float
    tail_sum: float
    pairwise: float
    tree: float
    lemma: float
    eps: float | None
    exceeds: float | None
    best: BestProbability | None
    simulated: SimulatedRegret | None = None


def remaining_regret(
    belief: Belief | PointMoments,
    X: Floats | None = None,
    *,
    index: int | None = None,
    among: npt.NDArray[np.bool_] | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
    eps: float | None = None,
    draws: int = 0,
    rng: np.random.Generator | None = None,
    jointly: int | None = None,
    restore: Callable[[Floats], Floats] | None = None,
) -> Certificate:
    r"""Certificate of candidate ``index``; None: of the one with the largest posterior mean (ties: the first).

    .. math:: E[f(x^*) - f(\hat x) \mid D] \le \min\Big(\min_u h(u) - \mu_{\hat x},\;
              \min_{u \ge 0} u + \sum_{x \ne \hat x} q_x \psi\big((u - \Delta_x)/q_x\big)\Big)

    with h the tail-sum bound, :math:`\Delta_x = \mu_x - \mu_{\hat x}` and q_x the posterior standard deviation of
    f(x) - f(x-hat). The second is exact for two candidates, and the tree bound is never larger. Likewise P(regret >
    eps) is at most the sum of the P(f(x) - f(x-hat) > eps). O(nN) for a table posterior; a plain posterior needs
    candidates ``X`` and O(n^2 N). ``among`` marks the candidates that count, where not all of them do: the regret is to
    the best of those. ``limits`` are values that the objective cannot leave: it is then f cut off there, and
    `regretless.theory.limited` says how the bounds shrink. They are never larger than without limits, nor than the
    distance to the upper one. ``draws`` are of ``jointly`` candidates at most (1000), those that most probably are
    better; where the model counts in other units than the regret, ``restore`` brings its values there.

    >>> from regretless.gp import Kernel, posterior
    >>> data = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=1e-4, X=np.array([[0.5]]), y=np.array([1.5]))
    >>> certificate = remaining_regret(data, np.linspace(0.0, 1.0, 11)[:, None], eps=0.5)
    >>> certificate.index, round(certificate.bound, 3), round(certificate.exceeds, 3)
    (5, 0.349, 0.553)
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
    best = simulated = None
    if draws and rng is not None:
        rivals = counted[difference_sd[counted] > _SAME * math.sqrt(belief.posterior.kernel.signal_var)]
        rows, left_out = _rivals(below, difference_sd, rivals, index, jointly or _JOINTLY)
        f = _joint_draws(belief.posterior, X[rows], mean[rows], int(draws), rng)
        best, simulated = _simulated(np.clip(f, *limits), left_out, restore)
    here, at = float(sd[index]), int(np.searchsorted(counted, index))
    if among is not None:
        below, difference_sd, sd = below[counted], difference_sd[counted], sd[counted]
    tail_bound = limited_tail_sum(below, sd, at, lower, upper)
    # The recommendation itself is the known candidate at 0: it keeps u >= 0 and adds nothing there.
    pairwise = limited_pairwise(below, difference_sd, here, lower, upper)
    tree = min(pairwise, _tree_bound(belief.posterior, X, below, difference_sd, counted, index))
    exceeds = None
    if eps is not None:
        more = tail_sum(as_nonnegative(eps, "eps"), below, difference_sd)
        exceeds = min(1.0, more, limited_exceedance(eps, here, lower, upper))
    return Certificate(
        index=index,
        mean=limited_mean(float(mean[index]), here, *limits),
        sd=here,
        n_candidates=len(counted),
        bound=min(tail_bound, tree),
        tail_sum=tail_bound,
        pairwise=pairwise,
        tree=tree,
        lemma=float(below.max()) + lemma_bound(below, sd),
        eps=None if eps is None else float(eps),
        exceeds=exceeds,
        best=best,
        simulated=simulated,
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


def _tree_bound(
    post: Posterior, X: Floats, below: Floats, difference_sd: Floats, counted: npt.NDArray[np.intp], index: int
) -> float:
    """Bound on ``E max(f - f(x-hat))`` over the counted candidates; those of the largest expected rise are hung."""
    apart = np.flatnonzero(difference_sd > _SAME * math.sqrt(post.kernel.signal_var))
    rise = difference_sd[apart] * psi(-below[apart] / difference_sd[apart])
    hung = apart[np.argsort(-rise, kind="stable")[:_IN_TREE]]
    rows = np.append(counted[hung], index)
    C = post.covariance(X[rows], X[rows])
    covariance = C[:-1, :-1] - C[:-1, -1:] - C[-1:, :-1] + C[-1, -1]  # of the differences
    others = np.ones(len(below), dtype=bool)
    others[hung] = False
    return tree_bound(below[hung], difference_sd[hung], covariance, below[others], difference_sd[others])


def _rivals(
    below: Floats, difference_sd: Floats, rivals: npt.NDArray[np.intp], index: int, jointly: int
) -> tuple[npt.NDArray[np.intp], float]:
    """Candidates to draw jointly, the recommendation last, and the probability that another one is better, at most."""
    better = tail(-below[rivals] / difference_sd[rivals])  # P(f(x) > f(x-hat))
    order = np.argsort(-better, kind="stable")
    rivals, better = rivals[order], better[order]
    remaining = np.append(np.cumsum(better[::-1])[::-1], 0.0)  # in all rivals from each place on
    keep = min(int(np.argmax(remaining <= _LEFT_OUT)), jointly - 1)
    return np.append(rivals[:keep], index), float(min(1.0, remaining[keep]))


def _joint_draws(post: Posterior, X: Floats, mean: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of f ~ N(mean, covariance) at the rows of X, one per row."""
    K = post.covariance(X, X)
    K[np.diag_indices(len(X))] += _SAME**2 * post.kernel.signal_var  # what rounding may have taken away
    factor = cholesky(K)
    parts = [min(_AT_ONCE, draws - begin) for begin in range(0, draws, _AT_ONCE)]
    f: Floats = mean + np.vstack([rng.standard_normal((count, len(X))) @ factor.L.T for count in parts])
    return f


def _simulated(
    f: Floats, left_out: float, restore: Callable[[Floats], Floats] | None
) -> tuple[BestProbability, SimulatedRegret]:
    """How often the last column is the largest, and by how much it is not in the mean."""
    draws, highest, here = len(f), f.max(axis=1), f[:, -1]
    wins = int(np.count_nonzero(highest <= here))
    smoothed = (wins + 1.0) / (draws + 2.0)
    se = math.sqrt(smoothed * (1.0 - smoothed) / draws)
    regret = highest - here if restore is None else restore(highest) - restore(here)
    spread = float(regret.std(ddof=1)) / math.sqrt(draws) if draws > 1 else 0.0
    best = BestProbability(wins / draws, se, draws, f.shape[1], left_out)
    return best, SimulatedRegret(float(regret.mean()), spread, draws)
