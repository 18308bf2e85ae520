"""What a worker does: every task takes a peer and a seed and returns numbers ready for JSON.

Random numbers of a seed: ``default_rng([seed, 0])`` draws the initial design, ``default_rng([seed, 1])`` the noise, so
all peers see the same start and the same noise at the same evaluation.
"""

import resource
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from bench.adapters import Floats, box_optimizer, table_optimizer
from bench.bbob import bbob_function
from bench.functions import Function, as_codes, function
from bench.holdout import TABLES, rows_and_values
from regretless.problems import Problem, by_name, load

__all__ = [
    "bbob",
    "box_cost",
    "growth",
    "materials",
    "matvec_cost",
    "peak_memory",
    "regret",
    "sequence_cost",
    "table_cost",
]


# What a suggestion costs -------------------------------------------------------------------------------------------


def sequence_cost(
    peer: str, seed: int, problem: str, dim: int | None, n_initial: int, suggestions: int
) -> dict[str, Any]:
    """CPU seconds of tell + ask, ``suggestions`` times, from a few points on."""
    objective = by_name(problem, dim)
    observe = _noisy(objective, seed)
    X0 = latin_hypercube(_bounds(objective), n_initial, seed)
    y0 = np.array([observe(x) for x in X0[:-1]])
    _warm_up_box(peer, _bounds(objective))
    optimizer = box_optimizer(peer, _bounds(objective), seed, X0[:-1], y0)
    return _summary(_pairs(optimizer, X0[-1], observe, suggestions))


def box_cost(peer: str, seed: int, problem: str, dim: int | None, n: int) -> dict[str, Any]:
    """CPU seconds of tell + ask with about ``n`` observations, averaged over one cycle of refits."""
    objective = by_name(problem, dim)
    bounds, observe = _bounds(objective), _noisy(objective, seed)
    X0 = latin_hypercube(bounds, n, seed)
    count = _cycle(box_optimizer(peer, bounds, seed, X0[:4], objective.evaluate(X0[:4])), n)
    first = n - count // 2
    y0 = np.array([observe(x) for x in X0[: first - 1]])
    _warm_up_box(peer, bounds)
    optimizer = box_optimizer(peer, bounds, seed, X0[: first - 1], y0)
    (_, at) = _pair(optimizer, X0[first - 1], observe)  # the first fit starts cold: not counted for anybody
    return _summary(_pairs(optimizer, at, observe, count))


def table_cost(peer: str, seed: int, rows: int, dim: int, n: int) -> dict[str, Any]:
    """The same over the rows of a table."""
    X, observe = _table(rows, dim, seed)
    _warm_up_table(peer, dim)
    count = _cycle(table_optimizer(peer, X, seed, [0, 1], np.array([0.0, 1.0])), n)
    optimizer, at = _on_table(peer, seed, X, observe, n - count // 2)
    return _summary(_pairs(optimizer, at, observe, count))


def matvec_cost(peer: str, seed: int, rows: int, dim: int, n: int, repeats: int) -> dict[str, Any]:
    """Cost of tell + ask between refits, beside one product of a vector with an n x N matrix in the same process."""
    X, observe = _table(rows, dim, seed)
    _warm_up_table(peer, dim)
    first = n - repeats // 2  # so that n is their mean
    optimizer, at = _on_table(peer, seed, X, observe, first)
    matrix, weights = np.full((n, rows), 0.5), np.full(n, 0.5)
    pairs, products = [], []
    for _ in range(min(repeats, _cycle(optimizer, first) - 1)):  # in turns: the machine is now faster, now slower
        spent, at = _pair(optimizer, at, observe)
        pairs.append(spent)
        begin = process_time()
        weights @ matrix
        products.append(process_time() - begin)
    return {
        "seconds": float(np.median(pairs)),
        "matvec": float(np.median(products)),
        "pairs": pairs,
        "products": products,
    }


def peak_memory(peer: str, seed: int, rows: int, dim: int, n: int) -> dict[str, Any]:
    """Largest resident memory of a process that makes the table, builds the study and asks up to the next refit."""
    X, observe = _table(rows, dim, seed)
    before = _max_rss()
    optimizer, at = _on_table(peer, seed, X, observe, n)
    _pairs(optimizer, at, observe, _cycle(optimizer, n))
    return {"bytes": _max_rss(), "bytes_before": before}


def growth(peer: str, seed: int, problem: str, dim: int, sizes: list[int], repeats: int) -> dict[str, Any]:
    """Median CPU seconds of tell + ask between refits, at each number of observations."""
    objective = by_name(problem, dim)
    bounds, seconds = _bounds(objective), []
    _warm_up_box(peer, bounds)
    for n in sizes:
        observe = _noisy(objective, seed)
        X0 = latin_hypercube(bounds, n, seed)
        optimizer = box_optimizer(peer, bounds, seed, X0[:-1], np.array([observe(x) for x in X0[:-1]]))
        (_, at) = _pair(optimizer, X0[-1], observe)
        seconds.append(float(np.median(_pairs(optimizer, at, observe, min(repeats, _cycle(optimizer, n) - 1)))))
    return {"n": sizes, "seconds": seconds, "exponent": float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])}


# What it is worth --------------------------------------------------------------------------------------------------


def regret(
    peer: str, seed: int, problem: str, dim: int | None, evaluations: int, n_initial: int, noise_var: float
) -> dict[str, Any]:
    """Values without noise of all points evaluated, the initial ones first; the optimiser sees them with noise."""
    return _search(peer, seed, function(problem, dim), evaluations, n_initial, noise_var)


