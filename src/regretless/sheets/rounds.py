"""The file of a round, filled in: results by the numbers of their trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.sheets.measurement import (
    Measurement,
    Value,
    as_error,
    as_measured,
    error_columns,
    numbers_of,
    plain_cells,
    with_error,
)
from regretless.spaces.files import Reading, Sheet, is_number, read_sheet
from regretless.spaces.files.cells import decimal_mark
from regretless.spaces.scalars import Scalar, listed, show

__all__ = ["RoundRow", "read_round"]

#: Spreadsheets save what they show, and show nine digits or so: a factor that differs by less was not changed.
_SHOWN = 1e-6


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A trial of the file: what came out by outcome, and the cells of the factors as they stand there now.

    ``line`` is the first of its lines.
    """

    line: int
    trial: int
    values: Mapping[str, Value]  # every outcome; None of those whose cell is empty
    cells: Mapping[str, str]
    decimal: str

    @property
    def filled(self) -> dict[str, Value]:
        """What came out, by outcome: without those whose cell is empty."""
        return {name: value for name, value in self.values.items() if value is not None}

    def changed(self, expected: Mapping[str, Scalar]) -> list[str]:
        """The columns whose cells are not what was suggested."""
        return [name for name in expected if name in self.cells and not self._same(name, expected[name])]

    def plain(self, name: str) -> str:
        """The cell with a decimal point, as it is typed at a prompt."""
        cell = self.cells[name]
        return cell.replace(",", ".") if is_number(cell, self.decimal) else cell

    def _same(self, name: str, value: Scalar) -> bool:
        cell = self.cells[name]
        if isinstance(value, str) or not is_number(cell, self.decimal) or value is None:
            return cell == ("" if value is None else str(value)) or (
                isinstance(value, bool) and cell.casefold() == str(value).casefold()
            )
        number = float(cell.replace(",", "."))
        return abs(number - value) <= _SHOWN * max(abs(number), abs(value))


def read_round(
    path: str | Path,
    *,
    trial: str,
    factors: Sequence[str],
    outcomes: Sequence[str],
    ours: Sequence[str] = (),
    reading: Reading | None = None,
) -> list[RoundRow]:
    """All trials of the file, read before any of them is used.

    Every factor and every outcome must be there under its name; cells of outcomes may be empty. Several lines of one
    trial are replicates. Other columns, those of ``ours`` or such as a lab adds, are left out.
    """
    reading = Reading() if reading is None else reading
    sheet = read_sheet(path, reading)
    _check_columns(sheet, trial, factors, outcomes, ours)
    try:
        errors = error_columns(sheet.columns, outcomes, (trial, *factors, *ours))
        numeric = {name: plain_cells(sheet.columns[name]) for name in outcomes}
        numeric |= {name: sheet.columns[name] for name in errors.values()}
        mark = decimal_mark(numeric, sheet.dialect.delimiter, reading.decimal, reading.advice)
        rows: dict[int, RoundRow] = {}
        for i, line in enumerate(sheet.lines):
            number = sheet.columns[trial][i]
            if not (number.isascii() and number.isdecimal() and len(number) < 19):
                raise InvalidInput(
                    f"line {line}: {show(number)} in column {trial!r} is not the number of a trial. Leave that column "
                    "as it was, and take out lines that were added, such as totals."
                )
            values = {
                name: as_measured(
                    sheet.columns[name][i],
                    line,
                    name,
                    decimal=mark,
                    advice=reading.advice,
                    sd=_error(sheet, errors.get(name), i, mark),
                )
                for name in outcomes
            }
            others = {name: column[i] for name, column in sheet.columns.items() if name not in (trial, *outcomes)}
            row = RoundRow(line, int(number), values, others, mark)
            rows[row.trial] = _joined(rows[row.trial], row, factors) if row.trial in rows else row
        _check_copies(sheet, outcomes)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    return list(rows.values())


def _check_copies(sheet: Sheet, outcomes: Sequence[str]) -> None:
    """No line with a result is the copy of another, which would count it twice."""
    seen: dict[tuple[str, ...], int] = {}
    for i, line in enumerate(sheet.lines):
        cells = tuple(column[i] for column in sheet.columns.values())
        if cells in seen and any(any(plain_cells([sheet.columns[name][i]])) for name in outcomes):
            raise InvalidInput(
                f"lines {seen[cells]} and {line} are the same in every cell. Take one out; or, if two measurements "
                'came out alike, write both into one cell: "81.2; 81.2".'
            )
        seen.setdefault(cells, line)


def _error(sheet: Sheet, column: str | None, i: int, decimal: str) -> float | None:
    return None if column is None else as_error(sheet.columns[column][i], sheet.lines[i], column, decimal=decimal)


def _joined(row: RoundRow, further: RoundRow, factors: Sequence[str]) -> RoundRow:
    """A trial with the results of a further line: replicates, where both have some."""
    lines = f"lines {row.line} and {further.line}, both of trial {row.trial}"
    odd = [name for name in factors if row.cells[name] != further.cells[name]]
    if odd:
        raise InvalidInput(f"{lines}, differ in {odd[0]!r}. Replicates are of one experiment.")
    values = dict(row.values)
    for name, value in further.values.items():
        if value is None or values[name] is None:
            values[name] = values[name] if value is None else value
            continue
        if "failed" in (value, values[name]) and value != values[name]:
            raise InvalidInput(
                f"{lines}: {name} has a number and failed. Leave the cell of a measurement that was lost empty."
            )
        if value != "failed":
            values[name] = _pooled(values[name], value, f"{lines}: {name}")
    return replace(row, values=values)


def _pooled(value: Value, further: Value, where: str) -> Value:
    first, second = (each.sd if isinstance(each, Measurement) else None for each in (value, further))
    if first != second:
        raise InvalidInput(
            f"{where} has two standard deviations. Replicates have one; record what was measured otherwise with ran."
        )
    return with_error((*numbers_of(value), *numbers_of(further)), first)


def _check_columns(
    sheet: Sheet, trial: str, factors: Sequence[str], outcomes: Sequence[str], ours: Sequence[str]
) -> None:
    """Every column that the round was written with: a factor under another name could not be compared."""
    if trial not in sheet.columns:
        raise InvalidInput(
            f"{sheet.path} has no column {trial!r}, so it is not the file of a round, which suggest --out makes. To "
            "add results of another file, use import."
        )
    missing = [name for name in (*factors, *outcomes) if name not in sheet.columns]
    if missing:
        strange = [name for name in sheet.columns if name not in {trial, *factors, *outcomes, *ours}]
        instead = f" and has {listed(strange)} instead" if strange else ""
        raise InvalidInput(
            f"{sheet.path} lacks {listed(missing)} of the columns that suggest --out wrote{instead}. Call every column "
            "as it was called: without the factors nobody can tell whether they were changed. Nothing was recorded."
        )
