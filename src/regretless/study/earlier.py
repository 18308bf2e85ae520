"""Results of an earlier study that can be used in another one."""

from collections.abc import Iterable

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.gp import Source
from regretless.optimizer import Outcome, Task, source_of
from regretless.study.trial import Trial

__all__ = ["Results", "results_of", "sources_of"]

#: Encoded points and values of each outcome, by name.
Results = dict[str, tuple[Floats, Floats]]
#: The smallest number of results that an earlier study must have.
_FEWEST = 3


def results_of(task: Task, trials: Iterable[Trial]) -> Results:
    """The results of each outcome of the task, matched by name; an error if there are too few."""
    if task.network is not None:
        raise InvalidInput(
            "a network takes no earlier study for data: its stages have inputs of their own. Add the trials "
            "themselves: study.add(params, values)."
        )
    trials = list(trials)
    results = {outcome.name: _results(task, trials, outcome) for outcome in task.outcomes}
    most = max(len(y) for _, y in results.values())
    if most < _FEWEST:
        raise InvalidInput(
            f"the earlier study has {most} results of {', '.join(results)} in this space; it takes {_FEWEST} at "
            "least. Outcomes and parameters are known by their names."
        )
    return results


def sources_of(task: Task, results: Results, trial: int) -> dict[str, Source]:
    """Data for the models of those outcomes that have enough results; ``trial`` is the number of trials so far."""
    pairs = ((k, outcome.name) for k, outcome in enumerate(task.outcomes))
    return {name: source_of(task, k, trial, *results[name]) for k, name in pairs if len(results[name][1]) >= _FEWEST}


def _results(task: Task, trials: list[Trial], outcome: Outcome) -> tuple[Floats, Floats]:
    X, y = [], []
    for trial in trials:
        value = trial.values.get(outcome.name)
        if value is None or trial.excluded:
            continue
        try:
            X.append(task.domain.place(dict(trial.params)).x)
        except InvalidInput:  # it is not a point of this space
            continue
        y.append(outcome.inward(value))
    return np.array(X, dtype=np.float64).reshape(len(y), task.domain.dim), np.array(y, dtype=np.float64)
