"""Known constraints of the space, given to a study: kept, compared, and trusted where they are code."""

import pytest

from regretless import Box, InvalidInput, Study, StudyConflict, UntrustedCode, maximize, replay
from regretless.study import MemoryStore

PLANE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def below(params):
    return 1.0 - params["x"] - params["y"]


def test_a_study_takes_constraints_of_the_space_or_of_outcomes():
    study = Study(PLANE, constraints=["x + y <= 1"], seed=1)
    assert len(study.outcomes) == 1
    for _ in range(12):
        trial = study.ask()
        assert below(trial.params) >= -1e-9
        study.tell(trial, trial.params["x"] + 2.0 * trial.params["y"])
    assert below(study.recommend().params) >= -1e-9
    assert study.best.value > 1.9
    both = Study(Box(PLANE, constraints=["x + y <= 1"]), constraints={"fat": ("<=", 1.0)}, seed=1)
    assert [outcome.name for outcome in both.outcomes] == ["value", "fat"]
    assert below(both.ask().params) >= -1e-9


def test_on_a_table_rows_are_dropped():
    study = Study([{"a": a, "b": b} for a in range(5) for b in range(5)], constraints=["a + b <= 3"], seed=1)
    assert study.space.n_candidates == 10
    assert all(sum(trial.params.values()) <= 3 for trial in study.ask(6))


def test_they_are_stored_and_compared(tmp_path):
    path = tmp_path / "s.db"
    with Study.open(path, "s", space=PLANE, constraints=["x + y <= 1"], seed=1) as study:
        for _ in range(8):
            trial = study.ask()
            study.tell(trial, trial.params["x"])
    with Study.open(path, "s", space=PLANE, constraints=["x + y <= 1"]) as again:
        assert all(entry.matches for entry in replay(again))
    with pytest.raises(StudyConflict, match=r"its constraints are 'x \+ y <= 1'; given are 'x \+ y <= 0.5'"):
        Study.open(path, "s", space=PLANE, constraints=["x + y <= 0.5"])
    with pytest.raises(StudyConflict, match="given are none"):
        Study.open(path, "s", space=PLANE)
    with pytest.raises(InvalidInput, match="give space= beside them"):
        Study.open(path, "s", constraints=["x + y <= 1"])


def test_a_function_is_imported_only_where_it_is_trusted():
    store = MemoryStore()
    Study.open(store, "s", space=PLANE, constraints=[below], seed=1)
    with pytest.raises(UntrustedCode, match="nothing was imported"):
        Study.open(store, "s")
    again = Study.open(store, "s", trust=[below.__module__])
    assert below(again.ask().params) >= -1e-9
    with pytest.raises(InvalidInput, match="at the top of a module"):
        Study.open(store, "t", space=PLANE, constraints=[lambda params: params["x"] > 0.0])


def test_a_run_stays_inside():
    result = maximize(lambda p: p["x"] * p["y"], PLANE, 15, constraints=["x + y <= 1", "x >= 0.2"], seed=1)
    assert all(below(trial.params) >= -1e-9 and trial.params["x"] >= 0.2 for trial in result.history)
    assert result.fun == pytest.approx(0.25, abs=1e-3)


def test_what_is_measured_and_what_is_set_are_told_apart():
    with pytest.raises(InvalidInput, match="'x' is a parameter, and so is not measured"):
        Study(PLANE, constraints={"x": ("<=", 1.0)})
    with pytest.raises(InvalidInput, match=r"unknown parameter 'fat'.*on what is measured is a mapping"):
        Study(PLANE, constraints=["fat <= 0.5"])
