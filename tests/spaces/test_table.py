import math
import pickle
import time
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.spaces import Table

ROWS = [
    {"name": "A", "t": 20, "ph": 6.5, "acid": "HCl", "hot": False},
    {"name": "B", "t": 40, "ph": 7.0, "acid": "HNO3", "hot": True},
    {"name": "C", "t": 30, "ph": 6.5, "acid": "HCl", "hot": False},
]
COLUMNS = {key: [row[key] for row in ROWS] for key in ROWS[0]}


@pytest.mark.parametrize(
    "source",
    [
        ROWS,
        COLUMNS,
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        {name: pd.Series(column) for name, column in COLUMNS.items()},
        {name: np.array(column) for name, column in COLUMNS.items()},
        {name: tuple(column) for name, column in COLUMNS.items()},
        pd.DataFrame(ROWS).astype({"acid": "category", "t": "Int64"}),
        pl.DataFrame(ROWS).with_columns(pl.col("acid").cast(pl.Categorical)),
    ],
    ids=["rows", "columns", "pandas", "polars", "series", "arrays", "tuples", "pandas-ext", "polars-cat"],
)
def test_every_source_gives_the_same_table(source):
    table = Table(source, id="name")
    assert table.names == ("t", "ph", "acid", "hot")
    assert table.ids == ("A", "B", "C")
    assert table.n_levels == (0, 0, 2, 2)
    assert table.X.tolist() == [[0, 0, 0, 0], [1, 1, 1, 1], [0.5, 0, 0, 0]]
    for i, row in enumerate(ROWS):
        expected = {key: row[key] for key in ("t", "ph", "acid", "hot")}
        assert table.params(i) == expected
        assert [type(value) for value in table.params(i).values()] == [int, float, str, bool]
        assert table.index_of(expected) == i
        assert table.index_of_id(row["name"]) == i
    assert (table.dim, table.size, table.n_candidates, table.unnamed) == (4, 3, 3, False)
    assert table.continuous.tolist() == [False] * 4


cells = st.sampled_from([0, 1, 2]), st.sampled_from([0.5, -0.0, 0.0, 1e300]), st.sampled_from("abc")
tables = st.lists(st.tuples(*cells), min_size=1, max_size=30)


@given(tables)
@settings(max_examples=150)
def test_repeated_rows_are_one_candidate(rows):
    table = Table([dict(zip("nxc", row, strict=True)) for row in rows])
    distinct = list(dict.fromkeys(rows))  # the oracle: Python's own equality and order of first appearance
    assert [tuple(table.params(i).values()) for i in range(table.n_candidates)] == distinct
    assert table.ids == tuple(rows.index(row) for row in distinct)
    for i, row in enumerate(distinct):
        assert table.rows(i) == tuple(r for r, other in enumerate(rows) if other == row)
        assert table.index_of(dict(zip("nxc", row, strict=True))) == i
        for r in table.rows(i):
            assert table.index_of_id(r) == i
    varying = [j for j in range(3) if len({row[j] for row in rows}) > 1]
    assert table.dim == len(varying)
    for column, j in enumerate(varying):
        values = [row[j] for row in distinct]
        if j == 2:
            expected = [float(list(dict.fromkeys(values)).index(value)) for value in values]
        else:
            expected = [(value - min(values)) / (max(values) - min(values)) for value in values]
        assert table.X[:, column].tolist() == expected


