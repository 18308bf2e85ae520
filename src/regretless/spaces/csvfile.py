"""Tables out of text files as spreadsheets write them."""

import csv
import io
import re
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.spaces.scalars import show

__all__ = ["numbers_of_text", "read_csv"]

_POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|na|n/a|#n/a|null|none|inf|infinity)", re.IGNORECASE)


def read_csv(path: str | Path) -> tuple[dict[str, list[str]], str]:
    """The columns of a CSV file as stripped text, by name, and the delimiter.

    UTF-8 with or without a byte-order mark, any line ends; the delimiter is the one of tab, semicolon and comma that
    the first line has most of. Blank lines at the end are ignored.
    """
    text = _read_text(Path(path))
    delimiter = _delimiter(re.split(r"\r\n|\r|\n", text, maxsplit=1)[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise InvalidInput(f"{path}, line {reader.line_num}: {error}. Save the file again as CSV.") from error
    while lines and not any(lines[-1][1]):
        lines.pop()
    if not lines:
        raise InvalidInput(f"{path} is empty. The first line must name the columns, each further line is a candidate.")
    (_, header), rows = lines[0], lines[1:]
    _check_header(header, path)
    if not rows:
        raise InvalidInput(f"{path} has a header but no rows. Give at least one candidate.")
    for number, cells in rows:
        if len(cells) != len(header):
            raise InvalidInput(f"{path}, line {number}: {len(cells)} cells, but the header has {len(header)}.")
    columns = {name: [cells[j] for _, cells in rows] for j, name in enumerate(header)}
    for name, column in columns.items():
        if "" in column:
            row = column.index("")
            raise InvalidInput(
                f"{path}, line {rows[row][0]}: row {row}, column {name!r} is empty. Fill it or drop the row."
            )
    return columns, delimiter


def numbers_of_text(cells: list[str], name: str, delimiter: str) -> list[float] | None:
    """The cells as floats if all are numbers, else None. With semicolons between cells, 1,5 is a number.

    >>> numbers_of_text(["1,5", "2"], "dose", ";"), numbers_of_text(["1", "low"], "dose", ",")
    ([1.5, 2.0], None)
    """
    by_point = [_POINT.fullmatch(cell) is not None for cell in cells]
    if all(by_point):
        return [float(cell) for cell in cells]
    either = by_point
    if delimiter == ";":
        by_comma = [_COMMA.fullmatch(cell) is not None for cell in cells]
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


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{show(str(path))} cannot be read: {error}. Give the path of a CSV file.") from error
    if b"\0" in data:
        raise InvalidInput(f"{path} holds NUL bytes, so it is not UTF-8 text. Save it as 'CSV UTF-8'.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text ({error}). Save it as 'CSV UTF-8'.") from error


def _delimiter(header: str) -> str:
    bare = re.sub(r'"[^"]*"', "", header)
    return max("\t;,", key=bare.count) if any(mark in bare for mark in "\t;,") else ","


def _check_header(header: list[str], path: str | Path) -> None:
    for j, name in enumerate(header):
        if not name:
            raise InvalidInput(f"{path}: column {j} has no name. The first line must name every column.")
        if name in header[:j]:
            raise InvalidInput(f"{path}: two columns are called {name!r}. Rename one.")
