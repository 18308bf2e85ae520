import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gamma, kv

from regretless.errors import InvalidInput
from regretless.gp.kernels import FAMILIES, Kernel, radial

H = np.finfo(float).eps ** (1 / 3)
NU = {"matern32": 1.5, "matern52": 2.5}


def by_hand(family, x, z, lengthscale, signal_var):
    """One entry, with scalar arithmetic only."""
    r = math.sqrt(sum(((a - b) / s) ** 2 for a, b, s in zip(x, z, lengthscale, strict=True)))
    if family == "rbf":
        return signal_var * math.exp(-(r**2) / 2)
    if family == "matern32":
        return signal_var * (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r)
    return signal_var * (1 + math.sqrt(5) * r + 5 * r**2 / 3) * math.exp(-math.sqrt(5) * r)


def matern(nu, r):
    """Matern correlation of any smoothness (Rasmussen and Williams 2006, eq. 4.14)."""
    s = np.sqrt(2 * nu) * r
    return 2 ** (1 - nu) / gamma(nu) * s**nu * kv(nu, s)


def mixed(rng, n, n_levels):
    """Points with numbers where n_levels is 0 and category numbers elsewhere."""
    return np.column_stack([rng.integers(k, size=n) if k else rng.random(n) for k in n_levels]).astype(float)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("d", [1, 3, 7])
def test_values_are_the_closed_forms(family, d):
    rng = np.random.default_rng(d)
    A, B, scales = rng.random((6, d)), rng.random((4, d)), rng.uniform(0.1, 2.0, d)
    K = Kernel(family, scales, 2.5)(A, B)
    expected = [[by_hand(family, a, b, scales, 2.5) for b in B] for a in A]
    np.testing.assert_allclose(K, expected, rtol=1e-12)


