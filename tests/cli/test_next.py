"""``next`` and ``audit``: one file in, an answer out, nothing kept."""

import csv
import io
import json

import pytest

from regretless import Study, Table
from regretless.errors import NumericalError

from .bench import SCOPE, yield_of

FILLED = (
    SCOPE.splitlines()[0]
    + "\n"
    + "".join(
        f"{line}{yield_of(*line.split(',')[:2]) if i % 3 == 0 else ''}\n"
        for i, line in enumerate(SCOPE.splitlines()[1:])
    )
)


@pytest.fixture
def file(lab):
    path = lab / "experiments.csv"
    path.write_text(FILLED)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_next_names_empty_rows_and_changes_nothing(run, lab, file):
    before = file.read_bytes()
    rows = rows_of(run("next", "experiments.csv", "--objective", "yield", "-n", 4, "--format", "csv").stdout)
    assert len(rows) == 4
    lines = FILLED.splitlines()
    for row in rows:
        assert lines[int(row["line"]) - 1] == f"{row['solvent']},{row['T']},"
    assert file.read_bytes() == before
    assert list(lab.iterdir()) == [file]


def test_next_is_the_study_of_the_file(run, file):
    """The same rows as a study that is told the same, and the same again when asked again."""
    lines = [line.split(",") for line in FILLED.splitlines()[1:]]
    table = Table([{"solvent": s, "T": int(t)} for s, t, _ in lines], repeats="never")
    study = Study(table, objective="yield", seed=0)
    for i, (_, _, value) in enumerate(lines):
        if value:
            study.add(row=i, value=float(value))
    expected = [trial.row + 2 for trial in study.ask(3)]
    for _ in range(2):
        found = json.loads(run("next", file, "--objective", "yield", "-n", 3, "--format", "json").stdout)
        assert [row["row"] for row in found["suggestions"]] == expected
    assert found["best_measured"]["value"] == study.best.value
    assert found["certificate"]["bound"] == study.certificate().bound


def test_the_stop_rule_has_its_exit_code(run, file):
    said = run("next", file, "--objective", "yield", "--stop", 1000, code=3)
    assert "You can stop" in said.stdout
    said = run("next", file, "--objective", "yield", "--stop", 1e-9)
    assert "Go on" in said.stdout
    run("audit", file, "--objective", "yield", "--stop", "500%", code=3)
    run("audit", file, "--objective", "yield", "--stop", "much", code=2)


def test_minimising_goes_the_other_way(run, file):
    low = json.loads(run("audit", file, "--objective", "yield", "--minimize", "--format", "json").stdout)
    values = [float(line.split(",")[2]) for line in FILLED.splitlines()[1:] if line.split(",")[2]]
    assert low["best_measured"]["value"] == min(values)


def test_a_file_without_results_and_one_without_room(run, lab):
    (lab / "empty.csv").write_text(SCOPE)
    assert "initial design" in run("next", "empty.csv", "--objective", "yield").stdout
    assert "no result yet" in run("audit", "empty.csv", "--objective", "yield", code=2).stderr
    (lab / "full.csv").write_text("T,yield\n" + "".join(f"{t},{t}\n" for t in range(9)))
    assert "nothing left" in run("next", "full.csv", "--objective", "yield").stderr


def test_rows_that_repeat_a_result_are_said_and_not_suggested(run, lab):
    (lab / "again.csv").write_text("t,y\n1,5\n1,\n2,\n2,\n3,4\n1,failed\n")
    said = run("next", "again.csv", "--objective", "y", "-n", 5, "--format", "csv")
    assert "repeat a measured experiment are not suggested (1)" in said.stderr
    assert [row["t"] for row in rows_of(said.stdout)] == ["2"]


def test_best_measured_and_recommended_are_apart(run, lab):
    """One lucky repeat: the best single value is shown as such, with the average of its repeats."""
    rows = [(t, 10 - abs(t - 5) + e) for t in range(11) for e in (-0.3, 0.0, 0.3)] + [(1, 30.0), (1, 5.8), (1, 6.1)]
    (lab / "r.csv").write_text("t,y\n" + "".join(f"{t},{y}\n" for t, y in rows))
    said = " ".join(run("audit", "r.csv", "--objective", "y").stdout.split())
    repeats = [y for t, y in rows if t == 1]
    assert f"Best measured 30 at line 5 (t=1); measured 6 times there, {sum(repeats) / 6:.6g} on average" in said
    assert "Recommended line" in said


def test_audit_reads_edbo_files(run, lab):
    (lab / "edbo.csv").write_text(
        "base,T,priority,yield\n" + "".join(f"{b},{t},{p},{v}\n" for b, t, p, v in [
            ("K2CO3", 80, 1, "PENDING"), ("NaOH", 60, 0, "PENDING"), ("NaOH", 80, -1, 71.5), ("K2CO3", 60, -1, 50.1),
        ])
    )  # fmt: skip
    said = run("audit", "edbo.csv", "--objective", "yield")
    assert "2 measured" in said.stdout
    assert "priority" in said.stderr
    said = json.loads(run("next", "edbo.csv", "--objective", "yield", "-n", 5, "--format", "json").stdout)
    assert {row["row"] for row in said["suggestions"]} == {2, 3}


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(run, file, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    said = run("next", file, "--objective", "yield", "-n", 3).stdout
    assert max(map(len, said.splitlines())) <= width
    assert not any(line.endswith(" ") for line in said.splitlines())


def test_markup_and_control_characters_are_shown_not_obeyed(run, lab):
    (lab / "odd.csv").write_text("a,y\n[bold]x[/bold],1\n[red]y,\n\x1b[31mz,\n")
    said = run("next", "odd.csv", "--objective", "y", "-n", 2).stdout
    assert "[red]y" in said
    assert "\x1b" not in said


def test_ten_thousand_rows(run, lab):
    """A large scope with few results: read, modelled and answered in seconds of CPU."""
    from time import process_time

    lines = [f"{i % 100},{i // 100},{'' if i % 500 else i % 97}\n" for i in range(10_000)]
    (lab / "big.csv").write_text("a,b,y\n" + "".join(lines))
    start = process_time()
    rows = rows_of(run("next", "big.csv", "--objective", "y", "-n", 2, "--format", "csv").stdout)
    assert len(rows) == 2
    assert process_time() - start < 20.0


def test_where_there_is_no_certificate_the_rest_is_said(run, lab, monkeypatch):
    def nothing(*_, **__):
        raise NumericalError("the bound is not a finite number")

    monkeypatch.setattr(Study, "certificate", nothing)
    monkeypatch.setattr(Study, "should_stop", lambda *_, **__: None)
    (lab / "some.csv").write_text("T,yield\n" + "".join(f"{t},{10 - t}\n" for t in range(5)) + "5,\n6,\n")
    said = run("audit", "some.csv", "--objective", "yield", "--stop", 1).stdout
    assert "not a finite number" in said
    assert "Best measured  10" in said
    assert "without a certificate" in said
    assert json.loads(run("next", "some.csv", "--objective", "yield", "--format", "json").stdout)["certificate"] is None


def test_the_range_is_known_without_a_study(run, file):
    free = json.loads(run("audit", file, "--objective", "yield", "--format", "json").stdout)["certificate"]
    best = json.loads(run("audit", file, "--objective", "yield", "--format", "json").stdout)["best_measured"]["value"]
    for command in ("audit", "next"):
        held = run(command, file, "--objective", "yield", "--range", "-inf", best + 0.01, "--format", "json").stdout
        assert json.loads(held)["certificate"]["bound"] < free["bound"]
