"""``python -m bench cost``: what a suggestion costs in CPU time, one thread, beside the peers."""

import argparse
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench import page, store
from bench.adapters import OURS, PEERS
from bench.figures import draw_cost
from bench.works import MATVEC_BAR, MEMORY_BAR, WORKS, Work

__all__ = ["Row", "main", "rows_of"]

#: A peer that has not finished a unit by then is left out, with a note. Wall-clock seconds.
TIMEOUT = 3600.0


@dataclass(frozen=True)
class Row:
    """One line of the table. ``ratio`` is to our own time, or to the bar's own measure; ``passed`` None has no bar."""

    work: str
    peer: str
    value: float
    unit: str
    ratio: float | None = None
    bar: str = ""
    passed: bool | None = None


def main(arguments: list[str]) -> int:
    """Measure what was asked for; the table shows everything measured with today's code, versions and processor."""
    options = _options(arguments)
    console = Console()
    units = [unit for name in options.only for unit in units_of(name, options.peers, options.quick)]
    missing = sorted({unit.peer for unit in units if not store.available(unit.peer)})
    units = [unit for unit in units if unit.peer not in missing]
    failed = measure(units, console)
    shown = WORKS if not options.quick else options.only
    rows = [row for name in shown for row in rows_of(name, results_of(name, options.quick))]
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    publish(rows, folder, console, quick=options.quick)
    if options.docs:
        write_page(rows, folder)
    for peer in missing:
        console.print(f"{PEERS[peer].label} is not installed: left out.")
    for unit, why in failed.items():
        console.print(
            f"{unit.work}, {PEERS[unit.peer].label}, seed {unit.seed} failed: {why}", style="red", markup=False
        )
    return 1 if failed or (not options.quick and any(row.passed is False for row in rows)) else 0


def units_of(name: str, peers: list[str] | None, quick: bool) -> list[store.Unit]:
    """The units of a work; our own are always there, for the ratio. A peer without a bar runs once: some take hours."""
    work = WORKS[name]
    chosen = [peer for peer in work.peers if peers is None or peer in peers]
    return [
        _unit(name, work, peer, seed, quick)
        for seed in range(1 if quick else work.seeds)
        for peer in (*work.ours, *chosen)
        if seed == 0 or peer in work.ours or peer in work.bars
    ]


def measure(units: list[store.Unit], console: Console) -> dict[store.Unit, str]:
    """Run the units one after the other; returns those that failed, and why.

    A machine shared with others is now faster, now slower, by a third. So our own run stands before and after each
    peer's, and the peer's result keeps the mean of the two (``beside``): ratios are to that.
    """
    if os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1):
        console.print("The machine is busy: CPU times will come out too long.", style="yellow")
    failed: dict[store.Unit, str] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=len(units))
        ours: tuple[store.Unit, dict[str, Any]] | None = None  # the latest run, if it was our own
        for unit in units:
            bar.update(task, description=f"{unit.work}: {PEERS[unit.peer].label}")
            try:
                if unit.peer in OURS:
                    result = store.run(unit, timeout=TIMEOUT)
                    ours = (unit, result) if unit.peer == WORKS[unit.work].ours[0] else None
                else:
                    ours = _beside(unit, ours)
            except store.UnitFailed as error:
                failed[unit] = str(error).splitlines()[-1]
                ours = None
            bar.advance(task)
    return failed


def _beside(unit: store.Unit, latest: tuple[store.Unit, dict[str, Any]] | None) -> tuple[store.Unit, dict[str, Any]]:
    """Run a peer's unit between two of our own; returns the second of these. ``latest`` may be the first."""
    own = replace(unit, peer=WORKS[unit.work].ours[0])
    before = latest[1] if latest is not None and latest[0].path == own.path else store.run(own, timeout=TIMEOUT)
    result = store.execute(unit, timeout=TIMEOUT)
    after = store.run(own, timeout=TIMEOUT)
    store.keep(unit, {**result, "beside": 0.5 * (before["seconds"] + after["seconds"])})
    return own, after


def results_of(name: str, quick: bool) -> dict[str, list[dict[str, Any]]]:
    """Stored results whose identity is today's, by peer."""
    found: dict[str, list[dict[str, Any]]] = {}
    for unit in units_of(name, None, quick):
        if store.available(unit.peer) and (result := store.load(unit)) is not None:
            found.setdefault(unit.peer, []).append(result)
    return found


