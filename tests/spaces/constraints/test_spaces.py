"""Constraints of boxes, mixed spaces and tables: what they leave, what they refuse, and how they are stored."""

import copy
import itertools
import json
import pickle

import numpy as np
import pytest

from regretless.errors import InvalidInput, UntrustedCode
from regretless.spaces import (
    Box,
    Categorical,
    Fixed,
    Float,
    Int,
    Mixed,
    Mixture,
    Ordinal,
    Table,
    as_space,
    as_table,
    extended_table,
    further_rows,
    read_rows,
    space_from_data,
    space_to_data,
    with_constraints,
)

UNIT = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def a_circle(p):
    return 0.25 - (p["x"] - 0.5) ** 2 - (p["y"] - 0.5) ** 2


def rng():
    return np.random.default_rng(0)


# Membership -----------------------------------------------------------------------------------------------------------


def test_membership_and_what_check_says():
    space = Mixed(UNIT, constraints=["x + y <= 1", "x - y >= -0.5"])
    assert space.feasible({"x": 0.5, "y": 0.5})
    assert not space.feasible({"x": 0.5, "y": 0.6})
    with pytest.raises(InvalidInput, match=r"violates 'x \+ y <= 1'"):
        space.check({"x": 0.5, "y": 0.6})
    with pytest.raises(InvalidInput, match="must lie in"):
        space.feasible({"x": 1.5, "y": 0.0})
    assert space.place({"x": 0.5, "y": 0.5}).inside is True
    assert space.place({"x": 0.9, "y": 0.9}).inside is False
    assert space.place({"x": 0.9, "y": 0.9}).x.tolist() == [0.9, 0.9]


def test_decimals_on_a_border_are_inside():
    space = Mixed({"x": (0.0, 10.0), "y": (0.0, 10.0)}, constraints="x + y <= 0.3")
    assert 0.1 + 0.2 > 0.3
    assert space.feasible({"x": 0.1, "y": 0.2})


def test_what_is_decoded_satisfies_inequalities_without_any_tolerance():
    space = Mixed({"a": (0.0, 3.0), "b": (0.0, 7.0)}, constraints="3*a + b <= 5")
    for x in space.snap(rng().random((300, 2))):
        params = space.decode(x)
        assert 3 * params["a"] + params["b"] <= 5.0


def test_constraints_on_fixed_and_single_parameters():
    space = Mixed({"x": (0.0, 10.0), "s": 3}, constraints=["x + s <= 5", "s <= 4", "2*x >= 1"])
    X = space.sample(200, rng())
    values = [space.decode(x)["x"] for x in X]
    assert min(values) >= 0.5
    assert max(values) <= 2.0
    rate = Mixed({"r": (1e-5, 1e-1, "log")}, constraints="r <= 1e-3")
    codes = rate.sample(400, rng())[:, 0]
    assert codes.max() <= 0.5 + 1e-9
    assert np.mean(codes < 0.25) == pytest.approx(0.5, abs=0.1)  # evenly by order of magnitude


def test_functions():
    space = Box([(0, 1), (0, 1)], constraints=lambda p: p["x0"] >= p["x1"])
    assert all(x[0] >= x[1] for x in space.sample(50, rng()))
    numbers = Mixed(UNIT, constraints=a_circle)
    assert all(a_circle(numbers.decode(x)) >= 0 for x in numbers.snap(rng().random((100, 2))))
    with pytest.raises(InvalidInput, match=r"returned None; it must return True"):
        Mixed(UNIT, constraints=lambda p: p.get("z"))
    with pytest.raises(InvalidInput, match="raised KeyError"):
        Mixed(UNIT, constraints=lambda p: p["z"])


def test_a_function_may_look_at_categories():
    space = Mixed({"s": ["a", "b", "c"], "x": (0.0, 1.0)}, constraints=lambda p: p["s"] == "b" and p["x"] <= 0.5)
    for x in space.sample(30, rng()):
        assert space.decode(x)["s"] == "b"


