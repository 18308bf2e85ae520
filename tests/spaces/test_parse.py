import numpy as np
import pandas as pd
import polars as pl
import pytest

from regretless.errors import InvalidInput
from regretless.spaces import (
    Box,
    Categorical,
    Fixed,
    Float,
    Int,
    Mixed,
    Ordinal,
    Table,
    as_dimension,
    as_space,
    as_table,
    latin_hypercube,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ((0.0, 1.0), Float(0, 1)),
        ((1, 10), Int(1, 10)),
        ((1, 10.0), Float(1, 10)),
        ((np.int64(1), np.int64(10)), Int(1, 10)),
        ((1e-5, 0.1, "log"), Float(1e-5, 0.1, log=True)),
        ((1, 64, "log"), Int(1, 64, log=True)),
        ((1e-5, 0.1, "log-uniform"), Float(1e-5, 0.1, log=True)),
        ([4, 1, 2], Ordinal([1, 2, 4])),
        ((4, 1, 2, 8), Ordinal([1, 2, 4, 8])),
        ([1e-5, 0.1, "log"], Float(1e-5, 0.1, log=True)),  # TOML and JSON have no tuples
        ([1, 64, "log"], Int(1, 64, log=True)),
        (["a", "b", "log"], Categorical(["a", "b", "log"])),
        ([1, "log"], Categorical([1, "log"])),
        ([0.0, 1.0], Ordinal([0.0, 1.0])),
        ([3], Ordinal([3])),
        (np.array([0.5, 0.25]), Ordinal([0.25, 0.5])),
        (["b", "a"], Categorical(["b", "a"])),
        (("b", "a"), Categorical(["b", "a"])),
        (("b", "a", "c"), Categorical(["b", "a", "c"])),
        ([False, True], Categorical([False, True])),
        ((False, True), Categorical([False, True])),
        ([1, "auto", None], Categorical([1, "auto", None])),
        (range(1, 5), Int(1, 4)),
        (range(4, 0, -1), Int(1, 4)),
        (range(2, 11, 4), Ordinal([2, 6, 10])),
        (range(10, 1, -4), Ordinal([2, 6, 10])),
        (range(3, 4), Fixed(3)),
        (3, Fixed(3)),
        ("adam", Fixed("adam")),
        (True, Fixed(True)),
        (np.float64(0.5), Fixed(0.5)),
        (Int(1, 3), Int(1, 3)),
    ],
)
def test_parameters_as_people_write_them(written, meant):
    got = as_dimension(written)
    assert got == meant
    assert type(got) is type(meant)


@pytest.mark.parametrize(
    "written",
    [
        {1, 2},
        frozenset("ab"),
        {"low": 0},
        None,
        [],
        (),
        range(0),
        range(0, 10**9, 2),
        (1, "a"),
        (True, 5),
        (5, 1),
        (1.0, 1.0),
        (float("nan"), 1.0),
        [1.0, float("nan")],
        [[1], [2]],
        [1, 1.0],
        np.eye(2),
        object(),
        (0.0, 1.0, "log"),
        [0.0, 1.0, "log"],
        (0.0, 1.0, 0.25),
        (4, 1, 2),
        (1, 10, "linear"),
        (1, 10, None),
        (1, 10, float("nan")),
    ],
)
def test_what_is_no_parameter_is_refused(written):
    with pytest.raises(InvalidInput):
        as_dimension(written)
    with pytest.raises(InvalidInput, match="parameter 'p'"):
        as_space({"p": written})


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ((0.0, 1.0, 0.25), r"Write \[0.0, 0.25, 1.0\] if these three are the levels, or "
                           r"Float\(0.0, 1.0, step=0.25\) if 0.25 is a step"),
        ((0.1, 0.4, 0.1), r"Float\(0.1, 0.4, step=0.1\) if 0.1 is a step"),
        ((1, 7, 3), r"Int\(1, 7, step=3\) if 3 is a step"),
        ((8, 16, 32), r"Write \[8, 16, 32\] if these three are the levels\."),
        ((1, 8, "linear"), r"can only be 'log'. Write \[1, 8, 'linear'\] if these three are the choices"),
    ],
)  # fmt: skip
def test_a_third_number_is_a_step_or_a_level_and_that_is_asked(written, says):
    with pytest.raises(InvalidInput, match=says):
        as_dimension(written)


