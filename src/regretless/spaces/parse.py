"""Reading a space in any of its notations."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces.box import Box, as_box
from regretless.spaces.constraints import as_constraints
from regretless.spaces.floats import Float
from regretless.spaces.params import Repeats, with_repeats
from regretless.spaces.product import Mixed
from regretless.spaces.scalars import show
from regretless.spaces.sources import is_frame
from regretless.spaces.table import Table

__all__ = ["Space", "as_space", "repeats_of", "with_constraints"]

Space: TypeAlias = Table | Mixed

_ALLOWED = (
    "Give bounds such as [(0, 1), (-5, 5)], named parameters such as {'rate': (1e-4, 0.1, 'log'), 'depth': (1, 8)}, "
    "a table of candidates (2-D array, list of dicts, DataFrame, path of a file), or a Table, Box or Mixed"
)


def as_space(obj: Any, repeats: Repeats | None = None, constraints: Any = ()) -> Space:
    """Read a space.

    A mapping is :class:`Mixed` (:class:`Box` if all its parameters are real), a sequence of pairs a :class:`Box`;
    a 2-D array, a list of dicts, a DataFrame or a path is a :class:`Table`. A mapping of names to columns of a table
    looks like one of names to levels, so write ``Table(...)`` for it. ``constraints`` are those of `Mixed`; a
    space that is handed in as such gets them beside its own.

    >>> as_space({"x": (0.0, 1.0)})
    Box({'x': Float(low=0.0, high=1.0, log=False)})
    >>> as_space([(0, 1), (0, 1)]).unnamed
    True
    >>> as_space(np.eye(3)).n_candidates
    3
    """
    if isinstance(obj, Table | Mixed):
        space = with_constraints(obj, constraints)
        return space if repeats is None else with_repeats(space, repeats)
    if isinstance(obj, Mapping):
        mixed = Mixed(obj, repeats=repeats, constraints=constraints)
        return as_box(mixed) if mixed.continuous.all() and len(mixed.names) == mixed.dim else mixed
    if isinstance(obj, str | Path) or is_frame(obj) or (isinstance(obj, np.ndarray) and obj.ndim == 2):
        return Table(obj, repeats=repeats, constraints=constraints)
    if isinstance(obj, Sequence) and len(obj) > 0:
        if all(isinstance(row, Mapping) for row in obj):
            return Table(obj, repeats=repeats, constraints=constraints)
        if all(isinstance(pair, Float | tuple | list | np.ndarray) for pair in obj):
            return Box(obj, repeats=repeats, constraints=constraints)
    raise InvalidInput(f"cannot be read as a space: {show(obj)}. {_ALLOWED}.")


def repeats_of(obj: Any) -> Repeats | None:
    """The rule for repeats of an existing space; None for anything else."""
    return obj.repeats if isinstance(obj, Table | Mixed) else None


def with_constraints(space: Space, constraints: Any) -> Space:
    """The space with further constraints beside its own; the same where there are none.

    >>> with_constraints(Box([(0, 1), (0, 1)]), "x0 + x1 <= 1").constraints[0].text
    'x0 + x1 <= 1'
    """
    more = as_constraints(constraints)
    if not more:
        return space
    if isinstance(space, Table):
        return space.filtered(more)
    twin = type(space).__new__(type(space))
    twin._set(
        space.dimensions,
        space.repeats,
        unnamed=space.unnamed,
        constraints=(*space.constraints, *more),
        mixtures=space.mixtures,
    )
    return twin