def test_categories_and_numbers():
    space = Mixed({"s": ["water", "oil"], "T": (20.0, 150.0)}, constraints="s != 'water' or T <= 100")
    points = [space.decode(x) for x in space.sample(300, rng())]
    assert max(p["T"] for p in points if p["s"] == "water") <= 100.0
    assert max(p["T"] for p in points if p["s"] == "oil") > 140.0
    rare = Mixed({"s": [f"s{i}" for i in range(40)], "T": (0.0, 1.0)}, constraints="s == 's7'")
    assert {rare.decode(x)["s"] for x in rare.sample(20, rng())} == {"s7"}


# Finite spaces --------------------------------------------------------------------------------------------------------


def test_finite_spaces_are_listed_as_brute_force_says():
    space = Mixed({"a": (0, 9), "b": [1, 2, 4, 8], "c": ["u", "v"]}, constraints=["a + b <= 9", "c == 'u' or a != 3"])
    want = [
        {"a": a, "b": b, "c": c}
        for a, b, c in itertools.product(range(10), [1, 2, 4, 8], "uv")
        if a + b <= 9 and (c == "u" or a != 3)
    ]
    table = as_table(space, 1000)
    assert [table.params(i) for i in range(table.n_candidates)] == want
    assert space.size == table.n_candidates == len(want)
    assert [table.index_of(p) for p in want] == list(range(len(want)))
    assert table.place({"a": 9, "b": 8, "c": "u"}).inside is False
    with pytest.raises(InvalidInput, match=r"violates 'a \+ b <= 9'"):
        table.check({"a": 9, "b": 8, "c": "u"})


def test_large_products_with_few_points_are_listed():
    space = Mixed({f"n{i}": Int(0, 20) for i in range(8)}, constraints=" + ".join(f"n{i}" for i in range(8)) + " == 3")
    assert space.size == 120  # 8 places for 3 of 1, C(10, 3)
    assert space.enumerate().shape == (120, 8)


# Tables ---------------------------------------------------------------------------------------------------------------


def rows():
    return [{"T": t, "acid": a} for t in (20, 40, 60) for a in ("HCl", "HNO3")]


def test_tables_drop_rows_and_keep_their_ids():
    table = Table(rows(), constraints=["T >= 30", "acid == 'HCl' or T <= 40"])
    assert table.ids == (2, 3, 4)
    assert table.n_candidates == 3
    assert table.rows(0) == (2,)
    assert table.X[:, 0].tolist() == [0.0, 0.0, 1.0]
    assert table.index_of_id(4) == 2
    with pytest.raises(InvalidInput, match="no row has the id 0"):
        table.index_of_id(0)
    with pytest.raises(InvalidInput, match="violates 'T >= 30'"):
        table.check({"T": 20, "acid": "HCl"})
    assert table.place({"T": 20, "acid": "HCl"}).inside is False
    assert not table.feasible({"T": 20, "acid": "HCl"})
    named = Table([{**row, "id": f"E{i}"} for i, row in enumerate(rows())], id="id", constraints="T >= 30")
    assert named.ids == ("E2", "E3", "E4", "E5")
    assert Table(rows(), constraints="acid == 'HCl'").n_levels == (0,)  # one level left: no column


def test_tables_that_are_left_empty_name_the_clash():
    with pytest.raises(InvalidInput, match=r"no row of the table satisfies 'T >= 50' and 'T <= 30'\."):
        Table(rows(), constraints=["acid == 'HCl'", "T >= 50", "T <= 30"])


