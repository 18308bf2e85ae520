"""Data of points that are not candidates: the model knows them, and nothing else changes."""

import sys

import numpy as np
import pytest
from tests.study.helpers import SPACES, all_bits, smooth
from tests.study.torture import rules

from regretless import Exhausted, InvalidInput, Mixed, Study, Surrogate, Table, replay
from regretless.acquisition import EI, RULES
from regretless.optimizer.model import believe
from regretless.study import Regret
from regretless.study.journal import MemoryStore

#: Per space of the helpers, points that it does not hold.
OUTSIDE = {
    "box": [[2.2, 1.0], [0.5, -0.4], [2.5, 5.5]],
    "table": [[0.31, 0.62], [1.2, 0.4], [-0.2, -0.1]],
    "mixed": [
        {"x": 1.2, "l": 1.0, "n": 3, "c": "a"},
        {"x": 0.4, "l": 300.0, "n": 31, "c": "b"},
        {"x": 0.4, "l": 5e-5, "n": 0, "c": "c"},
    ],
    "listed": [{"n": 7, "c": "a", "o": 2}, {"n": 3, "c": "b", "o": 3}, {"n": 0, "c": "c", "o": 5}],
}
GRID = [{"T": T, "acid": acid} for T in range(20, 100, 10) for acid in ("HCl", "HNO3")]


def value_of(space, params):
    return smooth(params if isinstance(params, dict) else {f"x{i}": v for i, v in enumerate(params)})


