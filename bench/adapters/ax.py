"""Ax through its client, method "fast": the generation strategy it chooses by itself."""

import logging

import numpy as np
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from ax.utils.common.logger import set_ax_logger_levels

from bench.adapters import Floats


class Box:
    """The initial data are attached trials, which count as its initialisation."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        set_ax_logger_levels(logging.ERROR)
        self.names = [f"x{j}" for j in range(len(bounds))]
        self.bounds = bounds
        self.client = Client(random_seed=seed)
        self.client.configure_experiment(
            parameters=[
                RangeParameterConfig(name=name, bounds=tuple(side), parameter_type="float")
                for name, side in zip(self.names, bounds.tolist(), strict=True)
            ]
        )
        self.client.configure_optimization(objective="y")
        self.client.configure_generation_strategy(
            method="fast",
            initialization_budget=len(X0),
            initialization_random_seed=seed,
            initialize_with_center=False,
            min_observed_initialization_trials=len(X0),
        )
        self._asked: int | None = None
        for x, y in zip(X0, y0.tolist(), strict=True):
            self.tell(x, y)

    def ask(self) -> Floats:
        """The next point."""
        ((self._asked, params),) = self.client.get_next_trials(max_trials=1).items()
        return np.clip([float(params[name]) for name in self.names], self.bounds[:, 0], self.bounds[:, 1])

    def tell(self, x: Floats, y: float) -> None:
        """Told to the open trial if there is one, else attached."""
        if self._asked is None:
            self._asked = self.client.attach_trial(dict(zip(self.names, x.tolist(), strict=True)))
        self.client.complete_trial(self._asked, raw_data={"y": y})
        self._asked = None
