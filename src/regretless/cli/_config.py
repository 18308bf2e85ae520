"""What ``optimize`` is told by its file."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regretless.arrays import as_positive, as_whole
from regretless.cli._command import Command, check_command
from regretless.cli._evaluate import BrokenOff, Evaluate, Function, NoValue, Remote, Run
from regretless.cli._options import as_hypervolume, as_regret, stop_rule
from regretless.cli._output import say
from regretless.cli._study import SUFFIX
from regretless.errors import InvalidInput
from regretless.lab.aims import Aims, as_constraint
from regretless.optimizer import Network, StopRule, as_limits
from regretless.sheets import Dialect, Reading, read_experiments
from regretless.spaces import Float, Int, Mixed, Space, Table, as_dimension, as_space, with_constraints
from regretless.spaces.scalars import did_you_mean, listed, show
from regretless.study.options import Options

__all__ = ["Config", "read_config"]

#: What a program or function that breaks off does: see `regretless.maximize`.
ON_ERROR = ("raise", "fail")
#: When so many evaluations fail before one succeeds, something is wrong with the function, not with the points.
_FIRST_FAILURES = 3
_KEYS = (
    "space",
    "table",
    "python",
    "command",
    "objective",
    "direction",
    "objectives",
    "constraints",
    "stages",
    "reference",
    "fallback",
    "risk",
    "range",
    "budget",
    "workers",
    "stop",
    "stop_hypervolume",
    "patience",
    "seed",
    "study",
    "timeout",
    "on_error",
)
_TABLE_KEYS = ("file", "id", "ignore", "categorical", "decimal", "worksheet")


@dataclass(frozen=True, slots=True)
class Config:
    """An optimisation: what may be tried, what evaluates it, and when to stop."""

    folder: Path
    space: Space
    row_name: str
    dialect: Dialect | None
    python: str | None
    command: Command | None
    aims: Aims
    budget: int
    workers: int
    stop: StopRule | None
    seed: int | None
    study: str
    name: str
    timeout: float | None
    on_error: str

    def evaluate(self) -> Evaluate:
        """What evaluates a point."""
        remote = self.remote()
        return remote.make(*remote.arguments)

    def remote(self) -> Remote:
        """What evaluates a point on another machine, with the same folder."""
        folder = self.folder.resolve()
        if self.command is not None:
            return Remote(Run, (self.command, self.space.names, folder, self.timeout, self.aims.names))
        assert self.python is not None
        return Remote(Function, (self.python, folder, self.timeout))

    def options(self, f: Callable[[Any], Any]) -> Options:
        """What the worker loop is told."""
        return Options(
            f=f,
            until=self.budget,
            stop_when=self.stop,
            failing=(NoValue, BrokenOff) if self.on_error == "fail" else (NoValue,),
            first_failures=_FIRST_FAILURES,
        )


def read_config(path: str) -> Config:
    """Read and check everything before anything is run."""
    try:
        with Path(path).open("rb") as stream:
            text = tomllib.load(stream)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as TOML: {error}.") from error
    try:
        return _config(Path(path), text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def _config(path: Path, text: Mapping[str, Any]) -> Config:
    for key in text:
        if key not in _KEYS:
            raise InvalidInput(f"unknown key {key!r}; known are {listed(_KEYS)}.{did_you_mean(key, _KEYS)}")
    python, command = text.get("python"), text.get("command")
    if (python is None) == (command is None):
        raise InvalidInput(
            'say what to run: python = "module:function", or command = ["./simulate", "--rate", "{rate}"].'
        )
    space, row_name, dialect = _space(path.parent, text)
    _check_above(text.get("space", {}), command)
    if command is not None:
        command = check_command(command, space.names, set(space.constants))
    if python is not None and (not isinstance(python, str) or python.count(":") != 1):
        raise InvalidInput(f'python must name a function as "module:function", got {show(python)}.')
    if python is not None and (".py:" in python or "/" in python):
        raise InvalidInput(
            f'python names a module, not a file: "model:loss" for the function loss in model.py, got {show(python)}.'
        )
    about_space, about_outcomes = _split(text.get("constraints", []), space.names)
    space = with_constraints(space, about_space)
    aims = _aims(text, about_outcomes)
    # A program says by its exit code that a point failed; an exception is first of all a bug.
    on_error = text.get("on_error", "raise" if command is None else "fail")
    if on_error not in ON_ERROR:
        raise InvalidInput(f"on_error must be one of {listed(ON_ERROR)}, got {show(on_error)}.")
    return Config(
        folder=path.parent,
        space=space,
        row_name=row_name,
        dialect=dialect,
        python=python,
        command=command,
        aims=aims,
        budget=_whole(text, "budget", None),
        workers=_whole(text, "workers", 1),
        stop=_stop(text, several=aims.several),
        seed=text.get("seed"),
        study=_place(path, text.get("study")),
        name=path.stem,
        timeout=_seconds(text.get("timeout")),
        on_error=on_error,
    )


def _split(constraints: Any, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Constraints that mention a parameter, and those on what is measured.

    >>> _split(["x + y <= 1", "memory <= 8"], ["x", "y"])
    (['x + y <= 1'], ['memory <= 8'])
    """
    if not isinstance(constraints, list) or not all(isinstance(each, str) for each in constraints):
        raise InvalidInput(
            f'constraints must be a list of texts, such as ["memory <= 8", "x + y <= 1"], got {show(constraints)}.'
        )
    parameter = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
    of_space = [each for each in constraints if parameter.search(each)]
    return of_space, [each for each in constraints if each not in of_space]


