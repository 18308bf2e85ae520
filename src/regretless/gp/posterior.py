r"""The exact posterior of a Gaussian process.

======== ============= ==========================================================
symbol   shape         meaning
======== ============= ==========================================================
X, y     (n, d), (n,)  observed points (encoded) and values
L        (n, n)        Cholesky factor, L L' = K_XX + noise_var I (+ jitter)
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
from regretless.gp.kernels import Kernel
from regretless.linalg import Factor, cholesky

__all__ = ["VAR_FLOOR", "Posterior", "Slope", "posterior"]

#: A derivative: one number for all rows, or one per row.
Slope: TypeAlias = Floats | float

#: Variances are kept above this share of the prior's, so that sd and its gradient stay finite at observed points.
VAR_FLOOR = 1e-14
#: Kernel values held at once where many points are asked about: a quarter of a gigabyte.
ENTRIES = 1 << 25


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
    weights: Floats  # (K_XX + noise_var I)^-1 (y - m)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def posterior(self) -> "Posterior":
        """Itself: what a `TablePosterior` has under this name."""
        return self

    @property
    def table(self) -> None:
        """None: no candidates are kept up to date."""
        return None

    def branch(self) -> "Posterior":
        """Itself: conditioning never writes into shared memory."""
        return self

    @property
    def jitter(self) -> float:
        """What had to be added to the diagonal of the covariance matrix."""
        return self.factor.jitter

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
        return self.prior_mean + K_xX @ self.weights, self._sd(V)

    def mean_sd_pull(self, X: Floats) -> tuple[Floats, Floats, Callable[[Slope, Slope], Floats]]:
        """Mean and sd at the rows of X, and the chain rule.

        ``pull(by_mean, by_sd)`` is the gradient in the rows of X of what depends on them through mean and sd, given
        its derivatives: a number for all rows, or one per row. Taken together they cost one product, not two.
        """
        K_xX, slope = self.kernel.with_slope(X, self.X)
        V = self.factor.half_solve(K_xX.T)
        sd = self._sd(V)

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

    def condition(self, x: Floats, y: float, *, row: Floats | None = None) -> "Posterior":
        """Posterior after one more observation, in O(n^2) unless more jitter is needed.

        ``row`` is L^-1 k(X, x), for those who have it.
        """
        corner = self.kernel.signal_var + self.noise_var
        if row is None:
            factor = self.factor.append(self.kernel(x[None, :], self.X)[0], corner)
        else:
            factor = self.factor.extend(row, corner)
        X, ys = np.vstack([self.X, x]), np.append(self.y, y)
        if factor.jitter > self.jitter:  # the old rows of L changed too
            u = factor.half_solve(ys - self.prior_mean)
        else:
            # u of the old rows does not change; the new entry follows from the last row of L u = y - m.
            last = (y - self.prior_mean - factor.L[-1, :-1] @ self.u) / factor.L[-1, -1]
            u = np.append(self.u, last)
        weights = factor.half_solve_transposed(u)
        return Posterior(self.kernel, self.noise_var, self.prior_mean, X, ys, factor, u, weights)

    def _sd(self, V: Floats) -> Floats:
        signal_var = self.kernel.signal_var
        var: Floats = signal_var - np.einsum("ij,ij->j", V, V)
        return np.sqrt(np.maximum(var, VAR_FLOOR * signal_var))


def posterior(kernel: Kernel, *, noise_var: float, X: Floats, y: Floats, prior_mean: float = 0.0) -> Posterior:
    """Posterior of f given all observations at once, in O(n^3)."""
    K = kernel(X, X)
    K[np.diag_indices(len(y))] = kernel.signal_var + noise_var  # exact where the expanded square rounds
    factor = cholesky(K)
    u = factor.half_solve(y - prior_mean)
    return Posterior(kernel, noise_var, prior_mean, X, y, factor, u, factor.half_solve_transposed(u))
