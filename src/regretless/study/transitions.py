"""The transitions of a trial after it was asked for, and the events that record them.

Each function checks the trial as stored now, inside the transaction that stores the event, so two simultaneous results
cannot both be first.
"""

from collections.abc import Callable
from typing import Any

from regretless.errors import StudyConflict, TrialConflict
from regretless.gp import Source
from regretless.optimizer import Task, source_to_data, with_table
from regretless.spaces import Place, Raw, extended_table, further_rows
from regretless.study.journal import Event, Kind
from regretless.study.ledger import Recorder, Values
from regretless.study.trial import Trial
from regretless.study.values import Told

__all__ = ["add", "amend", "end", "exclude_row", "extend", "include_row", "link", "release", "renew", "use"]


def end(recorder: Recorder, number: int, told: Told, **about: Any) -> Trial:
    """Store a result, or some outcomes of it. The first counts; a repeat changes nothing; a different one is refused.

    A trial that was offered again has two workers: the first result of an outcome counts, and the later one is recorded
    and not used. The same holds for the result of a trial that failed because it was ``overdue``. ``about`` is recorded
    with the result.
    """
    ledger = recorder.ledger

    def decide() -> list[Event]:
        trial, task = ledger.trials[number], ledger.task
        known = {} if trial.status == "released" else trial.values
        values = told.values
        if values is None:
            missing = [outcome.name for outcome in task.outcomes if outcome.name not in known]
            values = dict.fromkeys(missing or [outcome.name for outcome in task.outcomes])
        new = {name: value for name, value in values.items() if name not in known}
        other, first = _unlike(trial, known, values, told), ledger.first_told.get(number, {})
        other = {name: value for name, value in other.items() if name not in first or first[name] != value}
        if other and number not in ledger.passed_on:
            raise TrialConflict(
                f"trial {number} was already {_had(trial, list(other))}; {_now(task, other)} now would change the "
                "past. Use amend to correct it."
            )
        late = other if (number, tuple(other.items())) not in ledger.late else {}
        kind: Kind = "failed" if all(each is None for each in new.values()) else "told"
        parts: list[tuple[Kind, Values]] = [("late", late), (kind, new)]  # a second worker may have told less than this
        events = []
        for what, some in parts:
            if some:
                value, data = Told(some, told.noise_of(some)).on_record(task)
                events.append(recorder.event(what, number, value, **data, **about, worker=recorder.worker))
        return events

    recorder.record(decide)
    return ledger.trials[number]


def add(recorder: Recorder, told: Told, where: Callable[[], Place], key: str) -> Trial:
    """Store data that was not asked for, once per key. A point that is not a candidate has its own kind of event."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        if key in ledger.keys:
            return []
        number, task, domain, place = len(ledger.trials), ledger.task, ledger.task.domain, where()
        value, more = _all_of(told, task).on_record(task)
        data: dict[str, Any] = {"params": place.params, "row": domain.row_of(place.point), "index": place.index, **more}
        if place.index is None:
            data["x"] = place.x.tolist()
        if place.context:
            data["context"] = list(place.context)
        if place.inside:
            return [recorder.event("added", number, value, **data, key=key)]
        what = "not a row of the table" if domain.has_rows else "outside the space"
        note = f"{what}: used as data, never suggested"
        return [recorder.event("added_outside", number, value, **data, note=note, key=key)]

    recorder.record(decide)
    return ledger.trials[ledger.keys[key][0]]


def link(recorder: Recorder, earlier: str, results: Callable[[], dict[str, Source]], key: str) -> None:
    """Store data of an earlier study, once; a study has one such source."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        if key in ledger.links:
            return []
        if ledger.sources:
            raise StudyConflict("this study has data of an earlier one already; one is the most it can have.")
        sources = {name: source_to_data(source) for name, source in results().items()}
        return [recorder.event("linked", sources=sources, earlier=earlier, key=key)]

    recorder.record(decide)


