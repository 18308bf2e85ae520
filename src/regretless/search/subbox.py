"""Argmax of a score over a box inside a product space: the same search, in coordinates in which the box is the cube."""

from dataclasses import dataclass, replace

import numpy as np

from regretless.arrays import Floats
from regretless.search.product import Objective, search_product
from regretless.spaces import Mixed, Point

__all__ = ["Subbox", "best_inside"]

#: Points of the box from which a search starts.
_POINTS = 400


@dataclass(frozen=True, slots=True)
class Subbox:
    """Codes ``low + width u`` with u in the unit cube; columns that are not real are whole."""

    centre: Floats
    low: Floats
    width: Floats

    @classmethod
    def around(cls, space: Mixed, centre: Floats, sides: Floats) -> "Subbox":
        """The part within the space of the box of these sides about a point.

        >>> box = Subbox.around(Mixed({"x": (0.0, 1.0), "c": ["a", "b"]}), np.array([0.9, 1.0]), np.array([0.4, 0.4]))
        >>> box.low.round(2).tolist(), box.width.round(2).tolist()
        ([0.7, 0.0], [0.3, 1.0])
        """
        real = space.continuous
        low = np.where(real, np.maximum(centre - 0.5 * sides, 0.0), 0.0)
        high = np.where(real, np.minimum(centre + 0.5 * sides, 1.0), 1.0)
        return cls(centre, low, high - low)

    def points(self, space: Mixed, rng: np.random.Generator) -> Floats:
        """The centre, and a Latin hypercube all over the box."""
        return space.snap(np.vstack([self.centre, self.low + self.width * space.sample(_POINTS, rng)]))


def best_inside(space: Mixed, box: Subbox, objective: Objective, X: Floats, *, blocked: Floats) -> Point | None:
    """The best point found in the box that is not blocked, from starts X in it; None where all are blocked."""

    def value_and_gradient(U: Floats) -> tuple[Floats, Floats]:
        f, g = objective.value_and_gradient(box.low + box.width * U)
        return f, g * box.width

    def at(U: Floats) -> Floats:
        return objective.at(box.low + box.width * U)

    inside = replace(objective, at=at, value_and_gradient=value_and_gradient)
    starts, barred = (X - box.low) / box.width, (blocked - box.low) / box.width
    found = search_product(space, inside, starts, objective.at(X), blocked=barred)
    return None if found is None else Point(box.low + box.width * found[0])
