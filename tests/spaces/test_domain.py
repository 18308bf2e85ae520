"""What every kind of space answers, so that nobody above has to ask which kind it is."""

import numpy as np
import pytest

from regretless import Box, Categorical, Fixed, Float, Int, Mixed, Ordinal, Table

ROWS = [{"t": t, "acid": acid, "site": "A"} for t in (20, 40, 60) for acid in ("HCl", "HNO3")]
TABLE = Table(ROWS)
MIXED = Mixed(
    {
        "x": Float(0.5, 2.0),
        "n": Int(1, 4),
        "o": Ordinal([1, 2, 4]),
        "c": Categorical(["u", "v"]),
        "site": Fixed("A"),
        "one": Ordinal([3]),
    }
)


def test_a_table_lists_its_rows_and_a_product_none():
    assert TABLE.listed() == ROWS
    assert MIXED.listed() == []
    assert Box([(0, 1)]).listed() == []


def test_constants():
    assert TABLE.constants == {"site"}
    assert MIXED.constants == {"site", "one"}
    assert {name for name in TABLE.names if len({row[name] for row in ROWS}) == 1} == TABLE.constants


def test_only_a_product_has_dimensions():
    assert TABLE.dimensions == {}
    assert list(MIXED.dimensions) == list(MIXED.names)


def test_examples_show_the_kind():
    assert TABLE.examples("t") == (20,)
    assert TABLE.examples("acid") == ("HCl",)
    assert MIXED.examples("o") == (1, 2, 4)
    assert MIXED.examples("c") == ("u", "v")
    assert MIXED.examples("site") == ("A",)
    assert MIXED.examples("x") == (0.5,)
    assert MIXED.examples("n") == (1,)


def test_the_nearest_row():
    index = TABLE.nearest({"t": 57, "acid": "HNO3", "site": "A"})
    assert TABLE.params(index) == {"t": 60, "acid": "HNO3", "site": "A"}
    assert MIXED.nearest(MIXED.decode([0.5, 0.0, 0.0, 0.0])) is None


class TestRepresentatives:
    def test_all_rows_where_they_are_few(self):
        assert TABLE.representatives(6, np.random.default_rng(0)) == ROWS

    def test_some_rows_in_order_where_they_are_many(self):
        table = Table([{"a": a} for a in range(50)])
        drawn = [row["a"] for row in table.representatives(7, np.random.default_rng(0))]
        assert len(set(drawn)) == 7
        assert drawn == sorted(drawn)

    @pytest.mark.parametrize("space", [MIXED, Mixed({"a": (1, 9), "b": (1, 9)}, constraints=["a + b <= 8"])])
    def test_points_of_a_product_belong_to_it(self, space):
        points = space.representatives(20, np.random.default_rng(0))
        assert len(points) == 20
        assert all(space.check(point) == point for point in points)


class TestFilteredTwice:
    """Constraints on top of constraints: ids stay those of the source, whoever was dropped before."""

    def test_ids_and_rows(self):
        table = Table(ROWS, constraints=["t >= 40"]).filtered(Table(ROWS, constraints=["t <= 40"]).constraints)
        assert table.ids == (2, 3)
        assert [table.rows(i) for i in range(2)] == [(2,), (3,)]
        assert table.index_of_id(3) == 1
        assert table.dim == 1  # t does not vary any more
