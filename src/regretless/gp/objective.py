"""The density that a fit maximises, and the local searches for its maximum."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import scipy

from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp.evidence import Coupling, Levels, column_distances, constant_mean, log_evidence_gradient
from regretless.gp.fidelity import Discrepancy
from regretless.gp.hyperparameters import Hyperparameters
from regretless.gp.kernels import FAMILIES, Family, Kernel
from regretless.gp.noise import Noise
from regretless.gp.priors import CORRELATION, DISCREPANCY, LEVEL_NOISE, MEAN_VAR, OFFSET, LogNormal, hyperprior
from regretless.gp.settings import FitSettings
from regretless.gp.transfer import Source

__all__ = ["FitObjective", "Race", "Setting", "Start"]

#: A kernel family and its ``log_theta``.
Setting: TypeAlias = tuple[Family, Floats]
#: Where a search of the fit begins; None stands for the best optimum so far, carried over to the family.
Start: TypeAlias = tuple[Family, Floats | None]

#: The family an open choice begins with.
_FIRST_FAMILY: Family = "matern52"

#: Length scales beside those of RBF fitted to the same data: medians over fits to test functions.
_WIDER: dict[Family, float] = {"rbf": 1.0, "matern52": 1.3, "matern32": 1.6}

#: A start of the fit is given up when so many steps like its last ones would not make it the best, nor would its slope
#: over so many e-folds of every hyperparameter.
_PATIENCE = 3
_REACH = 1.0

#: Where logit rho may go: a correlation of 0.001 is none, and one of 0.9999 is hardly less than one.
_LOGIT_BOUNDS = (-7.0, 9.0)

#: Where the variance of a discrepancy may go, as a share of the signal's, the share of a constant in it, and the noise
#: below the target.
DISCREPANCY_BOUNDS = (1e-6, 1e2)
OFFSET_BOUNDS = (1e-3, 1e3)
LEVEL_NOISE_BOUNDS = (1e-6, 1e2)

#: Distances of all pairs in all columns are held while they fit into a processor's cache.
_HELD = 100_000


@dataclass(frozen=True, slots=True)
class FitObjective:
    """Minus (log evidence + log prior) per observation over the free part of ``log_theta``, for one kernel family.

    The families share their priors, so that their densities can be compared.
    """

    surrogate: FitSettings
    X: Floats
    y: Floats
    categorical: tuple[bool, ...]
    lower: Floats
    upper: Floats
    free: np.ndarray
    prior: LogNormal
    mean_var: float  # of the constant mean's prior
    D: Floats | None  # distances of all pairs, where they are few
    noise: Noise | None = None  # what is known of it
    n_source: int = 0  # the first so many observations are those of a source, and ``log_theta`` ends with logit rho
    discrepancy: Discrepancy | None = None  # then ``log_theta`` ends with the logarithms of its variances and offset
    parts: Floats | None = None  # E_j of all pairs

    @classmethod
    def build(
        cls,
        surrogate: FitSettings,
        X: Floats,
        y: Floats,
        categorical: tuple[bool, ...],
        noise: Noise | None = None,
        source: Source | None = None,
        levels: tuple[int, ...] | None = None,
        discrepancy: Discrepancy | None = None,
    ) -> "FitObjective":
        """The density of standardised values y; of more than ``fit_size`` of them, some stand for all.

        ``noise`` is in the units of y; the observations of a ``source`` come before them. With a ``discrepancy`` the
        last column of X has the levels.
        """
        d = X.shape[1] - (discrepancy is not None)
        if len(y) > surrogate.fit_size:
            kept = np.linspace(0, len(y) - 1, surrogate.fit_size).round().astype(int)
            X, y, noise = X[kept], y[kept], None if noise is None else noise.take(kept)
        prior = hyperprior(d, surrogate.lengthscale_prior, levels if surrogate.scale_categories else None)
        bounds = np.log([surrogate.lengthscale_bounds] * d + [(1e-2, 1e2), surrogate.noise_bounds])
        free = np.ones(d + 2, dtype=bool)
        free[d] = surrogate.signal_var is None
        free[d + 1] = surrogate.noise_var is None
        if surrogate.method == "fixed":
            free[:] = False
        if noise is not None:
            prior.location[d + 1], bounds[d + 1] = _of_extra_noise(noise, prior.location[d + 1], bounds[d + 1])
        if source is not None:
            noise = source.noise() + (Noise.known(np.zeros(len(y))) if noise is None else noise)
            X, y, free = np.vstack([source.X, X]), np.concatenate([source.z, y]), np.append(free, True)
            bounds = np.vstack([bounds, _LOGIT_BOUNDS])
            location, scale = math.log(CORRELATION[0] / (1.0 - CORRELATION[0])), CORRELATION[1]
            prior = LogNormal(np.append(prior.location, location), np.append(prior.scale, scale))
        parts = None
        if discrepancy is not None:
            parts, X, J = discrepancy.parts(X[:, d]), X[:, :d], len(discrepancy.variances)
            free = np.append(free, np.full(J + 2, surrogate.method != "fixed"))
            bounds = np.vstack([bounds, np.log([DISCREPANCY_BOUNDS] * J + [OFFSET_BOUNDS, LEVEL_NOISE_BOUNDS])])
            medians, sds = zip(*([DISCREPANCY] * J), OFFSET, LEVEL_NOISE, strict=True)
            prior = LogNormal(np.append(prior.location, np.log(medians)), np.append(prior.scale, sds))
        D = column_distances(X, categorical) if X.size * len(y) <= _HELD else None
        return cls(
            surrogate,
            X,
            y,
            categorical,
            bounds[:, 0],
            bounds[:, 1],
            free,
            prior,
            MEAN_VAR if surrogate.fit_mean and surrogate.standardize else 0.0,
            D,
            noise,
            0 if source is None else len(source),
            discrepancy,
            parts,
        )

    def first_guess(self, start: Hyperparameters | None) -> Setting:
        """The last optimum, or the setting's own start, or the priors' medians."""
        d = self.X.shape[1]
        s = self.surrogate
        family = s.kernel if s.kernel != "auto" else start.family if start is not None else _FIRST_FAMILY
        guess = self.prior.location.copy()
        if s.lengthscale is not None:
            guess[:d] = np.log(s.lengthscale)
        if start is not None:
            guess[: d + 2] = np.log([*start.lengthscale, start.signal_var, max(start.noise_var, 1e-300)])
            if self.n_source and start.rho:
                guess[d + 2] = math.log(start.rho) - math.log1p(-start.rho)
            if self.discrepancy is not None and start.discrepancy is not None:
                guess[d + 2 :] = np.log([*start.discrepancy.variances, start.offset, start.level_noise_var])
        guess = np.where(self.free & (s.method != "fixed"), np.clip(guess, self.lower, self.upper), guess)
        if s.signal_var is not None:
            guess[d] = math.log(s.signal_var)
        if s.noise_var is not None:
            guess[d + 1] = math.log(max(s.noise_var, 1e-300))
        return family, guess

    def further_start(self, rng: np.random.Generator) -> Start:
        """Length scales and noise from their priors, within bounds; any family where that is open.

        Then every second one, by a coin, asks for the family alone. That takes half the evaluations of a drawn start
        and wins more often, but it stays near the optimum there is; only the drawn ones find another.
        """
        d = self.X.shape[1]
        family, guess = self.first_guess(None)
        draw = self.prior.draw(rng)
        draw[d] = guess[d]
        drawn = np.where(self.free, np.clip(draw, self.lower, self.upper), guess)
        if self.surrogate.kernel != "auto":
            return family, drawn
        family = FAMILIES[rng.integers(len(FAMILIES))]
        return family, drawn if rng.random() < 0.5 else None

    def carried_over(self, optimum: Setting, family: Family) -> Floats:
        """The optimum of one family as a start for another."""
        d = self.X.shape[1]
        of, log_theta = optimum
        begin = log_theta.copy()
        begin[:d] += math.log(_WIDER[family] / _WIDER[of])
        return np.where(self.free, np.clip(begin, self.lower, self.upper), log_theta)

    def best_of(self, first: Setting, further: list[Start]) -> Setting:
        """Where the best of the local searches ends; those after the first are given up when they fall behind.

        Not so without priors: a likelihood has plateaus, on which that cannot be told.
        """
        best, lowest = first, math.inf
        bounds = list(zip(self.lower[self.free], self.upper[self.free], strict=True))
        for family, given in (first, *further):
            if given is None and family == best[0]:
                continue  # that search has been made
            begin = given if given is not None else self.carried_over(best, family)
            race = Race(self._value_and_gradient, lowest if self.surrogate.method == "map" else math.inf)
            run = scipy.optimize.minimize(
                race.value,
                begin[self.free],
                args=(family, begin),
                jac=race.gradient,
                method="L-BFGS-B",
                bounds=bounds,
                callback=race.step,
                options={"maxiter": 100, "ftol": 1e-5, "gtol": 1e-3},
            )
            if math.isfinite(run.fun) and run.fun < lowest:
                found = begin.copy()
                found[self.free] = run.x
                lowest, best = float(run.fun), (family, found)
        return best

    def mean(self, family: Family, log_theta: Floats) -> float:
        """The constant mean of the standardised values that goes with ``log_theta``."""
        if not self.mean_var:
            return 0.0
        model, coupling = self._model(family, log_theta), Coupling(self.n_source, self.rho(log_theta))
        levels = self._levels(log_theta)
        return constant_mean(*model, self.X, self.y, self.mean_var, self.noise, coupling, levels)

    def rho(self, log_theta: Floats) -> float:
        """The correlation with the source, 0 without one."""
        return 1.0 / (1.0 + math.exp(-log_theta[-1])) if self.n_source else 0.0

    def of_levels(self, log_theta: Floats) -> tuple[Discrepancy | None, float, float]:
        """Discrepancy, offset, and noise below the target; None and 0 where all observations are at the target."""
        if self.discrepancy is None:
            return None, 0.0, 0.0
        *variances, offset, noise_var = np.exp(log_theta[self.X.shape[1] + 2 :]).tolist()
        return self.discrepancy.with_variances(tuple(variances)), offset, noise_var

    def _levels(self, log_theta: Floats) -> Levels | None:
        if self.parts is None:
            return None
        *variances, offset, noise_var = np.exp(log_theta[self.X.shape[1] + 2 :])
        return Levels(self.parts, np.array(variances), float(offset), float(noise_var))

    def _model(self, family: Family, log_theta: Floats) -> tuple[Kernel, float]:
        """Kernel and noise variance."""
        d = self.X.shape[1]
        theta = np.exp(log_theta)
        noise_var = self.surrogate.noise_var if self.surrogate.noise_var is not None else float(theta[d + 1])
        return Kernel(family, theta[:d], float(theta[d]), self.categorical), noise_var

    def _value_and_gradient(self, moving: Floats, family: Family, begin: Floats) -> tuple[float, Floats]:
        log_theta = begin.copy()
        log_theta[self.free] = moving
        kernel, noise_var = self._model(family, log_theta)
        try:
            coupling = Coupling(self.n_source, self.rho(log_theta))
            value, gradient = log_evidence_gradient(
                kernel, noise_var, self.X, self.y, self.D, self.mean_var, self.noise, coupling, self._levels(log_theta)
            )
        except NumericalError:
            return math.inf, np.zeros(len(moving))
        if self.surrogate.method == "map":
            log_density, slope = self.prior.log_density(log_theta)
            value += log_density
            gradient += slope
        n = len(self.y)
        return -value / n, -gradient[self.free] / n


def _of_extra_noise(noise: Noise, location: float, bounds: Floats) -> tuple[float, Floats]:
    """Median and bounds of the common noise, as logarithms, beside what is known of single observations.

    Where every standard deviation is known, the common noise is an extra, expected at a tenth of it at the most; the
    noise of one replicate may be as many times larger than that of their mean as there are.
    """
    variances = noise.sd**2
    if len(noise) and variances.min() > 0.0:
        location = min(location, math.log(0.1 * float(np.median(variances))))
        bounds = np.array([min(bounds[0], math.log(1e-3 * float(variances.min()))), bounds[1]])
    return location, bounds + np.array([0.0, math.log(np.max(noise.count, initial=1.0))])


@dataclass(slots=True)
class Race:
    """A function on its way down, given up where neither its last steps nor its slope promise a value below ``lowest``.

    Both are needed: the first steps of a search are short, and beside a valley the slope is steep.
    """

    value_and_gradient: Callable[..., tuple[float, Floats]]
    lowest: float
    at: list[float] = field(default_factory=list)  # where the function was evaluated last
    latest: float = math.inf
    slopes: Floats = field(default_factory=lambda: np.empty(0))
    steps: deque[float] = field(default_factory=lambda: deque(maxlen=_PATIENCE + 1))

    def value(self, moving: Floats, *arguments: Any) -> float:
        """The function. SciPy asks for its gradient next: both are kept, which costs less than SciPy's own memory."""
        self.at = moving.tolist()
        self.latest, self.slopes = self.value_and_gradient(moving, *arguments)
        return self.latest

    def gradient(self, moving: Floats, *arguments: Any) -> Floats:
        """Its gradient."""
        if self.at != moving.tolist():
            self.value(moving, *arguments)
        return self.slopes

    def step(self, _: Floats) -> None:
        """SciPy's callback after every step, which arrives at the point of the latest value."""
        self.steps.append(self.latest)
        missing = self.latest - self.lowest
        slope = float(np.abs(self.slopes).sum())
        if len(self.steps) > _PATIENCE and missing > max(self.steps[0] - self.latest, _REACH * slope):
            raise StopIteration
