"""A file read as rows of factors: which columns count, as what, and how the rows are called."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.spaces.files.cells import as_factor, decimal_mark
from regretless.spaces.files.csvfile import Dialect
from regretless.spaces.files.reading import Reading
from regretless.spaces.files.sheet import Sheet, read_sheet
from regretless.spaces.scalars import Scalar, listed

__all__ = ["Factors", "factors_of", "read_factors"]

_EDBO_PREDICTIONS = ("_predicted_mean", "_predicted_variance", "_expected_improvement")


@dataclass(frozen=True, slots=True)
class Factors:
    """Rows of a file, by columns of factors.

    A row is called by its cell in the column ``id``, or by its line in the file. ``notes`` says what was left out of
    the file and why, in sentences for the user.
    """

    path: str
    factors: Mapping[str, list[Scalar]]
    lines: tuple[int, ...]
    ids: tuple[Scalar, ...]
    id: str | None
    dialect: Dialect
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lines)


def read_factors(path: str | Path, reading: Reading) -> Factors:
    """Every column that is not ignored is a factor, or names the rows."""
    return factors_of(read_sheet(path, reading), reading)


def factors_of(
    sheet: Sheet,
    reading: Reading,
    apart: Mapping[str, tuple[str, ...]] | None = None,
    optional: Collection[str] = (),
) -> Factors:
    """The factors of a sheet. Columns ``apart`` are none; numbers in them tell the decimal mark all the same.

    An empty cell of an ``optional`` factor is None: the factor does not exist in that row.
    """
    apart = {} if apart is None else apart
    named = [*apart, *([] if reading.id is None else [reading.id])]
    clash = [name for name in named if name in reading.ignore or name in reading.categorical or named.count(name) > 1]
    if clash:
        raise InvalidInput(f"column {clash[0]!r} is named in two roles. Each column has one.")
    if reading.id is not None:
        sheet.check_known((reading.id,), reading.option("id"))
    sheet.check_known(reading.ignore, reading.option("ignore"))
    sheet.check_known(reading.categorical, reading.option("categorical"))
    left_out, notes = _edbo_columns(sheet, {*named, *reading.ignore})
    used = [name for name in sheet.columns if name not in {*named, *reading.ignore, *left_out}]
    if not used:
        raise InvalidInput(f"{sheet.path}: no column of factors is left among {listed(list(sheet.columns))}.")
    if not len(sheet):
        raise InvalidInput(f"{sheet.path} has a header but no rows. Give at least one experiment.")
    numeric = {name: sheet.columns[name] for name in used if name not in reading.categorical}
    try:
        mark = decimal_mark({**numeric, **apart}, sheet.dialect.delimiter, reading.decimal, reading.advice)
        factors = {
            name: as_factor(
                sheet.columns[name],
                sheet.lines,
                name,
                decimal=mark,
                text=name in reading.categorical,
                optional=name in optional,
                advice=reading.advice,
            )
            for name in used
        }
        ids = _ids(sheet, reading)
    except InvalidInput as error:
        raise InvalidInput(f"{sheet.path}: {error}") from error
    dialect = replace(sheet.dialect, decimal=mark)
    return Factors(sheet.path, factors, sheet.lines, ids, reading.id, dialect, tuple(notes))


def _ids(sheet: Sheet, reading: Reading) -> tuple[Scalar, ...]:
    if reading.id is None:
        return sheet.lines
    cells = sheet.columns[reading.id]
    if "" in cells:
        line = sheet.lines[cells.index("")]
        raise InvalidInput(f"line {line} has no name in column {reading.id!r}. Fill it, or let another name the rows.")
    return cells


def _edbo_columns(sheet: Sheet, named: set[str]) -> tuple[set[str], list[str]]:
    """Columns that EDBO+ adds to a scope: its priority, its predictions, and other objectives."""
    waiting = {
        name
        for name, cells in sheet.columns.items()
        if name not in named and any(cell.casefold() == "pending" for cell in cells)
    }
    notes = [f"column {name!r} is left out: PENDING marks it as another objective." for name in sorted(waiting)]
    priority = sheet.columns.get("priority")
    if priority is None or "priority" in named or not {_as_int(cell) for cell in priority} <= {-1, 0, 1}:
        return waiting, notes
    predictions = {name for name in sheet.columns if name not in named and name.endswith(_EDBO_PREDICTIONS)}
    notes.append("column 'priority' is left out: -1, 0 and 1 are the order in which EDBO+ suggests rows.")
    notes += [f"column {name!r} is left out: a prediction by EDBO+." for name in sorted(predictions)]
    return waiting | predictions | {"priority"}, notes


def _as_int(cell: str) -> int | None:
    """Minus one, zero or one, also where pandas wrote 1.0."""
    return {"-1": -1, "0": 0, "1": 1, "-1.0": -1, "0.0": 0, "1.0": 1}.get(cell)
