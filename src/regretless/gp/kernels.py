r"""Stationary kernels with one length scale per column (ARD), for numbers and for categories.

.. math:: k(x, x') = \sigma_f^2 \, \rho(r^2), \qquad r^2 = \sum_j D_j(x_j, x'_j) / \ell_j^2

with :math:`D_j = (x_j - x'_j)^2` for a column of numbers and :math:`D_j = [x_j \ne x'_j]` for a column of categories.
The second is the squared distance of one-hot codes divided by two, so every such kernel is positive definite.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, show
from regretless.errors import InvalidInput

__all__ = ["FAMILIES", "Family", "Kernel", "radial"]

#: Squared distances of more length scales than this from the cube's centre would cancel to noise: an output of a stage,
#: in units of its own, is centred on itself.
_FAR = 1e6

Family = Literal["rbf", "matern32", "matern52"]
#: In the order by which random choices number them.
FAMILIES: tuple[Family, ...] = get_args(Family)


def _rbf(r2: Floats, slope: bool) -> tuple[Floats, Floats | None]:
    """``rho = exp(-r^2 / 2)`` and its slope in r^2."""
    rho = np.multiply(r2, -0.5)
    np.exp(rho, out=rho)
    return rho, -0.5 * rho if slope else None


def _matern32(r2: Floats, slope: bool) -> tuple[Floats, Floats | None]:
    """``rho = (1 + a) exp(-a)``, a = sqrt(3 r^2), and its slope in r^2 (finite at 0)."""
    rho, decay = _decay(r2, 3.0)
    rho += 1.0
    rho *= decay
    return rho, np.multiply(decay, -1.5, out=decay) if slope else None


def _matern52(r2: Floats, slope: bool) -> tuple[Floats, Floats | None]:
    """``rho = (1 + a + a^2/3) exp(-a)``, a = sqrt(5 r^2), and its slope in r^2 (finite at 0)."""
    rise, decay = _decay(r2, 5.0)
    rise += 1.0
    rho = np.multiply(r2, 5.0 / 3.0)
    rho += rise
    rho *= decay
    if not slope:
        return rho, None
    rise *= decay
    rise *= -5.0 / 6.0
    return rho, rise


def _decay(r2: Floats, twice_nu: float) -> tuple[Floats, Floats]:
    """``a = sqrt(2 nu r^2)`` and ``exp(-a)``, each in memory of its own."""
    a = np.multiply(r2, twice_nu)
    np.sqrt(a, out=a)
    decay = np.negative(a)
    np.exp(decay, out=decay)
    return a, decay


_RADIAL: dict[str, Callable[[Floats, bool], tuple[Floats, Floats | None]]] = {
    "rbf": _rbf,
    "matern32": _matern32,
    "matern52": _matern52,
}


def radial(family: Family) -> Callable[[Floats, bool], tuple[Floats, Floats | None]]:
    """The function (r^2, slope wanted) -> (rho, d rho / d r^2) of a family."""
    if family not in _RADIAL:
        raise InvalidInput(f"kernel must be one of {', '.join(FAMILIES)}; got {show(family)}.")
    return _RADIAL[family]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel with its hyperparameters; calling it gives the matrix ``K_AB``.

    ``categorical`` marks the columns that hold category numbers. X has points in rows.

    >>> k = Kernel("rbf", np.array([0.5]), signal_var=2.0)
    >>> k(np.array([[0.0]]), np.array([[0.0], [0.5]])).round(4).tolist()
    [[2.0, 1.2131]]
    """

    family: Family
    lengthscale: Floats
    signal_var: float
    categorical: tuple[bool, ...] = ()

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """``K_AB``, shape (len(A), len(B))."""
        rho, _ = radial(self.family)(self.squared_distance(A, B), False)
        return np.multiply(rho, self.signal_var, out=rho)

    def into(self, A: Floats, B: Floats, out: Floats, spare: Floats) -> Floats:
        """``K_AB`` written into ``out``; ``spare`` is overwritten. For very many blocks B of the same size.

        To allocate fresh memory for every block costs as much as the exponentials.
        """
        numeric, categories = self._columns()
        a, b = A[:, numeric] - 0.5, B[:, numeric] - 0.5
        w = 1.0 / self.lengthscale[numeric] ** 2
        np.matmul(a * (-2.0 * w), b.T, out=out)
        out += ((a * a) @ w)[:, None]
        out += np.multiply(b, b, out=b) @ w
        np.maximum(out, 0.0, out=out)
        for j in categories:
            np.not_equal(A[:, j, None], B[:, j], out=spare)
            spare /= self.lengthscale[j] ** 2
            out += spare
        return self._of_squared_distance_into(out, spare)

    def factors(self, A: Floats, out: Floats) -> Floats:
        """``G(A)``, written into ``out``, such that ``F(A) G(B)'`` are squared distances by columns of numbers."""
        numeric, _ = self._columns()
        a, w = out[:, :-2], 1.0 / self.lengthscale[numeric] ** 2
        np.subtract(A[:, numeric], 0.5, out=a)
        out[:, -2] = 1.0
        np.einsum("ij,ij,j->i", a, a, w, out=out[:, -1])
        return out

    def other_factors(self, G: Floats) -> Floats:
        """``F(A)`` from ``G(A)``, see `factors`."""
        a, one, norm = G[:, :-2], G[:, -2:-1], G[:, -1:]
        return np.hstack([a * (-2.0 / self.lengthscale[self._columns()[0]] ** 2), norm, one])

    def into_single(self, A: Floats, B: Floats, r2: Floats, out: Floats, spare: Floats) -> Floats:
        """``K_AB`` in single precision, written into ``out``, from ``F(A) G(B)'`` in double precision."""
        np.copyto(out, r2, casting="same_kind")
        np.maximum(out, 0.0, out=out)
        for j in self._columns()[1]:
            np.not_equal(A[:, j, None], B[:, j], out=spare)
            spare /= self.lengthscale[j] ** 2
            out += spare
        return self._of_squared_distance_into(out, spare)

    def _of_squared_distance_into(self, out: Floats, spare: Floats) -> Floats:
        """The kernel at squared scaled distances, in their place."""
        if self.family == "rbf":  # as in `radial`, in place
            out *= -0.5
            np.exp(out, out=out)
        else:
            twice_nu = 3.0 if self.family == "matern32" else 5.0
            np.multiply(out, twice_nu, out=spare)
            np.sqrt(spare, out=spare)
            out *= twice_nu / 3.0 if self.family == "matern52" else 0.0
            out += 1.0
            out += spare
            np.negative(spare, out=spare)
            np.exp(spare, out=spare)
            out *= spare
        out *= self.signal_var
        return out

    def with_slope(self, A: Floats, B: Floats) -> tuple[Floats, Floats]:
        """``K_AB`` and its derivative with respect to the squared scaled distance."""
        return self.of_squared_distance(self.squared_distance(A, B))

    def of_squared_distance(self, r2: Floats) -> tuple[Floats, Floats]:
        """The kernel and its derivative at squared scaled distances."""
        rho, slope = radial(self.family)(r2, True)
        assert slope is not None
        return np.multiply(rho, self.signal_var, out=rho), np.multiply(slope, self.signal_var, out=slope)

    def squared_distance(self, A: Floats, B: Floats) -> Floats:
        r"""``r^2`` between the rows of A and of B.

        Expanded, so that it is one matrix product: with :math:`w_j = 1/\ell_j^2`,
        :math:`\sum_j w_j (a_j - b_j)^2 = \sum_j w_j a_j^2 - 2 \sum_j w_j a_j b_j + \sum_j w_j b_j^2`.
        """
        numeric, categories = self._columns()
        # The cube's centre goes to the origin: smaller numbers, less cancellation. Only A is scaled: B may be long.
        a, b = A[:, numeric] - 0.5, B[:, numeric] - 0.5
        w = 1.0 / self.lengthscale[numeric] ** 2
        far = (a * a).max(axis=0, initial=0.0) * w > _FAR
        if far.any():
            centre = np.where(far, A[:, numeric].mean(axis=0), 0.5)
            a, b = A[:, numeric] - centre, B[:, numeric] - centre
        r2: Floats = (a * (-2.0 * w)) @ b.T
        r2 += ((a * a) @ w)[:, None]
        r2 += np.multiply(b, b, out=b) @ w  # in its own memory: it may be long
        np.maximum(r2, 0.0, out=r2)  # the expansion of the square may round below zero
        for j in categories:
            r2 += (A[:, j, None] != B[:, j]) / self.lengthscale[j] ** 2
        return r2

    def norms(self, B: Floats) -> Floats:
        r"""``sum_j w_j (b_j - 1/2)^2`` over the columns of numbers, for every row of B: what `row` wants to know."""
        numeric, _ = self._columns()
        b = B[:, numeric] - 0.5
        return np.multiply(b, b, out=b) @ (1.0 / self.lengthscale[numeric] ** 2)

    def row(self, x: Floats, B: Floats, norms: Floats) -> Floats:
        r"""``k(x, .)`` at the rows of B, given their `norms`: the fast way for one x after the other and a long B.

        With :math:`a = x - 1/2`: :math:`r^2 = \|b\|^2 - 2 \sum_j w_j a_j b_j + \sum_j w_j a_j (a_j + 1)`.
        """
        numeric, categories = self._columns()
        a, w = x[numeric] - 0.5, 1.0 / self.lengthscale[numeric] ** 2
        r2: Floats = B[:, numeric] @ (-2.0 * w * a)
        r2 += norms
        r2 += w @ (a * (a + 1.0))
        np.maximum(r2, 0.0, out=r2)
        for j in categories:
            r2 += (B[:, j] != x[j]) / self.lengthscale[j] ** 2
        rho, _ = radial(self.family)(r2, False)
        return np.multiply(rho, self.signal_var, out=rho)

    def gradient(self, X: Floats, B: Floats, W: Floats) -> Floats:
        r"""``sum_b W_xb dk(x, b)/dx`` for every row x of X, given ``W`` already times the slope.

        .. math:: \partial_{x_j} k(x, b) = \frac{dk}{dr^2} \, \frac{2 (x_j - b_j)}{\ell_j^2}

        Categories have no gradient: their columns are zero.
        """
        G: Floats = X * np.add.reduce(W, axis=1)[:, None] - W @ B
        G *= 2.0 / self.lengthscale**2
        if any(self.categorical):
            G[:, np.flatnonzero(self.categorical)] = 0.0
        return G

    def variances(self, X: Floats) -> Floats | float:  # noqa: ARG002
        """``k(x, x)`` of every row, one number where it is the same for all."""
        return self.signal_var

    def source(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Which rows are observations of an earlier study: none, see `regretless.gp.transfer`."""
        return np.zeros(len(X), dtype=np.bool_)

    def _columns(self) -> tuple[list[int] | slice, list[int]]:
        if not any(self.categorical):
            return slice(None), []
        numeric = [j for j, is_category in enumerate(self.categorical) if not is_category]
        return numeric, [j for j, is_category in enumerate(self.categorical) if is_category]
