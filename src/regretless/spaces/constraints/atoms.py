r"""Atoms of constraints, with their tolerance.

A linear atom :math:`c + \sum_i a_i v_i \le 0` holds up to :math:`10^{-9} (|c| + \sum_i |a_i| \max |v_i|)`, by the
largest sizes that its terms can have. Values are rounded to decimals of at most 1e-10 of a parameter's width when they
are decoded, a tenth of it: a point on a border stays in the space. A nonlinear one is compared by the sizes of its
terms at the point.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.constraints.expression import (
    All,
    Any_,
    Arithmetic,
    Comparison,
    Constant,
    Member,
    Name,
    Not,
    Number,
    Operation,
    Tree,
    linear_form,
    names_in,
    size_of,
    value_of,
)
from regretless.spaces.scalars import Scalar, did_you_mean, listed, show

__all__ = ["TOLERANCE", "Atom", "Kind", "Level", "Numeric", "Rows", "Test", "alternatives_of"]

#: Share of the sizes of its terms by which a constraint may be missed.
TOLERANCE = 1e-9
_MOST_ALTERNATIVES = 64

#: Makes the parameters of every row, for functions of the user.
Rows: TypeAlias = Callable[[], list[dict[str, Scalar]]]
Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a parameter: a number with its range, or a set of levels."""

    low: float = 0.0
    high: float = 0.0
    real: bool = False  # all numbers in between
    levels: tuple[Scalar, ...] | None = None  # where it is no number


