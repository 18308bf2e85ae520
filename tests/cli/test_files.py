"""The files of the lab's loop: what came in, in which dialect, and what goes out; CSV and workbooks."""

import json
import sys

import pytest

from regretless import Study, Table
from regretless.sheets import read_sheet

GERMAN = "\ufeffTemperatur [°C];Säure;Ausbeute [%]\r\n" + "".join(
    f"{t},5;{s};{v}\r\n" for t, v in zip(range(20, 28), ["", "61,25", *[""] * 6], strict=True) for s in ("A", "B, roh")
)
NAMES = ["Temperatur [°C]", "Säure", "Ausbeute [%]"]


def trials(lab, name):
    with Study.open(lab / f"{name}.study.db", name) as study:
        return study.trials


@pytest.fixture
def german(run, lab):
    """A German Excel: semicolons, decimal commas, BOM, CRLF, umlauts, units in the names of columns."""
    (lab / "plan.csv").write_bytes(GERMAN.encode())
    run("init", "plan.csv", "--objective", "Ausbeute [%]", "--batch", 2, "--seed", 1)
    return lab


def cells(path):
    text = path.read_bytes().decode("utf-8")
    assert text.startswith("\ufeff")
    assert text.count("\n") == text.count("\r\n") > 0
    return [line.split(";") for line in text.removeprefix("\ufeff").removesuffix("\r\n").split("\r\n")]


def test_a_round_is_written_and_read_in_the_dialect_of_the_scope(run, german):
    run("suggest", "--out", "r.csv")
    head, *rows = cells(german / "r.csv")
    assert head == ["trial", "line", *NAMES]
    assert all("," in row[2] and "." not in row[2] for row in rows)
    filled = [";".join([*row[:-1], f"{80 + i},25"]) for i, row in enumerate(rows)]
    (german / "r.csv").write_bytes("\r\n".join(["\ufeff" + ";".join(head), *filled, ";;;;"]).encode())
    run("record", "r.csv")
    assert [trial.value for trial in trials(german, "plan")][2:] == [80.25, 81.25]
    run("export", "--out", "out.csv")
    head, *rows = cells(german / "out.csv")
    value = head.index("Ausbeute [%]")
    assert [row[value] for row in rows] == ["61,25", "61,25", "80,25", "81,25"]
    assert "0 results recorded; 4 were on record already" in run("import", "out.csv").stderr


def test_numbers_are_typed_as_the_files_write_them(run, german):
    run("suggest", "-n", 1)
    run("record", 2, "61,5")
    run("amend", 2, "--value", "71,5", "--reason", "Tippfehler")
    run("ran", "--set", f"{NAMES[0]}=20,5", "--set", "Säure=A", "-1,25")
    assert [trial.value for trial in trials(german, "plan")][2:] == [71.5, -1.25]
    assert trials(german, "plan")[-1].params == {NAMES[0]: 20.5, "Säure": "A"}
    run("record", 2, "1.000,5", code=2)


def test_a_comma_at_the_prompt_is_asked_about_elsewhere(run, lab, scope):
    run("init", "scope.csv", "--objective", "yield")
    run("suggest")
    assert "Write 61.5" in run("record", 0, "61,5", code=2).stderr


def test_csv_on_stdout_is_in_that_dialect_too(run, german):
    for words in (
        ["export"],
        ["suggest", "--format", "csv"],
        ["next", "plan.csv", "--objective", NAMES[2], "--format", "csv"],
    ):
        out = run(*words).stdout_bytes.decode()
        assert out.startswith("\ufeff")
        assert "Temperatur [°C];Säure" in out
        assert ",5;" in out
        assert out.count("\r\n") == out.count("\n")


def test_python_reads_the_scope_as_the_command_line_does(german):
    with Study.open(german / "plan.study.db", "plan") as study:
        found = Table.from_csv(german / "plan.csv", ignore=NAMES[2], repeats=study.space.repeats)
        assert study.space == found


ODD = [
    "=1+2",
    " =1",
    "\u00a0@x",
    "\u200b-1+1",
    "'=q",
    "ends ",
    "\ttab",
    "a;b,c",
    'say "x"',
    "two\r\nlines",
    "-5",
    "\ufeff+b",
]


@pytest.mark.parametrize("out", ["out.csv", "out.xlsx"])
def test_odd_texts_survive_export_and_import(run, lab, out):
    """Levels and names of columns that a spreadsheet would run, strip or cut: found again by what they are."""
    if out.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    table = Table({"=name ": ODD, "@x\n1": [float(i) for i in range(len(ODD))]})
    for name in ("old", "new"):
        with Study.open(lab / f"{name}.study.db", name, space=table, objective="=y", seed=1) as study:
            if name == "old":
                for i, _ in enumerate(ODD):
                    study.add(row=i, value=float(i))
    run("export", "--out", out, "--study", "old.study.db")
    run("import", out, "--study", "new.study.db")
    assert [(t.params, t.value) for t in trials(lab, "new")] == [(t.params, t.value) for t in trials(lab, "old")]
    if out.endswith("csv"):
        ours = [name for name in read_sheet(lab / out).columns if name not in table.names]
        again = Table.from_csv(lab / out, ignore=ours, categorical="=name ")
        assert [again.params(i) for i in range(len(ODD))] == [table.params(i) for i in range(len(ODD))]


def test_a_line_that_names_the_separator_is_written_again(run, lab):
    (lab / "plan.csv").write_text("sep=;\nT;y\n1,5;\n2,5;\n")
    run("init", "plan.csv", "--objective", "y")
    run("suggest", "--out", "r.csv")
    assert (lab / "r.csv").read_text().startswith("sep=;\ntrial;line;T;y\n0;")


