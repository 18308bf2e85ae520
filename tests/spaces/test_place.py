"""Where something was measured: on the scale of the space, whether it is a candidate or not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import Box, Categorical, Fixed, Float, Int, InvalidInput, Mixed, Ordinal, Table
from regretless.spaces import as_table

TABLE = Table(
    {"T": [20, 40, 80, 80], "p": [0.5, 1.5, 2.5, 1.0], "acid": ["a", "b", "a", "c"], "fixed": [7] * 4, "one": ["z"] * 4}
)
MIXED = Mixed({"T": (20.0, 80.0), "l": (1e-4, 1e2, "log"), "n": (1, 9), "o": [1, 2, 4], "c": ["a", "b"], "k": 3})


@pytest.mark.parametrize("space", [TABLE, as_table(Mixed({"n": (1, 4), "o": [8, 2, 4], "c": ["a", "b"]}), 99)])
def test_a_row_is_placed_where_it_is(space):
    for i in range(space.n_candidates):
        place = space.place(space.params(i))
        assert (place.params, place.index) == (space.params(i), i)
        assert place.x.tobytes() == space.X[i].tobytes()


@given(st.integers(0, 10**6))
def test_a_point_of_a_product_is_placed_where_it_is(seed):
    params = MIXED.decode(MIXED.sample(1, np.random.default_rng(seed))[0])
    place = MIXED.place(params)
    assert (place.params, place.index, place.inside) == (params, None, True)
    assert place.x.tobytes() == MIXED.encode(params).tobytes()


@given(st.floats(-500.0, 600.0), st.sampled_from("abc"))
def test_numbers_of_a_table_go_on_at_its_scale(T, acid):
    """The slow twin: a table that has such a row, and the same ends."""
    place = TABLE.place({"T": T, "p": 1.25, "acid": acid})
    assert not place.inside
    assert place.x[0] == pytest.approx((T - 20.0) / 60.0, abs=1e-12)
    assert place.params == {"T": T, "p": 1.25, "acid": acid, "fixed": 7, "one": "z"}
    if 20.0 <= T <= 80.0:
        rows = [*(TABLE.params(i) for i in range(4)), place.params]
        np.testing.assert_array_equal(Table(rows).X[-1], place.x)


def test_whole_numbers_stay_whole_in_a_column_of_such():
    assert repr(TABLE.place({"T": 85.0, "p": 1, "acid": "a"}).params) == repr(
        {"T": 85, "p": 1.0, "acid": "a", "fixed": 7, "one": "z"}
    )
    assert TABLE.place({"T": 85.5, "p": 1, "acid": "a"}).params["T"] == 85.5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"T": 681}, "T is 681, more than 10 times the width of its range 20.0 to 80.0"),
        ({"T": -581}, "T is -581"),
        ({"T": 1e308}, "more than 10 times"),
        ({"T": 10**400}, "finite"),
        ({"T": math.nan}, "T must be finite"),
        ({"T": "85"}, "T must be a real number"),
        ({"T": True}, "T must be a real number"),
        ({"acid": "A"}, "acid is 'A', which no row of the table has; there are 'a', 'b', 'c'.*extend"),
        ({"acid": "d"}, "which no row"),
        ({"acid": ["a"]}, "acid must be"),
        ({"fixed": 8}, "fixed is 7 in every row of the table.*no scale.*Extend"),
        ({"one": "y"}, "one is 'z' in every row"),
        ({"zz": 1}, "unknown parameter 'zz'"),
    ],
)
def test_what_no_table_can_place(change, says):
    with pytest.raises(InvalidInput, match=says):
        TABLE.place({"T": 30, "p": 1.0, "acid": "a", **change})


def test_a_column_as_wide_as_floats_are():
    wide = Table([[-1.7e308], [1.7e308]])
    assert wide.place([0.0]).x.tolist() == [0.5]


@pytest.mark.parametrize(
    ("part", "value", "code"),
    [
        (Float(20, 80), 95, 1.25),
        (Float(20, 80), 5, -0.25),
        (Float(1e-4, 1e2, log=True), 1e5, 1.5),
        (Float(1e-4, 1e2, log=True), 1e-7, -0.5),
        (Int(1, 5), 7, 1.5),
        (Int(1, 5), -3, -1.0),
        (Int(2, 8, log=True), 32, 2.0),
        (Ordinal([1, 2, 4]), 3, 0.75),
        (Ordinal([1, 2, 4]), 6, 1.5),
        (Ordinal([1, 2, 4]), 0, -0.5),
        (Ordinal([4, 2, 1]), 3, 0.25),
        (Ordinal([4, 2, 1]), 0.5, 1.25),
    ],
)
def test_codes_beyond_the_bounds(part, value, code):
    got, x, inside = part.place(value)
    assert (got, inside) == (value, False)
    assert x == pytest.approx(code, abs=1e-12)
    with pytest.raises(InvalidInput):
        part.check(value)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=8, unique=True), st.floats(-1e4, 1e4))
def test_codes_between_levels_keep_the_order_and_meet_the_levels(levels, value):
    part = Ordinal(sorted(levels))
    try:
        code = part.place(value)[1]
    except InvalidInput as error:
        assert "more than 10 times" in str(error)  # noqa: PT017 - it may happen or not
        return
    for level in part.levels:
        assert np.sign(code - part.encode(level)) == np.sign(value - level) or abs(value - level) < 1e-9


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        (Float(20, 80), 700, "more than 10 times"),
        (Float(1e-4, 1e2, log=True), 0.0, "log scale and must be above 0"),
        (Float(1e-4, 1e2, log=True), -1.0, "log scale"),
        (Int(1, 5), 2.5, "whole number"),
        (Int(1, 5), 10**400, "finite"),
        (Int(1, 5), 100, "more than 10 times"),
        (Int(2, 8, log=True), 0, "log scale"),
        (Ordinal([1, 2, 4]), "3", "must be one of"),
        (Ordinal([1, 2, 4]), 100, "more than 10 times"),
        (Ordinal([1, 4, 2]), 3, "must be one of"),  # no order by size
        (Ordinal(["S", "M"]), "L", "must be one of"),
        (Ordinal([5]), 6, "must be one of"),
        (Categorical(["a", "b"]), "c", "must be one of"),
    ],
)
def test_values_without_a_code(part, value, says):
    with pytest.raises(InvalidInput, match=says):
        part.place(value)


def test_outside_in_one_parameter_is_outside():
    inside = {"T": 50.0, "l": 1.0, "n": 3, "o": 2, "c": "a"}
    for change in ({"T": 80.5}, {"l": 1e3}, {"n": 10}, {"o": 3}):
        assert MIXED.place({**inside, **change}).inside is False
    assert Box([(0.0, 1.0)]).place([math.nextafter(1.0, 2.0)]).inside is False
    with pytest.raises(InvalidInput, match="fixed at 3"):
        MIXED.place({**inside, "k": 4})
    assert Mixed({"x": (0.0, 1.0), "k": Fixed("u")}).place({"x": 2.0}).params == {"x": 2.0, "k": "u"}


def test_a_listed_space_places_what_it_does_not_list():
    table = as_table(Mixed({"n": (1, 4), "o": [20, 40, 80], "c": ["a", "b"]}), 99)
    place = table.place({"n": 5, "o": 60, "c": "b"})
    assert (place.inside, place.params) == (False, {"n": 5, "o": 60, "c": "b"})
    np.testing.assert_allclose(place.x, [4 / 3, 0.75, 1.0])
