"""Whole studies in spaces with constraints: design, rule, recommendation and certificate stay inside."""

import numpy as np
import pytest

from regretless import Float, Int, Mixed, Mixture, Study, Table, maximize, replay
from regretless.lab.slices import moved, slices

SPACES = {
    "inequality": (Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints="x + y <= 1"), lambda p: p["x"] * p["y"]),
    "equality": (
        Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0), "z": (0.0, 1.0)}, constraints="x + y + z == 1"),
        lambda p: -((p["x"] - 0.2) ** 2) - (p["y"] - 0.3) ** 2,
    ),
    "curved": (
        Mixed({"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, constraints=["x**2 + y**2 <= 0.5", "x >= y"]),
        lambda p: p["x"] + p["y"],
    ),
    "function": (
        Mixed({"x": (0.0, 1.0), "n": (0, 9)}, constraints=lambda p: 5 - p["n"] - p["x"]),
        lambda p: p["n"] + p["x"] / 2,
    ),
    "mixture": (
        Mixed({"r": Mixture(list("ABCD"), at_most=2), "T": (20.0, 80.0)}),
        lambda p: p["A"] * p["C"] - ((p["T"] - 50) / 60) ** 2,
    ),
    "conditional": (
        Mixed(
            {"k": ["a", "b"], "g": Float(0.1, 10, log=True, when={"k": "a"}), "d": Int(1, 5, when={"k": "b"})},
            constraints="g <= 2",
        ),
        lambda p: -abs(np.log(p["g"])) if p["k"] == "a" else -abs(p["d"] - 3) - 1,
    ),
    "listed": (Mixed({"a": (1, 20), "b": (1, 20)}, constraints="a + b == 21"), lambda p: -abs(p["a"] - 5)),
    "many": (
        Mixed({"a": (1, 2000), "b": (1, 2000), "c": (1, 2000)}, constraints="a + b + c == 2100"),
        lambda p: -abs(p["a"] - 500) / 100,
    ),
    "one point": (Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints="x + y >= 2"), lambda p: p["x"]),
    "table": (
        Table([{"x": i / 10, "y": j / 10} for i in range(11) for j in range(11)], constraints="x + y <= 1"),
        lambda p: p["x"] * p["y"],
    ),
}


@pytest.mark.parametrize("name", SPACES)
def test_a_study_stays_inside(name):
    space, f = SPACES[name]
    study = Study(space, seed=3)
    for _ in range(11):
        trial = study.ask()
        assert space.feasible(trial.params)
        study.tell(trial, f(trial.params))
    assert space.feasible(study.recommend().params)
    assert space.feasible(study.certificate().params)
    assert {"design", "rule"} >= {trial.source for trial in study.trials} or name == "one point"


@pytest.mark.parametrize("rule", ["ts", "pims", "mes", "ei", "gp-ucb"])
def test_every_kind_of_rule_stays_inside(rule):
    space, f = SPACES["inequality"]
    study = Study(space, seed=1, rule=rule, n_initial=3)
    for _ in range(7):
        trial = study.ask()
        assert space.feasible(trial.params)
        study.tell(trial, f(trial.params))


def test_the_best_point_on_a_border_is_found():
    result = maximize(SPACES["inequality"][1], SPACES["inequality"][0], n_trials=14, seed=0)
    assert result.fun == pytest.approx(0.25, abs=2e-3)
    assert result.x["x"] + result.x["y"] <= 1.0


@pytest.mark.parametrize("name", ["inequality", "mixture", "conditional", "table"])
def test_stored_studies_open_and_replay(name, tmp_path):
    space, f = SPACES[name]
    study = Study.open(tmp_path / "s.db", "s", space=space, seed=1)
    study.optimize(f, n_trials=5)
    again = Study.open(tmp_path / "s.db", "s", space=space)
    again.optimize(f, n_trials=4)
    whole = Study(space, seed=1)
    whole.optimize(f, n_trials=9)
    assert [trial.params for trial in again.trials] == [trial.params for trial in whole.trials]
    assert again.space.constraints == space.constraints
    assert all(step.matches for step in replay(again))


def test_results_that_violate_a_constraint_are_data_and_no_more():
    space = SPACES["inequality"][0]
    study = Study(space, seed=1)
    trial = study.add({"x": 0.9, "y": 0.9}, 0.81)
    assert "outside" in trial.note
    for x in (0.1, 0.3, 0.5):
        study.add({"x": x, "y": x}, x * x)
    assert space.feasible(study.recommend().params)


def test_effects_of_conditional_parameters():
    space, f = SPACES["conditional"]
    study = Study(space, seed=1)
    study.optimize(f, n_trials=8)
    found = {each.axis.name: each for each in slices(study)}
    anchor = study.recommend().params
    assert set(found) == set(anchor)
    assert found["k"].axis.values == ("a", "b")  # what exists with the other choice is at the middle of its range
    other = moved(study, anchor, {"k": "b" if anchor["k"] == "a" else "a"})
    assert set(other) == ({"k", "d"} if anchor["k"] == "a" else {"k", "g"})
    assert moved(study, anchor, {"k": "b", "g": 1.0}) is None


def test_components_of_a_mixture_share_what_is_left():
    space, f = SPACES["mixture"]
    study = Study(space, seed=1)
    study.optimize(f, n_trials=8)
    anchor = study.recommend().params
    for each in slices(study):
        for value in each.axis.values:
            there = moved(study, anchor, {each.axis.name: value})
            assert sum(there[name] for name in "ABCD") == pytest.approx(1.0)
    assert moved(study, anchor, {"A": 0.7, "B": 0.4}) is None
