"""Constraints as trees: arithmetic over parameters, comparisons, and what combines them.

A tree is data, made by `regretless.spaces.constraints.syntax`. Nothing here or there runs code of the user's text.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from regretless.arrays import Floats
from regretless.spaces.scalars import Scalar

__all__ = [
    "FUNCTIONS",
    "All",
    "Any_",
    "Call",
    "Comparison",
    "Constant",
    "Member",
    "Name",
    "Not",
    "Number",
    "Operation",
    "Tree",
    "linear_form",
    "names_in",
    "size_of",
    "value_of",
]

#: Functions of a constraint, with the numbers of arguments they take (at least, at most).
FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "abs": (np.abs, 1, 1),
    "exp": (np.exp, 1, 1),
    "log": (np.log, 1, 1),
    "log10": (np.log10, 1, 1),
    "max": (lambda *values: np.maximum.reduce(np.broadcast_arrays(*values)), 2, 100),
    "min": (lambda *values: np.minimum.reduce(np.broadcast_arrays(*values)), 2, 100),
    "sqrt": (np.sqrt, 1, 1),
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """Text, True, False or None: a value of a category."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Operation:
    """``left`` + - * / or ** ``right``."""

    op: str
    left: "Arithmetic"
    right: "Arithmetic"


@dataclass(frozen=True, slots=True)
class Call:
    """One of `FUNCTIONS` of some arguments."""

    function: str
    arguments: tuple["Arithmetic", ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left`` <=, >=, == or != ``right``."""

    op: str
    left: "Arithmetic | Constant"
    right: "Arithmetic | Constant"


@dataclass(frozen=True, slots=True)
class Member:
    """A parameter is, or with ``inside`` False is not, one of some values."""

    name: str
    values: tuple[Scalar, ...]
    inside: bool = True


@dataclass(frozen=True, slots=True)
class All:
    """Every one of these."""

    parts: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Any_:  # noqa: N801 - `Any` is taken
    """At least one of these."""

    parts: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    part: "Tree"


Arithmetic: TypeAlias = Number | Name | Operation | Call
Tree: TypeAlias = Comparison | Member | All | Any_ | Not


def names_in(tree: Any) -> Iterator[str]:
    """The parameters of a tree, with repetitions."""
    match tree:
        case Name(name) | Member(name):
            yield name
        case Operation(_, left, right) | Comparison(_, left, right):
            yield from names_in(left)
            yield from names_in(right)
        case Call(_, parts) | All(parts) | Any_(parts):
            for part in parts:
                yield from names_in(part)
        case Not(part):
            yield from names_in(part)


def value_of(tree: Arithmetic, values: Mapping[str, Any]) -> Any:
    """The values of an arithmetic tree, row by row; NaN or infinite where undefined.

    >>> value_of(Operation("*", Number(2.0), Name("x")), {"x": np.array([1.0, 3.0])})
    array([2., 6.])
    """
    match tree:
        case Number(value):
            return value
        case Name(name):
            return values[name]
        case Call(function, arguments):
            return FUNCTIONS[function][0](*(value_of(part, values) for part in arguments))
        case Operation(op, left, right):
            return _combined(op, value_of(left, values), value_of(right, values))


def size_of(tree: Arithmetic, values: Mapping[str, Any]) -> Any:
    """The sum of the sizes of the terms: what rounding errors of `value_of` are measured by.

    >>> size_of(Operation("-", Name("x"), Number(3.0)), {"x": np.array([3.0])})
    array([6.])
    """
    match tree:
        case Operation(("+" | "-"), left, right):
            return size_of(left, values) + size_of(right, values)
        case Operation("*", left, right):
            return size_of(left, values) * size_of(right, values)
        case _:
            return np.abs(value_of(tree, values))


def linear_form(tree: Arithmetic, known: Mapping[str, float]) -> tuple[dict[str, float], float] | None:
    """Coefficients and constant of a tree that is linear in its parameters, those in ``known`` put in; else None.

    >>> linear_form(Operation("-", Operation("*", Number(2.0), Name("a")), Name("b")), {"b": 5.0})
    ({'a': 2.0}, -5.0)
    """
    match tree:
        case Number(value):
            return {}, value
        case Name(name):
            return ({}, known[name]) if name in known else ({name: 1.0}, 0.0)
        case Operation(op, left, right):
            a, b = linear_form(left, known), linear_form(right, known)
            return None if a is None or b is None else _linear_operation(op, a, b)
        case Call(function, arguments):
            forms = [linear_form(part, known) for part in arguments]
            if all(form is not None and not form[0] for form in forms):
                constants = [np.float64(form[1]) for form in forms if form is not None]
                return {}, float(FUNCTIONS[function][0](*constants))
            return None


def _linear_operation(
    op: str, a: tuple[dict[str, float], float], b: tuple[dict[str, float], float]
) -> tuple[dict[str, float], float] | None:
    if op in "+-":
        sign = 1.0 if op == "+" else -1.0
        names = dict.fromkeys((*a[0], *b[0]))
        coefficients = {name: a[0].get(name, 0.0) + sign * b[0].get(name, 0.0) for name in names}
        return {name: c for name, c in coefficients.items() if c != 0.0}, a[1] + sign * b[1]
    if not a[0] and not b[0]:
        return {}, float(_combined(op, np.float64(a[1]), np.float64(b[1])))
    if op == "*" and not b[0]:
        a, b = b, a
    if op == "*" and not a[0]:
        return {name: a[1] * c for name, c in b[0].items()}, a[1] * b[1]
    if op == "/" and not b[0] and b[1] != 0.0:
        return {name: c / b[1] for name, c in a[0].items()}, a[1] / b[1]
    return a if op == "**" and not b[0] and b[1] == 1.0 else None


def _combined(op: str, left: Floats | float, right: Floats | float) -> Any:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return np.divide(left, right)
    return np.power(np.asarray(left, dtype=np.float64), right)
