"""Which workers evaluate: this process, processes of our own, or an executor of the user's."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from regretless.arrays import as_whole, show
from regretless.errors import InvalidInput
from regretless.study.flight import InProcess, Workers
from regretless.study.slots import Slots

__all__ = ["check_executor", "hired"]


def check_executor(executor: Any) -> None:
    """Refuse an executor that cannot evaluate anything."""
    if executor is None or hasattr(executor, "submit") or callable(executor):
        return
    raise InvalidInput(
        "executor must have a method submit that gives a concurrent.futures.Future, be a dask.distributed.Client, or "
        f"be a function that makes such an executor; got {show(executor)}."
    )


@contextmanager
def hired(f: Callable[[Any], Any], count: int | None, executor: Any) -> Iterator[Workers]:
    """The workers of a run. Those made for the run are shut down with it; the user's own executor is not."""
    if executor is None:
        if count is None:
            yield Workers(InProcess())
            return
        slots = Slots(count)
        try:
            slots.check(f)
            yield Workers(slots, count, kill=slots.kill, apart=True, abort=slots.stop)
        finally:
            slots.shutdown(wait=False, cancel_futures=True)
    elif hasattr(executor, "get_executor"):  # a Client of Dask; a pure function would be evaluated once for each point
        threads = sum(executor.nthreads().values())
        if not threads and count is None:
            raise InvalidInput(
                "the Dask cluster has no workers yet: say how many trials to run at a time, workers=8, or wait for "
                "some with client.wait_for_workers(1)."
            )
        yield Workers(executor.get_executor(pure=False), threads if count is None else count)
    elif hasattr(executor, "submit"):
        if isinstance(executor, ProcessPoolExecutor):
            _check_pickle(f)
        _check_pure(executor)
        yield Workers(executor, _count(executor, count))
    else:
        yield from _made_by(executor, count)


def _made_by(make: Callable[[], Any], count: int | None) -> Iterator[Workers]:
    """An executor from a factory: made again when it breaks, and shut down at the end."""
    made: list[Executor] = []

    def remake() -> Executor:
        while made:
            made.pop().shutdown(wait=False)
        found = make()
        if not hasattr(found, "submit"):
            raise InvalidInput(
                f"executor, a function, must make something with a method submit; it made {show(found)}."
            )
        made.append(found)
        return made[0]

    first = remake()
    try:
        yield Workers(first, _count(first, count), remake)
    finally:
        made[0].shutdown(wait=False)


def _count(executor: Any, count: int | None) -> int:
    """How many trials to run at a time: the number of workers, if the executor tells it."""
    if count is not None:
        return count
    known = getattr(executor, "_max_workers", None)
    if not isinstance(known, int):
        raise InvalidInput(
            f"say how many trials to run at a time, such as workers=8: {type(executor).__name__} does not tell."
        )
    return as_whole(known, "workers", least=1)


def _check_pickle(f: Callable[[Any], Any]) -> None:
    """Check in advance that `concurrent.futures.ProcessPoolExecutor`, which pickles by name, can send ``f``."""
    try:
        pickle.dumps(f)
    except Exception as error:
        raise InvalidInput(
            f"f cannot be sent to the processes of a ProcessPoolExecutor: {type(error).__name__}: {error}. Define it "
            "at the top level of a module, or leave executor= out: workers=8 sends lambdas and functions of notebooks."
        ) from error


def _check_pure(executor: Any) -> None:
    """Dask assumes that functions are pure unless told otherwise, and caches one value per point."""
    if type(executor).__name__ == "ClientExecutor" and getattr(executor, "_kwargs", {}).get("pure") is not False:
        raise InvalidInput(
            "this executor of Dask would give the old value for a point that is measured again. Make it with "
            "client.get_executor(pure=False), or pass the client itself: executor=client."
        )