@dataclass(frozen=True, slots=True)
class Numeric:
    """``tree`` <=, == or != 0; with the coefficients of its parameters and the constant where it is linear."""

    op: str
    tree: Arithmetic
    names: tuple[str, ...]
    coefficients: tuple[float, ...] | None
    constant: float
    tolerance: float  # of a linear one

    def excess(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """The violation of each row, and its tolerance."""
        with np.errstate(all="ignore"):
            if self.coefficients is None:
                tree = value_of(self.tree, values)
                tolerated = TOLERANCE * size_of(self.tree, values)
            else:
                pairs = zip(self.names, self.coefficients, strict=True)
                tree, tolerated = sum((c * values[name] for name, c in pairs), self.constant), self.tolerance
            return np.abs(tree) if self.op != "<=" else tree, tolerated

    def holds(self, values: Mapping[str, Any], rows: Rows) -> Bools:  # noqa: ARG002 - one call for every atom
        """Which rows satisfy it; one without a value, such as log(-1), does not."""
        excess, tolerated = self.excess(values)
        good = excess > tolerated if self.op == "!=" else excess <= tolerated
        return np.asarray(good & np.isfinite(excess), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Level:
    """A parameter is, or with ``inside`` False is not, one of some values."""

    name: str
    values: tuple[Scalar, ...]
    inside: bool

    def holds(self, values: Mapping[str, Any], rows: Rows) -> Bools:  # noqa: ARG002 - one call for every atom
        """Which rows satisfy it."""
        found = np.array([value in self.values for value in np.asarray(values[self.name]).tolist()], dtype=np.bool_)
        return found if self.inside else ~found


@dataclass(frozen=True, slots=True)
class Test:
    """A user-defined function."""

    function: Callable[[dict[str, Any]], Any]
    name: str

    def holds(self, values: Mapping[str, Any], rows: Rows) -> Bools:  # noqa: ARG002 - one call for every atom
        """Which rows satisfy it."""
        return np.array([self._passes(dict(row)) for row in rows()], dtype=np.bool_)

    def _passes(self, params: dict[str, Scalar]) -> bool:
        try:
            result = self.function(params)
        except Exception as error:
            raise InvalidInput(f"constraint {self.name} raised {show(error)} for {show(params)}.") from error
        if isinstance(result, bool | np.bool_):
            return bool(result)
        try:
            return float(result) >= 0.0
        except (TypeError, ValueError):
            raise InvalidInput(
                f"constraint {self.name} returned {show(result)}; it must return True or False, or a number, >= 0 "
                "where the point may be tried."
            ) from None


Atom: TypeAlias = Numeric | Level | Test


def alternatives_of(tree: Tree, kinds: Mapping[str, Kind], negated: bool = False) -> tuple[tuple[Atom, ...], ...]:
    """The disjunctive normal form of a tree, in atoms."""
    match tree:
        case Not(part):
            return alternatives_of(part, kinds, not negated)
        case All(parts) | Any_(parts):
            inner = [alternatives_of(part, kinds, negated) for part in parts]
            if isinstance(tree, All) != negated:
                count = math.prod(map(len, inner))
                found = itertools.product(*inner) if count <= _MOST_ALTERNATIVES else ()
                joined = [tuple(itertools.chain.from_iterable(chosen)) for chosen in found]
            else:
                joined = [atoms for some in inner for atoms in some]
                count = len(joined)
            if count > _MOST_ALTERNATIVES:
                raise InvalidInput(
                    f"it has {count} alternatives; up to {_MOST_ALTERNATIVES} are allowed. Write it simpler."
                )
            return tuple(joined)
        case Member(name, values, inside):
            return _level(name, values, inside != negated, kinds)
        case Comparison():
            return _comparison(tree, kinds, negated)


def _comparison(tree: Comparison, kinds: Mapping[str, Kind], negated: bool) -> tuple[tuple[Atom, ...], ...]:
    op, left, right = tree.op, tree.left, tree.right
    if isinstance(left, Constant) or (isinstance(right, Name) and not isinstance(left, Name)):
        left, right, op = right, left, {"<=": ">=", ">=": "<="}.get(op, op)
    levels = isinstance(left, Name) and kinds[left.name].levels is not None
    if isinstance(right, Constant) or (levels and isinstance(right, Number)):
        if not isinstance(left, Name):
            raise InvalidInput(f"only a parameter can be compared with {_shown(right)}.")
        if op not in ("==", "!="):
            raise InvalidInput(f"{left.name!r} is no number: it can be == or != {_shown(right)}, or in a list.")
        value = right.value if isinstance(right, Constant) else _neat(right.value)
        return _level(left.name, (value,), (op == "==") != negated, kinds)
    assert not isinstance(left, Constant)
    for name in dict.fromkeys((*names_in(left), *names_in(right))):
        if kinds[name].levels is not None:
            raise InvalidInput(f"{name!r} is no number: it can be == or != one of its values, or in a list of them.")
    if negated and op in ("<=", ">="):
        other = ">=" if op == "<=" else "<="
        raise InvalidInput(f"'not' before {op} would leave the border out. Write the opposite with {other}.")
    if negated:
        op = "!=" if op == "==" else "=="
    if op == ">=":
        left, right, op = right, left, "<="
    return ((_numeric(op, Operation("-", left, right), kinds),),)


def _numeric(op: str, tree: Operation, kinds: Mapping[str, Kind]) -> Numeric:
    with np.errstate(all="ignore"):
        form = linear_form(tree, {})
    names = tuple(dict.fromkeys(names_in(tree)))
    real = [name for name in names if kinds[name].real]
    if op == "!=" and real:
        raise InvalidInput(f"{real[0]!r} is a real number: to leave out one value of it leaves out nothing.")
    if form is None:
        if op == "==" and real:
            raise InvalidInput(
                f"an equality must be linear in real parameters such as {real[0]!r}. Solve it for one parameter and "
                "compute that in your function, or allow for a band with two inequalities."
            )
        return Numeric(op, tree, names, None, 0.0, 0.0)
    coefficients, constant = form
    if not all(map(math.isfinite, (*coefficients.values(), constant))):
        raise InvalidInput("its numbers are not finite.")
    sizes = (abs(c) * max(abs(kinds[name].low), abs(kinds[name].high)) for name, c in coefficients.items())
    tolerance = TOLERANCE * (abs(constant) + sum(sizes))
    return Numeric(op, tree, tuple(coefficients), tuple(coefficients.values()), constant, tolerance)


def _level(
    name: str, values: tuple[Scalar, ...], inside: bool, kinds: Mapping[str, Kind]
) -> tuple[tuple[Atom, ...], ...]:
    """One of some values, or none of them; of a number, that it equals one or none."""
    kind = kinds[name]
    if kind.levels is None:
        odd = [value for value in values if isinstance(value, str | bool | None)]
        if odd:
            raise InvalidInput(f"{name!r} is a number, it is never {show(odd[0])}.")
        if kind.real:
            raise InvalidInput(f"{name!r} is a real number and never in a list. Use <= and >=.")
        if len(values) > _MOST_ALTERNATIVES:
            raise InvalidInput(f"a list may have up to {_MOST_ALTERNATIVES} numbers, got {len(values)}.")
        numbers = [Operation("-", Name(name), Number(float(value))) for value in values]  # type: ignore[arg-type]
        atoms = tuple(_numeric("==" if inside else "!=", number, kinds) for number in numbers)
        return tuple((atom,) for atom in atoms) if inside else (atoms,)
    for value in values:
        if value not in kind.levels:
            known = list(kind.levels)
            raise InvalidInput(
                f"{name!r} is never {show(value)}; it is one of {listed(known)}.{did_you_mean(value, known)}"
            )
    return ((Level(name, values, inside),),)


def _neat(number: float) -> Scalar:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _shown(part: Any) -> str:
    return repr(part.value) if isinstance(part, Constant | Number) else "that"