def test_tables_with_constraints_are_filtered_extended_and_stored():
    table = Table(rows(), constraints="T >= 30")
    again = space_from_data(json.loads(json.dumps(space_to_data(table))))
    assert again == table
    assert again.ids == table.ids
    assert table != Table(rows())
    assert as_space(Table(rows()), constraints="T >= 30") == table
    both = with_constraints(table, "acid == 'HCl'")
    assert both.ids == (2, 4)
    assert both.rows(1) == (4,)
    more = further_rows(
        table, read_rows(table, [{"T": 10, "acid": "HCl"}, {"T": 80, "acid": "HCl"}], id=None, ignore=())
    )
    longer = extended_table(table, more)
    assert longer.n_candidates == table.n_candidates + 1
    assert longer.constraints == table.constraints
    assert longer.params(4) == {"T": 80, "acid": "HCl"}
    assert longer.ids == (2, 3, 4, 5, 6)
    other = read_rows(Table(rows()), table, id=None, ignore=())
    assert other.columns["T"] == [40, 40, 60, 60]


# Clashes and mistakes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "constraints", "why"),
    [
        (UNIT, ["x + y >= 3"], r"no point within the bounds of the parameters satisfies 'x \+ y >= 3'"),
        (UNIT, ["x <= 0.9", "x - y >= 0.5", "y - x >= 0"], r"'x - y >= 0.5' and 'y - x >= 0' contradict"),
        (UNIT, ["x*y >= 3"], r"no point was found that satisfies 'x\*y >= 3'"),
        (UNIT, ["x + z <= 1"], "unknown parameter 'z'"),
        ({"rate": (0.0, 1.0)}, ["rat <= 1"], "Did you mean 'rate'"),
        ({"n": (0, 5), "m": (0, 5)}, ["2*n + 2*m == 3"], "no point within"),
        ({"n": (0, 5), "k": (0, 4), "x": (0.0, 1.0)}, ["2*n + 2*k == 3"], "no point within"),
        ({"x": (0.0, 1.0), "s": 7}, ["s <= 3"], "'s <= 3'"),
        ({"x": (0.0, 1.0), "s": ["a", "b"]}, ["s <= 3"], "'s' is no number"),
        ({"x": (0.0, 1.0), "s": ["a", "b"]}, ["s == 'c'"], "it is one of 'a', 'b'"),
        ({"x": (0.0, 1.0), "s": ["a", "b"]}, ["s == 'a'", "s == 'b'"], "contradict each other"),
        (UNIT, [3], "is a text such as"),
        (UNIT, {"x": 1}, "must be a list of texts"),
        (UNIT, ["1 <= 2"], "names no parameter"),
        ({"r": Mixture(["a", "b"]), "x": (0.0, 1.0)}, ["a + b <= 0.5"], r"the mixture a \+ b = 1 contradict"),
    ],
)
def test_clashes_and_mistakes_are_named(parts, constraints, why):
    with pytest.raises(InvalidInput, match=why):
        Mixed(parts, constraints=constraints)


@pytest.mark.parametrize(
    ("constraints", "count"),
    [
        (["x + y >= 2"], 1),
        (["x == 0.25", "y == 0.5"], 1),
        (["x + y <= 1", "x + y >= 1"], None),
        (["x >= 0", "x + y <= 5"], None),
    ],
)
def test_single_points_flat_sets_and_constraints_that_say_nothing(constraints, count):
    space = Mixed(UNIT, constraints=constraints)
    points = [space.decode(x) for x in space.sample(40, rng())]
    assert all(space.feasible(p) for p in points)
    distinct = {tuple(p.values()) for p in points}
    assert len(distinct) == (count or 40)


# Mixtures -------------------------------------------------------------------------------------------------------------


def test_mixtures():
    recipe = Mixture({"A": (0, 1), "B": (0.1, 0.5), "C": (0, 1)}, total=1.0, at_most=2)
    space = Mixed({"recipe": recipe, "T": (20.0, 80.0)})
    assert space.names == ("A", "B", "C", "T")
    seen = set()
    for x in space.sample(300, rng()):
        p = space.decode(x)
        amounts = [p["A"], p["B"], p["C"]]
        assert sum(map(round_to_decimal, amounts)) == 10**10
        assert sum(a > 0 for a in amounts) <= 2
        assert p["B"] == 0.0 or 0.1 <= p["B"] <= 0.5
        seen.add(tuple(a > 0 for a in amounts))
    assert len(seen) >= 3
    with pytest.raises(InvalidInput, match=r"violates the mixture A \+ B \+ C = 1, at most 2"):
        space.check({"A": 0.4, "B": 0.3, "C": 0.3, "T": 50.0})
    assert space.place({"A": 0.4, "B": 0.3, "C": 0.2, "T": 50.0}).inside is False


