"""Units to an executor, results to the store: finished ones are kept, none is done twice."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from regretless.errors import MissingExtra
from regretless.linalg import single_thread
from regretless.paper.jobs import Unit, to_csv
from regretless.study.workers import InFlight, InProcess

__all__ = ["Work", "answer", "do", "executor", "progress"]

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


def do(works: list[Work], pool: Executor, *, ahead: int, report: Callable[[float], Any]) -> None:
    """Do all of it, ``ahead`` units at most handed out at a time; each result is stored as soon as it is there."""
    waiting = iter(works)
    flight: InFlight[Work] = InFlight(pool, ahead)
    try:
        while True:
            while flight.has_room and (work := next(waiting, None)) is not None:
                flight.submit(work, answer, work[0].to_json())
            if not len(flight):
                return
            for (unit, keep, guess), future in flight.landed():
                result = json.loads(future.result())
                keep(unit, result["csv"], result["seconds"])
                report(guess)
    finally:
        flight.cancel()


@contextmanager
def executor(jobs: int, dask: str | None) -> Iterator[tuple[Executor, int]]:
    """An executor and how many units to hand out at a time: processes, this process for one job, or a Dask cluster."""
    if dask is not None:
        try:
            from distributed import Client
        except ImportError as error:
            raise MissingExtra("--dask needs distributed; install it with: pip install 'regretless[dask]'") from error
        with Client(dask) as client:  # type: ignore[no-untyped-call]
            workers = sum(client.nthreads().values())
            yield client.get_executor(pure=False), 2 * max(1, workers)
    elif jobs == 1:
        yield InProcess(), 1
    else:
        # Fresh interpreters: a fork would copy the threads of BLAS in whatever state they are.
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            try:
                yield pool, 2 * jobs
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


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
