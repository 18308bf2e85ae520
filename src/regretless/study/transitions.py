"""What may happen to a trial after it was asked for, and what is stored when it does.

Each function looks at the trial as it is stored now, inside the transaction that stores the event, so that two who
tell at once cannot both be first.
"""

from collections.abc import Callable
from typing import Any

from regretless.errors import TrialConflict
from regretless.optimizer import with_table
from regretless.spaces import Place, Raw, extended_table, further_rows
from regretless.study.events import Event
from regretless.study.recorder import Recorder
from regretless.study.trial import Status, Trial

__all__ = ["add", "amend", "end", "exclude_row", "extend", "include_row", "release", "renew", "use"]


def end(recorder: Recorder, number: int, status: Status, value: float | None) -> Trial:
    """Store a result. The first counts; the same again changes nothing; another is refused.

    A trial that was offered again has two workers: the first result counts, and the other worker's, which comes late,
    is put on record and not used.
    """
    ledger = recorder.ledger

    def decide() -> Event | None:
        trial = ledger.trials[number]
        if trial.status in ("pending", "lost"):
            return recorder.event("told" if status == "told" else "failed", number, value, worker=recorder.worker)
        if (status, value) in ((trial.status, trial.value), ledger.first_told.get(number)):
            return None
        if number in ledger.passed_on:
            if (number, value) in ledger.late:
                return None
            return recorder.event("late", number, value, worker=recorder.worker)
        now = f"telling {value!r}" if status == "told" else "failing it"
        raise TrialConflict(
            f"trial {number} was already {_had(trial)}; {now} now would change the past. Use amend to correct it."
        )

    recorder.record(decide)
    return ledger.trials[number]


def add(recorder: Recorder, value: float | None, where: Callable[[], Place], key: str) -> Trial:
    """Store data that was not asked for, once for each key. Of a point that is not a candidate it is another event."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        if key in ledger.keys:
            return None
        number, domain, place = len(ledger.trials), ledger.task.domain, where()
        data: dict[str, Any] = {"params": place.params, "row": domain.row_of(place.point), "index": place.index}
        if place.index is None:
            data["x"] = place.x.tolist()
        if place.inside:
            return recorder.event("added", number, value, **data, key=key)
        what = "not a row of the table" if domain.has_rows else "outside the space"
        note = f"{what}: used as data, never suggested"
        return recorder.event("added_outside", number, value, **data, note=note, key=key)

    recorder.record(decide)
    return ledger.trials[ledger.keys[key][0]]


def amend(recorder: Recorder, number: int, value: float | None, reason: str) -> Trial:
    """Store a correction of a result (None: it failed)."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        trial = ledger.trials[number]
        if trial.status in ("pending", "lost"):
            raise TrialConflict(f"trial {number} has no result to amend: it is {trial.status}. Use tell.")
        same = (trial.status, trial.value) == ("failed" if value is None else "told", value)
        return None if same else recorder.event("amended", number, value, reason=reason)

    recorder.record(decide)
    return ledger.trials[number]


def use(recorder: Recorder, number: int, used: bool, reason: str) -> Trial:
    """Set a result aside, or take it back in."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        trial = ledger.trials[number]
        if trial.status in ("pending", "lost"):
            raise TrialConflict(
                f"trial {number} has no result: it is {trial.status}. Use release for a trial that is given up."
            )
        if trial.excluded != used:
            return None
        return recorder.event("included" if used else "excluded", number, reason=reason)

    recorder.record(decide)
    return ledger.trials[number]


def release(recorder: Recorder, number: int, reason: str) -> Trial:
    """Give a pending trial up."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        trial = ledger.trials[number]
        if trial.status == "lost":
            return None
        if trial.status != "pending":
            raise TrialConflict(f"trial {number} is not pending: it was already {_had(trial)}.")
        return recorder.event("lost", number, reason=reason)

    recorder.record(decide)
    return ledger.trials[number]


def renew(recorder: Recorder, number: int) -> Trial:
    """Begin the lease of a pending trial anew."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        if ledger.trials[number].status != "pending" or recorder.seconds is None:
            return None
        return recorder.event("renewed", number, worker=recorder.worker, lease=recorder.lease())

    recorder.record(decide)
    return ledger.trials[number]


def extend(recorder: Recorder, raw: Raw, reason: str) -> list[Any]:
    """Put further candidates behind those of the table; the ids of those that are new."""
    ledger, before = recorder.ledger, 0

    def decide() -> Event | None:
        nonlocal before
        task = ledger.task
        rows = further_rows(task.space, raw)
        before = task.domain.n_candidates or 0
        if not len(rows):
            return None
        with_table(task, extended_table(task.space, rows))  # what cannot be added up is not stored
        columns = {name: list(values) for name, values in rows.columns.items()}
        named = None if rows.ids is None else list(rows.ids)
        return recorder.event("extended", columns=columns, ids=named, reason=reason)

    recorder.record(decide)
    domain = ledger.task.domain
    return [domain.name_of(index) for index in range(before, domain.n_candidates or 0)]


def exclude_row(recorder: Recorder, index: int, row: Any, reason: str) -> None:
    """Take a candidate off the list of what may be suggested."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        return None if index in ledger.excluded else recorder.event("row_excluded", index=index, row=row, reason=reason)

    recorder.record(decide)


def include_row(recorder: Recorder, index: int, row: Any, reason: str) -> None:
    """Put a candidate back on the list."""
    ledger = recorder.ledger

    def decide() -> Event | None:
        return recorder.event("row_included", index=index, row=row, reason=reason) if index in ledger.excluded else None

    recorder.record(decide)


def _had(trial: Trial) -> str:
    return f"told {trial.value!r}" if trial.status == "told" else "failed"
