"""Ask, evaluate on several workers, tell: with a lease on every trial that is out, so that a crash loses none."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from regretless.cli._config import Config
from regretless.cli._evaluate import Evaluate, Outcome
from regretless.errors import Exhausted, RegretlessError
from regretless.study import Study, Trial
from regretless.study.result import evaluations

__all__ = ["LEASE", "Loop", "interrupted_by_signals"]

#: Seconds after which the trial of a worker that died is offered again.
LEASE = 60.0
_HEARTBEAT = 15.0
#: When so many evaluations fail before one succeeds, something is wrong with the function, not with the points.
_PATIENCE = 3
_INTERRUPTS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass(slots=True)
class Loop:
    """A run of a configuration on a study; ``report`` hears of each trial that ended, and why it failed if it did."""

    config: Config
    study: Study
    evaluate: Evaluate
    report: Callable[[Trial, str], Any]
    _out: dict[Future[Outcome], Trial] = field(default_factory=dict)
    _failed: list[Trial] = field(default_factory=list)  # before the first success: told as failed when there is one
    _succeeded: bool = False
    _error: RegretlessError | None = None
    exhausted: bool = False

    def run(self) -> None:
        """Go on until the budget is used up, nothing is left to try, or the stop rule is met.

        On Ctrl-C, or when something goes wrong, what runs is ended and its trials are given up, for others to take.
        """
        pool = ThreadPoolExecutor(self.config.workers)
        try:
            self._loop(pool)
            if self._error is not None:
                raise self._error
            if self._failed:
                raise self._never_worked()
        except BaseException:
            self.evaluate.stop()
            with contextlib.suppress(RegretlessError):  # if the store is the trouble, the leases end by themselves
                for trial in (*self._out.values(), *self._failed):
                    self.study.release(trial, "interrupted")
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _loop(self, pool: Executor) -> None:
        stop = self.config.stop
        beat, more = monotonic(), stop is None or self.study.should_stop(stop) is None
        while True:
            while more and self._error is None and self._room():
                try:
                    trial = self.study.ask()
                except Exhausted:
                    self.exhausted, more = True, False
                    break
                self._out[pool.submit(self.evaluate, dict(trial.params))] = trial
            if not self._out:
                return
            done, _ = wait(self._out, timeout=_HEARTBEAT, return_when=FIRST_COMPLETED)
            for future in done:
                self._tell(future)
            if done and more and stop is not None:
                more = self.study.should_stop(stop) is None  # what runs has been paid for, and is finished
            if monotonic() - beat > _HEARTBEAT:
                beat = monotonic()
                for trial in (*self._out.values(), *self._failed):
                    self.study.renew(trial)

    def _room(self) -> bool:
        begun = evaluations(self.study) + len(self._out) + len(self._failed)
        return len(self._out) < self.config.workers and begun < self.config.budget

    def _tell(self, future: Future[Outcome]) -> None:
        outcome, trial = future.result(), self._out[future]
        if outcome.value is not None:
            try:
                told = self.study.tell(trial, outcome.value)
            except Exception:  # of the store: what was paid for is not lost
                self.report(trial, f"its value {outcome.value!r} could not be stored")
                raise
            self._succeeded = True
            while self._failed:
                self.study.tell(self._failed.pop(0), failed=True)
            self.report(told, "")
        else:
            self.report(trial, outcome.why)
            if outcome.kind == "unusable" or (outcome.kind == "error" and self.config.on_error == "raise"):
                self._give_up(trial, outcome)
            elif self._succeeded:
                self.study.tell(trial, failed=True)
            else:
                self._failed.append(trial)
        del self._out[future]
        if len(self._failed) >= _PATIENCE:
            raise self._never_worked(outcome.why)

    def _give_up(self, trial: Trial, outcome: Outcome) -> None:
        self.study.release(trial, outcome.why[:200])
        otherwise = ' With on_error = "fail" such a trial counts as failed.' if outcome.kind == "error" else ""
        self._error = self._error or RegretlessError(
            f"trial {trial.number} ended the run: {outcome.why}. It was given up and does not count as failed; all "
            f"others are kept. Start again to go on.{otherwise}"
        )

    def _never_worked(self, why: str = "") -> RegretlessError:
        last = f", the last with: {why}" if why else ""
        return RegretlessError(
            f"the first {len(self._failed)} evaluations failed{last}. Their trials were given up and do not count. "
            "Mend what is run, and start again."
        )


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """SIGTERM and a closed terminal end a run as Ctrl-C does; a signal that is ignored stays so.

    The first one counts. What comes after it is ignored: ending what runs takes two seconds at most, and is not to be
    left half done.
    """
    if threading.current_thread() is not threading.main_thread():  # only it may set handlers
        yield
        return
    found = {number: signal.getsignal(number) for number in _INTERRUPTS}
    ours = {number: handler for number, handler in found.items() if handler is not signal.SIG_IGN}

    def interrupt(*_: object) -> None:
        for number in ours:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
