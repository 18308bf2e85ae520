"""Problems with cheaper levels: published values, optima, and how alike the levels are."""

import numpy as np
import pytest
from scipy.optimize import minimize

from regretless.errors import InvalidInput
from regretless.problems import by_name, fidelity_names, fidelity_problem

#: At 0.37 of every range, level included, as BoTorch minimises them.
AT_37 = {"augmented-branin": 18.350330013, "augmented-hartmann": -1.16331466513}
#: As published, to the digits that are.
OPTIMA = {
    "augmented-branin": -0.397887,
    "augmented-hartmann": 3.32237,
    "currin": 13.7987,
    "park": 25.5893,
    "borehole": 309.5756,
}


def bounds(problem):
    return np.array([(part.low, part.high) for part in problem.target.space.dimensions.values()]).T


@pytest.mark.parametrize("name", sorted(AT_37))
def test_values_of_botorch(name):
    problem = fidelity_problem(name)
    low, high = bounds(problem)
    assert problem(low + 0.37 * (high - low), 0.37) == pytest.approx(-AT_37[name], rel=1e-10)


@pytest.mark.parametrize("name", fidelity_names())
def test_optima(name):
    problem = fidelity_problem(name)
    low, high = bounds(problem)
    assert problem.target.optimum == pytest.approx(OPTIMA[name], rel=2e-5)
    for best in problem.target.optimizers:
        assert problem(best, problem.levels[-1]) == pytest.approx(problem.target.optimum, rel=1e-12)
    starts = np.random.default_rng(1).random((20, len(low)))
    found = [
        -minimize(
            lambda u: -problem.target.function((low + u * (high - low))[None, :])[0],
            start,
            bounds=[(0.0, 1.0)] * len(low),
            options={"ftol": 1e-13},
        ).fun
        for start in starts
    ]
    assert max(found) <= problem.target.optimum * (1.0 + 1e-9 * np.sign(problem.target.optimum))
    assert max(found) == pytest.approx(problem.target.optimum, rel=1e-6)


@pytest.mark.parametrize("name", fidelity_names())
def test_levels_are_alike_the_more_the_dearer(name):
    problem = fidelity_problem(name)
    low, high = bounds(problem)
    X = low + np.random.default_rng(2).random((2000, len(low))) * (high - low)
    values = [problem.function(X, level) for level in problem.levels]
    correlations = [np.corrcoef(each, values[-1])[0, 1] for each in values]
    assert correlations[0] > 0.7
    assert correlations == sorted(correlations)
    assert np.array_equal(values[-1], problem.target.evaluate(X))
    assert len(problem.costs) == len(problem.levels)
    assert list(problem.costs) == sorted(problem.costs)
    assert not np.allclose(values[0], values[-1])


def test_branin_at_its_target_is_branin():
    X = np.random.default_rng(3).uniform([-5.0, 0.0], [10.0, 15.0], (50, 2))
    np.testing.assert_allclose(
        fidelity_problem("augmented-branin").target.evaluate(X), by_name("branin").evaluate(X), rtol=1e-12
    )


def test_edges_of_formulas():
    assert np.isfinite(fidelity_problem("park")([0.0, 0.5, 0.5, 0.5], 1.0))
    assert np.isfinite(fidelity_problem("currin")([0.5, 0.0], 0.0))
    with pytest.raises(InvalidInput, match="levels"):
        fidelity_problem("park")([0.0, 0.5, 0.5, 0.5], 1.5)
    with pytest.raises(InvalidInput, match="known are"):
        fidelity_problem("ackley")
