r"""Laws of the draws.

Moments of S independent draws are compared with the exact ones entry by entry, in units of their own standard error.
``Z`` = 5 on m entries fails by chance with probability below 6e-7 m, that is below 2e-4 for a test of 240 entries; the
seeds are fixed.
"""

import numpy as np
import pytest

from regretless.gp.draws import draw_features, draw_on_table, draw_paths, prior_factor
from regretless.gp.kernels import FAMILIES, Kernel
from regretless.gp.regression import posterior
from regretless.gp.table import table_posterior

H = np.finfo(float).eps ** (1 / 3)
Z = 5.0
SPACES = [(0,), (0, 0, 0), (0, 4), (3, 2)]


def mixed(rng, n, n_levels):
    """Points with numbers where n_levels is 0 and category numbers elsewhere."""
    return np.column_stack([rng.integers(k, size=n) if k else rng.random(n) for k in n_levels]).astype(float)


def setting(family, n_levels, *, n=6, seed=0, noise_var=1e-2, prior_mean=0.4):
    rng = np.random.default_rng(seed)
    kernel = Kernel(family, rng.uniform(0.3, 0.8, len(n_levels)), 1.6, tuple(bool(k) for k in n_levels))
    X = mixed(rng, n, n_levels)
    return posterior(kernel, noise_var=noise_var, X=X, y=rng.standard_normal(n), prior_mean=prior_mean), rng


def assert_law(draws, mean, covariance, bias=0.0):
    """Rows are variables, columns draws ~ N(mean, covariance); ``bias`` is allowed on top of the Monte-Carlo error."""
    S = draws.shape[1]
    var = np.diagonal(covariance)
    assert (np.abs(draws.mean(axis=1) - mean) <= Z * np.sqrt(var / S) + bias).all()
    centred = draws - mean[:, None]
    # Var of a product of two normals: v_i v_j + c_ij^2
    error = np.sqrt((np.outer(var, var) + covariance**2) / S)
    assert (np.abs(centred @ centred.T / S - covariance) <= Z * error + bias).all()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", SPACES)
def test_products_of_features_approximate_the_kernel(family, n_levels):
    post, rng = setting(family, n_levels)
    n_features = 20_000
    X = mixed(rng, 12, n_levels)
    features = draw_features(post.kernel, n_features, n_levels, rng)
    phi = features(X)
    assert phi.shape == (12, n_features)
    # A product 2 s cos(a) cos(b) lies in [-2 s, 2 s] and has variance at most 1.5 s^2 (s the signal variance).
    error = np.sqrt(1.5 / n_features) * post.kernel.signal_var
    assert np.abs(phi @ phi.T - post.kernel(X, X)).max() < Z * error


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", SPACES)
def test_paths_meet_the_data_within_the_noise(family, n_levels):
    rng = np.random.default_rng(1)
    X = np.unique(mixed(rng, 5, n_levels), axis=0)
    post, _ = setting(family, n_levels)
    y = rng.standard_normal(len(X))
    post = posterior(post.kernel, noise_var=1e-6, X=X, y=y, prior_mean=0.4)
    paths = draw_paths(post, 20, rng, n_features=100, n_levels=n_levels)
    assert len(paths) == 20
    # Even with few features the correction interpolates: what is left has at most the sd of the noise, 1e-3.
    assert np.abs(paths(X) - post.mean(X)[:, None]).max() < Z * 1e-3


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0, 0), (0, 3)])
def test_moments_of_many_paths_are_those_of_the_posterior(family, n_levels):
    post, rng = setting(family, n_levels, noise_var=0.5)  # much, so that a path without its noise is seen
    X = np.vstack([post.X[:2], mixed(rng, 6, n_levels)])
    # Paths of one set of features share its error: 40 sets of 50 paths average it down to that of 40 * 500 features.
    sets = [draw_paths(post, 50, rng, n_features=500, n_levels=n_levels)(X) for _ in range(40)]
    mean, _ = post.mean_sd(X)
    bias = 4.0 * np.sqrt(1.5 / (40 * 500)) * post.kernel.signal_var
    assert_law(np.hstack(sets), mean, post.covariance(X, X), bias=bias)


@pytest.mark.parametrize("family", FAMILIES)
def test_paths_without_data_are_draws_of_the_prior(family):
    kernel = Kernel(family, np.array([0.4, 0.6]), 2.0)
    prior = posterior(kernel, noise_var=0.1, X=np.empty((0, 2)), y=np.empty(0), prior_mean=-1.0)
    rng = np.random.default_rng(0)
    X = rng.random((6, 2))
    sets = [draw_paths(prior, 50, rng, n_features=500, n_levels=(0, 0))(X) for _ in range(40)]
    assert_law(np.hstack(sets), np.full(6, -1.0), kernel(X, X), bias=4.0 * np.sqrt(1.5 / 20_000) * 2.0)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0,), (0, 0, 0), (3, 0, 0, 2, 0)])
def test_path_gradients_are_central_differences(family, n_levels):
    post, rng = setting(family, n_levels)
    d = len(n_levels)
    paths = draw_paths(post, 4, rng, n_features=200, n_levels=n_levels)
    X, which = mixed(rng, 10, n_levels), rng.integers(4, size=10)
    value, gradient = paths.value_and_gradient(X, which)
    rows = np.arange(10)
    np.testing.assert_allclose(value, paths(X)[rows, which], rtol=1e-10, atol=1e-11)
    for j in range(d):
        if n_levels[j]:
            np.testing.assert_array_equal(gradient[:, j], 0.0)
            continue
        e = H * np.eye(d)[j]
        difference = (paths(X + e)[rows, which] - paths(X - e)[rows, which]) / (2 * H)
        np.testing.assert_allclose(gradient[:, j], difference, rtol=1e-5, atol=1e-5)


