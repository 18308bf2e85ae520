from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.arrays import (
    as_finite_float,
    as_matrix,
    as_measurement,
    as_nonnegative,
    as_positive,
    as_vector,
    as_whole,
    is_whole,
    show,
)
from regretless.errors import InvalidInput, RegretlessError


class BrokenFloat(float):
    def __float__(self):
        raise RuntimeError("no number")


class BrokenRepr:
    def __repr__(self):
        raise RuntimeError("no text")


class BrokenBoth(int):
    def __float__(self):
        raise BrokenError

    def __repr__(self):
        raise RuntimeError("no text")


class BrokenClass:
    @property
    def __class__(self):
        raise RuntimeError("no class")


class BrokenError(Exception):
    def __repr__(self):
        raise RuntimeError("no text for the error either")

    __str__ = __repr__


NUMBERS = [
    (1, 1.0),
    (-2.5, -2.5),
    (np.float32(0.5), 0.5),
    (np.float64(1e300), 1e300),
    (np.int8(-3), -3.0),
    (np.uint64(2**63), 2.0**63),
    (np.longdouble(1.5), 1.5),
    (Fraction(1, 4), 0.25),
    (10**300, 1e300),
    (5e-324, 5e-324),
    (np.array(2.0), 2.0),
    (np.array(3), 3.0),
]
NOT_ONE_NUMBER = [
    True,
    np.True_,
    np.array(True),
    "1.5",
    b"1",
    None,
    1j,
    np.complex128(1.0),
    Decimal("1.5"),  # not a numbers.Real: whoever has one says float(...)
    [1.0],
    (1.0,),
    {},
    np.array([1.0]),
    np.array([[1.0]]),
    np.array("1"),
    np.arange(1000.0),
    list(range(1000)),
    np.datetime64("2020-01-01"),
    np.timedelta64(3, "s"),  # NumPy takes durations for whole numbers
    np.timedelta64(3),
    np.timedelta64("NaT"),
    np.array(np.timedelta64(3, "s")),
    object(),
    BrokenFloat(1.0),
    BrokenRepr(),
    BrokenBoth(3),
    [BrokenRepr()],
    np.array(BrokenRepr(), dtype=object),
]
NOT_FINITE = [
    float("nan"),
    float("inf"),
    -float("inf"),
    np.float32("nan"),
    np.array(np.inf),
    10**400,
    -(10**400),
    Fraction(10**400),
]


class Three(IntEnum):
    IT = 3


class BrokenInt(int):
    def __int__(self):
        raise RuntimeError("no number")

    def __repr__(self):
        raise RuntimeError("no text")


WHOLE = [
    (0, 0),
    (3, 3),
    (10**5000, 10**5000),  # too long to be shown
    (np.int8(3), 3),
    (np.uint64(2**64 - 1), 2**64 - 1),
    (Three.IT, 3),
    (BrokenInt(3), 3),
]
NOT_WHOLE = [
    True,
    False,
    np.True_,
    3.0,
    2.5,
    float("nan"),
    float("inf"),
    np.float64(3.0),
    Fraction(3),
    Decimal(3),
    3j,
    "3",
    b"3",
    None,
    [3],
    list(range(1000)),
    np.array(3),
    np.array([3]),
    np.timedelta64(3),
    np.timedelta64(3, "s"),
    np.timedelta64("NaT"),
    np.datetime64("2020-01-01"),
    object(),
    BrokenRepr(),
    BrokenFloat(3.0),
]


@pytest.mark.parametrize(("value", "expected"), WHOLE, ids=lambda v: type(v).__name__)
def test_a_whole_number_becomes_a_python_int(value, expected):
    number = as_whole(value, "n")
    assert type(number) is int
    assert number == expected
    assert is_whole(value)


@pytest.mark.parametrize("value", NOT_WHOLE, ids=lambda v: type(v).__name__)
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(InvalidInput, match=r"^n must be a whole number >= 0, got .*\.$") as error:
        as_whole(value, "n")
    assert len(str(error.value)) < 150
    assert not is_whole(value)


