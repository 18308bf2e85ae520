"""Optuna, with its Gaussian process sampler or its default, TPE."""

from typing import Any

import numpy as np
import optuna

from bench.adapters import Floats


class Box:
    """A study in memory; every initial point is an added trial, and random start-up trials are left out."""

    def __init__(
        self, bounds: Floats, seed: int, X0: Floats, y0: Floats, sampler: str, levels: tuple[int, ...] = ()
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        kind: Any = {"gp": optuna.samplers.GPSampler, "tpe": optuna.samplers.TPESampler}[sampler]
        self.study = optuna.create_study(direction="maximize", sampler=kind(seed=seed, n_startup_trials=len(X0)))
        sides = zip(bounds.tolist(), levels or (0,) * len(bounds), strict=True)
        self.space = {f"x{j}": _distribution(side, K) for j, (side, K) in enumerate(sides)}
        self._trial: optuna.Trial | None = None
        for x, y in zip(X0, y0.tolist(), strict=True):
            self._add(x, y)

    def ask(self) -> Floats:
        """The next point."""
        self._trial = self.study.ask(self.space)
        return np.array([self._trial.params[name] for name in self.space])

    def tell(self, x: Floats, y: float) -> None:
        """Told to the open trial if there is one, else added."""
        if self._trial is not None:
            self.study.tell(self._trial, y)
            self._trial = None
        else:
            self._add(x, y)

    def _add(self, x: Floats, y: float) -> None:
        params = dict(zip(self.space, x.tolist(), strict=True))
        self.study.add_trial(optuna.trial.create_trial(params=params, distributions=self.space, value=y))


def _distribution(side: list[float], K: int) -> optuna.distributions.BaseDistribution:
    if K:
        return optuna.distributions.CategoricalDistribution([float(k) for k in range(K)])
    return optuna.distributions.FloatDistribution(*side)
