"""The file of a round, filled in: results by the numbers of their trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.sheets.experiments import Value, as_measured, is_word
from regretless.spaces.files import Reading, Sheet, is_number, read_sheet
from regretless.spaces.files.cells import decimal_mark
from regretless.spaces.scalars import Scalar, listed, show

__all__ = ["RoundRow", "read_round"]

#: Spreadsheets save what they show, and show nine digits or so: a factor that differs by less was not changed.
_SHOWN = 1e-6


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A line of the file: the trial, what came out by outcome, and the cells of the factors as they stand there now."""

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
    """All rows of the file, read before any of them is used.

    Every factor and every outcome must be there under its name; cells of outcomes may be empty. Other columns, those of
    ``ours`` or such as a lab adds, are left out.
    """
    reading = Reading() if reading is None else reading
    sheet = read_sheet(path, reading)
    _check_columns(sheet, trial, factors, outcomes, ours)
    results = {name: [cell for cell in sheet.columns[name] if not is_word(cell)] for name in outcomes}
    try:
        mark = decimal_mark(results, sheet.dialect.delimiter, reading.decimal, reading.advice)
        rows = []
        for i, line in enumerate(sheet.lines):
            number = sheet.columns[trial][i]
            if not (number.isascii() and number.isdecimal() and len(number) < 19):
                raise InvalidInput(
                    f"line {line}: {show(number)} in column {trial!r} is not the number of a trial. Leave that column "
                    "as it was, and take out lines that were added, such as totals."
                )
            values = {
                name: as_measured(sheet.columns[name][i], line, name, decimal=mark, advice=reading.advice)
                for name in outcomes
            }
            others = {name: column[i] for name, column in sheet.columns.items() if name not in (trial, *outcomes)}
            rows.append(RoundRow(line, int(number), values, others, mark))
        _check_once(rows)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    return rows


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


def _check_once(rows: list[RoundRow]) -> None:
    seen: dict[int, RoundRow] = {}
    for row in rows:
        if row.filled and row.trial in seen:
            raise InvalidInput(
                f"lines {seen[row.trial].line} and {row.line} both hold a result of trial {row.trial}. It has one; "
                "record a second measurement of the same experiment with ran."
            )
        if row.filled:
            seen[row.trial] = row
