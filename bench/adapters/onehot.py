"""Categories for optimisers that know numbers only: one column per level, 1 for the level it is, 0 for the others."""

from collections.abc import Callable

import numpy as np

from bench.adapters import Floats, Optimizer

__all__ = ["OneHot", "one_hot"]


def one_hot(X: Floats, levels: tuple[int, ...]) -> Floats:
    """Columns of numbers as they are, a category of K levels as K columns.

    >>> one_hot(np.array([[0.5, 2.0], [0.1, 0.0]]), (0, 3)).tolist()
    [[0.5, 0.0, 0.0, 1.0], [0.1, 1.0, 0.0, 0.0]]
    """
    return np.hstack([np.eye(K)[x.astype(int)] if K else x[:, None] for x, K in zip(X.T, levels, strict=True)])


class OneHot:
    """An optimiser of boxes on a space with categories. Of the columns of a category the largest is the level.

    What is told is the corner that stands for the level, not the point inside the box, so that the model sees each
    place only once (Garrido-Merchan and Hernandez-Lobato 2020). Optimisers with an open trial of their own keep theirs.
    """

    def __init__(
        self, make: Callable[[Floats, Floats], Optimizer], bounds: Floats, X0: Floats, levels: tuple[int, ...]
    ):
        self.levels = levels
        sides = [[(0.0, 1.0)] * K if K else [tuple(side)] for side, K in zip(bounds.tolist(), levels, strict=True)]
        self.box = make(np.array([pair for side in sides for pair in side]), one_hot(X0, levels))

    def ask(self) -> Floats:
        """The next point, categories as codes."""
        parts = np.split(self.box.ask(), np.cumsum([K or 1 for K in self.levels])[:-1])
        return np.array([part.argmax() if K else part[0] for part, K in zip(parts, self.levels, strict=True)], float)

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there."""
        self.box.tell(one_hot(x[None, :], self.levels)[0], y)
