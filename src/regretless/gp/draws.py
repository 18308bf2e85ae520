r"""Functions drawn from the posterior.

A draw from the prior is corrected by the data (Matheron's rule; Wilson et al. 2020):

.. math:: g(\cdot) = g_0(\cdot) + k(\cdot, X) (K_{XX} + \sigma^2 I)^{-1} (y - g_0(X) - \varepsilon), \qquad
          \varepsilon \sim N(0, \sigma^2 I)

The prior draw :math:`g_0` is a sum of random Fourier features (any space), or exact (tables). With an exact
:math:`g_0` the law of g is the posterior; features only blur the prior part, never the interpolation of the data.
"""

from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.gp.kernels import Kernel
from regretless.gp.regression import Posterior
from regretless.gp.table import TablePosterior
from regretless.gp.transfer import TaskKernel
from regretless.linalg import Factor, cholesky, root

__all__ = ["Features", "Paths", "draw_features", "draw_on_table", "draw_paths", "prior_factor"]

#: Degrees of freedom of the t law that the frequencies of a Matern kernel follow (2 nu); RBF: normal.
_DEGREES = {"rbf": None, "matern32": 3, "matern52": 5}


@dataclass(frozen=True, slots=True)
class Features:
    r"""Random Fourier features (Rahimi and Recht 2008).

    .. math:: \phi_i(x) = \sqrt{2\sigma_f^2/M}\, \cos(\omega_i \cdot x + b_i)

    For a column of categories the frequency is one number per category: the scalar product with its one-hot code.
    """

    frequencies: Floats  # (M, d), zero in columns of categories
    levels: dict[int, Floats]  # column -> (M, categories)
    phases: Floats  # (M,), uniform on a circle
    amplitude: float

    def angle(self, X: Floats) -> Floats:
        """``omega_i . x + b_i``, shape (m, M)."""
        angle: Floats = X @ self.frequencies.T
        angle += self.phases
        for j, table in self.levels.items():
            angle += table.T[X[:, j].astype(int)]
        return angle

    def __call__(self, X: Floats) -> Floats:
        """Feature matrix, shape (m, M)."""
        return self.amplitude * np.cos(self.angle(X))


def draw_features(kernel: Kernel, n_features: int, n_levels: tuple[int, ...], rng: np.random.Generator) -> Features:
    """Frequencies from the kernel's spectral law: normal for RBF, Student t with 2 nu degrees of freedom for Matern."""
    d = len(kernel.lengthscale)
    degrees = _DEGREES[kernel.family]
    # One chi-square a feature, shared by all its coordinates, makes the t law multivariate.
    stretch = np.ones(n_features) if degrees is None else np.sqrt(degrees / rng.chisquare(degrees, n_features))
    frequencies = rng.standard_normal((n_features, d)) * stretch[:, None] / kernel.lengthscale
    levels = {}
    for j, count in enumerate(n_levels):
        if count:
            frequencies[:, j] = 0.0
            one_hot = rng.standard_normal((n_features, count)) * stretch[:, None]
            levels[j] = one_hot / (np.sqrt(2.0) * kernel.lengthscale[j])
    phases = rng.uniform(0.0, 2.0 * np.pi, n_features)
    return Features(frequencies, levels, phases, float(np.sqrt(2.0 * kernel.signal_var / n_features)))


@dataclass(frozen=True, slots=True)
class Paths:
    """Sample paths g_1..g_s of the posterior that can be evaluated, with gradient, anywhere."""

    posterior: Posterior
    features: Features
    coefficients: Floats  # (M, s) ~ N(0, I)
    corrections: Floats  # (n, s)

    def __len__(self) -> int:
        return len(self.coefficients.T)

    def __call__(self, X: Floats) -> Floats:
        """Values of all paths at the rows of X, shape (m, s)."""
        update = self.posterior.kernel(X, self.posterior.X) @ self.corrections
        return self.posterior.prior_mean + self.features(X) @ self.coefficients + update

    def value_and_gradient(self, X: Floats, which: np.ndarray) -> tuple[Floats, Floats]:
        """Value and gradient of path ``which[i]`` at row i of X, shapes (m,) and (m, d)."""
        angle = self.features.angle(X)
        w = self.features.amplitude * self.coefficients.T[which]
        K_xX, slope = self.posterior.kernel.with_slope(X, self.posterior.X)
        corrections = self.corrections.T[which]
        value = self.posterior.prior_mean + np.einsum("im,im->i", w, np.cos(angle))
        value += np.einsum("in,in->i", K_xX, corrections)
        gradient: Floats = -(w * np.sin(angle)) @ self.features.frequencies
        gradient += self.posterior.kernel.gradient(X, self.posterior.X, slope * corrections)
        return value, gradient


