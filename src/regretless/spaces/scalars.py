"""Scalars from users: plain Python numbers, text, booleans and None; NumPy scalars become plain."""

import difflib
import math
import shlex
import sys
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from regretless.arrays import as_finite_float, show
from regretless.errors import InvalidInput

__all__ = [
    "Scalar",
    "as_int",
    "as_level",
    "as_number",
    "check_bounds",
    "check_reach",
    "did_you_mean",
    "is_number",
    "listed",
    "pasteable",
    "plain",
    "show",
]

Scalar: TypeAlias = int | float | str | bool | None

#: Data may lie this many widths of a column beyond its ends. Farther away the model cannot relate it to any candidate.
_REACH = 10.0


def plain(value: Any) -> Any:
    """A NumPy scalar or 0-d array as the Python object it stands for; anything else as it is.

    >>> plain(np.int64(3)), plain("a")
    (3, 'a')
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    return value


def is_number(value: Any) -> bool:
    """Whether a plain value is a real number; a bool is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_number(value: Any, what: str) -> float:
    """One finite float. A whole number too large for a float is refused like an infinity."""
    return as_finite_float(value, what) + 0.0  # -0.0 and 0.0 are one value; keep the one people write


def as_int(value: Any, what: str) -> int:
    """One ``int``, for values of a parameter: unlike for `as_whole`, floats without a fraction pass.

    >>> as_int(3.0, "depth")
    3
    """
    value = plain(value)
    if is_number(value) and isinstance(value, Integral):
        return int(value)
    number = as_number(value, what)
    if number != math.floor(number):
        raise InvalidInput(f"{what} must be a whole number, got {show(value)}.")
    return int(number)


def as_level(value: Any, what: str) -> Scalar:
    """One value of a list of choices: a finite number, text, a bool or None, never a container."""
    value = plain(value)
    if not isinstance(value, int | float | str | None):
        raise InvalidInput(
            f"{what} must be a number, text, a bool or None, got {show(value)} of type {type(value).__name__}. "
            f"Name the choice by a text and look the object up in your own function."
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{what} must not be {value}. Use a finite number, or a text such as '{value}'.")
    return value


def check_reach(code: float, value: Any, what: str, low: Any, high: Any) -> float:
    """The code of a value beyond [low, high], whose codes are 0 and 1; refused if it is implausibly far away.

    >>> check_reach(1.25, 85, "T", 60, 80)
    1.25
    """
    if not -_REACH <= code <= 1.0 + _REACH:
        raise InvalidInput(
            f"{what} is {show(value)}, more than {_REACH:g} times the width of its range {show(low)} to {show(high)} "
            "beyond it. Check the number and its unit."
        )
    return code


def check_bounds(low: float, high: float, log: Any) -> None:
    """Refuse bounds that no range of numbers has."""
    if not isinstance(log, bool):
        raise InvalidInput(f"log must be True or False, got {show(log)}.")
    if low == high:
        raise InvalidInput(
            f"low and high are both {show(low)}. For a parameter that does not vary use Fixed({show(low)})."
        )
    if low > high:
        raise InvalidInput(f"low must be below high, got low={show(low)} and high={show(high)}. Swap them.")
    if log and low <= 0:
        raise InvalidInput(f"log=True needs low > 0, got low={show(low)}. Raise low, or leave log out.")


def did_you_mean(word: Any, known: Iterable[Any]) -> str:
    """A hint such as " Did you mean 'depth'?", or nothing where no known word is close.

    >>> did_you_mean("detph", ["depth", "width"])
    " Did you mean 'depth'?"
    """
    close = difflib.get_close_matches(word if isinstance(word, str) else show(word), [str(k) for k in known], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def listed(values: Sequence[Any]) -> str:
    """Up to ten values for messages, and how many there are beyond.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(show(value) for value in values[:10])
    return shown + (f", ... ({len(values)} in all)" if len(values) > 10 else "")


def pasteable(words: Sequence[str]) -> str:
    """The words of a command as they can be pasted into the shell of this system.

    >>> pasteable(["record", "round_1.csv"])
    'record round_1.csv'
    """
    if sys.platform == "win32":  # cmd knows double quotes only, PowerShell knows them too
        import subprocess

        return subprocess.list2cmdline(words)
    return shlex.join(words)
