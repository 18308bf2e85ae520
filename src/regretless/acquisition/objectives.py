r"""Random scalarisations of several objectives, all maximised, above a reference point z; c = sqrt(zeta), one draw.

`Chebyshev`: :math:`\arg\max_x \min_k \lambda_k (\mu_k + c\,\sigma_k - z_k)/r_k` with random weights lambda (Paria,
Kandasamy and Poczos 2020), the rule with a theorem: :mod:`regretless.theory.objectives`.

r_k is the range of the front of the means, so that weights mean the same whatever the units. Constraints, where there
are any, restrict it to the optimistic set of :mod:`regretless.acquisition.constrained`; with one objective it is UCB.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from regretless.acquisition.constrained import in_optimistic_set
from regretless.acquisition.hypervolume import EHVI, expected_improvement
from regretless.acquisition.outputs import EVERY_SIXTH, JointMomentScore, JointUCB, OfFirst, Outputs
from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats
from regretless.confidence.schedules import EVERY

__all__ = ["Chebyshev", "ChebyshevBound"]

#: Objectives up to which the default exploits by hypervolume: the boxes it takes grow fast with their number.
_EXPLOITED = 3
#: On a box the smallest of the K terms is taken softly, over this share of its standard deviation over the candidates:
#: its largest value lies on an edge, where two terms are equal and an ascent would stop.
_SOFT = 0.002


@dataclass(frozen=True, slots=True)
class ChebyshevBound:
    r"""The upper bound of a Chebyshev scalarisation, with weights w_k = lambda_k/r_k.

    .. math:: \min_k v_k, \quad v_k = w_k (\mu_k + c\,\sigma_k - z_k), \qquad
              \text{or softly } -\tau \log \sum_k e^{-v_k/\tau}
    """

    root: float
    weights: Floats
    reference: Floats
    softness: float = 0.0

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The smallest term."""
        v = self._terms(mean, sd)
        least: Floats = v.min(axis=1)
        if self.softness:
            least -= self.softness * np.log(np.exp((least[:, None] - v) / self.softness).sum(axis=1))
        return least

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """(w_k, c w_k) for the smallest term, or in soft shares; zeros for outcomes that are no objective."""
        v = self._terms(mean, sd)
        if self.softness:
            shares = np.exp((v.min(axis=1, keepdims=True) - v) / self.softness)
            shares /= shares.sum(axis=1, keepdims=True)
        else:
            shares = np.zeros_like(v)
            shares[np.arange(len(v)), v.argmin(axis=1)] = 1.0
        by_mean = np.zeros_like(mean)
        by_mean[:, : v.shape[1]] = shares * self.weights
        return by_mean, self.root * by_mean

    def _terms(self, mean: Floats, sd: Floats) -> Floats:
        K = len(self.weights)
        return self.weights * (mean[:, :K] + self.root * sd[:, :K] - self.reference)


@dataclass(frozen=True, slots=True)
class Chebyshev(JointUCB):
    """Random Chebyshev scalarisation, weights from the flat Dirichlet law; with steps in between by default.

    Its theorem needs N events only, one per candidate, however many objectives and constraints there are. By default it
    is taken, with two or three objectives, at every sixth step, with the theorem's shift; the steps in between exploit:
    `EHVI`, under constraints in the optimistic set of a zeta without shift. That was chosen on benchmarks (ADR 52).
    Whoever gives a ``law`` gets the scalarisation always.
    """

    name: ClassVar[str] = "chebyshev"

    def period(self, outputs: Outputs) -> int:
        """Six with two or three objectives, four otherwise."""
        return EVERY_SIXTH if 1 < outputs.n_objectives <= _EXPLOITED else EVERY

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointMomentScore:
        """One draw of zeta, then one of the weights; they are recorded."""
        K = outputs.n_objectives
        exploits = self.law is None and 1 < K <= _EXPLOITED and t % self.period(outputs) != 0
        if exploits and not outputs.n_constraints:
            return EHVI().draw(outputs, t, rng)
        zeta = self.draw_zeta(outputs, t, rng)
        root = math.sqrt(zeta)
        if exploits:
            return in_optimistic_set(outputs, expected_improvement(outputs), root, {"zeta": zeta})
        if K == 1:
            return in_optimistic_set(outputs, OfFirst(UpperBound(root)), root, {"zeta": zeta})
        weights = rng.dirichlet(np.ones(K))  # ~ uniform on the simplex
        assert outputs.reference is not None
        scaled = weights / outputs.ranges(outputs.front_of_means())
        aim = ChebyshevBound(root, scaled, outputs.reference)
        if outputs.n_candidates is None:
            spread = float(aim.value(outputs.mean, outputs.sd).std())
            aim = ChebyshevBound(root, scaled, outputs.reference, _SOFT * spread)
        record = {"zeta": zeta} | {f"weight_{k}": float(weight) for k, weight in enumerate(weights)}
        return in_optimistic_set(outputs, aim, root, record)
