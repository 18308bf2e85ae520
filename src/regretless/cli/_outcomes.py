"""What is wanted of what is measured, as people say it at the prompt and in TOML: objectives and constraints."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from regretless.arrays import as_finite_float
from regretless.errors import InvalidInput
from regretless.optimizer import Direction, Sense
from regretless.optimizer.outcomes import as_fallback, as_outcomes, as_reference
from regretless.sheets import Experiments
from regretless.spaces.scalars import show

__all__ = ["Aims", "as_constraint", "as_objective", "outcome_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

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

    @property
    def names(self) -> tuple[str, ...]:
        """Every outcome: the columns of results."""
        return (*self.objectives, *self.constraints)

    @property
    def several(self) -> bool:
        """Whether there are several objectives."""
        return len(self.objectives) > 1

    def settings(self) -> dict[str, Any]:
        """The arguments of `Study` that say so; those that nobody gave are left out."""
        if self.several:
            said: dict[str, Any] = {"objectives": dict(self.objectives)}
        else:
            [(objective, direction)] = self.objectives.items()
            said = {"objective": objective, "direction": direction}
        more = {
            "constraints": dict(self.constraints) or None,
            "reference": self.reference,
            "fallback": self.fallback,
            "risk": self.risk,
            "limits": self.limits,
        }
        return said | {name: value for name, value in more.items() if value is not None}

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
    """A bound on an outcome, as people write it.

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


def as_objective(text: str) -> tuple[str, Direction | None]:
    """An objective, with its direction where that is said.

    >>> as_objective("cost:minimize"), as_objective("yield"), as_objective("ratio a:b")
    (('cost', 'minimize'), ('yield', None), ('ratio a:b', None))
    """
    found = _DIRECTED.fullmatch(text.strip())
    if found is None:
        return text, None
    return found["name"], "maximize" if found["direction"].startswith("max") else "minimize"


def outcome_options(objective_help: str) -> Callable[[Command], Command]:
    """``--objective``, ``--constraint`` and what goes with them, handed on together as ``aims``."""
    options = (
        click.option(
            "--objective",
            "objectives",
            required=True,
            multiple=True,
            metavar="NAME[:minimize]",
            help=f"{objective_help} Repeatable: several objectives, each with its direction.",
        ),
        click.option(
            "--maximize/--minimize", default=True, show_default=True, help="Whether large or small values are wanted."
        ),
        click.option(
            "--constraint",
            "constraints",
            multiple=True,
            metavar="TEXT",
            help='What a further result must satisfy, such as "impurity <= 0.5". Repeatable.',
        ),
        click.option(
            "--reference",
            "references",
            multiple=True,
            metavar="NAME=VALUE",
            help="With several objectives: the worst value of one that is of interest. Repeatable; all or none.",
        ),
        click.option(
            "--fallback",
            type=float,
            help="With constraints: what is to be had without any experiment, such as the present recipe's value.",
        ),
        click.option(
            "--risk",
            type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
            help="A recommendation may violate a constraint with at most this probability; 0.1 if left out.",
        ),
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_aims(
            *args: Any,
            objectives: tuple[str, ...],
            maximize: bool,
            constraints: tuple[str, ...],
            references: tuple[str, ...],
            limits: tuple[float, float] | None,
            fallback: float | None,
            risk: float | None,
            **rest: Any,
        ) -> Any:
            aims = Aims(
                _objectives(objectives, maximize),
                _constraints(constraints),
                _reference(references, objectives),
                fallback,
                risk,
                limits,
            )
            _check(aims)
            return command(*args, aims=aims, **rest)

        decorated: Any = with_aims
        for option in reversed(options):
            decorated = option(decorated)
        found: Command = decorated
        return found

    return decorate


def _objectives(texts: tuple[str, ...], maximize: bool) -> dict[str, Direction]:
    said = [as_objective(text) for text in texts]
    given = click.get_current_context().get_parameter_source("maximize") is not ParameterSource.DEFAULT
    if given and (len(said) > 1 or said[0][1] is not None):
        raise InvalidInput(
            "--maximize and --minimize are for one objective. Say each direction with its name: "
            "--objective yield --objective cost:minimize."
        )
    _check_once([name for name, _ in said], "--objective")
    usual: Direction = "maximize" if maximize else "minimize"
    return {name: direction or usual for name, direction in said}


def _constraints(texts: Iterable[str]) -> dict[str, tuple[Sense, float]]:
    said = [as_constraint(text) for text in texts]
    _check_once([name for name, _ in said], "--constraint")
    return dict(said)


def _reference(texts: tuple[str, ...], objectives: tuple[str, ...]) -> dict[str, float] | None:
    found = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise ValueError
            found[name.strip()] = as_finite_float(float(number), "reference")
        except ValueError as error:
            example = f"{as_objective(objectives[0])[0]}=50"
            raise InvalidInput(f"--reference {text!r}: write NAME=VALUE, such as {example}.") from error
    return found or None


def _check_once(names: list[str], option: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"{twice[0]!r} is named by {option} twice. An outcome is named once.")


def _check(aims: Aims) -> None:
    if aims.several and aims.limits is not None:
        raise InvalidInput("--range is for one objective: several have no common range. Leave it out.")
    if not aims.constraints and aims.risk is not None:
        raise InvalidInput("--risk goes with --constraint: without constraints there is none to violate.")
    outcomes = as_outcomes(
        objective=None, direction=None, objectives=aims.objectives, constraints=aims.constraints, limits=aims.limits
    )
    as_reference(aims.reference, outcomes)
    as_fallback(aims.fallback, outcomes)
