"""ATS, ATSc and EST against brute force and the facts of the theorem (reference/theory.md 5)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.special import ndtr

from regretless.acquisition import ATS, EST, RULES, ATSc, View
from regretless.acquisition.threshold import Mean, Reach

from .views import box_view, joint_posterior, rng, table_view

MADE = table_view(3, 1)


def with_moments(mean, sd):
    """A view with any moments; ATS, ATSc and EST look at nothing else."""
    X = np.zeros((len(mean), 2))
    return View(MADE.posterior, X, np.array(mean), np.array(sd), X[:0], 0.0, (0, 0))


def tail_sum(u, view):
    return ndtr((view.mean - u) / view.sd).sum()


def bisected(view, level):
    """Smallest u with S(u) <= level, by bisection of the bare definition."""
    low, high = float((view.mean - 40 * view.sd).min()), float((view.mean + 40 * view.sd).max())
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if tail_sum(middle, view) > level else (low, middle)
    return high


moments = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-3, 3), min_size=n, max_size=n), st.lists(st.floats(1e-3, 2), min_size=n, max_size=n)
    )
)
small = settings(max_examples=50, deadline=None)


@small
@given(moments=moments, seed=st.integers(0, 10_000))
def test_ats_solves_the_tail_sum_and_stays_below_irgp_ucb(moments, seed):
    view = with_moments(*moments)
    score = ATS().draw(view, 1, rng(seed))
    uniform, u = score.record["uniform"], score.record["threshold"]
    assert uniform == 1.0 - rng(seed).random()
    assert u == pytest.approx(bisected(view, uniform), rel=1e-9, abs=1e-9)
    values = score.on(view)
    if u <= view.mean.max():
        assert score.formula == Mean()
        assert values.argmax() == view.mean.argmax()
        return
    assert score.formula == Reach(u)
    multiplier = ((u - view.mean) / view.sd).min()
    assert multiplier <= np.sqrt(2.0 * np.log(len(view.mean) / (2.0 * uniform))) * (1 + 1e-9)
    assert (view.mean + multiplier * view.sd).max() == pytest.approx(u, rel=1e-9, abs=1e-9)


@small
@given(moments=moments, seed=st.integers(0, 10_000))
def test_atsc_never_exploits(moments, seed):
    view = with_moments(*moments)
    score = ATSc().draw(view, 1, rng(seed))
    top = tail_sum(view.mean.max(), view)
    assert 0.0 < score.record["uniform"] <= min(1.0, top) * (1 + 1e-12)
    assert score.record["threshold"] == pytest.approx(bisected(view, score.record["uniform"]), rel=1e-9, abs=1e-9)
    assert score.record["threshold"] >= view.mean.max() - 1e-9
    assert isinstance(score.formula, Reach)
    # c^2 <= zeta + 2 log 2, with zeta from the uniform that was scaled
    multiplier = max(0.0, ((score.record["threshold"] - view.mean) / view.sd).min())
    zeta = 2.0 * np.log(len(view.mean) / (2.0 * score.record["uniform"] / min(1.0, top)))
    assert multiplier**2 <= (zeta + 2.0 * np.log(2.0)) * (1 + 1e-9)


def test_atsc_uniform_is_uniform():
    """Kolmogorov-Smirnov test at level 1e-4; the mean of one candidate stands out, so that S(max mean) < 1."""
    view = with_moments([0.0, -2.0, -3.0], [1.0, 0.5, 0.5])
    top = tail_sum(0.0, view)
    assert top < 0.6
    source = rng(0)
    drawn = [ATSc().draw(view, 1, source).record["uniform"] / top for _ in range(2000)]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-4


@small
@given(moments=moments)
def test_est_threshold_is_the_least_certified_bound(moments):
    view = with_moments(*moments)

    def bound(u):
        z = (u - view.mean) / view.sd
        return u + (view.sd * (np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) - z * ndtr(-z))).sum()

    top = view.mean.max()
    spread = 6.0 * view.sd.max()
    least = optimize.minimize_scalar(
        bound, bounds=(top - spread, top + spread), method="bounded", options={"xatol": 1e-10}
    )
    score = EST().draw(view, 1, rng())
    assert score.record["threshold"] == pytest.approx(min(least.fun, bound(top)), rel=1e-7, abs=1e-7)
    assert score.record["threshold"] <= least.fun + 1e-9
    assert score.record["threshold"] >= top


@pytest.mark.parametrize("seed", range(3))
def test_thresholds_are_at_least_the_expected_maximum(seed):
    """Exact posterior of a table; level: four standard errors."""
    view = table_view(40, 5, seed=seed, lengthscale=0.2)
    mean, cov = joint_posterior(view)
    best = rng(9).multivariate_normal(mean, cov, size=40_000, method="eigh").max(axis=1)
    expected, error = best.mean(), best.std() / np.sqrt(len(best))
    assert EST().draw(view, 1, rng()).record["threshold"] >= expected - 4 * error
    for rule in (ATS(), ATSc()):
        source = rng(seed)
        levels = np.array([rule.draw(view, 1, source).record["threshold"] for _ in range(600)])
        assert levels.mean() >= expected - 4 * np.hypot(error, levels.std() / np.sqrt(len(levels)))


def test_ats_exploits_sometimes_and_its_frequency_is_right():
    """P(u <= max mean) = P(U >= S(max mean)); binomial test at level 1e-4."""
    view = with_moments([0.0, -2.0, -3.0], [1.0, 0.5, 0.5])
    source = rng(5)
    exploits = sum(ATS().draw(view, 1, source).formula == Mean() for _ in range(2000))
    assert stats.binomtest(exploits, 2000, 1.0 - tail_sum(0.0, view)).pvalue > 1e-4


@pytest.mark.parametrize("name", ["ats", "atsc", "est"])
def test_one_known_candidate_among_unknown_ones(name):
    view = with_moments([1.0, 0.0, 0.2], [1e-7, 1.0, 0.5])
    for seed in range(20):
        values = RULES[name]().draw(view, 1, rng(seed)).on(view)
        assert np.isfinite(values).all()


@pytest.mark.parametrize("name", ["ats", "atsc"])
def test_one_uniform_a_suggestion(name):
    source, twin = rng(3), rng(3)
    RULES[name]().draw(box_view(), 1, source)
    twin.random()
    assert source.random() == twin.random()
