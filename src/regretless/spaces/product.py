"""Spaces that are products of parameters: every combination may be tried."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_vector, as_whole
from regretless.errors import InvalidInput
from regretless.spaces.dimensions import (
    Categorical,
    Dimension,
    Fixed,
    Float,
    Int,
    Ordinal,
    as_dimension,
    as_float_dimension,
)
from regretless.spaces.domain import Place, Point
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.params import Repeats, as_argument, check_repeats, complete, repeats_shown
from regretless.spaces.scalars import Scalar, as_int, show

__all__ = ["Box", "Mixed"]

_MAX_ENUMERATED = 10**7

Varying: TypeAlias = Float | Int | Ordinal | Categorical


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Mixed:
    """A product of named parameters of any kind.

    Each parameter that varies is one encoded column, in the order of ``names``: ordered ones in [0, 1], categories as
    0, 1, ... ``n_levels`` holds the number of categories of each column, 0 for ordered ones; ``continuous`` is True for
    real ones.

    Parameters
    ----------
    dimensions
        Name to parameter: (0.0, 1.0) is a real number, (1, 10) a whole one, (1e-5, 1e-1, "log") a log scale, a list its
        values (numbers in order, others without), a single value is fixed; or a dimension object.
    repeats
        Whether a point may be suggested again: "allow", "auto" or "never", as in `Study`. None leaves it to the study.

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
    """

    names: tuple[str, ...]
    repeats: Repeats | None  # None: left to the study
    unnamed: bool
    n_levels: tuple[int, ...]
    continuous: npt.NDArray[np.bool_]
    _parts: tuple[Dimension, ...]
    _varying: dict[str, Varying]
    _fixed: dict[str, Scalar]

    def __init__(self, dimensions: Mapping[str, Any], repeats: Repeats | None = None) -> None:
        if not isinstance(dimensions, Mapping):
            raise InvalidInput(f"dimensions must be a mapping of names to parameters, got {show(dimensions)}.")
        self._set(_read(dimensions, as_dimension), repeats, unnamed=False)

    def _set(self, parts: Mapping[str, Dimension], repeats: Repeats | None, *, unnamed: bool) -> None:
        varying = {name: part for name, part in parts.items() if not isinstance(part, Fixed) and part.size != 1}
        continuous = np.array([isinstance(part, Float) for part in varying.values()], dtype=np.bool_)
        continuous.flags.writeable = False
        fields = {
            "names": tuple(parts),
            "repeats": check_repeats(repeats),
            "unnamed": unnamed,
            "n_levels": tuple(part.n_levels for part in varying.values()),
            "continuous": continuous,
            "_parts": tuple(parts.values()),
            "_varying": varying,
            "_fixed": {
                name: part.values()[0] for name, part in parts.items() if not isinstance(part, Float) and part.size == 1
            },
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """Name to parameter, in order; a fresh dict."""
        return dict(zip(self.names, self._parts, strict=True))

    @property
    def dim(self) -> int:
        """How many encoded columns there are."""
        return len(self._varying)

    @property
    def size(self) -> int | None:
        """How many distinct points there are; None where a real parameter makes them infinite."""
        sizes = [part.size for part in self._parts if part.size is not None]
        return math.prod(sizes) if len(sizes) == len(self._parts) else None

    @property
    def n_candidates(self) -> None:
        """None: the candidates are not listed."""
        return None

    @property
    def candidates(self) -> None:
        """None: the candidates are not listed."""
        return None

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
        """A validated copy in the order of ``names``, fixed parameters filled in."""
        given = complete(params, self.names, self._fixed, unnamed=self.unnamed)
        return {name: part.check(given[name], name) for name, part in self.dimensions.items()}

    def place(self, params: Any) -> Place:
        """Where something was measured, which may be outside the space: beyond bounds, or between numbers of a list.

        >>> Mixed({"T": (20.0, 80.0), "n": [1, 2, 4]}).place({"T": 95.0, "n": 3}).x
        array([1.25, 0.75])
        """
        given = complete(params, self.names, self._fixed, unnamed=self.unnamed)
        found = {name: part.place(given[name], name) for name, part in self._varying.items()}
        values = {
            name: found[name][0] if name in found else part.check(given[name], name)
            for name, part in self.dimensions.items()
        }
        inside = all(is_inside for _, _, is_inside in found.values())
        x = np.array([code for _, code, _ in found.values()], dtype=np.float64)
        return Place(values, x, None, inside)

    def encode(self, params: Any) -> Floats:
        """The (dim,) codes of validated parameters."""
        given = complete(params, self.names, self._fixed, unnamed=self.unnamed)
        for name, value in self._fixed.items():
            Fixed(value).check(given[name], name)
        return np.array([part.encode(given[name], name) for name, part in self._varying.items()], dtype=np.float64)

    def encode_many(self, many: Sequence[Any]) -> Floats:
        """The (n, dim) codes of a list of parameters."""
        return np.array([self.encode(params) for params in many], dtype=np.float64).reshape(len(many), self.dim)

    def decode(self, x: Any) -> dict[str, Scalar]:
        """The parameters nearest to (dim,) codes, fixed ones included."""
        codes = as_vector(x, "x")
        if len(codes) != self.dim:
            raise InvalidInput(f"x must have {self.dim} codes, one per varying parameter, got {len(codes)}.")
        pairs = zip(self._varying.items(), codes.tolist(), strict=True)
        values = self._fixed | {name: part.decode(code) for (name, part), code in pairs}
        return {name: values[name] for name in self.names}

    def argument(self, params: Any) -> dict[str, Scalar] | Floats:
        """What the user's function gets: a dict, or a float64 array where the bounds had no names."""
        return as_argument(self.check(params), unnamed=self.unnamed)

    def snap(self, X: Any) -> Floats:
        """The admissible codes nearest to (m, dim) codes."""
        codes = as_matrix(X, "X")
        if codes.shape[1] != self.dim:
            raise InvalidInput(f"X must have {self.dim} columns, one per varying parameter, got shape {codes.shape}.")
        for j, part in enumerate(self._varying.values()):
            codes[:, j] = part.snap(codes[:, j])
        return codes

    def sample(self, m: int, rng: np.random.Generator) -> Floats:
        """(m, dim) codes of a latin hypercube; the values of discrete parameters take equal turns."""
        m = as_whole(as_int(m, "m"), "m")
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
        X = np.empty((size, self.dim))
        inner = size
        for j, part in enumerate(self._varying.values()):
            if isinstance(part, Float):
                continue  # excluded by size, known to the type checker only here
            codes = [part.encode(value) for value in part.values()]
            inner //= len(codes)
            X[:, j] = np.resize(np.repeat(codes, inner), size)
        return X

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mixed):
            return NotImplemented
        mine = (self.names, self._parts, self.repeats, self.unnamed)
        return mine == (other.names, other._parts, other.repeats, other.unnamed)

    def __repr__(self) -> str:
        parts = list(self._parts) if self.unnamed else self.dimensions
        return f"{type(self).__name__}({parts!r}{repeats_shown(self.repeats)})"


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Box(Mixed):
    """A product of real parameters.

    Parameters
    ----------
    bounds
        Name to (low, high); or a sequence of (low, high) as in SciPy, whose parameters are called x0, x1, ... and reach
        the user's function as one array.
    repeats
        Whether a point may be suggested again: "allow", "auto" or "never", as in `Study`. None leaves it to the study.

    Examples
    --------
    >>> box = Box([(-5, 10), (0, 15)])
    >>> box.names, box.encode([10, 7.5])
    (('x0', 'x1'), array([1. , 0.5]))
    >>> box.argument(box.decode([0.0, 0.5]))
    array([-5. ,  7.5])
    """

    def __init__(self, bounds: Any, repeats: Repeats | None = None) -> None:
        if isinstance(bounds, Mapping):
            self._set(_read(bounds, as_float_dimension), repeats, unnamed=False)
        elif isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str) and np.ndim(bounds) != 0:
            named = {f"x{i}": pair for i, pair in enumerate(bounds)}
            self._set(_read(named, as_float_dimension), repeats, unnamed=True)
        else:
            raise InvalidInput(f"bounds must be [(low, high), ...] or a mapping of names to them, got {show(bounds)}.")


def _read(entries: Mapping[Any, Any], reader: Callable[[Any], Dimension]) -> dict[str, Dimension]:
    """Every entry read, with the parameter's name in front of what is wrong with it."""
    if not entries:
        raise InvalidInput("a space needs at least one parameter, got none.")
    parts: dict[str, Dimension] = {}
    for name, entry in entries.items():
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"names of parameters must be non-empty text, got {show(name)}.")
        try:
            parts[str(name)] = reader(entry)
        except InvalidInput as error:
            raise InvalidInput(f"parameter {name!r}: {error}") from None
    return parts
