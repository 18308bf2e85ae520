"""Checks of method arguments other than values and parameters."""

import inspect
import secrets
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from regretless.arrays import show
from regretless.errors import InvalidInput

__all__ = ["as_bool", "as_key", "as_reason", "same_arguments"]

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def as_bool(value: Any, what: str) -> bool:
    """A flag; anything but a bool is refused."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInput(f"{what} must be True or False, got {show(value)}.")
    return bool(value)


def as_key(key: Any) -> str:
    """The key of a request; a new unique one if none was given."""
    if key is None:
        return secrets.token_hex(8)
    if not isinstance(key, str) or not key:
        raise InvalidInput(f"key must be some text, the same for the same request, got {show(key)}.")
    return key


def as_reason(reason: Any, *, needed: bool = False) -> str:
    """A reason, as text for the record."""
    if not isinstance(reason, str) or (needed and not reason.strip()):
        raise InvalidInput(f"reason must say in words why, for the record, got {show(reason)}.")
    return reason


def same_arguments(
    of: Callable[Arguments, Returned],
) -> Callable[[Callable[..., Returned]], Callable[Arguments, Returned]]:
    """Decorate a function that takes the arguments of ``of``: it shows that signature to readers and type checkers."""

    def decorate(f: Callable[..., Returned]) -> Callable[Arguments, Returned]:
        f.__signature__ = inspect.signature(of)  # type: ignore[attr-defined]
        return f

    return decorate
