"""A sheet read as experiments: rows of factors, and what was measured."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.sheets.measurement import Value, as_error, as_measured, error_columns, plain_cells, stray_errors
from regretless.spaces import Repeats, Table
from regretless.spaces.files import Factors, Reading, Sheet, read_sheet
from regretless.spaces.files.factors import factors_of
from regretless.spaces.scalars import did_you_mean

__all__ = ["Experiments", "read_experiments"]


@dataclass(frozen=True, slots=True)
class Experiments(Factors):
    """Rows of a file, each an experiment that was done or could be; ``results`` has a column per outcome.

    ``results["yield"][i]`` is a number, a `Measurement` where more is known of it, "failed", or None where nothing was
    measured yet. ``errors`` has the columns of known standard deviations, by outcome.
    """

    results: Mapping[str, tuple[Value, ...]]
    errors: Mapping[str, str]

    @property
    def values(self) -> tuple[Value, ...]:
        """The results of the first outcome; None everywhere where none was named."""
        return next(iter(self.results.values()), (None,) * len(self))

    def measured(self, i: int) -> dict[str, Value]:
        """What is known of row ``i``, by outcome; nothing of a row that was not measured."""
        return {name: column[i] for name, column in self.results.items() if column[i] is not None}

    @property
    def row_name(self) -> str:
        """What the names of rows are called: the id's column, or the line of the file."""
        return self.id if self.id is not None else "line" if "line" not in self.factors else "line of the file"

    def table(self, repeats: Repeats | None = None) -> Table:
        """The candidates: every row, measured or not."""
        return Table.of_factors(self, repeats=repeats)


def read_experiments(
    path: str | Path,
    reading: Reading | None = None,
    *,
    outcomes: str | Sequence[str] = (),
    must_have: bool = True,
    optional: Collection[str] = (),
) -> Experiments:
    """Read a file as a lab keeps it: columns of factors, and of results that are filled as far as they are known.

    ``outcomes`` are the columns of results. With ``must_have`` each must be there; else one that is not is empty,
    unless a column has nearly its name. A column ``yield sd`` beside ``yield`` holds known standard deviations. Cells
    of ``optional`` factors may be empty.
    """
    reading = Reading() if reading is None else reading
    names = (outcomes,) if isinstance(outcomes, str) else tuple(outcomes)
    sheet = read_sheet(path, reading)
    try:
        errors = _errors(sheet, names, reading)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    cells = {name: _column(sheet, name, names, reading, must_have) for name in names}
    apart = {name: plain_cells(column) for name, column in cells.items()}
    apart |= {name: sheet.columns[name] for name in errors.values()}
    found = factors_of(sheet, reading, apart, optional)
    try:
        results = {
            name: _results(sheet, name, column, errors.get(name), found.dialect.decimal, reading)
            for name, column in cells.items()
        }
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    parts = {part.name: getattr(found, part.name) for part in fields(found)}
    return Experiments(**parts, results=results, errors=errors)


def _results(
    sheet: Sheet, name: str, cells: tuple[str, ...], error: str | None, decimal: str, reading: Reading
) -> tuple[Value, ...]:
    """The cells of an outcome as results, with what its column of errors says."""
    known = ("",) * len(sheet) if error is None else sheet.columns[error]
    return tuple(
        as_measured(
            cell,
            line,
            name,
            decimal=decimal,
            advice=reading.advice,
            sd=as_error(sd, line, error or "", decimal=decimal),
        )
        for cell, sd, line in zip(cells, known, sheet.lines, strict=True)
    )


def _errors(sheet: Sheet, outcomes: tuple[str, ...], reading: Reading) -> dict[str, str]:
    """The columns of known standard deviations; an error where another column looks like one."""
    taken = {*reading.ignore, *reading.categorical, *([] if reading.id is None else [reading.id])}
    errors = error_columns(sheet.columns, outcomes, taken)
    stray = stray_errors([name for name in sheet.columns if name not in {*taken, *errors.values()}], outcomes)
    for column, outcome in stray.items():
        raise InvalidInput(
            f"column {column!r} looks like an error of {outcome!r}. Call it '{outcome} sd' if it holds the standard "
            f"deviation of the number beside it, or use {reading.advice('ignore', column)} to leave it out."
        )
    return errors


def _column(sheet: Sheet, name: str, outcomes: tuple[str, ...], reading: Reading, must: bool) -> tuple[str, ...]:
    """The cells of an outcome; empty ones where the file has no such column and need not have it."""
    if name in sheet.columns:
        return sheet.columns[name]
    if must:
        sheet.check_known((name,), reading.option("objective") if name == outcomes[0] else "a result")
    errors = error_columns(sheet.columns, outcomes).values()
    if hint := did_you_mean(name, [column for column in sheet.columns if column not in {*outcomes, *errors}]):
        raise InvalidInput(
            f"{sheet.path} has no column {name!r}.{hint} Spell it as in the file; or rename what is measured, "
            "so that it cannot be taken for one of the factors."
        )
    return ("",) * len(sheet)
