"""Excel workbooks out, by openpyxl. Numbers keep every digit, and a text is a text whatever it begins with."""

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from regretless.errors import InvalidInput, MissingExtra
from regretless.spaces.files.quoting import escaped, is_formula, neutralised, restored
from regretless.spaces.scalars import show

__all__ = ["check_openpyxl", "write_workbook"]

_MAX_ROWS, _MAX_COLUMNS, _MAX_TEXT = 1_048_576, 16_384, 32_767  # what Excel can hold


def check_openpyxl(path: str | Path) -> None:
    """Whether workbooks can be written here."""
    try:
        import openpyxl  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            f"{path}: Excel workbooks need openpyxl; install it with: pip install 'regretless[xlsx]', or end the name "
            "in .csv."
        ) from error


def write_workbook(path: str | Path, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A workbook of one worksheet: a header that stays in sight, and rows; None is an empty cell."""
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    if len(names) > _MAX_COLUMNS:
        raise _too_large(path, f"{len(names)} columns")
    book = Workbook(write_only=True)  # row by row: a scope may have a million
    sheet = book.create_sheet("regretless")
    sheet.freeze_panes = "A2"
    for j, name in enumerate(names, 1):
        sheet.column_dimensions[get_column_letter(j)].width = min(max(len(name) + 2, 10), 40)
    header = [_cell(sheet, name, path) for name in names]
    for cell in header:
        cell.font = Font(bold=True)
    try:
        sheet.append(header)
        for i, row in enumerate(rows, 2):
            if i > _MAX_ROWS:
                raise _too_large(path, f"more than {_MAX_ROWS - 1} rows")
            sheet.append([_cell(sheet, row.get(name), path) for name in names])
    except BaseException:
        sheet.close()
        raise
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cell(sheet: Any, value: Any, path: str | Path) -> Any:
    from openpyxl.cell import WriteOnlyCell

    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        value = str(value)
    if not isinstance(value, str):
        cell = WriteOnlyCell(sheet, repr(value))  # openpyxl itself would round to 16 digits
        cell.data_type = "n"
        return cell
    text = escaped(value if value and restored(value) == value else neutralised(value))
    if len(text) > _MAX_TEXT:
        raise InvalidInput(f"{path}: the text {show(value)} is longer than a cell of Excel. Write a .csv file.")
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"  # not a formula, nor an error, whatever it looks like
    cell.quotePrefix = is_formula(value)  # it stays a text when somebody edits it
    return cell


def _too_large(path: str | Path, what: str) -> InvalidInput:
    return InvalidInput(f"{path}: {what} are more than a worksheet holds. Write a .csv file.")
