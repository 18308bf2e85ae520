"""A file of a spreadsheet as columns of text: nothing is converted yet, and nothing is ever written back."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.sheets.xlsx import read_workbook
from regretless.spaces.csvfile import Lines, read_lines
from regretless.spaces.scalars import did_you_mean, listed

__all__ = ["Dialect", "Sheet", "read_sheet"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written, so that another can be written alike: Excel opens both or neither."""

    delimiter: str = ","
    decimal: str = "."
    bom: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns of stripped text by name, empty cells included.

    ``lines`` says where each row stands, as a spreadsheet numbers its rows: the header is 1. Rows without any content
    are left out.
    """

    path: str
    columns: Mapping[str, tuple[str, ...]]
    lines: tuple[int, ...]
    dialect: Dialect

    def __len__(self) -> int:
        return len(self.lines)

    def check_known(self, names: tuple[str, ...], what: str) -> None:
        """Every name is a column, or an error that says which are."""
        for name in names:
            if name not in self.columns:
                raise InvalidInput(
                    f"{self.path} has no column {name!r} ({what}); it has {listed(list(self.columns))}."
                    f"{did_you_mean(name, self.columns)}"
                )


def read_sheet(path: str | Path, worksheet: str | None = None) -> Sheet:
    """A CSV file (comma, semicolon or tab; UTF-8) or an Excel workbook.

    Rows that stop early have empty cells at their end: spreadsheets write them so.
    """
    suffix = Path(path).suffix.lower()
    if suffix in (".xlsx", ".xlsm"):
        return _as_sheet(path, read_workbook(Path(path), worksheet))
    if suffix in (".xls", ".ods", ".numbers"):
        raise InvalidInput(f"{path} cannot be read. Save it as 'CSV UTF-8' or as .xlsx.")
    if worksheet is not None:
        raise InvalidInput(f"a worksheet can only be named for an Excel workbook; {path} is read as CSV.")
    return _as_sheet(path, read_lines(path))


def _as_sheet(path: str | Path, lines: Lines) -> Sheet:
    width = len(lines.header)
    rows = [(number, cells) for number, cells in lines.rows if any(cells)]
    for number, cells in rows:
        if len(cells) > width:
            raise InvalidInput(
                f"{path}, line {number}: {len(cells)} cells, but the header names {width} columns. If cells hold "
                f"{lines.delimiter!r}, put them in double quotes."
            )
    padded = [cells + [""] * (width - len(cells)) for _, cells in rows]
    columns = {name: tuple(cells[j] for cells in padded) for j, name in enumerate(lines.header)}
    return Sheet(str(path), columns, tuple(number for number, _ in rows), Dialect(lines.delimiter, bom=lines.bom))
