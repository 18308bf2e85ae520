"""Robust problems: optima by brute force, and what is known of them from the literature."""

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.problems import robust_names, robust_problem
from regretless.spaces import Environment


@pytest.mark.parametrize("name", robust_names())
def test_the_optimum_is_that_of_a_grid(name):
    problem = robust_problem(name)
    assert problem.regret(dict(zip(problem.space.names, problem.optimizer, strict=True))) == pytest.approx(
        0.0, abs=2e-5
    )
    bounds = [(part.low, part.high) for part in problem.space.dimensions.values()]
    count = {1: 3001, 2: 121, 3: 25}[len(bounds)]
    axes = [np.linspace(low, high, count) for low, high in bounds]
    X = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(bounds))
    near = np.array(problem.optimizer) + 0.01 * np.random.default_rng(1).standard_normal((500, len(bounds)))
    worth = problem.worth(np.vstack([X, np.clip(near, *np.array(bounds).T)]))
    assert worth.max() <= problem.optimum + 1e-6
    assert worth[-500:].max() > problem.optimum - 0.05


def test_the_plain_optimum_is_not_the_robust_one():
    for name, plain in (("bogunovic", [2.813, 4.012]), ("dh3", [0.25, 0.85, 0.0]), ("dh2", [0.0, 0.0])):
        problem = robust_problem(name)
        assert problem.function(np.array([plain]))[0] > problem.function(np.array([problem.optimizer]))[0]
        assert problem.worth([plain])[0] < problem.optimum - 0.05


def test_values_from_the_literature():
    """Bogunovic et al. (2018) find the robust point of the polynomial near (-0.195, 0.284); Branin's smallest value."""
    assert np.abs(np.array(robust_problem("bogunovic").optimizer) - [-0.195, 0.284]).max() < 0.01
    branin = robust_problem("branin-mean")
    assert branin({"x": np.pi, "y": 2.275}) == pytest.approx(-0.397887, abs=1e-5)
    assert isinstance(branin.environment, Environment)
    # DH1 and DH3 at 0.37 in every coordinate, by hand from the formulas
    g = 10 + 0.37**2 - 10 * np.cos(4 * np.pi * 0.37)
    dh1 = 0.37 + 1 - 0.37**2 + g * (1 / 0.57 + 0.37**2)
    assert robust_problem("dh1")({"x0": 0.37, "x1": 0.37}) == pytest.approx(-dh1, rel=1e-12)
    with pytest.raises(InvalidInput, match="there are bogunovic"):
        robust_problem("dh9")
