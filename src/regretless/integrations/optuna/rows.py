"""Optuna's trials as rows of a history, and its values and constraints as outcomes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from regretless.optimizer import Outcome, as_outcomes

__all__ = ["outcomes_of", "params_in", "row_values", "values_of"]


def outcomes_of(
    study: Study, trials: Iterable[FrozenTrial], metric_names: Sequence[str] | None = None
) -> tuple[Outcome, ...]:
    """The objectives by the names of their metrics, then the constraints that any trial has, which must be <= 0."""
    directions = ["maximize" if d == StudyDirection.MAXIMIZE else "minimize" for d in study.directions]
    known = sorted({name for trial in trials for name in trial.constraints})
    several = len(directions) > 1
    names = metric_names or ([f"value {k}" for k in range(len(directions))] if several else ["value"])
    return as_outcomes(
        objective=None if several else names[0],
        direction=None if several else directions[0],
        objectives=dict(zip(names, directions, strict=True)) if several else None,
        constraints={_constraint(name, names): ("<=", 0.0) for name in known} or None,
        limits=None,
    )


def _constraint(name: str, objectives: Sequence[str]) -> str:
    return f"constraint {name}" if name in objectives or not name else name


def values_of(trial: FrozenTrial, values: Sequence[float] | None, outcomes: Sequence[Outcome]) -> dict[str, float]:
    """What a trial that completed measured, by outcome; an infinite value or NaN is none."""
    objectives = [outcome.name for outcome in outcomes if outcome.role == "objective"]
    found = dict(zip(objectives, values or (), strict=False))
    found |= {_constraint(name, objectives): value for name, value in trial.constraints.items()}
    return {name: value for name, value in found.items() if math.isfinite(value)}


def row_values(trial: FrozenTrial, outcomes: Sequence[Outcome]) -> dict[str, float]:
    """What a trial measured, by outcome: of one that failed or was pruned, nothing."""
    return values_of(trial, trial.values, outcomes) if trial.state == TrialState.COMPLETE else {}


def params_in(trial: FrozenTrial, suggested: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a trial as far as they are known: enqueued, asked for, or suggested."""
    if trial.state.is_finished():
        return trial.params
    return {**suggested, **trial.params, **trial.system_attrs.get("fixed_params", {})}
