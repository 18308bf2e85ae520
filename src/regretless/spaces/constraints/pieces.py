"""The feasible set as a union of pieces: in each, categories are fixed and the linear constraints form a polytope.

A piece is named by a key: the codes of the columns that switch (categories that constraints name, parents of
conditional parameters), one alternative of each constraint, one support of each mixture.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.spaces.conditions import Activity
from regretless.spaces.constraints.atoms import Atom, Level, Numeric, Test
from regretless.spaces.constraints.constraint import Bound
from regretless.spaces.constraints.lattices import nearest_lattice_point
from regretless.spaces.constraints.polytope import Polytope, polytope, tightened
from regretless.spaces.constraints.scales import Scale, scale_of
from regretless.spaces.mixture import Mixture
from regretless.spaces.scalars import Scalar, is_number

__all__ = ["Key", "Piece", "Pieces"]

#: Switches, alternatives and supports up to this many are listed, of more a sample is used.
_LISTED = 200
_CELLS = 5000
_KEPT = 4096

Key: TypeAlias = tuple[tuple[float, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One piece: a polytope in the w of some columns, and further checks."""

    columns: npt.NDArray[np.intp]
    scales: tuple[Scale, ...]
    P: Polytope
    rest: tuple[Atom, ...]
    start: Floats | None  # w of a point in it on all lattices, as far as linear constraints say; None without one

    @property
    def spacing(self) -> Floats:
        """Even lattices, 0 for columns without."""
        return np.array([scale.spacing for scale in self.scales])

    @property
    def levels(self) -> dict[int, Floats]:
        """Uneven lattices by column."""
        return {j: scale.levels for j, scale in enumerate(self.scales) if scale.levels is not None}

    @property
    def real(self) -> npt.NDArray[np.bool_]:
        """Which of its columns are real."""
        return np.array([scale.real for scale in self.scales], dtype=np.bool_)

    def nearest(self, target: Floats, held: npt.NDArray[np.bool_] | None = None) -> Floats | None:
        """The w nearest to a target that satisfies what is linear, lattices included: an integer program.

        Columns that are ``held`` keep the target's value.
        """
        P = self.P
        low, high = (P.low, P.high) if held is None else (np.where(held, target, end) for end in (P.low, P.high))
        return nearest_lattice_point((P.A, P.b, P.E, P.k, low, high), target, self.spacing, self.levels)

    def w(self, X: Floats) -> Floats:
        """The w of its columns."""
        return np.stack([s.w(X[:, j]) for s, j in zip(self.scales, self.columns, strict=True)], axis=1)

    def put(self, X: Floats, W: Floats) -> Floats:
        """Codes with those of its columns replaced, real ones as they are, others at the nearest value."""
        X = X.copy()
        for i, (scale, column) in enumerate(zip(self.scales, self.columns, strict=True)):
            X[:, column] = scale.part.snap(scale.codes(W[:, i]))
        return X


