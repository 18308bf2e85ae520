r"""A function that is a sum of functions of one column each, and the setting that explains values best.

.. math:: f(x) = m + \sum_j f_j(x_j), \qquad k(x, x') = \sum_j \sigma_j^2 \, \rho\big(D_j(x_j, x'_j) / \ell_j^2\big)

with the distances of `regretless.gp.kernels` and Matérn 5/2 (Duvenaud, Nickisch and Rasmussen 2011). Where it holds,
every result says something about each column, and the best values of the columns make the best point: n results are
enough in any number of dimensions, and local maxima are those of one column.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp.kernels import radial
from regretless.gp.outcome_transform import Units
from regretless.gp.priors import MEAN_VAR, LogNormal
from regretless.linalg import Factor, cholesky

__all__ = ["Additive", "AdditivePosterior", "additive_setting"]

#: Length scale of a column: where the two searches may begin, the median of the prior first. The short one is for
#: functions with many maxima in a column.
_BEGIN = (0.2, 0.04)
_LENGTHSCALE_BOUNDS = (5e-3, 10.0)
_SIGNAL_BOUNDS = (1e-4, 1e2)
_NOISE_BOUNDS = (1e-6, 1.0)
_JITTER = 1e-9
#: Of the search for the setting: closer changes no left-out density by more than a few tenths.
_CLOSE = {"maxiter": 50, "ftol": 1e-4, "gtol": 1e-2}

_MATERN = radial("matern52")


@dataclass(frozen=True, slots=True)
class Additive:
    """One fitted setting: of each column length scale and variance; values are standardised, none is compressed.

    A compressed sum is no sum.
    """

    lengthscale: tuple[float, ...]
    signal_var: tuple[float, ...]
    noise_var: float
    units: Units

    def posterior(self, categorical: tuple[bool, ...], X: Floats, y: Floats) -> "AdditivePosterior":
        """The posterior given values in the user's units."""
        return self.given(categorical, X, self.units.standardised(y))

    def given(self, categorical: tuple[bool, ...], X: Floats, z: Floats) -> "AdditivePosterior":
        """The posterior given values as the model sees them."""
        K = sum(self.covariance(categorical, j, X[:, j], X[:, j]) for j in range(len(self.lengthscale)))
        factor = cholesky(np.asarray(K), shift=self.noise_var + _JITTER)
        return AdditivePosterior(self, categorical, X, z, factor, factor.solve(z))

    def covariance(self, categorical: tuple[bool, ...], j: int, a: Floats, b: Floats) -> Floats:
        """``k_j`` between the codes a and b of column j."""
        rho, _ = _MATERN(_distance(a[:, None], b, categorical[j]) / self.lengthscale[j] ** 2, False)
        return np.multiply(rho, self.signal_var[j], out=rho)


