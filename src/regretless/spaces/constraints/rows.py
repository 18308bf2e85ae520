"""Constraints on the rows of a table."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.constraints.atoms import Kind
from regretless.spaces.constraints.constraint import Bound, Constraint, bind, named
from regretless.spaces.scalars import Scalar, is_number

__all__ = ["rows_left", "violated_by"]


class _Column(Protocol):
    """The condition on a table's column."""

    @property
    def n_levels(self) -> int: ...

    def items(self) -> list[Scalar]: ...


def rows_left(constraints: Sequence[Constraint], columns: Mapping[str, Any]) -> npt.NDArray[np.intp] | None:
    """The numbers of the rows that satisfy the constraints; None if all do; an error if none does."""
    if not constraints:
        return None
    bounds = _bound(constraints, columns)
    items = {name: column.items() for name, column in columns.items()}
    values = {name: _array(some, columns[name]) for name, some in items.items()}
    count = len(next(iter(items.values())))

    def rows() -> list[dict[str, Scalar]]:
        return [dict(zip(items, row, strict=True)) for row in zip(*items.values(), strict=True)]

    good = [bound.holds(values, {}, rows, count) for bound in bounds]
    left = np.flatnonzero(np.logical_and.reduce(good))
    if not len(left):
        kept = list(range(len(bounds)))
        for i in range(len(bounds)):  # those are named of which none can be left out
            fewer = [k for k in kept if k != i]
            if fewer and not np.logical_and.reduce([good[k] for k in fewer]).any():
                kept = fewer
        sources = named([bounds[k].source for k in kept])
        relax = "it" if len(kept) == 1 else "one of them"
        raise InvalidInput(f"no row of the table satisfies {sources}. Relax {relax}, or add rows.")
    return left if len(left) < count else None


def violated_by(constraints: Sequence[Constraint], params: Mapping[str, Any], columns: Mapping[str, Any]) -> str | None:
    """The first constraint that parameters violate, in the user's words."""
    for bound in _bound(constraints, columns):
        some = {name: params[name] for name in (bound.names or params)}
        odd = [name for name, value in some.items() if columns[name].n_levels == 0 and not is_number(value)]
        values = {name: _array([value], columns[name]) for name, value in some.items() if name not in odd}
        if odd or not bound.holds(values, {}, lambda: [dict(params)], 1)[0]:
            return str(bound.source)
    return None


def _bound(constraints: Sequence[Constraint], columns: Mapping[str, Any]) -> list[Bound]:
    kinds = {name: _kind(column) for name, column in columns.items()} if constraints else {}
    return [bind(constraint, kinds) for constraint in constraints]


def _kind(column: Any) -> Kind:
    if column.n_levels:
        return Kind(levels=column.levels)
    return Kind(float(column.values.min()), float(column.values.max()))


def _array(items: Sequence[Any], column: _Column) -> npt.NDArray[Any]:
    return np.array([*items, None], dtype=object)[:-1].astype(object if column.n_levels else np.float64)
