"""Files of other programs at the prompt: the options they need, and the report of what was taken."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from regretless.cli._output import say
from regretless.cli._study import Lab
from regretless.errors import InvalidInput
from regretless.integrations.files import is_foreign, load
from regretless.integrations.imported import Imported
from regretless.lab.aims import Aims

__all__ = ["foreign_options", "is_foreign", "load_foreign"]

Command = TypeVar("Command", bound=Callable[..., Any])


def foreign_options(command: Command) -> Command:
    """``--candidates`` and ``--optuna``, handed on under these names."""
    candidates = click.option(
        "--candidates",
        type=click.Path(exists=True, dir_okay=False),
        help="With a history of PHYSBO: the table that was searched, rows in their order.",
    )
    optuna = click.option("--optuna", metavar="NAME", help="With a database of Optuna: which of its studies.")
    return candidates(optuna(command))


def load_foreign(
    file: str, candidates: str | None, optuna: str | None, aims: Aims | None = None, lab: Lab | None = None
) -> Imported:
    """The results of another program's file as a study; what was left is said on stderr. Same file, same study."""
    settings: dict[str, Any] = {"seed": 0}
    table: Any = candidates
    if lab is not None and file.lower().endswith(".npz"):
        settings["objective"], table = lab.study.objective, lab.study.space if table is None else table
    if aims is not None:
        if not file.lower().endswith(".npz") or aims.several or aims.constraints:
            raise InvalidInput(f"{file} says what was measured and what is wanted. Leave --objective out.")
        [(settings["objective"], direction)] = aims.objectives.items()
        if direction == "minimize":
            raise InvalidInput("PHYSBO maximises: its history has the objective as it was maximised.")
        settings["limits"] = aims.limits
    found = load(file, candidates=table, name=optuna, **settings)
    say(f"{file}: {found}")
    return found
