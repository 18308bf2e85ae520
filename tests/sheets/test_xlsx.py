import datetime
import sys

import pytest

from regretless.errors import InvalidInput, MissingExtra
from regretless.sheets import Reading, read_experiments

openpyxl = pytest.importorskip("openpyxl")


def book(path, *sheets):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets:
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_a_workbook_is_read_like_a_csv_file(tmp_path):
    rows = [["temp", "acid", "yield", None], [20.5, "HCl", 1.5], [], [-4, " HNO3 ", None], ["30", "HCl", "PENDING"]]
    found = read_experiments(book(tmp_path / "lab.xlsx", ("Lab", rows), ("Notes", [])), outcomes="yield")
    assert found.factors == {"temp": [20.5, -4.0, 30.0], "acid": ["HCl", "HNO3", "HCl"]}
    assert found.values == (1.5, None, None)
    assert found.lines == (2, 4, 5)


def test_a_worksheet_is_asked_for(tmp_path):
    path = book(tmp_path / "lab.xlsx", ("A", [["t", "y"], [1, 2]]), ("B", [["t", "y"], [3, 4]]))
    with pytest.raises(InvalidInput, match="--worksheet A"):
        read_experiments(path, Reading(asked_in="prompt"), outcomes="y")
    assert read_experiments(path, Reading(worksheet="B"), outcomes="y").values == (4.0,)
    with pytest.raises(InvalidInput, match="no worksheet 'C'"):
        read_experiments(path, Reading(worksheet="C"), outcomes="y")


def test_a_formula_without_a_result_is_not_an_empty_cell(tmp_path):
    path = book(tmp_path / "lab.xlsx", ("A", [["t", "y"], [1, "=A2*2"]]))
    with pytest.raises(InvalidInput, match="cell B2: a formula without a stored result"):
        read_experiments(path, outcomes="y")


def test_a_date_among_numbers_is_seen(tmp_path):
    path = book(tmp_path / "lab.xlsx", ("A", [["ratio", "y"], [0.5, 1], [datetime.date(2024, 2, 1), 2]]))
    with pytest.raises(InvalidInput, match=r"2024-02-01.*\(taken for a date by the spreadsheet\)"):
        read_experiments(path, outcomes="y")


def test_numbers_beside_a_text_with_a_comma(tmp_path):
    """Excel stores what it did not take for a number as text; a number itself has no decimal mark."""
    path = book(tmp_path / "lab.xlsx", ("A", [["t", "y"], [0.5, 80.125], [1, "81,5"], [1.5e-7, "failed"]]))
    with pytest.raises(InvalidInput, match="mixes decimal points and decimal commas"):
        read_experiments(path, outcomes="y")
    found = read_experiments(path, Reading(decimal=","), outcomes="y")
    assert found.values == (80.125, 81.5, "failed")
    assert found.factors == {"t": [0.5, 1.0, 1.5e-7]}


def test_broken_and_missing(tmp_path, monkeypatch):
    path = tmp_path / "lab.xlsx"
    path.write_bytes(b"no zip file")
    with pytest.raises(InvalidInput, match="cannot be read as an Excel workbook"):
        read_experiments(path, outcomes="y")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"regretless\[xlsx\]"):
        read_experiments(path, outcomes="y")


def test_a_percentage_is_what_the_cell_shows(tmp_path):
    """Who types 70.5% sees 70.5%, but Excel keeps 0.705: refused, as it is in CSV."""
    path = book(tmp_path / "lab.xlsx", ("A", [["t", "yield [%]"], [1, 0.705], [2, 60]]))
    made = openpyxl.load_workbook(path)
    made["A"]["B2"].number_format = "0.0%"
    made.save(path)
    with pytest.raises(InvalidInput, match=r"line 2, column 'yield \[%\]': '70.5%' is not a number \(70.5, without"):
        read_experiments(path, outcomes="yield [%]")


def test_a_stray_remark_is_found(tmp_path):
    path = book(tmp_path / "lab.xlsx", ("A", [["t", "y"], [1, 2], [2, 3, None, "too hot"]]))
    with pytest.raises(InvalidInput, match="column 4 has no name, but line 3 holds 'too hot' there"):
        read_experiments(path, outcomes="y")
