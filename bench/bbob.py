"""The 24 noiseless functions of BBOB (package ``ioh``), and the usual curve: targets reached against evaluations / d.

Hansen et al. (2021), "COCO: a platform for comparing continuous optimizers in a black-box setting". A run reaches a
target when its regret is at most that; there are 51, evenly spaced in the logarithm from 1e2 to 1e-8.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bench.adapters import Floats
from bench.functions import Function

__all__ = ["DIMENSIONS", "TARGETS", "bbob_function", "problems", "reached"]

TARGETS = np.logspace(2.0, -8.0, 51)
DIMENSIONS = (2, 5, 10)


def problems() -> dict[str, dict[str, Any]]:
    """Arguments of the task by name: 20 d evaluations, of which 2 d + 2 are the start. The seed is the instance."""
    return {
        f"f{number}-{d}": {"number": number, "dim": d, "evaluations": 20 * d, "n_initial": 2 * d + 2}
        for d in DIMENSIONS
        for number in range(1, 25)
    }


def bbob_function(number: int, dim: int, instance: int) -> Function:
    """A function of BBOB on [-5, 5]^d with its sign turned."""
    import ioh  # only in the environment of the benchmarks

    problem = ioh.get_problem(number, instance=instance, dimension=dim, problem_class=ioh.ProblemClass.BBOB)
    return Function(
        np.array([(-5.0, 5.0)] * dim),
        lambda X: 0.0 - np.array([problem(x.tolist()) for x in X], dtype=np.float64),
        0.0 - float(problem.optimum.y),
        np.array(problem.optimum.x, dtype=np.float64),
    )


def reached(runs: Sequence[Mapping[str, Any]]) -> Floats:
    """Share of (run, target) pairs reached after each evaluation; all runs are equally long.

    >>> reached([{"optimum": 0.0, "f": [-200.0, -1.0, 0.0]}]).round(2).tolist()
    [0.0, 0.22, 1.0]
    """
    regret = np.array([run["optimum"] - np.maximum.accumulate(run["f"]) for run in runs])
    return (regret[:, :, None] <= TARGETS).mean(axis=(0, 2))
