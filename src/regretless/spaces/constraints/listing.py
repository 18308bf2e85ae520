"""All feasible points of a finite space, listed column by column, dropping what cannot be completed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.spaces.conditions import Activity

__all__ = ["listed_codes"]


def listed_codes(
    parts: Sequence[Any],
    activity: Activity,
    rows: Sequence[tuple[Floats, float, float]],
    ends: tuple[Floats, Floats],
    values: Sequence[Floats | None],
    limit: int,
) -> Floats | None:
    """(m, dim) codes, the last column running fastest; None where more than ``limit`` have to be looked at.

    ``rows`` are linear constraints (a, least, most) on numbers, least <= a v <= most, that always hold; ``values`` are
    the numbers of each column in the order of its codes, None where it has none; ``ends`` are the smallest and the
    largest. A beginning is dropped where no completion reaches from least to most.
    """
    dim = len(parts)
    order = _parents_first(activity, dim)
    low, high = ends
    X = np.array(activity.frozen)[None, :]
    sums = [np.zeros(1) for _ in rows]
    for place, j in enumerate(order):
        part = parts[j]
        if part.size is None or part.size > limit or len(X) * part.size > limit:
            return None
        codes = np.array([part.encode(value) for value in part.values()])
        active = activity.at(X)[:, j]
        count = np.where(active, len(codes), 1)
        owner = np.repeat(np.arange(len(X)), count)
        first = np.concatenate([[0], np.cumsum(count)[:-1]])
        rank = np.arange(len(owner)) - first[owner]
        X = X[owner]
        X[:, j] = np.where(active[owner], codes[rank], activity.frozen[j])
        keep = np.ones(len(X), dtype=np.bool_)
        later = list(order[place + 1 :])
        for i, (a, least, most) in enumerate(rows):
            sums[i] = sums[i][owner]
            numbers = values[j]
            if a[j] != 0.0 and numbers is not None:
                sums[i] = sums[i] + a[j] * numbers[rank]
            down, up = np.minimum(a * low, a * high)[later].sum(), np.maximum(a * low, a * high)[later].sum()
            keep &= (sums[i] + down <= most) & (sums[i] + up >= least)
        X, sums = X[keep], [s[keep] for s in sums]
    return X[np.lexsort(X.T[::-1])]


def _parents_first(activity: Activity, dim: int) -> list[int]:
    """The columns in order, conditional ones behind the others, each behind those it depends on."""
    conditional = [column for column, _ in activity.rules]
    return [j for j in range(dim) if j not in conditional] + conditional
