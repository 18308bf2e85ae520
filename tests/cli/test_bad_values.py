"""Forty values that are no result, through the file of a round and through the command line."""

import pytest

from regretless import Study

BAD = [
    "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e999", "-1e999", "none", "None", "null", "NULL", "n/a", "N/A",
    "#N/A", "#DIV/0!", "#REF!", "#VALUE!", "true", "False", "yes", "81%", "81 %", "81.2 g", "~81", "<5", ">100",
    "81±2", "8l.2", "81..2", "8 1", "1,000.5", "0x1F", "1_000", "١٢", "²", "=1+1", "81;2", "--5", "1e", "[1]", "81.2?",
]  # fmt: skip


@pytest.fixture
def pending(run, scope, lab):
    run("init", "scope.csv", "--objective", "yield", "--seed", 1)
    run("suggest", "-n", 2, "--out", "r.csv")
    return lab


def state(lab):
    with Study.open(lab / "scope.study.db", "scope") as study:
        return [(trial.status, trial.value) for trial in study.trials], len(study.events())


def test_there_are_forty():
    assert len(set(BAD)) >= 40


def test_by_command_line(run, pending):
    before = state(pending)
    for bad in BAD:
        said = run("record", 0, "--", bad, code=2).stderr
        assert said.startswith("Error: "), bad
        run("ran", "--row", 5, "--", bad, code=2)
        run("amend", 0, "--value", bad, "--reason", "x", code=2)
    assert state(pending) == before
    run("record", 0, 81.2)  # the trial is not stuck
    assert state(pending)[0][0] == ("told", 81.2)


def test_by_file(run, pending):
    before = state(pending)
    path = pending / "r.csv"
    head, first, second = path.read_text().splitlines()
    for bad in BAD:
        quoted = '"' + bad.replace('"', '""') + '"'
        path.write_text(f"{head}\n{first}7.5\n{second}{quoted}\n")
        said = run("record", "r.csv", code=2).stderr
        assert "line 3" in said, (bad, said)
        assert "yield" in said
        (pending / "more.csv").write_text(f"solvent,T,yield\nwater,20,1\nwater,30,{quoted}\n")
        assert "line 3" in run("import", "more.csv", code=2).stderr
        run("next", "more.csv", "--objective", "yield", code=2)
    assert state(pending) == before  # the good value before the bad one was not recorded either
    path.write_text(f"{head}\n{first}7.5\n{second}8.5\n")
    run("record", "r.csv")
    assert state(pending)[0] == [("told", 7.5), ("told", 8.5)]


@pytest.mark.parametrize("good", ["0", "-0.0", "1e3", ".5", "5.", "+7", "-81.2", "1E-3", "123456789012345678"])
def test_what_is_a_number_is_recorded_as_that_number(run, pending, good):
    run("record", 0, "--", good)
    assert state(pending)[0][0] == ("told", float(good))
