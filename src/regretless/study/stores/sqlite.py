"""SQLite files: how they are opened, locked and checked."""

import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import sqlalchemy as sa

from regretless.errors import StoreDamaged, StoreUnreachable
from regretless.study.stores.turns import file_turn

__all__ = ["Sqlite", "driver", "journal_mode"]

#: Before this version several writers in WAL mode could corrupt a file (the fix is in its release notes).
_SAFE_WAL = (3, 51, 3)
#: File systems of other machines; shared memory, which WAL needs, does not work there.
_NETWORK = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "afs", "ceph", "gluster", "lustre", "beegfs")
#: Bytes of the smallest page; SQLite takes a smaller file for one that is just being made.
_SMALLEST = 512
#: Seconds that SQLite itself waits for a lock; `patiently` waits on after that.
_BUSY = 5.0


class Sqlite:
    """One file. A write takes the only write lock at its beginning, so that it never has to give up half way."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()  # the same file wherever the program goes
        self.where = str(path)
        url = sa.URL.create("sqlite", database=str(self.path))
        self.engine = self.reading = sa.create_engine(
            url, module=driver(), connect_args={"timeout": _BUSY}, pool_size=2, max_overflow=-1, pool_use_lifo=True
        )
        sa.event.listen(self.engine, "connect", self._prepare)

    @property
    def exists(self) -> bool:
        """Whether there is a file. One that is empty lost what it held: new ones appear with their tables in them."""
        try:
            empty = self.path.stat().st_size < _SMALLEST
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreUnreachable(f"{self.where} cannot be looked at: {error.strerror}. Check the path.") from error
        if empty and self.path.is_file():
            raise StoreDamaged(
                f"{self.where} is empty or nearly so: it is no database, or has lost what it held. Restore it from a "
                "backup, or delete it to begin anew."
            )
        return True

    def make(self, upgrade: Callable[[sa.Connection], None]) -> None:
        """A new file with its tables, made aside and put in place whole; where another was faster, theirs stays."""
        aside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}.new")
        other = type(self)(aside)
        try:
            with other.writing() as connection:
                upgrade(connection)
            other.engine.dispose()
            _put(aside, self.path)
        finally:
            other.engine.dispose()
            for part in ("", "-journal"):
                aside.with_name(aside.name + part).unlink(missing_ok=True)

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that nobody else can write in; committed at the end, undone by an error."""
        with self.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    def lock_schema(self, connection: sa.Connection) -> None:
        """The write lock is on everything already."""

    def lock_study(self, connection: sa.Connection, study: int) -> None:
        """The write lock is on everything already."""

    def turn(self, study: int) -> AbstractContextManager[Any]:
        """One asker at a time."""
        return file_turn(self.path, study)

    def now(self) -> float:
        """The machine's clock."""
        return time.time()

    def check(self, connection: sa.Connection) -> None:
        """Look for damage that reading would not notice, such as rows that are gone."""
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if found != "ok":
            raise StoreDamaged(f"{self.where} is damaged: {found}. Nothing was changed. Restore it from a backup.")

    def _prepare(self, connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where `writing` says so, and nowhere else
        wanted = journal_mode(self.path, driver().sqlite_version_info)
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != wanted:
            cursor.execute(f"PRAGMA journal_mode={wanted}")
        cursor.close()


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


def journal_mode(path: Path, version: tuple[int, ...], mounts: str | None = None) -> str:
    """``"wal"`` where several processes may safely use it, else the rollback journal, whose file stays: ``"persist"``.

    Making and deleting that file at every commit would cost about a fifth of the rate.

    >>> journal_mode(Path("/data/lab.db"), (3, 40, 1))
    'persist'
    >>> journal_mode(Path("/data/lab.db"), (3, 51, 3), "server:/export /data nfs4 rw 0 0")
    'persist'
    >>> journal_mode(Path("/data/lab.db"), (3, 51, 3), "/dev/sda1 / ext4 rw 0 0")
    'wal'
    """
    return "wal" if version >= _SAFE_WAL and not _on_network(path, mounts) else "persist"


def _on_network(path: Path, mounts: str | None) -> bool:
    """Whether the file is on another machine's disk; True where that cannot be known."""
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text()
        except OSError:
            return True
    folder = path.resolve().parent
    kinds = {Path(mount): kind for _, mount, kind, *_ in (line.split() for line in mounts.splitlines() if line)}
    inside = [mount for mount in kinds if folder.is_relative_to(mount)]
    return not inside or kinds[max(inside, key=lambda mount: len(mount.parts))].startswith(_NETWORK)
