"""A study of Optuna's as one of ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from regretless.errors import InvalidInput
from regretless.integrations.imported import Imported, Left
from regretless.integrations.optuna.distributions import Codec, common, newest
from regretless.integrations.optuna.rows import outcomes_of, row_values
from regretless.optimizer import Outcome
from regretless.spaces import as_space
from regretless.study import Study

__all__ = ["add_trial", "codecs_of", "from_optuna", "study_of"]


def from_optuna(study: optuna.Study, space: Any = None, **settings: Any) -> Imported:
    """The trials of a study of Optuna's as data of a study of ours, with a report of what was taken.

    Parameters
    ----------
    study
        A study, such as ``optuna.load_study(study_name="tune", storage="sqlite:///optuna.db")`` returns.
    space
        What may be tried. None: the parameters that all completed trials have, each with its newest distribution.
    **settings
        Of `regretless.Study`, such as ``seed`` or ``rule``.

    Objectives, directions and constraints are those of the study. Trials that failed, were pruned or have an infinite
    value are failed ones, if all their parameters are known. The space of a study with conditional parameters can be
    given with conditions (``when=``).

    Examples
    --------
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> theirs = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    >>> theirs.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0) ** 2, n_trials=8)
    >>> imported = from_optuna(theirs, seed=1)
    >>> print(imported)
    8 of 8 rows taken.
    >>> imported.study.best.value == theirs.best_value
    True
    """
    trials = study.get_trials(deepcopy=False)
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    if not complete:
        raise InvalidInput(f"no trial of the study {study.study_name!r} has completed: there is nothing to learn from.")
    codecs = codecs_of(complete)
    outcomes = outcomes_of(study, complete, study.metric_names)
    ours = study_of(
        outcomes,
        as_space({name: codec.dimension for name, codec in codecs.items()} if space is None else space),
        settings,
    )
    left = [
        Left(f"trial {trial.number}", why)
        for trial in trials
        if (why := add_trial(ours, trial, codecs, outcomes, whole=space is not None)) is not None
    ]
    dropped = sorted(set(newest(complete)) - set(codecs)) if space is None else []
    notes = [f"Parameters that not every completed trial has were left out: {', '.join(dropped)}."] if dropped else []
    return Imported(ours, len(trials) - len(left), tuple(left), tuple(notes))


def codecs_of(complete: Sequence[FrozenTrial]) -> dict[str, Codec]:
    """The parameters that all of these trials have, with their newest distribution."""
    distributions, shared = newest(complete), common(complete)
    found = {name: Codec.of(each) for name, each in distributions.items() if name in shared}
    codecs = {name: codec for name, codec in found.items() if codec is not None}
    if not codecs:
        raise InvalidInput("the completed trials have no parameter in common. Give space=, with conditions (when=).")
    return codecs


def study_of(outcomes: Sequence[Outcome], space: Any, settings: Mapping[str, Any]) -> Study:
    """An empty study with these outcomes."""
    objectives = {outcome.name: outcome.direction for outcome in outcomes if outcome.role == "objective"}
    constraints = {outcome.name: (outcome.sense, outcome.bound) for outcome in outcomes if outcome.role == "constraint"}
    name, direction = next(iter(objectives.items()))
    aims: dict[str, Any] = (
        {"objective": name, "direction": direction} if len(objectives) == 1 else {"objectives": objectives}
    )
    return Study(space, **aims, constraints=constraints or None, **settings)


def add_trial(
    study: Study,
    trial: FrozenTrial,
    codecs: Mapping[str, Codec],
    outcomes: Sequence[Outcome],
    *,
    whole: bool = False,
) -> str | None:
    """Add a trial's result, with all its parameters if ``whole``; None, or why it cannot be added."""
    if not trial.state.is_finished():
        return f"it is {trial.state.name.lower()}"
    if not whole and not codecs.keys() <= trial.params.keys():
        return "it has not all parameters"
    params = {
        name: codecs[name].inward(value) if name in codecs else value
        for name, value in trial.params.items()
        if whole or name in codecs
    }
    values = row_values(trial, outcomes)
    missing = [outcome.name for outcome in outcomes if outcome.name not in values]
    try:
        if not values:
            study.add(params, failed=True)
        else:
            study.add(params, values if len(outcomes) > 1 else values[outcomes[0].name], failed=missing or False)
    except InvalidInput as error:
        return f"it has no place in the space: {error}".rstrip(".")
    return None
