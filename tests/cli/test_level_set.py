"""A level set at the prompt: init --above, suggest, record, status, export, report."""

import csv
import json

import pytest

from regretless import Misclassified, Study
from regretless.lab.lab import kept_stop


@pytest.fixture
def made(run, lab):
    (lab / "scope.csv").write_text("id,T,yield\n" + "".join(f"r{T},{T},\n" for T in range(20, 60, 2)))
    return run(
        "init",
        "scope.csv",
        "--objective",
        "yield",
        "--above",
        80,
        "--stop",
        "2",
        "--seed",
        1,
        "--batch",
        2,
        "--id",
        "id",
    )


def test_a_lab_finds_which_rows_reach_a_level(run, lab, made):
    assert "where yield >= 80" in made.output
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.goal.above == 80.0
        assert kept_stop(study) == Misclassified(2.0)
        for _ in range(10):
            trial = study.ask()
            study.tell(trial, 90.0 - 0.1 * (trial.params["T"] - 40.0) ** 2)
    said = run("status", code=3).output  # the stop rule is met
    assert "10 of 20 ids have yield at least 80" in said
    assert "In doubt" in said
    found = json.loads(run("status", "--format", "json", code=3).stdout)
    chances = {each["row"]: each["probability"] for each in found["region"]["probabilities"]}
    assert chances["r40"] > 0.9 > 0.1 > chances["r20"]
    assert found["region"]["candidates"] == 20
    run("suggest", code=3)
    rows = list(csv.DictReader(run("export").stdout.splitlines()))
    assert all(0.0 <= float(row["probability"]) <= 1.0 for row in rows)
    run("report", "--html", "report.html")
    page = (lab / "report.html").read_text()
    assert "In doubt" in page
    assert "mean + " not in page
    assert "On the wrong side" in page
    assert "Which reach the level" in page
    for word in ("Regret left", "Best so far", "as recommended"):  # those are about an optimum
        assert word not in page


def test_what_does_not_go_together_is_said(run, lab):
    (lab / "scope.csv").write_text("T,yield,cost\n20,,\n30,,\n")
    said = run("init", "scope.csv", "--objective", "yield", "--above", 80, "--below", 3, code=2)
    assert "either above= or below=" in said.output
    said = run("init", "scope.csv", "--objective", "yield", "--above", 80, "--constraint", "cost <= 1", code=2)
    assert "--above and --below" in said.output
