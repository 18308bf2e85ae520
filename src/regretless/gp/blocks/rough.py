r"""Kernel values, means and variances for bounds, in single precision where that leaves them sharp.

Squared distances are computed in double precision and rounded once. From there on, with unit roundoff u, a kernel value
is off by at most :math:`20 u \sigma_f^2`: no family amplifies errors of r^2 or of its few operations. Means are sums of
32 products at a time, added up in double precision. To first order, and doubled:

.. math:: |\delta\mu| \le 2 \cdot 54\, u\, \sigma_f^2 \textstyle\sum_i |w_i|, \qquad
          |\delta\sigma^2| \le 4 \sqrt{\sigma_f^2 \textstyle\sum_j s_j^2}, \quad
          s_j = (22 + n)\, u\, \sigma_f^2 \textstyle\sum_i |R_{ji}|

These bounds are far larger than what rounding does; with nearly noise-free values, whose weights are large, they are no
longer of use, and double precision is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from regretless.arrays import Floats
from regretless.gp.blocks.law import Law
from regretless.gp.kernels import Kernel

__all__ = ["Room", "Rough", "rough", "single", "spurious_flags"]

#: Single precision is used where it moves bounds by no more than these shares of the signal's sd and variance.
_SHARP = 0.05
#: Observations whose kernel values are computed at once, and summed in single precision: they stay in the cache.
_SUMMED = 32
#: Of single precision.
_U = float(np.finfo(np.float32).eps) / 2.0
#: (name, precision, rows, columns) -> memory that the next call of that name takes.
Room: TypeAlias = Callable[[str, Any, int, int], Floats]


@dataclass(frozen=True, slots=True)
class Rough:
    """A law in the precision that bounds are computed in, and how far rounding can carry them."""

    law: Law
    R: Floats
    weights: Floats  # of what was measured, 0 for what is imagined
    factors: Floats | None  # of the data, see `Kernel.factors`; None in double precision
    of_mean: float
    of_var: float

    @property
    def facts(self) -> int:
        """How many observations were measured."""
        return self.law.facts

    @property
    def dtype(self) -> Any:
        """The precision."""
        return self.R.dtype

    def kernel_values(self, n: int, X: Floats, room: Room) -> tuple[Floats, Floats]:
        """``K_Xx`` of the first n observations, (n, rows), in memory that the next call takes, and bounds on means."""
        kernel, data, prior_mean = self.law.kernel, self.law.X[:n], self.law.prior_mean + self.of_mean
        out = room("kernel", self.dtype, n, len(X))
        if self.factors is None or not n:
            K = kernel.into(data, X, out, room("spare", self.dtype, n, len(X))) if n else out
            return K, prior_mean + self.weights[:n] @ K
        mean = np.full(len(X), prior_mean)
        right = kernel.factors(X, room("factors", np.float64, len(X), self.factors.shape[1])).T
        for begin in range(0, n, _SUMMED):
            some = slice(begin, min(begin + _SUMMED, n))
            rows = len(data[some])
            r2 = np.matmul(self.factors[some], right, out=room("r2", np.float64, rows, len(X)))
            spare = room("spare", self.dtype, rows, len(X))
            with spurious_flags():
                mean += self.weights[some] @ kernel.into_single(data[some], X, r2, out[some], spare)
        return out, mean

    def sd_above(self, var: Floats) -> Floats:
        """Upper bounds on sds, from computed variances."""
        above: Floats = np.sqrt(np.maximum(var.astype(np.float64) + self.of_var, self.law.floor))
        return above


def rough(law: Law) -> Rough:
    """The law in single precision, which is twice as fast, unless weights are so large that bounds would be loose."""
    n, var, weights = len(law), law.kernel.signal_var, np.zeros(len(law))
    weights[: law.facts] = law.weights(law.facts)
    of_mean, of_var = law.rounding()
    sums = (22 + n) * _U * var * np.abs(law.R).sum(axis=1)
    of_single = 2.0 * (22 + _SUMMED) * _U * var * float(np.abs(weights).sum())
    of_single += 2.0 * float(np.abs(law.u[law.facts :]) @ sums[law.facts :])  # of what is imagined
    var_single = 4.0 * float(np.sqrt(var * (sums @ sums))) + 2.0 * n * _U * var
    if type(law.kernel) is not Kernel or max(of_single / np.sqrt(var), var_single / var) > _SHARP:
        return Rough(law, law.R, weights, None, of_mean, of_var)
    R, weights = single(law.R), single(weights)
    numbers = len(law.kernel.lengthscale) - sum(law.kernel.categorical)
    factors = law.kernel.factors(law.X, np.empty((n, numbers + 2)))
    return Rough(law, R, weights, law.kernel.other_factors(factors), of_mean + of_single, of_var + var_single)


def single(array: Floats) -> Any:
    """In single precision."""
    return array.astype(np.float32)


def spurious_flags() -> np.errstate:
    """In single precision a product by BLAS may set the flag of an invalid operation, though all numbers are finite."""
    return np.errstate(invalid="ignore")
