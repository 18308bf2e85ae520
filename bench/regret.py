"""``python -m bench regret``: how much regret is left after a fixed number of evaluations, beside the peers.

Every (problem, optimiser, seed) is a unit with a file of its own. Stop the run when you like; the next one goes on
where it was. Reported are, first, the mean regret relative to (optimum - median of f) and the share of runs that are
more than 1 % of it away: what somebody with one run gets; then medians and ranks. The test is a two-sided Wilcoxon
signed-rank test of our default against the peer with the lowest median, on the logarithms, paired by seed, at the level
0.05 after Holm's correction over the problems. Choosing that peer from the same data works against us, not for us.
"""

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench import bbob, page, store
from bench.adapters import OURS, PEERS
from bench.figures import draw_found, draw_regret, draw_targets
from bench.functions import function, spread
from bench.holdout import TABLES
from bench.statistics import holm, mean_ranks, paired_p, relative, share_away

__all__ = [
    "LEVEL",
    "SETS",
    "Comparison",
    "ProblemSet",
    "compare",
    "comparison_table",
    "main",
    "print_in_full",
    "publish",
    "run_all",
    "write_page",
    "write_summary",
]

LEVEL = 0.05
NOISE_VAR = 1e-4
DEFAULT = "regretless"
_BOX_PEERS = (
    DEFAULT,
    "regretless-paper",
    *(name for name, peer in PEERS.items() if name not in (*OURS, "cma") and peer.box is not None and not peer.hosted),
)
_BBOB_PEERS = (DEFAULT, "botorch-logei", "optuna-gp", "optuna-tpe", "hebo", "cma")
_TABLE_PEERS = (*(name for name in OURS if PEERS[name].table), "botorch-logei", "botorch-ucb", "baybe")


@dataclass(frozen=True)
class ProblemSet:
    """Problems with the arguments of their task, the optimisers that run on them, and the seeds."""

    task: str
    problems: dict[str, dict[str, Any]]
    peers: tuple[str, ...]
    seeds: tuple[int, ...]


def _functions(*entries: tuple[str, int | None, int, int]) -> dict[str, dict[str, Any]]:
    """Entries are (name, dim if it can be chosen, dimension, evaluations); 2^d of the evaluations are the start."""
    return {
        name if dim is None else f"{name}-{dim}": {
            "problem": name,
            "dim": dim,
            "evaluations": evaluations,
            "n_initial": 2**d,
            "noise_var": NOISE_VAR,
        }
        for name, dim, d, evaluations in entries
    }


def _held_out(*entries: tuple[str, int, float]) -> dict[str, dict[str, Any]]:
    """Entries are (name, evaluations, variance of the noise); 2 d + 2 of the evaluations are the start."""
    return {
        name: {
            "problem": name,
            "dim": None,
            "evaluations": evaluations,
            "n_initial": 2 * len(function(name).bounds) + 2,
            "noise_var": noise_var,
        }
        for name, evaluations, noise_var in entries
    }


#: What is run by name. Defaults may be chosen on "main", never on "confirm": it has other functions and other seeds.
#: "holdout" and "holdout-tables" were fixed before anything was tuned with them in view; they too are run once.
SETS: dict[str, ProblemSet] = {
    "main": ProblemSet(
        "regret",
        _functions(
            ("holder-table", None, 2, 60),
            ("cross-in-tray", None, 2, 60),
            ("ackley", 4, 4, 150),
            ("branin", None, 2, 40),
            ("hartmann3", None, 3, 50),
            ("levy", 4, 4, 100),
        ),
        _BOX_PEERS,
        tuple(range(10)),
    ),
    "confirm": ProblemSet(  # run once, when everything was settled
        "regret",
        _functions(
            ("ackley", 2, 2, 50),
            ("bukin6", None, 2, 60),
            ("eggholder", None, 2, 80),
            ("griewank", 3, 3, 80),
            ("levy", 2, 2, 40),
            ("rastrigin", 3, 3, 80),
            ("rosenbrock", 2, 2, 50),
            ("styblinski-tang", 4, 4, 100),
        ),
        _BOX_PEERS,
        tuple(range(1000, 1010)),
    ),
    "materials": ProblemSet(
        "materials",
        {name: {"table": name, "n_initial": 2} for name in ("agnp", "autoam", "crossed-barrel", "p3ht", "perovskite")},
        _TABLE_PEERS,
        tuple(range(20)),
    ),
    "holdout": ProblemSet(
        "regret",
        _held_out(
            ("schaffer7-rotated-3", 80, NOISE_VAR),
            ("dixon-price-rotated-4", 100, NOISE_VAR),
            ("salomon-rotated-2", 60, NOISE_VAR),
            ("three-bar-truss", 40, NOISE_VAR),
            ("pressure-vessel", 100, NOISE_VAR),
            ("six-hump-camel", 60, 0.09),  # 3 % of (optimum - median) as standard deviation
            ("hartmann6", 100, 0.01),  # as much
            ("rosenbrock-shifted-10", 150, NOISE_VAR),
            ("levy-idle-20", 150, NOISE_VAR),
            ("hills-by-category", 80, NOISE_VAR),
            ("rastrigin-by-category", 120, NOISE_VAR),
            ("hills-3", 400, NOISE_VAR),
        ),
        _BOX_PEERS,
        tuple(range(2000, 2010)),
    ),
    "holdout-tables": ProblemSet(
        "materials",
        {name: {"table": name, "n_initial": 4} for name in TABLES},
        _TABLE_PEERS,
        tuple(range(2000, 2020)),
    ),
    # The seed is the instance: defaults may be chosen on 1 to 3, and 4 to 8 are published.
    "bbob": ProblemSet("bbob", bbob.problems(), _BBOB_PEERS, (4, 5, 6, 7, 8)),
    "bbob-choice": ProblemSet("bbob", bbob.problems(), _BBOB_PEERS, (1, 2, 3)),
}


