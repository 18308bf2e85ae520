"""Studies in a database: SQLite by default, PostgreSQL if several machines share a study."""

import os
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from regretless.errors import (
    InvalidInput,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreReadOnly,
    StoreUnreachable,
    StudyConflict,
)
from regretless.study.journal import Decide, Event
from regretless.study.stores import schema
from regretless.study.stores.migrate import revision_of, upgrade
from regretless.study.stores.postgres import Postgres
from regretless.study.stores.retry import patiently
from regretless.study.stores.rows import events_of, from_json, rows_of, spec_digest, to_json
from regretless.study.stores.sqlite import Sqlite

__all__ = ["SqlJournal", "SqlStore"]

Result = TypeVar("Result")

#: Seconds to wait for a server that has never answered.
_FIRST = 3.0

_EVENTS = schema.events.c
_SINCE = (
    sa.select(*[column for column in _EVENTS if column.name != "study"])
    .where(_EVENTS.study == sa.bindparam("study"), _EVENTS.seq > sa.bindparam("after"))
    .order_by(_EVENTS.seq)
)
_DIGEST = sa.select(_EVENTS.digest).where(_EVENTS.study == sa.bindparam("study"), _EVENTS.seq == sa.bindparam("after"))


class SqlStore:
    """The studies of one database.

    Parameters
    ----------
    place
        The path of an SQLite file, or a URL: ``sqlite:///lab.db``, ``postgresql://user:password@host/database``.
    patience
        Seconds to keep trying while others write or a server restarts; after that it is an error.
    read_only
        Whether to refuse all writing. A store without write permission can be read without this.

    Examples
    --------
    >>> SqlStore("no/such/file.db").names()
    []
    """

    def __init__(self, place: str | Path, *, patience: float = 30.0, read_only: bool = False) -> None:
        self.backend: Sqlite | Postgres = _backend(place, read_only)
        self.patience = patience
        self._checked = False
        self._process = os.getpid()
        weakref.finalize(self, _dispose, self.backend.engine, self._process)

    def names(self) -> list[str]:
        """The names of all studies, sorted; none where there is no such file."""
        if not self._ready(make=False):
            return []
        query = sa.select(schema.studies.c.name)
        return sorted(self.read(lambda connection: list(connection.execute(query).scalars())))

    def spec(self, name: str) -> Mapping[str, Any] | None:
        """What a study was created with; None where there is none of that name."""
        row = self._row(name)
        return None if row is None else from_json(row.spec)

    def create(self, name: str, spec: Mapping[str, Any], author: str) -> None:
        """Add a study; `StudyConflict` where there is one of that name."""
        self._ready(make=True)
        now, text = time.time(), to_json(spec)
        digest = spec_digest(name, now, author, text)
        content = {"name": name, "time": now, "author": author, "spec": text, "digest": digest}

        def insert(connection: sa.Connection) -> None:
            try:
                connection.execute(sa.insert(schema.studies), content)
            except sa.exc.IntegrityError:
                raise StudyConflict(f"there is a study called {name!r} in {self.backend.where} already.") from None

        self.write(insert)

    def journal(self, name: str) -> "SqlJournal":
        """The events of a study that exists."""
        row = self._row(name)
        assert row is not None
        return SqlJournal(self, row.id, name, row.digest)

    # For journals ---------------------------------------------------------------------------------------------------

    def read(self, action: Callable[[sa.Connection], Result]) -> Result:
        """Run a function that only reads."""

        def attempt() -> Result:
            with self._own().reading() as connection:
                return action(connection)

        return self._patiently(attempt)

    def write(self, action: Callable[[sa.Connection], Result]) -> Result:
        """Run a function in one transaction."""

        def attempt() -> Result:
            with self._own().writing() as connection:
                return action(connection)

        return self._patiently(attempt)

    def close(self) -> None:
        """Let go of connections."""
        self.backend.engine.dispose()

    # Inside ---------------------------------------------------------------------------------------------------------

    def _own(self) -> Sqlite | Postgres:
        """The backend, without connections of a parent process: two processes must not share one."""
        if self._process != os.getpid():
            self.backend.engine.dispose(close=False)
            self._process = os.getpid()
        return self.backend

    def _patiently(self, attempt: Callable[[], Result]) -> Result:
        reach = None if self._checked else min(self.patience, _FIRST)
        try:
            return patiently(attempt, where=self.backend.where, seconds=self.patience, reach=reach)
        except (StoreBusy, StoreFull) as error:
            if self.backend.has_locks:
                raise
            raise StoreUnreachable(
                f"{self.backend.where}: locks do not work on its file system. Use a local disk, or PostgreSQL."
            ) from error

    def _row(self, name: str) -> Any:
        if not self._ready(make=False):
            return None
        query = sa.select(schema.studies).where(schema.studies.c.name == name)
        row = self.read(lambda connection: connection.execute(query).one_or_none())
        if row is not None and row.digest != spec_digest(row.name, row.time, row.author, row.spec):
            raise StoreDamaged(
                f"what study {name!r} in {self.backend.where} was created with is not as it was written: it was "
                "damaged or edited. Nothing was changed. Restore it from a backup."
            )
        return row

    def _ready(self, *, make: bool) -> bool:
        """Whether our tables exist; they are made on request, upgraded if old, and checked once."""
        if self._checked:
            return True
        if not self.backend.exists:
            if not make:
                return False
            assert isinstance(self.backend, Sqlite)
            new = self.backend
            self._patiently(lambda: new.make(upgrade))
        self.read(self.backend.check)  # check first: a damaged file may look like one without our tables
        revision = self.read(lambda connection: revision_of(connection, self.backend.where))
        if revision is None and not make:
            return False
        if revision != schema.REVISION:
            try:
                self.write(self._upgrade)
            except StoreReadOnly as error:
                raise StoreReadOnly(
                    f"its tables are old and have to be upgraded before they are read; {error}"
                ) from None
        self._checked = True
        return True

    def _upgrade(self, connection: sa.Connection) -> None:
        self.backend.lock_schema(connection)
        if revision_of(connection, self.backend.where) != schema.REVISION:  # nobody was faster
            upgrade(connection)


