import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from regretless.acquisition import EI
from regretless.acquisition.ei import LogImprovement

from .views import box_view, rng, table_view


def one(number):
    return np.array([float(number)])


@given(z=st.floats(-6.0, 30.0), sd=st.floats(1e-4, 1e2), incumbent=st.floats(-5.0, 5.0))
def test_against_quadrature(z, sd, incumbent):
    mean = incumbent + z * sd
    # E[(f - y+)^+] in units of sd; the integrand starts at the incumbent
    exact, _ = integrate.quad(
        lambda u: (z + u) * np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi), -z, max(-z, 0.0) + 12.0, epsabs=0, limit=200
    )
    # mean - y+ has lost digits to rounding of mean: relative to sd these are eps * |mean| / sd
    slack = 1e-7 + 20 * np.finfo(float).eps * (abs(mean) + abs(incumbent)) / sd * (1.0 + abs(z))
    assert LogImprovement(incumbent).value(one(mean), one(sd))[0] == pytest.approx(np.log(sd * exact), abs=slack * 10)


@pytest.mark.parametrize("z", [-2.0, -0.5, 0.0, 1.5])
def test_against_monte_carlo(z):
    """Level: four standard errors."""
    f = 0.3 + 0.7 * (z + rng(1).standard_normal(400_000))
    improvement = np.maximum(f - 0.3, 0.0)
    estimate, error = improvement.mean(), improvement.std() / np.sqrt(len(f))
    assert abs(np.exp(LogImprovement(0.3).value(one(0.3 + 0.7 * z), one(0.7))[0]) - estimate) < 4 * error


@pytest.mark.parametrize("w", [1e2, 1e3, 1e5])
def test_far_below_the_incumbent(w):
    """psi(w) = phi(w) / w^2 (1 - 3/w^2 + 15/w^4 - ...)."""
    value = LogImprovement(0.0).value(one(-2.0 * w), one(2.0))[0]
    series = -0.5 * w**2 - 0.5 * np.log(2 * np.pi) - 2 * np.log(w) + np.log1p(-3 / w**2 + 15 / w**4 - 105 / w**6)
    assert value == pytest.approx(np.log(2.0) + series, rel=1e-14)
    by_mean, by_sd = LogImprovement(0.0).slopes(one(-2.0 * w), one(2.0))
    # d log psi / dw = -(w + 2/w - ...) : every digit counts where two numbers of size w^2 were subtracted
    assert by_mean[0] == pytest.approx((w + 2 / w - 6 / w**3) / 2.0, rel=1e-9)
    assert by_sd[0] == pytest.approx(w * w * (1 + 3 / w**2) / 2.0, rel=1e-6)


@pytest.mark.parametrize("z", [-30.0, -8.0, -5.0, -1.0, -1e-3, 0.0, 1e-3, 2.0, 8.0])
def test_slopes_by_central_differences(z):
    formula, mean, sd, h = LogImprovement(0.2), 0.2 + 0.5 * z, 0.5, 1e-6
    by_mean, by_sd = formula.slopes(one(mean), one(sd))
    value = lambda m, s: formula.value(one(m), one(s))[0]  # noqa: E731
    assert by_mean[0] == pytest.approx((value(mean + h, sd) - value(mean - h, sd)) / (2 * h), rel=1e-5)
    assert by_sd[0] == pytest.approx((value(mean, sd + h) - value(mean, sd - h)) / (2 * h), rel=1e-5, abs=1e-9)


@given(mean=st.floats(-50, 50), more=st.floats(1e-3, 10), sd=st.floats(1e-3, 10), wider=st.floats(1.01, 3))
def test_monotone_in_mean_and_sd(mean, more, sd, wider):
    value = LogImprovement(0.0).value
    assert value(one(mean + more), one(sd))[0] > value(one(mean), one(sd))[0]
    assert value(one(mean), one(sd * wider))[0] >= value(one(mean), one(sd))[0] - 1e-14


def test_log_scale_orders_as_the_improvement_itself():
    view = box_view(2, n=8, n_candidates=300)
    score = EI().draw(view, 1, rng())
    best = score.record["incumbent"]
    z = (view.mean - best) / view.sd
    ei = (view.mean - best) * stats.norm.cdf(z) + view.sd * stats.norm.pdf(z)
    np.testing.assert_allclose(np.exp(score.on(view)), ei, rtol=1e-6, atol=1e-12)
    assert np.argmax(score.on(view)) == np.argmax(ei)


@pytest.mark.parametrize("make", [box_view, table_view])
def test_incumbents(make):
    view = make(noise_var=0.3)
    post = view.posterior
    K = post.kernel(post.X, post.X)
    means = K @ np.linalg.inv(K + 0.3 * np.eye(len(K))) @ post.y
    assert EI().draw(view, 1, rng()).record["incumbent"] == pytest.approx(means.max(), rel=1e-10)
    assert EI("value").draw(view, 1, rng()).record["incumbent"] == post.y.max()
    assert means.max() < post.y.max()


def test_without_observations_the_incumbent_is_the_prior_s_middle():
    assert EI().draw(box_view(n=0), 1, rng()).record["incumbent"] == 0.0


def test_nothing_is_drawn():
    source = rng(4)
    EI().draw(box_view(), 1, source)
    assert source.random() == rng(4).random()
