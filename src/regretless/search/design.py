"""The initial design, before there is anything to model.

A Latin hypercube, or the rows of a table nearest to one; with ``design="random"`` points or rows drawn uniformly.
"""

from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.rng import Purpose, stream
from regretless.search.product import near
from regretless.spaces import Mixed, Table

__all__ = [
    "Design",
    "Plan",
    "design_index",
    "design_index_in_file",
    "design_point",
    "random_index",
    "random_point",
    "random_rows",
    "settled",
]

#: The first points: spread evenly, or each drawn on its own, uniformly, as in the paper.
Design = Literal["hypercube", "random"]

#: On larger tables the nearest row is looked for among so many rows drawn at random.
_NEAREST_AMONG = 20_000
#: A finite product space up to this size is listed to find what random draws do not hit any more.
_LISTED_UP_TO = 1_000_000


class Plan(Protocol):
    """How the first points are chosen."""

    @property
    def design(self) -> Design:
        """The kind of design."""
        ...

    @property
    def n_initial(self) -> int:
        """The number of points."""
        ...

    @property
    def seed(self) -> int:
        """What all randomness comes from."""
        ...

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Which encoded columns hold categories."""
        ...


def design_point(plan: Plan, space: Mixed, number: int, trial: int, blocked: Floats) -> Floats:
    """The hypercube's point of that number; a random one without it, when it is used up or the point is blocked."""
    if plan.design == "hypercube" and number < plan.n_initial:
        x = settled(space, space.sample(plan.n_initial, stream(plan.seed, 0, Purpose.DESIGN))[number])
        if not near(space, x[None, :], blocked)[0]:
            return x
    return random_point(space, stream(plan.seed, trial, Purpose.DESIGN), blocked)


def design_index(plan: Plan, table: Table, number: int, trial: int, open_: npt.NDArray[np.bool_]) -> int:
    """The open row nearest to the hypercube's point of that number; a random one without it or when it is used up."""
    rng = stream(plan.seed, trial, Purpose.DESIGN)
    if plan.design == "random" or number >= plan.n_initial:
        return random_index(open_, rng)
    target = _hypercube(plan, table)[number]
    rows = np.flatnonzero(open_)
    if len(rows) > _NEAREST_AMONG:
        rows = rng.choice(rows, _NEAREST_AMONG, replace=False)
    return int(rows[_nearest(plan, table.X[rows], target)])


def _nearest(plan: Plan, X: Floats, target: Floats) -> int:
    """The row of X nearest to the target."""
    gap = np.where(np.array(plan.categorical), target != X, X - target)
    return int(np.argmin(np.einsum("ij,ij->i", gap, gap)))


def design_index_in_file(plan: Plan, table: Table, number: int, trial: int, closed: npt.NDArray[np.intp]) -> int:
    """`design_index` for a table in a file, of which the ``closed`` rows may not be tried."""
    rng = stream(plan.seed, trial, Purpose.DESIGN)
    if plan.design == "random" or number >= plan.n_initial:
        return int(random_rows(table, 1, closed, rng)[0])
    rows = np.sort(random_rows(table, _NEAREST_AMONG, closed, rng))
    return int(rows[_nearest(plan, table.X[rows], _hypercube(plan, table)[number])])


def random_rows(
    table: Table, count: int, closed: npt.NDArray[np.intp], rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """So many open rows of a table drawn at random, one at least; among them may be equal ones."""
    N = table.n_candidates
    for _ in range(8):
        rows = rng.integers(N, size=count)
        rows = rows[~np.isin(rows, closed)]
        if len(rows):
            return rows
    # Most rows are closed. The k-th open one is k rows and those closed before it from the beginning.
    k = int(rng.integers(N - len(closed)))
    before = closed - np.arange(len(closed))  # open rows before each closed one
    return np.array([k + int(np.searchsorted(before, k, side="right"))])


def random_point(space: Mixed, rng: np.random.Generator, blocked: Floats) -> Floats:
    """A random point that is not blocked; any point where none is left."""
    for count in (8, 64, 512, 4096):
        X = space.sample(count, rng)
        for x in X[~near(space, X, blocked)][:64]:
            point = settled(space, x)
            if not near(space, point[None, :], blocked)[0]:
                return point
    left = _untried(space, blocked)
    return left[int(rng.integers(len(left)))] if len(left) else settled(space, X[0])


def settled(space: Mixed, x: Floats) -> Floats:
    """The code of the point as it will be tried: a real number is rounded to a decimal when it is decoded."""
    return space.encode(space.decode(x))


def random_index(open_: npt.NDArray[np.bool_], rng: np.random.Generator) -> int:
    """A random open row."""
    return int(rng.choice(np.flatnonzero(open_)))


def _untried(space: Mixed, blocked: Floats) -> Floats:
    """All points of a finite space that are not blocked, compared exactly; none where it is too large to list."""
    if space.size is None or space.size > _LISTED_UP_TO:
        return np.empty((0, space.dim))
    X = space.enumerate()
    taken = {row.tobytes() for row in blocked}
    return X[[row.tobytes() not in taken for row in X]]


def _hypercube(plan: Plan, table: Table) -> Floats:
    """A Latin hypercube over the table's columns; categories take turns.

    It permutes the strata in another way than `latin_hypercube` does: studies that are stored replay these draws.
    """
    rng = stream(plan.seed, 0, Purpose.DESIGN)
    n = plan.n_initial
    cube = (np.argsort(rng.random((n, table.dim)), axis=0) + rng.random((n, table.dim))) / n
    levels = np.array(table.n_levels)
    return np.where(levels > 0, np.floor(cube * levels), cube)
