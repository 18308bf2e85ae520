"""The problems of the network benchmark: optima, and that a stage depends on nothing but its inputs."""

import numpy as np
import pytest
from bench.networks import METHODS, PROBLEMS, network


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_random_point_is_above_the_optimum(name):
    problem = PROBLEMS[name]
    low, high = problem.bounds.T
    X = np.random.default_rng(1).uniform(low, high, (20_000, len(low)))
    assert problem.value(X).max() <= problem.optimum + 1e-9
    assert problem.outputs(X).shape == (len(X), len(problem.inputs))


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("drop-wave", [0.0, 0.0]),
        ("Ackley 6", [0.0] * 6),
        ("Rosenbrock 5", [1.0] * 5),
        ("Alpine2 6", [7.917052684666207] * 6),
        ("line", [np.pi / 6, 1.0, 1.0, 0.0, 0.5962704]),
    ],
)
def test_the_optimum_is_reached_where_it_is_said_to_be(name, x):
    problem = PROBLEMS[name]
    assert problem.value(np.array([x]))[0] == pytest.approx(problem.optimum, abs=1e-5)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_stage_without_stages_before_it_depends_on_its_columns_alone(name):
    problem, rng = PROBLEMS[name], np.random.default_rng(2)
    low, high = problem.bounds.T
    X, other = rng.uniform(low, high, (2, 50, len(low)))
    for k, (columns, earlier) in enumerate(problem.inputs):
        if not earlier:
            mixed = other.copy()
            mixed[:, list(columns)] = X[:, list(columns)]
            np.testing.assert_allclose(problem.outputs(mixed)[:, k], problem.outputs(X)[:, k], rtol=1e-12)


def test_a_run_of_each_of_our_methods():
    for label in ("Regretless, quantile rule", "Regretless, value alone", "Random"):
        peer, parts = METHODS[label]
        found = network(peer, 0, "drop-wave", parts, 8)
        assert len(found["f"]) == 8
        assert max(found["f"]) <= 1.0
