"""An environment at the prompt: init --environment, suggest, record, status, export, report."""

import csv
import json

import pytest

from regretless import CVaR, Study, WorstCase


def measured(params):
    return 10.0 - 0.01 * (params["T"] - 80.0 + 0.5 * params["humidity"]) ** 2


@pytest.fixture
def made(run, lab):
    (lab / "scope.csv").write_text("id,T,yield\n" + "".join(f"r{T},{T},\n" for T in range(20, 80, 5)))
    environment = ("--environment", "humidity=20:0.5,40:0.3,80:0.2", "--aim", "worst")
    return run("init", "scope.csv", "--objective", "yield", *environment, "--id", "id", "--seed", 1, "--batch", 3)


def test_a_lab_looks_for_a_decision(run, lab, made):
    assert "worst yield over humidity is to be maximised" in made.output
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.aim == WorstCase()
        assert study.environment.weights == (0.5, 0.3, 0.2)
    said = run("suggest").stdout
    assert "humidity" in said
    run("record", "0", "7.5")
    with Study.open(lab / "scope.study.db", "scope") as study:
        for trial in study.trials:
            if trial.status == "pending":
                study.tell(trial, measured(trial.params))
        for _ in range(9):
            trial = study.ask()
            study.tell(trial, measured(trial.params))
    said = run("status").output
    assert "worst yield over humidity" in said
    assert "Recommended    id r5" in said
    found = json.loads(run("status", "--format", "json").stdout)
    assert set(found["recommended"]["params"]) == {"T"}
    rows = list(csv.DictReader(run("export").stdout.splitlines()))
    assert {row["humidity"] for row in rows} <= {"20", "40", "80"}
    run("report", "--html", "report.html")
    page = (lab / "report.html").read_text()
    assert "over its\nenvironments" in page
    for word in ("cautious", "Best so far"):  # of a single draw, and of single results
        assert word not in page


def test_a_file_may_have_the_column_and_results(run, lab):
    rows = [(T, h) for T in range(20, 80, 10) for h in (20, 40)]
    lines = [f"{T},{h},{measured({'T': T, 'humidity': h}) if T < 50 else ''}" for T, h in rows]
    (lab / "joint.csv").write_text("T,humidity,yield\n" + "\n".join(lines) + "\n")
    options = ("--objective", "yield", "--environment", "humidity=20,40", "--aim", "cvar:0.5", "--seed", 1)
    assert "6 results were added" in run("init", "joint.csv", *options).output
    with Study.open(lab / "joint.study.db", "joint") as study:
        assert study.aim == CVaR(0.5)
        assert study.decisions.n_candidates == 6
        assert study.recommend().params["T"] in range(20, 80, 10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--aim", "worst"], "--aim goes with --environment"),
        (["--environment", "humidity"], "an environment is a name and its values"),
        (["--environment", "humidity=20:0.5,40"], "an environment is a name and its values"),
        (["--environment", "humidity=20,40", "--aim", "best"], "an aim is mean, worst"),
        (["--environment", "humidity=20,40", "--above", "80"], "--environment is for one objective"),
        (["--environment", "humidity=20:0.5,40:0.4"], "add up to 1"),
    ],
)
def test_what_is_refused(run, lab, options, message):
    (lab / "scope.csv").write_text("T,yield\n20,\n30,\n40,\n")
    assert message in run("init", "scope.csv", "--objective", "yield", *options, code=2).output
