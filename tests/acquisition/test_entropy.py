import numpy as np
import pytest
from scipy import integrate, stats

from regretless.acquisition import JES, MES
from regretless.acquisition.entropy import MaxValueEntropy
from regretless.acquisition.paths import draw_sample

from .views import box_view, rng, table_view


def information(z):
    """Entropy of N(0, 1) minus that of N(0, 1) below z, by quadrature."""
    mass = stats.norm.cdf(z)

    def integrand(x):
        density = stats.norm.pdf(x) / mass
        return -density * np.log(density) if density > 0.0 else 0.0

    low = min(z, 0.0) - 14.0
    entropy, _ = integrate.quad(integrand, low, min(z, 40.0), points=[min(z, 0.0) - 1.0], limit=200)
    return stats.norm.entropy() - entropy


@pytest.mark.parametrize("z", [-5.0, -2.0, -0.5, 0.0, 0.7, 2.0, 4.0])
@pytest.mark.parametrize("sd", [0.01, 3.0])
def test_mes_is_the_loss_of_entropy(z, sd):
    formula = MaxValueEntropy(np.array([1.5]))
    assert formula.value(np.array([1.5 - z * sd]), np.array([sd]))[0] == pytest.approx(information(z), abs=1e-7)


def test_mes_is_the_average_over_its_samples():
    maxima, mean, sd = np.array([1.0, 2.0, 4.0]), np.linspace(-1, 1, 5), np.linspace(0.2, 2, 5)
    parts = [MaxValueEntropy(np.array([m])).value(mean, sd) for m in maxima]
    np.testing.assert_allclose(MaxValueEntropy(maxima).value(mean, sd), np.mean(parts, axis=0), rtol=1e-13)


@pytest.mark.parametrize("w", [29.999, 30.001, 1e2, 1e3, 1e4, 1e6, 1e8])
def test_mes_far_above_the_maximum(w):
    """For z = -w: value = log(w sqrt(2 pi)) - 1/2 + 2/w^2 + O(w^-4), slope in z = -1/w + O(w^-3)."""
    formula = MaxValueEntropy(np.array([0.0]))
    mean, sd = np.array([w]), np.array([1.0])
    assert formula.value(mean, sd)[0] == pytest.approx(np.log(w * np.sqrt(2 * np.pi)) - 0.5 + 2 / w**2, abs=2e-5)
    by_mean, by_sd = formula.slopes(mean, sd)
    assert by_mean[0] == pytest.approx(1 / w, rel=6 / w**2 + 1e-9)
    assert by_sd[0] == pytest.approx(-1.0, rel=6 / w**2 + 1e-9)


