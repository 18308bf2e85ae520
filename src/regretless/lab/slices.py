"""The effect of each factor under the model, with its uncertainty: one or two vary, all others stay as recommended."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.lab.text import objectives_of
from regretless.optimizer import LevelSet
from regretless.spaces import Environment, Float, Int, Mixture
from regretless.spaces.conditions import existing
from regretless.spaces.levels import Fixed
from regretless.study import Study

__all__ = [
    "Axis",
    "Slice",
    "anchor_of",
    "anchor_words",
    "axis_of",
    "edges_of",
    "in_usual_environment",
    "line_of",
    "mixed_with",
    "moved",
    "slice_of",
    "slices",
    "surface_of",
]

#: Rows of a table that are looked at for the values of a column.
_ASKED = 2000
#: Up to so many different numbers are levels, each drawn.
_LEVELS = 12
#: A column of a table whose numbers span this factor or more is drawn on a log scale.
_DECADES = 100.0


@dataclass(frozen=True, slots=True)
class Axis:
    """A factor and the values along which it is drawn: names, levels, or a grid on its own scale."""

    name: str
    values: tuple[Any, ...]
    numeric: bool
    log: bool


@dataclass(frozen=True, slots=True)
class Slice:
    """An outcome along a factor, mean and sd in the user's units, and where that factor is recommended."""

    axis: Axis
    mean: tuple[float, ...]
    sd: tuple[float, ...]
    at: Any

    @property
    def size(self) -> float:
        """How far the mean goes."""
        return max(self.mean) - min(self.mean)


def anchor_of(study: Study) -> Mapping[str, Any]:
    """What a slice goes through: the recommended point, a decision in its most probable environment.

    Several objectives have no such point, and a level set has none: then the first Pareto-optimal trial, or the best.
    """
    if len(objectives_of(study)) == 1 and not isinstance(study.goal, LevelSet):
        return in_usual_environment(study, study.recommend().params)
    if not study.best_trials:
        raise InvalidInput("there is nothing to draw: no trial has every outcome and satisfies the constraints yet.")
    return study.best_trials[0].params


def anchor_words(study: Study) -> str:
    """What that point is called."""
    if isinstance(study.goal, LevelSet):
        return "as in the best trial"
    if study.environment is not None:
        return "as recommended, in the most probable environment"
    return "as recommended" if len(objectives_of(study)) == 1 else "as in a Pareto-optimal trial"


def mixed_with(study: Study, names: Sequence[str]) -> set[str]:
    """The components of mixtures that have one of these."""
    mixtures = getattr(study.space, "mixtures", {}).values()
    return {name for mixture in mixtures if set(names) & set(mixture.names) for name in mixture.names}


def line_of(study: Study, outcome: str | None = None) -> tuple[float, str] | None:
    """The value of an outcome that divides good from bad, with its words: a level or the bound of a constraint."""
    wanted = {each.name: each for each in study.outcomes}[study.objective if outcome is None else outcome]
    if wanted.goal is not None:
        return wanted.goal.level, f"level {wanted.goal.level:g}"
    return (wanted.bound, wanted.wanted) if wanted.role == "constraint" else None