def test_an_object_that_does_not_tell_its_class_is_no_whole_number():
    with pytest.raises(InvalidInput, match=r"^n must be a whole number >= 0, got "):
        as_whole(BrokenClass(), "n")


@pytest.mark.parametrize("kind", [int, np.int8, np.int64])
@pytest.mark.parametrize(("least", "most"), [(0, None), (1, None), (2, 5), (-3, -1), (0, 0)])
def test_a_whole_number_is_kept_within_its_ends_and_refused_beyond(kind, least, most):
    for number in range(-6, 9):
        if least <= number and (most is None or number <= most):
            assert as_whole(kind(number), "n", least=least, most=most) == number
        else:
            with pytest.raises(InvalidInput, match=r"^n must be a whole number "):
                as_whole(kind(number), "n", least=least, most=most)


@pytest.mark.parametrize(
    ("value", "allowed", "message"),
    [
        (-1, {}, "n must be a whole number >= 0, got -1."),
        (0, {"least": 1}, "n must be a whole number >= 1, got 0."),
        (9, {"least": 2, "most": 5}, "n must be a whole number from 2 to 5, got 9."),
        ("9", {"least": 1, "hint": "It counts trials."}, "n must be a whole number >= 1, got '9'. It counts trials."),
        (-(10**5000), {}, "n must be a whole number >= 0, got an int that cannot be shown."),
        (BrokenInt(-3), {}, "n must be a whole number >= 0, got a BrokenInt that cannot be shown."),
    ],
    ids=lambda v: type(v).__name__,
)
def test_the_message_says_what_is_allowed(value, allowed, message):
    with pytest.raises(InvalidInput) as error:
        as_whole(value, "n", **allowed)
    assert str(error.value) == message


@pytest.mark.parametrize(("value", "expected"), NUMBERS)
def test_one_number_becomes_a_python_float(value, expected):
    number = as_finite_float(value, "value")
    assert type(number) is float
    assert number == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_kept(value):
    assert as_finite_float(value, "value") == value


@pytest.mark.parametrize("value", NOT_ONE_NUMBER, ids=lambda v: type(v).__name__)
def test_what_is_not_one_real_number_is_refused(value):
    with pytest.raises(InvalidInput, match=r"^lr must be a real number, got ") as error:
        as_finite_float(value, "lr")
    assert len(str(error.value)) < 200  # a long argument is not repeated in full


@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda v: type(v).__name__)
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(InvalidInput, match=r"^loss must be finite, got ") as error:
        as_finite_float(value, "loss")
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(("value", "expected"), NUMBERS)
def test_a_number_is_read_by_its_sign(value, expected):
    for read, sign, allowed in ((as_positive, ">", expected > 0.0), (as_nonnegative, ">=", expected >= 0.0)):
        if allowed:
            assert read(value, "eps") == expected
        else:
            with pytest.raises(InvalidInput) as error:
                read(value, "eps", hint="It is in seconds.")
            assert str(error.value) == f"eps must be {sign} 0, got {expected}. It is in seconds."


@pytest.mark.parametrize("zero", [0, 0.0, -0.0, np.float32(0.0)])
def test_zero_is_neither_negative_nor_positive(zero):
    assert as_nonnegative(zero, "eps") == 0.0
    with pytest.raises(InvalidInput, match=r"^eps must be > 0, got -?0\.0\.$"):
        as_positive(zero, "eps")


@pytest.mark.parametrize("read", [as_positive, as_nonnegative])
@pytest.mark.parametrize("value", [*NOT_ONE_NUMBER, *NOT_FINITE], ids=lambda v: type(v).__name__)
def test_what_is_not_one_finite_number_has_no_sign(read, value):
    with pytest.raises(InvalidInput, match=r"^eps must be (a real number|finite), got "):
        read(value, "eps")


@pytest.mark.parametrize("value", [np.nan, -np.inf, np.float32("nan"), np.array(np.inf), np.longdouble("1e4000")])
def test_a_measurement_without_a_finite_value_has_failed(value):
    assert as_measurement(value, "value") is None


