"""The searcher in Ray Tune: its contract without a cluster, and real runs with two workers, one of them killed."""

import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: make test-integrations")
tune = pytest.importorskip("ray.tune", reason="Ray Tune is not installed: make test-integrations")

from ray.tune.search import ConcurrencyLimiter, Searcher  # noqa: E402

from regretless import Mixed, Regret, Study  # noqa: E402
from regretless.errors import InvalidInput  # noqa: E402
from regretless.integrations.ray import RegretlessSearch  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


def config():
    return {
        "x": tune.uniform(0.0, 1.0),
        "rate": tune.loguniform(1e-4, 1.0),
        "n": tune.randint(1, 9),
        "step": tune.quniform(0.0, 1.0, 0.25),
        "even": tune.qrandint(2, 10, 2),
        "kind": tune.choice(["a", None, (1, 2)]),
        "inner": {"z": tune.uniform(-1.0, 1.0)},
        "epochs": 3,
    }


def score(c):
    return -((c["x"] - 0.3) ** 2) - c["inner"]["z"] ** 2 - abs(c["n"] - 3) * 0.1 - (c["kind"] == "a")


def search(**options):
    made = RegretlessSearch(seed=1, **{"n_initial": 4, **options})
    assert made.set_search_properties("score", "max", config())
    return made


def run(made, ids):
    found = []
    for trial_id in ids:
        found.append(made.suggest(trial_id))
        assert made.suggest(trial_id) == found[-1]  # a request that is repeated changes nothing
        made.on_trial_complete(trial_id, {"score": score(found[-1])})
    return found


IDS = [f"t{i}" for i in range(12)]


def test_domains_of_tune_are_searched_within_their_ranges():
    for c in run(search(), IDS):
        assert 0.0 <= c["x"] <= 1.0
        assert 1e-4 <= c["rate"] <= 1.0
        assert c["n"] in range(1, 9)
        assert c["step"] in (0.0, 0.25, 0.5, 0.75, 1.0)
        assert c["even"] in (2, 4, 6, 8, 10)
        assert c["kind"] in ("a", None, (1, 2))
        assert -1.0 <= c["inner"]["z"] <= 1.0
        assert "epochs" not in c  # constants are Ray's
    space = search().study.space
    assert space.dimensions["rate"].log
    assert (space.dimensions["n"].low, space.dimensions["n"].high) == (1, 8)


def test_twelve_are_six_and_six_after_a_restart(tmp_path):
    whole = run(search(), IDS)
    first = search()
    found = run(first, IDS[:6])
    pending = first.suggest("t6")
    first.save(str(tmp_path / "state.json"))
    assert isinstance(json.loads((tmp_path / "state.json").read_text()), dict)  # plain JSON
    second = search()
    second.restore(str(tmp_path / "state.json"))
    assert second.suggest("t6") == pending == whole[6]
    assert found + run(second, IDS[6:]) == whole
    first.save_to_dir(str(tmp_path), "one")
    third = RegretlessSearch()
    third.restore_from_dir(str(tmp_path))
    assert third.set_search_properties("score", "max", config())
    assert run(third, IDS[6:]) == whole[6:]


def test_the_tuner_may_pickle_it():
    before, after = search(), search()
    run(before, IDS[:6])
    run(after, IDS[:6])
    again = pickle.loads(pickle.dumps(before))
    assert b"Study" not in pickle.dumps(before)  # plain data: no object of ours but the searcher
    assert run(again, IDS[6:]) == run(after, IDS[6:])
    fresh = pickle.loads(pickle.dumps(RegretlessSearch({"x": (0.0, 1.0)}, seed=1)))
    assert fresh.set_search_properties("score", "min", {})
    assert fresh.study.direction == "minimize"


def test_suggestions_are_those_of_a_study():
    made = RegretlessSearch({"x": (0.0, 1.0)}, metric="score", mode="max", seed=5)
    study = Study({"x": (0.0, 1.0)}, objective="score", seed=5)
    for trial_id in IDS:
        trial, c = study.ask(), made.suggest(trial_id)
        assert c == dict(trial.params)
        study.tell(trial, -c["x"])
        made.on_trial_complete(trial_id, {"score": -c["x"]})


@pytest.mark.parametrize("result", [None, {}, {"score": math.nan}, {"score": math.inf}, {"score": "bad"}])
def test_a_trial_without_a_value_has_failed(result):
    made = search()
    made.suggest("a")
    made.on_trial_complete("a", result)
    assert made.study.trials[0].status == "failed"
    made.suggest("b")
    made.on_trial_complete("b", {"score": 1.0}, error=True)
    assert made.study.trials[1].status == "failed"
    made.on_trial_complete("b", {"score": 1.0})  # once more changes nothing
    assert made.study.trials[1].status == "failed"


def test_a_trial_of_before_the_last_checkpoint_is_known_by_its_result():
    made = search()
    c = {**run(search(), ["lost"])[0], "epochs": 3, "folder": "/x"}
    for _ in range(2):
        made.on_trial_complete("lost", {"score": 0.5, "config": c})
    [trial] = made.study.trials
    assert (trial.value, trial.source, trial.params["x"]) == (0.5, "added", c["x"])
    made.on_trial_complete("unknown", None, error=True)
    assert len(made.study) == 1


