"""Evaluations in flight: a bounded number at a time, whatever happens to the workers that run them.

An evaluation ends with the result of its future, with the death of its worker, or at its time limit. If a worker dies,
its evaluation need not be the cause, so it is repeated. If several workers die at once, the cause is unknown: each
evaluation gets a strike, and one with too many strikes runs once more, alone. This state machine knows nothing of
trials and studies; the paper's experiments run on it too.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Generic, TypeVar

__all__ = ["Flight", "InProcess", "Landed", "TimeUp", "WorkerDied", "Workers"]

Item = TypeVar("Item")


class WorkerDied(BrokenExecutor):
    """The process that evaluated ended before it had a result."""


class TimeUp(Exception):
    """The evaluation reached its time limit without a result."""


class InProcess(Executor):
    """Evaluates in this process, when something is submitted: the future has ended when it is returned."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn`` now; what it raises, Ctrl-C included, is raised by the future's ``result``."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


@dataclass(frozen=True, slots=True)
class Workers:
    """Where evaluations run.

    Parameters
    ----------
    executor
        Any object with ``submit(fn, *args)`` that returns a `concurrent.futures.Future`.
    count
        The number of evaluations at a time.
    remake
        Makes a new executor after one broke; None if that is the user's business.
    kill
        Ends evaluations at once: their futures have ended when it returns. None if that is impossible.
    apart
        Whether each evaluation has its own process, so that the death of one does not end others.
    abort
        Ends everything that runs, permanently.
    """

    executor: Executor
    count: int = 1
    remake: Callable[[], Executor] | None = None
    kill: Callable[[Sequence[Future[Any]]], None] | None = None
    apart: bool = False
    abort: Callable[[], Any] = lambda: None


@dataclass(frozen=True, slots=True)
class Landed(Generic[Item]):
    """An evaluation that has ended; ``late`` if it was handled before, when its time limit was up."""

    item: Item
    future: Future[Any]
    late: bool = False


@dataclass(eq=False, slots=True)
class _Evaluation(Generic[Item]):
    item: Item
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    began: float = 0.0
    strikes: int = 0
    alone: bool = False
    late: bool = False  # its time is up and it has been handled, but it cannot be ended


