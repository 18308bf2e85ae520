"""Files out, in the dialect of the file that came in: a spreadsheet runs no cell, and every text can be read back."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from regretless.errors import InvalidInput
from regretless.sheets.workbook import check_openpyxl, write_workbook
from regretless.spaces.files import Dialect, neutralised
from regretless.spaces.scalars import show

__all__ = ["check_new", "whole_file", "write_csv", "write_new"]

_DELIMITERS = ",;\t"


def write_csv(
    stream: IO[str], names: Sequence[str], rows: Iterable[Mapping[str, Any]], dialect: Dialect | None = None
) -> None:
    """A header and rows; None is an empty cell, floats keep every digit."""
    dialect = Dialect() if dialect is None else dialect
    stream.write("\ufeff" * dialect.bom)
    stream.write(f"sep={dialect.delimiter}{dialect.newline}" * dialect.sep_line)
    # No delimiter but ours stands in the header outside quotes: nobody can take another one for it.
    stream.write(_line([_text(name) for name in names], dialect, quoted=_DELIMITERS))
    for row in rows:
        cells = [_cell(row.get(name), dialect.decimal) for name in names]
        stream.write(_line(cells, dialect, quoted=dialect.delimiter))


def check_new(path: str | Path) -> None:
    """Whether a file can be made there: before work is done that would be lost if it could not."""
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix in (".xls", ".xlsm", ".xlsb", ".ods", ".numbers"):
        raise InvalidInput(f"{path}: files are written as CSV or as Excel workbooks. End the name in .csv or .xlsx.")
    if suffix == ".xlsx":
        check_openpyxl(path)
    if place.exists():
        raise InvalidInput(f"{path} exists and is not written over. Give another name, or move it away.")
    if not place.parent.is_dir():
        raise InvalidInput(f"{path} cannot be written: there is no folder {place.parent}.")


def write_new(
    path: str | Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]], dialect: Dialect | None = None
) -> None:
    """A new file, which is a workbook if its name ends in .xlsx; one that exists is never written over."""
    check_new(path)
    try:
        if Path(path).suffix.lower() == ".xlsx":
            content = write_workbook(path, names, rows)
            with whole_file(path) as file:
                file.write(content)
        else:
            with whole_file(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as stream:
                write_csv(stream, names, rows, dialect)
    except FileExistsError as error:
        raise InvalidInput(f"{path} exists and is not written over. Give another name, or move it away.") from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A new file to write to: what fails on the way takes it away again, a full disk at its closing included."""
    file = Path(path).open("xb")  # noqa: SIM115  # closed below, and what cannot be made is not taken away
    try:
        with file:
            yield file
    except BaseException:  # half a file would be taken for a whole one
        Path(path).unlink(missing_ok=True)
        raise


def _line(cells: list[str], dialect: Dialect, *, quoted: str) -> str:
    special = re.compile(f'["\r\n{quoted}]')
    written = ('"' + cell.replace('"', '""') + '"' if special.search(cell) else cell for cell in cells)
    return dialect.delimiter.join(written) + dialect.newline


def _cell(value: Any, decimal: str) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        text = repr(value)
        text = text[:-2] if text.endswith(".0") else text
        return text.replace(".", decimal)
    return _text(value) if isinstance(value, str) else str(value)


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"the text {show(value)} cannot be written to a file: it is no Unicode text.") from error
    if "\0" in value:
        raise InvalidInput(f"the text {show(value)} cannot be written to a file: it holds a NUL character.")
    return neutralised(value)
