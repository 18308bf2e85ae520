"""Tables and migrations: old files open, newer ones are refused, a migration is done or not done."""

import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from regretless import StoreTooNew, Study, replay
from regretless.study.stores import SqlStore, journaling, migrate, schema, sqlite

DATA = Path(__file__).parent / "data"


def test_the_migrations_lead_to_the_tables(place):
    store = SqlStore(place)
    store.create("s", {}, "me")
    with store.backend.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": schema.VERSION_TABLE})
        assert compare_metadata(context, schema.metadata) == []
        assert migrate.revision_of(connection, place) == schema.REVISION


def test_revisions_count_up():
    scripts = ScriptDirectory(str(migrate._SCRIPTS))
    revisions = [int(script.revision) for script in scripts.walk_revisions()]
    assert revisions == list(range(schema.REVISION, 0, -1))


def test_a_database_of_each_schema_is_kept():
    assert sorted(path.name for path in DATA.glob("schema_*.db")) == [
        f"schema_{revision}.db" for revision in range(1, schema.REVISION + 1)
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("schema_*.db")))
def test_old_databases_open(tmp_path, name):
    """`data/make.py` wrote them, with the version that had that schema."""
    path = tmp_path / name
    shutil.copy(DATA / name, path)
    assert Study.names(path) == ["minimum", "table"]
    table = Study.open(path, "table")
    assert [trial.status for trial in table.trials] == ["told", "failed", "told", "released", "told", "pending"]
    assert table.trials[0].value == 81.2
    assert table.trials[2].excluded
    assert table.excluded_rows == ("D40",)
    assert table.metadata == {"file": "scope.csv"}
    assert [event.author for event in table.events()] == ["ann"] * len(table.events())
    minimum = Study.open(path, "minimum")
    assert not minimum._task.surrogate.compress  # settings that came later
    assert not minimum._task.surrogate.fit_mean
    assert (minimum.direction, minimum.rule.name, minimum.objective) == ("minimize", "gp-ucb", "loss")
    assert minimum.best.value == min(trial.value for trial in minimum.trials if trial.status == "told")
    assert len(replay(minimum)) == 9
    for study in (table, minimum):
        study.tell(study.ask(), 1.0)
        study.close()


def test_a_newer_schema_is_refused_and_left_alone(place):
    Study.open(place, "s", space={"x": (0.0, 1.0)}).close()
    store = SqlStore(place)
    with store.backend.writing() as connection:
        connection.execute(sa.text(f"UPDATE {schema.VERSION_TABLE} SET version_num = '{schema.REVISION + 1}'"))
    for call in (
        lambda: Study.open(place, "s"),
        lambda: Study.names(place),
        lambda: Study.open(place, "new", space={"x": (0.0, 1.0)}),
    ):
        with pytest.raises(StoreTooNew, match="newer version"):
            call()
    with store.backend.reading() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM regretless_studies")).scalar() == 1


def test_a_migration_that_is_cut_short_leaves_nothing(place, monkeypatch):
    """It runs in one transaction: an error at its end undoes all of it, in every database."""
    done = migrate.upgrade

    def cut(connection, *arguments):
        done(connection, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr("regretless.study.stores.sql.upgrade", cut)
    with pytest.raises(KeyboardInterrupt):
        Study.open(place, "s", space={"x": (0.0, 1.0)})
    monkeypatch.undo()
    assert Study.names(place) == []
    if not place.startswith("postgresql"):
        assert list(Path(place).parent.iterdir()) == []
    assert Study.open(place, "s", space={"x": (0.0, 1.0)}).ask().number == 0


@pytest.mark.parametrize("version", [(3, 40, 1), (3, 51, 2), (3, 51, 3), (3, 53, 0)])
@pytest.mark.parametrize("kind", ["ext4", "nfs4", "cifs", "fuse.sshfs", "9p"])
def test_the_journal_by_version_and_file_system(version, kind):
    mounts = f"/dev/sda / ext4 rw 0 0\nserver:/lab /lab {kind} rw 0 0\n"
    expected = "wal" if version >= (3, 51, 3) and kind == "ext4" else "persist"
    assert journaling.journal_mode(Path("/lab/notes/lab.db"), version, mounts) == expected


def test_the_journal_that_is_used(place):
    if place.startswith("postgresql"):
        return
    Study.open(place, "s", space={"x": (0.0, 1.0)}).close()
    store = SqlStore(place)
    with store.backend.reading() as connection:
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    assert mode == journaling.journal_mode(Path(place), sqlite.driver().sqlite_version_info)
    if "/old/" in place:
        assert mode == "persist"
    store.close()


def test_at_most_two_commits_for_ask_and_tell(place):
    study = Study.open(place, "s", space={"x": (0.0, 1.0)}, seed=1, n_initial=2)
    engine = study._recorder.journal._store.backend.engine
    commits = []
    sa.event.listen(engine, "commit", commits.append)
    for n in range(1, 6):
        study.tell(study.ask(), float(n))
        assert len(commits) == 2 * n
    study.ask(5)
    assert len(commits) == 11
