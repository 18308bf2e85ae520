"""Where work on the rows of a huge table is done: here, in processes of this machine, or on a Dask cluster.

A worker is a dict that lasts from one call to the next. It may be lost at any time: then a new one begins with an empty
dict, and whoever calls it sends everything that it takes to make up for that.
"""

import contextlib
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from regretless.arrays import as_whole, show
from regretless.errors import InvalidInput, WorkersLost

__all__ = ["Cluster", "Engine", "Here", "Processes", "Progress", "as_engine", "memory_budget"]

#: ``task(worker, (number, workers), *args)``, a function at the top of a module.
WorkerTask: TypeAlias = Callable[..., Any]

#: A worker that is lost so often during one call takes every other with it: something is wrong with the call.
_ATTEMPTS = 3
#: What lasts in a process of `Processes`.
_STATE: dict[Any, Any] = {}


#: ``progress(what, done, total, seconds)``: how many of all rows a pass has done, and about how long the rest takes.
Progress: TypeAlias = Callable[[str, int, int, float], Any]


def silent(what: str, done: int, total: int, seconds: float) -> None:
    """No progress is shown."""


def memory_budget() -> int:
    """A quarter of this machine's memory, or of what its container may use, in bytes.

    So much may the n x N matrices of a study take: half of it for the model to search by, half for that of
    certificates. The rest is for the rows themselves, the page cache, and whatever else runs.
    """
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every system
        total = 16 << 30
    with contextlib.suppress(OSError, ValueError):  # no container, or one without a limit
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return total // 4


class Engine(Protocol):
    """Some workers, each with a dict of its own that lasts."""

    @property
    def workers(self) -> int:
        """How many there are."""
        ...

    @property
    def shares_memory(self) -> bool:
        """Whether arrays can be handed to the workers as they are; else by the name of their file."""
        ...

    @property
    def unused(self) -> list[str]:
        """Keys of what the workers keep and nobody will ask about again: whoever calls next has it dropped."""
        ...

    progress: "Progress"  # told how far a pass over all rows has come

    def call(self, task: WorkerTask, *args: Any) -> list[Any]:
        """What ``task(worker, (number, workers), *args)`` returns for every worker, in their order."""
        ...


class Here:
    """One worker: this process."""

    workers, shares_memory = 1, True

    def __init__(self) -> None:
        self.progress: Progress = silent
        self.unused: list[str] = []
        self._state: dict[Any, Any] = {}

    def call(self, task: WorkerTask, *args: Any) -> list[Any]:
        """The one answer."""
        return [task(self._state, (0, 1), *args)]


class Processes:
    """Processes of this machine, started when first needed. One that dies is replaced."""

    shares_memory = False

    def __init__(self, workers: int) -> None:
        self.workers = as_whole(workers, "workers", least=1)
        self.progress: Progress = silent
        self.unused: list[str] = []
        self._pools: list[ProcessPoolExecutor | None] = [None] * self.workers

    def call(self, task: WorkerTask, *args: Any) -> list[Any]:
        """All at the same time."""
        return _together(self, task, args)

    def submit(self, number: int, task: WorkerTask, args: tuple[Any, ...]) -> "Future[Any]":
        """Begin on one worker."""
        pool = self._pools[number]
        if pool is None:  # a pool of one process each, so that a worker keeps what is its own
            pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
            self._pools[number] = pool
        return pool.submit(_in_process, task, (number, self.workers), args)

    def replace(self, number: int) -> None:
        """A new worker in place of one that was lost."""
        pool, self._pools[number] = self._pools[number], None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """End the processes; they start again when needed."""
        for number in range(self.workers):
            self.replace(number)


class Cluster:
    """Actors on the workers of a Dask cluster, one each. They open the table's file by its path."""

    shares_memory = False

    def __init__(self, client: Any) -> None:
        self._client = client
        self.progress: Progress = silent
        self.unused: list[str] = []
        self.workers = len(self._addresses())
        self._actors: list[Any] = [None] * self.workers

    def call(self, task: WorkerTask, *args: Any) -> list[Any]:
        """All at the same time."""
        return _together(self, task, args)

    def submit(self, number: int, task: WorkerTask, args: tuple[Any, ...]) -> Any:
        """Begin on one worker."""
        if self._actors[number] is None:
            addresses = self._addresses()
            self._actors[number] = self._client.submit(
                _Actor,
                actor=True,
                pure=False,
                workers=[addresses[number % len(addresses)]],
                allow_other_workers=False,
            ).result()
        return self._actors[number].run(task, (number, self.workers), args)

    def replace(self, number: int) -> None:
        """A new actor, on whichever worker has its turn, in place of one that was lost."""
        self._actors[number] = None

    def _addresses(self) -> list[str]:
        addresses = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        if not addresses:
            raise InvalidInput("the cluster has no workers. Start some, or wait: client.wait_for_workers(1).")
        return addresses


class _Actor:
    """What lasts on a Dask worker."""

    def __init__(self) -> None:
        self._state: dict[Any, Any] = {}

    def run(self, task: WorkerTask, share: tuple[int, int], args: tuple[Any, ...]) -> Any:
        return task(self._state, share, *args)


def as_engine(what: Any) -> Engine:
    """A number of processes, a Dask client, or an engine itself.

    >>> as_engine(2).workers
    2
    """
    if isinstance(what, Here | Processes | Cluster):
        return what
    if hasattr(what, "scheduler_info"):
        return Cluster(what)
    if isinstance(what, bool) or not isinstance(what, int):
        raise InvalidInput(f"on() takes a number of processes or a dask.distributed.Client, got {show(what)}.")
    return Processes(what)


def _in_process(task: WorkerTask, share: tuple[int, int], args: tuple[Any, ...]) -> Any:
    return task(_STATE, share, *args)


def _together(engine: Processes | Cluster, task: WorkerTask, args: tuple[Any, ...]) -> list[Any]:
    """The answers of all workers; a lost one is replaced and asked again, the others are not."""
    answers: dict[int, Any] = {}
    for _ in range(_ATTEMPTS):
        begun: dict[int, Any] = {}
        for number in range(engine.workers):
            if number not in answers:
                try:
                    begun[number] = engine.submit(number, task, args)
                except Exception as error:
                    if not _is_loss(error):
                        raise
                    engine.replace(number)
        for number, future in begun.items():
            try:
                answers[number] = future.result()
            except Exception as error:
                if not _is_loss(error):
                    raise
                engine.replace(number)
        if len(answers) == engine.workers:
            return [answers[number] for number in range(engine.workers)]
    raise WorkersLost(
        f"workers were lost {_ATTEMPTS} times during one pass over the table, perhaps for want of memory. "
        "Use fewer of them, or larger machines; nothing was recorded."
    )


def _is_loss(error: Exception) -> bool:
    """Whether a worker was lost, and not the call refused. Dask has several exceptions for it, none of them ours."""
    lost = ("KilledWorker", "CommClosedError", "LostWorker", "FutureCancelledError", "CancelledError")
    if isinstance(error, BrokenExecutor | OSError) or type(error).__name__ in lost:
        return True
    return isinstance(error, ValueError | RuntimeError) and "actor" in str(error).lower()
