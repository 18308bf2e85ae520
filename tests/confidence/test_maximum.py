"""The law of the maximum against 60-digit values, root finders, minimisers, simulation, and its own inequalities."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from regretless.confidence import (
    certified_threshold,
    random_threshold,
    smallest_multiplier,
    tail_sum,
    tail_sum_bound,
)
from regretless.errors import InvalidInput

VALUES = json.loads((Path(__file__).parent / "theory_values.json").read_text(encoding="utf-8"))
SMALL = VALUES["stopping_small"]
MEAN, SD = SMALL["inputs"]["mu"], SMALL["inputs"]["sd"]


def slow_tail_sum(u, mean, sd):
    unsure = sd > 0.0
    return ndtr((mean[unsure] - u) / sd[unsure]).sum() + np.sum(mean[~unsure] > u)


def slow_bound(u, mean, sd):
    """h(u) = u + integral of S above u."""
    far = float((mean + 40.0 * sd).max())
    points = [p for p in mean if u < p < far]
    upper = max(u, far)
    return u + quad(slow_tail_sum, u, upper, args=(mean, sd), points=points or None, limit=400, epsabs=1e-12)[0]


def lemma_bound(mean, sd):
    """E[max mean + sqrt(zeta) sd] for IRGP-UCB's law of zeta on a table, summed over c = sqrt(zeta)."""
    c0 = math.sqrt(max(0.0, 2.0 * math.log(len(mean) / 2.0)))
    c = np.unique(np.concatenate([np.linspace(c0, c0 + 2.0, 2001), np.linspace(c0 + 2.0, c0 + 12.0, 2001)]))
    survival = np.exp(-0.5 * (c**2 - c0**2))
    envelope = (np.asarray(mean) + c[:, None] * np.asarray(sd)).max(axis=1)
    # a convex function averaged by conditional mass at the left ends: a lower bound of the lemma's value
    return float(envelope[:-1] @ (survival[:-1] - survival[1:]) + envelope[-1] * survival[-1])


@st.composite
def posteriors(draw, min_size=2, known=True):
    n = draw(st.integers(min_size, 12))
    mean = draw(st.lists(st.floats(-5.0, 5.0), min_size=n, max_size=n))
    smallest = st.sampled_from([0.0]) if known else st.nothing()
    sd = draw(st.lists(smallest | st.floats(1e-3, 3.0), min_size=n, max_size=n))
    return np.array(mean), np.array(sd)


# ---- numbers ----------------------------------------------------------------------------------------------------


def test_four_candidates():
    u, bound = certified_threshold(MEAN, SD)
    out = SMALL["outputs"]
    assert u == pytest.approx(out["tailsum_u"], rel=1e-9)
    assert bound == pytest.approx(out["tailsum_E"], rel=1e-10)
    assert bound - max(MEAN) == pytest.approx(out["tailsum_bound"], rel=1e-10)
    assert tail_sum_bound(1.5, MEAN, SD) == pytest.approx(out["h_at_u_equal_1.5"], rel=1e-10)
    assert tail_sum(u, MEAN, SD) == pytest.approx(1.0, rel=1e-12)
    assert lemma_bound(MEAN, SD) == pytest.approx(out["expected_max_ucb"], rel=1e-3)


def test_random_thresholds():
    case = VALUES["adaptive_threshold"]
    for level, result in zip(case["inputs"]["U"], case["outputs"]["results"], strict=True):
        u = random_threshold(MEAN, SD, level)
        index, c = smallest_multiplier(u, MEAN, SD)
        assert u == pytest.approx(result["u"], rel=1e-9)
        assert index == result["index"]
        assert c == pytest.approx(result["c"], rel=1e-9)
        assert (u <= max(MEAN)) == result["exploit"]


def test_two_candidates():
    case = VALUES["two_candidates_exact"]
    mean, sd = case["inputs"]["mu"], case["inputs"]["sd"]
    _, bound = certified_threshold(mean, sd)
    assert bound - max(mean) == pytest.approx(case["outputs"]["tailsum_bound"], rel=1e-10)
    assert bound >= case["outputs"]["E_max"]


# ---- against slow twins -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("known", [0, 2])
def test_against_brentq_and_minimize_scalar(seed, known):
    rng = np.random.default_rng(seed)
    mean, sd = rng.normal(size=9), rng.uniform(0.01, 1.5, 9)
    sd[:known] = 0.0
    u, bound = certified_threshold(mean, sd)
    best = minimize_scalar(
        slow_bound, bounds=(u - 1.0, u + 1.0), args=(mean, sd), options={"xatol": 1e-9}, method="bounded"
    )
    assert bound == pytest.approx(best.fun, rel=1e-8)
    assert tail_sum_bound(0.7, mean, sd) == pytest.approx(slow_bound(0.7, mean, sd), rel=1e-9)
    for level in (1.0, 0.3, 1e-5):
        found = random_threshold(mean, sd, level)
        jump = max(mean[:known], default=-np.inf)
        if slow_tail_sum(jump, mean, sd) <= level:
            assert found == jump
        else:
            left = max(jump, mean.min() - 10.0)
            root = brentq(lambda v, level=level: slow_tail_sum(v, mean, sd) - level, left, 50.0, xtol=1e-13)
            assert found == pytest.approx(root, rel=1e-9, abs=1e-11)


