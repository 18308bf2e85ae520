import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.search import search_table

numbers = st.one_of(st.floats(-5, 5).map(lambda x: round(x)), st.sampled_from([np.nan, np.inf, -np.inf]))


@given(rows=st.lists(st.tuples(numbers, st.booleans()), min_size=1, max_size=12))
def test_against_the_definition(rows):
    values, open_ = np.array([v for v, _ in rows], dtype=float), np.array([o for _, o in rows])
    allowed = [(v, -i) for i, (v, o) in enumerate(rows) if o and np.isfinite(v)]
    expected = -max(allowed)[1] if allowed else None
    assert search_table(values, open_) == expected


def test_the_first_of_equals():
    assert search_table(np.array([1.0, 2.0, 2.0]), np.ones(3, bool)) == 1


@pytest.mark.parametrize("values", [[np.nan, 1.0, np.nan], [np.inf, 1.0, -np.inf]])
def test_what_is_not_finite_is_skipped(values):
    assert search_table(np.array(values), np.ones(3, bool)) == 1


@pytest.mark.parametrize("values", [[1.0, 2.0], [np.nan, np.nan]])
def test_nothing_open(values):
    assert search_table(np.array(values), np.zeros(2, bool)) is None
    assert search_table(np.full(2, np.nan), np.ones(2, bool)) is None


def test_arguments_stay_as_they_were():
    values, open_ = np.array([1.0, np.nan]), np.array([False, True])
    search_table(values, open_)
    np.testing.assert_array_equal(values, [1.0, np.nan])
    np.testing.assert_array_equal(open_, [False, True])
