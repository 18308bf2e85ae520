"""Tables of materials experiments with a second objective that somebody who runs them would have."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.pareto import hypervolume
from regretless.problems.measurements import load
from regretless.problems.outcomes import Direction, FrontProblem
from regretless.problems.problem import Lookup

__all__ = ["load_tradeoff", "tradeoff_names"]


def speed(rows: Floats) -> Floats:
    """AutoAM's second column: how fast the line is printed."""
    return rows[:, 1]


def cross_section(rows: Floats) -> Floats:
    r"""Area of the hollow columns of a crossed barrel, proportional to the material it takes.

    .. math:: A = n \pi \big(r^2 - (r - t)^2\big)

    >>> cross_section(np.array([[1.0, 0.0, 2.0, 1.0]])).round(6).tolist()
    [9.424778]
    """
    n, _, r, t = rows.T
    return np.asarray(n * np.pi * t * (2.0 * r - t), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Second:
    """A second objective, computed from the inputs, and the names of both."""

    measured: str
    name: str
    direction: Direction
    value: Callable[[Floats], Floats]


_SECONDS: Mapping[str, _Second] = MappingProxyType(
    {
        "autoam": _Second("score", "speed", "maximize", speed),
        "crossed-barrel": _Second("toughness", "cross-section", "minimize", cross_section),
    }
)


def tradeoff_names() -> tuple[str, ...]:
    """All names that :func:`load_tradeoff` knows, in alphabetical order.

    >>> tradeoff_names()
    ('autoam', 'crossed-barrel')
    """
    return tuple(_SECONDS)


def load_tradeoff(
    name: str, folder: str | os.PathLike[str] | None = None, *, sha256: str | None = None
) -> FrontProblem:
    """A table of :func:`regretless.problems.load` with two objectives.

    AutoAM: the score of a printed line against the speed it is printed with, both large; a slow line is easily good.
    Crossed barrel: toughness, large, against the material used, small; thick walls and many columns are easily tough.
    The second objective follows from the inputs, as weight, price or time mostly do, but an optimiser is not told how.
    The reference point is 0 for what is to be large, and the largest value of the table for what is to be small.
    """
    if name not in _SECONDS:
        raise InvalidInput(f"no table with two objectives is called {name!r}. Known are: {', '.join(_SECONDS)}.")
    problem, second = load(name, folder, sha256=sha256), _SECONDS[name]
    rows = np.array([list(row.values()) for row in problem.space.listed()])
    measured, computed = problem.evaluate(rows), second.value(rows)
    large = second.direction == "maximize"
    worst = 0.0 if large else float(computed.max())
    gains = np.stack([measured, computed if large else worst - computed], axis=1)
    return FrontProblem(
        f"{name}-{second.name}",
        problem.space,
        _Pair(Lookup(rows, measured), Lookup(rows, computed)),
        objectives={second.measured: "maximize", second.name: second.direction},
        reference={second.measured: 0.0, second.name: worst},
        best_hypervolume=hypervolume(gains, [0.0, 0.0]),
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two functions of the same rows, side by side."""

    first: Callable[[Floats], Floats]
    second: Callable[[Floats], Floats]

    def __call__(self, X: Floats) -> Floats:
        """Both values at the rows of ``X``."""
        return np.stack([self.first(X), self.second(X)], axis=1)
