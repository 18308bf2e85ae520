"""Rules, laws and models as plain JSON: the name of a class and its settings. Never pickle.

The content of a store is untrusted. Only trusted classes are imported: those of this package, of installed packages
that announce rules, and of modules that the caller names.
"""

import importlib
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np

from regretless import confidence
from regretless.acquisition import (
    BOX_RULES,
    COMPOSITE_RULES,
    JOINT_RULES,
    LEVEL_RULES,
    ROBUST_RULES,
    RULES,
    UCB,
    JointRule,
    Rule,
)
from regretless.errors import InvalidInput, StoreDamaged, UntrustedCode
from regretless.gp import Surrogate
from regretless.optimizer import Fidelity
from regretless.risk import AIMS
from regretless.spaces import Environment, Perturbation

__all__ = ["RULES_GROUP", "Trust", "function_of", "object_from_data", "object_to_data", "same_setup"]

#: The entry points by which installed packages announce rules.
RULES_GROUP = "regretless.rules"

#: Rules, models, every law of zeta, and every schedule that a law is made of.
_KINDS: list[type] = [*RULES.values(), *BOX_RULES.values(), *LEVEL_RULES.values(), UCB, *JOINT_RULES.values()]
_KINDS += [
    *COMPOSITE_RULES.values(),
    *ROBUST_RULES.values(),
    *AIMS.values(),
    Environment,
    Fidelity,
    Perturbation,
    Surrogate,
]
_KINDS += (law for law in vars(confidence).values() if isinstance(law, type) and is_dataclass(law))

#: Names of our own classes that stay valid when a class moves to another module.
_OWN: dict[str, type] = {kind.__name__: kind for kind in _KINDS}

#: Settings added later, with the value that applies to a study stored without them.
_BEFORE: dict[str, dict[str, Any]] = {
    "Surrogate": {"compress": False, "fit_mean": False, "scale_categories": False, "pure_error": False},
    "IRGPUCB": {"excursions": False, "additive": False},
}


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose code a store may name: the classes of given objects, and whole modules by name."""

    classes: Mapping[str, type] = field(default_factory=dict)
    modules: Collection[str] = ()
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # handed in, by module and name

    @classmethod
    def of(cls, objects: Any, modules: Collection[str] = ()) -> "Trust":
        """Trust the classes of the given objects, which the caller has imported already, and the named modules.

        >>> from regretless import EI
        >>> list(Trust.of([EI(), None]).classes)
        ['regretless.acquisition.ei:EI']
        """
        return cls({_full_name(kind): kind for kind in _classes_in(objects)}, modules)

    def covers(self, module: str) -> bool:
        """Whether a module, or a package it belongs to, was named."""
        return any(module == name or module.startswith(f"{name}.") for name in self.modules)


_NOBODY = Trust()


def object_to_data(obj: Any, what: str) -> Any:
    """Encode an object: scalars as they are, tuples as lists, objects as their class and settings.

    A class of the user's own is named by module and name. Whoever opens the study has to trust that module.

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
    name = kind.__name__ if _OWN.get(kind.__name__) is kind else _full_name(kind)
    if "<" in name:
        raise InvalidInput(
            f"{what}: {name} is defined inside a function, so a stored study could not find it again. "
            "Define it at the top of a module."
        )
    if is_dataclass(kind):
        settings = {part.name: getattr(obj, part.name) for part in fields(kind) if part.init}
    elif isinstance(obj, Rule | JointRule) and not getattr(obj, "__dict__", None):
        settings = {}
    else:
        raise InvalidInput(
            f"{what}: how {name} is set up cannot be stored. Make it a dataclass whose fields are numbers, text, "
            "tuples or such dataclasses."
        )
    return {"class": name, "settings": {key: object_to_data(value, what) for key, value in settings.items()}}


