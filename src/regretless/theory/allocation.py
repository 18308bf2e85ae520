r"""The two inner problems of the bounds on information gain: how to spend T evaluations on independent unknowns."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats

__all__ = ["Allocation", "water_filling"]


@dataclass(frozen=True, slots=True)
class Allocation:
    r"""Best whole-number allocation of t = 0..T evaluations to independent candidates.

    .. math:: \max_{\sum_x m_x = t} \; \sum_x \tfrac12 \log(1 + m_x v_x/\sigma^2)

    Separable and concave, so taking the largest increment again and again is exact, and one sorted list of increments
    serves every t. The m-th increment of the i-th largest variance has at least i m increments at or above it (those of
    no smaller variance and no higher count), so only pairs with i m <= T can be among the T largest: about T log T of
    them.

    >>> Allocation.up_to(2, n_candidates=2).largest(np.array([3.0, 1.0]), 1.0).round(4).tolist()
    [0.0, 0.6931, 1.0397]
    """

    T: int
    rank: npt.NDArray[np.intp]  # i - 1 of each pair
    before: Floats  # m - 1 of each pair

    @classmethod
    def up_to(cls, T: int, n_candidates: int) -> "Allocation":
        """The pairs (i, m) with i m <= T and i <= n_candidates."""
        counts = T // np.arange(1, min(T, n_candidates) + 1)
        rank = np.repeat(np.arange(len(counts)), counts)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        return cls(T, rank, (np.arange(len(rank)) - starts).astype(np.float64))

    def largest(self, var: Floats, noise_var: float) -> Floats:
        """The maximum for t = 0..T, given the variances of all candidates."""
        k = min(self.T, len(var))
        v = np.sort(np.partition(var, len(var) - k)[len(var) - k :])[::-1][self.rank]
        increments = 0.5 * np.log1p(v / (noise_var + self.before * v))
        best = np.sort(increments)[::-1][: self.T]
        return np.concatenate([[0.0], np.cumsum(best)])


def water_filling(eigenvalues: Floats, times: Floats, noise_var: float) -> Floats:
    r"""Bound on the gain of t evaluations from the spectrum of K, for every t in ``times``.

    .. math:: \tfrac12 \sum_i \log^+(w \lambda_i/\sigma^2), \qquad \sum_i (w - \sigma^2/\lambda_i)^+ = t

    The multiplicities are relaxed to any matrix >= 0 with trace t; in the eigenbasis the maximum spends the budget like
    water on a floor of height noise_var/eigenvalue. The eigenvalues are raised by their rounding error first.

    >>> water_filling(np.array([1.0, 1.0]), np.array([2.0]), 1.0).round(4).tolist()
    [0.6931]
    """
    largest = max(float(eigenvalues.max()), 0.0)
    lam = np.sort(eigenvalues + len(eigenvalues) * np.finfo(np.float64).eps * largest)[::-1]
    lam = lam[lam > 0.0]
    if not len(lam):
        return np.zeros(len(times))
    floor = noise_var / lam
    count = np.arange(1, len(lam) + 1)
    filled = np.cumsum(floor)
    enters = count * floor - filled  # the budget at which the i-th eigenvalue begins to be used
    k = np.maximum(np.searchsorted(enters, times, side="left"), 1)
    level = (times + filled[k - 1]) / k
    spent: Floats = 0.5 * (k * np.log(level) - np.cumsum(np.log(floor))[k - 1])
    return spent
