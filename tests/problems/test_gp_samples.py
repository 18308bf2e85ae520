"""Draws against the law they should have, on grids small enough for many draws and on the paper's."""

import numpy as np
import pytest
from scipy import stats

from regretless.errors import InvalidInput
from regretless.problems import gp_sample, grid


def rbf(A, B, lengthscale=0.1):
    return np.exp(-0.5 * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2) / lengthscale**2)


def test_grid_has_every_combination_once_with_the_last_coordinate_fastest():
    points = grid([0.0, 0.5], dim=3)
    assert points.tolist()[:3] == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    assert len(np.unique(points, axis=0)) == len(points) == 8


def test_the_grid_of_the_paper_needs_no_jitter():
    points = grid(np.arange(10) / 10, dim=3)
    problem = gp_sample(points, rbf, np.random.default_rng(0), noise_var=1e-4)
    values = problem.evaluate(points)
    assert problem.space.n_candidates == 1000
    assert problem.optimum == values.max() == problem(problem.optimizers[0])
    assert problem.noise_var == 1e-4
    assert 1.5 < problem.optimum < 6.0


def test_draws_have_mean_zero_and_the_kernel_as_covariance():
    points = grid(np.arange(3) / 10, dim=2)
    rng = np.random.default_rng(4)
    F = np.array([gp_sample(points, rbf, rng).evaluate(points) for _ in range(2000)])
    L = np.linalg.cholesky(rbf(points, points))
    white = np.linalg.solve(L, F.T).ravel()  # ~ N(0, I) if and only if F ~ N(0, K)
    assert stats.kstest(white, stats.norm.cdf).pvalue > 1e-4
    np.testing.assert_allclose(F.T @ F / len(F), rbf(points, points), atol=0.12)


def test_same_generator_same_function():
    points = grid([0.0, 0.3, 0.9], dim=2)
    one, other = (gp_sample(points, rbf, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(one.evaluate(points), other.evaluate(points))


def test_the_space_speaks_arrays_that_the_function_understands():
    points = grid([0.0, 0.3, 0.9], dim=2)
    problem = gp_sample(points, rbf, np.random.default_rng(7))
    values = [problem(problem.space.argument(problem.space.params(i))) for i in range(9)]
    np.testing.assert_array_equal(values, problem.evaluate(points))
    with pytest.raises(InvalidInput):
        problem([0.1, 0.1])


def test_jitter_is_never_added_in_silence():
    points = grid(np.linspace(0.0, 1.0, 30), dim=1)

    def smooth(A, B):
        return rbf(A, B, lengthscale=1.0)

    with pytest.raises(InvalidInput, match="jitter="):
        gp_sample(points, smooth, np.random.default_rng(0))
    values = gp_sample(points, smooth, np.random.default_rng(0), jitter=1e-8).evaluate(points)
    assert np.abs(np.diff(values)).max() < 0.3


@pytest.mark.parametrize("levels", [[], [np.nan]])
def test_bad_levels_are_refused(levels):
    with pytest.raises(InvalidInput):
        grid(levels, dim=2)


@pytest.mark.parametrize("dim", [0, 1.5, True])
def test_bad_dimensions_are_refused(dim):
    with pytest.raises(InvalidInput):
        grid([0.0, 1.0], dim=dim)


def test_a_kernel_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidInput, match="shape"):
        gp_sample([[0.0], [1.0]], lambda A, B: rbf(A, B)[0], np.random.default_rng(0))
