"""The same questions to every kind of domain: a first point, a random one, the best one, and where to start from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp import BlockPosterior
from regretless.rng import Purpose, stream
from regretless.search.ascent import climb_in
from regretless.search.design import (
    Plan,
    design_index,
    design_index_in_file,
    design_point,
    random_index,
    random_point,
    random_rows,
    settled,
)
from regretless.search.product import Objective, near, search_product
from regretless.search.starts import candidate_set
from regretless.spaces import Domain, Mixed, Point, Table

__all__ = [
    "Allowed",
    "argmax",
    "as_tried",
    "climber",
    "dense_sample",
    "designed_point",
    "is_allowed",
    "points_around",
    "search_table",
    "undirected_point",
]

#: (X, start numbers) -> (values, gradients): one batched evaluation of an ascent from many starts.
Ascent: TypeAlias = Callable[[Floats, npt.NDArray[np.intp]], tuple[Floats, Floats]]
#: (ascent, starts) -> (points, values): where each start arrives.
Climb: TypeAlias = Callable[[Ascent, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be tried: the marked ``rows`` of a list, or every point of a product of parameters that is not blocked.

    ``rows`` is None where candidates are not listed. ``blocked`` has one encoded point per row. Of a list in a file the
    numbers of those that may not be tried are ``closed``, ascending: few of very many are.
    """

    rows: npt.NDArray[np.bool_] | None
    blocked: Floats
    closed: npt.NDArray[np.intp] | None = None

    @property
    def closed_rows(self) -> npt.NDArray[np.intp]:
        """The numbers of the candidates of a list that may not be tried, ascending."""
        if self.closed is not None:
            return self.closed
        assert self.rows is not None
        return np.flatnonzero(~self.rows)


def designed_point(domain: Domain, plan: Plan, number: int, trial: int, allowed: Allowed) -> Point:
    """The point of that number of the initial design."""
    if isinstance(domain, Table):
        if allowed.closed is not None:
            return domain.at_index(design_index_in_file(plan, domain, number, trial, allowed.closed))
        assert allowed.rows is not None
        return domain.at_index(design_index(plan, domain, number, trial, allowed.rows))
    return Point(design_point(plan, _product(domain), number, trial, allowed.blocked))


def undirected_point(domain: Domain, plan: Plan, trial: int, allowed: Allowed) -> Point:
    """A random point, where no model can say which."""
    rng = stream(plan.seed, trial, Purpose.DESIGN)
    if isinstance(domain, Table):
        if allowed.closed is not None:
            return domain.at_index(int(random_rows(domain, 1, allowed.closed, rng)[0]))
        assert allowed.rows is not None
        return domain.at_index(random_index(allowed.rows, rng))
    return Point(random_point(_product(domain), rng, allowed.blocked))


def argmax(
    domain: Domain,
    objective: Objective,
    X: Floats,
    values: Floats,
    allowed: Allowed,
    blocks: BlockPosterior | None = None,
) -> Point | None:
    """The allowed point with the best score, exactly on a list and by search elsewhere; None where there is none.

    ``values`` are the scores of ``X``: of every candidate of a list, or of points from which a search starts. There
    are none where a list is looked at block by block.
    """
    if blocks is not None:
        assert objective.formula is not None
        best = blocks.argmax(objective.formula, allowed.closed_rows)
        return None if best is None else domain.at_index(best.row)
    if isinstance(domain, Table):
        assert allowed.rows is not None
        index = search_table(values, allowed.rows)
        return None if index is None else domain.at_index(index)
    found = search_product(_product(domain), objective, X, values, blocked=allowed.blocked)
    return None if found is None else Point(found[0])


def search_table(values: Floats, open_: npt.NDArray[np.bool_]) -> int | None:
    """Index of the largest finite value among the open candidates, the first of equals; None if there is none.

    >>> search_table(np.array([3.0, 9.0, 7.0]), np.array([True, False, True]))
    2
    """
    masked = np.where(open_, values, -np.inf)
    best = int(np.argmax(masked))
    if not np.isfinite(masked[best]):  # NaN and infinity come out on top: only then they have to be looked for
        masked[~np.isfinite(masked)] = -np.inf
        best = int(np.argmax(masked))
    return best if masked[best] > -np.inf else None


def as_tried(domain: Domain, point: Point) -> Point:
    """The point that will really be tried: real numbers are rounded to neat decimals."""
    return point if isinstance(domain, Table) else Point(settled(_product(domain), point.x))


def is_allowed(domain: Domain, point: Point, allowed: Allowed) -> bool:
    """Whether a point may be tried."""
    if point.index is not None and allowed.closed is not None:
        return not np.isin(point.index, allowed.closed)
    if point.index is not None and allowed.rows is not None:
        return bool(allowed.rows[point.index])
    return not near(_product(domain), point.x[None, :], allowed.blocked)[0]


def points_around(domain: Domain, worth: Callable[[Floats], Floats], told: Floats, rng: np.random.Generator) -> Floats:
    """Points that stand for a product of parameters: all over it, and close to measured ones of the largest worth."""
    return candidate_set(_product(domain), worth, told, rng)


def dense_sample(domain: Domain, count: int, rng: np.random.Generator) -> Floats:
    """Points all over a product of parameters."""
    return _product(domain).sample(count, rng)


def climber(domain: Domain) -> Climb:
    """Ascents inside the domain, in its real columns."""
    space = _product(domain)
    return lambda f, starts: climb_in(space, f, starts)


def _product(domain: Domain) -> Mixed:
    assert isinstance(domain, Mixed)
    return domain
