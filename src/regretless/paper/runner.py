"""Units to workers, results to the store: finished ones are kept, none is done twice."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from regretless.integrations.dask import connected
from regretless.linalg import single_thread
from regretless.paper.jobs import Unit, to_csv
from regretless.study.executors import hired
from regretless.study.flight import Flight, Workers

__all__ = ["Work", "answer", "crew", "do", "progress"]

#: A unit, where its text and its CPU seconds go, and a rough guess of those seconds.
Work = tuple[Unit, Callable[[Unit, str, float], None], float]


def answer(text: str) -> str:
    """Do the unit that the text says, on one thread; the answer is JSON with its CSV and the CPU seconds it took."""
    from regretless.paper.experiments import EXPERIMENTS

    unit = Unit.from_json(text)
    with single_thread():
        began = time.process_time()
        columns = EXPERIMENTS[unit.experiment].compute(unit)
        seconds = time.process_time() - began
    return json.dumps({"csv": to_csv(columns), "seconds": seconds})


def do(works: list[Work], workers: Workers, report: Callable[[float], Any]) -> None:
    """Do all of it; each result is stored as soon as it is there. A unit whose worker died is done again."""
    waiting = iter(works)
    flight: Flight[Work] = Flight(workers, retries=1)
    try:
        while True:
            flight.repeat()
            while flight.has_room and (work := next(waiting, None)) is not None:
                flight.begin(work, answer, work[0].to_json())
            if not len(flight):
                return
            flight.wait()
            for landed in flight.landed():
                unit, keep, guess = landed.item
                result = json.loads(landed.future.result())
                keep(unit, result["csv"], result["seconds"])
                report(guess)
    finally:
        flight.cancel()


@contextmanager
def crew(jobs: int, dask: str | None) -> Iterator[Workers]:
    """Who does the units: processes, this process for one job, or a Dask cluster, which has the next ones at hand."""
    if dask is not None:
        with connected(dask) as client, hired(answer, 2 * max(1, sum(client.nthreads().values())), client) as workers:
            yield workers
    else:
        with hired(answer, None if jobs == 1 else jobs, None) as workers:
            yield workers


@contextmanager
def progress(total: float, *, show: bool | None) -> Iterator[Callable[[float], None]]:
    """A bar with the time left, by the guessed seconds of the units; ``show=None`` shows it on a terminal only."""
    if total <= 0.0 or not (sys.stderr.isatty() if show is None else show):
        yield lambda _guess: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("[bold]regretless paper"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=120.0) as bar:
        task = bar.add_task("units", total=total)
        yield lambda guess: bar.update(task, advance=guess)
