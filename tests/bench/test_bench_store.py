import json

import numpy as np
import pytest
from bench import store, tasks
from bench.adapters import PEERS
from bench.cost import rows_of, units_of
from bench.regret import SETS

from regretless.problems import by_name, table_names

ARGUMENTS = {"problem": "branin", "dim": None, "evaluations": 6, "n_initial": 4, "noise_var": 1e-4}


@pytest.fixture
def unit(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    return store.Unit("raw", "branin", "regretless", 3, "regret", ARGUMENTS)


def test_a_unit_runs_in_its_own_process_and_is_kept(unit):
    assert store.load(unit) is None
    result = store.run(unit, timeout=120)
    assert len(result["f"]) == 6
    assert store.load(unit) == result
    assert result["f"] == tasks.regret("regretless", 3, **ARGUMENTS)["f"]  # the same here as in the worker
    assert [path.name for path in unit.path.parent.iterdir()] == ["3.json"]  # no half-written file is left


@pytest.mark.parametrize("change", ["arguments", "versions", "source"])
def test_a_result_of_another_identity_is_not_used(unit, change):
    identity = unit.identity
    store.write_json(unit.path, {"identity": identity, "manifest": {}, "result": {"f": []}})
    assert store.load(unit) == {"f": []}
    identity[change] = "other"
    store.write_json(unit.path, {"identity": identity, "manifest": {}, "result": {"f": []}})
    assert store.load(unit) is None


def test_what_a_peer_did_that_is_not_installed_stands_with_its_versions(unit, monkeypatch):
    peer = store.Unit("raw", "branin", "smac", 3, "regret", ARGUMENTS)
    monkeypatch.setattr(store, "versions", lambda _: dict.fromkeys(PEERS["smac"].packages))
    done = {**peer.identity, "versions": {"smac": "2.4.1"}}
    store.write_json(peer.path, {"identity": done, "manifest": {}, "result": {"f": []}})
    assert store.load(peer) == {"f": []}
    assert store.version(peer) == "2.4.1"
    store.write_json(peer.path, {"identity": {**done, "seed": 4}, "manifest": {}, "result": {"f": []}})
    assert store.load(peer) is None
    assert store.version(unit) is None


def test_the_hash_of_the_source_sees_code_and_no_prose():
    plain = "def f(x):\n    return x + 1\n"
    told = '"""Of f."""\n\n\ndef f(x):\n    """One more."""\n    # or: x - -1\n    return (x + 1)\n'
    assert store._without_prose(told) == store._without_prose(plain)
    assert store._without_prose(plain.replace("1", "2")) != store._without_prose(plain)
    assert "data" in store._without_prose("x = 'data'\n")  # a string that is no docstring is code


def test_a_damaged_file_counts_as_missing(unit):
    unit.path.parent.mkdir(parents=True)
    unit.path.write_text('{"identity": ')
    assert store.load(unit) is None


def test_a_failing_worker_is_reported(unit):
    broken = store.Unit("raw", "branin", "regretless", 3, "regret", {**ARGUMENTS, "problem": "nonesuch"})
    with pytest.raises(store.UnitFailed, match="nonesuch"):
        store.run(broken, timeout=120)
    assert not unit.path.exists()


def test_the_manifest_is_json_and_says_where_from():
    manifest = json.loads(json.dumps(store.manifest()))
    assert {"commit", "date", "cpu", "threads", "python"} <= set(manifest)


def test_latin_hypercube_has_one_point_in_each_slice():
    bounds = np.array([[-5.0, 10.0], [0.0, 15.0]])
    X = tasks.latin_hypercube(bounds, 8, seed=1)
    slices = np.floor((X - bounds[:, 0]) / 15.0 * 8).astype(int)
    assert (np.sort(slices, axis=0) == np.arange(8)[:, None]).all()
    assert (tasks.latin_hypercube(bounds, 8, seed=1) == X).all()


def test_every_set_names_problems_that_exist():
    for chosen in (SETS["main"], SETS["confirm"]):
        for settings in chosen.problems.values():
            problem = by_name(settings["problem"], settings["dim"])
            assert settings["n_initial"] == 2**problem.space.dim
    assert set(SETS["materials"].problems) == set(table_names())
    assert not set(SETS["main"].problems) & set(SETS["confirm"].problems)
    assert not set(SETS["main"].seeds) & set(SETS["confirm"].seeds)


def test_bars_are_judged_against_our_own_time():
    rows = rows_of(
        "n500",
        {
            "regretless": [{"seconds": 0.2}],  # in another minute
            "botorch-logei": [{"seconds": 0.7, "beside": 0.1}],
            "bayes-opt": [{"seconds": 9.0, "beside": 0.1}],
        },
    )
    assert [row.passed for row in rows] == [None, False, None]
    assert rows[1].ratio == pytest.approx(7.0)
    (mine, _) = rows_of("table-1e6", {"regretless": [{"seconds": 0.3, "matvec": 0.2}]})
    assert mine.passed
    assert rows_of("memory-1e6", {"regretless": [{"bytes": 4_000_000_000}]})[0].passed is False


def test_peers_with_a_bar_are_repeated_the_others_run_once():
    units = units_of("holder", None, quick=False)
    runs = {unit.peer: [other.seed for other in units if other.peer == unit.peer] for unit in units}
    assert runs["regretless"] == runs["botorch-logei"] == runs["bayes-opt"] == [0, 1, 2]
    assert runs["smac"] == runs["optuna-tpe"] == [0]
    assert {unit.seed for unit in units_of("holder", None, quick=True)} == {0}
