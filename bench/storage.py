"""``python -m bench storage``: ask + tell a second of a stored study, beside Optuna's relational storage.

Suggestions are random on both sides, so that the store is what is measured. Wall-clock time, for a commit waits for the
disk; the two take turns, a few trials each, so that a busy moment of the machine hits both.
"""

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import store

__all__ = ["main"]

#: Ours against Optuna's, at least.
BARS = {"sqlite": 5.0, "postgresql": 3.0}


@dataclass(frozen=True)
class Row:
    """Trials a second of the two in one place, and the median over rounds of their ratio."""

    place: str
    detail: str
    ours: float
    optuna: float
    ratio: float
    bar: float | None


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if a bar is missed."""
    options = _options(arguments)
    rounds, trials = (2, 5) if options.quick else (options.rounds, 20)
    rows = list(_rows(options, rounds, trials))
    table = Table("store", "", title="ask + tell a second, random suggestions, 2 parameters", title_justify="left")
    for heading in ("regretless", "Optuna", "ratio", "bar"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for row in rows:
        bar = "" if row.bar is None else f">= {row.bar:g}×"
        verdict = "" if row.bar is None else "quick" if options.quick else "pass" if row.ratio >= row.bar else "fail"
        table.add_row(row.place, row.detail, f"{row.ours:.0f}", f"{row.optuna:.0f}", f"{row.ratio:.1f}×", bar, verdict)
    Console().print(table)
    folder = store.RESULTS / "quick" if options.quick else store.RESULTS
    content = {"manifest": store.manifest(), "rounds": rounds, "trials": trials, "rows": [asdict(row) for row in rows]}
    store.write_json(folder / "storage.json", content)
    missed = any(row.bar is not None and row.ratio < row.bar for row in rows)
    return int(missed and not options.quick)


def _rows(options: argparse.Namespace, rounds: int, trials: int) -> Iterator[Row]:
    from regretless.study.stores import sqlite

    newest = sqlite.driver()
    for detail, driver in {_label(newest): newest, _label(sqlite3): sqlite3}.items():
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            sqlite.driver = lambda driver=driver: driver
            ours, theirs = _ours(Path(folder) / "ours.db", rounds * trials), _optuna(f"sqlite:///{folder}/optuna.db")
            yield _compare("sqlite", detail, ours, theirs, rounds, trials, bar=driver is newest)
    with _postgres(options.postgres) as (first, second):
        ours = _ours(first, rounds * trials)
        theirs = _optuna(second.replace("postgresql:", "postgresql+psycopg:"))
        yield _compare("postgresql", "", ours, theirs, rounds, trials, bar=True)


def _label(driver: object) -> str:
    from regretless.study.stores.sqlite import journal_mode

    version = driver.sqlite_version_info  # type: ignore[attr-defined]
    return f"SQLite {'.'.join(map(str, version))}, {journal_mode(Path.cwd() / 'x', version)}"


def _compare(
    place: str,
    detail: str,
    ours: Callable[[], None],
    theirs: Callable[[], None],
    rounds: int,
    trials: int,
    *,
    bar: bool,
) -> Row:
    for step in (ours, theirs):
        step()  # warm up
    seconds: list[tuple[float, float]] = []
    for _ in range(rounds):
        pair = []
        for step in (ours, theirs):
            began = time.perf_counter()
            for _ in range(trials):
                step()
            pair.append((time.perf_counter() - began) / trials)
        seconds.append((pair[0], pair[1]))
    own, other = (statistics.median(column) for column in zip(*seconds, strict=True))
    ratio = statistics.median(b / a for a, b in seconds)
    return Row(place, detail, 1.0 / own, 1.0 / other, ratio, BARS[place] if bar else None)


def _ours(place: str | Path, count: int) -> Callable[[], None]:
    from regretless import Study

    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    study = Study.open(place, "bench", space=space, seed=1, n_initial=count + 1)  # the design: no model is fitted

    def step() -> None:
        trial = study.ask()
        study.tell(trial, trial.params["x"] + trial.params["y"])

    return step


def _optuna(url: str) -> Callable[[], None]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=url, sampler=optuna.samplers.RandomSampler(seed=1))

    def step() -> None:
        trial = study.ask()
        x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
        study.tell(trial, x + y)

    return step


@contextmanager
def _postgres(url: str | None) -> Iterator[tuple[str, str]]:
    """Two empty databases: of a server that is started for this, or twice the one that was given."""
    if url is not None:
        yield url, url
        return
    from tests.study.stores.postgres import Server

    server = Server(durable=True)
    try:
        yield server.new_database(), server.new_database()
    finally:
        server.close()


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench storage", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few trials, to see that everything works; no bars")
    parser.add_argument("--rounds", type=int, default=10, help="rounds of 20 trials each (default: 10)")
    parser.add_argument("--folder", help="where SQLite files go; by default the folder for temporary files")
    parser.add_argument("--postgres", metavar="URL", help="an empty database to use; by default a server is started")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
