r"""A confidence parameter that grows with what is known about a candidate instead of with time.

For one candidate x and any way of choosing points, f(x) - mean_t(x) is the value at r = sd_t(x)^2 of one Brownian
motion B(r), 0 <= r <= sd_0(x)^2. Time is inverted, B(r) = r W(1/r), and Ville's inequality for a mixture martingale of
W bounds the whole path at once. A union over the N candidates gives a band for all t and all x.
"""

from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats, as_positive, as_whole
from regretless.confidence.schedules import check_delta

__all__ = ["AnytimeBand"]


@dataclass(frozen=True, slots=True)
class AnytimeBand:
    r"""``|f(x) - mean_t(x)| <= sqrt(zeta) * sd_t(x)`` for all t and x at once, with probability 1 - delta.

    .. math:: \zeta(q) = (1 + \rho q) \Big(2 \log\frac{N}{\delta} + \log\Big(1 + \frac1{\rho q}\Big)\Big),
              \qquad q = \sigma_t(x)^2 / \sigma_0(x)^2

    zeta is squared, and grows like log(1/q): a candidate about which nothing is learnt keeps its parameter.
    The GP is known. Every rho > 0 is valid; a small one is tight where much is known.

    >>> band = AnytimeBand(delta=0.1)
    >>> np.sqrt(band.zeta(np.array([1.0, 0.1, 0.001]), n_candidates=49)).round(6).tolist()
    [4.033036, 4.144149, 4.647732]
    """

    delta: float = 0.1
    rho: float = 0.1

    def __post_init__(self) -> None:
        check_delta(self.delta)
        as_positive(self.rho, "rho")

    def zeta(self, q: Floats, n_candidates: int) -> Floats:
        """The squared multiplier where the variance is the share q of the prior's, 0 < q <= 1."""
        zeta: Floats = (1.0 + self.rho * q) * self._budget(q, n_candidates)
        return zeta

    def elasticity(self, q: Floats, n_candidates: int) -> Floats:
        r"""``q d zeta / d q``, which is :math:`\rho q\, (2 \log(N/\delta) + \log(1 + 1/(\rho q))) - 1`."""
        slope: Floats = self.rho * q * self._budget(q, n_candidates) - 1.0
        return slope

    def _budget(self, q: Floats, n_candidates: int) -> Floats:
        N = as_whole(n_candidates, "n_candidates", least=1)
        budget: Floats = 2.0 * np.log(N / self.delta) + np.log1p(1.0 / (self.rho * q))
        return budget
