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
from regretless.spaces.constraints.polytope import hit_and_run, projected, pulled
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
_PROGRAMS = 16
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
        if self.limited:
            self._prove_not_empty()

    # Membership -----------------------------------------------------------------------------------------------------

    def holds(self, X: Floats, *, decoded: bool = False) -> Bools:
        """Which rows of admissible codes may be tried; ``decoded``: after rounding to decimals, as they will be."""
        if not self.limited:
            return np.ones(len(X), dtype=np.bool_)
        active = self.activity.at(X)
        by_name = {name: active[:, j] for j, name in enumerate(self.columns)}
        rows = [self.params(x) for x in X] if decoded else None
        values = self._decoded(X) if decoded else self.values(X)

        def params() -> list[dict[str, Scalar]]:
            return rows if rows is not None else [self.params(x) for x in X]

        good = np.ones(len(X), dtype=np.bool_)
        for mixture in self.mixtures:
            good &= mixture.holds(values, params)
        for bound in sorted(self.bounds, key=_is_function):  # the dearest last, for those only that are left
            if _is_function(bound):
                left = np.flatnonzero(good)
                some = [(rows[i] if rows is not None else self.params(X[i])) for i in left]
                good[left] = bound.holds({}, {}, lambda some=some: some, len(left))  # type: ignore[misc]
            else:
                good &= bound.holds(values, by_name, params, len(X))
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
        key = self._key(x)
        return None if key is None else self.pieces.piece(key)

    def _key(self, x: Floats) -> Key | None:
        return self.pieces.key_of(x, {name: column[0] for name, column in self.values(x[None, :]).items()})

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
        start = trial[good[np.arange(len(X)) % len(good)]]
        walkers = start[np.arange(max(len(X), 64)) % len(start)]
        W = hit_and_run(
            piece.P, len(X), rng, starts=piece.w(walkers), inside=lambda V, which: self.holds(piece.put(walkers[which], V))
        )
        return piece.put(start, W)

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
        X = self.canonical(X)
        left = np.flatnonzero(~self.holds(X))
        if not len(left):
            return X
        keys: dict[Any, list[int]] = {}
        for row in left.tolist():
            keys.setdefault(self._key(X[row]), []).append(row)
        for key, some in keys.items():
            piece = None if key is None else self.pieces.piece(key)
            rows = np.array(some)
            if piece is not None:
                X[rows] = self._moved(piece, X[rows])
        left = np.flatnonzero(~self.holds(X))
        if len(left):
            anchors = self.anchors
            gaps = np.where(np.array([p.n_levels > 0 for p in self.varying]), X[left][:, None] != anchors, X[left][:, None] - anchors)
            X[left] = anchors[np.argmin((gaps.astype(np.float64) ** 2).sum(axis=2), axis=1)]
        return X

    def _moved(self, piece: Piece, X: Floats) -> Floats:
        """Rows moved into a piece as far as that works: project, round, step, solve, and bisect towards a point inside."""
        P, real = piece.P, piece.real
        if not len(piece.columns):
            return X
        W = np.clip(piece.w(X), P.low, P.high)
        W = projected(P, W, np.ones(len(real), dtype=np.bool_) if real.all() else real)
        moved = piece.put(X, W)
        bad = np.flatnonzero(~self.holds(moved))
        if len(bad) and real.all():
            moved[bad] = piece.put(X[bad], pulled(P, W[bad]))
        elif len(bad):
            V = piece.w(piece.put(X[bad], projected(P, W[bad], np.ones(len(real), dtype=np.bool_))))
            V = projected(P, _stepped(piece, V), real)
            moved[bad] = piece.put(X[bad], V)
            bad = bad[~self.holds(moved[bad])]
            for row in bad[:_PROGRAMS]:
                w = piece.nearest(W[row])
                if w is not None:
                    moved[row] = piece.put(X[row : row + 1], projected(P, w[None, :], real))[0]
        bad = np.flatnonzero(~self.holds(moved))
        if len(bad) and (anchor := self._anchor(piece, X[0])) is not None:
            moved[bad] = self._bisected(piece, moved[bad], anchor)
        return moved

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

    def _anchor(self, piece: Piece, x: Floats) -> Floats | None:
        """A point of a piece that may be tried, its other columns as in x where they do not matter; None: not found."""
        base = self.activity.settled(x[None, :])
        if not len(piece.columns):
            return base[0] if self.holds(base, decoded=True)[0] else None
        if piece.start is not None:
            W = projected(piece.P, piece.start[None, :], piece.real)
            for trial in (piece.put(base, piece.start[None, :]), piece.put(base, W)):
                if self.holds(trial, decoded=True)[0]:
                    return trial[0]
        return self._sought(piece, base[0]) if piece.rest or not piece.real.all() else None

    def _sought(self, piece: Piece, x: Floats) -> Floats | None:
        """A point of a piece that random search finds where linear constraints are not all there is."""
        rng = np.random.default_rng(0)
        for count in (64, 512):
            X = np.tile(x, (count, 1))
            if any(isinstance(atom, Test) for atom in piece.rest):
                fresh = latin_hypercube(count, len(self.columns), rng)
                free = [j for j in range(len(self.columns)) if j not in self.pieces.switches]
                for j in free:
                    X[:, j] = self.varying[j].spread(fresh[:, j])
                X = self.activity.settled(X)
            W = hit_and_run(piece.P, count, rng)
            trial = piece.put(X, projected(piece.P, _stepped(piece, piece.w(piece.put(X, W))), piece.real))
            good = np.flatnonzero(self.holds(trial, decoded=True))
            if len(good):
                return trial[good[0]]
            W = self._descended(piece, W[:64], rng)
            trial = piece.put(X[:64], W)
            good = np.flatnonzero(self.holds(trial, decoded=True))
            if len(good):
                return trial[good[0]]
        return None

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
                piece = self.pieces.piece(key)
                anchor = None if piece is None else self._anchor(piece, cells[i])
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
