"""Repeated measurements say how noisy values are: which rows are settled, and that the search leaves them."""

import numpy as np
import pytest

from regretless import Study, Surrogate, Table
from regretless.optimizer import Row, as_task, history_of
from regretless.optimizer.available import SETTLED, open_points, worth_trying
from regretless.spaces import as_space

N = 12


def told(values, **settings):
    """Task and history of (row, value)."""
    task = as_task(as_space([{"x": float(i)} for i in range(N)]), seed=1, **settings)
    return task, history_of(task, [Row({"x": float(i)}, {"value": y}) for i, y in values])


def left_out(values, noise_share=0.1, **settings):
    """Rows that are not worth trying."""
    task, history = told(values, **settings)
    worth = worth_trying(task, history, open_points(task, history), noise_share)
    assert worth.rows is not None
    return set(np.flatnonzero(~worth.rows).tolist())


def by_hand(values):
    """The same by its definition, row by row."""
    groups = {}
    for i, y in values:
        groups.setdefault(i, []).append(y)
    left = sum(len(ys) - 1 for ys in groups.values())
    if left < 2:
        return set()
    noise_var = sum((y - np.mean(ys)) ** 2 for ys in groups.values() for y in ys) / left
    between = np.var([np.mean(ys) for ys in groups.values()])
    return {i for i, ys in groups.items() if noise_var / len(ys) < SETTLED * between}


ONCE = [(i, float(i * i % 7)) for i in range(6)]


@pytest.mark.parametrize("seed", range(8))
def test_settled_rows_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    sd = [0.02, 0.3, 0.7, 2.0][seed % 4]
    rows = rng.integers(0, 8, 30)
    values = [(int(i), float(i * i % 7 + sd * rng.standard_normal())) for i in rows]
    assert left_out(values) == by_hand(values)


def test_two_repeats_are_needed():
    assert left_out(ONCE) == set()
    assert left_out([*ONCE, (5, ONCE[5][1])]) == set()
    assert left_out([*ONCE, (5, ONCE[5][1]), (5, ONCE[5][1])]) == set(range(6))  # they agree: all are settled


def test_noise_that_repeats_show_keeps_rows_open_until_they_were_measured_often():
    rng = np.random.default_rng(0)
    values = [*ONCE, *((5, 4.0 + rng.normal(0.0, 0.6)) for _ in range(30))]
    assert left_out(values) == {5}


def test_what_the_user_says_wins():
    values = [*ONCE, (5, ONCE[5][1]), (5, ONCE[5][1])]
    for repeats in ("allow", "all"):
        task = as_task(as_space([{"x": float(i)} for i in range(N)], repeats), seed=1)
        history = history_of(task, [Row({"x": float(i)}, {"value": y}) for i, y in values])
        worth = worth_trying(task, history, open_points(task, history), 0.1)
        assert worth.rows is not None
        assert worth.rows.all()
    assert left_out(values, surrogate=Surrogate(pure_error=False)) == set()


def test_when_all_rows_are_settled_all_are_open():
    values = [(i, float(i)) for i in range(N)] * 2
    assert left_out(values) == set()


def test_huge_values_have_a_variance():
    values = [(i, 1e300 * y) for i, y in [*ONCE, (5, ONCE[5][1]), (5, ONCE[5][1])]]
    assert left_out(values) == set(range(6))


def repeats_of(seed, **settings):
    """How many of 45 trials measure a row again: a hill with effects of single rows, and hardly any noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((60, 2))
    f = -3.0 * ((X - 0.5) ** 2).sum(axis=1) + 0.2 * rng.standard_normal(60) * (rng.random(60) < 0.5)
    study = Study(Table(X), surrogate=Surrogate(**settings), seed=seed)
    noise = np.random.default_rng(seed)
    for _ in range(45):
        trial = study.ask()
        study.tell(trial, float(f[trial.row] + 0.005 * noise.standard_normal()))
    return 45 - len({trial.row for trial in study.trials})


@pytest.mark.parametrize("seed", [1, 3])
def test_a_study_does_not_measure_its_favourite_for_ever(seed):
    assert repeats_of(seed) <= 3
    assert repeats_of(seed, pure_error=False) >= 8  # as a study of before does


def test_a_finite_product_of_parameters_has_settled_points_too():
    space = {"n": (1, 5), "c": ["a", "b", "c"]}
    task = as_task(as_space(space), seed=1)
    some = [({"n": n, "c": c}, float(n + 3 * (c == "b"))) for n in (1, 3, 5) for c in "ab"]
    rows = [Row(params, {"value": y}) for params, y in [*some, some[5], some[5]]]
    history = history_of(task, rows)
    worth = worth_trying(task, history, open_points(task, history), 0.1)
    assert (worth.rows is None) or np.count_nonzero(~worth.rows) == len(some)
    if worth.rows is None:
        assert len(np.unique(worth.blocked, axis=0)) == len(some)
