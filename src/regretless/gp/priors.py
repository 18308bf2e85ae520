"""Priors on hyperparameters for the MAP fit, on the unit cube and standardised y."""

import math
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats

__all__ = [
    "CAUTIOUS_LENGTHSCALE",
    "CORRELATION",
    "DISCREPANCY",
    "LENGTHSCALE",
    "LEVEL_NOISE",
    "MEAN_VAR",
    "OFFSET",
    "LogNormal",
    "category_scale",
    "hyperprior",
    "usual_lengthscale",
]

#: Length scale of one column, median and sd of the logarithm: to search by, and to promise by (ADR 29).
LENGTHSCALE = (0.35, 1.0)
CAUTIOUS_LENGTHSCALE = (0.2, 0.35)

#: Variance of the mean of the process about that of the observed values, which have variance one.
MEAN_VAR = 1.0

#: Correlation with an earlier study, median and sd of the logit: whoever names one has reasons, and may be wrong.
CORRELATION = (0.7, 1.5)

#: Variance of a discrepancy between two levels as a share of the signal's, and of a constant in it as a share of the
#: rest: medians and sd of the logarithms. At the median a level has a correlation of 0.95 with the one above.
DISCREPANCY = (0.1, 2.0)
OFFSET = (1.0, 2.0)
#: Noise variance below the target, on top of the common one.
LEVEL_NOISE = (1e-4, 3.0)


@dataclass(frozen=True, slots=True)
class LogNormal:
    r"""Independent log-normal laws of positive parameters, as a density of their logarithms.

    .. math:: \log p(\log\theta) = -\sum_i \frac{(\log\theta_i - m_i)^2}{2 s_i^2} + \text{const}

    The density is that of ``log theta``, the variable the fit moves in, so its mode is the median ``exp(m)``.
    """

    location: Floats
    scale: Floats

    def log_density(self, log_theta: Floats) -> tuple[float, Floats]:
        """Log density up to a constant, and its gradient."""
        z = (log_theta - self.location) / self.scale
        return -0.5 * float(z @ z), -z / self.scale

    def draw(self, rng: np.random.Generator) -> Floats:
        """``log theta`` ~ N(location, scale^2)."""
        return rng.normal(self.location, self.scale)


def hyperprior(dim: int, lengthscale: tuple[float, float], levels: tuple[int, ...] | None = None) -> LogNormal:
    """The law of ``theta`` = (lengthscale_1..d, signal_var, noise_var).

    ``lengthscale`` holds the median for one column and the sd of the logarithm; the median grows with sqrt(d), as
    distances in the cube do (after Hvarfner, Hellsten and Nardi 2024). Standardised values have variance one; a trend
    over the cube makes it larger. The noise is nearly none unless the data say otherwise: median 1e-4 of the variance
    of y, wide. ``levels``, the numbers of categories of the columns, 0 for numbers, scale their medians by
    `category_scale`.
    """
    median, spread = lengthscale
    location = math.log(usual_lengthscale(dim, median))
    wider = [math.log(category_scale(K)) for K in levels or (0,) * dim]
    return LogNormal(
        np.array([location + by for by in wider] + [0.0, math.log(1e-4)]), np.array([spread] * dim + [1.0, 3.0])
    )


def category_scale(K: int) -> float:
    """How many times farther apart two random ones of K categories are than two random numbers, 1 where K is 0.

    The mean squared distance of two numbers of the unit interval is 1/6, that of two categories 1 - 1/K.

    >>> [round(category_scale(K), 2) for K in (0, 1, 2, 4, 12)]
    [1.0, 1.0, 1.73, 2.12, 2.35]
    """
    return math.sqrt(6.0 * (1.0 - 1.0 / K)) if K > 1 else 1.0


def usual_lengthscale(dim: int, median: float = LENGTHSCALE[0]) -> float:
    """The median of the prior for ``dim`` columns, by default that of the model to search by."""
    return median * math.sqrt(max(dim, 1))
