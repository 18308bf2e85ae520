"""An earlier study as data: against the explicit joint process, its cheap form, and runs without it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from regretless.acquisition import JES, MES, View
from regretless.errors import NumericalError
from regretless.gp import (
    Hyperparameters,
    Kernel,
    Noise,
    Source,
    Surrogate,
    TaskKernel,
    Units,
    draw_on_table,
    draw_paths,
    estimation,
    fit,
    posterior,
    prior_factor,
    table_posterior,
)
from regretless.gp import objective as objective_module
from regretless.gp.estimation import left_out_density
from regretless.gp.evidence import Coupling, constant_mean, log_evidence, log_evidence_gradient
from regretless.gp.hyperparameters import SOURCE_SIZE
from regretless.gp.kernels import FAMILIES
from regretless.theory import calibration, leave_one_out, remaining_regret

H = np.finfo(float).eps ** (1 / 3)


def case(seed, family="matern52", n=6, n_source=8, levels=0):
    """Hyperparameters with a rho, data of a study, a source, and further points."""
    rng = np.random.default_rng(seed)

    def points(count):
        X = rng.random((count, 3))
        if levels:
            X[:, 1] = rng.integers(levels, size=count)
        return X

    h = Hyperparameters(family, tuple(rng.uniform(0.3, 1.0, 3)), 1.3, 0.05, rho=float(rng.uniform(0.1, 0.99)))
    source = Source(
        points(n_source), rng.standard_normal(n_source), rng.uniform(0.01, 0.3, n_source), family, np.zeros(5), Units()
    )
    return h, points(n), rng.standard_normal(n), source, points(9)


def joint_matrix(kernel, rho, A, B, tasks_A, tasks_B):
    """``B[i, j] k(x, x')`` by its definition."""
    B_ij = np.array([[1.0, rho], [rho, 1.0]])
    return B_ij[np.ix_(tasks_A, tasks_B)] * kernel(A, B)


def explicit(h, categorical, X, y, source, Z):
    """Mean and covariance of the new function at Z by the textbook formula on the joint process."""
    kernel = h.kernel(categorical)
    data, tasks = np.vstack([source.X, X]), np.repeat([1, 0], [len(source), len(y)])
    K = joint_matrix(kernel, h.rho, data, data, tasks, tasks)
    K += np.diag(np.concatenate([source.noise_vars, np.full(len(y), h.noise_var)]))
    K_Z = joint_matrix(kernel, h.rho, Z, data, np.zeros(len(Z), dtype=int), tasks)
    inverse = np.linalg.inv(K)
    return K_Z @ inverse @ np.concatenate([source.z, y]), kernel(Z, Z) - K_Z @ inverse @ K_Z.T


@given(seed=st.integers(0, 10**6), family=st.sampled_from(FAMILIES), levels=st.sampled_from([0, 3]))
@settings(max_examples=40, deadline=None)
def test_the_posterior_is_that_of_the_joint_process(seed, family, levels):
    h, X, y, source, Z = case(seed, family, levels=levels)
    categorical = (False, bool(levels), False)
    mean, K = explicit(h, categorical, X, y, source, Z)
    post = h.posterior(categorical, X, y, source=source)
    assert post.n_source == 8
    np.testing.assert_allclose(post.mean(Z), mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(post.covariance(Z, Z), K, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(post.mean_sd(Z)[1], np.sqrt(K.diagonal()), rtol=1e-7)


@given(seed=st.integers(0, 10**6), family=st.sampled_from(FAMILIES))
@settings(max_examples=40, deadline=None)
def test_the_source_alone_gives_the_cheap_form_of_the_prior(seed, family):
    """``rho mean_old`` and ``rho^2 S_old + (1 - rho^2) k``."""
    h, _, _, source, Z = case(seed, family)
    kernel = h.kernel(())
    old = posterior(kernel, noise_var=0.0, X=source.X, y=source.z, noise_vars=source.noise_vars)
    new = h.posterior((), np.empty((0, 3)), np.empty(0), source=source)
    np.testing.assert_allclose(new.mean(Z), h.rho * old.mean(Z), rtol=1e-9, atol=1e-10)
    expected = h.rho**2 * old.covariance(Z, Z) + (1.0 - h.rho**2) * kernel(Z, Z)
    np.testing.assert_allclose(new.covariance(Z, Z), expected, rtol=1e-9, atol=1e-10)


def test_at_the_ends_the_source_says_nothing_or_is_more_data():
    h, X, y, source, Z = case(3)
    alone = h.posterior((), X, y)
    none = Hyperparameters(h.family, h.lengthscale, h.signal_var, h.noise_var, rho=0.0)
    assert none.posterior((), X, y, source=source).n_source == 0
    np.testing.assert_array_equal(none.posterior((), X, y, source=source).mean(Z), alone.mean(Z))
    one = Hyperparameters(h.family, h.lengthscale, h.signal_var, h.noise_var, rho=1.0)
    both = posterior(
        h.kernel(()),
        noise_var=h.noise_var,
        X=np.vstack([source.X, X]),
        y=np.concatenate([source.z, y]),
        noise_vars=np.concatenate([source.noise_vars, np.full(len(y), h.noise_var)]),
    )
    np.testing.assert_allclose(one.posterior((), X, y, source=source).mean(Z), both.mean(Z), rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_tables_conditioning_and_gradients_know_the_source(family):
    h, X, y, source, Z = case(5, family)
    whole = h.posterior((), X, y, source=source)
    over = table_posterior(h.posterior((), X[:2], y[:2], source=source), Z)
    for x, value in zip(X[2:], y[2:], strict=True):
        over = over.condition(x, value)
    mean, sd = whole.mean_sd(Z)
    np.testing.assert_allclose(over.mean, mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(over.sd, sd, rtol=1e-8)
    np.testing.assert_allclose(over.covariance_with(2), whole.covariance(Z, Z)[2], rtol=1e-8, atol=1e-10)
    assert (over.posterior.n_source, len(over)) == (8, 14)
    _, _, d_mean, d_sd = whole.mean_sd_gradient(Z)
    for j, e in enumerate(H * np.eye(3)):
        up, down = whole.mean_sd(Z + e), whole.mean_sd(Z - e)
        np.testing.assert_allclose(d_mean[:, j], (up[0] - down[0]) / (2 * H), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(d_sd[:, j], (up[1] - down[1]) / (2 * H), rtol=1e-6, atol=1e-6)
    for at in (over, whole.on(Z)):
        assert at.covariance_with(1) == pytest.approx(whole.covariance(Z, Z)[1], rel=1e-8, abs=1e-10)
    table, plain = remaining_regret(over), remaining_regret(whole, Z)
    assert table.bound == pytest.approx(plain.bound, rel=1e-6)


def test_known_noise_and_a_source_together():
    h, X, y, source, Z = case(6)
    sds = np.linspace(0.1, 0.6, len(y))
    post = h.posterior((), X, y, noise=Noise.known(sds), source=source)
    np.testing.assert_allclose(post.noise_vars, np.concatenate([source.noise_vars, h.noise_var + sds**2]))
    more = post.condition(Z[0], 1.0, noise_var=0.3).condition(Z[1], 1.0)
    np.testing.assert_allclose(more.noise_vars[-2:], [0.3, h.noise_var])


@pytest.mark.parametrize("kind", ["table", "features"])
def test_draws_have_the_moments_of_the_posterior(kind):
    """Statistical, seed 0, 4000 draws: moments within five standard errors, and what one set of features blurs."""
    h, _, _, source, _ = case(8)
    rng = np.random.default_rng(0)
    table = rng.random((15, 3))
    observed = np.array([*[-1] * 8, 7, 0, 4, -1])  # one row of the source is a candidate
    X = np.vstack([table[[0, 4]], rng.random((1, 3))])
    X[2], source = source.X[0], Source(np.vstack([source.X, table[7]]), *_longer(source))
    post = h.posterior((), X, np.array([1.0, -1.0, 0.5]), source=source)
    over = table_posterior(post, table)
    if kind == "table":
        draws, slack = draw_on_table(over, prior_factor(h.kernel(()), table), observed, 4000, rng).T, 0.0
    else:
        draws, slack = draw_paths(post, 4000, rng, n_features=3000, n_levels=(0, 0, 0))(table).T, 0.06
    assert (np.abs(draws.mean(axis=0) - over.mean) < 5 * over.sd / np.sqrt(4000) + slack).all()
    assert (np.abs(draws.std(axis=0) - over.sd) < 5 * over.sd / np.sqrt(8000) + slack).all()


@pytest.mark.parametrize("rule", [JES(), MES()])
def test_rules_that_work_with_the_kernel_know_the_source(rule):
    h, _, y, source, _ = case(5)
    table, rows = np.random.default_rng(0).random((30, 3)), np.array([0, 3, 7])
    over = table_posterior(h.posterior((), table[rows], y[:3], source=source), table)
    view = View(
        posterior=over.posterior,
        X=table,
        mean=over.mean,
        sd=over.sd,
        told=table[rows],
        best_told=1.0,
        n_levels=(0, 0, 0),
        table=over,
        observed=np.concatenate([np.full(8, -1), rows]),
        prior_factor=lambda: prior_factor(h.kernel(()), table),
    )
    score = rule.draw(view, 1, np.random.default_rng(1))
    np.testing.assert_allclose(score.on(view), score.at(table), rtol=1e-9, atol=1e-12)
    check_gradient(score.at, score.value_and_gradient(table[:5])[1], table[:5])


def test_gradients_of_paths_know_the_source():
    h, X, y, source, Z = case(7)
    paths = draw_paths(
        h.posterior((), X, y, source=source), 2, np.random.default_rng(0), n_features=200, n_levels=(0,) * 3
    )
    which = np.ones(len(Z), dtype=int)
    value, gradient = paths.value_and_gradient(Z, which)
    np.testing.assert_allclose(value, paths(Z)[:, 1], rtol=1e-10)
    check_gradient(lambda P: paths(P)[:, 1], gradient, Z)


def check_gradient(f, gradient, Z):
    for j, e in enumerate(H * np.eye(3)):
        np.testing.assert_allclose(gradient[:, j], (f(Z + e) - f(Z - e)) / (2 * H), rtol=1e-5, atol=1e-5)


def _longer(source):
    return np.append(source.z, 0.7), np.append(source.noise_vars, 0.02), source.family, source.log_theta, source.units


def test_only_the_study_itself_is_left_out_in_turn():
    h, X, y, source, _ = case(9, n=9)
    post = h.posterior((), X, y, source=source)
    loo = leave_one_out(post)
    assert len(loo.residual) == 9
    for i in (0, 5):
        rest = np.delete(np.arange(9), i)
        mean, sd = h.posterior((), X[rest], y[rest], source=source).mean_sd(X[i : i + 1])
        assert loo.mean[i] == pytest.approx(mean[0], rel=1e-8)
        assert loo.sd[i] == pytest.approx(np.sqrt(sd[0] ** 2 + h.noise_var), rel=1e-8)
    assert calibration(h.posterior((), X[:7], y[:7], source=source)).light == "too few data"


# Evidence


@given(seed=st.integers(0, 10**6), family=st.sampled_from(FAMILIES), mean_var=st.sampled_from([0.0, 1.0]))
@settings(max_examples=40, deadline=None)
def test_evidence_is_the_density_of_the_joint_process_and_gradient_its_difference(seed, family, mean_var):
    h, X, y, source, _ = case(seed, family)
    data, values = np.vstack([source.X, X]), np.concatenate([source.z, y + 1.0])
    noise, s = source.noise() + Noise.known(np.zeros(len(y))), len(source)
    log_theta = np.log([*h.lengthscale, h.signal_var, h.noise_var, h.rho / (1.0 - h.rho)])

    def at(log_theta):
        *lengthscale, signal_var, noise_var, odds = np.exp(log_theta)
        kernel, rho = Kernel(family, np.array(lengthscale), signal_var), odds / (1.0 + odds)
        return kernel, noise_var, data, values, mean_var, noise, Coupling(s, rho)

    kernel, tasks = h.kernel(()), np.repeat([1, 0], [s, len(y)])
    K = joint_matrix(kernel, h.rho, data, data, tasks, tasks)
    K += np.diag(np.concatenate([source.noise_vars, np.full(len(y), h.noise_var)]))
    m = constant_mean(*at(log_theta))
    expected = multivariate_normal.logpdf(values - m * (tasks == 0), np.zeros(len(values)), K)
    expected -= 0.5 * m**2 / mean_var if mean_var else 0.0
    assert log_evidence(*at(log_theta)) == pytest.approx(expected, abs=1e-8)
    if mean_var:  # the mode: no other mean is likelier
        for other in (m - 0.1, m + 0.1):
            density = multivariate_normal.logpdf(values - other * (tasks == 0), np.zeros(len(values)), K)
            assert density - 0.5 * other**2 / mean_var < expected
    kernel, noise_var, *_, coupling = at(log_theta)
    value, gradient = log_evidence_gradient(kernel, noise_var, data, values, None, mean_var, noise, coupling)
    assert value == pytest.approx(expected, abs=1e-8)
    for j, e in enumerate(H * np.eye(6)):
        up, down = log_evidence(*at(log_theta + e)), log_evidence(*at(log_theta - e))
        assert gradient[j] == pytest.approx((up - down) / (2 * H), rel=1e-6, abs=1e-5)


# The fit


def functions(seed, n=60):
    """Two independent smooth functions on the same points."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    L = np.linalg.cholesky(Kernel("matern52", np.array([0.3, 0.3]), 1.0)(X, X) + 1e-9 * np.eye(n))
    return X, L @ rng.standard_normal(n), L @ rng.standard_normal(n), rng


def source_of(X, y, surrogate=None):
    h = (surrogate or Surrogate()).fit(X, y, categorical=(False, False), start=None, rng=np.random.default_rng(1))
    return h.as_source(X, y)


def fitted(X, y, source, seed=2, surrogate=None, start=None):
    rng = np.random.default_rng(seed)
    return fit(surrogate or Surrogate(), X, y, categorical=(False, False), start=start, rng=rng, source=source)


def test_a_right_source_is_believed_and_a_wrong_one_is_not():
    """Eight data sets: rho is larger for the function itself than for another and for its negative, in 7 at least."""
    more = 0
    for seed in range(8):
        X, f, g, _ = functions(seed)
        rows, old = np.arange(10), np.arange(10, 40)
        right, other, negated = (fitted(X[rows], f[rows], source_of(X[old], h[old])).rho for h in (f, g, -f))
        more += right > max(other, negated) and right > 0.7
    assert more >= 7


def test_the_fits_are_compared_by_the_density_of_left_out_results():
    h, X, y, source, _ = case(12)
    expected = 0.0
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        mean, sd = h.posterior((), X[rest], y[rest], source=source).mean_sd(X[i : i + 1])
        expected += norm.logpdf(y[i], mean[0], np.sqrt(sd[0] ** 2 + h.noise_var))
    assert left_out_density(h.posterior((), X, y, source=source)) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("gain", "believed"), [(1.9, False), (2.1, True)])
def test_a_source_must_predict_better_by_two_nats(gain, believed, monkeypatch):
    monkeypatch.setattr(estimation, "left_out_density", lambda post: gain if post.n_source else 0.0)
    X, f, _, _ = functions(0)
    as_they_are = Surrogate(standardize=False)
    source = source_of(X[10:40], f[10:40], as_they_are)
    assert (fitted(X[:10], f[:10], source, surrogate=as_they_are).rho > 0.0) is believed


def test_densities_are_compared_in_the_units_of_the_user(monkeypatch):
    """A scale fifty times too wide makes every value look likely, until the change of variables is counted."""
    monkeypatch.setattr(estimation, "left_out_density", lambda post: 3.0 if post.n_source else 0.0)
    X, f, _, _ = functions(0)
    h = fitted(X[:20], f[:20], source_of(X[20:], 50.0 * f[20:]))
    assert h.rho > 0.0
    assert h.units.scale == Units.of(f[:20], compress=True).scale


@pytest.mark.parametrize(("offset", "fits"), [(0.0, 2), (-1e3, 1)])
def test_units_out_of_reach_are_not_tried(offset, fits, monkeypatch):
    X, f, _, _ = functions(0)
    source, seen = source_of(X[20:], f[20:] + offset), []
    best_of = objective_module.FitObjective.best_of
    monkeypatch.setattr(
        objective_module.FitObjective, "best_of", lambda self, a, b: seen.append(self.n_source) or best_of(self, a, b)
    )
    fitted(X[:20], f[:20], source)
    assert seen == [0] + [40] * fits


def test_with_everything_fixed_only_rho_moves():
    known = Surrogate.known("matern52", 0.3, signal_var=1.0, noise_var=1e-4)
    _, X, y, source, _ = case(1)
    build = objective_module.FitObjective.build
    assert build(known, X, y, (False,) * 3, None, source).free.tolist() == [False] * 5 + [True]
    assert not build(known, X, y, (False,) * 3).free.any()


def test_where_the_joint_process_cannot_be_computed_the_source_is_left_out(monkeypatch):
    def fails(post):
        raise NumericalError("no")

    monkeypatch.setattr(estimation, "left_out_density", fails)
    X, f, _, _ = functions(0)
    source = source_of(X[10:40], f[10:40])
    assert fitted(X[:10], f[:10], source) == fitted(X[:10], f[:10], None)
    assert fitted(X[:1], f[:1], source).rho > 0.5  # one result has no other to be predicted from


def test_a_source_without_use_leaves_the_fit_as_it_is_without():
    for seed in range(6):
        X, f, _, _ = functions(seed)
        rows, old = np.arange(10), np.arange(10, 40)
        found = fitted(X[rows], f[rows], source_of(X[old], -f[old]))
        if found.rho == 0.0:
            assert found == fitted(X[rows], f[rows], None)
            return
    pytest.fail("a negated source was believed in every data set")


def test_the_units_of_the_source_do_not_matter():
    X, f, _, _ = functions(0)
    rows, old = np.arange(20), np.arange(20, 60)
    a = fitted(X[rows], f[rows], source_of(X[old], f[old]))
    b = fitted(X[rows], f[rows], source_of(X[old], 1e6 * f[old] - 5e7))
    assert a.rho > 0.7
    assert b.rho > 0.7


def test_the_same_outcome_is_compared_in_the_units_of_the_source_and_another_in_its_own():
    X, f, _, _ = functions(0)
    rows, old = np.arange(20), np.arange(20, 60)
    source = source_of(X[old], f[old])
    h = fitted(X[rows], f[rows], source)
    assert (h.units.scale, h.units.knee, h.units.bend) == (source.units.scale, source.units.knee, source.units.bend)
    source = source_of(X[old], 1e6 * f[old] - 5e7)
    h = fitted(X[rows], f[rows], source)
    assert h.units.scale == Units.of(f[rows], compress=True).scale


@pytest.mark.parametrize("size", [1e-300, 1e300])
@pytest.mark.parametrize("n", [1, 2, 10])
def test_no_size_of_values_breaks_the_joint_fit(size, n):
    X, f, _, _ = functions(0)
    h = fitted(X[:n], f[:n], source_of(X[10:40], size * f[10:40]))
    assert np.isfinite(h.posterior((False, False), X[:n], f[:n]).mean(X)).all()
    f[0] = -1e300
    assert 0.0 <= fitted(X[:n], f[:n], source_of(X[10:40], f[10:40])).rho <= 1.0


def test_before_the_first_result_the_source_is_believed_as_the_prior_says():
    X, f, _, _ = functions(1)
    source = source_of(X, f)
    h = fitted(X[:0], f[:0], source)
    assert h.rho == pytest.approx(0.7, abs=0.01)  # as near as the search goes
    mean, sd = h.posterior((False, False), X[:0], f[:0], source=source).mean_sd(X)
    assert np.corrcoef(mean, f)[0, 1] > 0.9
    assert sd.min() > 0.5 * np.sqrt(h.signal_var)
    assert h.units == source.units  # what is expected can be told in the user's units


def test_with_fixed_hyperparameters_rho_alone_is_fitted():
    X, f, _, _ = functions(2)
    known = Surrogate.known("matern52", 0.3, signal_var=1.0, noise_var=1e-4)
    old, rows = np.arange(10, 50), np.arange(10)
    source = known.fit(X[old], f[old], categorical=(False, False), start=None, rng=np.random.default_rng(0)).as_source(
        X[old], f[old]
    )
    h = fitted(X[rows], f[rows], source, surrogate=known)
    assert (h.lengthscale, h.signal_var, h.noise_var) == ((0.3, 0.3), 1.0, 1e-4)
    assert h.rho > 0.95


def test_a_joint_fit_starts_where_the_last_one_ended(monkeypatch):
    X, f, _, _ = functions(0)
    rows, old = np.arange(20), np.arange(20, 60)
    source = source_of(X[old], f[old])
    first = fitted(X[rows], f[rows], source)
    seen = []
    best_of = objective_module.FitObjective.best_of
    monkeypatch.setattr(
        objective_module.FitObjective, "best_of", lambda self, a, b: seen.append(a) or best_of(self, a, b)
    )
    fitted(X[rows], f[rows], source, start=first)
    assert 1.0 / (1.0 + np.exp(-seen[1][1][-1])) == pytest.approx(first.rho)
    seen.clear()
    fitted(X[rows], f[rows], source, start=None)
    np.testing.assert_allclose(np.exp(seen[1][1][:4]), np.exp(source.log_theta), rtol=1e-9)
    assert 1.0 / (1.0 + np.exp(-seen[1][1][-1])) == pytest.approx(0.7)


def test_a_long_study_is_a_source_of_bounded_size():
    rng = np.random.default_rng(0)
    X, y = np.linspace(0, 1, 777)[:, None], rng.standard_normal(777)
    h = Hyperparameters("rbf", (0.2,), 1.0, 0.1)
    source = h.as_source(X, y)
    assert len(source) == SOURCE_SIZE
    assert (source.X[0, 0], source.X[-1, 0]) == (0.0, 1.0)
    assert np.diff(source.X[:, 0]).max() < 2 * np.diff(source.X[:, 0]).min()
    assert len(h.as_source(X[:0], y[:0])) == 0
    sds = np.linspace(0.1, 1.0, 777)
    np.testing.assert_allclose(h.as_source(X, y, noise=Noise.known(sds)).noise_vars[-1], 0.1 + 1.0)


def test_a_kernel_of_tasks_is_the_plain_one_without_a_column_of_tasks():
    rng = np.random.default_rng(0)
    A, B, kernel = rng.random((4, 2)), rng.random((5, 2)), Kernel("matern32", np.array([0.4, 0.7]), 1.5)
    tasks = TaskKernel.of(kernel, 0.3)
    np.testing.assert_array_equal(tasks(A, B), kernel(A, B))
    np.testing.assert_array_equal(tasks.row(A[0], B, tasks.norms(B)), kernel.row(A[0], B, kernel.norms(B)))
    marked = np.column_stack([B, [0.0, 1.0, 0.0, 1.0, 1.0]])
    share = np.array([1.0, 0.3, 1.0, 0.3, 0.3])
    np.testing.assert_allclose(tasks(A, marked), kernel(A, B) * share, rtol=1e-14)
    for plain, coupled in zip(kernel.with_slope(A, B), tasks.with_slope(A, marked), strict=True):
        np.testing.assert_allclose(coupled, plain * share, rtol=1e-14)
