"""Points of a polytope whose columns lie on lattices: an integer program."""

import numpy as np
import scipy

from regretless.arrays import Floats

__all__ = ["nearest_lattice_point"]

_NODES = 1000  # of one integer program at the most: not seconds, which would not be the same again


def nearest_lattice_point(
    P: tuple[Floats, Floats, Floats, Floats, Floats, Floats],
    target: Floats | None,
    spacing: Floats,
    levels: dict[int, Floats],
) -> Floats | None:
    """The point of {A w <= b, E w = k, low <= w <= high} with columns on their lattices nearest to ``target``, in L1.

    Without a target, one far from the faces. ``spacing`` is 0 for real columns, ``levels`` are lattices without even
    steps. None where there is none, or none was found within a thousand nodes.
    """
    A, b, E, k, low, high = P
    n = len(low)
    scale = np.where(spacing > 0.0, spacing, 1.0)
    n_levels = sum(map(len, levels.values()))
    # columns: w / scale, |w - target| or one common slack, one switch per level
    extra = n if target is not None else 1
    width = n + extra + n_levels
    rows: list[scipy.optimize.LinearConstraint] = []
    if len(b):
        M = np.zeros((len(b), width))
        M[:, :n] = A * scale
        if target is None:
            M[:, n] = np.linalg.norm(A, axis=1)
        rows.append(scipy.optimize.LinearConstraint(M, -np.inf, b))
    if len(k):
        M = np.zeros((len(k), width))
        M[:, :n] = E * scale
        rows.append(scipy.optimize.LinearConstraint(M, k, k))
    if target is not None:
        M = np.zeros((2 * n, width))
        M[:n, :n], M[n:, :n] = np.diag(scale), -np.diag(scale)
        M[:n, n : 2 * n] = M[n:, n : 2 * n] = -np.eye(n)
        rows.append(scipy.optimize.LinearConstraint(M, -np.inf, np.concatenate([target, -target])))
    at = n + extra
    for column, values in levels.items():
        M = np.zeros((2, width))
        M[0, column], M[0, at : at + len(values)] = -1.0, values
        M[1, at : at + len(values)] = 1.0
        rows.append(scipy.optimize.LinearConstraint(M, [0.0, 1.0], [0.0, 1.0]))
        at += len(values)
    cost = np.zeros(width)
    cost[n : n + extra] = 1.0 if target is not None else -1.0
    ends = np.ones(width)
    ends[:n], ends[n : n + extra] = high / scale, np.inf if target is not None else 1.0
    begins = np.zeros(width)
    begins[:n] = low / scale
    whole = np.zeros(width)
    whole[:n], whole[n + extra :] = spacing > 0.0, 1.0
    lattice = spacing > 0.0
    begins[:n] = np.where(lattice, np.ceil(begins[:n] - 1e-7), begins[:n])
    ends[:n] = np.where(lattice, np.floor(ends[:n] + 1e-7), ends[:n])
    if (begins > ends).any():
        return None
    found = scipy.optimize.milp(
        cost,
        integrality=whole,
        bounds=scipy.optimize.Bounds(begins, ends),
        constraints=rows,
        options={"node_limit": _NODES},
    )
    if found.x is None:
        return None
    w: Floats = np.where(lattice, np.rint(found.x[:n]), found.x[:n]) * scale
    for column, values in levels.items():
        w[column] = values[np.argmin(np.abs(values - w[column]))]
    return np.asarray(np.clip(w, low, high), dtype=np.float64)
