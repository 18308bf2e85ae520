"""Leave-one-out in closed form against refits, and the trust light against models that are right and wrong."""

import numpy as np
import pytest
from scipy import stats

from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior
from regretless.theory import calibration, leave_one_out


def sample(rng, n, *, kernel, noise_var, prior_mean=0.0, d=2):
    X = rng.random((n, d))
    K = kernel(X, X) + noise_var * np.eye(n)
    return X, prior_mean + np.linalg.cholesky(K) @ rng.standard_normal(n)


@pytest.mark.parametrize("family", ["rbf", "matern32", "matern52"])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_against_refits(family, n):
    kernel, rng = Kernel(family, np.array([0.4, 0.7]), 1.7), np.random.default_rng(n)
    X, y = sample(rng, n, kernel=kernel, noise_var=0.05, prior_mean=0.6)
    loo = leave_one_out(posterior(kernel, noise_var=0.05, X=X, y=y, prior_mean=0.6))
    for i in range(n):
        others = np.arange(n) != i
        rest = posterior(kernel, noise_var=0.05, X=X[others], y=y[others], prior_mean=0.6)
        mean, sd = rest.mean_sd(X[i][None])
        assert loo.mean[i] == pytest.approx(mean[0], rel=1e-9, abs=1e-10)
        assert loo.sd[i] == pytest.approx(np.hypot(sd[0], np.sqrt(0.05)), rel=1e-9)
        assert loo.residual[i] == pytest.approx((y[i] - loo.mean[i]) / loo.sd[i], rel=1e-8)


def test_the_correlation_is_that_of_the_residuals():
    kernel, rng = Kernel("matern52", np.array([0.5]), 1.0), np.random.default_rng(0)
    X = rng.random((6, 1))
    L = np.linalg.cholesky(kernel(X, X) + 0.1 * np.eye(6))
    draws = np.array(
        [
            leave_one_out(posterior(kernel, noise_var=0.1, X=X, y=L @ rng.standard_normal(6))).residual
            for _ in range(4000)
        ]
    )
    stated = leave_one_out(posterior(kernel, noise_var=0.1, X=X, y=np.zeros(6))).correlation
    np.testing.assert_allclose(draws.T @ draws / len(draws), stated, atol=0.09)
    np.testing.assert_allclose(stated.diagonal(), 1.0, rtol=1e-12)


def lights(count, *, scale=1.0, lengthscale=0.4, n=25, seed=0):
    """Lights for data whose errors are ``scale`` times, and whose length scale is what the model says or not."""
    model, truth = Kernel("matern52", np.full(2, 0.4), 1.0), Kernel("matern52", np.full(2, lengthscale), 1.0)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        X, y = sample(rng, n, kernel=truth, noise_var=0.02)
        found.append(calibration(posterior(model, noise_var=0.02, X=X, y=scale * y)))
    return found


def test_a_right_model_is_green_as_often_as_stated():
    found = lights(1500)
    alarms = np.mean([one.light != "green" for one in found])
    reds = sum(one.light == "red" for one in found)
    # level 0.05 (binomial: sd 0.0056); the two p-values overlap, so the true share is a little smaller
    assert 0.015 < alarms < 0.05 + 4 * 0.0056
    assert reds <= stats.binom.isf(1e-4, len(found), 0.002)
    over = [one.overconfident for one in found]
    assert stats.kstest(over, "uniform").statistic < 0.06  # the scaled chi-square law is close to the true one


def test_wrong_models_are_caught():
    assert np.mean([one.light == "red" for one in lights(40, scale=3.0, seed=1)]) > 0.9
    assert np.mean([one.light != "green" for one in lights(40, scale=2.0, seed=1)]) > 0.9
    assert np.mean([one.light != "green" for one in lights(40, lengthscale=0.08, seed=2)]) > 0.9
    careful = lights(40, scale=0.3, seed=3)
    assert all(one.light == "green" for one in careful)
    assert np.mean([one.underconfident < 0.01 for one in careful]) > 0.9
    assert "more careful" in careful[0].message


def test_one_outlier_is_caught():
    kernel, rng = Kernel("matern52", np.full(2, 0.4), 1.0), np.random.default_rng(4)
    X, y = sample(rng, 60, kernel=kernel, noise_var=0.02)
    y[7] += 8.0 * leave_one_out(posterior(kernel, noise_var=0.02, X=X, y=y)).sd[7]
    found = calibration(posterior(kernel, noise_var=0.02, X=X, y=y))
    assert found.light == "red"
    assert found.outlier < 1e-4
    assert "Do not trust" in found.message


def test_amber_lies_between():
    found = lights(200, scale=1.35, seed=5)
    ambers = [one for one in found if one.light == "amber"]
    assert len(ambers) > 20
    assert all(0.001 <= 2 * min(one.overconfident, one.outlier) < 0.05 for one in ambers)
    assert "care" in ambers[0].message


def test_too_few_data_and_refusals():
    kernel = Kernel("rbf", np.array([0.3]), 1.0)
    for n in (0, 1, 7):
        X = np.linspace(0.0, 1.0, n)[:, None]
        found = calibration(posterior(kernel, noise_var=0.1, X=X, y=np.zeros(n)))
        assert found.light == "too few data"
        assert str(n) in found.message
    X = np.linspace(0.0, 1.0, 8)[:, None]
    found = calibration(posterior(kernel, noise_var=0.1, X=X, y=np.zeros(8)))
    assert (found.light, found.rms, found.overconfident) == ("green", 0.0, 1.0)
    with pytest.raises(InvalidInput):
        leave_one_out(posterior(kernel, noise_var=0.1, X=X[:0], y=np.empty(0)))
    for wrong in ({"amber": 0.0}, {"red": 1.0}, {"amber": 0.01, "red": 0.05}):
        with pytest.raises(InvalidInput):
            calibration(posterior(kernel, noise_var=0.1, X=X, y=np.zeros(8)), **wrong)
