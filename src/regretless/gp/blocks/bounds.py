r"""Bounds on scores where moments are out of date.

Let mean and sd be a row's moments when it was last brought up to date, and u the innovations (the new entries of
L^-1 y) since. The updates v satisfy :math:`\sum v_j^2 = \sigma^2 - \sigma_{now}^2` and
:math:`\mu_{now} = \mu + v^\top u`, so by Cauchy and Schwarz, for every root c >= 0,

.. math:: \mu_{now} + c\, \sigma_{now} \le \mu + \|u\| \sqrt{\sigma^2 - \sigma_{now}^2} + c\, \sigma_{now}
          \le \mu + \sigma \sqrt{c^2 + \|u\|^2}

whatever the kernel and the dimension. It also holds where sd is only an upper bound of the standard deviation then.
"""

from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats

__all__ = ["GRID", "Envelopes", "envelope"]

#: Roots c for which a block keeps the largest mean + c sd of its rows. The maximum of lines is convex in c, so that
#: between two of them the chord is an upper bound.
GRID = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 12.0, 20.0])


@dataclass(frozen=True, slots=True)
class Envelopes:
    """For each block the largest ``mean + c sd`` on the `GRID` of c, its largest sd, and the rounding to allow for."""

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


def envelope(mean: Floats, sd: Floats) -> Floats:
    """(blocks, len(GRID) + 1): the largest ``mean + c sd`` in each block of rows, (blocks, rows), and its largest sd.

    >>> envelope(np.array([[0.0, 1.0]]), np.array([[2.0, 1.0]]))[0, [0, 4, 6, -1]].tolist()
    [1.0, 2.0, 4.0, 2.0]
    """
    found = np.empty((len(mean), len(GRID) + 1))
    line = np.empty_like(mean)
    for k, c in enumerate(GRID.tolist()):
        np.multiply(sd, c, out=line)
        line += mean
        np.max(line, axis=1, out=found[:, k])
    np.max(sd, axis=1, out=found[:, -1])
    return found
