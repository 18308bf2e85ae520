"""Text files out: cells that a spreadsheet would run are made harmless, in a way that can be undone."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from regretless.errors import InvalidInput
from regretless.sheets.sheet import Dialect
from regretless.spaces.csvfile import is_number

__all__ = ["check_new", "neutralised", "restored", "write_csv", "write_new"]

# What makes a spreadsheet take a cell for a formula; full-width signs count in some locales.
_STARTS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_RISKY = re.compile(f"'*[{_STARTS}]")
_QUOTED = re.compile(f"'+[{_STARTS}]")


def neutralised(text: str) -> str:
    r"""Text that no spreadsheet runs: an apostrophe before what begins like a formula. Numbers stay as they are.

    >>> neutralised('=HYPERLINK("x")'), neutralised("-5"), neutralised("ethanol")
    ('\'=HYPERLINK("x")', '-5', 'ethanol')
    """
    plain = is_number(text, ".") or is_number(text, ",")
    return f"'{text}" if _RISKY.match(text) and not plain else text


def restored(text: str) -> str:
    """What `neutralised` was given.

    >>> restored(neutralised("=1+2")), restored(neutralised("'=1+2")), restored("'tis")
    ('=1+2', "'=1+2", "'tis")
    """
    return text[1:] if _QUOTED.match(text) else text


def write_csv(
    stream: IO[str], names: Sequence[str], rows: Iterable[Mapping[str, Any]], dialect: Dialect | None = None
) -> None:
    """A header and rows; None is an empty cell, floats keep every digit."""
    dialect = Dialect() if dialect is None else dialect
    stream.write(_line([neutralised(name) for name in names], dialect))
    for row in rows:
        stream.write(_line([_cell(row.get(name), dialect.decimal) for name in names], dialect))


def check_new(path: str | Path) -> None:
    """Whether a file can be made there: before work is done that would be lost if it could not."""
    place = Path(path)
    if place.suffix.lower() in (".xlsx", ".xlsm", ".xls", ".ods"):
        raise InvalidInput(f"{path}: files are written as CSV. Give a name that ends in .csv; Excel opens it.")
    if place.exists():
        raise InvalidInput(f"{path} exists and is not written over. Give another name, or move it away.")
    if not place.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {place.parent}.")


def write_new(
    path: str | Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]], dialect: Dialect | None = None
) -> None:
    """A new file; one that exists is never written over."""
    dialect = Dialect() if dialect is None else dialect
    check_new(path)
    try:
        with Path(path).open("x", encoding="utf-8-sig" if dialect.bom else "utf-8", newline="") as stream:
            write_csv(stream, names, rows, dialect)
    except FileExistsError as error:
        raise InvalidInput(f"{path} exists and is not written over. Give another name, or move it away.") from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def _line(cells: list[str], dialect: Dialect) -> str:
    buffer = io.StringIO(newline="")
    # A lone CR is put in quotes only if lines end in one.
    csv.writer(buffer, delimiter=dialect.delimiter).writerow(cells)
    return buffer.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Any, decimal: str) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        text = repr(value)
        text = text[:-2] if text.endswith(".0") else text
        return text.replace(".", decimal)
    return neutralised(value) if isinstance(value, str) else str(value)
