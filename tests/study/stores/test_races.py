"""Others come in at the worst moment, on purpose: between computing and storing, and around a commit."""

from contextlib import contextmanager

import psycopg
import pytest
import sqlalchemy as sa

from regretless import StoreBusy, Study, Table, replay
from regretless.optimizer import suggest
from regretless.study import asking
from regretless.study.stores import filelock

TABLE = Table([{"t": i} for i in range(8)], repeats="never")


@pytest.fixture
def between(monkeypatch):
    """Calls of another worker, one after each suggestion that is computed, as long as there are any."""
    calls = []

    def interrupted(*arguments):
        made = suggest(*arguments)
        if calls:
            calls.pop(0)()
        return made

    monkeypatch.setattr(asking, "suggest", interrupted)
    monkeypatch.setattr(filelock, "_LONGEST", 0.0)  # nobody waits for a turn
    return calls


@pytest.fixture
def two(place):
    """Two workers, each with a connection of its own, and a history."""
    studies = [Study.open(place, "s", space=TABLE, seed=1, n_initial=2) for _ in range(2)]
    for study in studies:
        study._recorder.journal._store.backend.turn = lambda _: filelock.file_turn(filelock.Path("/nowhere"), 0)
    for _ in range(3):
        trial = studies[0].ask()
        studies[0].tell(trial, float(trial.params["t"]))
    studies[1].refresh()
    return studies


def check(study):
    study.refresh()
    assert [trial.number for trial in study.trials] == list(range(len(study)))
    rows = [trial.row for trial in study.trials if trial.status != "released"]
    assert len(set(rows)) == len(rows)
    assert all(entry.matches for entry in replay(study))


def test_another_asks_meanwhile(two, between):
    between += [lambda: two[1].ask()]
    assert two[0].ask().number == 4
    check(two[0])


def test_others_ask_again_and_again(two, between):
    between += [lambda: two[1].ask(), lambda: None, lambda: two[1].ask()]
    assert two[0].ask().number == 5
    check(two[1])


def test_another_adds_the_very_candidate(two, between):
    trial = Study.open(two[0]._recorder.journal._store, "s").ask()  # what will be suggested, and then is not
    two[0].release(trial)
    between += [lambda: two[1].add(row=trial.row, value=1.0)]
    assert two[0].ask().row != trial.row
    check(two[0])


def test_another_extends_the_table(two, between):
    between += [lambda: two[1].extend([{"t": 8}, {"t": 12}])]
    two[0].ask()
    made = two[0].events()[-1]
    assert made.data["seen"] == made.seq - 1  # computed again, with the longer table
    check(two[0])
    assert two[0].space == two[1].space
    assert {trial.row for trial in two[0].ask(6)} == set(range(10)) - {trial.row for trial in two[0].trials[:4]}
    check(two[1])


def test_a_result_is_placed_in_the_table_as_it_is_stored(two):
    """What was outside when it was looked at is a row when it is stored, and codes have a column more."""
    two[1].extend([{"t": 8}])
    assert two[0].add({"t": 8}, 1.0).row == 8
    assert two[1].add({"t": 8.5}, 1.0).note
    assert two[0].extend([{"t": 8.5}]) == (9,)
    two[1].refresh()
    assert two[1].trials[4].row == 9
    check(two[1])


def test_another_excludes_the_very_row(two, between):
    trial = two[0].ask()
    two[0].release(trial)
    between += [lambda: two[1].exclude_row(trial.row, "sold out")]
    assert two[0].ask().row != trial.row
    check(two[0])


def test_a_lost_trial_is_told_meanwhile(two, between):
    trial = two[0].ask()
    two[0].release(trial)
    between += [lambda: two[1].tell(trial, 3.0)]
    assert two[0].ask().row != trial.row
    check(two[0])


def test_a_result_that_comes_in_meanwhile_costs_nothing(two, between):
    """The suggestion stands, and says what it was computed from; the same bits come out again."""
    pending = two[1].ask()
    between += [lambda: two[1].tell(pending, 5.0)]
    trial = two[0].ask()
    kinds = [(event.kind, event.number) for event in two[0].events()[-2:]]
    assert kinds == [("told", pending.number), ("asked", trial.number)]
    assert two[0].events()[-1].data["seen"] == len(two[0].events()) - 2
    assert not between
    two[0].tell(trial, 1.0)
    two[1].ask()
    check(two[0])


def test_a_batch_with_a_result_in_the_middle(two, between):
    pending = two[1].ask()
    between += [lambda: None, lambda: two[1].tell(pending, 5.0)]
    assert [trial.number for trial in two[0].ask(3)] == [4, 5, 6]
    check(two[1])


def test_it_gives_up_in_the_end(two, between, monkeypatch):
    monkeypatch.setattr(asking, "_ATTEMPTS", 3)
    trial = two[1].ask()
    between += [lambda: two[1].exclude_row(0, "no"), lambda: two[1].include_row(0)] * 3
    with pytest.raises(StoreBusy, match="3 times"):
        two[0].ask()
    between.clear()
    assert two[0].ask().number == trial.number + 1
    check(two[0])


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_connection_that_breaks_around_a_commit(place, when):
    """Nobody knows whether a commit went through; done again, nothing is lost and nothing doubled."""
    study = Study.open(place, "s", space={"x": (0.0, 1.0)}, seed=1)
    backend = study._recorder.journal._store.backend
    whole, broken = backend.writing, []

    @contextmanager
    def writing():
        error = sa.exc.OperationalError("COMMIT", {}, psycopg.OperationalError("the connection is lost"))
        with whole() as connection:
            yield connection
            if when == "before" and not broken:
                broken.append(1)
                raise error
        if not broken:
            broken.append(1)
            raise error

    backend.writing = writing

    def breaking(call):
        broken.clear()
        result = call()
        assert broken
        return result

    trials = breaking(lambda: study.ask(2))
    breaking(lambda: study.tell(trials[0], 1.0))
    breaking(lambda: study.tell(trials[1], failed=True))
    breaking(lambda: study.add({"x": 0.5}, 2.0))
    breaking(lambda: study.amend(0, 3.0, reason="typo"))
    breaking(lambda: study.exclude(0, "doubtful"))
    kinds = ["asked", "asked", "told", "failed", "added", "amended", "excluded"]
    assert [event.kind for event in study.events()] == kinds
    assert Study.open(place, "s").trials == study.trials
