"""Rice's bound on an interval: values at high precision, draws on a fine grid, and what it refuses."""

import numpy as np
import pytest

from regretless.confidence import certified_threshold
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior
from regretless.gp.kernels import FAMILIES
from regretless.theory import expected_maximum_on_interval, upcrossing_tail

POINTS, VALUES = np.array([[0.1], [0.35], [0.6], [0.9]]), np.array([0.2, 1.0, -0.3, 0.4])


def belief(family: str = "rbf", lengthscale: float = 0.2):
    return posterior(Kernel(family, np.array([lengthscale]), 1.0), noise_var=0.01, X=POINTS, y=VALUES)


@pytest.mark.parametrize(("u", "value"), [(1.2, 0.225784507047), (1.5, 0.0207112552472), (2.0, 0.00047942122463)])
def test_known_values(u, value):
    assert upcrossing_tail(belief(), u) == pytest.approx(value, abs=1e-9)


def test_it_never_exceeds_one():
    assert upcrossing_tail(belief(), -50.0) == 1.0
    assert upcrossing_tail(belief(), 30.0) == pytest.approx(0.0, abs=1e-100)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("lengthscale", [0.1, 0.4])
def test_above_the_truth_and_below_a_union_over_many_points(family, lengthscale):
    """4000 joint draws on 301 points: the bound is above their mean maximum, and below the tail sum of the points."""
    given, grid = belief(family, lengthscale), np.linspace(0.0, 1.0, 301)[:, None]
    mean, sd = given.mean_sd(grid)
    cov = given.covariance(grid, grid)
    values, vectors = np.linalg.eigh(cov)
    draws = (
        mean + np.random.default_rng(1).standard_normal((4000, 301)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    )
    top = draws.max(axis=1)
    bound = expected_maximum_on_interval(given)
    assert bound >= top.mean() - 4.0 * top.std() / np.sqrt(len(top))
    assert bound <= certified_threshold(mean, sd)[1]
    for u in (1.1, 1.6):
        share = np.mean(top > u)
        assert upcrossing_tail(given, u) >= share - 4.0 * np.sqrt(share * (1.0 - share) / len(top)) - 1e-12


def test_it_is_close_where_the_function_is_smooth():
    """The worked example: simulated truth 1.098, bound 2 per cent above it."""
    assert expected_maximum_on_interval(belief()) == pytest.approx(1.122, abs=5e-4)


def test_more_than_one_parameter_is_refused():
    two = posterior(Kernel("rbf", np.array([0.2, 0.2]), 1.0), noise_var=0.01, X=np.empty((0, 2)), y=np.empty(0))
    with pytest.raises(InvalidInput, match="one real parameter"):
        upcrossing_tail(two, 1.0)
