"""Names that have changed: the old ones work, warn, and name the new ones; what was stored under them opens."""

import copy
import pickle
import shutil
import warnings
from pathlib import Path

import pytest
import sqlalchemy as sa

import regretless
from regretless import Certificate, Event, Study, maximize
from regretless.deprecation import RenamedWord
from regretless.study.stores import SqlStore

OLD = Path(__file__).parent / "stores" / "data" / "schema_1.db"


def deprecated(new):
    return pytest.warns(DeprecationWarning, match=f"it is called {new} now")


def stored_kinds(path):
    with SqlStore(path).backend.reading() as connection:
        return connection.execute(sa.text("SELECT kind FROM regretless_events")).scalars().all()


def study():
    return Study({"x": (0.0, 1.0)}, seed=1)


def test_a_warning_points_at_the_line_that_uses_the_old_name():
    made = study()
    trial = made.ask()
    made.release(trial)
    for use in (
        lambda: regretless.RemainingRegret,
        lambda: trial.record,
        lambda: made.about,
        lambda: made.trials[0].status == "lost",
        lambda: maximize(lambda x: float(x[0]), [(0.0, 1.0)], 3, seed=1, progress=False, catch=ValueError),
        lambda: made.optimize(lambda params: params["x"], 1, progress=False, catch=ValueError),
    ):
        with pytest.warns(DeprecationWarning, match="is deprecated") as caught:
            use()
        assert caught[0].filename == __file__


def test_remaining_regret_is_certificate():
    with deprecated("regretless.Certificate"):
        assert regretless.RemainingRegret is Certificate
    assert "RemainingRegret" not in regretless.__all__
    with pytest.raises(AttributeError, match="NoSuchName"):
        regretless.NoSuchName  # noqa: B018


def test_record_of_a_trial_is_details():
    made = study()
    for _ in range(6):
        trial = made.tell(made.ask(), 0.5)
    with deprecated("Trial.details"):
        assert trial.record == trial.details
    assert {"mean", "sd"} <= set(trial.details)


def test_about_is_metadata(tmp_path):
    path, notes = tmp_path / "s.db", {"bench": 3}
    with deprecated("metadata="), Study.open(path, "s", space={"x": (0.0, 1.0)}, about=notes) as made:
        assert made.metadata == notes
    with Study.open(path, "s") as again, deprecated("Study.metadata"):
        assert again.about == again.metadata == notes
    with pytest.raises(regretless.InvalidInput, match="metadata"):
        Study.open(path, "other", space={"x": (0.0, 1.0)}, metadata={"f": print})


@pytest.mark.parametrize("stored", [False, True])
def test_lost_is_released(tmp_path, stored):
    made = Study.open(tmp_path / "s.db", "s", space={"x": (0.0, 1.0)}) if stored else study()
    trial = made.release(made.ask(), "broke")
    event = made.events()[-1]
    for word in (trial.status, event.kind):
        assert word == "released"
        assert "released" == word  # noqa: SIM300
        assert word in {"released"}
        with deprecated("'released'"):
            assert word == "lost"
        with deprecated("'released'"):
            assert not word != "lost"  # noqa: SIM202
        assert word not in {"told"}
        assert word != 3
    assert made.release(trial).status == "released"  # again: nothing new
    assert repr(made).endswith("1 released)")


def test_a_renamed_word_is_copied_with_what_it_was():
    word = RenamedWord("released", "lost")
    for twin in (copy.deepcopy(word), pickle.loads(pickle.dumps(word))):
        assert (twin, type(twin)) == ("released", RenamedWord)
        with deprecated("'released'"):
            assert twin == "lost"
    assert type(str(word)) is str


def test_databases_that_say_lost_open_and_say_released(tmp_path):
    path = tmp_path / "old.db"
    shutil.copy(OLD, path)
    assert "lost" in stored_kinds(path)
    assert "released" not in stored_kinds(path)
    with warnings.catch_warnings(), Study.open(path, "table") as table:
        warnings.simplefilter("error")
        assert [trial.number for trial in table.trials if trial.status == "released"] == [3]
        assert [event.number for event in table.events() if event.kind == "released"] == [3]
        assert table.tell(3, 0.5).status == "told"  # a trial that was released may still be told
    assert Event(1, 0.0, "me", "lost").kind == "released"


def test_new_databases_say_released(tmp_path):
    path = tmp_path / "new.db"
    with Study.open(path, "s", space={"x": (0.0, 1.0)}) as made:
        made.release(made.ask())
    assert stored_kinds(path) == ["asked", "released"]
