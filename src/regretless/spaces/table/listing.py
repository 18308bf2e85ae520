"""A finite product of parameters listed point by point."""

import numpy as np

from regretless.spaces.columns import Column, Levels
from regretless.spaces.product import Mixed
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.rowids import RowIds
from regretless.spaces.table.table import Table

__all__ = ["as_table", "listed_domain"]


def as_table(space: Mixed, limit: int) -> Table | None:
    """All points of a finite space as a table with the same codes, or None where they are more than ``limit``.

    >>> table = as_table(Mixed({"n": (1, 3), "act": ["relu", "tanh"]}), limit=100)
    >>> table.n_candidates, table.params(3)
    (6, {'n': 2, 'act': 'tanh'})
    """
    size = space.size
    if size is None or size > limit:
        return None
    X = space.enumerate()
    columns = _columns(space, size) if space.region is None else _columns_left(space)
    numbers = np.arange(len(X))
    return Table._of(
        Frame(space.names, tuple(columns)),
        RowIds(numbers, numbers),
        repeats=space.repeats,
        unnamed=space.unnamed,
        encoded=(X, space.n_levels),
        product=space,
    )


def listed_domain(space: Table | Mixed, limit: int) -> Table | Mixed:
    """The space as it is searched: a finite one of up to ``limit`` points becomes the list of them."""
    listed = as_table(space, limit) if isinstance(space, Mixed) else None
    return space if listed is None else listed


def _columns(space: Mixed, size: int) -> list[Column]:
    """The values of all combinations, the last parameter running fastest."""
    columns: list[Column] = []
    inner = size
    for part in space.dimensions.values():
        values = part.values()
        inner //= len(values)
        columns.append(Levels(values, np.resize(np.repeat(np.arange(len(values)), inner), size)))
    return columns


def _columns_left(space: Mixed) -> list[Column]:
    """The values of the points that constraints leave; None where a parameter does not exist."""
    assert space.region is not None
    X = space.enumerate()
    active = space.region.activity.at(X)
    columns: dict[str, Column] = {}
    for j, (name, part) in enumerate(zip(space.region.columns, space.region.varying, strict=True)):
        codes, rank = np.unique(X[:, j], return_inverse=True)
        values = [*(part.decode(code) for code in codes.tolist()), None]
        columns[name] = Levels.of([values[r] for r in np.where(active[:, j], rank, -1).tolist()])
    single = np.zeros(len(X), dtype=np.intp)
    return [columns.get(name) or Levels(part.values(), single) for name, part in space.dimensions.items()]
