"""``python -m bench hosts``: Regretless inside other tools, beside what these tools bring along.

Samplers: the functions of ``bench regret --set main`` in Optuna's own loop, ask and tell of a study, with our sampler
and with Optuna's. Its units are those of that set: what was run for one command counts for the other.
Searches: five tuning tasks of scikit-learn, see `bench.tuning`. The loss is how much the cross-validation score of the
chosen parameters lies below the best that any of the searches found with the same folds.
"""

import argparse
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import page, store, tasks, tuning
from bench.adapters import PEERS
from bench.functions import spread
from bench.regret import SETS, print_in_full
from bench.statistics import mean_ranks, relative, share_away
from bench.tuning import TASKS
from regretless.linalg import single_thread

__all__ = ["SAMPLERS", "SEARCHES", "main"]

SAMPLERS = ("optuna-regretless", "optuna-gp", "optuna-tpe", "optuna-cmaes")
SEARCHES = ("search-regretless", "search-bayes", "search-halving", "search-random")
BUDGET = 30

Losses = dict[str, dict[str, list[float]]]


def main(arguments: list[str]) -> int:
    """Run what is missing, then print everything that is complete."""
    parser = argparse.ArgumentParser(prog="python -m bench hosts", description=__doc__.split("\n\n")[0])
    parser.add_argument("--part", choices=("samplers", "searches"), help="one part only")
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds")
    parser.add_argument("--peers", metavar="A,B", type=lambda text: text.split(","), help="run these only")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--docs", action="store_true", help="write the tables into the documentation")
    options = parser.parse_args(arguments)
    console = Console()
    parts = {"samplers": _samplers, "searches": _searches}
    for name, part in parts.items():
        if options.part not in (None, name):
            continue
        units = part(options.seeds)
        if not options.report:
            wanted = options.peers or (*SAMPLERS, *SEARCHES)
            _run_here([unit for unit in units if unit.peer in wanted and store.load(unit) is None], console)
        heads, lines = _sampler_table(units) if name == "samplers" else _search_table(units)
        table = Table(*heads, title=f"{name}, {options.seeds} seeds", title_justify="left")
        for line in lines:
            table.add_row(*line)
        print_in_full(console, table)
        if options.docs:
            text = page.measured(store.manifest()).replace(", one thread", f", {options.seeds} seeds")
            page.put(page.HOSTS, f"hosts --part {name}", f"{text}\n\n{page.markdown(heads, lines)}")
    return 0


def _run_here(units: Sequence[store.Unit], console: Console) -> None:
    """Run units in this process: most take less time than a process of their own takes to begin."""
    warnings.simplefilter("ignore")  # what peers say about their own use of other packages
    for unit in units:
        task = tuning.tune if unit.task == "tune" else tasks.regret
        with single_thread():
            store.keep(unit, task(peer=unit.peer, seed=unit.seed, **unit.arguments))
        console.print(f"{unit.work}, {PEERS[unit.peer].label}, seed {unit.seed}", highlight=False)


def _samplers(seeds: int) -> list[store.Unit]:
    chosen = SETS["main"]
    return [
        store.Unit("raw/regret/main", problem, peer, seed, chosen.task, settings)
        for seed in chosen.seeds[:seeds]
        for problem, settings in chosen.problems.items()
        for peer in SAMPLERS
    ]


def _searches(seeds: int) -> list[store.Unit]:
    return [
        store.Unit("raw/hosts/tuning", task, peer, seed, "tune", {"task": task, "budget": BUDGET})
        for seed in range(seeds)
        for task in TASKS
        for peer in SEARCHES
    ]


def _results(units: Sequence[store.Unit]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """By problem and peer, one for each seed; peers that miss a seed are left out."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for unit in units:
        if (result := store.load(unit)) is not None:
            found.setdefault(unit.work, {}).setdefault(unit.peer, []).append(result)
    seeds = len({unit.seed for unit in units})
    return {work: {peer: runs for peer, runs in by.items() if len(runs) == seeds} for work, by in found.items()}


def _sampler_table(units: Sequence[store.Unit]) -> tuple[list[str], list[list[str]]]:
    results = _results(units)
    final: Losses = {
        work: {peer: [run["optimum"] - max(run["f"]) for run in runs] for peer, runs in by.items()}
        for work, by in results.items()
    }
    problems = SETS["main"].problems
    scale = {work: spread(problems[work]["problem"], problems[work]["dim"]) for work in final}
    overall, away, ranks = relative(final, scale), share_away(final, scale), mean_ranks(final)
    lines = [
        [
            PEERS[peer].label,
            *(f"{100.0 * np.mean(by[peer]) / scale[work]:.2g}" if peer in by else "" for work, by in final.items()),
            *([f"{100.0 * overall[peer]:.1f}", f"{away[peer]:.2f}"] if peer in overall else ["", ""]),
            f"{ranks[peer]:.2f}" if peer in ranks else "",
        ]
        for peer in SAMPLERS
    ]
    return ["mean relative regret, %", *final, "all", "runs beyond 1 %", "mean rank"], lines


def _search_table(units: Sequence[store.Unit]) -> tuple[list[str], list[list[str]]]:
    results = _results(units)
    final = {work: _behind(by) for work, by in results.items()}
    ranks = mean_ranks(final)
    lines = [
        [
            PEERS[peer].label,
            *(f"{np.mean(by[peer]):.2g}" if peer in by else "" for by in final.values()),
            f"{ranks[peer]:.2f}" if peer in ranks else "",
            _seconds(results, peer),
        ]
        for peer in SEARCHES
    ]
    return ["mean score below the best", *final, "mean rank", "CPU s per search"], lines


def _behind(by_peer: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[float]]:
    """How far each search is behind the best one with the same folds."""
    best = np.max([[run["score"] for run in runs] for runs in by_peer.values()], axis=0)
    return {peer: (best - [run["score"] for run in runs]).tolist() for peer, runs in by_peer.items()}


def _seconds(results: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], peer: str) -> str:
    seconds = [run["seconds"] for by in results.values() for run in by.get(peer, ())]
    return f"{np.mean(seconds):.1f}" if seconds else ""
