"""The settings of a study: checked, and as stored."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import scipy

from regretless._version import __version__
from regretless.arrays import show
from regretless.errors import InvalidInput, StudyConflict
from regretless.gp import Surrogate
from regretless.optimizer import (
    Composite,
    Direction,
    Goal,
    LevelSet,
    Network,
    Preset,
    Task,
    as_any_rule,
    as_composite,
    as_constraints,
    as_fallback,
    as_fidelity,
    as_limits,
    as_outcomes,
    as_reference,
    as_task,
)
from regretless.risk import Aim
from regretless.spaces import (
    Repeats,
    Rows,
    Space,
    as_space,
    check_repeats,
    difference,
    extended_table,
    repeats_of,
    same_rows,
    space_from_data,
    space_to_data,
)
from regretless.study.codec import Trust, function_of, object_from_data, object_to_data, same_setup
from regretless.study.journal import Journal

__all__ = ["GIVEN", "Settings", "check_same", "settings", "settings_from_spec", "spec_of"]

#: The arguments of `Study`, of `Study.open` and, without the direction, of `maximize`.
GIVEN = (
    "space",
    "direction",
    "preset",
    "rule",
    "surrogate",
    "n_initial",
    "repeats",
    "objective",
    "objectives",
    "constraints",
    "reference",
    "fallback",
    "risk",
    "limits",
    "goal",
    "environment",
    "fidelity",
    "seed",
)
#: The default probability with which a recommendation may violate some constraint.
_RISK = 0.1


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that stays the same through a study."""

    task: Task
    preset: Preset
    metadata: Mapping[str, Any] = field(default_factory=dict)  # notes of its creator, stored and never interpreted
    repeats_then: Repeats | None = None  # the word it was created with, which may have meant another thing


def settings(
    space: Any,
    *,
    direction: Direction | None = None,
    preset: Preset | None = None,
    objective: Any = None,
    objectives: Any = None,
    constraints: Any = None,
    reference: Any = None,
    fallback: float | None = None,
    risk: float | None = None,
    repeats: Any = None,
    limits: Any = None,
    goal: Any = None,
    environment: Any = None,
    metadata: Mapping[str, Any] | None = None,
    fidelity: Any = None,
    **more: Any,
) -> Settings:
    """Check the arguments of a study; None takes the default."""
    preset = "default" if preset is None else preset
    of_space, of_outcomes = split_constraints(constraints)
    aim = goal if isinstance(goal, Aim) else None
    outcomes = as_outcomes(
        objective=objective,
        direction=direction,
        objectives=objectives,
        constraints=of_outcomes,
        limits=limits,
        goal=None if aim is not None else goal,
    )
    searched = as_space(space, repeats, of_space)
    clash = [outcome.name for outcome in outcomes if outcome.role == "part" and outcome.name in searched.names]
    if clash:
        kind = type(outcomes[0].composite).__name__
        raise InvalidInput(f"{clash[0]!r} is a parameter, and so is not measured: a {kind} is of measured outcomes.")
    clash = [outcome.name for outcome in outcomes if outcome.role == "constraint" and outcome.name in searched.names]
    if clash:
        raise InvalidInput(
            f"constraints: {clash[0]!r} is a parameter, and so is not measured. A constraint of the space is a text: "
            f'constraints=["{clash[0]} <= 1"].'
        )
    task = as_task(
        searched,
        outcomes=outcomes,
        preset=preset,
        reference=as_reference(reference, outcomes),
        fallback=as_fallback(fallback, outcomes),
        risk=_RISK if risk is None else risk,
        environment=environment,
        aim=aim,
        context=as_fidelity(fidelity),
        **more,
    )
    return Settings(task, preset, _as_json(metadata))


def split_constraints(constraints: Any) -> tuple[Any, Mapping[str, Any] | None]:
    """Constraints of the space, texts or functions, and those of outcomes, which are a mapping."""
    return ((), constraints) if constraints is None or isinstance(constraints, Mapping) else (constraints, None)


