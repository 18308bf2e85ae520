"""SMAC3, the facade for expensive functions of few parameters (Gaussian process, EI)."""

import tempfile
from pathlib import Path

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace, Float
from smac import BlackBoxFacade, Scenario
from smac.runhistory.dataclasses import TrialInfo, TrialValue

from bench.adapters import Floats


def _never_called(config: Configuration, seed: int = 0) -> float:  # SMAC reads its signature
    raise NotImplementedError(config, seed)


class Box:
    """The initial data are its initial design, already evaluated. The same seed repeats only with PYTHONHASHSEED=0."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        self.space = ConfigurationSpace(seed=seed)
        self.names = [f"x{j}" for j in range(len(bounds))]
        self.bounds = bounds
        for name, side in zip(self.names, bounds.tolist(), strict=True):
            self.space.add(Float(name, tuple(side)))
        self._folder = tempfile.TemporaryDirectory(prefix="bench-smac-")
        scenario = Scenario(
            self.space, deterministic=True, n_trials=10**6, seed=seed, output_directory=Path(self._folder.name)
        )
        configs = [self._config(x) for x in X0]
        design = BlackBoxFacade.get_initial_design(scenario, n_configs=0, additional_configs=configs)
        self.smac = BlackBoxFacade(scenario, _never_called, initial_design=design, overwrite=True, logging_level=False)
        for config, y in zip(configs, y0.tolist(), strict=True):
            self._tell(config, y)
        self._asked: TrialInfo | None = None

    def ask(self) -> Floats:
        """The next point."""
        self._asked = self.smac.ask()
        x = [self._asked.config[name] for name in self.names]
        return np.clip(x, self.bounds[:, 0], self.bounds[:, 1])

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there; SMAC minimises."""
        if self._asked is not None:
            self.smac.tell(self._asked, TrialValue(cost=-y), save=False)
            self._asked = None
        else:
            self._tell(self._config(x), y)

    def _config(self, x: Floats) -> Configuration:
        return Configuration(self.space, values=dict(zip(self.names, x.tolist(), strict=True)))

    def _tell(self, config: Configuration, y: float) -> None:
        self.smac.tell(TrialInfo(config, seed=0), TrialValue(cost=-y), save=False)