def object_from_data(data: Any, what: str, trust: Trust = _NOBODY) -> Any:
    """Decode what `object_to_data` wrote.

    >>> from regretless import EI
    >>> object_from_data(object_to_data(EI(incumbent="value"), "rule"), "rule")
    EI(incumbent='value')
    """
    if isinstance(data, list):
        return tuple(object_from_data(item, what, trust) for item in data)
    if not isinstance(data, Mapping):
        return data
    if not isinstance(data.get("class"), str) or not isinstance(data.get("settings"), Mapping):
        raise StoreDamaged(
            f"{what}: the stored study names no class with its settings, but {data!r:.80}. It was damaged or edited. "
            "Nothing was changed. Restore it from a backup."
        )
    kind = _class(data["class"], what, trust)
    named = {**_BEFORE.get(kind.__name__, {}), **data["settings"]} if kind in _OWN.values() else data["settings"]
    settings = {key: object_from_data(value, what, trust) for key, value in named.items()}
    try:
        return kind(**settings)
    except TypeError as error:
        raise InvalidInput(
            f"{what}: {data['class']} cannot be made from its stored settings {settings}: {error}. "
            "It must take the settings it had when the study was created."
        ) from error


def same_setup(given: Any, stored: Any) -> bool:
    """Whether an object has the settings of a stored one, ignoring settings that were added later.

    >>> from regretless import IRGPUCB
    >>> same_setup(IRGPUCB(), IRGPUCB(excursions=False)), same_setup(IRGPUCB(excursions=False), IRGPUCB())
    (True, False)
    """
    later = _BEFORE.get(type(given).__name__, {})
    if later and type(given) is type(stored):
        given = replace(given, **{name: old for name, old in later.items() if getattr(stored, name) == old})
    return bool(given == stored)


def function_of(name: str, trust: Trust) -> Callable[..., Any]:
    """The function of a constraint or an objective, by module and name; only if its module is trusted."""
    if name in trust.functions:
        return trust.functions[name]
    module, _, path = name.partition(":")
    if not path or not (trust.covers(module) or module in _announced()):
        raise _untrusted("constraints", name, module)
    found = _found(name, module, path, "constraints")
    if not callable(found):
        raise InvalidInput(f"constraints: {name} is not a function any more.")
    function: Callable[..., Any] = found
    return function


def _class(name: str, what: str, trust: Trust) -> type:
    """The class of that name; nothing is imported unless it is trusted."""
    module, _, path = name.partition(":")
    own = _OWN.get(path if module.startswith("regretless.") else name)  # also by the module it used to be in
    if own is not None or name in trust.classes:
        return own or trust.classes[name]
    if not path or not (trust.covers(module) or module in _announced()):
        raise _untrusted(what, name, module)
    return _imported(name, module, path, what)


def _untrusted(what: str, name: str, module: str) -> UntrustedCode:
    return UntrustedCode(
        f"{what}: this study was created with {name!r}, which is not part of regretless. To open it would import "
        f"and run that code; nothing was imported. If you trust it, say so: Study.open(..., trust=[{module!r}]), "
        f"or on the command line --trust {shlex.quote(module)}."
    )


def _announced() -> set[str]:
    """Modules with rules that installed packages announce."""
    from importlib.metadata import entry_points  # costs more than it is worth to those who only import us

    return {point.module for point in entry_points(group=RULES_GROUP)}


def _imported(name: str, module: str, path: str, what: str) -> type:
    found = _found(name, module, path, what)
    if not isinstance(found, type) or not (issubclass(found, Rule | JointRule) or is_dataclass(found)):
        raise InvalidInput(f"{what}: {name} is neither a Rule nor a dataclass any more.")
    return found


def _found(name: str, module: str, path: str, what: str) -> Any:
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise InvalidInput(
            f"{what}: this study was created with {name}, which cannot be imported here: {error}. "
            "Make its module importable, in the same place as it was."
        ) from error
    return found


def _full_name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _classes_in(obj: Any) -> Iterator[type]:
    """The classes of one or several objects, and of the objects in their fields."""
    if isinstance(obj, tuple | list):
        for item in obj:
            yield from _classes_in(item)
    elif isinstance(obj, Rule | JointRule) or is_dataclass(obj):
        yield type(obj)
        for part in fields(obj) if is_dataclass(obj) else ():
            yield from _classes_in(getattr(obj, part.name, None))
