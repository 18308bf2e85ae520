"""Amending, excluding, including, releasing: what they change, and that nothing else does."""

from dataclasses import replace

import numpy as np
import pytest
from tests.study.helpers import bits, smooth, snapshot

from regretless import Exhausted, InvalidInput, Mixed, Study, Table, TrialConflict, UnknownTrial, replay
from regretless.study.replays import asked_from

ROWS = [{"id": f"{c}{t}", "c": c, "t": t} for c in "abc" for t in range(4)]


def table(**more):
    return Study(Table(ROWS, id="id"), seed=3, **more)


def told(study, count):
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, smooth({"t": trial.params["t"]}))
    return study


def test_a_corrected_study_suggests_what_one_that_was_right_at_once_does():
    """After a wrong value is amended the model is fitted anew, from nothing, as it is for one who never had it."""
    wrong, right = Study({"x": (0.0, 1.0)}, seed=1), Study({"x": (0.0, 1.0)}, seed=1)
    points = np.random.default_rng(0).random((8, 1)).round(3)
    for i, (x,) in enumerate(points.tolist()):
        wrong.add({"x": x}, 1e6 if i == 3 else np.sin(5 * x))
        right.add({"x": x}, np.sin(5 * x))
    wrong.recommend()
    wrong.amend(3, float(np.sin(5 * points[3, 0])), reason="typo")
    assert bits(wrong.ask()) == bits(right.ask())


@pytest.mark.parametrize("how", ["amend", "exclude"])
def test_a_fit_to_a_result_that_was_corrected_is_not_used_again(how):
    """The search goes on from the newest fit; one that has seen the old value must not be its start."""
    study = Study({"x": (0.0, 1.0)}, seed=1)
    for x in np.linspace(0, 1, 7).tolist():
        study.add({"x": round(x, 3)}, np.sin(5 * x))
    later = study.ask()
    assert study._fit is not None
    assert 2 in study._fit.trials
    study.tell(later, 0.3)
    correct = {"amend": lambda n: study.amend(n, 0.25, reason="typo"), "exclude": lambda n: study.exclude(n, "spilled")}
    correct[how](later.number)  # told after that fit
    assert study._fit is not None
    correct[how](2)
    assert study._fit is None


def test_an_outlier_that_is_set_aside_is_forgotten_by_the_model():
    study = Study({"x": (0.0, 1.0)}, seed=1)
    for x in np.linspace(0, 1, 9).tolist():
        study.add({"x": round(x, 3)}, np.sin(5 * x))
    clean = study.predict([{"x": 0.7}])[0][0]
    study.tell(study.ask(), 1e3)
    spoiled = study.ask()
    assert study.best.number == 9
    study.exclude(9, "spilled")
    study.tell(spoiled, np.sin(5 * spoiled.params["x"]))
    assert study.best.number != 9
    assert study.trials[9].excluded
    assert study.trials[9].value == 1e3  # on record all the same
    assert abs(study.predict([{"x": 0.7}])[0][0] - clean) < 0.1
    study.include(9)
    assert study.best.number == 9
    assert not study.trials[9].excluded
    assert all(entry.matches for entry in replay(study))


def test_what_is_set_aside_may_be_tried_again():
    study = Study(Table(ROWS, id="id", repeats="never"), seed=3)
    for _ in ROWS:
        study.tell(study.ask(), 1.0)
    with pytest.raises(Exhausted):
        study.ask()
    study.exclude(5, "wrong flask")
    assert study.ask().row == study.trials[5].row
    with pytest.raises(Exhausted):
        study.ask()


def test_excluded_rows_are_never_suggested():
    study = table(repeats="never")
    for row in ("a0", "b1", "c3"):
        study.exclude_row(row, "sold out")
    study.exclude_row("a0", "sold out")
    assert study.excluded_rows == ("a0", "b1", "c3")
    asked = {study.ask().row for _ in range(9)}
    assert asked == {row["id"] for row in ROWS} - {"a0", "b1", "c3"}
    with pytest.raises(Exhausted, match=r"tried or excluded \(3"):
        study.ask()
    study.include_row("b1", "back again")
    study.include_row("b1")
    assert study.ask().row == "b1"
    assert [event.kind for event in study.events()].count("row_included") == 1


def test_rows_excluded_where_repeats_are_allowed():
    study = told(table(n_initial=3), 4)
    for row in ROWS[1:]:
        study.exclude_row(row["id"], "sold out")
    assert {study.ask().row for _ in range(3)} == {"a0"}
    study.exclude_row("a0", "sold out")
    with pytest.raises(Exhausted, match="excluded"):
        study.ask()


