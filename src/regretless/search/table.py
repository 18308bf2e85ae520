"""Argmax of a score over a table: a scan."""

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats

__all__ = ["search_table"]


def search_table(values: Floats, open_: npt.NDArray[np.bool_]) -> int | None:
    """Index of the largest finite value among the open candidates, the first of equals; None if there is none.

    >>> search_table(np.array([3.0, 9.0, 7.0]), np.array([True, False, True]))
    2
    """
    masked = np.where(open_, values, -np.inf)
    best = int(np.argmax(masked))
    if not np.isfinite(masked[best]):  # NaN and infinity come out on top: only then they have to be looked for
        masked[~np.isfinite(masked)] = -np.inf
        best = int(np.argmax(masked))
    return best if masked[best] > -np.inf else None
