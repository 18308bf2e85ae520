r"""A GP on a regular grid: what all runs and all methods have in common is computed once.

On the grid :math:`\{0, 1/(k-1), \dots, 1\}^d` the RBF kernel is a product over coordinates, so the prior covariance of
all :math:`N = k^d` points and its Cholesky factor are Kronecker products of k x k matrices:

.. math:: K = K_1 \otimes \dots \otimes K_1, \qquad L = L_1 \otimes \dots \otimes L_1, \qquad L_1 L_1^\top = K_1

Kernel values are looked up, and an exact draw from the prior costs O(dkN) instead of O(N^2).
"""

from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np

from regretless.acquisition import View
from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp import Kernel, TablePosterior, posterior, table_posterior
from regretless.linalg import Factor, cholesky
from regretless.problems import grid

__all__ = ["GridKernel", "Kronecker", "Lattice", "lattice"]


@dataclass(frozen=True, slots=True)
class GridKernel(Kernel):
    """An RBF kernel that looks up its values between points of the grid, and computes them elsewhere."""

    levels: int = 0
    points: Floats | None = None  # (N, d), the grid in the order of its numbers
    matrix: Floats | None = None  # (N, N)

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """``K_AB``, shape (len(A), len(B)); a new array."""
        assert self.matrix is not None
        a = self._numbers(A)
        if a is not None and self._is_grid(B):
            rows: Floats = self.matrix[a]
            return rows
        b = self._numbers(B)
        if a is None or b is None:
            return Kernel.__call__(self, A, B)
        values: Floats = self.matrix[a[:, None], b]
        return values

    def _is_grid(self, B: Floats) -> bool:
        """Whether B is the grid itself, or a view of all of it: the same memory."""
        assert self.points is not None
        mine, other = self.points.__array_interface__, B.__array_interface__
        return B.shape == self.points.shape and all(mine[key] == other[key] for key in ("data", "strides", "typestr"))

    def _numbers(self, A: Floats) -> np.ndarray | None:
        """Which points of the grid the rows of A are; None where one of them is not."""
        assert self.points is not None
        k = self.levels
        strides = float(k) ** np.arange(A.shape[1] - 1, -1, -1)
        numbers = (np.rint(A * (k - 1.0)) @ strides).astype(np.intp)
        on_grid = numbers.size == 0 or (numbers.min() >= 0 and numbers.max() < len(self.points))
        return numbers if on_grid and np.array_equal(self.points[numbers], A) else None


@dataclass(frozen=True, slots=True)
class Kronecker:
    """``L_1 x ... x L_1`` (d times), of which only products with the columns of a matrix are ever needed.

    >>> L = np.array([[1.0, 0.0], [0.5, 2.0]])
    >>> np.array_equal(Kronecker(L, 2) @ np.eye(4), np.kron(L, L))
    True
    """

    L: Floats  # (k, k)
    dim: int

    def __matmul__(self, Z: Floats) -> Floats:
        """The product with a vector (N,) or the columns of a matrix (N, s)."""
        k, N = len(self.L), len(Z)
        out = np.asarray(Z).reshape(N, -1)
        s = out.shape[1]
        # Each pass multiplies the leading coordinate and moves it behind the others: after d passes all are in place.
        for _ in range(self.dim):
            out = (self.L @ out.reshape(k, -1)).reshape(k, N // k, s).transpose(1, 0, 2).reshape(N, s)
        return out.reshape(np.shape(Z))


@dataclass(frozen=True, slots=True)
class Lattice:
    """The grid in the unit cube with its GP; ``draw`` gives functions, ``view`` what a rule sees of a posterior."""

    kernel: GridKernel
    noise_var: float
    X: Floats
    factor: Factor

    def draw(self, rng: np.random.Generator) -> Floats:
        """One function of the prior on all points, ~ N(0, K)."""
        f: Floats = self.factor.L @ rng.standard_normal(len(self.X))
        return f

    def posterior(self, rows: np.ndarray, y: Floats) -> TablePosterior:
        """The posterior given observations ``y`` at these points."""
        return table_posterior(posterior(self.kernel, noise_var=self.noise_var, X=self.X[rows], y=y), self.X)

    def view(self, table: TablePosterior, observed: np.ndarray, best_told: float) -> View:
        """The posterior as a rule sees it, ``observed`` the number of the point of each observation."""
        return View(
            posterior=table.posterior,
            X=self.X,
            mean=table.mean,
            sd=table.sd,
            told=self.X[observed],
            best_told=best_told,
            n_levels=(0,) * self.X.shape[1],
            table=table,
            observed=observed,
            prior_factor=lambda: self.factor,
        )


@cache
def lattice(levels: int, dim: int, lengthscale: float, noise_var: float) -> Lattice:
    """The grid of ``levels`` points a coordinate at distance 1 / (levels - 1); one a process is kept.

    >>> paper = lattice(levels=10, dim=3, lengthscale=1 / 9, noise_var=1e-4)
    >>> paper.X.shape, paper.draw(np.random.default_rng(0)).shape
    ((1000, 3), (1000,))
    """
    if levels < 2:
        raise InvalidInput(f"levels must be 2 or more, got {levels}.")
    X = grid(np.arange(levels) / (levels - 1.0), dim)
    X.flags.writeable = False
    plain = Kernel("rbf", np.full(dim, lengthscale), 1.0)
    one = cholesky(Kernel("rbf", np.array([lengthscale]), 1.0)(X[:levels, -1:], X[:levels, -1:]))
    if one.jitter > 0.0:
        raise InvalidInput(f"a length scale of {lengthscale} is too long for {levels} levels: take a shorter one.")
    matrix = plain(X, X)
    matrix[np.diag_indices(len(X))] = 1.0
    kernel = GridKernel("rbf", plain.lengthscale, 1.0, (), levels, X, matrix)
    # A product stands where a Factor has its L: nothing but L @ z is asked of it.
    return Lattice(kernel, noise_var, X, Factor(cast(Floats, Kronecker(one.L, dim))))
