"""What may not be written can be read: by command, by Study.open, and with read_only=True."""

import shutil
import sqlite3
import subprocess
import sys

import pytest
from tests.study.stores.workers import SETTINGS, command_obeying, lines, loop_obeying, read_obeying, run, value_of

from regretless import Event, InvalidInput, StoreReadOnly, StoreUnreachable, Study, UnknownStudy, replay
from regretless.study import MemoryStore
from regretless.study.stores import SqlStore, schema

SETTINGS = {**SETTINGS, "n_initial": 4}


@pytest.fixture(params=["sqlite", "old sqlite"])
def path(request, tmp_path):
    if request.param == "old sqlite":
        request.getfixturevalue("old_sqlite")
    folder = tmp_path / request.param.split()[0]
    folder.mkdir()
    yield folder / "lab.study.db"
    folder.chmod(0o755)  # pytest deletes it


def fill(study, count=6):
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, value_of(trial))


def close(path, *what):
    """Take the right to write from the file or its folder."""
    for each in what:
        each.chmod(0o444 if each == path else 0o555)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def read(path, log) -> list[str]:
    process = run(read_obeying, str(path), str(log))
    process.join(120)
    return lines(log)


@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_it_is_read_and_not_written(path, tmp_path, what):
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study)
    for beside in path.parent.glob("*-journal"):  # it was copied there, without its journal
        beside.unlink()
    before = contents(path.parent)
    close(path, *{"file": [path], "folder": [path.parent], "both": [path, path.parent]}[what])
    said = read(path, tmp_path / "log")
    assert said[0] == "told 6", said
    assert said[-1] == "done", said
    refused = [line for line in said if line.startswith("refused")]
    assert len(refused) == 3, said
    assert all("may be read but not written" in line and "Copy it" in line for line in refused)
    assert contents(path.parent) == before  # no file was made beside it that would be in its owner's way


@pytest.mark.parametrize("closed", [True, False])
def test_it_is_read_while_its_owner_writes(path, tmp_path, closed):
    with Study.open(path, "s", **SETTINGS) as study:
        for told in (6, 7):
            path.chmod(0o644)  # the owner has the right, and the file open all the time
            path.parent.chmod(0o755)
            fill(study, told - len(study))
            close(path, *([path, path.parent] if closed else [path]))
            said = read(path, tmp_path / f"log{told}")
            assert (said[0], said[-1]) == (f"told {told}", "done"), said
        path.parent.chmod(0o755)


def test_what_a_program_left_that_was_killed(path, tmp_path):
    """The log is read where it lies, as long as SQLite can; else the message says what to do."""
    copy = tmp_path / path.parent.name / "copy"
    copy.mkdir()
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study)
        for file in path.parent.glob("lab*"):
            shutil.copy(file, copy / file.name)
    place = copy / path.name
    logs = (copy / f"{path.name}-wal").exists()
    close(place, place, copy)
    said = read(place, tmp_path / "log")
    assert (said[0], said[-1]) == ("told 6", "done"), said
    copy.chmod(0o755)
    if logs:
        (copy / f"{path.name}-shm").unlink()
        close(place, copy)
        said = read(place, tmp_path / "log2")
        assert said[-1].startswith("error StoreReadOnly"), said
        assert "Copy both files" in said[-1]
        copy.chmod(0o755)
    place.chmod(0o644)
    with Study.open(place, "s") as study:
        assert len(study) == 6
        fill(study, 1)


@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_a_write_that_was_interrupted(path, tmp_path, what, old_sqlite):
    """It has to be undone before anything is read, and that is writing: the message says so."""
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study)
    copy = path.parent / "copy"
    copy.mkdir()
    place = copy / path.name
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA cache_size=1")  # so that pages are written before the commit
    writer.execute("BEGIN IMMEDIATE")
    for _ in range(200):
        writer.execute("UPDATE regretless_events SET data = data || zeroblob(4000)")
        writer.execute("UPDATE regretless_events SET data = 'gone'")
    for part in ("", "-journal"):
        shutil.copy(f"{path}{part}", f"{place}{part}")
    writer.close()
    close(place, *{"file": [place], "folder": [copy], "both": [place, copy]}[what])
    said = read(place, tmp_path / "log")
    assert said[-1].startswith("error StoreReadOnly"), said
    assert "interrupted while it wrote" in said[-1]
    copy.chmod(0o755)
    place.chmod(0o644)
    with Study.open(place, "s") as study:
        assert len(study) == 6


