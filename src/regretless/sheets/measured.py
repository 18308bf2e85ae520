"""What a cell of the objective says."""

from typing import Literal, TypeAlias

from regretless.errors import InvalidInput
from regretless.spaces.files.cells import Advice, as_float, hint, is_number
from regretless.spaces.scalars import show

__all__ = ["Value", "as_measured", "is_word"]

#: A number, ``None`` where nothing was measured yet, or the word for an experiment that gave nothing.
Value: TypeAlias = float | Literal["failed"] | None

_FAILED = frozenset({"failed", "fail"})
_PENDING = "pending"  # what EDBO+ writes where nothing was measured yet


def as_measured(cell: str, line: int, name: str, *, decimal: str, advice: Advice) -> Value:
    """A number, nothing yet (empty or PENDING), or "failed".

    >>> from regretless.spaces.files import Reading
    >>> advice = Reading().advice
    >>> [as_measured(cell, 2, "yield", decimal=".", advice=advice) for cell in ("81.2", "", "PENDING", "failed")]
    [81.2, None, None, 'failed']
    """
    word = cell.casefold()
    if not cell or word == _PENDING:
        return None
    if word in _FAILED:
        return "failed"
    if not is_number(cell, decimal):
        other = "." if decimal == "," else ","
        otherwise = f" Or use {advice('decimal', other)} if that is its decimal mark." if is_number(cell, other) else ""
        raise InvalidInput(
            f"line {line}, column {name!r}: {show(cell)} is not a number{hint(cell)}. Write a number with the "
            f"decimal mark {decimal!r}, leave the cell empty if nothing was measured, or write failed.{otherwise}"
        )
    return as_float(cell, f"line {line}, column {name!r}")


def is_word(cell: str) -> bool:
    """Whether the cell holds one of the words that stand in place of a result."""
    return cell.casefold() in {*_FAILED, _PENDING}
