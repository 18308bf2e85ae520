"""Objectives and constraints, as users write them."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regretless.errors import InvalidInput
from regretless.optimizer import Direction, Fidelity, LevelSet, Network, Sense
from regretless.risk import Aim, CVaR, Expectation, MeanMinusStd, WorstCase
from regretless.sheets import Experiments
from regretless.spaces import Environment
from regretless.spaces.scalars import show

__all__ = ["Aims", "as_aim", "as_constraint", "as_environment", "as_objective", "as_stage", "read_fidelity"]

_CONSTRAINT = re.compile(r"(?P<name>.*\S)\s*(?P<sense><=|>=|≤|≥)\s*(?P<bound>\S+)")
_DIRECTED = re.compile(r"(?P<name>.*\S)\s*:\s*(?P<direction>maximi[sz]e|minimi[sz]e)")


@dataclass(frozen=True, slots=True)
class Aims:
    """Objectives with their directions, constraints on other outcomes, and what goes with them."""

    objectives: Mapping[str, Direction]
    constraints: Mapping[str, tuple[Sense, float]]
    reference: Mapping[str, float] | None = None
    fallback: float | None = None
    risk: float | None = None
    limits: Any = None
    goal: LevelSet | None = None
    environment: Environment | None = None
    aim: Aim | None = None  # over the environment
    fidelity: Fidelity | None = None
    network: Network | None = None  # the stages at the end of which the objective is

    @property
    def names(self) -> tuple[str, ...]:
        """Every outcome: the columns of results."""
        return (*self.objectives, *self.constraints) if self.network is None else self.network.of

    @property
    def several(self) -> bool:
        """Whether there are several objectives."""
        return len(self.objectives) > 1

    def settings(self) -> dict[str, Any]:
        """The corresponding arguments of `Study`; those not given are left out."""
        if self.several:
            said: dict[str, Any] = {"objectives": dict(self.objectives)}
        else:
            [(objective, direction)] = self.objectives.items()
            of = objective if self.network is None else self.network
            said = {"objective": of, **({"direction": direction} if self.goal is None else {})}
        more = {
            "constraints": dict(self.constraints) or None,
            "reference": self.reference,
            "fallback": self.fallback,
            "risk": self.risk,
            "limits": self.limits,
            "goal": self.goal if self.aim is None else self.aim,
            "environment": self.environment,
            "fidelity": self.fidelity,
        }
        return said | {name: value for name, value in more.items() if value is not None}

    def check_network(self) -> None:
        """Refuse what does not go with a network of stages."""
        if self.network is None:
            return
        if list(self.objectives) != list(self.network.last):
            raise InvalidInput(
                f"the objective is the last stage, {self.network.last[0]}, got {', '.join(self.objectives)}."
            )
        if self.constraints or any(x is not None for x in (self.limits, self.goal, self.environment, self.fidelity)):
            raise InvalidInput("stages are for one objective, without constraints on results, a range or a level.")

    def check_measured(self, experiments: Experiments) -> None:
        """Refuse a constraint on what looks like a factor: it has a value in every row, results or not."""
        first = experiments.results[next(iter(self.objectives))]
        for name in self.constraints:
            if None in first and None not in experiments.results[name]:
                raise InvalidInput(
                    f"column {name!r} of {experiments.path} has a value in every row, also where nothing was measured, "
                    "so it looks like a factor. --constraint is about results. To restrict what may be tried, take the "
                    "other rows out of the file."
                )


def as_constraint(text: str) -> tuple[str, tuple[Sense, float]]:
    """A bound on an outcome, as users write it.

    >>> as_constraint("impurity <= 0.5"), as_constraint("purity [%]>=99")
    (('impurity', ('<=', 0.5)), ('purity [%]', ('>=', 99.0)))
    """
    found = _CONSTRAINT.fullmatch(text.strip()) if isinstance(text, str) else None
    try:
        if found is None or not math.isfinite(bound := float(found["bound"])):
            raise ValueError
    except ValueError as error:
        raise InvalidInput(
            f'a constraint is an outcome, <= or >=, and a number, such as "impurity <= 0.5", got {show(text)}.'
        ) from error
    return found["name"], ("<=" if found["sense"] in ("<=", "≤") else ">=", bound)


def as_stage(text: str) -> tuple[str, tuple[str, ...]]:
    """The output of a stage and its inputs, as people write them.

    >>> as_stage("strength: grain, heat")
    ('strength', ('grain', 'heat'))
    """
    name, _, listed = text.partition(":")
    inputs = tuple(each.strip() for each in listed.split(","))
    if not name.strip() or not all(inputs):
        raise InvalidInput(f'a stage is its output and its inputs, such as "strength: grain, heat", got {show(text)}.')
    return name.strip(), inputs


def as_environment(text: str) -> Environment:
    """An environment with its values and, where they are given, their probabilities.

    >>> as_environment("humidity=20,40,80").values, as_environment("site=north:0.75,south:0.25").weights
    ((20, 40, 80), (0.75, 0.25))
    """
    name, equals, listed = text.partition("=")
    pairs = [part.strip().rpartition(":") for part in listed.split(",")]
    weighted = [bool(colon) for _, colon, _ in pairs]
    usable = bool(equals and name.strip()) and all(value for _, _, value in pairs) and len(set(weighted)) == 1
    try:
        weights = [float(p) for _, _, p in pairs] if usable and all(weighted) else None
    except ValueError:
        usable = False
    if not usable:
        raise InvalidInput(
            f"an environment is a name and its values, such as humidity=20,40,80, or with a probability each "
            f"humidity=20:0.5,40:0.3,80:0.2, got {show(text)}."
        )
    values = [_scalar(first if colon else last) for first, colon, last in pairs]
    return Environment(name.strip(), values, weights)


def as_aim(text: str) -> Aim:
    """The worth of a decision over environments.

    >>> as_aim("worst"), as_aim("cvar:0.2"), as_aim("mean-std")
    (WorstCase(), CVaR(share=0.2), MeanMinusStd(share=0.5))
    """
    word, colon, number = text.strip().lower().partition(":")
    try:
        if word in ("mean", "worst") and not colon:
            return Expectation() if word == "mean" else WorstCase()
        if word == "cvar" and colon:
            return CVaR(float(number))
        if word == "mean-std":
            return MeanMinusStd(float(number)) if colon else MeanMinusStd()
    except ValueError:
        pass
    raise InvalidInput(f"an aim is mean, worst, cvar:0.2 or mean-std:0.5, with a share of your own, got {show(text)}.")


def _scalar(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text.strip())
        except ValueError:
            continue
    return text.strip()


def read_fidelity(text: str) -> Fidelity:
    """A fidelity as people write it: levels with their costs, the target last; or a range with those of its ends.

    >>> read_fidelity("mesh: coarse=0.1, fine=1").levels
    ('coarse', 'fine')
    >>> read_fidelity("epochs: 1=0.02 .. 50=1").continuous
    True
    """
    name, colon, rest = text.partition(":")
    ends = rest.split("..")
    parts = ends if len(ends) == 2 else rest.split(",")
    try:
        if not colon or not name.strip():
            raise ValueError
        pairs = [(level.strip(), float(cost)) for level, _, cost in (part.rpartition("=") for part in parts)]
        if not all(level for level, _ in pairs):
            raise ValueError
    except ValueError as error:
        raise InvalidInput(
            'a fidelity is a name and levels with their costs, what is wanted last: "mesh: coarse=0.1, fine=1", or a '
            f'range: "epochs: 1=0.02 .. 50=1"; got {show(text)}.'
        ) from error
    levels = [_scalar(level) for level, _ in pairs]
    if len(ends) == 2 and any(isinstance(level, str) for level in levels):
        raise InvalidInput(f'a range has numbers at its ends, such as "epochs: 1=0.02 .. 50=1", got {show(text)}.')
    return Fidelity(name.strip(), tuple(levels) if len(ends) == 2 else levels, [cost for _, cost in pairs])


def as_objective(text: str) -> tuple[str, Direction | None]:
    """An objective, with its direction where that is said.

    >>> as_objective("cost:minimize"), as_objective("yield"), as_objective("ratio a:b")
    (('cost', 'minimize'), ('yield', None), ('ratio a:b', None))
    """
    found = _DIRECTED.fullmatch(text.strip())
    if found is None:
        return text, None
    return found["name"], "maximize" if found["direction"].startswith("max") else "minimize"
