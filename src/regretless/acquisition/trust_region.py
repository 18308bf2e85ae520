"""Upper confidence bounds near the best point alone: the rule of a trust region, for many columns."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from regretless.acquisition.base import MomentScore, Rule, View
from regretless.acquisition.ucb import UpperBound
from regretless.confidence import ShiftedExponential

__all__ = ["TrustRegion"]


@dataclass(frozen=True, slots=True)
class TrustRegion(Rule):
    r"""IRGP-UCB with s = 0, searched in a box around the best point so far alone: a heuristic, without a guarantee.

    .. math:: x_t = \arg\max_{x \in B_t} \mu_{t-1}(x) + \sqrt{\zeta_t}\, \sigma_{t-1}(x), \qquad
        \zeta_t \sim \mathrm{Exp}(1/2)

    The box has the sides :math:`L \ell_j / (\prod_i \ell_i)^{1/d}`, with the length scales of the model. L is 0.8 at
    first, doubled after 3 successes in a row and halved after max(4, d) failures; below 1/128 the search begins again
    elsewhere (Eriksson et al. 2019). All of that follows from the results told, in the order of their trials. What lies
    outside the box is not looked at, so nothing is promised about it; no regret bound holds for such a rule.

    For a box or a product of parameters without constraints, whose real columns the trust region is about.

    >>> TrustRegion().name
    'trust-region'
    """

    name: ClassVar[str] = "trust-region"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:
        """One draw of zeta a suggestion."""
        zeta = float(ShiftedExponential(0.0).draw(t, rng))
        return MomentScore(view.posterior, UpperBound(math.sqrt(zeta)), {"zeta": zeta})
