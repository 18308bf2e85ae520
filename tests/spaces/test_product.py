import copy
import itertools
import math
import pickle
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.spaces import Box, Categorical, Fixed, Float, Int, Mixed, Ordinal

KINDS = {
    "rate": Float(1e-6, 1.0, log=True),
    "dose": Float(-3, 5),
    "depth": Int(1, 8),
    "width": Int(16, 4096, log=True),
    "size": Ordinal(["S", "M", "L"]),
    "acid": Categorical(["HCl", "HNO3", "H2SO4"]),
    "one": Categorical(["only"]),
    "seed": Fixed(7),
}


def everything():
    return Mixed(KINDS)


def test_columns_are_the_varying_parameters_in_order():
    space = everything()
    assert space.names == tuple(KINDS)
    assert space.dimensions == KINDS
    assert space.dim == 6
    assert space.n_levels == (0, 0, 0, 0, 0, 3)
    assert space.continuous.tolist() == [True, True, False, False, False, False]
    assert space.size is None
    assert not space.unnamed
    assert space.repeats is None


@given(st.integers(0, 2**32))
@settings(max_examples=60)
def test_params_to_codes_and_back(seed):
    space = everything()
    X = space.sample(5, np.random.default_rng(seed))
    for x in X:
        params = space.decode(x)
        assert list(params) == list(KINDS)
        assert params["seed"] == 7
        assert params["one"] == "only"
        assert space.check(params) == params
        assert space.decode(space.encode(params)) == params
        # each column is its own dimension's code: nothing is swapped
        codes = [part.encode(params[name]) for name, part in list(KINDS.items())[:6]]
        assert space.encode(params).tolist() == codes


def test_a_sample_of_nothing_keeps_the_shape():
    assert everything().sample(0, np.random.default_rng(0)).shape == (0, 6)


def test_snap_agrees_with_each_dimension_and_copies():
    space = everything()
    X = np.random.default_rng(1).uniform(-0.5, 2.5, (200, 6))
    before = X.copy()
    snapped = space.snap(X)
    assert np.array_equal(X, before)
    assert np.array_equal(snapped[:, :2], np.clip(X[:, :2], 0, 1))
    for x, s in zip(X, snapped, strict=True):
        assert space.encode(space.decode(x))[2:].tolist() == s[2:].tolist()


def test_samples_are_stratified_over_values_and_categories():
    space = Mixed({"x": (0.0, 1.0), "n": (1, 4), "c": ["a", "b", "c"]})
    X = space.sample(12, np.random.default_rng(3))
    assert np.sort(np.floor(12 * X[:, 0])).tolist() == list(range(12))
    assert sorted(X[:, 1].tolist()) == sorted([0, 1 / 3, 2 / 3, 1] * 3)
    assert sorted(X[:, 2].tolist()) == sorted([0, 1, 2] * 4)
    assert np.array_equal(X, space.sample(12, np.random.default_rng(3)))
    assert not np.array_equal(X, space.sample(12, np.random.default_rng(4)))
    assert np.array_equal(space.snap(X), X)


def test_moves():
    space = everything()
    x = space.encode({"rate": 0.1, "dose": 0, "depth": 3, "width": 64, "size": "M", "acid": "HNO3"})
    assert space.moves(x, 0).shape == (0,)
    assert space.moves(x, 1).shape == (0,)
    assert space.moves(x, 4).tolist() == [0, 1]
    assert space.moves(x, 5).tolist() == [0, 2]
    for column, name in ((2, "depth"), (3, "width")):
        for code in space.moves(x, column):
            moved = x.copy()
            moved[column] = code
            there = space.decode(moved)
            assert there[name] != space.decode(x)[name]
            assert space.encode(there)[column] == code
    with pytest.raises(InvalidInput, match="column"):
        space.moves(x, 6)


def test_enumerate_is_the_cartesian_product():
    space = Mixed({"n": (1, 3), "f": 5, "c": ["a", "b"], "o": [10, 20, 30], "one": ["z"]})
    assert space.size == 18
    X = space.enumerate()
    expected = [
        {"n": n, "f": 5, "c": c, "o": o, "one": "z"} for n, c, o in itertools.product([1, 2, 3], "ab", [10, 20, 30])
    ]
    assert [space.decode(x) for x in X] == expected
    assert X.tolist() == [space.encode(params).tolist() for params in expected]


def test_a_space_of_fixed_values_has_one_point_and_no_column():
    space = Mixed({"a": 1, "b": "x"})
    assert (space.dim, space.size, space.n_levels) == (0, 1, ())
    assert space.enumerate().shape == (1, 0)
    assert space.decode([]) == {"a": 1, "b": "x"}
    assert space.encode({}).shape == (0,)
    assert space.sample(3, np.random.default_rng(0)).shape == (3, 0)
    assert space.snap(np.empty((3, 0))).shape == (3, 0)


def test_sizes_are_exact_and_enumeration_is_bounded():
    space = Mixed({f"n{i}": (1, 10**6) for i in range(20)})
    assert space.size == 10**120
    with pytest.raises(InvalidInput, match="10000000"):
        space.enumerate()
    with pytest.raises(InvalidInput, match="infinitely"):
        Box([(0, 1)]).enumerate()


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"n": 1}, r"missing 'c'"),
        ({"n": 1, "c": "a", "x": 3}, "unknown parameter 'x'"),
        ({"nn": 1, "c": "a"}, r"unknown parameter 'nn'.*Did you mean 'n'"),
        ({"n": 9, "c": "a"}, "n must be a whole number from 1 to 3"),
        ({"n": 1, "c": "a", "f": 6}, "f is fixed at 5"),
        ({"n": 1, "c": "a", 3: 6}, "unknown parameter 3"),
        ([1, "a"], "mapping"),
        (None, "mapping"),
        ("n=1", "mapping"),
    ],
)
def test_bad_params_are_refused(params, says):
    space = Mixed({"n": (1, 3), "c": ["a", "b"], "f": 5})
    for call in (space.check, space.encode, space.argument):
        with pytest.raises(InvalidInput, match=says):
            call(params)


