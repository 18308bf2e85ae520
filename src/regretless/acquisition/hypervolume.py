r"""Hypervolume of several objectives, all maximised, above a reference point: what a point would add to a front.

- `HVI`: the upper bounds :math:`\mu_k + c\,\sigma_k` over the front of the means of all candidates.
- `EHVI`: the expectation over the front of the means at measured points, as a logarithm [Yang2019]_.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from regretless.acquisition.constrained import ConstrainedEI, LogFeasible, in_optimistic_set
from regretless.acquisition.outputs import JointFormula, JointMomentScore, JointRule, JointUCB, OfFirst, Outputs
from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats
from regretless.confidence.normal import mills, psi, psi_ratio, tail
from regretless.pareto import FreeBoxes, free_boxes

__all__ = ["EHVI", "HVI", "ExpectedImprovement", "Improvement", "expected_improvement"]

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
#: Of `HVI` alone every second step has the theorem's shift.
EVERY_SECOND = 2


@dataclass(frozen=True, slots=True)
class Improvement:
    """Hypervolume improvement of the upper bounds; where there is none, minus what is missing to one.

    In units of the ranges ``scale``; the second part is the depth of :class:`regretless.pareto.FreeBoxes`, so that the
    score is continuous and leads out of what is dominated.
    """

    root: float
    boxes: FreeBoxes  # in units of the scale
    scale: Floats

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The improvement, or minus what is missing."""
        U = self._upper(mean, sd)
        value, _ = self.boxes.depth(U, np.ones(U.shape[1]))
        adds = value > 0.0
        value[adds] = self.boxes.improvement(U[adds])
        return value

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """Those by each upper bound, times (1, c)."""
        U = self._upper(mean, sd)
        depth, by_u = self.boxes.depth(U, np.ones(U.shape[1]))
        adds = depth > 0.0
        by_u[adds] = self.boxes.improvement_and_slopes(U[adds])[1]
        by_mean = np.zeros_like(mean)
        by_mean[:, : U.shape[1]] = by_u / self.scale
        return by_mean, self.root * by_mean

    def _upper(self, mean: Floats, sd: Floats) -> Floats:
        K = len(self.scale)
        return (mean[:, :K] + self.root * sd[:, :K]) / self.scale


@dataclass(frozen=True, slots=True)
class HVI(JointUCB):
    """Hypervolume improvement of the upper bounds over the front of the means, exactly, with gradients.

    With N events, one per candidate, the expected hypervolume of all candidates is at most that of their upper bounds;
    the greedy rule itself has no regret bound. The number of boxes grows like (front size)^(K/2).
    """

    name: ClassVar[str] = "hvi"

    def period(self, outputs: Outputs) -> int:  # noqa: ARG002
        """Every second step has the shift."""
        return EVERY_SECOND

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointMomentScore:
        """One draw of zeta."""
        zeta = self.draw_zeta(outputs, t, rng)
        root = math.sqrt(zeta)
        aim: JointFormula = OfFirst(UpperBound(root))
        if outputs.n_objectives > 1:
            assert outputs.reference is not None
            front = outputs.front_of_means()
            scale = outputs.ranges(front)
            aim = Improvement(root, free_boxes(front / scale, outputs.reference / scale), scale)
        return in_optimistic_set(outputs, aim, root, {"zeta": zeta})


@dataclass(frozen=True, slots=True)
class ExpectedImprovement:
    r"""Logarithm of the expected hypervolume improvement of independent normal objectives, exactly.

    .. math:: \log \sum_b \prod_k \sigma_k \Big(\psi\Big(\frac{\underline{b}_k - \mu_k}{\sigma_k}\Big)
              - \psi\Big(\frac{\bar b_k - \mu_k}{\sigma_k}\Big)\Big), \qquad \psi(z) = E[(N - z)^+]

    over the free boxes b: a side of length :math:`(\min(f_k, \bar b_k) - \underline{b}_k)^+` has that expectation.
    Nothing underflows: a box far above the means counts by its density at the lower corner.
    """

    boxes: FreeBoxes

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """Log expected hypervolume improvement."""
        total = np.empty(len(mean))
        for part in self.boxes.parts(len(mean)):
            sides = self._sides(mean[part], sd[part])
            total[part] = logsumexp(_product(sides), axis=1)
        return total

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """Of each objective's sides, the boxes weighted by their share of the expectation."""
        by_mean, by_sd = np.zeros_like(mean), np.zeros_like(sd)
        for part in self.boxes.parts(len(mean)):
            sides = self._sides(mean[part], sd[part])
            logs = _product(sides)
            share = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
            for k, side in enumerate(sides):
                by_mean[part, k] = (share * side.by_mean).sum(axis=1)
                by_sd[part, k] = (share * side.by_sd).sum(axis=1)
        return by_mean, by_sd

    def _sides(self, mean: Floats, sd: Floats) -> list["_Side"]:
        lower, upper = self.boxes.lower, self.boxes.upper
        return [_side(mean[:, k, None], sd[:, k, None], lower[:, k], upper[:, k]) for k in range(lower.shape[1])]


