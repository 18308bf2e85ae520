"""A whole-number parameter between two bounds."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_whole
from regretless.errors import InvalidInput
from regretless.spaces.ranks import moves_of, nearest_rank, nearest_ranks, ranks_of_uniforms
from regretless.spaces.scalars import as_int, as_number, check_bounds, check_reach, show

__all__ = ["Int"]

_MAX = 2**53  # whole numbers up to here are exact as float64
_MAX_LOG = 2**40  # beyond, the logarithms of neighbours are too close to be told apart with certainty


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number in low..high, both included, encoded to [0, 1] and always decoded exactly.

    Parameters
    ----------
    low, high
        Whole numbers up to 2**53 in size and apart, low < high.
    log
        Encode the logarithm. Needs low > 0 and high <= 2**40.

    Examples
    --------
    >>> Int(1, 5).encode(2), Int(1, 5).decode(0.3)
    (0.25, 2)
    >>> Int(1, 1024, log=True).decode(0.5)
    32
    """

    low: int
    high: int
    log: bool = False
    _start: float = field(init=False, repr=False, compare=False)
    _span: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        low, high = as_int(self.low, "low"), as_int(self.high, "high")
        check_bounds(low, high, self.log)
        _check_size(low, high, self.log)
        start = math.log(low) if self.log else float(low)
        span = math.log(high) - start if self.log else float(high - low)
        for name, value in {"low": low, "high": high, "_start": start, "_span": span}.items():
            object.__setattr__(self, name, value)

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.high - self.low + 1

    @property
    def n_levels(self) -> int:
        """Zero: an ordered column."""
        return 0

    def check(self, value: Any, name: str = "value") -> int:
        """The value as an ``int`` within the bounds."""
        return as_whole(as_int(value, name), name, least=self.low, most=self.high)

    def encode(self, value: Any, name: str = "value") -> float:
        """The code in [0, 1]."""
        return self._code(self.check(value, name))

    def place(self, value: Any, name: str = "value") -> tuple[int, float, bool]:
        """A measured value, its code (outside [0, 1] where it is beyond the bounds), and whether it is within them."""
        as_number(value, name)  # one that is no float is refused like an infinity
        number = as_int(value, name)
        if self.log and number <= 0:
            raise InvalidInput(f"{name} is on a log scale and must be above 0, got {show(value)}.")
        code = check_reach(self._code(number), value, name, self.low, self.high)
        return number, code, self.low <= number <= self.high

    def decode(self, code: float) -> int:
        """The whole number nearest to a code (with ``log``, after the exponential)."""
        return self._nearest(as_number(code, "code"))

    def snap(self, codes: Floats) -> Floats:
        """The admissible codes nearest to these: ``encode(decode(code))``, bit for bit."""
        if self.log:  # libm and NumPy may differ in the last bit of a logarithm, so the scalar path is the only one
            return np.array([self._code(self._nearest(code)) for code in codes.tolist()], dtype=np.float64)
        return nearest_ranks(codes, self.high - self.low) / self._span

    def spread(self, uniforms: Floats) -> Floats:
        """Codes from draws ~ U(0, 1): all values equally likely, or with ``log`` as likely as v +- 1/2 is wide."""
        if not self.log:
            return ranks_of_uniforms(uniforms, self.high - self.low) / self._span
        below, above = self._code(self.low - 0.5), self._code(self.high + 0.5)
        return self.snap(below + (above - below) * uniforms)

    def moves(self, code: float) -> Floats:
        """Codes of other values to try: all where at most 32, else those 1, 2, 4, ... away."""
        ranks = moves_of(self._nearest(code) - self.low, self.high - self.low)
        return np.array([self._code(self.low + rank) for rank in ranks], dtype=np.float64)

    def values(self) -> tuple[int, ...]:
        """All values in the order of their codes."""
        return tuple(range(self.low, self.high + 1))

    def _code(self, value: float) -> float:
        if self.log:
            return (math.log(value) - self._start) / self._span
        return (value - self.low) / (self.high - self.low)  # of ints, hence correctly rounded

    def _nearest(self, code: float) -> int:
        if not self.log:
            return self.low + nearest_rank(code, self.high - self.low)
        return round(math.exp(self._start + min(max(code, 0.0), 1.0) * self._span))


def _check_size(low: int, high: int, log: bool) -> None:
    """Refuse bounds whose codes would not be exact."""
    if max(abs(low), abs(high), high - low) > _MAX:
        raise InvalidInput(
            f"whole numbers may be up to 2**53 in size and apart, got {show(low)} to {show(high)}. Use Float."
        )
    if log and high > _MAX_LOG:
        raise InvalidInput(f"log=True needs high <= 2**40, got {high}. Use Float(low, high, log=True).")
