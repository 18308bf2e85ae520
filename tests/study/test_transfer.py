"""An earlier study as data: what counts, what is kept, and that nothing else changes."""

import numpy as np
import pytest
from tests.study.helpers import SPACES, all_bits, smooth

from regretless import InvalidInput, Study, StudyConflict, replay


def told(space, n, *, seed=1, f=smooth, **more):
    study = Study(space, seed=seed, **more)
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


@pytest.mark.parametrize("space", SPACES)
def test_the_same_problem_is_believed_and_replayed(space, tmp_path):
    old = told(SPACES[space](), 25)
    with Study.open(tmp_path / "new.db", "new", space=SPACES[space](), seed=2, n_initial=4) as new:
        assert new.add_study(old) == 25
        for _ in range(10):
            trial = new.ask()
            new.tell(trial, 5.0 * smooth(trial.params) - 40.0)
        bits, advice = all_bits(new), new.recommend()
        assert max(t.hyperparameters.get("rho", 0.0) for t in new.trials if t.hyperparameters) > 0.5
    with Study.open(tmp_path / "new.db", "new") as again:
        assert all_bits(again) == bits
        assert again.recommend() == advice
        assert all(entry.matches for entry in replay(again))
        assert len(again.trials) == 10  # the earlier results are none of this study's


def test_certificates_are_about_this_study():
    old, new = told(SPACES["table"](), 25), Study(SPACES["table"](), seed=2)
    new.add_study(old)
    for _ in range(9):
        trial = new.ask()
        new.tell(trial, smooth(trial.params))
    left = new.certificate()
    assert (left.used, left.told) == (9, 9)
    assert np.isfinite(left.bound)
    assert left.trust.light != "too few data"
    low, high = new.predict_measurement([trial.params for trial in new.trials])[1:]
    assert (low < high).all()


def test_models_without_it_are_not_used_any_more():
    """Also where a fit was made for a recommendation and is not on record."""
    old, new = told(SPACES["table"](), 25), told(SPACES["table"](), 6, seed=2, n_initial=4)
    before = new.recommend()
    new.add_study(old)
    after = new.recommend()
    assert after.mean != before.mean
    new._carried.forget()
    assert new.recommend() == after


def test_outcomes_go_by_name_and_parameters_too():
    old = told({"x": (0.0, 1.0)}, 8, f=lambda p: p["x"], objective="yield")
    new = Study({"x": (0.0, 1.0)}, objective="yield", constraints={"impurity": ("<=", 0.5)}, seed=3)
    assert new.add_study(old) == 8
    assert [source is not None for source in new._ledger.sources] == [True, False]
    with pytest.raises(InvalidInput, match="0 results of loss in this space; it takes 3"):
        Study({"x": (0.0, 1.0)}, objective="loss").add_study(old)
    with pytest.raises(InvalidInput, match="0 results of yield"):
        Study({"y": (0.0, 1.0)}, objective="yield").add_study(old)


def test_direction_is_that_of_this_study():
    """The earlier study maximised what is minimised now: its values are the same values."""
    old = told({"x": (0.0, 1.0)}, 8, f=lambda p: p["x"])
    up, down = (Study({"x": (0.0, 1.0)}, direction=way, seed=1) for way in ("maximize", "minimize"))
    for study in (up, down):
        study.add_study(old)
    up_z, down_z = (study._ledger.sources[0].z for study in (up, down))
    assert np.corrcoef(up_z, down_z)[0, 1] < -0.8  # what is wanted is above, in both


def test_one_source_once(tmp_path):
    with Study.open(tmp_path / "old.db", "first", space={"x": (0.0, 1.0)}, seed=1) as old:
        for trial in old.ask(5):
            old.tell(trial, trial.params["x"])
        old.exclude(0, "wrong flask")
    new = Study({"x": (0.0, 1.0)}, seed=2)
    assert new.add_study(tmp_path / "old.db", key="k") == 4
    events = new.events()
    assert new.add_study(tmp_path / "old.db", "first", key="k") == 4
    assert new.events() == events
    with pytest.raises(StudyConflict, match="one is the most"):
        new.add_study(tmp_path / "old.db")
    with pytest.raises(InvalidInput, match="earlier must be a Study or the path"):
        new.add_study(3)
    Study.open(tmp_path / "old.db", "second", space={"x": (0.0, 1.0)}).close()
    with pytest.raises(InvalidInput, match="say which study it is"):
        Study({"x": (0.0, 1.0)}).add_study(tmp_path / "old.db")