@dataclass(frozen=True, slots=True)
class AdditivePosterior:
    """The parts given observations of their sum."""

    setting: Additive
    categorical: tuple[bool, ...]
    X: Floats
    z: Floats
    factor: Factor
    weights: Floats  # (K + noise)^-1 z

    def part(self, j: int, codes: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and standard deviation of f_j at codes of its column."""
        k = self.setting.covariance(self.categorical, j, codes, self.X[:, j])
        return k @ self.weights, self._sd(k, self.setting.signal_var[j])

    def mean_sd(self, X: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and standard deviation of f at the rows of X."""
        of = self.setting.covariance
        K = np.asarray(sum(of(self.categorical, j, X[:, j], self.X[:, j]) for j in range(X.shape[1])))
        return K @ self.weights, self._sd(K, sum(self.setting.signal_var))

    def with_points(self, X: Floats, z: Floats) -> "AdditivePosterior":
        """The posterior with further observations, as the model sees them."""
        return self.setting.given(self.categorical, np.vstack([self.X, X]), np.concatenate([self.z, z]))

    def left_out_density(self) -> float:
        """Log density of each value, as the model sees it, given all others: see `regretless.gp.estimation`."""
        precision = self.factor.inverse().diagonal()
        return 0.5 * float((np.log(precision) - self.weights**2 / precision - math.log(2.0 * math.pi)).sum())

    def _sd(self, K: Floats, var: float) -> Floats:
        V = self.factor.half_solve(K.T)
        sd: Floats = np.sqrt(np.maximum(var - np.einsum("ij,ij->j", V, V), 0.0))
        return sd


def additive_setting(X: Floats, y: Floats, categorical: tuple[bool, ...]) -> Additive:
    """The setting with the highest density, likelihood times log-normal priors, from the better of two starts.

    The mean m is fitted too (see `regretless.gp.evidence`), and becomes part of the units.
    """
    n, d = X.shape
    units = Units.of(y, compress=False)
    density = _Density.of(X, units.standardised(y), categorical)
    begin = [np.concatenate([np.full(d, math.log(scale)), density.prior.location[d:]]) for scale in _BEGIN]
    bounds = np.log([_LENGTHSCALE_BOUNDS] * d + [_SIGNAL_BOUNDS] * d + [_NOISE_BOUNDS])
    best = min(begin, key=lambda log_theta: density(log_theta)[0])
    if n >= 2:
        found = scipy.optimize.minimize(density, best, jac=True, method="L-BFGS-B", bounds=bounds, options=_CLOSE)
        best = found.x if math.isfinite(found.fun) else best
    theta = np.exp(best)
    lengthscale, signal_var = tuple(theta[:d].tolist()), tuple(theta[d : 2 * d].tolist())
    return Additive(lengthscale, signal_var, float(theta[-1]), units.moved(density.mean(best)))


@dataclass(frozen=True, slots=True)
class _Density:
    """Minus (log evidence + log prior) per observation in log (lengthscale_1..d, signal_var_1..d, noise_var)."""

    D: Floats  # (d, p): distances of all pairs a <= b
    z: Floats
    pairs: tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]  # a and b
    prior: LogNormal

    @classmethod
    def of(cls, X: Floats, z: Floats, categorical: tuple[bool, ...]) -> "_Density":
        d = X.shape[1]
        a, b = np.tril_indices(len(X))
        D = np.stack([_distance(X[a, j], X[b, j], categorical[j]) for j in range(d)])
        location = np.log([_BEGIN[0]] * d + [1.0 / d] * d + [1e-4])
        return cls(D, z, (a, b), LogNormal(location, np.array([1.0] * (2 * d) + [3.0])))

    def __call__(self, log_theta: Floats) -> tuple[float, Floats]:
        """The value and its gradient."""
        n, d = len(self.z), len(self.D)
        squared, noise_var = np.exp(2.0 * log_theta[:d])[:, None], math.exp(log_theta[-1])
        r2 = self.D / squared
        k, slope = _MATERN(r2, True)
        assert slope is not None
        signal_var = np.exp(log_theta[d : 2 * d])[:, None]
        k *= signal_var
        try:
            factor = cholesky(self._full(k.sum(axis=0)), shift=noise_var + _JITTER)
        except NumericalError:
            return math.inf, np.zeros_like(log_theta)
        inverse = factor.inverse()
        w, m = self._weights(inverse)
        density, by_prior = self.prior.log_density(log_theta)
        value = -0.5 * (float((self.z - m) @ (inverse @ self.z)) + factor.logdet()) + density
        a, b = self.pairs
        M = w[a] * w[b] - inverse[a, b]
        trace = float(M[a == b].sum())
        M[a == b] *= 0.5  # the sum over all pairs, halved, is that over a <= b with the diagonal halved
        slope *= r2
        slope *= -2.0 * signal_var
        gradient = np.concatenate([slope @ M, k @ M, [0.5 * noise_var * trace]]) + by_prior
        return -value / n, -gradient / n

    def mean(self, log_theta: Floats) -> float:
        """The constant mean that goes with a setting."""
        d = len(self.D)
        k, _ = _MATERN(self.D / np.exp(2.0 * log_theta[:d])[:, None], False)
        K = self._full(np.exp(log_theta[d : 2 * d]) @ k)
        return self._weights(cholesky(K, shift=math.exp(log_theta[-1]) + _JITTER).inverse())[1]

    def _weights(self, inverse: Floats) -> tuple[Floats, float]:
        """``K^-1 (z - m)`` and m, at its mode."""
        ones = inverse.sum(axis=1)
        m = MEAN_VAR * float(ones @ self.z) / (1.0 + MEAN_VAR * float(ones.sum()))
        return inverse @ self.z - m * ones, m

    def _full(self, k: Floats) -> Floats:
        """The matrix whose lower triangle is given, which is all that is read of it."""
        K = np.zeros((len(self.z), len(self.z)))
        K[self.pairs] = k
        return K


def _distance(a: Floats, b: Floats, categorical: bool) -> Floats:
    """``D_j``: squared, or whether two categories differ."""
    return np.asarray(a != b, dtype=np.float64) if categorical else (a - b) ** 2
