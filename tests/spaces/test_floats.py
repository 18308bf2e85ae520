import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.spaces import Float

finite = st.floats(allow_nan=False, allow_infinity=False)
offsets = st.sampled_from([0.0, 1.0, -1e12, 1e12, 1e15, 1e-300, -3.7e8])
widths = st.floats(1e-320, 1e300) | st.sampled_from([1e-3, 1.0, 7.0, 1e6])


def try_float(low, high, log):
    """The dimension, or a rejected example where the bounds are refused (which is tested by itself)."""
    try:
        return Float(low, high, log)
    except InvalidInput:
        assume(False)


@st.composite
def linear(draw):
    kind = draw(st.sampled_from(["any", "offset"]))
    if kind == "any":
        low, high = sorted([draw(finite), draw(finite)])
    else:
        low = draw(offsets)
        high = low + draw(widths)
    return try_float(low, high, False)


@st.composite
def logarithmic(draw):
    exponents = st.floats(-320, 308)
    low, high = sorted([10 ** draw(exponents), 10 ** draw(exponents)])
    return try_float(low, high, True)


dimensions = linear() | logarithmic() | st.sampled_from([Float(1e-300, 1e300, True), Float(-8e307, 9e307)])
units = st.floats(0, 1) | st.integers(0, 1000).map(lambda k: k / 1000)


@given(dimensions, units)
@settings(max_examples=400)
def test_decoding_is_a_projection(dimension, u):
    value = dimension.decode(u)
    assert type(value) is float
    assert dimension.low <= value <= dimension.high
    assert dimension.decode(dimension.encode(value)) == value


@given(dimensions)
def test_bounds_are_exact(dimension):
    assert dimension.encode(dimension.low) == 0.0
    assert dimension.encode(dimension.high) == 1.0
    assert dimension.decode(0.0) == dimension.decode(-3.0) == dimension.low
    assert dimension.decode(1.0) == dimension.decode(1.5) == dimension.high


@given(linear(), units)
@settings(max_examples=300)
def test_values_on_the_documented_grid_come_back_exactly(dimension, u):
    # The oracle computes the grid of the docstring in exact arithmetic.
    low, width = Fraction(dimension.low), Fraction(dimension.high - dimension.low)
    ulp = Fraction(math.ulp(max(abs(dimension.low), abs(dimension.high))))
    step = Fraction(1)
    while step > width / 10**10:
        step /= 10
    while step * 10 <= width / 10**10:
        step *= 10
    while step < 4 * ulp:
        step *= 10
    value = round((low + Fraction(u) * width) / step) * step
    assume(Fraction(dimension.low) <= value <= Fraction(dimension.high))
    value = float(value)
    assert dimension.decode(dimension.encode(value)) == value


@given(logarithmic(), units)
@settings(max_examples=300)
def test_twelve_digits_come_back_exactly_on_a_log_scale(dimension, u):
    exponent = Decimal(dimension.low).ln() + Decimal(u) * (Decimal(dimension.high) / Decimal(dimension.low)).ln()
    value = float(f"{float(exponent.exp()):.11e}")
    assume(dimension.low <= value <= dimension.high)
    assert dimension.decode(dimension.encode(value)) == value


@given(st.integers(0, 10**10))
def test_what_a_person_types_comes_back(k):
    value = float(Decimal(k).scaleb(-10))
    assert Float(0, 1).decode(Float(0, 1).encode(value)) == value
    assert Float(-1, 1).decode(Float(-1, 1).encode(-value)) == -value


@given(dimensions, units)
@settings(max_examples=300)
def test_any_value_comes_back_within_a_step(dimension, u):
    value = min(max(dimension.low + u * (dimension.high - dimension.low), dimension.low), dimension.high)
    back = dimension.decode(dimension.encode(value))
    if dimension.log:
        assert back == pytest.approx(value, rel=1.1e-11, abs=5e-324)
    else:
        ulp = math.ulp(max(abs(dimension.low), abs(dimension.high)))
        assert abs(back - value) <= max(1.01e-10 * (dimension.high - dimension.low), 40 * ulp)


