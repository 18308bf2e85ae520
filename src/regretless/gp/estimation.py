"""Hyperparameters are estimated from data: the highest density that some local searches find."""

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp.hyperparameters import Hyperparameters
from regretless.gp.objective import FitObjective
from regretless.gp.outcome_transform import Units
from regretless.gp.settings import FitSettings

__all__ = ["fit"]


def fit(
    surrogate: FitSettings,
    X: Floats,
    y: Floats,
    *,
    categorical: tuple[bool, ...],
    start: Hyperparameters | None,
    rng: np.random.Generator,
) -> Hyperparameters:
    """Hyperparameters for the data, from the last ones (``start``) and some further starts.

    With fewer than two observations, or when no start gives a finite optimum, the starting point itself is returned.
    A fitted mean goes into the units: the model sees values less their mean.
    """
    d = X.shape[1]
    given = surrogate.lengthscale if isinstance(surrogate.lengthscale, tuple) else (surrogate.lengthscale,) * d
    if len(given) != d:
        raise InvalidInput(f"lengthscale must be one number or one per column, {d} in all; got {len(given)}.")
    units = Units.of(y, compress=surrogate.compress) if surrogate.standardize else Units()
    objective = FitObjective.build(surrogate, X, units.standardised(y), categorical)
    family, best = objective.first_guess(start)
    if surrogate.method != "fixed" and len(y) >= 2 and objective.free.any():
        further = [objective.further_start(rng) for _ in range(surrogate.restarts)]
        family, best = objective.best_of((family, best), further)
        units = units.moved(objective.mean(family, best))
    theta = np.exp(best)
    # What is given is handed through: exp(log(v)) may round, and a noise of exactly zero has no logarithm.
    fitted = tuple(float(v) for v in theta[:d])
    lengthscale = tuple(v for v in given if v is not None) if surrogate.method == "fixed" else fitted
    signal_var = surrogate.signal_var if surrogate.signal_var is not None else float(theta[d])
    noise_var = surrogate.noise_var if surrogate.noise_var is not None else float(theta[d + 1])
    return Hyperparameters(family, lengthscale, signal_var, noise_var, units)