def test_paths_differ_from_each_other_and_repeat_with_the_seed():
    post, rng = setting("matern52", (0, 0))
    X = rng.random((5, 2))
    a, b = (draw_paths(post, 3, np.random.default_rng(9), n_features=64, n_levels=(0, 0))(X) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    assert np.abs(a[:, 0] - a[:, 1]).min() > 1e-6


def table_setting(family, n_levels, *, observed, more=0, N=15, noise_var=1e-2, seed=0):
    rng = np.random.default_rng(seed)
    kernel = Kernel(family, rng.uniform(0.3, 0.8, len(n_levels)), 1.6, tuple(bool(k) for k in n_levels))
    X = mixed(rng, N, n_levels)
    observed = np.array(observed, dtype=int)
    y = rng.standard_normal(len(observed))
    first = len(observed) - more
    post = posterior(kernel, noise_var=noise_var, X=X[observed[:first]], y=y[:first], prior_mean=0.4)
    table = table_posterior(post, X)
    for i, value in zip(observed[first:], y[first:], strict=True):
        table = table.condition(X[i], value)
    return table, observed, rng


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0, 0), (0, 3), (3, 4)])
@pytest.mark.parametrize(("observed", "more"), [([], 0), ([3], 0), ([2, 5, 7, 5], 0), ([2, 5, 7, 5, 14], 3)])
def test_draws_on_a_table_have_the_law_of_the_posterior(family, n_levels, observed, more):
    table, observed, rng = table_setting(family, n_levels, observed=observed, more=more)
    factor = prior_factor(table.posterior.kernel, table.X)
    draws = draw_on_table(table, factor, observed, 8000, rng)
    assert draws.shape == (15, 8000)
    # Jitter (replicated rows of categories) adds at most 1e-9 to a variance.
    assert_law(draws, table.mean, table.posterior.covariance(table.X, table.X), bias=1e-8)


def test_draws_on_a_table_meet_noise_free_data():
    table, observed, rng = table_setting("matern32", (0, 0), observed=[1, 4, 9], noise_var=1e-10)
    factor = prior_factor(table.posterior.kernel, table.X)
    draws = draw_on_table(table, factor, observed, 50, rng)
    assert np.abs(draws[observed] - table.posterior.y[:, None]).max() < 1e-4


@pytest.mark.parametrize("n_paths", [1, 2])
def test_few_draws_on_a_table_have_their_shape(n_paths):
    table, observed, rng = table_setting("rbf", (0, 0), observed=[0, 1])
    factor = prior_factor(table.posterior.kernel, table.X)
    assert draw_on_table(table, factor, observed, n_paths, rng).shape == (15, n_paths)


@pytest.mark.parametrize("family", FAMILIES)
def test_prior_factor_is_the_root_of_the_prior_covariance(family):
    X = np.random.default_rng(0).random((30, 2))
    kernel = Kernel(family, np.array([0.3, 0.2]), 1.7)
    factor = prior_factor(kernel, X)
    np.testing.assert_allclose(factor.L @ factor.L.T, kernel(X, X) + factor.jitter * np.eye(30), atol=1e-11)
    np.testing.assert_array_equal(len(factor), 30)


def test_prior_factor_of_a_table_with_equal_rows_and_a_smooth_kernel():
    X = np.repeat(np.linspace(0.0, 1.0, 50), 2)[:, None]
    factor = prior_factor(Kernel("rbf", np.array([3.0]), 1.0), X)
    assert np.isfinite(factor.L).all()
    assert 0 < factor.jitter <= 1e-8


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0, 0), (0, 3)])
@pytest.mark.parametrize("rows", [0, 3])
def test_draws_on_a_table_given_data_of_no_row(family, n_levels, rows):
    """Some of them twice, outside the cube or all but on a row: the law is that of the posterior all the same."""
    rng = np.random.default_rng(3)
    kernel = Kernel(family, np.array([0.4, 0.7]), 1.6, tuple(bool(k) for k in n_levels))
    X = mixed(rng, 8, n_levels)
    beside = mixed(rng, 4, n_levels)
    beside[0, 0] = 1.3
    beside[1] = X[5] + np.array([1e-9, 0.0])
    observed = np.array([*range(rows), -2, -2, -2, -2, -2])
    data = np.vstack([X[:rows], beside, beside[:1]])
    post = posterior(kernel, noise_var=0.3, X=data, y=rng.standard_normal(len(data)), prior_mean=0.4)
    table = table_posterior(post, X)
    draws = draw_on_table(table, prior_factor(kernel, X), observed, 20_000, rng)
    assert_law(draws, table.mean, post.covariance(X, X))


def test_draws_do_not_change_where_all_data_are_of_rows():
    """The stream of random numbers is that of before there were other data."""
    post, rng = setting("matern52", (0, 0))
    X = np.vstack([post.X, rng.random((4, 2))])
    table, factor = table_posterior(post, X), prior_factor(post.kernel, X)
    draws = draw_on_table(table, factor, np.arange(len(post)), 3, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    prior = post.prior_mean + factor.L @ rng.standard_normal((len(X), 3))
    noise = np.sqrt(post.noise_var) * rng.standard_normal((len(post), 3))
    residual = post.factor.half_solve(post.y[:, None] - prior[: len(post)] - noise)
    np.testing.assert_array_equal(draws, prior + table.project(residual).T)
