"""Files that nobody meant to be read, through every command that reads one: a sentence, never a traceback."""

import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regretless import Study, replay
from regretless.cli import main

from .bench import SCOPE, heed_signals

HOSTILE = {
    "NUL": b"a,y\n1,\x002\n2,3\n",
    "UTF-16": "a,y\n1,2\n".encode("utf-16"),
    "mixed encodings": "a,y\nä,2\n".encode() + "ö,3\n".encode("cp1252"),
    "million columns": (",".join(f"c{i}" for i in range(1_000_000)) + "\n" + ",".join("1" * 1_000_000) + "\n").encode(),
    "million empty columns": b"a,y" + b"," * 1_000_000 + b"\n1,2,x" + b"," * 1_000_000 + b"\n",
    "open quote": b'a,y\n"1,2\n',
    "long cell": b"a,y\n" + b"x" * 300_000 + b",1\n",
    "ragged": b"a,y\n1,2,3,4\n",
    "nothing": b"",
    "one line": b"a,y",
    "binary": bytes(range(1, 256)) * 20,
}
CELLS = st.sampled_from(["a", "y", "1", "2,5", "", "x", "1e400", '"', "-"])
READERS = [
    ("next", "{}", "--objective", "y"),
    ("audit", "{}", "--objective", "y"),
    ("init", "{}", "--objective", "y"),
    ("plan", "{}", "--eps", "1"),
    ("record", "{}", "--study", "scope.csv"),
    ("import", "{}", "--study", "scope.csv"),
]


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files(run, lab, scope, kind):
    run("init", "scope.csv", "--objective", "yield")
    (lab / "bad.csv").write_bytes(HOSTILE[kind])
    for words in READERS:
        said = run(*(word.format("bad.csv") for word in words), code=2).stderr
        assert said.startswith("Error: bad.csv"), said
        assert len(said) < 1000
    assert not (lab / "bad.study.db").exists()


def test_formulas_stay_text(run, lab):
    """A formula is a name like any other, comes out harmless, and is never a number."""
    rows = [('=cmd|"/C calc"!A0', 1), ("+1+1", 2), ("@SUM(A1)", 3), ("-2+3", 4)]
    text = "f,y\n" + "".join('"{}",{}\n'.format(f.replace('"', '""'), y) for f, y in rows) + "plain,\n"
    (lab / "formulas.csv").write_text(text)
    run("init", "formulas.csv", "--objective", "y")
    run("suggest", "-n", 2, "--out", "r.csv")
    for out in ((lab / "r.csv").read_text(), run("export").stdout):
        for line in out.splitlines()[1:]:
            cell = line.split(",")[2].lstrip('"')
            assert cell[0] not in "=+-@"
    head, *lines = (lab / "r.csv").read_text().splitlines()
    (lab / "r.csv").write_text("\n".join([head, *(line + "5" for line in lines)]))
    assert "2 recorded" in run("record", "r.csv").stderr  # what was put in front is not taken for a change


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(alphabet="ay,;\t\n\r\"'=-+.e0123456789 \ufeff\x00nan", max_size=200).map(lambda s: s.encode()),
        st.lists(
            st.lists(st.sampled_from(["a", "y", "1", "2,5", "", "x", "1e400", '"', "-"]), min_size=2, max_size=3)
        ).map(lambda rows: ("a;y\n" + "\n".join(";".join(row) for row in rows)).encode()),
    )
)
def test_any_bytes_get_an_answer(tmp_path, data):
    path = tmp_path / "any.csv"
    path.write_bytes(data)
    result = CliRunner().invoke(main, ["next", str(path), "--objective", "y"])
    assert result.exit_code in (0, 2), result.exception
    assert result.exit_code == 0 or result.stderr.startswith("Error: ")
    assert path.read_bytes() == data


def test_a_mistake_of_ours_is_a_sentence_too(run, scope, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("regretless.cli.next.study_of", broken)
    monkeypatch.delenv("REGRETLESS_DEBUG")
    said = run("next", "scope.csv", "--objective", "yield", code=1).stderr
    assert said.startswith("Error: unexpected ZeroDivisionError: oops")


def test_a_folder_that_is_not_there(run, scope):
    run("init", "scope.csv", "--objective", "yield")
    assert "no folder" in run("suggest", "--out", "no/r.csv", code=2).stderr
    assert "No such file" in run("report", "--html", "no/r.html", code=1).stderr


@pytest.mark.slow
def test_interrupted_suggestions_leave_whole_batches(tmp_path):
    """Ctrl-C at ten instants of ``suggest -n 4``: all four are stored or none, and the record replays."""
    (tmp_path / "scope.csv").write_text(SCOPE)
    command = [sys.executable, "-m", "regretless"]
    init = [*command, "init", "scope.csv", "--objective", "yield", "--seed", "1"]
    subprocess.run(init, cwd=tmp_path, check=True, capture_output=True)
    subprocess.run([*command, "ran", "--row", "3", "5"], cwd=tmp_path, check=True, capture_output=True)
    for k in range(10):
        pipes = {"stderr": subprocess.PIPE, "text": True}
        child = subprocess.Popen([*command, "suggest", "-n", "4"], cwd=tmp_path, preexec_fn=heed_signals, **pipes)
        time.sleep(0.4 + 0.25 * k)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=600)
        with Study.open(tmp_path / "scope.study.db", "scope") as study:
            asked = [trial for trial in study.trials if trial.source != "added"]
            assert len(asked) % 4 == 0
            assert all(entry.matches for entry in replay(study))
            for trial in asked:
                study.tell(trial, 1.0) if trial.status == "pending" else None
