r"""The expected maximum of any function of the unknowns, from draws of its value at each candidate.

For every level u, whatever the joint law,

.. math:: E \max_x F(x) \le u + \sum_x E\,(F(x) - u)^+

Only the law of F(x) at each candidate enters, not how candidates hang together. The right-hand side is estimated from
draws, so the bound is simulated: it has a standard error.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats

__all__ = ["SimulatedBound", "simulated_tail_sum"]

#: Levels u among which the best is taken.
_LEVELS = 48


@dataclass(frozen=True, slots=True)
class SimulatedBound:
    """An upper bound on the expected maximum, estimated, and the standard error of the estimate."""

    value: float
    error: float
    level: float  # u


def simulated_tail_sum(
    blocks: Callable[[], Iterable[Floats]], groups: int, *, around: float, below: float, above: float
) -> SimulatedBound:
    r"""The least :math:`u + \sum_x E (F(x) - u)^+` over levels u close to ``around``, down and up to two others.

    Parameters
    ----------
    blocks
        Gives, each time it is called, the values of F block by block: candidates in rows, draws in columns.
    groups
        Into so many independent groups the draws fall, one after the other, for the standard error.
    around, below, above
        Where the best level may lie: near the largest mean, some sds below it, and below the largest value. Any level
        is valid; close to ``around`` they are dense.

    Examples
    --------
    >>> z = np.random.default_rng(0).standard_normal((5, 40_000))
    >>> found = simulated_tail_sum(lambda: [z], 8, around=0.0, below=-3.0, above=4.0)
    >>> 1.163 < found.value < 1.5  # the expected maximum of five is 1.163
    True
    """
    steps = np.geomspace(1e-4, 1.0, _LEVELS // 2)
    down, up = max(around - below, 0.0), max(above - around, 0.0)
    levels = np.unique(np.concatenate([around - down * steps, [around], around + up * steps]))
    sums: Floats | None = None
    for F in blocks():
        parts = np.array_split(F, groups, axis=1)
        excess = np.array([[np.maximum(part - u, 0.0).mean(axis=1).sum() for part in parts] for u in levels])
        sums = excess if sums is None else sums + excess
    assert sums is not None
    totals = levels[:, None] + sums  # (levels, groups)
    best = int(totals.mean(axis=1).argmin())
    error = float(totals[best].std(ddof=1)) / math.sqrt(groups) if groups > 1 else 0.0
    return SimulatedBound(float(totals[best].mean()), error, float(levels[best]))
