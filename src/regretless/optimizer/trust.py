"""The trust in models of several outcomes: that of the one which predicts its own data worst."""

from dataclasses import replace

from regretless.optimizer.average import Averaged
from regretless.optimizer.task import Task
from regretless.theory import Calibration

__all__ = ["least_trusted"]

_WORST_FIRST = ("red", "amber", "too few data", "green")


def least_trusted(task: Task, beliefs: tuple[Averaged, ...]) -> Calibration:
    """The calibration with the worst light, whose message names its outcome; a composite one counts by its parts."""
    pairs = list(zip(task.outcomes, beliefs, strict=True))[0 if task.composite is None else 1 :]
    found = [(outcome, belief.trust()) for outcome, belief in pairs]
    outcome, worst = min(found, key=lambda pair: _WORST_FIRST.index(pair[1].light))
    return replace(worst, message=f"{outcome.name}: {worst.message}")
