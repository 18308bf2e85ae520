"""Replaying a study: every suggestion is computed again from the record and compared with the stored one."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from regretless.errors import RegretlessError, UnknownTrial
from regretless.optimizer import History, State, Task, suggest
from regretless.study.asking import suggestion_data
from regretless.study.journal import Event
from regretless.study.ledger import Ledger
from regretless.study.study import Study
from regretless.study.trial import Trial

__all__ = ["Replayed", "asked_from", "replay"]

#: The fields by which suggestions are compared.
_COMPARED = ("params", "row", "source", "details", "hyperparameters", "jitter", "fallback")


@dataclass(frozen=True, slots=True)
class Replayed:
    """One suggestion as stored and as computed again; ``found`` says why if it could not be computed."""

    number: int
    matches: bool
    expected: Mapping[str, Any]
    found: Mapping[str, Any]


def replay(study: Study) -> list[Replayed]:
    """Compute every suggestion of a study again, from the events it was made from.

    With the same versions on the same kind of machine all match bit for bit. Other versions of NumPy, SciPy or this
    package may round or choose differently: the record names the versions that made each suggestion.

    >>> study = Study({"x": (0.0, 1.0)}, seed=1)
    >>> for _ in range(8):
    ...     trial = study.ask()
    ...     trial = study.tell(trial, -(trial.params["x"] - 0.3) ** 2)
    >>> all(entry.matches for entry in replay(study))
    True
    """
    state: State | None = None
    replayed: list[Replayed] = []
    for event, ledger in _asked(study):
        entry, state = _again(ledger, event, state)
        replayed.append(entry)
    return replayed


def asked_from(study: Study, number: int) -> tuple[Task, History]:
    """The inputs of a trial's suggestion: `regretless.optimizer.suggest` computes the same suggestion from them.

    >>> study = Study({"x": (0.0, 1.0)}, seed=1)
    >>> for _ in range(8):
    ...     trial = study.ask()
    ...     trial = study.tell(trial, -(trial.params["x"] - 0.3) ** 2)
    >>> task, history = asked_from(study, 7)
    >>> suggestion, _ = suggest(task, history, 7, None)
    >>> suggestion.record["zeta"] == trial.zeta
    True
    """
    for event, ledger in _asked(study):
        if event.number == number:
            return ledger.task, ledger.history()
    raise UnknownTrial(f"no trial {number} of this study was asked for.")


def _asked(study: Study) -> Iterator[tuple[Event, Ledger]]:
    """Each suggestion with the ledger as it was at that time; afterwards the ledger continues."""
    events = study.events()
    ledger = Ledger(study._created)
    later = list(reversed(events))  # not yet in the ledger, the next one last
    for batch in _batches(events):
        between = []
        while later[-1].seq < batch[0].seq:
            event = later.pop()
            if event.seq <= batch[0].data["seen"]:
                ledger.add(event)
            else:
                between.append(event)  # results that arrived while it was computed
        for event in batch:
            yield event, ledger
            ledger.add(event)
            later.pop()
        later += reversed(between)


def _batches(events: Iterable[Event]) -> list[list[Event]]:
    """The suggestions of each request, stored together."""
    batches: dict[str, list[Event]] = {}
    for event in events:
        if event.kind == "asked":
            batches.setdefault(event.data["key"], []).append(event)
    return list(batches.values())


def _again(ledger: Ledger, event: Event, state: State | None) -> tuple[Replayed, State | None]:
    """Suggest and compare; the ledger continues with the stored suggestion."""
    mark = ledger.mark()
    try:
        suggestion, state = suggest(ledger.task, ledger.history(), mark.count, state)
        ledger.add(replace(event, data={**event.data, **suggestion_data(suggestion, ledger)}))
        found = _summary(ledger.trials[-1])
    except RegretlessError as error:
        found = {"error": str(error)}
    finally:
        ledger.back(mark)
    ledger.add(event)
    expected = _summary(ledger.trials[-1])
    ledger.back(mark)
    same = repr(expected) == repr(found)  # the repr of a float has all its bits
    return Replayed(mark.count, same, expected, found), state


def _summary(trial: Trial) -> dict[str, Any]:
    return {name: getattr(trial, name) for name in _COMPARED}
