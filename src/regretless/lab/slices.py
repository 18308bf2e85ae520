"""What each factor does by the model, with its uncertainty: one factor moves, all others stay as recommended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.lab.text import objectives_of
from regretless.spaces import Float, Int
from regretless.study import Study

__all__ = ["Axis", "Slice", "anchor_of", "axis_of", "slices"]

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
    """What a slice goes through: the recommended point.

    Of several objectives the first Pareto-optimal trial; of a level set, which recommends no point, the best trial.
    """
    if len(objectives_of(study)) == 1 and study.goal is None:
        return study.recommend().params
    if not study.best_trials:
        raise InvalidInput("there is nothing to draw: no trial has every outcome and satisfies the constraints yet.")
    return study.best_trials[0].params


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
        axis = axis_of(study, name)
        if len(axis.values) > 1:
            mean, sd = study.predict([{**anchor, name: value} for value in axis.values], outcome)
            found.append(Slice(axis, tuple(mean.tolist()), tuple(sd.tolist()), anchor[name]))
    return sorted(found, key=lambda each: -each.size)
