"""Files that are damaged, full, read-only, or no store at all: a clear error of ours, and nothing lost in silence."""

import random
import shutil

import pytest
from tests.study.stores.workers import SETTINGS, lines, loop_obeying, loop_with_little_room, numbers, run, value_of

from regretless import (
    InvalidInput,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreUnreachable,
    Study,
    UnknownStudy,
)
from regretless.study.stores import SqlStore, sqlite


@pytest.fixture(params=["sqlite", "old sqlite"])
def path(request, tmp_path):
    if request.param == "old sqlite":
        request.getfixturevalue("old_sqlite")
    folder = tmp_path / request.param.split()[0]
    folder.mkdir()
    return folder / "lab.db"


@pytest.fixture
def whole(path):
    """A file with a study, and what is in it."""
    with Study.open(path, "s", **SETTINGS) as study:
        for _ in range(12):
            trial = study.ask()
            study.tell(trial, value_of(trial))
        study.exclude(3, "a reason that is a little longer, so that more than one page is full of such reasons")
        return path, study.events(), study.trials


def look(path):
    """All that can be read of a study."""
    with Study.open(path, "s") as study:
        return study.events(), study.trials


def flip(whole, count, seed) -> int:
    """Change bytes one at a time; either it is noticed or nothing has changed. How often was it noticed?"""
    path, events, trials = whole
    good, rng, noticed = path.read_bytes(), random.Random(seed), 0
    for _ in range(count):
        at = rng.randrange(len(good))
        bad = bytearray(good)
        bad[at] ^= 1 << rng.randrange(8)
        path.write_bytes(bad)
        try:
            assert look(path) == (events, trials), f"byte {at} changed what is read"
        except StoreError:
            noticed += 1
        for other in path.parent.iterdir():
            if other != path:
                other.unlink(missing_ok=True)  # it may be closed only now
    path.write_bytes(good)
    assert look(path) == (events, trials)
    return noticed


def test_a_changed_byte_is_noticed_or_harmless(whole):
    assert flip(whole, 150, seed=1) > 15


@pytest.mark.slow
def test_thousands_of_changed_bytes_are_noticed_or_harmless(whole):
    assert flip(whole, 4000, seed=2) > 400


