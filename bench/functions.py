"""Functions whose optimum is known, as the regret tasks take them: by name, categories as codes 0, 1, ..., K - 1."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench.adapters import Floats
from regretless.problems import by_name

__all__ = ["Function", "as_codes", "function", "spread", "uniform"]

#: Points behind the median of a function, and the seed that draws them.
_SAMPLE, _SEED = 2**16, 20261118


@dataclass(frozen=True, eq=False)
class Function:
    """To be maximised: ``evaluate`` maps (m, d) rows to (m,) values without noise."""

    bounds: Floats  # (d, 2)
    evaluate: Callable[[Floats], Floats]
    optimum: float
    optimizer: Floats  # (d,), one of the places where it is reached
    levels: tuple[int, ...] = ()  # of each coordinate, 0 for numbers; empty if all are numbers. K levels: bounds (0, K)


@cache
def function(name: str, dim: int | None = None) -> Function:
    """The function of that name."""
    from bench.holdout import FUNCTIONS  # which is built from the class above

    if name in FUNCTIONS:
        return FUNCTIONS[name]()
    problem = by_name(name, dim)
    bounds = np.array([(side.low, side.high) for side in problem.space.dimensions.values()])
    return Function(bounds, problem.evaluate, problem.optimum, problem.optimizers[0])


@cache
def spread(name: str, dim: int | None = None) -> float:
    """Optimum less median of f over the space: the unit of relative regret.

    The median is that of 65,536 uniform points, the same ones every time. Half of all random guesses have a relative
    regret below 1, so the unit means the same on every function and no far-off extreme decides it.
    """
    f = function(name, dim)
    return float(f.optimum - np.median(f.evaluate(uniform(f, _SAMPLE, np.random.default_rng(_SEED)))))


def uniform(f: Function, n: int, rng: np.random.Generator) -> Floats:
    """``n`` random points of the space."""
    return as_codes(f.bounds[:, 0] + (f.bounds[:, 1] - f.bounds[:, 0]) * rng.random((n, len(f.bounds))), f.levels)


def as_codes(X: Floats, levels: tuple[int, ...]) -> Floats:
    """Points of the bounds with whole numbers where there are categories.

    >>> as_codes(np.array([[0.7, 2.9], [0.7, 3.0]]), (0, 3)).tolist()
    [[0.7, 2.0], [0.7, 2.0]]
    """
    if not any(levels):
        return X
    K = np.array(levels)
    return np.where(K > 0, np.minimum(np.floor(X), K - 1.0), X)
