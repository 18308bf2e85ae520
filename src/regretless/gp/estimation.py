"""Hyperparameters are estimated from data: the highest density that some local searches find."""

import math

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput, NumericalError
from regretless.gp.fidelity import Discrepancy
from regretless.gp.hyperparameters import Hyperparameters
from regretless.gp.noise import Noise
from regretless.gp.objective import FitObjective
from regretless.gp.outcome_transform import Units
from regretless.gp.places import units_of_places
from regretless.gp.regression import Posterior
from regretless.gp.settings import FitSettings
from regretless.gp.transfer import Source

__all__ = ["fit", "left_out_density"]

#: By how much a source must improve the log density of left-out observations: a wrong one does so by chance (ADR 47).
_CLEARLY = 2.0

#: Values so many standard deviations of the source away from its mean are not in its units.
_FAR = 100.0


def fit(
    surrogate: FitSettings,
    X: Floats,
    y: Floats,
    *,
    categorical: tuple[bool, ...],
    start: Hyperparameters | None,
    rng: np.random.Generator,
    noise: Noise | None = None,
    source: Source | None = None,
    knee: float | None = None,
    levels: tuple[int, ...] | None = None,
    discrepancy: Discrepancy | None = None,
) -> Hyperparameters:
    """Hyperparameters for the data, from the last ones (``start``) and some further starts.

    With fewer than two observations, or when no start gives a finite optimum, the starting point itself is returned.
    A fitted mean goes into the units: the model sees values less their mean. ``noise`` is what is known of it, in the
    units of y; the fitted noise is then an extra that all observations have. ``levels`` are the numbers of categories
    of the columns, 0 for numbers: what the prior of their length scales depends on. With a ``discrepancy`` the last
    column of X says how far below the target an observation is; its variances and the offset are fitted too.

    With a ``source`` there are two further fits, jointly with it: in the units of the study and in those of the
    source, which are better where both measured the same outcome. The better of them is taken where it predicts each
    observation from the others (and the source) clearly better than the fit without: else rho is 0, and nothing of the
    source is left. With fewer than two observations nothing can be compared, and the source is believed as the prior of
    rho says.
    """
    points = X if discrepancy is None else X[:, :-1]
    own = _units(surrogate, points, y, categorical) if surrogate.standardize else Units()
    own = own if knee is None else Units.around(y, knee, first=2 * points.shape[1] + 2)
    alone = _fit(surrogate, X, y, own, categorical, levels, start, rng, noise, None, discrepancy)
    if source is None:
        return alone
    before = start if start is not None and start.rho else _as_start(source)
    choices = [units for units in (source.units, own) if _within_reach(units, y)]
    joint = [
        _fit(surrogate, X, y, units, categorical, levels, before, rng, noise, source)
        for units in dict.fromkeys(choices)
    ]
    if len(y) < 2:
        return joint[0]

    def density(h: Hyperparameters) -> float:
        left_out = left_out_density(h.posterior(categorical, X, y, noise=noise, source=source))
        slope = np.maximum(h.units.slope(y), np.finfo(np.float64).tiny)
        return left_out + float(np.log(slope).sum())  # of the values in the user's units

    try:
        without, *with_source = [density(h) for h in (alone, *joint)]
    except NumericalError:
        return alone
    best = int(np.argmax(with_source))
    return joint[best] if with_source[best] >= without + _CLEARLY else alone


def _fit(
    surrogate: FitSettings,
    X: Floats,
    y: Floats,
    units: Units,
    categorical: tuple[bool, ...],
    levels: tuple[int, ...] | None,
    start: Hyperparameters | None,
    rng: np.random.Generator,
    noise: Noise | None,
    source: Source | None,
    discrepancy: Discrepancy | None = None,
) -> Hyperparameters:
    d = X.shape[1] - (discrepancy is not None)
    given = surrogate.lengthscale if isinstance(surrogate.lengthscale, tuple) else (surrogate.lengthscale,) * d
    if len(given) != d:
        raise InvalidInput(f"lengthscale must be one number or one per column, {d} in all; got {len(given)}.")
    seen = None if noise is None else noise.scaled(units.slope(y))
    objective = FitObjective.build(surrogate, X, units.standardised(y), categorical, seen, source, levels, discrepancy)
    family, best = objective.first_guess(start)
    if len(objective.y) >= 2 and objective.free.any():
        further = [objective.further_start(rng) for _ in range(surrogate.restarts)]
        family, best = objective.best_of((family, best), further)
        if surrogate.method != "fixed":
            units = units.moved(objective.mean(family, best))
    theta = np.exp(best)
    # What is given is handed through: exp(log(v)) may round, and a noise of exactly zero has no logarithm.
    fitted = tuple(float(v) for v in theta[:d])
    lengthscale = tuple(v for v in given if v is not None) if surrogate.method == "fixed" else fitted
    signal_var = surrogate.signal_var if surrogate.signal_var is not None else float(theta[d])
    noise_var = surrogate.noise_var if surrogate.noise_var is not None else float(theta[d + 1])
    return Hyperparameters(
        family, lengthscale, signal_var, noise_var, units, objective.rho(best), *objective.of_levels(best)
    )


def _units(surrogate: FitSettings, X: Floats, y: Floats, categorical: tuple[bool, ...]) -> Units:
    if surrogate.places:
        return units_of_places(X, y, categorical, compress=surrogate.compress)
    return Units.of(y, compress=surrogate.compress)


def _within_reach(units: Units, y: Floats) -> bool:
    """Whether values are of a size that these units are made for."""
    with np.errstate(over="ignore"):
        return bool((np.abs(units.standardised(y)) <= _FAR).all())


def _as_start(source: Source) -> Hyperparameters:
    """The fit of the source alone."""
    *lengthscale, signal_var, noise_var = np.exp(source.log_theta).tolist()
    return Hyperparameters(source.family, tuple(lengthscale), signal_var, noise_var)


def left_out_density(posterior: Posterior) -> float:
    r"""Log density of each observation of the study given all the others (Rasmussen and Williams 2006, 5.10 to 5.12).

    .. math:: \sum_i \tfrac12 \log [K^{-1}]_{ii} - \tfrac12 [K^{-1} y]_i^2 / [K^{-1}]_{ii} - \tfrac12 \log 2\pi
    """
    own = slice(posterior.n_source, None)
    precision, weights = posterior.factor.inverse().diagonal()[own], posterior.weights[own]
    return 0.5 * float((np.log(precision) - weights**2 / precision - math.log(2.0 * math.pi)).sum())
