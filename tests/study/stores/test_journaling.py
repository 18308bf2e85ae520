"""The journal mode is a property of the file: nobody changes it by opening, and who may not use it is told so."""

import json
import re
import shlex
import sqlite3
import subprocess
import sys

import pytest
from tests.study.stores.workers import CONTEXT, NEVER_SAFE, SETTINGS, lines, loop, loop_old, numbers, run

from regretless import InvalidInput, StoreBusy, StoreReadOnly, StoreUnreachable, Study
from regretless.study.stores import SqlStore, convert, filelock, journaling, sqlite

NEW, SAFE = sqlite.driver(), journaling._SAFE_WAL

pytestmark = pytest.mark.skipif(
    NEW.sqlite_version_info < journaling._SAFE_WAL, reason="needs a new SQLite, which the extra sqlite brings"
)


@pytest.fixture
def old(monkeypatch):
    """``old()``: from here on an SQLite that may damage what it logs ahead; ``old(False)``: no more."""

    def switch(on=True):
        monkeypatch.setattr(sqlite, "driver", lambda: sqlite3 if on else NEW)
        monkeypatch.setattr(journaling, "_SAFE_WAL", NEVER_SAFE if on else SAFE)

    return switch


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lab.db"


@pytest.fixture
def ahead(path):
    """A file with a write-ahead log, made by a new SQLite, and nobody has it open."""
    with Study.open(path, "s", **SETTINGS) as study:
        study.tell(study.ask(), 1.0)
    assert mode(path) == "wal"
    return path


def mode(path) -> str:
    """As the header says, which is what counts; read when nobody in this process has the file open."""
    return {b"\x02\x02": "wal", b"\x01\x01": "rollback"}[path.read_bytes()[18:20]]


def step(path):
    with Study.open(path, "s") as study:
        study.tell(study.ask(), 1.0)
        return len(study)


def test_it_is_decided_when_the_file_is_made(path, old):
    Study.open(path, "s", **SETTINGS).close()
    assert mode(path) == "wal"
    old()
    second = path.with_name("second.db")
    Study.open(second, "s", **SETTINGS).close()
    assert mode(second) == "rollback"
    assert sorted(file.name for file in path.parent.iterdir()) == ["lab.db", "second.db", "second.db-journal"]


def test_a_new_sqlite_leaves_a_rollback_journal_alone(path, old):
    old()
    Study.open(path, "s", **SETTINGS).close()
    for i in range(4):
        old(i % 2)
        assert step(path) == i + 1
        assert mode(path) == "rollback"


def test_an_old_sqlite_reads_what_is_logged_ahead_and_does_not_write(ahead, old):
    before = ahead.read_bytes()
    old()
    with Study.open(ahead, "s") as study:
        assert study.trials[0].value == 1.0
        for write in (study.ask, lambda: study.tell(0, 2.0), lambda: study.exclude(0, "why")):
            with pytest.raises(StoreReadOnly, match=r"SQLite 3\..*pip install 'regretless\[sqlite\]'.*convert"):
                write()
    with pytest.raises(StoreReadOnly):
        Study.open(ahead, "other", **SETTINGS)
    assert ahead.read_bytes() == before
    assert list(ahead.parent.iterdir()) == [ahead]
    old(False)
    assert step(ahead) == 2


