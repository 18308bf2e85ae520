"""From text to numbers, without a guess: what has two readings is refused, and the message says how to decide."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from regretless.errors import InvalidInput
from regretless.spaces.csvfile import is_number
from regretless.spaces.scalars import Scalar, show

__all__ = ["Value", "as_factor", "as_measured", "decimal_mark", "is_pending"]

#: A number, ``None`` where nothing was measured yet, or the word for an experiment that gave nothing.
Value: TypeAlias = float | Literal["failed"] | None

_ERRORS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"})
_FAILED = frozenset({"failed", "fail"})
_WITH_UNIT = re.compile(r"[+-]?\d[\d.,\s']*\s*[^\W\d_°%/µ]{0,5}[°%/µ]?[^\W\d_]{0,5}")  # 20 C, 5%, 1 000, 3 mg/ml
_BEYOND = 2**53  # whole numbers up to here are exact as floats


def decimal_mark(columns: Mapping[str, Sequence[str]], delimiter: str, asked: str | None) -> str:
    """The decimal mark of a file: a comma only where the file leaves no doubt, or where it was asked for.

    >>> decimal_mark({"dose": ["1,5", "2"]}, ";", None), decimal_mark({"dose": ["1.5", "2"]}, ",", None)
    (',', '.')
    """
    if asked is not None:
        return asked
    comma, point = None, None
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
    if comma is not None and point is not None:
        raise InvalidInput(
            f"column {comma[0]!r} has commas ({comma[1]}) and column {point[0]!r} points ({point[1]}): which is "
            "the decimal mark? Pass --decimal ',' or --decimal '.', and write the other numbers without separators."
        )
    if comma is not None and delimiter != ";":
        raise InvalidInput(
            f"column {comma[0]!r} holds {comma[1]}. Pass --decimal ',' if the comma is the decimal mark; if it "
            "separates thousands, write the numbers without it."
        )
    return "," if comma is not None else "."


def as_factor(cells: Sequence[str], lines: Sequence[int], name: str, *, decimal: str, text: bool) -> list[Scalar]:
    """A column of a factor: all numbers, or all text. ``text`` says that numbers in it are labels."""
    for line, cell in zip(lines, cells, strict=True):
        if not cell:
            raise InvalidInput(f"line {line}, column {name!r} is empty. Fill it, drop the row, or --ignore {name}.")
        if cell in _ERRORS:
            raise InvalidInput(f"line {line}, column {name!r} holds the error {cell}. Correct it in the spreadsheet.")
    if text:
        return list(cells)
    numeric = [is_number(cell, decimal) for cell in cells]
    other = "." if decimal == "," else ","
    if not any(numeric) and not any(is_number(cell, other) for cell in cells):
        return _as_levels(cells, name)
    if not all(numeric):
        i = numeric.index(False)
        raise InvalidInput(
            f"column {name!r} holds numbers, but {show(cells[i])} in line {lines[i]}. Write a plain number there"
            f"{_hint(cells[i])}, with the decimal mark {decimal!r}; or pass --categorical {name} if its values are "
            f"names, or --ignore {name}."
        )
    if all(cell.lstrip("+-").isdecimal() for cell in cells) and all(abs(int(cell)) <= _BEYOND for cell in cells):
        return [int(cell) for cell in cells]
    return [_float(cell, f"line {line}, column {name!r}") for line, cell in zip(lines, _with_point(cells), strict=True)]


def as_measured(cell: str, line: int, name: str, *, decimal: str) -> Value:
    """What a cell of the objective says: a number, nothing yet (empty or PENDING), or "failed".

    >>> [as_measured(cell, 2, "yield", decimal=".") for cell in ("81.2", "", "PENDING", "failed")]
    [81.2, None, None, 'failed']
    """
    if not cell or is_pending(cell):
        return None
    if cell.casefold() in _FAILED:
        return "failed"
    if not is_number(cell, decimal):
        raise InvalidInput(
            f"line {line}, column {name!r}: {show(cell)} is not a number{_hint(cell)}. Write a number with the decimal "
            f"mark {decimal!r}, leave the cell empty if nothing was measured, or write failed."
        )
    return _float(_with_point([cell])[0], f"line {line}, column {name!r}")


def is_pending(cell: str) -> bool:
    """Whether the cell is EDBO+'s word for "not measured yet"."""
    return cell.casefold() == "pending"


def _as_levels(cells: Sequence[str], name: str) -> list[Scalar]:
    if all(_WITH_UNIT.fullmatch(cell) for cell in cells):
        raise InvalidInput(
            f"column {name!r} looks like numbers with something else ({show(cells[0])}). Write plain numbers, with the "
            f"unit in the column's name; or pass --categorical {name} if these are names."
        )
    levels = len(set(cells))
    if levels > max(10, len(cells) // 2):
        raise InvalidInput(
            f"column {name!r} holds {levels} different texts in {len(cells)} rows: hardly a factor. Pass --id {name} "
            f"if it names the rows, --ignore {name} if it holds notes, or --categorical {name} if it is a factor."
        )
    return list(cells)


def _hint(cell: str) -> str:
    bare = cell.replace("\u2212", "-").rstrip("%°CFKkgmlLMh \u00a0")
    if bare != cell and (is_number(bare, ".") or is_number(bare, ",")):
        return f", such as {bare}, without the unit"
    return ""


def _with_point(cells: Sequence[str]) -> list[str]:
    return [cell.replace(",", ".") for cell in cells]


def _float(cell: str, where: str) -> float:
    number = float(cell)
    if not math.isfinite(number):
        raise InvalidInput(f"{where}: {cell} is too large for a number. Write it in another unit.")
    return number + 0.0  # -0.0 and 0.0 are one value
