r"""The posterior over a whole table, kept up to date instead of recomputed.

With N candidates and n observations, a new observation adds one row to V = L^-1 K_Xx:

.. math:: v = \frac{k(x_{new}, \cdot) - \ell^\top V}{\lambda}, \qquad
          \mu \leftarrow \mu + v\, u_{new}, \qquad \sigma^2 \leftarrow \sigma^2 - v^2

where :math:`(\ell, \lambda)` is the new row of L. That reads the n x N matrix once, O(nN), instead of solving
again, O(n^2 N).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp.regression import VAR_FLOOR, OfPosterior, Posterior

__all__ = ["TablePosterior", "table_posterior"]

#: Candidates handled at a time: bounds the memory of intermediate results, and keeps them in the cache.
BLOCK = 16384
#: Fewer of them where each has a long column: about so many numbers in one intermediate result, half a megabyte.
_ENTRIES = 1 << 16
#: But not fewer than this, or the products get too thin.
_NARROWEST = 256
#: Rows of V that are set aside together. Memory is taken as rows are written, not before.
ROWS = 32


@dataclass(slots=True)
class _Rows:
    """Rows of V in one piece of memory, of which the first ``used`` are written. Shared by successive posteriors."""

    storage: Floats
    used: int


@dataclass(frozen=True, slots=True)
class TablePosterior(OfPosterior):
    """Posterior mean and variance of every candidate of a table.

    ``pieces`` are the rows of V, each with the number of rows that belong to *this* posterior: a later posterior may
    have written further rows behind them, an earlier one never sees those.
    """

    posterior: Posterior
    X: Floats
    mean: Floats
    var: Floats
    norms: Floats  # of the rows of X, for the kernel
    pieces: tuple[tuple[_Rows, int], ...]

    @property
    def table(self) -> "TablePosterior":
        """Itself: a `Posterior` has None under this name."""
        return self

    @property
    def blocks(self) -> None:
        """None: see `BlockPosterior`."""
        return

    @property
    def candidates(self) -> Floats:
        """The rows of the table."""
        return self.X

    @property
    def sd(self) -> Floats:
        """Posterior standard deviation of every candidate."""
        var = np.maximum(self.var, VAR_FLOOR * self.posterior.kernel.signal_var)
        return np.sqrt(var, out=var)

    def on(self, X: Floats | None = None) -> "TablePosterior":
        """Itself: moments at its own candidates, the only ones it has."""
        if X is not None:
            raise InvalidInput("a table posterior brings its own candidates; leave X out.")
        return self

    def condition(self, x: Floats, y: float, *, noise_var: float | None = None) -> "TablePosterior":
        """Posterior after one more observation (of a candidate or not), in O(nN); ``noise_var`` is its own."""
        return self._extended(x, self.posterior.condition(x, y, noise_var=noise_var))

    def condition_at(self, index: int, y: float, *, noise_var: float | None = None) -> "TablePosterior":
        """Posterior after one more observation of a candidate: its column of V is the new row of L."""
        x, row = self.X[index], self.columns(np.array([index]))[:, 0]
        return self._extended(x, self.posterior.condition(x, y, noise_var=noise_var, row=row))

    def columns(self, indices: npt.NDArray[np.intp]) -> Floats:
        """Columns of V = L^-1 K_Xx, shape (n, s)."""
        return np.concatenate([rows.storage[:n, indices] for rows, n in self.pieces] or [np.empty((0, len(indices)))])

    def _extended(self, x: Floats, after: Posterior) -> "TablePosterior":
        if after.jitter > self.posterior.jitter:  # the old rows of L changed, and with them those of V
            return table_posterior(after, self.X)
        row, pivot = after.factor.L[-1, :-1], after.factor.L[-1, -1]
        *before, (rows, n) = self._with_room()
        mean, var = np.empty_like(self.mean), np.empty_like(self.var)
        for part in _blocks(len(self.X)):  # what is computed stays in the cache; only V is read from afar
            v = self.posterior.kernel.row(x, self.X[part], self.norms[part])
            v -= self._times(row, part)
            v /= pivot
            rows.storage[n, part] = v
            mean[part] = self.mean[part] + v * after.u[-1]
            var[part] = self.var[part] - v * v
        rows.used = n + 1
        return TablePosterior(after, self.X, mean, var, self.norms, (*before, (rows, n + 1)))

    def branch(self) -> "TablePosterior":
        """The same posterior, whose successors write into memory of their own: for what is only imagined."""
        fresh = _Rows(np.empty((ROWS, len(self.X))), 0)
        return TablePosterior(self.posterior, self.X, self.mean, self.var, self.norms, (*self.pieces, (fresh, 0)))

    def covariance_with(self, index: int) -> Floats:
        """Posterior covariance of f between one candidate and all of them, in O(nN)."""
        column: Floats = self.covariances_with(np.array([index]))[0]
        return column

    def covariances_with(self, indices: npt.NDArray[np.intp]) -> Floats:
        """Posterior covariance of f between some candidates and all of them, shape (s, N), in O(snN)."""
        V = self.columns(indices)
        covariances = np.empty((len(indices), len(self.X)))
        for part in _blocks(len(self.X), max(len(indices), 1)):
            covariances[:, part] = self.posterior.kernel(self.X[indices], self.X[part]) - self._times(V, part)
        return covariances

    def project(self, w: Floats) -> Floats:
        """``V' w`` for a vector, or ``(V' W)'`` for the columns of a matrix, in O(nN) each."""
        total = np.empty((*w.shape[1:], len(self.X)))
        for part in _blocks(len(self.X)):
            total[..., part] = self._times(w, part)
        return total

    def _times(self, w: Floats, part: slice) -> Floats:
        """`project` for a block of candidates."""
        total, done = None, 0
        for rows, n in self.pieces:
            share = w[done : done + n].T @ rows.storage[:n, part]
            total = share if total is None else np.add(total, share, out=total)
            done += n
        return np.zeros((*w.shape[1:], len(self.X[part]))) if total is None else total

    def _with_room(self) -> tuple[tuple[_Rows, int], ...]:
        """The pieces, of which the last has room for a row behind those of this posterior."""
        if self.pieces:
            rows, n = self.pieces[-1]
            if n < len(rows.storage):
                if rows.used == n:
                    return self.pieces
                # Only the newest posterior may write behind its own rows. A branch copies them, so that how rows lie
                # in pieces, and with it every rounding of the sums over them, depends on their number alone.
                copied = np.empty_like(rows.storage)
                copied[:n] = rows.storage[:n]
                return (*self.pieces[:-1], (_Rows(copied, n), n))
        return (*self.pieces, (_Rows(np.empty((ROWS, len(self.X))), 0), 0))


def _blocks(N: int, rows: int = 1) -> list[slice]:
    """Parts of N candidates that have ``rows`` numbers each."""
    width = min(BLOCK, max(_NARROWEST, _ENTRIES // rows))
    return [slice(begin, min(begin + width, N)) for begin in range(0, N, width)]


def table_posterior(posterior: Posterior, X: Floats) -> TablePosterior:
    """Posterior of all rows of X at once, in blocks, O(n^2 N)."""
    n, N = len(posterior), len(X)
    mean, var, norms = np.empty(N), np.empty(N), np.empty(N)
    storage = np.empty((n, N))
    for part in _blocks(N, max(n, 1)):
        K_Xx = posterior.kernel(posterior.X, X[part])
        V = posterior.factor.half_solve(K_Xx)
        storage[:, part] = V
        mean[part] = posterior.prior_mean + posterior.weights @ K_Xx
        var[part] = posterior.kernel.signal_var - np.einsum("ij,ij->j", V, V)
        norms[part] = posterior.kernel.norms(X[part])
    return TablePosterior(posterior, X, mean, var, norms, ((_Rows(storage, n), n),) if n else ())
