"""Options that several commands share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from regretless.cli._output import say
from regretless.errors import InvalidInput
from regretless.optimizer import StopRule
from regretless.sheets import Experiments, read_experiments
from regretless.spaces import FileTable, Repeats, Table, columns_in_file
from regretless.spaces.files import Reading
from regretless.study import HypervolumeLeft, Misclassified, Regret

__all__ = [
    "as_hypervolume",
    "as_regret",
    "experiments_of",
    "file_table_of",
    "in_file",
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
    path: str, outcomes: Sequence[str], reading: Mapping[str, Any], *, must_have: bool = True
) -> Experiments:
    """The experiments of a file, with what was left out said on stderr."""
    found = read_experiments(path, Reading(**reading, asked_in="prompt"), outcomes=outcomes, must_have=must_have)
    for note in found.notes:
        say(f"{path}: {note}")
    return found


def in_file(path: str) -> bool:
    """Whether the rows of a file stay there: Parquet and NumPy arrays."""
    return Path(path).suffix.lower() in (".parquet", ".npy")


def file_table_of(
    path: str, outcomes: Sequence[str], reading: Mapping[str, Any], repeats: Repeats | None = None
) -> FileTable:
    """The table of a file whose rows stay there; columns of results are left out, which is said on stderr."""
    odd = [f"--{key}" for key in ("decimal", "worksheet") if reading.get(key)]
    if odd:
        raise InvalidInput(f"{odd[0]} is for spreadsheets: {path} has numbers and one table.")
    measured = [name for name in columns_in_file(path) if name in outcomes]
    if measured:
        say(f"{path}: column {measured[0]!r} is left out: results are not read from files of rows; record them.")
    options: dict[str, Any] = {
        "ignore": (*reading.get("ignore", ()), *measured),
        "categorical": reading.get("categorical", ()),
        "repeats": repeats,
    }
    if Path(path).suffix.lower() == ".npy":
        if reading.get("id") is not None:
            raise InvalidInput("--id: the rows of a .npy file are called by their numbers. Leave it out.")
        return Table.from_npy(path, **options)
    return Table.from_parquet(path, id=reading.get("id"), **options)


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
    eps, relative = _amount(text)
    return Regret(eps, relative)


def as_hypervolume(text: str) -> HypervolumeLeft:
    """How little hypervolume is little enough; raises ValueError.

    >>> as_hypervolume("2%").relative
    0.02
    """
    eps, relative = _amount(text)
    return HypervolumeLeft(eps, relative)


def _amount(text: str) -> tuple[float | None, float | None]:
    """An amount, or a share of something."""
    text = text.strip()
    return (None, float(text[:-1]) / 100.0) if text.endswith("%") else (float(text), None)


class _Stop(click.ParamType[StopRule]):
    name = "EPS"

    def __init__(self, read: Callable[[str], StopRule], problem: str) -> None:
        self._read, self._problem = read, problem

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> StopRule:
        if isinstance(value, Regret | HypervolumeLeft):
            return value
        text = str(value).strip()
        try:
            return self._read(text)
        except ValueError:
            self.fail(f"{text!r} is {self._problem}", param, ctx)


_REGRET = _Stop(as_regret, "no amount of regret. Write 0.5 (in units of the objective) or 1%.")
_HYPERVOLUME = _Stop(as_hypervolume, "no amount of hypervolume. Write 2% (of what is found) or 0.5.")


def stop_option(command: Command) -> Command:
    """``--stop`` and ``--stop-hypervolume``, handed on as ``stop``, and ``--patience``; see `stop_rule`."""
    options = (
        click.option(
            "--stop",
            type=_REGRET,
            help="Advise to stop once this much regret is left, such as 0.5 or 1%; exit code 3. With several "
            "objectives 5% is in widths of the front.",
        ),
        click.option(
            "--stop-hypervolume",
            type=_HYPERVOLUME,
            help="With several objectives: stop once this much hypervolume is left, such as 2%.",
        ),
        click.option(
            "--patience",
            type=click.IntRange(1, 1000),
            help=f"After so many small certificates in a row; {Regret(1.0).patience} if left out.",
        ),
    )

    @wraps(command)
    def with_rule(*args: Any, stop: Regret | None, stop_hypervolume: HypervolumeLeft | None, **rest: Any) -> Any:
        if stop is not None and stop_hypervolume is not None:
            raise InvalidInput("give either --stop or --stop-hypervolume: a study has one stop rule.")
        return command(*args, stop=stop if stop_hypervolume is None else stop_hypervolume, **rest)

    decorated: Any = with_rule
    for option in reversed(options):
        decorated = option(decorated)
    found: Command = decorated
    return found


def stop_rule(
    stop: StopRule | None,
    patience: int | None,
    kept: StopRule | None = None,
    *,
    several: bool,
    level_set: bool = False,
) -> StopRule | None:
    """What ``--stop`` and ``--patience`` say, each in place of what the study keeps; ``several`` objectives or one."""
    rule = stop if stop is not None else kept
    if rule is None:
        if patience is not None:
            raise InvalidInput("--patience goes with --stop, which says how much regret may be left: --stop 0.5.")
        return None
    if level_set:
        if isinstance(rule, HypervolumeLeft):
            raise InvalidInput(
                "hypervolume is of several objectives. Of a level set, say how many may be wrong: 2 or 1%."
            )
        return Misclassified(rule.eps, rule.relative, patience or (kept or rule).patience)
    if several and isinstance(rule, Regret) and rule.relative is None:
        raise InvalidInput(
            "several objectives have no common unit to stop by. Write 5%, in widths of the front, or stop by "
            "hypervolume, 2%."
        )
    if not several and isinstance(rule, HypervolumeLeft):
        raise InvalidInput("hypervolume is of several objectives. With one, stop by regret, such as 0.5 or 1%.")
    return replace(rule, patience=patience or (kept or rule).patience)
