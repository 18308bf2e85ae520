r"""What is known about the noise of single observations, beside the common noise variance that is fitted.

An observation is the mean of r replicates (r = 1: a single value) whose known standard error is s:

.. math:: y_i = f(x_i) + \varepsilon_i, \qquad \varepsilon_i \sim N(0,\; \sigma^2 / r_i + s_i^2)

Replicates are pooled exactly. With :math:`v = \sigma^2 + r s^2` the noise variance of one of them and SS the sum of
squares about their mean, the density of r values at one point is that of their mean times

.. math:: r^{-1/2} (2 \pi v)^{-(r-1)/2} \exp(-SS / 2v)

which does not depend on f: nothing is lost for the posterior, and the fit of :math:`\sigma^2` has this factor too.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats

__all__ = ["Noise", "pooled"]

#: Errors of this size, in the model's units, can still be squared and summed.
_LARGEST = 1e50


@dataclass(frozen=True, slots=True)
class Noise:
    """Known noise of n observations, in the units of their values.

    ``sd`` is the known standard error of each value, 0 where nothing is known; ``count`` how many replicates it is the
    mean of; ``spread`` the root of their sum of squares about it, 0 for a single value. An infinite count says that the
    common noise has no part in a value.

    >>> noise = Noise(sd=np.array([0.0, 0.3]), count=np.array([4.0, 1.0]), spread=np.array([1.0, 0.0]))
    >>> noise.variances(0.04).round(3).tolist()
    [0.01, 0.13]
    """

    sd: Floats
    count: Floats
    spread: Floats

    @classmethod
    def known(cls, sd: Floats) -> "Noise":
        """Single values with known standard deviations."""
        return cls(sd, np.ones(len(sd)), np.zeros(len(sd)))

    def __len__(self) -> int:
        return len(self.sd)

    def __add__(self, other: "Noise") -> "Noise":
        """That of these observations, followed by others."""
        parts = ((self.sd, other.sd), (self.count, other.count), (self.spread, other.spread))
        return Noise(*(np.concatenate(pair) for pair in parts))

    def take(self, rows: npt.NDArray[np.intp] | list[int]) -> "Noise":
        """That of some of the observations."""
        return Noise(self.sd[rows], self.count[rows], self.spread[rows])

    def scaled(self, slope: Floats | float) -> "Noise":
        """In units in which a small change of a value is ``slope`` times as large (the delta method)."""
        with np.errstate(over="ignore"):
            sd, spread = (np.minimum(size * slope, _LARGEST) for size in (self.sd, self.spread))
        return Noise(sd, self.count, spread)

    def variances(self, noise_var: float) -> Floats:
        """Noise variance of every value when the common one is ``noise_var``."""
        variances: Floats = noise_var / self.count + self.sd**2
        return variances

    def log_density_within(self, noise_var: float) -> tuple[float, float]:
        """Log density of all replicates given their means, and its derivative in log ``noise_var``.

        Replicates whose noise is given as none say nothing.
        """
        several = np.isfinite(self.count) & (self.count > 1.0)
        r = self.count[several]
        v = noise_var + r * self.sd[several] ** 2
        some = v > 0.0
        r, v, squares = r[some], v[some], self.spread[several][some] ** 2 / v[some]
        value = -0.5 * float((np.log(r) + (r - 1.0) * np.log(2.0 * math.pi * v) + squares).sum())
        return value, 0.5 * noise_var * float(((squares - (r - 1.0)) / v).sum())


def pooled(values: Floats) -> tuple[float, int, float]:
    """Mean, count and spread of replicates: what `Noise` wants to know of them.

    >>> pooled(np.array([2.0, 4.0]))
    (3.0, 2, 1.4142135623730951)
    """
    size = float(np.abs(values).max()) or 1.0  # values of 1e300 have squares too
    z = values / size
    centre = float(z.mean())
    return centre * size, len(values), float(np.linalg.norm(z - centre)) * size
