import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm

from regretless.gp.outcome_transform import Units, standardise

MAX = np.finfo(float).max
VALUES = arrays(np.float64, st.integers(1, 8), elements=st.floats(-MAX, MAX))


# Standardising


@pytest.mark.parametrize("size", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("offset", [0.0, 3.0, -1000.0])
def test_standardised_values_have_mean_zero_and_variance_one(size, offset):
    y = size * (offset + np.random.default_rng(0).standard_normal(50))
    shift, scale = standardise(y)
    z = Units(shift, scale).standardised(y)
    assert z.mean() == pytest.approx(0.0, abs=1e-10)
    assert z.std() == pytest.approx(1.0, rel=1e-10)
    np.testing.assert_allclose(z * scale + shift, y, rtol=1e-10, atol=1e-10 * size)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e-12, 1e12, 1e300, -1e308, 5e-324])
@pytest.mark.parametrize("n", [1, 2, 3, 1000])
def test_constant_values_keep_scale_one(value, n):
    y = np.full(n, value)
    shift, scale = standardise(y)
    assert (shift, scale) == (pytest.approx(value, rel=1e-15), 1.0)
    np.testing.assert_array_equal(Units(shift, scale).standardised(y), np.zeros(n))


@pytest.mark.parametrize("size", [1e-12, 3.7, 1e300])
def test_rounding_errors_are_no_spread(size):
    y = size * (1 + 2.3e-16 * np.array([0, 1, 0, 2, -1]))
    assert y.max() > y.min()
    shift, scale = standardise(y)
    assert np.abs(Units(shift, scale).standardised(y)).max() < 1e-12


def test_nothing_to_standardise():
    assert standardise(np.empty(0)) == (0.0, 1.0)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_standardising_never_overflows_nor_divides_by_zero(y):
    shift, scale = standardise(y)
    z = Units(shift, scale).standardised(y)
    assert math.isfinite(shift)
    assert 0 < scale < math.inf
    assert np.isfinite(z).all()
    assert np.abs(z).max() <= math.sqrt(len(y)) * (1 + 1e-3) + 1e-2


@pytest.mark.parametrize(
    "y",
    [
        [5e-324, 0.0],
        [5e-324, 0.0, 1e-323],
        [2.3e-308, 0.0],
        [2.3e-308, 2.4e-308],
        [1.7e308, -1.7e308],
        [1.0, 1.0 + 2e-16, 1.0],
        [1e300, 1e300 * (1 + 1e-15)],
        [0.0] * 9 + [1e9],
        [1e-12 * i for i in range(5)] + [1e9],
    ],
)
def test_extreme_values_are_standardised_to_finite_ones(y):
    y = np.array(y)
    shift, scale = standardise(y)
    z = Units(shift, scale).standardised(y)
    assert 0 < scale < math.inf
    assert np.isfinite(z).all()
    assert np.abs(z).max() <= 3.0 + 1e-9  # sqrt(n - 1) bounds a standardised value
    assert (np.diff(z[np.argsort(y)]) >= 0).all()  # the order is kept


def test_one_outlier_is_scaled_as_the_formula_says():
    y = np.array([0.0] * 9 + [1e9])
    shift, scale = standardise(y)
    assert shift == pytest.approx(1e8)
    assert scale == pytest.approx(3e8)


# Compressing


def textbook(y, knee, bend):
    """c(y) by the logarithm, which asinh is."""
    z = (y - knee) / bend
    return y if z >= 0 else knee - bend * math.log(-z + math.sqrt(z * z + 1.0))


def test_low_values_count_by_their_logarithm_and_high_ones_as_they_are():
    y = np.array([-1e6, -300.0, -2.0, 0.5, 0.7, 1.0, 4.0, 9.0, 10.0])
    units = Units.of(y, compress=True)
    c = np.array([textbook(v, units.knee, units.bend) for v in y])
    assert (units.knee, units.bend) == (0.7, pytest.approx(0.75 * c.std(), rel=0.01))
    assert units.bend < 0.1 * y.std()  # the lowest value does not set the scale
    assert (units.shift, units.scale) == (pytest.approx(c.mean()), pytest.approx(c.std()))
    np.testing.assert_allclose(units.standardised(y), (c - c.mean()) / c.std(), rtol=1e-9, atol=1e-9)


def test_the_median_of_an_even_number_is_between_the_two_in_the_middle():
    assert Units.of(np.array([5.0, 1.0, 2.0, 9.0]), compress=True).knee == 3.5
    assert Units.of(np.array([1.7e308, 1.6e308]), compress=True).knee == pytest.approx(1.65e308)


def test_without_compression_there_is_no_knee():
    y = np.array([-1e6, 0.0, 1.0])
    assert Units.of(y, compress=False) == Units(*standardise(y))
    assert Units.of(np.empty(0), compress=True) == Units()


