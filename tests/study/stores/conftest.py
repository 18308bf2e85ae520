import os
import sqlite3

import pytest
from tests.study.stores.postgres import Server
from tests.study.stores.workers import NEVER_SAFE

from regretless.study.stores import journaling, sqlite

#: Where PostgreSQL is tested against a server that the tests start; "skip" leaves that out, nothing else does.
POSTGRES = os.environ.get("REGRETLESS_TEST_POSTGRES", "start")


@pytest.fixture(scope="session")
def server():
    if POSTGRES == "skip":
        pytest.skip("REGRETLESS_TEST_POSTGRES=skip")
    server = Server()
    yield server
    server.close()


@pytest.fixture
def old_sqlite(monkeypatch):
    """Python's own SQLite even where a newer one is installed: the rollback journal instead of WAL."""
    monkeypatch.setattr(sqlite, "driver", lambda: sqlite3)
    monkeypatch.setattr(journaling, "_SAFE_WAL", NEVER_SAFE)


@pytest.fixture(params=["sqlite", "old sqlite", "postgres"])
def place(request, tmp_path):
    """An empty place for studies, of each kind."""
    if request.param == "postgres":
        return request.getfixturevalue("server").new_database()
    if request.param == "old sqlite":
        request.getfixturevalue("old_sqlite")
    folder = tmp_path / request.param.split()[0]
    folder.mkdir()
    return str(folder / "lab.db")
