"""What the events of a study add up to: its trials, and the arrays a suggestion is computed from."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.errors import StoreTooNew
from regretless.gp import Hyperparameters, Units
from regretless.optimizer import Fit, History, Points, Setup, with_table
from regretless.spaces import OUTSIDE, Rows, Table, extended_table
from regretless.study.events import Event
from regretless.study.leases import Lease, Reading
from regretless.study.trial import Trial

__all__ = ["Ledger", "Mark", "fit_to_data"]

_PENDING, _TOLD, _FAILED, _UNUSED = range(4)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a ledger stood, to go back there after trying out some suggestions."""

    seq: int
    count: int
    fit: Fit | None
    sources: dict[str, int]


class Ledger:
    """The sum of a study's events. Each is added once, in order; nothing else changes it."""

    def __init__(self, setup: Setup, sign: float) -> None:
        self.seq = 0
        self.trials: list[Trial] = []
        self.fit: Fit | None = None  # the newest that still holds: a result it saw and that was changed undoes it
        self.keys: dict[str, list[int]] = {}  # trials by the key of the request that made them
        self.leases: dict[int, Lease | None] = {}  # of the pending trials
        self.offers: dict[int, int] = {}  # how often trials were offered again
        self.passed_on: set[int] = set()  # trials that a worker lost by the end of its lease, and may still tell
        self.late: set[tuple[int, float | None]] = set()  # results that came after the one that counts
        self.first_told: dict[int, tuple[str, float | None]] = {}  # what amended trials had been told
        self.closed: dict[int, None] = {}  # candidates that must not be suggested, in the order of exclusion
        self.setup = setup  # as the events so far leave it: a table may have been extended
        self._sign = sign
        self._key_of: list[str] = []  # of each trial
        self._sources: dict[str, int] = {}
        self._X: Floats = np.empty((0, setup.domain.dim))
        self._index: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
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
        status = self._status[: len(self.trials)]
        told, pending, failed = (np.flatnonzero(status == code) for code in (_TOLD, _PENDING, _FAILED))
        return History(
            told=self._points(told),
            y=self._y[told],
            pending=self._points(pending),
            failed=self._points(failed),
            n_designed=self._sources.get("design", 0),
            n_ruled=self._sources.get("rule", 0),
            fit=self.fit,
            closed=np.fromiter(self.closed, dtype=np.intp, count=len(self.closed)),
        )

    def best(self) -> Trial | None:
        """The trial with the best measured value that is used, of equals the first."""
        told = np.flatnonzero(self._status[: len(self.trials)] == _TOLD)
        return self.trials[told[np.argmax(self._y[told])]] if len(told) else None

    def ended_leases(self, now: Reading) -> list[int]:
        """Pending trials whose worker did not come back in time."""
        return sorted(number for number, lease in self.leases.items() if lease is not None and lease.ended(now))

    def index(self, number: int) -> int:
        """The candidate of a trial on a table, else -1."""
        return int(self._index[number])

    # Inside ---------------------------------------------------------------------------------------------------------

    def _points(self, numbers: npt.NDArray[np.intp]) -> Points:
        return Points(numbers, self._X[numbers], self._index[numbers])

    def _append(self, trial: Trial, data: Mapping[str, Any]) -> None:
        number = len(self.trials)
        if number >= len(self._y):
            self._grow()
        index, domain = data["index"], self.setup.domain
        self._X[number] = domain.X[index] if isinstance(domain, Table) and index >= 0 else data["x"]
        self._index[number] = index
        self.trials.append(trial)
        self._set(trial)
        self.keys.setdefault(data["key"], []).append(number)
        self._key_of.append(data["key"])

    def _grow(self) -> None:
        more = max(64, len(self._y))
        self._X = np.vstack([self._X, np.zeros((more, self._X.shape[1]))])
        self._index = np.concatenate([self._index, np.zeros(more, dtype=np.intp)])
        self._status = np.concatenate([self._status, np.zeros(more, dtype=np.int8)])
        self._y = np.concatenate([self._y, np.zeros(more)])

    def _set(self, trial: Trial) -> None:
        """Write a trial, new or changed, into list and arrays."""
        self.trials[trial.number] = trial
        code = {"pending": _PENDING, "told": _TOLD, "failed": _FAILED, "lost": _UNUSED}[trial.status]
        self._status[trial.number] = _UNUSED if trial.excluded else code
        self._y[trial.number] = 0.0 if trial.value is None else self._sign * trial.value

    def _asked(self, event: Event) -> None:
        data = event.data
        fit = self._fit_of(data["fit"])
        self.fit = fit or self.fit
        trial = Trial(
            number=len(self.trials),
            params=data["params"],
            row=data["row"],
            source=data["source"],
            record=data["record"],
            hyperparameters=None if fit is None else _as_dict(fit.hyperparameters),
            jitter=data["jitter"],
            fallback=data["fallback"],
        )
        self._append(trial, data)
        self._sources[trial.source] = self._sources.get(trial.source, 0) + 1
        self.leases[trial.number] = Lease.from_data(data["lease"])

    def _fit_of(self, data: Mapping[str, Any] | None) -> Fit | None:
        """The model behind a suggestion: in full where it was new, else it is the newest."""
        if data is None:
            return None
        if "trials" not in data:
            return self.fit
        trials = tuple(number for first, last in data["trials"] for number in range(first, last + 1))
        return Fit(_from_dict(data["hyperparameters"]), data["at_trial"], trials)

    def _added(self, event: Event) -> None:
        data = event.data
        status: Any = "failed" if event.value is None else "told"
        number = len(self.trials)
        trial = Trial(number, data["params"], row=data["row"], status=status, value=event.value, source="added")
        self._append(replace(trial, note=data.get("note")), data)

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
        self.closed[event.data["index"]] = None

    def _row_included(self, event: Event) -> None:
        self.closed.pop(event.data["index"], None)

    def _extended(self, event: Event) -> None:
        """Number and codes of the candidates there were stay; what was measured outside may be a candidate now."""
        before, table = self.setup.domain, self.setup.space
        assert isinstance(table, Table)
        table = extended_table(table, Rows(event.data["columns"], event.data["ids"]))
        self.setup = with_table(self.setup, table)
        if table.dim != before.dim:  # a column that did not vary does now
            self.fit = None
            self._X = np.zeros((len(self._y), table.dim))
        index = self._index[: len(self.trials)]
        rows = np.flatnonzero(index >= 0)
        self._X[rows] = table.X[index[rows]]
        for number in np.flatnonzero(index == OUTSIDE).tolist():
            place = table.place(self.trials[number].params)
            self._X[number], self._index[number] = place.x, place.index
            if place.index != OUTSIDE:
                self.trials[number] = replace(self.trials[number], row=table.ids[place.index], note=None)

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