def test_check_orders_fills_and_canonicalises():
    space = Mixed({"n": (1, 3), "x": (0.0, 1.0), "f": 5})
    checked = space.check({"x": 1, "n": np.float64(2)})
    assert list(checked.items()) == [("n", 2), ("x", 1.0), ("f", 5)]
    assert [type(value) for value in checked.values()] == [int, float, int]
    assert space.argument(checked) == checked


@pytest.mark.parametrize("x", [[0.5], [0.1, 0.2, 0.3], [[0.1, 0.2]], ["a", "b"], [math.nan, 0.0], None])
def test_bad_codes_are_refused(x):
    space = Box([(0, 1), (0, 1)])
    with pytest.raises(InvalidInput):
        space.decode(x)
    with pytest.raises(InvalidInput):
        space.snap([x])


class TestBox:
    def test_unnamed_bounds_are_scipy_bounds(self):
        box = Box([(0, 10), (-1, 1)])
        assert box.unnamed
        assert box.names == ("x0", "x1")
        assert box.continuous.all()
        assert box.dimensions == {"x0": Float(0, 10), "x1": Float(-1, 1)}
        for params in ([5, 0], (5.0, 0.0), np.array([5, 0]), {"x0": 5, "x1": 0}):
            assert box.encode(params).tolist() == [0.5, 0.5]
        got = box.argument({"x0": 5, "x1": 0})
        assert isinstance(got, np.ndarray)
        assert got.dtype == np.float64
        assert got.tolist() == [5, 0]

    def test_named_bounds(self):
        box = Box({"a": (0, 10), "b": Float(1, 100, log=True), "c": (1, 10, "log")}, repeats="never")
        assert not box.unnamed
        assert box.repeats == "never"
        assert box.argument({"a": 1, "b": 2, "c": 3}) == {"a": 1.0, "b": 2.0, "c": 3.0}
        with pytest.raises(InvalidInput, match="mapping"):
            box.encode([1, 2, 3])

    def test_bounds_as_an_array(self):
        assert Box(np.array([[0, 1], [2, 3]])) == Box([(0, 1), (2, 3)])

    @pytest.mark.parametrize(
        "bounds",
        [[], {}, 3, "ab", None, [(0, 1, 2)], [0, 1], [(0, "a")], {"a": Int(0, 1)}, [(1, 0)], np.array(3.0), [[]]],
    )
    def test_bad_bounds_are_refused(self, bounds):
        with pytest.raises(InvalidInput):
            Box(bounds)

    @pytest.mark.parametrize("params", [[1], [1, 2, 3], [[1, 2]], "ab", 5, [1, "a"], [1, [2]]])
    def test_bad_positions_are_refused(self, params):
        with pytest.raises(InvalidInput):
            Box([(0, 10), (0, 10)]).encode(params)


@pytest.mark.parametrize("dimensions", [{}, None, [("a", (0, 1))], {3: (0, 1)}, {"": (0, 1)}, {"a": None}, {"a": {1}}])
def test_bad_spaces_are_refused(dimensions):
    with pytest.raises(InvalidInput):
        Mixed(dimensions)


def test_errors_name_the_parameter_and_repeats_is_checked():
    with pytest.raises(InvalidInput, match=r"parameter 'depth': low must be below high.*Swap"):
        Mixed({"depth": (5, 1)})
    with pytest.raises(InvalidInput, match="'all', 'allow', 'auto' or 'never', got 'maybe'"):
        Mixed({"depth": (1, 5)}, repeats="maybe")
    with pytest.raises(InvalidInput, match="m must be"):
        Box([(0, 1)]).sample(-1, np.random.default_rng(0))


def test_equality_repr_copy_and_pickle():
    space = everything()
    assert space == Mixed(dict(KINDS))
    assert space != Mixed(dict(reversed(KINDS.items())))
    assert space != Mixed(KINDS, repeats="never")
    assert Box([(0, 1)]) != Box({"x0": (0, 1)})
    assert space != 3
    for twin in (copy.copy(space), copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert twin == space
    names = {"Float": Float, "Int": Int, "Ordinal": Ordinal, "Categorical": Categorical, "Fixed": Fixed}
    for each in (space, Box([(0, 1)]), Box({"a": (0, 1)})):
        assert eval(repr(each), {"Mixed": Mixed, "Box": Box, **names}) == each


def test_frozen():
    space = everything()
    with pytest.raises(AttributeError):
        space.names = ()
    with pytest.raises(ValueError, match="read-only"):
        space.continuous[0] = False
    space.dimensions["rate"] = None
    assert space.dimensions["rate"] == KINDS["rate"]


def test_large_spaces_are_quick():
    space = Mixed(
        {f"x{i}": (0.0, 1.0) for i in range(120)} | {"c": [f"c{i}" for i in range(1000)], "n": (1, 10**9, "log")}
    )
    start = time.process_time()
    X = space.snap(space.sample(5000, np.random.default_rng(0)))
    assert len(space.moves(X[0], 120)) == 999
    for x in X[:50]:
        space.encode(space.decode(x))
    assert time.process_time() - start < 3.0
