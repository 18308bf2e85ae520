"""The trust region: its length from the results alone, where suggestions lie, what is recorded, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import Float, InvalidInput, Mixed, Study, Table, TrustRegion, replay
from regretless.optimizer.trust_region import progress, sides

DIM = 5
SPACE = {f"x{j}": (0.0, 1.0) for j in range(DIM)}


def bowl(params):
    return -sum((value - 0.3) ** 2 for value in params.values())


def run(n, study=None, f=bowl, **more):
    study = Study(SPACE, seed=3, rule="trust-region", n_initial=4, **more) if study is None else study
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


def slow_progress(y, n_initial, dim):
    """Written as a state that is carried on, as TuRBO's code has it."""
    state = {"length": 0.8, "wins": 0, "losses": 0, "restarts": 0, "begin": 0}
    own = []
    for i, value in enumerate(y):
        if len(own) >= n_initial:
            if value > max(own) + 1e-3 * (max(own) - np.median(own)):
                state["wins"] += 1
                state["losses"] = 0
            else:
                state["losses"] += 1
                state["wins"] = 0
            if state["wins"] == 3:
                state["length"], state["wins"] = min(1.6, 2 * state["length"]), 0
            if state["losses"] == max(4, dim):
                state["length"], state["losses"] = state["length"] / 2, 0
        own.append(value)
        if state["length"] < 2**-7:
            state = {"length": 0.8, "wins": 0, "losses": 0, "restarts": state["restarts"] + 1, "begin": i + 1}
            own = []
    return state


@given(st.lists(st.integers(-30, 30), max_size=120), st.integers(1, 4), st.integers(1, 6))
def test_the_length_is_that_of_a_state_carried_on(values, n_initial, dim):
    found, slow = progress(np.array(values, dtype=np.float64), n_initial, dim), slow_progress(values, n_initial, dim)
    assert (found.length, found.begin, found.restarts) == (slow["length"], slow["begin"], slow["restarts"])


def test_a_region_begins_again_below_a_128th():
    """Seven halvings from 0.8 leave 1/160: with four failures each that is after 28 of them."""
    flat = np.zeros(1 + 28)
    assert progress(flat[:-1], 1, dim=2).restarts == 0
    again = progress(flat, 1, dim=2)
    assert (again.length, again.begin, again.restarts) == (0.8, 29, 1)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=60), st.integers(-5, 5))
def test_the_units_of_values_do_not_matter(values, power):
    y = np.array(values, dtype=np.float64)
    assert progress(2.0**power * y + 64.0, 3, DIM) == progress(y, 3, DIM)


def test_sides_have_the_volume_of_a_cube_and_the_ratios_of_the_length_scales():
    space = Mixed({"x": (0.0, 1.0), "c": ["a", "b"], "y": (0.0, 1.0)})
    found = sides(0.4, np.array([0.2, 9.0, 0.8]), space)
    assert found[[0, 2]].prod() == pytest.approx(0.4**2)
    assert found[2] / found[0] == pytest.approx(4.0)


def test_suggestions_lie_in_the_box_around_the_best():
    study = run(30)
    trials = study.trials
    for before, trial in enumerate(trials):
        if trial.source != "rule":
            continue
        y = [bowl(each.params) for each in trials[:before]]
        assert trial.details["length"] == progress(np.array(y), 4, DIM).length
        wide = trial.details["length"] * np.array(trial.hyperparameters["lengthscale"])
        wide /= np.exp(np.log(trial.hyperparameters["lengthscale"]).mean())
        at = np.array(list(trial.params.values()))
        centres = np.array([list(each.params.values()) for each in trials[:before]])
        inside = (np.abs(centres - at) <= 0.5 * wide + 1e-6).all(axis=1)
        assert inside.any()  # of some result; the centre is one of them
    assert bowl(study.best.params) > -1e-3


def test_a_region_that_shrank_to_nothing_begins_again_with_random_points():
    noise = np.random.default_rng(1)
    study = Study({"x": (0.0, 1.0)}, seed=1, rule="trust-region", n_initial=3)
    run(40, study, lambda _: float(noise.random()) * 1e-9 if len(study.trials) > 4 else 1.0)
    again = [trial.number for trial in study.trials if trial.source == "random"]
    assert len(again) == 3
    assert all(second == first + 1 for first, second in pairwise(again))
    assert "begins again" in study.trials[again[0]].fallback
    assert study.trials[again[-1] + 1].details["restarts"] == 1.0
    assert study.trials[again[-1] + 1].details["length"] == 0.8


def test_the_same_after_a_restart_and_replayed(tmp_path):
    whole = run(26)
    path = str(tmp_path / "s.db")
    with Study.open(path, "a", space=SPACE, seed=3, rule=TrustRegion(), n_initial=4) as first:
        run(13, first)
    with Study.open(path, "a", space=SPACE) as second:
        run(13, second)
        assert [trial.params for trial in second.trials] == [trial.params for trial in whole.trials]
        assert all(entry.matches for entry in replay(second))


def test_a_batch_lies_in_the_region_and_has_no_point_twice():
    study = run(10)
    batch = [study.ask() for _ in range(4)]
    points = {tuple(trial.params.values()) for trial in batch}
    assert len(points) == 4
    assert {trial.source for trial in batch} == {"rule"}


def test_categories_are_searched_whole():
    study = Study({"x": (0.0, 1.0), "c": ["a", "b", "c"]}, seed=1, rule="trust-region")
    run(25, study, lambda p: {"a": 0.0, "b": 1.0, "c": 0.5}[p["c"]] - (p["x"] - 0.4) ** 2)
    assert study.best.params["c"] == "b"
    assert study.best.params["x"] == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("space", "word"),
    [
        (Table({"x": [1.0, 2.0, 3.0]}), "list"),
        ({"a": (0, 3)}, "list"),
        (Mixed({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}, constraints=["x + y <= 1"]), "constraints"),
    ],
    ids=["table", "few", "constraints"],
)
def test_what_a_box_cannot_be_put_into_is_refused(space, word):
    with pytest.raises(InvalidInput, match=word):
        Study(space, rule="trust-region")


def test_with_several_outcomes_it_is_refused():
    with pytest.raises(InvalidInput, match="one outcome"):
        Study(SPACE, rule="trust-region", objectives={"a": "maximize", "b": "maximize"})


def test_the_largest_floats_have_progress():
    most = np.finfo(float).max
    told = np.array([-most, -most, most, most, -most, -most])
    assert progress(told, 2, dim=2) == progress(np.sign(told), 2, dim=2)
