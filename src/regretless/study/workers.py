"""The one worker loop: ask, evaluate on an executor, tell. Every trial in flight has a lease: a crash loses none.

`maximize`, `minimize` and `Study.optimize` evaluate in this process, the command line in threads that run programs. An
executor is whatever has ``submit(fn, *args)`` and gives a `concurrent.futures.Future`.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Generic, Literal, TypeVar

from regretless.arrays import show
from regretless.errors import Exhausted, InvalidInput, RegretlessError, TrialConflict
from regretless.optimizer import Certified
from regretless.study.options import Options
from regretless.study.study import Study
from regretless.study.trial import Trial
from regretless.study.values import read_returned

__all__ = ["HEARTBEAT", "LEASE", "End", "InFlight", "InProcess", "Loop"]

#: Seconds after which the trial of a worker that died is offered again, and between two renewals of a lease.
LEASE, HEARTBEAT = 60.0, 15.0

Item = TypeVar("Item")


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


class InFlight(Generic[Item]):
    """What an executor works on, at most ``most`` items at a time; each item is kept with its future.

    >>> flight = InFlight(InProcess(), most=2)
    >>> flight.submit("a", abs, -1), flight.submit("b", abs, -2), flight.has_room
    (None, None, False)
    >>> [(item, future.result()) for item, future in flight.landed()], len(flight)
    ([('a', 1), ('b', 2)], 0)
    """

    def __init__(self, executor: Executor, most: int) -> None:
        self._executor = executor
        self._most = most
        self._items: dict[Future[Any], Item] = {}

    def __len__(self) -> int:
        return len(self._items)

    @property
    def has_room(self) -> bool:
        """Whether another item may be submitted."""
        return len(self._items) < self._most

    @property
    def items(self) -> tuple[Item, ...]:
        """What is in flight, in the order of submission."""
        return tuple(self._items.values())

    def submit(self, item: Item, fn: Callable[..., Any], *args: Any) -> None:
        """Hand an item to the executor."""
        assert self.has_room
        self._items[self._executor.submit(fn, *args)] = item

    def landed(self, timeout: float | None = None) -> Iterator[tuple[Item, Future[Any]]]:
        """Wait for one to end at least; all that have, in the order of submission. None where the time is up.

        An item stays in flight until the next one is asked for: if handling it goes wrong, it is still known.
        """
        done, _ = wait(self._items, timeout=timeout, return_when=FIRST_COMPLETED)
        for future in [future for future in self._items if future in done]:
            yield self._items[future], future
            del self._items[future]

    def cancel(self) -> None:
        """Keep what has not begun from beginning."""
        for future in self._items:
            future.cancel()


@dataclass(frozen=True, slots=True)
class End:
    """Why a run ended.

    ``"done"``: as many evaluations as planned. ``"exhausted"``: nothing is left to try. ``"stopped"``: the stop rule is
    met, ``left`` is the certificate. ``"callback"``: its result was true. ``"interrupted"``: Ctrl-C. ``"error"``:
    ``trial`` was released because of ``error``. ``"hopeless"``: the first ``failed`` evaluations failed and were
    released, since something is wrong with the function and not with the points. ``why`` says what the exception said,
    or the last failure.
    """

    reason: Literal["done", "exhausted", "stopped", "callback", "interrupted", "error", "hopeless"]
    left: Certified | None = None
    trial: Trial | None = None
    error: Exception | None = None
    failed: int = 0
    why: str = ""


@dataclass(slots=True)
class Loop:
    """One run on a study.

    Parameters
    ----------
    study, options, executor
        What is optimised, how, and where evaluations run. The executor is the caller's to shut down.
    report
        Called with each trial that ended and why it has no value (empty if it has one). A trial that was released has
        the status ``"lost"``.
    abort
        Ends all running evaluations; called when the run is broken off.
    heartbeat
        Seconds between two renewals of the leases of what is in flight.

    A failure before the first value is kept back: it is told as failed once there is a value, or else released.
    """

    study: Study
    options: Options
    executor: Executor
    report: Callable[[Trial, str], Any] = lambda _trial, _why: None
    abort: Callable[[], Any] = lambda: None
    heartbeat: float = HEARTBEAT
    done: int = 0  # evaluations of this run that have ended
    released: list[Trial] = field(default_factory=list)
    _flight: InFlight[Trial] = field(init=False)
    _kept_back: list[Trial] = field(default_factory=list)
    _has_value: bool = False
    _last_failure: str = ""

    def __post_init__(self) -> None:
        self._flight = InFlight(self.executor, self.options.workers)
        self._has_value = self.options.first_failures is None

    def run(self) -> End:
        """Go on until the plan is done, nothing is left to try, or something ends the run.

        When the run ends by itself, what is in flight is awaited and told. When it is broken off, by Ctrl-C, an
        exception of the callback or of the store, what is in flight is ended and its trials are released.
        """
        try:
            end = self._loop()
        except BaseException as error:
            self._break_off(_sentence(error))
            if isinstance(error, KeyboardInterrupt):
                return End("interrupted")
            raise
        if not self._kept_back:
            return end
        failed = len(self._kept_back)
        self._break_off("no evaluation of the run has given a value")
        return end if end.reason == "error" else End("hopeless", failed=failed, why=self._last_failure)

    def _loop(self) -> End:
        end, beat = self._stop_rule(), monotonic()
        while True:
            while end is None and self._may_begin():
                try:
                    trial = self.study.ask()
                except Exhausted:
                    end = End("exhausted")
                    break
                self._submit(trial)
            if not len(self._flight):
                return End("done") if end is None else end
            landed = []
            for trial, future in self._flight.landed(self.heartbeat):
                failure = self._end(trial, future)
                end = end or failure
                if failure is None:
                    landed.append(trial)
            if len(self._kept_back) >= (self.options.first_failures or math.inf):
                return end or End("hopeless")
            if landed:
                end = end or self._stop_rule()
                end = self._callback(landed, end)
            if monotonic() - beat >= self.heartbeat:
                beat = monotonic()
                for trial in (*self._flight.items, *self._kept_back):
                    self.study.renew(trial)

    def _may_begin(self) -> bool:
        begun = len(self._flight) + len(self._kept_back)
        return self._flight.has_room and self.options.has_more(self.study, done=self.done, begun=begun)

    def _submit(self, trial: Trial) -> None:
        argument = self.study.space.argument(trial.params)
        try:
            self._flight.submit(trial, self.options.f, argument)
        except BaseException as error:  # of the executor, which may have been shut down: nobody evaluates the trial
            with contextlib.suppress(RegretlessError):
                self._release(trial, _sentence(error))
            raise

    def _stop_rule(self) -> End | None:
        """Looked at before anything is asked for too: a study that is resumed may have reached it."""
        left = self.study.should_stop(self.options.stop_when) if self.options.stop_when is not None else None
        return None if left is None else End("stopped", left=left)

    def _callback(self, ended: list[Trial], end: End | None) -> End | None:
        """The callback hears of every trial, also of those that end after, or by, the decision to stop."""
        callback = self.options.callback
        if callback is None:
            return end
        stops = [bool(callback(self.study, self.study.trials[trial.number])) for trial in ended]
        return end or (End("callback") if any(stops) else None)

    def _end(self, trial: Trial, future: Future[Any]) -> End | None:
        """Tell, fail or release the trial of an evaluation that has ended."""
        try:
            value, failed, why = self._read(trial, future)
        except Exception as error:
            why = _sentence(error)
            with contextlib.suppress(RegretlessError):  # the error that ended the run is the one to be raised
                self._release(trial, why)
            self.report(self.study.trials[trial.number], why)
            return End("error", trial=trial, error=error, why=why)
        if value is not None:
            self._tell(trial, value, failed)
            self._has_value = True
            while self._kept_back:
                self._tell(self._kept_back[0], None)
                del self._kept_back[0]
        elif self._has_value:
            self._tell(trial, None)
        else:
            self._kept_back.append(trial)
            self._last_failure = why
        self.report(self.study.trials[trial.number], why)
        return None

    def _read(self, trial: Trial, future: Future[Any]) -> tuple[Any, bool | list[str], str]:
        """The value and which outcomes failed; None, all of them, and why. What ends the run is raised."""
        try:
            returned = future.result()
        except self.options.failing as error:
            return None, True, _sentence(error)
        try:
            what = f"what f returned for trial {trial.number}"
            value, failed = read_returned(self.study._task, returned, what)
        except InvalidInput as error:
            if Exception not in self.options.failing:
                raise
            return None, True, str(error)
        return value, failed, "" if value is not None else f"the value is {show(returned)}"

    def _tell(self, trial: Trial, value: Any, failed: bool | list[str] = True) -> None:
        """Tell the value, or that there is none."""
        try:
            self.study.tell(trial, value, failed=failed)
        except Exception as error:  # of the store: what was paid for is not lost
            came_out = "failed" if value is None else f"gave {show(value)}"
            error.add_note(f"Trial {trial.number} {came_out}, which could not be stored; tell it later.")
            raise
        self.done += 1

    def _break_off(self, reason: str) -> None:
        """End what runs, and release all trials that have no result."""
        self.abort()
        self._flight.cancel()
        with contextlib.suppress(RegretlessError):  # if the store is the trouble, the leases end by themselves
            for trial in (*self._flight.items, *self._kept_back):
                self._release(trial, reason)

    def _release(self, trial: Trial, reason: str) -> None:
        with contextlib.suppress(TrialConflict):  # it has ended
            self.released.append(self.study.release(trial, reason))


def _sentence(error: BaseException) -> str:
    """What went wrong, for the record: the message of our own exceptions, others as they show themselves."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return str(error) if isinstance(error, RegretlessError) else show(error)
