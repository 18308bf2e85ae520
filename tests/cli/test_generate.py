import csv
import io
import json

import numpy as np
import pytest

from regretless import Table
from regretless.gp import Kernel
from regretless.gp.priors import usual_lengthscale
from regretless.theory import simulate

TOML = """
[factors]
solvent = ["water", "ethanol"]
temperature = { from = 20, to = 40, step = 5 }
[[mixture]]
parts = ["A", "B", "C"]
step = 0.25
at_most = 2
"""


def test_generate(run, lab):
    (lab / "scope.toml").write_text(TOML)
    assert run("generate", "scope.toml", "--dry-run").stderr == (
        "120 rows: 2 (solvent) x 5 (temperature) x 12 (A + B + C)\n"
    )
    run("generate", "scope.toml", "--out", "scope.csv")
    text = (lab / "scope.csv").read_text()
    assert run("generate", "scope.toml").stdout == text
    assert len(list(csv.DictReader(io.StringIO(text)))) == Table(lab / "scope.csv").n_candidates == 120
    run("generate", "scope.toml", "--out", "scope.csv", code=2)
    said = run("generate", "scope.toml", "--max-rows", 100, "--out", "more.csv", code=2)
    assert said.stderr.startswith("120 rows")  # the size comes before the refusal
    assert not (lab / "more.csv").exists()


def test_a_huge_scope_is_refused_at_once(run, lab):
    (lab / "scope.toml").write_text(
        "[factors]\n" + "".join(f"f{i} = {{from = 0, to = 999, step = 1}}\n" for i in range(9))
    )
    assert "1000000000000000000000000000 rows" in run("generate", "scope.toml", code=2).stderr


def test_plan_is_the_simulation_of_the_scope(run, lab):
    rows = [{"T": T, "acid": acid} for T in range(0, 50, 10) for acid in ("a", "b")]
    (lab / "scope.csv").write_text("T,acid\n" + "".join(f"{row['T']},{row['acid']}\n" for row in rows))
    found = json.loads(
        run("plan", "scope.csv", "--eps", 2, "--spread", 8, "--noise", 1, "--functions", 5, "--format", "json").stdout
    )
    table = Table(rows)
    kernel = Kernel("matern52", np.full(2, usual_lengthscale(2)), 1.0, (False, True))
    runs = simulate(table.X, kernel, 1 / 64, 2 / 8, n_functions=5, max_T=100)
    typical = next(case for case in found["cases"] if case["smoothness"] == "typical")
    assert (typical["half"], typical["nine_of_ten"]) == (runs.quantile(0.5)[0], runs.quantile(0.9)[0])
    assert {case["law"] for case in found["cases"]} == {runs.law}
    assert runs.law.startswith("the default law")
    shown = run("plan", "scope.csv", "--eps", 2, "--functions", 5).stdout
    assert len([line for line in shown.splitlines() if "(" in line and line.strip()[0].isdigit()]) == 3  # three spreads
    assert shown.count(f"Simulated with {runs.law}.") == 1


def test_plan_of_a_large_scope_has_the_law_of_all_its_rows(run, lab):
    (lab / "scope.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x in range(70) for y in range(70)))
    asked = ["plan", "scope.csv", "--eps", 2, "--spread", 8, "--functions", 9, "--format", "json"]
    found = run(*asked)
    assert "400 of 4900 candidates" in found.stderr
    table = Table(lab / "scope.csv")
    part = np.sort(np.random.default_rng(0).choice(4900, 400, replace=False))
    kernel = Kernel("matern52", np.full(2, 0.5 * usual_lengthscale(2)), 1.0, (False, False))
    case = {"kernel": kernel, "noise_var": 1 / 400, "eps": 2 / 8, "n_functions": 9, "max_T": 100}
    runs, smaller = (simulate(table.X[part], **case, n_candidates=N) for N in (4900, 400))
    rough = next(case for case in json.loads(found.stdout)["cases"] if case["smoothness"] == "rough")
    assert (rough["half"], rough["nine_of_ten"]) == (runs.quantile(0.5)[0], runs.quantile(0.9)[0])
    assert (rough["half"], rough["nine_of_ten"]) != (smaller.quantile(0.5)[0], smaller.quantile(0.9)[0])


def test_plan_says_where_measured_candidates_are_left_out(run, scope):
    """As a study made by init does where the noise is small; with a given noise that depends on the spread."""
    asked = ["plan", "scope.csv", "--eps", 2, "--noise", 0.2, "--objective", "yield", "--functions", 5]
    laws = [line for line in run(*asked).stdout.splitlines() if line.startswith("Simulated with")]
    assert [line.endswith("measured candidates left out.") for line in laws] == [False, True]
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").stdout)))
    assert {row["spread"]: "left out" in row["law"] for row in rows} == {"4": False, "10": True, "20": True}


@pytest.mark.parametrize("option", [("--eps", "0"), ("--eps", "nan"), ("--eps", "2", "--spread", "-1")])
def test_plan_needs_positive_numbers(run, scope, option):
    run("plan", "scope.csv", *option, code=2)


def test_plan_leaves_the_results_out(run, scope):
    said = run("plan", "scope.csv", "--eps", 2, "--spread", 5, "--objective", "yield", "--functions", 5)
    assert "typical" in said.stdout
