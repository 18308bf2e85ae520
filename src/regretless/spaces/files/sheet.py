"""A spreadsheet file as columns of text: nothing is converted yet, and nothing is ever written back."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.spaces.files.csvfile import Dialect, Lines, read_lines
from regretless.spaces.files.quoting import restored
from regretless.spaces.files.reading import Reading
from regretless.spaces.files.xlsx import read_workbook
from regretless.spaces.scalars import did_you_mean, listed, show

__all__ = ["Dialect", "Sheet", "read_sheet"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns of text by name, without surrounding blanks, including empty cells.

    An apostrophe that keeps a spreadsheet from running a cell is taken off. ``lines`` says where each row stands, as a
    spreadsheet numbers its rows: the header is 1. Rows without any content are left out.
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


def read_sheet(path: str | Path, reading: Reading | None = None) -> Sheet:
    """A CSV file (comma, semicolon or tab; UTF-8) or an Excel workbook.

    Rows that stop early have empty cells at their end: spreadsheets write them so.
    """
    reading = Reading() if reading is None else reading
    suffix = Path(path).suffix.lower()
    if suffix in (".xlsx", ".xlsm"):
        return _as_sheet(path, read_workbook(Path(path), reading))
    if suffix in (".xls", ".ods", ".numbers"):
        raise InvalidInput(f"{path} cannot be read. Save it as 'CSV UTF-8' or as .xlsx.")
    if reading.worksheet is not None:
        raise InvalidInput(f"a worksheet can only be named for an Excel workbook; {path} is read as CSV.")
    return _as_sheet(path, read_lines(path))


def _as_sheet(path: str | Path, lines: Lines) -> Sheet:
    header = [restored(name) for name in lines.header]
    _check_header(header, lines, path)
    rows = [(number, cells) for number, cells in lines.rows if any(cells)]
    for number, cells in rows:
        if len(cells) > len(header):
            raise InvalidInput(
                f"{path}, line {number}: {len(cells)} cells, but the header names {len(header)} columns. If cells hold "
                f"{lines.dialect.delimiter!r}, put them in double quotes."
            )
    padded = [cells + [""] * (len(header) - len(cells)) for _, cells in rows]
    columns = {name: tuple(restored(cells[j]) for cells in padded) for j, name in enumerate(header)}
    return Sheet(str(path), columns, tuple(number for number, _ in rows), lines.dialect)


def _check_header(header: list[str], lines: Lines, path: str | Path) -> None:
    """Every column has a name of its own."""
    seen: set[str] = set()
    for j, name in enumerate(header):
        if not name:
            stray = [(n, k, cells[k]) for n, cells in lines.rows for k in range(j, len(cells)) if cells[k]]
            nameless = next((entry for entry in stray if not header[entry[1]]), None)
            found = "" if nameless is None else f", but line {nameless[0]} holds {show(nameless[2])} there"
            column = j if nameless is None else nameless[1]
            raise InvalidInput(
                f"{path}: column {column + 1} has no name{found}. The first line must name every column."
            )
        if name in seen:
            raise InvalidInput(f"{path}: two columns are called {show(name)}. Rename one.")
        seen.add(name)
