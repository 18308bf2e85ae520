"""Known errors and replicates at the prompt and in files, and out again."""

import csv

import pytest
from openpyxl import load_workbook

from regretless import Study

from .bench import SCOPE, trials

TOLD = {0: {"replicates": [80.1, 81.3, 79.8]}, 1: {"sd": 0.4}, 2: {"replicates": [60.5, 61.0], "sd": 0.25}}


@pytest.fixture
def told(run, made):
    """Three trials: replicates, a known error, and both."""
    run("suggest")
    run("record", 0, 80.1, 81.3, 79.8)
    run("record", 1, 74, "--sd", 0.4)
    run("record", 2, 60.5, 61, "--sd", 0.25)


def noise(lab, name="scope"):
    return {trial.number: trial.noise.get("yield", {}) for trial in trials(lab, name)}


def results(lab, name="scope"):
    return [(trial.params, trial.values, trial.noise) for trial in trials(lab, name)]


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_typed_errors_and_replicates(run, lab, made):
    run("suggest")
    said = run("record", 0, 80.1, 81.3, 79.8).stderr
    assert "Recorded trial 0: yield 80.4 (mean of 80.1, 81.3, 79.8) at line" in said
    assert "yield 74 ± 0.4 at" in run("record", 1, 74, "--sd", 0.4).stderr
    assert "yield 60.75 (mean of 60.5, 61, each ± 0.25)" in run("record", 2, 60.5, 61, "--sd", 0.25).stderr
    assert noise(lab) == TOLD
    run("record", 1, 74, "--sd", 0.4)  # the same again
    assert "would change the past" in run("record", 1, 74, code=1).stderr


def test_the_same_in_python_is_the_same_study(run, lab, told):
    with Study.open(lab / "scope.study.db", "scope") as study:
        twin = Study(study.space, objective="yield", seed=study.seed)
        for trial, said in zip(twin.ask(3), ([80.1, 81.3, 79.8], 74.0, [60.5, 61.0]), strict=True):
            twin.tell(trial, said, sd={1: 0.4, 2: 0.25}.get(trial.number))
        assert [trial.params for trial in twin.trials] == [trial.params for trial in study.trials]
        points = [dict(trial.params) for trial in study.trials]
        assert [a.tolist() for a in twin.predict(points)] == [a.tolist() for a in study.predict(points)]


def test_ran_and_amend(run, lab, made):
    run("ran", "--row", 3, 81.2, 80.8, "--sd", 0.5)
    assert noise(lab) == {0: {"replicates": [81.2, 80.8], "sd": 0.5}}
    said = run("amend", 0, "--value", 81.2, "--value", 80.9, "--sd", 0.5, "--reason", "typo").stderr
    assert "was 81 (mean of 81.2, 80.8, each ± 0.5), is now 81.05 (mean of 81.2, 80.9, each ± 0.5)." in said
    run("amend", 0, "--value", 81, "--reason", "one only")
    assert noise(lab) == {0: {}}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((0, 81, "--sd", 0), "--sd of yield must be positive"),
        ((0, 81, "--sd", "0.4%"), "--sd of yield must be a plain number"),
        ((0, 81, "--sd", "cost=1"), "there is 'yield' only"),
        ((0, 81, "--sd", 1, "--sd", 2), "--sd of yield is given twice"),
        ((0, "failed", "--sd", 1), "cannot both fail"),
        ((0, "--failed", "--sd", 1), "give the result too"),
        ((0, "--sd", 1), "write either a value"),
        ((0, "81,2"), "holds a comma"),
        (("scope.csv", "--sd", 1), "is a file"),
    ],
)
def test_what_cannot_be_typed(run, lab, made, words, says):
    run("suggest")
    assert says in run("record", *words, code=2).stderr
    assert all(trial.status == "pending" for trial in trials(lab))


