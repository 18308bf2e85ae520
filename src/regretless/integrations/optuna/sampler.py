"""Randomised GP-UCB as a sampler of Optuna. Optuna keeps the trials; a suggestion is a pure function of them."""

import contextlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from regretless.acquisition import JointRule, Rule
from regretless.arrays import as_whole, show
from regretless.errors import Exhausted, InvalidInput
from regretless.gp import Surrogate
from regretless.integrations.optuna.distributions import Codec, groups_of, newest
from regretless.integrations.optuna.notes import Notes, digest, write_note
from regretless.integrations.optuna.rows import outcomes_of, params_in, row_values
from regretless.optimizer import (
    Fit,
    History,
    Outcome,
    Row,
    State,
    Task,
    as_any_rule,
    as_reference,
    as_task,
    fit_from_data,
    fit_to_data,
    history_of,
    params_of,
    suggest,
)
from regretless.rng import check_seed, fresh_seed
from regretless.spaces import Repeats, as_space

__all__ = ["RegretlessSampler"]

_SEED = "regretless:seed"
#: How often another point is looked for when a worker that runs at the same time was faster.
_TRIES = 5
_logger = optuna.logging.get_logger(__name__)


@dataclass(slots=True)
class _Known:
    """The task of a group of parameters, and what saves time: the model's state, and finished trials as rows."""

    task: Task
    state: State | None = None
    rows: dict[int, Row | None] = field(default_factory=dict)


