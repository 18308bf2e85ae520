r"""Between the user's values y and the model's z: low values compressed, then shifted and scaled.

.. math:: z = (c(y) - \text{shift}) / \text{scale}, \qquad
          c(y) = \begin{cases} y & y \ge k \\ k + b \sinh^{-1}((y - k)/b) & y < k \end{cases}

How bad a bad point is tells little about where the best one lies, and a few very low values would set the scale for all
others. So what is below the knee k counts by about its logarithm; above, where the maximum is looked for, nothing
changes. c is increasing and twice differentiable; its slope is 1 at the knee.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from regretless.arrays import Floats

__all__ = ["Expansion", "Units", "standardise"]

#: The bend b, as a share of the standard deviation of c(y), and how closely it is found.
_BEND = 0.75
_CLOSE = 1e-2
#: From so many bends below the knee on an expansion is a straight line: it stays finite.
_STEEPEST = 20.0
_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True)
class Expansion:
    r"""From compressed values back to linear ones, both in the model's units: increasing and concave.

    .. math:: e(z) = k + b \sinh((z - k)/b) \text{ for } z < k, \qquad e(z) = z \text{ above}

    >>> Expansion(0.0, 1.0)(np.array([-1.0, 2.0])).round(4).tolist()
    [-1.1752, 2.0]
    """

    at: float
    bend: float

    def __call__(self, z: Floats) -> Floats:
        """The values."""
        x = (z - self.at) / self.bend
        t = np.clip(x, -_STEEPEST, 0.0)
        return np.asarray(self.at + self.bend * (np.sinh(t) + np.cosh(t) * (x - t)))

    def slope(self, z: Floats) -> Floats:
        """``e'(z)``: 1 above the knee, more below."""
        return np.asarray(np.cosh(np.clip((z - self.at) / self.bend, -_STEEPEST, 0.0)))

    def curve(self, z: Floats) -> Floats:
        """``e''(z)``: 0 above the knee, negative below."""
        x = (z - self.at) / self.bend
        return np.where(x > -_STEEPEST, np.sinh(np.clip(x, -_STEEPEST, 0.0)) / self.bend, 0.0)


