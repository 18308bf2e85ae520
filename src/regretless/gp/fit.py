"""Hyperparameters: what they are, and how they are fitted to data."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize

from regretless.arrays import Floats, show
from regretless.errors import InvalidInput, NumericalError
from regretless.gp.evidence import column_distances, constant_mean, log_evidence_gradient
from regretless.gp.kernels import FAMILIES, Family, Kernel
from regretless.gp.outcome_transform import Units
from regretless.gp.posterior import Posterior, posterior
from regretless.gp.priors import CAUTIOUS_LENGTHSCALE, LENGTHSCALE, MEAN_VAR, LogNormal, hyperprior

__all__ = ["Hyperparameters", "Surrogate", "fit", "fitted_to", "refit_due"]

Method = Literal["map", "likelihood", "fixed"]
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

#: On a table of more candidates a fit is cheap beside the n x N matrix that is made anew after it. With so many
#: observations hyperparameters move little, and it is done half as often.
_MANY_CANDIDATES = 10_000
_MANY_OBSERVATIONS = 64

#: Distances of all pairs in all columns are held while they fit into a processor's cache.
_HELD = 100_000


@dataclass(frozen=True, slots=True)
class Surrogate:
    """How the Gaussian process is set up and how often it is fitted.

    Parameters
    ----------
    kernel
        ``"rbf"``, ``"matern32"`` or ``"matern52"``, each with one length scale per column; ``"auto"`` lets the fit
        choose (every further start draws its family, and the best of all starts wins) and is ``"matern52"`` where
        nothing is fitted.
    method
        ``"map"``: maximum of likelihood times the priors of `regretless.gp.priors`; ``"likelihood"``: without these
        priors; ``"fixed"``: ``lengthscale``, ``signal_var`` and ``noise_var`` are taken as given.
    lengthscale
        On the unit cube: the value if fixed, else where the fit starts.
    signal_var, noise_var
        Kernel amplitude and noise variance in the units the model sees (standardised y, unless ``standardize=False``);
        ``None`` lets the fit choose.
    lengthscale_prior
        Of ``method="map"``: median in one dimension (it grows with the square root of their number) and sd of the log.
    lengthscale_bounds, noise_bounds
        Where the fit may go.
    restarts
        Further starts of the fit, beside the last optimum.
    refit_every
        Tells between two fits; ``None`` fits after every tell at first and after every eighth part of n later (on a
        table of more than 10,000 candidates after every fourth part, from 64 observations on).
    fit_size
        At most so many observations, evenly spaced in time, are used to choose hyperparameters. The posterior has more.
    standardize
        Whether y is shifted and scaled to mean 0 and variance 1 before modelling.
    fit_mean
        Whether the mean of the process, a constant, is fitted with the hyperparameters instead of being that of the
        observed values; its own prior, N(0, 1) on standardised y, counts with every ``method``. Not without
        ``standardize``, and not where nothing is fitted.
    compress
        Whether, before that, values below their median are taken by about their logarithm, see
        `regretless.gp.outcome_transform`. Not without ``standardize``.

    >>> Surrogate.paper().kernel
    'rbf'
    """

    kernel: Family | Literal["auto"] = "auto"
    method: Method = "map"
    lengthscale: float | tuple[float, ...] | None = None
    signal_var: float | None = None
    noise_var: float | None = None
    lengthscale_prior: tuple[float, float] = LENGTHSCALE
    lengthscale_bounds: tuple[float, float] = (1e-2, 1e2)
    noise_bounds: tuple[float, float] = (1e-6, 1.0)
    restarts: int = 1
    refit_every: int | None = None
    fit_size: int = 1000
    standardize: bool = True
    fit_mean: bool = True
    compress: bool = True

    def __post_init__(self) -> None:
        if self.kernel not in (*FAMILIES, "auto"):
            raise InvalidInput(f"kernel must be one of {', '.join(FAMILIES)} or auto; got {show(self.kernel)}.")
        if self.method not in ("map", "likelihood", "fixed"):
            raise InvalidInput(f"method must be 'map', 'likelihood' or 'fixed'; got {show(self.method)}.")
        scales = self.lengthscale if isinstance(self.lengthscale, tuple) else (self.lengthscale,)
        for name, value in [*(("lengthscale", v) for v in scales), ("signal_var", self.signal_var)]:
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InvalidInput(f"{name} must be positive and finite, got {value}.")
        if self.noise_var is not None and not (math.isfinite(self.noise_var) and self.noise_var >= 0):
            raise InvalidInput(f"noise_var must be finite and not negative, got {self.noise_var}.")
        for name, (low, high) in (("lengthscale_bounds", self.lengthscale_bounds), ("noise_bounds", self.noise_bounds)):
            if not 0 < low <= high < math.inf:
                raise InvalidInput(f"{name} must be 0 < low <= high < inf, got {(low, high)}.")
        if not all(math.isfinite(value) and value > 0 for value in self.lengthscale_prior):
            raise InvalidInput(f"lengthscale_prior must be a positive median and sd, got {self.lengthscale_prior}.")
        if self.method == "fixed" and None in (*scales, self.signal_var, self.noise_var):
            raise InvalidInput("method='fixed' needs lengthscale, signal_var and noise_var.")
        if self.restarts < 0 or (self.refit_every is not None and self.refit_every < 1) or self.fit_size < 2:
            raise InvalidInput("restarts must be >= 0, refit_every >= 1 (or None) and fit_size >= 2.")

    @classmethod
    def paper(cls) -> "Surrogate":
        """The setting of Takeno et al.: RBF-ARD, amplitude and noise fixed, length scales by likelihood, every 5."""
        return cls(
            kernel="rbf",
            method="likelihood",
            lengthscale=0.3,
            signal_var=1.0,
            noise_var=1e-4,
            lengthscale_bounds=(0.03, 10.0),
            restarts=10,
            refit_every=5,
            fit_mean=False,
            compress=False,
        )

    @classmethod
    def known(
        cls, kernel: Family, lengthscale: float | tuple[float, ...], *, signal_var: float, noise_var: float
    ) -> "Surrogate":
        """Hyperparameters known beforehand, y modelled as it is: the setting of the theorems.

        They are about the argmax over all points, so a study with such a model repeats points unless told otherwise.
        """
        return cls(
            kernel=kernel,
            method="fixed",
            lengthscale=lengthscale,
            signal_var=signal_var,
            noise_var=noise_var,
            standardize=False,
        )

    def cautious(self) -> "Surrogate":
        """The model to promise by, beside this one to search by: shorter length scales, which expect more surprises.

        A model chosen because it explains the few data best is too sure of itself where nothing was measured. Only a
        fit with the default prior is made more cautious; whoever sets priors, likelihood or values knows what they do.
        """
        if self.method != "map" or self.lengthscale_prior != LENGTHSCALE:
            return self
        kernel = "matern32" if self.kernel == "auto" else self.kernel
        return replace(self, kernel=kernel, lengthscale_prior=CAUTIOUS_LENGTHSCALE)


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """One fitted setting, and the units in which the model sees the values."""

    family: Family
    lengthscale: tuple[float, ...]
    signal_var: float
    noise_var: float
    units: Units = field(default_factory=Units)

    def kernel(self, categorical: tuple[bool, ...]) -> Kernel:
        """The kernel with this setting."""
        return Kernel(self.family, np.array(self.lengthscale), self.signal_var, categorical)

    def posterior(self, categorical: tuple[bool, ...], X: Floats, y: Floats) -> Posterior:
        """Posterior of the standardised function given values in the user's units."""
        return posterior(self.kernel(categorical), noise_var=self.noise_var, X=X, y=self.units.standardised(y))