def with_outside(space, **more):
    """A life with data outside, told, failed and excluded, between suggestions."""
    study = Study(SPACES[space](), seed=5, **more)
    points = OUTSIDE[space]
    for step in range(9):
        if step in (1, 3):
            study.add(points[step // 2], value_of(space, points[step // 2]))
        if step == 5:
            study.add(points[2], failed=True)
        if step == 6:
            study.exclude(study.add(points[0], 1e6), "typo")
        batch = study.ask(1 + step % 2)
        for trial in batch:
            study.tell(trial, smooth(trial.params))
    return study


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("space", SPACES)
def test_every_rule_goes_on_and_never_suggests_them(space, name):
    study = with_outside(space, rule=rules()[name], surrogate=Surrogate(refit_every=3))
    asked = [trial for trial in study.trials if trial.source != "added"]
    added = [trial for trial in study.trials if trial.source == "added"]
    assert all(study.space.check(trial.params) == trial.params for trial in asked)
    assert any(trial.source == "rule" for trial in asked)
    assert not any(trial.fallback for trial in asked)
    assert all(trial.note is None for trial in asked)
    says = "not a row of the table" if isinstance(study.space, Table) else "outside the space"
    assert [trial.note for trial in added] == [f"{says}: used as data, never suggested"] * 4
    assert [trial.row for trial in added] == [None] * 4
    chosen = study.recommend()
    assert study.space.check(chosen.params) == chosen.params
    assert np.isfinite(study.certificate().bound)


@pytest.mark.parametrize("space", SPACES)
def test_replayed_carried_and_reopened_bit_for_bit(space):
    store = MemoryStore()
    study = with_outside(space, rule=rules()["ts"])
    assert all(entry.matches for entry in replay(study))
    kept = Study.open(store, "a", space=SPACES[space](), seed=5)
    points = OUTSIDE[space]
    for step in range(8):
        again = Study.open(store, "a")  # a fresh process: no state is carried
        if step == 4:
            kept.add(points[1], value_of(space, points[1]))
            again.refresh()
        trial = (kept if step % 2 else again).ask()
        kept.tell(trial.number, smooth(trial.params))
    fresh = Study(SPACES[space](), seed=5)
    for step in range(8):
        if step == 4:
            fresh.add(points[1], value_of(space, points[1]))
        trial = fresh.ask()
        fresh.tell(trial, smooth(trial.params))
    assert all_bits(kept) == all_bits(fresh) == all_bits(Study.open(store, "a"))
    assert [trial.note for trial in kept.trials] == [trial.note for trial in fresh.trials]


@pytest.mark.parametrize("failed", [False, True])
def test_the_posterior_is_that_of_a_table_that_has_the_rows_excluded(failed):
    """The slow twin: the same rows among the candidates, on the same scale, taken off the list."""
    more = [{"T": 45, "acid": "HCl"}, {"T": 85, "acid": "HNO3"}]
    plain = Study(GRID, seed=2, surrogate=Surrogate(kernel="matern52", refit_every=100))
    twin = Study([*GRID, *more], seed=2, surrogate=Surrogate(kernel="matern52", refit_every=100))
    for row in (len(GRID), len(GRID) + 1):
        twin.exclude_row(row, "not to be had")
    results = [(GRID[i], smooth({"T": GRID[i]["T"] / 30.0})) for i in (0, 5, 9, 14)]
    for study in (plain, twin):
        for params, value in results[:2]:
            study.add(params, value)
        study.add(more[0], 0.7)
        if failed:
            study.add(more[1], failed=True)
        else:
            study.add(more[1], -0.4)
        for params, value in results[2:]:
            study.add(params, value)
    beliefs = [believe(s._task, s._history().series(), len(s), None).belief for s in (plain, twin)]
    np.testing.assert_allclose(beliefs[0].mean, beliefs[1].mean[: len(GRID)], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(beliefs[0].sd, beliefs[1].sd[: len(GRID)], rtol=1e-9)
    assert plain.recommend().params == twin.recommend().params
    np.testing.assert_allclose(plain.predict(more), twin.predict(more))
    assert plain.certificate().bound == pytest.approx(twin.certificate().bound, rel=1e-6)


def test_the_last_row_stays_open():
    """An index of -1 or -2 would close the end of the table."""
    study = Study([{"t": t} for t in (0, 1, 2, 3)], repeats="never", seed=1, n_initial=2)
    study.add({"t": 1.5}, 0.2)
    study.add({"t": 2.5}, failed=True)
    assert sorted(study.tell(study.ask(), 0.0).params["t"] for _ in range(4)) == [0, 1, 2, 3]
    with pytest.raises(Exhausted):
        study.ask()


def test_points_outside_use_up_no_finite_space(monkeypatch):
    monkeypatch.setattr(sys.modules["regretless.optimizer.task"], "ENUMERATE_UP_TO", 0)  # as if it were large
    study = Study(Mixed({"n": (1, 4)}, repeats="never"), seed=1, n_initial=2)
    assert isinstance(study._task.domain, Mixed)
    study.add({"n": 5}, 1.0)
    assert sorted(study.tell(study.ask(), 0.0).params["n"] for _ in range(4)) == [1, 2, 3, 4]
    with pytest.raises(Exhausted):
        study.ask()


@pytest.mark.parametrize("space", ["box", "table"])
def test_an_incumbent_is_the_best_of_the_candidates(space):
    """Not the best that was measured: a candidate need not improve on what cannot be chosen."""
    known = Surrogate.known("rbf", 0.3, signal_var=1.0, noise_var=0.01)
    for incumbent in ("value", "mean"):
        study = Study(SPACES[space](), seed=1, rule=EI(incumbent=incumbent), surrogate=known, n_initial=2)
        inside = [study.tell(study.ask(), value) for value in (0.2, 0.5)]
        study.add(OUTSIDE[space][1], 9.0)
        mean, _ = study.predict([trial.params for trial in inside])
        best = {"value": 0.5, "mean": float(mean.max())}[incumbent]
        assert study.ask().details["incumbent"] == pytest.approx(best, rel=1e-9)


def test_it_counts_as_data_of_the_design_and_of_the_best_measured():
    study = Study(GRID, seed=1)
    assert study._task.n_initial == 3
    for T in (15, 25, 95):
        study.add({"T": T, "acid": "HCl"}, float(T))
    assert study.ask().source == "rule"
    assert study.best.params == {"T": 95, "acid": "HCl"}
    assert study.best.note
    result = study.optimize(lambda p: float(p["T"]), 2)
    assert result.x == {"T": 95, "acid": "HCl"}
    assert study.certificate().row is not None
    assert study.should_stop(Regret(1e-9)) is None


def test_excluded_it_is_not_used():
    study, twin = (Study(GRID, seed=1) for _ in range(2))
    for s in (study, twin):
        s.add(GRID[0], 1.0)
        s.add(GRID[7], 2.0)
    study.exclude(study.add({"T": 115, "acid": "HCl"}, 9.0), "typo")
    assert study.recommend() == twin.recommend()
    assert study.best.value == 2.0


def test_what_is_stored_is_of_a_kind_of_its_own():
    """An older version, which would take index -1 for the last row, does not know it and refuses."""
    study = Study(GRID, seed=1)
    study.add(GRID[3], 1.0)
    study.add({"T": 85, "acid": "HCl"}, 1.0, key="k")
    study.add({"T": 85, "acid": "HCl"}, 1.0, key="k")
    inside, outside = study.events()
    assert (inside.kind, inside.data["index"], "x" in inside.data) == ("added", 3, False)
    assert (outside.kind, outside.data["row"], len(outside.data["x"])) == ("added_outside", None, 2)


@pytest.mark.parametrize("space", SPACES)
def test_predictions_need_no_candidate(space):
    study = with_outside(space)
    mean, sd = study.predict([trial.params for trial in study.trials])
    assert np.isfinite(mean).all()
    assert (sd >= 0.0).all()


def test_row_names_a_row():
    study = Study(Table([{"name": "a", "t": 1}, {"name": "b", "t": 2}], id="name"), seed=1)
    assert study.add(row="b", value=1.0).params == {"t": 2}
    with pytest.raises(InvalidInput, match="no row has the id 'c'"):
        study.add(row="c", value=1.0)
    with pytest.raises(InvalidInput, match="no row of the table"):
        study.space.index_of({"t": 3})
