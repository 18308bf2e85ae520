"""Uniform random points, the floor that every optimiser has to beat."""

import numpy as np

from bench.adapters import Aims, Floats


class Outcomes:
    """Independent uniform points of the box."""

    def __init__(self, bounds: Floats, aims: Aims, seed: int, X0: Floats, Y0: Floats) -> None:  # noqa: ARG002
        self.low, self.high = bounds.T
        self.rng = np.random.default_rng([seed, 2])

    def ask(self) -> Floats:
        """The next point."""
        return self.rng.uniform(self.low, self.high)

    def tell(self, x: Floats, y: Floats) -> None:
        """Not looked at."""


class OutcomesTable:
    """The rows in random order, without those of the initial data."""

    def __init__(self, X: Floats, aims: Aims, seed: int, index0: list[int], Y0: Floats) -> None:  # noqa: ARG002
        order = np.random.default_rng([seed, 2]).permutation(len(X)).tolist()
        self.order = [row for row in order if row not in index0]

    def ask(self) -> int:
        """The next row."""
        return self.order[0]

    def tell(self, index: int, y: Floats) -> None:  # noqa: ARG002
        """Not asked for again."""
        self.order.remove(index)
