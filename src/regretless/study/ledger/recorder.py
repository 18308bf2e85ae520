"""A ledger kept in step with its journal."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from regretless.study.journal import Event, Journal, Kind
from regretless.study.ledger.leases import Clock, Lease
from regretless.study.ledger.ledger import Ledger

__all__ = ["Recorder"]


class Recorder:
    """Reads events that others stored, and stores new ones.

    ``seconds`` is the length of leases, None for no end; ``retries`` how often a trial is offered again.
    """

    def __init__(
        self, journal: Journal, ledger: Ledger, *, author: str, seconds: float | None = None, retries: int = 0
    ) -> None:
        self.journal = journal
        self.ledger = ledger
        self.author = author
        self.seconds = seconds
        self.retries = retries
        self.worker = secrets.token_hex(8)
        self._clock: Clock | None = None

    @property
    def clock(self) -> Clock:
        """The store's clock, read once, when leases are first needed."""
        if self._clock is None:
            self._clock = Clock(self.journal.now())
        return self._clock

    def refresh(self) -> None:
        """Add the events that others have stored since."""
        self.ledger.extend(self.journal.read(self.ledger.seq))

    def event(self, kind: Kind, number: int | None = None, value: float | None = None, /, **data: Any) -> Event:
        """The next event."""
        return Event(self.ledger.seq + 1, time.time(), self.author, kind, number, value, data)

    def lease(self) -> dict[str, Any] | None:
        """A lease that begins now, for the record."""
        return None if self.seconds is None else Lease(self.seconds, self.clock.read()).to_data()

    def record(self, decide: Callable[[], Sequence[Event]]) -> None:
        """Store events in one transaction; ``decide`` sees a ledger with everything stored.

        Events of one decision are numbered consecutively.
        """

        def on(missed: Sequence[Event]) -> list[Event]:
            self.ledger.extend(missed)
            return [replace(event, seq=self.ledger.seq + 1 + i) for i, event in enumerate(decide())]

        self.ledger.extend(self.journal.write(self.ledger.seq, on))
