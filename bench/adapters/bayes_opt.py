"""bayes_opt in its default setting: Matern 5/2, UCB with kappa 2.576."""

import contextlib
import io

import numpy as np
from bayes_opt import BayesianOptimization

from bench.adapters import Floats


class Box:
    """Points may repeat: it raises otherwise, when its own suggestion is an old point."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        self.names = [f"x{j}" for j in range(len(bounds))]
        self.bounds = bounds
        sides = dict(zip(self.names, map(tuple, bounds.tolist()), strict=True))
        self.optimizer = BayesianOptimization(None, sides, random_state=seed, verbose=0, allow_duplicate_points=True)
        for x, y in zip(X0, y0.tolist(), strict=True):
            self.tell(x, y)

    def ask(self) -> Floats:
        """The next point."""
        params = self.optimizer.suggest()
        return np.clip([float(params[name]) for name in self.names], self.bounds[:, 0], self.bounds[:, 1])

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there; the note it prints on each repeat is dropped."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.optimizer.register(dict(zip(self.names, x.tolist(), strict=True)), y)
