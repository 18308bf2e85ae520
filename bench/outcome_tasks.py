"""What a worker does with several outcomes; all peers see the same start, and no noise.

The optimisers are given objectives to be maximised and constrained outcomes to be at most 0, in the problem's units.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from bench.adapters import Aims, Floats, outcome_optimizer, outcome_table_optimizer
from bench.tasks import latin_hypercube
from regretless.problems import FeasibleProblem, FrontProblem, feasible_problem, front_problem, load_tradeoff

__all__ = ["constrained", "objectives", "tradeoff"]


def constrained(peer: str, seed: int, problem: str, evaluations: int, n_initial: int) -> dict[str, Any]:
    """Objective and feasibility of all points evaluated, the initial ones first."""
    task = feasible_problem(problem)
    aims = Aims(1, len(task.constraints))
    Y, cpu = _search(peer, seed, task, _bounds(task), aims, evaluations, n_initial)
    return {"f": Y[:, 0].tolist(), "feasible": task.feasible(Y).tolist(), "cpu": cpu}


def objectives(peer: str, seed: int, problem: str, evaluations: int, n_initial: int) -> dict[str, Any]:
    """All objectives of all points evaluated, the initial ones first."""
    task = front_problem(problem)
    Y, cpu = _search(peer, seed, task, _bounds(task), _aims(task), evaluations, n_initial)
    return {"Y": Y.tolist(), "cpu": cpu}


def tradeoff(peer: str, seed: int, table: str, evaluations: int, n_initial: int) -> dict[str, Any]:
    """The same on the rows of a table, from random ones."""
    task = load_tradeoff(table)
    X = np.array([list(task.space.params(i).values()) for i in range(task.space.n_candidates)], dtype=np.float64)
    Y = task.evaluate(X)
    told = inward(task, Y)
    index = np.random.default_rng([seed, 0]).choice(len(X), n_initial, replace=False).tolist()
    optimizer = outcome_table_optimizer(peer, X, _aims(task), seed, index, told[index])
    cpu = _loop(optimizer, index, evaluations, lambda row: told[row])
    return {"Y": Y[index].tolist(), "cpu": cpu}


def inward(task: FeasibleProblem | FrontProblem, Y: Floats) -> Floats:
    """Outcomes as the optimisers get them: objectives to be maximised, then constrained outcomes to be at most 0."""
    if isinstance(task, FrontProblem):
        return Y * _signs(task)
    objective = Y[:, :1] if task.direction == "maximize" else -Y[:, :1]
    return np.hstack([objective, -task.slack(Y)])


def _search(
    peer: str,
    seed: int,
    task: FeasibleProblem | FrontProblem,
    bounds: Floats,
    aims: Aims,
    evaluations: int,
    n_initial: int,
) -> tuple[Floats, float]:
    X0 = latin_hypercube(bounds, n_initial, seed)
    optimizer = outcome_optimizer(peer, bounds, aims, seed, X0, inward(task, task.evaluate(X0)))
    points = list(X0)
    cpu = _loop(optimizer, points, evaluations, lambda x: inward(task, task.evaluate(x[None, :]))[0])
    return task.evaluate(np.array(points)), cpu


def _loop(optimizer: Any, points: list[Any], evaluations: int, observe: Callable[[Any], Floats]) -> float:
    """Ask and tell until there are so many points; returns the CPU seconds of both, the function's not among them."""
    cpu = 0.0
    while len(points) < evaluations:
        begin = process_time()
        x = optimizer.ask()
        cpu += process_time() - begin
        y = observe(x)
        begin = process_time()
        optimizer.tell(x, y)
        cpu += process_time() - begin
        points.append(x)
    return cpu


def _aims(task: FrontProblem) -> Aims:
    reference = _signs(task) * np.array(list(task.reference.values()))
    return Aims(len(task.objectives), 0, tuple(reference.tolist()))


def _signs(task: FrontProblem) -> Floats:
    return np.array([1.0 if direction == "maximize" else -1.0 for direction in task.objectives.values()])


def _bounds(task: FeasibleProblem | FrontProblem) -> Floats:
    return np.array([(side.low, side.high) for side in task.space.dimensions.values()])