def round_to_decimal(amount):
    return round(amount * 10**10)


def test_mixtures_on_a_grid_are_counted_as_combinatorics_says():
    # parts on a grid of u = 10 units, at most k of m present: sum_j C(m, j) C(u - 1, j - 1)
    space = Mixed({"r": Mixture(list("ABCD"), step=0.1, at_most=2)})
    assert space.size == 4 + 6 * 9
    table = as_table(space, 1000)
    assert all(sum(table.params(i).values()) == pytest.approx(1.0) for i in range(table.n_candidates))
    assert Mixed({"r": Mixture(list("ABCD"), step=0.1)}).size == 286


def test_many_supports_are_sampled():
    space = Mixed({"r": Mixture([f"m{i}" for i in range(20)], at_most=3)})  # C(20, 3) = 1140
    supports = {tuple(x > 0) for x in space.sample(100, rng())}
    assert len(supports) > 50


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Mixture({"A": (0, 1)}), "two components or more"),
        (lambda: Mixture(["A", "B"], total=0), "total must be > 0"),
        (lambda: Mixture(["A", "B"], at_most=3), "at_most must be"),
        (lambda: Mixture({"A": (-1, 1), "B": (0, 1)}), "needs 0 <="),
        (lambda: Mixture({"A": (2, 3), "B": (0, 1)}), "above the total"),
        (lambda: Mixture({"A": 1, "B": (0, 1)}), "needs \\(smallest, largest\\)"),
        (lambda: Mixed({"r": Mixture(["A", "B"]), "A": (0.0, 1.0)}), "two parameters are called 'A'"),
        (lambda: Mixed({"r": Mixture({"A": (0, 0.3), "B": (0, 0.3)})}), "the mixture A \\+ B = 1"),
        (lambda: Mixed({"r": Mixture(["A", "B"], step=0.3)}), "do not reach"),
    ],
)
def test_mixtures_that_cannot_be_meant(make, why):
    with pytest.raises(InvalidInput, match=why):
        make()


# Conditions -----------------------------------------------------------------------------------------------------------


def conditional():
    return Mixed(
        {
            "kernel": ["rbf", "poly", "linear"],
            "gamma": Float(0.1, 10.0, log=True, when={"kernel": ["rbf", "poly"]}),
            "degree": Int(2, 5, when={"kernel": "poly"}),
            "coef": Ordinal([0, 1], when={"degree": [4, 5]}),
            "C": (0.1, 1.0),
        }
    )


def test_conditional_parameters_are_absent_where_they_do_not_exist():
    space = conditional()
    keys = set()
    for x in space.sample(200, rng()):
        p = space.decode(x)
        assert ("gamma" in p) == (p["kernel"] != "linear")
        assert ("degree" in p) == (p["kernel"] == "poly")
        assert ("coef" in p) == (p.get("degree") in (4, 5))
        assert space.check(p) == p
        assert space.decode(space.encode(p)) == p
        assert space.argument(p) == p
        keys.add(tuple(p))
    assert len(keys) == 4
    a, b = space.encode({"kernel": "linear", "C": 0.5}), space.encode({"kernel": "linear", "C": 0.5, "gamma": None})
    assert a.tolist() == b.tolist()
    with pytest.raises(InvalidInput, match="missing 'gamma', which exists where kernel is 'rbf' or 'poly'"):
        space.check({"kernel": "rbf", "C": 0.5})
    with pytest.raises(InvalidInput, match=r"'degree' exists only where kernel is 'poly'\. Leave it out"):
        space.check({"kernel": "rbf", "gamma": 1.0, "degree": 3, "C": 0.5})


