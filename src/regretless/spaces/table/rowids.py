"""The rows of a table's source, each with its candidate and its id."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.columns import distinct_rows
from regretless.spaces.constraints import Constraint, rows_left
from regretless.spaces.domain import UNLISTED
from regretless.spaces.scalars import Scalar, as_level, did_you_mean, listed, show
from regretless.spaces.table.frame import Frame

__all__ = ["RowIds", "as_ids", "candidates_of", "other_spelling"]


@dataclass(frozen=True, eq=False)
class RowIds:
    """The candidate and the id of every row of the source.

    >>> rows = RowIds(first=np.array([0, 1]), candidate=np.array([0, 1, 0]), names=("A", "B", "C"))
    >>> rows.ids, rows.index_of("C"), rows.of(0)
    (('A', 'B'), 0, (0, 2))
    """

    first: npt.NDArray[np.intp]  # (n_candidates,) the row where each candidate first appears
    candidate: npt.NDArray[np.intp]  # (n_rows,) the candidate of each row; UNLISTED where constraints dropped it
    names: tuple[Scalar, ...] | None = None  # one per row; None for row numbers
    by_line: bool = False  # whether the names are lines of a file

    @cached_property
    def ids(self) -> tuple[Scalar, ...]:
        """One id per candidate, that of its first row."""
        first: list[int] = self.first.tolist()
        return tuple(first) if self.names is None else tuple(self.names[row] for row in first)

    @cached_property
    def candidates(self) -> dict[Scalar, int]:
        """Candidates by the ids of all their rows."""
        names = range(len(self.candidate)) if self.names is None else self.names
        pairs = zip(names, self.candidate.tolist(), strict=True)
        return {row_id: i for row_id, i in pairs if i != UNLISTED}

    def of(self, candidate: int) -> tuple[int, ...]:
        """All rows that are this candidate."""
        return tuple(np.flatnonzero(self.candidate == candidate).tolist())

    def index_of(self, row_id: Any) -> int:
        """The candidate of a row's id; text and whole numbers stand for each other ("12" and 12)."""
        row_id = as_level(row_id, "id")
        for key in (row_id, *other_spelling(row_id)):
            if key in self.candidates:
                return self.candidates[key]
        known = list(self.candidates)
        raise InvalidInput(f"no row has the id {show(row_id)}; there are {listed(known)}.{did_you_mean(row_id, known)}")

    def only(self, left: npt.NDArray[np.intp]) -> Self:
        """With some candidates left, under the ids they have."""
        n = len(self.first)
        number = np.full(n + 1, UNLISTED)  # the last is for rows that were dropped before
        number[left] = np.arange(len(left))
        return replace(
            self, first=self.first[left], candidate=number[np.where(self.candidate == UNLISTED, n, self.candidate)]
        )

    def numbered(self) -> Self:
        """The same rows called by their number from 0 where they are called by lines."""
        return replace(self, names=None) if self.by_line else self


def candidates_of(
    source: Frame, named: tuple[Any, str] | None, constraints: tuple[Constraint, ...]
) -> tuple[Frame, RowIds]:
    """The distinct rows of a source that satisfy the constraints, in order of first appearance.

    ``named`` are the ids of all its rows, and the column that they are from.
    """
    left = rows_left(constraints, source.by_name)
    kept = source if left is None else source.only(left)
    first, candidate = distinct_rows(kept.columns)
    frame = kept.take(first)
    if left is not None:
        first, some = left[first], candidate
        candidate = np.full(source.n_rows, UNLISTED)
        candidate[left] = some
    return frame, RowIds(first, candidate, None if named is None else as_ids(*named, candidate))


def as_ids(raw: Any, name: str, candidate: npt.NDArray[np.intp]) -> tuple[Scalar, ...]:
    """The ids of all source rows; two different candidates may not share one."""
    values = raw.tolist() if isinstance(raw, np.ndarray) else raw
    ids = tuple(as_level(value, f"row {row} of id column {name!r}") for row, value in enumerate(values))
    owner: dict[Scalar, int] = {}
    for row, (row_id, i) in enumerate(zip(ids, candidate.tolist(), strict=True)):
        if row_id is None:
            raise InvalidInput(f"row {row} has no id in column {name!r}. Fill it, or choose another id column.")
        if owner.setdefault(row_id, i) != i:
            raise InvalidInput(f"id {row_id!r} in column {name!r} names two different rows. Ids must be unique.")
    return ids


def other_spelling(row_id: Scalar) -> tuple[Scalar, ...]:
    """The same id as it looks after a trip through a text field, or before one.

    >>> other_spelling("12"), other_spelling(12), other_spelling("A7")
    ((12,), ('12',), ())
    """
    if isinstance(row_id, str):
        return (int(row_id),) if row_id.isdecimal() and len(row_id) < 19 else ()
    return (str(row_id),) if isinstance(row_id, int) else ()
