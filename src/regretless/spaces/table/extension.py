"""Extending a table in use: numbers, codes and names of existing rows stay as they are.

The scale of a column is that of the first table in which it varied. So a code, and a length scale fitted to codes,
means the same before and after; new rows may have codes outside [0, 1].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces.columns import Column, Levels, Numbers, as_column, distinct_rows
from regretless.spaces.constraints import rows_left
from regretless.spaces.domain import UNLISTED
from regretless.spaces.product import Mixed
from regretless.spaces.scalars import Scalar, did_you_mean, is_number, listed, show
from regretless.spaces.sources import as_names, check_known, raw_columns, read_file
from regretless.spaces.table.filetable import FileTable
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.rowids import RowIds, as_ids, other_spelling
from regretless.spaces.table.table import Table

__all__ = ["Raw", "Rows", "extended_table", "further_rows", "read_rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows to come behind those of a table, by column; ``ids`` where its rows have names of their own."""

    columns: Mapping[str, Sequence[Scalar]]
    ids: Sequence[Scalar] | None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, slots=True)
class Raw:
    """Rows as they were handed in: cells by column, names of rows, and whether those are lines of a file."""

    columns: Mapping[str, Any]
    ids: Sequence[Any] | None
    by_line: bool = False


def read_rows(space: Any, source: Any, *, id: str | None, ignore: str | Sequence[str]) -> Raw:
    """Read rows for a table: another table, the path of a file, or anything a table is made from."""
    if not isinstance(source, Table | str | Path):
        left_out, ids = as_names(ignore, "ignore"), () if id is None else as_names(id, "id")
        raw, _ = raw_columns(source)
        check_known(left_out, raw, "ignore")
        check_known(ids, raw, "id")
        cells = {name: column for name, column in raw.items() if name not in {*left_out, *ids}}
        return Raw(cells, raw[ids[0]] if ids else None)
    if not isinstance(source, Table):
        from regretless.spaces.files import Reading, read_sheet  # as in `table`

        levels = _levels(space) if isinstance(space, Table) else ()
        known = read_sheet(source, Reading()).columns
        texts = tuple(name for name in levels if name in known)
        source = Table.of_factors(read_file(source, id, as_names(ignore, "ignore"), texts))
    if isinstance(source, FileTable):
        raise InvalidInput(f"the rows of {source.path.name} are not read into memory. Give some of them: a DataFrame.")
    rows = source._rows
    kept = rows.candidate != UNLISTED  # the others were dropped by its own constraints
    names = None if rows.names is None else [name for name, keep in zip(rows.names, kept, strict=True) if keep]
    columns = source._frame.take(rows.candidate[kept]).by_name
    return Raw({name: column.items() for name, column in columns.items()}, names, rows.by_line)


def further_rows(space: Table | Mixed, raw: Raw) -> Rows:
    """Those of the raw rows that the table does not have yet, checked against its columns and its constraints.

    Of a table whose rows have names, a row is known by its name; a new name for the values of an old row is one more
    name of that candidate. Else rows are known by their values.
    """
    table = _as_extendable(space)
    columns = _columns(table, raw.columns)
    raw, columns = _feasible(table, raw, columns)
    first, candidate = distinct_rows(columns)
    rows = [dict(zip(table.names, row, strict=True)) for row in zip(*(c.items() for c in columns), strict=True)]
    known = _Known(table)
    if table._rows.names is None:
        if raw.ids is not None and not raw.by_line:
            raise InvalidInput("the rows of this table are called by their numbers; leave the names of new ones out.")
        new = [rows[i] for i in first.tolist() if known.index(rows[i]) is None]
        return Rows({name: [row[name] for row in new] for name in table.names}, None)
    ids = _lines(table, raw, rows, known) if raw.by_line else raw.ids
    if ids is None:
        raise InvalidInput("the rows of this table have names: say which column names the new ones (id=).")
    fresh: dict[Scalar, dict[str, Scalar]] = {}
    for row_id, row in zip(as_ids(list(ids), "id", candidate), rows, strict=True):
        if row_id not in fresh and not known.name(row_id, row):
            fresh[row_id] = row
    return Rows({name: [row[name] for row in fresh.values()] for name in table.names}, list(fresh))


def _feasible(table: Table, raw: Raw, columns: list[Column]) -> tuple[Raw, list[Column]]:
    """The rows that satisfy the table's constraints: others are dropped, as they were when it was made."""
    rows = rows_left(table.constraints, dict(zip(table.names, columns, strict=True)))
    if rows is None:
        return raw, columns
    ids = None if raw.ids is None else [raw.ids[row] for row in rows.tolist()]
    return Raw(raw.columns, ids, raw.by_line), [column.take(rows) for column in columns]


