"""Fidelities at the prompt: init --fidelity, suggest, record, status, export, import, ran, report."""

import csv
import json

import pytest

from regretless import Fidelity, Study
from regretless.errors import InvalidInput
from regretless.lab.aims import read_fidelity


def measured(params):
    fine = 90.0 - 0.1 * (float(params["T"]) - 40.0) ** 2
    return fine if params["mesh"] == "fine" else fine - 5.0


@pytest.fixture
def made(run, lab):
    (lab / "scope.csv").write_text("id,T,yield\n" + "".join(f"r{T},{T},\n" for T in range(20, 60, 2)))
    words = ("init", "scope.csv", "--objective", "yield", "--id", "id", "--seed", 1, "--batch", 2)
    return run(*words, "--fidelity", "mesh: coarse=0.1, fine=1")


def test_a_lab_buys_levels(run, lab, made):
    assert "yield is to be maximised, at mesh fine" in made.output
    for number in range(7):
        round_ = f"round_{number}.csv"
        run("suggest", "--out", round_)
        rows = list(csv.DictReader((lab / round_).read_text().splitlines()))
        assert list(rows[0])[:4] == ["trial", "id", "T", "mesh"]
        for row in rows:
            row["yield"] = str(measured(row))
        with (lab / round_).open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        run("record", round_)
    said = run("status").output
    assert "By mesh" in said
    assert "at coarse (0.1 each)" in said
    assert "fine is what is wanted" in said
    found = json.loads(run("status", "--format", "json").stdout)
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.fidelity == Fidelity("mesh", levels=["coarse", "fine"], cost=[0.1, 1.0])
        assert found["spent"] == study.spent
        assert found["target"] == "fine"
        assert found["recommended"]["params"]["mesh"] == "fine"
    rows = list(csv.DictReader(run("export").stdout.splitlines()))
    assert {(row["mesh"], row["cost"]) for row in rows} == {("coarse", "0.1"), ("fine", "1")}
    again = json.loads(run("suggest", "--format", "json").stdout)["suggestions"][0]
    assert again["params"]["mesh"] in ("coarse", "fine")
    assert again["cost"] in (0.1, 1.0)
    run("report", "--html", "report.html")
    assert "By mesh" in (lab / "report.html").read_text()
    assert "16 of 16 suggestions match" in run("replay").output


def test_results_of_levels_are_imported_and_typed(run, lab, made):
    (lab / "old.csv").write_text("id,mesh,yield\nr20,coarse,45\nr22,fine,57.6\n")
    run("import", "old.csv")
    run("ran", "--set", "T=40", "--set", "mesh=coarse", 85)
    run("ran", "--set", "T=42", 88)
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert [trial.params["mesh"] for trial in study.trials] == ["coarse", "fine", "coarse", "fine"]
        assert study.best.value == 88.0
    said = run("import", "old.csv").output
    assert "2" in said
    (lab / "old.csv").write_text("id,mesh,yield\nr20,medium,45\n")
    assert "mesh has the levels" in run("import", "old.csv", code=2).output


def test_what_is_written_of_a_fidelity_and_what_does_not_go_together(run, lab):
    assert read_fidelity("steps: 10=1, 100=5").levels == (10, 100)
    ends = read_fidelity("s: 0.1=0.2 .. 1=1")
    assert (ends.levels, ends.cost, ends.continuous) == ((0.1, 1), (0.2, 1.0), True)
    for text in ("mesh", "mesh: coarse", ": a=1", "mesh: =1", "mesh: a=1 .. b=2", "mesh: a=x"):
        with pytest.raises(InvalidInput):
            read_fidelity(text)
    (lab / "scope.csv").write_text("T,mesh,yield,fat\n20,a,,\n30,b,,\n")
    init = ("init", "scope.csv", "--objective", "yield", "--fidelity", "mesh: coarse=0.1, fine=1")
    assert "'mesh' is the name of a parameter" in run(*init, "--ignore", "fat", code=2).output
    assert "one objective" in run(*init, "--ignore", "mesh", "--constraint", "fat <= 1", code=2).output