def spec_of(settings: Settings) -> dict[str, Any]:
    """Settings as plain JSON, with all defaults resolved, so that new defaults never change a stored study."""
    chosen, objective = settings.task, settings.task.objective
    return {
        "space": space_to_data(chosen.space if chosen.scenarios is None else chosen.scenarios.given),
        "direction": objective.direction,
        "objective": objective.name,
        "preset": settings.preset,
        "rule": object_to_data(chosen.rule, "rule"),
        "surrogate": object_to_data(chosen.surrogate, "surrogate"),
        "repeats": chosen.space.repeats,
        "n_initial": chosen.n_initial,
        "design": chosen.design,
        "seed": chosen.seed,
        "limits": objective.limits.given,
        **({} if objective.goal is None else {"goal": _goal_to_data(objective.goal)}),
        **({} if objective.composite is None else {"composite": objective.composite.to_data()}),
        **({} if chosen.context is None else {"fidelity": object_to_data(chosen.context, "fidelity")}),
        **_several(chosen),
        **_robust(chosen),
        "about": dict(settings.metadata),  # as it is called in databases since the first version
        "made_with": {"regretless": __version__, "numpy": np.__version__, "scipy": scipy.__version__},
    }


def settings_from_spec(spec: Mapping[str, Any], trust: Trust) -> Settings:
    """Read what `spec_of` wrote; foreign code is imported only if trusted."""
    space = space_from_data(spec["space"], lambda name: function_of(name, trust))
    # Specs without repeats of their own are older than "auto": their space says "allow" for it.
    repeats = spec.get("repeats", "auto" if space.repeats == "allow" else space.repeats)
    chosen = settings(
        space,
        repeats=repeats,
        preset=spec["preset"],
        rule=object_from_data(spec["rule"], "rule", trust),
        surrogate=object_from_data(spec["surrogate"], "surrogate", trust),
        n_initial=spec["n_initial"],
        design=spec.get("design", "hypercube"),  # the only one before it was named
        seed=spec["seed"],
        metadata=spec.get("about"),
        fidelity=object_from_data(spec.get("fidelity"), "fidelity", trust),
        **_outcomes_of(spec, trust),
        **{name: object_from_data(spec[name], name, trust) for name in ("environment",) if name in spec},
        **({"goal": object_from_data(spec["aim"], "goal", trust)} if "aim" in spec else {}),
    )
    return replace(chosen, repeats_then=space.repeats)


def check_same(name: str, given: Mapping[str, Any], stored: Settings, journal: Journal) -> None:
    """Refuse to open a study with other settings than it was created with; None means not given.

    The rows of a table may be those it was created with, or those it has now.
    """
    task, space = stored.task, given["space"]
    had_repeats = task.space.repeats
    repeats = check_repeats(given["repeats"])
    if repeats is None:
        repeats = repeats_of(space)
    if repeats not in (None, had_repeats, stored.repeats_then):
        raise _conflict(name, f"has repeats={had_repeats!r}, not {repeats!r}")
    of_space, of_outcomes = split_constraints(given.get("constraints"))
    if of_space and space is None:
        raise InvalidInput("constraints of the space are compared with its own: give space= beside them.")
    if space is not None:
        old = task.space if task.scenarios is None else task.scenarios.given
        new = as_space(space, had_repeats, of_space)
        unlike = difference(new, old)
        if unlike and not same_rows(new, old) and not same_rows(new, _extended(old, journal)):
            raise _conflict(name, f"has another space: {unlike}")
    if given["rule"] is not None and not same_setup(
        as_any_rule(given["rule"], task.outcomes, robust=task.scenarios is not None), task.rule
    ):
        raise _conflict(name, f"has the rule {task.rule!r}, not {show(given['rule'])}")
    if given["limits"] is not None:
        new_limits, limits = _limits_given(given["limits"], task), _limits(task)
        if new_limits != limits:
            raise _conflict(name, f"has limits={limits!r}, not {new_limits!r}")
    had = {
        **_wanted(task),
        "objectives": {outcome.name: outcome.direction for outcome in task.objectives},
        "preset": stored.preset,
        "surrogate": task.surrogate,
        "n_initial": task.n_initial,
        "fidelity": task.context,
        "seed": task.seed,
    }
    given = {**given, "objective": as_composite(given.get("objective")) or given.get("objective")}
    for what, value in had.items():
        if given.get(what) is not None and not same_setup(given[what], value):
            raise _conflict(name, _unlike(what, value, given[what]))
    if of_outcomes is not None:
        pairs = {outcome.name: (outcome.sense, outcome.bound) for outcome in task.constraints}
        if {new.name: (new.sense, new.bound) for new in as_constraints(of_outcomes)} != pairs:
            raise _conflict(name, f"has constraints={pairs!r}, not {show(of_outcomes)}")


