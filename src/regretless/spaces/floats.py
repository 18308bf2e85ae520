"""A real parameter between two bounds, or numbers between them at even steps."""

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.conditions import When, as_condition, shown_parameter
from regretless.spaces.integers import moves_of, nearest_rank, nearest_ranks, ranks_of_uniforms
from regretless.spaces.scalars import as_number, check_bounds, check_reach, show

__all__ = ["Float"]

_GRID = 10  # linear: at least 10**10 steps between the bounds
_LOG_DIGITS = 12  # log: significant digits. Rounding in the codec stays below 4.3e-13 even on 1e-300..1e300
_MIN_DOUBLES = 1000  # fewer doubles between the bounds than this do not make a continuous parameter
_MAX_STEPS = 10**9
_ON_STEP = 1e-9  # a number this close to a step, in steps, is at it
_MIN_LOG_SPAN = 1e-8  # below, 12 digits leave fewer than 1000 values


@dataclass(frozen=True, slots=True, repr=False)
class Float:
    r"""A real number in [low, high], encoded to [0, 1].

    .. math:: u = \frac{v - low}{high - low}, \qquad\text{or with}\quad log: \quad
              u = \frac{\log v - \log low}{\log high - \log low}

    There are more doubles in [low, high] than in [0, 1], so no such code can tell all of them apart. ``decode``
    therefore rounds to a decimal grid: multiples of the largest power of ten not above ``1e-10 * (high - low)`` (nor
    below a few ulps of the bounds), or 12 significant digits with ``log``. A value on the grid, which is any decimal
    a person types, comes back exactly; any other comes back within one step; the bounds come back exactly.

    Parameters
    ----------
    low, high
        Finite bounds, both included, low < high.
    log
        Encode the logarithm, for a parameter whose order of magnitude is searched. Needs low > 0.
    step
        Only low, low + step, ... up to high, which must be one of them: finitely many numbers, exact decimals. Not with
        ``log``.
    when
        The parameter exists only while others have these values, such as ``{"kernel": "rbf"}``.

    Examples
    --------
    >>> rate = Float(1e-5, 1e-1, log=True)
    >>> rate.encode(0.001)
    0.5
    >>> rate.decode(0.5)
    0.001
    >>> Float(0, 3).decode(1 / 3)
    1.0
    >>> Float(0, 0.3, step=0.1).values()
    (0.0, 0.1, 0.2, 0.3)
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    when: When = None
    _last: int = field(init=False, repr=False, compare=False)  # the rank of high, where there is a step
    _start: float = field(init=False, repr=False, compare=False)
    _span: float = field(init=False, repr=False, compare=False)
    _decimals: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        low, high = as_number(self.low, "low"), as_number(self.high, "high")
        check_bounds(low, high, self.log)
        _check_width(low, high, self.log)
        step = None if self.step is None else as_number(self.step, "step")
        start, end = (math.log(low), math.log(high)) if self.log else (low, high)
        derived = {
            "low": low,
            "high": high,
            "step": step,
            "when": as_condition(self.when),
            "_last": 0 if step is None else _steps(low, high, step, self.log),
            "_start": start,
            "_span": end - start,
            "_decimals": 0 if self.log else _decimals(low, high),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return shown_parameter(self, "low", "high", "log")

    @property
    def size(self) -> int | None:
        """The number of values; None without a step."""
        return None if self.step is None else self._last + 1

    @property
    def n_levels(self) -> int:
        """Zero: an ordered column."""
        return 0

    def check(self, value: Any, name: str = "value") -> float:
        """The value as a float within the bounds."""
        number = as_number(value, name)
        if not self.low <= number <= self.high:
            raise InvalidInput(f"{name} must lie in [{self.low!r}, {self.high!r}], got {show(value)}.")
        if self.step is None:
            return number
        if not self._on_step(number):
            raise InvalidInput(f"{name} must be {self.low!r} plus a multiple of {self.step!r}, got {show(value)}.")
        return self._at(nearest_rank(self._code(number), self._last))

    def encode(self, value: Any, name: str = "value") -> float:
        """The code in [0, 1]."""
        number = self.check(value, name)
        code = self._code(number)
        if self.step is not None:
            return nearest_rank(code, self._last) / self._last
        # Only the bounds themselves may have the codes 0 and 1, which decode to the bounds.
        if code <= 0.0 and number > self.low:
            return math.ulp(0.0)
        if code >= 1.0 and number < self.high:
            return math.nextafter(1.0, 0.0)
        return code

    def place(self, value: Any, name: str = "value") -> tuple[float, float, bool]:
        """A measured value, its code (outside [0, 1] where it is beyond the bounds), and whether it is within them."""
        number = as_number(value, name)
        if self.low <= number <= self.high:
            if self._on_step(number):
                return self.check(number), self.encode(number), True
            return number, self._code(number), False
        if self.log and number <= 0.0:
            raise InvalidInput(f"{name} is on a log scale and must be above 0, got {show(value)}.")
        return number, check_reach(self._code(number), value, name, self.low, self.high), False

    def decode(self, code: float) -> float:
        """The value on the decimal grid, or at a step, nearest to a code; codes outside [0, 1] give the bounds."""
        code = as_number(code, "code")
        if self.step is not None:
            return self._at(nearest_rank(code, self._last))
        if code <= 0.0:
            return self.low
        if code >= 1.0:
            return self.high
        point = self._start + code * self._span
        neat = float(f"{math.exp(point):.{_LOG_DIGITS - 1}e}") if self.log else _round(point, self._decimals)
        return min(max(neat, self.low), self.high) + 0.0

    def snap(self, codes: Floats) -> Floats:
        """Codes clipped to [0, 1], or those of the nearest steps."""
        if self.step is not None:
            return nearest_ranks(codes, self._last) / self._last
        return np.clip(codes, 0.0, 1.0)

    def spread(self, uniforms: Floats) -> Floats:
        """Codes from draws ~ U(0, 1)."""
        if self.step is not None:
            return ranks_of_uniforms(uniforms, self._last) / self._last
        return self.snap(uniforms)

    def moves(self, code: float) -> Floats:
        """Codes of other steps to try: all where at most 32, else those 1, 2, 4, ... away; none without a step."""
        if self.step is None:
            return np.empty(0)
        return np.array(moves_of(nearest_rank(code, self._last), self._last), dtype=np.float64) / self._last

    def values(self) -> tuple[float, ...]:
        """All values in the order of their codes, where there is a step."""
        if self.step is None:
            raise InvalidInput("a real parameter without a step has no list of values.")
        return tuple(self._at(rank) for rank in range(self._last + 1))

    def _at(self, rank: int) -> float:
        """The number at a step, computed with the typed decimals, not with doubles."""
        return float(Decimal(repr(self.low)) + rank * Decimal(repr(self.step))) + 0.0

    def _on_step(self, number: float) -> bool:
        if self.step is None:
            return True
        ranks = (number - self.low) / self.step
        return abs(ranks - round(ranks)) <= _ON_STEP * max(1.0, abs(self.low) / self.step)

    def _code(self, number: float) -> float:
        return ((math.log(number) if self.log else number) - self._start) / self._span


def _steps(low: float, high: float, step: float, log: bool) -> int:
    """The number of steps from low to high; refused if it is not a whole number."""
    if log:
        raise InvalidInput("step and log do not go together: write the values as a list instead.")
    if step <= 0.0:
        raise InvalidInput(f"step must be > 0, got {step!r}.")
    first, last, width = Decimal(repr(low)), Decimal(repr(high)), Decimal(repr(step))
    count = (last - first) / width
    if not 1 <= count <= _MAX_STEPS:
        raise InvalidInput(f"from {low!r} to {high!r} there must be 1 to {_MAX_STEPS} steps, got steps of {step!r}.")
    if count != count.to_integral_value():
        below = first + int(count) * width
        raise InvalidInput(
            f"steps of {step!r} from {low!r} do not reach {high!r}. Use high={float(below)!r} or "
            f"{float(below + width)!r}."
        )
    return int(count)


def _check_width(low: float, high: float, log: bool) -> None:
    """Refuse bounds the codec cannot resolve; everything after relies on it."""
    if log and math.log(high) - math.log(low) < _MIN_LOG_SPAN:
        raise InvalidInput(f"[{low!r}, {high!r}] is too narrow for log=True. Leave log out: it changes nothing here.")
    if not math.isfinite(high - low):
        raise InvalidInput(f"high - low overflows for [{low!r}, {high!r}]. Use narrower bounds or another unit.")
    if high - low < _MIN_DOUBLES * _ulp(low, high):
        raise InvalidInput(
            f"[{low!r}, {high!r}] holds fewer than {_MIN_DOUBLES} floating-point numbers. "
            f"Use wider bounds, or search the difference to low instead."
        )


def _ulp(low: float, high: float) -> float:
    return math.ulp(max(abs(low), abs(high)))


def _decimals(low: float, high: float) -> int:
    """Digits after the point of the decimal grid; negative for steps of ten and more."""
    by_width = Decimal(high - low).adjusted() - _GRID
    by_ulp = Decimal(4 * _ulp(low, high)).adjusted() + 1  # a step of 4 ulps or more survives the codec's rounding
    return -max(by_width, by_ulp)


def _round(value: float, decimals: int) -> float:
    try:
        return round(value, decimals)
    except OverflowError:  # the next step of the grid is past the largest double, hence past the bound
        return math.copysign(math.inf, value)
