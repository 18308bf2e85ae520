"""Repair of infeasible points: by ever more costly methods, at last by a known feasible point."""

from decimal import Decimal

import numpy as np

from regretless.arrays import Floats
from regretless.spaces.constraints.anchors import Anchored
from regretless.spaces.constraints.membership import Bools
from regretless.spaces.constraints.pieces import Key, Piece
from regretless.spaces.constraints.projections import projected, pulled, stepped
from regretless.spaces.mixture import Mixture
from regretless.spaces.scalars import Scalar

__all__ = ["Repaired"]

#: Integer programs for one batch of points that nothing cheaper could mend.
_PROGRAMS = 4
_BISECTIONS = 24


class Repaired(Anchored):
    """A product space that maps any codes to a feasible point."""

    def decoded(self, x: Floats) -> dict[str, Scalar]:
        """The feasible parameters nearest to codes, with mixtures that sum exactly in decimals."""
        x = self.canonical(x[None, :])[0]
        params = self.params(x)
        if self.violated(params):
            x = self.mended(x[None, :])[0]
            params = self.params(x)
            if self.violated(params):  # rounding put it outside
                x = self._rounded(x)
                params = self.params(x)
        for mixture in self.mixtures:
            params = self._closed(mixture, params)
        return params

    def _rounded(self, x: Floats) -> Floats:
        """A point near x that is inside after rounding too: part of the way to a point that is."""
        anchor: Floats = min(self.anchors, key=lambda a: float(np.abs(a - x).sum()))
        for share in (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5):
            trial = self.canonical((x + share * (anchor - x))[None, :])
            if self.holds(trial, decoded=True)[0]:
                break
        else:
            return anchor
        return np.asarray(trial[0], dtype=np.float64)

    def _closed(self, mixture: Mixture, params: dict[str, Scalar]) -> dict[str, Scalar]:
        """Amounts whose decimals sum to the total, where one of them can take up what rounding left."""
        amounts = {name: Decimal(repr(params[name])) for name in mixture.names}
        left = Decimal(repr(mixture.total)) - sum(amounts.values())
        if left == 0:
            return params
        for name in sorted(amounts, key=lambda n: -amounts[n]):
            part, amount = self.parts[name], float(amounts[name] + left)
            if name in self._at and part.size is None and part.low <= amount <= part.high:
                trial = {**params, name: amount}
                if part.decode(part.encode(amount)) == amount and not self.violated(trial):
                    return trial
        return params

    def mended(self, X: Floats) -> Floats:
        """A feasible point for each row of codes: itself, or one close by."""
        X, good = self.nudged(X)
        left = np.flatnonzero(~good)
        if not len(left):
            return X
        for key, rows in self.by_piece(X, left):
            piece = None if key is None else self.pieces.piece(key)
            if key is not None and piece is not None and len(piece.columns):
                X[rows] = self._solved(key, piece, X[rows])
        left = left[~self.holds(X[left])]
        if len(left):
            categories = np.array([part.n_levels > 0 for part in self.varying])
            gaps = X[left][:, None] - self.anchors
            gaps = np.where(categories, (gaps != 0.0).astype(np.float64), gaps)
            X[left] = self.anchors[np.argmin((gaps**2).sum(axis=2), axis=1)]
        return X

    def nudged(self, X: Floats) -> tuple[Floats, Bools]:
        """Rows moved into their pieces by cheap methods, and which of them are feasible then."""
        X = self.canonical(X)
        good = self.holds(X)
        left = np.flatnonzero(~good)
        for key, rows in self.by_piece(X, left) if len(left) else ():
            piece = None if key is None else self.pieces.piece(key)
            if piece is not None and len(piece.columns):
                X[rows] = self._moved(piece, X[rows])
        good[left] = self.holds(X[left])
        return X, good

    def _moved(self, piece: Piece, X: Floats) -> Floats:
        """Rows projected on a piece; what that leaves outside is pulled to its centre, or stepped on its lattice."""
        P, real = piece.P, piece.real
        everything = np.ones(len(real), dtype=np.bool_)
        W = projected(P, np.clip(piece.w(X), P.low, P.high), real)
        moved = piece.put(X, W)
        bad = np.flatnonzero(~self.holds(moved))
        if not len(bad):
            return moved
        if real.all():
            moved[bad] = piece.put(X[bad], pulled(P, W[bad]))
        else:
            V = piece.w(piece.put(X[bad], projected(P, W[bad], everything)))
            moved[bad] = piece.put(X[bad], projected(P, stepped(piece.P, piece.spacing, V), real))
        return moved

    def _solved(self, key: Key, piece: Piece, X: Floats) -> Floats:
        """Rows moved into a piece at any cost: integer programs for some, bisection towards a point inside for all."""
        X = X.copy()
        if not piece.real.all():
            W = piece.w(X)
            for row in range(min(len(X), _PROGRAMS)):
                w = piece.nearest(W[row])
                if w is not None:
                    X[row] = piece.put(X[row : row + 1], projected(piece.P, w[None, :], piece.real))[0]
        bad = np.flatnonzero(~self.holds(X))
        if len(bad) and (anchor := self.anchor(key)) is not None:
            X[bad] = self._bisected(piece, X[bad], anchor)
        return X

    def _bisected(self, piece: Piece, X: Floats, anchor: Floats) -> Floats:
        """The last point found inside on the way from a point inside to each row."""
        start = X.copy()
        start[:, piece.columns] = anchor[piece.columns]
        if not self.holds(start).all():  # a function that looks at the other columns too
            start = np.tile(anchor, (len(X), 1))
        inner, outer = piece.w(start), piece.w(X)
        best, low, high = start.copy(), np.zeros(len(X)), np.ones(len(X))
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            trial = piece.put(start, inner + middle[:, None] * (outer - inner))
            good = self.holds(trial)
            best[good] = trial[good]
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return best
