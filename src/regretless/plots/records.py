"""What the figures need of a study, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.plots.canvas import ADDED, INITIAL
from regretless.study import Result, Study

__all__ = ["Evaluations", "as_study", "evaluations"]


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Trials that ended, in the order of their numbers; ``number`` counts them from 1, failed ones included."""

    number: npt.NDArray[np.intp]
    params: tuple[Mapping[str, Any], ...]
    value: Floats  # NaN where the trial failed
    best: Floats  # the best value so far; NaN before the first
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


def evaluations(study: Study) -> Evaluations:
    """All that was evaluated so far; at least one value must have been told."""
    ended = [trial for trial in study.trials if trial.status in ("told", "failed") and not trial.excluded]
    value = np.array([np.nan if trial.value is None else trial.value for trial in ended], dtype=np.float64)
    if not np.isfinite(value).any():
        raise InvalidInput("there is nothing to draw: no trial has a value yet.")
    best_of = np.fmax if study.direction == "maximize" else np.fmin  # both pass over NaN
    source = np.array([trial.source for trial in ended])
    masks = {INITIAL: source == "design", ADDED: source == "added"}
    chosen = ~(masks[INITIAL] | masks[ADDED])
    masks[f"chosen by {study.rule.name}"] = chosen  # last, so that it lies on top
    return Evaluations(
        number=np.arange(1, len(ended) + 1),
        params=tuple(trial.params for trial in ended),
        value=value,
        best=best_of.accumulate(value),
        chosen=chosen,
        groups={label: mask for label, mask in masks.items() if mask.any()},
    )