@given(dimensions, units, units)
def test_codes_keep_the_order(dimension, u, v):
    a, b = sorted([u, v])
    assert dimension.decode(a) <= dimension.decode(b)
    assert dimension.encode(dimension.decode(a)) <= dimension.encode(dimension.decode(b))


def test_a_value_next_to_a_bound_is_not_taken_for_it():
    # 0.3 and the bound 0.1 + 0.2 share the affine code 1.0 in floats
    assert (0.3 - -1.0) / ((0.1 + 0.2) - -1.0) == 1.0
    dimension = Float(-1, 0.1 + 0.2)
    assert dimension.decode(dimension.encode(0.3)) == 0.3
    assert dimension.decode(dimension.encode(0.1 + 0.2)) == 0.1 + 0.2


def test_the_largest_doubles_do_not_overflow():
    dimension = Float(0.0, 1.7976931348623157e308)
    assert dimension.decode(math.nextafter(1.0, 0.0)) == 1.7976931348623157e308


def test_log_is_geometric_and_linear_is_not():
    assert Float(1e-4, 1e4, log=True).decode(0.5) == 1.0
    assert Float(1e-4, 1e4, log=True).decode(0.25) == 0.01
    assert Float(0, 10).decode(0.25) == 2.5


def test_suggestions_are_neat():
    assert Float(0, 1).decode(1 / 3) == 0.3333333333
    assert Float(0, 1000).decode(1 / 3) == 333.3333333
    assert Float(1e12, 1e12 + 1).decode(1 / 3) == 1000000000000.333  # and not ...3333, the nearest of few doubles
    for k in range(1, 101):
        value = Float(1e-300, 1e300, log=True).decode(k / 101)
        assert value == float(f"{value:.11e}")


def test_inputs_are_canonical():
    dimension = Float(np.float32(0), np.int64(2))
    assert dimension == Float(0.0, 2.0)
    assert (type(dimension.low), type(dimension.high)) == (float, float)
    for value in (1, 1.0, np.float32(1), np.int8(1), np.array(1.0)):
        checked = dimension.check(value, "x")
        assert checked == 1.0
        assert type(checked) is float
    assert math.copysign(1, dimension.check(-0.0, "x")) == 1.0


@pytest.mark.parametrize("value", [True, np.True_, "1", None, [1.0], math.nan, math.inf, 1j, 2.0000001, -1, 10**400])
def test_bad_values_are_refused_by_name(value):
    with pytest.raises(InvalidInput, match="rate"):
        Float(0, 2).check(value, "rate")
    with pytest.raises(InvalidInput, match="rate"):
        Float(0, 2).encode(value, "rate")


def test_out_of_range_tells_the_range():
    with pytest.raises(InvalidInput, match=r"\[0\.0, 2\.0\], got 3"):
        Float(0, 2).check(3, "x")


@pytest.mark.parametrize(
    ("low", "high", "log", "says"),
    [
        (1, 0, False, "Swap"),
        (1, 1, False, r"Fixed\(1\.0\)"),
        (0, 1, True, "low > 0"),
        (-1, 1, True, "low > 0"),
        (math.nan, 1, False, "finite"),
        (0, math.inf, False, "finite"),
        (-1e308, 1e308, False, "overflows"),
        (True, 2, False, "number"),
        ("0", 2, False, "number"),
        (0, 1, "yes", "log must be"),
        (1e12, 1e12 + 0.1, False, "fewer than 1000"),
        (0, 1e-321, False, "fewer than 1000"),
        (1, 1 + 1e-9, True, "narrow"),
    ],
)
def test_bad_bounds_are_refused(low, high, log, says):
    with pytest.raises(InvalidInput, match=says):
        Float(low, high, log)


def test_frozen():
    with pytest.raises(AttributeError):
        Float(0, 1).low = 3
