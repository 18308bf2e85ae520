"""What Excel and its users write, read without a guess."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.sheets import Reading, read_experiments, read_sheet


@pytest.fixture
def write(tmp_path):
    def write_bytes(data, name="lab.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write_bytes


SAME = [
    "temp,acid,yield\n20.5,HCl,1.5\n-4,HNO3,\n",
    "temp,acid,yield\r\n20.5,HCl,1.5\r\n-4,HNO3,\r\n",
    b"\xef\xbb\xbftemp;acid;yield\r\n20,5;HCl;1,5\r\n-4;HNO3;\r\n",
    "sep=;\r\ntemp;acid;yield\r\n20,5;HCl;1,5\r\n-4;HNO3;\r\n",
    "temp\tacid\tyield\n20.5\tHCl\t1.5\n-4e0\tHNO3\n",  # cells at the end of a line are left out
    'temp,acid,yield,,\n"20.5","HCl","1.5",,\n -4 , HNO3 ,,,\n,,,,\n\n',  # blank columns and rows at the end
    "temp,acid,yield\n20.5,HCl,1.5\n,,\n-4,HNO3,PENDING\n",  # a blank row in between
    "temp;acid;yield\n+2,05e1;HCl;1,5\n-4;HNO3;\n",
]


@pytest.mark.parametrize("data", SAME, ids=range(len(SAME)))
def test_the_ways_one_table_is_written(write, data):
    path = write(data)
    before = path.read_bytes()
    found = read_experiments(path, outcomes="yield")
    assert found.factors == {"temp": [20.5, -4.0], "acid": ["HCl", "HNO3"]}
    assert found.values == (1.5, None)
    assert path.read_bytes() == before


def test_lines_are_those_of_the_spreadsheet(write):
    found = read_experiments(write('a,b\n1,"two\nlines"\n,\n3,x\n'), Reading(categorical=("b",)))
    assert found.lines == (2, 4)
    assert found.ids == (2, 4)


def test_semicolons_win_over_commas_in_names_and_numbers(write):
    found = read_experiments(write("T, °C;p, bar;yield, %\n20,5;1,0;3,5\n30,5;2,0;\n"), outcomes="yield, %")
    assert found.factors == {"T, °C": [20.5, 30.5], "p, bar": [1.0, 2.0]}
    assert found.dialect.delimiter == ";"
    assert found.dialect.decimal == ","


def test_whole_numbers_stay_whole(write):
    found = read_experiments(write("a,b\n1,2.0\n3,4\n"))
    assert [type(value) for value in found.factors["a"]] == [int, int]
    assert [type(value) for value in found.factors["b"]] == [float, float]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("t;p;y\n1,5;1.500;1\n", "which is the decimal mark"),  # 1.500: one and a half, or fifteen hundred?
        ("t;y\n1,5;1\n1.5;2\n", "mixes decimal points and decimal commas"),
        ('t,y\n"1,5",1\n"2,5",2\n', '--decimal ","'),
        ("t\ty\n1,5\t1\n2,5\t2\n", '--decimal ","'),
        ("t,y\n20,1\n40 C,2\n60,3\n", r"'40 C' in line 3 \(40, without the unit\?\)"),
        ("t,y\n20,1\nhot,2\n", "--categorical t"),
        ("t,y\n20 C,1\n40 C,2\n", "looks like numbers with something else"),
        ("t,y\n5%,1\n10%,2\n", "looks like numbers with something else"),
        ("t,y\n3 mg/ml,1\n4 mg/ml,2\n", "looks like numbers with something else"),
        ("t,y\n1\u00a0000,1\n2\u00a0000,2\n", "looks like numbers with something else"),
        ("t,y\n20°C,1\n40°C,2\n", "looks like numbers with something else"),
        ("t,y\n20,1\n#DIV/0!,2\n", "line 3, column 't' holds the error #DIV/0!"),
        ("t,y\n20,1\n,2\n", "line 3, column 't' is empty"),
        ("t,y\n20,81 %\n", "line 2, column 'y': '81 %' is not a number"),
        ("t,y\n20,~80\n", "not a number"),
        ("t,y\n20,1e999\n", "too large"),
        ("t,y\n1e999,2\n", "too large"),
        ("t,y\n" + "9" * 5000 + ",2\n", "too large"),
        ("t,y\n20,nan\n", "not a number"),
        ("t,y\n20,#N/A\n", "not a number"),
        ("t,y\n1,2,3\n", "line 2: 3 cells, but the header names 2 columns"),
        ("t,y\n\n", "no rows"),
        ("t,t\n1,2\n", "two columns are called 't'"),
        ("t,,y\n1,5,2\n", "column 2 has no name"),
        ("y\n1\n", "no column of factors is left"),
        ("t,yy\n1,2\n", "no column 'y'.*Did you mean 'yy'"),
        ("note,t,y\n" + "".join(f"text {i},{i},\n" for i in range(12)), "12 different texts.*--id note"),
    ],
)
def test_doubts_are_explained(write, data, says):
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        read_experiments(write(data), Reading(asked_in="prompt"), outcomes="y")


def test_the_answers_to_the_questions_are_taken(write):
    path = write('t,y\n"1,5","2,5"\n"2,5",\n')
    assert read_experiments(path, Reading(decimal=","), outcomes="y").factors == {"t": [1.5, 2.5]}
    path = write("t,y\n20,1\nhot,2\n")
    assert read_experiments(path, Reading(categorical=("t",)), outcomes="y").factors == {"t": ["20", "hot"]}
    with pytest.raises(InvalidInput, match=r"1\.500"):
        read_experiments(write("t;p;y\n1,5;1.500;1\n2;2.500;1\n"), Reading(decimal=","), outcomes="y")


@pytest.mark.parametrize("names", [("1,4-dioxane", "2-MeTHF"), ("water", "18-crown-6"), ("3,5-lutidine", "4-picoline")])
def test_names_that_begin_with_a_digit_are_names(write, names):
    text = "solvent,y\n" + "".join(f'"{name}",\n' for name in names)
    assert read_experiments(write(text), outcomes="y").factors == {"solvent": list(names)}


def test_a_column_has_one_role(write):
    path = write("t,y\n20,1\n")
    with pytest.raises(InvalidInput, match="two roles"):
        read_experiments(path, Reading(ignore=("y",)), outcomes="y")
    with pytest.raises(InvalidInput, match="two roles"):
        read_experiments(path, Reading(id="y"), outcomes="y")
    with pytest.raises(InvalidInput, match="--ignore"):
        read_experiments(path, Reading(ignore=("notes",), asked_in="prompt"), outcomes="y")


def test_a_scope_needs_no_column_of_results_yet(write):
    path = write("t,p\n20,1\n30,1\n")
    found = read_experiments(path, outcomes="yield", must_have=False)
    assert found.values == (None, None)
    with pytest.raises(InvalidInput, match="Did you mean"):  # a slip of the pen would make the results a factor
        read_experiments(write("t,Yield\n20,1\n"), outcomes="yield", must_have=False)


def test_edbo_files(write):
    data = (
        "base,T,priority,yield,cost,yield_predicted_mean,yield_predicted_variance,yield_expected_improvement\n"
        "K2CO3,80,1.0,PENDING,PENDING,50.1,4.0,0.2\nNaOH,60,0.0,PENDING,PENDING,50.2,4.1,0.1\n"
        "NaOH,80,-1.0,71.5,3.0,71.5,0.1,0.0\n"
    )
    found = read_experiments(write(data), outcomes="yield")
    assert list(found.factors) == ["base", "T"]
    assert found.values == (None, None, 71.5)
    assert len(found.notes) == 5
    assert any("priority" in note for note in found.notes)
    own = read_experiments(write("priority,y\n3,1\n1,2\n"), outcomes="y")  # a factor of that name is not EDBO+'s
    assert list(own.factors) == ["priority"]
    kept = read_experiments(write("priority,t,y\n1,2,1\n0,3,2\n"), Reading(categorical=("t",)), outcomes="y")
    assert list(kept.factors) == ["t"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"a,b\n1,\x002\n", "NUL"),
        ("a,b\n1,2\n".encode("utf-16"), "NUL"),
        ("a,b\nä,2\n".encode("latin-1"), "line 2: not UTF-8"),
        ("a,b\nä,2\n".encode() + "ö,3\n".encode("cp1252"), "line 3: not UTF-8"),
        (",".join(f"c{i}" for i in range(1_000_000)) + "\n" + ",".join("1" * 1_000_000) + "\n", "1000000 columns"),
        ('a,b\n"1,2\n', "line 2"),
        ("a,b\n" + "x" * 200_000 + ",1\n", "field larger"),
    ],
    ids=["NUL", "UTF-16", "latin-1", "mixed", "million columns", "open quote", "long cell"],
)
def test_hostile_files(write, data, says):
    with pytest.raises(InvalidInput, match=says):
        read_experiments(write(data), outcomes="b")


def test_formulas_are_text_and_never_numbers(write):
    found = read_experiments(write('a,y\n=1+2,1\n"=HYPERLINK(""http://x"")",2\n'), outcomes="y")
    assert found.factors == {"a": ["=1+2", '=HYPERLINK("http://x")']}
    with pytest.raises(InvalidInput, match="'=1\\+2' is not a number"):
        read_experiments(write("a,y\n1,=1+2\n"), outcomes="y")
    with pytest.raises(InvalidInput, match="'=1\\+2' in line 3"):
        read_experiments(write("a,y\n1,1\n=1+2,1\n"), outcomes="y")


@pytest.mark.parametrize("suffix", [".xls", ".ods"])
def test_other_spreadsheets_are_explained(write, suffix):
    with pytest.raises(InvalidInput, match="CSV UTF-8"):
        read_sheet(write(b"PK", f"lab{suffix}"))


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([",", ";"]))
def test_every_float_survives(tmp_path_factory, value, delimiter):
    path = tmp_path_factory.mktemp("one") / "lab.csv"
    text = repr(value) if delimiter == "," else repr(value).replace(".", ",")
    path.write_text(f"a{delimiter}y\n{text}{delimiter}{text}\n")
    found = read_experiments(path, outcomes="y")
    assert found.values == (value,)
    assert math.isclose(found.factors["a"][0], value, rel_tol=0.0)


def test_a_point_may_separate_thousands_between_semicolons(write):
    """A German Excel writes a thousand as 1.000 where it shows it so: 900 and 1.000 are not 900 and 1."""
    path = write("a;y\n900;1\n1.000;2\n")
    with pytest.raises(InvalidInput, match=r"column 'a' holds 1.000. Use --decimal \".\" if the point is the decimal"):
        read_experiments(path, Reading(asked_in="prompt"), outcomes="y")
    assert read_experiments(path, Reading(decimal="."), outcomes="y").factors == {"a": [900.0, 1.0]}
    assert read_experiments(write("a;y\n0.5;1\n1.500;2\n"), outcomes="y").factors == {"a": [0.5, 1.5]}
    assert read_experiments(write("a;b;y\n1.5;1.500;2\n"), outcomes="y").factors == {"a": [1.5], "b": [1.5]}
    assert read_experiments(write("a,y\n900,1\n1.000,2\n"), outcomes="y").factors == {"a": [900.0, 1.0]}


def test_the_encoding_of_excel_is_named(write):
    """What Excel calls CSV, without more, is in the encoding of Windows."""
    with pytest.raises(InvalidInput, match=r"line 2: not UTF-8 text \(byte 0xf6\)\. In Excel choose .*'CSV UTF-8'"):
        read_experiments(write("a;y\nlöslich;1\n".encode("cp1252")), outcomes="y")
