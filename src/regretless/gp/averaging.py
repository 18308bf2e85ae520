r"""Hyperparameters as draws from their law given the data: the model to promise by has not one setting but many.

A setting is a kernel family, all equally likely, and a vector e ~ N(0, I) beforehand, of which the hyperparameters are
functions: length scales ~ LogN(0.25 sqrt(d), 0.6), amplitude ~ LogN(1, 1), and independently noise of the measurement
and effects of single rows, variances ~ LogN(1e-4, 3) between limits each.

The draws come by tempering (sequential Monte Carlo, Del Moral, Doucet and Jasra 2006): many draws from the prior are
weighted by a small power of the likelihood, resampled, moved by Metropolis steps along differences of other draws (ter
Braak 2006), and so on until the power is 1. It is a function of the data and of the generator's seed.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.effects import EffectsKernel
from regretless.gp.evidence import column_distances
from regretless.gp.kernels import FAMILIES, Family, radial
from regretless.gp.noise import Noise

__all__ = ["Drawn", "Settings", "draw_settings"]

#: Prior of the length scales of one column, median and sd of the logarithm; the median grows with sqrt(d). Two
#: categories are at distance 1, two random numbers at 0.41 in the mean square: theirs is larger by as much.
LENGTHSCALE = (0.25, 0.6)
OF_CATEGORIES = math.sqrt(6.0)
#: Amplitude, noise variance and variance of the effects of rows, median and sd of the logarithm; where they stay.
AMPLITUDE = (1.0, 1.0)
NOISE = (1e-4, 3.0)
ROWS = (1e-4, 3.0)
WHITE_WITHIN = (1e-6, 4.0)
#: Noise that is always there: repeats of one row would make the covariance singular.
LEAST_NOISE = 1e-8

#: The power of the likelihood at the end.
POWER = 1.0
#: Draws from the prior, draws that are kept, Metropolis steps after each resampling and at the end.
_PRIOR = 384
_KEPT = 64
_STEPS = 4
_LAST = 8
#: Observations, evenly spaced in time, that the law of the settings is computed from at the most.
LARGEST = 100


@dataclass(frozen=True, slots=True)
class Drawn:
    """One setting of the hyperparameters."""

    family: Family
    lengthscale: tuple[float, ...]
    amplitude: float
    mean_var: float
    row_var: float
    noise_var: float

    def kernel(self, categorical: tuple[bool, ...]) -> EffectsKernel:
        """The kernel with this setting."""
        whole = self.amplitude + self.mean_var + self.row_var
        return EffectsKernel(
            self.family, np.array(self.lengthscale), whole, categorical, mean_var=self.mean_var, row_var=self.row_var
        )

    def stretched(self, widths: Floats) -> "Drawn":
        """The same model of inputs that are multiplied by ``widths``."""
        return replace(self, lengthscale=tuple((np.array(self.lengthscale) * widths).tolist()))


@dataclass(frozen=True, slots=True)
class Settings:
    """The prior of the settings, and what of it the user has fixed."""

    categorical: tuple[bool, ...]
    families: tuple[Family, ...] = FAMILIES
    mean_var: float = 1.0
    noise_var: float | None = None  # where it is given there is no row effect
    row_effect: bool = True

    @property
    def size(self) -> int:
        """Entries of e."""
        return len(self.categorical) + 3

    def lengthscales(self, E: Floats) -> Floats:
        """(P, d) of P settings."""
        d = len(self.categorical)
        median, sd = LENGTHSCALE
        wider = np.where(self.categorical, OF_CATEGORIES, 1.0)
        scales: Floats = median * math.sqrt(d) * wider * np.exp(sd * E[:, :d])
        return scales

    def variances(self, E: Floats) -> tuple[Floats, Floats, Floats]:
        """Amplitude, row variance and noise variance, (P,) each."""
        d = len(self.categorical)
        amplitude = AMPLITUDE[0] * np.exp(AMPLITUDE[1] * E[:, d])
        if self.noise_var is not None:
            return amplitude, np.zeros(len(E)), np.full(len(E), self.noise_var + LEAST_NOISE)
        noise_var = np.clip(NOISE[0] * np.exp(NOISE[1] * E[:, d + 1]), *WHITE_WITHIN)
        row_var = np.clip(ROWS[0] * np.exp(ROWS[1] * E[:, d + 2]), *WHITE_WITHIN)
        return amplitude, row_var if self.row_effect else np.zeros(len(E)), noise_var + LEAST_NOISE

    def drawn(self, family: npt.NDArray[np.intp], E: Floats) -> tuple[Drawn, ...]:
        """The settings in plain numbers."""
        scales, parts = self.lengthscales(E), zip(*(part.tolist() for part in self.variances(E)), strict=True)
        return tuple(
            Drawn(self.families[k], tuple(scale), amplitude, self.mean_var, row_var, noise_var)
            for k, scale, (amplitude, row_var, noise_var) in zip(family, scales.tolist(), parts, strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """Log density of standardised values under many settings at once.

    Only the lower triangle of each covariance matrix is filled. It is bordered by the values, so that the last row of
    its factor is L^-1 z.
    """

    settings: Settings
    z: Floats
    pairs: Floats  # (d, n(n+1)/2) squared distances, by column
    same: Floats  # (n(n+1)/2,) whether a pair is one row
    noise: Noise | None

    @classmethod
    def of(
        cls, settings: Settings, X: Floats, z: Floats, rows: npt.NDArray[np.intp], noise: Noise | None
    ) -> "_Likelihood":
        i, j = np.tril_indices(len(z))
        pairs = column_distances(X, settings.categorical)[i * len(z) + j].T
        return cls(settings, z, np.ascontiguousarray(pairs), (rows[i] == rows[j]).astype(np.float64), noise)

    def __call__(self, family: npt.NDArray[np.intp], E: Floats) -> Floats:
        n, P = len(self.z), len(E)
        rho = self.settings.lengthscales(E) ** -2.0 @ self.pairs
        for k, name in enumerate(self.settings.families):
            mine = np.flatnonzero(family == k)
            if len(mine):
                rho[mine] = radial(name)(rho[mine], False)[0]
        amplitude, row_var, noise_var = self.settings.variances(E)
        rho *= amplitude[:, None]
        rho += self.settings.mean_var
        if self.settings.row_effect:
            rho += row_var[:, None] * self.same
        K = np.zeros((P, n + 1, n + 1))
        i, j = np.tril_indices(n)
        K[:, i, j] = rho
        diagonal = np.arange(n)
        K[:, diagonal, diagonal] += self._noise_vars(noise_var)
        K[:, n, :n] = self.z
        K[:, n, n] = 1e300
        value = _log_density(K)
        if self.noise is not None and (self.noise.count > 1.0).any():
            value += [self.noise.log_density_within(float(v))[0] for v in noise_var]
        return value

    def _noise_vars(self, noise_var: Floats) -> Floats:
        if self.noise is None:
            return noise_var[:, None]
        return noise_var[:, None] / self.noise.count + self.noise.sd**2


def _log_density(K: Floats) -> Floats:
    """Log density of the border of each matrix, without the constant; -inf where rounding made it indefinite."""
    try:
        L = np.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        if len(K) == 1:
            return np.array([-np.inf])
        half = len(K) // 2
        return np.concatenate([_log_density(K[:half]), _log_density(K[half:])])
    u = L[:, -1, :-1]
    diagonal = np.diagonal(L, axis1=1, axis2=2)[:, :-1]
    density: Floats = -0.5 * np.einsum("pi,pi->p", u, u) - np.log(diagonal).sum(axis=1)
    return density


def draw_settings(
    settings: Settings,
    X: Floats,
    z: Floats,
    rows: npt.NDArray[np.intp],
    *,
    count: int,
    rng: np.random.Generator,
    noise: Noise | None = None,
) -> tuple[Drawn, ...]:
    """So many settings, equally likely given the standardised values ``z`` at X.

    ``rows`` numbers the rows of X so that equal ones have one number; ``noise`` is what is known of it, in the units of
    z.
    """
    if len(z) > LARGEST:
        some = np.linspace(0, len(z) - 1, LARGEST).round().astype(np.intp)
        X, z, rows, noise = X[some], z[some], rows[some], None if noise is None else noise.take(some)
    likelihood = _Likelihood.of(settings, X, z, rows, noise)
    family = np.arange(_PRIOR) % len(settings.families)
    E = rng.standard_normal((_PRIOR, settings.size))
    value = np.concatenate([likelihood(family[part], E[part]) for part in np.split(np.arange(_PRIOR), _PRIOR // _KEPT)])
    power = 0.0
    while power < POWER:
        step = _next_power(value, power, 0.5 * _KEPT)
        weight = _weights(value, step)
        chosen = _resampled(weight, _KEPT, rng)
        family, E, value, power = family[chosen], E[chosen], value[chosen], power + step
        power = POWER if power > POWER - 1e-9 else power
        for _ in range(_STEPS if power < POWER else _LAST):
            family, E, value = _moved(likelihood, family, E, value, power, rng)
    kept = np.arange(count) * _KEPT // count
    return settings.drawn(family[kept], E[kept])


def _weights(value: Floats, step: float) -> Floats:
    w = np.exp(step * (value - value.max()))
    return np.asarray(w / w.sum())


def _next_power(value: Floats, power: float, enough: float) -> float:
    """The largest step of the power at which the weights are worth ``enough`` draws (by bisection)."""

    def worth(step: float) -> float:
        return 1.0 / float(np.sum(_weights(value, step) ** 2))

    low, high = 0.0, POWER - power
    if worth(high) >= enough:
        return high
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if worth(middle) >= enough else (low, middle)
    return high


def _resampled(weight: Floats, count: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Systematic resampling: each draw as often as its weight says, up to rounding."""
    at = (np.arange(count) + rng.random()) / count
    return np.minimum(np.searchsorted(np.cumsum(weight), at), len(weight) - 1)


