"""What each factor does, as the model sees it: the expected value at each level, averaged over everything else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.study import Study

__all__ = ["Effect", "Level", "effects"]

#: Candidates the model is asked about; of a larger space so many, drawn at random, stand for it.
_ASKED = 1000
#: A factor with more values than this is cut into as many groups of equal size.
_GROUPS = 12


@dataclass(frozen=True, slots=True)
class Level:
    """One value of a factor, or a group of neighbours: the average expected value, and where 80 % of candidates lie."""

    label: str
    at: float  # where it lies on the axis; its place in the list for names
    mean: float
    low: float
    high: float
    measured: int  # how many results there are at this level


@dataclass(frozen=True, slots=True)
class Effect:
    """A factor and its levels; ``size`` is how far the averages are apart."""

    name: str
    numeric: bool
    levels: tuple[Level, ...]

    @property
    def size(self) -> float:
        """Largest minus smallest average."""
        means = [level.mean for level in self.levels]
        return max(means) - min(means)


def effects(study: Study, outcome: str | None = None) -> list[Effect]:
    """The effect of every factor that varies on an outcome, the largest first. It must have been told at least once.

    Of the (first) objective where no ``outcome`` is named.

    >>> study = Study([{"a": a, "b": b} for a in range(5) for b in ("x", "y")], seed=1)
    >>> for _ in range(10):
    ...     trial = study.ask()
    ...     told = study.tell(trial, 10 * (trial.params["b"] == "x") + trial.params["a"])
    >>> [effect.name for effect in effects(study)]
    ['b', 'a']
    """
    points = study.space.representatives(_ASKED, np.random.default_rng(0))
    mean = study.predict(points, outcome)[0]
    used = (trial for trial in study.trials if trial.status == "told" and not trial.excluded)
    told = [trial.params for trial in used if trial.note is None]  # others are at no level of the factors
    found = []
    for name in study.space.names:
        there = [i for i, point in enumerate(points) if name in point]  # a conditional one is absent elsewhere
        some = [points[i] for i in there]
        if len({point[name] for point in some}) > 1:
            found.append(_effect(name, some, mean[there], [params for params in told if name in params]))
    return sorted(found, key=lambda effect: -effect.size)


def _effect(name: str, points: Sequence[Mapping[str, Any]], mean: Floats, told: Sequence[Mapping[str, Any]]) -> Effect:
    values = [point[name] for point in points]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if not numeric:
        names = list(dict.fromkeys(values))
        groups = [(str(value), float(i), {value}) for i, value in enumerate(names)]
        levels = [
            _level(label, at, mean[[value in group for value in values]], sum(params[name] in group for params in told))
            for label, at, group in groups
        ]
        return Effect(name, False, tuple(levels))
    x = np.array(values, dtype=np.float64)
    distinct = np.unique(x)
    edges = distinct if len(distinct) <= _GROUPS else np.unique(np.quantile(x, np.linspace(0.0, 1.0, _GROUPS + 1)[:-1]))
    place = np.searchsorted(edges, x, side="right") - 1
    seen = np.searchsorted(edges, [float(params[name]) for params in told], side="right") - 1
    levels = [
        _level(_range(x[place == i]), float(x[place == i].mean()), mean[place == i], int((seen == i).sum()))
        for i in range(len(edges))
        if (place == i).any()
    ]
    return Effect(name, True, tuple(levels))


def _level(label: str, at: float, expected: Floats, measured: int) -> Level:
    low, high = np.quantile(expected, [0.1, 0.9])
    return Level(label, at, float(expected.mean()), float(low), float(high), measured)


def _range(values: Floats) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.6g}" if low == high else f"{low:.4g} to {high:.4g}"
