r"""Log marginal likelihood and its gradient.

.. math:: \log p(y) = -\tfrac12 y^\top K_y^{-1} y - \tfrac12 \log|K_y| - \tfrac n2 \log 2\pi, \qquad
          \partial_\theta \log p(y) = \tfrac12 \operatorname{tr}\{(w w^\top - K_y^{-1})\, \partial_\theta K_y\}

with :math:`K_y = K + \sigma^2 I` and :math:`w = K_y^{-1} y` (Rasmussen and Williams 2006, eq. 2.30 and 5.9). Where more
is known about the noise of single observations, the diagonal is that of `regretless.gp.noise`.

Where the process has an unknown constant mean m ~ N(0, v), m is at its mode given y, and y becomes y - m:

.. math:: \hat m = \frac{v\, 1^\top K_y^{-1} y}{1 + v\, 1^\top K_y^{-1} 1}, \qquad
          (y - \hat m)^\top K_y^{-1} (y - \hat m) + \hat m^2 / v = (y - \hat m)^\top K_y^{-1} y

The right-hand side, in place of the first quadratic form, counts the prior of m. As nothing changes there to first
order in m, the gradient is the same with :math:`w = K_y^{-1} (y - \hat m)`. With v = 0 the mean is known to be 0.

Where the first rows are those of an earlier study (`regretless.gp.transfer`), their covariances with the others are
rho k, the mean m is that of the others alone, and the gradient has one entry more, for logit rho.

Where rows are measured at levels below a target (`regretless.gp.fidelity`), the covariance is

.. math:: K = K_0 + S \circ (K_0 + c \sigma_f^2), \qquad S = \sum_j w_j E_j

the noise below the target is larger by v, and the gradient has further entries, for the logarithms of w_j, c and v.
"""

import math
from typing import NamedTuple

import numpy as np

from regretless.arrays import Floats
from regretless.gp.kernels import Kernel
from regretless.gp.noise import Noise
from regretless.linalg import Factor, cholesky

__all__ = ["Coupling", "Levels", "column_distances", "constant_mean", "log_evidence", "log_evidence_gradient"]


class Coupling(NamedTuple):
    """The first ``rows`` observations are those of a source, correlated with the others by ``rho``."""

    rows: int
    rho: float


_NONE = Coupling(0, 0.0)


class Levels(NamedTuple):
    """Of observations at levels below a target: E_j of all pairs, (J, n, n), the variances w_j, offset c, noise v."""

    parts: Floats
    variances: Floats
    offset: float
    noise_var: float

    @property
    def S(self) -> Floats:
        """``sum_j w_j E_j``, (n, n)."""
        return np.tensordot(self.variances, self.parts, axes=1)

    @property
    def noise_vars(self) -> Floats:
        """The noise variance that each observation has on top of the others."""
        below = self.parts[0].diagonal() > 0.0
        return np.where(below, self.noise_var, 0.0)


def log_evidence(
    kernel: Kernel,
    noise_var: float,
    X: Floats,
    y: Floats,
    mean_var: float = 0.0,
    noise: Noise | None = None,
    coupling: Coupling = _NONE,
    levels: Levels | None = None,
) -> float:
    """``log p(y)``, the plain form that the gradient is tested against."""
    factor = _factor(kernel, noise_var, X, noise, coupling, levels)
    ones = np.ones(len(y))
    ones[: coupling.rows] = 0.0
    m = _mode(factor.solve(ones), y, mean_var, coupling.rows)
    value = -0.5 * (float((y - m * ones) @ factor.solve(y)) + factor.logdet() + len(y) * math.log(2.0 * math.pi))
    return value if noise is None else value + noise.log_density_within(noise_var)[0]


def constant_mean(
    kernel: Kernel,
    noise_var: float,
    X: Floats,
    y: Floats,
    mean_var: float,
    noise: Noise | None = None,
    coupling: Coupling = _NONE,
    levels: Levels | None = None,
) -> float:
    """The mode of the mean m ~ N(0, ``mean_var``) given y.

    Unlike the mean of y it counts a crowd of close points little more than a single one.
    """
    ones = np.ones(len(y))
    ones[: coupling.rows] = 0.0
    return _mode(_factor(kernel, noise_var, X, noise, coupling, levels).solve(ones), y, mean_var, coupling.rows)


