import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.sheets import Dialect, neutralised, read_experiments, restored, write_csv, write_new

risky = st.text(alphabet="'=+-@\t\r\nＡ＝a1,;\"", max_size=8)


@given(st.one_of(st.text(), risky))
def test_neutralising_is_undone(text):
    assert restored(neutralised(text)) == text


@given(st.one_of(st.text(), risky))
def test_no_cell_begins_like_a_formula(text):
    cell = neutralised(text)
    assert cell[:1] not in tuple("=@\t\r\n＝＋－＠")
    if cell[:1] in ("+", "-"):
        float(cell.replace(",", "."))  # only numbers may


@pytest.mark.parametrize("cell", ["-5", "+3.5", "-1,5", "1e-5"])
def test_numbers_stay_numbers(cell):
    assert neutralised(cell) == cell


@given(st.lists(risky, min_size=1, max_size=4))
def test_the_file_holds_what_was_written(cells):
    stream = io.StringIO(newline="")
    names = [f"c{i}" for i in range(len(cells))]
    write_csv(stream, names, [dict(zip(names, cells, strict=True))])
    back = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert [restored(cell) for cell in (back[1] if len(back) > 1 else [""])] == cells


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**15), 10**15))
def test_numbers_come_back_exactly(tmp_path_factory, x, n):
    path = tmp_path_factory.mktemp("out") / "out.csv"
    write_new(path, ["x", "n"], [{"x": x, "n": n}], Dialect(";", ",", bom=True))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    found = read_experiments(path, decimal=",").factors
    assert found == {"x": [x], "n": [n]}


def test_nothing_is_written_over(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("mine")
    with pytest.raises(InvalidInput, match="not written over"):
        write_new(path, ["a"], [{"a": 1}])
    assert path.read_text() == "mine"
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_new(tmp_path / "no" / "out.csv", ["a"], [{"a": 1}])
