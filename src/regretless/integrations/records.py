"""What other programs have on record, in one form: parameters to search, outcomes, trials. And as a study of ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from regretless.errors import InvalidInput
from regretless.integrations.imported import Imported, Left
from regretless.optimizer import Direction, Sense
from regretless.study import Study

__all__ = ["Entry", "Records", "imported", "number"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One trial of another program: what it is called there, its parameters and its values by outcome.

    One without values has failed. ``left`` says why a trial is not to be taken at all.
    """

    name: str
    params: Mapping[str, Any]
    values: Mapping[str, float] = field(default_factory=dict)
    sds: Mapping[str, float] = field(default_factory=dict)  # known standard deviations
    left: str | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """The record of another program. ``space`` is None where it does not say what may be tried."""

    program: str
    entries: tuple[Entry, ...]
    objectives: Mapping[str, Direction]
    constraints: Mapping[str, tuple[Sense, float]] = field(default_factory=dict)
    space: Any = None
    notes: tuple[str, ...] = ()

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of what was measured."""
        return (*self.objectives, *self.constraints)

    def study(self, space: Any = None, **settings: Any) -> Study:
        """An empty study of ours about the same."""
        space = self.space if space is None else space
        if space is None:
            raise InvalidInput(f"a record of {self.program} does not say what may be tried. Give space=.")
        [(name, direction), *others] = self.objectives.items()
        aims: dict[str, Any] = (
            {"objectives": dict(self.objectives)} if others else {"objective": name, "direction": direction}
        )
        return Study(space, **aims, constraints=dict(self.constraints) or None, **settings)


def imported(records: Records, space: Any = None, into: Study | None = None, **settings: Any) -> Imported:
    """The trials of a record as added results of a new study, or ``into`` one that there is; with a report.

    >>> entries = (Entry("run 0", {"x": 0.2}, {"loss": 1.0}), Entry("run 1", {"x": 0.4}), Entry("run 2", {}, left="no"))
    >>> found = imported(Records("a program", entries, {"loss": "minimize"}), {"x": (0.0, 1.0)}, seed=1)
    >>> print(found)
    2 of 3 rows taken. Left: 1, no (run 2).
    >>> [trial.status for trial in found.study.trials]
    ['told', 'failed']
    """
    if into is not None and (space is not None or settings):
        raise InvalidInput("a study that there is keeps its own space and settings: give into= alone.")
    study = records.study(space, **settings) if into is None else into
    unknown = [name for name in records.outcomes if name not in {outcome.name for outcome in study.outcomes}]
    if unknown:
        known = ", ".join(repr(outcome.name) for outcome in study.outcomes)
        raise InvalidInput(f"the record has the outcome {unknown[0]!r}; the study has {known}. Names must agree.")
    left = [Left(entry.name, why) for entry in records.entries if (why := _add(study, entry)) is not None]
    return Imported(study, len(records.entries) - len(left), tuple(left), records.notes)


def number(value: Any) -> float | None:
    """A finite number, or None: what is missing, NaN or infinite was not measured."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


def _add(study: Study, entry: Entry) -> str | None:
    """Add one trial; None, or why it cannot be added."""
    if entry.left is not None:
        return entry.left
    missing = [outcome.name for outcome in study.outcomes if outcome.name not in entry.values]
    sds = {name: sd for name, sd in entry.sds.items() if name in entry.values and sd > 0.0}
    try:
        if not entry.values:
            study.add(entry.params, failed=True)
        else:
            study.add(entry.params, dict(entry.values), sd=sds or None, failed=missing or False)
    except InvalidInput as error:
        return f"it has no place in the space: {error}".rstrip(".")
    return None
