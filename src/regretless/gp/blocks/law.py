r"""A posterior as it is sent to whoever holds rows of a table: all that the moments of a row depend on.

With R = L^-1 the column of V = L^-1 K_Xx that belongs to a row x is R k(X, x). So observation j changes its moments by

.. math:: v_j = R_j\, k(X, x), \qquad \mu \leftarrow \mu + v_j u_j, \qquad \sigma^2 \leftarrow \sigma^2 - v_j^2

for which nothing but the row, its two moments and the posterior of the n observations is needed. The n x N matrix V
need not be kept, and any number of observations can be caught up with by one product.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from regretless.arrays import Floats
from regretless.gp.blocks.bounds import Envelopes
from regretless.gp.kernels import Kernel
from regretless.gp.regression import VAR_FLOOR

__all__ = ["CANON", "Law", "Monotone", "exact_moments"]

#: Rows whose moments decide are computed so many at a time, always: the shape of a product may show in its last bits.
CANON = 64
_EPS = float(np.finfo(np.float64).eps)


class Monotone(Protocol):
    """A score that grows with the mean and with the sd of a row, and can be bounded where moments are out of date."""

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The score."""
        ...

    def stale(self, envelopes: Envelopes, growth: Floats) -> Floats:
        """A bound on the scores of each block, whose moments lack innovations with this sum of squares."""
        ...

    def upper(self, mean: Floats, sd: Floats, growth: Floats) -> Floats:
        """The same for single rows."""
        ...


@dataclass(frozen=True, slots=True)
class Law:
    """A posterior of n observations of which the first ``facts`` were measured and the others are imagined."""

    kernel: Kernel
    prior_mean: float
    X: Floats  # (n, d)
    u: Floats  # (n,), L^-1 (y - m)
    R: Floats  # (n, n), L^-1
    facts: int

    def __len__(self) -> int:
        return len(self.u)

    @property
    def floor(self) -> float:
        """The smallest variance of a row that is counted with."""
        return VAR_FLOOR * self.kernel.signal_var

    def weights(self, count: int) -> Floats:
        """``(K_XX + noise)^-1 (y - m)`` of the first so many observations."""
        weights: Floats = self.R[:count, :count].T @ self.u[:count]
        return weights

    def begins_with(self, other: "Law", count: int) -> bool:
        """Whether the first so many observations, and what the model makes of them, are those of another law."""
        same = (self.kernel.family, self.kernel.signal_var, self.kernel.categorical, self.prior_mean)
        if same != (other.kernel.family, other.kernel.signal_var, other.kernel.categorical, other.prior_mean):
            return False
        if count > self.facts or getattr(self.kernel, "rho", 0.0) != getattr(other.kernel, "rho", 0.0):
            return False
        pairs = (
            (self.kernel.lengthscale, other.kernel.lengthscale),
            (self.X[:count], other.X[:count]),
            (self.u[:count], other.u[:count]),
            (self.R[:count, :count], other.R[:count, :count]),
        )
        return all(np.array_equal(mine, its) for mine, its in pairs)

    def rounding(self) -> tuple[float, float]:
        r"""How far rounding can carry the mean and the variance of a row, computed in whatever order and groups.

        To first order: kernel values k are off by :math:`\kappa`, products :math:`R_j k` by
        :math:`(\kappa + n \epsilon) \sum_i |R_{ji}| \sigma_f^2`, and the rest follows, doubled.
        """
        n, k = len(self), self.kernel
        w = 1.0 / k.lengthscale**2
        reach = 0.25 * float(w.sum())  # largest sum of w (x - 1/2)^2 over the cube, and over the data
        if n:
            reach = max(reach, float(((self.X[:, : len(w)] - 0.5) ** 2 @ w).max()))
        kappa = 1.5 * _EPS * (len(w) + 8) * (1.0 + 2.0 * reach) * k.signal_var
        sums = np.abs(self.R).sum(axis=1) * (kappa + n * _EPS * k.signal_var)  # of V_j
        by_weights = float(np.abs(self.weights(n)).sum()) * (kappa + n * _EPS * k.signal_var)
        of_mean = by_weights + float(np.abs(self.u) @ sums) + n * _EPS * abs(self.prior_mean)
        of_var = 2.0 * float(np.sqrt(k.signal_var * (sums @ sums))) + n * _EPS * k.signal_var
        return 2.0 * of_mean, 2.0 * of_var


def exact_moments(law: Law, X: Floats) -> tuple[Floats, Floats]:
    """Mean and sd of some rows, each by itself: whatever was computed before, on whichever machine, the same bits."""
    mean, sd = np.empty(len(X)), np.empty(len(X))
    out, spare = np.empty((len(law), CANON)), np.empty((len(law), CANON))
    weights = law.weights(len(law))
    for begin in range(0, len(X), CANON):
        rows = X[begin : begin + CANON]
        filled = rows if len(rows) == CANON else np.resize(rows, (CANON, X.shape[1]))
        K = law.kernel.into(law.X, filled, out, spare)
        V = law.R @ K
        var = np.maximum(law.kernel.signal_var - np.einsum("ij,ij->j", V, V), law.floor)
        mean[begin : begin + CANON] = (law.prior_mean + weights @ K)[: len(rows)]
        sd[begin : begin + CANON] = np.sqrt(var)[: len(rows)]
    return mean, sd
