"""Optuna, with its Gaussian process sampler, its default, TPE, CMA-ES, NSGA-II, or our sampler."""

from typing import Any

import numpy as np
import optuna

from bench.adapters import Aims, Floats


class Box:
    """A study in memory; every initial point is an added trial, and random start-up trials are left out."""

    def __init__(
        self, bounds: Floats, seed: int, X0: Floats, y0: Floats, sampler: str, levels: tuple[int, ...] = ()
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(direction="maximize", sampler=_sampler(sampler, seed, len(X0)))
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


class Outcomes:
    """A study in memory with several values or constraints per trial; NSGA-II's first generation is the start."""

    def __init__(self, bounds: Floats, aims: Aims, seed: int, X0: Floats, Y0: Floats, sampler: str) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.K = aims.n_objectives
        self.space = {f"x{j}": _distribution(side, 0) for j, side in enumerate(bounds.tolist())}
        self._trial: optuna.Trial | None = None
        self.study = optuna.create_study(directions=["maximize"] * self.K, sampler=_sampler(sampler, seed, len(X0)))
        for x, y in zip(X0, Y0, strict=True):
            if sampler == "nsga2":
                self.study.enqueue_trial(dict(zip(self.space, x.tolist(), strict=True)))
                self.ask()
                _ = self._trial.relative_params  # the sampler counts generations when it is asked for these
                self.tell(x, y)
            else:
                self._add(x, y)

    def ask(self) -> Floats:
        """The next point."""
        self._trial = self.study.ask(self.space)
        return np.array([self._trial.params[name] for name in self.space])

    def tell(self, x: Floats, y: Floats) -> None:
        """Told to the open trial if there is one, else added."""
        if self._trial is None:
            self._add(x, y)
            return
        for key, value in self._violations(y).items():
            self._trial.set_constraint(key, value)
        self.study.tell(self._trial, y[: self.K].tolist())
        self._trial = None

    def _add(self, x: Floats, y: Floats) -> None:
        trial = optuna.trial.create_trial(
            params=dict(zip(self.space, x.tolist(), strict=True)),
            distributions=self.space,
            values=y[: self.K].tolist(),
            constraints=self._violations(y) or None,
        )
        self.study.add_trial(trial)

    def _violations(self, y: Floats) -> dict[str, float]:
        return {f"c{j}": value for j, value in enumerate(y[self.K :].tolist())}


def _sampler(name: str, seed: int, n_initial: int) -> optuna.samplers.BaseSampler:
    if name == "nsga2":
        return optuna.samplers.NSGAIISampler(seed=seed, population_size=n_initial)
    if name == "regretless":
        from regretless.integrations.optuna import RegretlessSampler

        return RegretlessSampler(seed=seed, n_startup_trials=n_initial)
    kind: Any = {
        "gp": optuna.samplers.GPSampler,
        "tpe": optuna.samplers.TPESampler,
        "cmaes": optuna.samplers.CmaEsSampler,
    }[name]
    return kind(seed=seed, n_startup_trials=n_initial)


def _distribution(side: list[float], K: int) -> optuna.distributions.BaseDistribution:
    if K:
        return optuna.distributions.CategoricalDistribution([float(k) for k in range(K)])
    return optuna.distributions.FloatDistribution(*side)
