r"""The upper confidence bound whose parameter grows with what is known about a point, not with t.

.. math:: x_t = \arg\max_x \mu_{t-1}(x) + \sqrt{\zeta(q(x))}\, \sigma_{t-1}(x), \qquad
          q(x) = \sigma_{t-1}(x)^2 / \sigma_0(x)^2
"""

from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import AnytimeBand

__all__ = ["AnytimeBound"]


@dataclass(frozen=True, slots=True)
class AnytimeBound:
    """``mean + sqrt(zeta(q)) * sd`` with q = sd^2 / prior_var; see `AnytimeBand` for zeta, which is squared."""

    band: AnytimeBand
    n_candidates: int
    prior_var: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The upper bound."""
        bound: Floats = mean + np.sqrt(self.band.zeta(self._share(sd), self.n_candidates)) * sd
        return bound

    def slopes(self, mean: Floats, sd: Floats) -> tuple[float, Floats]:  # noqa: ARG002
        r"""One, and :math:`c + q \zeta'(q)/c` with :math:`c = \sqrt{\zeta(q)}`."""
        q = self._share(sd)
        c = np.sqrt(self.band.zeta(q, self.n_candidates))
        return 1.0, c + self.band.elasticity(q, self.n_candidates) / c

    def _share(self, sd: Floats) -> Floats:
        share: Floats = sd * sd / self.prior_var
        return share
