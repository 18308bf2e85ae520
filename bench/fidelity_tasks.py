"""What a worker does with fidelities: regret of what is recommended at the target, by what was spent."""

from time import process_time
from typing import Any

import numpy as np

from bench.adapters import PEERS, fidelity_optimizer
from bench.tasks import latin_hypercube
from regretless.problems import FidelityProblem, fidelity_problem

__all__ = ["fidelity"]

#: Points of the start that are measured at every level; the others at the cheapest.
_PAIRED = 2


def fidelity(peer: str, seed: int, problem: str, budget: int, n_initial: int) -> dict[str, Any]:
    """The regret at each whole unit of cost up to the budget, None where nothing is recommended yet.

    All who buy levels see the same start, but for Hyperband, which makes its own; the target alone has all its points
    measured there. An evaluation begins while less than the budget is spent.
    """
    task = fidelity_problem(problem)
    bounds = np.array([(side.low, side.high) for side in task.target.space.dimensions.values()])
    points = latin_hypercube(bounds, n_initial, seed)
    X0, at0 = _start(peer, task, points)
    y0 = np.array([task(x, task.levels[at]) for x, at in zip(X0, at0, strict=True)])
    begin = process_time()
    optimizer = fidelity_optimizer(peer, bounds, task.levels, task.costs, seed, points if not at0 else X0, at0, y0)
    cpu, bought = process_time() - begin, [0] * len(task.levels)
    for at in at0:
        bought[at] += 1
    regret: list[float | None] = []
    _note(optimizer, task, bought, regret)
    while len(regret) < budget:
        begin = process_time()
        x, at = optimizer.ask()
        cpu += process_time() - begin
        y = task(x, task.levels[at])
        begin = process_time()
        optimizer.tell(x, at, y)
        cpu += process_time() - begin
        bought[at] += 1
        _note(optimizer, task, bought, regret)
    return {"regret": regret[:budget], "bought": bought, "cpu": cpu}


def _start(peer: str, task: FidelityProblem, points: Any) -> tuple[Any, list[int]]:
    """Points with the numbers of their levels."""
    target = len(task.levels) - 1
    if PEERS[peer].module == "smac_fidelity":
        return points[:0], []
    if PEERS[peer].settings.get("target_alone"):
        return points, [target] * len(points)
    pairs = [(i, at) for i in range(_PAIRED) for at in range(target + 1)]
    pairs += [(i, 0) for i in range(_PAIRED, len(points))]
    return points[[i for i, _ in pairs]], [at for _, at in pairs]


def _note(optimizer: Any, task: FidelityProblem, bought: list[int], regret: list[float | None]) -> None:
    """Regret of what is recommended now, for every whole unit of cost that was reached since."""
    spent = float(np.dot(bought, task.costs))
    due = int(spent + 1e-9) - len(regret)
    if due <= 0:
        return
    at = optimizer.recommend() if sum(bought) else None
    left = None if at is None else task.target.optimum - task(at, task.levels[-1])
    if left is not None and not regret:
        regret += [None] * (due - 1)  # what the start cost
        due = 1
    regret += [left] * due