def _aims(text: Mapping[str, Any], bounds: Sequence[str]) -> Aims:
    """One objective with its direction, or ``objectives`` by name; and constraints on further outcomes."""
    objectives, direction = text.get("objectives"), text.get("direction", "maximize")
    if objectives is None:
        objectives = {str(text.get("objective", "value")): direction}
    elif "objective" in text or "direction" in text:
        raise InvalidInput(
            'give either objective and direction, or objectives = { yield = "maximize", cost = "minimize" }.'
        )
    if not isinstance(objectives, dict) or not objectives:
        raise InvalidInput(
            'objectives must be names with directions, such as { yield = "maximize", cost = "minimize" }, '
            f"got {show(objectives)}."
        )
    for way in objectives.values():
        if way not in ("maximize", "minimize"):
            raise InvalidInput(f'direction must be "maximize" or "minimize", got {show(way)}.')
    several = len(objectives) > 1
    limits = text.get("range") if several else as_limits(text.get("range")).given
    constraints = dict(as_constraint(bound) for bound in bounds)
    twice = [name for name in objectives if name in constraints]
    if twice or len(constraints) < len(bounds):
        raise InvalidInput("an outcome is an objective or has one constraint: each is named once.")
    stages = text.get("stages")
    aims = Aims(
        objectives,
        constraints,
        text.get("reference"),
        text.get("fallback"),
        text.get("risk"),
        limits,
        network=None if stages is None else Network(stages),
    )
    aims.check_network()
    return aims


def _space(folder: Path, text: Mapping[str, Any]) -> tuple[Space, str, Dialect | None]:
    """What may be tried; of a table also what its rows are called by, and how its file is written."""
    if ("space" in text) == ("table" in text):
        raise InvalidInput('say what may be tried: a [space] of parameters, or table = "scope.csv".')
    if "table" in text:
        return _table(folder, text["table"])
    entries = text["space"]
    if not isinstance(entries, dict) or not entries:
        raise InvalidInput("[space] needs a parameter, such as rate = { low = 1e-5, high = 0.1, log = true }.")
    return as_space(Mixed({name: _parameter(name, entry) for name, entry in entries.items()}).dimensions), "row", None


def _table(folder: Path, entry: Any) -> tuple[Table, str, Dialect]:
    """A file of candidates, named alone or with how to read it."""
    said = dict(entry) if isinstance(entry, dict) else {"file": entry}
    for key in ("ignore", "categorical"):
        if key in said:
            said[key] = tuple(said[key]) if isinstance(said[key], list) else (said[key],)
    words = [word for key, value in said.items() for word in (value if isinstance(value, tuple) else (value,))]
    if "file" not in said or not set(said) <= set(_TABLE_KEYS) or not all(isinstance(word, str) for word in words):
        raise InvalidInput(
            f'table must be a file, "scope.csv" or {{ file = "scope.csv", ignore = ["notes"] }}, of the keys '
            f"{listed(_TABLE_KEYS)}; got {show(entry)}."
        )
    found = read_experiments(folder / said.pop("file"), Reading(**said, asked_in="toml"))
    for note in found.notes:
        say(f"{found.path}: {note}")
    return found.table(), found.row_name, found.dialect


def _parameter(name: str, entry: Any) -> Any:
    """A pair is written with names: a list is its values, unless it ends in "log"."""
    if not isinstance(entry, dict):
        return as_dimension(entry)
    if not {"low", "high"} <= set(entry) <= {"low", "high", "log"}:
        raise InvalidInput(f"parameter {name!r} needs low and high, and perhaps log = true; got {show(entry)}.")
    low, high, log = entry["low"], entry["high"], entry.get("log", False)
    whole = isinstance(low, int) and isinstance(high, int)
    return Int(low, high, log) if whole else Float(low, high, log)


def _check_above(entries: Mapping[str, Any], command: Any) -> None:
    """Refuse a setting below [space], where TOML takes it for a parameter that never varies, unless it has a place."""
    for name, entry in entries.items():
        if name in _KEYS and not isinstance(entry, list | dict) and f"{{{name}}}" not in str(command):
            raise InvalidInput(
                f"{name} stands below [space], which makes it a parameter. Move it above [space]; if it is a parameter "
                f"that never varies, write {name} = [{json.dumps(entry)}]."
            )


def _seconds(timeout: Any) -> float | None:
    return None if timeout is None else as_positive(timeout, "timeout", hint="It is in seconds.")


def _whole(text: Mapping[str, Any], key: str, default: int | None) -> int:
    value = text.get(key, default)
    if value is None:
        raise InvalidInput(f"{key} is missing: how many evaluations in all, such as {key} = 40, above [space].")
    return as_whole(value, key, least=1)


def _stop(text: Mapping[str, Any], *, several: bool) -> StopRule | None:
    entry, volume = text.get("stop"), text.get("stop_hypervolume")
    if entry is None and volume is None:
        if "patience" in text:
            raise InvalidInput("patience goes with stop, which says how much regret may be left: stop = 0.5.")
        return None
    if entry is not None and volume is not None:
        raise InvalidInput("give either stop or stop_hypervolume: a study has one stop rule.")
    try:
        rule: StopRule = as_regret(str(entry)) if volume is None else as_hypervolume(str(volume))
    except ValueError as error:
        what = (
            "stop must be a regret such as 0.5" if volume is None else "stop_hypervolume must be a share or a volume,"
        )
        raise InvalidInput(f'{what} or "1%", got {show(entry if volume is None else volume)}.') from error
    return stop_rule(rule, _whole(text, "patience", rule.patience), several=several)


def _place(path: Path, entry: Any) -> str:
    if entry is None:
        return str(path.with_suffix(SUFFIX))
    return str(entry) if "://" in str(entry) else str(path.parent / str(entry))
