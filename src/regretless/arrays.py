"""The one place that turns what people hand in into float64 arrays, plain floats and plain ints."""

import math
import operator
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput

__all__ = [
    "Floats",
    "as_finite_float",
    "as_matrix",
    "as_measurement",
    "as_nonnegative",
    "as_positive",
    "as_vector",
    "as_whole",
    "is_whole",
    "show",
]

Floats = npt.NDArray[np.float64]


def as_finite_float(value: Any, what: str) -> float:
    """One finite float; ``bool``, text, durations, NaN, infinities and anything with more than one element are refused.

    >>> as_finite_float(np.float32(0.5), "value")
    0.5
    """
    number = _as_float(value, what)
    if not math.isfinite(number):
        raise InvalidInput(f"{what} must be finite, got {show(value)}.")
    return number


def as_positive(value: Any, what: str, *, hint: str = "") -> float:
    """A finite float > 0. A ``hint``, a sentence of its own, ends the message."""
    number = as_finite_float(value, what)
    if number <= 0.0:
        raise InvalidInput(f"{what} must be > 0, got {number}.{hint and ' ' + hint}")
    return number


def as_nonnegative(value: Any, what: str, *, hint: str = "") -> float:
    """A finite float >= 0. A ``hint``, a sentence of its own, ends the message."""
    number = as_finite_float(value, what)
    if number < 0.0:
        raise InvalidInput(f"{what} must be >= 0, got {number}.{hint and ' ' + hint}")
    return number


def as_measurement(value: Any, what: str) -> float | None:
    """What a function returned, as a finite float; None, a failed measurement, for NaN and infinities.

    >>> as_measurement(np.array(0.5), "value"), as_measurement(float("nan"), "value")
    (0.5, None)
    """
    number = _as_float(value, what)
    return number if math.isfinite(number) else None


def _as_float(value: Any, what: str) -> float:
    """A float, NaN and infinities included. A number from elsewhere may raise anything: it is never let through."""
    try:
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        # NumPy registers its durations as whole numbers.
        usable = isinstance(value, Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)
        number = float(value) if usable else math.nan
    except OverflowError:
        raise InvalidInput(f"{what} must be finite, got {show(value)}.") from None
    except Exception as error:
        raise InvalidInput(f"{what} must be a real number, got {show(value)}, which raised {show(error)}.") from error
    if not usable:
        raise InvalidInput(f"{what} must be a real number, got {show(value)}.")
    return number


def as_whole(value: Any, what: str, *, least: int = 0, most: int | None = None, hint: str = "") -> int:
    """One ``int`` from ``least`` to ``most``; ``bool``, floats, text and durations are refused.

    A ``hint``, a sentence of its own, ends the message.

    >>> as_whole(np.int64(3), "n_initial")
    3
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        allowed = f">= {least}" if most is None else f"from {least} to {most}"
        raise InvalidInput(f"{what} must be a whole number {allowed}, got {show(value)}.{hint and ' ' + hint}")
    return operator.index(value)


def is_whole(value: Any) -> bool:
    """Whether a value is an ``int`` or a NumPy integer; a bool or a float without a fraction is not.

    >>> is_whole(np.uint8(3)), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    try:  # NumPy registers its durations as whole numbers
        return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
    except Exception:  # classes of others may raise anything here
        return False


def as_vector(values: Any, what: str) -> Floats:
    """A 1-D array of finite floats, copied."""
    array = _as_floats(values, what)
    if array.ndim != 1:
        raise InvalidInput(f"{what} must be one-dimensional, got shape {array.shape}.")
    return array


def as_matrix(values: Any, what: str) -> Floats:
    """A 2-D array of finite floats, copied."""
    array = _as_floats(values, what)
    if array.ndim != 2:
        raise InvalidInput(f"{what} must be two-dimensional (rows, columns), got shape {array.shape}.")
    return array


def _as_floats(values: Any, what: str) -> Floats:
    try:
        given = np.asarray(values)
    except Exception as error:  # objects of others may raise anything here
        raise InvalidInput(f"{what} must be real numbers of one shape: {show(error)}.") from error
    if given.dtype.kind not in "iuf" and given.size:
        kind = "objects" if given.dtype.kind == "O" else given.dtype
        raise InvalidInput(f"{what} must be real numbers of one shape, got {kind}.")
    array = np.array(given, dtype=np.float64, order="C")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise InvalidInput(f"{what} must be finite; entry {tuple(int(i) for i in bad[0])} is {array[tuple(bad[0])]}.")
    return array


def show(value: Any) -> str:
    """A short ``repr`` for messages; never an error, whatever the value is.

    >>> show("depth"), show(10**5000), show(list(range(1000)))
    ("'depth'", 'an int that cannot be shown', 'list of length 1000')
    """
    try:
        text = repr(value)
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(text) > 80:
            return f"{type(value).__name__} of length {len(value)}"
    except Exception:  # whole numbers of thousands of digits have no repr; classes of others may have a broken one
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name} that cannot be shown"
    return text if len(text) <= 80 else text[:77] + "..."