@dataclass(frozen=True)
class Comparison:
    """Our default against the best peer on one problem."""

    problem: str
    ours: float
    peer: str
    theirs: float
    p: float
    p_holm: float

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` if the difference is significant, else ``-``."""
        if self.p_holm > LEVEL:
            return "-"
        return "better" if self.ours < self.theirs else "worse"


def main(arguments: list[str]) -> int:
    """Run what is missing, then print and draw everything that is complete."""
    options = _options(arguments)
    console = Console()
    chosen = _quick(SETS[options.set]) if options.quick else SETS[options.set]
    chosen = replace(chosen, seeds=chosen.seeds[: options.seeds])
    wanted = chosen.peers if options.peers is None else tuple(options.peers)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    raw = f"{'quick' if options.quick else 'raw'}/regret/{options.set}"
    units = [
        store.Unit(raw, problem, peer, seed, chosen.task, settings)
        for seed in chosen.seeds  # seed by seed, so that an unfinished run is a balanced one
        for problem, settings in chosen.problems.items()
        for peer in wanted
    ]
    missing = [peer for peer in wanted if not store.available(peer)]
    due = [unit for unit in units if unit.peer not in missing and store.load(unit) is None]
    failed = {} if options.report else run_all(due, options.jobs, console)
    publish(options.set, chosen, wanted, units, folder, console)
    if options.docs:
        write_page(options.set, folder)
        write_summary(folder)
    for peer in missing:
        console.print(f"{PEERS[peer].label} is not installed: only its stored results count.")
    for unit, why in failed.items():
        console.print(
            f"{unit.work}, {PEERS[unit.peer].label}, seed {unit.seed} failed: {why}", style="red", markup=False
        )
    return 1 if failed else 0


def run_all(units: Sequence[store.Unit], jobs: int, console: Console) -> dict[store.Unit, str]:
    """Run units, ``jobs`` processes at a time; returns those that failed, and why."""
    failed: dict[store.Unit, str] = {}
    if not units:
        return failed
    cost = {unit: PEERS[unit.peer].seconds * unit.arguments.get("evaluations", 60) + 3.0 for unit in units}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console) as bar, ThreadPoolExecutor(jobs) as pool:
        task = bar.add_task(f"0 of {len(units)} units", total=sum(cost.values()))
        running = {pool.submit(store.run, unit): unit for unit in units}
        try:
            for done, future in enumerate(as_completed(running), start=1):
                unit = running[future]
                if (error := future.exception()) is not None:
                    failed[unit] = str(error).splitlines()[-1] if str(error) else repr(error)
                bar.update(task, advance=cost[unit], description=f"{done} of {len(units)} units")
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            console.print("Stopped; what is finished is kept. Run the same command to go on.")
            raise
    return failed


def publish(
    name: str, chosen: ProblemSet, peers: Sequence[str], units: Sequence[store.Unit], folder: Path, console: Console
) -> None:
    """Print the tables; write them with their manifest, and a figure. A cell needs all of its seeds."""
    results: dict[str, dict[str, list[dict[str, Any]]]] = {problem: {} for problem in chosen.problems}
    for unit in units:
        if (result := store.load(unit)) is not None:
            results[unit.work].setdefault(unit.peer, []).append(result)
    complete = {
        problem: {peer: runs for peer, runs in by_peer.items() if len(runs) == len(chosen.seeds)}
        for problem, by_peer in results.items()
    }
    complete = {problem: by_peer for problem, by_peer in complete.items() if by_peer}
    if not complete:
        console.print("Nothing is complete yet.")
        return
    if chosen.task == "bbob":
        publish_targets(name, chosen, peers, complete, folder, console)
        return
    tables = chosen.task == "materials"
    measure = _evaluations if tables else _final_regret
    final = {p: {peer: [measure(run) for run in runs] for peer, runs in by.items()} for p, by in complete.items()}
    unit_of = {} if tables else {p: spread(chosen.problems[p]["problem"], chosen.problems[p]["dim"]) for p in final}
    ranks, comparisons = mean_ranks(final), compare(final)
    if not tables:
        print_in_full(
            console, _relative(f"{name}: mean relative regret in %, {len(chosen.seeds)} seeds", final, unit_of)
        )
    what = "evaluations to the optimum" if tables else "final simple regret"
    print_in_full(console, _medians(f"{name}: median {what}, {len(chosen.seeds)} seeds", final, peers, ranks))
    if comparisons:
        console.print(comparison_table(comparisons))
    content = {
        "manifest": store.manifest(),
        "set": name,
        "task": chosen.task,
        "problems": chosen.problems,
        "seeds": list(chosen.seeds),
        "versions": {unit.peer: store.version(unit) for unit in reversed(units) if unit.work in final},
        "source": store.source_hash(),
        "final": final,
        "spread": unit_of,
        "relative": {} if tables else relative(final, unit_of),
        "away": {} if tables else share_away(final, unit_of),
        "mean_ranks": ranks,
        "comparisons": [{**vars(entry), "verdict": entry.verdict} for entry in comparisons],
    }
    store.write_json(folder / f"regret-{name}.json", content)
    figure = folder / f"regret-{name}.png"
    if tables:
        draw_found(final, figure)
    else:
        curves = {p: {peer: _curves(runs) / unit_of[p] for peer, runs in by.items()} for p, by in complete.items()}
        draw_regret(curves, figure)
    console.print(f"{folder / f'regret-{name}.json'}\n{figure}", highlight=False, soft_wrap=True)


def publish_targets(
    name: str,
    chosen: ProblemSet,
    peers: Sequence[str],
    complete: dict[str, dict[str, list[dict[str, Any]]]],
    folder: Path,
    console: Console,
) -> None:
    """Share of BBOB's targets reached by dimension; a peer counts in a dimension where it ran on every function."""
    shares: dict[str, dict[str, list[float]]] = {}
    for d in sorted({settings["dim"] for settings in chosen.problems.values()}):
        runs = [complete.get(problem, {}) for problem, s in chosen.problems.items() if s["dim"] == d]
        curves = {peer: [bbob.reached(by[peer]) for by in runs] for peer in peers if all(peer in by for by in runs)}
        if curves:
            shares[str(d)] = {peer: np.mean(curve, axis=0).tolist() for peer, curve in curves.items()}
    if not shares:
        console.print("No dimension is complete yet.")
        return
    heads, lines = _target_lines(shares)
    table = Table(*heads, title=f"{name}: {heads[0]}", title_justify="left")
    for line in lines:
        table.add_row(*line)
    console.print(table)
    final = {p: {peer: [_final_regret(run) for run in runs] for peer, runs in by.items()} for p, by in complete.items()}
    content = {"manifest": store.manifest(), "set": name, "task": chosen.task, "problems": chosen.problems}
    content |= {"seeds": list(chosen.seeds), "source": store.source_hash(), "final": final, "shares": shares}
    store.write_json(folder / f"regret-{name}.json", content)
    draw_targets(shares, folder / f"regret-{name}.png")
    console.print(f"{folder / f'regret-{name}.json'}", highlight=False, soft_wrap=True)


def _target_lines(shares: dict[str, dict[str, list[float]]]) -> tuple[list[str], list[list[str]]]:
    shown = [peer for peer in PEERS if any(peer in by_peer for by_peer in shares.values())]
    lines = [
        [PEERS[peer].label, *(f"{by_peer[peer][-1]:.3f}" if peer in by_peer else "" for by_peer in shares.values())]
        for peer in shown
    ]
    return ["share of targets reached", *(f"d = {d}" for d in shares)], lines


def write_page(name: str, folder: Path) -> None:
    """Tables and figure of the last report of a set in the documentation."""
    stored = json.loads((folder / f"regret-{name}.json").read_text())
    if stored["task"] == "bbob":
        text = [
            page.measured(stored["manifest"]).replace(", one thread", f", {len(stored['seeds'])} instances"),
            page.markdown(*_target_lines(stored["shares"])),
            page.show_figure(folder / f"regret-{name}.png", "Share of targets reached against evaluations / d"),
        ]
        page.put(page.BENCHMARKS, f"regret --set {name}", "\n\n".join(text))
        return
    final, ranks, n = stored["final"], stored["mean_ranks"], len(stored["seeds"])
    lines = []
    for peer in (peer for peer in PEERS if any(peer in by_peer for by_peer in final.values())):
        medians = [f"{np.median(by_peer[peer]):.2g}" if peer in by_peer else "" for by_peer in final.values()]
        lines.append([PEERS[peer].label, *medians, f"{ranks[peer]:.2f}" if peer in ranks else ""])
    tests = [
        [
            e["problem"],
            PEERS[e["peer"]].label,
            f"{e['ours']:.2g}",
            f"{e['theirs']:.2g}",
            f"{e['p_holm']:.3f}",
            e["verdict"],
        ]
        for e in stored["comparisons"]
    ]
    text = [
        page.measured(stored["manifest"]).replace(", one thread", f", {n} seed{'s' * (n > 1)}"),
        *([page.markdown(*_relative_lines(final, stored["spread"]))] if stored["spread"] else []),
        page.markdown(["median", *final, "mean rank"], lines),
        page.markdown(["", "best peer", "ours", "theirs", "p (Holm)", "ours is"], tests),
        page.show_figure(folder / f"regret-{name}.png", f"Results of every optimiser on the set {name}"),
    ]
    page.put(page.BENCHMARKS, f"regret --set {name}", "\n\n".join(text))


def write_summary(folder: Path) -> None:
    """Mean relative regret, and the share of runs beyond 1 %, over each set of functions and over all, in the docs."""
    paths = {name: folder / f"regret-{name}.json" for name, chosen in SETS.items() if chosen.task == "regret"}
    stored = {name: json.loads(path.read_text()) for name, path in paths.items() if path.exists()}
    if not stored:
        return
    columns = {name: (content["final"], content["spread"]) for name, content in stored.items()}
    if {"main", "confirm"} <= set(columns):  # on which bars stand; what is held out is never mixed with them
        (final, unit_of), (more, units_of_more) = columns["main"], columns["confirm"]
        columns["main + confirm"] = final | more, unit_of | units_of_more
    cells = {name: _percent_and_share(*pair) for name, pair in columns.items()}
    shown = [peer for peer in PEERS if any(peer in column for column in cells.values())]
    last = list(columns)[-1]
    overall = relative(*columns[last])
    shown.sort(key=lambda peer: overall.get(peer, np.inf))  # those that ran on all of them first, the best on top
    ranks = {peer: f"{rank:.2f}" for peer, rank in mean_ranks(columns[last][0]).items()}
    lines = [[PEERS[p].label, *(column.get(p, "") for column in cells.values()), ranks.get(p, "")] for p in shown]
    page.put(
        page.BENCHMARKS,
        "regret --docs",
        page.markdown(["mean relative regret, % (runs beyond 1 %)", *cells, "mean rank"], lines),
    )


def compare(final: dict[str, dict[str, list[float]]]) -> list[Comparison]:
    """Our default against the peer with the lowest median, problem by problem."""
    pairs = []
    for problem, by_peer in final.items():
        others = [peer for peer in by_peer if peer not in OURS]
        if DEFAULT in by_peer and others:
            best = min(others, key=lambda peer: float(np.median(by_peer[peer])))
            pairs.append((problem, best, by_peer[DEFAULT], by_peer[best]))
    p = [paired_p(ours, theirs) for _, _, ours, theirs in pairs]
    return [
        Comparison(problem, float(np.median(ours)), best, float(np.median(theirs)), raw, adjusted)
        for (problem, best, ours, theirs), raw, adjusted in zip(pairs, p, holm(p), strict=True)
    ]


def _percent_and_share(final: dict[str, dict[str, list[float]]], unit_of: dict[str, float]) -> dict[str, str]:
    away = share_away(final, unit_of)
    return {peer: f"{100.0 * mean:.1f} ({away[peer]:.2f})" for peer, mean in relative(final, unit_of).items()}


def _relative_lines(
    final: dict[str, dict[str, list[float]]], unit_of: dict[str, float]
) -> tuple[list[str], list[list[str]]]:
    """Heads and lines: mean relative regret in per cent by problem, over all, and the share of runs beyond 1 %."""
    overall, away = relative(final, unit_of), share_away(final, unit_of)
    lines = []
    for peer in (peer for peer in PEERS if any(peer in by_peer for by_peer in final.values())):
        cells = [
            f"{100.0 * np.mean(by_peer[peer]) / unit_of[problem]:.2g}" if peer in by_peer else ""
            for problem, by_peer in final.items()
        ]
        ends = [f"{100.0 * overall[peer]:.1f}", f"{away[peer]:.2f}"] if peer in overall else ["", ""]
        lines.append([PEERS[peer].label, *cells, *ends])
    return ["mean relative regret, %", *final, "all", "runs beyond 1 %"], lines


def _curves(runs: list[dict[str, Any]]) -> Any:
    return np.array([run["optimum"] - np.maximum.accumulate(run["f"]) for run in runs])


def _final_regret(run: dict[str, Any]) -> float:
    return float(run["optimum"] - max(run["f"]))


def _evaluations(run: dict[str, Any]) -> float:
    return float(run["evaluations"])


def print_in_full(console: Console, table: Table) -> None:
    """At least as wide as it has to be: where the terminal is narrower the lines run over, but no name is lost."""
    wide = Console(file=console.file, width=1000)
    wide.width = max(console.width, wide.measure(table).minimum)
    wide.print(table)


def _medians(
    title: str, final: dict[str, dict[str, list[float]]], peers: Sequence[str], ranks: dict[str, float]
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("optimiser", min_width=17)
    for problem in final:  # names in several lines, so that 80 columns do
        table.add_column(problem.replace("-", "\n"), justify="right", no_wrap=True)
    table.add_column("mean\nrank", justify="right", no_wrap=True)
    best = {problem: min(float(np.median(v)) for v in by_peer.values()) for problem, by_peer in final.items()}
    for peer in peers:
        cells = []
        for problem, by_peer in final.items():
            median = float(np.median(by_peer[peer])) if peer in by_peer else None
            mark = "bold" if median == best[problem] else "none"
            cells.append("" if median is None else f"[{mark}]{median:.2g}[/{mark}]")
        table.add_row(PEERS[peer].label, *cells, f"{ranks[peer]:.2f}" if peer in ranks else "")
    return table


def _relative(title: str, final: dict[str, dict[str, list[float]]], unit_of: dict[str, float]) -> Table:
    heads, lines = _relative_lines(final, unit_of)
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("optimiser", min_width=17)
    for head in heads[1:-1]:
        table.add_column(head.replace("-", "\n"), justify="right", no_wrap=True)
    table.add_column("beyond\n1 %", justify="right", no_wrap=True)
    for line in lines:
        table.add_row(*line)
    return table


def comparison_table(entries: Sequence[Comparison]) -> Table:
    """Our default and the best peer on each problem, with the test."""
    title = f"Regretless against the best peer: Wilcoxon signed-rank, level {LEVEL}, Holm over {len(entries)} problems"
    table = Table("problem", "best peer", title=title, title_justify="left")
    for heading in ("ours", "theirs", "p", "p (Holm)"):
        table.add_column(heading, justify="right")
    table.add_column("ours is")
    for e in entries:
        label = PEERS[e.peer].label
        table.add_row(e.problem, label, f"{e.ours:.3g}", f"{e.theirs:.3g}", f"{e.p:.3f}", f"{e.p_holm:.3f}", e.verdict)
    return table


def _quick(full: ProblemSet) -> ProblemSet:
    """Two problems, two seeds, four suggestions: to see that everything works."""
    problems = dict(list(full.problems.items())[:2])
    if full.task != "materials":
        problems = {name: {**s, "evaluations": s["n_initial"] + 4} for name, s in problems.items()}
    else:
        problems = dict(list(full.problems.items())[-1:])
    return ProblemSet(full.task, problems, full.peers, full.seeds[:2])


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench regret", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", choices=SETS, default="main")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="processes at a time")
    parser.add_argument("--seeds", type=int, help="only so many of the seeds of the set, the first ones")
    parser.add_argument("--peers", metavar="A,B", type=lambda text: text.split(","), help=f"of: {', '.join(PEERS)}")
    parser.add_argument("--quick", action="store_true", help="two problems, two seeds, four suggestions each")
    parser.add_argument("--report", action="store_true", help="run nothing, show what is complete")
    parser.add_argument("--docs", action="store_true", help="put tables and figure into the docs")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.peers or () if name not in SETS[options.set].peers]
    if unknown:
        parser.error(f"{', '.join(unknown)}: not in this set, which has {', '.join(SETS[options.set].peers)}")
    if options.jobs < 1 or (options.seeds is not None and options.seeds < 1):
        parser.error("--jobs and --seeds must be at least 1")
    return options
