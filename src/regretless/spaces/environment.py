"""Uncontrolled conditions of a decision: an environment, or an error in applying the decision.

While experimenting an environment can be set; later it comes with known probabilities, or as the worst there is. A
study then searches over decisions and measures at a decision in an environment, which is one point of its space.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from regretless.arrays import Floats, as_nonnegative, as_vector, as_whole, show
from regretless.errors import InvalidInput
from regretless.risk import as_weights
from regretless.spaces.columns import distinct_rows
from regretless.spaces.dimensions import Fixed, Float, as_dimension
from regretless.spaces.domain import Point
from regretless.spaces.product import Mixed
from regretless.spaces.scalars import Scalar, as_level
from regretless.spaces.table import FileTable, Table, listed_domain
from regretless.spaces.table.frame import Frame
from regretless.spaces.table.rowids import RowIds

__all__ = ["Environment", "Perturbation", "Scenarios", "scenarios_of"]


@dataclass(frozen=True, slots=True, init=False)
class Environment:
    """A condition that can be set in an experiment and cannot be chosen when a decision is used.

    Parameters
    ----------
    name
        What it is called. It becomes a parameter of every trial, or is one of the space already.
    values
        The values it takes: numbers in order, or choices without one, as in a space.
    weights
        Their probabilities; None: all the same.

    Examples
    --------
    >>> Environment("humidity", [20, 40, 60], weights=[0.5, 0.3, 0.2])
    Environment(name='humidity', values=(20, 40, 60), weights=(0.5, 0.3, 0.2))
    """

    name: str
    values: tuple[Scalar, ...]
    weights: tuple[float, ...]

    def __init__(self, name: str, values: Sequence[Any], weights: npt.ArrayLike | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"an environment needs a name such as 'humidity', got {show(name)}.")
        given = list(values) if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) else []
        levels = tuple(as_level(value, f"a value of {name}") for value in given)
        if not levels or len(set(levels)) < len(levels):
            raise InvalidInput(f"{name} needs a list of different values, such as [20, 40, 60], got {show(values)}.")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", levels)
        object.__setattr__(self, "weights", tuple(as_weights(weights, len(levels)).tolist()))

    @property
    def words(self) -> str:
        """What it is called."""
        return self.name


@dataclass(frozen=True, slots=True, init=False)
class Perturbation:
    """The error with which a decision is applied: known shifts of real parameters, with known probabilities.

    A decision is worth what comes out at the shifted points; a shift does not lead beyond the bounds of the space.

    Parameters
    ----------
    shifts
        By parameter, in its units: one shift per possible error.
    weights
        The probabilities of the errors; None: all the same.

    Examples
    --------
    >>> Perturbation({"x": [-0.1, 0.0, 0.1]}, weights=[0.25, 0.5, 0.25])
    Perturbation(shifts=(('x', (-0.1, 0.0, 0.1)),), weights=(0.25, 0.5, 0.25))
    >>> [round(shift, 4) for shift in Perturbation.normal({"x": 0.1}, count=3).shifts[0][1]]
    [-0.0967, 0.0, 0.0967]
    """

    shifts: tuple[tuple[str, tuple[float, ...]], ...]
    weights: tuple[float, ...]

    def __init__(
        self, shifts: Mapping[str, npt.ArrayLike] | tuple[Any, ...], weights: npt.ArrayLike | None = None
    ) -> None:
        if isinstance(shifts, tuple):  # as they are kept
            shifts = dict(shifts)
        if not isinstance(shifts, Mapping) or not shifts:
            raise InvalidInput(f"shifts must be a mapping such as {{'x': [-0.1, 0.0, 0.1]}}, got {show(shifts)}.")
        each = {str(name): as_vector(values, f"shifts of {name}") for name, values in shifts.items()}
        count = len(next(iter(each.values())))
        if not count or any(len(values) != count for values in each.values()):
            raise InvalidInput(
                "every parameter needs as many shifts, one per possible error, got "
                f"{', '.join(f'{len(values)} of {name}' for name, values in each.items())}."
            )
        object.__setattr__(self, "shifts", tuple((name, tuple(values.tolist())) for name, values in each.items()))
        object.__setattr__(self, "weights", tuple(as_weights(weights, count).tolist()))

    @classmethod
    def normal(cls, sd: Mapping[str, float], count: int = 16) -> Self:
        """Independent normal errors with these standard deviations, represented by ``count`` points."""
        return cls(_spread(sd, count, "sd", lambda u: np.asarray(ndtri(u))))

    @classmethod
    def uniform(cls, width: Mapping[str, float], count: int = 16) -> Self:
        """Independent uniform errors of at most ``width`` on either side, represented by ``count`` points.

        >>> Perturbation.uniform({"x": 0.5}, count=2).shifts
        (('x', (-0.25, 0.25)),)
        """
        return cls(_spread(width, count, "width", lambda u: 2.0 * u - 1.0))

    @property
    def words(self) -> str:
        """What it is called."""
        return f"errors of {', '.join(name for name, _ in self.shifts)}"


Uncertain: TypeAlias = Environment | Perturbation


def _spread(scale: Any, count: int, what: str, quantile: Any) -> dict[str, Floats]:
    """A centred Latin hypercube through a quantile function; the same for the same names and count."""
    if not isinstance(scale, Mapping) or not scale:
        raise InvalidInput(f"{what} must be a mapping such as {{'x': 0.1}}, got {show(scale)}.")
    n = as_whole(count, "count", least=1, most=1000)
    u, rng = (np.arange(n) + 0.5) / n, np.random.default_rng(0)
    sizes = {name: as_nonnegative(value, f"{what} of {name}") for name, value in scale.items()}
    # The first in order: only how the others are paired with it is drawn.
    each = [quantile(u if k == 0 else rng.permutation(u)) for k in range(len(sizes))]
    return {name: size * q for (name, size), q in zip(sizes.items(), each, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Scenarios:
    """Decisions, and for each the points at which it may be measured, one per environment.

    ``domain`` has all these points; its codes are those of a decision with that of the environment in ``column``, or
    shifted. ``rows`` are the numbers of the points, (decisions, environments), where they are listed.
    """

    environment: Uncertain
    given: Table | Mixed  # what the user calls the space
    space: Table | Mixed  # with the environment
    domain: Table | Mixed  # as it is searched
    decisions: Table | Mixed
    weights: Floats
    column: int | None = None
    codes: Floats = field(default_factory=lambda: np.empty(0))
    shifts: Floats | None = None  # (w, d), in codes
    rows: npt.NDArray[np.intp] | None = None

    @property
    def rigid(self) -> bool:
        """Whether the points of a decision are a translation of those of another: shifts are cut off at the bounds."""
        return self.shifts is None

    def points(self, X: Floats) -> Floats:
        """The codes of decisions in all environments, (m, w, D)."""
        if self.shifts is not None:
            return np.clip(X[:, None, :] + self.shifts, 0.0, 1.0)
        Z = np.repeat(X[:, None, :], len(self.weights), axis=1)
        if self.column is None:
            return Z
        codes = np.broadcast_to(self.codes[None, :, None], (len(X), len(self.codes), 1))
        return np.concatenate([Z[..., : self.column], codes, Z[..., self.column :]], axis=2)

    def pull(self, X: Floats, gradient: Floats) -> Floats:
        """The gradient in the decisions of what has this gradient in their points: (m, w, D) -> (m, d)."""
        if self.shifts is not None:
            moved = X[:, None, :] + self.shifts
            found: Floats = np.where((moved >= 0.0) & (moved <= 1.0), gradient, 0.0).sum(axis=1)
            return found
        whole: Floats = gradient.sum(axis=1)
        return whole if self.column is None else np.delete(whole, self.column, axis=1)

    def decisions_of(self, X: Floats) -> Floats:
        """The decision of each point; a measured point of a shifted decision counts as a decision itself."""
        return X if self.column is None else np.delete(X, self.column, axis=1)

    def point(self, decision: Point, w: int) -> Point:
        """A decision in an environment."""
        if self.rows is not None and decision.index is not None:
            return self.domain.at_index(int(self.rows[decision.index, w]))
        return Point(self.points(decision.x[None, :])[0, w])


def scenarios_of(space: Table | Mixed, environment: Uncertain, limit: int) -> Scenarios:
    """The decisions of a space and their environments; finite spaces of up to ``limit`` points are listed."""
    if isinstance(space, FileTable):
        raise InvalidInput("a table in a file has no environments; read its rows into memory.")
    if isinstance(environment, Perturbation):
        return _shifted(space, environment, limit)
    if not isinstance(environment, Environment):
        raise InvalidInput(
            f"environment must be an Environment or a Perturbation, such as Environment('humidity', [20, 40, 60]), "
            f"got {show(environment)}."
        )
    if space.unnamed:
        raise InvalidInput("an environment needs parameters with names: give the space as a mapping or a table.")
    joint = space if environment.name in space.names else _joined(space, environment)
    weights = np.array(environment.weights)
    domain = listed_domain(joint, limit)
    if isinstance(joint, Table):
        decisions: Table | Mixed = _rows_without(joint, environment.name) if joint is space else space
    else:
        decisions = _without(joint, environment.name)
        if isinstance(domain, Table):
            decisions = listed_domain(decisions, limit)
    column, codes = _codes(joint, environment)
    found = Scenarios(environment, space, joint, domain, decisions, weights, column, codes)
    if not isinstance(domain, Table):
        return found
    return Scenarios(
        environment, space, joint, domain, decisions, weights, column, codes, rows=_rows(found, domain, decisions)
    )


def _joined(space: Table | Mixed, environment: Environment) -> Table | Mixed:
    """The space with the environment as a last parameter."""
    if isinstance(space, Mixed):
        part = as_dimension(list(environment.values))
        twin = Mixed.__new__(Mixed)
        twin._set(
            {**space.dimensions, environment.name: part},
            space.repeats,
            unnamed=False,
            constraints=space.constraints,
            mixtures=space.mixtures,
        )
        return twin
    n_w, named = len(environment.values), "id of a row in an environment"
    while named in space.names:
        named += "_"
    columns: dict[str, list[Any]] = {
        name: [value for value in column.items() for _ in range(n_w)] for name, column in space._frame.by_name.items()
    }
    columns[environment.name] = list(environment.values) * space.n_candidates
    columns[named] = [f"{row} {environment.name}={value}" for row in space.ids for value in environment.values]
    levels = [name for name, column in space._frame.by_name.items() if column.n_levels]
    return Table(
        columns, id=named, categorical=levels, repeats=space.repeats, constraints=space.constraints, memory=space.memory
    )


def _without(space: Mixed, name: str) -> Mixed:
    twin = Mixed.__new__(Mixed)
    parts = {each: part for each, part in space.dimensions.items() if each != name}
    if not parts:
        raise InvalidInput(f"{name} is the only parameter: there is no decision left to make.")
    twin._set(parts, space.repeats, unnamed=False, constraints=space.constraints, mixtures=space.mixtures)
    return twin


def _rows_without(table: Table, name: str) -> Table:
    """The distinct rows of the other columns, on their scales, each under the id of its first row."""
    columns = {each: column for each, column in table._frame.by_name.items() if each != name}
    if not columns:
        raise InvalidInput(f"{name} is the only column: there is no decision left to make.")
    first, _ = distinct_rows(tuple(columns.values()))
    numbers = np.arange(len(first))
    ids = RowIds(numbers, numbers, tuple(table.ids[row] for row in first.tolist()))
    return Table._of(Frame.of(columns).take(first), ids, repeats=table.repeats, unnamed=False, memory=table.memory)


def _codes(joint: Table | Mixed, environment: Environment) -> tuple[int | None, Floats]:
    """The encoded column of the environment and the codes of its values; None where it has one value."""
    name, values = environment.name, environment.values
    if isinstance(joint, Table):
        column, varying = joint._frame.by_name[name], list(joint._frame.varying)
        there = {column.item(row) for row in range(joint.n_candidates)}
        codes = [column.place(value, name)[1] for value in values if value in there]
    else:
        part, varying = joint.dimensions[name], list(joint._varying)
        if isinstance(part, Float) or part.size is None:
            raise InvalidInput(
                f"{name} is a real parameter of the space; an environment has a list of values, so leave it out of the "
                "space: the environment brings it."
            )
        there = set(part.values())
        codes = [] if isinstance(part, Fixed) else [part.encode(value, name) for value in values if value in there]
    if there != set(values):
        raise InvalidInput(
            f"{name} of the space has the values {show(sorted(there, key=str))}, the environment {show(list(values))}."
        )
    if name not in varying:
        return None, np.empty(0)
    return varying.index(name), np.array(codes, dtype=np.float64)


def _rows(scenarios: Scenarios, domain: Table, decisions: Table | Mixed) -> npt.NDArray[np.intp]:
    """The number of every decision in every environment."""
    assert isinstance(decisions, Table)
    number = {row.tobytes(): i for i, row in enumerate(domain.X + 0.0)}
    Z = scenarios.points(decisions.X) + 0.0
    try:
        rows = [[number[z.tobytes()] for z in group] for group in Z]
    except KeyError:
        name = scenarios.environment.words
        raise InvalidInput(
            f"some rows are there for some values of {name} only. A table with a column {name} needs every decision "
            f"once for each of its values; or leave the column out: the environment brings it."
        ) from None
    return np.array(rows, dtype=np.intp)


def _shifted(space: Table | Mixed, perturbation: Perturbation, limit: int) -> Scenarios:
    """A space whose real parameters are applied with an error."""
    if not isinstance(space, Mixed) or isinstance(listed_domain(space, limit), Table):
        raise InvalidInput("an error in applying a decision needs real parameters: a table has nothing in between.")
    if space.region is not None:
        raise InvalidInput(
            "an error in applying a decision may lead to where constraints, conditions or mixtures forbid to measure; "
            "leave them out."
        )
    shifts = np.zeros((len(perturbation.weights), space.dim))
    for name, values in perturbation.shifts:
        part = space.dimensions.get(name)
        if not isinstance(part, Float) or part.size is not None or part.log:
            known = [each for each, one in space.dimensions.items() if isinstance(one, Float) and not one.log]
            raise InvalidInput(
                f"{name} is no real parameter on a linear scale, so shifts of it have no meaning; there are {known}."
            )
        shifts[:, list(space._varying).index(name)] = np.array(values) / (part.high - part.low)
    return Scenarios(perturbation, space, space, space, space, np.array(perturbation.weights), shifts=shifts)
