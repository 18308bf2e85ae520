"""SMAC3 with Hyperband: random forests propose, successive halving decides what is measured at the target."""

import tempfile
from pathlib import Path

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace, Float
from smac import MultiFidelityFacade, Scenario
from smac.runhistory.dataclasses import TrialValue

from bench.adapters import Floats


def _never_called(config: Configuration, seed: int = 0, budget: float = 1.0) -> float:  # SMAC reads its signature
    raise NotImplementedError(config, seed, budget)


class Fidelities:
    """Its budgets are the costs of the levels; it makes its own initial design, which counts."""

    def __init__(
        self,
        bounds: Floats,
        levels: tuple[float, ...],
        costs: tuple[float, ...],
        seed: int,
        X0: Floats,
        at0: list[int],  # noqa: ARG002
        y0: Floats,  # noqa: ARG002
    ) -> None:
        self.space = ConfigurationSpace(seed=seed)
        self.names, self.bounds = [f"x{j}" for j in range(len(bounds))], bounds
        for name, side in zip(self.names, bounds.tolist(), strict=True):
            self.space.add(Float(name, tuple(side)))
        self.costs = np.array(costs)
        self._folder = tempfile.TemporaryDirectory(prefix="bench-smac-")
        eta = round((costs[-1] / costs[0]) ** (1.0 / (len(levels) - 1)))
        scenario = Scenario(
            self.space,
            deterministic=True,
            n_trials=10**6,
            seed=seed,
            min_budget=costs[-1] / eta ** (len(levels) - 1),
            max_budget=costs[-1],
            output_directory=Path(self._folder.name),
        )
        self.smac = MultiFidelityFacade(
            scenario,
            _never_called,
            initial_design=MultiFidelityFacade.get_initial_design(scenario, n_configs=len(X0)),
            intensifier=MultiFidelityFacade.get_intensifier(scenario, eta=eta),
            overwrite=True,
            logging_level=False,
        )

    def ask(self) -> tuple[Floats, int]:
        """The next point and the number of its level."""
        self._asked = self.smac.ask()
        at = int(np.abs(np.log(self.costs) - np.log(self._asked.budget)).argmin())
        return self._point(self._asked.config), at

    def tell(self, x: Floats, at: int, y: float) -> None:  # noqa: ARG002
        """What was measured there; SMAC minimises."""
        self.smac.tell(self._asked, TrialValue(cost=-y), save=False)

    def recommend(self) -> Floats | None:
        """The incumbent."""
        config = self.smac.intensifier.get_incumbent()
        return None if config is None else self._point(config)

    def _point(self, config: Configuration) -> Floats:
        x = [config[name] for name in self.names]
        return np.clip(x, self.bounds[:, 0], self.bounds[:, 1])
