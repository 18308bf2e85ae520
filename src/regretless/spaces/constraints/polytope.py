r"""Polytopes :math:`\{w : A w \le b,\; E w = k,\; low \le w \le high\}` in a cube, each with its centre.

Directions inside are the null space of E. Nothing here knows what the columns mean.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from regretless.arrays import Floats

__all__ = ["Bools", "Polytope", "polytope", "tightened"]

_FLAT = 1e-8  # an inequality that has no more room than this, as the solver of linear programs sees it, is an equality

Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """A polytope with a point inside; ``G w <= h`` are all its inequalities, bounds included.

    ``centre`` is as far as possible from all faces (Chebyshev), within the affine hull that ``basis`` spans.
    """

    A: Floats
    b: Floats
    E: Floats
    k: Floats
    low: Floats
    high: Floats
    centre: Floats
    basis: Floats  # (n, dimension), orthonormal columns

    @property
    def G(self) -> Floats:
        """Normals of all faces."""
        eye = np.eye(len(self.low))
        return np.vstack([self.A, eye, -eye])

    @property
    def h(self) -> Floats:
        """Offsets of all faces."""
        return np.concatenate([self.b, self.high, -self.low])


def polytope(A: Floats, b: Floats, E: Floats, k: Floats, low: Floats, high: Floats) -> Polytope | None:
    """The polytope with its centre, or None where it is empty. Inequalities without room become equalities."""
    for _ in range(len(b) + 2 * len(low) + 1):
        fixed = high - low <= 0.0
        if (low > high + 1e-12).any():
            return None
        low = np.minimum(low, high)
        basis = _directions(E, fixed)
        found = _chebyshev(A, b, E, k, low, high, basis)
        if found is None:
            return None
        centre, radius = found
        if radius > _FLAT or basis.shape[1] == 0:
            return Polytope(A, b, E, k, low, high, _polished(centre, E, k, low, high), basis)
        A, b, E, k, low, high, changed = _flattened(A, b, E, k, low, high, basis)
        if not changed:
            return Polytope(A, b, E, k, low, high, _polished(centre, E, k, low, high), basis)
    return None  # pragma: no cover - every round turns an inequality into an equality


def tightened(P: Polytope, margin: Floats) -> Polytope:
    """The polytope with its inequalities ``margin`` narrower, where there is room: rounding then stays inside."""
    room = P.b - P.A @ P.centre
    return replace(P, b=np.where(room > 100.0 * margin, P.b - margin, P.b))


def _directions(E: Floats, fixed: Bools) -> Floats:
    """An orthonormal basis of {d : E d = 0, d_fixed = 0}."""
    free = np.flatnonzero(~fixed)
    basis = np.zeros((len(fixed), 0))
    if len(free):
        inner = scipy.linalg.null_space(E[:, free], rcond=1e-10) if len(E) else np.eye(len(free))
        basis = np.zeros((len(fixed), inner.shape[1]))
        basis[free] = inner
    return basis


def _chebyshev(
    A: Floats, b: Floats, E: Floats, k: Floats, low: Floats, high: Floats, basis: Floats
) -> tuple[Floats, float] | None:
    """The centre of the largest ball of the affine hull inside, and its radius: a linear program."""
    n = len(low)
    reach = np.linalg.norm(A @ basis, axis=1) if len(b) else np.empty(0)
    free = np.linalg.norm(basis, axis=1)
    free[free < 1e-12] = 0.0
    eye = np.eye(n)
    rows = [
        scipy.optimize.LinearConstraint(np.column_stack([eye, free]), -np.inf, high),
        scipy.optimize.LinearConstraint(np.column_stack([eye, -free]), low, np.inf),
    ]
    if len(b):
        rows.append(scipy.optimize.LinearConstraint(np.column_stack([A, reach]), -np.inf, b))
    if len(k):
        rows.append(scipy.optimize.LinearConstraint(np.column_stack([E, np.zeros(len(k))]), k, k))
    cost = np.zeros(n + 1)
    cost[n] = -1.0
    found = scipy.optimize.milp(
        cost, bounds=scipy.optimize.Bounds(np.append(low, 0.0), np.append(high, 1.0)), constraints=rows
    )
    return None if found.x is None else (found.x[:n], float(found.x[n]))


def _flattened(
    A: Floats, b: Floats, E: Floats, k: Floats, low: Floats, high: Floats, basis: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, bool]:
    """The inequalities that cannot have room turned into equalities, and whether there were any."""
    bounds = scipy.optimize.Bounds(low, high)
    rows = [
        scipy.optimize.LinearConstraint(M, lows, highs) for M, lows, highs in ((A, -np.inf, b), (E, k, k)) if len(highs)
    ]

    def least(direction: Floats) -> float:
        found = scipy.optimize.milp(direction, bounds=bounds, constraints=rows)
        return float(found.fun) if found.x is not None else -np.inf

    moving = np.linalg.norm(A @ basis, axis=1) > 1e-12 if len(b) else np.zeros(0, dtype=np.bool_)
    tight = np.array([bool(m) and least(a) > c - _FLAT for a, c, m in zip(A, b, moving, strict=True)], dtype=np.bool_)
    low, high, eye = low.copy(), high.copy(), np.eye(len(low))
    changed = bool(tight.any())
    for j in np.flatnonzero((high > low) & (np.linalg.norm(basis, axis=1) > 1e-12)):
        smallest, largest = least(eye[j]), -least(-eye[j])
        if largest - smallest <= _FLAT:
            low[j] = high[j] = min(max(0.5 * (smallest + largest), low[j]), high[j])
            for end in (bounds.lb[j], bounds.ub[j]):
                if abs(low[j] - end) <= _FLAT:
                    low[j] = high[j] = end
            changed = True
    E, k = np.vstack([E, A[tight]]), np.concatenate([k, b[tight]])
    return A[~tight], b[~tight], E, k, low, high, changed


def _polished(w: Floats, E: Floats, k: Floats, low: Floats, high: Floats) -> Floats:
    """The point exactly on the equalities; the solver is content with 1e-7."""
    free = (high > low).astype(np.float64)
    for _ in range(3):
        w = np.clip(w, low, high)
        if len(k):
            w = w - np.linalg.pinv(E * free) @ (E @ w - k)
    return w
