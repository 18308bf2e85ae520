"""Numeric columns as a linear program sees them: w in [0, 1], linear in the user's units, whatever the code is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.spaces.constraints.atoms import Kind
from regretless.spaces.floats import Float
from regretless.spaces.integers import Int
from regretless.spaces.levels import Ordinal
from regretless.spaces.scalars import is_number

__all__ = ["Scale", "kinds_of", "scale_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """A column of numbers: ``w = (value - low) / (high - low)``; ``straight`` where that is the code itself.

    ``spacing`` is that of an even lattice of w, 0 without one; ``levels`` are the w of each rank where it is uneven;
    ``grain`` is by how much decoding may round w.
    """

    part: Any
    low: float
    high: float
    straight: bool
    spacing: float
    levels: Floats | None
    grain: float

    @property
    def width(self) -> float:
        """From the smallest value to the largest."""
        return self.high - self.low

    @property
    def real(self) -> bool:
        """Whether all values in between are allowed."""
        return self.spacing == 0.0 and self.levels is None

    def w(self, codes: Floats) -> Floats:
        """From codes, which need not be admissible."""
        codes = np.clip(codes, 0.0, 1.0)
        if self.straight:
            return codes
        if self.levels is not None:
            return self.levels[np.rint(codes * (len(self.levels) - 1)).astype(np.intp)]
        start, span = math.log(self.low), math.log(self.high) - math.log(self.low)
        return np.clip((np.exp(start + codes * span) - self.low) / self.width, 0.0, 1.0)

    def codes(self, w: Floats) -> Floats:
        """The codes of such w; between levels the nearest."""
        w = np.clip(w, 0.0, 1.0)
        if self.straight:
            return w
        if self.levels is not None:
            nearest: Floats = np.abs(w[:, None] - self.levels).argmin(axis=1) / max(len(self.levels) - 1, 1)
            return nearest
        start, span = math.log(self.low), math.log(self.high) - math.log(self.low)
        return np.clip((np.log(self.low + w * self.width) - start) / span, 0.0, 1.0)


def scale_of(part: Any) -> Scale | None:
    """The scale of a parameter; None where it is no number."""
    if isinstance(part, Float):
        if part.step is not None:
            return Scale(part, part.low, part.high, True, 1.0 / part._last, None, 0.0)
        grain = 1e-11 * part.high if part.log else 10.0**-part._decimals
        return Scale(part, part.low, part.high, not part.log, 0.0, None, grain / (part.high - part.low))
    if isinstance(part, Int):
        spacing = 1.0 / (part.high - part.low) if part.log else 1.0 / part._last
        return Scale(part, part.low, part.high, not part.log, spacing, None, 0.0)
    if isinstance(part, Ordinal) and all(map(is_number, part.levels)):
        levels = np.array(part.levels, dtype=np.float64)
        low, high = float(levels.min()), float(levels.max())
        return Scale(part, low, high, False, 0.0, (levels - low) / ((high - low) or 1.0), 0.0)
    return None


def kinds_of(parts: Mapping[str, Any]) -> dict[str, Kind]:
    """The kinds of the parameters of a product space, as constraints need them."""
    kinds = {}
    for name, part in parts.items():
        scale = scale_of(part)
        if scale is not None:
            kinds[name] = Kind(scale.low, scale.high, scale.real)
        else:
            values = part.values()
            number = len(values) == 1 and is_number(values[0])  # fixed
            kinds[name] = Kind(float(values[0]), float(values[0])) if number else Kind(levels=values)
    return kinds
