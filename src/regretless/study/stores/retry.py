"""Errors of a database as errors of this package, and retries for transient failures."""

import random
import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa

from regretless.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnreachable,
)
from regretless.study.stores.sqlite import driver

__all__ = ["as_store_error", "patiently"]

Result = TypeVar("Result")

#: What a database may raise; SQLite's own errors come unwrapped while a connection is being made.
_RAISED: tuple[type[Exception], ...] = (sa.exc.SQLAlchemyError, sqlite3.Error, driver().Error)

#: And what was found out before SQLite had to say so.
_PASSED_ON: tuple[type[Exception], ...] = (*_RAISED, StoreBusy)

#: SQLite's names of what went wrong, by their beginning, longest first.
_SQLITE: dict[str, tuple[type[StoreError], str]] = {
    "SQLITE_BUSY": (StoreBusy, "others are writing to it. Try again"),
    "SQLITE_LOCKED": (StoreBusy, "others are writing to it. Try again"),
    "SQLITE_PROTOCOL": (StoreBusy, "others are writing to it. Try again"),
    "SQLITE_FULL": (StoreFull, "the disk is full. Make room and try again; nothing was changed"),
    "SQLITE_IOERR_WRITE": (
        StoreFull,
        "it cannot grow: the disk, a quota or a limit is full. Nothing was changed",
    ),
    "SQLITE_READONLY": (StoreReadOnly, "it may be read but not written. Check its permissions and those of its folder"),
    "SQLITE_PERM": (StoreReadOnly, "it may not be used. Check its permissions"),
    "SQLITE_CANTOPEN": (
        StoreUnreachable,
        "it cannot be opened. Check that its folder exists, and that it and what lies beside it may be used",
    ),
    "SQLITE_CORRUPT": (StoreDamaged, "it is damaged. Nothing was changed. Restore it from a backup"),
    "SQLITE_NOTADB": (StoreDamaged, "it is not a database. Give the path of another file, or restore it from a backup"),
    "SQLITE_IOERR": (StoreFull, "the disk may be full, or a quota or limit reached, or it fails. Nothing was changed"),
    "SQLITE_IOERR_READ": (StoreUnreachable, "the disk cannot be read"),
    "SQLITE_ERROR": (StoreDamaged, "its tables are not as they should be. Nothing was changed"),
}

#: PostgreSQL's five-letter codes, by their beginning.
_POSTGRES: dict[str, tuple[type[StoreError], str]] = {
    "08": (StoreUnreachable, "the connection was lost"),
    "57P": (StoreUnreachable, "the server is stopping or starting"),
    "25P03": (StoreUnreachable, "the server ended a transaction that had been idle for too long"),
    "40": (StoreBusy, "others are writing to it. Try again"),
    "55P03": (StoreBusy, "others are writing to it. Try again"),
    "57014": (StoreBusy, "it took too long to answer. Try again"),
    "53100": (StoreFull, "the server's disk is full. Nothing was changed"),
    "53": (StoreBusy, "the server has no room for another connection. Try again"),
    "25006": (StoreReadOnly, "it may be read but not written"),
    "42501": (StoreReadOnly, "this user may not write to it"),
    "42P01": (StoreDamaged, "its tables are not as they should be. Nothing was changed"),
    "42703": (StoreDamaged, "its tables are not as they should be. Nothing was changed"),
    "XX001": (StoreDamaged, "it is damaged. Nothing was changed. Restore it from a backup"),
    "XX002": (StoreDamaged, "it is damaged. Nothing was changed. Restore it from a backup"),
}

#: A wrong user, password or database name is not transient, nor is a problem with a file.
_FOREVER, _LOCAL = ("28", "3D"), ("SQLITE_CANTOPEN", "SQLITE_IOERR")


def as_store_error(error: Exception, where: str) -> StoreError:
    """The error to raise in place of a database's own."""
    original = error.orig if isinstance(error, sa.exc.DBAPIError) and error.orig is not None else error
    known = _known(original)
    if known is None and isinstance(original, sa.exc.TimeoutError):
        known = StoreBusy, "all connections are in use. Try again"
    kind, why = known or (StoreError, "the database refused")
    if kind is StoreBusy:  # all there is to say; "database is locked" helps nobody
        return kind(f"{where}: {why}.")
    name = getattr(original, "sqlite_errorname", "")
    return kind(f"{where}: {why}. ({' '.join(f'{name} {original}'.split()):.200})")


def patiently(action: Callable[[], Result], *, where: str, seconds: float, reach: float | None = None) -> Result:
    """Retry while others are busy or the connection is lost, for a limited time; then raise the error.

    ``reach`` is a separate limit for connecting, so that a mistyped address is reported soon. Pauses grow and are
    random, so that waiting processes do not all retry at once.
    """
    began, pause = time.monotonic(), 0.002
    while True:
        try:
            return action()
        except UnicodeDecodeError as error:  # Python's SQLite cannot even read the database's own message
            raise StoreDamaged(f"{where}: it is damaged. Nothing was changed. Restore it from a backup.") from error
        except _PASSED_ON as error:
            failure = error if isinstance(error, StoreBusy) else as_store_error(error, where)
            passing = isinstance(failure, StoreBusy | StoreUnreachable) and not _for_ever(error)
            allowed = seconds if reach is None or isinstance(failure, StoreBusy) else reach
            if not passing or time.monotonic() >= began + allowed:
                raise failure from (error if failure is not error else error.__cause__)
        time.sleep(random.uniform(0.5, 1.5) * pause)
        pause = min(2.0 * pause, 0.2)


def _known(error: BaseException) -> tuple[type[StoreError], str] | None:
    name = getattr(error, "sqlite_errorname", None)
    if name is not None:
        table = _SQLITE
    elif isinstance(error, _RAISED[1:]):
        return (StoreDamaged, "it is damaged") if "decode" in str(error).lower() else None
    else:
        name, table = getattr(error, "sqlstate", None), _POSTGRES
        if name is None and type(error).__name__ == "OperationalError":  # psycopg: no answer, so no code
            return StoreUnreachable, "the server does not answer"
    beginnings = sorted((key for key in table if name and name.startswith(key)), key=len)
    return table[beginnings[-1]] if beginnings else None


def _for_ever(error: Exception) -> bool:
    original = getattr(error, "orig", error)
    state = getattr(original, "sqlstate", None) or ""
    return state.startswith(_FOREVER) or getattr(original, "sqlite_errorname", "").startswith(_LOCAL)
