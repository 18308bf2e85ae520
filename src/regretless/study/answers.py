"""What a study answers, in the user's units and names: recommendations, Pareto fronts, reference points."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.optimizer import (
    Choice,
    Front,
    History,
    State,
    Task,
    chosen_params,
    expected_at,
    params_of,
    recommended,
    reference_of,
    searched_at,
)
from regretless.pareto import hypervolume
from regretless.study.trial import Recommendation, Trial

__all__ = ["front_of", "hypervolume_of", "outward_within", "recommendation_of", "reference_point"]


def outward_within(task: Task, history: History, values: Floats, outcome: int = 0) -> Floats:
    """Values as the user sees them: clipped to the limits, or to measured values that lie outside of these."""
    of = task.outcomes[outcome]
    return of.limits.reaching(of.outward(history.series(outcome).y)).clip(of.outward(values))


def recommendation_of(task: Task, history: History, state: State) -> Recommendation:
    """The recommendation for one objective. ``state`` holds the beliefs to search by and those to certify by."""
    choice = recommended(task, history, state)
    if isinstance(choice, Front):
        raise InvalidInput(
            "several objectives have no single best point: study.front is the Pareto set to choose from."
        )
    if not isinstance(choice, Choice):
        raise InvalidInput(
            "a level set has no single best point: study.region() says which candidates reach the level."
        )
    if task.scenarios is not None:
        params, row = chosen_params(task, choice.point)
        return Recommendation(params, row, task.objective.outward(choice.mean), choice.sd)
    params, row = params_of(task, choice.point)
    found = expected_at(task, state.all_doubted(), choice.point)
    expected = {
        o.name: (float(outward_within(task, history, o.inward(np.asarray(found[o.name][0])), k)), found[o.name][1])
        for k, o in enumerate(task.outcomes)
    }
    best = expected[task.objective.name]
    if not task.constraints:
        return Recommendation(params, row, *best)
    return Recommendation(params, row, *best, expected, choice.prob_feasible, choice.qualified)


def front_of(task: Task, history: History, state: State) -> tuple[Recommendation, ...]:
    """The Pareto front of several objectives. ``state`` holds the beliefs to search by."""
    found = recommended(task, history, state)
    assert isinstance(found, Front)
    points = []
    for point, pf in zip(found.points, found.prob_feasible, strict=True):
        expected = searched_at(task, state.all_believed(), point.x)
        params, row = params_of(task, point)
        feasible = float(pf) if task.constraints else None
        qualified = bool(pf >= 1.0 - task.risk)
        points.append(Recommendation(params, row, *expected[task.objective.name], expected, feasible, qualified))
    return tuple(points)


def reference_point(task: Task, history: History) -> dict[str, float] | None:
    """The reference point of several objectives, by name; None before it is known, or with one objective."""
    known = task.reference is not None or history.reference is not None or len(history.whole(task))
    if len(task.objectives) == 1 or not known:
        return None
    pairs = zip(task.objectives, reference_of(task, history), strict=True)
    return {outcome.name: outcome.outward(z) for outcome, z in pairs}


def hypervolume_of(task: Task, trials: Iterable[Trial], reference: Mapping[str, float] | None) -> float:
    """The hypervolume that the measured trials dominate above the reference point."""
    objectives = task.objectives
    if len(objectives) == 1:
        raise InvalidInput("a hypervolume takes several objectives; this study has one.")
    values = [[o.inward(trial.values[o.name] or 0.0) for o in objectives] for trial in trials]
    if reference is None or not values:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # a product of very large numbers
        volume = hypervolume(values, [o.inward(reference[o.name]) for o in objectives])
    return volume if math.isfinite(volume) else math.inf