def amend(recorder: Recorder, number: int, told: Told, reason: str) -> Trial:
    """Store a correction of a result, or of some outcomes of it (None: it failed)."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        trial, task = ledger.trials[number], ledger.task
        if trial.status == "released" or not trial.values:
            raise TrialConflict(f"trial {number} has no result to amend: it is {trial.status}. Use tell.")
        values = dict.fromkeys(trial.values) if told.values is None else told.values
        missing = [name for name in values if name not in trial.values]
        if missing:
            raise TrialConflict(f"trial {number} has no result of {missing[0]} to amend. Use tell.")
        changed = _unlike(trial, trial.values, values, told)
        if not changed:
            return []
        value, data = Told(changed, told.noise_of(changed)).on_record(task)
        return [recorder.event("amended", number, value, **data, reason=reason)]

    recorder.record(decide)
    return ledger.trials[number]


def use(recorder: Recorder, number: int, used: bool, reason: str) -> Trial:
    """Exclude a result, or include it again."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        trial = ledger.trials[number]
        if trial.status in ("pending", "released"):
            raise TrialConflict(
                f"trial {number} has no result: it is {trial.status}. Use release for a trial that will not be run."
            )
        if trial.excluded != used:
            return []
        return [recorder.event("included" if used else "excluded", number, reason=reason)]

    recorder.record(decide)
    return ledger.trials[number]


def release(recorder: Recorder, number: int, reason: str) -> Trial:
    """Release a pending trial."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        trial = ledger.trials[number]
        if trial.status == "released":
            return []
        if trial.status != "pending":
            raise TrialConflict(f"trial {number} is not pending: it was already {_had(trial, list(trial.values))}.")
        if trial.values:
            missing = [outcome.name for outcome in ledger.task.outcomes if outcome.name not in trial.values]
            raise TrialConflict(
                f"trial {number} has a result of {', '.join(trial.values)} already. Tell {' and '.join(missing)}, or "
                f"that it failed: tell({number}, failed={missing!r})."
            )
        return [recorder.event("released", number, reason=reason)]

    recorder.record(decide)
    return ledger.trials[number]


def renew(recorder: Recorder, number: int) -> Trial:
    """Renew the lease of a pending trial."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        if ledger.trials[number].status != "pending" or recorder.seconds is None:
            return []
        return [recorder.event("renewed", number, worker=recorder.worker, lease=recorder.lease())]

    recorder.record(decide)
    return ledger.trials[number]


def extend(recorder: Recorder, raw: Raw, reason: str) -> list[Any]:
    """Append candidates to the table; returns the ids of the new ones."""
    ledger, before = recorder.ledger, 0

    def decide() -> list[Event]:
        nonlocal before
        task = ledger.task
        rows = further_rows(task.space, raw)
        before = task.domain.n_candidates or 0
        if not len(rows):
            return []
        with_table(task, extended_table(task.space, rows))  # what cannot be added up is not stored
        columns = {name: list(values) for name, values in rows.columns.items()}
        named = None if rows.ids is None else list(rows.ids)
        return [recorder.event("extended", columns=columns, ids=named, reason=reason)]

    recorder.record(decide)
    domain = ledger.task.domain
    return [domain.name_of(index) for index in range(before, domain.n_candidates or 0)]


def exclude_row(recorder: Recorder, index: int, row: Any, reason: str) -> None:
    """Take a candidate off the list of what may be suggested."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        return [] if index in ledger.excluded else [recorder.event("row_excluded", index=index, row=row, reason=reason)]

    recorder.record(decide)


def include_row(recorder: Recorder, index: int, row: Any, reason: str) -> None:
    """Put a candidate back on the list."""
    ledger = recorder.ledger

    def decide() -> list[Event]:
        return [recorder.event("row_included", index=index, row=row, reason=reason)] if index in ledger.excluded else []

    recorder.record(decide)


def _all_of(told: Told, task: Task) -> Told:
    """Complete a result: if the whole trial failed, every outcome failed."""
    return Told(dict.fromkeys(outcome.name for outcome in task.outcomes)) if told.values is None else told


def _unlike(trial: Trial, known: Values, values: Values, told: Told) -> Values:
    """The values that differ from the stored ones, in number or in noise."""
    if not known:
        return {}
    said, had = told.noise, trial.noise
    return {
        name: value
        for name, value in values.items()
        if name in known and (value, said.get(name, {})) != (known[name], had.get(name, {}))
    }


def _had(trial: Trial, names: list[str]) -> str:
    """The stored results of some outcomes; by name if there are several."""
    if trial.status == "failed":
        return "failed"
    if len(trial.values) == 1 and trial.status == "told":
        return f"told {trial.value!r}"
    return "told " + " and ".join(f"{name} {_or_failed(trial.values[name])}" for name in names)


def _now(task: Task, values: Values) -> str:
    if all(value is None for value in values.values()):
        return "failing it"
    if len(task.outcomes) == 1:
        return f"telling {values[task.objective.name]!r}"
    return "telling " + " and ".join(f"{name} {_or_failed(value)}" for name, value in values.items())


def _or_failed(value: float | None) -> str:
    return "failed" if value is None else repr(value)
