"""What each experiment does, from the TOML file of its name; ``quick`` lays the table of that name over the rest."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from regretless.errors import InvalidInput

__all__ = ["Settings", "read_settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """An experiment as configured.

    ``numbers`` decide what a single unit computes and are part of a result's identity. ``methods``, ``problems``,
    ``runs`` and ``more_runs`` (on some problems) only say which units there are: more of them extend the same results.
    ``open`` says in sentences what the paper leaves open and how it is chosen here.
    """

    experiment: str
    title: str
    quick: bool
    methods: tuple[str, ...]
    problems: tuple[str, ...]
    runs: int
    more_runs: Mapping[str, int]
    numbers: Mapping[str, Any]
    open: tuple[str, ...]

    def runs_on(self, problem: str) -> int:
        """How many runs each method has on a problem."""
        return self.more_runs.get(problem, self.runs)


def read_settings(experiment: str, *, quick: bool = False) -> Settings:
    """The settings that ship with the package.

    >>> full, quick = read_settings("synthetic"), read_settings("synthetic", quick=True)
    >>> full.runs, full.numbers["evaluations"], quick.runs < full.runs
    (100, 200, True)
    """
    file = files(__package__).joinpath("config", f"{experiment}.toml")
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InvalidInput(f"no experiment is called {experiment!r}. `regretless paper --list` names them.") from error
    changes = read.pop("quick")
    if quick:
        read = {**read, **changes, "numbers": {**read["numbers"], **changes.get("numbers", {})}}
    return Settings(
        experiment=experiment,
        title=read["title"],
        quick=quick,
        methods=tuple(read["methods"]),
        problems=tuple(read["problems"]),
        runs=read["runs"],
        more_runs=read.get("more_runs", {}),
        numbers=read["numbers"],
        open=tuple(read["open"]),
    )
