import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.spaces import Categorical, Fixed, Int, Ordinal

BIG = 2**53


@st.composite
def ints(draw):
    log = draw(st.booleans())
    if log:
        low, high = sorted(draw(st.lists(st.integers(1, 2**40), min_size=2, max_size=2, unique=True)))
        return Int(low, high, log=True)
    width = draw(st.integers(1, 40) | st.integers(2**49, BIG) | st.integers(1, BIG))
    low = draw(st.integers(-BIG, BIG - width))
    return Int(low, low + width)


scalars = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3) | st.none()
levels = st.lists(scalars, min_size=2, max_size=60, unique_by=lambda v: v)
lattices = ints() | levels.map(Ordinal) | levels.map(Categorical)


@given(ints(), st.data())
@settings(max_examples=400)
def test_every_int_comes_back(dimension, data):
    value = data.draw(st.integers(dimension.low, dimension.high) | st.sampled_from([dimension.low, dimension.high]))
    code = dimension.encode(value)
    assert 0.0 <= code <= 1.0
    back = dimension.decode(code)
    assert back == value
    assert type(back) is int


@given(st.data())
@settings(max_examples=200)
def test_neighbours_at_the_largest_sizes_have_different_codes(data):
    for dimension in (Int(0, BIG), Int(0, BIG - 3), Int(1, 2**40, log=True)):
        value = data.draw(st.integers(dimension.low + 1, dimension.high))
        assert dimension.encode(value - 1) < dimension.encode(value)


def test_where_float_arithmetic_alone_would_fail():
    # k / n is nearly halfway between doubles and k * 2**-53 is large: round(code * n) gives 4503599627370494 here
    dimension = Int(0, 2**53 - 3)
    value = 2**52 - 1
    assert dimension.decode(dimension.encode(value)) == value


@given(levels)
def test_levels_come_back_as_the_same_objects(values):
    for dimension in (Ordinal(values), Categorical(values)):
        for value in values:
            assert dimension.decode(dimension.encode(value)) is value


@given(lattices, st.lists(st.floats(-2, 70) | st.floats(0, 1), min_size=1, max_size=20))
@settings(max_examples=300)
def test_snapping_is_decoding_and_encoding_bit_for_bit(dimension, codes):
    snapped = dimension.snap(np.array(codes))
    expected = [dimension.encode(dimension.decode(code)) for code in codes]
    assert snapped.tolist() == expected


@given(lattices, st.integers(2, 10**6))
def test_snapping_halfway_codes_agrees_too(dimension, k):
    codes = (np.arange(20) + 0.5) / k
    assert dimension.snap(codes).tolist() == [dimension.encode(dimension.decode(code)) for code in codes.tolist()]


def test_codes_by_hand():
    assert [Int(-1, 3).encode(v) for v in range(-1, 4)] == [0, 0.25, 0.5, 0.75, 1]
    assert Int(1, 100, log=True).encode(10) == pytest.approx(0.5)
    assert [Ordinal([1, 10, 100]).encode(v) for v in (1, 10, 100)] == [0, 0.5, 1]
    assert [Categorical(["a", "b", "c"]).encode(v) for v in "abc"] == [0.0, 1.0, 2.0]
    assert Int(1, 5).snap(np.array([0.1, 0.13])).tolist() == [0.0, 0.25]
    assert Categorical(["a", "b", "c"]).snap(np.array([-1, 0.6, 9])).tolist() == [0, 1, 2]


@given(lattices, st.data())
def test_moves_are_other_admissible_codes(dimension, data):
    code = float(dimension.snap(np.array([data.draw(st.floats(0, 1))]))[0])
    moves = dimension.moves(code)
    assert code not in moves
    assert len(set(moves.tolist())) == len(moves) > 0
    assert dimension.snap(moves).tolist() == moves.tolist()
    if dimension.size <= 33 or dimension.n_levels:
        assert len(moves) == dimension.size - 1


def test_moves_of_a_long_range_are_powers_of_two_away():
    dimension = Int(0, 1000)
    found = [dimension.decode(code) for code in dimension.moves(dimension.encode(600))]
    assert found == [88, 344, 472, 536, 568, 584, 592, 596, 598, 599, 601, 602, 604, 608, 616, 632, 664, 728, 856]
    assert len(Int(0, 32).moves(0.0)) == 32
    assert len(Int(0, 33).moves(0.0)) == 6
    assert len(Categorical(range(2000)).moves(7.0)) == 1999