def extended_table(space: Table | Mixed, rows: Rows) -> Table:
    """The table with further rows behind its own.

    >>> table = Table([{"T": 20}, {"T": 40}])
    >>> longer = extended_table(table, Rows({"T": [40, 60]}, None))
    >>> longer.X.ravel().tolist(), longer.ids, longer.rows(1)
    ([0.0, 1.0, 2.0], (0, 1, 3), (1, 2))
    """
    table = _as_extendable(space)
    if not len(rows):
        return table
    joined = {
        name: _joined(column, as_column(list(rows.columns[name]), name, categorical=isinstance(column, Levels)), name)
        for name, column in table._frame.by_name.items()
    }
    first, candidate = distinct_rows(list(joined.values()))
    had, N = table._rows, table.n_candidates
    new_first = len(had.candidate) + first[N:] - N
    return Table._of(
        Frame.of(joined).take(first),
        RowIds(
            np.concatenate([had.first, new_first]),
            np.concatenate([had.candidate, candidate[N:]]),
            None if had.names is None else (*had.names, *(rows.ids or ())),
            had.by_line,
        ),
        repeats=table.repeats,
        unnamed=table.unnamed,
        constraints=table.constraints,
        memory=table.memory,
    )


class _Known:
    """The rows a table has, by value and by name."""

    def __init__(self, table: Table) -> None:
        self._table = table
        columns = (column.items() for column in table._frame.columns)
        self._candidates = {row: i for i, row in enumerate(zip(*columns, strict=True))}

    def index(self, row: Mapping[str, Scalar]) -> int | None:
        """The candidate that has these values."""
        return self._candidates.get(tuple(row.values()))

    def name(self, row_id: Scalar, row: Mapping[str, Scalar]) -> bool:
        """Whether there is this row under this name; a name that is taken by other values is refused."""
        table, candidates = self._table, self._table._rows.candidates
        found = [candidates[key] for key in (row_id, *other_spelling(row_id)) if key in candidates]
        if not found:
            return False
        had = table.params(found[0])
        odd = [name for name in table.names if had[name] != row[name]]
        if odd:
            raise InvalidInput(
                f"row {row_id!r} is in the table already, with {odd[0]} {show(had[odd[0]])} and not "
                f"{show(row[odd[0]])}. Rows of a study are never changed: give the new row another name."
            )
        return True


def _as_extendable(space: Table | Mixed) -> Table:
    if not isinstance(space, Table):
        raise InvalidInput(
            "only a table can be extended; this space is the product of its parameters. Make a new study with "
            "wider ones, and add to it what was measured."
        )
    if isinstance(space, FileTable):
        raise InvalidInput(
            "a table in a file is not extended: write a longer file, make a new study with it, and add to it what was "
            "measured."
        )
    return space


def _lines(table: Table, raw: Raw, rows: Sequence[Mapping[str, Scalar]], known: _Known) -> list[Scalar] | None:
    """Names for rows called by the line of their file, in a table whose rows are.

    Lines are kept where the file is that of the table with lines put behind. Else a line would name two rows: those of
    the table keep their names, and new ones are numbered on.
    """
    taken = table._rows.candidates
    if not all(isinstance(row_id, int) for row_id in taken):
        return None
    lines = list(raw.ids or ())
    if all(taken[line] == known.index(row) for line, row in zip(lines, rows, strict=True) if line in taken):
        return lines
    new = dict.fromkeys(tuple(row.values()) for row in rows if known.index(row) is None)
    number = {row: max(taken) + 1 + i for i, row in enumerate(new)}  # type: ignore[type-var, operator]
    indices = [known.index(row) for row in rows]
    return [number[tuple(row.values())] if i is None else table.ids[i] for i, row in zip(indices, rows, strict=True)]


def _levels(table: Table) -> tuple[str, ...]:
    return tuple(name for name, column in table._frame.by_name.items() if isinstance(column, Levels))


def _columns(table: Table, raw: Mapping[str, Any]) -> list[Column]:
    """Raw columns as those of the table are: the same names, each of the same kind, constants filled in."""
    unknown = [name for name in raw if name not in table.names]
    if unknown:
        raise InvalidInput(
            f"the table has no column {unknown[0]!r}; it has {listed(table.names)}."
            f"{did_you_mean(unknown[0], table.names)} Leave out what is not a factor (ignore=)."
        )
    n = len(next(iter(raw.values()), ()))
    columns = []
    for name, column in table._frame.by_name.items():
        if name not in raw and not column.constant:
            raise InvalidInput(f"the new rows have no column {name!r}. They need {listed(table.names)}.")
        cells = raw.get(name, [column.item(0)] * n)
        columns.append(as_column(cells, name, categorical=isinstance(column, Levels)))
        _joined(column, columns[-1], name)
    if not n:
        raise InvalidInput("there are no rows to extend the table by.")
    return columns


def _joined(column: Column, more: Column, name: str) -> Column:
    """A column with further rows, or an error where they are of another kind or too far away."""
    if isinstance(column, Numbers) and isinstance(more, Numbers):
        return column.extended(more, name)
    if isinstance(column, Levels) and isinstance(more, Levels):
        kinds = {_kind(level) for level in column.levels}
        odd = [level for level in more.levels if _kind(level) not in kinds]
        if not odd:
            return column.extended(more)
        raise InvalidInput(f"column {name!r} holds {' and '.join(sorted(kinds))}; a new row has {show(odd[0])}.")
    raise InvalidInput(f"column {name!r} holds numbers; the new rows have {show(more.item(0))}.")


def _kind(level: Scalar) -> str:
    return "numbers" if is_number(level) else type(level).__name__.replace("str", "text").replace("bool", "bools")