@pytest.mark.parametrize("z", [-60.0, -30.5, -29.5, -8.0, -1.0, 0.0, 1.0, 6.0])
def test_mes_slopes_by_central_differences(z):
    formula, sd, h = MaxValueEntropy(np.array([0.4, 0.5])), 0.5, 1e-6
    mean = 0.45 - z * sd
    value = lambda m, s: formula.value(np.array([m]), np.array([s]))[0]  # noqa: E731
    by_mean, by_sd = formula.slopes(np.array([mean]), np.array([sd]))
    assert by_mean[0] == pytest.approx((value(mean + h, sd) - value(mean - h, sd)) / (2 * h), rel=1e-4, abs=1e-8)
    assert by_sd[0] == pytest.approx((value(mean, sd + h) - value(mean, sd - h)) / (2 * h), rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("noise_var", [1e-6, 0.5])
def test_mes_samples_are_clipped_from_below(noise_var):
    view = table_view(30, 6, noise_var=noise_var)
    floor = view.best_told + 5.0 * np.sqrt(noise_var)
    drawn = draw_sample(view, 10, rng(1), n_features=1000).values.max(axis=0)
    formula = MES().draw(view, 1, rng(1)).formula
    np.testing.assert_array_equal(formula.maxima, np.maximum(drawn, floor))
    assert (drawn < floor).any()


def test_mes_has_no_floor_without_observations():
    view = table_view(1, 0)
    drawn = draw_sample(view, 10, rng(2), n_features=1000).values.max(axis=0)
    assert drawn.min() < 0.0
    np.testing.assert_array_equal(MES().draw(view, 1, rng(2)).formula.maxima, drawn)


def slow_joint_entropy(score, X):
    """By brute force: the joint Gaussian of the data, x* and x, conditioned with np.linalg; truncation by SciPy."""
    post, maxima = score.posterior, score.maxima
    out = np.empty(len(X))
    for i, x in enumerate(X):
        losses = []
        for x_star, f_star in zip(maxima.X, maxima.values, strict=True):
            known = np.vstack([post.X, x_star])
            noise = np.append(np.full(len(post.y), post.noise_var), 0.0)
            K = post.kernel(known, known) + np.diag(noise)
            k = post.kernel(x[None, :], known)[0]
            pull = np.linalg.solve(K, k)
            m = pull @ np.append(post.y, f_star)
            s = np.sqrt(post.kernel.signal_var - pull @ k)
            v = stats.truncnorm.var(-np.inf, (f_star - m) / s, loc=m, scale=s)
            losses.append(0.5 * np.log(v + post.noise_var))
        K = post.kernel(post.X, post.X) + post.noise_var * np.eye(len(post.y))
        k = post.kernel(x[None, :], post.X)[0]
        var = post.kernel.signal_var - k @ np.linalg.solve(K, k)
        out[i] = 0.5 * np.log(var + post.noise_var) - np.mean(losses)
    return out


@pytest.mark.parametrize("make", [box_view, table_view])
@pytest.mark.parametrize("d", [1, 2, "mixed"])
@pytest.mark.parametrize("noise_var", [1e-2, 0.3])
def test_jes_against_its_slow_twin(make, d, noise_var):
    view = make(d=d, n=5, noise_var=noise_var)
    score = JES(n_samples=4).draw(view, 1, rng(6))
    X = view.X[:20]
    X = X[[all(np.abs(x - x_star).max() > 1e-3 for x_star in score.maxima.X) for x in X]]
    np.testing.assert_allclose(score.at(X), slow_joint_entropy(score, X), rtol=1e-6, atol=1e-8)


def test_jes_is_information_and_zero_where_nothing_is_learned():
    """Truncation and conditioning only take variance away; far from everything there is nothing to take."""
    view = box_view(2, n=5)
    score = JES(n_samples=5).draw(view, 1, rng(2))
    assert (score.on(view) > -1e-12).all()
    lonely = box_view(1, n=1, lengthscale=0.01, n_candidates=10)
    score = JES(n_samples=1).draw(lonely, 1, rng(2))
    far = score.maxima.X[0] + np.array([[0.3], [-0.3]])
    post = score.posterior
    b = score.maxima.values[0] / np.sqrt(post.kernel.signal_var)
    v = post.kernel.signal_var * stats.truncnorm.var(-np.inf, b)
    only_truncated = 0.5 * np.log((post.kernel.signal_var + post.noise_var) / (v + post.noise_var))
    far = far[np.abs(far - post.X[0]).max(axis=1) > 0.1]
    np.testing.assert_allclose(score.at(far), only_truncated, rtol=1e-6)


def test_jes_at_a_sampled_maximiser_is_finite_and_learns_all_but_the_noise():
    view = table_view(20, 3, noise_var=1e-3)
    score = JES(n_samples=1).draw(view, 1, rng(3))
    at = int(score.maxima.indices[0])
    assert score.on(view)[at] == pytest.approx(0.5 * np.log((view.sd[at] ** 2 + 1e-3) / 1e-3), rel=1e-6)
    value, gradient = score.value_and_gradient(view.X)
    np.testing.assert_allclose(value, score.on(view), rtol=1e-8)
    assert np.isfinite(gradient).all()


def test_jes_slope_at_the_floor_is_not_noise():
    """At a sampled maximiser s^2 sits at its floor; without observation noise 1/s^2 would blow up its rounding."""
    view = box_view(1, n=3, noise_var=1e-10)
    score = JES(n_samples=1).draw(view, 1, rng(3))
    _, gradient = score.value_and_gradient(score.maxima.X)
    post = score.posterior
    _, sd, _, d_sd = post.mean_sd_gradient(score.maxima.X)
    free_part = d_sd * sd[:, None] / (sd**2 + post.noise_var)[:, None]
    np.testing.assert_allclose(gradient, free_part, rtol=1e-2, atol=1e-2)
