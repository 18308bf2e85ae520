import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.gp.kernels import FAMILIES, Kernel
from regretless.gp.regression import VAR_FLOOR, posterior

H = np.finfo(float).eps ** (1 / 3)


def mixed(rng, n, n_levels):
    """Points with numbers where n_levels is 0 and category numbers elsewhere."""
    return np.column_stack([rng.integers(k, size=n) if k else rng.random(n) for k in n_levels]).astype(float)


def setting(family, n_levels, *, n=12, seed=0, noise_var=1e-2, prior_mean=0.3, lengthscale=0.5):
    rng = np.random.default_rng(seed)
    kernel = Kernel(family, lengthscale * rng.uniform(0.7, 1.4, len(n_levels)), 1.8, tuple(bool(k) for k in n_levels))
    X = mixed(rng, n, n_levels)
    return kernel, {"noise_var": noise_var, "X": X, "y": rng.standard_normal(n), "prior_mean": prior_mean}, rng


def textbook(kernel, Z, *, noise_var, X, y, prior_mean):
    """Mean and covariance with an explicit inverse (Rasmussen and Williams 2006, eq. 2.25, 2.26)."""
    inverse = np.linalg.inv(kernel(X, X) + noise_var * np.eye(len(y)))
    mean = prior_mean + kernel(Z, X) @ inverse @ (y - prior_mean)
    return mean, kernel(Z, Z) - kernel(Z, X) @ inverse @ kernel(X, Z)


@pytest.mark.parametrize("n", [0, 1, 12])
def test_many_points_are_predicted_in_blocks_of_bounded_memory(monkeypatch, n):
    kernel, data, rng = setting("matern52", (0, 0), n=n)
    post, Z = posterior(kernel, **data), mixed(rng, 50, (0, 0))
    at_once, sizes, plain = post.mean_sd(Z), [], Kernel.__call__

    def watched(self, A, B):
        sizes.append(len(A) * len(B))
        return plain(self, A, B)

    monkeypatch.setattr(Kernel, "__call__", watched)
    monkeypatch.setattr(sys.modules["regretless.gp.regression"], "ENTRIES", 31)
    for a, b in zip(post.mean_sd(Z), at_once, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    assert max(sizes) <= 31
    assert [moment.shape for moment in post.mean_sd(Z[:0])] == [(0,), (0,)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0,), (0, 0, 0), (3, 0, 2)])
