"""``python -m bench composites``: objectives that are known functions of measured outcomes, beside BoTorch.

Methods that are given the outcomes and the function: our quantile rule, our Thompson sampling, and BoTorch's qLogNEI
with a `GenericMCObjective`. Methods that see the computed value alone: our default, and BoTorch's LogEI. There is no
noise; the start is 2d + 2 points of a Latin hypercube, the same for everybody, and counts. The loss is the regret of
the best point evaluated, divided by optimum - median over 65,536 uniform points. Medians over seeds, ranks over all.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import page, store
from bench.adapters import PEERS, Floats
from bench.figures import draw_medians
from bench.regret import print_in_full
from bench.statistics import mean_ranks
from bench.tasks import latin_hypercube
from regretless.linalg import single_thread

__all__ = ["METHODS", "PROBLEMS", "Comparison", "Problem", "compare", "composite", "main", "spread_of"]

PAGE = store.ROOT / "docs" / "explanation" / "composites.md"
EVALUATIONS = 40
#: By label: the peer, and whether it is given the outcomes.
METHODS: dict[str, tuple[str, bool]] = {
    "Regretless, quantile rule": ("regretless", True),
    "Regretless, Thompson sampling": ("regretless-ts", True),
    "BoTorch qLogNEI": ("botorch-qlognei", True),
    "Regretless, value alone": ("regretless", False),
    "BoTorch LogEI, value alone": ("botorch-logei", False),
    "Random": ("random", False),
}


@dataclass(frozen=True)
class Problem:
    """Outcomes ``parts`` (m, d) -> (m, K) on a box, and the known function of them (..., K) -> (...), to be maximised.

    ``outer`` takes NumPy arrays and torch tensors: it is made of arithmetic and of the functions in ``np`` or ``torch``
    that the second argument has.
    """

    bounds: Floats
    parts: Callable[[Floats], Floats]
    outer: Callable[[Any, Any], Any]
    optimum: float

    def value(self, X: Floats) -> Floats:
        """What is maximised."""
        return self.outer(self.parts(X), np)

    @property
    def spread(self) -> float:
        """Optimum less the median over uniform points of a fixed seed."""
        return spread_of(self)


@dataclass(frozen=True)
class Comparison:
    """Methods by label, the peer and whether it is told the parts of the objective, on problems by name."""

    name: str
    page: Path
    methods: Mapping[str, tuple[str, bool]]
    problems: Mapping[str, Any]
    run: Callable[..., dict[str, Any]]
    evaluations: int = EVALUATIONS


def spread_of(problem: Any) -> float:
    """Optimum less the median over uniform points of a fixed seed."""
    low, high = problem.bounds.T
    X = np.random.default_rng(20261118).uniform(low, high, (65_536, len(low)))
    return problem.optimum - float(np.median(problem.value(X)))


def _norm(X: Floats) -> Floats:
    return np.linalg.norm(X, axis=1, keepdims=True)


def _drop_wave(y: Any, xp: Any) -> Any:
    return (1.0 + xp.cos(12.0 * y[..., 0])) / (2.0 + 0.5 * y[..., 0] ** 2)


def _ackley_parts(X: Floats) -> Floats:
    return np.column_stack([(X**2).mean(axis=1), np.cos(2.0 * np.pi * X).mean(axis=1)])


def _ackley(y: Any, xp: Any) -> Any:
    root = xp.sqrt(0.5 * (y[..., 0] + abs(y[..., 0])) + 1e-12)
    return 20.0 * xp.exp(-0.2 * root) + xp.exp(y[..., 1]) - 20.0 - np.e


def _rosenbrock_parts(X: Floats) -> Floats:
    return 100.0 * (X[:, 1:] - X[:, :-1] ** 2) ** 2 + (X[:, :-1] - 1.0) ** 2


def _less(y: Any, xp: Any) -> Any:  # noqa: ARG001
    return -(y[..., 0] + y[..., 1] + y[..., 2] + y[..., 3])


def _alpine_parts(X: Floats) -> Floats:
    return np.sqrt(X) * np.sin(X)


def _product(y: Any, xp: Any) -> Any:  # noqa: ARG001
    return y[..., 0] * y[..., 1] * y[..., 2] * y[..., 3]


#: Places and times at which the concentration of the environmental model is measured (Bliznyuk et al. 2008).
_PLACES, _TIMES = (0.0, 1.0, 2.5), (15.0, 30.0, 45.0, 60.0)
_TRUE = np.array([[10.0, 0.07, 1.505, 30.1525]])


def _concentrations(X: Floats) -> Floats:
    """Of a pollutant after two spills: mass M, diffusion D, place L and time tau of the second."""
    M, D, L, tau = X.T
    columns = []
    for s in _PLACES:
        for t in _TIMES:
            first = M / np.sqrt(4.0 * np.pi * D * t) * np.exp(-(s**2) / (4.0 * D * t))
            late = np.maximum(t - tau, 1e-12)
            second = M / np.sqrt(4.0 * np.pi * D * late) * np.exp(-((s - L) ** 2) / (4.0 * D * late))
            columns.append(np.sqrt(4.0 * np.pi) * (first + np.where(t > tau, second, 0.0)))
    return np.column_stack(columns)


_MEASURED = _concentrations(_TRUE)[0]


def _mismatch(y: Any, xp: Any) -> Any:  # noqa: ARG001
    return -sum((y[..., k] - float(target)) ** 2 for k, target in enumerate(_MEASURED))


def _box(*sides: tuple[float, float]) -> Floats:
    return np.array(sides)


#: By name. The first four are networks of Astudillo and Frazier (2021), as functions of their stages.
PROBLEMS: dict[str, Problem] = {
    "drop-wave": Problem(_box(*[(-5.12, 5.12)] * 2), _norm, _drop_wave, 1.0),
    "Ackley 6": Problem(_box(*[(-2.0, 2.0)] * 6), _ackley_parts, _ackley, 0.0),
    "Rosenbrock 5": Problem(_box(*[(-2.0, 2.0)] * 5), _rosenbrock_parts, _less, 0.0),
    "Alpine2 4": Problem(_box(*[(0.0, 10.0)] * 4), _alpine_parts, _product, 2.8081311800070053**4),
    "environment": Problem(
        _box((7.0, 13.0), (0.02, 0.12), (0.01, 3.0), (30.01, 30.295)), _concentrations, _mismatch, 0.0
    ),
}


def composite(peer: str, seed: int, problem: str, parts: bool, evaluations: int) -> dict[str, Any]:
    """Values of all points evaluated, the initial ones first, and the CPU seconds of ask + tell."""
    task = PROBLEMS[problem]
    X = list(latin_hypercube(task.bounds, 2 * len(task.bounds) + 2, seed))
    optimizer = _optimizer(peer, task, seed, np.array(X), parts)
    cpu = 0.0
    while len(X) < evaluations:
        begin = process_time()
        x = optimizer.ask()
        cpu += process_time() - begin
        y = task.parts(x[None, :])[0]
        begin = process_time()
        optimizer.tell(x, y if parts else float(task.outer(y, np)))
        cpu += process_time() - begin
        X.append(x)
    return {"f": task.value(np.array(X)).tolist(), "cpu": cpu}


def _optimizer(peer: str, task: Problem, seed: int, X0: Floats, parts: bool) -> Any:
    if peer == "random":
        from bench.adapters.uniform import Outcomes

        return Outcomes(task.bounds, None, seed, X0, X0)
    if not parts:
        from bench.adapters import box_optimizer

        return box_optimizer(peer, task.bounds, seed, X0, task.value(X0))
    if peer.startswith("regretless"):
        from bench.adapters.own import OwnComposite

        return OwnComposite(task.bounds, lambda y: task.outer(y, np), seed, X0, task.parts(X0), **PEERS[peer].settings)
    from bench.adapters.botorch_outcomes import Composite

    return Composite(task.bounds, task.outer, seed, X0, task.parts(X0))


def main(arguments: list[str]) -> int:
    """Run what is missing, then print and draw everything that is complete."""
    return compare(arguments, Comparison("composites", PAGE, METHODS, PROBLEMS, composite), __doc__)


def compare(arguments: list[str], of: Comparison, about: str) -> int:
    """Run what is missing, then print and draw everything that is complete."""
    options = _options(arguments, of.name, about)
    console, units = Console(), _units(options, of)
    if not options.report:
        wanted = options.peers or [peer for peer, _ in of.methods.values()]
        warnings.simplefilter("ignore")  # what peers say about their own use of other packages
        for unit in (unit for unit in units if unit.peer in wanted and store.load(unit) is None):
            with single_thread():
                store.keep(unit, of.run(unit.peer, unit.seed, **unit.arguments))
            console.print(f"{unit.work}, {unit.peer}, seed {unit.seed}", highlight=False)
    curves, seconds = _curves(units, of)
    heads, lines = _table(curves, seconds, of)
    shown = Table(*heads, title="median relative regret", title_justify="left")
    for line in lines:
        shown.add_row(*line)
    print_in_full(console, shown)
    figure = store.RESULTS / (f"quick-{of.name}.png" if options.quick else f"{of.name}.png")
    draw_medians(curves, figure, "relative regret")
    if options.docs and not options.quick:
        text = page.measured(store.manifest())
        drawn = page.show_figure(figure, "Median relative regret by evaluation, one panel per problem")
        page.put(of.page, of.name, f"{text}\n\n{page.markdown(heads, lines)}\n\n{drawn}")
    return 0


def _units(options: argparse.Namespace, of: Comparison) -> list[store.Unit]:
    folder = f"quick/{of.name}" if options.quick else f"raw/{of.name}"
    last = {"evaluations": 18 if options.quick else of.evaluations}
    return [
        store.Unit(
            folder,
            f"{name.replace(' ', '-').lower()}{'' if parts else '-value'}",
            peer,
            seed,
            of.run.__name__,
            {"problem": name, "parts": parts, **last},
        )
        for seed in range(1 if options.quick else options.seeds)
        for name in (list(of.problems)[:1] if options.quick else of.problems)
        for peer, parts in of.methods.values()
    ]


def _curves(units: Sequence[store.Unit], of: Comparison) -> tuple[dict[str, dict[str, Floats]], dict[str, list[float]]]:
    """Relative regret so far, ``[problem][method]`` (seeds, evaluations), and CPU seconds per suggestion by method."""
    labels = {given: label for label, given in of.methods.items()}
    curves: dict[str, dict[str, list[Floats]]] = {}
    seconds: dict[str, list[float]] = {}
    spread = {name: problem.spread for name, problem in of.problems.items()}
    for unit in units:
        if (result := store.load(unit)) is None:
            continue
        name, label = unit.arguments["problem"], labels[unit.peer, unit.arguments["parts"]]
        regret = np.minimum.accumulate(of.problems[name].optimum - np.array(result["f"])) / spread[name]
        curves.setdefault(name, {}).setdefault(label, []).append(np.maximum(regret, 1e-12))
        asked = len(result["f"]) - 2 * len(of.problems[name].bounds) - 2
        seconds.setdefault(label, []).append(result["cpu"] / asked)
    found = {name: {label: np.array(by[label]) for label in of.methods if label in by} for name, by in curves.items()}
    return found, seconds


def _table(
    curves: Mapping[str, Mapping[str, Floats]], seconds: Mapping[str, Sequence[float]], of: Comparison
) -> tuple[list[str], list[list[str]]]:
    """Median final regret, mean rank over the seeds that all have, CPU seconds per suggestion."""
    final = {name: {label: c[:, -1].tolist() for label, c in by.items()} for name, by in curves.items()}
    common = {
        name: {label: runs[: min(map(len, by.values()))] for label, runs in by.items()} for name, by in final.items()
    }
    ranks = mean_ranks(common)
    lines = [
        [
            label,
            *(f"{np.median(by[label]):.1e} ({len(by[label])})" if label in by else "" for by in final.values()),
            f"{ranks[label]:.2f}" if label in ranks else "",
            f"{np.mean(seconds[label]):.2g}" if label in seconds else "",
        ]
        for label in of.methods
    ]
    return ["median relative regret (seeds)", *final, "mean rank", "CPU s per suggestion"], lines


def _options(arguments: list[str], name: str, about: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m bench {name}", description=about.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds")
    parser.add_argument("--peers", metavar="A,B", type=lambda text: text.split(","), help="run these only")
    parser.add_argument("--quick", action="store_true", help="one problem, one seed, to see that it runs")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--docs", action="store_true", help="write table and figure into the documentation")
    return parser.parse_args(arguments)
