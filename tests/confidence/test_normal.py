"""Against 80-digit values (`normal_values.json` says how they were made) and the symmetries of the functions."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr

from regretless.confidence import normal

VALUES = json.loads((Path(__file__).parent / "normal_values.json").read_text(encoding="utf-8"))
FUNCTIONS = {
    "tail": normal.tail,
    "mills": normal.mills,
    "psi": normal.psi,
    "log_psi": normal.log_psi,
    "r": normal.inverse_mills_lower,
    "truncated_variance": normal.truncated_variance,
}
FINITE = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_high_precision_values(name):
    z = np.array(VALUES["z"])
    expected = np.array([np.inf if value is None else value for value in VALUES[name]])
    np.testing.assert_allclose(FUNCTIONS[name](z), expected, rtol=2e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_limits_need_no_warning_and_nan_stays_nan(name):
    z = np.array([-np.inf, -1e300, 1e300, np.inf])
    expected = {
        "tail": [1.0, 1.0, 0.0, 0.0],
        "mills": [np.inf, np.inf, 1e-300, 0.0],
        "psi": [np.inf, 1e300, 0.0, 0.0],
        "log_psi": [np.inf, np.log(1e300), -np.inf, -np.inf],
        "r": [np.inf, 1e300, 0.0, 0.0],
        "truncated_variance": [0.0, 0.0, 1.0, 1.0],
    }[name]
    np.testing.assert_allclose(FUNCTIONS[name](z), expected, rtol=1e-12)
    assert np.isnan(FUNCTIONS[name](np.nan))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shape_is_kept_and_the_input_untouched(name):
    z = np.linspace(-3.0, 9.0, 6).reshape(2, 3)
    before = z.copy()
    values = FUNCTIONS[name](z)
    assert values.shape == (2, 3)
    np.testing.assert_array_equal(z, before)
    np.testing.assert_array_equal(values.ravel(), [FUNCTIONS[name](float(one)) for one in z.ravel()])


@pytest.mark.parametrize("z", [-3.0, 0.0, 1.7, 5.5, 9.0])
def test_psi_is_the_integral_of_the_tail(z):
    integral, _ = quad(lambda v: float(normal.tail(v)), z, z + 40.0, points=[z + 1.0], epsabs=0.0, epsrel=1e-11)
    assert float(normal.psi(z)) == pytest.approx(integral, rel=1e-9)


def test_psi_underflows_to_zero_without_jumps():
    z = np.linspace(30.0, 45.0, 1501)
    values = normal.psi(z)
    assert np.all(np.diff(values) <= 0.0)
    assert np.all(values[z < 38.0] > 0.0)
    assert values[-1] == 0.0


@given(FINITE)
def test_psi_minus_its_mirror_is_linear(z):
    difference = float(normal.psi(z)) - float(normal.psi(-z))
    assert difference == pytest.approx(-z, rel=1e-12, abs=1e-12)


@given(FINITE)
def test_inverse_mills_against_log_ndtr(z):
    log_density = -0.5 * z * z - 0.5 * np.log(2.0 * np.pi)
    if abs(z) < 30.0:  # beyond, the oracle itself cancels
        assert np.log(float(normal.inverse_mills_lower(z))) == pytest.approx(log_density - log_ndtr(z), abs=1e-11)
    assert float(normal.inverse_mills_lower(z)) >= max(0.0, -z)


@given(FINITE, FINITE)
def test_truncation_lowers_variance_monotonically(one, other):
    low, high = sorted([one, other])
    smaller, larger = float(normal.truncated_variance(low)), float(normal.truncated_variance(high))
    assert 0.0 < smaller <= larger * (1.0 + 1e-12)
    assert larger <= 1.0