def test_mean_sd_and_covariance_are_the_textbook_formulas(family, n_levels):
    kernel, data, rng = setting(family, n_levels)
    Z = mixed(rng, 20, n_levels)
    post = posterior(kernel, **data)
    mean, covariance = textbook(kernel, Z, **data)
    got_mean, sd = post.mean_sd(Z)
    np.testing.assert_allclose(got_mean, mean, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(post.mean(Z), got_mean, rtol=1e-14)
    np.testing.assert_allclose(sd, np.sqrt(np.diagonal(covariance)), rtol=1e-9)
    np.testing.assert_allclose(post.covariance(Z, Z), covariance, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(post.covariance(Z[:5], Z[3:]), covariance[:5, 3:], rtol=1e-9, atol=1e-11)
    assert len(post) == 12
    assert post.jitter == 0.0


@settings(max_examples=25, deadline=None)
@given(
    family=st.sampled_from(FAMILIES),
    n_levels=st.lists(st.sampled_from([0, 0, 3]), min_size=1, max_size=4),
    n=st.integers(1, 15),
    split=st.integers(0, 15),
    seed=st.integers(0, 10**6),
)
def test_conditioning_one_by_one_equals_all_at_once(family, n_levels, n, split, seed):
    kernel, data, rng = setting(family, n_levels, n=n, seed=seed)
    Z = mixed(rng, 7, n_levels)
    X, y, split = data["X"], data["y"], min(split, n)
    step = posterior(kernel, **{**data, "X": X[:split], "y": y[:split]})
    for i in range(split, n):
        step = step.condition(X[i], y[i])
    whole = posterior(kernel, **data)
    for a, b in zip(step.mean_sd(Z), whole.mean_sd(Z), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(step.u, whole.u, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(step.weights, whole.weights, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(step.X, X)
    np.testing.assert_array_equal(step.y, y)


@pytest.mark.parametrize("family", FAMILIES)
def test_conditioning_leaves_the_old_posterior_alone(family):
    kernel, data, rng = setting(family, (0, 0))
    post = posterior(kernel, **data)
    Z = rng.random((5, 2))
    before = post.mean_sd(Z)
    first, second = post.condition(Z[0], 5.0), post.condition(Z[1], -5.0)
    for a, b in zip(post.mean_sd(Z), before, strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(post) == 12
    assert len(first) == len(second) == 13
    assert first.mean(Z[:1])[0] > before[0][0]
    assert second.mean(Z[1:2])[0] < before[0][1]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_order_of_observations_does_not_matter(family):
    kernel, data, rng = setting(family, (0, 0, 4), n=20)
    Z = mixed(rng, 10, (0, 0, 4))
    order = rng.permutation(20)
    shuffled = posterior(kernel, **{**data, "X": data["X"][order], "y": data["y"][order]})
    for a, b in zip(posterior(kernel, **data).mean_sd(Z), shuffled.mean_sd(Z), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0,), (0, 0), (0, 0, 0), (0, 3, 0, 0), (2, 0, 0, 5, 0)])
def test_gradients_are_central_differences(family, n_levels):
    d = len(n_levels)
    kernel, data, rng = setting(family, n_levels, n=10, seed=d)
    assert np.linalg.cond(kernel(data["X"], data["X"]) + data["noise_var"] * np.eye(10)) < 1e8
    post = posterior(kernel, **data)
    Z = mixed(rng, 8, n_levels)
    mean, sd, d_mean, d_sd = post.mean_sd_gradient(Z)
    for got, expected in zip((mean, sd), post.mean_sd(Z), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)
    assert d_mean.shape == d_sd.shape == (8, d)
    for j in range(d):
        if n_levels[j]:
            np.testing.assert_array_equal(d_mean[:, j], 0.0)
            np.testing.assert_array_equal(d_sd[:, j], 0.0)
            continue
        e = H * np.eye(d)[j]
        (mean_up, sd_up), (mean_down, sd_down) = post.mean_sd(Z + e), post.mean_sd(Z - e)
        np.testing.assert_allclose(d_mean[:, j], (mean_up - mean_down) / (2 * H), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(d_sd[:, j], (sd_up - sd_down) / (2 * H), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_without_observations_it_is_the_prior(family):
    kernel = Kernel(family, np.array([0.3, 0.4]), 2.0)
    prior = posterior(kernel, noise_var=0.1, X=np.empty((0, 2)), y=np.empty(0), prior_mean=-1.5)
    Z = np.random.default_rng(0).random((6, 2))
    mean, sd, d_mean, d_sd = prior.mean_sd_gradient(Z)
    np.testing.assert_array_equal(mean, -1.5)
    np.testing.assert_allclose(sd, np.sqrt(2.0), rtol=1e-15)
    np.testing.assert_array_equal(d_mean, np.zeros((6, 2)))
    np.testing.assert_array_equal(d_sd, np.zeros((6, 2)))
    np.testing.assert_array_equal(prior.covariance(Z, Z), kernel(Z, Z))
    assert len(prior) == 0
    assert prior.jitter == 0.0


@pytest.mark.parametrize("family", FAMILIES)
def test_no_points_to_predict(family):
    kernel, data, _ = setting(family, (0, 0))
    mean, sd, d_mean, d_sd = posterior(kernel, **data).mean_sd_gradient(np.empty((0, 2)))
    assert mean.shape == sd.shape == (0,)
    assert d_mean.shape == d_sd.shape == (0, 2)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("one_by_one", [False, True])
def test_two_observations_of_a_point_are_one_of_their_mean_with_half_the_noise(family, one_by_one):
    kernel, data, rng = setting(family, (0, 0), n=1, noise_var=0.2)
    x, Z = data["X"], rng.random((9, 2))
    if one_by_one:
        twice = posterior(kernel, **{**data, "y": np.array([1.0])}).condition(x[0], 2.5)
    else:
        twice = posterior(kernel, **{**data, "X": np.vstack([x, x]), "y": np.array([1.0, 2.5])})
    once = posterior(kernel, **{**data, "y": np.array([1.75]), "noise_var": 0.1})
    for a, b in zip(twice.mean_sd(Z), once.mean_sd(Z), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("noise_var", [0.0, 1e-12, 1e-6])
@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-9])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_observations_nearly_or_fully_equal_stay_finite(family, noise_var, gap, one_by_one):
    rng = np.random.default_rng(2)
    base = rng.random((6, 2))
    X, y = np.vstack([base, base + gap, base]), rng.standard_normal(18)
    kernel = Kernel(family, np.array([0.4, 0.4]), 1.0)
    if one_by_one:
        post = posterior(kernel, noise_var=noise_var, X=X[:1], y=y[:1])
        for x, value in zip(X[1:], y[1:], strict=True):
            post = post.condition(x, value)
    else:
        post = posterior(kernel, noise_var=noise_var, X=X, y=y)
    Z = np.vstack([X, rng.random((10, 2))])
    for part in (*post.mean_sd_gradient(Z), post.covariance(Z, Z)):
        assert np.isfinite(part).all()
    _, sd = post.mean_sd(Z)
    assert (sd > 0).all()
    assert (sd <= 1.0).all()
    assert noise_var > 0 or post.jitter > 0
    # Jitter acts as noise: contradicting replicates are met at their mean.
    np.testing.assert_allclose(post.mean(base), y.reshape(3, 6).mean(axis=0), atol=1e-2)


@pytest.mark.parametrize("noise_var", [0.0, 1e-14, 1e-12, 1e-6])
@pytest.mark.parametrize(
    ("family", "lengthscale", "seed"), [("rbf", 0.5, 6), ("rbf", 0.3, 51), ("rbf", 2.0, 0), ("matern52", 10.0, 0)]
)
def test_a_smooth_function_without_noise_is_followed_step_by_step(family, lengthscale, seed, noise_var):
    # Nearly every row depends on the ones before it. With jitter on the new row alone the first two grew to 1e65.
    rng = np.random.default_rng(seed)
    X, Z = rng.random((60, 1)), rng.random((50, 1))
    y = np.sin(6 * X[:, 0])
    kernel = Kernel(family, np.array([lengthscale]), 1.0)
    step = posterior(kernel, noise_var=noise_var, X=X[:1], y=y[:1])
    for x, value in zip(X[1:], y[1:], strict=True):
        step = step.condition(x, value)
    whole = posterior(kernel, noise_var=noise_var, X=X, y=y)
    if noise_var < 1e-6:  # with long length scales 1e-6 already smooths the function away
        np.testing.assert_allclose(step.mean(Z), np.sin(6 * Z[:, 0]), atol=0.05)
    np.testing.assert_allclose(step.mean(Z), whole.mean(Z), atol=1e-3)
    np.testing.assert_allclose(step.mean_sd(Z)[1], whole.mean_sd(Z)[1], atol=1e-4)
    assert step.jitter <= 1e-9


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("noise_var", [0.0, 1e-14, 1e-8])
def test_sd_is_small_but_positive_at_observed_points(family, noise_var):
    kernel, data, _ = setting(family, (0, 0), n=8, noise_var=noise_var, prior_mean=0.0)
    post = posterior(kernel, **data)
    mean, sd, d_mean, d_sd = post.mean_sd_gradient(data["X"])
    assert (sd >= np.sqrt(VAR_FLOOR * kernel.signal_var)).all()
    assert (sd < 1e-3).all()
    assert np.isfinite(d_mean).all()
    assert np.isfinite(d_sd).all()
    np.testing.assert_allclose(mean, data["y"], atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [1e-12, 1e9, 1e12, 1e300])
def test_the_mean_is_linear_in_y(family, size):
    kernel, data, rng = setting(family, (0, 0), prior_mean=0.0)
    Z = rng.random((5, 2))
    mean, sd = posterior(kernel, **data).mean_sd(Z)
    scaled_mean, scaled_sd = posterior(kernel, **{**data, "y": size * data["y"]}).mean_sd(Z)
    np.testing.assert_allclose(scaled_mean, size * mean, rtol=1e-9)
    np.testing.assert_array_equal(scaled_sd, sd)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 100), (300, 1), (300, 100)])
def test_one_outlier_and_many_sizes_stay_finite(n, d):
    rng = np.random.default_rng(n + d)
    X, y = rng.random((n, d)), rng.standard_normal(n)
    y[0] = 1e9
    post = posterior(Kernel("rbf", np.full(d, 0.5 * np.sqrt(d)), 1.0), noise_var=1e-6, X=X, y=y)
    for part in post.mean_sd_gradient(rng.random((20, d))):
        assert np.isfinite(part).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_more_data_never_raise_the_sd(family):
    kernel, data, rng = setting(family, (0, 3), noise_var=1e-6)
    Z = mixed(rng, 30, (0, 3))
    post = posterior(kernel, **{**data, "X": data["X"][:0], "y": data["y"][:0]})
    _, sd = post.mean_sd(Z)
    for x, value in zip(data["X"], data["y"], strict=True):
        post = post.condition(x, value)
        _, after = post.mean_sd(Z)
        assert (after <= sd + 1e-9).all()
        sd = after
