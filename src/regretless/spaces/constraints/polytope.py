r"""Polytopes :math:`\{w : A w \le b,\; E w = k,\; low \le w \le high\}` in a cube: centre, random points, projections.

Directions inside are the null space of E. Random points come from hit-and-run [Smith1984]_: a random direction, then a
uniform point of the chord. Nothing here knows what the columns mean.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.linalg import null_space
from scipy.optimize import Bounds, LinearConstraint, milp

from regretless.arrays import Floats

__all__ = [
    "Polytope",
    "hit_and_run",
    "n_walkers",
    "nearest_lattice_point",
    "polytope",
    "projected",
    "pulled",
    "stepped",
    "tightened",
]

_FLAT = 1e-8  # an inequality that has no more room than this, as the solver of linear programs sees it, is an equality
_WALKERS = (64, 256)  # at the least, so that they can learn the shape from each other, and at the most
_NODES = 1000  # of one integer program at the most: not seconds, which would not be the same again

Bools = npt.NDArray[np.bool_]


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


def hit_and_run(
    P: Polytope,
    m: int,
    rng: np.random.Generator,
    *,
    starts: Floats | None = None,
    inside: Callable[[Floats, npt.NDArray[np.intp]], Bools] | None = None,
) -> Floats:
    """M points ~ U(P), nearly; or of the part of P where ``inside(W, walkers)`` holds, from ``starts`` there.

    Some walkers move in step; after a burn-in each is noted every 2 dim moves, so that point i is of walker i modulo
    their number, `n_walkers`. Every other move goes along the difference of two walkers of the other half, which
    stretches with the polytope. A point that is not inside shrinks the chord towards the walker (slice sampling).
    """
    n = n_walkers(m)
    begin = P.centre[None, :] if starts is None else starts
    W = begin[np.arange(n) % len(begin)].copy()
    dimension = P.basis.shape[1]
    if dimension == 0:
        return W[np.arange(m) % n]
    G, h = P.G, P.h
    half = np.arange(n) % 2 == 0
    back = np.linalg.pinv(P.E).T if len(P.k) else None
    noted: list[Floats] = []
    burn_in, thinning = 30 + 10 * dimension, 2 * dimension
    for step in range(burn_in + thinning * ((m - 1) // n)):
        D = rng.standard_normal((n, dimension)) @ P.basis.T
        if step % 2 and step > 10:
            movers = half if step % 4 == 1 else ~half
            pair = rng.choice(np.flatnonzero(~movers), (n, 2))
            stretch = W[pair[:, 0]] - W[pair[:, 1]]
            use = movers & (np.abs(stretch).max(axis=1) > 1e-9)
            D[use] = stretch[use]
        first, last = _chord(G, h, W, D)
        if inside is None:
            W = W + (first + rng.random(n) * (last - first))[:, None] * D
        else:
            W = _shrunk(W, D, first, last, inside, rng)
        W = np.clip(W, P.low, P.high)
        if step + 1 >= burn_in and (step + 1 - burn_in) % thinning == 0:
            if back is not None:  # rounding errors of many moves
                W = np.clip(W - (W @ P.E.T - P.k) @ back, P.low, P.high)
            noted.append(W)
    return np.vstack(noted)[:m]


def n_walkers(m: int) -> int:
    """How many walkers m points come from."""
    return min(max(m, _WALKERS[0]), _WALKERS[1])


def projected(P: Polytope, W: Floats, free: Bools, rounds: int = 60) -> Floats:
    """Points moved onto the polytope in their free columns: onto the equalities, then off the face most violated."""
    W = W.copy()
    if not free.any():
        return W
    A, E = P.A * free, P.E * free
    lengths = np.einsum("ij,ij->i", A, A)
    usable = lengths > 1e-24
    back = np.linalg.pinv(E).T if len(P.k) else None
    rows = np.arange(len(W))
    for _ in range(rounds):
        V = W[rows]
        V = np.where(free, np.clip(V, P.low, P.high), V)
        if back is not None:
            V = V - (V @ P.E.T - P.k) @ back
        over = V @ P.A.T - P.b
        if usable.any():
            share = np.where(usable, over / np.where(usable, np.sqrt(lengths), 1.0), -np.inf)
            worst = np.argmax(share, axis=1)
            gap = np.maximum(over[np.arange(len(V)), worst], 0.0)
            V = V - (gap / np.where(usable, lengths, 1.0)[worst])[:, None] * A[worst]
        W[rows] = V
        bad = ~_within(P, V, 1e-13)
        rows = rows[bad]
        if not len(rows):
            break
    return W


def pulled(P: Polytope, W: Floats) -> Floats:
    """Points on the equalities, pulled straight towards the centre until they are inside: the ratio test."""
    if len(P.k):
        W = W - (W @ P.E.T - P.k) @ np.linalg.pinv(P.E).T
    D = W - P.centre
    rate = D @ P.G.T
    room = np.maximum(P.h - P.G @ P.centre, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(rate > 1e-15, room / rate, np.inf)
    inside: Floats = P.centre + np.clip(share.min(axis=1), 0.0, 1.0)[:, None] * D
    return inside


def stepped(P: Polytope, spacing: Floats, W: Floats) -> Floats:
    """Columns on even lattices moved step by step, each time the one step that lowers what is missed most."""
    lattice = np.flatnonzero((spacing > 0.0) & (P.high > P.low))
    if not len(lattice):
        return W
    moves = np.zeros((2 * len(lattice), len(spacing)))
    moves[np.arange(len(lattice)), lattice] = spacing[lattice]
    moves[len(lattice) + np.arange(len(lattice)), lattice] = -spacing[lattice]
    W = W.copy()
    for _ in range(4 * len(spacing) + 8):
        trial = W[:, None, :] + moves
        outside = (trial < P.low - 1e-9).any(axis=2) | (trial > P.high + 1e-9).any(axis=2)
        missed = np.maximum(trial @ P.A.T - P.b, 0.0).sum(axis=2) + np.abs(trial @ P.E.T - P.k).sum(axis=2)
        missed[outside] = np.inf
        now = np.maximum(W @ P.A.T - P.b, 0.0).sum(axis=1) + np.abs(W @ P.E.T - P.k).sum(axis=1)
        best = np.argmin(missed, axis=1)
        better = missed[np.arange(len(W)), best] < now - 1e-12
        if not better.any():
            break
        W[better] = trial[better, best[better]]
    return W


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
    rows: list[LinearConstraint] = []
    if len(b):
        M = np.zeros((len(b), width))
        M[:, :n] = A * scale
        if target is None:
            M[:, n] = np.linalg.norm(A, axis=1)
        rows.append(LinearConstraint(M, -np.inf, b))
    if len(k):
        M = np.zeros((len(k), width))
        M[:, :n] = E * scale
        rows.append(LinearConstraint(M, k, k))
    if target is not None:
        M = np.zeros((2 * n, width))
        M[:n, :n], M[n:, :n] = np.diag(scale), -np.diag(scale)
        M[:n, n : 2 * n] = M[n:, n : 2 * n] = -np.eye(n)
        rows.append(LinearConstraint(M, -np.inf, np.concatenate([target, -target])))
    at = n + extra
    for column, values in levels.items():
        M = np.zeros((2, width))
        M[0, column], M[0, at : at + len(values)] = -1.0, values
        M[1, at : at + len(values)] = 1.0
        rows.append(LinearConstraint(M, [0.0, 1.0], [0.0, 1.0]))
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
    found = milp(cost, integrality=whole, bounds=Bounds(begins, ends), constraints=rows, options={"node_limit": _NODES})
    if found.x is None:
        return None
    w: Floats = np.where(lattice, np.rint(found.x[:n]), found.x[:n]) * scale
    for column, values in levels.items():
        w[column] = values[np.argmin(np.abs(values - w[column]))]
    return np.asarray(np.clip(w, low, high), dtype=np.float64)


def _directions(E: Floats, fixed: Bools) -> Floats:
    """An orthonormal basis of {d : E d = 0, d_fixed = 0}."""
    free = np.flatnonzero(~fixed)
    basis = np.zeros((len(fixed), 0))
    if len(free):
        inner = null_space(E[:, free], rcond=1e-10) if len(E) else np.eye(len(free))
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
        LinearConstraint(np.column_stack([eye, free]), -np.inf, high),
        LinearConstraint(np.column_stack([eye, -free]), low, np.inf),
    ]
    if len(b):
        rows.append(LinearConstraint(np.column_stack([A, reach]), -np.inf, b))
    if len(k):
        rows.append(LinearConstraint(np.column_stack([E, np.zeros(len(k))]), k, k))
    cost = np.zeros(n + 1)
    cost[n] = -1.0
    found = milp(cost, bounds=Bounds(np.append(low, 0.0), np.append(high, 1.0)), constraints=rows)
    return None if found.x is None else (found.x[:n], float(found.x[n]))


def _flattened(
    A: Floats, b: Floats, E: Floats, k: Floats, low: Floats, high: Floats, basis: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, bool]:
    """The inequalities that cannot have room turned into equalities, and whether there were any."""
    bounds = Bounds(low, high)
    rows = [LinearConstraint(M, lows, highs) for M, lows, highs in ((A, -np.inf, b), (E, k, k)) if len(highs)]

    def least(direction: Floats) -> float:
        found = milp(direction, bounds=bounds, constraints=rows)
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


def _chord(G: Floats, h: Floats, W: Floats, D: Floats) -> tuple[Floats, Floats]:
    """First and last t with G (w + t d) <= h, for each row."""
    rate = D @ G.T
    room = np.maximum(h - W @ G.T, 0.0)
    small = 1e-12 * np.abs(D).max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = room / rate
    last = np.where(rate > small, t, np.inf).min(axis=1)
    first = np.where(rate < -small, t, -np.inf).max(axis=1)
    still = ~(np.isfinite(first) & np.isfinite(last))
    return np.where(still, 0.0, first), np.where(still, 0.0, last)


def _shrunk(
    W: Floats,
    D: Floats,
    first: Floats,
    last: Floats,
    inside: Callable[[Floats, npt.NDArray[np.intp]], Bools],
    rng: np.random.Generator,
) -> Floats:
    """A uniform point of each chord that is inside, by shrinking the chord towards the walker at every miss."""
    W = W.copy()
    rows = np.arange(len(W))
    for _ in range(20):
        t = first[rows] + rng.random(len(rows)) * (last[rows] - first[rows])
        trial = W[rows] + t[:, None] * D[rows]
        ok = inside(trial, rows)
        W[rows[ok]] = trial[ok]
        first[rows] = np.where(~ok & (t < 0.0), t, first[rows])
        last[rows] = np.where(~ok & (t >= 0.0), t, last[rows])
        rows = rows[~ok]
        if not len(rows):
            break
    return W


def _within(P: Polytope, W: Floats, slack: float) -> Bools:
    inside = (P.low - slack <= W).all(axis=1) & (P.high + slack >= W).all(axis=1)
    inside &= (P.b + slack >= W @ P.A.T).all(axis=1)
    inside &= (np.abs(W @ P.E.T - P.k) <= 1e-12).all(axis=1)
    return np.asarray(inside, dtype=np.bool_)
