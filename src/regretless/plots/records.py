"""What the figures need of a study, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.optimizer import Outcome
from regretless.plots.canvas import ADDED, INITIAL, VIOLATES
from regretless.study import Result, Study, Trial

__all__ = ["Evaluations", "as_study", "evaluations", "objectives_of", "one_objective"]


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Trials that ended, in the order of their numbers; ``number`` counts them from 1, failed ones included."""

    number: npt.NDArray[np.intp]
    params: tuple[Mapping[str, Any], ...]
    value: Floats  # NaN where the trial failed
    best: Floats  # the best feasible value so far; NaN before the first
    feasible: npt.NDArray[np.bool_]  # no constraint, or all of them measured and satisfied
    chosen: npt.NDArray[np.bool_]  # by the rule
    groups: Mapping[str, npt.NDArray[np.bool_]]  # all of them by where they came from: a label, and which ones

    def column(self, name: str) -> Floats:
        """One parameter of every evaluation."""
        return np.array([params[name] for params in self.params], dtype=np.float64)


def as_study(source: Study | Result) -> Study:
    """The study of a result, or the study itself."""
    study = source.study if isinstance(source, Result) else source
    if not isinstance(study, Study):
        raise InvalidInput(f"a Study or a Result is drawn, got {type(source).__name__}.")
    return study


def objectives_of(study: Study) -> tuple[Outcome, ...]:
    """The outcomes that are maximised or minimised."""
    return tuple(outcome for outcome in study.outcomes if outcome.role == "objective")


def one_objective(study: Study, what: str) -> None:
    """Refuse a study with several objectives: it has no best value."""
    if len(objectives_of(study)) > 1:
        raise InvalidInput(f"{what} draws one objective; this study has several: use plot_front and plot_hypervolume.")


def evaluations(study: Study, outcome: str | None = None) -> Evaluations:
    """All that was evaluated so far, with the values of an outcome; at least one must have been told."""
    used = [trial for trial in study.trials if not trial.excluded and study.at_target(trial)]
    ended = [trial for trial in used if trial.status in ("told", "failed")]
    named = study.objective if outcome is None else outcome
    told = (trial.values.get(named) for trial in ended)
    value = np.array([np.nan if each is None else each for each in told], dtype=np.float64)
    if not np.isfinite(value).any():
        raise InvalidInput("there is nothing to draw: no trial has a value yet.")
    best_of = np.fmax if study.direction == "maximize" else np.fmin  # both pass over NaN
    feasible = np.array([_feasible(study, trial) for trial in ended])
    source = np.array([trial.source for trial in ended])
    masks = {INITIAL: source == "design", ADDED: source == "added"}
    chosen = ~(masks[INITIAL] | masks[ADDED])
    masks[f"chosen by {study.rule.name}"] = chosen  # last, so that it lies on top
    masks = {VIOLATES: ~feasible, **{label: mask & feasible for label, mask in masks.items()}}
    return Evaluations(
        number=np.arange(1, len(ended) + 1),
        params=tuple(trial.params for trial in ended),
        value=value,
        best=best_of.accumulate(np.where(feasible, value, np.nan)),
        feasible=feasible,
        chosen=chosen,
        groups={label: mask for label, mask in masks.items() if mask.any()},
    )


def _feasible(study: Study, trial: Trial) -> bool:
    bounds = ((each, trial.values.get(each.name)) for each in study.outcomes if each.role == "constraint")
    return all(value is not None and each.holds(value) for each, value in bounds)