@pytest.mark.parametrize("dimension", [Int(3, 9), Ordinal("abcdefg"[i] for i in range(7)), Categorical(range(7))])
def test_spreading_gives_every_value_an_equal_share(dimension):
    codes = dimension.spread((np.arange(7000) + 0.5) / 7000)
    _, counts = np.unique(codes, return_counts=True)
    assert counts.tolist() == [1000] * 7
    assert dimension.snap(codes).tolist() == codes.tolist()


def test_spreading_on_a_log_scale_is_as_wide_as_the_rounding():
    dimension = Int(1, 50, log=True)
    values = [dimension.decode(code) for code in dimension.spread((np.arange(20000) + 0.5) / 20000)]
    share = math.log(1.5 / 0.5) / math.log(50.5 / 0.5)
    assert values.count(1) / 20000 == pytest.approx(share, abs=1e-3)
    assert values.count(50) / 20000 == pytest.approx(math.log(50.5 / 49.5) / math.log(50.5 / 0.5), abs=1e-3)


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.int8(3), np.array(3)])
def test_ints_accept_whole_numbers_of_any_type(value):
    assert Int(1, 5).check(value, "n") == 3
    assert type(Int(1, 5).check(value, "n")) is int


@pytest.mark.parametrize("value", [3.5, True, np.False_, "3", None, math.nan, math.inf, 0, 6, [3], {}])
def test_ints_refuse_the_rest(value):
    with pytest.raises(InvalidInput, match="depth"):
        Int(1, 5).encode(value, "depth")


@pytest.mark.parametrize(
    ("low", "high", "log", "says"),
    [
        (5, 1, False, "Swap"),
        (5, 5, False, r"Fixed\(5\)"),
        (1.5, 3, False, "whole"),
        (False, 3, False, "number"),
        (0, 2**53 + 1, False, r"2\*\*53"),
        (0, 10**5000, False, r"2\*\*53.*cannot be shown"),  # too long for Python to write out
        (10**5000, 0, False, "below"),
        (10**5000, 10**5000, False, "both"),
        (-(2**52) - 1, 2**52, False, r"2\*\*53"),
        (0, 5, True, "low > 0"),
        (1, 2**40 + 1, True, r"2\*\*40"),
        (1, 5, 1, "log must be"),
        (0, math.inf, False, "finite"),
    ],
    ids=lambda v: str(v) if not isinstance(v, int) or abs(v) < 10**20 else "huge",
)
def test_bad_int_bounds_are_refused(low, high, log, says):
    with pytest.raises(InvalidInput, match=says):
        Int(low, high, log)


@pytest.mark.parametrize("kind", [Ordinal, Categorical])
class TestLevels:
    @pytest.mark.parametrize("values", [[1, True], [1, 1.0], ["a", "a"], [0, False, "x"], [0.0, -0.0]])
    def test_equal_levels_are_refused(self, kind, values):
        with pytest.raises(InvalidInput, match="distinct"):
            kind(values)

    @pytest.mark.parametrize("values", [[], [math.nan, 1], [math.inf], {"a", "b"}, "ab", 3, None, [[1], [2]], [1j], {}])
    def test_what_is_no_list_of_scalars_is_refused(self, kind, values):
        with pytest.raises(InvalidInput):
            kind(values)

    def test_misspelled_levels_get_a_hint(self, kind):
        with pytest.raises(InvalidInput, match=r"solvent must be one of .* got 'etanol'\. Did you mean 'ethanol'"):
            kind(["water", "ethanol"]).check("etanol", "solvent")

    @pytest.mark.parametrize("value", [[1], {}, math.nan, 5, None, np.array([1, 2])])
    def test_other_values_are_refused(self, kind, value):
        with pytest.raises(InvalidInput, match="size"):
            kind([1, 2]).encode(value, "size")

    def test_numpy_scalars_become_plain(self, kind):
        dimension = kind(np.array([1, 2]))
        assert [type(value) for value in dimension.values()] == [int, int]
        assert dimension.check(np.float64(2), "x") == 2
        assert kind(["a", "b"]).check(np.str_("b"), "x") == "b"

    def test_a_single_level_has_code_zero(self, kind):
        dimension = kind(["only"])
        assert dimension.size == 1
        assert dimension.encode("only") == 0.0
        assert dimension.decode(0.7) == "only"
        assert len(dimension.moves(0.0)) == 0


def test_fixed():
    assert Fixed(3).check(np.int64(3), "n") == 3
    with pytest.raises(InvalidInput, match="n is fixed at 3, got 4"):
        Fixed(3).check(4, "n")
    with pytest.raises(InvalidInput, match="fixed value"):
        Fixed([1])
    with pytest.raises(InvalidInput):
        Fixed(3).check([3], "n")
