"""The file of a round, filled in: results by the numbers of their trials."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.sheets.cells import Value, as_measured, decimal_mark
from regretless.sheets.export import restored
from regretless.sheets.sheet import read_sheet
from regretless.spaces.csvfile import is_number
from regretless.spaces.scalars import Scalar, show

__all__ = ["RoundRow", "read_round"]

#: Spreadsheets save what they show, and show nine digits or so: a factor that differs by less was not changed.
_SHOWN = 1e-6


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A line of the file: the trial, what came out, and the cells of the factors as they stand there now."""

    line: int
    trial: int
    value: Value
    cells: Mapping[str, str]
    decimal: str

    def changed(self, params: Mapping[str, Scalar]) -> str | None:
        """The first factor whose cell is not what was suggested, if there is one."""
        return next((name for name in params if name in self.cells and not self._same(name, params[name])), None)

    def _same(self, name: str, value: Scalar) -> bool:
        cell = restored(self.cells[name])
        if isinstance(value, str) or not is_number(cell, self.decimal) or value is None:
            return cell == str(value) or (isinstance(value, bool) and cell.casefold() == str(value).casefold())
        number = float(cell.replace(",", "."))
        return abs(number - value) <= _SHOWN * max(abs(number), abs(value))


def read_round(
    path: str | Path, *, trial: str, objective: str, decimal: str | None = None, worksheet: str | None = None
) -> list[RoundRow]:
    """All rows of the file, read before any of them is used."""
    sheet = read_sheet(path, worksheet)
    for name in (trial, objective):
        if name not in sheet.columns:
            raise InvalidInput(
                f"{path} has no column {name!r}, so it is not the file of a round, which suggest --out makes. To bring "
                "results of another file along, use import."
            )
    cells = [cell for cell in sheet.columns[objective] if cell.casefold() not in ("failed", "fail", "pending")]
    try:
        mark = decimal_mark({objective: cells}, sheet.dialect.delimiter, decimal)
        rows = []
        for i, line in enumerate(sheet.lines):
            number = sheet.columns[trial][i]
            if not number.isascii() or not number.isdecimal():
                raise InvalidInput(f"line {line}: {show(number)} is no number of a trial. Leave that column as it was.")
            value = as_measured(sheet.columns[objective][i], line, objective, decimal=mark)
            others = {name: column[i] for name, column in sheet.columns.items() if name not in (trial, objective)}
            rows.append(RoundRow(line, int(number), value, others, mark))
        _check_once(rows)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    return rows


def _check_once(rows: list[RoundRow]) -> None:
    seen: dict[int, RoundRow] = {}
    for row in rows:
        if row.value is not None and row.trial in seen:
            raise InvalidInput(
                f"lines {seen[row.trial].line} and {row.line} both hold a result of trial {row.trial}. It has one; "
                "record a second measurement of the same experiment with ran."
            )
        if row.value is not None:
            seen[row.trial] = row