def _moved(
    likelihood: _Likelihood,
    family: npt.NDArray[np.intp],
    E: Floats,
    value: Floats,
    power: float,
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.intp], Floats, Floats]:
    """One Metropolis step of every draw, in two halves: each moves along differences of draws of the other."""
    family, E, value = family.copy(), E.copy(), value.copy()
    P, D = E.shape
    order = rng.permutation(P)
    for mine, others in ((order[: P // 2], order[P // 2 :]), (order[P // 2 :], order[: P // 2])):
        m = len(mine)
        a = rng.integers(len(others), size=m)
        b = (a + rng.integers(1, len(others), size=m)) % len(others)
        length = np.where(rng.random(m) < 0.1, 1.0, 2.38 / math.sqrt(2.0 * D) * rng.uniform(0.3, 1.2, m))
        moved = E[mine] + length[:, None] * (E[others[a]] - E[others[b]]) + 0.02 * rng.standard_normal((m, D))
        anew = np.where(rng.random(m) < 0.3, rng.integers(len(likelihood.settings.families), size=m), family[mine])
        there = likelihood(anew, moved)
        gain = power * (there - value[mine]) - 0.5 * ((moved**2).sum(axis=1) - (E[mine] ** 2).sum(axis=1))
        better = np.log(rng.random(m)) < gain
        taken = mine[better]
        family[taken], E[taken], value[taken] = anew[better], moved[better], there[better]
    return family, E, value
