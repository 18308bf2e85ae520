"""Known errors and replicates in files: what has one reading is read, what has two is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.sheets import Measurement, Reading, read_experiments, read_round, result_cell
from regretless.sheets.measurement import as_measured, error_columns, stray_errors

ADVICE = Reading().advice


@pytest.fixture
def write(tmp_path):
    def call(text):
        path = tmp_path / "lab.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return call


def rows_of(path, outcomes=("yield",), **reading):
    return read_round(path, trial="trial", factors=["T"], outcomes=outcomes, reading=Reading(**reading))


@pytest.mark.parametrize("name", ["yield sd", "yield_sd", "yield ±"])
def test_a_column_of_known_errors(write, name):
    found = read_experiments(write(f"T,yield,{name}\n20,81.5,0.4\n30,80,\n40,,0.4\n50,failed,0.4\n"), outcomes="yield")
    assert found.results["yield"] == (Measurement((81.5,), 0.4), 80.0, None, "failed")
    assert found.errors == {"yield": name}
    assert list(found.factors) == ["T"]


def test_the_unit_may_stand_last_and_an_outcome_is_no_error():
    assert error_columns(["yield [%]_sd"], ["yield [%]"]) == {"yield [%]": "yield [%]_sd"}
    assert error_columns(["yield sd [%]", "T"], ["yield [%]"]) == {"yield [%]": "yield sd [%]"}
    assert error_columns(["yield sd"], ["yield", "yield sd"]) == {}  # it is measured itself
    assert error_columns(["yield sd"], ["yield"], taken=["yield sd"]) == {}
    with pytest.raises(InvalidInput, match="'yield sd' and 'yield_sd' both hold"):
        error_columns(["yield sd", "yield_sd"], ["yield"])


@pytest.mark.parametrize("name", ["yield std", "yield (SD)", "Std Dev yield", "yield error", "se yield", "yield_SEM"])
def test_what_looks_like_an_error_is_not_taken_for_a_factor(write, name):
    text = f"T,yield,{name}\n20,81.5,0.4\n30,80,0.4\n"
    with pytest.raises(InvalidInput, match=r"looks like an error of 'yield'\. Call it 'yield sd' if"):
        read_experiments(write(text), outcomes="yield")
    found = read_experiments(write(text), Reading(ignore=(name,)), outcomes="yield")
    assert found.results["yield"] == (81.5, 80.0)


def test_other_columns_are_factors_as_before():
    assert stray_errors(["sex", "standard", "yield target", "T sd", "yields"], ["x", "yield"]) == {}


@pytest.mark.parametrize("cell", ["0", "-0.4", "±0.4", "0.4 %", "nan", "failed", "0,4"])
def test_an_error_is_a_positive_number(write, cell):
    with pytest.raises(InvalidInput, match=r"line 2, column 'yield sd': .* is not a standard deviation"):
        read_experiments(write(f'T,yield,yield sd\n20,81.5,"{cell}"\n'), Reading(decimal="."), outcomes="yield")


def test_several_numbers_in_a_cell_are_replicates(write):
    found = read_experiments(write("T,yield,yield sd\n20,80.1; 81.3,0.4\n30,80.1;  81.3 ; 79,\n"), outcomes="yield")
    assert found.results["yield"] == (Measurement((80.1, 81.3), 0.4), Measurement((80.1, 81.3, 79.0)))
    found = read_experiments(write('T;yield\n20;"80,1; 81"\n30;\n'), outcomes="yield")
    assert found.results["yield"] == (Measurement((80.1, 81.0)), None)


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("81;2", "has two readings. If it is several measurements, write a blank after each semicolon: 81; 2"),
        ("80.1, 81.3", "is not a number"),
        ("80.1; about 81", "is not a number: 'about 81'"),
        ("80.1; failed", "is not a number: 'failed'"),
        ("80.1; ", None),
        ("80.1 81.3", "is not a number"),
        ("80,1; 81,3", 'decimal="," if that is its decimal mark'),
    ],
)
def test_lists_with_two_readings_are_refused(cell, says):
    cell = cell.strip()
    if says is None:
        says = "is not a number"
    with pytest.raises(InvalidInput) as error:
        as_measured(cell, 2, "yield", decimal=".", advice=lambda option, value: f'{option}="{value}"')
    assert says in str(error.value)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6),
    st.none() | st.floats(1e-300, 1e300),
    st.sampled_from(".,"),
)
def test_what_is_written_is_read_back(numbers, sd, decimal):
    numbers = [number + 0.0 for number in numbers]
    value = Measurement(tuple(numbers), sd) if len(numbers) > 1 or sd is not None else numbers[0]
    cell = result_cell(value, decimal)
    text = cell if isinstance(cell, str) else repr(cell).replace(".", decimal)
    assert as_measured(text, 2, "yield", decimal=decimal, advice=ADVICE, sd=sd) == value


def test_lines_of_one_trial_are_replicates(write):
    path = write(
        "trial,T,yield,impurity,yield sd\n3,20,81.5,,0.4\n4,30,failed,0.2,\n3,20,80,0.3,0.4\n3,20,,0.5,\n5,40,,,\n"
    )
    first, second, third = rows_of(path, ("yield", "impurity"))
    assert (first.line, first.trial) == (2, 3)
    assert first.filled == {"yield": Measurement((81.5, 80.0), 0.4), "impurity": Measurement((0.3, 0.5))}
    assert second.filled == {"yield": "failed", "impurity": 0.2}
    assert third.filled == {}


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("3,20,81,0.4\n3,30,80,0.4", "lines 2 and 3, both of trial 3, differ in 'T'"),
        ("3,20,81,\n3,20,failed,", "yield has a number and failed"),
        ("3,20,81,0.4\n3,20,80,0.5", "yield has two standard deviations"),
        ("3,20,81,0.4\n3,20,80,", "yield has two standard deviations"),
        ("3,20,81,0.4\n3,20,81,0.4", "lines 2 and 3 are the same in every cell"),
    ],
)
def test_lines_that_are_no_replicates(write, lines, says):
    with pytest.raises(InvalidInput, match=says):
        rows_of(write(f"trial,T,yield,yield sd\n{lines}\n"))


def test_empty_lines_may_be_alike(write):
    assert [row.filled for row in rows_of(write("trial,T,yield\n3,20,\n3,20,\n4,20,failed\n4,20,failed\n"))] == [
        {},
        {"yield": "failed"},
    ]
