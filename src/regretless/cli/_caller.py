"""The process that calls a Python function: JSON lines in, JSON lines out.

It says first whether the function can be called at all. What the function prints goes to stderr, so that it is not
taken for an answer nor for a result of the command.
"""

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from regretless.arrays import as_measurement
from regretless.errors import InvalidInput
from regretless.spaces.scalars import did_you_mean

__all__ = ["main"]


def main(target: str, folder: str) -> None:
    """Answer one line for each line until there are no more."""
    requests, answers = _take_over_the_pipes()
    try:
        function = _load(target, folder)
    except BaseException as error:  # a module may raise anything, SystemExit included
        _answer(answers, unusable=_sentence(error))
        return
    _answer(answers, unusable=None)
    for line in requests:
        try:
            _answer(answers, value=_plain(function(json.loads(line)), "what the function returned"))
        except BaseException as error:
            _answer(answers, error=_sentence(error))


def _plain(returned: Any, what: str) -> Any:
    """What JSON can say of a result: a number, results by name, or replicates; null where one is not finite."""
    if isinstance(returned, Mapping):
        return {str(name): _plain(value, f"{what}, {name},") for name, value in returned.items()}
    if isinstance(returned, list | tuple) or (isinstance(returned, np.ndarray) and returned.ndim == 1):
        return [as_measurement(value, what) for value in returned]
    return as_measurement(returned, what)


def _take_over_the_pipes() -> tuple[IO[str], IO[str]]:
    requests, answers = os.fdopen(os.dup(0), encoding="ascii"), os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


def _load(target: str, folder: str) -> Callable[[Any], Any]:
    sys.path.insert(0, folder)
    path, _, name = target.partition(":")
    module = importlib.import_module(path)
    function = getattr(module, name, None)
    if not callable(function):
        known = [each for each in vars(module) if callable(getattr(module, each)) and not each.startswith("_")]
        problem = "is no function" if hasattr(module, name) else "is not there"
        raise InvalidInput(f"module {path} was imported, but {name} {problem}.{did_you_mean(name, known)}")
    found: Callable[[Any], Any] = function
    return found


def _answer(answers: IO[str], **what: Any) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


def _sentence(error: BaseException) -> str:
    """Kind, message and place of an exception; of our own, the message."""
    if isinstance(error, InvalidInput):
        return str(error)
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:  # a broken __str__
        said = type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if not frames or frames[-1].filename.startswith("<"):
        return said
    return f"{said} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
