import itertools
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.sheets import Mixture, read_scope


@given(st.integers(2, 4), st.integers(1, 8), st.integers(1, 5))
def test_mixtures_against_brute_force(m, units, at_most):
    mixture = Mixture(tuple("abcd"[:m]), units, Decimal(1) / Decimal(units) if 10 % units == 0 else Decimal(1), at_most)
    every = [c for c in itertools.product(range(units + 1), repeat=m) if sum(c) == units]
    expected = [c for c in every if sum(part > 0 for part in c) <= at_most]
    rows = list(mixture.rows())
    assert mixture.size == len(rows) == len(expected)
    assert [tuple(Decimal(str(v)) for v in row) for row in rows] == [
        tuple(p * mixture.step for p in c) for c in expected
    ]


@pytest.fixture
def scope(tmp_path):
    def read(text):
        path = tmp_path / "scope.toml"
        path.write_text(text)
        return read_scope(path)

    return read


def test_a_product_of_everything(scope):
    found = scope(
        """
        [factors]
        acid = ["HCl", "HNO3"]
        dose = { from = 0.1, to = 0.7, step = 0.1 }
        n = [1, 2]
        [[mixture]]
        parts = ["A", "B", "C"]
        step = 0.05
        at_most = 2
        """
    )
    rows = list(found.rows())
    assert found.size == len(rows) == 2 * 7 * 2 * 60
    assert len({tuple(row.values()) for row in rows}) == len(rows)
    assert sorted({row["dose"] for row in rows}) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]  # a step of a tenth is a tenth
    assert all(sum(Decimal(str(row[part])) for part in "ABC") == 1 for row in rows)
    assert rows[0] == {"acid": "HCl", "dose": 0.1, "n": 1, "A": 0, "B": 0, "C": 1}


def test_the_size_is_known_without_building(scope):
    found = scope("[factors]\n" + "".join(f"f{i} = {{ from = 0, to = 99999, step = 1 }}\n" for i in range(6)))
    assert found.size == 10**30


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs factors"),
        ("factor = 1", "unknown key 'factor'.*Did you mean 'factors'"),
        ("[factors]\na = []", "cannot be read"),
        ("[factors]\na = [1, 'x']", "mixes number and text"),
        ("[factors]\na = [1, 1]", "twice"),
        ("[factors]\na = [inf]", "cannot|number"),
        ("[factors]\na = {from = 0, to = 1}", "step must be a number"),
        ("[factors]\na = {from = 0, to = 1, step = 0.3}", "not a whole number of steps"),
        ("[factors]\na = {from = 1, to = 0, step = 0.5}", "from <= to"),
        ("[factors]\na = {from = 0, to = 1, step = 0}", "positive step"),
        ("[factors]\na = {from = 0, to = 1, step = 1e-9}", "more than"),
        ("[[mixture]]\nparts = ['a']\nstep = 0.1", "two parts"),
        ("[[mixture]]\nparts = ['a', 'b']\nstep = 0.3", "not a whole number of steps"),
        ("[[mixture]]\nparts = ['a', 'b']\nstep = 0.1\nat_most = 0", "at_most"),
        ("[[mixture]]\nparts = ['a', 'b']\nstep = 0.1\n[factors]\na = [1]", "named twice"),
        ("not toml", "cannot be read as TOML"),
    ],
)
def test_bad_descriptions(scope, text, says):
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        scope(text)