def test_a_study_from_before_line_ends_were_kept_still_opens(run, lab):
    about = {"file": "s.csv", "row_name": "line", "batch": 1, "stop": None}
    old = {"delimiter": ";", "decimal": ",", "bom": False}
    with Study.open(lab / "s.study.db", "s", space=Table({"T": [1.5, 2.5]}), metadata={**about, "dialect": old}):
        pass
    assert run("suggest", "--format", "csv").stdout.startswith("trial;line;T")


@pytest.fixture
def book(lab):
    openpyxl = pytest.importorskip("openpyxl")

    def write(name, rows):
        made = openpyxl.Workbook()
        for row in rows:
            made.active.append(row)
        made.save(lab / name)

    def read(name):
        return [list(row) for row in openpyxl.load_workbook(lab / name).active.iter_rows(values_only=True)]

    def fill(name, values):
        made = openpyxl.load_workbook(lab / name)
        for i, value in enumerate(values, 2):
            made.active.cell(i, made.active.max_column).value = value
        made.save(lab / name)

    write.read, write.fill = read, fill
    return write


def test_the_loop_in_workbooks(run, lab, book):
    scope = [[t + 0.1, acid, None] for t in range(5) for acid in ("HCl", "=Säure", " @x ")]
    scope[1][2] = 4.5
    book("lab.xlsx", [["T [°C]", "Säure", "Ausbeute [%]"], *scope])
    said = run("init", "lab.xlsx", "--objective", "Ausbeute [%]", code=2).stderr
    assert "formula without a stored result" in said
    book("lab.xlsx", [["T [°C]", "Säure", "Ausbeute [%]"], *[[t, a.replace("=", "'="), y] for t, a, y in scope]])
    made = (lab / "lab.xlsx").read_bytes()
    run("init", "lab.xlsx", "--objective", "Ausbeute [%]", "--batch", 4, "--seed", 1)
    assert trials(lab, "lab")[0].params == {"T [°C]": 0.1, "Säure": "=Säure"}
    run("suggest", "--out", "round.xlsx")
    head, *rows = book.read("round.xlsx")
    assert head == ["trial", "line", "T [°C]", "Säure", "Ausbeute [%]"]
    assert all(isinstance(row[2], float) and row[4] is None for row in rows)
    book.fill("round.xlsx", [7.5, "failed", None, 1])
    assert "3 recorded, 1 still empty" in run("record", "round.xlsx").stderr
    assert [trial.value for trial in trials(lab, "lab")] == [4.5, 7.5, None, None, 1.0]
    run("amend", 1, "--value", 8.25, "--reason", "scale")
    run("export", "--out", "out.xlsx")
    head, *rows = book.read("out.xlsx")
    assert [row[head.index("Ausbeute [%]")] for row in rows] == [4.5, 8.25, "failed", None, 1]
    assert "0 results recorded; 4 were on record already" in run("import", "out.xlsx").stderr
    assert (lab / "lab.xlsx").read_bytes() == made


def test_a_round_may_change_its_format(run, german, book):
    """Written as CSV, opened in Excel and saved as a workbook; and the other way round."""
    run("suggest", "--out", "r.csv")
    head, *rows = cells(german / "r.csv")
    as_numbers = [[int(row[0]), int(row[1]), float(row[2].replace(",", ".")), row[3].strip('"'), 5.5] for row in rows]
    book("r.xlsx", [head, *as_numbers])
    assert "2 recorded" in run("record", "r.xlsx").stderr
    run("suggest", "--out", "s.xlsx")
    head, *rows = book.read("s.xlsx")
    lines = [";".join(str(cell).replace(".", ",") for cell in [*row[:-1], 6.5]) for row in rows]
    (german / "s.csv").write_text("\n".join([";".join(head), *lines]), encoding="utf-8")
    assert "2 recorded" in run("record", "s.csv").stderr


def test_a_text_with_a_comma_in_a_workbook_of_a_study_with_commas(run, german, book):
    run("suggest", "--out", "r.xlsx")
    book.fill("r.xlsx", [80.125, "81,5"])
    run("record", "r.xlsx")
    assert [trial.value for trial in trials(german, "plan")][2:] == [80.125, 81.5]


def test_a_workbook_with_notes_in_a_second_worksheet(run, german, book):
    openpyxl = pytest.importorskip("openpyxl")
    run("suggest", "--out", "r.xlsx")
    made = openpyxl.load_workbook(german / "r.xlsx")
    made.create_sheet("Notizen").append(["hallo"])
    made.save(german / "r.xlsx")
    assert "--worksheet regretless" in run("record", "r.xlsx", code=2).stderr
    assert "0 recorded, 2 still empty" in run("record", "r.xlsx", "--worksheet", "regretless").stderr


def test_nothing_is_suggested_where_no_workbook_can_be_written(run, german, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "pip install 'regretless[xlsx]'" in run("suggest", "--out", "r.xlsx", code=1).stderr
    assert len(trials(german, "plan")) == 2
    assert "End the name in .csv or .xlsx" in run("suggest", "--out", "r.ods", code=2).stderr
    assert len(trials(german, "plan")) == 2


def test_export_as_json_is_no_workbook(run, german, book):
    assert ".json" in run("export", "--format", "json", "--out", "x.xlsx", code=2).stderr
    run("export", "--format", "json", "--out", "x.json")
    assert json.loads((german / "x.json").read_text())["objective"] == "Ausbeute [%]"


def test_generate_makes_a_workbook(run, lab, book):
    (lab / "s.toml").write_text("[factors]\nT = [20, 40]\n")
    run("generate", "s.toml", "--out", "s.xlsx")
    assert book.read("s.xlsx") == [["T"], [20], [40]]
