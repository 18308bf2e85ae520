"""Outcomes: objectives and constraints, in the user's names and units, and in internal ones.

Inside, an objective is maximised, and a constraint holds where its outcome is at most a threshold. Getting there is one
sign flip, the only one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np

from regretless.arrays import Floats, as_finite_float, show
from regretless.errors import InvalidInput
from regretless.optimizer.composite import Composite
from regretless.optimizer.goal import Goal, as_goal
from regretless.optimizer.limits import Limits, as_limits
from regretless.optimizer.network import Network, as_composite
from regretless.pareto import non_dominated

__all__ = [
    "Direction",
    "Outcome",
    "Role",
    "Sense",
    "as_constraints",
    "as_fallback",
    "as_outcomes",
    "as_reference",
    "inferred_reference",
]

Value = TypeVar("Value", float, Floats)
Direction: TypeAlias = Literal["maximize", "minimize"]
Role: TypeAlias = Literal["objective", "constraint", "part"]
Sense: TypeAlias = Literal["<=", ">="]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A measured quantity. ``limits`` are bounds that it cannot leave by its nature.

    An objective has a ``direction``; a constraint has a ``bound``, which its outcome must not exceed (sense ``"<="``)
    or fall below (``">="``). An objective with a ``goal`` is not to be optimised: its direction is towards the set. A
    ``composite`` objective is computed from outcomes whose role is ``"part"``.

    >>> Outcome("cost", direction="minimize").inward(3.5)
    -3.5
    >>> Outcome("purity", "constraint", sense=">=", bound=0.9).threshold
    -0.9
    """

    name: str = "value"
    role: Role = "objective"
    direction: Direction = "maximize"
    limits: Limits = field(default_factory=Limits)
    sense: Sense = "<="
    bound: float = 0.0
    goal: Goal | None = None
    over: str = ""  # what a decision is worth over its environments, in words
    composite: Composite | Network | None = None

    @property
    def sign(self) -> float:
        """The factor between user's and internal values."""
        if self.role == "constraint":
            return 1.0 if self.sense == "<=" else -1.0
        return 1.0 if self.direction == "maximize" else -1.0

    def inward(self, value: Value) -> Value:
        """A value of the user's, in internal units."""
        return self.sign * value

    def outward(self, value: Value) -> Value:
        """An internal value as the user sees it."""
        return self.sign * value

    def outward_interval(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The ends of an interval as the user sees them, the lower one first."""
        return (low, high) if self.sign > 0.0 else (-high, -low)

    @property
    def threshold(self) -> float:
        """The threshold of a constraint in internal units: it holds where the outcome is at most this."""
        return self.inward(self.bound)

    def holds(self, value: float) -> bool:
        """Whether a measured value satisfies the constraint."""
        return self.inward(value) <= self.threshold

    @property
    def wanted(self) -> str:
        """The goal for this outcome, in words.

        >>> Outcome("impurity", "constraint", bound=0.5).wanted
        'impurity <= 0.5'
        """
        if self.role == "constraint":
            return f"{self.name} {self.sense} {self.bound:g}"
        if self.role == "part":
            return f"{self.name}, measured"
        if self.goal is not None:
            return f"where {self.goal.words(self.name)}"
        return f"{self.over or self.name}, to be {'maximised' if self.direction == 'maximize' else 'minimised'}"


def as_outcomes(
    *, objective: Any, direction: Any, objectives: Any, constraints: Any, limits: Any, goal: Any = None
) -> tuple[Outcome, ...]:
    """The outcomes of a study: objectives first, then constraints.

    >>> asked = {"objective": "yield", "direction": None, "objectives": None, "limits": None}
    >>> [outcome.wanted for outcome in as_outcomes(**asked, constraints={"fat": ("<=", 3)})]
    ['yield, to be maximised', 'fat <= 3']
    """
    if (composite := as_composite(objective)) is not None:
        if objectives is not None or constraints or limits is not None or goal is not None:
            kind = type(composite).__name__
            raise InvalidInput(f"a {kind} is one objective: without objectives, constraints, limits and a goal.")
        first = replace(_objective(composite.name, direction or "maximize"), composite=composite)
        return (first, *(Outcome(name, "part") for name in composite.of))
    if (sought := as_goal(goal)) is not None:
        if direction is not None or objectives is not None or constraints or limits is not None:
            kind = type(sought).__name__
            raise InvalidInput(f"{kind} is of one objective: without direction, objectives, constraints and limits.")
        return (replace(_objective("value" if objective is None else objective, sought.direction), goal=sought),)
    if objectives is None:
        found = [_objective("value" if objective is None else objective, direction or "maximize", limits)]
    else:
        if objective is not None or direction is not None:
            raise InvalidInput("give either objective (and direction) or objectives, a mapping of names to directions.")
        found = _objectives(objectives, limits)
    found += as_constraints(constraints)
    names = [outcome.name for outcome in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"{twice[0]!r} is named twice. An outcome is an objective or a constraint, once.")
    return tuple(found)


def as_fallback(fallback: Any, outcomes: tuple[Outcome, ...]) -> float | None:
    """The value available without any trial, in internal units; only for one objective under constraints."""
    if fallback is None:
        return None
    if sum(outcome.role == "objective" for outcome in outcomes) > 1 or len(outcomes) == 1:
        raise InvalidInput("fallback is for one objective with constraints: what is to be had without any trial.")
    return outcomes[0].inward(as_finite_float(fallback, "fallback"))


def as_reference(reference: Any, outcomes: tuple[Outcome, ...]) -> tuple[float, ...] | None:
    """The reference point of several objectives, in internal units."""
    if reference is None:
        return None
    objectives = [outcome for outcome in outcomes if outcome.role == "objective"]
    names = [outcome.name for outcome in objectives]
    if len(names) < 2:
        raise InvalidInput("reference is for several objectives; this study has one.")
    if not isinstance(reference, Mapping) or sorted(reference) != sorted(names):
        raise InvalidInput(f"reference must name a value for each of {', '.join(names)}, got {show(reference)}.")
    return tuple(
        outcome.inward(as_finite_float(reference[outcome.name], f"the reference of {outcome.name}"))
        for outcome in objectives
    )


def _objective(name: Any, direction: Any, limits: Any = None) -> Outcome:
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"objective must be the name of what is measured, got {show(name)}.")
    if not isinstance(direction, str) or direction not in get_args(Direction):
        raise InvalidInput(f"direction must be 'maximize' or 'minimize', got {show(direction)}.")
    return Outcome(name, direction=direction, limits=as_limits(limits))  # type: ignore[arg-type]


def _objectives(objectives: Any, limits: Any) -> list[Outcome]:
    if not isinstance(objectives, Mapping) or not objectives:
        raise InvalidInput(
            f"objectives must map names to 'maximize' or 'minimize', such as {{'yield': 'maximize', 'cost': "
            f"'minimize'}}, got {show(objectives)}."
        )
    if limits is not None and len(objectives) > 1:
        if not isinstance(limits, Mapping) or any(name not in objectives for name in limits):
            raise InvalidInput(f"limits must map names of objectives to pairs such as (0, 100), got {show(limits)}.")
        return [_objective(name, direction, limits.get(name)) for name, direction in objectives.items()]
    return [_objective(name, direction, limits) for name, direction in objectives.items()]


def as_constraints(constraints: Any) -> list[Outcome]:
    """The constraints of a study; None means none.

    >>> as_constraints({"purity": (">=", 90)})[0].wanted
    'purity >= 90'
    """
    if constraints is None:
        return []
    if not isinstance(constraints, Mapping):
        raise InvalidInput(
            f"constraints on what is measured must map names to pairs such as {{'impurity': ('<=', 0.5)}}, "
            f"got {show(constraints)}."
        )
    return [_constraint(name, wanted) for name, wanted in constraints.items()]


def _constraint(name: Any, wanted: Any) -> Outcome:
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"a constraint needs the name of what is measured, got {show(name)}.")
    pair = wanted if isinstance(wanted, tuple | list) and len(wanted) == 2 else (None, None)
    if not isinstance(pair[0], str) or pair[0] not in get_args(Sense):
        raise InvalidInput(
            f"the constraint on {name!r} must be a pair such as ('<=', 0.5) or ('>=', 90), got {show(wanted)}."
        )
    bound = as_finite_float(pair[1], f"the bound of {name!r}") + 0.0
    return Outcome(name, "constraint", sense=pair[0], bound=bound)  # type: ignore[arg-type]


def inferred_reference(Y: Floats) -> tuple[float, ...]:
    """A reference point for measured objectives, all maximised: the worst of their front less a tenth of its range.

    >>> inferred_reference(np.array([[0.0, 4.0], [2.0, 3.0], [1.0, 0.0]]))
    (-0.2, 2.9)
    """
    front = Y[non_dominated(Y)]
    width = np.ptp(front, axis=0)
    width = np.where(width > 0.0, width, np.ptp(Y, axis=0))
    width = np.where(width > 0.0, width, np.maximum(np.abs(front).max(axis=0), 1.0))
    return tuple(float(z) for z in front.min(axis=0) - 0.1 * width)
