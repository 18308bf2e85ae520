"""Functions whose decisions must do well over environments or errors, with their robust optima.

The polynomial is that of Bertsimas, Nohadani and Teo (2010) as Bogunovic et al. (2018) maximise its worst case; the DH
functions are those of Deb and Gupta (2005) in BoTorch's form, their two objectives added; of Branin's function one
coordinate is the environment. All are maximised. Optima were found on dense grids and refined: a test does it again.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix
from regretless.errors import InvalidInput
from regretless.risk import Aim, CVaR, Expectation, WorstCase
from regretless.spaces import Environment, Float, Mixed, Perturbation

__all__ = ["RobustProblem", "robust_names", "robust_problem"]


@dataclass(frozen=True, slots=True, eq=False)
class RobustProblem:
    """A function of a decision in an environment, and what a decision is worth.

    ``function`` maps rows of a decision, with the value of an environment in a last column where there is one, to
    values without noise.

    >>> problem = robust_problem("bogunovic")
    >>> problem.aim, round(problem.regret({"x": 0.0, "y": 0.0}), 3)
    (WorstCase(), 20.889)
    """

    name: str
    space: Mixed
    environment: Environment | Perturbation
    aim: Aim
    function: Callable[[Floats], Floats]
    optimum: float
    optimizer: tuple[float, ...]

    def __call__(self, params: Mapping[str, Any]) -> float:
        """The value of one measurement."""
        return float(self.function(np.array([[float(params[name]) for name in self._columns]]))[0])

    def worth(self, X: npt.ArrayLike) -> Floats:
        """What decisions are worth, the rows of an array in the user's units."""
        rows = as_matrix(X, "X")
        n, weights = len(rows), np.array(self.environment.weights)
        if isinstance(self.environment, Environment):
            values = np.array(self.environment.values, dtype=np.float64)
            Z = np.concatenate(
                [np.repeat(rows[:, None], len(values), axis=1), np.tile(values[None, :, None], (n, 1, 1))], axis=2
            )
        else:
            bounds = np.array(
                [(part.low, part.high) for part in self.space.dimensions.values() if isinstance(part, Float)]
            )
            shifts = np.array([dict(self.environment.shifts).get(name, 0.0 * weights) for name in self.space.names]).T
            Z = np.clip(rows[:, None] + shifts, bounds[:, 0], bounds[:, 1])
        f = self.function(Z.reshape(-1, Z.shape[2])).reshape(n, len(weights))
        return self.aim.value(f, weights)

    def regret(self, params: Mapping[str, Any]) -> float:
        """How much less a decision is worth than the best one."""
        return self.optimum - float(self.worth([[float(params[name]) for name in self.space.names]])[0])

    @property
    def _columns(self) -> tuple[str, ...]:
        more = (self.environment.name,) if isinstance(self.environment, Environment) else ()
        return (*self.space.names, *more)


def polynomial(X: Floats) -> Floats:
    """The polynomial of degree six in two variables, to be maximised."""
    x, y = X.T
    return np.asarray(
        -2.0 * x**6 + 12.2 * x**5 - 21.2 * x**4 - 6.2 * x + 6.4 * x**3 + 4.7 * x**2
        - y**6 + 11.0 * y**5 - 43.3 * y**4 + 10.0 * y + 74.8 * y**3 - 56.9 * y**2
        + 4.1 * x * y + 0.1 * y**2 * x**2 - 0.4 * y**2 * x - 0.4 * x**2 * y
    )  # fmt: skip


def branin(X: Floats) -> Floats:
    """Branin's function, its sign turned."""
    x, y = X.T
    curve = y - 5.1 / (4.0 * np.pi**2) * x**2 + 5.0 / np.pi * x - 6.0
    return np.asarray(-(curve**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0))


def _dh(beta: float) -> Callable[[Floats], Floats]:
    def function(X: Floats) -> Floats:
        x, rest = X[:, 0], X[:, 1:]
        g = (10.0 + rest**2 - 10.0 * np.cos(4.0 * np.pi * rest)).sum(axis=1)
        return np.asarray(-(x + 1.0 - x**2 + g * (1.0 / (0.2 + x) + beta * x**2)))

    return function


