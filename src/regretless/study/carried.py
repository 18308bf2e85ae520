"""The model state of a study, shared by asking, recommending, predicting and certifying."""

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

#: Number of cached certificates, so that patience costs one new certificate per look.
_LOOKS_KEPT = 32


class Carried:
    """A cache of the last state; it saves time and changes nothing."""

    def __init__(self, ledger: Ledger) -> None:
        self.state = State.empty(ledger.task)
        self._ledger = ledger
        self._looks: dict[tuple[Any, ...], Certified] = {}

    def __getstate__(self) -> Ledger:
        return self._ledger  # a copy in another process recomputes what it needs

    def __setstate__(self, ledger: Ledger) -> None:
        Carried.__init__(self, ledger)

    def forget(self) -> None:
        """Drop the cache."""
        self.state = State.empty(self._ledger.task)

    def believe(self, history: History) -> State:
        """The state with the posteriors to search by, given all results; the next suggestion continues from it."""
        task = self._ledger.task
        self.state = kept(task, history, self.state)
        self.state = believed(task, history, len(self._ledger.trials), self.state)
        return self.state

    def doubt(self, history: History) -> State:
        """The state with the posteriors for certificates."""
        self.state = doubted(self._ledger.task, history, self.state)
        return self.state

    def may_stop(self, when: StopRule, history: History, left: Certified) -> bool:
        """Whether ``left``, the present certificate, and those before each of the last values are small enough.

        Needs at least ``when.patience`` values.
        """
        enough = when.threshold(left)
        if when.measure(left) > enough or left.trust.light not in ("green", "amber"):
            return False
        self.look(history)  # needed at the next look, as a past certificate
        before = (self.look(without_last(history, k)) for k in range(1, when.patience))
        return all(when.measure(look) <= enough for look in before)

    def look(self, history: History) -> Certified:
        """The certificate for this history, of the point that its own models recommend."""
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
