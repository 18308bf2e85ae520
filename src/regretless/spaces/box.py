"""Products of real parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces.constraints import as_constraints
from regretless.spaces.dimensions import as_float_dimension
from regretless.spaces.entries import read_entries
from regretless.spaces.params import Repeats
from regretless.spaces.product import Mixed
from regretless.spaces.scalars import show

__all__ = ["Box", "as_box"]


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Box(Mixed):
    """A product of real parameters.

    Parameters
    ----------
    bounds
        Name to (low, high); or a sequence of (low, high) as in SciPy, whose parameters are called x0, x1, ... and reach
        the user's function as one array.
    repeats
        Whether a point may be suggested again: "all", "allow", "auto" or "never", see `Study`. None: the study says.
    constraints
        What every point satisfies, as in `Mixed`.

    Examples
    --------
    >>> box = Box([(-5, 10), (0, 15)])
    >>> box.names, box.encode([10, 7.5])
    (('x0', 'x1'), array([1. , 0.5]))
    >>> box.argument(box.decode([0.0, 0.5]))
    array([-5. ,  7.5])
    """

    def __init__(self, bounds: Any, repeats: Repeats | None = None, constraints: Any = ()) -> None:
        if isinstance(bounds, Mapping):
            parts, unnamed = read_entries(bounds, as_float_dimension), False
        elif isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str) and np.ndim(bounds) != 0:
            parts, unnamed = read_entries({f"x{i}": pair for i, pair in enumerate(bounds)}, as_float_dimension), True
        else:
            raise InvalidInput(f"bounds must be [(low, high), ...] or a mapping of names to them, got {show(bounds)}.")
        self._set(parts, repeats, unnamed=unnamed, constraints=as_constraints(constraints))


def as_box(space: Mixed) -> Box:
    """The same space as one of real parameters."""
    box = Box.__new__(Box)
    for field in fields(Mixed):
        object.__setattr__(box, field.name, getattr(space, field.name))
    return box
