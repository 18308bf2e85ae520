"""Finding the study a command is about, and what the lab said about it when it was made.

A study lies beside the file of its candidates: that of ``scope.csv`` is ``scope.study.db``. Where a folder holds one
study, commands run there find it; ``--study`` names it otherwise.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from regretless import lab
from regretless.errors import InvalidInput
from regretless.spaces.scalars import pasteable
from regretless.study import Study

__all__ = [
    "AGAIN",
    "SUFFIX",
    "Lab",
    "check_rows",
    "command_of",
    "open_lab",
    "place_beside",
    "study_options",
    "trust_option",
    "trusted",
]

Command = TypeVar("Command", bound=Callable[..., Any])

SUFFIX = ".study.db"
#: The column of a round that says how often a suggestion was measured already.
AGAIN = "measured before"
_VARIABLE = "REGRETLESS_STUDY"
_TRUST = "regretless.trust"


@dataclass(frozen=True, slots=True)
class Lab(lab.Lab):
    """An open study, and where it is."""

    place: str  # without a password, for people
    named: tuple[str, ...]  # the words that name it where a command would not find it by itself

    def command(self, *words: str) -> str:
        """A command about this study that can be pasted."""
        return pasteable(["regretless", *words, *self.named])


def study_options(command: Command) -> Command:
    """``--study`` and ``--name``, handed on as ``where`` and ``name``; and ``--trust``."""
    where = click.option(
        "--study",
        "where",
        metavar="PLACE",
        envvar=_VARIABLE,
        help="Its .study.db file, the file it lies beside, or a postgresql:// URL. Default: the only one here.",
    )
    name = click.option("--name", metavar="NAME", help="The name of the study, where a database holds several.")
    return where(name(trust_option(command)))


def trust_option(command: Command) -> Command:
    """``--trust``, which `trusted` looks up."""
    option = click.option(
        "--trust",
        multiple=True,
        metavar="MODULE",
        envvar="REGRETLESS_TRUST",
        expose_value=False,
        callback=lambda ctx, _option, modules: ctx.meta.update({_TRUST: modules}),
        help="A module whose code the study may use, such as that of a rule of your own. Repeatable.",
    )
    return option(command)


def trusted() -> tuple[str, ...]:
    """The modules whose code the study may use; they may lie in the current folder, where we look last.

    A file of this folder must not take the place of a module that nobody has been asked to trust it for.
    """
    modules: tuple[str, ...] = click.get_current_context().meta[_TRUST]
    if modules:
        sys.path.append(str(Path.cwd()))
    return modules


def place_beside(file: str) -> str:
    """Where the study of a file lies.

    >>> place_beside("data/scope.csv")
    'data/scope.study.db'
    """
    return str(Path(file).with_suffix(SUFFIX))


@contextmanager
def open_lab(where: str | None, name: str | None, **more: Any) -> Iterator[Lab]:
    """The study that is meant, open until the block ends."""
    place = _find() if where is None else _given(where)
    shown = _without_password(place)
    names = Study.names(place)
    if name is None and not names:
        raise InvalidInput(f"{shown} holds no study. Make one with init, or name another place with --study.")
    if name is None and len(names) > 1:
        raise InvalidInput(
            f"{shown} holds {len(names)} studies: {', '.join(names)}. Choose one, such as --name "
            f"{pasteable(names[:1])} for the first."
        )
    with Study.open(place, names[0] if name is None else name, trust=trusted(), **more) as study:
        yield Lab.of(study, place=shown, named=_naming(place, study.name or "", names))


def command_of(place: str, name: str, *words: str) -> str:
    """A command about a study in this place that can be pasted."""
    return pasteable(["regretless", *words, *_naming(place, name, Study.names(place))])


def _naming(place: str, name: str, names: list[str]) -> tuple[str, ...]:
    """``--study`` and ``--name`` as far as they are needed to find a study from here."""
    found = place == os.environ.get(_VARIABLE) or _here() == [place]
    study = () if found else ("--study", _without_password(place))
    return (*study, *(("--name", name) if len(names) > 1 else ()))


def check_rows(lab: Lab, rows: tuple[str, ...]) -> None:
    """All of these are rows of the study, or an error before anything is changed."""
    space = lab.study.space
    if rows and not space.has_rows:
        raise InvalidInput("this study has no rows: its space is not a table. Narrow the space in a new study instead.")
    for row in rows:
        space.place_of_row(row)


def _here() -> list[str]:
    return sorted(path.name for path in Path().glob(f"*{SUFFIX}"))


def _without_password(place: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", place)


def _find() -> str:
    found = _here()
    if not found:
        raise InvalidInput(
            f"there is no study (*{SUFFIX}) in this folder. Make one: regretless init scope.csv --objective yield, "
            "or name one with --study."
        )
    if len(found) > 1:
        raise InvalidInput(
            f"there are {len(found)} studies in this folder: {', '.join(found)}. Choose one, such as --study "
            f"{pasteable(found[:1])} for the first."
        )
    return found[0]


def _given(where: str) -> str:
    if "://" in where:
        return where
    place = where if where.endswith((".db", ".sqlite", ".sqlite3")) else place_beside(where)
    if not Path(place).is_file():
        raise InvalidInput(f"there is no study at {place}. Give the path of its {SUFFIX} file, or make it with init.")
    return place
