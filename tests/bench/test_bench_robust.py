"""The benchmark of robust decisions: a run counts what it says, and tables are of shared seeds."""

import pytest
from bench.robust import _start, _table, measure

from regretless.problems import robust_problem


@pytest.mark.parametrize("peer", ["regretless", "nominal", "random"])
def test_a_run_names_a_decision_at_each_look(peer):
    found = measure("branin-mean", peer, 1, looks=(8, 12))
    assert len(found["regret"]) == 2
    assert min(found["regret"]) >= -1e-5
    assert found == {**measure("branin-mean", peer, 1, looks=(8, 12)), "seconds": found["seconds"]}


def test_the_start_is_in_the_joint_space():
    rows = _start(robust_problem("branin-cvar"), 3)
    assert len(rows) == 6
    assert all(set(row) == {"x", "y"} for row in rows)


def test_the_table_compares_seeds_that_all_have():
    runs = [
        {"problem": "dh1", "peer": "regretless", "seed": seed, "regret": [1.0, 10.0 ** -(seed + 1)]}
        for seed in range(3)
    ]
    runs.append({"problem": "dh1", "peer": "botorch", "seed": 1, "regret": [1.0, 1.0]})
    heads, lines = _table(runs)
    assert heads[3:] == ["regretless", "botorch"]
    assert lines == [["dh1", "Expectation", "1", "0.01 ×/÷ 1", "1 ×/÷ 1"]]
