"""An experiment of Ax, as it is in memory, in our terms."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.storage.json_store.encoder import object_to_json

from regretless.integrations.ax.importing import records_of
from regretless.integrations.records import Records

__all__ = ["NOTES", "notes_of", "read_experiment"]

#: Ten decimals of numbers that are larger than this are six digits at least.
_COARSE = 1e-4
#: Where a generator run keeps what a suggestion came with.
NOTES = "regretless"


def read_experiment(experiment: Experiment, data: Data) -> Records:
    """Search space, outcomes and every arm of every trial."""
    config = experiment.optimization_config
    wanted = config and {
        "objective": {"expression": config.objective.expression},
        "outcome_constraints": object_to_json(list(config.outcome_constraints)),
    }
    trials = [
        (index, trial.status.name, [(arm.name, arm.parameters) for arm in trial.arms])
        for index, trial in sorted(experiment.trials.items())
    ]
    return records_of(object_to_json(experiment.search_space), wanted, trials, _fetched(data))


def _fetched(data: Data) -> Iterable[tuple[int, str, str, Any, Any]]:
    """In the order of steps, so that the last one counts, and as they will be after a restart."""
    frame = data.df
    if "step" in frame:
        frame = frame.sort_values("step", kind="stable", na_position="first")
    columns = ("trial_index", "arm_name", "metric_name")
    yield from zip(*(frame[name] for name in columns), *(_stored(frame[name]) for name in ("mean", "sem")), strict=True)


def _stored(column: Any) -> list[Any]:
    """Numbers as Ax writes them, with ten decimals; as they are where that would leave little of them."""
    numbers: list[Any] = json.loads(column.to_json(orient="values"))
    return numbers if column.abs().max() > _COARSE else column.tolist()


def notes_of(experiment: Experiment) -> list[Mapping[str, Any] | None]:
    """What each arm came with, in the order of trials, if it is one of ours."""
    found: list[Mapping[str, Any] | None] = []
    for _, trial in sorted(experiment.trials.items()):
        kept: dict[str, Mapping[str, Any]] = {}
        for run in trial.generator_runs:
            notes = (run.gen_metadata or {}).get(NOTES, ())
            kept.update({arm.signature: note for arm, note in zip(run.arms, notes, strict=False)})
        found += [kept.get(arm.signature) for arm in trial.arms]
    return found
