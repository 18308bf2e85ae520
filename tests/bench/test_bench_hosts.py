import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn")

from bench import hosts, store
from bench.adapters import PEERS, box_optimizer
from bench.tuning import TASKS, tune


def test_our_sampler_is_a_peer_in_optunas_loop():
    bounds, X0 = np.array([[0.0, 1.0]]), np.array([[0.1], [0.5], [0.9]])
    optimizer = box_optimizer("optuna-regretless", bounds, 1, X0, -((X0[:, 0] - 0.3) ** 2))
    for _ in range(6):
        x = optimizer.ask()
        optimizer.tell(x, -((x[0] - 0.3) ** 2))
    assert optimizer.study.best_value > -0.01


def test_a_search_reports_the_score_on_all_data():
    for peer in ("search-regretless", "search-random"):
        found = tune(peer, 0, "svc-breast-cancer", 3)
        assert found["candidates"] == 3
        assert np.isfinite(found["score"])
    assert tune("search-halving", 0, "svc-breast-cancer", 3)["candidates"] == 9 + 3 + 1
    assert len(TASKS) == 5


def test_what_is_hosted_knows_the_code_of_its_adapter():
    ours, theirs = (store.Unit("raw", "branin", peer, 0, "regret", {}) for peer in ("optuna-regretless", "optuna-gp"))
    assert {"source", "adapter"} <= set(ours.identity)
    assert not {"source", "adapter"} & set(theirs.identity)
    assert all(PEERS[peer].hosted for peer in hosts.SEARCHES)


def test_searches_are_compared_with_the_best_of_the_same_folds():
    runs = {"a": [{"score": 1.0}, {"score": 2.0}], "b": [{"score": 0.5}, {"score": 3.0}]}
    assert hosts._behind(runs) == {"a": [0.0, 1.0], "b": [0.5, 0.0]}
