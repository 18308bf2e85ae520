"""The points of a product space that may be tried: membership, random points, and the nearest one to any codes.

Everything rests on membership of what is decoded. Linear constraints make polytopes, in which points are drawn and to
which points are moved; what that leaves outside is mended by ever more costly ways, down to a point known to be inside.
"""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.conditions import Activity
from regretless.spaces.constraints.atoms import Level, Numeric, Test
from regretless.spaces.constraints.constraint import Bound, Constraint, bind, named
from regretless.spaces.constraints.faces import Faces, faces_around
from regretless.spaces.constraints.listing import listed_codes
from regretless.spaces.constraints.pieces import Key, Piece, Pieces
from regretless.spaces.constraints.polytope import hit_and_run, n_walkers, projected, pulled
from regretless.spaces.constraints.scales import Scale, kinds_of, scale_of
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.mixture import Mixture
from regretless.spaces.scalars import Scalar

__all__ = ["Region"]

#: Points of a finite space that are looked at to list those that may be tried.
_LOOKED_AT = 1_000_000
#: Pieces that a sample is drawn from, and that are searched for a first point.
_PIECES = 200
#: Integer programs for one batch of points that nothing cheaper could mend.
_PROGRAMS = 4
_BISECTIONS = 24

Bools = npt.NDArray[np.bool_]


