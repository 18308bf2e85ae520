"""``python -m bench outcomes``: constraints on outcomes, and several objectives, beside the peers.

Every (problem, optimiser, seed) is a unit with a file of its own, as in ``python -m bench regret``. There is no noise,
and the initial design, 2d + 2 points of a Latin hypercube or 4 rows of a table, is the same for everybody and counts.

With constraints the regret is the distance of the best feasible point evaluated from the optimum; a run without a
feasible point has the regret of the worst feasible one of 2^18 random points. Relative regret is that divided by
|optimum - median of the feasible ones|. With several objectives the loss is 1 - hypervolume / best hypervolume of the
points evaluated; its logarithm is the log hypervolume difference. Medians over seeds, ranks over seeds and problems.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from bench import page, store
from bench.adapters import PEERS, Floats
from bench.figures import draw_losses
from bench.regret import compare, comparison_table, print_in_full, run_all
from bench.statistics import mean_ranks, relative, share_away
from regretless.problems import FrontProblem, feasible_problem, front_problem, load_tradeoff, missing

__all__ = ["SETS", "OutcomeSet", "Scale", "losses", "main", "publish", "scale", "write_page"]

#: Random points behind the median feasible value, and the seed that draws them.
_SAMPLE, _SEED = 2**18, 20261118


@dataclass(frozen=True)
class OutcomeSet:
    """Problems with the task that runs them and its arguments, the optimisers, and the seeds."""

    problems: Mapping[str, tuple[str, Mapping[str, Any]]]
    peers: tuple[str, ...]
    seeds: tuple[int, ...]
    loss: str


def _constrained(*entries: tuple[str, int]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Entries are (name, evaluations)."""
    return {
        name: ("constrained", _arguments(feasible_problem(name), name, evaluations)) for name, evaluations in entries
    }


def _objectives(*entries: tuple[str, int]) -> dict[str, tuple[str, dict[str, Any]]]:
    return {name: ("objectives", _arguments(front_problem(name), name, evaluations)) for name, evaluations in entries}


def _arguments(problem: Any, name: str, evaluations: int) -> dict[str, Any]:
    return {"problem": name, "evaluations": evaluations, "n_initial": 2 * problem.space.dim + 2}


def _tables(*entries: tuple[str, int]) -> dict[str, tuple[str, dict[str, Any]]]:
    return {name: ("tradeoff", {"table": name, "evaluations": n, "n_initial": 4}) for name, n in entries}


_NAMES = {
    "branin-currin": "Branin-Currin",
    "dtlz2-2": "DTLZ2",
    "dtlz2-3": "DTLZ2",
    "vehicle-safety": "Vehicle safety",
}

#: What is run by name.
SETS: dict[str, OutcomeSet] = {
    "constrained": OutcomeSet(
        _constrained(
            ("gramacy", 40),
            ("townsend", 60),
            ("tension-spring", 50),
            ("pressure-vessel", 60),
            ("welded-beam", 60),
            ("speed-reducer", 60),
        ),
        ("regretless", "botorch-qlognei", "botorch-logcei", "scbo", "optuna-gp", "optuna-tpe", "random"),
        tuple(range(10)),
        "relative feasible regret",
    ),
    "objectives": OutcomeSet(
        _objectives(
            ("branin-currin", 40),
            ("vlmop2", 40),
            ("dtlz2-2", 50),
            ("dtlz2-3", 50),
            ("zdt1", 50),
            ("zdt2", 50),
            ("zdt3", 50),
            ("vehicle-safety", 40),
        )
        | _tables(("autoam", 40), ("crossed-barrel", 60)),
        (  # peers of both sets have the same places, and so the same colours
            "regretless",
            "botorch-qlognehvi",
            "botorch-qlognparego",
            "optuna-nsga2",
            "optuna-gp",
            "optuna-tpe",
            "random",
        ),
        tuple(range(10)),
        "hypervolume missed",
    ),
}


def main(arguments: list[str]) -> int:
    """Run what is missing, then print and draw everything that is complete."""
    options = _options(arguments)
    console = Console()
    chosen = _quick(SETS[options.set]) if options.quick else SETS[options.set]
    chosen = _without_missing_tables(chosen, console)
    if options.seeds is not None:
        chosen = OutcomeSet(chosen.problems, chosen.peers, tuple(range(options.seeds)), chosen.loss)
    wanted = chosen.peers if options.peers is None else tuple(options.peers)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    raw = f"{'quick' if options.quick else 'raw'}/outcomes/{options.set}"
    units = [
        store.Unit(raw, problem, peer, seed, task, settings)
        for seed in chosen.seeds  # seed by seed, so that an unfinished run is a balanced one
        for problem, (task, settings) in chosen.problems.items()
        for peer in wanted
        if task != "tradeoff" or PEERS[peer].outcomes_table is not None
    ]
    absent = [peer for peer in wanted if not store.available(peer)]
    due = [unit for unit in units if unit.peer not in absent and store.load(unit) is None]
    failed = {} if options.report else run_all(due, options.jobs, console)
    if publish(options.set, chosen, units, folder, console) and options.docs:
        write_page(options.set, folder)
    for peer in absent:
        console.print(f"{PEERS[peer].label} is not installed: only its stored results count.")
    for unit, why in failed.items():
        console.print(
            f"{unit.work}, {PEERS[unit.peer].label}, seed {unit.seed} failed: {why}", style="red", markup=False
        )
    return 1 if failed else 0