def _dh_dips(joint: bool) -> Callable[[Floats], Floats]:
    def function(X: Floats) -> Floats:
        x, at = X[:, 0], X[:, 0] + X[:, 1] if joint else X[:, 1]
        h = 2.0 - 0.8 * np.exp(-(((at - 0.35) / 0.25) ** 2)) - np.exp(-(((at - 0.85) / 0.03) ** 2))
        h = h - x if joint else h
        g = 50.0 * (X[:, 2:] ** 2).sum(axis=1)
        return np.asarray(-(x + h * (g + 1.0 - np.sqrt(np.maximum(x, 0.0)))))

    return function


def _rings(radius: float) -> Perturbation:
    """The centre and two rings of eight points, which stand for a disc."""
    angles = np.arange(8) * (math.pi / 4.0)
    rings = [(r * np.cos(a), r * np.sin(a)) for r in (0.5 * radius, radius) for a in angles]
    x, y = np.array([(0.0, 0.0), *rings]).T.round(12)
    return Perturbation({"x": x, "y": y})


def _named(bounds: Mapping[str, tuple[float, float]]) -> Mixed:
    return Mixed(dict(bounds))


_PLANE = {"x": (-0.95, 3.2), "y": (-0.45, 4.4)}
_LEVELS = [0.0, 2.5, 5.0, 7.5, 10.0, 12.5, 15.0]
_FALLING = [0.3, 0.25, 0.15, 0.1, 0.1, 0.05, 0.05]


def _errors(delta: float, dim: int) -> Perturbation:
    """Uniform errors of delta in the first coordinate and twice that in the others."""
    return Perturbation.uniform({f"x{k}": delta if k == 0 else 2.0 * delta for k in range(dim)}, count=16)


def _all() -> dict[str, RobustProblem]:
    wide = _named({"x0": (0.0, 1.0), "x1": (-1.0, 1.0)})
    dips, longer = (_named({"x0": (0.0, 1.0), "x1": (low, 1.0), "x2": (-1.0, 1.0)}) for low in (0.0, -0.15))
    branin_space = _named({"x": (-5.0, 10.0)})
    plane, humid = _named(_PLANE), Environment("y", _LEVELS, _FALLING)
    mean = Expectation()
    found = [
        RobustProblem("bogunovic", plane, _rings(0.5), WorstCase(), polynomial, -3.936262, (-0.19557, 0.289319)),
        RobustProblem("branin-mean", branin_space, humid, mean, branin, -23.667217, (9.765567,)),
        RobustProblem("branin-cvar", branin_space, humid, CVaR(0.3), branin, -60.269618, (0.664118,)),
        RobustProblem("dh1", wide, _errors(0.01, 2), mean, _dh(1.0), -1.19404, (1.0, 0.0)),
        RobustProblem("dh2", wide, _errors(0.01, 2), mean, _dh(10.0), -1.447278, (0.120809, 0.0)),
        RobustProblem("dh3", dips, _errors(0.03, 3), mean, _dh_dips(False), -0.918813, (0.369672, 0.351565, 0.0)),
        RobustProblem("dh4", longer, _errors(0.03, 3), mean, _dh_dips(True), -0.749102, (0.476282, -0.15, 0.0)),
    ]
    return {problem.name: problem for problem in found}


_PROBLEMS = MappingProxyType(_all())


def robust_names() -> tuple[str, ...]:
    """The problems with environments, in order.

    >>> robust_names()
    ('bogunovic', 'branin-mean', 'branin-cvar', 'dh1', 'dh2', 'dh3', 'dh4')
    """
    return tuple(_PROBLEMS)


def robust_problem(name: str) -> RobustProblem:
    """The problem of that name."""
    if name not in _PROBLEMS:
        raise InvalidInput(f"there is no robust problem {name!r}; there are {', '.join(_PROBLEMS)}.")
    return _PROBLEMS[name]