def test_every_way_of_saying_a_space(tmp_path):
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    assert as_space({"x": (0.0, 1.0), "y": Float(0, 1)}) == Box({"x": (0, 1), "y": (0, 1)})
    assert type(as_space({"x": (0.0, 1.0)})) is Box
    assert type(as_space({"x": (0.0, 1.0), "n": (0, 1)})) is Mixed
    assert (
        as_space([(0, 1), (0, 2)]) == as_space([[0, 1], [0, 2]]) == as_space(((0, 1), (0, 2))) == Box([(0, 1), (0, 2)])
    )
    assert as_space(np.array([[0, 1], [0, 2]])).n_candidates == 2
    for table in (rows, pd.DataFrame(rows), pl.DataFrame(rows), path, str(path)):
        space = as_space(table)
        assert type(space) is Table
        assert space.params(1) == {"a": 2, "b": "y"}


def test_spaces_pass_unchanged_unless_repeats_is_said():
    for space in (Box([(0, 1)]), Mixed({"n": (1, 2)}), Table(np.eye(2))):
        assert as_space(space) is space
        never = as_space(space, repeats="never")
        assert (never.repeats, space.repeats) == ("never", None)
        assert as_space(never) is never
        assert as_space(never, repeats="auto") == as_space(space, repeats="auto") != space
        with pytest.raises(InvalidInput, match="repeats"):
            as_space(space, repeats="no")
    for obj in ({"n": (1, 2)}, [(0, 1)], np.eye(2), {"x": (0.0, 1.0)}):
        assert as_space(obj).repeats is None
        assert as_space(obj, repeats="never").repeats == "never"


@pytest.mark.parametrize(
    "obj", [None, 3, [], [1, 2], np.zeros(3), "no such file.csv", {1, 2}, ["a", "b"], [(0, 1), 5], len]
)
def test_what_is_no_space_is_refused(obj):
    with pytest.raises(InvalidInput):
        as_space(obj)


class TestAsTable:
    space = Mixed(
        {"n": (1, 3), "s": Ordinal(["S", "M"]), "c": Categorical([True, "b"]), "f": 5, "w": (1, 4, "log")},
        repeats="never",
    )

    def test_the_table_is_the_space(self):
        table = as_table(self.space, limit=48)
        assert (table.n_candidates, table.size) == (48, 48)
        assert np.array_equal(table.X, self.space.enumerate())
        assert (table.names, table.n_levels, table.dim) == (self.space.names, self.space.n_levels, self.space.dim)
        assert (table.repeats, table.unnamed) == ("never", False)
        assert not table.continuous.any()
        for i in range(48):
            params = table.params(i)
            assert list(params.items()) == list(self.space.decode(table.X[i]).items())
            assert [type(v) for v in params.values()] == [type(v) for v in self.space.decode(table.X[i]).values()]
            assert table.index_of(params) == i
            assert np.array_equal(table.encode(params), self.space.encode(params))
            assert table.ids[i] == i

    def test_the_space_checks_the_parameters(self):
        table = as_table(self.space, limit=100)
        assert table.check({"n": 3.0, "s": "M", "c": "b", "w": 4}) == {"n": 3, "s": "M", "c": "b", "f": 5, "w": 4}
        with pytest.raises(InvalidInput, match="whole number from 1 to 3"):
            table.check({"n": 4, "s": "M", "c": "b", "w": 4})

    def test_large_and_infinite_spaces_are_left_alone(self):
        assert as_table(self.space, limit=47) is None
        assert as_table(Box([(0, 1)]), limit=10**9) is None

    def test_a_single_point(self):
        table = as_table(Mixed({"a": 1}), limit=1)
        assert (table.n_candidates, table.dim, table.params(0)) == (1, 0, {"a": 1})
        assert table.index_of({}) == 0


def test_latin_hypercubes_have_one_point_per_stratum_and_vary():
    rng = np.random.default_rng(5)
    points = latin_hypercube(50, 3, rng)
    for column in points.T:
        assert np.sort(np.floor(50 * column)).tolist() == list(range(50))
    assert abs(np.corrcoef(points.T)[0, 1]) < 0.5  # the permutations of two axes are independent
    within = 50 * points - np.floor(50 * points)
    assert 0.4 < within.mean() < 0.6
    assert latin_hypercube(0, 3, rng).shape == (0, 3)
