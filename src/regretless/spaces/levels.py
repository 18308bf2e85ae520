"""Parameters with a list of values: ordered, unordered, or a single one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.conditions import Condition, as_condition, shown_parameter
from regretless.spaces.integers import moves_of, nearest_rank, nearest_ranks, ranks_of_uniforms
from regretless.spaces.scalars import (
    Scalar,
    as_level,
    as_number,
    check_reach,
    did_you_mean,
    is_number,
    listed,
    plain,
    show,
)

__all__ = ["Categorical", "Fixed", "Ordinal"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Ordinal:
    """One of a list of values with an order, at evenly spaced codes in [0, 1].

    Only the order counts, not how far numbers are apart. A single level behaves like :class:`Fixed`.

    Examples
    --------
    >>> size = Ordinal(["S", "M", "L"])
    >>> size.encode("M"), size.decode(0.9)
    (0.5, 'L')
    """

    levels: tuple[Scalar, ...]
    when: Condition | None
    _ranks: dict[Scalar, int] = field(init=False, repr=False, compare=False)

    def __init__(self, levels: Iterable[Scalar], when: Any = None) -> None:
        values = _as_levels(levels, "levels")
        object.__setattr__(self, "levels", values)
        object.__setattr__(self, "when", as_condition(when))
        object.__setattr__(self, "_ranks", {value: rank for rank, value in enumerate(values)})

    def __repr__(self) -> str:
        return shown_parameter(self, "levels")

    @property
    def size(self) -> int:
        """The number of levels."""
        return len(self.levels)

    @property
    def n_levels(self) -> int:
        """Zero: an ordered column."""
        return 0

    def check(self, value: Any, name: str = "value") -> Scalar:
        """The level equal to the value."""
        return self.levels[_rank_of(value, self._ranks, name)]

    def encode(self, value: Any, name: str = "value") -> float:
        """The code in [0, 1]."""
        return _rank_of(value, self._ranks, name) / max(self.size - 1, 1)

    def place(self, value: Any, name: str = "value") -> tuple[Scalar, float, bool]:
        """A measured value, its code, and whether it is one of the levels.

        A number between two levels has a code in proportion between theirs, one beyond the ends goes on like the last
        step, where the levels are numbers in order. Of other levels only their own values have a code.
        """
        value, numeric = plain(value), all(map(is_number, self.levels))
        steps = np.diff(np.array(self.levels, dtype=np.float64)) if numeric else np.empty(0)
        in_order = self.size > 1 and numeric and bool((steps > 0.0).all() or (steps < 0.0).all())
        if not in_order or not is_number(value) or value in self._ranks:
            return self.check(value, name), self.encode(value, name), True
        number, last = as_number(value, name), self.size - 1
        below = np.sign(steps[0]) * np.array(self.levels, dtype=np.float64) < np.sign(steps[0]) * number
        rank = min(max(int(below.sum()) - 1, 0), last - 1)  # the step it lies on, or the nearest
        code = (rank + (number - float(self.levels[rank])) / float(steps[rank])) / last  # type: ignore[arg-type]
        return value, check_reach(code, value, name, self.levels[0], self.levels[-1]), False

    def decode(self, code: float) -> Scalar:
        """The level nearest to a code."""
        return self.levels[nearest_rank(as_number(code, "code"), self.size - 1)]

    def snap(self, codes: Floats) -> Floats:
        """The admissible codes nearest to these."""
        return nearest_ranks(codes, self.size - 1) / max(self.size - 1, 1)

    def spread(self, uniforms: Floats) -> Floats:
        """Codes from draws ~ U(0, 1), all levels equally likely."""
        return ranks_of_uniforms(uniforms, self.size - 1) / max(self.size - 1, 1)

    def moves(self, code: float) -> Floats:
        """Codes of other levels to try: all where at most 32, else those 1, 2, 4, ... ranks away."""
        last = self.size - 1
        return np.array(moves_of(nearest_rank(code, last), last), dtype=np.float64) / max(last, 1)

    def values(self) -> tuple[Scalar, ...]:
        """All values in the order of their codes."""
        return self.levels


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Categorical:
    """One of a list of values without an order; the code is the index 0, 1, ... of the choice.

    The kernel compares codes of this kind for equality only. A single choice behaves like :class:`Fixed`.

    Examples
    --------
    >>> solvent = Categorical(["water", "ethanol", "toluene"])
    >>> solvent.encode("toluene"), solvent.decode(1.0)
    (2.0, 'ethanol')
    """

    choices: tuple[Scalar, ...]
    when: Condition | None
    _ranks: dict[Scalar, int] = field(init=False, repr=False, compare=False)

    def __init__(self, choices: Iterable[Scalar], when: Any = None) -> None:
        values = _as_levels(choices, "choices")
        object.__setattr__(self, "choices", values)
        object.__setattr__(self, "when", as_condition(when))
        object.__setattr__(self, "_ranks", {value: rank for rank, value in enumerate(values)})

    def __repr__(self) -> str:
        return shown_parameter(self, "choices")

    @property
    def size(self) -> int:
        """The number of choices."""
        return len(self.choices)

    @property
    def n_levels(self) -> int:
        """The number of choices."""
        return len(self.choices)

    def check(self, value: Any, name: str = "value") -> Scalar:
        """The choice equal to the value."""
        return self.choices[_rank_of(value, self._ranks, name)]

    def encode(self, value: Any, name: str = "value") -> float:
        """The index of the choice."""
        return float(_rank_of(value, self._ranks, name))

    def place(self, value: Any, name: str = "value") -> tuple[Scalar, float, bool]:
        """A choice and its index, and True: what is none of the choices has no code."""
        return self.check(value, name), self.encode(value, name), True

    def decode(self, code: float) -> Scalar:
        """The choice at the index nearest to a code."""
        return self.choices[round(min(max(as_number(code, "code"), 0.0), self.size - 1.0))]

    def snap(self, codes: Floats) -> Floats:
        """The indices nearest to these codes."""
        return np.rint(np.clip(codes, 0.0, self.size - 1.0))

    def spread(self, uniforms: Floats) -> Floats:
        """Indices from draws ~ U(0, 1), all choices equally likely."""
        return ranks_of_uniforms(uniforms, self.size - 1)

    def moves(self, code: float) -> Floats:
        """The indices of all other choices."""
        return np.delete(np.arange(float(self.size)), round(min(max(code, 0.0), self.size - 1.0)))

    def values(self) -> tuple[Scalar, ...]:
        """All values in the order of their codes."""
        return self.choices


@dataclass(frozen=True, slots=True)
class Fixed:
    """A parameter that does not vary: handed to the function, kept in the records, never searched.

    Examples
    --------
    >>> Fixed("adam").check("adam", "optimizer")
    'adam'
    """

    value: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_level(self.value, "a fixed value"))

    @property
    def size(self) -> int:
        """One."""
        return 1

    def check(self, value: Any, name: str = "value") -> Scalar:
        """The fixed value, if that is what was given."""
        if as_level(value, name) != self.value:
            raise InvalidInput(
                f"{name} is fixed at {self.value!r}, got {show(value)}. Leave it out or give that value."
            )
        return self.value

    def values(self) -> tuple[Scalar, ...]:
        """The one value."""
        return (self.value,)


def _as_levels(levels: Any, what: str) -> tuple[Scalar, ...]:
    """Checked distinct levels in the order given."""
    if isinstance(levels, str | set | frozenset | dict) or not isinstance(levels, Iterable):
        why = " A set has no order, so runs could not be repeated." if isinstance(levels, set | frozenset) else ""
        raise InvalidInput(f"{what} must be a list such as ['a', 'b'], got {show(levels)}.{why}")
    if isinstance(levels, np.ndarray) and levels.ndim != 1:
        raise InvalidInput(f"{what} must be one-dimensional, got an array of shape {levels.shape}.")
    values = tuple(as_level(level, f"entry {i} of {what}") for i, level in enumerate(levels))
    if not values:
        raise InvalidInput(f"{what} must not be empty. Give at least one value.")
    seen: dict[Scalar, Scalar] = {}
    for value in values:
        if value in seen:
            raise InvalidInput(
                f"{what} must be distinct, but {seen[value]!r} and {value!r} are equal. "
                f"Remove one, or write them as text."
            )
        seen[value] = value
    return values


def _rank_of(value: Any, ranks: dict[Scalar, int], name: str) -> int:
    value = plain(value)
    if isinstance(value, int | float | str | None) and value in ranks:
        return ranks[value]
    known = list(ranks)
    raise InvalidInput(f"{name} must be one of {listed(known)}, got {show(value)}.{did_you_mean(value, known)}")
