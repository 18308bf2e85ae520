"""A result as it stands in a cell: a number, several of one experiment, nothing yet, or failed; and its known error."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from regretless.errors import InvalidInput
from regretless.spaces.files.cells import Advice, as_float, hint, is_number
from regretless.spaces.scalars import show

__all__ = [
    "Measurement",
    "Value",
    "as_error",
    "as_measured",
    "error_columns",
    "error_names",
    "is_word",
    "numbers_of",
    "plain_cells",
    "result_cell",
    "stray_errors",
    "with_error",
]

_FAILED = frozenset({"failed", "fail"})
_PENDING = "pending"  # what EDBO+ writes where nothing was measured yet
#: Between replicates. Without the blank, 81;2 may be a decimal comma that was typed with the shift key.
_BETWEEN = re.compile(r"\s*;\s+")
_NAME_UNIT = re.compile(r"(?P<name>.*\S)\s*(?P<unit>\[[^\[\]]+\])", re.DOTALL)
_ERROR_NAMES = ("{} sd", "{}_sd", "{} ±")
_STRAY = re.compile(
    r"sd|std|stdev|stddev|sdev|se|sem|s\.?e\.?m?\.?|s\.?d\.?|err|error|stderr|std\.? ?err(or)?|std\.? ?dev(iation)?|"
    r"standard (error|deviation)|uncertainty|sigma|σ|±|\+/-|\+-|var|variance",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One experiment measured several times, or a number whose standard deviation is known; ``sd`` is of each number.

    >>> Measurement((80.1, 81.3), sd=0.4).numbers
    (80.1, 81.3)
    """

    numbers: tuple[float, ...]
    sd: float | None = None


#: A number, a `Measurement`, ``None`` where nothing was measured yet, or the word for an experiment that gave nothing.
Value: TypeAlias = float | Measurement | Literal["failed"] | None


def numbers_of(value: Value) -> tuple[float, ...]:
    """The numbers of a result: one, several, or none."""
    if isinstance(value, Measurement):
        return value.numbers
    return () if value is None or isinstance(value, str) else (value,)


def with_error(numbers: Sequence[float], sd: float | None) -> float | Measurement:
    """A plain number where no more is known.

    >>> with_error([81.2], None), with_error([81.2], 0.4)
    (81.2, Measurement(numbers=(81.2,), sd=0.4))
    """
    return numbers[0] if len(numbers) == 1 and sd is None else Measurement(tuple(numbers), sd)


def as_measured(cell: str, line: int, name: str, *, decimal: str, advice: Advice, sd: float | None = None) -> Value:
    """A number, several with a semicolon and a blank between them, nothing yet (empty or PENDING), or "failed".

    >>> from regretless.spaces.files import Reading
    >>> advice = Reading().advice
    >>> [as_measured(cell, 2, "yield", decimal=".", advice=advice) for cell in ("81.2", "", "PENDING", "failed")]
    [81.2, None, None, 'failed']
    >>> as_measured("80.1; 81.3", 2, "yield", decimal=".", advice=advice)
    Measurement(numbers=(80.1, 81.3), sd=None)
    """
    word = cell.casefold()
    if not cell or word == _PENDING:
        return None
    if word in _FAILED:
        return "failed"
    where = f"line {line}, column {name!r}"
    parts = _BETWEEN.split(cell)
    for part in parts:
        if not is_number(part, decimal):
            raise InvalidInput(_not_a_number(cell, part, where, decimal, advice))
    return with_error([as_float(part, where) for part in parts], sd)


def as_error(cell: str, line: int, name: str, *, decimal: str) -> float | None:
    """A known standard deviation; None where the cell is empty."""
    if not cell:
        return None
    where = f"line {line}, column {name!r}"
    sd = as_float(cell, where) if is_number(cell, decimal) else -1.0
    if sd <= 0.0:
        raise InvalidInput(
            f"{where}: {show(cell)} is not a standard deviation{hint(cell)}. Write a positive number with the decimal "
            f"mark {decimal!r}, in the unit of the result, or leave the cell empty where it is not known."
        )
    return sd


