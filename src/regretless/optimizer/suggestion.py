"""Algorithm 1, one iteration: history -> posterior -> zeta -> score -> argmax -> suggestion. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from regretless.acquisition import IRGPUCB, Rule
from regretless.errors import NumericalError
from regretless.gp import Hyperparameters, is_one_hill
from regretless.linalg import single_thread
from regretless.optimizer.available import open_points, worth_trying
from regretless.optimizer.history import Fit, History
from regretless.optimizer.robust import choose
from regretless.optimizer.scene import reference_to_keep, scene_of
from regretless.optimizer.state import State, with_search, with_survey
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import (
    Allowed,
    argmax,
    as_tried,
    designed_point,
    is_allowed,
    undirected_point,
)
from regretless.spaces import Point

__all__ = ["Suggestion", "excursion", "suggest"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One point to try, and why."""

    point: Point  # of what will really be tried, neat decimals and all
    source: str  # "design", "rule" or "random"
    record: Mapping[str, float]  # what was drawn
    expected: tuple[tuple[float, float], ...] = ()  # mean and sd of each outcome, as maximised, in the units of y
    subset: tuple[int, int] | None = None  # on how many of how many results the model rests, where not on all
    jitter: float = 0.0
    fallback: str | None = None  # why the rule was not followed, if it was not
    fits: tuple[Fit, ...] = ()  # the hyperparameters to search by, of each outcome
    survey: Hyperparameters | None = None  # those of an excursion, if it is one
    reference: tuple[float, ...] | None = None  # of several objectives, as maximised, once it stays


def suggest(task: Task, history: History, trial: int, state: State | None) -> tuple[Suggestion, State]:
    """The suggestion for ``trial``, and a state that makes the next one cheaper.

    Raises
    ------
    Exhausted
        If every candidate has been tried and repeats are not allowed.
    """
    state = State.empty(task) if state is None else state
    with single_thread():
        allowed = open_points(task, history)
        if len(history.points) - len(history.failed) < task.n_initial:
            fresh = worth_trying(task, history, allowed, 0.0)  # before there is a model, noise is no reason to repeat
            point = designed_point(task.domain, task, history.n_designed, trial, fresh)
            return Suggestion(point, "design", {}), state
        try:
            state = with_search(task, history, trial, state)
            elsewhere = excursion(task, history)
            if elsewhere is not None:
                state = with_survey(task, history, state)
            return _ruled(task, history, trial, state, allowed, elsewhere), state
        except NumericalError as error:
            return _random(task, trial, allowed, str(error)), replace(State.empty(task), doubts=state.doubts)


def _random(task: Task, trial: int, allowed: Allowed, why: str) -> Suggestion:
    return Suggestion(undirected_point(task.domain, task, trial, allowed), "random", {}, fallback=why)


def excursion(task: Task, history: History) -> Rule | None:
    """The rule of the next step if it is an excursion: one is due, and what was told does not look like one hill.

    A list of candidates is searched by one model: its theorem is about that, and tables gain nothing (ADR 55).
    """
    if not isinstance(task.rule, IRGPUCB) or task.domain.n_candidates is not None or task.surrogate.survey() is None:
        return None
    rule, series = task.rule.excursion(history.n_ruled + 1), history.series()
    if rule is None or not len(series.y) or is_one_hill(series.told.X, series.y, task.categorical):
        return None
    return rule


def _ruled(
    task: Task, history: History, trial: int, state: State, allowed: Allowed, elsewhere: Rule | None
) -> Suggestion:
    domain, fits = task.domain, tuple(fitted.fit for fitted in state.all_believed())
    models, rule, drawn = state.all_believed(), task.rule, {}
    if elsewhere is not None:
        assert state.survey is not None
        models, rule, drawn = (state.survey,), elsewhere, {"excursion": 1.0}
    scene = scene_of(task, history, trial, state, models)
    rng = stream(task.seed, trial, Purpose.RULE)
    noise_share = max(fit.hyperparameters.noise_var / fit.hyperparameters.signal_var for fit in fits)
    worth = worth_trying(task, history, allowed, noise_share)
    found: Point | None
    if task.scenarios is not None:
        found, record = choose(task, scene, history.n_ruled + 1, rng, worth)
    else:
        objective, values, record = scene.draw(rule, history.n_ruled + 1, rng)
        found = argmax(domain, objective, scene.X, values, worth, scene.views[0].blocks)
    if found is None:
        listed = domain.n_candidates is not None
        why = "no candidate has a finite score" if listed else "no untried point with a finite score was found"
        return _random(task, trial, allowed, why)
    point = as_tried(domain, found)
    if not is_allowed(domain, point, worth):  # bounds so close that few decimals lie between them
        return _random(task, trial, allowed, "the point found rounds to one already tried")
    restored = (
        model.fit.hyperparameters.units.restored(*view.moments_at(point))
        for model, view in zip(models, scene.views, strict=True)
    )
    expected = tuple((float(mean), float(sd)) for mean, sd in restored)
    used, told = len(models[0].used), len(history.series().y)
    return Suggestion(
        point,
        "rule",
        {**record, **drawn},
        expected=expected,
        subset=(used, told) if used < told else None,
        jitter=max(view.posterior.jitter for view in scene.views),
        fits=fits,
        survey=None if elsewhere is None else models[0].fit.hyperparameters,
        reference=reference_to_keep(task, history),
    )
