"""The problems of the composite benchmark: optima, agreement of parts and values, and that a run counts evaluations."""

import numpy as np
import pytest
from bench.composites import METHODS, PROBLEMS, composite


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_random_point_is_above_the_optimum(name):
    problem = PROBLEMS[name]
    low, high = problem.bounds.T
    X = np.random.default_rng(1).uniform(low, high, (20_000, len(low)))
    assert problem.value(X).max() <= problem.optimum + 1e-9
    assert problem.parts(X).ndim == 2
    assert problem.spread > 0.0


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("drop-wave", [0.0, 0.0]),
        ("Ackley 6", [0.0] * 6),
        ("Rosenbrock 5", [1.0] * 5),
        ("Alpine2 4", [7.917052684666207] * 4),
        ("environment", [10.0, 0.07, 1.505, 30.1525]),
    ],
)
def test_the_optimum_is_reached_where_it_is_said_to_be(name, x):
    problem = PROBLEMS[name]
    assert problem.value(np.array([x]))[0] == pytest.approx(problem.optimum, abs=1e-5)


def test_a_run_of_each_of_our_methods():
    for label in ("Regretless, quantile rule", "Regretless, Thompson sampling", "Regretless, value alone", "Random"):
        peer, parts = METHODS[label]
        found = composite(peer, 0, "drop-wave", parts, 9)
        assert len(found["f"]) == 9
        assert max(found["f"]) <= 1.0
