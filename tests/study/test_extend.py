"""Studies whose table gets further candidates."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.study.helpers import all_bits, bits, smooth, snapshot
from tests.study.torture import rules

from regretless import Exhausted, InvalidInput, Study, StudyConflict, Surrogate, Table, replay
from regretless.acquisition import IRGPUCB, RULES
from regretless.errors import StoreTooNew
from regretless.study.journal import Event, MemoryStore
from regretless.study.replays import asked_from

FIRST = [{"T": T, "acid": acid} for T in range(20, 70, 10) for acid in ("a", "b")]
MORE = [{"T": T, "acid": acid} for T in (70, 80) for acid in ("a", "b", "c")]


def measure(params):
    return smooth({"T": params["T"] / 25.0, "acid": params["acid"]})


def go_on(study, n):
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, measure(trial.params))


@pytest.mark.parametrize("name", RULES)
def test_every_rule_goes_on_with_all_candidates(name):
    study = Study(FIRST, seed=3, rule=rules()[name], repeats="never")
    go_on(study, 10)
    with pytest.raises(Exhausted):
        study.ask()
    assert study.extend(MORE) == tuple(range(10, 16))
    go_on(study, 6)
    assert {trial.row for trial in study.trials} == set(range(16))
    assert not any(trial.fallback for trial in study.trials)
    assert all(entry.matches for entry in replay(study))


def test_before_the_event_nothing_and_after_it_everything_counts():
    study = Study(FIRST, seed=3, rule=IRGPUCB("theory"))
    go_on(study, 6)
    plain = Study(FIRST, seed=3, rule=IRGPUCB("theory"))
    go_on(plain, 6)
    left = study.certificate()
    study.extend(MORE)
    assert all_bits(study) == all_bits(plain)
    assert asked_from(study, 5)[0].domain.n_candidates == 10
    go_on(study, 3)
    assert asked_from(study, 8)[0].domain.n_candidates == 16
    shift = 2.0 * np.log(16 / 2.0)
    assert all(trial.zeta > shift for trial in study.trials[6:])
    assert study.certificate().bound != left.bound
    whole = Study(FIRST + MORE, seed=3)
    scaled = study.space.X[:, 0] * 40.0 / 60.0
    np.testing.assert_allclose(scaled, whole.space.X[:, 0])


@pytest.mark.parametrize("name", ["irgp-ucb", "ts", "jes"])
@pytest.mark.parametrize("grows", [False, True], ids=["same columns", "a further column"])
def test_carried_reopened_and_replayed_bit_for_bit(name, grows):
    """One process that goes on, one that starts anew before every step, and the record."""
    first = FIRST[::2] if grows else FIRST  # only one acid: the column does not vary at first
    store = MemoryStore()
    made = {"seed": 3, "rule": rules()[name], "surrogate": Surrogate(refit_every=4)}
    kept = Study(first, **made)
    Study.open(store, "s", space=first, **made)
    for step in range(14):
        if step == 7:
            assert kept.extend(MORE) == Study.open(store, "s").extend(MORE)
        if step in (5, 10):
            for study in (kept, Study.open(store, "s")):
                study.add({"T": 45, "acid": "a"}, 0.1)
        one, other = kept.ask(), Study.open(store, "s").ask()
        assert bits(one) == bits(other)
        for study in (kept, Study.open(store, "s")):
            study.tell(one.number, measure(one.params))
            if step > 3:
                study.certificate()
    last = Study.open(store, "s")
    assert last.space == kept.space
    assert last.space.dim == 2
    assert last.recommend() == kept.recommend()
    assert last.certificate() == kept.certificate()
    assert all(entry.matches for study in (last, kept) for entry in replay(study))


def test_a_model_fitted_before_is_used_after_where_the_columns_are_the_same():
    for first, same in ((FIRST, True), (FIRST[::2], False)):
        study = Study(first, seed=3, surrogate=Surrogate(refit_every=50))
        go_on(study, 6)
        fit = study._fit
        assert fit is not None
        study.extend(MORE)
        assert (study._fit == fit) == same
        study.ask()
        assert len(study._fit.hyperparameters.lengthscale) == study.space.dim


def test_data_outside_become_those_of_a_new_row():
    study = Study(FIRST, seed=3, repeats="never")
    go_on(study, 4)
    outside = study.add({"T": 80, "acid": "b"}, 5.0)
    other = study.add({"T": 85, "acid": "b"}, 4.0)
    before = study.predict([FIRST[0]])
    study.extend(MORE)
    assert (outside.row, outside.note is None) == (None, False)
    now, still = study.trials[outside.number], study.trials[other.number]
    assert (now.row, now.note) == (study.space.index_of({"T": 80, "acid": "b"}), None)
    assert (still.row, still.note) == (None, other.note)
    # One level more: the prior of the column's length scale is a little wider.
    np.testing.assert_allclose(study.predict([FIRST[0]]), before, rtol=1e-3)
    go_on(study, 16 - 5)
    assert sum(trial.params == {"T": 80, "acid": "b"} for trial in study.trials) == 1


def test_others_read_it():
    store = MemoryStore()
    mine = Study.open(store, "s", space=FIRST, seed=1)
    theirs = Study.open(store, "s")
    go_on(mine, 4)
    theirs.refresh()
    theirs.recommend()
    assert mine.extend(MORE[:2], reason="they came today") == (10, 11)
    assert theirs.extend(MORE[:3]) == (12,)  # of those only one is new by now
    assert theirs.space.n_candidates == 13
    mine.refresh()
    assert mine.space == theirs.space
    event = next(event for event in mine.events() if event.kind == "extended")
    assert event.data == {
        "columns": {"T": [70, 70], "acid": ["a", "b"]},
        "ids": None,
        "reason": "they came today",
    }
    stale = Study.open(store, "s")
    mine.extend(MORE[3:])
    assert stale.add({"T": 80, "acid": "c"}, 1.0).row == 15  # found in the table as it is stored now


def test_an_ask_that_was_overtaken_is_made_again():
    """Another worker extends the table while a suggestion is computed: it is made of the longer table."""
    store = MemoryStore()
    mine, theirs = Study.open(store, "s", space=FIRST, seed=1, n_initial=2), Study.open(store, "s")
    go_on(mine, 4)
    journal, once = mine._recorder.journal, []
    write = journal.write

    def overtaken(after, decide):
        if not once:
            once.append(True)
            theirs.extend(MORE)
        return write(after, decide)

    journal.write = overtaken
    asked = mine.ask()
    journal.write = write
    assert once
    assert mine.events()[-1].data["seen"] == mine.events()[-2].seq
    assert asked_from(mine, asked.number)[0].domain.n_candidates == 16


def test_rows_excluded_before_stay_excluded():
    study = Study(FIRST, seed=1, repeats="never")
    study.exclude_row(9, "broken")
    study.extend(MORE)
    assert study.excluded_rows == (9,)
    study.exclude_row(15, "broken")
    go_on(study, 14)
    with pytest.raises(Exhausted):
        study.ask()
    assert not {9, 15} & {trial.row for trial in study.trials}


def test_bounds_of_the_shorter_table_are_not_remembered():
    """Patience looks at earlier certificates too: they are about the candidates there are now."""
    store = MemoryStore()
    study = Study.open(store, "s", space=FIRST, seed=1)
    go_on(study, 8)
    before = study._carried.look(study._history()).bound
    study.extend(MORE)
    fresh = Study.open(store, "s")
    after = study._carried.look(study._history()).bound
    assert after == fresh._carried.look(fresh._history()).bound
    assert after > before


def test_what_cannot_be_extended():
    mixed = Study({"n": (1, 3), "c": ["a", "b"]}, seed=1)
    with pytest.raises(InvalidInput, match=r"only a table can be extended.*new study"):
        mixed.extend([{"n": 4, "c": "a"}])
    with pytest.raises(InvalidInput, match="only a table"):
        Study([(0.0, 1.0)]).extend([[2.0]])
    study = Study(FIRST, seed=1)
    go_on(study, 3)
    before = snapshot(study)
    for rows in ([{"T": 1}], [{"T": 1000, "acid": "a"}], [{"T": "x", "acid": "a"}], 3, []):
        with pytest.raises(InvalidInput):
            study.extend(rows)
    with pytest.raises(InvalidInput, match="reason"):
        study.extend(MORE, reason=3)
    assert study.extend(FIRST) == ()
    assert snapshot(study) == before
    scales = Study(FIRST[::2], surrogate=Surrogate.known("rbf", (0.5,), signal_var=1.0, noise_var=0.1))
    with pytest.raises(InvalidInput, match="1 length scales, the space has 2 columns"):
        scales.extend(MORE)
    assert scales.events() == ()


def test_opening_with_the_rows_it_began_with_or_those_it_has():
    store, named = MemoryStore(), {"id": "name"}
    first = Table([{"name": "a", "T": 20}, {"name": "b", "T": 40}], **named)
    longer = Table([{"name": "a", "T": 20}, {"name": "b", "T": 40}, {"name": "c", "T": 60}], **named)
    study = Study.open(store, "s", space=first, seed=1)
    with pytest.raises(StudyConflict, match=r"2 candidates, given are 3.*study.extend"):
        Study.open(store, "s", space=longer)
    study.extend(longer)
    for space in (first, longer, study.space):
        assert Study.open(store, "s", space=space).space == study.space
    with pytest.raises(StudyConflict, match="candidate 1"):
        Study.open(store, "s", space=Table([{"name": "a", "T": 20}, {"name": "z", "T": 40}], **named))


def test_the_longer_table_can_be_the_space_of_another_study():
    store = MemoryStore()
    study = Study(FIRST, seed=1)
    study.extend(MORE)
    other = Study.open(store, "other", space=study.space, seed=1)
    again = Study.open(store, "other")
    assert again.space == other.space == study.space
    np.testing.assert_array_equal(again.space.X, study.space.X)


def test_a_kind_of_event_that_came_later_is_a_sentence():
    store = MemoryStore()
    study = Study.open(store, "s", space=FIRST, seed=1)
    store.journal("s").write(0, lambda _: [Event(1, 0.0, "someone", "transmuted")])
    with pytest.raises(StoreTooNew, match=r"event 1 .* 'transmuted'.*newer"):
        study.ask()
    with pytest.raises(StoreTooNew):
        Study.open(store, "s")


def test_a_kept_database_adds_up_to_the_same(tmp_path):
    """`stores/data/make_extended.py` wrote it: codes and numbers of candidates must stay what they were."""
    path = tmp_path / "extended.db"
    shutil.copy(Path(__file__).parent / "stores" / "data" / "extended.db", path)
    study = Study.open(path, "grown")
    assert [trial.row for trial in study.trials] == [
        *("A40", "A60", "B40", "B60", None, "B85s", "A20", "B85", "C85", "B20")
    ]
    assert [trial.number for trial in study.trials if trial.note] == [4]
    told = study._history().told
    assert told.index.tolist() == [1, 2, 4, 5, -1, 8, 7, 6, 3]
    assert told.inside.tolist() == [True] * 4 + [False] + [True] * 4
    assert told.X.tolist() == [
        *([0.0, 0.5, 0.0], [0.0, 1.0, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 0.0], [0.0, 1.2625, 0.0]),
        *([1.0, 1.625, 0.0], [1.0, 1.625, 1.0], [2.0, 1.625, 0.0], [1.0, 0.0, 0.0]),
    ]
    assert len(replay(study)) == 8
    assert [asked_from(study, number)[0].domain.n_candidates for number in (6, 7)] == [6, 9]
    study.tell(study.ask(), 1.0)
