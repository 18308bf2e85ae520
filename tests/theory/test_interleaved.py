"""The law with the theorem's shift at every k-th step: each inequality of the derivation, then the bounds themselves.

Levels are stated at each test; "4 standard errors" is a one-sided level of 3e-5.
"""

import math

import numpy as np
import pytest
from tests.theory.plain_runs import plain_runs

from regretless.confidence import ShiftedExponential
from regretless.errors import InvalidInput
from regretless.gp import Kernel
from regretless.theory import (
    c1,
    expected_regret_interleaved,
    expected_regret_interleaved_theorem,
    expected_regret_table,
    information_gain,
    simple_regret,
    simple_regret_interleaved,
)
from regretless.theory.allocation import water_filling

TABLE = {"n_candidates": 50, "info_gain": 8.0, "noise_var": 0.1}
GAIN = np.log1p(10.0 * np.arange(401.0))
BOTH = (expected_regret_interleaved, expected_regret_interleaved_theorem)


def grid(m, d):
    return np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, m)] * d, indexing="ij"), axis=-1).reshape(-1, d)


def standard_error(values):
    return values.std(axis=0, ddof=1) / math.sqrt(len(values))


# ---- the formulas -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("T", [1, 4, 7, 200])
@pytest.mark.parametrize("every", [1, 2, 4])
def test_the_recommendation_has_the_theorem_at_m_evaluations(T, every):
    m = T // every
    if not m:
        assert simple_regret_interleaved(T, every=every, **TABLE) == math.inf
        return
    whole = simple_regret(expected_regret_table(m, **TABLE), m)
    assert simple_regret_interleaved(T, every=every, **TABLE) == pytest.approx(whole, rel=1e-14)


def test_half_the_value_of_all_evaluations_information():
    """N = 1024, T = 100: gamma_25 in place of gamma_100 halves the bound while every point is news."""
    X, kernel, noise_var = grid(32, 2), Kernel("rbf", np.full(2, 0.02), 1.0), 1e-4
    gain = information_gain(kernel, X, 100, noise_var=noise_var, spectrum=False).upper
    case = {"every": 4, "n_candidates": 1024, "noise_var": noise_var}
    own, all_data = (simple_regret_interleaved(100, info_gain=float(gain[j]), **case) for j in (25, 100))
    assert own == pytest.approx(all_data / 2.0, rel=0.02)


def test_told_theorem_steps_are_those_that_count():
    case = {"every": 4, **TABLE}
    assert simple_regret_interleaved(40, **case, told=10) == simple_regret_interleaved(40, **case)
    assert simple_regret_interleaved(40, **case, told=7) == simple_regret_interleaved(28, **case)
    assert simple_regret_interleaved(40, **case, told=0) == math.inf
    for told in (-1, 11, 2.0, True):
        with pytest.raises(InvalidInput, match="told"):
            simple_regret_interleaved(40, **case, told=told)


def test_left_out_rows_cost_the_noise():
    for T, every in ((200, 4), (200, 1), (9, 2)):
        with_repeats = simple_regret_interleaved(T, every=every, **TABLE)
        without = simple_regret_interleaved(T, every=every, **TABLE, repeats=False)
        assert without**2 - with_repeats**2 == pytest.approx((2.0 * math.log(25) + 2.0) * 0.1)
    assert simple_regret_interleaved(3, every=4, **TABLE, repeats=False) == math.inf


@pytest.mark.parametrize("T", [1, 2, 3, 4, 5, 8, 11, 12, 397, 400])
@pytest.mark.parametrize("every", [1, 2, 4, 7])
def test_cumulative_bounds_written_out_step_by_step(T, every):
    """One step after the other, counting the theorem steps so far."""
    N, noise, kappa2 = 30, 0.2, 2.5
    law, constant = ShiftedExponential.for_table(N), c1(noise, kappa2)
    before, theorem_steps, total, zetas = math.sqrt(kappa2) * law.mean_sqrt(1), 0, 0.0, 0.0
    for t in range(1, T + 1):
        if t % every == 0:
            theorem_steps, zetas = theorem_steps + 1, zetas + law.mean(1)
            continue
        j, zetas = theorem_steps, zetas + 2.0
        total += min(before, math.sqrt(constant * law.mean(1) * GAIN[j] / j)) if j else before
    total += math.sqrt(constant * GAIN[T] * zetas)
    case = {"every": every, "n_candidates": N, "info_gain": GAIN, "noise_var": noise, "signal_var": kappa2}
    assert expected_regret_interleaved(T, **case) == pytest.approx(total, rel=1e-12)
    m = theorem_steps
    closed = (every - 1) * (before + 2.0 * math.sqrt(constant * law.mean(1) * m * GAIN[m])) + math.sqrt(
        constant * GAIN[T] * zetas
    )
    assert expected_regret_interleaved_theorem(T, **case) == pytest.approx(closed, rel=1e-12)
    assert total <= closed * (1.0 + 1e-12)


