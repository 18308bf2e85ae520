"""The feasible region of a product space: membership, repair, and random points.

Everything rests on membership of what is decoded. Linear constraints make polytopes, in which points are drawn and to
which points are moved.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.conditions import Activity
from regretless.spaces.constraints.constraint import Constraint, bind
from regretless.spaces.constraints.faces import Faces, faces_around
from regretless.spaces.constraints.membership import Bools
from regretless.spaces.constraints.pieces import Piece
from regretless.spaces.constraints.repair import Repaired
from regretless.spaces.constraints.scales import kinds_of
from regretless.spaces.constraints.walks import hit_and_run, n_walkers
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.mixture import Mixture

__all__ = ["Region"]

#: Pieces that a sample is drawn from, at the most.
_PIECES = 200


class Region(Repaired):
    """A product of parameters restricted by conditions, mixtures and constraints."""

    def __init__(
        self,
        parts: Mapping[str, Any],
        columns: Sequence[str],
        activity: Activity,
        constraints: Sequence[Constraint],
        mixtures: Mapping[str, Mixture],
    ) -> None:
        kinds = kinds_of(parts)
        bounds = [bind(constraint, kinds) for constraint in constraints]
        super().__init__(parts, columns, activity, bounds, list(mixtures.values()))
        self.prove_not_empty()

    def sample(self, m: int, rng: np.random.Generator) -> Floats:
        """M random feasible points: those of a Latin hypercube, the others by hit-and-run in random pieces."""
        X = latin_hypercube(m, len(self.columns), rng)
        for j, part in enumerate(self.varying):
            X[:, j] = part.spread(X[:, j])
        X = self.activity.settled(X)
        if not self.limited:
            return X
        outside = np.flatnonzero(~self.holds(X))
        if not len(outside):
            return X
        if self.listing is not None:
            X[outside] = self.listing[
                rng.choice(len(self.listing), len(outside), replace=len(outside) > len(self.listing))
            ]
            return X
        for piece, rows in self._assigned(X, outside, rng):
            X[rows] = self._walked(piece, X[rows], rng)
        return self.mended(self.activity.settled(X))

    def _assigned(
        self, X: Floats, rows: npt.NDArray[np.intp], rng: np.random.Generator
    ) -> list[tuple[Piece, npt.NDArray[np.intp]]]:
        """A random piece that is not empty for each row, of its own cell if that has one; switches are set to it."""
        cells = self.pieces.cells()
        switches = list(self.pieces.switches)
        by_cell = {cell[switches].tobytes(): i for i, cell in enumerate(cells)}
        choice = np.array([by_cell.get(X[row][switches].tobytes(), -1) for row in rows])
        choice[choice < 0] = rng.integers(len(cells), size=int((choice < 0).sum()))
        made: dict[int, list[Piece]] = {}
        groups: dict[int, tuple[Piece, list[int]]] = {}
        for row, cell in zip(rows.tolist(), choice.tolist(), strict=True):
            if cell not in made:
                found = (self.pieces.piece(key) for key in self.pieces.keys(cells[cell], rng))
                room = max(_PIECES - sum(map(len, made.values())), 1)
                made[cell] = [piece for _, piece in zip(range(room), found, strict=False) if piece is not None]
            if not made[cell]:  # empty after all
                others = [c for c in made if made[c]]
                if not others:
                    continue
                cell = others[int(rng.integers(len(others)))]
            piece = made[cell][int(rng.integers(len(made[cell])))]
            X[row, switches] = cells[cell][switches]
            groups.setdefault(id(piece), (piece, []))[1].append(row)
        return [(piece, np.array(some)) for piece, some in groups.values()]

    def _walked(self, piece: Piece, X: Floats, rng: np.random.Generator) -> Floats:
        """Rows with the columns of a piece redrawn inside it."""
        X = self.activity.settled(X)
        if not len(piece.columns):
            return X
        if not piece.rest:
            W = hit_and_run(piece.P, len(X), rng)
            return piece.put(X, _refreshed(piece, W, rng))
        many = X[np.arange(4 * len(X)) % len(X)]
        W = _refreshed(piece, hit_and_run(piece.P, len(many), rng), rng)
        trial = piece.put(many, W)
        good = np.flatnonzero(self.holds(trial))
        if len(good) >= len(X):
            return trial[good[: len(X)]]
        if not len(good):
            return trial[: len(X)]
        walkers = trial[good[np.arange(n_walkers(len(X))) % len(good)]]

        def inside(V: Floats, which: npt.NDArray[np.intp]) -> Bools:
            return self.holds(piece.put(walkers[which], V))

        W = hit_and_run(piece.P, len(X), rng, starts=piece.w(walkers), inside=inside)
        return piece.put(walkers[np.arange(len(X)) % len(walkers)], W)

    def swaps(self, X: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
        """Where a mixture may leave components out: each point with one that is present replaced by one that is not.

        Numbers of the points they come from, and codes that still have to be mended.
        """
        owner: list[int] = []
        trials: list[Floats] = []
        for mixture in self.mixtures:
            if mixture.at_most is None:
                continue
            columns = [self._at[name] for name in mixture.names if name in self._at]
            amounts = [self.values(X)[self.columns[j]] for j in columns]
            for i in range(len(X)):
                for a, amount in zip(columns, amounts, strict=True):
                    for b in columns if amount[i] > 0.0 else ():
                        scale = self.scales[b]
                        if scale is not None and X[i, b] == 0.0:
                            trial = X[i].copy()
                            trial[a], trial[b] = 0.0, min(amount[i] / scale.width, 1.0)
                            owner.append(i)
                            trials.append(trial)
        return np.array(owner, dtype=np.intp), np.array(trials).reshape(len(trials), X.shape[1])

    def faces(self, X: Floats) -> Faces:
        """The linear faces around feasible points."""
        return faces_around(self, X)


def _refreshed(piece: Piece, W: Floats, rng: np.random.Generator) -> Floats:
    """Columns on a log scale drawn once more, evenly in their codes, given all others."""
    P = piece.P
    for i, scale in enumerate(piece.scales):
        if scale.straight or not scale.real or (np.abs(P.E[:, i]) > 0.0).any() or P.high[i] <= P.low[i]:
            continue
        room, rate = P.b - W @ P.A.T + W[:, i, None] * P.A[:, i], P.A[:, i]
        with np.errstate(divide="ignore", invalid="ignore"):
            end = room / rate
        last = np.minimum(np.where(rate > 1e-12, end, np.inf).min(axis=1, initial=np.inf), P.high[i])
        first = np.maximum(np.where(rate < -1e-12, end, -np.inf).max(axis=1, initial=-np.inf), P.low[i])
        begin, finish = scale.codes(np.minimum(first, W[:, i])), scale.codes(np.maximum(last, W[:, i]))
        W[:, i] = np.clip(scale.w(begin + rng.random(len(W)) * (finish - begin)), P.low[i], P.high[i])
    return W