@dataclass(frozen=True, slots=True)
class _Side:
    """Log of the expected length of one side of each box, and its derivatives, (N, B)."""

    log: Floats
    by_mean: Floats
    by_sd: Floats


def _side(mean: Floats, sd: Floats, lower: Floats, upper: Floats) -> _Side:
    """With a = (lower - mean)/sd and b = (upper - mean)/sd, all relative to the density at a, at 0 where a < 0.

    The length sd (psi(a) - psi(b)) has the derivatives tail(a) - tail(b) and phi(a) - phi(b).
    """
    a, b = (lower - mean) / sd, (upper - mean) / sd
    above_a, above_b = np.maximum(a, 0.0), np.maximum(b, 0.0)
    with np.errstate(over="ignore", under="ignore"):  # exp(-inf) = 0 is right
        fade = np.exp(-0.5 * (above_b - above_a) * (above_b + above_a))  # phi(b)/phi(a)
    (psi_a, tail_a, phi_a), (psi_b, tail_b, phi_b) = _relative(a), _relative(b)
    length = np.maximum(psi_a - fade * psi_b, 0.0)  # 0 for a box that is thinner than rounding
    real = np.where(length > 0.0, length, 1.0)
    log = np.where(length > 0.0, np.log(sd * real) - 0.5 * above_a * above_a - _LOG_SQRT_2PI, -np.inf)
    return _Side(log, (tail_a - fade * tail_b) / (sd * real), (phi_a - fade * phi_b) / (sd * real))


def _relative(z: Floats) -> tuple[Floats, Floats, Floats]:
    """psi, tail and phi at z, divided by phi(max(z, 0))."""
    up, down = np.maximum(z, 0.0), np.minimum(z, 0.0)
    low = z < 0.0
    root = np.sqrt(2.0 * np.pi)
    with np.errstate(over="ignore", under="ignore"):
        phi = np.exp(-0.5 * down * down)
    return np.where(low, root * psi(down), psi_ratio(up)), np.where(low, root * tail(down), mills(up)), phi


def _product(sides: list[_Side]) -> Floats:
    """Log of the expected volume of each box, (N, B)."""
    total: Floats = np.sum([side.log for side in sides], axis=0)
    return total


def expected_improvement(outputs: Outputs) -> ExpectedImprovement:
    """Over the front of the means at those measured points whose constraints hold at their means."""
    K, means = outputs.n_objectives, outputs.means_at_told()
    holds = (means[:, K:] <= np.array(outputs.thresholds)).all(axis=1)
    assert outputs.reference is not None
    return ExpectedImprovement(free_boxes(means[holds, :K], outputs.reference))


@dataclass(frozen=True, slots=True)
class EHVI(JointRule):
    """Expected hypervolume improvement over the front of the means at measured points, as its logarithm.

    Under constraints it is multiplied by the probability of feasibility. With one objective it is expected improvement
    under constraints. No theorem. The number of boxes grows like (front size)^(K/2).
    """

    name: ClassVar[str] = "ehvi"

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointMomentScore:
        """Nothing is random."""
        if outputs.n_objectives == 1:
            return ConstrainedEI().draw(outputs, t, rng)
        aim: JointFormula = expected_improvement(outputs)
        if outputs.n_constraints:
            aim = LogFeasible(aim, np.array(outputs.thresholds))
        return JointMomentScore(outputs.posteriors, aim, {})
