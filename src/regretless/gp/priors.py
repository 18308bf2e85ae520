"""Priors on hyperparameters for the MAP fit, on the unit cube and standardised y."""

import math
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats

__all__ = ["LogNormal", "lengthscale_prior", "noise_prior", "signal_prior"]


@dataclass(frozen=True, slots=True)
class LogNormal:
    r"""Log-normal law of a positive parameter, as a density of its logarithm.

    .. math:: \log p(\log\theta) = -\frac{(\log\theta - m)^2}{2 s^2} + \text{const}

    The density is that of ``log theta``, the variable the fit moves in, so its mode is the median ``exp(m)``.
    """

    location: float
    scale: float

    def log_density(self, log_theta: Floats) -> tuple[Floats, Floats]:
        """Log density up to a constant, and its slope, elementwise."""
        z = (log_theta - self.location) / self.scale
        return -0.5 * z * z, -z / self.scale

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Draws of ``log theta`` ~ N(location, scale^2)."""
        return rng.normal(self.location, self.scale, size)


def lengthscale_prior(dim: int) -> LogNormal:
    """Length scales grow with sqrt(d), as distances in the cube do (after Hvarfner, Hellsten and Nardi 2024)."""
    return LogNormal(math.log(0.35) + 0.5 * math.log(max(dim, 1)), 1.0)


def signal_prior() -> LogNormal:
    """Standardised values have variance one; a trend over the cube makes it larger."""
    return LogNormal(0.0, 1.0)


def noise_prior() -> LogNormal:
    """Nearly noise-free unless the data say otherwise: median 1e-4 of the variance of y, wide."""
    return LogNormal(math.log(1e-4), 3.0)