def _wanted(task: Task) -> dict[str, Any]:
    """The goal of each outcome, as the user states it."""
    objective, several = task.objective, len(task.objectives) > 1
    outward = zip(task.objectives, task.reference or (), strict=False)
    return {
        "direction": None if several else objective.direction,
        "objective": None if several else objective.composite or objective.name,
        "objectives": {outcome.name: outcome.direction for outcome in task.objectives} if several else None,
        "reference": {outcome.name: outcome.outward(z) for outcome, z in outward} or None,
        "fallback": None if task.fallback is None else objective.outward(task.fallback),
        "risk": task.risk,
        "goal": task.aim if task.scenarios is not None else objective.goal,
        "environment": None if task.scenarios is None else task.scenarios.environment,
    }


def _robust(task: Task) -> dict[str, Any]:
    """Additional settings of a study with environments."""
    if task.scenarios is None:
        return {}
    environment = object_to_data(task.scenarios.environment, "environment")
    return {"environment": environment, "aim": object_to_data(task.aim, "goal")}


def _several(task: Task) -> dict[str, Any]:
    """Additional settings of a study with several outcomes."""
    if len(task.outcomes) == 1:
        return {} if task.risk == _RISK else {"risk": task.risk}
    wanted = {
        name: value
        for name, value in _wanted(task).items()
        if name not in ("direction", "objective", "goal", "environment")
    }
    constraints = {outcome.name: [outcome.sense, outcome.bound] for outcome in task.constraints}
    return {**wanted, "constraints": constraints, "limits": _limits(task)}


def _outcomes_of(spec: Mapping[str, Any], trust: Trust) -> dict[str, Any]:
    """The arguments of `settings` about outcomes, from their stored form."""
    if spec.get("composite"):
        kind: type[Composite | Network] = Network if "stages" in spec["composite"] else Composite
        composite = kind.from_data(spec["composite"], lambda name: function_of(name, trust))
        return {"objective": composite, "direction": spec["direction"]}
    several = {name: spec.get(name) for name in ("objectives", "constraints", "reference", "fallback")}
    if spec.get("goal"):
        return {"objective": spec["objective"], "goal": _goal_from_data(spec["goal"], trust)}
    single = {} if several["objectives"] else {name: spec[name] for name in ("direction", "objective")}
    return {**single, **several, "limits": spec.get("limits"), **({"risk": spec["risk"]} if "risk" in spec else {})}


def _goal_to_data(goal: Goal) -> Any:
    """A level set by its numbers alone, as it was before there were other goals."""
    return asdict(goal) if isinstance(goal, LevelSet) else object_to_data(goal, "goal")


def _goal_from_data(data: Mapping[str, Any], trust: Trust) -> Any:
    return object_from_data(data, "goal", trust) if "class" in data else LevelSet(**data)


def _limits(task: Task) -> Any:
    """Bounds on the objectives: a pair for one, by name for several."""
    if len(task.objectives) == 1:
        return task.objective.limits.given
    return {outcome.name: outcome.limits.given for outcome in task.objectives if outcome.limits.given} or None


def _limits_given(limits: Any, task: Task) -> Any:
    if len(task.objectives) == 1 or not isinstance(limits, Mapping):
        return as_limits(limits).given
    return {name: as_limits(pair).given for name, pair in limits.items()}


def _as_json(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Metadata as they will be read back; refused if JSON cannot hold them."""
    if metadata is None:
        return {}
    try:
        notes: dict[str, Any] = json.loads(json.dumps(dict(metadata), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"metadata must be a mapping of text to plain JSON, got {show(metadata)}: {error}."
        ) from error
    return notes


def _unlike(what: str, stored: Any, given: Any) -> str:
    """The setting in which two models or names differ."""
    if isinstance(stored, Surrogate) and isinstance(given, Surrogate):
        name = next(part.name for part in fields(stored) if getattr(stored, part.name) != getattr(given, part.name))
        return _unlike(f"a {what} with {name}", getattr(stored, name), getattr(given, name))
    return f"has {what}={stored!r}, not {show(given)}"


def _conflict(name: str, what: str) -> StudyConflict:
    return StudyConflict(
        f"study {name!r} exists and {what}. Open it without that argument, or create a study of another name."
    )


def _extended(space: Space, journal: Journal) -> Space:
    """The space after all extensions."""
    for event in journal.read(0):
        if event.kind == "extended":
            space = extended_table(space, Rows(event.data["columns"], event.data["ids"]))
    return space
