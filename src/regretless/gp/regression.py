r"""The exact posterior of a Gaussian process.

======== ============= ==========================================================
symbol   shape         meaning
======== ============= ==========================================================
X, y     (n, d), (n,)  observed points (encoded) and values
L        (n, n)        Cholesky factor, L L' = K_XX + noise (+ jitter)
u        (n,)          L^-1 (y - m), with m the constant prior mean
K_xX     (m, n)        kernel between the points asked about and X
V        (n, m)        L^-1 K_Xx
mean     (m,)          m + V' u
var      (m,)          k(x, x) - sum_i V_i^2
======== ============= ==========================================================

Rasmussen and Williams (2006), Algorithm 2.1, with conditioning one observation at a time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp.kernels import Kernel
from regretless.linalg import Factor, cholesky

__all__ = ["VAR_FLOOR", "OfPosterior", "PointMoments", "Posterior", "Slope", "posterior"]

#: A derivative: one number for all rows, or one per row.
Slope: TypeAlias = Floats | float

#: Variances are kept above this share of the prior's, so that sd and its gradient stay finite at observed points.
VAR_FLOOR = 1e-14
#: Kernel values held at once where many points are asked about: a quarter of a gigabyte.
ENTRIES = 1 << 25
#: Candidates whose moments are computed at once.
BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class Posterior:
    """Posterior of f given noisy observations. Conditioning returns a new object.

    >>> prior = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=1e-6, X=np.empty((0, 1)), y=np.empty(0))
    >>> after = prior.condition(np.array([0.5]), 2.0)
    >>> mean, sd = after.mean_sd(np.array([[0.5], [1.0]]))
    >>> mean.round(3).tolist(), sd.round(3).tolist()
    ([2.0, 0.088], [0.001, 0.999])
    """

    kernel: Kernel
    noise_var: float
    prior_mean: float
    X: Floats
    y: Floats
    factor: Factor
    u: Floats
    weights: Floats  # (K_XX + noise)^-1 (y - m)
    noise_vars: Floats | None = None  # of each observation; None: all have noise_var

    def __len__(self) -> int:
        return len(self.y)

    @property
    def table(self) -> None:
        """None: no candidates are kept up to date, see `Belief`."""
        return None

    @property
    def blocks(self) -> None:
        """None: see `BlockPosterior`."""
        return

    @property
    def jitter(self) -> float:
        """What had to be added to the diagonal of the covariance matrix."""
        return self.factor.jitter

    @property
    def posterior(self) -> "Posterior":
        """Itself: see `Belief`."""
        return self

    @property
    def candidates(self) -> None:
        """None: it has none of its own, see `Belief`."""
        return

    @property
    def n_source(self) -> int:
        """How many of the observations, the first ones, are those of an earlier study."""
        return int(np.count_nonzero(self.kernel.source(self.X)))

    def branch(self) -> "Posterior":
        """Itself: nothing that is conditioned on later changes it."""
        return self

    def on(self, X: Floats | None = None) -> "PointMoments":
        """Moments at candidates, the rows of X, computed once."""
        if X is None:
            raise InvalidInput("a posterior needs the candidates: hand in X, one row each, encoded.")
        return PointMoments.of(self, X)

    def mean(self, X: Floats) -> Floats:
        """Posterior mean of f at the rows of X."""
        return self.prior_mean + self.kernel(X, self.X) @ self.weights

    def mean_sd(self, X: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and standard deviation of f (not of y) at the rows of X; very many go in blocks."""
        rows = max(1, ENTRIES // max(1, len(self)))
        if len(X) > rows:
            parts = [self.mean_sd(X[begin : begin + rows]) for begin in range(0, len(X), rows)]
            return np.concatenate([mean for mean, _ in parts]), np.concatenate([sd for _, sd in parts])
        K_xX = self.kernel(X, self.X)
        V = self.factor.half_solve(K_xX.T)
        return self.prior_mean + K_xX @ self.weights, self._sd(V, X)

    def mean_sd_pull(self, X: Floats) -> tuple[Floats, Floats, Callable[[Slope, Slope], Floats]]:
        """Mean and sd at the rows of X, and the chain rule.

        ``pull(by_mean, by_sd)`` is the gradient in the rows of X of what depends on them through mean and sd, given
        its derivatives: a number for all rows, or one per row. Taken together they cost one product, not two.
        """
        K_xX, slope = self.kernel.with_slope(X, self.X)
        V = self.factor.half_solve(K_xX.T)
        sd = self._sd(V, X)

        def pull(by_mean: Slope, by_sd: Slope) -> Floats:
            # d var = -2 K_xX (K + noise)^-1 dK_Xx, and d sd = d var / (2 sd)
            W = self.factor.half_solve_transposed(V).T * (-by_sd / sd)[:, None]
            W += self.weights * by_mean[:, None] if isinstance(by_mean, np.ndarray) else self.weights * by_mean
            return self.kernel.gradient(X, self.X, np.multiply(W, slope, out=W))

        return self.prior_mean + K_xX @ self.weights, sd, pull

    def mean_sd_gradient(self, X: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Mean, sd, and their gradients with respect to the rows of X, (m,), (m,), (m, d), (m, d)."""
        mean, sd, pull = self.mean_sd_pull(X)
        return mean, sd, pull(1.0, 0.0), pull(0.0, 1.0)

    def covariance(self, A: Floats, B: Floats) -> Floats:
        """Posterior covariance of f between the rows of A and of B."""
        V_A = self.factor.half_solve(self.kernel(A, self.X).T)
        V_B = V_A if B is A else self.factor.half_solve(self.kernel(B, self.X).T)
        return self.kernel(A, B) - V_A.T @ V_B

    def condition(
        self, x: Floats, y: float, *, noise_var: float | None = None, row: Floats | None = None
    ) -> "Posterior":
        """Posterior after one more observation, in O(n^2) unless more jitter is needed.

        ``noise_var`` is the noise variance of this observation; None: that of the model. ``row`` is L^-1 k(X, x), for
        those who have it.
        """
        noise_vars = self._noise_vars_with(noise_var)
        own = float(np.ravel(self.kernel.variances(x[None, :]))[0])
        corner = own + (self.noise_var if noise_var is None else noise_var)
        if row is None:
            factor = self.factor.append(self.kernel(x[None, :], self.X)[0], corner)
        else:
            factor = self.factor.extend(row, corner)
        if self.X.shape[1] > len(x):
            x = np.append(x, 0.0)  # the task of a new row
        X, ys = np.vstack([self.X, x]), np.append(self.y, y)
        if factor.jitter > self.jitter:  # the old rows of L changed too
            u = factor.half_solve(ys - self.prior_mean)
        else:
            # u of the old rows does not change; the new entry follows from the last row of L u = y - m.
            last = (y - self.prior_mean - factor.L[-1, :-1] @ self.u) / factor.L[-1, -1]
            u = np.append(self.u, last)
        weights = factor.half_solve_transposed(u)
        return Posterior(self.kernel, self.noise_var, self.prior_mean, X, ys, factor, u, weights, noise_vars)

    def _noise_vars_with(self, noise_var: float | None) -> Floats | None:
        """Those of the observations and one more."""
        if self.noise_vars is None and noise_var is None:
            return None
        so_far = np.full(len(self), self.noise_var) if self.noise_vars is None else self.noise_vars
        return np.append(so_far, self.noise_var if noise_var is None else noise_var)

    def _sd(self, V: Floats, X: Floats) -> Floats:
        var: Floats = self.kernel.variances(X) - np.einsum("ij,ij->j", V, V)
        return np.sqrt(np.maximum(var, VAR_FLOOR * self.kernel.signal_var))


class OfPosterior:
    """What a belief about the rows of a table has from its plain ``posterior``."""

    __slots__ = ()
    posterior: Posterior

    def __len__(self) -> int:
        return len(self.posterior)

    @property
    def kernel(self) -> Kernel:
        """The prior covariance."""
        return self.posterior.kernel

    @property
    def noise_var(self) -> float:
        """The common noise variance."""
        return self.posterior.noise_var

    @property
    def jitter(self) -> float:
        """What was added to the diagonal of the covariance matrix."""
        return self.posterior.jitter

    def mean_sd(self, X: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and standard deviation of f at the rows of X, candidates or not."""
        return self.posterior.mean_sd(X)

    def mean_sd_pull(self, X: Floats) -> tuple[Floats, Floats, Callable[[Slope, Slope], Floats]]:
        """Mean and sd at the rows of X, and the chain rule, see `Posterior.mean_sd_pull`."""
        return self.posterior.mean_sd_pull(X)

    def covariance(self, A: Floats, B: Floats) -> Floats:
        """Posterior covariance of f between the rows of A and of B."""
        return self.posterior.covariance(A, B)


@dataclass(frozen=True, slots=True)
class PointMoments:
    """A posterior at some candidates: mean and sd of each, and their covariances when asked for."""

    posterior: Posterior
    X: Floats
    mean: Floats
    sd: Floats

    @classmethod
    def of(cls, posterior: Posterior, X: Floats) -> "PointMoments":
        """Moments at the rows of X, in O(n^2 N)."""
        mean, sd = np.empty(len(X)), np.empty(len(X))
        for part in _parts(len(X)):
            mean[part], sd[part] = posterior.mean_sd(X[part])
        return cls(posterior, X, mean, sd)

    @property
    def candidates(self) -> Floats:
        """The rows of X."""
        return self.X

    def on(self, X: Floats | None = None) -> "PointMoments":
        """Itself: moments at its own candidates, the only ones it has."""
        if X is not None:
            raise InvalidInput("these moments bring their own candidates; leave X out.")
        return self

    def covariance_with(self, index: int) -> Floats:
        """Posterior covariance of f between one candidate and all of them, in O(nN)."""
        post, x, column = self.posterior, self.X[index][None, :], np.empty(len(self.X))
        weights = post.factor.solve(post.kernel(x, post.X)[0])
        for part in _parts(len(self.X)):
            column[part] = post.kernel(self.X[part], x)[:, 0] - post.kernel(self.X[part], post.X) @ weights
        return column


def _parts(N: int) -> list[slice]:
    """Candidates worked on at once: memory stays bounded."""
    return [slice(begin, begin + BLOCK) for begin in range(0, N, BLOCK)]


def posterior(
    kernel: Kernel,
    *,
    noise_var: float,
    X: Floats,
    y: Floats,
    prior_mean: float = 0.0,
    noise_vars: Floats | None = None,
) -> Posterior:
    """Posterior of f given all observations at once, in O(n^3).

    ``noise_vars`` are the noise variances of the observations; None: all have ``noise_var``, as later ones will.
    """
    K = kernel(X, X)
    noise = noise_var if noise_vars is None else noise_vars
    K[np.diag_indices(len(y))] = kernel.variances(X) + noise  # exact where the expanded square rounds
    factor = cholesky(K)
    u = factor.half_solve(y - prior_mean)
    return Posterior(kernel, noise_var, prior_mean, X, y, factor, u, factor.half_solve_transposed(u), noise_vars)
