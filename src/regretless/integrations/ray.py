"""Regretless inside Ray Tune: a searcher that keeps its state as JSON and ends a run by its certificate."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from regretless.arrays import show
from regretless.errors import Exhausted, InvalidInput, MissingExtra
from regretless.integrations.choices import Choices
from regretless.optimizer import Certified, Direction, StopRule, check_stop
from regretless.rng import check_seed
from regretless.spaces import Float, Int, Space, as_space
from regretless.study import Event, MemoryStore, Study

try:
    from ray.tune.search import Searcher, sample
    from ray.tune.utils.util import flatten_dict, unflatten_dict
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "ray":
        raise
    raise MissingExtra("this needs Ray Tune; install it with: pip install 'regretless[ray]'") from error

__all__ = ["RegretlessSearch"]

_NAME = "tune"
_FORMAT = 1


class RegretlessSearch(Searcher):
    """A searcher of Ray Tune: ``TuneConfig(search_alg=RegretlessSearch(seed=1))``.

    Parameters
    ----------
    space
        What may be tried, as for `regretless.Study`. None: the ``param_space`` of the tuner, where ``tune.uniform``,
        ``loguniform``, ``randint``, ``lograndint``, their quantised forms and ``choice`` are searched.
    metric, mode
        What is reported, and whether its ``"max"`` or ``"min"`` is wanted. None: those of the tuner.
    stop_when
        A `regretless.Regret`: once so little is certified to be left, the run is finished, and ``stopped_by`` is the
        certificate.
    points_to_evaluate
        Configurations to try first.
    n_initial, rule, seed
        As for `regretless.Study`; a rule by its name. Same seed and same results in the same order, same suggestions.

    A trial that fails, or reports NaN or nothing, is a point to keep away from. Of a trial that a scheduler ends early
    the last value counts. Trials are known by Ray's ids: a request that is repeated gets the same configuration.
    ``study`` is the `regretless.Study` behind it, with its certificate and recommendation.
    """

    _metric: str | None
    _mode: str | None

    def __init__(
        self,
        space: Any = None,
        metric: str | None = None,
        mode: str | None = None,
        *,
        stop_when: StopRule | None = None,
        points_to_evaluate: Sequence[Mapping[str, Any]] = (),
        n_initial: int | None = None,
        rule: str | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        if stop_when is not None:
            check_stop(stop_when)
        self.stop_when = stop_when
        self.stopped_by: Certified | None = None
        self._seed, self._n_initial, self._rule = check_seed(seed), n_initial, rule
        self._first = [dict(flatten_dict(dict(each))) for each in points_to_evaluate]
        self._choices: dict[str, Choices] = {}
        self._trials: dict[str, Any] = {}  # by Ray's id the number of a trial, or a configuration to try first
        self._store = MemoryStore()
        self._study: Study | None = None
        self._space = None if space is None else as_space(space)
        if self._space is not None and metric is not None and mode is not None:
            self._make()

    @property
    def study(self) -> Study:
        """The study behind the search."""
        if self._study is None:
            raise InvalidInput(
                "the search has no space, metric and mode yet. Give them here, or param_space to the Tuner and metric "
                "and mode to its TuneConfig."
            )
        return self._study

    # What Ray calls -------------------------------------------------------------------------------------------------

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **_: Any) -> bool:
        """Take over from the tuner what was not given here; False where there are two spaces."""
        found, self._choices = _searched(config)
        if found and self._space is not None and self._study is None:
            return False
        self._metric, self._mode = metric or self._metric, mode or self._mode
        if self._study is None and (found or self._space is not None):
            self._space = as_space(found) if self._space is None else self._space
            self._make()
        return True

    def suggest(self, trial_id: str) -> Any:
        """The configuration of a trial; FINISHED by the certificate, or where nothing is left to try."""
        known = self._trials.get(trial_id)
        if isinstance(known, dict):
            return unflatten_dict(known)
        if known is None and self._first:
            self._trials[trial_id] = self._first.pop(0)
            return unflatten_dict(dict(self._trials[trial_id]))
        if known is None and self.stop_when is not None:
            self.stopped_by = self.study.should_stop(self.stop_when)
            if self.stopped_by is not None:
                return Searcher.FINISHED
        try:
            trial = self.study.ask(key=trial_id)
        except Exhausted:
            return Searcher.FINISHED
        self._trials[trial_id] = trial.number
        return unflatten_dict(self._outward(trial.params))

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Tell the value, or that there is none. A trial of before the last checkpoint is known by its result."""
        value = None if error or result is None else _finite(result.get(self.study.objective))
        known = self._trials.get(trial_id)
        if isinstance(known, int):
            if self.study.trials[known].status == "pending":
                self.study.tell(known, value, failed=value is None)
            return
        config = known if isinstance(known, dict) else (result or {}).get("config")
        if config is not None:
            self.add_evaluated_point(config, math.nan if value is None else value, key=trial_id)

    def add_evaluated_point(
        self,
        parameters: Mapping[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: Any = None,  # noqa: ARG002
        key: str | None = None,
    ) -> None:
        """Add a result that was not asked for; one that failed or was pruned is a point to keep away from."""
        flat = flatten_dict(dict(parameters))
        names = self.study.space.names
        params = {name: self._choices[name].label(v) if name in self._choices else v for name, v in flat.items()}
        measured = None if error or pruned else _finite(value)
        inside = {name: params[name] for name in names if name in params}
        self.study.add(inside, measured, failed=measured is None, key=key)

    def save(self, checkpoint_path: str) -> None:
        """The state as JSON."""
        Path(checkpoint_path).write_text(json.dumps(self.get_state()), encoding="utf-8")

    def restore(self, checkpoint_path: str) -> None:
        """The state that was saved so."""
        self.set_state(json.loads(Path(checkpoint_path).read_text(encoding="utf-8")))

    def get_state(self) -> dict[str, Any]:
        """Everything as plain JSON: what the study was created with, every event, and which trial is which of Ray's."""
        made = self._study is not None
        return {
            "format": _FORMAT,
            "spec": self._store.spec(_NAME) if made else None,
            "events": [asdict(event) for event in self.study.events()] if made else [],
            "trials": self._trials,
            "first": self._first,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from a state: the suggestions are those of a search that was never interrupted."""
        if state.get("format") != _FORMAT:
            raise InvalidInput(
                f"this is no state of RegretlessSearch that this version reads: {show(state.get('format'))}."
            )
        self._trials, self._first = dict(state["trials"]), list(state["first"])
        if state["spec"] is None:
            return
        self._store = MemoryStore()
        self._store.create(_NAME, state["spec"], "ray")
        events = [Event(**event) for event in state["events"]]
        self._store.journal(_NAME).write(0, lambda _: events)
        self._study = Study.open(self._store, _NAME, author="ray")
        self._space = self._study.space

    def __getstate__(self) -> dict[str, Any]:
        """The tuner pickles its searcher: of ours it gets plain data."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_store", "_study", "_space")}
        return {"plain": kept, "space": None if self._study else self._space, "state": self.get_state()}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        self.__dict__.update(pickled["plain"])
        self._store, self._study, self._space = MemoryStore(), None, pickled["space"]
        self.set_state(pickled["state"])

    # Inside ---------------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        if self._metric is None or self._mode is None:
            raise InvalidInput("a search needs metric and mode: give them to the searcher or to TuneConfig.")
        direction: Direction = "maximize" if self._mode == "max" else "minimize"
        self._study = Study.open(
            self._store,
            _NAME,
            space=self._space,
            objective=self._metric,
            direction=direction,
            n_initial=self._n_initial,
            rule=self._rule,
            seed=self._seed,
            author="ray",
        )

    def _outward(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._choices[name].value(v) if name in self._choices else v for name, v in params.items()}


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _searched(config: Mapping[str, Any]) -> tuple[dict[str, Any] | Space, dict[str, Choices]]:
    """The parameters of a ``param_space`` that are to be searched; nested ones are called ``outer/inner``."""
    dimensions: dict[str, Any] = {}
    choices: dict[str, Choices] = {}
    for name, domain in flatten_dict(dict(config)).items():
        if name.endswith("/grid_search") or name == "grid_search":
            raise InvalidInput(f"{name}: a grid is searched by Ray itself. Use tune.choice for the searcher.")
        if isinstance(domain, sample.Categorical):
            choices[name] = Choices.of(domain.categories)
            dimensions[name] = choices[name].dimension
        elif isinstance(domain, sample.Float | sample.Integer):
            dimensions[name] = _number(name, domain)
        elif isinstance(domain, sample.Domain):
            raise InvalidInput(
                f"{name}: {type(domain).__name__} says no range to search. Use uniform, randint or choice."
            )
    return dimensions, choices


def _number(name: str, domain: Any) -> Float | Int:
    """Integers of Ray end before their upper end, unless they are quantised."""
    sampler, step = domain.get_sampler(), None
    if isinstance(sampler, sample.Quantized):
        sampler, step = sampler.get_sampler(), sampler.q
    if isinstance(sampler, sample.Normal) or not (math.isfinite(domain.lower) and math.isfinite(domain.upper)):
        raise InvalidInput(f"{name}: a normal law has no range to search. Use tune.uniform(low, high).")
    log = isinstance(sampler, sample.LogUniform)
    if isinstance(domain, sample.Integer):
        upper = domain.upper if step not in (None, 1) else domain.upper - 1
        return Int(domain.lower, upper, log=log, step=None if log or step in (None, 1) else int(step))
    return Float(domain.lower, domain.upper, log=log, step=None if log else step)