def test_points_to_evaluate_come_first_and_evaluated_ones_are_data():
    point = {"x": 0.25, "rate": 0.1, "n": 2, "step": 0.5, "even": 4, "kind": (1, 2), "inner": {"z": 0.0}}
    made = search(points_to_evaluate=[point])
    assert made.suggest("a") == point == made.suggest("a")
    made.on_trial_complete("a", {"score": 1.0})
    assert made.study.trials[0].params["kind"] == "(1, 2)"
    made.add_evaluated_point({**point, "x": 0.75}, 2.0)
    made.add_evaluated_point({**point, "x": 0.5}, 2.0, error=True)
    assert [trial.status for trial in made.study.trials] == ["told", "told", "failed"]


def test_finished_by_the_certificate_and_by_an_empty_space():
    made = search(stop_when=Regret(50.0, patience=2))
    found = []
    for trial_id in IDS:
        c = made.suggest(trial_id)
        if c == Searcher.FINISHED:
            break
        found.append(c)
        made.on_trial_complete(trial_id, {"score": score(c)})
    assert 2 <= len(found) < 12
    assert made.stopped_by.bound <= 50.0
    small = RegretlessSearch(Mixed({"n": [1, 2, 3]}, repeats="never"), metric="score", mode="max", seed=1)
    for trial_id in IDS[:3]:
        small.on_trial_complete(trial_id, {"score": float(small.suggest(trial_id)["n"])})
    assert small.suggest("t4") == Searcher.FINISHED


def test_the_limiter_hands_everything_on():
    limited = ConcurrencyLimiter(RegretlessSearch(seed=1), 2)
    assert limited.set_search_properties("score", "max", config())
    assert limited.suggest("a") is not None
    assert limited.suggest("b") is not None
    assert limited.suggest("c") is None
    assert [trial.status for trial in limited.searcher.study.trials] == ["pending"] * 2


def test_what_cannot_be_searched_is_refused_with_the_reason():
    for bad, why in [
        ({"x": tune.grid_search([1, 2])}, "tune.choice"),
        ({"x": tune.randn(0, 1)}, "normal law"),
        ({"x": tune.sample_from(lambda _: 1)}, "no range to search"),
    ]:
        with pytest.raises(InvalidInput, match=why):
            RegretlessSearch().set_search_properties("score", "max", bad)
    with pytest.raises(InvalidInput, match="metric and mode"):
        RegretlessSearch().set_search_properties(None, None, config())
    with pytest.raises(InvalidInput, match="no space, metric and mode yet"):
        RegretlessSearch().suggest("a")
    assert not RegretlessSearch({"x": (0.0, 1.0)}).set_search_properties("score", "max", config())
    with pytest.raises(InvalidInput, match="no state"):
        RegretlessSearch().set_state({"format": 99})


# Real runs ------------------------------------------------------------------------------------------------------------

SCRIPT = Path(__file__).with_name("tuning.py")


def start(folder, what):
    environment = {**os.environ, "RAY_AIR_NEW_OUTPUT": "0"}
    with (folder / f"{what}.log").open("w") as log:
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), str(folder), what],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )


def seen(folder):
    path = folder / "seen.txt"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.slow
def test_a_real_run_with_two_workers(tmp_path):
    assert start(tmp_path, "fit").wait(timeout=1500) == 0, (tmp_path / "fit.log").read_text()[-2000:]
    found = json.loads((tmp_path / "results.json").read_text())
    assert len(found) == len(seen(tmp_path)) == 8
    assert len({(c["x"], c["n"], c["kind"]) for c in found}) == 8
    assert max(c["score"] for c in found) > -0.5


@pytest.mark.slow
def test_a_certificate_ends_a_real_run(tmp_path):
    assert start(tmp_path, "stop").wait(timeout=1500) == 0, (tmp_path / "stop.log").read_text()[-2000:]
    assert 8 <= len(json.loads((tmp_path / "results.json").read_text())) < 24


@pytest.mark.slow
def test_a_run_that_was_killed_is_restored_and_ends_with_all_trials(tmp_path):
    (tmp_path / "slow").touch()
    process = start(tmp_path, "fit")
    try:
        while len(seen(tmp_path)) < 4 and process.poll() is None:
            time.sleep(0.2)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = seen(tmp_path)
    assert 4 <= len(before) < 8
    (tmp_path / "slow").unlink()
    assert start(tmp_path, "restore").wait(timeout=1500) == 0, (tmp_path / "restore.log").read_text()[-2000:]
    found = json.loads((tmp_path / "results.json").read_text())
    assert len(found) == 8
    assert all(c["score"] is not None for c in found)
    assert len({(c["x"], c["n"], c["kind"]) for c in found}) == 8  # nothing was suggested twice
    told = {(c["x"], c["n"], c["kind"]) for c in found}
    assert len(told & {tuple(each) for each in before}) >= 2  # what was done is not done again