def fit_to_data(fit: Fit | None, *, new: bool) -> dict[str, Any] | None:
    """A model for the record: in full when it is new, with the trials it saw as ranges, else by its number alone.

    >>> fit_to_data(Fit(Hyperparameters("rbf", (0.5,), 1.0, 0.1), 4, (0, 1, 3)), new=True)["trials"]
    [[0, 1], [3, 3]]
    """
    if fit is None:
        return None
    if not new:
        return {"at_trial": fit.at_trial}
    ranges: list[list[int]] = []
    for number in fit.trials:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return {"hyperparameters": _as_dict(fit.hyperparameters), "at_trial": fit.at_trial, "trials": ranges}


def _as_dict(h: Hyperparameters) -> dict[str, Any]:
    return {
        "family": h.family,
        "lengthscale": h.lengthscale,
        "signal_var": h.signal_var,
        "noise_var": h.noise_var,
        "shift": h.units.shift,
        "scale": h.units.scale,
        "knee": h.units.knee,
        "bend": h.units.bend,
    }


def _from_dict(data: Mapping[str, Any]) -> Hyperparameters:
    """Records of before there was a knee do not name one."""
    of_units = {part.name for part in fields(Units)}
    units = Units(**{name: value for name, value in data.items() if name in of_units})
    rest = {name: value for name, value in data.items() if name not in of_units}
    return Hyperparameters(**{**rest, "lengthscale": tuple(rest["lengthscale"]), "units": units})
