"""The ledger of a study: its trials, and the arrays a suggestion is computed from, as the sum of its events."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.errors import StoreTooNew
from regretless.gp import Source
from regretless.optimizer import (
    Fit,
    History,
    Task,
    fit_from_data,
    hyperparameters_to_data,
    source_from_data,
    with_table,
)
from regretless.pareto import non_dominated
from regretless.spaces import Rows, extended_table
from regretless.study.journal import RELEASED, Event
from regretless.study.ledger.leases import Lease, Reading
from regretless.study.ledger.observations import Observations
from regretless.study.trial import Trial

__all__ = ["Ledger", "Mark", "Values"]

#: Results by the name of the outcome; None of one that failed.
Values: TypeAlias = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of a ledger, to return to after trying some suggestions."""

    seq: int
    count: int
    fits: tuple[Fit | None, ...]
    sources: dict[str, int]
    reference: tuple[float, ...] | None


class Ledger:
    """The sum of a study's events. Each is added once, in order; nothing else changes it."""

    def __init__(self, task: Task) -> None:
        self.seq = 0
        self.trials: list[Trial] = []
        # The newest valid one of each outcome: it is dropped when a result that it was fitted to changes.
        self.fits: tuple[Fit | None, ...] = (None,) * len(task.outcomes)
        self.links: set[str] = set()  # keys of requests that added an earlier study
        self.sources: tuple[Source | None, ...] = ()  # of each outcome, data of an earlier study
        self.reference: tuple[float, ...] | None = None  # of several objectives, as maximised, once it was fixed
        self.keys: dict[str, list[int]] = {}  # trials by the key of the request that made them
        self.leases: dict[int, Lease | None] = {}  # of the pending trials
        self.offers: dict[int, int] = {}  # how often trials were offered again
        self.passed_on: set[int] = set()  # trials whose lease expired, which their first worker may still tell
        self.late: set[tuple[int, tuple[tuple[str, float | None], ...]]] = set()  # results after those that count
        self.first_told: dict[int, Values] = {}  # what amended trials had been told
        self.excluded: dict[int, None] = {}  # candidates that must not be suggested, in the order of exclusion
        self.task = task  # the current space: a table may have been extended
        self._key_of: list[str] = []  # of each trial
        self._sources: dict[str, int] = {}
        self._observed = Observations(task)

    # Adding up ------------------------------------------------------------------------------------------------------

    def extend(self, events: Iterable[Event]) -> None:
        """Add those of the events that are new."""
        for event in events:
            if event.seq > self.seq:
                self.add(event)

    def add(self, event: Event) -> None:
        """Add one."""
        if event.kind not in _ADD:
            raise StoreTooNew(
                f"event {event.seq} of this study is of the kind {event.kind!r}, which this version does not know. "
                "Open the study with the version that wrote it, or a newer one."
            )
        _ADD[event.kind](self, event)
        self.seq = event.seq

    def mark(self) -> Mark:
        """Mark the present state."""
        return Mark(self.seq, len(self.trials), self.fits, dict(self._sources), self.reference)

    def back(self, mark: Mark) -> None:
        """Return to a mark. Only suggestions can be undone: no other events may have been added since."""
        while len(self.trials) > mark.count:
            self.trials.pop()
            self.leases.pop(len(self.trials), None)
            key = self._key_of.pop()
            self.keys[key].pop()
            if not self.keys[key]:
                del self.keys[key]
        self.seq, self.fits, self._sources = mark.seq, mark.fits, dict(mark.sources)
        self.reference = mark.reference

    # Knowing --------------------------------------------------------------------------------------------------------

    def history(self) -> History:
        """Everything a suggestion depends on, apart from the settings."""
        observed = self._observed
        used = observed.used(len(self.trials))
        return History(
            points=observed.points(used),
            status=observed.status(used),
            Y=observed.values(used),
            n_designed=self._sources.get("design", 0),
            n_ruled=self._sources.get("rule", 0),
            fits=self.fits,
            excluded=np.fromiter(self.excluded, dtype=np.intp, count=len(self.excluded)),
            noise=observed.noise(used),
            sources=self.sources,
            reference=self.reference,
            wires=self.task.wires,
        )

    def best(self) -> Trial | None:
        """The used trial with the best measured value that violates no constraint; the first of equal ones."""
        if len(self.task.objectives) > 1:
            return None
        told = self._feasible_told()
        if not len(told):
            return None
        worth, goal = self._observed.values(told)[:, 0], self.task.objective.goal
        if goal is not None:
            worth = np.array([goal.worth(value) for value in self.task.objective.outward(worth).tolist()])
        return self.trials[int(told[np.argmax(worth)])]

    def front(self) -> list[Trial]:
        """The Pareto-optimal trials among those that violate no constraint."""
        told, K = self._feasible_told(), len(self.task.objectives)
        if not len(told):
            return []
        return [self.trials[number] for number in told[non_dominated(self._observed.values(told)[:, :K])].tolist()]

    def feasible(self, trial: Trial) -> bool:
        """Whether all constraints were measured and hold."""
        values = ((outcome, trial.values.get(outcome.name)) for outcome in self.task.constraints)
        return all(value is not None and outcome.holds(value) for outcome, value in values)

    def ended_leases(self, now: Reading) -> list[int]:
        """Pending trials whose lease has expired."""
        return sorted(number for number, lease in self.leases.items() if lease is not None and lease.ended(now))

    # Inside ---------------------------------------------------------------------------------------------------------

    def _feasible_told(self) -> npt.NDArray[np.intp]:
        """The used trials at the target with a value of every objective whose constraints all hold."""
        told = self._observed.told(len(self.trials), self.task.objectives)
        if self.task.fidelity is not None:
            told = told[self._observed.points(told).at_target]
        return np.array([i for i in told.tolist() if self.feasible(self.trials[i])], dtype=np.intp)

    def _append(self, trial: Trial, data: Mapping[str, Any], *, inside: bool = True) -> None:
        number, index = len(self.trials), data["index"]
        listed = index is not None and index >= 0  # what is not listed has None; it once was a negative number
        x = self.task.domain.at_index(index).x if listed else data["x"]
        self._observed.place(number, x, index if listed else None, inside=inside, context=data.get("context", ()))
        self.trials.append(trial)
        self._set(trial)
        self.keys.setdefault(data["key"], []).append(number)
        self._key_of.append(data["key"])

    def _set(self, trial: Trial) -> None:
        """Write a trial, new or changed, into list and arrays."""
        self.trials[trial.number] = trial
        self._observed.write(trial)

    def _values_of(self, event: Event) -> dict[str, float | None]:
        """Results by outcome; the event of a single outcome holds its value alone."""
        values = event.data.get("values")
        return {self.task.objective.name: event.value} if values is None else dict(values)

    def _asked(self, event: Event) -> None:
        data = event.data
        others = data.get("fits", {})
        stored = [data["fit"], *(others.get(outcome.name) for outcome in self.task.outcomes[1:])]
        fits = [fit_from_data(fit, newest) for fit, newest in zip(stored, self.fits, strict=True)]
        self.fits = tuple(fit or newest for fit, newest in zip(fits, self.fits, strict=True))
        if data.get("reference") is not None and self.reference is None:
            self.reference = tuple(data["reference"])
        trial = Trial(
            number=len(self.trials),
            params=data["params"],
            row=data["row"],
            source=data["source"],
            details=data["record"],
            hyperparameters=_survey(data["survey"]) if "survey" in data else self._hyperparameters(fits),
            jitter=data["jitter"],
            fallback=data["fallback"],
        )
        self._append(trial, data)
        self._sources[trial.source] = self._sources.get(trial.source, 0) + 1
        self.leases[trial.number] = Lease.from_data(data["lease"])

    def _hyperparameters(self, fits: list[Fit | None]) -> dict[str, Any] | None:
        """The model behind a suggestion; by outcome if there are several."""
        data = [None if fit is None else hyperparameters_to_data(fit.hyperparameters) for fit in fits]
        if len(data) == 1 or data[0] is None:
            return data[0]
        return {outcome.name: found for outcome, found in zip(self.task.outcomes, data, strict=True)}

    def _added(self, event: Event) -> None:
        data = event.data
        trial = Trial(len(self.trials), data["params"], row=data["row"], source="added", note=data.get("note"))
        self._append(self._with(trial, event), data, inside=event.kind == "added")

    def _with(self, trial: Trial, event: Event) -> Trial:
        """The trial with results added or replaced."""
        said = self._values_of(event)
        values = {**trial.values, **said}
        values = {outcome.name: values[outcome.name] for outcome in self.task.outcomes if outcome.name in values}
        noise = {name: known for name, known in trial.noise.items() if name not in said} | event.data.get("noise", {})
        status: Any = "pending"
        if len(values) == len(self.task.outcomes):
            status = "failed" if all(value is None for value in values.values()) else "told"
        return replace(trial, status=status, value=values.get(self.task.objective.name), values=values, noise=noise)

    def _ended(self, event: Event) -> None:
        """A result, or some outcomes of it; a worker that tells a part keeps the trial."""
        trial = self._trial(event)
        if "leases" in event.data or "overdue" in event.data:  # its last lease expired
            self.passed_on.add(trial.number)
        self.leases.pop(trial.number, None)
        self._set(self._with(trial, event))

    def _released(self, event: Event) -> None:
        trial = self._trial(event)
        self.leases.pop(trial.number, None)
        self._set(replace(trial, status=RELEASED))

    def _amended(self, event: Event) -> None:
        trial = self._trial(event)
        self.first_told[trial.number] = {**trial.values, **self.first_told.get(trial.number, {})}
        self._undo_fits(trial.number, self._values_of(event))
        self._set(self._with(trial, event))

    def _excluded(self, event: Event) -> None:
        trial = self._trial(event)
        self._undo_fits(trial.number, trial.values)
        self._set(replace(trial, excluded=True))

    def _included(self, event: Event) -> None:
        self._set(replace(self._trial(event), excluded=False))

    def _undo_fits(self, number: int, changed: Values) -> None:
        """Drop hyperparameters that were fitted to a result which has changed."""
        self.fits = tuple(
            None if fit is not None and outcome.name in changed and number in fit.trials else fit
            for outcome, fit in zip(self.task.outcomes, self.fits, strict=True)
        )

    def _offered(self, event: Event) -> None:
        number = self._trial(event).number
        self.offers[number] = self.offers.get(number, 0) + 1
        self.passed_on.add(number)
        self.keys.setdefault(event.data["key"], []).append(number)
        self.leases[number] = Lease.from_data(event.data["lease"])

    def _renewed(self, event: Event) -> None:
        self.leases[self._trial(event).number] = Lease.from_data(event.data["lease"])

    def _row_excluded(self, event: Event) -> None:
        self.excluded[event.data["index"]] = None

    def _row_included(self, event: Event) -> None:
        self.excluded.pop(event.data["index"], None)

    def _extended(self, event: Event) -> None:
        """Extend the table: candidates keep number and codes; points measured outside may become candidates."""
        before = self.task.domain.dim
        table = extended_table(self.task.space, Rows(event.data["columns"], event.data["ids"]))
        self.task = with_table(self.task, table)
        if table.dim != before:  # a column that did not vary does now
            self.fits, self.sources = (None,) * len(self.fits), ()
        for number, row in self._observed.recode(table, self.trials):
            self.trials[number] = replace(self.trials[number], row=row, note=None)

    def _late(self, event: Event) -> None:
        """A late result: recorded, not used; a repeat is ignored."""
        self.late.add((self._trial(event).number, tuple(self._values_of(event).items())))

    def _linked(self, event: Event) -> None:
        """Use an earlier study from now on; models fitted without it are dropped."""
        self.links.add(event.data["key"])
        stored = event.data["sources"]
        names = [outcome.name for outcome in self.task.outcomes]
        self.sources = tuple(source_from_data(stored[name]) if name in stored else None for name in names)
        self.fits = (None,) * len(self.fits)

    def _noted(self, event: Event) -> None:
        """An event that changes nothing."""

    def _trial(self, event: Event) -> Trial:
        assert event.number is not None
        return self.trials[event.number]


_ADD: Mapping[str, Callable[[Ledger, Event], None]] = {
    "asked": Ledger._asked,
    "offered": Ledger._offered,
    "renewed": Ledger._renewed,
    "told": Ledger._ended,
    "failed": Ledger._ended,
    "late": Ledger._late,
    "added": Ledger._added,
    "added_outside": Ledger._added,
    "extended": Ledger._extended,
    "amended": Ledger._amended,
    "excluded": Ledger._excluded,
    "included": Ledger._included,
    "row_excluded": Ledger._row_excluded,
    "row_included": Ledger._row_included,
    "released": Ledger._released,
    "certified": Ledger._noted,
    "linked": Ledger._linked,
}


def _survey(data: Mapping[str, Any]) -> dict[str, Any]:
    """Hyperparameters of an excursion as they were before they were stored: a list is a tuple."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