@dataclass(frozen=True)
class Scale:
    """Unit of relative regret on a constrained problem, and the regret of a run without a feasible point."""

    spread: float
    worst: float


@cache
def scale(name: str) -> Scale:
    """From the feasible ones of 2^18 uniform points, the same every time."""
    problem = feasible_problem(name)
    bounds = np.array([(side.low, side.high) for side in problem.space.dimensions.values()])
    u = np.random.default_rng(_SEED).random((_SAMPLE, len(bounds)))
    regret = problem.regret(problem.evaluate(bounds[:, 0] + (bounds[:, 1] - bounds[:, 0]) * u))
    regret = regret[np.isfinite(regret)]
    return Scale(float(np.median(regret)), float(regret.max()))


def losses(task: str, settings: Mapping[str, Any], run: Mapping[str, Any]) -> Floats:
    """Loss after each evaluation of one run, never increasing."""
    if task == "constrained":
        unit, problem = scale(settings["problem"]), feasible_problem(settings["problem"])
        sign = 1.0 if problem.direction == "maximize" else -1.0
        regret = np.where(run["feasible"], sign * (problem.optimum - np.array(run["f"])), unit.worst)
        return np.minimum.accumulate(np.minimum(regret, unit.worst)) / unit.spread
    front, Y = _front(task, settings), np.array(run["Y"])
    volumes = [front.hypervolume(Y[: t + 1]) for t in range(len(Y))]
    return 1.0 - np.array(volumes) / front.best_hypervolume


def _front(task: str, settings: Mapping[str, Any]) -> FrontProblem:
    return load_tradeoff(settings["table"]) if task == "tradeoff" else front_problem(settings["problem"])


