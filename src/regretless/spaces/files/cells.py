"""From text to numbers, without guessing: ambiguous text is refused, and the message says how to decide."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from regretless.errors import InvalidInput
from regretless.spaces.scalars import Scalar, show

__all__ = ["Advice", "as_factor", "as_float", "decimal_mark", "hint", "is_number"]

#: How to say an option and its value, at a prompt or in Python.
Advice = Callable[[str, str], str]

_POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)  # 1.000, as a German Excel writes a thousand
_ERRORS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"})
_WITH_UNIT = re.compile(r"[+-]?\d[\d.,\s']*\s*[^\W\d_°%/µ]{0,5}[°%/µ]?[^\W\d_]{0,5}")  # 20 C, 5%, 1 000, 3 mg/ml
_DATE = re.compile(r"\d{4}-\d\d-\d\d\b")
_BEYOND = 2**53  # whole numbers up to here are exact as floats


def is_number(cell: str, decimal: str) -> bool:
    """Whether the text is a plain number with this decimal mark, without spaces, units or separators of thousands.

    >>> is_number("-1.5e3", "."), is_number("1,5", ","), is_number("1,5", "."), is_number("5 %", ".")
    (True, True, False, False)
    """
    return (_COMMA if decimal == "," else _POINT).fullmatch(cell) is not None


def decimal_mark(columns: Mapping[str, Sequence[str]], delimiter: str, asked: str | None, advice: Advice) -> str:
    """The decimal mark of a file: a comma only where the file leaves no doubt, or where it was asked for."""
    if asked is not None:
        return asked
    comma, point, thousands, settled = None, None, None, False
    for name, column in columns.items():
        cells = [cell for cell in column if cell]
        if not cells or not all(is_number(cell, ".") or is_number(cell, ",") for cell in cells):
            continue
        commas, points = ([cell for cell in cells if mark in cell] for mark in ",.")
        if commas and points:
            raise InvalidInput(
                f"column {name!r} mixes decimal points and decimal commas ({points[0]} and {commas[0]}). "
                "Use one of them."
            )
        comma = (name, commas[0]) if commas and comma is None else comma
        point = (name, points[0]) if points and point is None else point
        like_thousands = bool(points) and all(map(_THOUSANDS.fullmatch, points))
        thousands = (name, points[0]) if like_thousands and thousands is None else thousands
        settled = settled or (bool(points) and not like_thousands)  # 0.5 elsewhere: then 1.500 is one and a half
    if comma is not None and point is not None:
        raise InvalidInput(
            f"column {comma[0]!r} has commas ({comma[1]}) and column {point[0]!r} points ({point[1]}): which is the "
            f"decimal mark? Use {advice('decimal', ',')} or {advice('decimal', '.')} to decide, and write the other "
            "numbers without separators."
        )
    if comma is not None and delimiter != ";":
        raise InvalidInput(
            f"column {comma[0]!r} holds {comma[1]}. Use {advice('decimal', ',')} if the comma is the decimal mark; if "
            "it separates thousands, write the numbers without it."
        )
    if comma is None and thousands is not None and delimiter == ";" and not settled:
        raise InvalidInput(
            f"column {thousands[0]!r} holds {thousands[1]}. Use {advice('decimal', '.')} if the point is the decimal "
            "mark; if it separates thousands, write the numbers without it."
        )
    return "," if comma is not None else "."


def as_factor(
    cells: Sequence[str],
    lines: Sequence[int],
    name: str,
    *,
    decimal: str,
    text: bool,
    advice: Advice,
    optional: bool = False,
) -> list[Scalar]:
    """A column of a factor: all numbers, or all text. ``text`` says that numbers in it are labels.

    Where it is ``optional``, empty cells are None.
    """
    if optional and "" in cells:
        filled = [i for i, cell in enumerate(cells) if cell]
        if not filled:
            return [None] * len(cells)
        values = as_factor(
            [cells[i] for i in filled], [lines[i] for i in filled], name, decimal=decimal, text=text, advice=advice
        )  # fmt: skip
        known = dict(zip(filled, values, strict=True))
        return [known.get(i) for i in range(len(cells))]
    for line, cell in zip(lines, cells, strict=True):
        if not cell:
            raise InvalidInput(
                f"line {line}, column {name!r} is empty. Fill it, drop the row, or use {advice('ignore', name)} to "
                "leave the column out."
            )
        if cell in _ERRORS:
            raise InvalidInput(f"line {line}, column {name!r} holds the error {cell}. Correct it in the spreadsheet.")
    if text:
        return list(cells)
    numeric = [is_number(cell, decimal) for cell in cells]
    other = "." if decimal == "," else ","
    if not any(numeric) and not any(is_number(cell, other) for cell in cells):
        return _as_levels(cells, name, advice)
    if not all(numeric):
        strange = [i for i, cell in enumerate(cells) if not (is_number(cell, ".") or is_number(cell, ","))]
        i = strange[0] if strange else numeric.index(False)
        raise InvalidInput(
            f"column {name!r} holds numbers, but {show(cells[i])} in line {lines[i]}{hint(cells[i])}. Write a plain "
            f"number there, with the decimal mark {decimal!r}; or use {advice('categorical', name)} if its values are "
            f"names, or {advice('ignore', name)} to leave it out."
        )
    if all(cell.lstrip("+-").isdecimal() and abs(float(cell)) <= _BEYOND for cell in cells):
        return [int(cell) for cell in cells]
    return [as_float(cell, f"line {line}, column {name!r}") for line, cell in zip(lines, cells, strict=True)]


def as_float(cell: str, where: str) -> float:
    """A number with either decimal mark."""
    number = float(cell.replace(",", "."))
    if not math.isfinite(number):
        raise InvalidInput(f"{where}: {cell} is too large for a number. Write it in another unit.")
    return number + 0.0  # -0.0 and 0.0 are one value


def hint(cell: str) -> str:
    """What is wrong with a cell that should be a number, if that is clear.

    >>> hint("40 °C"), hint("hot"), hint("2026-05-01 00:00:00")
    (' (40, without the unit?)', '', ' (taken for a date by the spreadsheet)')
    """
    if _DATE.match(cell):
        return " (taken for a date by the spreadsheet)"
    bare = cell.replace("\u2212", "-").rstrip("%°CFKkgmlLMh \u00a0")
    if bare != cell and (is_number(bare, ".") or is_number(bare, ",")):
        return f" ({bare}, without the unit?)"
    return ""


def _as_levels(cells: Sequence[str], name: str, advice: Advice) -> list[Scalar]:
    if all(_WITH_UNIT.fullmatch(cell) for cell in cells):
        raise InvalidInput(
            f"column {name!r} looks like numbers with something else ({show(cells[0])}). Write plain numbers, with the "
            f"unit in the column's name; or use {advice('categorical', name)} if these are names."
        )
    levels = len(set(cells))
    if levels > max(10, len(cells) // 2):
        raise InvalidInput(
            f"column {name!r} holds {levels} different texts in {len(cells)} rows: hardly a factor. Use "
            f"{advice('id', name)} if it names the rows, {advice('ignore', name)} if it holds notes, or "
            f"{advice('categorical', name)} if it is a factor."
        )
    return list(cells)