@pytest.mark.parametrize("command", ["status", "export", "replay", "report", "suggest"])
def test_commands(path, tmp_path, command):
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study)
    close(path, path, path.parent)
    out = tmp_path / "out"
    more = {"report": ["--html", str(out)], "export": ["--out", str(out)]}.get(command, [])
    process = run(command_obeying, str(path.parent), str(tmp_path / "log"), command, *more)
    process.join(120)
    code, said = lines(tmp_path / "log")[0].split(maxsplit=1)
    if command == "suggest":
        assert code == "1"
        assert "may be read but not written" in said
    else:
        assert code == "0", said
        assert out.exists() == bool(more)


def test_a_new_study_where_nothing_may_be_written(path, tmp_path):
    close(path, path.parent)
    process = run(loop_obeying, str(path), str(tmp_path / "log"), 1, SETTINGS)
    process.join(120)
    said = lines(tmp_path / "log")
    assert said[-1].startswith("error StoreReadOnly"), said
    assert "cannot be made" in said[-1]
    assert list(path.parent.iterdir()) == []


@pytest.mark.skipif(shutil.which("unshare") is None, reason="mounts need a namespace of their own (Linux)")
def test_a_file_system_that_is_mounted_read_only(tmp_path):
    """An empty one, and one with a study, as a CD or a snapshot would be."""
    place = tmp_path / "disk"
    place.mkdir()
    with Study.open(place / "lab.db", "s", **SETTINGS) as study:
        fill(study)
    code = f"""
from regretless import *
study = Study.open({str(place / "lab.db")!r}, "s")
print(len(study), study.certificate().bound >= 0)
for call in (study.ask, lambda: Study.open({str(place / "new.db")!r}, "s", space={{"x": (0.0, 1.0)}})):
    try: call()
    except StoreReadOnly as error: print("refused", error)
"""
    mounts = f"mount --bind '{place}' '{place}' && mount -o remount,bind,ro '{place}'"
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
    if subprocess.run([*unshare, mounts], capture_output=True).returncode != 0:
        pytest.skip("this system does not let us mount")
    done = subprocess.run(
        [*unshare, f'{mounts} && exec "$0" -c "$1"', sys.executable, code], capture_output=True, text=True
    )
    said = done.stdout.splitlines()
    assert said[0] == "6 True", done
    assert [line.split()[0] for line in said[1:]] == ["refused", "refused"], done
    assert "cannot be made" in said[2]


# read_only=True -----------------------------------------------------------------------------------------------------


def test_read_only_writes_nothing(place):
    with Study.open(place, "s", **SETTINGS) as study:
        fill(study)
        pending, before = study.ask(), study.events()
    with Study.open(place, "s", read_only=True) as study:
        assert study.events() == before
        assert study.best is not None
        study.recommend()
        study.certificate()
        study.refresh()
        assert all(entry.matches for entry in replay(study))
        for write in (
            study.ask,
            lambda: study.ask(3, key="k"),
            lambda: study.tell(pending, 1.0),
            lambda: study.tell(pending, failed=True),
            lambda: study.add({"x": 0.5, "y": 0.5}, 1.0),
            lambda: study.amend(0, 1.0, reason="why"),
            lambda: study.exclude(0, "why"),
            lambda: study.release(pending),
            lambda: study.certificate(record=True),
            lambda: study.optimize(lambda _: 1.0, 1),
        ):
            with pytest.raises(StoreReadOnly, match="read_only=True"):
                write()
        assert study.events() == before
    with pytest.raises(UnknownStudy, match="without read_only"):
        Study.open(place, "other", space={"x": (0.0, 1.0)}, read_only=True)
    assert Study.names(place) == ["s"]