def test_an_excluded_row_is_not_recommended_and_does_not_count():
    study = told(table(n_initial=3), 8)
    first, bound = study.recommend(), study.certificate().bound
    study.exclude_row(first.row, "sold out")
    second = study.recommend()
    assert second.row != first.row
    assert second.mean < first.mean
    certificate = study.certificate()
    assert certificate.row == second.row
    # Without the row that is better, the regret of the second best is small again; with it, it could not be.
    assert certificate.bound < first.mean - second.mean + bound
    study.include_row(first.row)
    assert study.recommend() == first
    assert study.certificate().bound == bound
    for row in ROWS:
        study.exclude_row(row["id"], "sold out")
    assert study.recommend() == first  # nothing is left: the model's opinion, then


def test_points_of_a_small_finite_space_can_be_excluded():
    study = Study(Mixed({"n": (1, 3), "c": ["a", "b"]}, repeats="never"), seed=1)
    study.exclude_row({"n": 2, "c": "b"}, "dangerous")
    assert study.excluded_rows == ({"n": 2, "c": "b"},)
    assert {"n": 2, "c": "b"} not in [dict(study.ask().params) for _ in range(5)]
    with pytest.raises(InvalidInput, match="listed"):
        Study({"x": (0.0, 1.0)}).exclude_row({"x": 0.5}, "no")


def test_failed_and_told_can_become_each_other():
    study = told(table(), 3)
    study.amend(1, failed=True, reason="contaminated")
    assert (study.trials[1].status, study.trials[1].value) == ("failed", None)
    study.amend(1, 4.0, reason="was fine")
    assert (study.trials[1].status, study.trials[1].value) == ("told", 4.0)
    before = len(study.events())
    study.amend(1, 4.0, reason="again")
    assert len(study.events()) == before


def test_the_first_answer_may_be_repeated_after_it_was_amended():
    """A worker that lost its connection says again what it had said; that is no conflict."""
    study = table()
    trial = study.ask()
    study.tell(trial, 812.0)
    study.amend(trial, 81.2, reason="typo")
    assert study.tell(trial, 812.0).value == 81.2
    with pytest.raises(TrialConflict, match="amend"):
        study.tell(trial, 5.0)


REFUSED = [
    ("amend what is pending", TrialConflict, lambda s: s.amend(3, 1.0, reason="no")),
    ("exclude what is pending", TrialConflict, lambda s: s.exclude(3, "no")),
    ("release what is told", TrialConflict, lambda s: s.release(0)),
    ("release what failed", TrialConflict, lambda s: s.release(2)),
    ("amend a stranger", UnknownTrial, lambda s: s.amend(9, 1.0, reason="no")),
    ("exclude a stranger", UnknownTrial, lambda s: s.exclude(-1, "no")),
    ("amend without a value", InvalidInput, lambda s: s.amend(0, reason="no")),
    ("amend with both", InvalidInput, lambda s: s.amend(0, 1.0, failed=True, reason="no")),
    ("amend with nan", InvalidInput, lambda s: s.amend(0, float("nan"), reason="no")),
    ("amend without a reason", InvalidInput, lambda s: s.amend(0, 1.0, reason="")),
    ("exclude without a reason", InvalidInput, lambda s: s.exclude(0, " ")),
    ("a reason that is a number", InvalidInput, lambda s: s.exclude(0, 3)),
    ("no such row", InvalidInput, lambda s: s.exclude_row("zz", "no")),
    ("an empty key", InvalidInput, lambda s: s.ask(key="")),
    ("a key that is a number", InvalidInput, lambda s: s.ask(key=3)),
    ("events after minus one", InvalidInput, lambda s: s.events(-1)),
]


@pytest.mark.parametrize(("what", "kind", "call"), REFUSED, ids=[what for what, _, _ in REFUSED])
def test_refused_and_nothing_changed(what, kind, call):
    study = told(table(), 2)
    study.tell(study.ask(), failed=True)
    study.ask()
    before = snapshot(study)
    with pytest.raises(kind):
        call(study)
    assert snapshot(study) == before


def test_a_certificate_on_record():
    study = told(table(), 8)
    left = study.certificate(record=True)
    event = study.events()[-1]
    assert (event.kind, event.data["bound"], event.data["sentence"]) == ("certified", left.bound, left.sentence)
    assert event.data["params"] == dict(left.params)
    study.certificate()
    assert len(study.events()) == event.seq


def test_what_a_suggestion_was_made_from():
    study = told(table(), 8)
    study.ask(3)
    task, history = asked_from(study, 9)
    assert (len(history.told), len(history.pending), task) == (8, 1, study._task)
    with pytest.raises(UnknownTrial):
        asked_from(study, 50)


def test_replay_says_what_does_not_match(monkeypatch):
    study = told(table(), 8)
    assert [entry.number for entry in replay(study)] == list(range(8))
    journal = study._recorder.journal
    tampered = [replace(event, value=99.0) if event.seq == 2 else event for event in journal.read(0)]
    monkeypatch.setattr(journal, "read", lambda after: tampered[after:])
    entries = replay(study)
    assert not all(entry.matches for entry in entries)
    worst = next(entry for entry in entries if not entry.matches)
    assert worst.expected != worst.found