def refit_due(surrogate: Surrogate, *, n: int, n_fitted: int | None, N: int = 0) -> bool:
    """Whether n observations call for a new fit when the last one saw ``n_fitted`` (None: there was none).

    N is the number of candidates, if there is a table of them.
    """
    if n_fitted is None:
        return True
    if surrogate.method == "fixed" and not surrogate.standardize:
        return False  # with it, shift and scale still have to follow the values
    return n - n_fitted >= _fit_after(surrogate, n_fitted, N)


def fitted_to(surrogate: Surrogate, n: int, N: int = 0) -> int:
    """How many of n observations the newest fit saw, if it was asked for after each of them.

    >>> [fitted_to(Surrogate(), n) for n in (0, 1, 15, 17, 18, 19, 100)]
    [0, 1, 15, 16, 18, 18, 91]
    """
    seen = min(n, 1)
    while 0 < seen <= n - _fit_after(surrogate, seen, N):
        seen += _fit_after(surrogate, seen, N)
    return seen


def _fit_after(surrogate: Surrogate, n_fitted: int, N: int) -> int:
    """Observations until the next fit."""
    if surrogate.refit_every is not None:
        return surrogate.refit_every
    seldom = N > _MANY_CANDIDATES and n_fitted >= _MANY_OBSERVATIONS
    return max(1, n_fitted // (4 if seldom else 8))


def fit(
    surrogate: Surrogate,
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
    objective = _Objective.build(surrogate, X, units.standardised(y), categorical)
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


@dataclass(frozen=True, slots=True)
class _Objective:
    """Minus (log evidence + log prior) per observation over the free part of ``log_theta``, for one kernel family.

    The families share their priors, so that their densities can be compared.
    """

    surrogate: Surrogate
    X: Floats
    y: Floats
    categorical: tuple[bool, ...]
    lower: Floats
    upper: Floats
    free: np.ndarray
    prior: LogNormal
    mean_var: float  # of the constant mean's prior
    D: Floats | None  # distances of all pairs, where they are few

    @classmethod
    def build(cls, surrogate: Surrogate, X: Floats, y: Floats, categorical: tuple[bool, ...]) -> "_Objective":
        d = X.shape[1]
        if len(y) > surrogate.fit_size:
            kept = np.linspace(0, len(y) - 1, surrogate.fit_size).round().astype(int)
            X, y = X[kept], y[kept]
        bounds = np.log([surrogate.lengthscale_bounds] * d + [(1e-2, 1e2), surrogate.noise_bounds])
        free = np.ones(d + 2, dtype=bool)
        free[d] = surrogate.signal_var is None
        free[d + 1] = surrogate.noise_var is None
        D = column_distances(X, categorical) if X.size * len(y) <= _HELD else None
        return cls(
            surrogate,
            X,
            y,
            categorical,
            bounds[:, 0],
            bounds[:, 1],
            free,
            hyperprior(d, surrogate.lengthscale_prior),
            MEAN_VAR if surrogate.fit_mean and surrogate.standardize else 0.0,
            D,
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
            guess[:] = np.log([*start.lengthscale, start.signal_var, max(start.noise_var, 1e-300)])
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
            race = _Race(self._value_and_gradient, lowest if self.surrogate.method == "map" else math.inf)
            run = minimize(
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
        return constant_mean(*self._model(family, log_theta), self.X, self.y, self.mean_var)

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
            value, gradient = log_evidence_gradient(kernel, noise_var, self.X, self.y, self.D, self.mean_var)
        except NumericalError:
            return math.inf, np.zeros(len(moving))
        if self.surrogate.method == "map":
            log_density, slope = self.prior.log_density(log_theta)
            value += log_density
            gradient += slope
        n = len(self.y)
        return -value / n, -gradient[self.free] / n


@dataclass(slots=True)
class _Race:
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
