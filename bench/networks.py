"""``python -m bench networks``: objectives at the end of a network of stages, beside BoTorch.

Methods that are told the outputs of all stages, the last one's function unknown to everybody: our quantile rule, our
Thompson sampling, and the rule of Astudillo and Frazier (2021), EI-FN, on BoTorch's models. Methods that see the last
output alone: our default, and BoTorch's LogEI. There is no noise; the start is 2d + 2 points of a Latin hypercube, the
same for everybody, and counts. The loss is that of ``python -m bench composites``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from bench import store
from bench.adapters import PEERS, Floats
from bench.composites import Comparison, compare, spread_of
from bench.tasks import latin_hypercube

__all__ = ["METHODS", "PROBLEMS", "Chain", "main", "network"]

EVALUATIONS = 30
#: By label: the peer, and whether it is told the outputs.
METHODS: dict[str, tuple[str, bool]] = {
    "Regretless, quantile rule": ("regretless", True),
    "Regretless, Thompson sampling": ("regretless-ts", True),
    "EI-FN on BoTorch": ("botorch-ei-fn", True),
    "Regretless, value alone": ("regretless", False),
    "BoTorch LogEI, value alone": ("botorch-logei", False),
    "Random": ("random", False),
}


@dataclass(frozen=True)
class Chain:
    """Stages on a box: their inputs are columns of x and earlier stages; the last output is to be maximised."""

    bounds: Floats
    inputs: Sequence[tuple[Sequence[int], Sequence[int]]]
    outputs: Callable[[Floats], Floats]  # (m, d) -> (m, stages)
    optimum: float

    def value(self, X: Floats) -> Floats:
        """What is maximised."""
        return self.outputs(X)[:, -1]

    @property
    def spread(self) -> float:
        """Optimum less the median over uniform points of a fixed seed."""
        return spread_of(self)


def _drop_wave(X: Floats) -> Floats:
    r = np.linalg.norm(X, axis=1)
    return np.column_stack([r, (1.0 + np.cos(12.0 * r)) / (2.0 + 0.5 * r**2)])


def _ackley(X: Floats) -> Floats:
    square, wave = (X**2).mean(axis=1), np.cos(2.0 * np.pi * X).mean(axis=1)
    return np.column_stack([square, wave, 20.0 * np.exp(-0.2 * np.sqrt(square)) + np.exp(wave) - 20.0 - np.e])


def _rosenbrock(X: Floats) -> Floats:
    """Each stage adds its term to what the one before has."""
    return -np.cumsum(100.0 * (X[:, 1:] - X[:, :-1] ** 2) ** 2 + (X[:, :-1] - 1.0) ** 2, axis=1)


def _alpine(X: Floats) -> Floats:
    """Each stage multiplies what the one before has; the sign of the first makes the last output one to maximise."""
    return np.cumprod(np.sqrt(X) * np.sin(X), axis=1)


def _line(X: Floats) -> Floats:
    """A line of three machines, of our own: milling sets a grain, sintering a density, and both decide the strength."""
    speed, time, heat, hold, load = X.T
    grain = 1.0 + 4.0 * np.exp(-1.5 * time) * (1.0 + 0.5 * np.cos(6.0 * speed))
    density = 1.0 / (1.0 + np.exp(-8.0 * (heat - 0.25 - 0.08 * grain))) - 0.4 * (heat - 0.5) ** 2 * hold
    strength = 10.0 * density**2 / np.sqrt(grain) - 30.0 * (density - 0.75) ** 4 - 3.0 * (load - 0.6 * density) ** 2
    return np.column_stack([grain, density, strength])


def _cube(d: int, low: float, high: float) -> Floats:
    return np.array([(low, high)] * d)


#: By name. The first four are networks of Astudillo and Frazier (2021).
PROBLEMS: dict[str, Chain] = {
    "drop-wave": Chain(_cube(2, -5.12, 5.12), [((0, 1), ()), ((), (0,))], _drop_wave, 1.0),
    "Ackley 6": Chain(_cube(6, -2.0, 2.0), [(range(6), ()), (range(6), ()), ((), (0, 1))], _ackley, 0.0),
    "Rosenbrock 5": Chain(
        _cube(5, -2.0, 2.0), [((k, k + 1), (k - 1,) if k else ()) for k in range(4)], _rosenbrock, 0.0
    ),
    "Alpine2 6": Chain(
        _cube(6, 0.0, 10.0), [((k,), (k - 1,) if k else ()) for k in range(6)], _alpine, 2.8081311800070053**6
    ),
    "line": Chain(_cube(5, 0.0, 1.0), [((0, 1), ()), ((2, 3), (0,)), ((4,), (0, 1))], _line, 8.10626357542046),
}


def network(peer: str, seed: int, problem: str, parts: bool, evaluations: int) -> dict[str, Any]:
    """Values of all points evaluated, the initial ones first, and the CPU seconds of ask + tell."""
    task = PROBLEMS[problem]
    X = list(latin_hypercube(task.bounds, 2 * len(task.bounds) + 2, seed))
    optimizer = _optimizer(peer, task, seed, np.array(X), parts)
    cpu = 0.0
    while len(X) < evaluations:
        begin = process_time()
        x = optimizer.ask()
        cpu += process_time() - begin
        y = task.outputs(x[None, :])[0]
        begin = process_time()
        optimizer.tell(x, y if parts else float(y[-1]))
        cpu += process_time() - begin
        X.append(x)
    return {"f": task.value(np.array(X)).tolist(), "cpu": cpu}


def _optimizer(peer: str, task: Chain, seed: int, X0: Floats, parts: bool) -> Any:
    if peer == "random":
        from bench.adapters.uniform import Outcomes

        return Outcomes(task.bounds, None, seed, X0, X0)
    if not parts:
        from bench.adapters import box_optimizer

        return box_optimizer(peer, task.bounds, seed, X0, task.value(X0))
    if peer.startswith("regretless"):
        from bench.adapters.own import OwnNetwork

        return OwnNetwork(task.bounds, task.inputs, seed, X0, task.outputs(X0), **PEERS[peer].settings)
    from bench.adapters.botorch_networks import Networks

    return Networks(task.bounds, task.inputs, seed, X0, task.outputs(X0))


def main(arguments: list[str]) -> int:
    """Run what is missing, then print and draw everything that is complete."""
    page = store.ROOT / "docs" / "explanation" / "networks.md"
    return compare(arguments, Comparison("networks", page, METHODS, PROBLEMS, network, EVALUATIONS), __doc__)