@pytest.mark.parametrize("family", NU)
def test_matern_is_the_bessel_form(family):
    r = np.geomspace(1e-3, 20, 200)
    rho, _ = radial(family)(r**2, True)
    np.testing.assert_allclose(rho, matern(NU[family], r), rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_slope_is_the_derivative_in_the_squared_distance(family):
    r2 = np.geomspace(1e-2, 30, 50)
    _, slope = radial(family)(r2, True)
    h = H * r2
    difference = (radial(family)(r2 + h, True)[0] - radial(family)(r2 - h, True)[0]) / (2 * h)
    np.testing.assert_allclose(slope, difference, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(("family", "at_zero"), [("rbf", -0.5), ("matern32", -1.5), ("matern52", -5 / 6)])
def test_slope_is_finite_at_zero(family, at_zero):
    rho, slope = radial(family)(np.zeros(1), True)
    assert rho[0] == 1.0
    assert slope[0] == pytest.approx(at_zero)


@pytest.mark.parametrize("family", FAMILIES)
def test_far_away_is_zero_without_a_warning(family):
    rho, slope = radial(family)(np.array([1e6, 1e12, 1e300]), True)
    np.testing.assert_allclose(rho, 0.0, atol=1e-300)
    np.testing.assert_allclose(slope, 0.0, atol=1e-300)


@pytest.mark.parametrize("family", FAMILIES)
def test_categories_are_one_hot_codes_over_sqrt_two(family):
    rng = np.random.default_rng(3)
    n_levels = (0, 4, 0, 3)
    A, B = mixed(rng, 12, n_levels), mixed(rng, 9, n_levels)
    scales = np.array([0.3, 0.8, 0.5, 1.7])

    def one_hot(X):
        return np.column_stack(
            [X[:, 0], np.eye(4)[X[:, 1].astype(int)] / np.sqrt(2), X[:, 2], np.eye(3)[X[:, 3].astype(int)] / np.sqrt(2)]
        )

    coded = Kernel(family, np.repeat(scales, [1, 4, 1, 3]), 1.3)(one_hot(A), one_hot(B))
    K = Kernel(family, scales, 1.3, tuple(bool(k) for k in n_levels))(A, B)
    np.testing.assert_allclose(K, coded, rtol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_columns_of_categories_only(family):
    A = np.array([[0.0, 1.0], [0.0, 2.0], [5.0, 2.0]])
    scales = np.array([2.0, 0.5])
    K = Kernel(family, scales, 1.0, (True, True))(A, A)
    r = np.sqrt([[0, 4, 4.25], [4, 0, 0.25], [4.25, 0.25, 0]])
    expected = [[by_hand(family, [v], [0.0], [1.0], 1.0) for v in row] for row in r]
    np.testing.assert_allclose(K, expected, rtol=1e-14)


@settings(max_examples=40, deadline=None)
@given(
    family=st.sampled_from(FAMILIES),
    n_levels=st.lists(st.sampled_from([0, 0, 2, 5]), min_size=1, max_size=5),
    log_scale=st.floats(-4.0, 4.0),
    n=st.integers(1, 20),
    seed=st.integers(0, 10**6),
)
def test_matrices_are_symmetric_bounded_and_positive_semidefinite(family, n_levels, log_scale, n, seed):
    rng = np.random.default_rng(seed)
    X = mixed(rng, n, n_levels)
    X = np.vstack([X, X[: n // 2]])  # with replicates
    scales = np.exp(log_scale + rng.normal(0.0, 0.3, len(n_levels)))
    K = Kernel(family, scales, 2.0, tuple(bool(k) for k in n_levels))(X, X)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=1e-11)
    assert K.min() >= 0.0
    assert K.max() <= 2.0 * (1.0 + 4.0 * np.finfo(float).eps)  # 1 + r + ... times exp(-r) may round up
    assert np.linalg.eigvalsh((K + K.T) / 2).min() > -1e-9


@settings(max_examples=40, deadline=None)
@given(
    family=st.sampled_from(FAMILIES),
    d=st.integers(1, 20),
    gap=st.sampled_from([0.0, 1e-300, 1e-15, 1e-12, 1e-9]),
    lengthscale=st.floats(1e-2, 1e2),
    seed=st.integers(0, 10**6),
)
def test_nearly_identical_points_have_no_negative_distance(family, d, gap, lengthscale, seed):
    X = np.random.default_rng(seed).random((8, d))
    kernel = Kernel(family, np.full(d, lengthscale), 3.0)
    r2 = np.diagonal(kernel.squared_distance(X, X + gap))
    K, slope = kernel.with_slope(X, X + gap)
    assert (r2 >= 0.0).all()
    assert np.isfinite(K).all()
    assert np.isfinite(slope).all()
    # The expanded square rounds on the scale of |x/l|^2, at most d / (4 l^2); the true distance is below 1e-14.
    assert np.abs(np.diagonal(K) - 3.0).max() < 1e-14 * (1 + d**2 / lengthscale**2)


@pytest.mark.parametrize("family", FAMILIES)
def test_identical_points_on_short_length_scales(family):
    X = np.random.default_rng(0).random((200, 4))
    K = Kernel(family, np.full(4, 1e-2), 1.0)(X, X)
    np.testing.assert_allclose(np.diagonal(K), 1.0, atol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_levels", [(0,), (0, 0, 0), (3, 0, 2, 0, 0)])
def test_gradient_is_the_central_difference(family, n_levels):
    rng = np.random.default_rng(5)
    d = len(n_levels)
    X, B, weights = mixed(rng, 6, n_levels), mixed(rng, 10, n_levels), rng.standard_normal((6, 10))
    kernel = Kernel(family, rng.uniform(0.3, 1.0, d), 1.7, tuple(bool(k) for k in n_levels))
    _, slope = kernel.with_slope(X, B)
    G = kernel.gradient(X, B, weights * slope)
    expected = np.zeros_like(G)
    for j in range(d):
        if not n_levels[j]:
            e = H * np.eye(d)[j]
            expected[:, j] = (weights * (kernel(X + e, B) - kernel(X - e, B))).sum(axis=1) / (2 * H)
    np.testing.assert_allclose(G, expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_array_equal(G[:, np.flatnonzero(n_levels)], 0.0)


@pytest.mark.parametrize("family", FAMILIES)
def test_with_slope_has_the_kernel_in_front(family):
    rng = np.random.default_rng(1)
    A, B = rng.random((5, 2)), rng.random((3, 2))
    kernel = Kernel(family, np.array([0.2, 0.4]), 2.0)
    K, slope = kernel.with_slope(A, B)
    np.testing.assert_array_equal(K, kernel(A, B))
    np.testing.assert_array_equal(slope, 2.0 * radial(family)(kernel.squared_distance(A, B), True)[1])


@pytest.mark.parametrize("n_levels", [[0], [0, 0, 0], [0, 3, 0, 2], [4, 2]])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_row_is_a_row_of_the_matrix(family, n_levels):
    rng = np.random.default_rng(3)
    B = mixed(rng, 30, n_levels)
    kernel = Kernel(family, rng.uniform(0.05, 2.0, len(n_levels)), 1.7, tuple(bool(k) for k in n_levels))
    for x in (B[7], mixed(rng, 1, n_levels)[0]):
        before = B.copy(), x.copy()
        np.testing.assert_allclose(kernel.row(x, B, kernel.norms(B)), kernel(x[None, :], B)[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(B, before[0])
        np.testing.assert_array_equal(x, before[1])


@pytest.mark.parametrize("family", FAMILIES)
def test_empty_sets_of_points(family):
    kernel = Kernel(family, np.ones(2), 1.0)
    assert kernel(np.empty((0, 2)), np.zeros((3, 2))).shape == (0, 3)
    assert kernel(np.zeros((3, 2)), np.empty((0, 2))).shape == (3, 0)
    G = kernel.gradient(np.zeros((3, 2)), np.empty((0, 2)), np.empty((3, 0)))
    np.testing.assert_array_equal(G, np.zeros((3, 2)))


def test_arguments_are_not_changed():
    X = np.random.default_rng(0).random((4, 2))
    before = X.copy()
    kernel = Kernel("matern52", np.array([0.5, 0.5]), 2.0, (False, True))
    kernel.gradient(X, X, kernel.with_slope(X, X)[1])
    np.testing.assert_array_equal(X, before)


def test_an_unknown_family_names_the_known_ones():
    with pytest.raises(InvalidInput, match="kernel must be one of rbf, matern32, matern52; got 'cubic'"):
        radial("cubic")
