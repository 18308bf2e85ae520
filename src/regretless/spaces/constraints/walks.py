"""Random points of a polytope by hit-and-run [Smith1984]_: a random direction, then a uniform point of the chord."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.constraints.polytope import Bools, Polytope

__all__ = ["hit_and_run", "n_walkers"]

_WALKERS = (64, 256)  # at the least, so that they can learn the shape from each other, and at the most


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
