"""The problems of the benchmark with many parameters: their minima, what is hidden in them, and that a run counts."""

import numpy as np
import pytest
from bench.dims import _AWAY, PROBLEMS, dims

_HARTMANN = [0.20168951, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730054]


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_random_point_is_below_the_minimum(name):
    problem = PROBLEMS[name]
    low, high = problem.bounds.T
    X = np.random.default_rng(1).uniform(low, high, (5_000, len(low)))
    assert problem.value(X).max() <= -problem.minimum + 1e-9


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("Hartmann 6 in 25", _HARTMANN),
        ("Hartmann 6 in 50", _HARTMANN),
        ("Hartmann 6 in 100", _HARTMANN),
        ("Levy 4 in 100", [1.0] * 4),
        ("Ackley 20", _AWAY),
        ("Rosenbrock 100", [1.0] * 100),
    ],
)
def test_the_minimum_is_reached_where_it_is_said_to_be_whatever_the_others_are(name, x):
    problem = PROBLEMS[name]
    low, high = problem.bounds.T
    at = np.random.default_rng(2).uniform(low, high)
    at[: len(x)] = x
    assert ((low < at) & (at < high)).all()
    assert -problem.value(at[None, :])[0] == pytest.approx(problem.minimum, abs=1e-6)


def test_a_run_of_each_of_ours_and_of_random_points():
    for peer in ("regretless", "regretless-region", "random"):
        found = dims(peer, 0, "Hartmann 6 in 25", 22)
        assert len(found["f"]) == 22
        assert max(found["f"]) <= 3.3224
