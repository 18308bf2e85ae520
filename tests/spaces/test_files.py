import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.sheets import read_experiments, write_new
from regretless.spaces import Table


@pytest.fixture
def write(tmp_path):
    def write_bytes(data):
        path = tmp_path / "table.csv"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write_bytes


EXPECTED = [{"temp": 20.5, "acid": "HCl"}, {"temp": -4.0, "acid": "HNO3"}]


@pytest.mark.parametrize(
    "data",
    [
        "temp,acid\n20.5,HCl\n-4,HNO3\n",
        "temp,acid\r\n20.5,HCl\r\n-4,HNO3",
        "temp,acid\r20.5,HCl\r-4,HNO3",
        b"\xef\xbb\xbftemp;acid\n20,5;HCl\n-4;HNO3\n",
        "temp;acid\n20.5;HCl\n-4,0;HNO3\n".replace("20.5", "20,5"),
        "temp;acid\n20.5;HCl\n-4.0;HNO3\n",
        "temp\tacid\n20.5\tHCl\n-4e0\tHNO3\n\n\n",
        'temp,acid\n"20.5","HCl"\n -4 , HNO3 \n,\n',
        '"temp";"acid"\n+2,05e1;HCl\n-4;HNO3\n;\n  \n',
    ],
)
def test_the_ways_spreadsheets_write_one_table(write, data):
    for table in (Table(write(data)), Table(str(write(data))), Table.from_csv(write(data))):
        assert table.names == ("temp", "acid")
        assert [table.params(i) for i in range(table.n_candidates)] == EXPECTED
        assert table.n_levels == (0, 2)


def test_the_delimiter_comes_from_the_header_outside_quotes(write):
    table = Table(write('"a,b,c";d\n1;2\n3;4\n'))
    assert table.names == ("a,b,c", "d")
    assert Table(write("Temp, C;d\n1;2\n")).names == ("Temp, C", "d")
    assert Table(write("only\n1\n2\n")).names == ("only",)


def test_quoted_cells_may_hold_delimiters_and_lines(write):
    table = Table(write('a,b\n"x, y",1\n"two\nlines",2\n'))
    assert [table.params(i)["a"] for i in range(2)] == ["x, y", "two\nlines"]


def test_ids_and_forced_categories_stay_text(write):
    path = write("id,batch,x\n007,01,1\n008,02,2\n009,01,3\n")
    table = Table.from_csv(path, id="id", categorical=["batch"], repeats="never")
    assert table.ids == ("007", "008", "009")
    assert table.params(1) == {"batch": "02", "x": 2.0}
    assert table.n_levels == (2, 0)
    assert table.repeats == "never"
    assert table.index_of_id("008") == 1
    assert Table(path, ignore="id").params(0) == {"batch": 1, "x": 1}


def test_ignored_columns_may_be_empty_and_odd(write):
    path = write("note,x,yield\n,1,\n20 C,2,81 %\nx,3\n")
    table = Table.from_csv(path, ignore=["note", "yield"])
    assert [table.params(i) for i in range(3)] == [{"x": 1}, {"x": 2}, {"x": 3}]


def test_rows_are_called_by_their_line(write):
    """As the command line calls them, and as a spreadsheet numbers them."""
    table = Table(write("a\n1\n\n3\n1\n"))
    assert table.ids == (2, 4)
    assert [table.index_of_id(line) for line in (2, 4, 5, "5")] == [0, 1, 0, 0]
    once = table.numbered()
    assert once.ids == (0, 1)
    assert [once.index_of_id(row) for row in range(3)] == [0, 1, 0]
    assert table.ids == (2, 4)
    named = Table({"a": [1, 2], "n": [5, 6]}, id="n")
    assert named.numbered() is named


def test_a_number_with_its_unit_is_refused_until_it_is_said_to_be_a_name(write):
    path = write("T,x\n20 C,1\n40 C,2\n")
    with pytest.raises(InvalidInput, match=r"looks like numbers.*Table.from_csv\(..., categorical='T'\)"):
        Table(path)
    assert Table(path, categorical="T").params(0) == {"T": "20 C", "x": 1}


def test_what_edbo_adds_is_left_out_with_a_warning(write):
    path = write("T,priority,yield\n20,1,PENDING\n40,0,PENDING\n")
    for make in (Table, Table.from_csv):
        with pytest.warns(UserWarning, match="left out") as said:
            table = make(path)
        assert table.names == ("T",)
        assert len(said) == 2
        assert said[0].filename == __file__


