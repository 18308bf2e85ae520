r"""An earlier study as data of a joint Gaussian process, through one correlation.

.. math:: k\big((x, i), (x', j)\big) = B_{ij}\, k(x, x'), \qquad B = \begin{pmatrix} 1 & \rho \\ \rho & 1 \end{pmatrix}

Observations of the source are further rows of the posterior. Given them alone, the new function has the prior

.. math:: \rho\, \mu_{old}(x), \qquad \rho^2 S_{old}(x, x') + (1 - \rho^2)\, k(x, x')

with the mean and the covariance of the source's own posterior: at rho = 1 it goes on from there, at rho = 0 the source
says nothing. Source values are standardised by their own shift and scale.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.kernels import Family, Kernel
from regretless.gp.noise import Noise
from regretless.gp.outcome_transform import Units

__all__ = ["Source", "TaskKernel"]


@dataclass(frozen=True, slots=True)
class Source:
    """Observations of an earlier study, as the model of a new one sees them.

    ``z`` are the standardised values, ``noise_vars`` the noise variance of each, as fitted to the source alone;
    ``family`` and ``log_theta`` are that fit, and ``units`` those in which its values are standardised.
    """

    X: Floats
    z: Floats
    noise_vars: Floats
    family: Family
    log_theta: Floats
    units: Units

    def __len__(self) -> int:
        return len(self.z)

    def rows(self) -> Floats:
        """Its points with their task, for a `TaskKernel`."""
        return np.column_stack([self.X, np.ones(len(self))])

    def noise(self) -> Noise:
        """Its noise, in which the common noise of the new study has no part."""
        return Noise(np.sqrt(self.noise_vars), np.full(len(self), np.inf), np.zeros(len(self)))


@dataclass(frozen=True, slots=True)
class TaskKernel(Kernel):
    """A kernel for two tasks: a last column of X that is not 0 marks the rows of the source; without it there are none.

    >>> k = TaskKernel("rbf", np.array([0.5]), signal_var=2.0, rho=0.5)
    >>> k(np.array([[0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])).tolist()
    [[2.0, 1.0]]
    """

    rho: float = 0.0

    @classmethod
    def of(cls, kernel: Kernel, rho: float) -> "TaskKernel":
        """The kernel of both tasks, each with ``kernel``."""
        return cls(kernel.family, kernel.lengthscale, kernel.signal_var, kernel.categorical, rho)

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """``K_AB``, shape (len(A), len(B))."""
        return self._coupled(Kernel.__call__(self, self._points(A), self._points(B)), A, B)

    def into(self, A: Floats, B: Floats, out: Floats, spare: Floats) -> Floats:
        """``K_AB`` written into ``out``."""
        return self._coupled(Kernel.into(self, self._points(A), self._points(B), out, spare), A, B)

    def with_slope(self, A: Floats, B: Floats) -> tuple[Floats, Floats]:
        """``K_AB`` and its derivative with respect to the squared scaled distance."""
        K, slope = Kernel.with_slope(self, self._points(A), self._points(B))
        return self._coupled(K, A, B), self._coupled(slope, A, B)

    def gradient(self, X: Floats, B: Floats, W: Floats) -> Floats:
        """``sum_b W_xb dk(x, b)/dx`` for every row x of X, given ``W`` already times the slope."""
        return Kernel.gradient(self, self._points(X), self._points(B), W)

    def source(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Which rows are the source's."""
        return np.asarray(X[:, len(self.lengthscale) :].any(axis=1))

    def _points(self, X: Floats) -> Floats:
        return X[:, : len(self.lengthscale)]

    def _coupled(self, K: Floats, A: Floats, B: Floats) -> Floats:
        return np.multiply(K, self.rho, out=K, where=self.source(A)[:, None] != self.source(B))
