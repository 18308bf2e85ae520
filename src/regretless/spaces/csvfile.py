"""Tables out of text files as spreadsheets write them."""

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.spaces.scalars import show

__all__ = ["Lines", "is_number", "numbers_of_text", "read_csv", "read_lines"]

_POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|na|n/a|#n/a|null|none|inf|infinity)", re.IGNORECASE)
_SEP_LINE = re.compile(r"sep=([,;\t])(?:\r\n|\r|\n)", re.IGNORECASE)  # what Excel takes as the name of the delimiter

#: As many columns as a spreadsheet can have; more means that the file is no table.
MAX_COLUMNS = 16_384
#: Records that are tried with each delimiter.
_TRIED = 50


@dataclass(frozen=True, slots=True)
class Lines:
    """A text file cut into stripped cells. Records are numbered as a spreadsheet numbers its rows: the header is 1.

    Blank records at the end, and columns at the end without name and content, are left out.
    """

    header: list[str]
    rows: list[tuple[int, list[str]]]
    delimiter: str
    bom: bool


def read_lines(path: str | Path) -> Lines:
    """The cells of a CSV file, in UTF-8 with or without a byte-order mark, with any line ends.

    The delimiter is the first of tab, semicolon and comma that cuts every line into equally many cells, else the one
    the header has most of.
    """
    text = _read_text(Path(path))
    bom = text.startswith("\ufeff")
    text = text[bom:]
    named = _SEP_LINE.match(text)
    text = text[named.end() :] if named else text
    header_line = _first_line(text)
    delimiter = named.group(1) if named else _delimiter(text, header_line)
    if header_line.count(delimiter) > 16 * MAX_COLUMNS:  # not even blank columns at the end explain this
        raise _too_wide(path, header_line.count(delimiter) + 1)
    reader = _reader(text, delimiter)
    try:
        records = [(number, [cell.strip() for cell in cells]) for number, cells in enumerate(reader, 1)]
    except csv.Error as error:
        raise InvalidInput(f"{path}, line {reader.line_num}: {error}. Save the file again as CSV.") from error
    while records and not any(records[-1][1]):
        records.pop()
    if not records:
        raise InvalidInput(f"{path} is empty. The first line must name the columns, each further line is a candidate.")
    (_, header), rows = records[0], records[1:]
    width = max((j + 1 for _, cells in records for j in range(len(cells) - 1, -1, -1) if cells[j]), default=0)
    if width > MAX_COLUMNS:
        raise _too_wide(path, width)
    check_header(header[:width], path)
    if not rows:
        raise InvalidInput(f"{path} has a header but no rows. Give at least one candidate.")
    return Lines(header[:width], [(number, _without_trailing(cells, width)) for number, cells in rows], delimiter, bom)


def read_csv(path: str | Path) -> tuple[dict[str, list[str]], str]:
    """The columns of a CSV file with no empty cell, as stripped text, by name; and the delimiter."""
    lines = read_lines(path)
    for number, cells in lines.rows:
        if len(cells) != len(lines.header):
            raise InvalidInput(f"{path}, line {number}: {len(cells)} cells, but the header has {len(lines.header)}.")
    columns = {name: [cells[j] for _, cells in lines.rows] for j, name in enumerate(lines.header)}
    for name, column in columns.items():
        if "" in column:
            row = column.index("")
            raise InvalidInput(
                f"{path}, line {lines.rows[row][0]}: row {row}, column {name!r} is empty. Fill it or drop the row."
            )
    return columns, lines.delimiter


def is_number(cell: str, decimal: str) -> bool:
    """Whether the text is a plain number with this decimal mark, without spaces, units or separators of thousands.

    >>> is_number("-1.5e3", "."), is_number("1,5", ","), is_number("1,5", "."), is_number("5 %", ".")
    (True, True, False, False)
    """
    return (_COMMA if decimal == "," else _POINT).fullmatch(cell) is not None


def numbers_of_text(cells: list[str], name: str, delimiter: str) -> list[float] | None:
    """The cells as floats if all are numbers, else None. With semicolons between cells, 1,5 is a number.

    >>> numbers_of_text(["1,5", "2"], "dose", ";"), numbers_of_text(["1", "low"], "dose", ",")
    ([1.5, 2.0], None)
    """
    by_point = [is_number(cell, ".") for cell in cells]
    if all(by_point):
        return [float(cell) for cell in cells]
    either = by_point
    if delimiter == ";":
        by_comma = [is_number(cell, ",") for cell in cells]
        if all(by_comma):
            return [float(cell.replace(",", ".")) for cell in cells]
        either = [point or comma for point, comma in zip(by_point, by_comma, strict=True)]
        if all(either):
            raise InvalidInput(f"column {name!r} mixes decimal points and decimal commas. Use one of them.")
    if any(either) and all(ok or _NOT_FINITE.fullmatch(cell) for ok, cell in zip(either, cells, strict=True)):
        row = either.index(False)
        raise InvalidInput(
            f"row {row}, column {name!r} is {cells[row]!r} among numbers. "
            f"Fill it, drop the row, or name the column in ignore or categorical."
        )
    return None


def check_header(header: list[str], path: str | Path) -> None:
    """Every column has a name of its own."""
    seen: set[str] = set()
    for j, name in enumerate(header):
        if not name:
            raise InvalidInput(f"{path}: column {j} has no name. The first line must name every column.")
        if name in seen:
            raise InvalidInput(f"{path}: two columns are called {show(name)}. Rename one.")
        seen.add(name)


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{show(str(path))} cannot be read: {error}. Give the path of a CSV file.") from error
    if b"\0" in data:
        raise InvalidInput(f"{path} holds NUL bytes, so it is not UTF-8 text. Save it as 'CSV UTF-8'.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{path}, line {line}: not UTF-8 text ({error}). Save it as 'CSV UTF-8'.") from error


def _reader(text: str, delimiter: str) -> "csv._reader":  # type: ignore[name-defined]
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _first_line(text: str) -> str:
    """Without what stands in quotes."""
    return re.sub(r'"[^"]*"', "", re.split(r"\r\n|\r|\n", text, maxsplit=1)[0])


def _too_wide(path: str | Path, width: int) -> InvalidInput:
    return InvalidInput(f"{path} has {width} columns; at most {MAX_COLUMNS} are read, as many as a spreadsheet has.")


def _delimiter(text: str, header: str) -> str:
    """Text in cells holds commas more often than semicolons, and those more often than tabs: asked in that order."""
    present = [mark for mark in "\t;," if mark in header]
    if len(present) == 1:
        return present[0]
    for mark in present:
        try:
            widths = {len(cells) for cells in islice(_reader(text, mark), _TRIED) if any(map(str.strip, cells))}
        except csv.Error:
            continue
        if len(widths) == 1:
            return mark
    return max(present, key=header.count, default=",")


def _without_trailing(cells: list[str], width: int) -> list[str]:
    return cells[:width] if len(cells) > width else cells
