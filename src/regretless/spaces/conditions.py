"""Conditional parameters, which exist only while other parameters have certain values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.spaces.scalars import Scalar, as_level, did_you_mean, listed, show

__all__ = [
    "Activity",
    "Condition",
    "When",
    "activity_of",
    "as_condition",
    "check_existing",
    "existing",
    "shown_parameter",
]

#: (name of a parameter, values it may have), ...: all of them must hold.
Condition: TypeAlias = tuple[tuple[str, tuple[Scalar, ...]], ...]
#: As people write it: {name: value} or {name: [values]}.
When: TypeAlias = Condition | Mapping[str, Any] | None


def as_condition(when: Any) -> Condition | None:
    """The condition that ``when`` states: each parameter with the values it must have; None if not given.

    >>> as_condition({"kernel": "rbf", "layers": [2, 3]})
    (('kernel', ('rbf',)), ('layers', (2, 3)))
    """
    if when is None:
        return None
    pairs = when.items() if isinstance(when, Mapping) else when if isinstance(when, tuple) else None
    if not pairs:
        raise InvalidInput(
            f"when must name parameters and the values they must have, such as {{'kernel': 'rbf'}} or "
            f"{{'kernel': ['rbf', 'matern']}}; got {show(when)}."
        )
    condition = []
    for name, wanted in pairs:
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"when must name parameters by text, got {show(name)}.")
        several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
        values = tuple(as_level(value, f"when: {name}") for value in (wanted if several else [wanted]))
        if not values:
            raise InvalidInput(f"when: {name} needs at least one value; it could never hold.")
        condition.append((name, values))
    return tuple(condition)


def shown_parameter(part: Any, *names: str) -> str:
    """A parameter's repr: its main fields, then step and condition only where there are any."""
    fields = [f"{name}={getattr(part, name)!r}" for name in names]
    if getattr(part, "step", None) is not None:
        fields.append(f"step={part.step!r}")
    if part.when is not None:
        when = {name: values[0] if len(values) == 1 else list(values) for name, values in part.when}
        fields.append(f"when={when!r}")
    return f"{type(part).__name__}({', '.join(fields)})"


@dataclass(frozen=True, slots=True)
class Activity:
    """Which encoded columns are active at a point: ``rules`` are (column, its parents with their codes), parents first.

    An inactive column holds ``frozen``, the same code always, so that it tells no two points apart.
    """

    rules: tuple[tuple[int, tuple[tuple[int, tuple[float, ...]], ...]], ...]
    frozen: tuple[float, ...]

    @property
    def parents(self) -> tuple[int, ...]:
        """The columns on which others depend."""
        return tuple(sorted({parent for _, parents in self.rules for parent, _ in parents}))

    def at(self, X: Floats) -> npt.NDArray[np.bool_]:
        """(m, dim): which columns are active in each row of codes."""
        active = np.ones(X.shape, dtype=np.bool_)
        for column, parents in self.rules:
            for parent, codes in parents:
                active[:, column] &= active[:, parent] & np.isin(X[:, parent], codes)
        return active

    def settled(self, X: Floats) -> Floats:
        """The codes with those of inactive columns frozen."""
        return np.where(self.at(X), X, self.frozen) if self.rules else X


def existing(parts: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """The active ones of some parameters, given the others.

    >>> from regretless.spaces import Int, Categorical
    >>> parts = {"kernel": Categorical(["rbf", "poly"]), "degree": Int(2, 5, when={"kernel": "poly"})}
    >>> existing(parts, {"kernel": "rbf", "degree": 3})
    {'kernel': 'rbf'}
    """
    conditions: dict[str, Condition] = {
        name: part.when for name, part in parts.items() if getattr(part, "when", None) is not None
    }
    found = {name for name in params if name not in conditions}
    for name in _in_order(conditions):
        if name in params and all(other in found and params[other] in values for other, values in conditions[name]):
            found.add(name)
    return {name: value for name, value in params.items() if name in found}


def activity_of(parts: Mapping[str, Any], columns: Sequence[str]) -> Activity:
    """The conditions of all parameters, checked: known parents with those values, and no circles."""
    given: dict[str, Condition] = {
        name: part.when for name, part in parts.items() if getattr(part, "when", None) is not None
    }
    for name, condition in given.items():
        for parent, values in condition:
            _check_parent(name, parent, values, parts)
    column = {name: j for j, name in enumerate(columns)}
    rules = []
    for name in _in_order(given):
        parents = []
        for parent, values in given[name]:
            if parent in column:
                parents.append((column[parent], tuple(parts[parent].encode(value) for value in values)))
            elif parts[parent].values()[0] not in values:
                raise InvalidInput(
                    f"parameter {name!r} exists only when {parent} is {listed(values)}, but {parent} is always "
                    f"{parts[parent].values()[0]!r}. Leave {name!r} out, or let {parent} vary."
                )
        rules.append((column[name], tuple(parents)))
    frozen = tuple(float(parts[n].snap(np.array([0.0 if parts[n].n_levels else 0.5]))[0]) for n in columns)
    return Activity(tuple(rules), frozen)


def check_existing(given: Mapping[str, Any], conditions: Mapping[str, Condition], params: Any) -> dict[str, Any]:
    """Those of the parameters that exist beside each other, in order.

    ``given`` has None for conditional ones that ``params`` leaves out. One that exists and is left out is an error, and
    one that is there and does not exist.
    """
    kept = {name: value for name, value in given.items() if name not in conditions}
    for _ in conditions:  # conditions of conditions
        for name, when in conditions.items():
            if name not in kept and all(parent in kept and kept[parent] in wanted for parent, wanted in when):
                kept[name] = given[name]
    for name, when in conditions.items():
        if name in kept and name not in params:
            raise InvalidInput(f"missing {name!r}, which exists where {_said(when)}. Give a value.")
        if name not in kept and given[name] is not None:
            raise InvalidInput(f"{name!r} exists only where {_said(when)}. Leave it out.")
    return {name: kept[name] for name in given if name in kept}


def _check_parent(name: str, parent: str, values: tuple[Scalar, ...], parts: Mapping[str, Any]) -> None:
    if parent not in parts:
        known = [other for other in parts if other != name]
        raise InvalidInput(
            f"parameter {name!r} depends on {parent!r}, which is not a parameter; there are {listed(known)}."
            f"{did_you_mean(parent, known)}"
        )
    if parts[parent].size is None:
        raise InvalidInput(
            f"parameter {name!r} depends on {parent!r}, a real number, which never has exactly one value. Let it "
            "depend on choices, levels or whole numbers."
        )
    for value in values if parts[parent].size != 1 else ():
        try:
            parts[parent].check(value, parent)
        except InvalidInput as error:
            raise InvalidInput(
                f"parameter {name!r} would never exist when {parent} is {show(value)}: {error}"
            ) from None


def _in_order(given: Mapping[str, Condition]) -> list[str]:
    """The conditional parameters, each after those it depends on."""
    order: list[str] = []
    left = list(given)
    while left:
        ready = [name for name in left if all(parent in order or parent not in given for parent, _ in given[name])]
        if not ready:
            raise InvalidInput(f"the conditions of {listed(left)} go round in a circle: none of them can exist first.")
        order += ready
        left = [name for name in left if name not in ready]
    return order


def _said(when: Condition) -> str:
    return " and ".join(f"{name} is {' or '.join(map(repr, values))}" for name, values in when)
