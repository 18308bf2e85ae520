"""A sheet read as experiments: rows of factors, and what was measured."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, TypeAlias

from regretless.errors import InvalidInput
from regretless.spaces import Repeats, Table
from regretless.spaces.files import Factors, Reading, Sheet, read_sheet
from regretless.spaces.files.cells import Advice, as_float, hint, is_number
from regretless.spaces.files.factors import factors_of
from regretless.spaces.scalars import did_you_mean, show

__all__ = ["Experiments", "Value", "as_measured", "is_word", "read_experiments"]

#: A number, ``None`` where nothing was measured yet, or the word for an experiment that gave nothing.
Value: TypeAlias = float | Literal["failed"] | None

_FAILED = frozenset({"failed", "fail"})
_PENDING = "pending"  # what EDBO+ writes where nothing was measured yet


@dataclass(frozen=True, slots=True)
class Experiments(Factors):
    """Rows of a file, each an experiment that was done (``values[i]`` a number or "failed") or could be (None)."""

    values: tuple[Value, ...]

    @property
    def row_name(self) -> str:
        """What the names of rows are called: the id's column, or the line of the file."""
        return self.id if self.id is not None else "line" if "line" not in self.factors else "line of the file"

    def table(self, repeats: Repeats | None = None) -> Table:
        """The candidates: every row, measured or not."""
        return Table.of_factors(self, repeats=repeats)


def read_experiments(
    path: str | Path,
    reading: Reading | None = None,
    *,
    objective: str | None = None,
    must_have_objective: bool = True,
) -> Experiments:
    """Read a file as a lab keeps it: columns of factors, and one of results that is filled as far as they are known."""
    reading = Reading() if reading is None else reading
    sheet = read_sheet(path, reading)
    measured = _objective(sheet, objective, reading, must_have_objective)
    apart = {} if objective is None else {objective: tuple(cell for cell in measured if not is_word(cell))}
    found = factors_of(sheet, reading, apart)
    try:
        values = tuple(
            as_measured(cell, line, objective or "", decimal=found.dialect.decimal, advice=reading.advice)
            for cell, line in zip(measured, sheet.lines, strict=True)
        )
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    return Experiments(**{part.name: getattr(found, part.name) for part in fields(found)}, values=values)


def _objective(sheet: Sheet, objective: str | None, reading: Reading, must: bool) -> tuple[str, ...]:
    if objective is not None and objective in sheet.columns:
        return sheet.columns[objective]
    if objective is not None and must:
        sheet.check_known((objective,), reading.option("objective"))
    if objective is not None and (hint := did_you_mean(objective, sheet.columns)):
        raise InvalidInput(
            f"{sheet.path} has no column {objective!r}.{hint} Spell it as in the file; or rename what is measured, "
            "so that it cannot be taken for one of the factors."
        )
    return ("",) * len(sheet)


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
