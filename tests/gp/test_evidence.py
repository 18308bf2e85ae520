import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from regretless.gp.evidence import constant_mean, log_evidence, log_evidence_gradient
from regretless.gp.kernels import FAMILIES, Kernel

H = np.finfo(float).eps ** (1 / 3)


def setting(family, n_levels, *, n, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(k, size=n) if k else rng.random(n) for k in n_levels]).astype(float)
    theta = np.concatenate([rng.uniform(0.3, 1.0, len(n_levels)), [1.4, 0.05]])
    return X, rng.standard_normal(n), np.log(theta), tuple(bool(k) for k in n_levels)


def at(log_theta, family, categorical):
    *lengthscale, signal_var, noise_var = np.exp(log_theta)
    return Kernel(family, np.array(lengthscale), signal_var, categorical), noise_var


def best_mean(kernel, noise_var, X, y, mean_var):
    """The mean m with the highest density of y and m, by trial, and that density without the constant of m's."""
    K_y = kernel(X, X) + noise_var * np.eye(len(y))

    def density(m):
        return multivariate_normal.logpdf(y, np.full(len(y), m), K_y) - 0.5 * m**2 / mean_var

    found = minimize_scalar(lambda m: -density(m), bracket=(-1.0, 1.0), tol=1e-10)
    return found.x, -found.fun


def slow(kernel, noise_var, X, y, mean_var=0.0):
    if mean_var:
        return best_mean(kernel, noise_var, X, y, mean_var)[1]
    return multivariate_normal.logpdf(y, np.zeros(len(y)), kernel(X, X) + noise_var * np.eye(len(y)))


def check_gradient(family, X, y, log_theta, categorical, mean_var=0.0):
    kernel, noise_var = at(log_theta, family, categorical)
    assert np.linalg.cond(kernel(X, X) + noise_var * np.eye(len(y))) < 1e8
    value, gradient = log_evidence_gradient(kernel, noise_var, X, y, mean_var=mean_var)
    assert value == pytest.approx(slow(kernel, noise_var, X, y, mean_var), rel=1e-10)
    up, down = (
        [slow(*at(log_theta + s * e, family, categorical), X, y, mean_var) for e in H * np.eye(len(log_theta))]
        for s in (1, -1)
    )
    expected = (np.array(up) - down) / (2 * H)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0,), (0, 0, 0), (4, 0), (3, 2), (0, 3, 0, 2, 0)])
@pytest.mark.parametrize("n", [1, 2, 15])
def test_value_is_the_normal_density_and_gradient_its_difference(family, n_levels, n):
    X, y, log_theta, categorical = setting(family, n_levels, n=n)
    kernel, noise_var = at(log_theta, family, categorical)
    assert log_evidence(kernel, noise_var, X, y) == pytest.approx(slow(kernel, noise_var, X, y), rel=1e-10)
    check_gradient(family, X, y, log_theta, categorical)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("mean_var", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("n", [1, 2, 15])
def test_an_unknown_mean_is_at_its_mode(family, mean_var, n):
    X, y, log_theta, categorical = setting(family, (0, 0, 3), n=n)
    kernel, noise_var = at(log_theta, family, categorical)
    y = y + 2.0
    m, density = best_mean(kernel, noise_var, X, y, mean_var)
    assert constant_mean(kernel, noise_var, X, y, mean_var) == pytest.approx(m, rel=1e-6)
    assert log_evidence(kernel, noise_var, X, y, mean_var) == pytest.approx(density, rel=1e-10)
    check_gradient(family, X, y, log_theta, categorical, mean_var)


def test_a_wide_prior_takes_the_mean_from_the_data_and_a_narrow_one_leaves_it():
    X, y, log_theta, categorical = setting("matern52", (0, 0), n=12)
    model = at(log_theta, "matern52", categorical)
    assert constant_mean(*model, X, y, 0.0) == 0.0
    assert constant_mean(*model, X, y + 7.0, 1e9) == pytest.approx(constant_mean(*model, X, y, 1e9) + 7.0)


def test_a_crowd_of_points_counts_for_the_mean_like_one():
    """Two places far apart, one measured twenty times."""
    kernel = Kernel("matern52", np.array([0.05]), 1.0)
    X, y = np.append(np.zeros(20), 1.0)[:, None], np.append(np.ones(20), -1.0)
    assert constant_mean(kernel, 1e-6, X, y, 1e9) == pytest.approx(0.0, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    family=st.sampled_from(FAMILIES),
    n_levels=st.lists(st.sampled_from([0, 0, 3]), min_size=1, max_size=4),
    n=st.integers(1, 12),
    seed=st.integers(0, 10**6),
)
def test_gradient_for_any_data_with_replicates(family, n_levels, n, seed):
    X, y, log_theta, categorical = setting(family, n_levels, n=n, seed=seed)
    check_gradient(family, np.vstack([X, X[:2]]), np.append(y, y[:2] + 0.1), log_theta, categorical)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_observation_by_hand(family):
    kernel = Kernel(family, np.array([0.5]), 2.0)
    value, gradient = log_evidence_gradient(kernel, 0.5, np.array([[0.3]]), np.array([1.5]))
    var = 2.5
    assert value == pytest.approx(-0.5 * (1.5**2 / var + np.log(2 * np.pi * var)), rel=1e-14)
    by_var = 0.5 * (1.5**2 / var**2 - 1 / var)
    np.testing.assert_allclose(gradient, [0.0, 2.0 * by_var, 0.5 * by_var], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_category_that_never_changes_has_no_gradient(family):
    X, y, log_theta, _ = setting(family, (0, 1), n=8)
    _, gradient = log_evidence_gradient(*at(log_theta, family, (False, True)), X, y)
    assert gradient[1] == 0.0


def test_without_observations_the_evidence_is_one():
    assert log_evidence(Kernel("rbf", np.ones(1), 1.0), 0.1, np.empty((0, 1)), np.empty(0)) == 0.0


def test_noise_free_evidence_has_a_finite_gradient():
    X, y, log_theta, categorical = setting("matern32", (0, 0), n=10)
    kernel, _ = at(log_theta, "matern32", categorical)
    value, gradient = log_evidence_gradient(kernel, 0.0, np.vstack([X, X]), np.append(y, y))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert gradient[-1] == 0.0


def test_data_are_not_changed():
    X, y, log_theta, categorical = setting("rbf", (0, 2), n=6)
    before = X.copy(), y.copy()
    log_evidence_gradient(*at(log_theta, "rbf", categorical), X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