def test_dense_grid_finds_nothing_smaller():
    u, bound = certified_threshold(MEAN, SD)
    grid = np.linspace(-3.0, 5.0, 1601)
    values = [tail_sum_bound(v, MEAN, SD) for v in grid]
    assert min(values) >= bound
    assert abs(grid[int(np.argmin(values))] - u) <= 0.005


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.99])
def test_covers_the_expected_maximum_whatever_the_dependence(correlation):
    rng = np.random.default_rng(11)
    mean, sd = rng.normal(size=6), rng.uniform(0.1, 1.0, 6)
    common, own = rng.normal(size=(40_000, 1)), rng.normal(size=(40_000, 6))
    f = mean + sd * (math.sqrt(correlation) * common + math.sqrt(1.0 - correlation) * own)
    _, bound = certified_threshold(mean, sd)
    assert bound >= f.max(axis=1).mean() - 4.0 * f.max(axis=1).std() / 200.0
    thresholds = [random_threshold(mean, sd, (k + 0.5) / 200.0) for k in range(200)]
    assert np.mean(thresholds) == pytest.approx(bound, abs=0.02)  # both are E[Y], Y with survival min(1, S)


@pytest.mark.parametrize("n", [30_000, 200_000])
@pytest.mark.parametrize("spread", [0.05, 1.0])  # nearly all candidates matter, and nearly none
def test_large_tables_take_the_same_root_as_a_plain_search(n, spread):
    rng = np.random.default_rng(n)
    mean, sd = spread * np.sort(rng.normal(size=n)), rng.uniform(0.0, 0.4, n)
    sd[::10] = 0.0
    u, bound = certified_threshold(mean, sd)
    for level, found in [(1.0, u), (0.02, random_threshold(mean, sd, 0.02))]:
        known = mean[sd == 0.0].max()
        root = (
            known
            if tail_sum(known, mean, sd) <= level
            else brentq(lambda v, level=level: tail_sum(v, mean, sd) - level, known, 9.0)
        )
        assert found == pytest.approx(root, rel=1e-10)
    assert bound == pytest.approx(tail_sum_bound(u, mean, sd), rel=1e-14)


# ---- properties -------------------------------------------------------------------------------------------------


@given(posteriors())
@settings(max_examples=60, deadline=None)
def test_tail_sum_bound_is_never_above_the_lemma_bound(posterior):
    mean, sd = posterior
    _, bound = certified_threshold(mean, sd)
    # lemma_bound is itself computed from below, off by less than the slope times its step
    assert bound <= lemma_bound(mean, sd) + 2e-3 * sd.max() + 1e-12
    assert bound >= mean.max()


@given(posteriors(), st.floats(-8.0, 8.0))
@settings(deadline=None)
def test_the_certificate_is_the_least_of_all_bounds(posterior, u):
    mean, sd = posterior
    _, least = certified_threshold(mean, sd)
    assert least <= tail_sum_bound(u, mean, sd) + 1e-11


@given(posteriors(), st.floats(1e-12, 1.0))
@settings(deadline=None)
def test_random_threshold_solves_its_equation_and_stays_below_the_coupled_ucb(posterior, level):
    mean, sd = posterior
    u = random_threshold(mean, sd, level)
    scale = max(1.0, abs(u))
    if sd.any():
        assert tail_sum(u + 1e-9 * scale, mean, sd) <= level * (1.0 + 1e-6) + 1e-300
        assert tail_sum(u - 1e-6 * scale, mean, sd) >= level * (1.0 - 1e-9)
    else:
        assert u == mean.max()
    c = math.sqrt(max(0.0, 2.0 * math.log(len(mean) / (2.0 * level))))
    assert u <= (mean + c * sd).max() + 1e-9 * scale


@given(posteriors(), st.floats(1e-9, 1.0), st.floats(1e-9, 1.0))
@settings(deadline=None)
def test_random_threshold_falls_as_the_uniform_grows(posterior, one, other):
    low, high = sorted([one, other])
    assert random_threshold(*posterior, low) >= random_threshold(*posterior, high) - 1e-9


