"""Results as users give them: one value or several by name, replicates, known errors, and outcomes that failed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regretless.arrays import as_finite_float, as_measurement, as_positive, show
from regretless.errors import InvalidInput
from regretless.gp import pooled
from regretless.optimizer import Outcome, Task
from regretless.spaces.scalars import did_you_mean
from regretless.study.ledger import Values

__all__ = ["Told", "read_returned", "read_told"]

#: The largest size of values that a model can still square and sum without standardising.
_LARGEST_RAW = 1e50


@dataclass(frozen=True, slots=True)
class Told:
    """Results by outcome (None if one failed) with their known noise. No values: the whole trial failed."""

    values: Values | None
    noise: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def noise_of(self, names: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """The known noise of some outcomes."""
        return {name: self.noise[name] for name in names if name in self.noise}

    def on_record(self, task: Task) -> tuple[float | None, dict[str, Any]]:
        """The value of an event, and the rest of it: a single outcome without known noise is its value alone."""
        assert self.values is not None
        several = {"values": dict(self.values)} if len(task.outcomes) > 1 else {}
        return self.values.get(task.objective.name), several | ({"noise": dict(self.noise)} if self.noise else {})


def read_told(task: Task, value: Any, *, failed: Any, sd: Any, what: str, known: Values | None = None) -> Told:
    """Check and read a result. ``what`` names its owner, such as ``trial 3``.

    A composite objective is computed, once all its outcomes are told here or ``known`` before.
    """
    gone = _failed(task, failed, what)
    if gone is None:
        if value is not None or sd is not None:
            raise InvalidInput(f"{what} cannot both fail and have the value {show(value)}.")
        return Told(None)
    given = _by_name(task, value, what) if value is not None else {}
    both = [name for name in given if name in gone]
    if both:
        raise InvalidInput(f"{what}: {both[0]} cannot both fail and have the value {show(given[both[0]])}.")
    if not given and not gone:
        raise InvalidInput(f"{what} needs a value, or failed=True.")
    errors = _errors(sd, given, what)
    values: dict[str, float | None] = {}
    noise: dict[str, dict[str, Any]] = {}
    for outcome in task.outcomes:
        name = outcome.name
        if name in gone:
            values[name] = None
        elif name in given:
            values[name], error = _measured(task, outcome, given[name], errors.get(name), what)
            noise |= {name: error} if error else {}
    if task.composite is not None:
        values |= _computed(task, {**(known or {}), **values}, what)
    return Told(values, noise)


def _computed(task: Task, values: Values, what: str) -> dict[str, float | None]:
    """The value of a composite objective: None where an outcome failed, nothing where one is not told yet."""
    composite, name = task.composite, task.objective.name
    assert composite is not None
    parts = {each: values[each] for each in composite.of if each in values}
    if any(value is None for value in parts.values()):
        return {name: None}
    if len(parts) < len(composite.of):
        return {}
    found = composite({each: np.array(value, dtype=np.float64) for each, value in parts.items()})
    return {name: _number(task, float(found), f"{name} of {what}")}


def _told_by_name(task: Task) -> list[str]:
    """The outcomes that users tell: a composite objective is computed from the others."""
    return [outcome.name for outcome in task.outcomes if outcome.composite is None]


def read_returned(task: Task, returned: Any, what: str) -> tuple[Any, bool | list[str]]:
    """The return value of a function, as the arguments ``value`` and ``failed`` of `Study.tell`.

    NaN and infinities are outcomes that failed; among replicates they are left out.

    >>> from regretless.optimizer import Outcome, as_task
    >>> from regretless.spaces import as_space
    >>> task = as_task(as_space([(0, 1)]), outcomes=(Outcome("a"), Outcome("b")))
    >>> read_returned(task, {"a": 1.5, "b": float("nan")}, "what f returned")
    ({'a': 1.5}, ['b'])
    """
    if len(task.outcomes) == 1 and not isinstance(returned, Mapping):
        value = _finite(returned, what)
        return value, value is None
    given = _by_name(task, returned, what)
    missing = [name for name in _told_by_name(task) if name not in given]
    if missing:
        raise InvalidInput(f"{what} has no {missing[0]!r}. Return a value for each outcome, NaN for one that failed.")
    values = {name: _finite(value, f"{what}, {name},") for name, value in given.items()}
    failed = [name for name, value in values.items() if value is None]
    if len(failed) == len(values):
        return None, True
    return {name: value for name, value in values.items() if value is not None}, failed or False


def _finite(value: Any, what: str) -> float | list[float] | None:
    if not _is_several(value):
        return as_measurement(value, what)
    found = [number for each in value if (number := as_measurement(each, what)) is not None]
    return found or None


def _is_several(value: Any) -> bool:
    """Whether this is replicates in place of one number."""
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)


def _failed(task: Task, failed: Any, what: str) -> set[str] | None:
    """Outcomes that failed; None where all did."""
    if isinstance(failed, bool | np.bool_):
        return None if failed else set()
    names = [failed] if isinstance(failed, str) else list(failed) if isinstance(failed, Iterable) else [failed]
    known = _told_by_name(task)
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"failed must be True, False, or names of outcomes that failed, got {show(failed)}.")
    _check_names(names, known, what)
    return set(names) if set(names) != set(known) else None


def _by_name(task: Task, value: Any, what: str) -> Mapping[str, Any]:
    known = _told_by_name(task)
    if isinstance(value, Mapping):
        _check_names(list(value), known, what)
        if not value:
            raise InvalidInput(f"{what} needs a value of one of {', '.join(known)}, got none.")
        return value
    if task.composite is not None and len(known) == 1:
        raise InvalidInput(f"{what}: tell {known[0]} by name, {{{known[0]!r}: 81.2}}, got {show(value)}.")
    if len(known) > 1:
        raise InvalidInput(
            f"{what} has {len(known)} outcomes: tell them by name, such as {{{known[0]!r}: 81.2, {known[1]!r}: 0.3}}, "
            f"got {show(value)}."
        )
    return {known[0]: value}


def _check_names(names: list[Any], known: list[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise InvalidInput(
                f"{what}: no outcome {show(name)}; there are {', '.join(known)}.{did_you_mean(name, known)}"
            )


def _errors(sd: Any, given: Mapping[str, Any], what: str) -> dict[str, float]:
    """The known standard deviation of a measurement, by outcome."""
    if sd is None:
        return {}
    if not isinstance(sd, Mapping):
        if len(given) != 1:
            raise InvalidInput(f"{what}: sd of several outcomes must name them, such as {{'yield': 0.4}}.")
        sd = dict.fromkeys(given, sd)
    _check_names(list(sd), list(given), f"sd of {what}")
    return {name: as_positive(each, f"sd of {what}") for name, each in sd.items()}


def _measured(task: Task, outcome: Outcome, value: Any, sd: float | None, what: str) -> tuple[float, dict[str, Any]]:
    """The value, the mean of replicates, and what is known of its noise."""
    label = f"the value of {what}" if len(task.outcomes) == 1 else f"{outcome.name} of {what}"
    known: dict[str, Any] = {} if sd is None else {"sd": sd}
    if _is_several(value):
        replicates = [_number(task, each, label) for each in value]
        if not replicates:
            raise InvalidInput(f"{label} must be a number or some replicates, got none.")
        if len(replicates) > 1:
            mean, _, _ = pooled(np.array(replicates))
            return mean + 0.0, known | {"replicates": replicates}
        value = replicates[0]
    return _number(task, value, label), known


def _number(task: Task, value: Any, label: str) -> float:
    try:
        number = as_finite_float(value, label) + 0.0  # -0.0 and 0.0 are one value, in every database
    except InvalidInput as error:
        raise InvalidInput(f"{error} A trial without a result is told as failed=True.") from error
    if not task.surrogate.standardize and abs(number) > _LARGEST_RAW:
        raise InvalidInput(
            f"{label} must be within +-{_LARGEST_RAW:g} for a model that does not standardise, got {show(number)}. "
            "Scale the values, or use a Surrogate with standardize=True."
        )
    return number
