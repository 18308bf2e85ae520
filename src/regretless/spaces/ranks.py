"""Evenly spaced lattices in [0, 1]: rank k of 0..n has the code k / n.

The scalar and the array functions agree bit for bit, for every code. Up to n = 2**50 both compute ``rint(code * n)``
in float64, whose error is below 1/8 for an admissible code; beyond, both use exact integers.
"""

import numpy as np

from regretless.arrays import Floats

__all__ = ["moves_of", "nearest_rank", "nearest_ranks", "ranks_of_uniforms"]

_FLOAT_EXACT = 2**50
_FEW = 32


def nearest_rank(code: float, n: int) -> int:
    """The rank k in 0..n whose code k / n is nearest.

    >>> nearest_rank(1 / 3, 3), nearest_rank(-0.5, 3), nearest_rank((2**53 - 2) / (2**53 - 1), 2**53 - 1)
    (1, 0, 9007199254740990)
    """
    code = min(max(code, 0.0), 1.0)
    if n <= _FLOAT_EXACT:
        return round(code * n)
    numerator, denominator = code.as_integer_ratio()
    return (2 * numerator * n + denominator) // (2 * denominator)


def nearest_ranks(codes: Floats, n: int) -> Floats:
    """:func:`nearest_rank` over an array; ranks up to 2**53 are exact as floats."""
    if n <= _FLOAT_EXACT:
        return np.rint(np.clip(codes, 0.0, 1.0) * n)
    return np.array([nearest_rank(code, n) for code in codes.tolist()], dtype=np.float64)


def ranks_of_uniforms(uniforms: Floats, n: int) -> Floats:
    """Ranks 0..n, all equally likely for draws ~ U(0, 1): strata of the draws become strata of the ranks."""
    return np.minimum(np.floor(np.clip(uniforms, 0.0, 1.0) * (n + 1.0)), float(n))


def moves_of(rank: int, n: int) -> list[int]:
    """Other ranks to try: all where few, else those 1, 2, 4, ... steps away on both sides.

    >>> moves_of(1, 3)
    [0, 2, 3]
    >>> moves_of(100, 105)
    [36, 68, 84, 92, 96, 98, 99, 101, 102, 104]
    """
    if n <= _FEW:
        return [k for k in range(n + 1) if k != rank]
    steps = [2**j for j in range(n.bit_length())]
    return sorted(k for step in steps for k in (rank - step, rank + step) if 0 <= k <= n)