@dataclass(slots=True)
class Flight(Generic[Item]):
    """The items in evaluation, each with its future.

    Parameters
    ----------
    workers
        Where evaluations run, and how many at a time.
    retries
        How often an evaluation is repeated after its worker died.
    time_limit
        Seconds after submission at which an evaluation fails.
    order
        Evaluations that end together are handled in the order of this key.

    >>> flight = Flight(Workers(InProcess(), 2))
    >>> flight.begin("a", abs, -1), flight.begin("b", abs, -2), flight.has_room
    (None, None, False)
    >>> [(landed.item, landed.future.result()) for landed in flight.landed()], len(flight)
    ([('a', 1), ('b', 2)], 0)
    """

    workers: Workers
    retries: int = 0
    time_limit: float | None = None
    order: Callable[[Item], Any] | None = None
    _executor: Executor = field(init=False)
    _flying: dict[Future[Any], _Evaluation[Item]] = field(default_factory=dict)
    _again: list[_Evaluation[Item]] = field(default_factory=list)  # whose worker died, and which begin next

    def __post_init__(self) -> None:
        self._executor = self.workers.executor

    def __len__(self) -> int:
        """The number of evaluations that have not ended, including those to be repeated."""
        return len(self.items)

    @property
    def items(self) -> tuple[Item, ...]:
        """What has not ended, in the order of submission."""
        flying = [each.item for each in self._flying.values() if not each.late]
        return (*flying, *(each.item for each in self._again))

    @property
    def busy(self) -> int:
        """The number of busy workers, including those past their time limit."""
        return len(self._flying)

    @property
    def has_room(self) -> bool:
        """Whether a new evaluation may begin: a worker is free, and none waits to be repeated or runs alone."""
        return self.busy < self.workers.count and not self._again and not self._flies_alone

    @property
    def _flies_alone(self) -> bool:
        return any(each.alone and not each.late for each in self._flying.values())

    def begin(self, item: Item, fn: Callable[..., Any], *args: Any) -> None:
        """Submit an item."""
        assert self.has_room
        self._start(_Evaluation(item, fn, args))

    def repeat(self) -> None:
        """Submit again what lost its worker; what has to run alone waits until everything else has ended."""
        while self._again and self.busy < self.workers.count and not self._flies_alone:
            alone = [each for each in self._again if each.alone]
            if alone and any(not each.late for each in self._flying.values()):
                return
            evaluation = (alone or self._again)[0]
            self._start(evaluation)
            self._again.remove(evaluation)

    def forget_repeats(self) -> list[Item]:
        """Drop and return the items that were to be repeated."""
        items = [each.item for each in self._again]
        self._again.clear()
        return items

    def wait(self, timeout: float | None = None) -> None:
        """Wait until an evaluation has ended, a time limit is reached, or the timeout expires."""
        ends = [] if self.time_limit is None else [each.began for each in self._flying.values() if not each.late]
        if ends:
            assert self.time_limit is not None
            left = max(0.0, min(ends) + self.time_limit - monotonic())
            timeout = left if timeout is None else min(timeout, left)
        wait(self._flying, timeout=timeout, return_when=FIRST_COMPLETED)

    def landed(self) -> Iterator[Landed[Item]]:
        """Evaluations that have ended, in order. An item stays in flight until the next one is requested.

        So it is not lost if handling it raises an error.
        """
        self._end_overdue()
        ended = [future for future in self._flying if future.done() or self._is_overdue(future)]
        if self.order is not None:
            order = self.order
            ended.sort(key=lambda future: order(self._flying[future].item))
        for future in ended:
            evaluation = self._flying[future]
            if not future.done():  # its worker goes on, and is busy until it really ends
                yield Landed(evaluation.item, _failed(self._time_up()))
                evaluation.late = not future.cancel()
                if evaluation.late:
                    continue
            elif self._repeats(evaluation, future):
                self._again.append(evaluation)
            elif not (evaluation.late and future.cancelled()):
                yield Landed(evaluation.item, self._result(evaluation, future), late=evaluation.late)
            del self._flying[future]

    def cancel(self) -> None:
        """Cancel evaluations that have not begun."""
        for future in self._flying:
            future.cancel()

    def _start(self, evaluation: _Evaluation[Item]) -> None:
        try:
            future = self._executor.submit(evaluation.fn, *evaluation.args)
        except BrokenExecutor:
            if self.workers.remake is None:
                raise
            self._executor = self.workers.remake()
            future = self._executor.submit(evaluation.fn, *evaluation.args)
        evaluation.began = monotonic()
        self._flying[future] = evaluation

    def _is_overdue(self, future: Future[Any]) -> bool:
        each = self._flying[future]
        return self.time_limit is not None and not each.late and monotonic() - each.began >= self.time_limit

    def _end_overdue(self) -> None:
        """Kill evaluations past their time limit, where possible. One that ended just in time keeps its result."""
        if self.workers.kill is None:
            return
        overdue = [future for future in self._flying if not future.done() and self._is_overdue(future)]
        if overdue:
            self.workers.kill(overdue)
        for future in overdue:
            if self._died(future):
                evaluation = self._flying.pop(future)
                self._flying[_failed(self._time_up())] = evaluation

    def _died(self, future: Future[Any]) -> bool:
        """Whether the worker died, not the evaluation; Dask has its own exception for that."""
        if future.cancelled():
            return True
        dask = sys.modules.get("distributed")
        deaths = (BrokenExecutor, CancelledError, *(() if dask is None else (dask.KilledWorker,)))
        return isinstance(future.exception(), deaths) and not isinstance(self._executor, InProcess)

    def _time_up(self) -> TimeUp:
        return TimeUp(f"no result after {self.time_limit:g} seconds")

    def _repeats(self, evaluation: _Evaluation[Item], future: Future[Any]) -> bool:
        """Whether to repeat an evaluation, after a strike for the death of its worker."""
        if evaluation.late or not self._died(future):
            return False
        evaluation.strikes += 1
        if evaluation.strikes <= self.retries:
            return True
        blamed = self.workers.apart or self.workers.count == 1 or evaluation.alone
        if blamed or not self.retries:
            return False
        evaluation.alone = True
        return True

    def _result(self, evaluation: _Evaluation[Item], future: Future[Any]) -> Future[Any]:
        """Its future; of one whose worker died for the last time, one that says how often."""
        if not self._died(future):
            return future
        times = f"{evaluation.strikes} times" if evaluation.strikes > 1 else "once"
        alone = ", the last time while nothing else ran" if evaluation.alone else ""
        error = future.exception() if not future.cancelled() else None
        why = f": {error}" if error is not None and str(error) else ""
        return _failed(WorkerDied(f"its worker died {times}{alone}{why}"))


def _failed(error: Exception) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