def rows_of(name: str, results: dict[str, list[dict[str, Any]]]) -> list[Row]:
    """The lines of one work."""
    work = WORKS[name]
    if work.task == "peak_memory":
        return [
            Row(name, peer, r["bytes"] / 1e9, "GB", None, f"≤ {MEMORY_BAR / 1e9:g} GB", r["bytes"] <= MEMORY_BAR)
            for peer, (r, *_) in results.items()
        ]
    if work.task == "matvec_cost":
        rows = []
        for peer, (r, *_) in results.items():
            ratio = r["seconds"] / r["matvec"]
            rows.append(Row(name, peer, r["seconds"], "s", ratio, f"≤ {MATVEC_BAR:g} products", ratio <= MATVEC_BAR))
            rows.append(Row(name, "one product", r["matvec"], "s", 1.0))
        return rows
    if work.task == "growth":
        return [
            Row(name, f"{PEERS[peer].label}, n={n}", s, "s", None, f"n^{r['exponent']:.2f}" if n == r["n"][-1] else "")
            for peer, (r, *_) in results.items()
            for n, s in zip(r["n"], r["seconds"], strict=True)
        ]
    seconds = {peer: float(np.median([r["seconds"] for r in runs])) for peer, runs in results.items()}
    rows = []
    for peer, value in seconds.items():
        beside = [r["seconds"] / r["beside"] for r in results[peer] if "beside" in r]
        ratio = float(np.median(beside)) if beside else None
        bar = work.bars.get(peer)
        passed = ratio >= bar if bar is not None and ratio is not None else None
        rows.append(Row(name, peer, value, "s", ratio, f"≥ {bar:g}×" if bar else "", passed))
    return rows


def publish(rows: list[Row], folder: Path, console: Console, *, quick: bool) -> None:
    """Print the table; write it with its manifest, and a figure."""
    table = Table("work", "optimiser", title="CPU time of tell + ask, one thread", title_justify="left")
    for heading in ("value", "ratio", "bar"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    last = ""
    for row in rows:
        if row.work != last:
            table.add_section()
        verdict = "" if row.passed is None else "quick" if quick else "pass" if row.passed else "[red]fail[/red]"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}×"
        work = row.work if row.work != last else ""
        table.add_row(work, _label(row.peer), _show(row.value, row.unit), ratio, row.bar, verdict)
        last = row.work
    console.print(table)
    works = {name: {"title": work.title, "task": work.task, **work.arguments} for name, work in WORKS.items()}
    content = {"manifest": store.manifest(), "quick": quick, "works": works, "rows": [asdict(row) for row in rows]}
    versions = {peer: store.versions(PEERS[peer].venv)[PEERS[peer].packages[0]] for peer in PEERS}
    store.write_json(folder / "cost.json", {**content, "versions": versions})
    draw_cost(rows, folder / "cost.png", {name: work.title for name, work in WORKS.items()})
    console.print(f"{folder / 'cost.json'}\n{folder / 'cost.png'}", highlight=False, soft_wrap=True)


def write_page(rows: list[Row], folder: Path) -> None:
    """The same table and figure in the documentation."""
    lines = []
    for row in rows:
        verdict = "" if row.passed is None else "met" if row.passed else "**missed**"
        ratio = "" if row.ratio is None else f"{row.ratio:.1f}×"
        lines.append([WORKS[row.work].title, _label(row.peer), _show(row.value, row.unit), ratio, row.bar, verdict])
    text = page.markdown(["work", "optimiser", "CPU time of tell + ask", "ratio", "bar", ""], lines)
    figure = page.show_figure(folder / "cost.png", "CPU seconds per suggestion of every optimiser, by work")
    page.put(page.BENCHMARKS, "cost", f"{page.measured(store.manifest())}\n\n{text}\n\n{figure}")


def _label(peer: str) -> str:
    return PEERS[peer].label if peer in PEERS else peer


def _show(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.2f} {unit}"
    return f"{value:.2f} s " if value >= 1 else f"{1e3 * value:.2f} ms"


def _unit(name: str, work: Work, peer: str, seed: int, quick: bool) -> store.Unit:
    arguments = {**work.arguments, **(work.quick if quick else {})}
    return store.Unit("quick/cost" if quick else "raw/cost", name, peer, seed, work.task, arguments, timing=True)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench cost", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything works; no bars")
    parser.add_argument("--only", metavar="WORK", help=f"comma-separated, of: {', '.join(WORKS)}")
    parser.add_argument("--docs", action="store_true", help="put table and figure into the docs")
    parser.add_argument("--peers", metavar="A,B", help=f"comma-separated, of: {', '.join(PEERS)}")
    options = parser.parse_args(arguments)
    options.only = _listed(parser, options.only, WORKS) or list(WORKS)
    options.peers = _listed(parser, options.peers, PEERS)
    return options


def _listed(parser: argparse.ArgumentParser, given: str | None, known: dict[str, Any]) -> list[str] | None:
    if given is None:
        return None
    wanted = given.split(",")
    for name in wanted:
        if name not in known:
            parser.error(f"{name!r} is none of {', '.join(known)}")
    return wanted
