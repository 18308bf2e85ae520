"""Limits that the objective cannot leave by its nature: a yield lies between 0 and 100 per cent."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_finite_float, show
from regretless.errors import InvalidInput

__all__ = ["Given", "Limits", "as_limits"]

#: As people give them: a lower and an upper limit, None where there is none.
Given = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Limits:
    """A lower and an upper limit in the user's units, infinite where there is none."""

    lower: float = -math.inf
    upper: float = math.inf

    @property
    def given(self) -> Given | None:
        """As plain JSON; None without any limit."""
        if self == Limits():
            return None
        return tuple(end if math.isfinite(end) else None for end in (self.lower, self.upper))  # type: ignore[return-value]

    def maximised(self, sign: float) -> tuple[float, float]:
        """Limits of the maximised quantity, which is minus a minimised objective."""
        return (self.lower, self.upper) if sign > 0.0 else (-self.upper, -self.lower)

    def reaching(self, values: Floats) -> "Limits":
        """Limits widened to the measured values, which noise may have carried outside."""
        if not len(values):
            return self
        return Limits(min(self.lower, float(values.min())), max(self.upper, float(values.max())))

    def clip(self, values: Floats) -> Floats:
        """Values clipped to the limits."""
        return np.clip(values, self.lower, self.upper)

    def outside(self, value: float) -> bool:
        """Whether a value lies beyond a limit."""
        return not self.lower <= value <= self.upper

    def __str__(self) -> str:
        if self.upper == math.inf:
            return f"at least {self.lower:g}"
        return f"at most {self.upper:g}" if self.lower == -math.inf else f"{self.lower:g} to {self.upper:g}"


def as_limits(limits: Any) -> Limits:
    """Limits from a pair; None, and an infinity on its own side, is no limit.

    >>> as_limits((0, 100)), as_limits((None, 1.0))
    (Limits(lower=0.0, upper=100.0), Limits(lower=-inf, upper=1.0))
    """
    if limits is None or isinstance(limits, Limits):
        return limits or Limits()
    if isinstance(limits, str) or not hasattr(limits, "__len__") or len(limits) != 2:
        raise InvalidInput(f"limits must be a pair such as (0, 100) or (0, None), got {show(limits)}.")
    lower, upper = (_end(end, none) for end, none in zip(limits, (-math.inf, math.inf), strict=True))
    if not lower < upper:
        raise InvalidInput(f"limits must be a lower and a larger upper one, got {show(limits)}.")
    return Limits(lower, upper)


def _end(end: Any, none: float) -> float:
    if end is None or (isinstance(end, float | np.floating) and end == none):
        return none
    return as_finite_float(end, "each of the limits") + 0.0
