r"""Draws of independent normal variables far into their tails, and the quantiles of what is computed from them.

The quantile lemma needs :math:`Q(p) = \inf\{u : P(F > u) \le p\}` of F = h(g_1, ..., g_K) for small p. Plain draws
would take far more than 1/p of them; these come from a wider law and have weights.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

from regretless.arrays import Floats

__all__ = ["Draws", "latin_normals", "tail_draws", "upper_quantile"]

#: Half of the draws are spread out, so far that the tail beyond c begins at most so many of their sds away.
_DIRECTIONS = 2.0


@dataclass(frozen=True, slots=True)
class Draws:
    """Standard normal vectors with weights, ``E f(Z) = sum_r weights[r] f(z[r])``."""

    z: Floats  # (R, K)
    weights: Floats  # (R,)


def latin_normals(n_draws: int, dim: int, rng: np.random.Generator) -> Floats:
    """Standard normal vectors in a Latin hypercube: each coordinate once in every cell of probability 1/R, (R, K)."""
    cells = np.column_stack([rng.permutation(n_draws) for _ in range(dim)])
    z: Floats = ndtri((cells + rng.random((n_draws, dim))) / n_draws)
    return np.clip(z, -38.0, 38.0)


def tail_draws(c: float, n_draws: int, dim: int, rng: np.random.Generator) -> Draws:
    r"""Draws for quantiles at the probability of a normal tail beyond ``c``: half of N(0, I), half of N(0, s^2 I).

    .. math:: s = \max\big(1, c/\min(\sqrt K, 2)\big), \qquad
              w = \frac{2}{R}\Big/\Big(1 + s^{-K} e^{|z|^2 (1 - s^{-2})/2}\Big)

    The weights are those of the mixture, so none is above 2/R.

    >>> draws = tail_draws(3.0, 2000, 1, np.random.default_rng(0))
    >>> round(float(draws.weights[draws.z[:, 0] > 3.0].sum()), 4)
    0.0013
    """
    s = max(1.0, c / min(math.sqrt(dim), _DIRECTIONS))
    near, far = n_draws - n_draws // 2, n_draws // 2
    z = np.vstack([latin_normals(near, dim, rng), s * latin_normals(far, dim, rng)])
    exponent = 0.5 * (z * z).sum(axis=1) * (1.0 - 1.0 / (s * s)) - dim * math.log(s)
    return Draws(z, 2.0 / n_draws * expit(-exponent))


def upper_quantile(values: Floats, weights: Floats, p: float) -> npt.NDArray[np.intp]:
    """Where the smallest u lies that has weight at most ``p`` above it, in each row of ``values`` (N, R): shape (N,).

    >>> upper_quantile(np.array([[4.0, 1.0, 3.0, 2.0]]), np.full(4, 0.25), 0.25).tolist()
    [2]
    """
    order = np.argsort(-values, axis=1, kind="stable")
    above = np.cumsum(weights[order], axis=1)
    place = np.minimum((above <= p * (1.0 + 1e-12)).sum(axis=1), values.shape[1] - 1)
    found: npt.NDArray[np.intp] = order[np.arange(len(values)), place]
    return found
