"""Tables that grow: what was there keeps its number, its codes and its names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import InvalidInput, Table
from regretless.spaces import Rows, extended_table, further_rows, space_from_data, space_to_data
from regretless.spaces.table.extension import read_rows

ROWS = [{"name": f"r{i}", "T": T, "acid": acid} for i, (T, acid) in enumerate([(20, "a"), (40, "b"), (60, "a")])]
NAMED = Table(ROWS, id="name")


def extended(table, source, **more):
    return extended_table(table, further_rows(table, read_rows(table, source, **{"id": None, "ignore": (), **more})))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=1, max_size=12),
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcd")), min_size=1, max_size=6), max_size=3),
)
def test_as_if_the_rows_had_been_there_from_the_start(first, batches):
    """But for the scale, which stays: numbers of candidates, values, and codes of those there were."""
    as_dicts = [[{"n": n, "c": c, "k": 1} for n, c in rows] for rows in (first, *batches)]
    table = Table(as_dicts[0])
    for rows in as_dicts[1:]:
        longer = extended(table, rows)
        N = table.n_candidates
        assert [longer.params(i) for i in range(N)] == [table.params(i) for i in range(N)]
        assert longer.ids[:N] == table.ids
        if longer.dim == table.dim:
            np.testing.assert_array_equal(longer.X[:N], table.X)
        for i in range(longer.n_candidates):
            assert longer.place(longer.params(i)).x.tobytes() == longer.X[i].tobytes()
            assert longer.index_of(longer.params(i)) == longer.index_of_id(longer.ids[i]) == i
        table = longer
    whole = Table([row for rows in as_dicts for row in rows])
    assert [table.params(i) for i in range(table.n_candidates)] == [whole.params(i) for i in range(whole.n_candidates)]
    assert space_from_data(space_to_data(table)) == table
    np.testing.assert_array_equal(space_from_data(space_to_data(table)).X, table.X)


def test_the_scale_stays_that_of_the_first_table_in_which_a_column_varied():
    table = Table([{"a": 10, "b": 5}, {"a": 20, "b": 5}])
    once = extended(table, [{"a": 30, "b": 5}])
    assert once.X.tolist() == [[0.0], [1.0], [2.0]]
    twice = extended(once, [{"a": 40, "b": 9}])  # b varies from now on
    assert twice.X.tolist() == [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
    assert extended(twice, [{"a": 0, "b": 13}]).X[-1].tolist() == [-1.0, 2.0]


def test_names():
    longer = extended(NAMED, [{"name": "r1", "T": 40, "acid": "b"}, {"name": "n", "T": 80, "acid": "c"}], id="name")
    assert (longer.n_candidates, longer.ids, longer.n_levels) == (4, ("r0", "r1", "r2", "n"), (0, 3))
    assert longer.X[-1].tolist() == [1.5, 2.0]
    again = extended(NAMED, [{"name": "twin", "T": 40, "acid": "b"}], id="name")  # one more name of a candidate
    assert (again.n_candidates, again.index_of_id("twin"), again.ids) == (3, 1, NAMED.ids)
    assert extended(NAMED, Table([*ROWS, {"name": "n", "T": 80, "acid": "c"}], id="name")) == longer
    with pytest.raises(InvalidInput, match=r"row 'r1' is in the table already, with T 40 and not 45.*another name"):
        extended(NAMED, [{"name": "r1", "T": 45, "acid": "b"}], id="name")
    with pytest.raises(InvalidInput, match="names two different rows"):
        extended(NAMED, [{"name": "n", "T": T, "acid": "b"} for T in (5, 6)], id="name")
    with pytest.raises(InvalidInput, match=r"have names.*id="):
        extended(NAMED, [{"T": 80, "acid": "b"}])
    with pytest.raises(InvalidInput, match="called by their numbers"):
        extended(Table([[1.0], [2.0]]), Table([{"id": "n", "x0": 3.0}], id="id"))
    by_number = Table({"id": [1, 2], "x": [1.0, 2.0]}, id="id")
    with pytest.raises(InvalidInput, match="row '2' is in the table already"):
        extended(by_number, [{"id": "2", "x": 9.0}], id="id")


def test_rows_without_names_go_on_counting_and_known_ones_are_left_out():
    table = Table(np.array([[0.0], [1.0], [0.0]]))
    longer = extended(table, np.array([[1.0], [2.0], [2.0], [3.0]]))
    assert (longer.ids, longer.rows(2)) == ((0, 1, 3, 4), (3,))
    assert len(further_rows(table, read_rows(table, np.array([[1.0]]), id=None, ignore=()))) == 0


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"name": "n", "T": 80}], "no column 'acid'"),
        ([{"name": "n", "T": 80, "acid": "a", "t": 1}], "no column 't'; it has 'T', 'acid'.*ignore"),
        ([{"name": "n", "T": "hot", "acid": "a"}], "column 'T' holds numbers; the new rows have 'hot'"),
        ([{"name": "n", "T": True, "acid": "a"}], "column 'T' holds numbers"),
        ([{"name": "n", "T": 80, "acid": 3}], "column 'acid' holds text; a new row has 3"),
        ([{"name": "n", "T": 80, "acid": None}], "row 0, column 'acid' is None"),
        ([{"name": "n", "T": float("nan"), "acid": "a"}], "finite"),
        ([{"name": "n", "T": 461, "acid": "a"}], "column 'T' is 461, more than 10 times the width"),
        ([{"name": None, "T": 80, "acid": "a"}], "has no id"),
        ([], "at least one row"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_rows_that_do_not_fit(rows, says):
    with pytest.raises(InvalidInput, match=says):
        extended(NAMED, rows, id="name")


def test_whole_numbers_beside_fractions():
    assert extended(Table([[1], [2]]), np.array([[2.5]])).params(0) == {"x0": 1.0}
    with pytest.raises(InvalidInput, match="too large"):
        extended(Table({"n": [2**60, 2**61]}), [{"n": 0.5 * 2**61 + 0.5}, {"n": 1.5}])


def test_a_file_is_read_as_the_table_was(tmp_path):
    path = tmp_path / "more.csv"
    path.write_text("name;acid;T;note\nn1;b;80,5;x\n")
    longer = extended(NAMED, path, id="name", ignore="note")
    assert longer.params(3) == {"T": 80.5, "acid": "b"}
    numbers_as_levels = Table({"c": ["1", "2"], "x": [0.0, 1.0]})
    path.write_text("c,x\n3,0\n")
    assert extended(numbers_as_levels, path).params(2) == {"c": "3", "x": 0.0}
    with pytest.raises(InvalidInput, match=r"no column 'none'.*ignore"):
        extended(NAMED, path, id="c", ignore="none")


def test_lines_of_a_file(tmp_path):
    """Kept where the file has grown at its end; else a line would name two rows, and new ones are numbered on."""
    path, grown, other = (tmp_path / name for name in ("scope.csv", "grown.csv", "other.csv"))
    path.write_text("T\n20\n40\n\n60\n40\n")
    table = Table(path)
    assert table.ids == (2, 3, 5)
    grown.write_text("T\n20\n40\n\n60\n40\n\n80\n100\n")
    assert extended(table, grown).ids == (2, 3, 5, 8, 9)
    other.write_text("T\n100\n80\n20\n80\n")
    longer = extended(table, other)
    assert (longer.ids, longer.params(3)) == ((2, 3, 5, 7, 8), {"T": 100})
    assert extended(longer, grown).n_candidates == 5
    grown.write_text("T\n90\n20\n40\n\n60\n40\n")  # a line put before the others
    assert extended(table, grown).ids == (2, 3, 5, 7)
    numbered = Table([{"T": 20}, {"T": 40}])
    assert extended(numbered, other).ids == (0, 1, 2, 3)
    with pytest.raises(InvalidInput, match=r"have names.*id="):
        extended(Table([{"n": "a", "T": 20}, {"n": "b", "T": 40}], id="n"), other)


def test_rows_of_an_event_are_read_as_they_were():
    longer = extended(NAMED, [{"name": "n", "T": 45.5, "acid": "c"}], id="name")
    assert extended_table(NAMED, Rows({"T": [45.5], "acid": ["c"]}, ["n"])) == longer
    assert extended_table(NAMED, Rows({"T": [], "acid": []}, [])) is NAMED
