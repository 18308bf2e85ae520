"""Fidelities in a study: levels are bought by what they tell per cost, and all that is promised is about the target."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import EI, TS, Fidelity, LevelSet, Study, Surrogate, Table, maximize, minimize, replay
from regretless.errors import Exhausted, InvalidInput, StudyConflict

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
MESH = Fidelity("mesh", levels=["coarse", "fine"], cost=[0.1, 1.0])
EPOCHS = Fidelity("epochs", levels=(1, 50), cost=(0.05, 1.0))
ROWS = [{"x": x / 7, "y": y / 7} for x in range(8) for y in range(8)]


def f(params):
    """A hill, and a cheap look at it that is off by a tilt and an offset."""
    x, y = params["x"], params["y"]
    fine = math.exp(-4.0 * ((x - 0.3) ** 2 + (y - 0.6) ** 2)) + 0.2 * math.sin(6.0 * x)
    level = params.get("mesh", "fine")
    if "epochs" in params:
        return fine - 0.3 * (50 - params["epochs"]) / 49 * (1.0 + x)
    return fine if level == "fine" else fine + 0.5 + 0.15 * math.sin(5.0 * y)


def run(study, n, function=f):
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, function(trial.params))
    return study


def summary(study):
    return [(t.params, t.row, t.source, t.details, t.hyperparameters, t.jitter) for t in study.trials]


# The degenerate cases -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [SPACE, ROWS], ids=["box", "table"])
def test_one_level_is_the_plain_study_bit_for_bit(space):
    plain = run(Study(space, seed=3), 16)
    single = run(Study(space, fidelity=Fidelity("mesh", levels=["fine"], cost=[2.0]), seed=3), 16)
    assert all(trial.params["mesh"] == "fine" for trial in single.trials)
    without = [{name: value for name, value in trial.params.items() if name != "mesh"} for trial in single.trials]
    assert without == [trial.params for trial in plain.trials]
    assert [t.details for t in single.trials] == [t.details for t in plain.trials]
    assert [t.hyperparameters for t in single.trials] == [t.hyperparameters for t in plain.trials]
    assert single.certificate().bound == plain.certificate().bound
    assert single.spent == 32.0


@pytest.mark.parametrize("space", [SPACE, ROWS], ids=["box", "table"])
def test_a_useless_level_is_not_bought_and_an_identical_one_is(space):
    """Useless: its values have nothing to do with the target. The model has to find that out first.

    Of steps with an identical level those count that tell something: near the best point nothing is left to learn.
    """
    noise = np.random.default_rng(0)

    def useless(params):
        return f(params) if params["mesh"] == "fine" else float(noise.standard_normal())

    def identical(params):
        return f({**params, "mesh": "fine"})

    studies = [run(Study(space, fidelity=MESH, seed=seed), 30, useless) for seed in range(3)]
    assert [trial.params["mesh"] for study in studies for trial in study.trials[15:]].count("coarse") <= 9  # of 45
    study = run(Study(space, fidelity=MESH, seed=1), 30, identical)
    bought = [t.params["mesh"] for t in study.trials if t.source == "rule" and t.details["information"] > 0.2]
    assert set(bought) == {"coarse"}


def test_levels_save_cost():
    """At the same cost, the recommendation of a study with a cheap level is better in most of ten runs (sign test)."""
    best = max(f({"x": x, "y": y}) for x in np.linspace(0, 1, 201) for y in np.linspace(0, 1, 201))
    wins = 0
    for seed in range(10):
        left = []
        for fidelity in (MESH, Fidelity("mesh", levels=["fine"], cost=[1.0])):
            study = Study(SPACE, fidelity=fidelity, seed=seed)
            study.optimize(f, budget=7.0, progress=False)
            left.append(best - f(study.recommend().params))
        wins += left[0] < left[1]
    assert wins >= 9  # by chance: 1.1 %


# The record -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fidelity", [MESH, EPOCHS], ids=["levels", "range"])
@pytest.mark.parametrize("space", [SPACE, ROWS], ids=["box", "table"])
def test_25_and_25_after_a_restart_are_50(tmp_path, space, fidelity):
    whole = run(Study(space, fidelity=fidelity, seed=5), 50)
    path = tmp_path / "study.db"
    with Study.open(path, "one", space=space, fidelity=fidelity, seed=5) as first:
        run(first, 25)
    with Study.open(path, "one") as second:
        assert second.fidelity == fidelity
        run(second, 25)
        assert summary(second) == summary(whole)
        assert second.certificate().bound == whole.certificate().bound
        assert all(entry.matches for entry in replay(second))
    with pytest.raises(StudyConflict, match="fidelity"):
        Study.open(path, "one", fidelity=Fidelity("mesh", levels=["coarse", "fine"], cost=[0.2, 1.0]))


def test_batches_replay():
    study = Study(SPACE, fidelity=MESH, seed=2)
    for _ in range(8):
        for trial in study.ask(3):
            study.tell(trial, f(trial.params))
    assert all(entry.matches for entry in replay(study))


def test_what_a_trial_and_the_frame_show():
    study = run(Study(SPACE, fidelity=MESH, seed=1), 14)
    assert study.parameters == ("x", "y", "mesh")
    frame = study.to_frame()
    assert set(frame["params_mesh"]) == {"coarse", "fine"}
    last = study.trials[-1]
    assert last.details["cost"] == MESH.cost_of(last.params["mesh"])
    assert last.details["information"] > 0.0
    assert last.hyperparameters["discrepancy"]["variances"][0] > 0.0
    costs = [MESH.cost_of(trial.params["mesh"]) for trial in study.trials]
    assert study.spent == pytest.approx(sum(costs))


# About the target alone -----------------------------------------------------------------------------------------------


def test_best_recommendation_and_certificate_are_about_the_target():
    study = run(Study(SPACE, fidelity=MESH, seed=1), 20)
    fine = [trial for trial in study.trials if trial.params["mesh"] == "fine"]
    assert study.best in fine
    assert study.best.value == max(trial.value for trial in fine)
    assert max(trial.value for trial in study.trials) > study.best.value  # the cheap level reads more
    assert study.recommend().params["mesh"] == "fine"
    assert study.certificate().params["mesh"] == "fine"
    assert abs(study.recommend().mean - f(study.recommend().params)) < 0.1


def test_predictions_are_at_the_level_that_is_named_or_at_the_target():
    study = run(Study(SPACE, fidelity=MESH, seed=1), 24)
    at = {"x": 0.3, "y": 0.6}
    plain, _ = study.predict([at])
    named, _ = study.predict([{**at, "mesh": "fine"}, {**at, "mesh": "coarse"}])
    assert named[0] == pytest.approx(plain[0], rel=1e-9)
    assert named[1] - named[0] == pytest.approx(f({**at, "mesh": "coarse"}) - f(at), abs=0.15)


def test_results_of_any_level_are_added():
    study = Study(ROWS, fidelity=MESH, seed=1)
    first = study.add({"x": 0.0, "y": 0.0}, 0.2)
    second = study.add({"x": 0.0, "y": 0.0, "mesh": "coarse"}, 0.6)
    third = study.add({"mesh": "coarse"}, 0.7, row=3)
    assert [trial.params["mesh"] for trial in (first, second, third)] == ["fine", "coarse", "coarse"]
    assert third.row == 3
    assert study.spent == 0.0
    with pytest.raises(InvalidInput, match="beside a row only 'mesh'"):
        study.add({"x": 0.0}, 0.7, row=3)
    with pytest.raises(InvalidInput, match="mesh has the levels"):
        study.add({"x": 0.0, "y": 0.0, "mesh": "medium"}, 0.6)


def test_a_row_measured_below_the_target_may_still_be_measured_at_it():
    """Without noise no row is measured twice at one level, and without repeats the study ends when all were."""
    rows = [{"x": x / 5, "y": 0.5} for x in range(6)]
    study = Study(Table(rows), fidelity=MESH, repeats="never", seed=1)
    seen = set()
    while {(row, "fine") for row in range(6)} - seen:
        trial = study.ask()
        key = (trial.row, trial.params["mesh"])
        assert key not in seen
        seen.add(key)
        study.tell(trial, f(trial.params))
    with pytest.raises(Exhausted):
        study.ask()
    assert {row for row, mesh in seen if mesh == "fine"} == set(range(6))


def test_the_design_measures_some_points_at_every_level():
    study = run(Study(SPACE, fidelity=MESH, seed=1), 8)
    assert {trial.source for trial in study.trials} == {"design"}
    places = {}
    for trial in study.trials:
        places.setdefault((trial.params["x"], trial.params["y"]), []).append(trial.params["mesh"])
    assert sorted(map(tuple, places.values())) == [("coarse",)] * 4 + [("coarse", "fine")] * 2
    assert study.ask().source == "rule"


# Running ----------------------------------------------------------------------------------------------------------


def test_a_budget_ends_a_run_and_is_gone_on_with(tmp_path):
    path = tmp_path / "study.db"
    first = maximize(f, SPACE, budget=4.0, fidelity=MESH, seed=1, store=path, progress=False)
    assert 4.0 - 1e-9 <= first.study.spent < 5.0
    again = maximize(f, SPACE, budget=4.0, fidelity=MESH, seed=1, store=path, progress=False)
    assert again.nfev == first.nfev
    assert "already" in again.message
    more = maximize(f, SPACE, budget=6.0, fidelity=MESH, seed=1, store=path, progress=False)
    assert 6.0 - 1e-9 <= more.study.spent < 7.0
    few = maximize(f, SPACE, 3, budget=6.0, fidelity=MESH, seed=1, progress=False)
    assert few.nfev == 3
    with pytest.raises(InvalidInput, match="budget is in the unit"):
        maximize(f, SPACE, budget=4.0, seed=1)
    with pytest.raises(InvalidInput, match="say how many"):
        maximize(f, SPACE, fidelity=MESH, seed=1)


def test_maximise_of_minus_is_minimise():
    up = maximize(lambda p: -f(p), SPACE, 20, fidelity=MESH, seed=4, progress=False)
    down = minimize(f, SPACE, 20, fidelity=MESH, seed=4, progress=False)
    assert [t.params for t in up.history] == [t.params for t in down.history]


def test_several_workers_get_levels_too():
    with ThreadPoolExecutor(2) as executor:
        result = maximize(f, SPACE, 14, fidelity=MESH, seed=1, executor=executor, progress=False)
    assert {trial.params["mesh"] for trial in result.history} == {"coarse", "fine"}


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_study_goes_on_whatever_happens(data):
    """Random levels and costs, results that fail, come late or never, data of any level, batches."""
    count = data.draw(st.integers(2, 4))
    costs = sorted(data.draw(st.lists(st.floats(0.01, 1.0), min_size=count, max_size=count)))
    if data.draw(st.booleans()):
        fidelity = Fidelity("mesh", levels=list(range(count)), cost=costs)
    else:
        fidelity = Fidelity("mesh", levels=(0.0, 1.0), cost=(costs[0], costs[-1]))
    space = data.draw(st.sampled_from([{"x": (0.0, 1.0), "c": ["a", "b"]}, ROWS[:12]]))
    study = Study(space, fidelity=fidelity, seed=data.draw(st.integers(0, 1000)))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    for _ in range(8):
        for trial in study.ask(int(rng.integers(1, 4))):
            assert study.fidelity.cost_of(trial.params["mesh"]) > 0.0
            what = rng.random()
            if what < 0.6:
                study.tell(trial, float(rng.standard_normal() + trial.params["x"]))
            elif what < 0.75:
                study.tell(trial, failed=True)
            elif what < 0.85:
                study.release(trial)
            elif what < 0.95:
                study.add({**trial.params, "mesh": fidelity.levels[0]}, 0.3)
    if study.best is not None:
        assert study.best.params["mesh"] == fidelity.target
    assert all(entry.matches for entry in replay(study))
    if any(trial.status == "told" for trial in study.trials):
        assert math.isfinite(study.certificate().bound)
        assert study.recommend().params["mesh"] == fidelity.target


# What is refused ------------------------------------------------------------------------------------------------------


def test_what_cannot_be_combined_is_refused(tmp_path):
    refused = [
        ({"objectives": {"a": "maximize", "b": "minimize"}}, "one objective"),
        ({"constraints": {"fat": ("<=", 1.0)}}, "one objective"),
        ({"goal": LevelSet(above=0.5)}, "one objective"),
        ({"rule": TS()}, "needs draws"),
        ({"surrogate": Surrogate.known("rbf", 0.3, signal_var=1.0, noise_var=0.1)}, "fitted"),
    ]
    for more, what in refused:
        with pytest.raises(InvalidInput, match=what):
            Study(SPACE, fidelity=MESH, **more)
    with pytest.raises(InvalidInput, match="name those of the space"):
        Study([(0.0, 1.0)], fidelity=MESH)
    with pytest.raises(InvalidInput, match="choose another"):
        Study({"mesh": (0.0, 1.0)}, fidelity=MESH)
    with pytest.raises(InvalidInput, match="must be a Fidelity"):
        Study(SPACE, fidelity="mesh")
    study = run(Study(SPACE, seed=1), 5)
    with pytest.raises(InvalidInput, match="earlier study"):
        Study(SPACE, fidelity=MESH).add_study(study)
    assert run(Study(SPACE, rule=EI(), fidelity=MESH, seed=1), 12).recommend()


@pytest.mark.parametrize(
    ("levels", "cost", "target", "what"),
    [
        ([], [], None, "levels must be"),
        (["a", "a"], [1, 1], None, "each once"),
        (["a", "b"], [1], None, "a cost for each"),
        (["a", "b"], [0, 1], None, "> 0"),
        (["a", "b"], [2, 1], None, "costs more than the target"),
        (["a", "b"], [1, 2], "c", "target must be one of the levels"),
        ((0.0, 1.0), (0.1, 1.0), 0.5, "one of the ends"),
        ([True, 2], [1, 2], None, "numbers or words"),
        ([math.nan, 1.0], [1, 2], None, "numbers or words"),
        ("coarse", [1], None, "must be a list"),
    ],
)
def test_bad_fidelities(levels, cost, target, what):
    with pytest.raises(InvalidInput, match=what):
        Fidelity("mesh", levels=levels, cost=cost, target=target)


def test_levels_are_ordered_by_cost_and_ranges_by_distance_from_the_target():
    three = Fidelity("mesh", levels=["fine", "coarse", "medium"], cost=[1.0, 0.1, 0.4], target="fine")
    assert three.order == ("fine", "medium", "coarse")
    assert [three.encode(level) for level in three.levels] == [(0.0,), (2.0,), (1.0,)]
    assert [three.decode(three.encode(level)) for level in three.levels] == list(three.levels)
    assert three.choices()[1].tolist() == [1.0, 0.4, 0.1]
    down = Fidelity("tolerance", levels=(0.1, 0.9), cost=(1.0, 0.2), target=0.1)
    assert down.encode(0.1) == (0.0,)
    assert down.encode(0.9) == (1.0,)
    assert down.cost_of(0.5) == pytest.approx(0.6)
    z, costs = EPOCHS.choices()
    assert z[0] == 0.0
    assert costs[0] == 1.0
    assert all(isinstance(EPOCHS.decode((each,)), int) for each in z)
    assert len({EPOCHS.decode((each,)) for each in z}) == len(z) == 33
    with pytest.raises(InvalidInput, match="goes from 1 to 50"):
        EPOCHS.encode(51)
