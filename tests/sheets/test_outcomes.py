"""Files with several columns of results."""

import pytest

from regretless.errors import InvalidInput
from regretless.sheets import read_experiments, read_round

OUTCOMES = ("yield", "impurity")


@pytest.fixture
def write(tmp_path):
    def call(text):
        path = tmp_path / "lab.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return call


def test_every_outcome_has_a_column_and_none_is_a_factor(write):
    found = read_experiments(write("T,yield,impurity\n20,81.5,0.3\n30,,failed\n40,PENDING,\n"), outcomes=OUTCOMES)
    assert found.factors == {"T": [20.0, 30.0, 40.0]}
    assert found.results == {"yield": (81.5, None, None), "impurity": (0.3, "failed", None)}
    assert [found.measured(i) for i in range(3)] == [{"yield": 81.5, "impurity": 0.3}, {"impurity": "failed"}, {}]
    assert found.values == (81.5, None, None)


def test_an_outcome_that_is_not_there_is_empty_or_refused(write):
    path = write("T,yield\n20,81.5\n30,\n")
    assert read_experiments(path, outcomes=OUTCOMES, must_have=False).results["impurity"] == (None, None)
    with pytest.raises(InvalidInput, match="has no column 'impurity'"):
        read_experiments(path, outcomes=OUTCOMES)
    with pytest.raises(InvalidInput, match="Did you mean 'impurty'"):
        read_experiments(write("T,yield,impurty\n20,81.5,\n"), outcomes=OUTCOMES, must_have=False)


def test_an_outcome_is_not_taken_for_a_misspelling_of_another(write):
    path = write("T,yield 1\n20,81.5\n")
    assert read_experiments(path, outcomes=("yield 1", "yield 2"), must_have=False).results["yield 2"] == (None,)


def test_the_decimal_mark_is_told_by_every_outcome(write):
    found = read_experiments(write("T;yield;impurity\n20;81;0,3\n30;;\n"), outcomes=OUTCOMES)
    assert found.measured(0) == {"yield": 81.0, "impurity": 0.3}
    with pytest.raises(InvalidInput, match=r"line 2, column 'impurity': '~0\.3' is not a number"):
        read_experiments(write("T,yield,impurity\n20,81,~0.3\n30,,\n"), outcomes=OUTCOMES)


def test_a_round_has_values_by_outcome(write):
    path = write("trial,T,yield,impurity\n3,20,81.5,\n4,30,failed,0.2\n5,40,,\n")
    rows = read_round(path, trial="trial", factors=["T"], outcomes=OUTCOMES)
    assert [row.filled for row in rows] == [{"yield": 81.5}, {"yield": "failed", "impurity": 0.2}, {}]
    assert rows[0].values == {"yield": 81.5, "impurity": None}


def test_a_round_needs_every_column(write):
    with pytest.raises(InvalidInput, match=r"lacks 'impurity' of the columns .* and has 'purity' instead"):
        read_round(write("trial,T,yield,purity\n3,20,81.5,\n"), trial="trial", factors=["T"], outcomes=OUTCOMES)
