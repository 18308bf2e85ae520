"""Product spaces: all combinations of their parameters."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_vector, as_whole
from regretless.errors import InvalidInput
from regretless.spaces.conditions import activity_of, check_existing
from regretless.spaces.constraints import Constraint, Region, as_constraints
from regretless.spaces.dimensions import (
    Categorical,
    Dimension,
    Fixed,
    Float,
    Int,
    Ordinal,
    as_dimension,
)
from regretless.spaces.domain import Place, Point
from regretless.spaces.entries import read_entries
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.mixture import Mixture
from regretless.spaces.params import (
    Repeats,
    as_argument,
    check_repeats,
    complete,
    constraints_shown,
    repeats_shown,
)
from regretless.spaces.scalars import Scalar, as_int, show

__all__ = ["Mixed"]

_MAX_ENUMERATED = 10**7

Varying: TypeAlias = Float | Int | Ordinal | Categorical


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Mixed:
    """A product of named parameters of any kind, possibly restricted by constraints.

    Each parameter that varies is one encoded column, in the order of ``names``: ordered ones in [0, 1], categories as
    0, 1, ... ``n_levels`` holds the number of categories of each column, 0 for ordered ones; ``continuous`` is True for
    real ones.

    Parameters
    ----------
    dimensions
        Name to parameter: (0.0, 1.0) is a real number, (1, 10) a whole one, (1e-5, 1e-1, "log") a log scale, a list its
        values (numbers in order, others without), a single value is fixed; or a dimension object. The components of a
        `Mixture` are parameters under their own names. A parameter with a condition (``when=``) is absent from a
        point at which it does not exist.
    repeats
        Whether a point may be suggested again: "all", "allow", "auto" or "never", see `Study`. None: the study says.
    constraints
        What every point satisfies, in the user's units: texts such as ``"x + y <= 1"`` or functions of the parameters
        that return True or a number >= 0 where a point may be tried.

    Examples
    --------
    >>> space = Mixed({"rate": (1e-4, 1e-1, "log"), "depth": (1, 5), "act": ["relu", "tanh"], "seed": 7})
    >>> space.dim, space.n_levels
    (3, (0, 0, 2))
    >>> x = space.encode({"rate": 0.1, "depth": 2, "act": "tanh"})
    >>> x
    array([1.  , 0.25, 1.  ])
    >>> space.decode(x)
    {'rate': 0.1, 'depth': 2, 'act': 'tanh', 'seed': 7}
    >>> Mixed({"a": (1, 3), "b": (1, 3)}, constraints=["a + b <= 3"]).size
    3
    """

    names: tuple[str, ...]
    repeats: Repeats | None  # None: left to the study
    unnamed: bool
    n_levels: tuple[int, ...]
    continuous: npt.NDArray[np.bool_]
    constraints: tuple[Constraint, ...]
    mixtures: dict[str, Mixture]
    region: Region | None  # what conditions, mixtures and constraints leave; None where there are none
    _parts: tuple[Dimension, ...]
    _varying: dict[str, Varying]
    _fixed: dict[str, Scalar]

    def __init__(self, dimensions: Mapping[str, Any], repeats: Repeats | None = None, constraints: Any = ()) -> None:
        if not isinstance(dimensions, Mapping):
            raise InvalidInput(f"dimensions must be a mapping of names to parameters, got {show(dimensions)}.")
        mixtures = {name: entry for name, entry in dimensions.items() if isinstance(entry, Mixture)}
        parts = read_entries(dimensions, as_dimension)
        self._set(parts, repeats, unnamed=False, constraints=as_constraints(constraints), mixtures=mixtures)

    def _set(
        self,
        parts: Mapping[str, Dimension],
        repeats: Repeats | None,
        *,
        unnamed: bool,
        constraints: tuple[Constraint, ...] = (),
        mixtures: Mapping[str, Mixture] | None = None,
    ) -> None:
        varying = {name: part for name, part in parts.items() if not isinstance(part, Fixed) and _varies(part)}
        continuous = np.array([part.size is None for part in varying.values()], dtype=np.bool_)
        continuous.flags.writeable = False
        activity = activity_of(parts, tuple(varying))
        limited = bool(constraints or mixtures or activity.rules)
        fields = {
            "names": tuple(parts),
            "repeats": check_repeats(repeats),
            "unnamed": unnamed,
            "n_levels": tuple(part.n_levels for part in varying.values()),
            "continuous": continuous,
            "constraints": constraints,
            "mixtures": dict(mixtures or {}),
            "region": Region(parts, tuple(varying), activity, constraints, mixtures or {}) if limited else None,
            "_parts": tuple(parts.values()),
            "_varying": varying,
            "_fixed": {name: part.values()[0] for name, part in parts.items() if name not in varying},
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """Name to parameter, in order; a fresh dict."""
        return dict(zip(self.names, self._parts, strict=True))

    @property
    def dim(self) -> int:
        """The number of encoded columns."""
        return len(self._varying)

    @property
    def size(self) -> int | None:
        """The number of distinct points; None where a real parameter makes them infinite.

        With constraints they are counted, if a million points have to be looked at for it or fewer; else it is the
        size of the product.
        """
        if self.region is not None and (listing := self.region.listing) is not None:
            return len(listing)
        sizes = [part.size for part in self._parts if part.size is not None]
        return math.prod(sizes) if len(sizes) == len(self._parts) else None

    @property
    def constants(self) -> frozenset[str]:
        """The parameters that do not vary."""
        return frozenset(name for name, part in self.dimensions.items() if part.size == 1)

    @property
    def n_candidates(self) -> None:
        """None: the candidates are not listed."""
        return None

    @property
    def candidates(self) -> None:
        """None: the candidates are not listed."""
        return None

    @property
    def block_codes(self) -> None:
        """None: nor are they in a file."""
        return None

    @property
    def memory(self) -> int:
        """None: there are no matrices of candidates."""
        return 0

    @property
    def engine(self) -> None:
        """None: no rows are worked on."""
        return None

    def listed(self) -> list[dict[str, Scalar]]:
        """Empty: the candidates are not listed."""
        return []

    def representatives(self, most: int, rng: np.random.Generator) -> list[dict[str, Scalar]]:
        """The user's values of the points of a latin hypercube."""
        return [self.decode(x) for x in self.sample(most, rng)]

    def examples(self, name: str) -> tuple[Scalar, ...]:
        """The values of a parameter that is a list of them; else one of its numbers."""
        part = self.dimensions[name]
        return (part.low,) if isinstance(part, Float | Int) else part.values()

    def nearest(self, params: Mapping[str, Any]) -> None:  # noqa: ARG002
        """None: the candidates are not listed."""
        return

    def params_of(self, point: Point) -> dict[str, Scalar]:
        """The user's values of a point."""
        return self.decode(point.x)

    def row_of(self, point: Point) -> None:  # noqa: ARG002
        """None: there are no rows."""
        return

    @property
    def has_rows(self) -> bool:
        """False: there are no rows."""
        return False

    def place_of_row(self, row: Any) -> Place:  # noqa: ARG002
        """Refused: there are no rows."""
        raise InvalidInput("row= names a row of a table; this study's space is not a table: give params.")

    def candidate_of(self, name: Any) -> int:  # noqa: ARG002
        """Refused: the candidates are not listed."""
        raise InvalidInput(
            "only candidates that can be listed can be excluded: rows of a table, or points of a finite space of "
            "up to ten thousand. This space is neither; narrow its bounds in a new study instead."
        )

    def name_of(self, index: int) -> Any:
        """Refused: the candidates are not listed."""
        return self.at_index(index)

    def at_index(self, index: int) -> Point:
        """Refused: the candidates are not listed."""
        raise InvalidInput(f"no candidate {show(index)}: the points of a product of parameters are not numbered.")

    def check(self, params: Any) -> dict[str, Scalar]:
        """A validated copy in the order of ``names``, fixed parameters filled in, inactive ones left out."""
        given = self._given(params)
        checked = {name: part.check(given[name], name) for name, part in self.dimensions.items() if name in given}
        if self.region is not None and (violated := self.region.violated(checked)):
            raise InvalidInput(f"{show(checked)} violates {violated[0]}. Give a point that satisfies it.")
        return checked

    def feasible(self, params: Any) -> bool:
        """Whether these parameters satisfy the constraints; ones that are no parameters of the space are an error.

        >>> Mixed({"a": (0.0, 1.0), "b": (0.0, 1.0)}, constraints="a + b <= 1").feasible({"a": 0.7, "b": 0.4})
        False
        """
        given = self._given(params)
        checked = {name: part.check(given[name], name) for name, part in self.dimensions.items() if name in given}
        return self.region is None or not self.region.violated(checked)

    def place(self, params: Any) -> Place:
        """The place of a measurement, which may be outside: beyond bounds, between numbers of a list, or infeasible.

        >>> Mixed({"T": (20.0, 80.0), "n": [1, 2, 4]}).place({"T": 95.0, "n": 3}).x
        array([1.25, 0.75])
        """
        given = self._given(params)
        found = {name: part.place(given[name], name) for name, part in self._varying.items() if name in given}
        values = {
            name: found[name][0] if name in found else part.check(given[name], name)
            for name, part in self.dimensions.items()
            if name in given
        }
        inside = all(is_inside for _, _, is_inside in found.values())
        if inside and self.region is not None:
            inside = not self.region.violated(values)
        return Place(values, self._codes({name: code for name, (_, code, _) in found.items()}), None, inside)

    def encode(self, params: Any) -> Floats:
        """The (dim,) codes of validated parameters."""
        given = self._given(params)
        for name, value in self._fixed.items():
            Fixed(value).check(given[name], name)
        return self._codes({name: p.encode(given[name], name) for name, p in self._varying.items() if name in given})

    def decode(self, x: Any) -> dict[str, Scalar]:
        """The parameters nearest to (dim,) codes, fixed ones included, that the space has: inactive ones are absent."""
        codes = as_vector(x, "x")
        if len(codes) != self.dim:
            raise InvalidInput(f"x must have {self.dim} codes, one per varying parameter, got {len(codes)}.")
        if self.region is not None:
            return self.region.decoded(codes)
        pairs = zip(self._varying.items(), codes.tolist(), strict=True)
        values = self._fixed | {name: part.decode(code) for (name, part), code in pairs}
        return {name: values[name] for name in self.names}

    def argument(self, params: Any) -> dict[str, Scalar] | Floats:
        """The argument of the user's function: a dict, or a float64 array if the bounds had no names."""
        return as_argument(self.check(params), unnamed=self.unnamed)

    def snap(self, X: Any) -> Floats:
        """The admissible codes nearest to (m, dim) codes, or with constraints some that are close by."""
        codes = as_matrix(X, "X")
        if codes.shape[1] != self.dim:
            raise InvalidInput(f"X must have {self.dim} columns, one per varying parameter, got shape {codes.shape}.")
        if self.region is not None:
            return self.region.mended(codes)
        for j, part in enumerate(self._varying.values()):
            codes[:, j] = part.snap(codes[:, j])
        return codes

    def sample(self, m: int, rng: np.random.Generator) -> Floats:
        """(m, dim) codes of a latin hypercube; the values of discrete parameters take equal turns.

        With constraints, what of it satisfies them, and random points of the space for the rest.
        """
        m = as_whole(as_int(m, "m"), "m")
        if self.region is not None:
            return self.region.sample(m, rng)
        X = latin_hypercube(m, self.dim, rng)
        for j, part in enumerate(self._varying.values()):
            X[:, j] = part.spread(X[:, j])
        return X

    def moves(self, x: Floats, column: int) -> Floats:
        """Other admissible codes of one column to try from x; none for a real parameter.

        All others where they are categories or at most 32, else those 1, 2, 4, ... steps away.
        """
        if not 0 <= column < self.dim:
            raise InvalidInput(f"column must be from 0 to {self.dim - 1}, got {show(column)}.")
        return tuple(self._varying.values())[column].moves(float(x[column]))

    def enumerate(self) -> Floats:
        """The (size, dim) codes of all points, the last column running fastest."""
        size = self.size
        if size is None or size > _MAX_ENUMERATED:
            count = "infinitely many" if size is None else str(size)
            raise InvalidInput(f"only spaces of up to {_MAX_ENUMERATED} points can be listed; this one has {count}.")
        if self.region is not None:
            if self.region.listing is None:
                raise InvalidInput("this space has too many points to find those that satisfy its constraints.")
            return self.region.listing.copy()
        X = np.empty((size, self.dim))
        inner = size
        for j, part in enumerate(self._varying.values()):
            codes = [part.encode(value) for value in part.values()]
            inner //= len(codes)
            X[:, j] = np.resize(np.repeat(codes, inner), size)
        return X

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mixed):
            return NotImplemented
        mine = (self.names, self._parts, self.repeats, self.unnamed, self.constraints, self.mixtures)
        return mine == (
            other.names,
            other._parts,
            other.repeats,
            other.unnamed,
            other.constraints,
            other.mixtures,
        )

    def __repr__(self) -> str:
        grouped = {part: name for name, mixture in self.mixtures.items() for part in mixture.names}
        entries = {
            grouped.get(name, name): self.mixtures.get(grouped.get(name, ""), part)
            for name, part in self.dimensions.items()
        }
        parts = list(self._parts) if self.unnamed else entries
        return f"{type(self).__name__}({parts!r}{repeats_shown(self.repeats)}{constraints_shown(self.constraints)})"

    def _given(self, params: Any) -> dict[str, Any]:
        """The parameters by name, fixed ones filled in; of conditional ones those that exist at this point."""
        if self.region is None or not self.region.activity.rules:
            return complete(params, self.names, self._fixed, unnamed=self.unnamed)
        conditions: dict[str, Any] = {n: part.when for n, part in self._varying.items() if part.when is not None}
        absent = dict.fromkeys(conditions)
        given = complete(params, self.names, {**self._fixed, **absent}, unnamed=self.unnamed)
        return check_existing(given, conditions, params)

    def _codes(self, codes: Mapping[str, float]) -> Floats:
        """The codes by column; inactive columns are frozen."""
        frozen = {} if len(codes) == self.dim or self.region is None else self.region.frozen
        return np.array([codes[n] if n in codes else frozen[n] for n in self._varying], dtype=np.float64)


def _varies(part: Dimension) -> bool:
    """Whether a parameter is an encoded column: one that can be absent is, whatever its size."""
    return part.size != 1 or getattr(part, "when", None) is not None
