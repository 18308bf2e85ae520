"""Functions with cheaper approximations of themselves: the literature's problems for fidelities, with their optima.

Formulas are those of Xiong, Qian and Wu (2013) as the Virtual Library of Simulation Experiments has them, and of
BoTorch's ``AugmentedBranin`` and ``AugmentedHartmann``. All are maximised. What a level costs is ours: the sources
name none, or several.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_finite_float, as_vector
from regretless.errors import InvalidInput
from regretless.problems.problem import Problem
from regretless.spaces import Box

__all__ = ["FidelityProblem", "fidelity_names", "fidelity_problem"]


@dataclass(frozen=True, slots=True, eq=False)
class FidelityProblem:
    """A function to maximise at its target, and the same function at cheaper levels.

    ``function`` maps (m, d) rows and a level to (m,) values without noise. The last of ``levels`` is the target, to
    which optimum and optimisers belong; ``costs`` has an entry per level.

    >>> problem = fidelity_problem("currin")
    >>> problem.levels, problem.costs, round(problem([0.2, 0.1], 1.0), 4)
    ((0.0, 1.0), (0.1, 1.0), 13.6765)
    """

    target: Problem
    function: Callable[[Floats, float], Floats]
    levels: tuple[float, ...]
    costs: tuple[float, ...]

    @property
    def name(self) -> str:
        """That of the problem."""
        return self.target.name

    def __call__(self, x: npt.ArrayLike, level: float) -> float:
        """The value at one point and level."""
        s = as_finite_float(level, "level")
        if not self.levels[0] <= s <= self.levels[-1]:
            raise InvalidInput(f"{self.name} has levels from {self.levels[0]:g} to {self.levels[-1]:g}, got {s:g}.")
        return float(self.function(as_vector(x, "x")[None, :], s)[0])


def augmented_branin(X: Floats, s: float) -> Floats:
    """Branin's function with a curvature that is off by 0.1 (1 - s); its sign turned."""
    x, y = X.T
    curve = y - (5.1 / (4.0 * np.pi**2) - 0.1 * (1.0 - s)) * x**2 + 5.0 / np.pi * x - 6.0
    return np.asarray(-(curve**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0))


_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def augmented_hartmann(X: Floats, s: float) -> Floats:
    """Hartmann's function in six dimensions, whose first hill is lower by a share of 0.1 (1 - s)."""
    hills = np.exp(-np.einsum("ij,nij->ni", _A, (X[:, None, :] - _P) ** 2))
    return np.asarray(hills @ (_ALPHA - np.array([0.1 * (1.0 - s), 0.0, 0.0, 0.0])))


def currin(X: Floats, s: float) -> Floats:
    """Currin's exponential function, and below the target the mean of four of its values 0.05 away."""
    if s == 1.0:
        return _currin(X[:, 0], X[:, 1])
    x, up, down = X[:, 0], X[:, 1] + 0.05, np.maximum(X[:, 1] - 0.05, 0.0)
    return np.asarray(0.25 * sum(_currin(x + step, y) for step in (0.05, -0.05) for y in (up, down)))


def _currin(x: Floats, y: Floats) -> Floats:
    fall = 1.0 - np.exp(-0.5 / np.maximum(y, 1e-300))
    return np.asarray(fall * (2300 * x**3 + 1900 * x**2 + 2092 * x + 60) / (100 * x**3 + 500 * x**2 + 4 * x + 20))


def park(X: Floats, s: float) -> Floats:
    """Park's first function in four dimensions, and below the target a tilted version of it."""
    a, b, c, d = X.T
    # a/2 (sqrt(1 + (b + c^2) d / a^2) - 1), in the form that has no pole at a = 0
    high = 0.5 * (np.sqrt(a**2 + (b + c**2) * d) - a) + (a + 3.0 * d) * np.exp(1.0 + np.sin(c))
    return np.asarray(high if s == 1.0 else (1.0 + 0.1 * np.sin(a)) * high - 2.0 * a + b**2 + c**2 + 0.5)


def borehole(X: Floats, s: float) -> Floats:
    """Flow of water through a borehole, in m^3 a year; below the target with other constants."""
    rw, r, tu, hu, tl, hl, length, kw = X.T
    log = np.log(r / rw)
    factor, first = (2.0 * np.pi, 1.0) if s == 1.0 else (5.0, 1.5)
    return np.asarray(factor * tu * (hu - hl) / (log * (first + 2.0 * length * tu / (log * rw**2 * kw) + tu / tl)))


_UNIT = (0.0, 1.0)
_BOREHOLE = (
    (0.05, 0.15),
    (100.0, 50000.0),
    (63070.0, 115600.0),
    (990.0, 1110.0),
    (63.1, 116.0),
    (700.0, 820.0),
    (1120.0, 1680.0),
    (9855.0, 12045.0),
)


@dataclass(frozen=True, slots=True)
class _Known:
    function: Callable[[Floats, float], Floats]
    bounds: tuple[tuple[float, float], ...]
    optimizers: tuple[tuple[float, ...], ...]
    levels: tuple[float, ...] = _UNIT
    costs: tuple[float, ...] = (0.1, 1.0)


_PROBLEMS: Mapping[str, _Known] = MappingProxyType(
    {
        "augmented-branin": _Known(
            augmented_branin,
            ((-5.0, 10.0), (0.0, 15.0)),
            ((-np.pi, 12.275), (np.pi, 2.275), (3.0 * np.pi, 2.475)),
            (0.0, 0.5, 1.0),
            (0.1, 0.3, 1.0),
        ),
        "augmented-hartmann": _Known(
            augmented_hartmann,
            (_UNIT,) * 6,
            ((0.20168951, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730054),),
            (0.0, 0.5, 1.0),
            (0.1, 0.3, 1.0),
        ),
        "currin": _Known(currin, (_UNIT,) * 2, ((13.0 / 60.0, 0.0),)),
        "park": _Known(park, (_UNIT,) * 4, ((1.0,) * 4,)),
        "borehole": _Known(borehole, _BOREHOLE, ((0.15, 100.0, 115600.0, 1110.0, 116.0, 700.0, 1120.0, 12045.0),)),
    }
)


def fidelity_names() -> tuple[str, ...]:
    """The problems with cheaper levels.

    >>> fidelity_names()
    ('augmented-branin', 'augmented-hartmann', 'currin', 'park', 'borehole')
    """
    return tuple(_PROBLEMS)


def fidelity_problem(name: str) -> FidelityProblem:
    """The problem of that name.

    >>> problem = fidelity_problem("park")
    >>> round(problem.target.optimum, 6), problem.target.space.names[:2]
    (25.589254, ('x0', 'x1'))
    """
    if name not in _PROBLEMS:
        raise InvalidInput(f"no problem with fidelities is called {name!r}; known are {', '.join(_PROBLEMS)}.")
    known = _PROBLEMS[name]
    best = np.array(known.optimizers, dtype=np.float64)
    top = known.levels[-1]
    target = Problem(name, Box(list(known.bounds)), lambda X: known.function(X, top), 0.0, best)
    optimum = float(target.evaluate(best).max())
    target = Problem(name, target.space, target.function, optimum, best)
    return FidelityProblem(target, known.function, known.levels, known.costs)
