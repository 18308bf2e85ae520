r"""Bounds on scores where moments are out of date.

Let mean and sd be a row's moments when it was last brought up to date, and u the innovations (the new entries of
L^-1 y) since. The updates v satisfy :math:`\sum v_j^2 = \sigma^2 - \sigma_{now}^2` and
:math:`\mu_{now} = \mu + v^\top u`, so by Cauchy and Schwarz, for every root c >= 0,

.. math:: \mu_{now} + c\, \sigma_{now} \le \mu + \|u\| \sqrt{\sigma^2 - \sigma_{now}^2} + c\, \sigma_{now}
          \le \mu + \sigma \sqrt{c^2 + \|u\|^2}

whatever the kernel and the dimension. It also holds where sd is only an upper bound of the standard deviation then.

The rows of a block need not be out of date alike. With s_i the sum of u^2 that row i lacks, the envelope
:math:`g(c) = \max_i \mu_i + \sigma_i \sqrt{c^2 + s_i}` is convex in c and does not fall, and innovations u that all
rows lack besides carry it to :math:`g(\sqrt{c^2 + \|u\|^2})`: the same bound.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats

__all__ = ["GRID", "Envelopes", "envelope"]

#: Roots c for which a block keeps the largest mean + c sd of its rows. The maximum of lines is convex in c, so that
#: between two of them the chord is an upper bound.
GRID = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 12.0, 20.0])


@dataclass(frozen=True, slots=True)
class Envelopes:
    """For each block g(c) on the `GRID` of c, its largest sd, and the rounding to allow for."""

    values: Floats  # (blocks, len(GRID))
    steepest: Floats  # (blocks,)
    of_mean: float
    of_sd: float

    def on_grid(self) -> Floats:
        """The values with rounding allowed for, (blocks, len(GRID))."""
        return self.values + (self.of_mean + GRID * self.of_sd)

    def at(self, c: Floats) -> Floats:
        """An upper bound of ``mean + c sd`` in each block, for a c of its own."""
        k = np.clip(np.searchsorted(GRID, c, side="right") - 1, 0, len(GRID) - 2)
        share = np.minimum((c - GRID[k]) / (GRID[k + 1] - GRID[k]), 1.0)
        block = np.arange(len(self.values))
        bound: Floats = (1.0 - share) * self.values[block, k] + share * self.values[block, k + 1]
        bound += np.maximum(c - GRID[-1], 0.0) * self.steepest
        bound += self.of_mean + c * self.of_sd
        return bound


def envelope(mean: npt.NDArray[Any], sd: npt.NDArray[Any], growth: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(blocks, len(GRID) + 1): g(c) of each block of rows, (blocks, rows), and its largest sd.

    In single precision too; what that rounds off is added.

    >>> envelope(np.array([[0.0, 1.0]]), np.array([[2.0, 1.0]]), np.zeros((1, 2)))[0, [0, 4, 6, -1]].round(6).tolist()
    [1.0, 2.0, 4.0, 2.0]
    """
    found = np.empty((len(mean), len(GRID) + 1), dtype=mean.dtype)
    line = np.empty_like(mean)
    for k, square in enumerate((GRID * GRID).tolist()):
        np.add(growth, square, out=line)
        np.sqrt(line, out=line)
        line *= sd
        line += mean
        np.max(line, axis=1, out=found[:, k])
    np.max(sd, axis=1, out=found[:, -1])
    largest = np.abs(np.where(sd > 0.0, mean, 0.0)).max(axis=1) + found[:, -1] * (
        GRID[-1] + np.sqrt(growth.max(axis=1))
    )
    found += (4.0 * np.finfo(mean.dtype).eps * largest)[:, None]
    return found
