"""A sum of functions of one column each: its density, its parts, what it says of values left out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, norm

from regretless.gp import Additive, Units, additive_setting
from regretless.gp.additive import _Density

MIXED = (False, False, True)
SETTING = Additive((0.3, 0.7, 0.8), (1.2, 0.4, 0.6), 0.01, Units(shift=2.0, scale=0.5))


def data(n=14, seed=1):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(n), rng.random(n), rng.integers(0, 3, n)])
    return X, np.sin(9.0 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2]


def matern(D, scale):
    a = math.sqrt(5.0) * math.sqrt(D) / scale
    return (1.0 + a + a * a / 3.0) * math.exp(-a)


def slow_part(setting, j, x, other):
    D = float(x != other) if MIXED[j] else (x - other) ** 2
    return setting.signal_var[j] * matern(D, setting.lengthscale[j])


def slow_kernel(setting, A, B, parts=range(3)):
    return np.array([[sum(slow_part(setting, j, a[j], b[j]) for j in parts) for b in B] for a in A])


def test_parts_and_sum_are_those_of_the_joint_normal_law():
    X, y = data()
    posterior = SETTING.posterior(MIXED, X, y)
    at = np.array([[0.1, 0.9, 2.0], [0.5, 0.2, 0.0], [0.7, 0.7, 1.0]])
    K = slow_kernel(SETTING, X, X) + (0.01 + 1e-9) * np.eye(len(X))
    z = (y - 2.0) / 0.5
    for parts, (mean, sd) in [
        *(((j,), posterior.part(j, at[:, j])) for j in range(3)),
        ((0, 1, 2), posterior.mean_sd(at)),
    ]:
        k = slow_kernel(SETTING, at, X, parts)
        cov = slow_kernel(SETTING, at, at, parts) - k @ np.linalg.solve(K, k.T)
        np.testing.assert_allclose(mean, k @ np.linalg.solve(K, z), rtol=1e-8)
        np.testing.assert_allclose(sd, np.sqrt(np.diag(cov)), rtol=1e-6)


def test_left_out_density_leaves_out_one_after_the_other():
    X, y = data()
    posterior = SETTING.posterior(MIXED, X, y)
    total = 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        mean, sd = SETTING.posterior(MIXED, X[rest], y[rest]).mean_sd(X[i : i + 1])
        total += norm.logpdf(posterior.z[i], mean[0], math.hypot(sd[0], math.sqrt(0.01)))
    assert posterior.left_out_density() == pytest.approx(total, rel=1e-6)


def test_further_points_are_observations_as_the_others():
    X, y = data()
    first = SETTING.posterior(MIXED, X[:9], y[:9]).with_points(X[9:], (y[9:] - 2.0) / 0.5)
    np.testing.assert_array_equal(first.mean_sd(X)[0], SETTING.posterior(MIXED, X, y).mean_sd(X)[0])


@given(st.integers(0, 10**6))
def test_density_and_gradient(seed):
    """The value is that of the normal law, with the mean at its mode and its prior; the gradient is its slope."""
    X, y = data(8, seed)
    z = (y - y.mean()) / y.std()
    density = _Density.of(X, z, MIXED)
    log_theta = density.prior.location + 0.5 * np.random.default_rng(seed).standard_normal(7)
    theta = np.exp(log_theta)
    setting = Additive(tuple(theta[:3]), tuple(theta[3:6]), float(theta[6]), Units())
    K = slow_kernel(setting, X, X) + (theta[6] + 1e-9) * np.eye(8)
    m = density.mean(log_theta)
    value = multivariate_normal.logpdf(z, np.full(8, m), K) + 4.0 * math.log(2.0 * math.pi) - 0.5 * m * m
    value += density.prior.log_density(log_theta)[0]
    found, gradient = density(log_theta)
    assert found == pytest.approx(-value / 8, rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(gradient, approx_fprime(log_theta, lambda t: density(t)[0], 1e-6), rtol=1e-3, atol=1e-4)
    better = multivariate_normal.logpdf(z, np.full(8, m + 0.01), K) - 0.5 * (m + 0.01) ** 2
    assert better < multivariate_normal.logpdf(z, np.full(8, m), K) - 0.5 * m * m + 1e-9  # the mode


def test_the_setting_has_the_highest_density_nearby():
    X, y = data(24)
    setting = additive_setting(X, y, MIXED)
    density = _Density.of(X, (y - y.mean()) / y.std(), MIXED)
    best = np.log([*setting.lengthscale, *setting.signal_var, setting.noise_var])
    lowest = density(best)[0]
    rng = np.random.default_rng(0)
    assert all(density(best + 0.3 * rng.standard_normal(7))[0] > lowest - 1e-2 for _ in range(50))


def test_the_short_start_finds_many_maxima_in_a_column():
    X = np.random.default_rng(3).random((60, 2))
    setting = additive_setting(X, np.sin(60.0 * X).sum(axis=1), (False, False))
    assert max(setting.lengthscale) < 0.1


@pytest.mark.parametrize("y", [[3.0], [1.0, 1.0, 1.0], [1e300, -1e300, 0.0]])
def test_values_that_say_nothing_have_a_setting_too(y):
    X = np.random.default_rng(0).random((len(y), 2))
    setting = additive_setting(X, np.array(y), (False, False))
    assert np.isfinite([*setting.lengthscale, *setting.signal_var, setting.noise_var]).all()
    assert np.isfinite(setting.posterior((False, False), X, np.array(y)).mean_sd(X)).all()