def test_a_round_with_errors_and_further_lines(run, lab, made):
    run("suggest", "--out", "r.csv")
    head, first, second, third = (lab / "r.csv").read_text().splitlines()
    lines = [f"{head},yield sd", f"{first}81.2,0.4", f"{second}70.1; 70.3,", f"{third}60,", f"{third}61,"]
    (lab / "r.csv").write_text("\n".join(lines) + "\n")
    said = run("record", "r.csv").stderr
    assert "r.csv: 3 recorded." in said
    assert "left out" not in said
    assert noise(lab) == {0: {"sd": 0.4}, 1: {"replicates": [70.1, 70.3]}, 2: {"replicates": [60.0, 61.0]}}
    assert "3 on record already" in run("record", "r.csv").stderr
    # A file that knows no errors does not contradict those on record; other numbers do.
    (lab / "r.csv").write_text("\n".join([head, f"{first}81.2"]) + "\n")
    assert "1 on record already" in run("record", "r.csv").stderr
    (lab / "r.csv").write_text("\n".join([f"{head},yield sd", f"{first}81.2; 81.4,0.5"]) + "\n")
    said = run("record", "r.csv", code=1).stderr
    assert "is on record as 81.2 ± 0.4, the file says 81.3 (mean of 81.2, 81.4, each ± 0.5)." in said
    command = "amend 0 --value 81.2 --value 81.4 --sd=0.5 --reason WHY"
    assert said.strip().endswith(f"regretless {command}")
    run(*command.split())
    assert noise(lab)[0] == {"replicates": [81.2, 81.4], "sd": 0.5}


def test_the_next_round_has_a_column_for_errors_once_some_are_known(run, lab, told):
    run("suggest", "--out", "r.csv")
    assert (lab / "r.csv").read_text().splitlines()[0].endswith(",yield,yield sd")


def test_a_column_that_looks_like_an_error_is_pointed_out(run, lab, made):
    run("suggest", "--out", "r.csv")
    head, first, *_ = (lab / "r.csv").read_text().splitlines()
    (lab / "r.csv").write_text(f"{head},yield std\n{first}81.2,0.4\n")
    said = run("record", "r.csv").stderr
    assert "column 'yield std' is left out. A known standard deviation stands in a column 'yield sd'." in said
    (lab / "old.csv").write_text("solvent,T,yield,yield std\nwater,20,5,0.1\n")
    assert "column 'yield std' is left out" in run("import", "old.csv").stderr


@pytest.mark.parametrize("name", ["out.csv", "out.xlsx"])
def test_an_export_is_imported_to_the_same_results(run, lab, told, name):
    run("ran", "--row", 5, "--failed")
    run("ran", "--row", 7, 33.25)
    run("export", "--out", name)
    (lab / "twin.csv").write_text(SCOPE)
    run("init", "twin.csv", "--objective", "yield", "--seed", 1)
    assert "5 results recorded" in run("import", name, "--study", "twin.csv").stderr
    assert results(lab, "twin") == results(lab)
    assert "5 were on record already" in run("import", name, "--study", "twin.csv").stderr


def test_an_export_says_what_was_told(run, lab, told):
    run("export", "--out", "out.csv")
    rows = read(lab / "out.csv")
    assert [(row["yield"], row["yield sd"]) for row in rows] == [
        ("80.1; 81.3; 79.8", ""),
        ("74", "0.4"),
        ("60.5; 61", "0.25"),
    ]
    assert "expected sd" in rows[0]  # the model's, which is another thing


def test_without_errors_there_is_no_column_for_them(run, lab, made):
    run("suggest")
    run("record", 0, 80.1)
    run("export", "--out", "out.csv")
    assert "yield sd" not in read(lab / "out.csv")[0]


