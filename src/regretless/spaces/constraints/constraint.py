"""Constraints as given, by text or by a function, and bound to the parameters of a space.

A bound constraint is a disjunction of conjunctions of atoms. It is compared with a tolerance: rounding to decimals must
not throw a point out of the space that stands on a border of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.constraints.atoms import Atom, Kind, Rows, Test, alternatives_of
from regretless.spaces.constraints.expression import Tree, names_in
from regretless.spaces.constraints.syntax import read_constraint
from regretless.spaces.scalars import did_you_mean, listed, show

__all__ = ["Bound", "Constraint", "Formula", "Function", "as_constraints", "bind", "constraint_to_data", "named"]


@dataclass(frozen=True, slots=True)
class Formula:
    """A constraint written as text; equal to another with the same tree."""

    text: str = field(compare=False)
    tree: Tree = field(repr=False)

    def __str__(self) -> str:
        return repr(self.text)


@dataclass(frozen=True, slots=True)
class Function:
    """A constraint that is a function of the parameters: True or a number >= 0 where they may be tried."""

    function: Callable[[dict[str, Any]], Any]

    @property
    def name(self) -> str:
        """``module:qualname``, as it is stored."""
        module = getattr(self.function, "__module__", None) or type(self.function).__module__
        return f"{module}:{getattr(self.function, '__qualname__', type(self.function).__qualname__ + '()')}"

    def __str__(self) -> str:
        return f"the function {self.name.partition(':')[2]}"


Constraint: TypeAlias = Formula | Function


def as_constraints(given: Any) -> tuple[Constraint, ...]:
    """Constraints as users give them: texts and functions, one or a list.

    >>> [constraint.text for constraint in as_constraints("x + y <= 1")]
    ['x + y <= 1']
    """
    if given is None:
        return ()
    if isinstance(given, str | Formula | Function) or callable(given):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping | set | frozenset):
        raise InvalidInput(f"constraints must be a list of texts such as 'x + y <= 1' or functions, got {show(given)}.")
    return tuple(_as_constraint(entry) for entry in given)


def _as_constraint(entry: Any) -> Constraint:
    if isinstance(entry, Formula | Function):
        return entry
    if isinstance(entry, str):
        return Formula(entry, read_constraint(entry))
    if callable(entry):
        return Function(entry)
    raise InvalidInput(f"a constraint is a text such as 'x + y <= 1' or a function of the params, got {show(entry)}.")


def constraint_to_data(constraint: Constraint) -> Any:
    """A text as it is; a function by the name it can be imported by."""
    if isinstance(constraint, Formula):
        return constraint.text
    if "<" in constraint.name or constraint.name.endswith("()") or constraint.name.startswith("__main__:"):
        raise InvalidInput(
            f"the constraint {constraint.name} could not be found again in a stored study. Define it with def at the "
            "top of a module that can be imported, or write it as text, such as 'x + y <= 1'."
        )
    return {"function": constraint.name}


@dataclass(frozen=True, slots=True)
class Bound:
    """A constraint bound to one space: any of the alternatives holds, with all of its atoms."""

    source: Constraint
    names: tuple[str, ...]  # the parameters it speaks of; none for a function, which sees all
    alternatives: tuple[tuple[Atom, ...], ...]

    def holds(
        self, values: Mapping[str, Any], active: Mapping[str, npt.NDArray[np.bool_]], rows: Rows, count: int
    ) -> npt.NDArray[np.bool_]:
        """Which of ``count`` rows of values satisfy it. If a parameter it names is inactive, it holds."""
        result = np.zeros(count, dtype=np.bool_)
        for name in self.names:
            if name in active:
                result |= ~active[name]
        for atoms in self.alternatives:
            every = np.ones(count, dtype=np.bool_)
            for atom in atoms:
                every &= atom.holds(values, rows)
            result |= every
        return result


def bind(constraint: Constraint, kinds: Mapping[str, Kind]) -> Bound:
    """The constraint of a space with these parameters, or an error that says what it cannot mean there."""
    if isinstance(constraint, Function):
        return Bound(constraint, (), ((Test(constraint.function, constraint.name),),))
    names = tuple(dict.fromkeys(names_in(constraint.tree)))
    try:
        if not names:
            raise InvalidInput(f"it names no parameter; there are {listed(list(kinds))}.")
        for name in names:
            if name not in kinds:
                known = list(kinds)
                raise InvalidInput(
                    f"unknown parameter {name!r}; there are {listed(known)}.{did_you_mean(name, known)} A bound on "
                    f"what is measured is a mapping: constraints={{{name!r}: ('<=', 0.5)}}."
                )
        return Bound(constraint, names, alternatives_of(constraint.tree, kinds))
    except InvalidInput as error:
        raise InvalidInput(f"constraint {constraint.text!r}: {error}") from None


def named(constraints: Sequence[object]) -> str:
    """The constraints in a sentence.

    >>> named(["'x <= 1'", "the bounds"])
    "'x <= 1' and the bounds"
    """
    texts = [str(constraint) for constraint in constraints]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
