"""Functions drawn from a zero-mean Gaussian process on a finite grid, the setting in which the paper's bounds hold."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_whole
from regretless.errors import InvalidInput
from regretless.linalg import cholesky
from regretless.problems.problem import Problem, check_variance, table_problem
from regretless.spaces import Table

__all__ = ["gp_sample", "grid"]


def grid(levels: npt.ArrayLike, dim: int) -> Floats:
    r"""All points whose coordinates are taken from ``levels``, the last coordinate running fastest.

    .. math:: \{\ell_1, \dots, \ell_k\}^d, \qquad N = k^d

    >>> grid(np.arange(10) / 10, dim=3).shape
    (1000, 3)
    """
    values = np.unique(np.asarray(levels, dtype=np.float64))
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise InvalidInput(f"levels must be one finite number or more, got {levels!r}.")
    dim = as_whole(dim, "dim", least=1)
    return np.stack(np.meshgrid(*[values] * dim, indexing="ij"), axis=-1).reshape(-1, dim)


def gp_sample(
    points: npt.ArrayLike,
    kernel: Callable[[Floats, Floats], Any],
    rng: np.random.Generator,
    *,
    jitter: float = 0.0,
    noise_var: float = 0.0,
    name: str = "gp-sample",
) -> Problem:
    r"""One sample path of a zero-mean GP on the rows of ``points``, as a problem on a table.

    .. math:: f = L z, \qquad L L^\top = K + \texttt{jitter}\, I, \qquad z \sim N(0, I)

    ``kernel(A, B)`` gives the (m, n) covariances of rows, in the user's units. (A table is encoded to the unit cube,
    where the length scale 0.1 of the grid {0, 0.1, ..., 0.9}^3 of Takeno et al. 2023 becomes 1/9.) That grid needs no
    jitter. Where a smooth kernel makes K indefinite by rounding, the error says which jitter is enough; nothing is
    added in silence.

    >>> rbf = lambda A, B: np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(-1) / 0.1**2)
    >>> problem = gp_sample(grid(np.arange(5) / 10, dim=2), rbf, np.random.default_rng(0))
    >>> problem.regret(problem(problem.optimizers[0]))
    0.0
    """
    rows = as_matrix(points, "points")
    K = np.asarray(kernel(rows, rows), dtype=np.float64)
    if K.shape != (len(rows), len(rows)):
        raise InvalidInput(f"kernel(points, points) must have shape {(len(rows),) * 2}, got {K.shape}.")
    factor = cholesky(K + check_variance(jitter, "jitter") * np.eye(len(rows)))
    if factor.jitter > 0.0:
        raise InvalidInput(f"kernel(points, points) cannot be factorised. jitter={jitter + factor.jitter:g} is enough.")
    values: Floats = factor.L @ rng.standard_normal(len(rows))  # ~ N(0, K + jitter I)
    return table_problem(name, Table(rows), rows, values, noise_var)
