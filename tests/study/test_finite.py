"""Finite spaces: every candidate is found once, then Exhausted at once, where repeats are not allowed."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.study.helpers import all_bits, smooth, snapshot
from tests.study.torture import rules

from regretless import Categorical, Exhausted, Int, Mixed, Ordinal, Study, Surrogate, Table, maximize
from regretless.acquisition import RULES

FAST = Surrogate(restarts=0)


def table(n: int, d: int = 2) -> Table:
    return Table(np.random.default_rng(n).random((n, d)), repeats="never")


def run_dry(study: Study, fails=lambda _: False) -> list:
    """Ask until nothing is left; what was suggested, in order."""
    seen = []
    while True:
        try:
            trial = study.ask()
        except Exhausted:
            return seen
        assert trial.params not in seen
        seen.append(trial.params)
        if fails(trial.number):
            study.tell(trial, failed=True)
        elif trial.number % 5 != 4:  # some stay pending for ever
            study.tell(trial, smooth(trial.params))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 40])
def test_every_row_is_found(n):
    study = Study(table(n), seed=n, surrogate=FAST)
    assert len(run_dry(study)) == n
    before = snapshot(study)
    for asks in (None, 1, 5):
        with pytest.raises(Exhausted, match=f"All {n} candidates"):
            study.ask() if asks is None else study.ask(asks)
    assert snapshot(study) == before


@pytest.mark.parametrize("rule", RULES)
def test_every_row_is_found_by_every_rule(rule):
    assert len(run_dry(Study(table(12), rule=rules()[rule], seed=1, surrogate=FAST))) == 12


@pytest.mark.parametrize("fails", [lambda k: k % 3 == 0, lambda _: True, lambda k: k == 0])
def test_failures_count_as_tried(fails):
    assert len(run_dry(Study(table(13), seed=2, surrogate=FAST), fails)) == 13


MIXED = {"n": Int(1, 3), "c": Categorical(["a", "b"]), "o": Ordinal([1, 2, 8]), "k": 5}


def test_a_finite_product_is_run_dry():
    study = Study(MIXED, repeats="never", seed=3, surrogate=FAST)
    seen = run_dry(study)
    assert len(seen) == 18
    assert all(params["k"] == 5 for params in seen)


@pytest.mark.parametrize("space", [MIXED, {"n": (0, 22)}, {"c": list("abcdefg"), "t": [True, False]}])
@pytest.mark.parametrize("seed", range(2))
def test_so_is_one_too_large_to_be_listed(monkeypatch, space, seed):
    """Spaces of more than ENUMERATE_UP_TO points are searched as products; here the limit is made tiny."""
    monkeypatch.setattr(sys.modules["regretless.optimizer.task"], "ENUMERATE_UP_TO", 0)
    study = Study(space, repeats="never", seed=seed, surrogate=FAST)
    assert isinstance(study._task.domain, Mixed)
    assert len(run_dry(study, lambda k: k % 4 == 1)) == study.space.size


def test_the_last_of_thousands_is_found(monkeypatch):
    """All but three failed before: random draws hardly hit what is left."""
    monkeypatch.setattr(sys.modules["regretless.optimizer.task"], "ENUMERATE_UP_TO", 0)
    study = Study({"a": (0, 39), "b": (0, 99)}, repeats="never", seed=0)
    left = [(3, 5), (37, 0), (39, 99)]
    for a in range(40):
        for b in range(100):
            if (a, b) not in left:
                study.add({"a": a, "b": b}, failed=True)
    found = study.ask(7)
    assert sorted(tuple(trial.params.values()) for trial in found) == left
    with pytest.raises(Exhausted, match="4000"):
        study.ask()


def test_a_batch_larger_than_what_is_left_is_shorter():
    study = Study(table(9), seed=5)
    assert len(study.ask(4)) == 4
    rest = study.ask(100)
    assert len(rest) == 5
    assert [trial.number for trial in study.trials] == list(range(9))
    assert all(trial.status == "pending" for trial in study.trials)
    before = snapshot(study)
    with pytest.raises(Exhausted):
        study.ask(2)
    assert snapshot(study) == before
    assert [t.params for t in study.trials] == [t.params for t in _asked_singly(9, 5)]


def _asked_singly(n: int, seed: int) -> list:
    study = Study(table(n), seed=seed)
    return [study.ask() for _ in range(n)]


def test_past_data_count_as_tried():
    space = table(6)
    study = Study(space, seed=0)
    for i in (0, 3, 3):
        study.add(row=i, value=1.0)
    study.add(space.params(5), failed=True)
    seen = [trial.row for trial in study.ask(10)]
    assert sorted(seen) == [1, 2, 4]


def test_maximize_stops_with_the_message():
    result = maximize(lambda x: float(x.sum()), table(7), n_trials=30, seed=0)
    assert result.message == "every candidate was tried after 7 of 30 trials"
    assert result.nfev == 7
    assert result.fun == pytest.approx(np.random.default_rng(7).random((7, 2)).sum(axis=1).max())


def test_identical_rows_are_one_candidate():
    study = Study(Table(np.array([[1.0], [1.0], [2.0], [1.0]]), repeats="never"), seed=0)
    assert sorted(trial.params["x0"] for trial in study.ask(9)) == [1.0, 2.0]


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 15), d=st.integers(1, 3), seed=st.integers(0, 2**31), bad=st.sets(st.integers(0, 14)))
def test_any_table_is_run_dry(n, d, seed, bad):
    rows = np.random.default_rng(seed).integers(0, 4, (n, d)).astype(float)
    study = Study(Table(rows, repeats="never"), seed=seed, surrogate=FAST)
    assert len(run_dry(study, lambda k: k in bad)) == len(np.unique(rows, axis=0))


@pytest.mark.parametrize("space", [np.arange(4.0)[:, None], {"n": (1, 4)}])
def test_with_repeats_nothing_ends(space):
    """Untried and unpending candidates come first, then told ones; pending ones only where nothing else is left."""
    study = Study(space, repeats="allow", seed=1)
    first = study.ask(4)
    assert len({str(trial.params) for trial in first}) == 4
    again = study.ask(3)  # everything is pending: whatever comes is in the space
    assert all(study.space.check(trial.params) == trial.params for trial in again)
    for trial in first[:2]:
        study.tell(trial, 1.0)
    study.tell(first[2], failed=True)
    for trial in again:
        study.tell(trial, failed=True)
    assert study.ask().params != first[3].params


def test_repeats_of_a_space_can_be_overruled():
    assert Study(table(5), repeats="allow").space.repeats == "allow"
    assert table(5).repeats == "never"
    study = Study(table(2), repeats="allow", seed=0)
    assert len(study.ask(5)) == 5


def test_running_dry_is_deterministic():
    one, two = Study(table(10), seed=4), Study(table(10), seed=4)
    run_dry(one)
    run_dry(two)
    assert all_bits(one) == all_bits(two)


def test_without_noise_no_row_is_measured_twice_while_others_are_left():
    """Repeats are allowed, and the model is soon sure of a smooth function: measuring its top again tells nothing."""
    study = Study([{"x": i / 30} for i in range(31)], seed=2)
    for _ in range(31):
        trial = study.ask()
        study.tell(trial, -((trial.params["x"] - 0.4) ** 2))
    assert len({trial.row for trial in study.trials}) == 31
    study.tell(study.ask(), 0.0)  # then they may be
