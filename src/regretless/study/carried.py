"""The state that a study carries along: one, for asking, recommending, predicting and certifying."""

from regretless.optimizer import (
    Fitted,
    History,
    Regret,
    RemainingRegret,
    State,
    believed,
    certificate_of,
    doubted,
    kept,
    without_last,
)
from regretless.study.ledger import Ledger

__all__ = ["Carried"]

#: Bounds that are remembered, so that patience costs one new certificate per look.
_BOUNDS_KEPT = 32


class Carried:
    """What was computed last; it only saves time."""

    def __init__(self, ledger: Ledger) -> None:
        self.state = State.empty(ledger.task)
        self._ledger = ledger
        self._bounds: dict[tuple[bytes, bytes, bytes, bytes, int | None], float] = {}

    def forget(self) -> None:
        """Begin anew."""
        self.state = State.empty(self._ledger.task)

    def search(self, history: History) -> Fitted:
        """The posterior to search by, given everything told, which the next suggestion goes on with."""
        task = self._ledger.task
        self.state = kept(task, history, self.state)
        self.state = believed(task, history, len(self._ledger.trials), self.state)
        return self.state.believed()

    def doubt(self, history: History) -> State:
        """The state with the posterior to certify by."""
        self.state = doubted(self._ledger.task, history, self.state)
        return self.state

    def may_stop(self, when: Regret, history: History, left: RemainingRegret) -> bool:
        """Whether ``left``, the certificate now, and those before each of the last told values are small enough."""
        enough, told = when.threshold(left), len(history.series().y)
        if left.bound > enough or left.trust.light not in ("green", "amber") or told < when.patience:
            return False
        self.bound(history)  # of use at the next look, when it is one of the past
        return all(self.bound(without_last(history, k)) <= enough for k in range(1, when.patience))

    def bound(self, history: History) -> float:
        """The certified bound of what the certificate's own model expects most of, given this history."""
        series, task = history.series(), self._ledger.task
        told = series.told
        key = (told.trials.tobytes(), told.X.tobytes(), series.y.tobytes(), history.excluded.tobytes(), task.space.size)
        if key not in self._bounds:
            if len(self._bounds) >= _BOUNDS_KEPT:
                del self._bounds[next(iter(self._bounds))]  # the oldest
            self._bounds[key] = certificate_of(task, history, self.doubt(history), None).bound
        return self._bounds[key]
