import csv
import io
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput, MissingExtra
from regretless.sheets import (
    Dialect,
    Reading,
    neutralised,
    read_experiments,
    read_sheet,
    restored,
    whole_file,
    write_csv,
    write_new,
)

INVISIBLE = " \u00a0\u200b\u200e\u2060\u00ad\ufeff\u3000\u2028\t\r\n\x0b\x1f\x85\u115f\u3164\u2800\ufe0f"
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\ufe66"
risky = st.text(alphabet=f"'{SIGNS}{INVISIBLE}a1,.;\"e_x0", max_size=8)
texts = st.one_of(st.text(), risky)
# What a table may hold as a text, NUL aside, which no file of a spreadsheet can hold.
writable = texts.filter(lambda text: "\0" not in text)
dialects = st.builds(
    Dialect, st.sampled_from(",;\t"), st.sampled_from(".,"), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)  # fmt: skip


@given(texts)
@example("=x '")  # looks as if it stood between apostrophes once it has one in front
@example("'a '")
@example("6 '")
@example("' ''")
def test_neutralising_is_undone(text):
    assert restored(neutralised(text)) == text


@given(texts)
def test_no_cell_begins_like_a_formula(text):
    cell = neutralised(text)
    seen = cell.lstrip(INVISIBLE)
    assert seen == cell or cell.isspace()  # nothing invisible is in front
    if seen[:1] in tuple(SIGNS):
        float(cell.replace(",", "."))  # only numbers may


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", ["", *INVISIBLE, " \u00a0\u200b", "' "])
def test_what_is_invisible_before_a_sign_hides_nothing(before, sign):
    text = f"{before}{sign}cmd|x"
    assert neutralised(text) == f"'{text}"


@pytest.mark.parametrize("cell", ["-5", "+3.5", "-1,5", "1e-5", "'-5"])
def test_numbers_stay_numbers_and_text_text(cell):
    assert neutralised(cell) == restored(cell) == cell


@given(st.lists(risky, min_size=1, max_size=4))
def test_the_file_holds_what_was_written(cells):
    """By another reader than ours."""
    stream = io.StringIO(newline="")
    names = [f"c{i}" for i in range(len(cells))]
    write_csv(stream, names, [dict(zip(names, cells, strict=True))])
    back = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert [restored(cell) for cell in back[1]] == cells


def through_file(path, names, rows, dialect=None):
    path.unlink(missing_ok=True)
    write_new(path, names, rows, dialect)
    return read_sheet(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(writable.filter(bool), min_size=2, max_size=3, unique=True), st.data(), dialects)
def test_every_text_comes_back_in_every_dialect(tmp_path, names, data, dialect):
    rows = data.draw(st.lists(st.tuples(*[writable] * len(names)), min_size=1, max_size=3))
    found = through_file(tmp_path / "o.csv", names, [dict(zip(names, row, strict=True)) for row in rows], dialect)
    assert list(found.columns) == names
    assert list(zip(*found.columns.values(), strict=True)) == rows
    assert found.dialect == Dialect(dialect.delimiter, ".", dialect.bom, dialect.newline, dialect.sep_line)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(texts.filter(bool), min_size=2, max_size=3, unique=True), st.data())
@example(["a", "b"], None)
def test_every_text_comes_back_from_a_workbook(tmp_path, names, data):
    pytest.importorskip("openpyxl")
    row = ("_x0041\x01_x0042_x0043_", "#N/A") if data is None else data.draw(st.tuples(*[texts] * len(names)))
    found = through_file(tmp_path / "o.xlsx", names, [dict(zip(names, row, strict=True))])
    assert list(found.columns) == names
    assert [column[0] for column in found.columns.values()] == list(row)


def test_in_a_workbook_text_is_text_and_numbers_are_numbers(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    row = {"f": "=1+2", "x": 0.1 + 0.2, "n": 3, "none": None, "b": True}
    write_new(tmp_path / "o.xlsx", list(row), [row])
    cells = openpyxl.load_workbook(tmp_path / "o.xlsx").active[2]
    assert [cell.data_type for cell in cells] == ["s", "n", "n", "n", "s"]
    assert [cell.value for cell in cells] == ["=1+2", 0.1 + 0.2, 3, None, "True"]
    assert cells[0].quotePrefix  # Excel keeps it a text when the cell is edited


def test_a_workbook_has_its_limits(tmp_path):
    pytest.importorskip("openpyxl")
    with pytest.raises(InvalidInput, match="longer than a cell"):
        write_new(tmp_path / "o.xlsx", ["a"], [{"a": "x" * 40_000}])
    with pytest.raises(InvalidInput, match="more than a worksheet"):
        write_new(tmp_path / "o.xlsx", [f"c{i}" for i in range(20_000)], [])
    assert list(tmp_path.iterdir()) == []


def test_what_no_file_can_hold_is_refused_before_there_is_one(tmp_path):
    for text in ("a\0b", "\ud800"):
        with pytest.raises(InvalidInput, match="cannot be written"):
            write_new(tmp_path / "o.csv", ["a"], [{"a": text}])
        assert not (tmp_path / "o.csv").exists()


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**15), 10**15))
def test_numbers_come_back_exactly(tmp_path_factory, x, n):
    path = tmp_path_factory.mktemp("out") / "out.csv"
    write_new(path, ["x", "n"], [{"x": x, "n": n}], Dialect(";", ",", bom=True))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    found = read_experiments(path, Reading(decimal=",")).factors
    assert found == {"x": [x], "n": [n]}


@settings(deadline=None, max_examples=30)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**15), 10**15))
def test_numbers_come_back_exactly_from_a_workbook(tmp_path_factory, x, n):
    pytest.importorskip("openpyxl")
    path = tmp_path_factory.mktemp("out") / "out.xlsx"
    write_new(path, ["x", "n"], [{"x": x, "n": n}])
    assert read_experiments(path).factors == {"x": [x], "n": [n]}


def test_nothing_is_written_over(tmp_path):
    for name in ("out.csv", "out.xlsx"):
        path = tmp_path / name
        path.write_text("mine")
        with pytest.raises(InvalidInput, match="not written over"):
            write_new(path, ["a"], [{"a": 1}])
        assert path.read_text() == "mine"
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_new(tmp_path / "no" / "out.csv", ["a"], [{"a": 1}])
    with pytest.raises(InvalidInput, match=r"End the name in .csv or .xlsx"):
        write_new(tmp_path / "out.ods", ["a"], [{"a": 1}])


def test_without_openpyxl_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"pip install 'regretless\[xlsx\]'"):
        write_new(tmp_path / "out.xlsx", ["a"], [{"a": 1}])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
@pytest.mark.parametrize("rows", [20, 20_000], ids=["when it is closed", "on the way"])
def test_a_disk_that_is_full_leaves_no_part_of_a_file(tmp_path, rows):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30, before[1]))
    try:
        with pytest.raises(InvalidInput, match="cannot be written"):
            write_new(tmp_path / "round.csv", ["a"], ({"a": i} for i in range(rows)))
        with pytest.raises(OSError, match="too large"), whole_file(tmp_path / "round.xlsx") as file:
            file.write(bytes(rows + 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
