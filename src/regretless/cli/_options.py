"""Options that several commands share."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import click

from regretless.cli._output import say
from regretless.errors import InvalidInput
from regretless.sheets import Experiments, read_experiments
from regretless.spaces.files import Reading
from regretless.study import Regret

__all__ = [
    "as_regret",
    "direction_option",
    "experiments_of",
    "range_option",
    "seed_option",
    "sheet_options",
    "stop_option",
    "stop_rule",
]

Command = TypeVar("Command", bound=Callable[..., Any])

_SHEET = (
    click.option("--id", "id", metavar="COLUMN", help="The column that names the rows; else they are called by line."),
    click.option("--ignore", multiple=True, metavar="COLUMN", help="A column to leave out, such as notes. Repeatable."),
    click.option(
        "--categorical", multiple=True, metavar="COLUMN", help="A column whose numbers are only names. Repeatable."
    ),
    click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark, where the file leaves a doubt."),
    click.option("--worksheet", metavar="NAME", help="The worksheet of an Excel workbook with several."),
)


def sheet_options(command: Command) -> Command:
    """How a file is read: ``id``, ``ignore``, ``categorical``, ``decimal`` and ``worksheet``."""
    for option in reversed(_SHEET):
        command = option(command)
    return command


def experiments_of(
    path: str, objective: str | None, reading: Mapping[str, Any], *, must_have_objective: bool = True
) -> Experiments:
    """The experiments of a file, with what was left out said on stderr."""
    found = read_experiments(
        path, Reading(**reading, asked_in="prompt"), objective=objective, must_have_objective=must_have_objective
    )
    for note in found.notes:
        say(f"{path}: {note}")
    return found


def direction_option(command: Command) -> Command:
    """``--maximize/--minimize``, handed on as ``maximize``."""
    option = click.option(
        "--maximize/--minimize", default=True, show_default=True, help="Whether large or small values are wanted."
    )
    return option(command)


def seed_option(command: Command) -> Command:
    """``--seed``."""
    option = click.option("--seed", type=click.IntRange(min=0), help="Same seed and same data, same suggestions.")
    return option(command)


class _End(click.ParamType[float]):
    name = "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.fail(f"{value!r} is no limit. Write a number, or -inf or inf where there is none.", param, ctx)
        return number


def range_option(command: Command) -> Command:
    """``--range``, a pair or None, handed on as ``limits``."""
    option = click.option(
        "--range",
        "limits",
        type=(_End(), _End()),
        metavar="LOW HIGH",
        help="What the objective cannot leave: 0 100 for a yield in %, 0 inf for a time. The certificate knows it.",
    )
    return option(command)


def as_regret(text: str) -> Regret:
    """How little regret is little enough, as people write it; raises ValueError.

    >>> as_regret("0.5").eps, as_regret(" 1 % ").relative
    (0.5, 0.01)
    """
    text = text.strip()
    return Regret(relative=float(text[:-1]) / 100.0) if text.endswith("%") else Regret(float(text))


class _Stop(click.ParamType[Regret]):
    name = "EPS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Regret:
        if isinstance(value, Regret):
            return value
        text = str(value).strip()
        try:
            return as_regret(text)
        except ValueError:
            self.fail(f"{text!r} is no amount of regret. Write 0.5 (in units of the objective) or 1%.", param, ctx)


def stop_option(command: Command) -> Command:
    """``--stop``, a `Regret` or None, and ``--patience``; see `stop_rule`."""
    stop = click.option(
        "--stop", type=_Stop(), help="Advise to stop once this much regret is left, such as 0.5 or 1%; exit code 3."
    )
    patience = click.option(
        "--patience",
        type=click.IntRange(1, 1000),
        help=f"After so many small certificates in a row; {Regret(1.0).patience} if left out.",
    )
    return stop(patience(command))


def stop_rule(stop: Regret | None, patience: int | None, kept: Regret | None = None) -> Regret | None:
    """What ``--stop`` and ``--patience`` say, each in place of what the study keeps."""
    rule = stop if stop is not None else kept
    if rule is None:
        if patience is not None:
            raise InvalidInput("--patience goes with --stop, which says how much regret may be left: --stop 0.5.")
        return None
    return replace(rule, patience=patience or (kept or rule).patience)
