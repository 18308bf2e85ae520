"""Excel workbooks, by openpyxl. Needs the extra: ``pip install 'regretless[xlsx]'``."""

import datetime
from pathlib import Path
from typing import Any

from regretless.errors import InvalidInput, MissingExtra
from regretless.spaces.files.csvfile import MAX_COLUMNS, Dialect, Lines
from regretless.spaces.files.quoting import unescaped
from regretless.spaces.files.reading import Reading
from regretless.spaces.scalars import listed

__all__ = ["read_workbook"]


def read_workbook(path: Path, reading: Reading) -> Lines:
    """The cells of a worksheet as text; unnamed, it is the only one with content.

    A formula counts as the result that Excel stored with it; one without a result is refused. A cell that shows 70.5%
    is the text that it shows, as in CSV: the number that Excel keeps for it is 0.705.
    """
    results, formulas = _load(path, data_only=True), _load(path, data_only=False)
    try:
        title = _choose(path, results, reading)
        values, written = _values(results[title]), _values(formulas[title])
    finally:
        results.close()
        formulas.close()
    rows: list[tuple[int, list[str]]] = []
    for number, (cells, sources) in enumerate(zip(values, written, strict=True), 1):
        for j, (cell, source) in enumerate(zip(cells, sources, strict=True)):
            if cell is None and source is not None:
                raise InvalidInput(
                    f"{path}, cell {_letters(j)}{number}: a formula without a stored result ({source!s:.40}). Open the "
                    "file in Excel and save it once, or write the number."
                )
        rows.append((number, [_as_text(cell, path, number, reading.decimal or ".") for cell in cells]))
    while rows and not any(rows[-1][1]):
        rows.pop()
    if len(rows) < 2:
        raise InvalidInput(f"{path}: worksheet {title!r} needs a header and at least one row below it.")
    header = rows[0][1]
    width = max(j + 1 for _, cells in rows for j in range(len(cells)) if cells[j])
    if width > MAX_COLUMNS:
        raise InvalidInput(f"{path} has {width} columns; at most {MAX_COLUMNS} are read.")
    return Lines(header[:width], [(number, cells[:width]) for number, cells in rows[1:]], Dialect())


def _letters(j: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(j + 1))


def _load(path: Path, *, data_only: bool) -> Any:
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingExtra(
            f"{path}: Excel workbooks need openpyxl; install it with: pip install 'regretless[xlsx]', or save "
            "the sheet as 'CSV UTF-8'."
        ) from error
    try:
        return load_workbook(path, read_only=True, data_only=data_only)
    except Exception as error:  # a broken archive shows itself in many ways
        raise InvalidInput(f"{path} cannot be read as an Excel workbook: {error}. Save it again as .xlsx.") from error


def _choose(path: Path, book: Any, reading: Reading) -> str:
    worksheet = reading.worksheet
    titles: list[str] = [sheet.title for sheet in book.worksheets]
    if worksheet is not None:
        if worksheet not in titles:
            raise InvalidInput(f"{path} has no worksheet {worksheet!r}; it has {listed(titles)}.")
        return worksheet
    filled = [sheet.title for sheet in book.worksheets if any(any(row) for row in sheet.iter_rows(values_only=True))]
    if len(filled) != 1:
        raise InvalidInput(
            f"{path} has {len(filled)} worksheets with content: {listed(filled)}. Use "
            f"{reading.advice('worksheet', filled[0] if filled else 'NAME')} or another one."
        )
    return str(filled[0])


def _values(sheet: Any) -> list[tuple[Any, ...]]:
    sheet.reset_dimensions()  # what the file says about its size may be wrong
    rows = [tuple(map(_shown, row)) for row in sheet.iter_rows()]
    width = max(map(len, rows), default=0)
    return [row + (None,) * (width - len(row)) for row in rows]


def _shown(cell: Any) -> Any:
    value = cell.value
    if isinstance(value, int | float) and not isinstance(value, bool) and "%" in (cell.number_format or ""):
        return f"{100.0 * value:.15g}%"
    return value


def _as_text(cell: Any, path: Path, number: int, decimal: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        return repr(cell).replace(".", decimal)  # a number has no mark of its own, a text beside it may have one
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return str(cell)
    if isinstance(cell, str):
        return unescaped(cell).strip()
    raise InvalidInput(f"{path}, line {number}: a cell of a kind that cannot be read ({type(cell).__name__}).")
