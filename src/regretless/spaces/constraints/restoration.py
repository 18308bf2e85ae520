r"""Points moved until they satisfy curved constraints: Newton steps in real columns, a scan of those on lattices.

A step solves the linearised constraints in turn, each by the shortest move
:math:`\Delta w = -g^+ \nabla g / \lVert \nabla g \rVert^2`, and returns to the polytope. It converges in a few rounds
even where a set is too thin for random search to hit. Where only lattices matter nothing can be linearised: one column
after the other takes the value at which the least is missed. Both are heuristics that end in local minima, so many
points start.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.constraints.atoms import Numeric
from regretless.spaces.constraints.pieces import Piece
from regretless.spaces.constraints.projections import projected

__all__ = ["restored"]

_ROUNDS = 30
_PASSES = 4
_DIFFERENCE = 1e-7  # for slopes, as a share of a column's width
_LONGEST = 0.3  # step in one round, likewise
_BEYOND = 1e-3  # share of what is missed that a step goes further
_SCANNED = 12  # points whose lattices are scanned
_VALUES = 160  # of a column that are tried in a scan

#: (m, a): by how much each constraint is missed in each row, negative where it holds.
Excess: TypeAlias = Callable[[Floats], Floats]


def restored(
    piece: Piece, W: Floats, fixed: Mapping[str, Any], names: list[str], rng: np.random.Generator
) -> Iterator[Floats]:
    """Successively better points, from the rows of ``W``; the caller checks whether some are feasible."""
    excess = _excess_of(piece, fixed, names)
    V = _on_lattices(piece, W)
    size = np.maximum(np.median(np.abs(excess(V)), axis=0), 1e-300)
    for _ in range(_PASSES):
        V = _newton(piece, V, excess)
        yield V
        lattices = np.flatnonzero(~piece.real)
        if not len(lattices):
            return
        best = np.argsort(_missed(piece, V, excess, size), kind="stable")[:_SCANNED]
        for row in best.tolist():
            V[row] = _scanned(piece, V[row], rng.permutation(lattices), excess, size, rng)
        yield _newton(piece, V[best], excess)


def _excess_of(piece: Piece, fixed: Mapping[str, Any], names: list[str]) -> Excess:
    atoms = [atom for atom in piece.rest if isinstance(atom, Numeric) and atom.op != "!="]

    def excess(V: Floats) -> Floats:
        values = {name: s.low + V[:, i] * s.width for i, (name, s) in enumerate(zip(names, piece.scales, strict=True))}
        columns = []
        for atom in atoms:
            over, tolerated = atom.excess({**fixed, **values})
            columns.append(np.broadcast_to(np.nan_to_num(over - tolerated, nan=1e300, posinf=1e300), len(V)))
        return np.stack(columns, axis=1)

    return excess


def _newton(piece: Piece, V: Floats, excess: Excess) -> Floats:
    """Rows after some rounds of steps in the real columns."""
    real = np.flatnonzero(piece.real)
    V = projected(piece.P, V, piece.real)
    for _ in range(_ROUNDS if len(real) else 0):
        over = excess(V)
        moving = np.flatnonzero((over > 0.0).any(axis=1))
        if not len(moving):
            break
        slopes = _slopes(V[moving], real, excess)
        V[np.ix_(moving, real)] += _step(over[moving], slopes)
        V[moving] = projected(piece.P, V[moving], piece.real)
    return V


def _step(over: Floats, slopes: Floats) -> Floats:
    """The moves (m, r) that solve the linearised constraints one after the other."""
    move = np.zeros((len(over), slopes.shape[2]))
    for a in np.argsort(-over.mean(axis=0), kind="stable").tolist():
        g = slopes[:, a]
        now = over[:, a] + np.einsum("ij,ij->i", g, move)
        length = np.einsum("ij,ij->i", g, g)
        usable = (now > 0.0) & (length > 0.0) & np.isfinite(length)
        share = np.where(usable, now * (1.0 + _BEYOND) / np.where(usable, length, 1.0), 0.0)
        move -= share[:, None] * np.where(usable[:, None], g, 0.0)
    longest = np.abs(move).max(axis=1, keepdims=True)
    limited: Floats = move * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
    return limited


def _slopes(V: Floats, real: npt.NDArray[np.intp], excess: Excess) -> Floats:
    """Derivatives (m, a, r) in the real columns, by central differences."""
    columns = []
    for j in real.tolist():
        ends = []
        for sign in (1.0, -1.0):
            shifted = V.copy()
            shifted[:, j] += sign * _DIFFERENCE
            ends.append(excess(shifted))
        columns.append((ends[0] - ends[1]) / (2.0 * _DIFFERENCE))
    slopes = np.stack(columns, axis=2)
    return np.where(np.abs(slopes) < 1e290, slopes, 0.0)  # where a formula has no value there is no slope


def _missed(piece: Piece, V: Floats, excess: Excess, size: Floats) -> Floats:
    """How much is missed in all, formulas in units of ``size`` and what is linear as it is."""
    P = piece.P
    linear = np.maximum(V @ P.A.T - P.b, 0.0).sum(axis=1) + np.abs(V @ P.E.T - P.k).sum(axis=1)
    total: Floats = np.maximum(excess(V) / size, 0.0).sum(axis=1) + linear
    return total


def _scanned(
    piece: Piece, w: Floats, columns: npt.NDArray[np.intp], excess: Excess, size: Floats, rng: np.random.Generator
) -> Floats:
    """The row with each of the columns in turn at the value at which the least is missed, real ones adjusted."""
    for j in columns.tolist():
        values = _values(piece, j, w[j], rng)
        trial = np.tile(w, (len(values), 1))
        trial[:, j] = values
        trial = projected(piece.P, np.vstack([w, trial]), piece.real)
        w = trial[int(_missed(piece, trial, excess, size).argmin())]
    return w


def _values(piece: Piece, j: int, now: float, rng: np.random.Generator) -> Floats:
    """Values of a column on a lattice; of very many those around the present one, and some others."""
    low, high, spacing = piece.P.low[j], piece.P.high[j], piece.spacing[j]
    if spacing > 0.0:
        values: Floats = spacing * np.arange(np.ceil(low / spacing - 1e-6), np.floor(high / spacing + 1e-6) + 1.0)
    else:
        levels = piece.levels[j]
        values = levels[(levels >= low - 1e-9) & (levels <= high + 1e-9)]
    if len(values) <= _VALUES:
        return values
    near = np.argsort(np.abs(values - now), kind="stable")[: _VALUES // 2]
    return np.unique(np.concatenate([values[near], rng.choice(values, _VALUES // 2, replace=False)]))


def _on_lattices(piece: Piece, W: Floats) -> Floats:
    V = W.copy()
    for j, scale in enumerate(piece.scales):
        if scale.spacing > 0.0:
            V[:, j] = scale.spacing * np.rint(V[:, j] / scale.spacing)
        elif scale.levels is not None:
            V[:, j] = scale.levels[np.abs(V[:, [j]] - scale.levels).argmin(axis=1)]
    return V