def bbob(peer: str, seed: int, number: int, dim: int, evaluations: int, n_initial: int) -> dict[str, Any]:
    """The same on a function of BBOB, without noise; the seed is the instance."""
    return _search(peer, seed, bbob_function(number, dim, seed), evaluations, n_initial, 0.0)


def _search(
    peer: str, seed: int, objective: Function, evaluations: int, n_initial: int, noise_var: float
) -> dict[str, Any]:
    noise = np.random.default_rng([seed, 1])

    def observe(x: Floats) -> float:
        return float(objective.evaluate(x[None, :])[0]) + float(noise.normal(0.0, np.sqrt(noise_var)))

    X0 = as_codes(latin_hypercube(objective.bounds, n_initial, seed), objective.levels)
    y0 = np.array([observe(x) for x in X0])
    optimizer = box_optimizer(peer, objective.bounds, seed, X0, y0, objective.levels)
    points, begin = list(X0), process_time()
    while len(points) < evaluations:
        x = optimizer.ask()
        optimizer.tell(x, observe(x))
        points.append(x)
    f = objective.evaluate(np.array(points))
    return {"optimum": objective.optimum, "f": f.tolist(), "cpu": process_time() - begin}


def materials(peer: str, seed: int, table: str, n_initial: int) -> dict[str, Any]:
    """Rows evaluated until the best of the table is among them."""
    X, f, levels = rows_and_values(table) if table in TABLES else _measured(table)
    index = np.random.default_rng([seed, 0]).choice(len(X), n_initial, replace=False).tolist()
    optimizer, begin = table_optimizer(peer, X, seed, index, f[index], levels), process_time()
    while f[index].max() < f.max():
        row = optimizer.ask()
        optimizer.tell(row, float(f[row]))
        index.append(row)
    return {
        "optimum": float(f.max()),
        "f": f[index].tolist(),
        "evaluations": len(index),
        "cpu": process_time() - begin,
    }


def _measured(table: str) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Rows and values of a table of materials experiments, all columns numbers."""
    problem = load(table)
    space = problem.space
    X = np.array([list(space.params(i).values()) for i in range(space.n_candidates)], dtype=np.float64)
    return X, problem.evaluate(X), ()


# Pieces ------------------------------------------------------------------------------------------------------------


def latin_hypercube(bounds: Floats, n: int, seed: int) -> Floats:
    """``n`` points, one in each of n equal slices along every side."""
    rng = np.random.default_rng([seed, 0])
    slices = np.stack([rng.permutation(n) for _ in bounds], axis=1)
    return bounds[:, 0] + (bounds[:, 1] - bounds[:, 0]) * (slices + rng.random(slices.shape)) / n


def _bounds(problem: Problem) -> Floats:
    return np.array([(side.low, side.high) for side in problem.space.dimensions.values()])


def _noisy(problem: Problem, seed: int) -> Callable[[Floats], float]:
    return problem.noisy(np.random.default_rng([seed, 1]), noise_var=1e-4)


def _table(rows: int, dim: int, seed: int) -> tuple[Floats, Callable[[int], float]]:
    """Random rows, and a smooth function of them with a little noise."""
    X = np.random.default_rng([seed, 2]).random((rows, dim))
    noise = np.random.default_rng([seed, 1])

    def observe(index: int) -> float:
        return float(np.sin(6.0 * X[index]).sum() - ((X[index] - 0.4) ** 2).sum() + noise.normal(0.0, 0.01))

    return X, observe


def _on_table(peer: str, seed: int, X: Floats, observe: Callable[[int], float], n: int) -> tuple[Any, int]:
    """An optimiser with ``n`` observations that has just made its first suggestion, and that suggestion."""
    rows = np.random.default_rng([seed, 0]).choice(len(X), n, replace=False).tolist()
    optimizer = table_optimizer(peer, X, seed, rows[:-1], np.array([observe(row) for row in rows[:-1]]))
    (_, at) = _pair(optimizer, rows[-1], observe)
    return optimizer, at


def _pair(optimizer: Any, at: Any, observe: Callable[[Any], float]) -> tuple[float, Any]:
    """CPU seconds to tell the value at ``at`` and ask for the next, and the next. The function is not timed."""
    y = observe(at)
    begin = process_time()
    optimizer.tell(at, y)
    following = optimizer.ask()
    return process_time() - begin, following


def _pairs(optimizer: Any, at: Any, observe: Callable[[Any], float], count: int) -> list[float]:
    seconds = []
    for _ in range(count):
        spent, at = _pair(optimizer, at, observe)
        seconds.append(spent)
    return seconds


def _cycle(optimizer: Any, n: int) -> int:
    """How many suggestions make one cycle of refits; peers refit every time, of which two are averaged."""
    return optimizer.cycle(n) if hasattr(optimizer, "cycle") else 2


def _summary(pairs: list[float]) -> dict[str, Any]:
    return {"seconds": float(np.mean(pairs)), "pairs": pairs}


def _warm_up_box(peer: str, bounds: Floats) -> None:
    """Two suggestions of a throw-away optimiser: what is imported or compiled late is not measured."""
    X0 = latin_hypercube(bounds, 2 * len(bounds) + 2, seed=0)
    _pairs(box_optimizer(peer, bounds, 0, X0[:-1], X0[:-1].sum(axis=1)), X0[-1], lambda x: float(np.sum(x)), 2)
    _one_torch_thread()


def _warm_up_table(peer: str, dim: int) -> None:
    X = np.random.default_rng(0).random((50, dim))
    _pairs(table_optimizer(peer, X, 0, [0, 1, 2], X[:3, 0]), 3, lambda i: float(X[i, 0]), 2)
    _one_torch_thread()


def _one_torch_thread() -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def _max_rss() -> int:
    """In bytes; Linux counts in KiB, macOS in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