class TestArrays:
    def test_unnamed(self):
        table = Table(np.array([[0, 10], [5, 20], [10, 10]]))
        assert table.unnamed
        assert table.names == ("x0", "x1")
        assert table.X.tolist() == [[0, 0], [0.5, 1], [1, 0]]
        got = table.argument(table.params(1))
        assert got.dtype == np.float64
        assert got.tolist() == [5, 20]
        assert table.index_of([10, 10]) == table.index_of(np.array([10.0, 10.0])) == 2
        assert table.encode((5, 20)).tolist() == [0.5, 1]
        assert [table.encode(row).tolist() for row in ([10, 10], [0, 10])] == [[1, 0], [0, 0]]

    def test_one_dimension_is_one_column(self):
        assert Table(np.arange(4)).X.tolist() == Table([0, 1, 2, 3]).X.tolist() == [[0], [1 / 3], [2 / 3], [1]]
        assert Table([[0, 1], [2, 1]]).names == ("x0", "x1")

    def test_the_source_is_copied_and_the_codes_are_read_only(self):
        array = np.array([[0.0], [1.0], [4.0]])
        table = Table(array)
        array[1] = 3.0
        assert table.params(1) == {"x0": 1.0}
        with pytest.raises(ValueError, match="read-only"):
            table.X[0] = 1
        table.encode([1.0])[0] = 5  # a copy, so nothing happens to the table
        assert table.X[1, 0] == 0.25

    def test_extreme_numbers(self):
        table = Table(np.array([-1.7e308, 0.0, 1.7e308]))
        assert table.X.tolist() == [[0], [0.5], [1]]
        assert math.copysign(1, Table(np.array([-0.0, 1.0])).params(0)["x0"]) == 1
        near = Table(np.array([1.0, 1.0 + 1e-15, 2.0]))
        assert near.n_candidates == 3
        assert near.index_of([1.0 + 1e-15]) == 1
        assert Table(np.array([0.0, 5e-324])).X.tolist() == [[0], [1]]
        big = Table(np.array([2**62, 2**62 + 1, 0]))
        assert big.n_candidates == 3
        assert big.params(1) == {"x0": 2**62 + 1}
        assert big.index_of([2**62 + 1]) == 1

    def test_a_million_rows(self):
        array = np.random.default_rng(0).random((1_000_000, 5))
        array[999_999] = array[123]
        tracemalloc.start()
        start = time.process_time()
        table = Table(array)
        assert time.process_time() - start < 10
        assert tracemalloc.get_traced_memory()[1] < 400e6
        assert table.n_candidates == 999_999
        assert table.rows(123) == (123, 999_999)
        assert table.index_of(array[765_432]) == 765_432
        assert tracemalloc.get_traced_memory()[1] < 400e6
        tracemalloc.stop()

    @pytest.mark.parametrize(
        "source",
        [
            np.zeros((0, 3)),
            np.zeros((3, 0)),
            np.zeros((2, 2, 2)),
            np.array(3.0),
            np.array([["a", "b"]]),
            np.array([1j]),
            np.array(["2020-01-01"], dtype="datetime64[D]"),
            np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]),
            np.array([2**64 - 1, 0], dtype=np.uint64),
            np.array([2**62, 2**62 + 1]),
            [[1, 2], [3]],
            [],
            [None],
            ["a"],
            [{"a": 1}, 3],
            5,
            None,
            len,
        ],
        ids=repr,
    )
    def test_what_is_no_table_is_refused(self, source):
        with pytest.raises(InvalidInput):
            Table(source)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({"a": [1, math.nan]}, "row 1, column 'a' is nan"),
        ({"a": np.array([1, 2, -math.inf])}, "row 2, column 'a' is -inf"),
        ({"a": ["x", None]}, "row 1, column 'a' is None"),
        ({"a": ["x", math.nan]}, "row 1, column 'a' is nan"),
        ({"a": [1, "x"]}, "mixes number and text.*categorical"),
        ({"a": [1, True]}, "mixes numbers and bools"),
        ({"a": ["x", True]}, "mixes bool and text"),
        ({"a": [[1], [2]]}, "row 0, column 'a'"),
        ({"a": [10**30, 1]}, "too large"),
        ({"a": [2**60, 0.5]}, "too large"),
        ({"a": [1, 2], "b": [1]}, "same number of rows"),
        ({"a": []}, "at least one row"),
        ({}, "at least one column"),
        ({3: [1]}, "non-empty text"),
        ({"": [1]}, "non-empty text"),
        ({"a": 5}, "list or a 1-D array"),
        ({"a": "xyz"}, "list or a 1-D array"),
        ([{"a": 1}, {"b": 1}], "row 1 and row 0"),
        ([{"a": 1}, {"a": 1, "b": 2}], "row 1 and row 0.*'b'"),
        ([{}], "at least one column"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "called 'a'"),
        (pd.DataFrame([[1, 2]]), "non-empty text"),
        (pd.DataFrame({"a": ["x", None]}), "row 1, column 'a'"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "row 1, column 'a'"),
        (pl.DataFrame({"a": [1, None]}), "row 1, column 'a'"),
        (pl.DataFrame({"a": ["x", None]}), "row 1, column 'a'"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), "column 'a'"),
        (pl.DataFrame({"a": [[1], [2]]}), "column 'a'"),
    ],
)
def test_bad_columns_are_refused_by_row_and_name(source, says):
    with pytest.raises(InvalidInput, match=says):
        Table(source)


def test_arguments_about_columns():
    table = Table(COLUMNS, ignore=["hot", "ph"], categorical="t", id="name")
    assert table.names == ("t", "acid")
    assert table.n_levels == (3, 2)
    assert table.X[:, 0].tolist() == [0, 1, 2]
    assert Table(COLUMNS, ignore="name").names == ("t", "ph", "acid", "hot")
    assert Table({"a": [1, "x", 2.5]}, categorical=["a"]).params(2) == {"a": 2.5}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"id": "nam"}, "id: no column 'nam'.*Did you mean 'name'"),
        ({"ignore": ["tt"]}, "ignore: no column 'tt'"),
        ({"categorical": ["acidd"]}, "categorical: no column 'acidd'.*Did you mean 'acid'"),
        ({"id": 3}, "id must name"),
        ({"ignore": 3}, "ignore must name"),
        ({"ignore": [3]}, "ignore must name"),
        ({"id": "acid"}, "id 'HCl' in column 'acid' names two different rows"),
        ({"ignore": list(COLUMNS)}, "no column is left"),
        ({"repeats": "sometimes"}, "repeats"),
    ],
)
def test_bad_arguments_about_columns(options, says):
    with pytest.raises(InvalidInput, match=says):
        Table(COLUMNS, **options)


