import pytest

from regretless.errors import InvalidInput
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
    assert Table(path, ignore="id").params(0) == {"batch": 1.0, "x": 1.0}


def test_without_semicolons_a_comma_is_no_decimal_point(write):
    assert Table(write("a\tb\n1,5\t2\n2,5\t3\n")).params(0) == {"a": "1,5", "b": 2.0}


@pytest.mark.parametrize("cells", [("1_000", "2_000"), ("0x1F", "0x2F"), ("1e", "2e"), ("--1", "--2"), ("1 2", "3")])
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
        ("a,b\n1,2\n3\n", "line 3: 1 cells, but the header has 2"),
        ("a,b\n1,2,3\n", "line 2: 3 cells, but the header has 2"),
        ("a,b\n1,2\n\n3,4\n", "line 3: 0 cells"),
        ("a,b\n1,2\n3,\n", "line 3: row 1, column 'b' is empty"),
        ("a,b\n1,2\n , 3\n", "row 1, column 'a' is empty"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        ("a,\n1,2\n", "column 1 has no name"),
        ("a\n1\nnan\n", "row 1, column 'a' is 'nan' among numbers"),
        ("a;b\n1,5;1\nN/A;2\n", "row 1, column 'a' is 'N/A' among numbers"),
        ("a;b\n1,5;1\n1.5;2\n", "mixes decimal points and decimal commas"),
        ("a\n1\n1e999\n", "row 1, column 'a' is inf"),
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
