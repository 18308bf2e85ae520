"""Text files of spreadsheets, split into cells."""

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from regretless.errors import InvalidInput
from regretless.spaces.scalars import show

__all__ = ["MAX_COLUMNS", "Dialect", "Lines", "read_lines"]

_LINE_END = re.compile(r"\r\n|\r|\n")
_SEP_LINE = re.compile(r"sep=([,;\t])(?:\r\n|\r|\n)", re.IGNORECASE)  # what Excel takes as the name of the delimiter
_HEADER = re.compile(r'(?:[^"\r\n]+|"[^"]*")*')  # the first record; a line end in quotes does not end it

#: As many columns as a spreadsheet can have; more means that the file is not a table.
MAX_COLUMNS = 16_384
#: What Excel calls it where it asks for a file type; its plain "CSV" is in the system's own encoding.
_SAVE_AS = (
    "In Excel choose File, Save As and the file type 'CSV UTF-8' (not the plain 'CSV'), or save it as a workbook, .xlsx"
)
#: Records that are tried with each delimiter.
_TRIED = 50


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written, so that others can be written in the same way: Excel opens both or neither.

    ``sep_line`` says whether a first line such as ``sep=;`` names the delimiter.
    """

    delimiter: str = ","
    decimal: str = "."
    bom: bool = False
    newline: str = "\n"
    sep_line: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """A file split into cells without surrounding blanks.

    Records are numbered as a spreadsheet numbers its rows: the header is 1. Blank records at the end, and columns at
    the end without name and content, are left out.
    """

    header: list[str]
    rows: list[tuple[int, list[str]]]
    dialect: Dialect


def read_lines(path: str | Path) -> Lines:
    """The cells of a CSV file, in UTF-8 with or without a byte-order mark, with any line ends. Nothing is converted.

    The delimiter is the first of tab, semicolon and comma that cuts every line into equally many cells, else the one
    the header has most of.
    """
    text = _read_text(Path(path))
    bom = text.startswith("\ufeff")
    text = text[bom:]
    named = _SEP_LINE.match(text)
    text = text[named.end() :] if named else text
    first = _first_record(text)
    header_line = re.sub(r'"[^"]*"', "", first)
    line_end = _LINE_END.match(text, len(first))
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
        raise InvalidInput(
            f"{path} is empty. The first line must name the columns, each further line is an experiment."
        )
    (_, header), rows = records[0], records[1:]
    width = max((j + 1 for _, cells in records for j in range(len(cells) - 1, -1, -1) if cells[j]), default=0)
    if width > MAX_COLUMNS:
        raise _too_wide(path, width)
    if not rows:
        raise InvalidInput(f"{path} has a header but no rows. Give at least one experiment.")
    dialect = Dialect(delimiter, bom=bom, newline=line_end[0] if line_end else "\n", sep_line=named is not None)
    return Lines(header[:width], [(number, _without_trailing(cells, width)) for number, cells in rows], dialect)


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{show(str(path))} cannot be read: {error}. Give the path of a CSV file.") from error
    if b"\0" in data:
        raise InvalidInput(f"{path} holds NUL bytes, so it is not UTF-8 text. {_SAVE_AS}.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{path}, line {line}: not UTF-8 text (byte 0x{data[error.start]:02x}). {_SAVE_AS}."
        ) from error


def _reader(text: str, delimiter: str) -> "csv._reader":  # type: ignore[name-defined]
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _first_record(text: str) -> str:
    found = _HEADER.match(text)
    return found[0] if found else ""


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