def test_inactive_columns_do_not_tell_points_apart():
    space = conditional()
    X = space.snap(np.array([[2.0, 0.1, 0.9, 1.0, 0.5], [2.0, 0.8, 0.2, 0.0, 0.5]]))
    assert X[0].tolist() == X[1].tolist()


def test_conditional_points_are_listed_once():
    space = Mixed({"k": ["a", "b"], "n": Int(1, 3, when={"k": "a"}), "m": Categorical([None, "z"], when={"k": "b"})})
    table = as_table(space, 100)
    assert space.size == table.n_candidates == 5
    assert [table.params(i) for i in range(5)] == [
        {"k": "a", "n": 1},
        {"k": "a", "n": 2},
        {"k": "a", "n": 3},
        {"k": "b", "m": None},
        {"k": "b", "m": "z"},
    ]
    assert table.index_of({"k": "a", "n": 3}) == 2


def test_constraints_say_nothing_of_what_does_not_exist():
    space = Mixed({"k": ["a", "b"], "x": Float(0, 1, when={"k": "a"}), "y": (0.0, 1.0)}, constraints="x + y <= 0.5")
    points = [space.decode(x) for x in space.sample(200, rng())]
    assert max(p["y"] for p in points if p["k"] == "b") > 0.9
    assert max(p["x"] + p["y"] for p in points if p["k"] == "a") <= 0.5


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"x": Float(0, 1, when={"z": 1})}, "depends on 'z', which is not a parameter"),
        ({"a": Int(0, 1, when={"b": 1}), "b": Int(0, 1, when={"a": 1})}, "go round in a circle"),
        ({"k": (0.0, 1.0), "x": Float(0, 1, when={"k": 0.5})}, "a real number"),
        ({"k": ["a", "b"], "x": Float(0, 1, when={"k": "c"})}, "must be one of 'a', 'b'"),
        ({"k": "a", "x": Float(0, 1, when={"k": "b"})}, "but k is always 'a'"),
    ],
)
def test_conditions_that_cannot_be_meant(parts, why):
    with pytest.raises(InvalidInput, match=why):
        Mixed(parts)
    with pytest.raises(InvalidInput, match="when must name"):
        Float(0, 1, when={})


# Steps ----------------------------------------------------------------------------------------------------------------


def test_steps_are_exact_decimals():
    part = Float(0, 0.7, step=0.1)
    assert part.values() == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    assert part.size == 8
    assert [part.decode(part.encode(v)) for v in part.values()] == list(part.values())
    assert part.snap(np.array([0.0, 0.5, 1.2])).tolist() == [part.encode(v) for v in (0.0, 0.4, 0.7)]
    assert part.check(0.30000000000000004) == 0.3
    assert part.place(0.25) == (0.25, 0.25 / 0.7, False)
    with pytest.raises(InvalidInput, match=r"plus a multiple of 0\.1"):
        part.check(0.25)
    assert repr(part) == "Float(low=0.0, high=0.7, log=False, step=0.1)"
    assert Int(0, 100, step=25).values() == (0, 25, 50, 75, 100)
    assert Int(0, 100, step=25).moves(0.5).tolist() == [0.0, 0.25, 0.75, 1.0]
    with pytest.raises(InvalidInput, match="plus a multiple of 25"):
        Int(0, 100, step=25).check(30)
    space = as_space({"x": Float(0, 1, step=0.5), "n": Int(0, 10, step=5)})
    assert type(space) is Mixed
    assert space.size == 9
    assert not space.continuous.any()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Float(0, 1, step=0.3), "do not reach 1.0. Use high=0.9 or 1.2"),
        (lambda: Int(1, 100, step=5), "do not reach 100. Use high=96 or 101"),
        (lambda: Float(0, 1, step=0), "step must be > 0"),
        (lambda: Int(0, 10, step=0), "step must be"),
        (lambda: Float(1, 10, log=True, step=1), "do not go together"),
        (lambda: Int(1, 10, log=True, step=1), "do not go together"),
    ],
)
def test_steps_that_cannot_be_meant(make, why):
    with pytest.raises(InvalidInput, match=why):
        make()