class Pieces:
    """All pieces of a space, made on demand."""

    def __init__(
        self,
        parts: Mapping[str, Any],
        columns: Sequence[str],
        activity: Activity,
        bounds: Sequence[Bound],
        mixtures: Sequence[Mixture],
    ) -> None:
        self._parts, self._columns, self._activity = parts, tuple(columns), activity
        self._bounds, self._mixtures = tuple(bounds), tuple(mixtures)
        self._at = {name: j for j, name in enumerate(columns)}
        self._fixed: dict[str, Scalar] = {n: p.values()[0] for n, p in parts.items() if n not in self._at}
        self._scales = [scale_of(parts[name]) for name in columns]
        atoms = [atom for bound in bounds for atoms in bound.alternatives for atom in atoms]
        named = {atom.name for atom in atoms if isinstance(atom, Level)}
        self.switches = tuple(sorted({*activity.parents, *(self._at[name] for name in named if name in self._at)}))
        one = all(len(bound.alternatives) == 1 for bound in bounds) and all(m.at_most is None for m in mixtures)
        supports = tuple(tuple(range(len(mixture.names))) for mixture in mixtures)
        #: The key where there is but one piece.
        self.alone: Key | None = ((), (0,) * len(bounds), supports) if one and not self.switches else None
        self._made: dict[Key, Piece | None] = {}
        self._listed: Floats | None = None

    def cells(self) -> Floats:
        """(c, dim) codes, of which only switches matter, of the cells that constraints on switches leave."""
        if self._listed is None:
            values = [self._codes(j) for j in self.switches]
            if math.prod(map(len, values)) <= _CELLS:
                count = math.prod(map(len, values))
                rows = np.array(list(itertools.product(*values)), dtype=np.float64).reshape(count, len(values))
            else:
                rng = np.random.default_rng(0)
                rows = np.stack([rng.choice(np.array(codes), _CELLS) for codes in values], axis=1)
            X = np.tile(np.array(self._activity.frozen), (len(rows), 1))
            X[:, list(self.switches)] = rows
            X = np.unique(self._activity.settled(X), axis=0)
            keep = [self.options(x) is not None for x in X]
            self._listed = X[np.array(keep, dtype=np.bool_)]
        return self._listed

    def options(self, x: Floats) -> list[list[int]] | None:
        """For each constraint the alternatives that the switches of x leave; -1 where it says nothing; None: none."""
        active = self._activity.at(x[None, :])[0]
        found = []
        for bound in self._bounds:
            if any(name in self._at and not active[self._at[name]] for name in bound.names):
                found.append([-1])
                continue
            left = [i for i, atoms in enumerate(bound.alternatives) if all(self._allows(atom, x) for atom in atoms)]
            if not left:
                return None
            found.append(left)
        return found

    def keys(self, x: Floats, rng: np.random.Generator) -> Iterator[Key]:
        """The keys of the cell of x in random order: all of them, or a sample where there are very many."""
        options, switch = self.options(x), tuple(x[list(self.switches)].tolist())
        if options is None:
            return
        supports = [mixture.supports() for mixture in self._mixtures]
        sizes = [*map(len, options), *(len(s) if s is not None else _LISTED + 1 for s in supports)]
        if math.prod(sizes) <= _LISTED:
            every = [
                (switch, chosen[: len(options)], chosen[len(options) :])
                for chosen in itertools.product(*options, *(s or [] for s in supports))
            ]
            for i in rng.permutation(len(every)):
                yield every[i]
            return
        for _ in range(_LISTED):
            chosen = tuple(int(rng.choice(left)) for left in options)
            drawn = [
                m.draw_support(rng) if s is None else s[int(rng.integers(len(s)))]
                for m, s in zip(self._mixtures, supports, strict=True)
                if s is None or s
            ]
            if len(drawn) == len(supports):
                yield switch, chosen, tuple(drawn)

    def key_of(self, x: Floats, values: Mapping[str, Any]) -> Key | None:
        """The key of the piece that x, with these values, lies in, or nearly."""
        options = self.options(x)
        if options is None:
            return None
        chosen = []
        for bound, left in zip(self._bounds, options, strict=True):
            if len(left) > 1:
                misses = [(sum(_miss(atom, values) for atom in bound.alternatives[i]), i) for i in left]
                left = [min(misses)[1]]
            chosen.append(left[0])
        amounts = [[float(values[name]) for name in mixture.names] for mixture in self._mixtures]
        supports = tuple(m.support_of(a) for m, a in zip(self._mixtures, amounts, strict=True))
        return tuple(x[list(self.switches)].tolist()), tuple(chosen), supports

    def piece(self, key: Key) -> Piece | None:
        """The piece of a key; None where it is empty."""
        if key not in self._made:
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[key] = self._build(key)
        return self._made[key]

    def base(self, key: Key) -> Floats:
        """Codes with the switches of a key, all others as if they were inactive."""
        x = np.array(self._activity.frozen)
        x[list(self.switches)] = key[0]
        return x

    def _build(self, key: Key) -> Piece | None:
        _, chosen, supports = key
        x = self.base(key)
        active = self._activity.at(x[None, :])[0]
        dim = len(self._columns)
        system = _System(dim)
        for j in self.switches:
            scale = self._scales[j]
            if scale is not None:
                system.narrow(j, *(2 * [float(scale.w(x[j : j + 1])[0])]))
        rest: list[Atom] = []
        used: set[int] = set()
        for bound, choice in zip(self._bounds, chosen, strict=True):
            for atom in bound.alternatives[choice] if choice >= 0 else ():
                if isinstance(atom, Test):
                    rest.append(atom)
                    used |= {j for j in range(dim) if self._scales[j] is not None and active[j]}
                elif isinstance(atom, Numeric):
                    used |= {self._at[name] for name in atom.names if name in self._at}
                    if atom.coefficients is None or atom.op == "!=":
                        rest.append(atom)
                    elif not system.add(atom.op, *self._row(atom), atom.tolerance):
                        return None
        for mixture, support in zip(self._mixtures, supports, strict=True):
            used |= {self._at[name] for name in mixture.names if name in self._at}
            if not self._add_mixture(system, mixture, support):
                return None
        columns = np.array(sorted(used), dtype=np.intp)
        scales = tuple(scale for j in columns if (scale := self._scales[j]) is not None)
        return _piece(system, columns, scales, tuple(rest))

    def _row(self, atom: Numeric) -> tuple[Floats, float]:
        """Coefficients in w of every column, and the bound: a w <= b."""
        a, b = np.zeros(len(self._columns)), -atom.constant
        for name, c in zip(atom.names, atom.coefficients or (), strict=True):
            scale = self._scales[self._at[name]] if name in self._at else None
            if scale is None:
                b -= c * float(self._fixed[name])  # type: ignore[arg-type]
            else:
                a[self._at[name]] += c * scale.width
                b -= c * scale.low
        return a, b

    def _add_mixture(self, system: "_System", mixture: Mixture, support: tuple[int, ...]) -> bool:
        a, b = np.zeros(len(self._columns)), mixture.total
        for i, name in enumerate(mixture.names):
            scale = self._scales[self._at[name]] if name in self._at else None
            if scale is None:
                b -= float(self._fixed[name])  # type: ignore[arg-type]
                continue
            j = self._at[name]
            a[j], b = scale.width, b - scale.low
            low, high = (mixture.lows[i], mixture.highs[i]) if i in support else (0.0, 0.0)
            system.narrow(j, (low - scale.low) / scale.width, (high - scale.low) / scale.width)
        return system.add("==", a, b, 1e-9 * (mixture.total + sum(mixture.highs)))

    def _allows(self, atom: Atom, x: Floats) -> bool:
        if not isinstance(atom, Level):
            return True
        value = (
            self._parts[atom.name].decode(x[self._at[atom.name]]) if atom.name in self._at else self._fixed[atom.name]
        )
        return (value in atom.values) == atom.inside

    def _codes(self, j: int) -> list[float]:
        part = self._parts[self._columns[j]]
        if part.size > _CELLS:
            return list(part.snap(np.linspace(0.0, 1.0, _CELLS)))
        return [part.encode(value) for value in part.values()]


