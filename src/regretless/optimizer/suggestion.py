"""Algorithm 1, one iteration: history -> posterior -> zeta -> score -> argmax -> suggestion. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from regretless.acquisition import IRGPUCB, UCB, TrustRegion
from regretless.errors import NumericalError
from regretless.gp import Additive, Hyperparameters
from regretless.linalg import single_thread
from regretless.optimizer.available import open_points, worth_trying
from regretless.optimizer.context import Codes
from regretless.optimizer.decision import choose
from regretless.optimizer.excursions import Excursion, by_columns, excursion
from regretless.optimizer.history import Fit, History
from regretless.optimizer.joint import composite_at
from regretless.optimizer.purchase import at_level, designed, n_designed, purchase_at, wanted
from regretless.optimizer.scene import reference_to_keep, scene_of
from regretless.optimizer.stages import network_at
from regretless.optimizer.state import State, with_search
from regretless.optimizer.task import Task
from regretless.optimizer.trust_region import choose_near, missing_points
from regretless.rng import Purpose, stream
from regretless.search import (
    COARSE,
    Allowed,
    argmax,
    as_tried,
    best_of_columns,
    designed_point,
    is_allowed,
    undirected_point,
)
from regretless.spaces import Mixed, Point

__all__ = ["Suggestion", "suggest"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One point to try, and why."""

    point: Point  # of the point as it will be tried, after rounding
    source: str  # "design", "rule" or "random"
    record: Mapping[str, float]  # what was drawn
    expected: tuple[tuple[float, float], ...] = ()  # mean and sd of each outcome, as maximised, in the units of y
    subset: tuple[int, int] | None = None  # how many of how many results the model uses, if not all
    jitter: float = 0.0
    fallback: str | None = None  # why the rule was not followed, if it was not
    fits: tuple[Fit, ...] = ()  # the hyperparameters to search by, of each outcome
    survey: Hyperparameters | Additive | None = None  # those of an excursion, if it is one
    reference: tuple[float, ...] | None = None  # of several objectives, as maximised, once it stays
    context: Codes = ()  # of what the search does not choose


def suggest(task: Task, history: History, trial: int, state: State | None) -> tuple[Suggestion, State]:
    """The suggestion for ``trial``, and a state that makes the next one cheaper.

    Raises
    ------
    Exhausted
        If every candidate has been tried and repeats are not allowed.
    """
    state = State.empty(task) if state is None else state
    with single_thread():
        if len(history.points) - len(history.failed) < n_designed(task):
            number, codes = designed(task, history.n_designed)
            tried = at_level(task, history, codes)
            fresh = worth_trying(task, tried, open_points(task, tried), 0.0)  # without a model no reason to repeat
            return Suggestion(
                designed_point(task.domain, task, number, trial, fresh), "design", {}, context=codes
            ), state
        allowed = open_points(task, wanted(task, history))
        if isinstance(task.rule, TrustRegion) and missing_points(task, history):
            return _random(task, trial, allowed, "the trust region shrank to nothing: it begins again elsewhere"), state
        try:
            elsewhere, state = excursion(task, history, state)
            if elsewhere is None or _fits_always(task):
                state = with_search(task, history, trial, state)
            found = None
            if elsewhere is not None and elsewhere.columns is not None:
                found = _column_by_column(task, history, trial, elsewhere, allowed)
                if found is None:  # the point was tried before: the step is one of the model to search by
                    elsewhere, state = None, with_search(task, history, trial, state)
            return found or _ruled(task, history, trial, state, allowed, elsewhere), state
        except NumericalError as error:
            return _random(task, trial, allowed, str(error)), replace(State.empty(task), doubts=state.doubts)


def _fits_always(task: Task) -> bool:
    """Whether the model to search by is fitted at excursions too, as it was before they went by columns."""
    return not (isinstance(task.rule, IRGPUCB) and task.rule.additive)


def _random(task: Task, trial: int, allowed: Allowed, why: str) -> Suggestion:
    point, codes = undirected_point(task.domain, task, trial, allowed), () if task.fidelity is None else (0.0,)
    return Suggestion(point, "random", {}, fallback=why, context=codes)