def result_cell(value: float | Measurement, decimal: str = ".") -> float | str:
    """A result as it is written to a cell, so that `as_measured` reads it back.

    >>> result_cell(Measurement((80.1, 81.0), 0.4)), result_cell(81.2)
    ('80.1; 81', 81.2)
    """
    numbers = numbers_of(value)
    if len(numbers) == 1:
        return numbers[0]
    return "; ".join(repr(number).removesuffix(".0").replace(".", decimal) for number in numbers)


def is_word(cell: str) -> bool:
    """Whether the cell holds one of the words that stand in place of a result."""
    return cell.casefold() in {*_FAILED, _PENDING}


def plain_cells(cells: Iterable[str]) -> tuple[str, ...]:
    """Cells of results with every number on its own and without words: what tells the decimal mark.

    >>> plain_cells(["80,1; 81", "failed", ""])
    ('80,1', '81', '')
    """
    return tuple(part for cell in cells if not is_word(cell) for part in _BETWEEN.split(cell))


def error_columns(columns: Iterable[str], outcomes: Sequence[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """The column with the known standard deviation of each outcome, as far as there is one.

    It is called ``yield sd``, ``yield_sd`` or ``yield ±``; of ``yield [%]`` the unit may stand last. Columns that are
    ``taken`` have another role.

    >>> error_columns(["T", "yield [%]", "yield sd [%]"], ["yield [%]"])
    {'yield [%]': 'yield sd [%]'}
    """
    free = [column for column in columns if column not in {*outcomes, *taken}]
    found: dict[str, str] = {}
    for outcome in outcomes:
        named = [column for column in free if column in error_names(outcome)]
        if len(named) > 1:
            raise InvalidInput(
                f"columns {named[0]!r} and {named[1]!r} both hold the standard deviation of {outcome!r}. Keep one."
            )
        if named:
            found[outcome] = named[0]
    return found


def stray_errors(columns: Iterable[str], outcomes: Sequence[str]) -> dict[str, str]:
    """Columns that look like the error of an outcome under another name, with the outcome each may belong to.

    >>> stray_errors(["yield std", "yield", "T"], ["yield"])
    {'yield std': 'yield'}
    """
    found = {}
    for column in columns:
        for outcome in outcomes:
            rest = _rest(column, outcome)
            known = column in outcomes or column in error_names(outcome)
            if not known and rest is not None and _STRAY.fullmatch(rest):
                found[column] = outcome
    return found


def error_names(outcome: str) -> tuple[str, ...]:
    """What the column with the known standard deviation of an outcome may be called, first what we call it.

    >>> error_names("mass [mg]")[:4]
    ('mass [mg] sd', 'mass [mg]_sd', 'mass [mg] ±', 'mass sd [mg]')
    """
    parted = _NAME_UNIT.fullmatch(outcome)
    whole = [text.format(outcome) for text in _ERROR_NAMES]
    inside = [f"{text.format(parted['name'])} {parted['unit']}" for text in _ERROR_NAMES] if parted else []
    return (*whole, *inside)


def _rest(column: str, outcome: str) -> str | None:
    """What the name of a column says beside the name of an outcome, without brackets and signs that join."""
    parted = _NAME_UNIT.fullmatch(outcome)
    for name in (outcome, *([parted["name"]] if parted else [])):
        rest = re.sub(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", " ", column, count=1)
        if rest != column:
            return rest.replace(parted["unit"] if parted else "\0", " ").strip(" _-.:,()[]")
    return None


def _not_a_number(cell: str, part: str, where: str, decimal: str, advice: Advice) -> str:
    other = "." if decimal == "," else ","
    if part.count(";") and all(is_number(each, decimal) for each in part.split(";")):
        return (
            f"{where}: {show(cell)} has two readings. If it is several measurements, write a blank after each "
            f"semicolon: {part.replace(';', '; ')}; if it is one number, write its decimal mark as {decimal!r}."
        )
    which = "" if part == cell else f": {show(part)}"
    otherwise = f" Or use {advice('decimal', other)} if that is its decimal mark." if is_number(part, other) else ""
    return (
        f"{where}: {show(cell)} is not a number{which}{hint(part)}. Write a number with the decimal mark {decimal!r}, "
        f"leave the cell empty if nothing was measured, or write failed.{otherwise}"
    )