# Records, equality, copies --------------------------------------------------------------------------------------------


def test_records_of_everything():
    space = Mixed(
        {
            "recipe": Mixture({"A": (0.0, 1.0), "B": (0.1, 0.5), "C": (0.0, 1.0)}, at_most=2),
            "k": ["a", "b"],
            "x": Float(0, 1, step=0.25, when={"k": "a"}),
            "n": Int(0, 10, step=5),
            "o": Ordinal([1, 2, 4], when={"k": ["a", "b"]}),
            "c": Categorical(["u", "v"], when={"k": "b"}),
            "f": Fixed(3),
        },
        constraints=["A + n <= 8", "k == 'a' or c != 'u'"],
    )
    data = json.loads(json.dumps(space_to_data(space)))
    again = space_from_data(data)
    assert again == space
    assert again.dimensions == space.dimensions
    assert space_to_data(again) == data
    assert repr(again) == repr(space)
    assert "constraints=['A + n <= 8'" in repr(space)
    assert "Mixture" in repr(space)
    for twin in (copy.copy(space), copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert twin == space
        assert twin.sample(5, rng()).tobytes() == space.sample(5, rng()).tobytes()
    assert space != Mixed({"A": (0.0, 1.0)})


def test_records_without_any_are_as_they_were():
    data = space_to_data(Mixed({"x": (0.0, 1.0), "n": (1, 3), "o": [1, 2], "c": ["a", "b"], "f": 7}))
    assert set(data) == {"kind", "repeats", "unnamed", "dimensions"}
    assert [set(part) - {"name"} for part in data["dimensions"]] == [
        {"kind", "low", "high", "log"},
        {"kind", "low", "high", "log"},
        {"kind", "values"},
        {"kind", "values"},
        {"kind", "value"},
    ]
    assert set(space_to_data(Table([{"x": 1}, {"x": 2}]))) == {
        "kind",
        "repeats",
        "unnamed",
        "columns",
        "first",
        "candidate",
        "ids",
    }


def test_functions_are_stored_by_name_and_never_imported_unasked():
    space = Mixed(UNIT, constraints=[a_circle])
    data = json.loads(json.dumps(space_to_data(space)))
    name = f"{__name__}:a_circle"
    assert data["constraints"] == [{"function": name}]
    with pytest.raises(UntrustedCode, match="a_circle"):
        space_from_data(data)
    asked = []
    again = space_from_data(data, resolve=lambda wanted: asked.append(wanted) or a_circle)
    assert asked == [name]
    assert again == space
    with pytest.raises(InvalidInput, match="could not be found again"):
        space_to_data(Mixed(UNIT, constraints=lambda p: p["x"] <= 1))


def test_spaces_with_other_constraints_are_other_spaces():
    one, two = Mixed(UNIT, constraints="x + y <= 1"), Mixed(UNIT, constraints="x  +  y<=1")
    assert one == two
    assert one != Mixed(UNIT, constraints="x + y <= 2")
    assert one != Mixed(UNIT)
    assert as_space(UNIT, constraints="x + y <= 1") == Box(UNIT, constraints="x + y <= 1")
    assert type(as_space(UNIT, constraints="x + y <= 1")) is Box
    assert with_constraints(one, "x >= 0.1").constraints == (
        *one.constraints,
        *Box(UNIT, constraints="x >= 0.1").constraints,
    )
    assert as_space([(0, 1), (0, 1)], constraints="x0 + x1 <= 1").unnamed


def test_the_same_generator_gives_the_same_points():
    space = Mixed({"r": Mixture(list("ABC"), at_most=2), "n": (0, 9)}, constraints="A + n <= 5")
    fresh = Mixed({"r": Mixture(list("ABC"), at_most=2), "n": (0, 9)}, constraints="A + n <= 5")
    fresh.sample(7, np.random.default_rng(9))  # what was asked before leaves no trace
    assert space.sample(50, rng()).tobytes() == fresh.sample(50, rng()).tobytes()
