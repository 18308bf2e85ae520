"""The events of a study and the stores that keep them, append-only."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from regretless.deprecation import RenamedWord
from regretless.errors import StoreReadOnly, StudyConflict

__all__ = ["RELEASED", "Decide", "Event", "Journal", "Kind", "MemoryJournal", "MemoryStore", "ReadOnlyJournal", "Store"]

Kind = Literal[
    "asked",  # a suggestion was made
    "offered",  # a trial whose lease had ended was handed to another worker
    "renewed",  # a lease began anew
    "told",
    "failed",
    "late",  # a result of a trial that was offered again and had ended by then; kept, not used
    "added",  # a result that was not asked for
    "added_outside",  # one of a point that is not a candidate
    "amended",  # a result was corrected
    "excluded",  # a result is not used any more
    "included",  # it is used again
    "row_excluded",  # a candidate is not suggested any more
    "row_included",  # it is suggested again
    "extended",  # the table got further candidates
    "released",  # a pending trial was taken back
    "certified",  # a certificate was put on record
    "linked",  # an earlier study became data of the model
]


#: The kind of such an event and the status of such a trial; both were called "lost", and are in older databases.
RELEASED: Any = RenamedWord("released", "lost")


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a study's record.

    Attributes
    ----------
    seq
        Counts from 1, without gaps.
    time
        Seconds since 1970, UTC, by the clock of the machine that wrote it. For people: nothing is decided by it.
    author
        Who caused it.
    kind
        What happened.
    number
        The trial concerned; None for rows and certificates.
    value
        What was measured, in the user's units and sign, where a value is part of it.
    data
        Everything else, as plain JSON.
    """

    seq: int
    time: float
    author: str
    kind: Kind
    number: int | None = None
    value: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if str(self.kind) in ("released", "lost"):
            object.__setattr__(self, "kind", RELEASED)


#: (events of others since) -> (events to append), numbered on from the last
Decide: TypeAlias = Callable[[Sequence[Event]], Sequence[Event]]


class Journal(Protocol):
    """The events of one study."""

    def read(self, after: int) -> list[Event]:
        """All events whose ``seq`` is larger, in order."""
        ...

    def write(self, after: int, decide: Decide) -> list[Event]:
        """Append events in one transaction: all of them are stored durably, or none.

        While no one else can write, ``decide`` gets the events after ``after`` and returns those to append, whose
        ``seq`` goes on without a gap; none to leave all as it is. It may be called again where a transaction had to be
        repeated: then the events of a first attempt that did get through are among those it is handed. What was
        appended is returned. An error of ``decide`` is passed on, and nothing is stored.
        """
        ...

    def turn(self) -> AbstractContextManager[Any]:
        """Let one asker in at a time, if possible: this only avoids computing suggestions that would be discarded."""
        ...

    def now(self) -> float:
        """Seconds by a clock that all users of the store share."""
        ...

    def close(self) -> None:
        """Close connections; the journal may be used again."""
        ...


class Store(Protocol):
    """Studies by their names."""

    def names(self) -> list[str]:
        """The names of all studies, sorted."""
        ...

    def spec(self, name: str) -> Mapping[str, Any] | None:
        """What the study was created with; None if there is no study of that name."""
        ...

    def create(self, name: str, spec: Mapping[str, Any], author: str) -> None:
        """Add a study; raises `StudyConflict` if the name is taken."""
        ...

    def journal(self, name: str) -> Journal:
        """The events of a study that exists."""
        ...


class MemoryJournal:
    """Events in a list."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def read(self, after: int) -> list[Event]:
        """All events whose ``seq`` is larger."""
        return self._events[after:]

    def write(self, after: int, decide: Decide) -> list[Event]:
        """Append what ``decide`` returns."""
        events = list(decide(self.read(after)))
        self._events += events
        return events

    def turn(self) -> AbstractContextManager[Any]:
        """Nobody else is there."""
        return nullcontext()

    def now(self) -> float:
        """The machine's clock."""
        return time.time()

    def close(self) -> None:
        """Nothing to close."""


class ReadOnlyJournal:
    """A journal that refuses to write."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def read(self, after: int) -> list[Event]:
        """All events whose ``seq`` is larger."""
        return self._journal.read(after)

    def write(self, after: int, decide: Decide) -> list[Event]:  # noqa: ARG002
        """Refused."""
        raise StoreReadOnly(
            "the study was opened with read_only=True, so nothing can be stored. Open it without. Nothing was changed."
        )

    def turn(self) -> AbstractContextManager[Any]:
        """Refuse before anything is computed: a suggestion would have to be stored."""
        self.write(0, lambda _: [])
        return nullcontext()

    def now(self) -> float:
        """The store's clock."""
        return self._journal.now()

    def close(self) -> None:
        """Let go of connections."""
        self._journal.close()


class MemoryStore:
    """Studies that live as long as this object, for tests and for trying things out.

    >>> from regretless import Study
    >>> store = MemoryStore()
    >>> study = Study.open(store, "first", space={"x": (0.0, 1.0)}, seed=1)
    >>> trial = study.tell(study.ask(), 0.5)
    >>> Study.open(store, "first").trials[0].value
    0.5
    """

    def __init__(self) -> None:
        self._studies: dict[str, tuple[Mapping[str, Any], MemoryJournal]] = {}

    def names(self) -> list[str]:
        """The names of all studies, sorted."""
        return sorted(self._studies)

    def spec(self, name: str) -> Mapping[str, Any] | None:
        """What the study was created with."""
        found = self._studies.get(name)
        return None if found is None else found[0]

    def create(self, name: str, spec: Mapping[str, Any], author: str) -> None:  # noqa: ARG002
        """Add a study."""
        if name in self._studies:
            raise StudyConflict(f"there is a study called {name!r} already.")
        self._studies[name] = (spec, MemoryJournal())

    def journal(self, name: str) -> MemoryJournal:
        """The events of a study."""
        return self._studies[name][1]
