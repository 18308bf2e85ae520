"""``python -m bench dims``: many parameters, beside BoTorch, TuRBO and CMA-ES.

Hartmann's function of 6 parameters and Levy's of 4 are hidden among others that do nothing; Ackley's and Rosenbrock's
depend on all. Ackley's optimum is moved to a random place, and Rosenbrock's box is not symmetric about its own: the
centre of a box flatters whoever looks there. There is no noise; the start is 20 points of a Latin hypercube, the same
for everybody, and counts. The loss is the regret of the best point evaluated, divided by optimum - median over 65,536
uniform points; reported is its median over seeds.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import page, store
from bench.adapters import Floats, box_optimizer
from bench.figures import draw_medians
from bench.regret import print_in_full
from bench.tasks import latin_hypercube
from regretless.linalg import single_thread
from regretless.problems.fidelities import augmented_hartmann
from regretless.problems.surfaces import ackley, levy, rosenbrock

__all__ = ["METHODS", "PROBLEMS", "Problem", "dims", "main"]

PAGE = store.ROOT / "docs" / "explanation" / "many-parameters.md"
INITIAL, EVALUATIONS = 20, 100
#: Seeds from here on are for choosing; the first ones are published.
CHOICE = 1000
#: By label: the peer.
METHODS: dict[str, str] = {
    "Regretless": "regretless",
    "Regretless, trust region": "regretless-region",
    "BoTorch LogEI": "botorch-logei",
    "TuRBO": "turbo",
    "CMA-ES": "cma",
    "Random": "random",
}


@dataclass(frozen=True)
class Problem:
    """A function (m, d) -> (m,) on a box, to be minimised, and its minimum."""

    bounds: Floats
    function: Callable[[Floats], Floats]
    minimum: float

    def value(self, X: Floats) -> Floats:
        """What is maximised."""
        return -self.function(X)

    @property
    def spread(self) -> float:
        """Optimum less the median over uniform points of a fixed seed."""
        low, high = self.bounds.T
        rng = np.random.default_rng(20261118)
        values = [self.value(rng.uniform(low, high, (4096, len(low)))) for _ in range(16)]
        return -self.minimum - float(np.median(np.concatenate(values)))


def _hidden(function: Callable[[Floats], Floats], active: int) -> Callable[[Floats], Floats]:
    """The function of the first columns; nobody is told which they are."""
    return lambda X: function(X[:, :active])


def _hartmann6(X: Floats) -> Floats:
    return -augmented_hartmann(X, 1.0)


def _moved(function: Callable[[Floats], Floats], to: Floats) -> Callable[[Floats], Floats]:
    """A function with its optimum at zero, with its optimum elsewhere."""
    return lambda X: function(X - to)


def _box(d: int, low: float, high: float) -> Floats:
    return np.array([(low, high)] * d)


_HARTMANN6 = -3.32236801141551
#: Where Ackley's optimum is: uniform in the inner nine tenths of each side.
_AWAY = np.random.default_rng(20261118).uniform(-4.25, 9.25, 20)

PROBLEMS: dict[str, Problem] = {
    "Hartmann 6 in 25": Problem(_box(25, 0.0, 1.0), _hidden(_hartmann6, 6), _HARTMANN6),
    "Hartmann 6 in 50": Problem(_box(50, 0.0, 1.0), _hidden(_hartmann6, 6), _HARTMANN6),
    "Hartmann 6 in 100": Problem(_box(100, 0.0, 1.0), _hidden(_hartmann6, 6), _HARTMANN6),
    "Levy 4 in 100": Problem(_box(100, -10.0, 10.0), _hidden(levy, 4), 0.0),
    "Ackley 20": Problem(_box(20, -5.0, 10.0), _moved(ackley, _AWAY), 0.0),
    "Rosenbrock 100": Problem(_box(100, -5.0, 10.0), rosenbrock, 0.0),
}


def dims(peer: str, seed: int, problem: str, evaluations: int) -> dict[str, Any]:
    """Values of all points evaluated, the initial ones first, and the CPU seconds of ask + tell."""
    task = PROBLEMS[problem]
    X = list(latin_hypercube(task.bounds, INITIAL, seed))
    optimizer = _optimizer(peer, task, seed, np.array(X))
    cpu = 0.0
    while len(X) < evaluations:
        begin = process_time()
        x = optimizer.ask()
        cpu += process_time() - begin
        y = float(task.value(x[None, :])[0])
        begin = process_time()
        optimizer.tell(x, y)
        cpu += process_time() - begin
        X.append(x)
    return {"f": task.value(np.array(X)).tolist(), "cpu": cpu}


def _optimizer(peer: str, task: Problem, seed: int, X0: Floats) -> Any:
    if peer == "random":
        from bench.adapters.uniform import Outcomes

        return Outcomes(task.bounds, None, seed, X0, X0)
    return box_optimizer(peer, task.bounds, seed, X0, task.value(X0))


def main(arguments: list[str]) -> int:
    """Run what is missing, then print and draw everything that is complete."""
    options = _options(arguments)
    console, units = Console(), _units(options)
    if not options.report:
        wanted = options.peers or list(METHODS.values())
        warnings.simplefilter("ignore")  # what peers say about their own use of other packages
        for unit in (unit for unit in units if unit.peer in wanted and store.load(unit) is None):
            with single_thread():
                store.keep(unit, dims(unit.peer, unit.seed, **unit.arguments))
            console.print(f"{unit.work}, {unit.peer}, seed {unit.seed}", highlight=False)
    curves, seconds = _curves(units)
    heads, lines = _table(curves, seconds)
    shown = Table(*heads, title="median relative regret", title_justify="left")
    for line in lines:
        shown.add_row(*line)
    print_in_full(console, shown)
    if options.choice:
        return 0
    figure = store.RESULTS / ("quick-dims.png" if options.quick else "dims.png")
    draw_medians(curves, figure, "relative regret")
    if options.docs and not options.quick:
        text = page.measured(store.manifest())
        drawn = page.show_figure(figure, "Median relative regret by evaluation, one panel per problem")
        page.put(PAGE, "dims", f"{text}\n\n{page.markdown(heads, lines)}\n\n{drawn}")
    return 0


def _units(options: argparse.Namespace) -> list[store.Unit]:
    folder = "quick/dims" if options.quick else "choice/dims" if options.choice else "raw/dims"
    names = list(PROBLEMS)[:1] if options.quick else options.only or list(PROBLEMS)
    first = CHOICE if options.choice else 0
    return [
        store.Unit(
            folder,
            name.replace(" ", "-").lower(),
            peer,
            seed,
            "dims",
            {"problem": name, "evaluations": 24 if options.quick else EVALUATIONS},
        )
        for seed in range(first, first + (1 if options.quick else options.seeds))
        for name in names
        for peer in METHODS.values()
    ]


def _curves(units: Sequence[store.Unit]) -> tuple[dict[str, dict[str, Floats]], dict[str, dict[str, float]]]:
    """Relative regret so far, ``[problem][method]`` (seeds, evaluations), and mean CPU seconds per suggestion."""
    labels = {peer: label for label, peer in METHODS.items()}
    curves: dict[str, dict[str, list[Floats]]] = {}
    seconds: dict[str, dict[str, list[float]]] = {}
    spread = {name: PROBLEMS[name].spread for name in {unit.arguments["problem"] for unit in units}}
    for unit in units:
        if (result := store.load(unit)) is None:
            continue
        name, label = unit.arguments["problem"], labels[unit.peer]
        regret = np.minimum.accumulate(-PROBLEMS[name].minimum - np.array(result["f"])) / spread[name]
        curves.setdefault(name, {}).setdefault(label, []).append(np.maximum(regret, 1e-12))
        seconds.setdefault(name, {}).setdefault(label, []).append(result["cpu"] / (len(result["f"]) - INITIAL))
    found = {name: {label: np.array(by[label]) for label in METHODS if label in by} for name, by in curves.items()}
    return found, {name: {label: float(np.mean(s)) for label, s in by.items()} for name, by in seconds.items()}


def _table(
    curves: Mapping[str, Mapping[str, Floats]], seconds: Mapping[str, Mapping[str, float]]
) -> tuple[list[str], list[list[str]]]:
    """Median final regret and number of seeds, CPU seconds per suggestion: least and most of the problems."""
    final = {name: {label: c[:, -1].tolist() for label, c in by.items()} for name, by in curves.items()}
    lines = []
    for label in METHODS:
        times = [by[label] for by in seconds.values() if label in by]
        lines.append(
            [
                label,
                *(f"{np.median(by[label]):.1e} ({len(by[label])})" if label in by else "" for by in final.values()),
                f"{min(times):.2g} to {max(times):.2g}" if times else "",
            ]
        )
    return ["median relative regret (seeds)", *final, "CPU s per suggestion"], lines


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench dims", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds")
    parser.add_argument("--peers", metavar="A,B", type=lambda text: text.split(","), help="run these only")
    parser.add_argument("--only", metavar="A,B", type=lambda text: text.split(","), help="these problems only")
    parser.add_argument("--choice", action="store_true", help="other seeds, on which defaults may be chosen")
    parser.add_argument("--quick", action="store_true", help="one problem, one seed, to see that it runs")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--docs", action="store_true", help="write table and figure into the documentation")
    return parser.parse_args(arguments)
