"""What the events of a study add up to: its trials, and the arrays a suggestion is computed from."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import StoreTooNew
from regretless.optimizer import (
    FAILED,
    PENDING,
    TOLD,
    Fit,
    History,
    Points,
    Task,
    fit_from_data,
    hyperparameters_to_data,
    with_table,
)
from regretless.spaces import UNLISTED, Rows, extended_table
from regretless.study.events import Event
from regretless.study.leases import Lease, Reading
from regretless.study.trial import Trial

__all__ = ["Ledger", "Mark"]

#: Beside the states of `History`: a trial that was released, or whose result is set aside.
_UNUSED = 3
_CODES = {"pending": PENDING, "told": TOLD, "failed": FAILED, "lost": _UNUSED}


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a ledger stood, to go back there after trying out some suggestions."""

    seq: int
    count: int
    fit: Fit | None
    sources: dict[str, int]


class Ledger:
    """The sum of a study's events. Each is added once, in order; nothing else changes it."""

    def __init__(self, task: Task) -> None:
        self.seq = 0
        self.trials: list[Trial] = []
        self.fit: Fit | None = None  # the newest that still holds: a result it saw and that was changed undoes it
        self.keys: dict[str, list[int]] = {}  # trials by the key of the request that made them
        self.leases: dict[int, Lease | None] = {}  # of the pending trials
        self.offers: dict[int, int] = {}  # how often trials were offered again
        self.passed_on: set[int] = set()  # trials that a worker lost by the end of its lease, and may still tell
        self.late: set[tuple[int, float | None]] = set()  # results that came after the one that counts
        self.first_told: dict[int, tuple[str, float | None]] = {}  # what amended trials had been told
        self.excluded: dict[int, None] = {}  # candidates that must not be suggested, in the order of exclusion
        self.task = task  # as the events so far leave it: a table may have been extended
        self._key_of: list[str] = []  # of each trial
        self._sources: dict[str, int] = {}
        self._X: Floats = np.empty((0, task.domain.dim))
        self._index: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._inside: npt.NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._status: npt.NDArray[np.int8] = np.empty(0, dtype=np.int8)
        self._y: Floats = np.empty(0)

    # Adding up ------------------------------------------------------------------------------------------------------

    def extend(self, events: Iterable[Event]) -> None:
        """Add what is new among these."""
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
        """Where it stands now."""
        return Mark(self.seq, len(self.trials), self.fit, dict(self._sources))

    def back(self, mark: Mark) -> None:
        """To where it stood. Only trials asked for since may lie in between: all else is for good."""
        while len(self.trials) > mark.count:
            self.trials.pop()
            self.leases.pop(len(self.trials), None)
            key = self._key_of.pop()
            self.keys[key].pop()
            if not self.keys[key]:
                del self.keys[key]
        self.seq, self.fit, self._sources = mark.seq, mark.fit, dict(mark.sources)

    # Knowing --------------------------------------------------------------------------------------------------------

    def history(self) -> History:
        """Everything a suggestion depends on, beside the setup."""
        used = np.flatnonzero(self._status[: len(self.trials)] != _UNUSED)
        status = self._status[used, None]
        return History(
            points=Points(used, self._X[used], self._index[used], self._inside[used]),
            status=status,
            Y=np.where(status == TOLD, self._y[used, None], np.nan),
            n_designed=self._sources.get("design", 0),
            n_ruled=self._sources.get("rule", 0),
            fits=(self.fit,),
            excluded=np.fromiter(self.excluded, dtype=np.intp, count=len(self.excluded)),
        )

    def best(self) -> Trial | None:
        """The trial with the best measured value that is used, of equals the first."""
        told = np.flatnonzero(self._status[: len(self.trials)] == TOLD)
        return self.trials[told[np.argmax(self._y[told])]] if len(told) else None

    def ended_leases(self, now: Reading) -> list[int]:
        """Pending trials whose worker did not come back in time."""
        return sorted(number for number, lease in self.leases.items() if lease is not None and lease.ended(now))

    # Inside ---------------------------------------------------------------------------------------------------------

    def _append(self, trial: Trial, data: Mapping[str, Any], *, inside: bool = True) -> None:
        number = len(self.trials)
        if number >= len(self._y):
            self._grow()
        index = data["index"]
        listed = index is not None and index >= 0  # what is not listed has None; it once was a negative number
        self._X[number] = self.task.domain.at_index(index).x if listed else data["x"]
        self._index[number] = index if listed else UNLISTED
        self._inside[number] = inside
        self.trials.append(trial)
        self._set(trial)
        self.keys.setdefault(data["key"], []).append(number)
        self._key_of.append(data["key"])

    def _grow(self) -> None:
        more = max(64, len(self._y))
        self._X = np.vstack([self._X, np.zeros((more, self._X.shape[1]))])
        self._index = np.concatenate([self._index, np.zeros(more, dtype=np.intp)])
        self._inside = np.concatenate([self._inside, np.ones(more, dtype=np.bool_)])
        self._status = np.concatenate([self._status, np.zeros(more, dtype=np.int8)])
        self._y = np.concatenate([self._y, np.zeros(more)])

    def _set(self, trial: Trial) -> None:
        """Write a trial, new or changed, into list and arrays."""
        self.trials[trial.number] = trial
        self._status[trial.number] = _UNUSED if trial.excluded else _CODES[trial.status]
        self._y[trial.number] = 0.0 if trial.value is None else self.task.objective.inward(trial.value)

    def _asked(self, event: Event) -> None:
        data = event.data
        fit = fit_from_data(data["fit"], self.fit)
        self.fit = fit or self.fit
        trial = Trial(
            number=len(self.trials),
            params=data["params"],
            row=data["row"],
            source=data["source"],
            record=data["record"],
            hyperparameters=None if fit is None else hyperparameters_to_data(fit.hyperparameters),
            jitter=data["jitter"],
            fallback=data["fallback"],
        )
        self._append(trial, data)
        self._sources[trial.source] = self._sources.get(trial.source, 0) + 1
        self.leases[trial.number] = Lease.from_data(data["lease"])

    def _added(self, event: Event) -> None:
        data = event.data
        status: Any = "failed" if event.value is None else "told"
        number = len(self.trials)
        trial = Trial(number, data["params"], row=data["row"], status=status, value=event.value, source="added")
        self._append(replace(trial, note=data.get("note")), data, inside=event.kind == "added")

    def _ended(self, event: Event) -> None:
        status: Any = event.kind
        if "leases" in event.data:  # nobody came back in time
            self.passed_on.add(self._trial(event).number)
        self._end(event, status)

    def _end(self, event: Event, status: Any) -> None:
        trial = self._trial(event)
        self.leases.pop(trial.number, None)
        self._set(replace(trial, status=status, value=event.value))

    def _amended(self, event: Event) -> None:
        trial = self._trial(event)
        self.first_told.setdefault(trial.number, (trial.status, trial.value))
        self._undo_fit(trial.number)
        self._end(event, "failed" if event.value is None else "told")

    def _excluded(self, event: Event) -> None:
        trial = self._trial(event)
        self._undo_fit(trial.number)
        self._set(replace(trial, excluded=True))

    def _included(self, event: Event) -> None:
        self._set(replace(self._trial(event), excluded=False))

    def _undo_fit(self, number: int) -> None:
        """Hyperparameters fitted to a result that is not believed any more are not believed either."""
        if self.fit is not None and number in self.fit.trials:
            self.fit = None

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
        """Number and codes of the candidates there were stay; what was measured outside may be a candidate now."""
        before = self.task.domain.dim
        table = extended_table(self.task.space, Rows(event.data["columns"], event.data["ids"]))
        self.task = with_table(self.task, table)
        if table.dim != before:  # a column that did not vary does now
            self.fit = None
            self._X = np.zeros((len(self._y), table.dim))
        index = self._index[: len(self.trials)]
        rows = np.flatnonzero(index != UNLISTED)
        self._X[rows] = table.X[index[rows]]
        for number in np.flatnonzero(index == UNLISTED).tolist():
            place = table.place(self.trials[number].params)
            self._X[number] = place.x
            if place.index is not None:
                self._index[number], self._inside[number] = place.index, True
                self.trials[number] = replace(self.trials[number], row=table.row_of(place.point), note=None)

    def _late(self, event: Event) -> None:
        """On record, not used; the same again is nothing new."""
        self.late.add((self._trial(event).number, event.value))

    def _noted(self, event: Event) -> None:
        """On record only."""

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
    "lost": Ledger._ended,
    "certified": Ledger._noted,
}