def test_every_step_is_the_theorem():
    for T in (1, 7, 200):
        theorem = expected_regret_table(T, n_candidates=50, info_gain=float(GAIN[T]), noise_var=0.1)
        for bound in BOTH:
            assert bound(T, every=1, n_candidates=50, info_gain=GAIN, noise_var=0.1) == pytest.approx(theorem)


@pytest.mark.parametrize("every", [2, 4])
def test_the_order_is_that_of_the_theorem(every):
    """Divided by sqrt(T gamma_T (s + 2)) the closed form approaches a constant of k alone, from N = 2 to 1e9."""
    k = every
    for N in (2, 1000, 10**9):
        law, noise = ShiftedExponential.for_table(N), 0.1
        for T in (10**4, 10**6):
            gain = np.log1p(10.0 * np.arange(T + 1.0))
            found = expected_regret_interleaved_theorem(T, every=k, n_candidates=N, info_gain=gain, noise_var=noise)
            first = (k - 1) * law.mean_sqrt(1)
            limit = math.sqrt(c1(noise)) * (2.0 * (k - 1) / math.sqrt(k) + 1.0)
            assert found - first <= limit * math.sqrt(T * gain[T] * law.mean(1)) * (1.0 + 1e-12)


def test_units_one_candidate_and_refusals():
    c = 3.0
    case = {"every": 4, "n_candidates": 20, "info_gain": GAIN}
    for bound in BOTH:
        one, other = bound(50, **case, noise_var=0.1), bound(50, **case, noise_var=0.1 * c**2, signal_var=c**2)
        assert other == pytest.approx(c * one, rel=1e-12)
        assert bound(50, **{**case, "n_candidates": 1}, noise_var=0.1) == 0.0
        for wrong in (
            {"T": 0},
            {"every": 0},
            {"every": True},
            {"n_candidates": 0},
            {"info_gain": GAIN[:50]},  # gamma_50 is missing
            {"info_gain": -GAIN},
            {"info_gain": np.full(51, math.nan)},
            {"noise_var": 0.0},
            {"signal_var": 0.0},
        ):
            with pytest.raises(InvalidInput):
                bound(**{"T": 50, **case, "noise_var": 0.1, **wrong})
    assert simple_regret_interleaved(3, every=4, n_candidates=1, info_gain=2.0, noise_var=0.1) == 0.0
    for every in (0, 1.5, True):
        with pytest.raises(InvalidInput, match="every"):
            simple_regret_interleaved(3, every=every, **TABLE)


@pytest.mark.parametrize(("d", "lengthscale", "noise_var", "stated"), [(1, 0.1, 0.01, 755), (2, 0.2, 0.1, 1092)])
def test_the_stated_values(d, lengthscale, noise_var, stated):
    """The sharper form at t = 400 on 100 candidates, as found elsewhere with another program."""
    X = grid(100, 1) if d == 1 else grid(10, 2)
    gain = information_gain(Kernel("rbf", np.full(d, lengthscale), 1.0), X, 400, noise_var=noise_var).upper
    case = {"every": 4, "n_candidates": 100, "info_gain": gain, "noise_var": noise_var}
    assert round(expected_regret_interleaved(400, **case)) == stated


# ---- the derivation, in runs ------------------------------------------------------------------------------------

CASES = {
    "square": (grid(8, 2), 0.2, 0.1),
    "line": (np.linspace(0.0, 1.0, 64)[:, None], 0.1, 0.01),
    "rough, little noise": (grid(8, 2), 0.1, 1e-4),
}


@pytest.fixture(scope="module", params=CASES)
def seen(request):
    X, lengthscale, noise_var = CASES[request.param]
    kernel, T = Kernel("rbf", np.full(X.shape[1], lengthscale), 1.0), 120
    gain = information_gain(kernel, X, T, noise_var=noise_var).upper
    return plain_runs(kernel(X, X), noise_var, T, 200, np.random.default_rng(3), every=4), gain, noise_var, len(X)


def test_what_one_step_costs(seen):
    """Theorem steps cost their width at most, exploiting steps that and the recommendation's regret. 4 errors each."""
    runs, _, _, _ = seen
    T = runs.regret.shape[1]
    theorem = np.arange(1, T + 1) % 4 == 0
    excess = runs.regret - runs.width - np.where(theorem, 0.0, runs.recommended)
    assert np.all(excess.mean(axis=0) <= 4.0 * standard_error(excess))


