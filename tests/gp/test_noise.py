"""Known noise and replicates: against the expanded data, the normal density and central differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from regretless.gp import Hyperparameters, Kernel, Noise, Surrogate, Units, fit, pooled, posterior, table_posterior
from regretless.gp import objective as objective_module
from regretless.gp.draws import draw_on_table, draw_paths, prior_factor
from regretless.gp.evidence import constant_mean, log_evidence, log_evidence_gradient
from regretless.gp.kernels import FAMILIES

H = np.finfo(float).eps ** (1 / 3)


def replicated(seed, n=7, d=2, most=5):
    """Points with 1 to ``most`` replicates each, known sds at some: pooled, and every replicate in a row."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    counts = rng.integers(1, most + 1, n)
    each_sd = np.where(rng.random(n) < 0.5, rng.uniform(0.05, 0.5, n), 0.0)  # of one replicate
    values = [rng.standard_normal() + 0.4 * rng.standard_normal(r) for r in counts]
    parts = [pooled(np.array(v)) for v in values]
    y, count, spread = (np.array([part[i] for part in parts], dtype=float) for i in range(3))
    noise = Noise(each_sd / np.sqrt(count), count, spread)
    rows = np.repeat(np.arange(n), counts)
    return (X, y, noise), (X[rows], np.concatenate(values), each_sd[rows]), rng


def theta(rng, d=2):
    return np.log(np.concatenate([rng.uniform(0.3, 1.0, d), [1.4, 0.07]]))


def at(log_theta, family):
    *lengthscale, signal_var, noise_var = np.exp(log_theta)
    return Kernel(family, np.array(lengthscale), signal_var), noise_var


