"""Slurm, and whatever else submitit can submit to: jobs as futures."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

__all__ = ["JobDied", "SubmititExecutor"]


class JobDied(BrokenExecutor):
    """The job ended without a result: it was killed, out of memory or out of time."""


class SubmititExecutor(Executor):
    """Evaluates each trial as a job of its own, by an executor of submitit.

    Parameters
    ----------
    executor
        Such as ``submitit.AutoExecutor(folder="jobs")``, its parameters set (``timeout_min``, ``slurm_partition``).
    every
        Seconds between two looks at the jobs, by one thread for all of them.

    A job that is killed, or runs out of memory or time, counts as a worker that died: its trial is repeated as often as
    ``retries`` says. Cancelling a future cancels its job.

    Examples
    --------
    >>> import submitit  # doctest: +SKIP
    >>> jobs = submitit.AutoExecutor(folder="jobs")  # doctest: +SKIP
    >>> jobs.update_parameters(timeout_min=60, slurm_partition="cpu")  # doctest: +SKIP
    >>> with SubmititExecutor(jobs) as executor:  # doctest: +SKIP
    ...     result = maximize(f, space, 200, executor=executor, workers=32)
    """

    def __init__(self, executor: Any, *, every: float = 5.0) -> None:
        self._executor = executor
        self._every = every
        self._jobs: dict[Future[Any], Any] = {}
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a job."""
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            future: Future[Any] = Future()
            self._jobs[future] = self._executor.submit(fn, *args, **kwargs)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
        future.add_done_callback(lambda _: self._changed.set())  # one that was cancelled is looked at now
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more; wait for the jobs, or leave them be, or cancel them."""
        with self._lock:
            self._closed = True
            left = list(self._jobs)
        if cancel_futures:
            for future in left:
                future.cancel()
        self._changed.set()
        if wait and self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while True:
            self._changed.wait(self._every)
            self._changed.clear()
            with self._lock:
                jobs = list(self._jobs.items())
                if not jobs and self._closed:
                    return
            for future, job in jobs:
                if future.cancelled():
                    job.cancel()
                    future.set_running_or_notify_cancel()
                elif job.done():
                    _settle(future, job)
                else:
                    continue
                with self._lock:
                    del self._jobs[future]


def _settle(future: Future[Any], job: Any) -> None:
    """What the job came to. Its future may be cancelled at any moment, and is then left as it is."""
    from submitit.core.utils import FailedJobError, UncompletedJobError

    with contextlib.suppress(Exception):  # InvalidStateError
        try:
            future.set_result(job.result())
        except FailedJobError as error:  # an exception of the function, as text
            future.set_exception(error)
        except UncompletedJobError as error:
            future.set_exception(JobDied(str(error)))
        except Exception as error:
            future.set_exception(error)
