"""What is wanted of what is measured, as people say it at the prompt and in TOML: objectives and constraints."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from regretless.arrays import as_finite_float
from regretless.errors import InvalidInput
from regretless.lab.aims import Aims, as_aim, as_constraint, as_environment, as_objective, as_stage
from regretless.optimizer import Direction, LevelSet, Network, Sense
from regretless.optimizer.outcomes import as_fallback, as_outcomes, as_reference

__all__ = ["outcome_options"]

Command = TypeVar("Command", bound=Callable[..., Any])


def outcome_options(objective_help: str, *, required: bool = True) -> Callable[[Command], Command]:
    """``--objective``, ``--constraint`` and what goes with them, handed on together as ``aims``.

    Where they are not ``required``, ``aims`` is None if no objective was named.
    """
    options = (
        click.option(
            "--objective",
            "objectives",
            required=required,
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
        click.option(
            "--above", type=float, help="Look for all rows with at least this value, in place of the best one."
        ),
        click.option("--below", type=float, help="Look for all rows with at most this value."),
        click.option(
            "--environment",
            metavar="NAME=V1,V2,...",
            help="What can be set in an experiment and not be chosen afterwards, such as humidity=20,40,80, or with "
            "probabilities humidity=20:0.5,40:0.3,80:0.2. Rows are then decisions.",
        ),
        click.option(
            "--aim",
            metavar="TEXT",
            help="With --environment, what a decision is worth over it: mean (the default), worst, cvar:0.2 (the mean "
            "of the worst fifth) or mean-std:0.5.",
        ),
        click.option(
            "--stage",
            "stages",
            multiple=True,
            metavar="TEXT",
            help='Where results go into later stages: a result and its inputs, "strength: grain, heat". '
            "Repeatable; the objective is the last.",
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
            above: float | None,
            below: float | None,
            environment: str | None,
            aim: str | None,
            stages: tuple[str, ...],
            **rest: Any,
        ) -> Any:
            if not objectives:
                others = (fallback, risk, limits, above, below, environment, aim)
                if constraints or references or stages or any(value is not None for value in others):
                    raise InvalidInput("--constraint, --range and the like go with --objective: say what is measured.")
                return command(*args, aims=None, **rest)
            aims = Aims(
                _objectives(objectives, maximize),
                _constraints(constraints),
                _reference(references, objectives),
                fallback,
                risk,
                limits,
                None if above is None and below is None else LevelSet(above, below),
                None if environment is None else as_environment(environment),
                None if aim is None else as_aim(aim),
                network=_network(stages),
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


def _network(texts: Iterable[str]) -> Network | None:
    said = [as_stage(text) for text in texts]
    _check_once([name for name, _ in said], "--stage")
    return Network(dict(said)) if said else None


def _check_once(names: list[str], option: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(f"{twice[0]!r} is named by {option} twice. An outcome is named once.")


def _check(aims: Aims) -> None:
    aims.check_network()
    if aims.several and aims.limits is not None:
        raise InvalidInput("--range is for one objective: several have no common range. Leave it out.")
    if not aims.constraints and aims.risk is not None:
        raise InvalidInput("--risk goes with --constraint: without constraints there is none to violate.")
    if aims.environment is None and aims.aim is not None:
        raise InvalidInput("--aim goes with --environment: say what is not ours to choose, as in humidity=20,40.")
    if aims.environment is not None and (aims.several or aims.constraints or aims.goal is not None):
        raise InvalidInput("--environment is for one objective, without --constraint, --above or --below.")
    if aims.goal is not None:
        given = click.get_current_context().get_parameter_source("maximize") is not ParameterSource.DEFAULT
        if given or aims.several or aims.constraints or aims.limits is not None:
            raise InvalidInput(
                "--above and --below are for one objective, without a direction, --constraint or --range."
            )
        return
    outcomes = as_outcomes(
        objective=None, direction=None, objectives=aims.objectives, constraints=aims.constraints, limits=aims.limits
    )
    as_reference(aims.reference, outcomes)
    as_fallback(aims.fallback, outcomes)
