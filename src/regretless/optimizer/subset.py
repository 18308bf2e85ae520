"""The subset of results that a posterior uses if all of them would take too much memory and time.

A posterior of n results holds an n x n factor, and on a table of N candidates an n x N matrix beside it. Beyond so many
results it rests on a subset chosen for the search, to which new results are appended until it is chosen anew. All of
this follows from what was told and from the fit, so that a study goes on after a restart as it would have without.
"""

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp import Kernel, posterior

__all__ = ["base_of", "chosen", "largest"]

#: Largest number of results in one posterior. Its factor takes 128 MB, a suggestion a second or more.
LARGEST = 4000
#: Smallest number of results, however long the table.
FEWEST = 32
#: Rows of kernel values worked on at once.
_BLOCK = 4096


def largest(N: int, memory: int = 0) -> int:
    """The largest number of results in a posterior, on a table of N candidates or, with 0, in a product space.

    On a table the n x N matrix takes half of the ``memory`` at the most: there are two models, to search by and for
    certificates.

    >>> [largest(N, 4 << 30) for N in (0, 10_000, 100_000, 1_000_000)]
    [4000, 4000, 2684, 268]
    """
    return min(LARGEST, max(FEWEST, memory // (16 * N))) if N else LARGEST


def base_of(n: int, n_fit: int, largest: int) -> tuple[int, int]:
    """Of how many results, the first of n in their fixed order, the base of the posterior is made, and how many it has.

    The others are appended one by one. Up to ``largest`` results the base has all that the fit saw. Beyond, it has
    three quarters of ``largest``, and is chosen anew at each fit and whenever the posterior is full.

    >>> [base_of(n, n_fit=900, largest=1000) for n in (900, 1000, 1001, 1249, 1250, 1500)]
    [(900, 900), (900, 900), (1000, 750), (1000, 750), (1250, 750), (1500, 750)]
    """
    if n <= largest:
        return n_fit, n_fit
    room = largest // 4
    first = max(n_fit, largest)
    return first + (n - first) // room * room, largest - room


def chosen(kernel: Kernel, noise_var: float, X: Floats, y: Floats, count: int) -> npt.NDArray[np.intp]:
    """Numbers, ascending, of the ``count`` results to keep: recent, best, and spread out.

    A quarter are the most recent, a few the best measured. Then the one farthest from all that were taken, in the
    kernel's own distance, until there are half. The rest are those of which the model of this half expects most: as it
    has not seen their values, their noise has no part in the choice, and lucky ones are not preferred.
    """
    taken = np.zeros(len(y), dtype=np.bool_)
    taken[len(y) - count // 4 :] = True
    taken[np.argsort(-y, kind="stable")[: 1 + count // 1000]] = True
    _spread(kernel, X, taken, count // 2)
    half, rest = np.flatnonzero(taken), np.flatnonzero(~taken)
    model = posterior(kernel, noise_var=noise_var, X=X[half], y=y[half])
    expected = np.concatenate([model.mean(X[rest[i : i + _BLOCK]]) for i in range(0, len(rest), _BLOCK)])
    taken[rest[np.argsort(-expected, kind="stable")[: count - len(half)]]] = True
    return np.flatnonzero(taken)


def _spread(kernel: Kernel, X: Floats, taken: npt.NDArray[np.bool_], count: int) -> None:
    """Take the point farthest from those taken, and so on until ``count`` are (Gonzalez 1985)."""
    gap = np.full(len(X), np.inf)  # squared distance to the nearest one taken
    for i in np.flatnonzero(taken).tolist():
        np.minimum(gap, kernel.squared_distance(X[i : i + 1], X)[0], out=gap)
    gap[taken] = -1.0
    for _ in range(count - np.count_nonzero(taken)):
        i = int(np.argmax(gap))
        np.minimum(gap, kernel.squared_distance(X[i : i + 1], X)[0], out=gap)
        gap[i], taken[i] = -1.0, True
