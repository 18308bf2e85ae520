"""Rules, laws and models as plain JSON: the name of a class and its settings. Never pickle."""

import importlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from regretless.acquisition import RULES, Rule
from regretless.confidence import GammaLaw, Schedule, ShiftedExponential
from regretless.confidence.schedules import BoxShift, HighProbabilityShift, LogGrowth, TableBeta, TableShape
from regretless.errors import InvalidInput
from regretless.gp import Surrogate

__all__ = ["object_from_data", "object_to_data"]

#: Our own classes by names that outlive a move to another module.
_OWN: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *RULES.values(),
        Surrogate,
        ShiftedExponential,
        GammaLaw,
        Schedule,
        BoxShift,
        HighProbabilityShift,
        LogGrowth,
        TableBeta,
        TableShape,
    )
}

#: Settings that came later: what was in force in a study that does not name them.
_BEFORE: dict[str, dict[str, Any]] = {"Surrogate": {"compress": False, "fit_mean": False}}


def object_to_data(obj: Any, what: str) -> Any:
    """Scalars as they are, tuples as lists, objects as their class and settings.

    A class of the user's own is named by module and name, and must be importable when the study is opened.

    >>> from regretless import EI
    >>> object_to_data(EI(), "rule")
    {'class': 'EI', 'settings': {'incumbent': 'mean'}}
    """
    if isinstance(obj, np.generic):
        obj = obj.item()
    if obj is None or isinstance(obj, bool | int | float | str):
        return obj
    if isinstance(obj, tuple | list):
        return [object_to_data(item, what) for item in obj]
    kind = type(obj)
    name = kind.__name__ if _OWN.get(kind.__name__) is kind else f"{kind.__module__}:{kind.__qualname__}"
    if "<" in name:
        raise InvalidInput(
            f"{what}: {name} is defined inside a function, so a stored study could not find it again. "
            "Define it at the top of a module."
        )
    if is_dataclass(kind):
        settings = {part.name: getattr(obj, part.name) for part in fields(kind) if part.init}
    elif isinstance(obj, Rule) and not getattr(obj, "__dict__", None):
        settings = {}
    else:
        raise InvalidInput(
            f"{what}: how {name} is set up cannot be stored. Make it a dataclass whose fields are numbers, text, "
            "tuples or such dataclasses."
        )
    return {"class": name, "settings": {key: object_to_data(value, what) for key, value in settings.items()}}


def object_from_data(data: Any, what: str) -> Any:
    """The object that was written so.

    >>> from regretless import EI
    >>> object_from_data(object_to_data(EI(incumbent="value"), "rule"), "rule")
    EI(incumbent='value')
    """
    if isinstance(data, list):
        return tuple(object_from_data(item, what) for item in data)
    if not isinstance(data, Mapping):
        return data
    kind = _OWN.get(data["class"]) or _imported(data["class"], what)
    named = {**_BEFORE.get(data["class"], {}), **data["settings"]}
    settings = {key: object_from_data(value, what) for key, value in named.items()}
    try:
        return kind(**settings)
    except TypeError as error:
        raise InvalidInput(
            f"{what}: {data['class']} cannot be made from its stored settings {settings}: {error}. "
            "It must take the settings it had when the study was created."
        ) from error


def _imported(name: str, what: str) -> type:
    module, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(
            f"{what}: this study was created with {name}, which cannot be imported here: {error}. "
            "Make its module importable, in the same place as it was."
        ) from error
    if not isinstance(found, type) or not (issubclass(found, Rule) or is_dataclass(found)):
        raise InvalidInput(f"{what}: {name} is neither a Rule nor a dataclass any more.")
    return found
