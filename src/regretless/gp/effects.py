r"""The kernel to promise by: a smooth part, a constant nobody knows, and what belongs to one row alone.

.. math:: k(x, x') = a \, \rho(r^2) + v_m + v_r [x \text{ and } x' \text{ are the same row}]

The mean of the process is not fitted but integrated out: f = m + g with m ~ N(0, v_m) has the covariance K + v_m 11'.
The row effect is part of f that no neighbour tells of: it is there again when the row is measured again, noise is not.
"""

from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.gp.kernels import Kernel

__all__ = ["EffectsKernel"]


@dataclass(frozen=True, slots=True)
class EffectsKernel(Kernel):
    """``signal_var`` is the whole prior variance; a last column of X holds the number of the row, if it has one.

    >>> k = EffectsKernel("rbf", np.array([0.5]), signal_var=3.5, mean_var=1.0, row_var=0.5)
    >>> k(np.array([[0.0, 7.0]]), np.array([[0.0, 7.0], [0.0, 8.0]])).tolist()
    [[3.5, 3.0]]
    """

    mean_var: float = 0.0
    row_var: float = 0.0

    @property
    def amplitude(self) -> float:
        """The variance of the smooth part."""
        return self.signal_var - self.mean_var - self.row_var

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """``K_AB``, shape (len(A), len(B))."""
        K = Kernel.__call__(self, self._points(A), self._points(B))
        K *= self.amplitude / self.signal_var
        K += self.mean_var
        return self._with_rows(K, A, B)

    def with_slope(self, A: Floats, B: Floats) -> tuple[Floats, Floats]:
        """``K_AB`` and the derivative of its smooth part with respect to the squared scaled distance."""
        K, slope = Kernel.with_slope(self, self._points(A), self._points(B))
        share = self.amplitude / self.signal_var
        K *= share
        K += self.mean_var
        return self._with_rows(K, A, B), np.multiply(slope, share, out=slope)

    def gradient(self, X: Floats, B: Floats, W: Floats) -> Floats:
        """``sum_b W_xb dk(x, b)/dx`` for every row x of X, given ``W`` already times the slope."""
        return Kernel.gradient(self, self._points(X), self._points(B), W)

    def _points(self, X: Floats) -> Floats:
        return X[:, : len(self.lengthscale)]

    def _with_rows(self, K: Floats, A: Floats, B: Floats) -> Floats:
        d = len(self.lengthscale)
        if self.row_var and A.shape[1] > d and B.shape[1] > d:
            K += self.row_var * (A[:, d, None] == B[:, d])
        return K