def test_moved_units_have_their_zero_elsewhere():
    y = np.array([-40.0, 0.0, 1.0, 2.0, 5.0])
    for compress in (True, False):
        units = Units.of(y, compress=compress)
        moved = units.moved(0.4)
        np.testing.assert_allclose(moved.standardised(y), units.standardised(y) - 0.4, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(moved.restored(np.array(1.1), 0.2), units.restored(np.array(1.5), 0.2), rtol=1e-12)
    assert Units(1.7e308, 1e308).moved(1.0).shift == np.finfo(float).max


def test_the_map_is_smooth_at_the_knee():
    units = Units(0.0, 1.0, knee=2.0, bend=0.3)
    h = 1e-4
    below, at, above = units.standardised(np.array([2.0 - h, 2.0, 2.0 + h]))
    assert (at - below) / h == pytest.approx(1.0, abs=1e-6)
    assert (above - 2 * at + below) / h**2 == pytest.approx(0.0, abs=1e-3)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_compressed_values_are_finite_and_keep_their_order(y):
    units = Units.of(y, compress=True)
    z = units.standardised(y)
    assert np.isfinite(z).all()
    assert np.abs(z).max() <= math.sqrt(len(y)) * (1 + 1e-3) + 1e-2
    assert (np.diff(z[np.argsort(y)]) >= -1e-12).all()  # but for the rounding of asinh


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, st.integers(2, 8), elements=st.floats(-1e6, 1e6)))
def test_what_is_restored_is_what_was_standardised(y):
    units = Units.of(y, compress=True)
    mean, sd = units.restored(units.standardised(y), np.zeros(len(y)))
    np.testing.assert_allclose(mean, y, rtol=1e-7, atol=1e-7 * max(1.0, np.abs(y).max()))
    assert (np.abs(sd) <= 1e-6 * max(1.0, np.abs(y).max())).all()


@settings(max_examples=200, deadline=None)
@given(VALUES, st.floats(-1e3, 1e3), st.floats(0.0, 1e3))
def test_moments_in_units_are_never_nan_nor_infinite(y, mean, sd):
    restored = Units.of(y, compress=True).restored(np.array([mean]), np.array([sd]))
    assert np.isfinite(restored).all()
    assert restored[1] >= 0.0


def test_moments_above_the_knee_are_shifted_and_scaled_to_the_last_bit():
    units = Units(shift=1e6, scale=2.0, knee=1e6 - 10.0, bend=1.0)
    mean, sd = units.restored(np.array([0.0, 3.0]), np.array([1e-9, 2.0]))
    assert mean.tolist() == [1e6, 1e6 + 6.0]
    assert sd.tolist() == [2e-9, 4.0]  # a difference of two numbers near 1e6 would not be


def test_moments_below_the_knee_are_median_and_half_the_central_interval():
    # Monte Carlo, 400,000 draws: the error of a quantile near the median is about 0.002 sd of z.
    units = Units(shift=-1.0, scale=2.0, knee=0.5, bend=0.7)
    z = np.random.default_rng(5).normal(-1.2, 0.9, 400_000)
    c = -1.0 + 2.0 * z
    y = np.where(c < 0.5, 0.5 + 0.7 * np.sinh((np.minimum(c, 0.5) - 0.5) / 0.7), c)
    low, middle, high = np.quantile(y, norm.cdf([-1.0, 0.0, 1.0]))
    mean, sd = units.restored(-1.2, 0.9)
    assert float(mean) == pytest.approx(middle, rel=0.02)
    assert float(sd) == pytest.approx((high - low) / 2, rel=0.02)


def test_units_end_at_the_largest_float():
    mean, sd = Units(shift=1e308, scale=1e308).restored(np.array([0.0, 5.0, -5.0]), np.array([0.0, 1.0, 5.0]))
    assert mean.tolist() == [1e308, MAX, -MAX]
    assert sd.tolist() == [0.0, 1e308, MAX]
    mean, sd = Units(0.0, 1.0, knee=0.0, bend=1e-3).restored(np.array([-5.0]), np.array([1.0]))
    assert (mean.tolist(), sd.tolist()) == ([-MAX], [0.0])  # both ends are beyond


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.floats(-1e3, 1e3),
    st.floats(-1e6, 1e6),
    st.one_of(st.none(), st.integers(1, 5)),
)
def test_around_a_bound_order_and_the_bound_are_kept(values, knee, other, first):
    """What is above, at or below the bound is so for the model, and comes back as it was."""
    y = np.array(values)
    units = Units.around(y, knee, first)
    z = units.standardised(np.append(y, [knee, other]))
    assert np.isfinite(z).all()
    gaps = np.append(y, other) - knee
    clear = np.abs(gaps) > 1e-6 * (1.0 + np.abs(knee))
    np.testing.assert_array_equal(np.sign(np.delete(z, -2) - z[-2])[clear], np.sign(gaps)[clear])
    back, spread = units.restored(z, 0.0)
    np.testing.assert_allclose(back, np.append(y, [knee, other]), rtol=1e-6, atol=1e-6 * (1.0 + np.abs(y).max()))
    assert (spread == 0.0).all()


def test_the_bend_around_a_bound_is_that_of_the_first_values():
    """Later values gather at the bound: with them in the bend, the first ones would be compressed away."""
    first, later = np.array([-4.0, 6.0, 8.0]), np.full(50, 0.01)
    assert Units.around(np.append(first, later), 0.0, 3).bend == Units.around(first, 0.0).bend == 3.0
    assert Units.around(np.append(first, later), 0.0).bend == pytest.approx(0.005)


def test_the_slope_and_the_law_around_a_bound():
    units = Units.around(np.array([-4.0, 6.0, 80.0]), 1.0)
    y, h = np.array([-30.0, 0.5, 1.0, 2.0, 500.0]), 1e-6
    numeric = (units.standardised(y + h) - units.standardised(y - h)) / (2.0 * h)
    np.testing.assert_allclose(units.slope(y), numeric, rtol=1e-4)
    mean, sd = units.linear(units.standardised(np.array([1.0])), np.array([0.5]))
    assert mean[0] == pytest.approx(1.0)
    assert sd[0] == pytest.approx(0.5 * units.scale)