def test_rows_that_are_gone_are_noticed(whole):
    """The last row of each page is dropped from its list, as a damaged page may do: the rest would look sound."""
    path = whole[0]
    good, noticed = path.read_bytes(), 0
    size = int.from_bytes(good[16:18], "big")
    for page in range(len(good) // size):
        at = page * size + (100 if page == 0 else 0)
        count = int.from_bytes(good[at + 3 : at + 5], "big")
        if good[at] != 13 or not 0 < count < 100:  # 13: a page of rows
            continue
        bad = bytearray(good)
        bad[at + 3 : at + 5] = (count - 1).to_bytes(2, "big")
        path.write_bytes(bad)
        for more in ({}, SETTINGS):
            with pytest.raises(StoreError):
                Study.open(path, "s", **more)
        noticed += 1
    assert noticed >= 3


def test_changed_values_are_noticed(whole):
    """Edited with care, so that the file is sound."""
    path, _, _ = whole
    for statement in (
        "UPDATE regretless_events SET value = value + 1 WHERE number = 5 AND kind = 'told'",
        "UPDATE regretless_events SET data = replace(data, 'design', 'rule') WHERE seq = 3",
        "UPDATE regretless_events SET author = 'someone else' WHERE seq = 3",
        "DELETE FROM regretless_events WHERE seq = 4",
        "UPDATE regretless_studies SET spec = replace(spec, '2000', '2001')",
    ):
        copy = path.with_name("copy.db")
        shutil.copy(path, copy)
        store = SqlStore(copy)
        with store.backend.writing() as connection:
            assert connection.exec_driver_sql(statement).rowcount == 1
        store.close()
        with pytest.raises(StoreDamaged, match="not as it was written"):
            look(copy)


def test_truncated_files_are_noticed(whole):
    path, events, trials = whole
    good = path.read_bytes()
    sizes = [*range(0, len(good), len(good) // 16), 1, 99, 100, 512, 4096, len(good) - 1]
    for size in sizes:
        path.write_bytes(good[:size])
        for more in ({}, SETTINGS):  # also where a study would be created if there were none
            with pytest.raises(StoreError):
                Study.open(path, "s", **more)
        assert path.read_bytes() == good[:size]  # nothing was changed
    path.write_bytes(good)
    assert look(path) == (events, trials)


def test_what_is_no_database_is_left_alone(path):
    path.write_text("temperature,yield\n20,0.5\n" * 200)
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="not a database"):
        Study.open(path, "s", **SETTINGS)
    with pytest.raises(StoreDamaged):
        Study.names(path)
    assert path.read_bytes() == before
    path.write_text("budget = 3\n")  # a small file of another kind: not one to delete
    with pytest.raises(StoreDamaged, match=r"Give the path of another file.* delete it if nothing in it is needed"):
        Study.open(path, "s", **SETTINGS)
    assert path.read_text() == "budget = 3\n"


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(StoreUnreachable, match="folder exists"):
        Study.open(tmp_path / "no" / "folder" / "lab.db", "s", **SETTINGS)
    with pytest.raises(StoreUnreachable, match=r"is a folder\. Give the path of a file"):
        Study.open(tmp_path, "s", **SETTINGS)
    assert Study.names(tmp_path / "none.db") == []
    with pytest.raises(UnknownStudy, match="no studies yet"):
        Study.open(tmp_path / "none.db", "s")
    assert list(tmp_path.iterdir()) == []
    for place in ("", ":memory:", "mysql://host/db", "sqlite://", 3, None):
        with pytest.raises(InvalidInput):
            Study.open(place, "s", **SETTINGS)


def test_a_full_disk(path, tmp_path):
    """The file may not grow: what was told before is there, nothing is half-written, and it goes on with more room."""
    place, log = str(path), tmp_path / "log"
    Study.open(place, "s", **SETTINGS).close()
    process = run(loop_with_little_room, place, str(log), 10_000, {}, 200_000)
    process.join(120)
    assert process.exitcode == 0
    assert lines(log)[-1].startswith("error StoreFull"), lines(log)[-1]
    with Study.open(place, "s") as study:
        told = numbers(log, "told")
        assert len(told) > 10
        assert all(study.trials[number].value == value_of(study.trials[number]) for number in told)
        assert len(study) - len(told) in (0, 1)
        study.tell(study.ask(), 1.0)


def test_a_read_only_file(path, tmp_path):
    folder, log = path.parent, tmp_path / "log"
    Study.open(path, "s", **SETTINGS).close()
    path.chmod(0o444)
    folder.chmod(0o555)
    before = path.read_bytes()
    process = run(loop_obeying, str(path), str(log), 3, {"author": "nobody"})
    process.join(120)
    folder.chmod(0o755)
    assert path.read_bytes() == before
    assert lines(log)[-1].split()[1] in ("StoreReadOnly", "StoreUnreachable"), lines(log)[-1]
    path.chmod(0o644)
    Study.open(path, "s").ask()


def test_a_writer_who_never_lets_go(path, monkeypatch):
    """After some patience a clear error, in our own words; and it goes on when the other is gone."""
    monkeypatch.setattr(sqlite, "_BUSY", 0.1)
    Study.open(path, "s", **SETTINGS).close()
    study = Study.open(SqlStore(path, patience=0.5), "s")
    other = sqlite.driver().connect(str(path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="others are writing") as caught:
        study.ask()
    assert "locked" not in str(caught.value)
    other.execute("ROLLBACK")
    other.close()
    assert study.ask().number == 0


def test_a_folder_or_a_device_is_said_to_be_none(tmp_path):
    (tmp_path / "folder").mkdir()
    places = {tmp_path / "folder": "is a folder", "/dev/null": "no ordinary file", "a\0b.db": "null (byte|character)"}
    for place, what in places.items():
        with pytest.raises(StoreUnreachable, match=what):
            Study.names(place)
        with pytest.raises(StoreUnreachable, match=what):
            Study.open(place, "s", space={"x": (0.0, 1.0)})
