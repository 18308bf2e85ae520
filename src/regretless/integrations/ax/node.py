"""A generation node of Ax that asks our rule. The experiment holds the whole record; nothing else has to be kept."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.generator_run import GeneratorRun
from ax.exceptions.core import SearchSpaceExhausted
from ax.generation_strategy.external_generation_node import ExternalGenerationNode
from ax.storage.json_store.encoder import object_to_json

from regretless.arrays import show
from regretless.errors import Exhausted, InvalidInput
from regretless.gp import Noise
from regretless.integrations.ax.experiments import NOTES, notes_of, read_experiment
from regretless.integrations.ax.importing import space_of
from regretless.integrations.records import Records
from regretless.optimizer import (
    History,
    Row,
    State,
    Task,
    as_outcomes,
    as_task,
    fit_from_data,
    fit_to_data,
    history_of,
    params_of,
    suggest,
)
from regretless.rng import check_seed
from regretless.spaces import with_repeats

__all__ = ["RegretlessNode"]


class RegretlessNode(ExternalGenerationNode):
    """A node of a ``GenerationStrategy`` that suggests by IRGP-UCB, or by another rule of ours.

    Parameters
    ----------
    seed
        Same seed and same results, same trials. None draws one; it is kept.
    n_initial
        Points of the initial design; trials of other nodes count.
    rule
        The name of a rule, such as ``"ei"``. None is the default for the objectives and constraints of the experiment.
    name, should_deduplicate, suggested_experiment_status, transition_criteria
        As for Ax's ``ExternalGenerationNode``. Where they are not deduplicated, points may be repeated under noise.

    All of Ax's search spaces are searched, with parameter constraints and dependent parameters; several objectives and
    absolute outcome constraints count. Failed, abandoned and early-stopped trials are points to keep away from, trials
    without a result are pending, standard errors are known noise.
    """

    _task: Task  # once an experiment was seen

    def __init__(
        self,
        seed: int | None = None,
        *,
        n_initial: int | None = None,
        rule: str | None = None,
        name: str = "Regretless",
        should_deduplicate: bool = True,
        suggested_experiment_status: Any = None,
        transition_criteria: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(
            name=name,
            should_deduplicate=should_deduplicate,
            suggested_experiment_status=suggested_experiment_status,
            transition_criteria=transition_criteria,
        )
        if rule is not None and not isinstance(rule, str):
            raise InvalidInput(
                f"rule must be the name of one, which the experiment can be stored with, got {show(rule)}."
            )
        self.seed, self.n_initial, self.rule = check_seed(seed), n_initial, rule
        self._batch: list[tuple[dict[str, Any], dict[str, Any]]] = []  # what this batch suggested, and its notes
        self._state: State | None = None

    def update_generator_state(self, experiment: Experiment, data: Data) -> None:
        """Read the experiment. Nothing is kept from before but what saves time."""
        records = read_experiment(experiment, data)
        task = self._task_of(records)
        if getattr(self, "_task", task) != task:
            self._state = None
        self._task, self._choices = task, space_of(object_to_json(experiment.search_space))[1]
        self._records, self._notes = records, notes_of(experiment)

    def get_next_candidate(self, pending_parameters: list[Mapping[str, Any]]) -> dict[str, Any]:
        """One more point, given that these are pending."""
        history = self._history(pending_parameters)
        try:
            found, self._state = suggest(self._task, history, len(history.points), self._state)
        except Exhausted as error:
            raise SearchSpaceExhausted(str(error)) from error
        inward, _ = params_of(self._task, found.point)
        params = {name: self._choices[name].value(v) if name in self._choices else v for name, v in inward.items()}
        note = {
            "source": found.source,
            "record": dict(found.record),
            "fits": [fit_to_data(fit, new=True) for fit in found.fits],
            "reference": None if found.reference is None else list(found.reference),
        }
        self._batch.append((params, note))
        return params

    def _gen(self, *args: Any, **kwargs: Any) -> GeneratorRun:
        """The arms, with what their suggestions came with."""
        self._batch = []
        run = super()._gen(*args, **kwargs)
        run._gen_metadata = {**(run.gen_metadata or {}), NOTES: [note for _, note in self._batch]}
        return run

    def _task_of(self, records: Records) -> Task:
        several = len(records.objectives) > 1
        [(objective, direction), *_] = records.objectives.items()
        outcomes = as_outcomes(
            objective=None if several else objective,
            direction=None if several else direction,
            objectives=dict(records.objectives) if several else None,
            constraints=dict(records.constraints) or None,
            limits=None,
        )
        space = with_repeats(records.space, "never") if self.should_deduplicate else records.space
        return as_task(space, outcomes=outcomes, seed=self.seed, n_initial=self.n_initial, rule=self.rule)

    def _history(self, pending_parameters: list[Mapping[str, Any]]) -> History:
        entries, notes = self._records.entries, list(self._notes)
        rows = [
            Row(entry.params, entry.values, entry.left is not None, note["source"] if note else "added")
            for entry, note in zip(entries, notes, strict=True)
        ]
        for params in pending_parameters:
            inward = {n: self._choices[n].label(v) if n in self._choices else v for n, v in params.items()}
            if not any(row.running and row.params == inward for row in rows):
                notes.append(next((note for suggested, note in self._batch if suggested == params), None))
                rows.append(Row(inward, running=True, source=notes[-1]["source"] if notes[-1] else "added"))
        fits = next((note["fits"] for note in reversed(notes) if note and note["fits"]), None)
        reference = next((note["reference"] for note in reversed(notes) if note and note["reference"]), None)
        history = history_of(
            self._task,
            rows,
            None if fits is None else tuple(fit_from_data(fit) for fit in fits),
            None if reference is None else tuple(reference),
        )
        sds = np.array([[e.sds.get(o.name, 0.0) for o in self._task.outcomes] for e in entries], dtype=np.float64)
        if not sds.any():
            return history
        known = np.zeros((len(rows), len(self._task.outcomes)))
        known[: len(sds)] = sds
        noise = tuple(Noise.known(column) if column.any() else None for column in known.T)
        return replace(history, noise=noise)
