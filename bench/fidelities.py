"""``python -m bench fidelities``: the regret that a cost leaves, where cheaper levels may be bought, beside the peers.

Every (problem, optimiser, seed) is a unit with a file of its own, as in ``python -m bench regret``. There is no noise.
A level costs what `regretless.problems.fidelity_problem` says, the target 1. All who buy levels start from the same
2d + 2 points, two of them measured at every level and the others at the cheapest; the target alone starts from the same
points measured there, and SMAC makes its own start. What the start costs counts. The regret is that of what is
recommended.
"""

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench import fidelity_tasks, page, store
from bench.adapters import PEERS
from bench.regret import print_in_full
from bench.statistics import mean_ranks
from regretless.linalg import single_thread
from regretless.problems import fidelity_names, fidelity_problem

__all__ = ["PEERS_OF", "main"]

#: The optimisers, with as many seeds as their time permits.
PEERS_OF = {
    "regretless": 10,
    "regretless-target": 10,
    "smac-hyperband": 3,
    "botorch-mf-mes": 1,
    "botorch-mf-kg": 1,
}
#: What is spent: 16 in up to four dimensions, 24 in more.
BUDGETS = {name: 16 if fidelity_problem(name).target.space.dim <= 4 else 24 for name in fidelity_names()}


def main(arguments: list[str]) -> int:
    """Run what is missing, then print what is complete."""
    parser = argparse.ArgumentParser(prog="python -m bench fidelities", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, help="how many seeds, at the most")
    parser.add_argument("--peers", metavar="A,B", type=lambda text: text.split(","), help="run these only")
    parser.add_argument("--problems", metavar="A,B", type=lambda text: text.split(","), help="run these only")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--docs", action="store_true", help="write the tables into the documentation")
    options = parser.parse_args(arguments)
    console, most = Console(), options.seeds or max(PEERS_OF.values())
    wanted = options.peers or tuple(PEERS_OF)
    problems = options.problems or fidelity_names()
    units = [
        unit(problem, peer, seed)
        for seed in range(most)  # seed by seed, so that an unfinished run is a balanced one
        for problem in problems
        for peer in wanted
        if seed < PEERS_OF[peer] and store.available(peer)
    ]
    if not options.report:
        _run_here([each for each in units if store.load(each) is None], console)
    for seeds in sorted(set(PEERS_OF.values()), reverse=True):
        heads, lines = table_of([peer for peer, count in PEERS_OF.items() if count >= seeds], seeds)
        if not lines:
            continue
        title = f"median regret of what is recommended, at half the cost and at the end, {seeds} seeds"
        table = Table(*heads, title=title, title_justify="left")
        for line in lines:
            table.add_row(*line)
        print_in_full(console, table)
        if options.docs:
            text = page.measured(store.manifest()).replace(", one thread", f", {seeds} seeds")
            page.put(page.FIDELITIES, f"fidelities, {seeds} seeds", f"{text}\n\n{page.markdown(heads, lines)}")
    return 0


def unit(problem: str, peer: str, seed: int) -> store.Unit:
    """One run."""
    dim = fidelity_problem(problem).target.space.dim
    settings = {"problem": problem, "budget": BUDGETS[problem], "n_initial": 2 * dim + 2}
    return store.Unit("raw/fidelities", problem, peer, seed, "fidelity", settings)


def _run_here(units: Sequence[store.Unit], console: Console) -> None:
    """Run units in this process: most take less time than a process of their own takes to begin."""
    warnings.simplefilter("ignore")  # what peers say about their own use of other packages
    for each in units:
        with single_thread():
            result = fidelity_tasks.fidelity(peer=each.peer, seed=each.seed, **each.arguments)
        store.keep(each, result)
        last = f"{_filled(result['regret'])[-1]:.3g}, {result['cpu']:.1f} s"
        console.print(f"{each.work}, {PEERS[each.peer].label}, seed {each.seed}: {last}", highlight=False)


def table_of(peers: Sequence[str], seeds: int) -> tuple[list[str], list[list[str]]]:
    """Medians at half of the budget and at the end, and mean ranks at the end; a cell needs all of its seeds."""
    runs: dict[str, dict[str, list[list[float]]]] = {}
    for problem in fidelity_names():
        for peer in peers:
            found = [store.load(unit(problem, peer, seed)) for seed in range(seeds)]
            if all(found):
                runs.setdefault(problem, {})[peer] = [_filled(each["regret"]) for each in found if each is not None]
    final = {problem: {p: [r[-1] for r in each] for p, each in by_peer.items()} for problem, by_peer in runs.items()}
    whole = {problem: by_peer for problem, by_peer in final.items() if len(by_peer) == len(peers)}
    ranks: dict[str, Any] = mean_ranks(whole) if whole else {}
    lines = []
    for peer in peers:
        cells = []
        for problem in runs:
            each = runs[problem].get(peer)
            cells.append(_medians(each) if each is not None else "")
        if any(cells):
            lines.append([PEERS[peer].label, *cells, f"{ranks[peer]:.2f}" if peer in ranks else ""])
    return ["", *(f"{problem} ({BUDGETS[problem]})" for problem in runs), "mean rank"], lines


def _medians(runs: list[list[float]]) -> str:
    half, end = (np.median([run[at] for run in runs]) for at in (len(runs[0]) // 2 - 1, -1))
    return f"{half:.2g} → {end:.2g}"


def _filled(regret: list[float | None]) -> list[float]:
    """Infinite where nothing was recommended yet; rounding below zero is none."""
    return [np.inf if each is None else max(each, 0.0) for each in regret]
