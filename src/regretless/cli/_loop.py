"""Ask, evaluate on several workers, tell: with a lease on every trial that is out, so that a crash loses none."""

import contextlib
import functools
import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from regretless.cli._config import Config
from regretless.cli._evaluate import Outcome, Shell, call_python
from regretless.errors import Exhausted, RegretlessError
from regretless.study import Study, Trial

__all__ = ["LEASE", "Loop"]

#: Seconds after which the trial of a worker that died is offered again.
LEASE = 60.0
_HEARTBEAT = 15.0
#: When so many evaluations fail before one succeeds, something is wrong with the function, not with the points.
_PATIENCE = 3


@dataclass(slots=True)
class Loop:
    """A run of a configuration on a study; ``report`` hears of each trial that ended, and why it failed if it did."""

    config: Config
    study: Study
    report: Callable[[Trial, str], Any]
    _out: dict[Future[Outcome], Trial] = field(default_factory=dict)
    _succeeded: bool = False
    _failures: int = 0

    def run(self) -> None:
        """Go on until the budget is used up, nothing is left to try, or the stop rule is met.

        On Ctrl-C, or when something goes wrong, what runs is ended and its trials are given up, for others to take.
        """
        config = self.config
        shell = None if config.command is None else Shell(config.command, config.folder, config.timeout)
        pool, evaluate = _workers(config, shell)
        try:
            self._loop(pool, evaluate)
        except BaseException:
            if shell is not None:
                shell.stop()
            for child in multiprocessing.active_children():
                child.terminate()
            with contextlib.suppress(RegretlessError):  # if the store is the trouble, the leases will end by themselves
                for trial in self._out.values():
                    self.study.release(trial, "interrupted")
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _loop(self, pool: Executor, evaluate: Callable[[Any], Outcome]) -> None:
        beat, more = monotonic(), True
        while True:
            while more and len(self._out) < self.config.workers and self._ended() + len(self._out) < self.config.budget:
                try:
                    trial = self.study.ask()
                except Exhausted:
                    more = False
                    break
                self._out[pool.submit(evaluate, dict(trial.params))] = trial
            if not self._out:
                return
            done, _ = wait(self._out, timeout=_HEARTBEAT, return_when=FIRST_COMPLETED)
            for future in done:
                self._tell(future)
            if done and more and self.config.stop is not None:
                more = self.study.should_stop(self.config.stop) is None  # what runs has been paid for, and is finished
            if monotonic() - beat > _HEARTBEAT:
                beat = monotonic()
                for trial in self._out.values():
                    self.study.renew(trial)

    def _tell(self, future: Future[Outcome]) -> None:
        trial = self._out.pop(future)
        try:
            value, why = future.result()
        except BrokenExecutor as error:
            self.study.tell(trial, failed=True)
            raise RegretlessError(
                f"the process that evaluated trial {trial.number} died; the trial is on record as failed. Start again "
                "to go on, or mend the function if it dies again."
            ) from error
        trial = self.study.tell(trial, value, failed=value is None)
        self.report(trial, why)
        self._succeeded = self._succeeded or value is not None
        self._failures += value is None
        if not self._succeeded and self._failures >= _PATIENCE:
            raise RegretlessError(
                f"the first {self._failures} evaluations failed, the last with: {why}. They are on record as failed; "
                "mend the function and start again."
            )

    def _ended(self) -> int:
        return sum(trial.status in ("told", "failed") and trial.source != "added" for trial in self.study.trials)


def _workers(config: Config, shell: Shell | None) -> tuple[Executor, Callable[[Any], Outcome]]:
    if shell is not None:
        return ThreadPoolExecutor(config.workers), shell
    assert config.python is not None
    evaluate = functools.partial(call_python, config.python, str(config.folder.resolve()))
    # Processes, also for one worker: they can be ended, a thread in the user's function cannot.
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(config.workers, mp_context=spawn, initializer=_leave_interrupts_to_us), evaluate


def _leave_interrupts_to_us() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