class _System:
    """Linear rows over all columns while a piece is put together."""

    def __init__(self, dim: int) -> None:
        self.A: list[Floats] = []
        self.b: list[float] = []
        self.E: list[Floats] = []
        self.k: list[float] = []
        self.low, self.high = np.zeros(dim), np.ones(dim)

    def narrow(self, j: int, low: float, high: float) -> None:
        self.low[j], self.high[j] = max(self.low[j], low), min(self.high[j], high)

    def add(self, op: str, a: Floats, b: float, tolerance: float) -> bool:
        """Add a w <= b or a w = b, a bound where it has one column; False where it cannot hold."""
        size = float(np.abs(a).sum())
        if size == 0.0:
            return b >= -tolerance and (op == "<=" or b <= tolerance)
        where = np.flatnonzero(a)
        if len(where) > 1:
            (self.A if op == "<=" else self.E).append(a / size)
            (self.b if op == "<=" else self.k).append(b / size)
            return True
        j = int(where[0])
        end, slack = b / a[j], tolerance / size
        if (end < -slack and (op == "==" or a[j] > 0)) or (end > 1.0 + slack and (op == "==" or a[j] < 0)):
            return False
        end = min(max(end, 0.0), 1.0)
        self.narrow(j, end if op == "==" or a[j] < 0 else 0.0, end if op == "==" or a[j] > 0 else 1.0)
        return True


def _piece(
    system: _System, columns: npt.NDArray[np.intp], scales: tuple[Scale, ...], rest: tuple[Atom, ...]
) -> Piece | None:
    n = len(columns)
    low, high = system.low[columns], system.high[columns]
    for i, scale in enumerate(scales):
        if scale.spacing > 0.0:
            low[i] = np.ceil(low[i] / scale.spacing - 1e-7) * scale.spacing
            high[i] = np.floor(high[i] / scale.spacing + 1e-7) * scale.spacing
    if (low > high + 1e-9).any():
        return None
    high = np.maximum(low, high)
    A = np.array(system.A).reshape(len(system.A), -1)[:, columns] if system.A else np.zeros((0, n))
    E = np.array(system.E).reshape(len(system.E), -1)[:, columns] if system.E else np.zeros((0, n))
    if n == 0:
        nothing = np.zeros(0)
        P: Polytope | None = Polytope(A, nothing, E, nothing, low, high, nothing, np.zeros((0, 0)))
    else:
        P = polytope(A, np.array(system.b), E, np.array(system.k), low, high)
    if P is None:
        return None
    P = tightened(P, np.abs(P.A) @ np.array([scale.grain for scale in scales]) + 1e-15)
    piece = Piece(columns, scales, P, rest, P.centre)
    if piece.real.all():
        return piece
    start = nearest_lattice_point(
        (P.A, P.b, P.E, P.k, P.low, P.high), None, piece.spacing, {j: v for j, v in piece.levels.items() if len(v) < 99}
    )
    return None if start is None else Piece(columns, scales, P, rest, start)


def _miss(atom: Atom, values: Mapping[str, Any]) -> float:
    """The violation of a numeric atom; 0 for others."""
    if not isinstance(atom, Numeric) or not all(is_number(values.get(name)) for name in atom.names):
        return 0.0
    excess, tolerated = atom.excess(values)
    missed = float(excess) > float(tolerated) if atom.op != "!=" else float(excess) <= float(tolerated)
    return float(excess) if missed else 0.0