@given(seed=st.integers(0, 10**6), family=st.sampled_from(FAMILIES))
@settings(max_examples=40, deadline=None)
def test_pooled_replicates_have_the_posterior_of_every_single_one(seed, family):
    (X, y, noise), (rows, values, sds), rng = replicated(seed)
    kernel, noise_var = at(theta(rng), family)
    together = posterior(kernel, noise_var=noise_var, X=X, y=y, noise_vars=noise.variances(noise_var))
    expanded = posterior(kernel, noise_var=noise_var, X=rows, y=values, noise_vars=noise_var + sds**2)
    Z = rng.random((9, 2))
    for a, b in zip(together.mean_sd_gradient(Z), expanded.mean_sd_gradient(Z), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(together.covariance(Z, Z), expanded.covariance(Z, Z), rtol=1e-9, atol=1e-9)


@given(seed=st.integers(0, 10**6), family=st.sampled_from(FAMILIES), mean_var=st.sampled_from([0.0, 1.0]))
@settings(max_examples=40, deadline=None)
def test_pooled_replicates_have_the_evidence_of_every_single_one(seed, family, mean_var):
    (X, y, noise), (rows, values, sds), rng = replicated(seed)
    log_theta = theta(rng)
    kernel, noise_var = at(log_theta, family)
    single = Noise.known(sds)
    value = log_evidence(kernel, noise_var, X, y, mean_var, noise)
    assert value == pytest.approx(log_evidence(kernel, noise_var, rows, values, mean_var, single), abs=1e-9)
    if not mean_var:
        K_y = kernel(rows, rows) + np.diag(noise_var + sds**2)
        assert value == pytest.approx(multivariate_normal.logpdf(values, np.zeros(len(values)), K_y), abs=1e-9)
    m = constant_mean(kernel, noise_var, X, y, mean_var, noise)
    assert m == pytest.approx(constant_mean(kernel, noise_var, rows, values, mean_var, single), abs=1e-9)
    pooled_value, gradient = log_evidence_gradient(kernel, noise_var, X, y, None, mean_var, noise)
    assert pooled_value == pytest.approx(value, abs=1e-9)
    _, of_rows = log_evidence_gradient(kernel, noise_var, rows, values, None, mean_var, single)
    np.testing.assert_allclose(gradient, of_rows, rtol=1e-8, atol=1e-8)
    for j, e in enumerate(H * np.eye(len(log_theta))):
        up, down = (log_evidence(*at(log_theta + s * e, family), X, y, mean_var, noise) for s in (1, -1))
        assert gradient[j] == pytest.approx((up - down) / (2 * H), rel=1e-6, abs=1e-5)


def test_an_infinite_count_takes_the_common_noise_out():
    noise = Noise(np.array([0.3, 0.3]), np.array([np.inf, 1.0]), np.zeros(2))
    np.testing.assert_allclose(noise.variances(0.5), [0.09, 0.59])
    assert noise.log_density_within(0.5) == (0.0, 0.0)


def test_replicates_of_a_noise_given_as_none_say_nothing():
    noise = Noise(np.zeros(1), np.array([3.0]), np.array([0.4]))
    assert noise.log_density_within(0.0) == (0.0, 0.0)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_pooling_survives_any_size_and_one_value(size):
    values = size * np.array([1.0, 2.0, 6.0])
    mean, count, spread = pooled(values)
    assert (mean / size, count, spread / size) == (pytest.approx(3.0), 3, pytest.approx(np.sqrt(14.0)))
    assert pooled(values[:1]) == (values[0], 1, 0.0)
    assert pooled(np.zeros(4)) == (0.0, 4, 0.0)


def test_one_by_one_is_all_at_once_on_tables_and_off():
    (X, y, noise), _, rng = replicated(3, n=12)
    kernel, noise_var = at(theta(rng), "matern52")
    variances = noise.variances(noise_var)
    whole = posterior(kernel, noise_var=noise_var, X=X, y=y, noise_vars=variances)
    table = rng.random((40, 2))
    table[5] = X[9]
    grown = table_posterior(posterior(kernel, noise_var=noise_var, X=X[:4], y=y[:4], noise_vars=variances[:4]), table)
    for i in range(4, 12):
        grown = (
            grown.condition_at(5, y[i], noise_var=variances[i])
            if i == 9
            else grown.condition(X[i], y[i], noise_var=variances[i])
        )
    np.testing.assert_array_equal(grown.posterior.noise_vars, variances)
    mean, sd = whole.mean_sd(table)
    np.testing.assert_allclose(grown.mean, mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(grown.sd, sd, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(grown.mean_sd(table)[0], mean, rtol=1e-9, atol=1e-10)


def test_the_common_noise_holds_for_what_nothing_is_said_of():
    kernel = Kernel("rbf", np.array([0.3]), 1.0)
    empty = posterior(kernel, noise_var=0.2, X=np.empty((0, 1)), y=np.empty(0))
    plain = empty.condition(np.array([0.1]), 1.0)
    assert plain.noise_vars is None
    mixed = plain.condition(np.array([0.5]), 2.0, noise_var=0.7).condition(np.array([0.9]), 3.0)
    np.testing.assert_array_equal(mixed.noise_vars, [0.2, 0.7, 0.2])
    again = posterior(kernel, noise_var=0.2, X=mixed.X, y=mixed.y, noise_vars=mixed.noise_vars)
    np.testing.assert_allclose(mixed.weights, again.weights, rtol=1e-12)


def test_an_exact_observation_is_met_and_a_useless_one_ignored():
    kernel = Kernel("matern52", np.array([0.3]), 1.0)
    empty = posterior(kernel, noise_var=0.2, X=np.empty((0, 1)), y=np.empty(0))
    mean, sd = empty.condition(np.array([0.4]), 2.0, noise_var=0.0).mean_sd(np.array([[0.4]]))
    assert (mean[0], sd[0]) == (pytest.approx(2.0), pytest.approx(0.0, abs=1e-6))
    mean, sd = empty.condition(np.array([0.4]), 2.0, noise_var=1e12).mean_sd(np.array([[0.4]]))
    assert (mean[0], sd[0]) == (pytest.approx(0.0, abs=1e-11), pytest.approx(1.0))


# In the user's units


@pytest.mark.parametrize("compress", [False, True])
def test_known_errors_are_scaled_by_the_slope_of_the_transform(compress):
    y = np.array([-90.0, -3.0, 1.0, 2.0, 3.0, 4.0])
    units = Units.of(y, compress=compress)
    h = 1e-6
    z = y if not compress else y[y != units.knee]  # there the second derivative jumps, the first does not
    differences = (units.standardised(z + h) - units.standardised(z - h)) / (2 * h)
    np.testing.assert_allclose(units.slope(z), differences, rtol=1e-6)
    noise = Noise(np.full(6, 0.1), np.ones(6), np.zeros(6))
    fitted = Hyperparameters("rbf", (0.3,), 1.0, 0.01, units)
    np.testing.assert_allclose(fitted.noise_vars(y, noise), 0.01 + (0.1 * units.slope(y)) ** 2)
    assert fitted.noise_vars(y, None) is None
    post = fitted.posterior((False,), np.linspace(0, 1, 6)[:, None], y, noise=noise)
    np.testing.assert_array_equal(post.noise_vars, fitted.noise_vars(y, noise))


def test_the_slope_of_a_value_out_of_sight_is_zero_and_silent():
    units = Units(0.0, 1.0, knee=0.0, bend=1e-200)
    low, high = units.slope(np.array([-1e300, 1.0]))
    assert (low < 1e-300, high) == (True, 1.0)
    huge = Noise(np.array([1e300]), np.ones(1), np.array([1e300])).scaled(1e100)
    assert np.isfinite(huge.variances(1.0)).all()


def test_the_delta_method_is_the_law_of_a_small_error():
    """Statistical, seed 0: the sd of z over 200,000 errors within 2 % of slope times sd (its own error: 0.2 %)."""
    y = np.array([-90.0, -3.0, 1.0, 2.0, 3.0, 4.0])
    units = Units.of(y, compress=True)
    errors = 0.05 * np.random.default_rng(0).standard_normal((200_000, 1))
    seen = units.standardised(y + errors).std(axis=0)
    np.testing.assert_allclose(seen, 0.05 * units.slope(y), rtol=0.02)


# The fit


def noisy(sds, *, extra_sd=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((len(sds), 1))
    f = np.sin(6.0 * X[:, 0])
    return X, f + np.hypot(sds, extra_sd) * rng.standard_normal(len(sds))


def run(surrogate, X, y, noise, seed=1):
    return fit(surrogate, X, y, categorical=(False,), start=None, rng=np.random.default_rng(seed), noise=noise)


def test_only_the_extra_noise_is_fitted():
    sds = np.where(np.arange(80) % 2 == 0, 0.02, 0.5)
    settings = Surrogate(kernel="rbf", compress=False)
    X, y = noisy(sds)
    known, blind = run(settings, X, y, Noise.known(sds)), run(settings, X, y, None)
    assert known.noise_var * known.units.scale**2 < 0.02**2
    assert 0.05 < blind.noise_var * blind.units.scale**2 < 0.3  # the mean of both
    X, y = noisy(sds, extra_sd=0.3)
    extra = run(settings, X, y, Noise.known(sds))
    assert 0.04 < extra.noise_var * extra.units.scale**2 < 0.18  # 0.09


def test_knowing_the_noise_predicts_better():
    """Root mean square error over 20 data sets, half of the values fifty times noisier: less in at least 16."""
    Z = np.linspace(0, 1, 50)[:, None]
    better = 0
    for seed in range(20):
        sds = np.where(np.arange(30) % 2 == 0, 0.02, 1.0)
        X, y = noisy(sds, seed=seed)
        errors = []
        for noise in (Noise.known(sds), None):
            h = run(Surrogate(compress=False), X, y, noise)
            mean, sd = h.posterior((False,), X, y, noise=noise).mean_sd(Z)
            errors.append(np.sqrt(np.mean((h.units.restored(mean, sd)[0] - np.sin(6.0 * Z[:, 0])) ** 2)))
        better += errors[0] < errors[1]
    assert better >= 16


def test_the_spread_of_replicates_tells_the_noise():
    """Ten points, eight replicates each, noise sd 0.5: the fit to their means alone cannot know it."""
    rng = np.random.default_rng(2)
    X = rng.random((10, 1))
    parts = [pooled(np.sin(6.0 * x[0]) + 0.5 * rng.standard_normal(8)) for x in X]
    y, count, spread = (np.array([part[i] for part in parts], dtype=float) for i in range(3))
    h = run(Surrogate(compress=False), X, y, Noise(np.zeros(10), count, spread))
    assert 0.35 < np.sqrt(h.noise_var) * h.units.scale < 0.65


def test_the_fit_to_means_is_the_fit_to_every_replicate():
    (X, y, noise), (rows, values, sds), _ = replicated(5, n=15)
    setting = Surrogate(kernel="matern52", method="likelihood", standardize=False, restarts=4)
    one = fit(setting, X, y, categorical=(False,) * 2, start=None, rng=np.random.default_rng(0), noise=noise)
    single = Noise.known(sds)
    other = fit(setting, rows, values, categorical=(False,) * 2, start=None, rng=np.random.default_rng(0), noise=single)
    found = log_evidence(one.kernel((False,) * 2), one.noise_var, X, y, 0.0, noise)
    assert found == pytest.approx(log_evidence(other.kernel((False,) * 2), other.noise_var, X, y, 0.0, noise), abs=0.05)


@pytest.mark.parametrize("compress", [False, True])
def test_the_fit_sees_known_errors_as_it_sees_the_values(compress, monkeypatch):
    seen, build = [], objective_module.FitObjective.build.__func__

    def spy(cls, *arguments):
        seen.append(build(cls, *arguments))
        return seen[-1]

    monkeypatch.setattr(objective_module.FitObjective, "build", classmethod(spy))
    X, y = noisy(np.full(9, 0.2))
    noise = Noise(np.full(9, 7.0), np.full(9, 2.0), np.full(9, 3.0))
    run(Surrogate(compress=compress), X, 100.0 * y, noise)
    slope = Units.of(100.0 * y, compress=compress).slope(100.0 * y)
    np.testing.assert_allclose(seen[0].noise.sd, 7.0 * slope)
    np.testing.assert_allclose(seen[0].noise.spread, 3.0 * slope)


def test_bounds_of_the_extra_noise_follow_what_is_known():
    build = objective_module.FitObjective.build
    X, y = np.zeros((3, 1)), np.zeros(3)
    plain = build(Surrogate(), X, y, (False,))
    exact = build(Surrogate(), X, y, (False,), Noise.known(np.full(3, 1e-5)))
    assert np.exp(exact.lower[2]) == pytest.approx(1e-13)
    assert np.exp(exact.prior.location[2]) == pytest.approx(1e-11)
    rough = build(Surrogate(), X, y, (False,), Noise.known(np.full(3, 0.5)))
    some = build(Surrogate(), X, y, (False,), Noise.known(np.array([0.0, 1e-5, 1e-5])))
    for other in (rough, some):
        assert (other.lower == plain.lower).all()
        assert (other.prior.location == plain.prior.location).all()
    many = build(Surrogate(), X, y, (False,), Noise(np.zeros(3), np.array([1.0, 5.0, 2.0]), np.zeros(3)))
    assert np.exp(many.upper[2]) == pytest.approx(5.0)


def test_of_very_many_observations_each_keeps_its_own_noise():
    sds = np.linspace(0.1, 1.0, 40)
    built = objective_module.FitObjective.build(Surrogate(fit_size=10), sds[:, None], sds, (False,), Noise.known(sds))
    np.testing.assert_array_equal(built.noise.sd, built.X[:, 0])
    assert len(built.noise) == 10


def test_without_observations_nothing_breaks():
    none = Noise.known(np.empty(0))
    h = run(Surrogate(), np.empty((0, 1)), np.empty(0), none)
    assert len(h.posterior((False,), np.empty((0, 1)), np.empty(0), noise=none)) == 0


# Draws


def test_draws_know_the_noise_of_every_observation():
    """Statistical, seed 0: the mean and sd of 4000 draws, exact and by features, within five standard errors."""
    rng = np.random.default_rng(0)
    kernel, table = Kernel("rbf", np.array([0.3]), 1.0), np.linspace(0, 1, 12)[:, None]
    rows = np.array([0, 5, 6, 11])
    post = posterior(
        kernel,
        noise_var=0.1,
        X=table[rows],
        y=np.array([1.0, -1.0, 2.0, 0.5]),
        noise_vars=np.array([1e-4, 2.0, 1e-4, 5.0]),
    )
    over = table_posterior(post, table)
    exact = draw_on_table(over, prior_factor(kernel, table), rows, 4000, rng).T
    paths = draw_paths(post, 4000, rng, n_features=2000, n_levels=(0,))(table).T
    for draws, slack in ((exact, 0.0), (paths, 0.06)):  # one set of features blurs the prior
        se = over.sd / np.sqrt(len(draws))
        assert (np.abs(draws.mean(axis=0) - over.mean) < 5 * se + slack).all()
        assert (np.abs(draws.std(axis=0) - over.sd) < 5 * over.sd / np.sqrt(2 * len(draws)) + slack).all()
