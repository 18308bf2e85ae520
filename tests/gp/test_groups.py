"""A posterior at groups of points, against the posterior itself."""

import numpy as np
import pytest

from regretless.gp import Kernel, grouped, posterior, summed


def case(seed=0, m=4, w=3, d=2):
    rng = np.random.default_rng(seed)
    post = posterior(
        Kernel("matern52", np.array([0.3, 0.6])[:d], 1.7),
        noise_var=0.02,
        X=rng.random((9, d)),
        y=rng.standard_normal(9),
        prior_mean=0.4,
    )
    steps = rng.random((w, d)) * 0.3
    return rng, post, rng.random((m, 1, d)) + steps


@pytest.mark.parametrize("rigid", [True, False])
def test_moments_are_those_of_the_posterior(rigid):
    rng, post, Z = case()
    group, weights = grouped(post, Z, rigid=rigid), rng.standard_normal((4, 3))
    for i in range(4):
        S = post.covariance(Z[i], Z[i])
        mean, sd = post.mean_sd(Z[i])
        np.testing.assert_allclose(group.mean[i], mean, rtol=1e-12)
        np.testing.assert_allclose(group.sd[i], sd, rtol=1e-9)
        np.testing.assert_allclose(group.cov[i], S, atol=1e-12)
        assert group.sd_of(weights)[i] == pytest.approx(np.sqrt(weights[i] @ S @ weights[i]), rel=1e-9)
        np.testing.assert_allclose(group.cov_with(weights)[i], S @ weights[i], atol=1e-12)


def test_the_pull_is_the_derivative_in_every_point():
    rng, post, Z = case(1)
    by_mean, by_cov = rng.standard_normal((4, 3)), rng.standard_normal((4, 3, 3))
    by_cov += by_cov.transpose(0, 2, 1)

    def value(Z):
        group = grouped(post, Z)
        return (by_mean * group.mean).sum(axis=1) + (by_cov * group.cov).sum(axis=(1, 2))

    gradient, h = grouped(post, Z).pull(by_mean, by_cov), 6e-6
    for w in range(3):
        for j in range(2):
            step = np.zeros_like(Z)
            step[:, w, j] = h
            np.testing.assert_allclose(gradient[:, w, j], (value(Z + step) - value(Z - step)) / (2.0 * h), atol=1e-7)


def test_a_rigid_group_needs_no_prior_part():
    """Moved as a whole, the sum over its points is the same gradient."""
    rng, post, Z = case(2)
    by_mean, by_cov = rng.standard_normal((4, 3)), rng.standard_normal((4, 3, 3))
    by_cov += by_cov.transpose(0, 2, 1)
    loose, rigid = (grouped(post, Z, rigid=each).pull(by_mean, by_cov) for each in (False, True))
    np.testing.assert_allclose(loose.sum(axis=1), rigid.sum(axis=1), atol=1e-10)
    assert np.abs(loose - rigid).max() > 1e-3


@pytest.mark.parametrize("rigid", [True, False])
def test_a_posterior_of_sums(rigid):
    """Moments, covariances with others and with points, against the plain posterior; rows may be longer than codes."""
    _, post, Z = case(3)
    p = np.array([0.5, 0.3, 0.2])
    sums, rows = summed(post, p, 2, rigid=rigid), Z.reshape(4, 6)
    flat = Z.reshape(12, 2)
    S, mean = post.covariance(flat, flat), post.mean(flat)
    A = np.kron(np.eye(4), p)
    np.testing.assert_allclose(sums.mean(rows), A @ mean, rtol=1e-12)
    np.testing.assert_allclose(sums.mean_sd(rows)[1], np.sqrt(np.diag(A @ S @ A.T)), rtol=1e-9)
    np.testing.assert_allclose(sums.covariance(rows, rows), A @ S @ A.T, atol=1e-12)
    np.testing.assert_allclose(sums.on(rows).covariance_with(2), (A @ S @ A.T)[2], atol=1e-12)
    np.testing.assert_allclose(sums.covariance(rows, flat), A @ S, atol=1e-12)
    group = grouped(post, Z)
    np.testing.assert_allclose(group.sd_of(np.tile(p, (4, 1))), sums.mean_sd(rows)[1], rtol=1e-9)
    y = sums.condition(flat[0], 0.7)  # an observation of f itself
    np.testing.assert_allclose(y.mean(rows), A @ post.condition(flat[0], 0.7).mean(flat), rtol=1e-10)