@given(posteriors(), st.integers(0, 11), st.floats(0.0, 2.0))
@settings(deadline=None)
def test_more_doubt_anywhere_never_lowers_the_certificate(posterior, which, more):
    mean, sd = posterior
    wider = sd.copy()
    wider[which % len(sd)] += more
    # Where S is flat the root search ends with |log S| < 1e-8: h may be above its minimum by that times the way left.
    assert certified_threshold(mean, wider)[1] >= certified_threshold(mean, sd)[1] - 1e-8


@given(posteriors(), st.floats(-100.0, 100.0), st.floats(0.01, 100.0))
@settings(deadline=None)
def test_shift_and_scale_of_the_objective_go_through(posterior, shift, scale):
    mean, sd = posterior
    _, bound = certified_threshold(mean, sd)
    _, moved = certified_threshold(shift + scale * mean, scale * sd)
    assert moved == pytest.approx(shift + scale * bound, rel=1e-9, abs=1e-8)


@given(posteriors(), st.floats(0.0, 8.0))
@settings(deadline=None)
def test_the_smallest_multiplier_reaches_the_threshold(posterior, above):
    mean, sd = posterior
    sd[0] += 0.1  # someone can get there
    u = mean.max() + above
    index, c = smallest_multiplier(u, mean, sd)
    assert mean[index] + c * sd[index] == pytest.approx(u, abs=1e-9)
    assert np.all(mean + c * sd <= u + 1e-9)


# ---- edges ------------------------------------------------------------------------------------------------------


def test_one_candidate():
    assert certified_threshold([0.4], [2.0]) == (0.4, 0.4)
    assert random_threshold([0.4], [2.0], 0.25) == pytest.approx(stats.norm(0.4, 2.0).isf(0.25), rel=1e-12)
    assert random_threshold([0.4], [2.0], 1.0) == 0.4


def test_everything_known():
    assert certified_threshold([0.0, 3.0, 1.0], [0.0, 0.0, 0.0]) == (3.0, 3.0)
    assert random_threshold([0.0, 3.0, 1.0], [0.0, 0.0, 0.0], 0.2) == 3.0
    assert smallest_multiplier(4.0, [0.0, 3.0, 1.0], [0.0, 0.0, 0.0]) == (1, math.inf)
    assert smallest_multiplier(3.0, [0.0, 3.0, 1.0], [0.0, 0.0, 0.0]) == (1, 0.0)


def test_a_known_best_far_above_leaves_next_to_no_regret():
    gap = certified_threshold([0.0, -1.0, -2.0], [0.0, 0.1, 0.1])[1]
    assert gap == pytest.approx(0.1 * (stats.norm.pdf(10.0) - 10.0 * stats.norm.sf(10.0)), rel=1e-4)
    assert gap > 0.0


def test_tiny_certificates_do_not_cancel():
    # the best candidate is unsure too, and the threshold lies well below it
    mean, sd = np.array([0.0, -1.0]), np.array([0.1, 0.1])
    gap = certified_threshold(mean, sd)[1]
    psi_5 = 5.346165533833e-08
    assert gap == pytest.approx(2.0 * 0.1 * psi_5, rel=1e-9)
    assert certified_threshold(mean + 1e9, sd)[1] == 1e9


def test_equal_candidates():
    n = 1000
    u, _ = certified_threshold(np.zeros(n), np.ones(n))
    assert u == pytest.approx(stats.norm.isf(1.0 / n), rel=1e-12)
    assert random_threshold(np.zeros(n), np.ones(n), 1e-9) == pytest.approx(stats.norm.isf(1e-12), rel=1e-9)


def test_scales_far_apart():
    mean, sd = np.array([0.0, 1.0, 1.0, -1e6]), np.array([1e-9, 1e-12, 1.0, 1e5])
    u, bound = certified_threshold(mean, sd)
    assert tail_sum(u, mean, sd) == pytest.approx(1.0, abs=1e-3)
    assert bound <= min(tail_sum_bound(v, mean, sd) for v in np.linspace(0.0, 3.0, 301)) + 1e-12


@pytest.mark.parametrize(
    ("mean", "sd"),
    [([], []), ([0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0, -1e-9]), ([0.0, np.nan], [1.0, 1.0]), ([[0.0]], [[1.0]])],
)
def test_moments_are_checked(mean, sd):
    for ask in (
        lambda: certified_threshold(mean, sd),
        lambda: random_threshold(mean, sd, 0.5),
        lambda: tail_sum(0.0, mean, sd),
        lambda: tail_sum_bound(0.0, mean, sd),
        lambda: smallest_multiplier(0.0, mean, sd),
    ):
        with pytest.raises(InvalidInput):
            ask()


@pytest.mark.parametrize("uniform", [0.0, -0.1, 1.1, math.nan])
def test_the_uniform_is_checked(uniform):
    with pytest.raises(InvalidInput):
        random_threshold([0.0, 1.0], [1.0, 1.0], uniform)
