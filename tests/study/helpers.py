"""Small worlds to run studies in, and ways to look at a study bit by bit."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from regretless import Study, Trial

ROWS = np.random.default_rng(5).random((40, 2))
MIXED = {"x": (0.0, 1.0), "l": (1e-4, 1e2, "log"), "n": (1, 30), "c": ["a", "b", "c"]}

#: Spaces of every kind that is searched in its own way.
SPACES: dict[str, Callable[[], Any]] = {
    "box": lambda: [(-1.0, 2.0), (0.0, 5.0)],
    "table": lambda: ROWS,
    "mixed": lambda: MIXED,
    "listed": lambda: {"n": (1, 6), "c": ["a", "b", "c"], "o": [1, 2, 4]},
}


def numbers(params: Any) -> Iterator[float]:
    for value in params.values():
        yield float(ord(value[0]) - ord("a")) if isinstance(value, str) else float(value)


def smooth(params: Any) -> float:
    """Some smooth function of any parameters."""
    return float(sum(np.sin(2.0 * v + i) - 0.1 * v * v for i, v in enumerate(numbers(params))))


def bits(trial: Trial) -> tuple[Any, ...]:
    """A trial's suggestion, to be compared exactly."""
    return (
        trial.number,
        tuple((name, repr(value)) for name, value in trial.params.items()),
        trial.row,
        trial.source,
        tuple((name, value.hex()) for name, value in trial.details.items()),
        repr(trial.hyperparameters),
        trial.jitter.hex(),
        trial.fallback,
    )


def all_bits(study: Study) -> list[tuple[Any, ...]]:
    return [bits(trial) for trial in study.trials]


def arrays_of(study: Study) -> tuple[Any, ...]:
    history = study._history()
    points = history.points
    return points.trials, points.X, points.index, points.inside, history.status, history.Y


def snapshot(study: Study) -> tuple[Any, ...]:
    """Everything of a study that an error must not change."""
    return (
        study.trials,
        [bits(trial) for trial in study.trials],
        repr(study),
        study.best,
        study.seed,
        *(array.tobytes() for array in arrays_of(study)),
        study._fit,
        study.events(),
    )