def test_a_user_of_a_server_who_may_only_read(server):
    place = server.new_database()
    with Study.open(place, "s", **SETTINGS) as study:
        fill(study)
    name = place.split("/")[3].split("?")[0]
    with server.connect(name) as connection:
        connection.execute(f"CREATE ROLE guest_{name} LOGIN")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest_{name}")
    with Study.open(place.replace("tests@", f"guest_{name}@"), "s") as study:
        assert len(study) == 6
        study.certificate()
        with pytest.raises(StoreReadOnly, match="may not write"):
            study.ask()


@pytest.mark.parametrize("name", ["a b.db", "50%.db", "q?mode=ro.db", "#1.db", "ü'\"&.db", "%41.db"])
def test_names_that_a_url_would_take_apart(path, name):
    path = path.with_name(name)
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study, 2)
    assert name in {file.name for file in path.parent.iterdir()}
    with Study.open(path, "s", read_only=True) as study:
        assert len(study) == 2
    assert Study.names(path) == ["s"]


def test_the_database_itself_refuses(place):
    """Not only our own journal: the connection cannot write."""
    Study.open(place, "s", **SETTINGS).close()
    store = SqlStore(place, read_only=True)
    with pytest.raises(StoreReadOnly):
        store.create("t", {}, "me")
    with pytest.raises(StoreReadOnly):
        store.journal("s").write(0, lambda _: [Event(1, 0.0, "me", "certified")])
    store.close()


def test_read_only_makes_no_file(path):
    with pytest.raises(UnknownStudy):
        Study.open(path, "s", space={"x": (0.0, 1.0)}, read_only=True)
    assert list(path.parent.iterdir()) == []
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study)
    before = contents(path.parent)
    with Study.open(path, "s", read_only=True) as study:
        assert len(study) == 6
    assert contents(path.parent) == before


def test_read_only_follows_a_writer(path):
    """From one state to the next, whoever opens and closes the file in between."""
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study, 1)
    reader = Study.open(path, "s", read_only=True)
    for n in range(2, 6):
        with Study.open(path, "s") as writer:
            fill(writer, 1)
            reader.refresh()
            assert len(reader) == n
        reader.refresh()
        assert len(reader) == n


@pytest.mark.parametrize("read_only", [None, 1, "yes"])
def test_read_only_is_checked(read_only):
    with pytest.raises(InvalidInput, match="read_only"):
        Study.open(MemoryStore(), "s", space={"x": (0.0, 1.0)}, read_only=read_only)


def test_read_only_on_any_store():
    store = MemoryStore()
    Study.open(store, "s", **SETTINGS).ask()
    study = Study.open(store, "s", read_only=True)
    with pytest.raises(StoreReadOnly):
        study.tell(0, 1.0)
    assert len(study.events()) == 1


def test_old_tables_are_not_upgraded(path, monkeypatch):
    Study.open(path, "s", **SETTINGS).close()
    monkeypatch.setattr(schema, "REVISION", schema.REVISION + 1)
    monkeypatch.setattr("regretless.study.stores.migrate.REVISION", schema.REVISION)
    with pytest.raises(StoreReadOnly, match=r"have to be upgraded.*read_only=True"):
        Study.open(path, "s", read_only=True)


def test_what_may_not_even_be_read(path, tmp_path):
    with Study.open(path, "s", **SETTINGS) as study:
        fill(study)
    path.chmod(0o000)
    said = read(path, tmp_path / "log")
    assert said[-1].startswith("error StoreUnreachable"), said
    path.chmod(0o644)


def test_a_file_that_is_gone(path):
    with Study.open(path, "s", **SETTINGS) as study:
        study.close()
        for file in path.parent.iterdir():
            file.unlink()
        with pytest.raises(StoreUnreachable):
            study.ask()
        assert list(path.parent.iterdir()) == []