def _column_by_column(
    task: Task, history: History, trial: int, elsewhere: Excursion, allowed: Allowed
) -> Suggestion | None:
    """The best value of every column under an additive model; None if that point must not be tried."""
    columns, rule, domain, t = elsewhere.columns, elsewhere.rule, task.domain, history.n_ruled + 1
    assert columns is not None
    assert isinstance(rule, UCB)
    assert isinstance(domain, Mixed)
    zeta = float(rule.law(None, domain.dim).draw(t, stream(task.seed, trial, Purpose.RULE)))
    setting = columns.setting
    point = as_tried(domain, Point(best_of_columns(domain, by_columns(columns, zeta))))
    worth = worth_trying(task, history, allowed, setting.noise_var / sum(setting.signal_var))
    if not is_allowed(domain, point, worth):
        return None
    mean, sd = setting.units.restored(*columns.mean_sd(point.x[None, :]))
    return Suggestion(
        point,
        "rule",
        {"zeta": zeta, "excursion": 1.0, "additive": 1.0},
        expected=((float(mean[0]), float(sd[0])),),
        jitter=columns.factor.jitter,
        survey=setting,
    )


def _ruled(
    task: Task, history: History, trial: int, state: State, allowed: Allowed, elsewhere: Excursion | None
) -> Suggestion:
    domain, rule, drawn = task.domain, task.rule, {}
    if elsewhere is None:
        models = state.all_believed()
    else:
        assert state.survey is not None
        models, rule, drawn = (state.survey,), elsewhere.rule, {"excursion": 1.0}
    fits = tuple(fitted.fit for fitted in (state.all_believed() if elsewhere is None or _fits_always(task) else ()))
    scene = scene_of(task, history, trial, state, models)
    rng = stream(task.seed, trial, Purpose.RULE)
    settings = [fit.hyperparameters for fit in fits or (models[0].fit,)]
    noise_share = max(each.noise_var / each.signal_var for each in settings)
    worth = worth_trying(task, wanted(task, history), allowed, noise_share)
    found: Point | None
    if task.scenarios is not None:
        found, record = choose(task, scene, history.n_ruled + 1, rng, worth)
    else:
        objective, values, record = scene.draw(rule, history.n_ruled + 1, rng)
        if not fits:
            objective = replace(objective, precision=COARSE)
        if isinstance(rule, TrustRegion):
            scale = np.array(settings[0].lengthscale)
            found, near = choose_near(task, history, scene.views[0].posterior, scale, objective, rng, worth)
            record = {**record, **near}
        else:
            found = argmax(domain, objective, scene.X, values, worth, scene.views[0].blocks)
    if found is None:
        listed = domain.n_candidates is not None
        why = "no candidate has a finite score" if listed else "no untried point with a finite score was found"
        return _random(task, trial, allowed, why)
    point = as_tried(domain, found)
    if not is_allowed(domain, point, worth):  # bounds so close that few decimals lie between them
        return _random(task, trial, allowed, "the point found rounds to one already tried")
    if task.network is not None:
        expected = network_at(task, scene, point.x)
    else:
        restored = (
            model.fit.hyperparameters.units.restored(*view.moments_at(point))
            for model, view in zip(models, scene.views, strict=True)
        )
        expected = tuple((float(mean), float(sd)) for mean, sd in restored)
        if task.composite is not None:
            expected = (composite_at(task, expected[1:]), *expected[1:])
    level = purchase_at(task, history, scene.views[0].posterior, models[0].fit.hyperparameters, point)
    used, told = len(models[0].used), len(history.series().y)
    return Suggestion(
        point,
        "rule",
        {**record, **drawn, **({} if level is None else level.record)},
        expected=expected,
        subset=(used, told) if used < told else None,
        jitter=scene.jitter,
        fits=fits,
        survey=None if elsewhere is None else models[0].fit.hyperparameters,
        reference=reference_to_keep(task, history),
        context=() if level is None else level.codes,
    )
