"""Workers that are killed at random while a run goes on, and what must hold of the study afterwards."""

import os
import random
import signal
import threading
from contextlib import suppress

from tests.study.evaluated import bowl

from regretless import Study

BOX = [(0.0, 1.0), (-2.0, 2.0)]


class Killer:
    """Sends SIGKILL to one of the processes of workers, ``n`` times, at random moments after each further result."""

    def __init__(self, n, pids, seed=0):
        self.n, self.pids, self.killed = n, pids, 0
        self._random, self._stopped, self._progress = random.Random(seed), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._kill)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._progress.set()
        self._thread.join()

    def goes_on(self):
        """A result came in."""
        self._progress.set()

    def _kill(self):
        while self.killed < self.n and self._progress.wait() and not self._stopped.wait(self._random.uniform(0, 0.3)):
            with suppress(ProcessLookupError, IndexError):
                os.kill(self._random.choice(self.pids()), signal.SIGKILL)
                self.killed += 1
                self._progress.clear()


def check(study: Study, n_trials: int) -> None:
    """0 lost, 0 doubled, no gap."""
    trials = study.trials
    assert [trial.number for trial in trials] == list(range(len(trials)))
    ended = [event.number for event in study.events() if event.kind in ("told", "failed", "released")]
    assert sorted(ended) == list(range(len(trials)))
    assert sum(trial.status in ("told", "failed") for trial in trials) == len(trials) == n_trials
    assert all(trial.value == bowl(list(trial.params.values())) for trial in trials if trial.status == "told")
