"""The kinds of parameters, and how their natural notation is read."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces.floats import Float
from regretless.spaces.integers import Int
from regretless.spaces.levels import Categorical, Fixed, Ordinal
from regretless.spaces.scalars import is_number, plain, show

__all__ = ["Categorical", "Dimension", "Fixed", "Float", "Int", "Ordinal", "as_dimension", "as_float_dimension"]

Dimension: TypeAlias = Float | Int | Ordinal | Categorical | Fixed

_MAX_LEVELS = 100_000
_LOG_WORDS = ("log", "log-uniform")
_ALLOWED = (
    "Write (0.0, 1.0) for a real number, (1, 10) for a whole number, (1e-5, 1e-1, 'log') for a log scale, "
    "[1, 2, 4] for ordered levels, ['a', 'b'] for choices, a single value for a fixed one, "
    "or Float, Int, Ordinal, Categorical, Fixed"
)


def as_dimension(entry: Any) -> Dimension:
    """Read one parameter in its natural notation.

    A pair of whole numbers is :class:`Int`, any other pair of numbers :class:`Float`, as scikit-optimize and Ax read
    them; a third entry ``"log"`` asks for a log scale, in a list too: TOML and JSON have no tuples. Any other list is
    its values: numbers in ascending order (:class:`Ordinal`), anything else unordered (:class:`Categorical`). One value
    alone is :class:`Fixed`. A tuple of three numbers is refused: the third could be a step or a level.

    >>> as_dimension((1, 10)), as_dimension((0, 0.5))
    (Int(low=1, high=10, log=False), Float(low=0.0, high=0.5, log=False))
    >>> as_dimension([8, 2, 4]), as_dimension(["relu", "tanh"])
    (Ordinal(levels=(2, 4, 8)), Categorical(choices=('relu', 'tanh')))
    """
    if isinstance(entry, Float | Int | Ordinal | Categorical | Fixed):
        return entry
    entry = plain(entry)
    if isinstance(entry, bool | int | float | str):
        return Fixed(entry)
    if isinstance(entry, range):
        return _from_range(entry)
    if isinstance(entry, np.ndarray) and entry.ndim == 1:
        return _from_levels(entry.tolist())
    if isinstance(entry, tuple) and len(entry) in (2, 3):
        return _from_tuple(tuple(plain(value) for value in entry))
    if isinstance(entry, list | tuple):
        values = [plain(value) for value in entry]
        return _from_tuple(tuple(values)) if _is_log_scale(values) else _from_levels(values)
    if isinstance(entry, set | frozenset):
        raise InvalidInput(f"a set has no order, so runs could not be repeated; got {show(entry)}. Use a list.")
    raise InvalidInput(f"cannot be read as a parameter: {show(entry)}. {_ALLOWED}.")


def as_float_dimension(entry: Any) -> Float:
    """Read bounds as SciPy does: any pair of numbers is a :class:`Float`.

    >>> as_float_dimension((0, 1))
    Float(low=0.0, high=1.0, log=False)
    """
    if isinstance(entry, Float):
        return entry
    if isinstance(entry, np.ndarray):
        entry = entry.tolist()
    if isinstance(entry, list | tuple) and len(entry) in (2, 3):
        low, high = entry[:2]
        if len(entry) == 2 or entry[2] in _LOG_WORDS:
            return Float(low, high, log=len(entry) == 3)
    raise InvalidInput(
        f"bounds must be a pair (low, high) of numbers or a Float, got {show(entry)}. Others go in Mixed."
    )


def _from_tuple(entry: tuple[Any, ...]) -> Dimension:
    low, high = entry[:2]
    log = _is_log_scale(entry)
    if log or (len(entry) == 2 and is_number(low) and is_number(high)):
        return Int(low, high, log) if isinstance(low, int) and isinstance(high, int) else Float(low, high, log)
    if len(entry) == 2 and (is_number(low) or is_number(high)):
        raise InvalidInput(
            f"a pair with one number is neither bounds nor choices: {show(entry)}. Use a list for choices."
        )
    if is_number(low) and is_number(high):
        raise InvalidInput(f"the third of {show(entry)} can only be 'log'. {_in_other_words(*entry)}.")
    return _from_levels(entry)


def _is_log_scale(entry: Sequence[Any]) -> bool:
    """Whether this is a pair of numbers and the word for a log scale."""
    return (
        len(entry) == 3
        and is_number(entry[0])
        and is_number(entry[1])
        and isinstance(entry[2], str)
        and entry[2] in _LOG_WORDS
    )


def _in_other_words(low: Any, high: Any, third: Any) -> str:
    """What a tuple with a third entry may have meant, and how to write it."""
    choices = f"Write {show([low, high, third])} if these three are the choices"
    if not is_number(third):
        return choices
    levels = f"Write {show(sorted([low, high, third]))} if these three are the levels"
    count = (high - low) / third if third > 0 else 0.0
    if not 1 <= count < _MAX_LEVELS or abs(count - round(count)) > 1e-9:
        return levels
    kind = "Int" if all(isinstance(number, int) for number in (low, high, third)) else "Float"
    return f"{levels}, or {kind}({show(low)}, {show(high)}, step={show(third)}) if {third} is a step"


def _from_levels(values: Sequence[Any]) -> Ordinal | Categorical:
    if values and all(is_number(value) and value == value for value in values):
        return Ordinal(sorted(values))
    return Categorical(values)


def _from_range(entry: range) -> Dimension:
    if len(entry) == 0:
        raise InvalidInput(f"{entry!r} is empty. Give a range with at least one number.")
    if len(entry) == 1:
        return Fixed(entry[0])
    if abs(entry.step) == 1:
        return Int(min(entry[0], entry[-1]), max(entry[0], entry[-1]))
    if len(entry) > _MAX_LEVELS:
        raise InvalidInput(
            f"{entry!r} has {len(entry)} levels, more than {_MAX_LEVELS}. Use Int(low, high) and multiply."
        )
    return Ordinal(sorted(entry))
