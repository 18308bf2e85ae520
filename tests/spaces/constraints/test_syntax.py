import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.spaces.constraints.atoms import Kind, Numeric, alternatives_of
from regretless.spaces.constraints.expression import linear_form, value_of
from regretless.spaces.constraints.syntax import read_constraint


def numeric(text, names="xyzabT", real=True):
    tree = read_constraint(text)
    return alternatives_of(tree, {name: Kind(-10.0, 10.0, real) for name in names})


def linear(text):
    ((atom,),) = numeric(text)
    return atom.op, dict(zip(atom.names, atom.coefficients, strict=True)), atom.constant


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("x + y <= 1", ("<=", {"x": 1, "y": 1}, -1)),
        ("2*a - b >= 0", ("<=", {"a": -2, "b": 1}, 0)),
        ("x + y + z == 1", ("==", {"x": 1, "y": 1, "z": 1}, -1)),
        ("-(x - 2*y)/4 + 3 <= x*2", ("<=", {"x": -2.25, "y": 0.5}, 3)),
        ("1 >= x", ("<=", {"x": 1}, -1)),
        ("x - x + y <= 2", ("<=", {"y": 1}, -2)),
        ("sqrt(4)*x <= 10**1", ("<=", {"x": 2}, -10)),
        ("1e-3*x <= .5", ("<=", {"x": 0.001}, -0.5)),
        ("x**1 <= 2", ("<=", {"x": 1}, -2)),
    ],
)
def test_linear_ones_are_recognised(text, want):
    assert linear(text) == want


def test_chains_alternatives_and_names_in_backticks():
    assert len(numeric("0 <= x - y <= 2")[0]) == 2
    assert [len(atoms) for atoms in numeric("x <= 1 or (y <= 2 and z <= 3)")] == [1, 2]
    tree = read_constraint("`P3HT content (%)` + d1 <= 50")
    ((atom,),) = alternatives_of(tree, {"P3HT content (%)": Kind(0, 100, True), "d1": Kind(0, 100, True)})
    assert atom.names == ("P3HT content (%)", "d1")


def test_categories():
    kinds = {"s": Kind(levels=("water", "oil", "air")), "T": Kind(0, 200, True), "n": Kind(1, 9)}

    def read(text):
        return alternatives_of(read_constraint(text), kinds)

    (level,), (number,) = read("s != 'water' or T <= 100")
    assert (level.values, level.inside, number.names) == (("water",), False, ("T",))
    assert read("'oil' == s")[0][0].inside
    assert not read('not (s in ["oil", "air"])')[0][0].inside
    assert read("s not in ['oil']") == read("not s == 'oil'")
    assert [atoms[0].op for atoms in read("n in [1, 3]")] == ["==", "=="]
    assert [atom.op for atom in read("n not in [1, 3]")[0]] == ["!=", "!="]
    assert [atoms[0].op for atoms in read("not (n == 3 and s == 'oil')")[:1]] == ["!="]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x < 1", "write <= in place of <"),
        ("x = 1", "write == for equality"),
        ("x", "a comparison such as"),
        ("", "must not be empty"),
        ("x <= ", "ends too early"),
        ("(x <= 1", "is missing"),
        ("x.y <= 1", "cannot be read"),
        ("__import__('os') <= 1", "no function '__import__'"),
        ("expp(x) <= 1", "Did you mean 'exp'"),
        ("x[0] <= 1", "a comparison such as"),
        ("lambda: 1 <= x", "cannot be read"),
        ("x; y <= 1", "cannot be read"),
        ("sqrt(x, y) <= 1", "takes 1 number"),
        ("min(x) <= 1", "takes 2 numbers or more"),
        ("'a' + x <= 1", "no number to compute with"),
        ("x in []", "list is empty"),
        ("x + y in [1]", "only a parameter"),
        ("x <= 1 y", "not expected there"),
        ("(" * 60 + "x" + ")" * 60 + " <= 1", "more than 50"),
        ("-" * 60 + "x <= 1", "more than 50"),
        (" + ".join(["x"] * 2000) + " <= 1", "up to 600"),
        ("x ** 2 == 1", "must be linear"),
        ("x != 1", "leaves out nothing"),
        ("x in [1]", "never in a list"),
        ("not x <= 1", "would leave the border out"),
        ("x == 'a'", "is a number"),
        ("1e999 * x <= 1", "not finite"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, why):
    with pytest.raises(InvalidInput) as error:
        numeric(text)
    assert why in str(error.value)


@given(st.text(alphabet="xyz0123456789.eE+-*/()<>=! andorti'\"`[],_", max_size=40))
@settings(max_examples=400)
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(InvalidInput):
        read_constraint(text)


def expressions():
    leaves = st.one_of(
        st.sampled_from(["x", "y", "z"]), st.integers(0, 9).map(str), st.sampled_from(["0.5", "2.25", "1e2"])
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            st.tuples(inner, st.sampled_from("+-*"), inner).map(" ".join),
            inner.map(lambda t: f"-{t}"),
            inner.map(lambda t: f"abs({t})"),
            st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})"),
        ),
        max_leaves=8,
    )


@given(expressions(), st.tuples(*[st.floats(-5, 5)] * 3))
@settings(max_examples=300)
def test_values_are_those_of_python(text, point):
    """Python's own arithmetic is the oracle, for precedence and signs; linear forms agree with it."""
    tree = read_constraint(f"{text} <= 0")
    values = dict(zip("xyz", point, strict=True))
    want = eval(text, {"abs": abs, "max": max}, values)
    assert value_of(tree.left, values) == pytest.approx(want, rel=1e-12, abs=1e-12)
    form = linear_form(tree.left, {})
    if form is not None:
        assert sum(c * values[n] for n, c in form[0].items()) + form[1] == pytest.approx(want, rel=1e-9, abs=1e-7)


def test_where_a_formula_has_no_value_it_does_not_hold():
    for text in ("x / 0 <= 1", "log(x) >= -5", "sqrt(x) <= 3"):
        ((atom,),) = numeric(text)
        assert atom.holds({"x": np.array([1.0, -1.0, 0.0])}, list).tolist() == [text[0] != "x", False, text[0] == "s"]


def test_the_tolerance_is_by_the_sizes_of_the_terms():
    ((atom,),) = numeric("x + y <= 1")
    assert isinstance(atom, Numeric)
    assert atom.tolerance == pytest.approx(21e-9)
    inside = atom.holds({"x": np.array([0.5, 0.5, 0.5]), "y": np.array([0.5, 0.5 + 20e-9, 0.5 + 22e-9])}, list)
    assert inside.tolist() == [True, True, False]