class Region:
    """What conditions, mixtures and constraints leave of a product of parameters."""

    def __init__(
        self,
        parts: Mapping[str, Any],
        columns: Sequence[str],
        activity: Activity,
        constraints: Sequence[Constraint],
        mixtures: Mapping[str, Mixture],
    ) -> None:
        self.parts, self.columns, self.activity = dict(parts), tuple(columns), activity
        kinds = kinds_of(parts)
        self.bounds = tuple(bind(constraint, kinds) for constraint in constraints)
        self.mixtures = tuple(mixtures.values())
        self._at = {name: j for j, name in enumerate(columns)}
        self.varying = [parts[name] for name in columns]
        self._fixed: dict[str, Scalar] = {n: p.values()[0] for n, p in parts.items() if n not in self._at}
        self._scales: list[Scale | None] = [scale_of(part) for part in self.varying]
        self.pieces = Pieces(parts, columns, activity, self.bounds, self.mixtures)
        self._anchors: dict[Key, Floats | None] = {}
        if self.limited:
            self._prove_not_empty()

    # Membership -----------------------------------------------------------------------------------------------------

    def holds(self, X: Floats, *, decoded: bool = False) -> Bools:
        """Which rows of admissible codes may be tried; ``decoded``: after rounding to decimals, as they will be."""
        if not self.limited:
            return np.ones(len(X), dtype=np.bool_)
        active = self.activity.at(X)
        by_name = {name: active[:, j] for j, name in enumerate(self.columns)}
        values = self._decoded(X) if decoded else self.values(X)
        good = np.ones(len(X), dtype=np.bool_)
        for mixture in self.mixtures:
            good &= mixture.holds(values, list)
        for bound in self.bounds:
            if not _is_function(bound):
                good &= bound.holds(values, by_name, list, len(X))
        if any(map(_is_function, self.bounds)):  # the dearest last, for those only that are left
            left = np.flatnonzero(good)
            rows = [self.params(x) for x in X[left]]
            for bound in filter(_is_function, self.bounds):
                good[left] &= bound.holds({}, {}, lambda: rows, len(left))
        return good

    def violated(self, params: Mapping[str, Scalar]) -> list[str]:
        """What these parameters violate, in the user's words. Inactive parameters are absent."""
        values = {name: np.array([value], dtype=object if isinstance(value, str | bool | None) else np.float64)
                  for name, value in params.items()}  # fmt: skip
        found = [str(mixture) for mixture in self.mixtures if not mixture.holds(values, list).all()]
        for bound in self.bounds:
            if all(name in params for name in bound.names) and not bound.holds(values, {}, lambda: [dict(params)], 1)[0]:
                found.append(str(bound.source))
        return found

    def values(self, X: Floats) -> dict[str, Any]:
        """The values of codes by name, real ones not yet rounded to decimals."""
        values: dict[str, Any] = {name: _filled(value, len(X)) for name, value in self._fixed.items()}
        for j, (name, part, scale) in enumerate(zip(self.columns, self.varying, self._scales, strict=True)):
            if scale is not None:
                values[name] = scale.low + scale.w(X[:, j]) * scale.width
            else:
                levels = np.array([*part.values(), None], dtype=object)
                values[name] = levels[np.rint(X[:, j] * (1 if part.n_levels else max(part.size - 1, 1))).astype(np.intp)]
        return values

    def _decoded(self, X: Floats) -> dict[str, Any]:
        values: dict[str, Any] = {name: _filled(value, len(X)) for name, value in self._fixed.items()}
        for j, (name, part) in enumerate(zip(self.columns, self.varying, strict=True)):
            kind = np.float64 if self._scales[j] is not None else object
            values[name] = np.array([part.decode(code) for code in X[:, j].tolist()] + [None], dtype=object)[:-1]
            values[name] = values[name].astype(kind)
        return values

    def params(self, x: Floats) -> dict[str, Scalar]:
        """The parameters of admissible codes as they are, active ones only."""
        active = self.activity.at(x[None, :])[0]
        found = dict(self._fixed)
        for j, (name, part) in enumerate(zip(self.columns, self.varying, strict=True)):
            if active[j]:
                found[name] = part.decode(float(x[j]))
        return {name: found[name] for name in self.parts if name in found}

    @property
    def limited(self) -> bool:
        """Whether there is more than conditions: constraints or mixtures."""
        return bool(self.bounds or self.mixtures)

    def piece_at(self, x: Floats) -> Piece | None:
        """The piece that a point lies in."""
        key, _ = self._by_piece(x[None, :], np.zeros(1, dtype=np.intp))[0]
        return None if key is None else self.pieces.piece(key)


    def faces(self, X: Floats) -> Faces:
        """The linear faces around points that may be tried."""
        return faces_around(self, X)

    @property
    def frozen(self) -> dict[str, float]:
        """The codes of inactive parameters."""
        return dict(zip(self.columns, self.activity.frozen, strict=True))

    def decoded(self, x: Floats) -> dict[str, Scalar]:
        """The parameters nearest to codes that may be tried, with mixtures that sum up in decimals too."""
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
        anchor = min(self.anchors, key=lambda a: float(np.abs(a - x).sum()))
        for share in (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5):
            trial = self.canonical((x + share * (anchor - x))[None, :])
            if self.holds(trial, decoded=True)[0]:
                return trial[0]
        return np.asarray(anchor)

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

    # Points ---------------------------------------------------------------------------------------------------------

    @cached_property
    def listing(self) -> Floats | None:
        """The codes of all points of a finite space, where they can be listed."""
        if any(part.size is None for part in self.varying):
            return None
        low = np.array([scale.low if scale is not None else 0.0 for scale in self._scales])
        high = np.array([scale.high if scale is not None else 0.0 for scale in self._scales])
        numbers = [
            None if scale is None or part.size > _LOOKED_AT else np.array(part.values(), dtype=np.float64)
            for scale, part in zip(self._scales, self.varying, strict=True)
        ]
        X = listed_codes(self.varying, self.activity, self._rows(), (low, high), numbers, _LOOKED_AT)
        if X is None:
            return None
        return X[self.holds(X)]

    def _rows(self) -> list[tuple[Floats, float, float]]:
        """Linear constraints that always hold, in values: (a, least, most)."""
        conditional = {column for column, _ in self.activity.rules}
        atoms = [bound.alternatives[0] for bound in self.bounds if len(bound.alternatives) == 1]
        rows = []
        for atom in (atom for some in atoms for atom in some):
            if isinstance(atom, Numeric) and atom.coefficients is not None and atom.op != "!=":
                a, constant = np.zeros(len(self.columns)), atom.constant
                for name, c in zip(atom.names, atom.coefficients, strict=True):
                    if name in self._at:
                        a[self._at[name]] = c
                    else:
                        constant += c * float(self._fixed[name])  # type: ignore[arg-type]
                if not conditional & set(np.flatnonzero(a).tolist()):
                    most = 2.0 * atom.tolerance - constant
                    rows.append((a, -constant - 2.0 * atom.tolerance if atom.op == "==" else -math.inf, most))
        for mixture in self.mixtures:
            a = np.array([1.0 if name in mixture.names else 0.0 for name in self.columns])
            left = mixture.total - sum(float(v) for n, v in self._fixed.items() if n in mixture.names)  # type: ignore[arg-type]
            slack = 2e-9 * (mixture.total + sum(mixture.highs))
            rows.append((a, left - slack, left + slack))
        return rows

    def sample(self, m: int, rng: np.random.Generator) -> Floats:
        """m random points: of a Latin hypercube what is inside, the others by hit-and-run in random pieces."""
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
            X[outside] = self.listing[rng.choice(len(self.listing), len(outside), replace=len(outside) > len(self.listing))]
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
        """Rows with the columns of a piece drawn anew inside it."""
        X = self.activity.settled(X)
        if not len(piece.columns):
            return X
        if not piece.rest:
            W = hit_and_run(piece.P, len(X), rng)
            return piece.put(X, self._refreshed(piece, W, rng))
        many = X[np.arange(4 * len(X)) % len(X)]
        W = self._refreshed(piece, hit_and_run(piece.P, len(many), rng), rng)
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

    def _refreshed(self, piece: Piece, W: Floats, rng: np.random.Generator) -> Floats:
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
                        scale = self._scales[b]
                        if scale is not None and X[i, b] == 0.0:
                            trial = X[i].copy()
                            trial[a], trial[b] = 0.0, min(amount[i] / scale.width, 1.0)
                            owner.append(i)
                            trials.append(trial)
        return np.array(owner, dtype=np.intp), np.array(trials).reshape(len(trials), X.shape[1])

    # Repair ---------------------------------------------------------------------------------------------------------

    def canonical(self, X: Floats) -> Floats:
        """The admissible codes of each column nearest to these, inactive ones frozen."""
        X = X.copy()
        for j, part in enumerate(self.varying):
            X[:, j] = part.snap(X[:, j])
        return self.activity.settled(X)

    def mended(self, X: Floats) -> Floats:
        """For each row of codes a point that may be tried: itself, or one close by."""
        X, good = self.nudged(X)
        left = np.flatnonzero(~good)
        if not len(left):
            return X
        for key, rows in self._by_piece(X, left):
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
        """Rows moved into their pieces by what is cheap, and which of them may be tried now."""
        X = self.canonical(X)
        good = self.holds(X)
        left = np.flatnonzero(~good)
        for key, rows in self._by_piece(X, left) if len(left) else ():
            piece = None if key is None else self.pieces.piece(key)
            if piece is not None and len(piece.columns):
                X[rows] = self._moved(piece, X[rows])
        good[left] = self.holds(X[left])
        return X, good

    def _by_piece(self, X: Floats, rows: npt.NDArray[np.intp]) -> list[tuple[Key | None, npt.NDArray[np.intp]]]:
        if self.pieces.alone is not None:
            return [(self.pieces.alone, rows)]
        groups: dict[Key | None, list[int]] = {}
        values = {name: column.tolist() for name, column in self.values(X[rows]).items()}
        for i, row in enumerate(rows.tolist()):
            key = self.pieces.key_of(X[row], {name: column[i] for name, column in values.items()})
            groups.setdefault(key, []).append(row)
        return [(key, np.array(some)) for key, some in groups.items()]

    def _moved(self, piece: Piece, X: Floats) -> Floats:
        """Rows projected on a piece, and where that ends outside pulled towards its centre, or stepped on its lattice."""
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
            moved[bad] = piece.put(X[bad], projected(P, _stepped(piece, V), real))
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
        if len(bad) and (anchor := self._anchor(key)) is not None:
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

    def _anchor(self, key: Key) -> Floats | None:
        """A point of a piece that may be tried; None where it is empty, or none was found."""
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
        found = self._first(np.vstack([piece.put(base, piece.start[None, :]), piece.put(base, W)]))
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
        trial = piece.put(X, projected(piece.P, _stepped(piece, piece.w(piece.put(X, W))), piece.real))
        found = self._first(trial)
        return self._first(piece.put(X[:64], self._descended(piece, W[:64], rng))) if found is None else found

    def _first(self, X: Floats) -> Floats | None:
        """The first row that may be tried, after rounding too."""
        good = X[self.holds(X)][:20]
        good = good[self.holds(good, decoded=True)] if len(good) else good
        return good[0] if len(good) else None

    def _descended(self, piece: Piece, W: Floats, rng: np.random.Generator) -> Floats:
        """Walkers that move only where the formulas of the rest are missed by less."""
        names = [self.columns[j] for j in piece.columns]

        def missed(V: Floats) -> Floats:
            values = {**{n: v for n, v in self._fixed.items()}}
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

    @cached_property
    def anchors(self) -> Floats:
        """Points that may be tried, one in each piece that was looked at; at least one."""
        return np.array(list(self._found(most=_PIECES)))

    def _found(self, most: int) -> Any:
        if self.listing is not None:
            yield from self.listing[:: max(len(self.listing) // most, 1)]
            return
        rng, count = np.random.default_rng(0), 0
        cells = self.pieces.cells()
        for i in rng.permutation(len(cells)):
            for key in self.pieces.keys(cells[i], rng):
                anchor = self._anchor(key)
                if anchor is not None:
                    yield anchor
                count += 1
                if count >= most:
                    return

    def _prove_not_empty(self) -> None:
        if self.listing is not None:
            empty = not len(self.listing)
        else:
            empty = next(iter(self._found(most=_PIECES)), None) is None
        if empty:
            raise InvalidInput(self._clash())

    def _clash(self) -> str:
        """Which constraints contradict each other: those none of which can be left out (a deletion filter)."""
        kept: list[Any] = [*self.bounds, *self.mixtures]
        for entry in list(kept):
            fewer = [other for other in kept if other is not entry]
            if not fewer or not self._without(fewer):
                kept = fewer or kept
        names = named([getattr(entry, "source", entry) for entry in kept])
        if any(_is_function(entry) for entry in kept) or self.listing is None and self._curved(kept):
            return f"no point was found that satisfies {names}. Relax one of them, or widen the bounds."
        if len(kept) == 1:
            return f"no point within the bounds of the parameters satisfies {names}. Relax it, or widen the bounds."
        return f"{names} contradict each other: no point satisfies all of them. Relax or drop one of them."

    def _without(self, kept: Sequence[Any]) -> bool:
        """Whether some point satisfies these."""
        twin = Region.__new__(Region)
        twin.parts, twin.columns, twin.activity = self.parts, self.columns, self.activity
        twin.bounds = tuple(entry for entry in kept if isinstance(entry, Bound))
        twin.mixtures = tuple(entry for entry in kept if isinstance(entry, Mixture))
        twin._at, twin.varying, twin._fixed, twin._scales = self._at, self.varying, self._fixed, self._scales
        twin._anchors = {}
        twin.pieces = Pieces(self.parts, self.columns, self.activity, twin.bounds, twin.mixtures)
        try:
            twin._prove_not_empty()
        except InvalidInput:
            return False
        return True

    def _curved(self, kept: Sequence[Any]) -> bool:
        atoms = [atom for entry in kept if isinstance(entry, Bound) for some in entry.alternatives for atom in some]
        return any(not isinstance(atom, Level) and getattr(atom, "coefficients", None) is None for atom in atoms)


def _stepped(piece: Piece, W: Floats) -> Floats:
    """Columns on even lattices moved step by step, each time the one step that lowers what is missed most."""
    P, spacing = piece.P, piece.spacing
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


def _filled(value: Scalar, count: int) -> Any:
    return np.full(count, value, dtype=object if isinstance(value, str | bool | None) else np.float64)


def _is_function(bound: Any) -> bool:
    return isinstance(bound, Bound) and any(isinstance(atom, Test) for atoms in bound.alternatives for atom in atoms)