class SqlJournal:
    """The events of one study in a database."""

    def __init__(self, store: SqlStore, study: int, name: str, digest: str) -> None:
        self._store = store
        self._study = study
        self._first = digest
        self._at = (0, digest)  # how far was read, and the digest there
        self._where = f"study {name!r} in {store.backend.where}"

    def read(self, after: int) -> list[Event]:
        """All events whose ``seq`` is larger, in order."""
        return self._store.read(lambda connection: self._since(connection, after)[0])

    def write(self, after: int, decide: Decide) -> list[Event]:
        """Append in one transaction what ``decide`` returns."""

        def append(connection: sa.Connection) -> tuple[list[Event], str]:
            self._store.backend.lock_study(connection, self._study)
            missed, digest = self._since(connection, after)
            events = list(decide(missed))
            if events:
                rows = rows_of(self._study, events, digest)
                connection.execute(sa.insert(schema.events), rows)
                digest = rows[-1]["digest"]
            return events, digest

        events, digest = self._store.write(append)
        if events:
            self._at = (events[-1].seq, digest)
        return events

    def turn(self) -> AbstractContextManager[Any]:
        """One asker at a time."""
        return self._store.backend.turn(self._study)

    def now(self) -> float:
        """The machine's clock for a file, else the server's."""
        return self._store.backend.now()

    def close(self) -> None:
        """Let go of connections."""
        self._store.close()

    def _since(self, connection: sa.Connection, after: int) -> tuple[list[Event], str]:
        key = {"study": self._study, "after": after}
        if after == 0:
            digest = self._first
        elif after == self._at[0]:
            digest = self._at[1]
        else:
            digest = connection.execute(_DIGEST, key).scalar() or ""
        events, last = events_of(connection.execute(_SINCE, key).all(), after, digest, self._where)
        self._at = (after + len(events), last)
        return events, last


def _backend(place: str | Path, read_only: bool) -> Sqlite | Postgres:
    if isinstance(place, Path) or "://" not in place:
        if str(place) in ("", ":memory:"):
            raise InvalidInput(
                f"store must be the path of a file, got {str(place)!r}. For one in memory use MemoryStore()."
            )
        return Sqlite(Path(place), read_only=read_only)
    try:
        url = sa.make_url(place)
    except sa.exc.ArgumentError as error:
        raise InvalidInput(f"the store's URL cannot be read: {error}.") from error
    kind = url.get_backend_name()
    if kind in ("postgresql", "postgres"):
        return Postgres(url, read_only=read_only)
    if kind == "sqlite" and url.database not in (None, "", ":memory:"):
        return Sqlite(Path(url.database), read_only=read_only)
    raise InvalidInput(
        f"a store is an SQLite file (sqlite:///lab.db) or PostgreSQL (postgresql://user@host/database), "
        f"got {url.render_as_string(hide_password=True)!r}."
    )


def _dispose(engine: sa.Engine, process: int) -> None:
    engine.dispose(close=process == os.getpid())