@pytest.mark.parametrize(("value", "expected"), NUMBERS)
def test_a_measurement_is_read_as_a_number_is(value, expected):
    assert as_measurement(value, "value") == expected


@pytest.mark.parametrize("value", [*NOT_ONE_NUMBER, 10**400], ids=lambda v: type(v).__name__)
def test_what_is_no_measurement_is_refused_as_no_number(value):
    with pytest.raises(InvalidInput):
        as_measurement(value, "value")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        ("a" * 200, "'" + "a" * 76 + "..."),
        (10**5000, "an int that cannot be shown"),
        (BrokenRepr(), "a BrokenRepr that cannot be shown"),
        ([BrokenRepr()], "a list that cannot be shown"),
        (np.arange(1000.0), "ndarray of length 1000"),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_any_value_can_be_shown(value, shown):
    assert show(value) == shown


def test_an_object_whose_class_cannot_be_asked_for():
    with pytest.raises(InvalidInput, match="must be a real number"):
        as_finite_float(BrokenClass(), "value")


def test_the_errors_are_value_errors_of_the_package():
    with pytest.raises(ValueError):
        as_finite_float("x", "value")
    with pytest.raises(RegretlessError):
        as_vector([[1.0]], "y")


def test_an_int_too_long_to_print_is_refused_as_any_other():
    with pytest.raises(InvalidInput):
        as_finite_float(10**5000, "value")


@pytest.mark.parametrize(
    "values",
    [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3], dtype=np.int32), np.array([1, 9, 2, 9, 3, 9])[::2], range(1, 4)],
)
def test_a_vector_is_float64_contiguous_and_copied(values):
    vector = as_vector(values, "y")
    assert vector.dtype == np.float64
    assert vector.flags.c_contiguous
    np.testing.assert_array_equal(vector, [1.0, 2.0, 3.0])
    assert not np.shares_memory(vector, np.asarray(values))


def test_a_matrix_is_float64_contiguous_and_copied():
    values = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    matrix = as_matrix(values, "X")
    assert matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, values)
    matrix[0, 0] = 9.0
    assert values[0, 0] == 0.0


def test_empty_arrays_keep_their_shape():
    assert as_vector([], "y").shape == (0,)
    assert as_matrix(np.empty((0, 3)), "X").shape == (0, 3)
    assert as_matrix([[], []], "X").shape == (2, 0)


@pytest.mark.parametrize("values", [1.0, [[1.0]], np.zeros((2, 2, 2))])
def test_a_vector_of_another_shape_is_refused(values):
    with pytest.raises(InvalidInput, match=r"^y must be one-dimensional, got shape \("):
        as_vector(values, "y")


@pytest.mark.parametrize("values", [1.0, [1.0, 2.0], np.zeros((2, 2, 2))])
def test_a_matrix_of_another_shape_is_refused(values):
    with pytest.raises(InvalidInput, match=r"^X must be two-dimensional \(rows, columns\), got shape \("):
        as_matrix(values, "X")


@pytest.mark.parametrize("values", [["a"], [[1.0], [1.0, 2.0]], [{}], [object()], [1j]])
def test_what_is_not_numbers_of_one_shape_is_refused(values):
    for convert in (as_vector, as_matrix):
        with pytest.raises(InvalidInput, match=r"^v must be real numbers of one shape"):
            convert(values, "v")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_entry_that_is_not_finite_is_named(bad):
    with pytest.raises(InvalidInput, match=r"^y must be finite; entry \(1,\) is "):
        as_vector([0.0, bad, bad], "y")
    with pytest.raises(InvalidInput, match=r"^X must be finite; entry \(1, 0\) is "):
        as_matrix([[0.0, 1.0], [bad, bad]], "X")


def test_a_huge_int_in_a_vector_is_refused():
    with pytest.raises(InvalidInput):
        as_vector([10**400], "y")


@pytest.mark.parametrize("values", [["1.5"], [True], [1 + 2j], [None], ["a", 1.0]])
def test_a_vector_of_anything_but_real_numbers_is_refused(values):
    with pytest.raises(InvalidInput, match="real numbers"):
        as_vector(values, "y")