def draw_paths(
    posterior: Posterior, n_paths: int, rng: np.random.Generator, *, n_features: int, n_levels: tuple[int, ...]
) -> Paths:
    """Draw sample paths of the posterior; one set of features serves all of them."""
    features = draw_features(posterior.kernel, n_features, n_levels, rng)
    coefficients = rng.standard_normal((n_features, n_paths))
    X = posterior.X[:, : len(posterior.kernel.lengthscale)]
    prior_at_data = posterior.prior_mean + features(X) @ coefficients
    noise = _noise_sd(posterior) * rng.standard_normal((len(posterior), n_paths))
    if s := posterior.n_source:
        _couple(posterior, prior_at_data[:s], features(X[:s]) @ rng.standard_normal((n_features, n_paths)))
    corrections = posterior.factor.solve(posterior.y[:, None] - prior_at_data - noise)
    return Paths(posterior, features, coefficients, corrections)


def prior_factor(kernel: Kernel, X: Floats) -> Factor:
    """Cholesky factor of the prior covariance of all candidates, O(N^3) once a setting of hyperparameters."""
    K = kernel(X, X)
    K[np.diag_indices(len(X))] = kernel.signal_var
    return cholesky(K)


def draw_on_table(
    table: TablePosterior, factor: Factor, observed: np.ndarray, n_paths: int, rng: np.random.Generator
) -> Floats:
    """Exact posterior draws on a table, shape (N, n_paths).

    ``factor`` is `prior_factor` of the table, ``observed`` the candidate index of each observation, those of a source
    included, negative where it is of no candidate. There the prior is drawn given its values on the table.
    """
    post = table.posterior
    z = rng.standard_normal((len(table.X), n_paths))
    prior = post.prior_mean + factor.L @ z
    noise = _noise_sd(post) * rng.standard_normal((len(post), n_paths))
    at_data = prior[observed]
    outside = observed < 0
    Z = post.X[:, : table.X.shape[1]]
    if outside.any():
        at_data[outside] = post.prior_mean + _beside_table(table, factor, z, Z[outside], rng)
    if s := post.n_source:
        _couple(post, at_data[:s], root(post.kernel(Z[:s], Z[:s])) @ rng.standard_normal((s, n_paths)))
    residual = post.factor.half_solve(post.y[:, None] - at_data - noise)
    return prior + table.project(residual).T


def _beside_table(table: TablePosterior, factor: Factor, z: Floats, Z: Floats, rng: np.random.Generator) -> Floats:
    r"""The prior draw ``L z`` of a table continued to further points.

    .. math:: g_0(Z) = W^\top z + R z', \qquad W = L^{-1} K_{XZ}, \quad R R^\top = K_{ZZ} - W^\top W, \quad
              z' \sim N(0, I)
    """
    kernel = table.posterior.kernel
    Z, which = np.unique(Z, axis=0, return_inverse=True)  # a point measured twice has one value
    W = factor.half_solve(kernel(table.X, Z))
    K_ZZ = kernel(Z, Z)
    K_ZZ[np.diag_indices(len(Z))] = kernel.signal_var
    R = root(K_ZZ - W.T @ W)
    beside: Floats = W.T @ z + R @ rng.standard_normal((len(Z), z.shape[1]))
    return beside[which]


def _noise_sd(posterior: Posterior) -> Floats | float:
    """Of every observation, as a column, or of all of them."""
    if posterior.noise_vars is None:
        return float(np.sqrt(posterior.noise_var))
    sd: Floats = np.sqrt(posterior.noise_vars)[:, None]
    return sd


def _couple(posterior: Posterior, at_source: Floats, other: Floats) -> None:
    """From prior draws of f at the points of the source to those of the source's function there.

    It is m + rho (f - m) + sqrt(1 - rho^2) g, with ``other`` a draw of g that has the law of f - m; done in place.
    """
    assert isinstance(posterior.kernel, TaskKernel)
    m, rho = posterior.prior_mean, posterior.kernel.rho
    at_source -= m
    at_source *= rho
    at_source += m + np.sqrt(1.0 - rho * rho) * other
