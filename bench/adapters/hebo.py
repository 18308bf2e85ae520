"""HEBO in its default setting, in an environment of its own."""

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

from bench.adapters import Floats


class Box:
    """HEBO draws from the global generators of NumPy and torch: both are seeded."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        self.names, self.bounds = [f"x{j}" for j in range(len(bounds))], bounds
        space = DesignSpace().parse(
            [
                {"name": name, "type": "num", "lb": low, "ub": high}
                for name, (low, high) in zip(self.names, bounds.tolist(), strict=True)
            ]
        )
        self.optimizer = HEBO(space, rand_sample=len(X0), scramble_seed=seed)
        self._observe(X0, y0)

    def ask(self) -> Floats:
        """The next point."""
        x = self.optimizer.suggest(n_suggestions=1)[self.names].to_numpy(dtype=float)[0]
        return np.clip(x, self.bounds[:, 0], self.bounds[:, 1])

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there."""
        self._observe(x[None, :], np.array([y]))

    def _observe(self, X: Floats, y: Floats) -> None:
        self.optimizer.observe(pd.DataFrame(X, columns=self.names), -y[:, None])  # HEBO minimises
