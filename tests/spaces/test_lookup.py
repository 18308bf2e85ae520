"""Rows found by terms: the same as by looking at every row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.spaces import Table
from regretless.spaces.table.lookup import Term, rows_where

RNG = np.random.default_rng(0)
ROWS = [
    {"x": float(x), "n": int(n), "acid": a, "always": 1}
    for x, n, a in zip(
        RNG.normal(size=400).round(3), RNG.integers(-5, 6, 400), RNG.choice(["HCl", "HNO3"], 400), strict=True
    )
]


def plain(row, name, sense, number):
    value = row[name]
    return {"<": value < number, "<=": value <= number, ">": value > number, ">=": value >= number}[sense]


@given(
    name=st.sampled_from(["x", "n"]),
    sense=st.sampled_from(["<", "<=", ">", ">="]),
    number=st.floats(-6, 6, allow_nan=False).map(lambda v: round(v, 2)),
    begin=st.integers(0, 400),
)
@settings(max_examples=60, deadline=None)
def test_against_every_row(name, sense, number, begin):
    table = Table(ROWS)
    listed = table.listed()
    wanted = [i for i in range(begin, len(listed)) if plain(listed[i], name, sense, number)]
    found, end = rows_where(table, [Term.of(f"{name}{sense}{number}", table.names)], begin, 10_000, 10_000)
    assert found == wanted
    assert end == len(listed)


def test_equal_is_as_it_reads():
    assert Term("x", "=", "1.36").holds(1.3604)
    assert Term("x", "=", "1.36").holds(1.356)
    assert not Term("x", "=", "1.36").holds(1.353)
    assert Term("x", "=", "-1.36").holds(-1.3604)
    assert Term("n", "=", "20").holds(20)
    assert not Term("n", "=", "20").holds(200)
    assert Term("acid", "=", "hn").holds("HNO3")


def test_parts_are_joined_where_they_ended():
    table, begin, found = Table(ROWS), 0, []
    term = Term.of("acid=HCl", table.names)
    while begin < table.n_candidates:
        some, begin = rows_where(table, [term], begin, 7, 50)
        assert len(some) <= 7
        found += some
    assert found == [i for i, row in enumerate(table.listed()) if row["acid"] == "HCl"]


def test_a_column_of_one_value():
    table = Table(ROWS)
    n = table.n_candidates
    assert rows_where(table, [Term.of("always=1", table.names)], 0, 5, n)[0] == [0, 1, 2, 3, 4]
    assert rows_where(table, [Term.of("always=2", table.names)], 0, 5, n) == ([], n)


def test_what_cannot_be_read_is_said():
    with pytest.raises(InvalidInput, match="no column is called"):
        Term.of("y=3", ["x"])
    assert Term.of("plain", ["x"]) is None
    with pytest.raises(InvalidInput, match="holds numbers"):
        Term.of("x=abc", ["x"]).holds(3.0)
