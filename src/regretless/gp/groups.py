r"""A posterior at groups of points: the values of one decision in all its environments, and weighted sums of them.

======== ============= ==========================================================
symbol   shape         meaning
======== ============= ==========================================================
Z        (m, w, d)     m groups of w points
mean, sd (m, w)        posterior moments of f at each point
cov      (m, w, w)     posterior covariance within each group
l        (m, w)        weights: l . f is a normal variable, with sd sqrt(l' cov l)
======== ============= ==========================================================
"""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp.kernels import Kernel
from regretless.gp.regression import VAR_FLOOR, Posterior

__all__ = ["Grouped", "SummedKernel", "grouped", "summed"]


@dataclass(frozen=True, slots=True)
class Grouped:
    """Moments of f at groups of points."""

    posterior: Posterior
    Z: Floats
    mean: Floats
    sd: Floats
    cov: Floats
    V: Floats  # (n, m, w): L^-1 K_XZ
    rigid: bool  # whether a group moves as a whole: its prior covariance is the same everywhere

    def sd_of(self, weights: Floats) -> Floats:
        """The standard deviation of ``l . f`` in each group."""
        return self._floored(np.einsum("mv,mvw,mw->m", weights, self.cov, weights))

    def cov_with(self, weights: Floats) -> Floats:
        """The covariance of ``l . f`` with f at each point of its group, (m, w)."""
        found: Floats = np.einsum("mvw,mw->mv", self.cov, weights)
        return found

    def pull(self, by_mean: Floats, by_cov: Floats) -> Floats:
        """The gradient in Z of what depends on it through means and covariances within groups: (m, w, d).

        ``by_mean`` (m, w) and ``by_cov`` (m, w, w), symmetric, are its derivatives by these.
        """
        post, (m, w, d) = self.posterior, self.Z.shape
        flat = self.Z.reshape(m * w, d)
        _, slope = post.kernel.with_slope(flat, post.X)
        # d cov_vw = dk(z_v, z_w) - dK_vX (K + noise)^-1 K_Xw, and the same with v and w exchanged
        half = post.factor.half_solve_transposed(self.V.reshape(-1, m * w)).reshape(-1, m, w)
        W = by_mean[:, :, None] * post.weights - 2.0 * np.einsum("mvw,nmw->mvn", by_cov, half, optimize=True)
        gradient = post.kernel.gradient(flat, post.X, W.reshape(m * w, -1) * slope).reshape(m, w, -1)
        for i in range(0 if self.rigid else m):
            _, between = post.kernel.with_slope(self.Z[i], self.Z[i])
            gradient[i] += post.kernel.gradient(self.Z[i], self.Z[i], 2.0 * by_cov[i] * between)
        return gradient

    def _floored(self, var: Floats) -> Floats:
        return np.sqrt(np.maximum(var, VAR_FLOOR * self.posterior.kernel.signal_var))


def grouped(posterior: Posterior, Z: Floats, *, rigid: bool = False) -> Grouped:
    """Moments at m groups of w points, in O(n^2 m w).

    ``rigid`` says that all groups are translations of each other, of which the kernel, being stationary, sees nothing.

    >>> from regretless.gp import Kernel
    >>> from regretless.gp.regression import posterior as given
    >>> post = given(Kernel("rbf", np.array([0.5]), 1.0), noise_var=0.1, X=np.array([[0.2]]), y=np.array([1.0]))
    >>> both = grouped(post, np.array([[[0.0], [0.4]]]))
    >>> both.sd.round(4).tolist(), both.sd_of(np.array([[0.5, 0.5]])).round(4).tolist()
    ([[0.4747, 0.4747]], [0.2973])
    """
    m, w, d = Z.shape
    flat = Z.reshape(m * w, d)
    K = posterior.kernel(flat, posterior.X)
    V = posterior.factor.half_solve(K.T).reshape(-1, m, w)
    mean = (posterior.prior_mean + K @ posterior.weights).reshape(m, w)
    each = [_prior(posterior, group) for group in (Z[:1] if rigid else Z)]
    cov = np.broadcast_to(np.array(each).reshape(-1, w, w), (m, w, w)).copy()
    cov -= np.einsum("nmv,nmw->mvw", V, V, optimize=True)
    var = np.maximum(np.einsum("mww->mw", cov), VAR_FLOOR * posterior.kernel.signal_var)
    return Grouped(posterior, Z, mean, np.sqrt(var), cov, V, rigid)


def _prior(posterior: Posterior, Z: Floats) -> Floats:
    K = posterior.kernel(Z, Z)
    K[np.diag_indices(len(Z))] = posterior.kernel.variances(Z)  # exact where the expanded square rounds
    return K


@dataclass(frozen=True, slots=True)
class SummedKernel(Kernel):
    r"""The kernel of weighted sums of f: a row with the codes of w points, one after the other, is their sum.

    .. math:: \mathrm{cov}\Big(\sum_v p_v f(z_v), \sum_w p_w f(z'_w)\Big) = \sum_{v, w} p_v p_w\, k(z_v, z'_w)

    A row with the codes of one point is f there. So a posterior of f is one of its sums, with all that is asked of it.
    """

    base: Kernel = field(default_factory=lambda: Kernel("rbf", np.empty(0), 1.0))
    weights: tuple[float, ...] = (1.0,)
    width: int = 0  # codes of one point
    rigid: bool = False  # whether all sums are translations of each other

    def __call__(self, A: Floats, B: Floats) -> Floats:
        """``K_AB``, shape (len(A), len(B))."""
        K = self.base(self._points(A), self._points(B))
        K = self._sums(K.reshape(len(A), -1, K.shape[1]).transpose(0, 2, 1))
        return self._sums(K.reshape(len(A), len(B), -1))

    def variances(self, X: Floats) -> Floats:
        """``k(x, x)`` of every row."""
        if not self._is_sum(X):
            return np.broadcast_to(self.base.variances(X), len(X))
        each = [float(self(row[None, :], row[None, :])[0, 0]) for row in (X[:1] if self.rigid else X)]
        return np.broadcast_to(np.array(each), len(X))

    def source(self, X: Floats) -> npt.NDArray[np.bool_]:
        """Which rows are observations of an earlier study."""
        return self.base.source(X)

    def _points(self, X: Floats) -> Floats:
        return X.reshape(-1, self.width) if self._is_sum(X) else X

    def _is_sum(self, X: Floats) -> bool:
        return bool(X.shape[1] == self.width * len(self.weights))

    def _sums(self, K: Floats) -> Floats:
        """The weighted sum over the last axis, where it has an entry per point of a sum."""
        weights = np.array(self.weights)
        found: Floats = K @ weights if K.shape[-1] == len(weights) else K[..., 0]
        return found


def summed(posterior: Posterior, weights: Floats, width: int, *, rigid: bool = False) -> Posterior:
    """The posterior of f and of its weighted sums over groups of points with ``width`` codes each.

    >>> from regretless.gp.regression import posterior as given
    >>> post = given(Kernel("rbf", np.array([0.5]), 1.0), noise_var=0.1, X=np.array([[0.2]]), y=np.array([1.0]))
    >>> summed(post, np.array([0.5, 0.5]), 1).mean_sd(np.array([[0.0, 0.4]]))[1].round(4).tolist()
    [0.2973]
    """
    kernel = posterior.kernel
    sums = SummedKernel(
        kernel.family,
        kernel.lengthscale,
        kernel.signal_var,
        kernel.categorical,
        base=kernel,
        weights=tuple(weights.tolist()),
        width=width,
        rigid=rigid,
    )
    return replace(posterior, kernel=sums)
