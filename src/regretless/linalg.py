"""The narrow numerical seam: nothing above this file touches a triangular matrix.

A `Factor` is the lower Cholesky factor of a positive definite matrix. When rounding makes the matrix indefinite, the
smallest of a fixed ladder of jitters that works is added to its diagonal and remembered in `Factor.jitter`.
"""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotri, dtrtri, dtrtrs

from regretless.arrays import Floats
from regretless.errors import NumericalError

__all__ = ["JITTERS", "Factor", "cholesky", "root", "single_thread"]

#: What is tried in turn, relative to the mean of the diagonal.
JITTERS = (0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Factor:
    """Lower Cholesky factor ``L`` of ``A + jitter I``; all methods return new arrays.

    >>> factor = cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> factor.solve(np.array([8.0, 9.0])).tolist()
    [1.375, 1.25]
    """

    L: Floats
    jitter: float = 0.0

    def __len__(self) -> int:
        return len(self.L)

    def half_solve(self, B: Floats) -> Floats:
        """``L^-1 B`` for a vector or the columns of a matrix."""
        return _triangular(self.L, B, transposed=False)

    def half_solve_transposed(self, B: Floats) -> Floats:
        """``L^-T B`` for a vector or the columns of a matrix."""
        return _triangular(self.L, B, transposed=True)

    def solve(self, B: Floats) -> Floats:
        """``A^-1 B``."""
        return self.half_solve_transposed(self.half_solve(B))

    def inverse(self) -> Floats:
        """``A^-1``, symmetric and full."""
        if not len(self):
            return np.empty((0, 0))
        inverse, info = dpotri(self.L, lower=1)
        if info:
            raise NumericalError(f"A factor of size {len(self)} has a zero on its diagonal.")
        full: Floats = inverse + inverse.T  # above the diagonal LAPACK leaves the zeros of L
        full.flat[:: len(self) + 1] *= 0.5
        return full

    def half_inverse(self) -> Floats:
        """``L^-1``, lower triangular."""
        if not len(self):
            return np.empty((0, 0))
        inverse, info = dtrtri(self.L, lower=1)
        if info:
            raise NumericalError(f"A factor of size {len(self)} has a zero on its diagonal (entry {info - 1}).")
        return np.ascontiguousarray(inverse)

    def bordered_half_inverse(self, before: Floats) -> Floats:
        """``L^-1``, given that of the factor without its last row, in O(n^2)."""
        n = len(before)
        inverse = np.zeros((n + 1, n + 1))
        inverse[:n, :n] = before
        inverse[n, :n] = (self.L[n, :n] @ before) / -self.L[n, n]
        inverse[n, n] = 1.0 / self.L[n, n]
        return inverse

    def logdet(self) -> float:
        """``log det A``."""
        return 2.0 * float(np.log(self.L.diagonal()).sum())

    def append(self, column: Floats, corner: float) -> "Factor":
        """Factor of ``A`` bordered by one row and column, in O(n^2).

        ``column`` holds the new entries beside the old rows, ``corner`` the new diagonal entry; the jitter of the old
        rows is added to it. A new row that depends on the old ones up to rounding needs more: then everything is
        factorised again, O(n^3), with the next jitter of the ladder, and the old rows change too. (Jitter on the new
        row alone leaves the others ill-conditioned, and rounding errors grow from row to row without bound.)
        """
        return self.extend(self.half_solve(column), corner)

    def extend(self, row: Floats, corner: float) -> "Factor":
        """`append` for a column whose ``row`` = L^-1 column is known already, in O(n) but for a copy."""
        n = len(self)
        pivot = corner + self.jitter - float(row @ row)
        if not math.isfinite(pivot):
            raise NumericalError(f"The row appended to a factor of size {n} has entries that are not finite.")
        if pivot <= (n + 1) * _EPS * corner:
            A = np.empty((n + 1, n + 1))
            A[:n, :n] = self.L @ self.L.T
            A[np.diag_indices(n)] -= self.jitter
            A[n, :n] = A[:n, n] = self.L @ row
            A[n, n] = corner
            return _factorise(A, above=self.jitter)
        L = np.zeros((n + 1, n + 1), order="F")
        L[:n, :n] = self.L
        L[n, :n] = row
        L[n, n] = math.sqrt(pivot)
        return Factor(L, self.jitter)


def cholesky(A: Floats, *, shift: Floats | float = 0.0) -> Factor:
    """Factorise ``A + diag(shift + jitter)``, jitter the first of `JITTERS` (times the mean diagonal) that works."""
    return _factorise(A, above=-math.inf, shift=shift)


def root(A: Floats) -> Floats:
    """A matrix R with ``R R' = A`` for a small positive semidefinite A, which may be zero up to rounding.

    >>> R = root(np.array([[4.0, 2.0], [2.0, 1.0]]))
    >>> (R @ R.T).round(6).tolist()
    [[4.0, 2.0], [2.0, 1.0]]
    """
    values, vectors = np.linalg.eigh(A)
    R: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return R


def _factorise(A: Floats, *, above: float, shift: Floats | float = 0.0) -> Factor:
    n = A.shape[0]
    if not n:
        return Factor(np.empty((0, 0), order="F"))
    diagonal = A.diagonal() + shift
    scale = float(diagonal.sum()) / n
    if not math.isfinite(scale):
        raise NumericalError(f"A {n} x {n} covariance matrix has entries that are not finite.")
    for relative in JITTERS:
        jitter = relative * scale
        if jitter <= above:
            continue
        bordered = np.array(A, order="F")
        if isinstance(shift, np.ndarray) or shift or jitter:
            bordered.flat[:: n + 1] = diagonal + jitter
        L, info = dpotrf(bordered, lower=1, clean=1, overwrite_a=1)
        # A pivot of the size of its own rounding error says nothing, and NaN (not every LAPACK reports it) even less.
        if info == 0 and bool((L.diagonal() ** 2 > n * _EPS * diagonal).all()):
            return Factor(L, jitter)
    raise NumericalError(
        f"A {n} x {n} covariance matrix is not positive definite even with jitter {JITTERS[-1]:g} times its diagonal; "
        "a larger noise variance makes it so."
    )


def single_thread() -> AbstractContextManager[Any]:
    """BLAS on one thread: faster for the small matrices of one suggestion, and the same bits on every machine size."""
    return _limiter()(limits=1, user_api="blas")


@cache
def _limiter() -> Callable[..., AbstractContextManager[Any]]:
    # Looking for the loaded BLAS libraries costs milliseconds, setting their threads microseconds: look once.
    from threadpoolctl import ThreadpoolController

    limit: Callable[..., AbstractContextManager[Any]] = ThreadpoolController().limit
    return limit


def _triangular(L: Floats, B: Floats, *, transposed: bool) -> Floats:
    if not B.size:
        return np.array(B)
    if B.ndim == 1 or B.flags.f_contiguous:
        x, info = dtrtrs(L, B, lower=1, trans=int(transposed))
    else:
        # Rows in place of columns, B' L^-T for L^-1 B: LAPACK would want a copy of B in the other order.
        x = dtrsm(1.0, L, B.T, side=1, lower=1, trans_a=int(not transposed)).T
        info = 0 if L.diagonal().all() else int(np.argmin(np.abs(L.diagonal()))) + 1
    if info:
        raise NumericalError(f"A factor of size {L.shape[0]} has a zero on its diagonal (entry {info - 1}).")
    solved: Floats = x[:, 0] if B.ndim == 1 and x.ndim == 2 else x
    return solved
