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

    listed = list(rows)
    if len(listed) >= _MAX_ROWS or len(names) > _MAX_COLUMNS:
        raise InvalidInput(
            f"{path}: {len(listed)} rows of {len(names)} columns are more than a worksheet holds. Write a .csv file."
        )
    book = Workbook()
    sheet = book.active
    sheet.title = "regretless"
    sheet.freeze_panes = "A2"
    for j, name in enumerate(names, 1):
        _fill(sheet.cell(1, j), name, path)
        sheet.cell(1, j).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(j)].width = min(max(len(name) + 2, 10), 40)
    for i, row in enumerate(listed, 2):
        for j, name in enumerate(names, 1):
            _fill(sheet.cell(i, j), row.get(name), path)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _fill(cell: Any, value: Any, path: str | Path) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        value = str(value)
    if not isinstance(value, str):
        cell.value, cell.data_type = repr(value), "n"  # openpyxl itself would round to 16 digits
        return
    text = escaped(value if value and restored(value) == value else neutralised(value))
    if len(text) > _MAX_TEXT:
        raise InvalidInput(f"{path}: the text {show(value)} is longer than a cell of Excel. Write a .csv file.")
    cell.value = text
    cell.data_type = "s"  # not a formula, nor an error, whatever it looks like
    cell.quotePrefix = is_formula(value)  # it stays a text when somebody edits it
