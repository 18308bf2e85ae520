"""How far to trust models of several outcomes: as far as the one that predicts its own data worst."""

from dataclasses import replace

from regretless.optimizer.average import Averaged
from regretless.optimizer.task import Task
from regretless.theory import Calibration

__all__ = ["least_trusted"]

_WORST_FIRST = ("red", "amber", "too few data", "green")


def least_trusted(task: Task, beliefs: tuple[Averaged, ...]) -> Calibration:
    """The calibration with the worst light, whose message names its outcome."""
    found = [each.trust() for each in beliefs]
    worst = min(range(len(found)), key=lambda k: _WORST_FIRST.index(found[k].light))
    return replace(found[worst], message=f"{task.outcomes[worst].name}: {found[worst].message}")
