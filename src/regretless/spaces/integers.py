"""A whole-number parameter between two bounds, and the evenly spaced lattices that such parameters are on.

On a lattice, rank k of 0..n has the code k / n. The scalar and the array functions agree bit for bit, for every code.
Up to n = 2**50 both compute ``rint(code * n)`` in float64, whose error is below 1/8 for an admissible code; beyond,
both use exact integers.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_whole
from regretless.errors import InvalidInput
from regretless.spaces.conditions import When, as_condition, shown_parameter
from regretless.spaces.scalars import as_int, as_number, check_bounds, check_reach, show

__all__ = ["Int", "moves_of", "nearest_rank", "nearest_ranks", "ranks_of_uniforms"]

_FLOAT_EXACT = 2**50
_FEW = 32  # fewer ranks than this are all tried
_MAX = 2**53  # whole numbers up to here are exact as float64
_MAX_LOG = 2**40  # beyond, the logarithms of neighbours are too close to be told apart with certainty


@dataclass(frozen=True, slots=True, repr=False)
class Int:
    """A whole number in low..high, both included, encoded to [0, 1] and always decoded exactly.

    Parameters
    ----------
    low, high
        Whole numbers up to 2**53 in size and apart, low < high.
    log
        Encode the logarithm. Needs low > 0 and high <= 2**40.
    step
        Only low, low + step, ... up to high, which must be one of them. Not with ``log``.
    when
        The parameter exists only while others have these values, such as ``{"kernel": "rbf"}``.

    Examples
    --------
    >>> Int(1, 5).encode(2), Int(1, 5).decode(0.3)
    (0.25, 2)
    >>> Int(1, 1024, log=True).decode(0.5)
    32
    >>> Int(0, 100, step=25).values()
    (0, 25, 50, 75, 100)
    """

    low: int
    high: int
    log: bool = False
    step: int | None = None
    when: When = None
    _last: int = field(init=False, repr=False, compare=False)  # the rank of high
    _start: float = field(init=False, repr=False, compare=False)
    _span: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        low, high = as_int(self.low, "low"), as_int(self.high, "high")
        check_bounds(low, high, self.log)
        _check_size(low, high, self.log)
        start = math.log(low) if self.log else float(low)
        span = math.log(high) - start if self.log else float(high - low)
        step = None if self.step is None else _check_step(low, high, self.step, self.log)
        fields = {
            "low": low,
            "high": high,
            "step": step,
            "when": as_condition(self.when),
            "_last": (high - low) // (step or 1),
            "_start": start,
            "_span": span,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return shown_parameter(self, "low", "high", "log")

    @property
    def size(self) -> int:
        """The number of values."""
        return self._last + 1

    @property
    def n_levels(self) -> int:
        """Zero: an ordered column."""
        return 0

    def check(self, value: Any, name: str = "value") -> int:
        """The value as an ``int`` within the bounds."""
        number = as_whole(as_int(value, name), name, least=self.low, most=self.high)
        if not self._on_step(number):
            raise InvalidInput(f"{name} must be {self.low} plus a multiple of {self.step}, got {show(value)}.")
        return number

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
        return number, code, self.low <= number <= self.high and self._on_step(number)

    def decode(self, code: float) -> int:
        """The whole number nearest to a code (with ``log``, after the exponential)."""
        return self._nearest(as_number(code, "code"))

    def snap(self, codes: Floats) -> Floats:
        """The admissible codes nearest to these: ``encode(decode(code))``, bit for bit."""
        if self.log:  # libm and NumPy may differ in the last bit of a logarithm, so the scalar path is the only one
            return np.array([self._code(self._nearest(code)) for code in codes.tolist()], dtype=np.float64)
        return nearest_ranks(codes, self._last) / self._last

    def spread(self, uniforms: Floats) -> Floats:
        """Codes from draws ~ U(0, 1): all values equally likely, or with ``log`` as likely as v +- 1/2 is wide."""
        if not self.log:
            return ranks_of_uniforms(uniforms, self._last) / self._last
        below, above = self._code(self.low - 0.5), self._code(self.high + 0.5)
        return self.snap(below + (above - below) * uniforms)

    def moves(self, code: float) -> Floats:
        """Codes of other values to try: all where at most 32, else those 1, 2, 4, ... away."""
        step = self.step or 1
        ranks = moves_of((self._nearest(code) - self.low) // step, self._last)
        return np.array([self._code(self.low + rank * step) for rank in ranks], dtype=np.float64)

    def values(self) -> tuple[int, ...]:
        """All values in the order of their codes."""
        return tuple(range(self.low, self.high + 1, self.step or 1))

    def _code(self, value: float) -> float:
        if self.log:
            return (math.log(value) - self._start) / self._span
        return (value - self.low) / (self.high - self.low)  # of ints, hence correctly rounded

    def _nearest(self, code: float) -> int:
        if not self.log:
            return self.low + nearest_rank(code, self._last) * (self.step or 1)
        return round(math.exp(self._start + min(max(code, 0.0), 1.0) * self._span))

    def _on_step(self, number: int) -> bool:
        return self.step is None or (number - self.low) % self.step == 0


def _check_step(low: int, high: int, step: Any, log: bool) -> int:
    width = as_whole(as_int(step, "step"), "step", least=1)
    if log:
        raise InvalidInput("step and log do not go together: write the values as a list instead.")
    over = (high - low) % width
    if over:
        ends = f"{high - over} or {high - over + width}" if high - over > low else f"{high - over + width}"
        raise InvalidInput(f"steps of {width} from {low} do not reach {high}. Use high={ends}.")
    return width


def _check_size(low: int, high: int, log: bool) -> None:
    """Refuse bounds whose codes would not be exact."""
    if max(abs(low), abs(high), high - low) > _MAX:
        raise InvalidInput(
            f"whole numbers may be up to 2**53 in size and apart, got {show(low)} to {show(high)}. Use Float."
        )
    if log and high > _MAX_LOG:
        raise InvalidInput(f"log=True needs high <= 2**40, got {high}. Use Float(low, high, log=True).")


def nearest_rank(code: float, n: int) -> int:
    """The rank k in 0..n whose code k / n is nearest.

    >>> nearest_rank(1 / 3, 3), nearest_rank(-0.5, 3), nearest_rank((2**53 - 2) / (2**53 - 1), 2**53 - 1)
    (1, 0, 9007199254740990)
    """
    code = min(max(code, 0.0), 1.0)
    if n <= _FLOAT_EXACT:
        return round(code * n)
    numerator, denominator = code.as_integer_ratio()
    return (2 * numerator * n + denominator) // (2 * denominator)


def nearest_ranks(codes: Floats, n: int) -> Floats:
    """:func:`nearest_rank` over an array; ranks up to 2**53 are exact as floats."""
    if n <= _FLOAT_EXACT:
        return np.rint(np.clip(codes, 0.0, 1.0) * n)
    return np.array([nearest_rank(code, n) for code in codes.tolist()], dtype=np.float64)


def ranks_of_uniforms(uniforms: Floats, n: int) -> Floats:
    """Ranks 0..n, all equally likely for draws ~ U(0, 1): strata of the draws become strata of the ranks."""
    return np.minimum(np.floor(np.clip(uniforms, 0.0, 1.0) * (n + 1.0)), float(n))


def moves_of(rank: int, n: int) -> list[int]:
    """Other ranks to try: all where few, else those 1, 2, 4, ... steps away on both sides.

    >>> moves_of(1, 3)
    [0, 2, 3]
    >>> moves_of(100, 105)
    [36, 68, 84, 92, 96, 98, 99, 101, 102, 104]
    """
    if n <= _FEW:
        return [k for k in range(n + 1) if k != rank]
    steps = [2**j for j in range(n.bit_length())]
    return sorted(k for step in steps for k in (rank - step, rank + step) if 0 <= k <= n)