class TestIds:
    def test_a_repeated_row_answers_to_all_its_ids(self):
        table = Table({"id": ["a", "b", "c"], "x": [1, 2, 1]}, id="id")
        assert table.ids == ("a", "b")
        assert table.index_of_id("c") == table.index_of_id("a") == 0

    def test_text_and_whole_numbers_stand_for_each_other(self):
        assert Table(np.arange(5)).index_of_id("3") == 3
        assert Table({"id": ["10", "20"], "x": [1, 2]}, id="id").index_of_id(20) == 1
        assert Table({"id": [10, 20], "x": [1, 2]}, id="id").index_of_id(np.int64(20)) == 1

    @pytest.mark.parametrize("row_id", ["AA", 3, None, [1], math.nan, "9" * 5000])
    def test_unknown_ids(self, row_id):
        with pytest.raises(InvalidInput):
            Table(COLUMNS, id="name").index_of_id(row_id)

    def test_a_missing_id(self):
        with pytest.raises(InvalidInput, match="row 1 has no id"):
            Table({"id": ["a", None], "x": [1, 2]}, id="id")


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"t": 41, "ph": 7.0, "acid": "HNO3", "hot": True}, "nearest is row 'B'"),
        ({"t": 1e308, "ph": 6.5, "acid": "HCl", "hot": False}, "nearest is row"),
        ({"t": 30, "ph": 6.5, "acid": "HF", "hot": False}, "nearest is row 'C'"),
        ({"t": 30, "ph": 6.5, "acid": "HCl"}, "missing 'hot'"),
        ({"t": 30, "ph": 6.5, "acid": "HCl", "hot": False, "Ph": 3}, "unknown parameter 'Ph'.*'ph'"),
        ({"t": "30", "ph": 6.5, "acid": "HCl", "hot": False}, "t must be a real number"),
        ({"t": True, "ph": 6.5, "acid": "HCl", "hot": False}, "t must be a real number"),
        ({"t": math.nan, "ph": 6.5, "acid": "HCl", "hot": False}, "finite"),
        ({"t": 30, "ph": 6.5, "acid": ["HCl"], "hot": False}, "acid must be"),
        ({"t": 10**400, "ph": 6.5, "acid": "HCl", "hot": False}, "finite"),
        ([30, 6.5, "HCl", False], "mapping"),
        (None, "mapping"),
    ],
)
def test_params_that_are_no_row(params, says):
    table = Table(ROWS, id="name")
    for call in (table.index_of, table.check, table.encode, table.argument):
        with pytest.raises(InvalidInput, match=says):
            call(params)


@pytest.mark.parametrize("i", [3, -1, 0.5, "a", None, True])
def test_bad_indices(i):
    table = Table(ROWS)
    with pytest.raises(InvalidInput):
        table.params(i)
    with pytest.raises(InvalidInput):
        table.rows(i)


def test_constant_columns_are_kept_but_not_encoded_and_may_be_left_out():
    table = Table({"a": [1, 2], "k": [5, 5], "w": ["z", "z"]})
    assert table.dim == 1
    assert table.params(0) == {"a": 1, "k": 5, "w": "z"}
    assert table.check({"a": np.float64(2)}) == {"a": 2, "k": 5, "w": "z"}
    with pytest.raises(InvalidInput, match="nearest is row 1"):
        table.check({"a": 2, "k": 6})
    one = Table({"a": [1]})
    assert (one.n_candidates, one.dim, one.X.shape) == (1, 0, (1, 0))
    assert one.index_of({"a": 1}) == 0


def test_equality_repr_and_pickle():
    table = Table(ROWS, id="name")
    assert table == Table(COLUMNS, id="name") == pickle.loads(pickle.dumps(table))
    assert table != Table(ROWS)
    assert table != Table(ROWS, id="name", repeats="never")
    assert Table({"a": [1, 2]}) != Table({"a": [1, 3]})  # the same codes, other values
    assert Table({"a": [1, 2]}) != 3
    assert repr(table) == "Table(3 candidates, names='t', 'ph', 'acid', 'hot')"
    with pytest.raises(AttributeError):
        table.repeats = "never"
