"""Columns of a table: numbers, which have an order and a scale, or levels, which are only equal or different."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.scalars import Scalar, as_level, as_number, check_reach, did_you_mean, listed, plain, show

__all__ = ["Column", "Levels", "Numbers", "as_column", "distinct_rows"]

Rows: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of finite numbers, as int64 or float64.

    ``ends`` are the values whose codes are 0 and 1; None for the smallest and the largest.
    """

    values: npt.NDArray[Any]
    ends: tuple[float, float] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    @property
    def n_levels(self) -> int:
        """Zero: an ordered column."""
        return 0

    @property
    def constant(self) -> bool:
        """Whether all rows are equal."""
        return bool(self.values.min() == self.values.max())

    def item(self, row: int) -> Scalar:
        """The user's value, as a Python number."""
        value: Scalar = self.values[row].item()
        return value

    def take(self, rows: Rows) -> Self:
        """The column of some rows only."""
        return type(self)(self.values[rows], self.ends)

    def only(self, rows: Rows) -> Self:
        """The column of some rows alone."""
        return self.take(rows)

    def items(self) -> list[Scalar]:
        """All rows' values."""
        values: list[Scalar] = self.values.tolist()
        return values

    def keys(self) -> Rows:
        """Whole numbers from 0 that are equal where the values are."""
        _, keys = np.unique(self.values, return_inverse=True)
        return keys

    @property
    def scale(self) -> tuple[float, float]:
        """The values whose codes are 0 and 1."""
        return (float(self.values.min()), float(self.values.max())) if self.ends is None else self.ends

    def codes(self) -> Floats:
        """The values on the scale, whose ends are 0 and 1."""
        return self.scaled(self.values.astype(np.float64))

    def place(self, value: Any, name: str) -> tuple[Scalar, float]:
        """A measured value, which need not occur in any row, and its code."""
        number = as_number(value, name)
        if self.constant and number != self.values[0]:
            raise _no_scale(self.item(0), value, name)
        if self.constant:
            return self.item(0), 0.0
        code = check_reach(float(self.scaled(np.array([number]))[0]), value, name, *self.scale)
        whole = self.values.dtype.kind == "i" and number.is_integer()
        return int(value) if whole else number, code

    def extended(self, more: "Numbers", name: str) -> "Numbers":
        """The column with further rows on the same scale; a constant column takes its scale from all rows."""
        parts = (self.values, more.values)
        if parts[0].dtype != parts[1].dtype and any(np.abs(part).max() > 2**53 for part in parts if part.dtype == int):
            raise InvalidInput(f"column {name!r} holds whole numbers too large to stand beside fractions exactly.")
        if self.constant:
            return _numbers(np.concatenate(parts), name)
        for value, code in zip(more.items(), self.scaled(more.values.astype(np.float64)).tolist(), strict=True):
            check_reach(code, value, f"column {name!r}", *self.scale)
        return Numbers(_numbers(np.concatenate(parts), name).values, self.scale)

    def scaled(self, values: Floats) -> Floats:
        """The codes of values."""
        low, high = self.scale
        if not math.isfinite(high - low):
            values, low, high = values / 2, low / 2, high / 2  # the width of -1e308..1e308 is no float, its half is
        scaled: Floats = (values - low) / (high - low)
        return scaled

    def where(self, value: Any, name: str, rows: Rows) -> Rows:
        """Those of the rows that hold exactly this value."""
        number = as_number(value, name)
        wanted = value if isinstance(value, int) else number  # a large int stays exact
        found: Rows = rows[self.values[rows] == wanted]
        return found

    def distances(self, value: Any) -> Floats:
        """How far each row is from a value, in widths of the column."""
        with np.errstate(over="ignore"):
            gaps = np.abs(self.values.astype(np.float64) - float(value))
            width = float(self.values.max()) - float(self.values.min())
            return np.minimum(gaps / width if width > 0 else (gaps > 0).astype(np.float64), 1e100)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A column of text, booleans or categories: row i holds ``levels[index[i]]``."""

    levels: tuple[Scalar, ...]
    index: Rows
    _ranks: dict[Scalar, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ranks", {level: rank for rank, level in enumerate(self.levels)})

    @classmethod
    def of(cls, values: list[Any]) -> Self:
        """The levels in order of first appearance.

        >>> Levels.of(["b", "a", "b"]).levels
        ('b', 'a')
        """
        ranks: dict[Any, int] = {}
        index = np.array([ranks.setdefault(value, len(ranks)) for value in values], dtype=np.intp)
        return cls(tuple(ranks), index)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.index)

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.levels)

    @property
    def constant(self) -> bool:
        """Whether all rows are equal."""
        return len(self.levels) == 1

    def item(self, row: int) -> Scalar:
        """The user's value."""
        return self.levels[int(self.index[row])]

    def take(self, rows: Rows) -> Self:
        """The column of some rows only."""
        return type(self)(self.levels, self.index[rows])

    def only(self, rows: Rows) -> Self:
        """The column restricted to some rows, without levels that none of them has."""
        return self.of([self.levels[rank] for rank in self.index[rows].tolist()])

    def items(self) -> list[Scalar]:
        """All rows' values."""
        return [self.levels[rank] for rank in self.index.tolist()]

    def keys(self) -> Rows:
        """Whole numbers from 0 that are equal where the values are."""
        return self.index

    def codes(self) -> Floats:
        """The index of each row's level."""
        return np.asarray(self.index, dtype=np.float64)

    def where(self, value: Any, name: str, rows: Rows) -> Rows:
        """Those of the rows that hold exactly this value."""
        rank = self._ranks.get(as_level(value, name), -1)
        found: Rows = rows[self.index[rows] == rank]
        return found

    def place(self, value: Any, name: str) -> tuple[Scalar, float]:
        """A level and its code; a level that no row has is refused, since it may be a spelling mistake."""
        rank = self._ranks.get(as_level(value, name))
        if rank is None and self.constant:
            raise _no_scale(self.levels[0], value, name)
        if rank is None:
            known = list(self.levels)
            raise InvalidInput(
                f"{name} is {show(value)}, which no row of the table has; there are {listed(known)}."
                f"{did_you_mean(value, known)} To bring a new level in, extend the table with rows that have it."
            )
        return self.levels[rank], float(rank)

    def extended(self, more: "Levels") -> "Levels":
        """The column with further rows; new levels follow the existing ones."""
        ranks = dict(self._ranks)
        index = np.array([ranks.setdefault(value, len(ranks)) for value in more.items()], dtype=np.intp)
        return Levels(tuple(ranks), np.concatenate([self.index, index]))

    def distances(self, value: Any) -> Floats:
        """0 where a row holds the value, else 1."""
        return np.not_equal(self.index, self._ranks.get(value, -1)).astype(np.float64)


