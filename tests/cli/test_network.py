"""Stages at the prompt: init --stage, suggest, record in parts, status, report; and in TOML."""

import pytest

from regretless import Network, Study

STAGES = ("--stage", "grain: hours", "--stage", "strength: grain, heat")


def measured(params):
    grain = 2.0 + 6.0 * 2.0 ** -params["hours"]
    return {"grain": grain, "strength": 100.0 - 30.0 * (grain - 3.0) ** 2 - abs(params["heat"] - 1000.0)}


@pytest.fixture
def scope(lab):
    rows = [f"r{h}{k},{h},{900 + 50 * k},," for h in range(1, 5) for k in range(5)]
    (lab / "scope.csv").write_text("\n".join(["id,hours,heat,grain,strength", *rows]) + "\n")
    return lab


def test_a_lab_measures_stage_by_stage(run, scope):
    said = run("init", "scope.csv", "--id", "id", "--objective", "strength", *STAGES, "--seed", 1).output
    assert "strength is to be maximised" in said
    run("suggest", "-n", 4, "--out", "round.csv")
    assert (scope / "round.csv").read_text().splitlines()[0] == "trial,id,hours,heat,grain,strength"
    run("record", "0", "grain=3.5")
    assert "strength still to come" in run("record", "1", "grain=2.4").output
    run("record", "0", "strength=81")
    run("record", "1", "strength=failed")
    with Study.open(scope / "scope.study.db", "scope") as study:
        assert study.outcomes[0].composite == Network({"grain": ["hours"], "strength": ["grain", "heat"]})
        assert study.trials[0].value == 81.0
        assert study.trials[1].status == "failed" or study.trials[1].value is None
        for _ in range(6):
            trial = study.ask()
            study.tell(trial, measured(trial.params))
    said = run("status").output
    assert "final strength" in said
    assert "of 8 of the" not in said
    run("report", "--html", "report.html")
    assert "grain" in (scope / "report.html").read_text()
    assert "match" in run("replay").output


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--objective", "grain"), "the last stage, strength"),
        (("--objective", "strength", "--constraint", "grain <= 3"), "without constraints"),
        (("--objective", "strength", "--stage", "broken"), "a stage is its output"),
        (("--objective", "strength", "--stage", "grain: heat"), "twice"),
    ],
)
def test_what_does_not_go_with_stages(run, scope, more, words):
    assert words in run("init", "scope.csv", "--id", "id", *STAGES, *more, code=2).output


def test_stages_in_toml(run, lab):
    (lab / "line.py").write_text(
        "def f(p):\n    return {'a': p['x'] ** 2, 'b': -((p['x'] ** 2 - 0.3) ** 2) - p['y']}\n"
    )
    (lab / "line.toml").write_text(
        'python = "line:f"\nobjective = "b"\nbudget = 7\nseed = 1\nstages = { a = ["x"], b = ["a", "y"] }\n'
        "[space]\nx = { low = 0.0, high = 1.0 }\ny = { low = 0.0, high = 1.0 }\n"
    )
    assert "final b" in run("optimize", "line.toml").output
