"""Feasible anchor points, one per piece, and the error if there is none."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.conditions import Activity
from regretless.spaces.constraints.atoms import Level, Numeric, Test
from regretless.spaces.constraints.constraint import Bound, named
from regretless.spaces.constraints.membership import Membership, is_function
from regretless.spaces.constraints.pieces import Key, Piece, Pieces
from regretless.spaces.constraints.projections import projected, pulled, stepped
from regretless.spaces.constraints.restoration import restored
from regretless.spaces.constraints.walks import hit_and_run
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.mixture import Mixture

__all__ = ["Anchored"]

#: Pieces that are searched for a first point, and that points inside are known of.
_PIECES = 200
#: Integer programs for a first point where constraints are curved.
_COMPLETED = 40
#: Points from which one inside is sought by steps, and pieces in which it is: a tenth of a second and more in each.
_RESTORED = 128
_RESTORATIONS = 8


class Anchored(Membership):
    """A product space with a feasible point in each piece in which one was found."""

    def __init__(
        self,
        parts: Mapping[str, Any],
        columns: Sequence[str],
        activity: Activity,
        bounds: Sequence[Bound],
        mixtures: Sequence[Mixture],
    ) -> None:
        super().__init__(parts, columns, activity, bounds, mixtures)
        self.pieces = Pieces(parts, columns, activity, self.bounds, self.mixtures)
        self._anchors: dict[Key, Floats | None] = {}

    def prove_not_empty(self) -> None:
        """Find a feasible point, or raise an error that names the constraints that contradict each other."""
        if self.limited and self._is_empty():
            raise InvalidInput(self._clash())

    def _is_empty(self) -> bool:
        if self.listing is not None:
            return not len(self.listing)
        if next(self._found(), None) is not None:
            return False
        for key in self._keys(_RESTORATIONS):  # random search found nothing anywhere
            anchor = self._restored(key)
            if anchor is not None:
                self._anchors[key] = anchor
                return False
        return True

    @cached_property
    def anchors(self) -> Floats:
        """Feasible points, one in each piece examined; at least one."""
        return np.array(list(self._found()))

    def _found(self) -> Iterator[Floats]:
        if self.listing is not None:
            yield from self.listing[:: max(len(self.listing) // _PIECES, 1)]
            return
        for key in self._keys(_PIECES):
            anchor = self.anchor(key)
            if anchor is not None:
                yield anchor

    def _keys(self, most: int) -> Iterator[Key]:
        """Pieces in random order, always the same."""
        rng, count = np.random.default_rng(0), 0
        cells = self.pieces.cells()
        for i in rng.permutation(len(cells)):
            for key in self.pieces.keys(cells[i], rng):
                if count >= most:
                    return
                yield key
                count += 1

    def piece_at(self, x: Floats) -> Piece | None:
        """The piece that a point lies in."""
        key, _ = self.by_piece(x[None, :], np.zeros(1, dtype=np.intp))[0]
        return None if key is None else self.pieces.piece(key)

    def by_piece(self, X: Floats, rows: npt.NDArray[np.intp]) -> list[tuple[Key | None, npt.NDArray[np.intp]]]:
        """Some rows in groups by the key of the piece they lie in, or nearly."""
        if self.pieces.alone is not None:
            return [(self.pieces.alone, rows)]
        groups: dict[Key | None, list[int]] = {}
        values = {name: column.tolist() for name, column in self.values(X[rows]).items()}
        for i, row in enumerate(rows.tolist()):
            key = self.pieces.key_of(X[row], {name: column[i] for name, column in values.items()})
            groups.setdefault(key, []).append(row)
        return [(key, np.array(some)) for key, some in groups.items()]

    def anchor(self, key: Key) -> Floats | None:
        """A feasible point of a piece; None if the piece is empty or none was found."""
        if key not in self._anchors:
            piece = self.pieces.piece(key)
            base = self.pieces.base(key)[None, :]
            self._anchors[key] = None if piece is None else self._sought(piece, base)
        return self._anchors[key]

    def _sought(self, piece: Piece, base: Floats) -> Floats | None:
        """A point of a piece: its own start, or what random search finds where linear constraints are not all."""
        if not len(piece.columns) or piece.start is None:
            return self._first(base)
        W = projected(piece.P, piece.start[None, :], piece.real)
        found = self._first(np.vstack([piece.put(base, W), piece.put(base, piece.start[None, :])]))
        if found is not None or (not piece.rest and piece.real.all()):
            return found
        rng = np.random.default_rng(0)
        X = np.tile(base, (512, 1))
        if any(isinstance(atom, Test) for atom in piece.rest):  # it may look at every column
            fresh = latin_hypercube(len(X), len(self.columns), rng)
            for j in set(range(len(self.columns))) - set(self.pieces.switches):
                X[:, j] = self.varying[j].spread(fresh[:, j])
            X = self.activity.settled(X)
        W = hit_and_run(piece.P, len(X), rng)
        trial = piece.put(X, projected(piece.P, stepped(piece.P, piece.spacing, piece.w(piece.put(X, W))), piece.real))
        found = self._first(trial)
        if found is not None or not piece.rest:
            return found
        W = np.vstack([W, self._descended(piece, W[:64], rng)])
        X = np.vstack([X, X[:64]])
        found = self._first(piece.put(X, W))
        return self._completed(piece, X, W) if found is None and not piece.real.all() else found

    def _completed(self, piece: Piece, X: Floats, W: Floats) -> Floats | None:
        """A point with the columns of curved constraints as in some row, all others by an integer program."""
        named_ = {name for atom in piece.rest if isinstance(atom, Numeric) for name in atom.names}
        held = np.array([self.columns[j] in named_ for j in piece.columns], dtype=np.bool_)
        trial = piece.put(X, W)
        values, good = self.values(trial), np.ones(len(X), dtype=np.bool_)
        for atom in piece.rest:
            good &= atom.holds(values, list) if isinstance(atom, Numeric) else True
        V = piece.w(trial)
        _, first = np.unique(V[:, held], axis=0, return_index=True)
        for row in [i for i in np.sort(first).tolist() if good[i]][:_COMPLETED]:
            w = piece.nearest(V[row], held)
            if w is not None:
                w = projected(piece.P, w[None, :], piece.real & ~held)
                found = self._first(piece.put(trial[row : row + 1], w))
                if found is not None:
                    return found
        return None

    def _restored(self, key: Key) -> Floats | None:
        """A point of a piece that Newton steps and scans of lattices lead to, where formulas are what is left."""
        piece = self.pieces.piece(key)
        if piece is None or not any(isinstance(atom, Numeric) and atom.op != "!=" for atom in piece.rest):
            return None
        rng = np.random.default_rng(0)
        W = hit_and_run(piece.P, _RESTORED, rng)
        W = np.vstack([W, self._descended(piece, W[: _RESTORED // 2], rng)])
        names = [self.columns[j] for j in piece.columns]
        for V in restored(piece, W, self._fixed, names, rng):
            X = np.tile(self.pieces.base(key), (len(V), 1))
            found = self._first(piece.put(X, V))
            if found is None and not piece.real.all():
                found = self._completed(piece, X, V)
            if found is not None:
                return found
        return None

    def _first(self, X: Floats) -> Floats | None:
        """The first feasible row, after rounding too."""
        good = X[self.holds(X)][:20]
        good = good[self.holds(good, decoded=True)] if len(good) else good
        return good[0] if len(good) else None

    def _descended(self, piece: Piece, W: Floats, rng: np.random.Generator) -> Floats:
        """Walkers that accept only moves which violate the remaining formulas less."""
        names = [self.columns[j] for j in piece.columns]

        def missed(V: Floats) -> Floats:
            values: dict[str, Any] = dict(self._fixed)
            values |= {n: s.low + V[:, i] * s.width for i, (n, s) in enumerate(zip(names, piece.scales, strict=True))}
            total = np.zeros(len(V))
            for atom in piece.rest:
                if isinstance(atom, Numeric) and atom.op != "!=":
                    excess, tolerated = atom.excess(values)
                    total += np.nan_to_num(np.maximum(excess - tolerated, 0.0), nan=1e300, posinf=1e300)
            return total

        now = missed(W)
        for step in range(120):
            others = W[rng.permutation(len(W))]
            size = 0.9 ** (step // 2)
            trial = pulled(piece.P, W + rng.standard_normal((len(W), 1)) * 0.5 * (others - W)
                           + size * 0.3 * rng.standard_normal(W.shape) @ piece.P.basis @ piece.P.basis.T)  # fmt: skip
            then = missed(trial)
            better = then < now
            W, now = np.where(better[:, None], trial, W), np.where(better, then, now)
            if (now == 0.0).any():
                break
        return W

    def _clash(self) -> str:
        """A minimal set of contradictory constraints, found by a deletion filter."""
        kept: list[Any] = [*self.bounds, *self.mixtures]
        for entry in list(kept):
            fewer = [other for other in kept if other is not entry]
            if not fewer or not self._without(fewer):
                kept = fewer or kept
        names = named([getattr(entry, "source", entry) for entry in kept])
        if any(is_function(entry) for entry in kept) or (self.listing is None and self._curved(kept)):
            relax = "it" if len(kept) == 1 else "one of them"
            return f"no point was found that satisfies {names}. Relax {relax}, or widen the bounds."
        if len(kept) == 1:
            return f"no point within the bounds of the parameters satisfies {names}. Relax it, or widen the bounds."
        return f"{names} contradict each other: no point satisfies all of them. Relax or drop one of them."

    def _without(self, kept: Sequence[Any]) -> bool:
        """Whether some point satisfies these."""
        bounds = [entry for entry in kept if isinstance(entry, Bound)]
        mixtures = [entry for entry in kept if isinstance(entry, Mixture)]
        return not Anchored(self.parts, self.columns, self.activity, bounds, mixtures)._is_empty()

    def _curved(self, kept: Sequence[Any]) -> bool:
        atoms = [atom for entry in kept if isinstance(entry, Bound) for some in entry.alternatives for atom in some]
        return any(not isinstance(atom, Level) and getattr(atom, "coefficients", None) is None for atom in atoms)