class RegretlessSampler(BaseSampler):
    """Bayesian optimisation by randomised GP-UCB, with constraints and several objectives.

    Parameters
    ----------
    seed
        Same seed and same results, same suggestions, also after a restart and in another process. None draws one and
        keeps it in the study.
    search_space
        Distributions by name, where they are known beforehand: then the initial design begins with the first trial.
        Without it the first trial is random, as Optuna learns the space from it.
    n_startup_trials
        Points of the initial design; trials that are there already count. None: 2d + 2, at most 20.
    rule, surrogate, repeats
        As for `regretless.Study`. With ``repeats="never"`` the study stops when all of a finite space has been tried.
    reference
        Of several objectives the point above which hypervolume counts, in the order of the directions.
    failures
        ``"avoid"``: suggestions keep away from where trials failed. ``"ignore"``: a failed trial says nothing about the
        point, as when workers are killed. Pruned trials and infinite values are always kept away from.
    independent_sampler
        For parameters that the model has not seen yet; random by default.
    warn_independent_sampling
        Whether to say so, once for each parameter.

    Constraints are those of ``trial.set_constraint``. Parameters that occur only in some trials are modelled by groups
    that occur together.

    Examples
    --------
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> space = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    >>> study = optuna.create_study(sampler=RegretlessSampler(seed=1, search_space=space))
    >>> trial = study.ask(space)
    >>> 0.0 <= trial.params["x"] <= 1.0
    True
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        search_space: Mapping[str, BaseDistribution] | None = None,
        n_startup_trials: int | None = None,
        rule: str | Rule | JointRule | None = None,
        surrogate: Surrogate | None = None,
        repeats: Repeats | None = None,
        reference: Sequence[float] | None = None,
        failures: Literal["avoid", "ignore"] = "avoid",
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        if failures not in ("avoid", "ignore"):
            raise InvalidInput(f"failures must be 'avoid' or 'ignore', got {show(failures)}.")
        self._seed = None if seed is None else check_seed(seed)
        self._search_space = None if search_space is None else dict(search_space)
        self._n_initial = None if n_startup_trials is None else as_whole(n_startup_trials, "n_startup_trials")
        self._rule, self._surrogate, self._repeats = rule, surrogate, repeats
        self._reference, self._failures = reference, failures
        self._independent, self._warns = independent_sampler, warn_independent_sampling
        self._forget()

    def _forget(self) -> None:
        """What only saves time, or keeps a warning from being repeated."""
        self._tasks: dict[Any, _Known] = {}
        self._seeds: dict[Any, int] = {}
        self._notes: dict[Any, Notes] = {}
        self._warned: set[Any] = set()

    def __getstate__(self) -> dict[str, Any]:
        caches: dict[str, Any] = {"_tasks": {}, "_seeds": {}, "_notes": {}, "_warned": set()}
        return self.__dict__ | caches

    def reseed_rng(self) -> None:
        """Streams are keyed by trial numbers, which no two workers share: only another sampler may need it."""
        if self._independent is not None:
            self._independent.reseed_rng()

    # Which parameters are modelled -----------------------------------------------------------------------------------

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002
        """The parameters that are suggested by a model: as given, or those of all completed trials."""
        space = self._search_space
        if space is None:
            space = newest(study._get_trials(deepcopy=False, states=(TrialState.COMPLETE,), use_cache=True))
        return {
            name: space[name]
            for name in sorted(space)
            if not space[name].single() and Codec.of(space[name]) is not None
        }

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The next point: one suggestion for each group of parameters that occur together."""
        self._check_rule(study)
        fixed = trial.system_attrs.get("fixed_params", {})
        if not search_space or search_space.keys() <= fixed.keys():
            return {}
        pieces, before = 0, None
        for _ in range(1 + _TRIES):
            trials = study._get_trials(deepcopy=False, use_cache=False)
            seen = self._suggested(study, trials)
            try:
                params, note = self._suggest(study, trial, search_space, trials, fixed)
            except Exhausted as error:
                _logger.warning(f"Trial {trial.number} repeats a point. {error}")
                _stop(study)
                return {}
            pieces = write_note(study, trial, note, pieces)
            # Reading, suggesting and writing are not one step: another worker may have got the same point meanwhile.
            now = self._suggested(study, study._get_trials(deepcopy=False, use_cache=False))
            new = [other for number, other in now.items() if number != trial.number and seen.get(number) != other]
            if params == before or note["params"] not in new:
                break
            before = params
        return params

    def _suggested(self, study: Study, trials: Sequence[FrozenTrial]) -> dict[int, dict[str, float] | None]:
        """What was suggested for each trial, by its number."""
        return {trial.number: self._note(study, trial).get("params") for trial in trials}

    def _suggest(
        self,
        study: Study,
        trial: FrozenTrial,
        search_space: Mapping[str, BaseDistribution],
        trials: Sequence[FrozenTrial],
        fixed: Mapping[str, Any],
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        complete = [other for other in trials if other.state == TrialState.COMPLETE]
        groups = groups_of(search_space, complete)
        params: dict[str, Any] = {}
        noted: list[dict[str, Any]] = []
        for names in groups:
            space = {name: search_space[name] for name in names}
            codecs = {name: codec for name, each in space.items() if (codec := Codec.of(each)) is not None}
            key, whole = digest(space), len(groups) == 1
            known = self._known(study, complete, key, codecs, whole=whole)
            task = known.task
            history = self._history(study, known, codecs, key, trials, trial.number)
            found, known.state = suggest(task, history, trial.number, known.state)
            values, _ = params_of(task, found.point)
            params |= {name: codec.outward(values[name]) for name, codec in codecs.items()}
            noted.append(
                {
                    "space": key,
                    "source": "enqueued" if fixed.keys() & space.keys() else found.source,
                    "record": dict(found.record),
                    "fits": _fits_to_data(task, history, found.fits),
                    "reference": found.reference,
                }
            )
        inside = {name: search_space[name].to_internal_repr(value) for name, value in params.items()}
        return params, {"params": inside, "groups": noted}

    def _known(
        self,
        study: Study,
        complete: Sequence[FrozenTrial],
        key: str,
        codecs: Mapping[str, Codec],
        *,
        whole: bool,
    ) -> _Known:
        """The task of a group of parameters, made once."""
        outcomes, repeats = outcomes_of(study, complete), self._repeats
        if not whole and repeats != "all":  # the same values of a part of the parameters are not the same point
            repeats = "allow"
        seed = self._seed_of(study)
        which = (_identity(study), key, outcomes, repeats, seed)
        if which not in self._tasks:
            task = as_task(
                as_space({name: codec.dimension for name, codec in codecs.items()}, repeats),
                outcomes=outcomes,
                rule=self._rule,
                surrogate=self._surrogate,
                n_initial=self._n_initial,
                seed=seed,
                reference=self._reference_of(outcomes),
            )
            self._tasks[which] = _Known(task)
        return self._tasks[which]

    def _reference_of(self, outcomes: tuple[Outcome, ...]) -> tuple[float, ...] | None:
        names = [outcome.name for outcome in outcomes if outcome.role == "objective"]
        if self._reference is None:
            return None
        if len(self._reference) != len(names):
            raise InvalidInput(f"reference needs one number for each of {len(names)} objectives.")
        return as_reference(dict(zip(names, self._reference, strict=True)), outcomes)

    # What is known ---------------------------------------------------------------------------------------------------

    def _history(
        self,
        study: Study,
        known: _Known,
        codecs: Mapping[str, Codec],
        key: str,
        trials: Sequence[FrozenTrial],
        number: int,
    ) -> History:
        """All trials that have these parameters; the position in the design is the trial's number."""
        task, rows, n_ruled, reference = known.task, [], 0, None
        fits: list[Fit | None] = [None] * len(task.outcomes)
        for trial in trials:
            note = self._note(study, trial)
            group = next((each for each in note.get("groups", ()) if each["space"] == key), None)
            if trial.number == number:
                continue
            if group is not None:
                n_ruled += group["source"] == "rule"
                reference = reference or group["reference"]
                for k, outcome in enumerate(task.outcomes):
                    fits[k] = fit_from_data(group["fits"].get(outcome.name), fits[k]) or fits[k]
            if trial.number not in known.rows:
                row = self._row(task, codecs, trial, note.get("params", {}))
                if not trial.state.is_finished():
                    rows.append(row)
                    continue
                known.rows[trial.number] = row
            rows.append(known.rows[trial.number])
        history = history_of(task, filter(None, rows), tuple(fits), None if reference is None else tuple(reference))
        return replace(history, n_designed=number, n_ruled=n_ruled)

    def _row(
        self, task: Task, codecs: Mapping[str, Codec], trial: FrozenTrial, suggested: Mapping[str, float]
    ) -> Row | None:
        """A trial as the model sees it; None where it says nothing about these parameters."""
        if trial.state == TrialState.FAIL and self._failures == "ignore":
            return None
        noted = {name: codecs[name].distribution.to_external_repr(v) for name, v in suggested.items() if name in codecs}
        params = params_in(trial, noted)
        if not codecs.keys() <= params.keys():
            return None
        try:
            place = task.domain.place({name: codec.inward(params[name]) for name, codec in codecs.items()})
        except (InvalidInput, ValueError):  # another distribution then, far from this one
            return None
        values = row_values(trial, task.outcomes)
        return Row(place, values, running=not trial.state.is_finished(), source="told", number=trial.number)

    def _note(self, study: Study, trial: FrozenTrial) -> dict[str, Any]:
        return self._notes.setdefault(_identity(study), Notes()).of(trial)

    def _seed_of(self, study: Study) -> int:
        if self._seed is not None:
            return self._seed
        study_ = _identity(study)
        if study_ not in self._seeds:
            storage, study_id = study._storage, study._study_id
            if _SEED not in storage.get_study_system_attrs(study_id):
                storage.set_study_system_attr(study_id, _SEED, fresh_seed())
            self._seeds[study_] = int(storage.get_study_system_attrs(study_id)[_SEED])
        return self._seeds[study_]

    # The rest --------------------------------------------------------------------------------------------------------

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A parameter that the model has not seen: at random, from a stream of this trial and this name."""
        self._check_rule(study)
        self._warn(study, trial, param_name)
        if self._independent is not None:
            return self._independent.sample_independent(study, trial, param_name, param_distribution)
        key = (
            trial.number,
            0,
            zlib.crc32(param_name.encode()),
        )  # three numbers: no stream of a suggestion has this key
        state = np.random.SeedSequence(self._seed_of(study), spawn_key=key).generate_state(1)
        sampler = RandomSampler(seed=int(state[0]))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def _warn(self, study: Study, trial: FrozenTrial, name: str) -> None:
        known = (_identity(study), name)
        if not self._warns or known in self._warned or trial.number == 0:
            return
        complete = study._get_trials(deepcopy=False, states=(TrialState.COMPLETE,), use_cache=True)
        if not complete:
            return
        self._warned.add(known)
        why = (
            "its distribution is another one than before"
            if any(name in other.distributions for other in complete)
            else "no completed trial has it yet"
        )
        _logger.warning(f"Parameter {name!r} of trial {trial.number} is sampled at random: {why}.")

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Hand on."""
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Stop the study when all of a finite space has been tried and nothing may be repeated."""
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)
        if self._repeats == "never" and self._all_tried(study, trial):
            _logger.info("Every point of the search space has been tried: the study stops.")
            _stop(study)

    def _all_tried(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether this trial, which is about to end, was the last of a finite space without conditions."""
        space = {name: each for name, each in trial.distributions.items() if not each.single()}
        codecs = {name: codec for name, each in space.items() if (codec := Codec.of(each)) is not None}
        trials = study._get_trials(deepcopy=False, use_cache=False)
        complete = [other for other in trials if other.state == TrialState.COMPLETE]
        if (
            not space
            or len(codecs) < len(space)
            or any(set(other.distributions) - set(trial.distributions) for other in complete)
        ):
            return False
        known = self._known(study, complete, digest(space), codecs, whole=True)
        points = self._history(study, known, codecs, "", trials, number=-1).points
        tried = {x.tobytes() for x in points.X[points.inside]}
        size = known.task.domain.size
        return size is not None and len(tried) >= size

    def _check_rule(self, study: Study) -> None:
        """A rule for one objective is refused where there are several, before anything is sampled by it."""
        if self._rule is not None and len(study.directions) > 1:
            as_any_rule(self._rule, outcomes_of(study, ()))


def _fits_to_data(task: Task, history: History, fits: tuple[Fit, ...]) -> dict[str, Any]:
    """Fits that are new, by outcome."""
    each = zip(task.outcomes, fits, history.fits, strict=False)  # a point of the design comes without
    return {outcome.name: fit_to_data(fit, new=True) for outcome, fit, known in each if fit != known}


def _identity(study: Study) -> tuple[str, int]:
    """What tells studies apart that one sampler is used for: a name is unique in its storage only."""
    return study.study_name, id(study._storage)


def _stop(study: Study) -> None:
    with contextlib.suppress(RuntimeError):  # outside of a loop there is nothing to stop
        study.stop()
