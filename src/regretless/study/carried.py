"""The state that a study carries along: one, for asking, recommending, predicting and certifying."""

from typing import Any

import numpy.typing as npt

from regretless.optimizer import (
    Certified,
    History,
    State,
    StopRule,
    believed,
    certificate_of,
    doubted,
    kept,
    without_last,
)
from regretless.study.ledger import Ledger

__all__ = ["Carried"]

#: Certificates that are remembered, so that patience costs one new one per look.
_LOOKS_KEPT = 32


class Carried:
    """What was computed last; it only saves time."""

    def __init__(self, ledger: Ledger) -> None:
        self.state = State.empty(ledger.task)
        self._ledger = ledger
        self._looks: dict[tuple[Any, ...], Certified] = {}

    def __getstate__(self) -> Ledger:
        return self._ledger  # a copy in another process computes what it needs anew

    def __setstate__(self, ledger: Ledger) -> None:
        Carried.__init__(self, ledger)

    def forget(self) -> None:
        """Begin anew."""
        self.state = State.empty(self._ledger.task)

    def believe(self, history: History) -> State:
        """The state with the posteriors to search by, given everything told, which the next suggestion goes on with."""
        task = self._ledger.task
        self.state = kept(task, history, self.state)
        self.state = believed(task, history, len(self._ledger.trials), self.state)
        return self.state

    def doubt(self, history: History) -> State:
        """The state with the posteriors to certify by."""
        self.state = doubted(self._ledger.task, history, self.state)
        return self.state

    def may_stop(self, when: StopRule, history: History, left: Certified) -> bool:
        """Whether ``left``, the certificate now, and those before each of the last told values are small enough.

        At least ``when.patience`` values were told.
        """
        enough = when.threshold(left)
        if when.measure(left) > enough or left.trust.light not in ("green", "amber"):
            return False
        self.look(history)  # of use at the next look, when it is one of the past
        before = (self.look(without_last(history, k)) for k in range(1, when.patience))
        return all(when.measure(look) <= enough for look in before)

    def look(self, history: History) -> Certified:
        """The certificate of what its own models expect most of, given this history."""
        points, task = history.points, self._ledger.task
        arrays: list[npt.NDArray[Any]] = [points.trials, points.X, history.status, history.Y, history.excluded]
        arrays += [] if points.context is None else [points.context]
        for known in history.noise:
            arrays += [] if known is None else [known.sd, known.count, known.spread]
        for source in history.sources:
            arrays += [] if source is None else [source.X, source.z, source.noise_vars, source.log_theta]
        key = (*(array.tobytes() for array in arrays), task.space.size, history.reference)
        if key not in self._looks:
            if len(self._looks) >= _LOOKS_KEPT:
                del self._looks[next(iter(self._looks))]  # the oldest
            self._looks[key] = certificate_of(task, history, self.doubt(history), None, draws=0)
        return self._looks[key]
