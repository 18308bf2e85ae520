"""Decisions in environments: suggestion of decision and environment."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from regretless.acquisition import RobustUCB
from regretless.optimizer.scene import Scene
from regretless.optimizer.task import Task
from regretless.search import Allowed, Objective, argmax, as_tried, near
from regretless.spaces import Mixed, Point, Scenarios

__all__ = ["choose"]


def choose(
    task: Task, scene: Scene, t: int, rng: np.random.Generator, worth: Allowed
) -> tuple[Point | None, Mapping[str, float]]:
    """The point to measure next, and what was drawn: a decision first, then the environment to measure it in.

    ``worth`` says which points may be measured; a decision may be tried while one of its points may.
    """
    scenarios, view = task.scenarios, scene.views[0]
    assert scenarios is not None
    assert isinstance(task.rule, RobustUCB)
    score = task.rule.draw(view, t, rng)
    decisions = scenarios.decisions
    objective = Objective(score.at, score.value_and_gradient)
    found = argmax(decisions, objective, view.X, score.on(view), _open_decisions(scenarios, worth))
    if found is None:
        return None, score.record
    found = as_tried(decisions, found)
    w = score.environment(found.x, _open_environments(scenarios, found, worth))
    return as_tried(scenarios.domain, scenarios.point(found, w)), {**score.record, "environment": float(w)}


def _open_decisions(scenarios: Scenarios, worth: Allowed) -> Allowed:
    """The decisions of which a point may be measured."""
    none = np.empty((0, scenarios.decisions.dim))
    if scenarios.rows is not None:
        assert worth.rows is not None
        return Allowed(np.asarray(worth.rows[scenarios.rows].any(axis=1)), none)
    if scenarios.column is None:
        return Allowed(None, worth.blocked if scenarios.shifts is None else none)
    closed = np.unique(worth.blocked, axis=0)
    each, count = np.unique(scenarios.decisions_of(closed), axis=0, return_counts=True)
    return Allowed(None, each[count >= len(scenarios.weights)])  # blocked in every environment


def _open_environments(scenarios: Scenarios, decision: Point, worth: Allowed) -> npt.NDArray[np.bool_]:
    """In which environments a decision may be measured."""
    if scenarios.rows is not None and decision.index is not None:
        assert worth.rows is not None
        open_: npt.NDArray[np.bool_] = worth.rows[scenarios.rows[decision.index]]
        return open_
    assert isinstance(scenarios.domain, Mixed)
    return ~near(scenarios.domain, scenarios.points(decision.x[None, :])[0], worth.blocked)
