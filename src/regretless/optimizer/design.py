"""The first points, before there is anything to model: a Latin hypercube, or the rows of a table nearest to one."""

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.optimizer.setup import Setup
from regretless.rng import Purpose, stream
from regretless.search import near
from regretless.spaces import Mixed, Table

__all__ = ["design_index", "design_point", "random_index", "random_point"]

#: On larger tables the nearest row is looked for among so many rows drawn at random.
_NEAREST_AMONG = 20_000


def design_point(setup: Setup, space: Mixed, number: int, trial: int, blocked: Floats) -> Floats:
    """The design's point of that number, or a random one when the design is used up or the point is blocked."""
    if number < setup.n_initial:
        x: Floats = space.sample(setup.n_initial, stream(setup.seed, 0, Purpose.DESIGN))[number]
        if not near(x[None, :], blocked)[0]:
            return x
    return random_point(space, stream(setup.seed, trial, Purpose.DESIGN), blocked)


def design_index(setup: Setup, table: Table, number: int, trial: int, open_: npt.NDArray[np.bool_]) -> int:
    """The open row nearest to the Latin hypercube's point of that number; a random one when the design is used up."""
    rng = stream(setup.seed, trial, Purpose.DESIGN)
    if number >= setup.n_initial:
        return random_index(open_, rng)
    target = _hypercube(setup, table)[number]
    rows = np.flatnonzero(open_)
    if len(rows) > _NEAREST_AMONG:
        rows = rng.choice(rows, _NEAREST_AMONG, replace=False)
    categorical = np.array(setup.categorical)
    gap = np.where(categorical, table.X[rows] != target, table.X[rows] - target)
    return int(rows[np.argmin(np.einsum("ij,ij->i", gap, gap))])


def random_point(space: Mixed, rng: np.random.Generator, blocked: Floats) -> Floats:
    """A random point that is not blocked; the last draw if none turned up (then hardly anything is left)."""
    for count in (8, 64, 512, 4096):
        X = space.sample(count, rng)
        open_ = np.flatnonzero(~near(X, blocked))
        if len(open_):
            break
    x: Floats = X[open_[0] if len(open_) else 0]
    return x


def random_index(open_: npt.NDArray[np.bool_], rng: np.random.Generator) -> int:
    """A random open row."""
    return int(rng.choice(np.flatnonzero(open_)))


def _hypercube(setup: Setup, table: Table) -> Floats:
    """A Latin hypercube over the table's columns; categories take turns."""
    rng = stream(setup.seed, 0, Purpose.DESIGN)
    n = setup.n_initial
    cube = (np.argsort(rng.random((n, table.dim)), axis=0) + rng.random((n, table.dim))) / n
    levels = np.array(table.n_levels)
    return np.where(levels > 0, np.floor(cube * levels), cube)
