"""Information gain against 60-digit values, brute force over all multisets, and posteriors rebuilt from nothing."""

import itertools
import math
import time

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior
from regretless.theory import (
    information_gain,
    information_gain_given,
    information_gain_of_matrix,
    matern_gain_rate,
    rbf_gain_rate,
)
from regretless.theory.allocation import Allocation, water_filling

GRID = np.stack(np.meshgrid(*[np.arange(10) / 10] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def gain_of(K, rows, noise_var):
    A = np.eye(len(rows)) + K[np.ix_(rows, rows)] / noise_var
    return 0.5 * np.linalg.slogdet(A)[1]


def brute_force(K, T, noise_var):
    return max(gain_of(K, list(rows), noise_var) for rows in itertools.combinations_with_replacement(range(len(K)), T))


def random_matrix(rng, n):
    x = rng.random((n, 2))
    r2 = ((x[:, None] - x) ** 2).sum(axis=-1)
    scale = rng.uniform(0.5, 2.0, n)
    return np.exp(-0.5 * r2 / rng.uniform(0.1, 0.8) ** 2) * scale * scale[:, None]


def test_two_points(values):
    case = values["mig_two_points"]
    gain = information_gain_of_matrix([[1.0, 0.5], [0.5, 0.99]], 5, noise_var=1.0, steps=5)
    exact, bounds = np.array(case["outputs"]["gamma"]), case["outputs"]["bounds_T5"]
    np.testing.assert_allclose(gain.lower[1:], exact, rtol=1e-12)  # greedy is optimal here
    assert np.all(gain.upper[1:] >= exact * (1 - 1e-14))
    assert gain.lower[5] == pytest.approx(bounds["greedy_lower"], rel=1e-12)
    assert gain.bounds["submodular"][5] == pytest.approx(bounds["submodular_best_prefix"], rel=1e-12)
    assert gain.bounds["water filling"][5] == pytest.approx(bounds["water_filling"], rel=1e-10)
    assert gain.bounds["dual"][5] <= bounds["dual_at_greedy"] * (1 + 1e-12)  # the best prefix, not only the last
    hadamard = Allocation.up_to(5, 2).largest(np.array([1.0, 0.99]), 1.0)[5]
    assert hadamard == pytest.approx(bounds["hadamard"], rel=1e-12)


def test_three_points(values):
    case = values["mig_three_points"]
    kernel = Kernel("rbf", np.array([0.5]), 1.0)
    gain = information_gain(kernel, [[0.0], [0.3], [1.0]], 4, noise_var=0.1, steps=4)
    exact, bounds = np.array(case["outputs"]["gamma"]), case["outputs"]["bounds_T4"]
    assert np.all(gain.lower[1:] <= exact * (1 + 1e-12))
    assert np.all(gain.upper[1:] >= exact * (1 - 1e-12))
    assert gain.lower[4] == pytest.approx(bounds["greedy_lower"], rel=1e-10)
    assert gain.bounds["submodular"][4] == pytest.approx(bounds["submodular_best_prefix"], rel=1e-10)
    assert gain.bounds["water filling"][4] == pytest.approx(bounds["water_filling"], rel=1e-10)
    assert gain.bounds["dual"][4] <= bounds["dual_at_greedy"] * (1 + 1e-12)
    hadamard = Allocation.up_to(4, 3).largest(np.ones(3), 0.1)[4]
    assert hadamard == pytest.approx(bounds["hadamard"], rel=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_brute_force(seed):
    rng = np.random.default_rng(seed)
    n, T, noise = int(rng.integers(1, 7)), 6, float(10.0 ** rng.uniform(-2, 0.5))
    K = random_matrix(rng, n)
    gain = information_gain_of_matrix(K, T, noise_var=noise)
    for t in range(1, T + 1):
        exact = brute_force(K, t, noise)
        assert gain.lower[t] <= exact + 1e-10
        for name, bound in gain.bounds.items():
            assert bound[t] >= exact - 1e-10, name
        assert gain.upper[t] == min(bound[t] for bound in gain.bounds.values()) or gain.upper[t] == gain.lower[t]
        assert gain.bounds[gain.by[t]][t] <= gain.upper[t]


@pytest.mark.slow
def test_brute_force_on_many_small_cases():
    """200 cases of section 6 (n = 6, T <= 6): all bounds valid, and as tight on average as stated there."""
    ratios = {"submodular": [], "dual": [], "water filling": [], "greedy": []}
    for seed in range(200):
        rng = np.random.default_rng(1000 + seed)
        T, noise = int(rng.integers(2, 7)), float(10.0 ** rng.uniform(-2, 0.5))
        K = random_matrix(rng, 6)
        gain, exact = information_gain_of_matrix(K, T, noise_var=noise), brute_force(K, T, noise)
        for name, bound in gain.bounds.items():
            ratios[name].append(bound[T] / exact)
        ratios["greedy"].append(gain.lower[T] / exact)
    assert min(min(ratios[name]) for name in ("submodular", "dual", "water filling")) >= 1 - 1e-10
    assert 0.85 < min(ratios["greedy"]) <= max(ratios["greedy"]) <= 1 + 1e-10
    assert np.mean(ratios["submodular"]) < 1.15
    assert np.mean(ratios["greedy"]) > 0.98


@pytest.mark.parametrize(
    ("lengthscale", "noise_var", "T", "lower", "upper", "by"),
    [
        (0.1, 1e-4, 200, 907.8, 921.0440366976516, "submodular"),
        (0.3, 1e-4, 100, 348.7, 460.5, "submodular"),
        (0.5, 1.0, 200, 18.54, 18.64, "dual"),
    ],
)
def test_the_table_of_section_6(lengthscale, noise_var, T, lower, upper, by):
    gain = information_gain(Kernel("rbf", np.full(3, lengthscale), 1.0), GRID, T, noise_var=noise_var)
    assert gain.lower[T] == pytest.approx(lower, rel=5e-4)
    assert gain.upper[T] == pytest.approx(upper, rel=1e-3 if upper < 900 else 1e-9)
    assert gain.by[T] == by


def test_one_run_gives_all_T():
    kernel, X = Kernel("matern52", np.array([0.3, 0.3]), 2.0), np.random.default_rng(0).random((60, 2))
    gain = information_gain(kernel, X, 30, noise_var=0.05)
    assert len(gain) == 30
    assert gain.lower[0] == gain.upper[0] == 0.0
    assert np.all(gain.lower <= gain.upper)
    assert np.all(np.diff(gain.lower) > 0.0)
    assert np.all(np.diff(gain.upper) > -1e-12)
    K = kernel(X, X)
    for t in (1, 7, 30):
        assert gain.lower[t] == pytest.approx(gain_of(K, gain.chosen[:t], 0.05), rel=1e-9)
        alone = information_gain(kernel, X, t, noise_var=0.05, steps=45)
        assert alone.upper[t] == pytest.approx(gain.upper[t], rel=1e-12)
    for t in range(30):  # each point had the largest posterior variance
        post = posterior(kernel, noise_var=0.05, X=X[gain.chosen[:t]], y=np.zeros(t))
        sd = post.mean_sd(X)[1]
        assert sd[gain.chosen[t]] == pytest.approx(sd.max(), rel=1e-9)


def test_given_data_it_is_the_gain_of_the_posterior_covariance():
    rng = np.random.default_rng(3)
    kernel, X = Kernel("matern32", np.array([0.4]), 1.5), rng.random((20, 1))
    post = posterior(kernel, noise_var=0.1, X=rng.random((6, 1)), y=rng.standard_normal(6))
    gain = information_gain_given(post, X, 12)
    twin = information_gain_of_matrix(post.covariance(X, X), 12, noise_var=0.1)
    np.testing.assert_allclose(gain.lower, twin.lower, rtol=1e-9)
    np.testing.assert_allclose(gain.upper, twin.upper, rtol=1e-9)
    for name, bound in twin.bounds.items():
        np.testing.assert_allclose(gain.bounds[name], bound, rtol=1e-8, atol=1e-12)
    before = information_gain(kernel, X, 12, noise_var=0.1)
    assert np.all(gain.upper[1:] < before.upper[1:])
    none = posterior(kernel, noise_var=0.1, X=np.empty((0, 1)), y=np.empty(0))
    np.testing.assert_allclose(information_gain_given(none, X, 12).upper, before.upper, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 3, 12])
def test_allocation_against_plain_greedy(n):
    rng = np.random.default_rng(n)
    var, noise, T = rng.gamma(1.0, size=n), 0.2, 25
    counts, total = np.zeros(n), [0.0]
    for _ in range(T):
        step = np.log1p((counts + 1) * var / noise) - np.log1p(counts * var / noise)
        counts[step.argmax()] += 1
        total.append(0.5 * np.log1p(counts * var / noise).sum())
    np.testing.assert_allclose(Allocation.up_to(T, n).largest(var, noise), total, rtol=1e-12)
    assert Allocation.up_to(T, n).largest(np.zeros(n), noise).tolist() == [0.0] * (T + 1)


def test_water_filling_against_bisection():
    rng = np.random.default_rng(5)
    lam, noise = np.append(rng.gamma(0.5, size=20), [0.0, -1e-18]), 0.3
    floor = noise / lam[lam > 0]
    for T in (0.5, 3.0, 200.0):
        low, high = 0.0, T + floor.max()
        for _ in range(200):
            w = 0.5 * (low + high)
            low, high = (w, high) if np.maximum(w - floor, 0.0).sum() < T else (low, w)
        expected = 0.5 * np.maximum(np.log(low / floor), 0.0).sum()
        assert water_filling(lam, np.array([T]), noise)[0] == pytest.approx(expected, rel=1e-10)
    assert water_filling(np.zeros(3), np.array([1.0, 2.0]), noise).tolist() == [0.0, 0.0]


def test_equal_and_single_candidates():
    """One unknown evaluated T times: log(1 + T k / noise) / 2, and every bound says so."""
    expected = [0.5 * math.log1p(2.0 * t / 0.3) for t in range(9)]
    kernel = Kernel("rbf", np.array([0.5]), 2.0)
    for X in ([[0.2]], [[0.2], [0.2], [0.2]]):
        gain = information_gain(kernel, X, 8, noise_var=0.3)
        np.testing.assert_allclose(gain.lower, expected, rtol=1e-10)
    single = information_gain(kernel, [[0.2]], 8, noise_var=0.3)
    np.testing.assert_allclose(single.upper, expected, rtol=1e-10)


def test_rates_are_rates():
    assert rbf_gain_rate(1e4, 3) == pytest.approx(math.log(1e4) ** 4)
    assert matern_gain_rate(1e4, 1, nu=1.5) == pytest.approx(1e4**0.25 * math.log(1e4) ** 0.75)
    for rate in (lambda: rbf_gain_rate(1.0, 2), lambda: matern_gain_rate(10.0, 0, nu=1.0)):
        with pytest.raises(InvalidInput):
            rate()


def test_refusals():
    kernel = Kernel("rbf", np.array([0.5]), 1.0)
    for wrong in (
        {"T": 0},
        {"noise_var": 0.0},
        {"X": np.empty((0, 1))},
        {"X": [[0.0, 1.0]]},
        {"X": [[math.nan]]},
        {"steps": 0},
    ):
        with pytest.raises(InvalidInput):
            information_gain(kernel, **{"X": [[0.0], [1.0]], "T": 2, "noise_var": 0.1, **wrong})
    for K in ([[1.0, 0.0]], [[1.0, 2.0], [0.0, 1.0]], [[-1.0]], np.empty((0, 0))):
        with pytest.raises(InvalidInput):
            information_gain_of_matrix(K, 2, noise_var=0.1)


@pytest.mark.slow
def test_ten_thousand_candidates_cost_at_most_three_plain_greedy_runs():
    """All bounds for T = 1..500 against the bare greedy update of the same 750 steps; median of three."""
    N, T, noise = 10_000, 500, 1e-2
    X, kernel = np.random.default_rng(0).random((N, 4)), Kernel("matern52", np.full(4, 0.4), 1.0)

    def plain(steps=T + T // 2):
        rows, var = np.empty((steps, N)), np.ones(N)
        for j in range(steps):
            i = int(var.argmax())
            row = kernel(X[i][None], X)[0]
            row -= rows[:j, i] @ rows[:j]
            row /= math.sqrt(var[i] + noise)
            rows[j] = row
            var = np.maximum(var - row * row, 0.0)

    def seconds(work):
        begin = time.process_time()
        work()
        return time.process_time() - begin

    ratios = [seconds(lambda: information_gain(kernel, X, T, noise_var=noise)) / seconds(plain) for _ in range(3)]
    assert np.median(ratios) < 3.0


def test_a_table_that_is_too_long_is_read_in_blocks(monkeypatch):
    """The same greedy run; upper bounds that hold, and are hardly larger where many rows are alike."""
    rng = np.random.default_rng(0)
    X = rng.random((4_000, 2)).astype(np.float32)
    kernel = Kernel("matern52", np.array([0.5, 0.8]), 1.3)
    whole = information_gain(kernel, X.astype(float), 12, noise_var=0.1)
    monkeypatch.setattr("regretless.theory.information.memory_budget", lambda: 1 << 16)
    blocks = information_gain(kernel, X, 12, noise_var=0.1)
    assert blocks.lower == pytest.approx(whole.lower, rel=1e-9)
    assert (blocks.upper >= whole.upper - 1e-9).all()
    assert blocks.upper[1:] == pytest.approx(whole.upper[1:], rel=0.02)
    with pytest.raises(InvalidInput, match="2 columns"):
        information_gain(kernel, X[:, :1], 12, noise_var=0.1)


def test_categories_in_blocks(monkeypatch):
    X = np.array([[a, b] for a in np.linspace(0.0, 1.0, 60) for b in (0.0, 1.0, 2.0)])
    kernel = Kernel("rbf", np.array([0.3, 1.0]), 1.0, (False, True))
    whole = information_gain(kernel, X, 8, noise_var=0.2, spectrum=False)
    monkeypatch.setattr("regretless.theory.information.memory_budget", lambda: 1 << 10)
    blocks = information_gain(kernel, X, 8, noise_var=0.2)
    assert blocks.lower == pytest.approx(whole.lower, rel=1e-9)
    assert (blocks.upper >= whole.upper - 1e-9).all()