def test_the_width_alone_is_not_enough_at_an_exploiting_step():
    """The regret of the recommendation belongs to the bound: seen at the first step, 4 standard errors."""
    X, lengthscale, noise_var = CASES["rough, little noise"]
    K = Kernel("rbf", np.full(2, lengthscale), 1.0)(X, X)
    runs = plain_runs(K, noise_var, 1, 1000, np.random.default_rng(4), every=4)
    excess = (runs.regret - runs.width)[:, 0]
    assert excess.mean() > 4.0 * standard_error(excess)


def test_variances_at_the_theorem_steps_are_worth_their_own_information(seen):
    """In every run, not only on average: given all data they sum to at most C_1 gamma_m."""
    runs, gain, noise_var, _ = seen
    sums = runs.var[:, 3::4].cumsum(axis=1)
    m = np.arange(1, sums.shape[1] + 1)
    assert np.all(sums <= c1(noise_var) * gain[m] * (1.0 + 1e-9))
    assert np.all(runs.var.cumsum(axis=1) <= c1(noise_var) * gain[1 : runs.var.shape[1] + 1] * (1.0 + 1e-9))


def test_regret_of_the_recommendation_is_below_its_bound(seen):
    """At every T, 4 standard errors; it never rises on average, and the bound is no near miss."""
    runs, gain, noise_var, N = seen
    T = runs.regret.shape[1]
    after = np.column_stack([runs.recommended[:, 1:], runs.last])  # of argmax mu_t, t = 1..T
    case = {"every": 4, "n_candidates": N, "noise_var": noise_var}
    bounds = [simple_regret_interleaved(t, info_gain=float(gain[t // 4]), **case) for t in range(1, T + 1)]
    assert np.all(after.mean(axis=0) + 4.0 * standard_error(after) <= bounds)
    rise = after[:, 8:] - after[:, :-8]
    assert np.all(rise.mean(axis=0) <= 4.0 * standard_error(rise))


def test_cumulative_regret_is_below_its_bounds(seen):
    runs, gain, noise_var, N = seen
    total = runs.regret.cumsum(axis=1)
    case = {"every": 4, "n_candidates": N, "info_gain": gain, "noise_var": noise_var}
    for t in (1, 2, 3, 4, 5, 10, 40, 120):
        at = total[:, t - 1]
        sharp, closed = (bound(t, **case) for bound in BOTH)
        assert at.mean() + 4.0 * standard_error(at) < sharp <= closed * (1.0 + 1e-12)
    assert total[:, -1].mean() > 0.02 * expected_regret_interleaved(120, **case)  # loose, not empty


# ---- leaving out what was measured ------------------------------------------------------------------------------


def test_leaving_out_what_was_measured_breaks_the_cumulative_bounds():
    """1500 candidates on a line, each measured once, in whatever order: R_N = N max f - sum f. 4 standard errors."""
    N, noise_var = 1500, 1e-4
    X = np.linspace(0.0, 1.0, N)[:, None]
    values, vectors = np.linalg.eigh(Kernel("rbf", np.array([0.1]), 1.0)(X, X))
    f = np.random.default_rng(0).standard_normal((400, N)) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    regret = N * f.max(axis=1) - f.sum(axis=1)
    gain = water_filling(values, np.arange(N + 1.0), noise_var)
    case = {"n_candidates": N, "info_gain": gain, "noise_var": noise_var}
    for every in (1, 2):
        assert regret.mean() - 4.0 * standard_error(regret) > expected_regret_interleaved(N, every=every, **case)


@pytest.mark.parametrize("every", [1, 4])
def test_without_repeats_the_recommendation_keeps_its_bound_with_one_more_term(every):
    """The step behind it, at each theorem step, and the bound itself at each T; 4 standard errors."""
    X = np.linspace(0.0, 1.0, 40)[:, None]
    for noise_var in (1e-4, 0.05):
        kernel = Kernel("rbf", np.array([0.1]), 1.0)
        gain = information_gain(kernel, X, 40, noise_var=noise_var).upper
        runs = plain_runs(kernel(X, X), noise_var, 40, 300, np.random.default_rng(5), every=every, repeats=False)
        assert np.all(np.sort(runs.chosen, axis=1) == np.arange(40))
        after = np.column_stack([runs.recommended[:, 1:], runs.last])
        case = {"every": every, "n_candidates": 40, "noise_var": noise_var, "repeats": False}
        bounds = [simple_regret_interleaved(t, info_gain=float(gain[t // every]), **case) for t in range(1, 41)]
        assert np.all(after.mean(axis=0) + 4.0 * standard_error(after) <= bounds)
        own = np.arange(1, 41) % every == 0
        wide = np.maximum(runs.width, runs.width / np.sqrt(runs.var) * math.sqrt(noise_var))
        excess = (np.minimum(runs.regret, runs.recommended) - wide)[:, own]
        assert np.all(excess.mean(axis=0) <= 4.0 * standard_error(excess))