def in_usual_environment(study: Study, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """A decision in its most probable environment, where there are any: a point of the space."""
    environment = study.environment
    if not isinstance(environment, Environment):
        return params
    return {**params, environment.name: environment.values[int(np.argmax(environment.weights))]}


def axis_of(study: Study, name: str, n_grid: int = 41) -> Axis:
    """The values along which a factor is drawn.

    >>> axis_of(Study({"rate": (1e-4, 1e-1, "log"), "acid": ["HCl", "HNO3"]}), "acid").values
    ('HCl', 'HNO3')
    """
    part = study.space.dimensions.get(name)
    if isinstance(part, Float | Int):
        grid = sorted({part.decode(code) for code in np.linspace(0.0, 1.0, n_grid).tolist()})
        return Axis(name, tuple(grid), True, part.log)
    if part is not None:
        values: Sequence[Any] = part.values()
    else:
        rows = study.space.representatives(_ASKED, np.random.default_rng(0))
        values = list(dict.fromkeys(row[name] for row in rows if name in row))
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if not numeric:
        return Axis(name, tuple(values), False, False)
    levels = sorted(values)
    log = bool(levels and levels[0] > 0 and levels[-1] >= _DECADES * levels[0])
    if len(levels) > _LEVELS:
        ends = np.geomspace if log else np.linspace
        levels = [float(value) for value in ends(levels[0], levels[-1], n_grid)]
    return Axis(name, tuple(levels), True, log)


def edges_of(axis: Axis) -> list[float]:
    """Where the cells of a map begin and end: half way between neighbours, on the axis' own scale."""
    if not axis.numeric:
        return [i - 0.5 for i in range(len(axis.values) + 1)]
    at = [math.log(value) if axis.log else float(value) for value in axis.values]
    inner = [(a + b) / 2.0 for a, b in pairwise(at)]
    edges = [at[0] - (inner[0] - at[0]), *inner, at[-1] + (at[-1] - inner[-1])]
    return [math.exp(edge) for edge in edges] if axis.log else edges


def slices(study: Study, outcome: str | None = None) -> list[Slice]:
    """The slices of every factor that varies, the largest first. Something must have been told.

    >>> study = Study([{"a": a, "b": b} for a in range(5) for b in ("x", "y")], seed=1)
    >>> for _ in range(10):
    ...     trial = study.ask()
    ...     told = study.tell(trial, 10 * (trial.params["b"] == "x") + trial.params["a"])
    >>> [each.axis.name for each in slices(study)]
    ['b', 'a']
    """
    anchor, found = anchor_of(study), []
    for name in study.space.names:
        if name in study.space.constants or name not in anchor:  # a conditional factor need not exist there
            continue
        along = slice_of(study, axis_of(study, name), anchor, outcome)
        if len(along.axis.values) > 1:
            found.append(along)
    return sorted(found, key=lambda each: -each.size)


def slice_of(study: Study, axis: Axis, anchor: Mapping[str, Any], outcome: str | None = None) -> Slice:
    """The slice along one axis through the anchor; values that no experiment can have there are left out."""
    many = [(value, moved(study, anchor, {axis.name: value})) for value in axis.values]
    possible = [(value, params) for value, params in many if params is not None]
    mean, sd = study.predict([params for _, params in possible], outcome)
    kept = replace(axis, values=tuple(value for value, _ in possible))
    return Slice(kept, tuple(mean.tolist()), tuple(sd.tolist()), anchor[axis.name])


def surface_of(
    study: Study, across: Axis, up: Axis, anchor: Mapping[str, Any], outcome: str | None = None
) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """The mean over two factors, rows upwards, and of a level set what is inside; NaN where there is no experiment."""
    many = [moved(study, anchor, {across.name: u, up.name: v}) for v in up.values for u in across.values]
    possible = [i for i, params in enumerate(many) if params is not None]
    shape, mean = (len(up.values), len(across.values)), np.full(len(many), np.nan)
    some = [many[i] for i in possible]
    if not some:
        raise InvalidInput(f"there is nothing to draw: no experiment has both {across.name} and {up.name}.")
    mean[possible] = study.predict(some, outcome)[0]
    if not isinstance(study.goal, LevelSet):
        return mean.reshape(shape), None
    inside = np.zeros(len(many), dtype=np.bool_)
    inside[possible] = study.region(some).inside
    return mean.reshape(shape), inside.reshape(shape)


def moved(study: Study, anchor: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any] | None:
    """The anchor with some factors changed; None where no experiment has these values.

    The other components of a mixture share what is left, in the proportions of the anchor. A parameter that does not
    exist there is left out; one that comes to exist is at the middle of its range.

    >>> from regretless import Mixed, Mixture
    >>> study = Study(Mixed({"mix": Mixture(["A", "B", "C"])}), seed=1)
    >>> moved(study, {"A": 0.2, "B": 0.2, "C": 0.6}, {"A": 0.6})
    {'A': 0.6, 'B': 0.1, 'C': 0.3}
    """
    there, space = {**anchor, **changes}, study.space
    if space.has_rows:
        return there
    for mixture in getattr(space, "mixtures", {}).values():
        rest = _shared(mixture, anchor, changes)
        if rest is None:
            return None
        there |= rest
    parts = space.dimensions
    middle = {name: part.value if isinstance(part, Fixed) else part.decode(0.5) for name, part in parts.items()}
    full = {name: there.get(name, value) for name, value in middle.items()}
    found = existing(parts, full)
    return found if set(changes) <= set(found) else None


def _shared(mixture: Mixture, anchor: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, float] | None:
    """The components that were not changed, which share what is left of the total."""
    if not any(name in changes for name in mixture.names):
        return {}
    rest = [name for name in mixture.names if name not in changes]
    left = mixture.total - sum(float(changes[name]) for name in mixture.names if name in changes)
    if left < -1e-9 * mixture.total or (not rest and left > 1e-9 * mixture.total):
        return None
    weights = [float(anchor[name]) for name in rest]
    whole = sum(weights)
    shares = [weight / whole if whole > 0.0 else 1.0 / len(rest) for weight in weights]
    return {name: round(max(left, 0.0) * share, 12) for name, share in zip(rest, shares, strict=True)}
