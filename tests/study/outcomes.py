"""Studies with several outcomes on small worlds, and what is measured there."""

import math
from typing import Any

from tests.study.helpers import SPACES, numbers

from regretless import Study

TWO = {"objectives": {"yield": "maximize", "cost": "minimize"}}
BOUND = {"objective": "yield", "constraints": {"impurity": ("<=", 0.5)}}
BOTH = {**TWO, "constraints": {"impurity": (">=", -1.0)}}
KINDS = {"constraint": BOUND, "objectives": TWO, "both": BOTH}

LINE = [{"t": t} for t in range(10)]


def measured(study: Study, params: Any) -> dict[str, float]:
    """A value of each outcome: smooth in the parameters, and objectives do not agree on what is best."""
    return {
        outcome.name: float(sum(math.sin(2.0 * v + i + 0.8 * k) - 0.1 * v * v for i, v in enumerate(numbers(params))))
        for k, outcome in enumerate(study.outcomes)
    }


def step(study: Study) -> None:
    trial = study.ask()
    study.tell(trial, measured(study, trial.params))


def run(space: Any, count: int, **more: Any) -> Study:
    study = Study(SPACES[space]() if isinstance(space, str) else space, **{"seed": 3, **more})
    for _ in range(count):
        step(study)
    return study
