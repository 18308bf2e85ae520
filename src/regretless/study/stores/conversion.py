"""Converting an SQLite file to another kind of journal, at its owner's request."""

from pathlib import Path
from typing import Literal

from regretless.errors import InvalidInput, StoreBusy, StoreReadOnly, StoreUnreachable
from regretless.study.stores import sqlite
from regretless.study.stores.journaling import why_not_ahead
from regretless.study.stores.retry import as_store_error

__all__ = ["convert"]

_MODES = {"wal": "wal", "rollback": "delete"}


def convert(path: str | Path, journal: Literal["wal", "rollback"]) -> None:
    """Convert a file to another kind of journal, while no other program has it open. Nothing else changes its kind.

    ``"wal"``, a write-ahead log, is faster; ``"rollback"`` works with every SQLite and on every file system.

    >>> import tempfile
    >>> from regretless import Study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Study.open(f"{folder}/lab.db", "s", space={"x": (0.0, 1.0)}).close()
    ...     convert(f"{folder}/lab.db", "rollback")
    ...     Study.names(f"{folder}/lab.db")
    ['s']
    """
    if journal not in _MODES:
        raise InvalidInput(f"journal must be 'wal' or 'rollback', got {journal!r}.")
    place, driver = Path(path).expanduser().absolute(), sqlite.driver()
    if not place.is_file():
        raise StoreUnreachable(f"there is no file {path}.")
    if journal == "wal" and why_not_ahead(place, driver.sqlite_version_info):
        raise InvalidInput(
            f"{path} keeps its journal: a write-ahead log needs a local disk and SQLite 3.51.3 or newer, which "
            "pip install 'regretless[sqlite]' brings."
        )
    connection = None
    try:
        connection = driver.connect(f"{place.as_uri()}?mode=rw", uri=True, timeout=1.0)
        found = connection.execute(f"PRAGMA journal_mode={_MODES[journal]}").fetchone()[0]
    except driver.Error as error:
        failure = as_store_error(error, str(path))
        if isinstance(failure, StoreBusy):
            failure = StoreBusy(f"{path}: other programs have it open. Close them first. Nothing was changed.")
        raise failure from error
    finally:
        if connection is not None:
            connection.close()
    if found != _MODES[journal]:
        raise StoreReadOnly(f"{path} could not be given another journal. Check its permissions. Nothing was changed.")
