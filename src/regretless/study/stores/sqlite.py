"""SQLite files: opening, locking and checking."""

import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import sqlalchemy as sa

from regretless.errors import StoreBusy, StoreDamaged, StoreReadOnly, StoreUnreachable
from regretless.study.stores.filelock import file_turn, locks_work
from regretless.study.stores.journaling import journal_mode, logs_ahead, on_network, why_not_ahead

__all__ = ["Sqlite", "driver"]

#: Bytes of the smallest page; SQLite treats a smaller file as being created.
_SMALLEST = 512
#: Seconds that SQLite itself waits for a lock; `patiently` waits on after that.
_BUSY = 5.0


@dataclass(frozen=True, slots=True)
class _Access:
    """How a connection was made: SQLite's words for it, why it does not write, and the file's state if unlocked."""

    query: str
    why_not: str = ""
    state: tuple[Any, ...] | None = None


class Sqlite:
    """One file. A write takes the only write lock at its beginning, so it never has to give up halfway.

    ``new`` is the journal mode of a file that is about to be made. A file that exists keeps the one it has.
    """

    def __init__(self, path: Path, *, read_only: bool = False, new: str | None = None) -> None:
        self.path = path.expanduser().absolute()  # the same file wherever the program goes
        self.where = str(path)
        self._read_only = read_only
        self._new = new
        self._driver = driver()
        self.engine = sa.create_engine(
            sa.URL.create("sqlite", database=str(self.path)),
            module=self._driver,
            connect_args={"timeout": _BUSY, "isolation_level": None},  # transactions begin where `writing` says so
            pool_size=2,
            max_overflow=-1,
            pool_use_lifo=True,
        )
        sa.event.listen(self.engine, "do_connect", self._connect)

    @property
    def exists(self) -> bool:
        """Whether the file exists. An empty one has lost its content: new files appear with their tables."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreUnreachable(f"{self.where} cannot be looked at: {error.strerror}. Check the path.") from error
        except ValueError as error:  # a NUL in it
            raise StoreUnreachable(f"{self.where!r} cannot be looked at: {error}. Check the path.") from error
        if stat.S_ISDIR(found.st_mode):
            raise StoreUnreachable(f"{self.where} is a folder. Give the path of a file in it, such as study.db.")
        if not stat.S_ISREG(found.st_mode):
            raise StoreUnreachable(f"{self.where} is no ordinary file. Give the path of one.")
        if found.st_size < _SMALLEST:
            raise StoreDamaged(
                f"{self.where} is (nearly) empty: it is not a database, or has lost what it held. Give the path of "
                "another file, restore it from a backup, or delete it if nothing in it is needed."
            )
        return True

    @property
    def has_locks(self) -> bool:
        """Whether waiting can help: SQLite mistakes a file system without locks for one where others hold them."""
        return locks_work(self.path.parent)

    def make(self, upgrade: Callable[[sa.Connection], None]) -> None:
        """Make a new file with its tables aside and rename it; if another process was faster, its file stays."""
        folder = self.path.parent
        if folder.is_dir() and not os.access(folder, os.W_OK):
            raise StoreReadOnly(
                f"{self.where} cannot be made: the folder {folder} may be read but not written. Choose another place, "
                "or change its permissions."
            )
        aside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}.new")
        other = type(self)(aside, new=journal_mode(self.path, self._driver.sqlite_version_info))
        try:
            with other.writing() as connection:
                upgrade(connection)
            other.engine.dispose()
            _put(aside, self.path)
        except OSError as error:
            raise StoreUnreachable(f"{self.where} cannot be made: {error.strerror}. Check the path.") from error
        finally:
            other.engine.dispose()
            for part in ("", "-journal", "-wal", "-shm"):
                with suppress(OSError):  # also where deleting is forbidden, since nothing was made
                    aside.with_name(aside.name + part).unlink()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection to read from."""
        with self.engine.connect() as connection:
            access: _Access = connection.info["access"]
            try:
                yield connection
            finally:
                if access.why_not:
                    connection.invalidate()  # permissions and other writers may be different next time
                if access.state not in (None, self._state()):
                    raise StoreBusy(f"{self.where}: another program wrote to it while it was read. Try again.")

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """An exclusive write transaction; committed at the end, rolled back on an error."""
        with self.engine.connect() as connection:
            access: _Access = connection.info["access"]
            if access.why_not:
                connection.invalidate()
                raise self._refused(access.why_not)
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            if self._why_not_ahead and connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal":
                raise self._refused(self._why_not_ahead)  # it was converted while we had it open
            yield connection
            try:
                connection.commit()
            except sa.exc.OperationalError as error:
                connection.invalidate()  # it would go back among the others with its transaction open
                if getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY"):  # we are the one writer
                    raise StoreBusy(
                        f"{self.where}: another program reads it and does not let go. Try again."
                    ) from error
                raise

    def lock_schema(self, connection: sa.Connection) -> None:
        """The write lock is on everything already."""

    def lock_study(self, connection: sa.Connection, study: int) -> None:
        """The write lock is on everything already."""

    def turn(self, study: int) -> AbstractContextManager[Any]:
        """One asker at a time; refused if the suggestion could not be stored."""
        why_not = self._access().why_not if self.path.exists() else ""
        if why_not:
            raise self._refused(why_not)
        return file_turn(self.path, study)

    def now(self) -> float:
        """The machine's clock."""
        return time.time()

    def check(self, connection: sa.Connection) -> None:
        """Check for damage that reading would miss, such as missing rows."""
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if found != "ok":
            raise StoreDamaged(f"{self.where} is damaged: {found}. Nothing was changed. Restore it from a backup.")

    # Inside ---------------------------------------------------------------------------------------------------------

    def _connect(self, _dialect: Any, record: Any, _arguments: Any, settings: Mapping[str, Any]) -> Any:
        while True:
            access = record.info["access"] = self._access()
            connection = None
            try:
                connection = self._driver.connect(f"{self.path.as_uri()}?{access.query}", uri=True, **settings)
                self._prepare(connection)
                return connection
            except self._driver.Error as error:
                if connection is not None:
                    connection.close()
                if self._access() != access:  # the last writer has just left, or one has come
                    continue
                if self._unfinished(error, access):
                    raise StoreReadOnly(
                        f"{self.where} cannot be read as it lies there: a program was interrupted while it wrote. Open "
                        "it once with the right to write to it and its folder, which puts it in order; or copy it "
                        f"together with {self.path.name}-journal to a folder of your own, and open the copy."
                    ) from error
                raise

    def _unfinished(self, error: Exception, access: _Access) -> bool:
        """Whether reading failed because an unfinished write has to be rolled back, for which permission is missing."""
        name = getattr(error, "sqlite_errorname", "")  # its beginning: not every driver says more
        closed = not os.access(self.path.parent, os.W_OK) and self._size("-journal")
        return (
            name.startswith("SQLITE_READONLY") if access.why_not else name.startswith("SQLITE_IOERR") and bool(closed)
        )

    def _access(self) -> _Access:
        """How the file can be used as it is now.

        Opening a file with a write-ahead log makes files beside it. If a reader without write permission made them,
        they would keep others from writing. So such a reader reads the file as it is, and checks for writers again.
        """
        if self._new is not None:
            return _Access("mode=rwc")
        state = self._state()
        ahead = logs_ahead(self.path, self._driver)
        why_not = self._why_not(ahead)
        if not why_not:
            return _Access("mode=rw")
        if not ahead:
            return _Access("mode=ro", why_not)
        if not self._size("-wal"):
            return _Access("immutable=1", why_not, state)
        if on_network(self.path) or not (os.access(self.path.parent, os.W_OK) or self._size("-shm")):
            raise StoreReadOnly(
                f"{self.where} cannot be read as it lies there: results in {self.path.name}-wal have not been merged "
                "into it. Copy both files to a folder of your own on a local disk, and open the copy."
            )
        return _Access("mode=ro", why_not)

    def _why_not(self, ahead: bool) -> str:
        """Why the file must not be written, and what to do; empty if it may."""
        if self._read_only:
            return "it was opened with read_only=True"
        if not os.access(self.path, os.W_OK):
            return "its permissions or its file system forbid it. Copy it, or ask its owner"
        if not os.access(self.path.parent, os.W_OK) and self._size("-wal" if ahead else "-journal") is None:
            return "its folder forbids to make a journal beside it. Copy it, or ask the folder's owner"
        return self._why_not_ahead if ahead else ""

    @cached_property
    def _why_not_ahead(self) -> str:
        return why_not_ahead(self.path, self._driver.sqlite_version_info)

    def _prepare(self, connection: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        if self._new is not None:
            cursor.execute(f"PRAGMA journal_mode={self._new}")
        else:
            cursor.execute("BEGIN")  # the mode cannot change in between
            cursor.execute("PRAGMA schema_version").fetchone()
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                cursor.execute("PRAGMA journal_mode=persist")  # which is this connection's own choice
            cursor.execute("COMMIT")
        cursor.close()

    def _state(self) -> tuple[Any, ...]:
        """A state that changes when somebody writes to a file with a write-ahead log."""
        try:
            found = self.path.stat()
        except OSError:  # connecting will say so
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns, self._size("-wal") or 0

    def _size(self, part: str) -> int | None:
        """Bytes of a file beside the database; None where there is none."""
        try:
            return self.path.with_name(self.path.name + part).stat().st_size
        except OSError:
            return None

    def _refused(self, why_not: str) -> StoreReadOnly:
        return StoreReadOnly(f"{self.where} may be read but not written: {why_not}. Nothing was changed.")


@cache
def driver() -> ModuleType:
    """Python's own SQLite, or that of the package pysqlite3 where it is installed and newer."""
    try:
        from pysqlite3 import dbapi2
    except ImportError:
        return sqlite3
    newer: bool = dbapi2.sqlite_version_info > sqlite3.sqlite_version_info
    return dbapi2 if newer else sqlite3


def _put(aside: Path, place: Path) -> None:
    """Give a file its name unless the name is taken, in one step."""
    with suppress(FileExistsError):
        try:
            place.hardlink_to(aside)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if not place.exists():
                aside.rename(place)