def test_what_the_message_advises_works(ahead, old):
    old()
    with pytest.raises(StoreReadOnly) as caught:
        step(ahead)
    advice = re.search(r"python (-c '.*'|-c \".*\")", str(caught.value))[1]
    done = subprocess.run(f"{shlex.quote(sys.executable)} {advice}", shell=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert mode(ahead) == "rollback"
    assert step(ahead) == 2


def test_an_old_sqlite_beside_a_new_one_that_has_it_open(ahead, old):
    """Not StoreBusy: to wait would not help. It reads what the other has written a moment ago."""
    with Study.open(ahead, "s") as writer:
        writer.tell(writer.ask(), 7.0)
        old()
        other = Study.open(SqlStore(ahead, patience=0.0), "s")
        assert other.trials[1].value == 7.0
        writer.tell(writer.ask(), 8.0)
        other.refresh()
        assert other.trials[2].value == 8.0
        with pytest.raises(StoreReadOnly, match="write-ahead log"):
            other.ask()
        writer.tell(writer.ask(), 9.0)
    assert mode(ahead) == "wal"


@pytest.mark.parametrize("made_by_old", [True, False])
def test_two_processes_with_different_versions(path, old, tmp_path, made_by_old):
    """The mode stays as it is; both work on a rollback journal, and the old one is refused where it must be."""
    old(made_by_old)
    Study.open(path, "s", **SETTINGS).close()
    before, barrier = mode(path), CONTEXT.Barrier(2)
    assert before == ("rollback" if made_by_old else "wal")
    logs = [tmp_path / "log0", tmp_path / "log1"]
    processes = [
        run(work, str(path), str(log), 15, {}, barrier) for work, log in zip((loop, loop_old), logs, strict=True)
    ]
    for process in processes:
        process.join(120)
    assert lines(logs[0])[-1] == "done"
    assert lines(logs[1])[-1].split()[:2] == (["done"] if made_by_old else ["error", "StoreReadOnly"])
    assert mode(path) == before
    told = sorted(number for log in logs for number in numbers(log, "told"))
    assert told == list(range(30 if made_by_old else 15))
    old(False)
    assert [trial.status for trial in Study.open(path, "s").trials] == ["told"] * len(told)


def test_a_file_converted_under_a_running_program(path, old):
    """It is looked at again in each transaction: the old one stops writing, and nothing is lost."""
    old()
    study = Study.open(path, "s", **SETTINGS)
    trial = study.ask()
    old(False)
    convert(path, "wal")
    with pytest.raises(StoreReadOnly, match="write-ahead log"):
        study.tell(trial, 1.0)
    assert study.events()[-1].kind == "asked"
    study.close()
    assert mode(path) == "wal"
    with Study.open(path, "s") as again:
        assert again.tell(trial, 1.0).value == 1.0


def test_converting_and_back(ahead):
    with Study.open(ahead, "s") as study:
        events = study.events()
    for journal in ("rollback", "rollback", "wal", "wal", "rollback"):
        convert(ahead, journal)
        assert mode(ahead) == journal
        with Study.open(ahead, "s") as study:
            assert study.events() == events


def test_what_is_open_is_not_converted(ahead):
    with Study.open(ahead, "s") as study:
        study.ask()
        with pytest.raises(StoreBusy, match="other programs have it open"):
            convert(ahead, "rollback")
        study.ask()
    assert mode(ahead) == "wal"


def test_what_cannot_be_converted(ahead, old, tmp_path):
    with pytest.raises(InvalidInput, match="'wal' or 'rollback'"):
        convert(ahead, "delete")
    with pytest.raises(StoreUnreachable, match="no file"):
        convert(tmp_path / "none.db", "wal")
    assert not (tmp_path / "none.db").exists()
    old()
    convert(ahead, "rollback")
    with pytest.raises(InvalidInput, match=r"3\.51\.3 or newer"):
        convert(ahead, "wal")


def test_a_network_file_system(ahead, monkeypatch):
    """Read where nobody has it open; else refused, since the other machine's memory cannot be seen."""
    writer = Study.open(ahead, "s")
    writer.tell(writer.ask(), 2.0)
    with monkeypatch.context() as patch:
        for module in (journaling, sqlite):
            patch.setattr(module, "on_network", lambda *_: True)
        with pytest.raises(StoreReadOnly, match="Copy both files"):
            Study.open(ahead, "s")
        writer.close()
        other = Study.open(ahead, "s")
        assert other.trials[1].value == 2.0
        with pytest.raises(StoreReadOnly, match=r"network file system.*PostgreSQL.*convert"):
            other.ask()
        new = ahead.with_name("new.db")
        Study.open(new, "s", **SETTINGS).close()
        assert mode(new) == "rollback"
    assert step(ahead) == 3


def test_a_change_while_it_is_read_without_locks_is_noticed(ahead):
    """The file is looked at again afterwards, and read anew where somebody wrote."""
    store, found = SqlStore(ahead, read_only=True), []

    def count(connection):
        found.append(connection.exec_driver_sql("SELECT count(*) FROM regretless_events").scalar())
        if len(found) == 1:
            step(ahead)
        return found[-1]

    assert store.read(count) == 4
    assert found == [2, 4]


def test_an_error_by_a_change_while_it_is_read_is_no_damage(ahead):
    store, calls = SqlStore(ahead, read_only=True), []

    def fail(connection):
        calls.append(connection)
        if len(calls) == 1:
            step(ahead)
            raise NEW.DatabaseError("malformed, since half of it is new")
        return len(calls)

    assert store.read(fail) == 2


def test_a_reader_who_never_lets_go(path, old, monkeypatch):
    """Of a file with a rollback journal: nobody writes, and nobody is said to."""
    monkeypatch.setattr(sqlite, "_BUSY", 0.1)
    old()
    Study.open(path, "s", **SETTINGS).close()
    study = Study.open(SqlStore(path, patience=0.3), "s")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM regretless_studies").fetchall()
    with pytest.raises(StoreBusy, match="reads it"):
        study.ask()
    reader.execute("COMMIT")
    assert study.ask().number == 0
    reader.close()


def test_a_file_system_without_locks(path, old, monkeypatch):
    """SQLite says busy there as well."""
    monkeypatch.setattr(sqlite, "_BUSY", 0.1)
    Study.open(path, "s", **SETTINGS).close()
    study = Study.open(SqlStore(path, patience=0.2), "s")
    other = NEW.connect(str(path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def no_locks(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(filelock.fcntl, "lockf", no_locks)
    with pytest.raises(StoreUnreachable, match="locks do not work"):
        study.ask()
    other.close()


@pytest.mark.parametrize("journal", ["wal", "rollback"])
def test_looking_breaks_no_lock(ahead, journal):
    """Who closes a file loses all locks on it: to look at the header in the plain way would let two write at once."""
    convert(ahead, journal)
    with Study.open(ahead, "s") as study:
        backend = study._recorder.journal._store.backend
        with backend.writing():
            assert journaling.logs_ahead(ahead, NEW) == (journal == "wal")
            code = (
                f"import {NEW.__name__} as s\nc = s.connect({json.dumps(str(ahead))}, timeout=0)\n"
                "try: c.execute('BEGIN IMMEDIATE'); print('got it')\nexcept s.OperationalError as e: print(e)"
            )
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert "locked" in done.stdout, done
