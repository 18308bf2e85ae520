"""The commands on a table in a file: nothing is listed, certificates are asked for, the file has a checksum."""

import json

import numpy as np
import pytest

from regretless.study.passes import PassLine

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

N = 20_000


@pytest.fixture
def huge(lab):
    rng = np.random.default_rng(0)
    columns = {
        "id": [f"m{i}" for i in range(N)],
        "T": rng.integers(20, 90, N),
        "x": rng.random(N),
        "acid": rng.choice(["HCl", "HNO3"], N),
        "yield": rng.random(N),
    }
    pq.write_table(pa.table(columns), lab / "huge.parquet")
    return lab / "huge.parquet"


def test_the_loop_on_rows_in_a_file(run, lab, huge):
    said = run("init", huge.name, "--objective", "yield", "--maximize", "--id", "id", "--seed", 1)
    assert "20,000 possible experiments, which stay in huge.parquet" in said.stdout
    assert "column 'yield' is left out" in said.stderr
    assert len(said.stdout) < 1_000
    assert (lab / "huge.study.db").stat().st_size < 100_000
    assert "nothing was measured yet" in " ".join(run("status").stdout.split())
    run("suggest", "-n", 8)
    for k in range(8):
        run("record", k, 10.0 + k % 5)
    run("exclude", "m5", "--reason", "sold out")
    status = run("status").stdout
    assert "one pass over 20,000 rows" in " ".join(status.split())
    record = json.loads(run("status", "--certify", "--format", "json").stdout)
    assert record["certificate"]["exact"]
    assert record["recommended"]["row"].startswith("m")
    run("suggest", "--out", "round.csv")
    assert (lab / "round.csv").read_text().count("\n") == 2
    assert "9 of 9 suggestions match" in run("replay").stderr
    assert (
        "400 of 20000 candidates"
        in run(
            "plan",
            huge.name,
            "--eps",
            1,
            "--spread",
            5,
            "--most",
            8,
            "--functions",
            5,
            "--objective",
            "yield",
            "--id",
            "id",
        ).stderr
    )
    assert run("export", "--format", "csv").stdout.count("\n") == 10
    codes = next(lab.glob("*.codes.npy")).stat().st_mtime_ns
    pq.write_table(pa.table({"id": ["m0", "m1"], "T": [1, 2], "x": [0.5, 0.1], "acid": ["HCl", "HNO3"]}), huge)
    assert "is not the file that the study was made with" in run("suggest", code=1).stderr
    assert next(lab.glob("*.codes.npy")).stat().st_mtime_ns == codes  # it was not read in vain


def test_what_is_for_spreadsheets_is_refused(run, huge):
    said = run("init", huge.name, "--objective", "yield", "--maximize", "--worksheet", "a", code=2)
    assert "--worksheet is for spreadsheets" in said.stderr


def test_a_pass_says_its_price_first(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    line = PassLine()
    line("certificate", 10, 1_000, 600.0)
    line("certificate", 500, 1_000, 300.0)
    line("certificate", 1_000, 1_000, 0.0)
    said = capsys.readouterr().err
    assert said.startswith("certificate: one pass over 1,000 rows, about 10 min\n")
    assert said.rstrip(" ").endswith("100 %, done    \n")
    line("suggestion", 1, 2, 0.1)  # too short to be worth a word
    assert capsys.readouterr().err == ""