READ_ALIKE = [
    "temp;acid;yield\n20,5;HCl;\n-4;HNO3;1,5\n",
    "id,T,yield\n7,20,\n8,20.5,3\n",
    "T,yield\n20 C,1\n40 C,\n",
    "T,yield\n20,\n\n40,1\n20\n",
    "base,T,priority,yield\nK2CO3,80,1.0,PENDING\nNaOH,60,0.0,PENDING\n",
    "a,yield\n'=1+2,\n' =x,\n",
    "note,T,yield\n" + "".join(f"text {i},{i},\n" for i in range(12)),
    "T\tyield\n1,5\t\n2,5\t\n",
    "T,yield\n1,2,3\n",
    "T,yield\n#N/A,\n",
]


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("data", READ_ALIKE, ids=range(len(READ_ALIKE)))
def test_python_and_the_command_line_read_one_file_in_one_way(write, data):
    path = write(data)

    def outcome(read):
        try:
            return read()
        except InvalidInput as error:
            return str(error)

    ours = outcome(lambda: Table.from_csv(path, ignore="yield"))
    theirs = outcome(lambda: read_experiments(path, outcomes="yield").table())
    assert ours == theirs
    assert isinstance(ours, str) or ours.ids == theirs.ids


@pytest.mark.filterwarnings("ignore:.*left out")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(alphabet="ab,;\t\n\r\"'=-+.e0123456789 \ufeffnan", max_size=100).map(lambda text: text.encode()),
    )
)
def test_any_bytes_are_a_table_or_refused(write, data):
    with contextlib.suppress(InvalidInput):
        assert Table(write(data)).n_candidates >= 1


def test_a_workbook_is_a_table(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "plan.xlsx"
    write_new(path, ["T", "acid"], [{"T": 20.5, "acid": "=HCl"}, {"T": 30, "acid": "x"}])
    assert Table(path) == Table.from_csv(path) == Table({"T": [20.5, 30.0], "acid": ["=HCl", "x"], "i": [2, 3]}, id="i")


def test_without_semicolons_a_comma_is_no_decimal_point_unless_it_is_said(write):
    path = write("a\tb\n1,5\t2\n2,5\t3\n")
    with pytest.raises(InvalidInput, match=r"Table.from_csv\(..., decimal=','\)"):
        Table(path)
    assert Table.from_csv(path, decimal=",").params(0) == {"a": 1.5, "b": 2}
    with pytest.raises(InvalidInput, match="decimal must be"):
        Table.from_csv(path, decimal=";")


@pytest.mark.parametrize("cells", [("1_000", "2_000"), ("0x1F", "0x2F"), ("--1", "--2"), ("A 2", "B 3")])
def test_what_only_looks_like_a_number_is_text(write, cells):
    table = Table(write("a\n" + "\n".join(cells) + "\n"))
    assert table.n_levels == (2,)
    assert table.params(0) == {"a": cells[0]}


def test_unicode(write):
    table = Table(write("Lösung;θ\nÄther;1,5\n水;2\n"))
    assert table.params(1) == {"Lösung": "水", "θ": 2.0}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,b\n", "no rows"),
        ("a,b\n\n,\n", "no rows"),
        ("a,b\n1,2\n3\n", "line 3, column 'b' is empty"),
        ("a,b\n1,2,3\n", "line 2: 3 cells, but the header names 2"),
        ("a,b\n1,2\n3,\n", "line 3, column 'b' is empty"),
        ("a,b\n1,2\n , 3\n", "line 3, column 'a' is empty"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        ("a,\n1,2\n", "column 2 has no name"),
        ("a\n1\nnan\n", "column 'a' holds numbers, but 'nan' in line 3"),
        ("a;b\n1,5;1\nN/A;2\n", "column 'a' holds numbers, but 'N/A' in line 3"),
        ("a;b\n1,5;1\n1.5;2\n", "mixes decimal points and decimal commas"),
        ("a\n1\n1e999\n", "line 3, column 'a': 1e999 is too large"),
        (b"a,b\n1,\x002\n", "NUL"),
        ("a,b\n1,2\n".encode("utf-16"), "NUL"),
        ("a,b\nä,2\n".encode("latin-1"), "not UTF-8"),
        ('a,b\n"1,2\n', "line 2"),
    ],
)
def test_bad_files_are_refused(write, data, says):
    with pytest.raises(InvalidInput, match=says):
        Table(write(data))


def test_paths_that_are_no_file(tmp_path):
    for path in (tmp_path / "missing.csv", tmp_path, "\0", "x" * 5000):
        with pytest.raises(InvalidInput, match="cannot be read"):
            Table(path)
    with pytest.raises(InvalidInput, match="path must be"):
        Table.from_csv(3)
