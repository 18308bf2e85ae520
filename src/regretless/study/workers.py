"""The one worker loop: ask, evaluate on an executor, tell. Every trial in flight has a lease, so a crash loses none.

`maximize`, `minimize`, `Study.optimize` and the command line use it. `Flight` handles evaluations and their workers;
this module handles the trials.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Literal

from regretless.arrays import show
from regretless.errors import Exhausted, InvalidInput, NumericalError, RegretlessError, TrialConflict
from regretless.optimizer import Certified
from regretless.study import transitions
from regretless.study.flight import Flight, InProcess, Landed, TimeUp, WorkerDied, Workers
from regretless.study.interrupts import Interrupts
from regretless.study.options import Options
from regretless.study.progress import TICK, Now
from regretless.study.study import Study
from regretless.study.trial import Trial
from regretless.study.values import Told, read_returned

__all__ = ["LEASE", "End", "Loop"]

#: Seconds after which a trial is offered again if its driver died.
LEASE = 60.0


@dataclass(frozen=True, slots=True)
class End:
    """Why a run ended.

    ``"done"``: as many evaluations as planned. ``"exhausted"``: nothing is left to try. ``"stopped"``: the stop rule is
    met, ``left`` is the certificate; ``after`` is the one of now, where ``more`` evaluations that were running have
    ended since. ``"callback"``: its result was true. ``"interrupted"``: Ctrl-C. ``"error"``: ``trial`` was released
    because of ``error``. ``"hopeless"``: the first ``failed`` evaluations failed and were released, since something is
    wrong with the function and not with the points. ``"stuck"``: every worker goes on with an evaluation that is past
    its time limit. ``why`` says what the exception said, or the last failure.
    """

    reason: Literal["done", "exhausted", "stopped", "callback", "interrupted", "error", "hopeless", "stuck"]
    left: Certified | None = None
    after: Certified | None = None
    more: int = 0
    trial: Trial | None = None
    error: Exception | None = None
    failed: int = 0
    why: str = ""


@dataclass(slots=True)
class Loop:
    """One run on a study.

    Parameters
    ----------
    study, options, workers
        What is optimised, how, and where evaluations run. The executor is the caller's to shut down.
    report
        Called with each trial that ended, and with the reason if it has no value (else empty). A released trial has
        the status ``"released"``.
    progress
        Called with the state of the run, whenever that changes and every ten seconds.
    say
        Called with the message to show when Ctrl-C was pressed.

    A failure before the first value is held back: it is told as failed once there is a value, or else released.
    """

    study: Study
    options: Options
    workers: Workers
    report: Callable[[Trial, str], Any] = lambda _trial, _why: None
    progress: Callable[[Now], Any] = lambda _now: None
    say: Callable[[str], Any] = lambda _text: None
    done: int = 0  # evaluations of this run that have ended
    failed: int = 0  # those of them that failed
    released: list[Trial] = field(default_factory=list)
    _flight: Flight[Trial] = field(init=False)
    _interrupts: Interrupts = field(default_factory=Interrupts)
    _heeded: int = 0  # Ctrl-Cs
    _renewed: float = 0.0
    _kept_back: list[tuple[Trial, dict[str, Any]]] = field(default_factory=list)
    _has_value: bool = False
    _last_failure: str = ""
    _error: End | None = None  # the first exception

    def __post_init__(self) -> None:
        plan = self.options
        self._flight = Flight(self.workers, plan.retries, plan.time_limit, order=lambda trial: trial.number)
        self._has_value = plan.first_failures is None

    def run(self) -> End:
        """Run until the plan is done, no candidate is left, or something ends the run.

        If the run ends by itself, or after one Ctrl-C, evaluations in flight are awaited and told. If it is aborted, by
        a second Ctrl-C or an exception of the callback or the store, they are ended and their trials released. A
        function evaluated in this process is interrupted at once.
        """
        with contextlib.nullcontext() if self._here else self._interrupts.counted():
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

    @property
    def _here(self) -> bool:
        return isinstance(self.workers.executor, InProcess)

    def _loop(self) -> End:
        end, stuck_since = self._stop_rule(), math.inf
        done_then = 0  # evaluations that had ended when it was clear that the run ends
        self._renewed = monotonic()
        while True:
            self._flight.repeat()
            while end is None and self._interrupts.count == self._heeded and self._may_begin():
                try:
                    trial = self.study.ask()
                except Exhausted:
                    end, done_then = End("exhausted"), self.done
                    break
                self._begin(trial)
            self._show()
            if len(self._flight):
                stuck_since = math.inf
            elif end is not None or not self._is_planned():
                return self._certified_again(end or End("done"), self.done - done_then)
            else:  # every worker is busy with what is past its time limit
                stuck_since = min(stuck_since, monotonic())
                if monotonic() - stuck_since >= (self.options.time_limit or 0.0):
                    return End("stuck")
            self._await()
            before, ended = end, self._landed()
            end = end or self._error
            if len(self._kept_back) >= (self.options.first_failures or math.inf):
                return end or End("hopeless")
            if ended:
                end = self._callback(ended, end or self._stop_rule())
            if before is None:
                done_then = self.done
            end = self._heed(end)
            self._renew()

    def _is_planned(self) -> bool:
        begun = len(self._flight) + len(self._kept_back)
        return self.options.has_more(self.study, done=self.done, begun=begun)

    def _may_begin(self) -> bool:
        return self._flight.has_room and self._is_planned()

    def _begin(self, trial: Trial) -> None:
        argument = self.study._task.argument(trial.params)
        try:
            self._flight.begin(trial, self.options.f, argument)
        except BaseException as error:  # of the executor, which may have been shut down: nobody evaluates the trial
            with contextlib.suppress(RegretlessError):
                self._release(trial, _sentence(error))
            raise

    def _await(self) -> None:
        """Wait for an evaluation to end, a lease to be renewed, or Ctrl-C."""
        left = [TICK]
        if self._heartbeat is not None:
            left.append(self._heartbeat - (monotonic() - self._renewed))
        if not len(self._flight) and self.options.time_limit is not None:
            left.append(self.options.time_limit)
        timeout = max(0.0, min(left))
        self._interrupts.wait(lambda: self._flight.wait(timeout), seen=self._heeded)

    def _landed(self) -> list[Trial]:
        """Handle evaluations that have ended; returns the trials that now have a result or failed."""
        ended = []
        for landed in self._flight.landed():
            if landed.late:
                self._put_on_record(landed)
            elif self._end(landed.item, landed.future):
                ended.append(landed.item)
        return ended

    def _heed(self, end: End | None) -> End | None:
        """Handle Ctrl-C: after one, nothing new begins; after two, the run is aborted."""
        if self._interrupts.count == self._heeded:
            return end
        self._heeded = self._interrupts.count
        if self._heeded > 1:
            raise KeyboardInterrupt
        for trial in self._flight.forget_repeats():
            self._release(trial, "interrupted")
        running = len(self._flight)
        if running:
            runs = "1 evaluation runs and is" if running == 1 else f"{running} evaluations run and are"
            self.say(f"regretless: interrupted. {runs} finished first; Ctrl-C again to end at once.")
        return end or End("interrupted")

    @property
    def _heartbeat(self) -> float | None:
        """Seconds between renewals of leases: two may be missed before a trial is offered to others."""
        lease = self.study._recorder.seconds
        return None if lease is None else lease / 3.0

    def _renew(self) -> None:
        if self._heartbeat is not None and monotonic() - self._renewed >= self._heartbeat:
            self._renewed = monotonic()
            for trial in (*self._flight.items, *(trial for trial, _ in self._kept_back)):
                self.study.renew(trial)

    def _show(self) -> None:
        best = self.study.best
        self.progress(Now(self.done, len(self._flight), self.failed, None if best is None else best.value))

    def _stop_rule(self) -> End | None:
        """Checked before the first ask too: a resumed study may have met it already."""
        left = self.study.should_stop(self.options.stop_when) if self.options.stop_when is not None else None
        return None if left is None else End("stopped", left=left)

    def _certified_again(self, end: End, more: int) -> End:
        """Add the present certificate, if results arrived after the one that ended the run."""
        if end.left is None or not more:
            return end
        with contextlib.suppress(NumericalError):
            return replace(end, after=self.study.certificate(), more=more)
        return end

    def _callback(self, ended: list[Trial], end: End | None) -> End | None:
        """The callback is called for every trial, including those that end after the decision to stop."""
        callback = self.options.callback
        if callback is None:
            return end
        stops = [bool(callback(self.study, self.study.trials[trial.number])) for trial in ended]
        return end or (End("callback") if any(stops) else None)

    def _end(self, trial: Trial, future: Future[Any]) -> bool:
        """Tell, fail or release the trial of an evaluation that has ended; False if it was released."""
        try:
            value, failed, why, about = self._read(trial, future)
        except KeyboardInterrupt:  # Ctrl-C in a terminal reaches the processes of a pool, too
            if self._here:
                raise
            self._release(trial, "interrupted")
            self._interrupts.count = max(self._interrupts.count, 1)
            return False
        except Exception as error:
            why = _sentence(error)
            with contextlib.suppress(RegretlessError):  # the error that ended the run is raised
                self._release(trial, why)
            self.report(self.study.trials[trial.number], why)
            self._error = self._error or End("error", trial=trial, error=error, why=why)
            return False
        if value is not None:
            self._tell(trial, value, failed)
            self._has_value = True
            while self._kept_back:
                self._fail(*self._kept_back[0])
                del self._kept_back[0]
        elif self._has_value:
            self._fail(trial, about)
        else:
            self._kept_back.append((trial, about))
            self._last_failure = why
        self.report(self.study.trials[trial.number], why)
        return True

    def _read(self, trial: Trial, future: Future[Any]) -> tuple[Any, bool | list[str], str, dict[str, Any]]:
        """The value and the failed outcomes, or None, all outcomes, the reason and what is recorded of it.

        Raises what ends the run.
        """
        try:
            returned = future.result()
        except TimeUp as error:
            return None, True, str(error), {"reason": str(error), "overdue": True}
        except WorkerDied as error:
            if self._here:
                raise
            return None, True, str(error), {"reason": str(error)}
        except self.options.failing as error:
            return None, True, _sentence(error), {}
        try:
            what = f"what f returned for trial {trial.number}"
            value, failed = read_returned(self.study._task, returned, what)
        except InvalidInput as error:
            if Exception not in self.options.failing:
                raise
            return None, True, str(error), {}
        return value, failed, "" if value is not None else f"the value is {show(returned)}", {}

    def _put_on_record(self, late: Landed[Trial]) -> None:
        """Record a value that arrived after the time limit; it is not used."""
        with contextlib.suppress(Exception):  # whatever it came to, the trial has failed
            value, failed, _, _ = self._read(late.item, late.future)
            if value is not None:
                self.study.tell(late.item, value, failed=failed)

    def _tell(self, trial: Trial, value: Any, failed: bool | list[str]) -> None:
        with _kept(trial, f"gave {show(value)}"):
            self.study.tell(trial, value, failed=failed)
        self.done += 1

    def _fail(self, trial: Trial, about: dict[str, Any]) -> None:
        with _kept(trial, "failed"):
            if about:
                transitions.end(self.study._recorder, trial.number, Told(None), **about)
            else:
                self.study.tell(trial, failed=True)
        self.done += 1
        self.failed += 1

    def _break_off(self, reason: str) -> None:
        """End what runs, and release all trials without a result."""
        self._interrupts.breaking_off = True
        self.workers.abort()
        self._flight.cancel()
        with contextlib.suppress(RegretlessError):  # if the store is the problem, the leases expire by themselves
            for trial in (*self._flight.items, *(trial for trial, _ in self._kept_back)):
                self._release(trial, reason)

    def _release(self, trial: Trial, reason: str) -> None:
        with contextlib.suppress(TrialConflict):  # it has ended
            self.released.append(self.study.release(trial, reason))


@contextlib.contextmanager
def _kept(trial: Trial, came_out: str) -> Iterator[None]:
    """An error of the store carries the result, so that it is not lost."""
    try:
        yield
    except Exception as error:
        error.add_note(f"Trial {trial.number} {came_out}, which could not be stored; tell it later.")
        raise


def _sentence(error: BaseException) -> str:
    """What went wrong, for the record: the message of our own exceptions, the repr of others."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return str(error) if isinstance(error, RegretlessError) else show(error)