def log_evidence_gradient(
    kernel: Kernel,
    noise_var: float,
    X: Floats,
    y: Floats,
    D: Floats | None = None,
    mean_var: float = 0.0,
    noise: Noise | None = None,
    coupling: Coupling = _NONE,
    levels: Levels | None = None,
) -> tuple[float, Floats]:
    """``log p(y)`` and its gradient in ``log_theta`` = (log lengthscale_1..d, log signal_var, log noise_var).

    With a source, logit rho is the last; with levels, log w_1..J, log c and log v are. ``D`` is `column_distances` of
    X, for those who call this many times with few points: it saves half the time.
    """
    n, d = X.shape
    s = coupling.rows
    squared = kernel.lengthscale**2
    if D is None:
        K, slope = kernel.with_slope(X, X)
        K.flat[:: n + 1] = kernel.signal_var  # exact where the expanded square rounds
    else:
        K, slope = kernel.of_squared_distance((D @ (1.0 / squared)).reshape(n, n))
    if s:
        _couple(K, coupling)
        _couple(slope, coupling)
    if levels is not None:
        S = levels.S
        varying = K + levels.offset * kernel.signal_var  # what a discrepancy of variance one adds
        K = K + S * varying
        slope *= 1.0 + S
    shift = noise_var if noise is None else noise.variances(noise_var)
    factor = cholesky(K, shift=shift if levels is None else shift + levels.noise_vars)
    inverse = factor.inverse()
    ones = inverse[:, s:].sum(axis=1)
    m = _mode(ones, y, mean_var, s)
    w = inverse @ y
    residual = y - m
    residual[:s] = y[:s]
    value = -0.5 * (float(residual @ w) + factor.logdet() + n * math.log(2.0 * math.pi))
    w -= m * ones

    M = np.subtract(np.multiply.outer(w, w), inverse, out=inverse)
    gradient = np.empty(d + 2 + (1 if s else 0) + (0 if levels is None else len(levels.variances) + 2))
    gradient[d] = 0.5 * float(np.vdot(M, K))
    if noise is None:
        gradient[d + 1] = 0.5 * noise_var * float(M.flat[:: n + 1].sum())
    else:
        within, by_noise = noise.log_density_within(noise_var)
        value += within
        gradient[d + 1] = 0.5 * noise_var * float((M.flat[:: n + 1] / noise.count).sum()) + by_noise
    if s:  # d K / d log rho is K between the tasks, twice; d log rho / d logit rho = 1 - rho
        gradient[d + 2] = (1.0 - coupling.rho) * float((M[:s, s:] * K[:s, s:]).sum())
    if levels is not None:
        added = M * varying
        gradient[d + 2 : -2] = 0.5 * levels.variances * np.tensordot(levels.parts, added, axes=2)
        gradient[-2] = 0.5 * levels.offset * kernel.signal_var * float(np.vdot(M, S))
        gradient[-1] = 0.5 * float(M.diagonal() @ levels.noise_vars)
    # d r^2 / d log l_j = -2 D_j / l_j^2, hence -sum_ab P_ab D_j(a, b) / l_j^2 with P = M * slope
    P = np.multiply(M, slope, out=M)
    sums = _weighted_distances(kernel, P, X) if D is None else P.ravel() @ D
    gradient[:d] = -sums / squared
    return value, gradient


def column_distances(X: Floats, categorical: tuple[bool, ...]) -> Floats:
    """``D_j(x_a, x_b)`` of every pair of rows and every column, shape (n n, d): what the length scales divide."""
    n, d = X.shape
    D = X[:, None, :] - X
    D *= D
    for j in np.flatnonzero(categorical):
        D[:, :, j] = X[:, j, None] != X[:, j]
    return D.reshape(n * n, d)


def _mode(ones: Floats, y: Floats, mean_var: float, first: int) -> float:
    """The constant mean of the observations from ``first`` on, from ``ones`` = K_y^-1 1."""
    return mean_var * float(ones @ y) / (1.0 + mean_var * float(ones[first:].sum()))


def _couple(K: Floats, coupling: Coupling) -> None:
    """Multiply what is between the tasks by rho."""
    s = coupling.rows
    K[:s, s:] *= coupling.rho
    K[s:, :s] *= coupling.rho


def _factor(
    kernel: Kernel, noise_var: float, X: Floats, noise: Noise | None, coupling: Coupling, levels: Levels | None
) -> Factor:
    K_y = kernel(X, X)
    _couple(K_y, coupling)
    K_y[np.diag_indices(len(X))] = kernel.signal_var
    if levels is not None:
        K_y += levels.S * (K_y + levels.offset * kernel.signal_var)
        K_y[np.diag_indices(len(X))] += levels.noise_vars
    K_y[np.diag_indices(len(X))] += noise_var if noise is None else noise.variances(noise_var)
    return cholesky(K_y)


def _weighted_distances(kernel: Kernel, P: Floats, X: Floats) -> Floats:
    """``sum_ab P_ab D_j(x_a, x_b)`` for every column j and symmetric P, without ever holding D_j."""
    centred = X - 0.5
    # sum_ab P_ab (x_a - x_b)^2 = 2 (sum_a x_a^2 (P 1)_a - x' P x)
    sums: Floats = 2.0 * (P.sum(axis=1) @ centred**2 - np.einsum("aj,aj->j", centred, P @ centred))
    for j in np.flatnonzero(kernel.categorical):
        sums[j] = float(P[X[:, j, None] != X[:, j]].sum())
    return sums
