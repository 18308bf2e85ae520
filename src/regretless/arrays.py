"""The one place that turns what people hand in into float64 arrays."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput

__all__ = ["Floats", "as_finite_float", "as_matrix", "as_vector"]

Floats = npt.NDArray[np.float64]


def as_finite_float(value: Any, what: str) -> float:
    """One finite float; ``bool``, text, NaN, infinities and anything with more than one element are refused.

    >>> as_finite_float(np.float32(0.5), "value")
    0.5
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InvalidInput(f"{what} must be one real number, got {_show(value)}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(
            f"{what} must be finite, got {_show(value)}. A trial without a result is told as failed=True."
        )
    return number


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
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what} must be real numbers of one shape: {error}.") from error
    if given.dtype.kind not in "iuf" and given.size:
        kind = "objects" if given.dtype.kind == "O" else given.dtype
        raise InvalidInput(f"{what} must be real numbers of one shape, got {kind}.")
    array = np.array(given, dtype=np.float64, order="C")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise InvalidInput(f"{what} must be finite; entry {tuple(int(i) for i in bad[0])} is {array[tuple(bad[0])]}.")
    return array


def _show(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # whole numbers of thousands of digits have no repr
        return f"a {type(value).__name__} too long to show"
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(text) > 60:
        return f"{type(value).__name__} of length {len(value)}"
    return text if len(text) <= 80 else text[:77] + "..."
