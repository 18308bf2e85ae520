"""What a certificate rests on: which model, how many results, and whether it predicts its own data."""

from dataclasses import replace
from typing import Any

from regretless.optimizer.history import History
from regretless.optimizer.state import State
from regretless.optimizer.task import Task
from regretless.theory import Calibration

__all__ = ["footing", "trust_in"]

_WORST_FIRST = ("red", "amber", "too few data", "green")


def footing(task: Task, history: History, state: State) -> dict[str, Any]:
    """The fields of every certificate that say what it rests on: see `Certified`. ``state`` has been doubted."""
    return {
        "trust": trust_in(task, state),
        "model": "given" if task.surrogate.method == "fixed" else "fitted",
        "used": state.doubted().used,
        "told": len(history.series().y),
    }


def trust_in(task: Task, state: State) -> Calibration:
    """The calibration of the model; of several the one with the worst light, whose message names its outcome.

    A composite objective counts by its parts.
    """
    if len(task.outcomes) == 1:
        return state.doubted().trust()
    pairs = list(zip(task.outcomes, state.all_doubted(), strict=True))[0 if task.composite is None else 1 :]
    found = [(outcome, belief.trust()) for outcome, belief in pairs]
    outcome, worst = min(found, key=lambda pair: _WORST_FIRST.index(pair[1].light))
    return replace(worst, message=f"{outcome.name}: {worst.message}")
