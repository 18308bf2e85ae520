"""scikit-optimize: ``Optimizer`` in its default setting, Gaussian process and hedged acquisition functions."""

import numpy as np
from skopt import Optimizer

from bench.adapters import Floats


class Box:
    """Observations are handed over together at the next ``ask``: its ``tell`` fits the model, once is enough."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        self.bounds = bounds
        self.optimizer = Optimizer([tuple(side) for side in bounds.tolist()], n_initial_points=1, random_state=seed)
        self._X, self._y = X0.tolist(), (-y0).tolist()

    def ask(self) -> Floats:
        """The next point."""
        if self._y:
            self.optimizer.tell(self._X, self._y)
            self._X, self._y = [], []
        return np.clip(self.optimizer.ask(), self.bounds[:, 0], self.bounds[:, 1])

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there; scikit-optimize minimises."""
        self._X.append(x.tolist())
        self._y.append(-y)
