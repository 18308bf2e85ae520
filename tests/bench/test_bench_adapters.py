"""Our own adapters, on which the comparison stands; the peers' are tried by `make bench ARGS=--quick`."""

import numpy as np
import pytest
from bench.adapters import OURS, PEERS, Aims, box_optimizer, table_optimizer
from bench.adapters.own import _wishes

BOUNDS = np.array([[-5.0, 10.0], [0.0, 15.0]])


def test_told_points_are_the_asked_ones_and_others_are_added():
    X0 = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 9.0]])
    optimizer = box_optimizer("regretless", BOUNDS, 0, X0[:2], np.array([1.0, 2.0]))
    optimizer.tell(X0[2], 0.5)
    x = optimizer.ask()
    optimizer.tell(x, 4.0)
    optimizer.ask()
    trials = optimizer.study.trials
    assert [trial.source for trial in trials] == ["added"] * 3 + ["rule"] * 2  # no initial design beside the shared one
    assert [trial.value for trial in trials] == [1.0, 2.0, 0.5, 4.0, None]


@pytest.mark.parametrize("name", [name for name in OURS if PEERS[name].table])
def test_a_table_is_searched_without_repeats(name):
    X = np.random.default_rng(0).random((12, 2)) * 100.0
    f = -((X - 40.0) ** 2).sum(axis=1)
    optimizer = table_optimizer(name, X, 1, [3, 4], f[[3, 4]])
    seen = [3, 4]
    for _ in range(10):
        seen.append(optimizer.ask())
        optimizer.tell(seen[-1], float(f[seen[-1]]))
    assert sorted(seen) == list(range(12))


def test_cycle_is_the_schedule_of_refits():
    X = np.random.default_rng(0).random((40, 1))
    optimizer = table_optimizer("regretless", X, 0, list(range(16)), X[:16, 0])
    count, fits = optimizer.cycle(16), []
    for _ in range(count + 1):
        row = optimizer.ask()
        fits.append(optimizer.study._fit)
        optimizer.tell(row, float(X[row, 0]))
    assert all(fit == fits[0] for fit in fits[:count])
    assert fits[count] != fits[0]


def test_peers_without_a_table_say_so():
    assert PEERS["smac"].table is None
    with pytest.raises(ValueError, match="SMAC3"):
        table_optimizer("smac", np.zeros((2, 1)), 0, [0], np.zeros(1))


def test_what_is_wanted_in_the_words_of_a_study():
    bounded = {"c0": ("<=", 0.0), "c1": ("<=", 0.0)}
    assert _wishes(Aims(1, 2)) == {"objective": "f0", "constraints": bounded}
    both = {"f0": "maximize", "f1": "maximize"}
    assert _wishes(Aims(2, 0, (-1.0, -2.0))) == {"objectives": both, "reference": {"f0": -1.0, "f1": -2.0}}
    assert _wishes(Aims(2, 2, (-1.0, -2.0)))["constraints"] == bounded
