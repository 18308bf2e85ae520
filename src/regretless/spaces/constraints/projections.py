"""Points moved onto a polytope: across its faces, straight towards its centre, or step by step on a lattice."""

import numpy as np

from regretless.arrays import Floats
from regretless.spaces.constraints.polytope import Bools, Polytope

__all__ = ["projected", "pulled", "stepped"]


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


def _within(P: Polytope, W: Floats, slack: float) -> Bools:
    inside = (P.low - slack <= W).all(axis=1) & (P.high + slack >= W).all(axis=1)
    inside &= (P.b + slack >= W @ P.A.T).all(axis=1)
    inside &= (np.abs(W @ P.E.T - P.k) <= 1e-12).all(axis=1)
    return np.asarray(inside, dtype=np.bool_)
