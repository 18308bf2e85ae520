"""Bounds within limits against draws of the function itself, cut off there."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from regretless.confidence import certified_threshold, expected_excess
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, table_posterior
from regretless.theory import remaining_regret
from regretless.theory.limited import limited_mean, limited_pairwise, limited_tail_sum

INF = math.inf
LIMITS = [(-INF, 0.3), (-INF, 1.2), (-0.5, 1.0), (-0.2, INF), (0.5, 2.0), (-INF, -0.4), (-3.0, 3.0), (-INF, 40.0)]


def model(seed, n=5, N=25):
    """A posterior on a table, and many joint draws from it."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, 2))
    kernel = Kernel("matern52", np.full(2, 0.3), 1.0)
    at = X[rng.permutation(N)[:n]]
    table = table_posterior(posterior(kernel, noise_var=0.05, X=at, y=rng.standard_normal(n)), X)
    K = table.posterior.covariance(X, X) + 1e-9 * np.eye(N)
    draws = table.mean + rng.standard_normal((40_000, N)) @ np.linalg.cholesky(K).T
    return table, draws


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_the_function_cut_off(seed, limits):
    """Mean regret over 40,000 draws; each bound is refused where it lies 4 standard errors below."""
    table, draws = model(seed)
    for index in (None, int(np.argsort(table.mean)[-4])):  # the best mean, and another candidate
        proof = remaining_regret(table, index=index, limits=limits, eps=0.3)
        cut = np.clip(draws, *limits)
        regret = cut.max(axis=1) - cut[:, proof.index]
        error = 4.0 * regret.std() / math.sqrt(len(regret))
        assert regret.mean() - error <= proof.tail_sum
        assert regret.mean() - error <= proof.pairwise
        assert np.mean(regret > 0.3) - 4.0 * math.sqrt(0.25 / len(regret)) <= proof.exceeds
        assert proof.mean == pytest.approx(cut[:, proof.index].mean(), abs=0.03)


@given(
    seed=st.integers(0, 10**6),
    lower=st.one_of(st.just(-INF), st.floats(-4.0, 4.0)),
    width=st.one_of(st.just(INF), st.floats(0.01, 6.0)),
)
@settings(deadline=None, max_examples=80)
def test_limits_never_make_a_bound_larger(random_table, seed, lower, width):
    table, _ = random_table(seed)
    limits = (lower, INF if width == INF else (0.0 if lower == -INF else lower) + width)
    free, bound = remaining_regret(table, eps=0.2), remaining_regret(table, limits=limits, eps=0.2)
    for name in ("bound", "tail_sum", "pairwise", "exceeds"):
        assert 0.0 <= getattr(bound, name) <= getattr(free, name), name
    assert bound.bound <= (limits[1] - bound.mean) * (1.0 + 1e-9) + 1e-12
    assert bound.bound <= (limits[1] - limits[0]) * (1.0 + 1e-12)  # their difference is rounded
    assert limits[0] <= bound.mean <= limits[1]
    assert bound.lemma == free.lemma


def test_limits_that_are_far_away_change_no_bit(random_table):
    for seed in range(10):
        table, _ = random_table(seed)
        assert remaining_regret(table, limits=(-INF, INF)) == remaining_regret(table)
        far = remaining_regret(table, limits=(-1e9, 1e9))
        assert far.bound == pytest.approx(remaining_regret(table).bound, rel=1e-12)


def test_the_threshold_is_the_best_within_the_limits():
    """Against the formula on a fine grid of u."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        below, sd = -np.abs(rng.standard_normal(12)), rng.random(12)
        below[3] = 0.0
        lower, upper = -abs(rng.standard_normal()), float(rng.uniform(0.05, 1.5))
        here = limited_mean(0.0, sd[3], lower, upper)
        cut = expected_excess(upper, below, sd)
        grid = np.linspace(lower, upper, 801)
        values = [u + expected_excess(u, below, sd) - cut - here for u in grid]
        assert limited_tail_sum(below, sd, 3, lower, upper) == pytest.approx(min(values), abs=1e-4)


def test_a_recommendation_that_is_known_caps_the_regret_at_the_distance_to_the_limit():
    below, sd = np.array([0.0, -1.0, -0.5]), np.array([0.0, 3.0, 2.0])
    for upper in (0.1, 0.5, 2.0):
        wanted = min(
            u + expected_excess(u, below, sd) - expected_excess(upper, below, sd) for u in np.linspace(0, upper, 2001)
        )
        assert limited_pairwise(below, sd, 0.0, -INF, upper) == pytest.approx(wanted, abs=1e-6)
        assert limited_tail_sum(below, sd, 0, -INF, upper) == pytest.approx(wanted, abs=1e-6)
        assert wanted <= upper
    assert limited_pairwise(below, sd, 0.0, -INF, 0.0) == 0.0


def test_small_certificates_do_not_cancel():
    below, sd = np.array([0.0, -8.0, -9.0]), np.array([1e-3, 1.0, 1.0])
    free = certified_threshold(below, sd)[1]
    assert 0.0 < free < 1e-3
    far = limited_tail_sum(below, sd, 0, -INF, 50.0)
    assert far == pytest.approx(free, rel=1e-12)


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (2.0, 0.3), (-1.0, 5.0), (0.4, 0.0)])
@pytest.mark.parametrize(("lower", "upper"), [(-INF, 0.5), (-0.5, 1.0), (0.2, INF), (-INF, INF)])
def test_the_mean_of_what_is_cut_off(mean, sd, lower, upper):
    found = limited_mean(mean, sd, lower, upper)
    if sd == 0.0:
        assert found == min(max(mean, lower), upper)
        return
    points = [p for p in (lower, upper) if math.isfinite(p)]
    wanted = quad(
        lambda f: min(max(f, lower), upper) * norm.pdf(f, mean, sd), mean - 12 * sd, mean + 12 * sd, points=points
    )
    assert found == pytest.approx(wanted[0], abs=1e-7)


def test_ties_at_the_limit_are_no_loss():
    """Where the recommendation is at the limit for certain, it is the best with probability one."""
    table, _ = model(1)
    top = float(table.mean.max() - 8.0 * table.sd[table.mean.argmax()])
    proof = remaining_regret(table, limits=(-INF, top), draws=200, rng=np.random.default_rng(0))
    assert proof.best.estimate == 1.0
    assert proof.bound < 1e-9


@pytest.mark.parametrize("limits", [(1.0, 1.0), (2.0, 1.0), (math.nan, 1.0)])
def test_bad_limits(random_table, limits):
    with pytest.raises(InvalidInput, match="limits"):
        remaining_regret(random_table(0)[0], limits=limits)