@pytest.mark.parametrize("name", ["out.csv", "out.xlsx"])
def test_decimal_commas(run, lab, name):
    rows = '20;2,5;"80,1; 81,3";0,4\n30;3,5;;\n40;4,5;;\n50;5,5;;\n60;6,5;;\n'
    (lab / "scope.csv").write_text(f"T;pH;yield;yield sd\n{rows}")
    run("init", "scope.csv", "--objective", "yield", "--seed", 1)
    assert noise(lab) == {0: {"replicates": [80.1, 81.3], "sd": 0.4}}
    run("ran", "--row", 3, "70,5", "71", "--sd", "0,3")
    run("export", "--out", name)
    (lab / "twin.csv").write_text("T;pH;yield\n20;2,5;\n30;3,5;\n40;4,5;\n50;5,5;\n60;6,5;\n")
    run("init", "twin.csv", "--objective", "yield", "--seed", 1)
    run("import", name, "--study", "twin.csv")
    assert results(lab, "twin") == results(lab)


def test_a_workbook_in_and_out(run, lab, made):
    run("suggest", "--out", "r.xlsx")
    book = load_workbook(lab / "r.xlsx")
    sheet = book.active
    column = [cell.value for cell in sheet[1]].index("yield") + 1
    sheet.cell(1, column + 1, "yield ±")
    sheet.cell(2, column, 81.2)
    sheet.cell(2, column + 1, 0.4)
    sheet.cell(3, column, "70.1; 70.3")
    book.save(lab / "r.xlsx")
    run("record", "r.xlsx")
    assert noise(lab) == {0: {"sd": 0.4}, 1: {"replicates": [70.1, 70.3]}, 2: {}}


def test_next_audit_and_init_know_errors(run, lab):
    rows = [(20, 5, 0.01), (40, 60, 8), (60, 55, 0.01), (80, 20, 0.01)]
    known = "T,yield,yield sd\n" + "".join(f"{T},{y},{sd}\n" for T, y, sd in rows) + "50,,\n70,,\n30,,\n"
    (lab / "known.csv").write_text(known)
    (lab / "plain.csv").write_text("\n".join(line.rpartition(",")[0] for line in known.splitlines()) + "\n")
    said = {
        name: run("audit", f"{name}.csv", "--objective", "yield", "--format", "json").stdout
        for name in ("known", "plain")
    }
    assert said["known"] != said["plain"]
    assert "70" in run("next", "known.csv", "--objective", "yield", "-n", 3).stdout
    said = run("init", "known.csv", "--objective", "yield", "--seed", 1).stdout
    assert "the known standard deviation of yield" in said
    assert noise(lab, "known") == {i: {"sd": sd} for i, (_, _, sd) in enumerate(rows)}


def test_several_outcomes(run, lab):
    (lab / "scope.csv").write_text("T,yield,impurity\n" + "".join(f"{T},,\n" for T in range(20, 100, 10)))
    run("init", "scope.csv", "--objective", "yield", "--constraint", "impurity <= 0.5", "--seed", 1)
    run("suggest", "-n", 2)
    said = run("record", 0, "yield=80.1", "yield=81.3", "impurity=0.3", "--sd", "impurity=0.02").stderr
    assert "yield 80.7 (mean of 80.1, 81.3), impurity 0.3 ± 0.02" in said
    assert "write --sd yield=0.4" in run("record", 1, "yield=80", "impurity=0.2", "--sd", 0.4, code=2).stderr
    run("record", 1, "yield=80", "--sd", 0.4)  # of one result that is given it need not say which
    assert trials(lab)[1].noise == {"yield": {"sd": 0.4}}
    run("suggest", "--pending", "--out", "r.csv")
    head, line = (lab / "r.csv").read_text().splitlines()
    assert head.endswith(",yield,yield sd,impurity,impurity sd")
    assert line.endswith(",80,0.4,,")
    run("export", "--out", "out.csv")
    (lab / "twin.csv").write_text((lab / "scope.csv").read_text())
    run("init", "twin.csv", "--objective", "yield", "--constraint", "impurity <= 0.5", "--seed", 1)
    run("import", "out.csv", "--study", "twin.csv")
    assert results(lab, "twin") == results(lab)
