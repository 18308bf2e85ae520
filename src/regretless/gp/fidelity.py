r"""A function at its target and at cheaper levels, as one Gaussian process.

.. math:: k\big((x, z), (x', z')\big) = k(x, x') + D(z, z') \big(k(x, x') + c\, \sigma_f^2\big)

z says how far below the target a level is, 0 at the target: f(x, z) = f(x) + discrepancy, an offset among it. As
D(0, .) = 0, the target has the plain kernel, and so has everything between the target and a level. D is a sum of
matrices, each times a variance: :math:`D = \sum_j w_j E_j`. The variances are shares of the signal's.
"""

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp.kernels import Kernel

__all__ = ["Discrepancy", "FidelityKernel", "LevelDiscrepancy", "TruncatedDiscrepancy"]


@dataclass(frozen=True, slots=True)
class LevelDiscrepancy:
    r"""Each level is the one above it and a discrepancy of its own, an autoregression down from the target.

    .. math:: D(z, z') = \sum_{j \le \min(z, z')} w_j, \qquad z = 0, 1, 2, \dots

    ``variances`` are w_1, w_2, ... as shares of the signal's; z counts the levels below the target.

    >>> LevelDiscrepancy((0.1, 0.3))(np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0])).tolist()
    [[0.0, 0.0], [0.1, 0.1], [0.1, 0.4]]
    """

    variances: tuple[float, ...]

    def __post_init__(self) -> None:
        if any(not 0.0 <= w < np.inf for w in self.variances):
            raise InvalidInput(f"variances must be finite numbers >= 0, got {self.variances}.")

    def with_variances(self, variances: tuple[float, ...]) -> Self:
        """The same with other variances."""
        return type(self)(variances)

    def __call__(self, z: Floats, other: Floats) -> Floats:
        """D between all pairs."""
        so_far = np.concatenate([[0.0], np.cumsum(self.variances)])
        D: Floats = so_far[np.minimum(z[:, None], other).astype(np.intp)]
        return D

    def parts(self, z: Floats) -> Floats:
        """``E_j`` between all pairs, (J, n, n): 1 where both are at least j levels below the target."""
        steps = np.arange(1, len(self.variances) + 1)
        return (np.minimum.outer(z, z) >= steps[:, None, None]).astype(np.float64)


@dataclass(frozen=True, slots=True)
class TruncatedDiscrepancy:
    r"""The linear truncated kernel of BoTorch, for a continuous fidelity s in [0, 1] whose target is 1.

    .. math:: D(z, z') = w\, z z' (1 + (1 - z)(1 - z'))^p, \qquad z = 1 - s

    >>> float(TruncatedDiscrepancy(1.0, power=2)(np.array([0.7]), np.array([0.4]))[0, 0].round(6))
    0.389872
    """

    variance: float
    power: int = 1

    def __post_init__(self) -> None:
        if not 0.0 <= self.variance < np.inf or self.power < 0 or self.power != int(self.power):
            raise InvalidInput(
                f"variance must be a number >= 0 and power a whole one, got {self.variance} and {self.power}."
            )

    @property
    def variances(self) -> tuple[float, ...]:
        """The variance, the only one."""
        return (self.variance,)

    def with_variances(self, variances: tuple[float, ...]) -> Self:
        """The same with another variance."""
        (variance,) = variances
        return type(self)(variance, self.power)

    def __call__(self, z: Floats, other: Floats) -> Floats:
        """D between all pairs."""
        D: Floats = self.variance * np.multiply.outer(z, other)
        D *= (1.0 + np.multiply.outer(1.0 - z, 1.0 - other)) ** self.power
        return D

    def parts(self, z: Floats) -> Floats:
        """``E_1`` between all pairs, (1, n, n): D with a variance of one."""
        E: Floats = self.with_variances((1.0,))(z, z)[None]
        return E


Discrepancy: TypeAlias = LevelDiscrepancy | TruncatedDiscrepancy


@dataclass(frozen=True, slots=True)
class FidelityKernel(Kernel):
    """A kernel for all levels: a last column of X holds z; rows without it are at the target.

    ``offset`` is c, what is expected of a constant discrepancy beside one that varies over the space.

    >>> k = FidelityKernel("rbf", np.array([0.5]), 2.0, discrepancy=LevelDiscrepancy((0.25,)))
    >>> k(np.array([[0.0, 1.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])).tolist()
    [[2.0, 2.5]]
    """

    discrepancy: Discrepancy = LevelDiscrepancy(())
    offset: float = 0.0

    def squared_distance(self, A: Floats, B: Floats) -> Floats:
        """``r^2`` between the rows of A and of B, whatever their levels."""
        return Kernel.squared_distance(self, self._points(A), self._points(B))

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """``K_AB``, shape (len(A), len(B))."""
        return self._at_levels(Kernel.__call__(self, self._points(A), self._points(B)), A, B)

    def into(self, A: Floats, B: Floats, out: Floats, spare: Floats) -> Floats:
        """``K_AB`` written into ``out``."""
        return self._at_levels(Kernel.into(self, self._points(A), self._points(B), out, spare), A, B)

    def with_slope(self, A: Floats, B: Floats) -> tuple[Floats, Floats]:
        """``K_AB`` and its derivative with respect to the squared scaled distance."""
        K, slope = Kernel.with_slope(self, self._points(A), self._points(B))
        D = self._between(A, B)
        return self._at_levels(K, A, B), slope if D is None else slope * (1.0 + D)

    def row(self, x: Floats, B: Floats, norms: Floats) -> Floats:
        """``k(x, .)`` at the rows of B, which are at the target."""
        return Kernel.row(self, x[: len(self.lengthscale)], self._points(B), norms)

    def norms(self, B: Floats) -> Floats:
        """What `row` wants to know of B."""
        return Kernel.norms(self, self._points(B))

    def gradient(self, X: Floats, B: Floats, W: Floats) -> Floats:
        """``sum_b W_xb dk(x, b)/dx`` for every row x of X, given ``W`` already times the slope."""
        return Kernel.gradient(self, self._points(X), self._points(B), W)

    def variances(self, X: Floats) -> Floats | float:
        """``k(x, x)`` of every row."""
        d = len(self.lengthscale)
        if X.shape[1] == d:
            return self.signal_var
        own = np.array([self.discrepancy(z[None], z[None])[0, 0] for z in X[:, d]])
        return np.asarray(self.signal_var * (1.0 + own * (1.0 + self.offset)))

    def _points(self, X: Floats) -> Floats:
        return X[:, : len(self.lengthscale)]

    def _between(self, A: Floats, B: Floats) -> Floats | None:
        """D of all pairs; None where one side is at the target."""
        d = len(self.lengthscale)
        return None if A.shape[1] == d or B.shape[1] == d else self.discrepancy(A[:, d], B[:, d])

    def _at_levels(self, K: Floats, A: Floats, B: Floats) -> Floats:
        D = self._between(A, B)
        if D is not None:
            K += D * (K + self.offset * self.signal_var)
        return K