def publish(name: str, chosen: OutcomeSet, units: Sequence[store.Unit], folder: Path, console: Console) -> bool:
    """Print the tables; write them with their manifest, and a figure. A cell needs all of its seeds."""
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {problem: {} for problem in chosen.problems}
    for unit in units:
        if (result := store.load(unit)) is not None:
            runs[unit.work].setdefault(unit.peer, []).append(result)
    complete = {p: {q: r for q, r in by.items() if len(r) == len(chosen.seeds)} for p, by in runs.items()}
    complete = {problem: by_peer for problem, by_peer in complete.items() if by_peer}
    if not complete:
        console.print("Nothing is complete yet.")
        return False
    curves = {
        problem: {peer: np.array([losses(*chosen.problems[problem], run) for run in r]) for peer, r in by_peer.items()}
        for problem, by_peer in complete.items()
    }
    final = {p: {peer: c[:, -1].tolist() for peer, c in by_peer.items()} for p, by_peer in curves.items()}
    ones, comparisons = dict.fromkeys(final, 1.0), compare(final)
    content = {
        "manifest": store.manifest(),
        "set": name,
        "loss": chosen.loss,
        "problems": {problem: {"task": task, **settings} for problem, (task, settings) in chosen.problems.items()},
        "seeds": list(chosen.seeds),
        "versions": {unit.peer: store.version(unit) for unit in reversed(units) if unit.work in final},
        "final": final,
        "mean": relative(final, ones),
        "away": share_away(final, ones),
        "mean_ranks": mean_ranks(_boxes(final, chosen)),
        "seconds": _seconds(complete, chosen),
        "comparisons": [{**vars(entry), "verdict": entry.verdict} for entry in comparisons],
    }
    store.write_json(folder / f"outcomes-{name}.json", content)
    heads, lines = _lines(content)
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"{name}: {heads[0]}, {len(chosen.seeds)} seeds",
        title_justify="left",
        padding=(0, 1, 0, 0),
    )
    table.add_column("optimiser", min_width=17)
    for head in heads[1:]:
        table.add_column(head.replace("-", "\n").replace(" ", "\n"), justify="right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    print_in_full(console, table)
    if comparisons:
        console.print(comparison_table(comparisons))
    titled = {title(*chosen.problems[problem]): by_peer for problem, by_peer in curves.items()}
    draw_losses(titled, folder / f"outcomes-{name}.png", chosen.loss, chosen.peers)
    console.print(f"{folder / f'outcomes-{name}.json'}", highlight=False, soft_wrap=True)
    return True


def title(task: str, settings: Mapping[str, Any]) -> str:
    """A problem's name as a figure shows it, with its size.

    >>> title("constrained", {"problem": "welded-beam"})
    'Welded beam: d = 4, 6 constraints'
    >>> title("objectives", {"problem": "zdt1"})
    'ZDT1: d = 6, 2 objectives'
    """
    if task == "constrained":
        problem, J = feasible_problem(settings["problem"]), len(feasible_problem(settings["problem"]).constraints)
        name = problem.name.replace("-", " ").capitalize()
        return f"{name}: d = {problem.space.dim}, {J} constraint{'s' if J > 1 else ''}"
    front = _front(task, settings)
    if task == "tradeoff":
        return f"{settings['table']}: {' and '.join(front.outcomes)} of {front.space.n_candidates} rows"
    name = _NAMES.get(front.name, front.name.upper())
    return f"{name}: d = {front.space.dim}, {len(front.objectives)} objectives"


def write_page(name: str, folder: Path) -> None:
    """Table and figure of the last report of a set in the documentation."""
    stored = json.loads((folder / f"outcomes-{name}.json").read_text())
    text = [
        page.measured(stored["manifest"]).replace(", one thread", f", {len(stored['seeds'])} seeds"),
        page.markdown(*_lines(stored)),
        page.show_figure(
            folder / f"outcomes-{name}.png", f"Median {stored['loss']} of every optimiser on each problem"
        ),
    ]
    page.put(page.BENCHMARKS, f"outcomes --set {name}", "\n\n".join(text))


def _lines(content: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: median loss in per cent by problem, share of runs beyond 1 %, mean rank, CPU seconds."""
    final = content["final"]
    last: list[tuple[str, str, Callable[[float], str]]] = [
        ("runs beyond 1 %", "away", "{:.2f}".format),
        ("mean rank", "mean_ranks", "{:.2f}".format),
        ("CPU s per suggestion", "seconds", "{:.2g}".format),
    ]
    lines = []
    for peer in (peer for peer in PEERS if any(peer in by_peer for by_peer in final.values())):
        cells = [f"{100.0 * np.median(by[peer]):.2g}" if peer in by else "" for by in final.values()]
        ends = [form(content[key][peer]) if peer in content[key] else "" for _, key, form in last]
        lines.append([PEERS[peer].label, *cells, *ends])
    return [f"median {content['loss']}, %", *final, *(head for head, _, _ in last)], lines


def _boxes(final: Mapping[str, Any], chosen: OutcomeSet) -> dict[str, Any]:
    """Without the tables, on which not everybody runs; the tables alone if there is nothing else."""
    boxes = {problem: by for problem, by in final.items() if chosen.problems[problem][0] != "tradeoff"}
    return boxes or dict(final)


def _seconds(complete: Mapping[str, Mapping[str, list[dict[str, Any]]]], chosen: OutcomeSet) -> dict[str, float]:
    """CPU seconds per suggestion of each peer: median over seeds, mean over the problems that it ran on."""
    spent: dict[str, list[float]] = {}
    for problem, by_peer in complete.items():
        settings = chosen.problems[problem][1]
        suggestions = settings["evaluations"] - settings["n_initial"]
        for peer, runs in by_peer.items():
            spent.setdefault(peer, []).append(float(np.median([run["cpu"] for run in runs])) / suggestions)
    return {peer: float(np.mean(seconds)) for peer, seconds in spent.items()}


def _without_missing_tables(chosen: OutcomeSet, console: Console) -> OutcomeSet:
    absent = missing([s["table"] for task, s in chosen.problems.values() if task == "tradeoff"])
    if not absent:
        return chosen
    console.print(f"Left out, their files are nowhere to be found: {', '.join(absent)}.")
    left = {name: entry for name, entry in chosen.problems.items() if name not in absent}
    return OutcomeSet(left, chosen.peers, chosen.seeds, chosen.loss)


def _quick(full: OutcomeSet) -> OutcomeSet:
    """Two problems, two seeds, four suggestions: to see that everything works."""
    first = list(full.problems.items())[:2]
    problems = {name: (task, {**s, "evaluations": s["n_initial"] + 4}) for name, (task, s) in first}
    return OutcomeSet(problems, full.peers, full.seeds[:2], full.loss)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench outcomes", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", choices=SETS, default="constrained")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="processes at a time")
    parser.add_argument("--seeds", type=int, help="the first so many seeds only")
    parser.add_argument("--peers", metavar="A,B", type=lambda text: text.split(","), help="some of the set's")
    parser.add_argument("--quick", action="store_true", help="two problems, two seeds, four suggestions each")
    parser.add_argument("--report", action="store_true", help="run nothing, show what is complete")
    parser.add_argument("--docs", action="store_true", help="put table and figure into the docs")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.peers or () if name not in SETS[options.set].peers]
    if unknown:
        parser.error(f"{', '.join(unknown)}: not in this set, which has {', '.join(SETS[options.set].peers)}")
    if options.jobs < 1 or (options.seeds is not None and options.seeds < 1):
        parser.error("--jobs and --seeds must be at least 1")
    return options
