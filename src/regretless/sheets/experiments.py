"""A sheet read as experiments: rows of factors, and what was measured."""

from collections.abc import Mapping, Sequence
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
    """Rows of a file, each an experiment that was done or could be; ``results`` has a column per outcome.

    ``results["yield"][i]`` is a number, "failed", or None where nothing was measured yet.
    """

    results: Mapping[str, tuple[Value, ...]]

    @property
    def values(self) -> tuple[Value, ...]:
        """The results of the first outcome; None everywhere where none was named."""
        return next(iter(self.results.values()), (None,) * len(self))

    def measured(self, i: int) -> dict[str, float | Literal["failed"]]:
        """What is known of row ``i``, by outcome; nothing of a row that was not measured."""
        return {name: column[i] for name, column in self.results.items() if column[i] is not None}  # type: ignore[misc]

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
    outcomes: str | Sequence[str] = (),
    must_have: bool = True,
) -> Experiments:
    """Read a file as a lab keeps it: columns of factors, and of results that are filled as far as they are known.

    ``outcomes`` are the columns of results. With ``must_have`` each must be there; else one that is not is empty,
    unless a column has nearly its name.
    """
    reading = Reading() if reading is None else reading
    names = (outcomes,) if isinstance(outcomes, str) else tuple(outcomes)
    sheet = read_sheet(path, reading)
    cells = {name: _column(sheet, name, names, reading, must_have) for name in names}
    apart = {name: tuple(cell for cell in column if not is_word(cell)) for name, column in cells.items()}
    found = factors_of(sheet, reading, apart)
    try:
        results = {
            name: tuple(
                as_measured(cell, line, name, decimal=found.dialect.decimal, advice=reading.advice)
                for cell, line in zip(column, sheet.lines, strict=True)
            )
            for name, column in cells.items()
        }
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    return Experiments(**{part.name: getattr(found, part.name) for part in fields(found)}, results=results)


def _column(sheet: Sheet, name: str, outcomes: tuple[str, ...], reading: Reading, must: bool) -> tuple[str, ...]:
    """The cells of an outcome; empty ones where the file has no such column and need not have it."""
    if name in sheet.columns:
        return sheet.columns[name]
    if must:
        sheet.check_known((name,), reading.option("objective") if name == outcomes[0] else "a result")
    if hint := did_you_mean(name, [column for column in sheet.columns if column not in outcomes]):
        raise InvalidInput(
            f"{sheet.path} has no column {name!r}.{hint} Spell it as in the file; or rename what is measured, "
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
