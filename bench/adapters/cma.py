"""CMA-ES (package ``cma``) in its default setting, from the best of the initial data with a fifth of the range."""

import cma
import numpy as np

from bench.adapters import Floats


class Box:
    """It wants whole generations: they are handed out point by point and told when complete."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        self.low, self.width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        options = {"bounds": [0.0, 1.0], "seed": seed + 1, "verbose": -9}  # a seed of 0 would be the clock
        self.strategy = cma.CMAEvolutionStrategy((X0[y0.argmax()] - self.low) / self.width, 0.2, options)
        self._waiting: list[Floats] = []
        self._done: list[tuple[Floats, float]] = []

    def ask(self) -> Floats:
        """The next point of the generation, or the first of the next."""
        if not self._waiting:
            if self._done:
                self.strategy.tell(*zip(*self._done, strict=True))
                self._done = []
            self._waiting = list(self.strategy.ask())
        return self._point()

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there; CMA-ES minimises and has no use for points it did not ask for."""
        if self._waiting and (self._point() == x).all():
            self._done.append((self._waiting.pop(0), -y))

    def _point(self) -> Floats:
        return self.low + self.width * np.clip(self._waiting[0], 0.0, 1.0)