Column: TypeAlias = Numbers | Levels


def distinct_rows(columns: Sequence[Column]) -> tuple[Rows, Rows]:
    """The first row of each group of equal rows, in order, and the group of every row.

    Keys are joined one at a time and renumbered, so that they stay below n**2; most tables are told apart by the first.

    >>> distinct_rows([Levels.of(["b", "a", "b"])])
    (array([0, 1]), array([0, 1, 0]))
    """
    group = first = np.empty(0, dtype=np.intp)
    for j, column in enumerate(columns):
        key = column.keys()
        joined = key if j == 0 else group * (int(key.max()) + 1) + key
        _, first, group = np.unique(joined, return_index=True, return_inverse=True)
        if len(first) == len(key):
            break
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[group]


def as_column(raw: Any, name: str, *, categorical: bool = False) -> Column:
    """Read a raw column: as numbers, or as levels if it holds text or bools or is declared categorical.

    >>> as_column([1, 2.5], "dose").values
    array([1. , 2.5])
    >>> as_column([3, 3, 1], "batch", categorical=True).levels
    (3, 1)
    """
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "iuf" and not categorical:
        return _numbers(raw, name)
    values = [plain(value) for value in raw.tolist()] if isinstance(raw, np.ndarray) else [plain(v) for v in raw]
    kinds = _kinds(values, name)
    if kinds >= {"bool", "number"}:
        raise InvalidInput(
            f"column {name!r} mixes numbers and bools. Use one kind: 1 and True could not be told apart."
        )
    if categorical or (len(kinds) == 1 and "number" not in kinds):
        return Levels.of(values)
    if kinds == {"number"}:
        return _numbers(_as_exact_array(values, name), name)
    raise InvalidInput(f"column {name!r} mixes {' and '.join(sorted(kinds))}. Name it in categorical=, or clean it.")


def _no_scale(constant: Scalar, value: Any, name: str) -> InvalidInput:
    return InvalidInput(
        f"{name} is {show(constant)} in every row of the table, so the model has no scale for it; got {show(value)}. "
        "Extend the table with rows that have other values first, or leave it out."
    )


def _kinds(values: list[Any], name: str) -> set[str]:
    """The kinds of scalars in a column; a missing or other cell is refused, naming row and column."""
    known = {bool: "bool", int: "number", float: "number", str: "text"}
    types = set(map(type, values))
    if types - set(known):
        row = next(i for i, value in enumerate(values) if type(value) not in known)
        raise InvalidInput(
            f"row {row}, column {name!r} is {show(values[row])} of type {type(values[row]).__name__}; cells must be "
            f"numbers, text or bools. Fill or drop missing cells, write others as text."
        )
    if float in types:
        for row, value in enumerate(values):
            if isinstance(value, float) and not math.isfinite(value):
                raise InvalidInput(
                    f"row {row}, column {name!r} is {value}; it must be finite. Fill it or drop the row."
                )
    return {known[kind] for kind in types}


def _as_exact_array(values: list[Any], name: str) -> npt.NDArray[Any]:
    """The numbers as int64 if all are ints, else as float64, never losing a digit."""
    ints = [value for value in values if isinstance(value, int)]
    if len(ints) == len(values) and all(-(2**63) <= value < 2**63 for value in ints):
        return np.array(values, dtype=np.int64)
    if any(abs(value) > 2**53 for value in ints):
        raise InvalidInput(
            f"column {name!r} holds whole numbers too large to be exact. Name it in categorical= or ignore=."
        )
    return np.array(values, dtype=np.float64)


def _numbers(array: npt.NDArray[Any], name: str) -> Numbers:
    if array.dtype.kind == "f":
        values = array.astype(np.float64) + 0.0  # -0.0 and 0.0 are one value
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InvalidInput(
                f"row {row}, column {name!r} is {values[row]}; it must be finite. Fill it or drop the row."
            )
        return Numbers(values)
    low, high = int(array.min()), int(array.max())
    if high >= 2**63 or (low != high and float(low) == float(high)):
        raise InvalidInput(
            f"column {name!r} holds whole numbers too large to be told apart as floats. "
            f"Name it in categorical= or ignore=."
        )
    return Numbers(array.astype(np.int64))