@dataclass(frozen=True, slots=True)
class Units:
    """How the model sees the user's values; without a knee none is compressed.

    >>> units = Units.of(np.array([-90.0, 1.0, 2.0, 3.0, 4.0]), compress=True)
    >>> units.knee, units.standardised(np.array([-90.0, 1.0, 4.0])).round(2).tolist()
    (2.0, [-1.99, 0.34, 0.65])
    """

    shift: float = 0.0
    scale: float = 1.0
    knee: float | None = None
    bend: float = 1.0
    both: bool = False  # whether values are compressed above the knee too

    @classmethod
    def of(cls, y: Floats, *, compress: bool) -> "Units":
        """Those that standardise y; the knee is the median.

        The bend is three quarters of the standard deviation that compressed values have: of y itself, one very low
        value would make it so wide that nothing is compressed. It is found by iteration from above.
        """
        shift, scale = standardise(y)
        if not compress or not len(y):
            return cls(shift, scale)
        knee, bend = _median(y), math.inf
        while _BEND * scale < (1.0 - _CLOSE) * bend:
            bend = _BEND * scale
            shift, scale = standardise(_compress(y, knee, bend, False))
        return cls(shift, scale, knee, bend)

    @classmethod
    def around(cls, y: Floats, knee: float, first: int | None = None) -> "Units":
        """Those that compress on both sides of a constant, which stays where it is: for what is compared with it.

        Whether a constraint holds is decided near its bound, and values far on either side would set the scale. The
        bend is half the median distance of the ``first`` values: later ones gather near the bound, and a bend that
        followed them would compress all others away.

        >>> units = Units.around(np.array([-90.0, 1.0, 2.0, 3.0, 4000.0]), 0.0)
        >>> units.restored(units.standardised(np.array([0.0, 4000.0])), 0.0)[0].round(6).tolist()
        [0.0, 4000.0]
        """
        distance = _median(np.abs(0.5 * y[:first] - 0.5 * knee)) if len(y) else 0.0
        bend = distance if distance > 0.0 else standardise(y)[1]
        return cls(*standardise(_compress(y, knee, bend, True)), knee, bend, True)

    @property
    def expansion(self) -> Expansion | None:
        """What undoes the compression, in the model's units; None where there is none, or on both sides."""
        if self.knee is None or self.both:
            return None
        return Expansion((self.knee - self.shift) / self.scale, self.bend / self.scale)

    def moved(self, mean: float) -> "Units":
        """Those in which what is now ``mean`` is zero."""
        return replace(self, shift=float(_finite(np.asarray(self.shift + self.scale * mean))))

    def standardised(self, y: Floats) -> Floats:
        """Values as the model sees them."""
        c = y if self.knee is None else _compress(y, self.knee, self.bend, self.both)
        return np.asarray(c / self.scale - self.shift / self.scale)

    def slope(self, y: Floats) -> Floats:
        """``dz/dy``: what a small error of a value is multiplied by, 1 / scale above the knee and less below."""
        if self.knee is None:
            return np.full(len(y), 1.0 / self.scale)
        with np.errstate(over="ignore"):  # a slope below the smallest float is 0
            return np.asarray(1.0 / np.hypot(1.0, _beyond(y, self.knee, self.bend, self.both)) / self.scale)

    def linear(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """Mean and sd of c(y): normal under the model, and the knee is where it is in the user's units."""
        return self.shift + self.scale * mean, self.scale * sd

    def restored(self, mean: Floats | float, sd: Floats | float) -> tuple[Floats, Floats]:
        """Mean and sd of the model in the user's units; what is past the largest float becomes the largest float.

        Where one sd reaches below the knee, the law there is skew: its median, and half the width of its central 68 %.
        """
        with np.errstate(over="ignore"):
            centre, spread = _finite(self.shift + self.scale * np.asarray(mean)), _finite(self.scale * np.asarray(sd))
            if self.knee is None:
                return centre, spread
            low, middle, high = (
                _finite(_expand(c, self.knee, self.bend, self.both)) for c in (centre - spread, centre, centre + spread)
            )
        return middle, np.where(self.both | (low < self.knee), 0.5 * high - 0.5 * low, spread)


def standardise(y: Floats) -> tuple[float, float]:
    """Shift and scale that bring y to mean 0 and variance 1; (nearly) constant values keep scale 1.

    Computed on y over its largest size, so that values of 1e300 do not overflow.

    >>> standardise(np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    size = float(np.max(np.abs(y))) if len(y) else 0.0
    if size == 0.0:
        return 0.0, 1.0
    z = y / size
    centre, spread = float(z.mean()), float(z.std())
    # A spread of rounding errors is no spread; below the smallest normal number nothing can be divided safely.
    if spread <= 1e-13 or spread * size < np.finfo(float).tiny:
        return centre * size, max(size, 1.0) if spread > 0.0 else 1.0
    return centre * size, spread * size


def _compress(y: Floats, knee: float, bend: float, both: bool) -> Floats:
    """``c(y)``, in halves: the difference of two values may overflow, c(y) does not."""
    beyond = both | (y < knee)
    return np.where(beyond, 2.0 * (0.5 * knee + 0.5 * bend * np.arcsinh(_beyond(y, knee, bend, both))), y)


def _expand(c: Floats, knee: float, bend: float, both: bool) -> Floats:
    """The y with ``c(y) = c``; overflows far from the knee."""
    return np.where(both | (c < knee), knee + bend * np.sinh(_beyond(c, knee, bend, both)), c)


def _beyond(y: Floats, knee: float, bend: float, both: bool) -> Floats:
    """(y - knee) / bend where that is negative, else 0; on both sides of the knee as it is."""
    with np.errstate(over="ignore"):
        return np.clip((0.5 * y - 0.5 * knee) / (0.5 * bend), -_LARGEST, _LARGEST if both else 0.0)


def _median(y: Floats) -> float:
    """The median, where even the sum of two values may overflow."""
    n, ordered = len(y), np.sort(y)
    return float(0.5 * ordered[(n - 1) // 2] + 0.5 * ordered[n // 2])


def _finite(y: Floats) -> Floats:
    return np.clip(y, -_LARGEST, _LARGEST)
