"""Several outcomes at the prompt: objectives and constraints by name, results in parts, and advice to stop."""

import csv
import json

import pytest
from click.testing import CliRunner
from openpyxl import Workbook, load_workbook

from regretless import HypervolumeLeft, Study
from regretless.cli import main
from regretless.cli._config import read_config
from regretless.lab.lab import kept_stop
from regretless.problems.measurements import locate, missing

from .bench import trials

ROWS = [(solvent, T) for solvent in ("water", "ethanol", "toluene") for T in range(20, 100, 10)]
AIMS = ("--objective", "yield", "--objective", "cost:minimize", "--constraint", "impurity <= 0.5")


def measure(solvent, T):
    """What the bench would say."""
    base, price, dirt = {"water": (40.0, 1.0, 0.1), "ethanol": (70.0, 6.0, 0.2), "toluene": (55.0, 3.0, 0.0)}[solvent]
    return {
        "yield": round(base - 0.02 * (T - 60.0) ** 2, 3),
        "cost": round(price + T / 20.0, 3),
        "impurity": round(dirt + T / 150.0, 3),
    }


@pytest.fixture
def scope(lab):
    lines = ["solvent,T,yield,cost,impurity", *(f"{solvent},{T},,," for solvent, T in ROWS)]
    (lab / "scope.csv").write_text("\n".join(lines) + "\n")


@pytest.fixture
def made(run, scope):
    run("init", "scope.csv", *AIMS, "--batch", 4, "--seed", 1)


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def fill(path, *, without=()):
    """Type results into the file of a round; cells of the outcomes ``without`` stay as they are."""
    rows = read(path)
    for row in rows:
        found = measure(row["solvent"], float(row["T"]))
        row.update({name: value for name, value in found.items() if name not in without})
    write(path, rows)


def advice(answer):
    return json.loads(answer.stdout)["advice"]


def amounts(trial):
    return dict(trial.values)


def test_init_says_what_is_wanted_and_the_study_keeps_it(run, lab, scope):
    said = run("init", "scope.csv", *AIMS, "--reference", "yield=10", "--reference", "cost=12", "--risk", 0.05)
    assert "yield is to be maximised and cost to be minimised, with impurity <= 0.5." in said.stdout
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert [each.wanted for each in study.outcomes] == [
            "yield, to be maximised",
            "cost, to be minimised",
            "impurity <= 0.5",
        ]
        assert study.reference == {"yield": 10.0, "cost": 12.0}
        assert study._task.risk == 0.05


def test_results_in_a_file_are_added_also_in_part(run, lab):
    (lab / "scope.csv").write_text("T,yield,impurity\n20,8,0.2\n30,,0.3\n40,32,failed\n50,,\n")
    said = run("init", "scope.csv", "--objective", "yield", "--constraint", "impurity<=0.5", "--fallback", 5)
    assert "3 results were added." in said.stdout
    first, second, third = trials(lab)
    assert amounts(first) == {"yield": 8.0, "impurity": 0.2}
    assert (second.status, amounts(second)) == ("pending", {"impurity": 0.3})
    assert (third.status, amounts(third)) == ("told", {"yield": 32.0, "impurity": None})


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--objective", "yield", "--objective", "cost", "--minimize"), "Say each direction with its name"),
        (("--objective", "cost:minimize", "--maximize"), "Say each direction with its name"),
        (("--objective", "yield", "--objective", "yield:minimize"), "named by --objective twice"),
        (("--objective", "yield", "--constraint", "impurity < 0.5"), 'such as "impurity <= 0.5"'),
        (("--objective", "yield", "--constraint", "impurity <= nan"), 'such as "impurity <= 0.5"'),
        (("--objective", "yield", "--constraint", "yield <= 5"), "named twice"),
        (("--objective", "yield", "--constraint", "impurty <= 0.5"), "Did you mean 'impurity'?"),
        (("--objective", "yield", "--risk", "0.2"), "--risk goes with --constraint"),
        (("--objective", "yield", "--reference", "yield=3"), "reference is for several objectives"),
        ((*AIMS, "--reference", "cost=50"), "reference must name a value for each of yield, cost"),
        ((*AIMS, "--reference", "cost"), "write NAME=VALUE"),
        ((*AIMS, "--fallback", "3"), "fallback is for one objective with constraints"),
        ((*AIMS, "--range", "0", "100"), "--range is for one objective"),
        ((*AIMS, "--stop", "0.5"), "no common unit"),
        ((*AIMS, "--stop", "5%", "--stop-hypervolume", "2%"), "either --stop or --stop-hypervolume"),
        (("--objective", "yield", "--stop-hypervolume", "2%"), "hypervolume is of several objectives"),
    ],
)
def test_what_cannot_be_wanted_is_refused_before_anything_is_made(run, lab, scope, words, says):
    assert says in run("init", "scope.csv", *words, code=2).stderr
    assert not (lab / "scope.study.db").exists()


def test_a_round_has_a_column_per_outcome_and_partial_rows_are_told_in_parts(run, lab, made):
    said = run("suggest", "--out", "round.csv")
    assert "fill in 'yield' and 'cost' and 'impurity', then: regretless record round.csv" in said.stderr
    assert list(read(lab / "round.csv")[0]) == ["trial", "line", "solvent", "T", "yield", "cost", "impurity"]
    fill(lab / "round.csv", without=("impurity",))
    said = run("record", "round.csv").stderr
    assert "; impurity still to come" in said
    assert "round.csv: 4 recorded, 4 filled in part." in said
    assert {trial.status for trial in trials(lab)} == {"pending"}
    assert "4 pending (4 of them measured in part)" in run("status").stdout
    run("suggest", "--pending", "--out", "again.csv")  # what is known stands in the file
    known = [[float(row["yield"]) for row in read(lab / name)] for name in ("again.csv", "round.csv")]
    assert known[0] == known[1]
    rows = read(lab / "again.csv")
    rows[0]["impurity"] = "failed"
    write(lab / "again.csv", rows)
    assert "again.csv: 1 recorded, 3 on record already, 3 filled in part." in run("record", "again.csv").stderr
    assert (trials(lab)[0].status, trials(lab)[0].values["impurity"]) == ("told", None)
    fill(lab / "round.csv")
    rows = read(lab / "round.csv")
    rows[0]["impurity"] = ""
    write(lab / "round.csv", rows)
    assert "round.csv: 3 recorded, 1 on record already, 1 filled in part." in run("record", "round.csv").stderr
    assert [trial.status for trial in trials(lab)] == ["told"] * 4


def test_a_batch_before_any_result_does_not_fix_the_reference(run, lab, made):
    """It is inferred from the first results, and then stays."""
    run("suggest", "-n", 6, "--out", "round.csv")  # more than the initial design: the last ones are the rule's
    assert {trial.source for trial in trials(lab)} == {"design", "rule"}
    fill(lab / "round.csv")
    run("record", "round.csv")
    run("suggest")
    with Study.open(lab / "scope.study.db", "scope") as study:
        reference = study.reference
        assert study.hypervolume > 0.0
    assert reference["cost"] > 0.0
    run("record", 6, "yield=0", "cost=50", "impurity=0")
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.reference == reference


def test_a_conflict_in_one_outcome_names_the_exact_command(run, lab, made):
    run("suggest", "--out", "round.csv")
    fill(lab / "round.csv")
    run("record", "round.csv")
    rows = read(lab / "round.csv")
    number, old = rows[1]["trial"], rows[1]["impurity"]
    rows[1]["impurity"] = "0.125"
    write(lab / "round.csv", rows)
    said = run("record", "round.csv", code=1).stderr
    assert f"is on record as impurity {float(old):g}, the file says impurity 0.125. Nothing was recorded." in said
    command = f"regretless amend {number} --value impurity=0.125 --reason WHY"
    assert said.strip().endswith(f"To correct it: {command}")
    assert f"impurity was {float(old):g}, is now 0.125." in run(*command.split()[1:]).stderr
    assert "4 on record already" in run("record", "round.csv").stderr
    rows[2]["cost"] = rows[2]["impurity"] = "failed"
    write(lab / "round.csv", rows)
    said = run("record", "round.csv", code=1).stderr
    assert f"amend {rows[2]['trial']} --value cost=failed --value impurity=failed --reason WHY" in said


def test_a_changed_factor_gives_the_command_with_every_result(run, lab, made):
    run("suggest", "--out", "round.csv")
    fill(lab / "round.csv", without=("impurity",))
    rows = read(lab / "round.csv")
    rows[0]["T"] = "85"
    write(lab / "round.csv", rows)
    said = run("record", "round.csv", code=2).stderr
    words = f"ran --trial 0 --set T=85 yield={rows[0]['yield']} cost={rows[0]['cost']}".replace(".0 ", " ")
    assert f"regretless {words}".removesuffix(".0") in said


def test_typed_results(run, lab, made):
    run("suggest")
    said = run("record", 0, "yield=81.2", "impurity=0.3").stderr
    assert "Recorded trial 0: yield 81.2, impurity 0.3 at line" in said
    assert said.strip().endswith("; cost still to come")
    assert "cost still to come" not in run("record", 0, "cost=failed").stderr
    assert amounts(trials(lab)[0]) == {"yield": 81.2, "cost": None, "impurity": 0.3}
    assert "'81.2': write each result with its name" in run("record", 1, "81.2", code=2).stderr
    assert "Did you mean 'impurity'?" in run("record", 1, "impurty=0.3", code=2).stderr
    assert "cost cannot both fail" in run("record", 1, "cost=1", "cost=failed", code=2).stderr
    assert "record 17 yield=81.2 cost=0.3, or record 17 --failed" in run("record", 1, code=2).stderr
    run("record", 1, "--failed")
    assert trials(lab)[1].status == "failed"
    run("record", 2, "yield=-5", "cost=3")
    run("record", 2, "--failed")  # what is not there yet has failed
    assert amounts(trials(lab)[2]) == {"yield": -5.0, "cost": 3.0, "impurity": None}


def test_amend_ran_and_release(run, lab, made):
    run("suggest")
    run("record", 0, "yield=812", "cost=3")
    said = run("amend", 0, "--value", "yield=81.2", "--value", "cost=failed", "--reason", "typo").stderr
    assert said == "Trial 0: yield was 812, is now 81.2.\nTrial 0: cost was 3, is now failed.\n"
    assert "no result of impurity to amend" in run("amend", 0, "--value", "impurity=1", "--reason", "x", code=1).stderr
    said = run("release", 0, code=1).stderr
    assert said.strip().endswith("If there will be no more: regretless record 0 impurity=failed")
    run("release", 1)
    assert [trial.status for trial in trials(lab)][:2] == ["pending", "released"]
    said = run("ran", "--set", "solvent=water", "--set", "T=65", "yield=39", "impurity=0.6").stderr
    assert "yield 39, impurity 0.6 at solvent=water, T=65; cost still to come" in said
    assert "write each result with its name" in run("ran", "--row", 3, "1", "2", "3", "4", code=2).stderr


def test_nothing_was_run_instead_of_a_trial_that_has_results(run, lab, made):
    run("suggest")
    run("record", 0, "yield=81.2")
    for what in (("--set", "T=85"), ("--row", 3)):
        said = run("ran", *what, "--trial", 0, "yield=3", code=1).stderr
        assert said.strip().endswith("regretless record 0 cost=failed impurity=failed")
    assert len(trials(lab)) == 4


def test_import_completes_a_row_and_keeps_others_apart(run, lab, made):
    run("suggest")
    run("record", 0, "yield=68")
    run("record", 1, "yield=5")
    first, second = (trial.params for trial in trials(lab)[:2])
    lines = [f"{first['solvent']},{first['T']},68,0.4", f"{second['solvent']},{second['T']},6,0.2"]
    (lab / "more.csv").write_text("solvent,T,yield,impurity\n" + "\n".join(lines) + "\n")
    assert "2 results recorded, 1 of them of pending trials." in run("import", "more.csv").stderr
    found = trials(lab)
    assert amounts(found[0]) == {"yield": 68.0, "impurity": 0.4}
    assert amounts(found[1]) == {"yield": 5.0}  # another measurement of the same experiment
    assert amounts(found[4]) == {"yield": 6.0, "impurity": 0.2}


def test_import_answers_what_waits_and_does_not_record_twice(run, lab, made):
    run("suggest")
    run("record", 0, "yield=68")
    found = trials(lab)
    lines = [f"{t.params['solvent']},{t.params['T']},{measure(**t.params)['impurity']}" for t in found[:2]]
    (lab / "purity.csv").write_text("solvent,T,impurity\n" + "\n".join(lines) + "\n")
    said = run("import", "purity.csv").stderr
    assert "2 results recorded, 2 of them of pending trials." in said
    assert set(trials(lab)[0].values) == {"yield", "impurity"}
    assert "0 results recorded; 2 were on record already." in run("import", "purity.csv").stderr
    (lab / "other.csv").write_text("solvent,T,yeild\nwater,20,8\n")
    assert (
        "has no column 'yield'. Did you mean 'yeild'? Spell it as the study does."
        in run("import", "other.csv", code=2).stderr
    )
    (lab / "none.csv").write_text("solvent,T,colour\nwater,20,red\n")
    assert "has no column 'yield'" in run("import", "none.csv", code=2).stderr


def test_export_has_every_outcome_and_can_be_imported(run, lab, made):
    run("suggest", "--out", "round.csv")
    fill(lab / "round.csv")
    run("record", "round.csv")
    run("suggest")
    run("record", 4, "yield=81.2", "impurity=failed")
    run("export", "--out", "trials.csv")
    rows = read(lab / "trials.csv")
    assert (rows[4]["yield"], rows[4]["cost"], rows[4]["impurity"]) == ("81.2", "", "failed")
    assert rows[4]["expected impurity"] == repr(trials(lab)[4].details["mean[impurity]"])
    assert rows[4]["expected yield"] == repr(trials(lab)[4].details["mean"])
    assert "0 results recorded; 5 were on record already" in run("import", "trials.csv").stderr
    record = json.loads(run("export", "--format", "json").stdout)
    assert record["outcomes"] == ["yield, to be maximised", "cost, to be minimised", "impurity <= 0.5"]
    assert record["trials"][4]["values"] == {"yield": 81.2, "impurity": None}


def test_the_whole_loop_with_two_objectives_and_a_constraint(run, lab, scope):
    """The stop rule is met with exit code 3; what is recommended is the true front, as far as the model can tell."""
    run("init", "scope.csv", *AIMS, "--batch", 4, "--stop", "5%", "--patience", 2, "--seed", 1)
    for n in range(1, 7):
        answer = CliRunner().invoke(main, ["suggest", "--out", f"round_{n}.csv"], catch_exceptions=False)
        assert answer.exit_code == 0
        fill(lab / f"round_{n}.csv")
        answer = CliRunner().invoke(main, ["record", f"round_{n}.csv"], catch_exceptions=False)
        assert answer.exit_code in (0, 3)
        if answer.exit_code == 3:
            break
    assert answer.exit_code == 3
    assert "You can stop: going on is expected to gain at most" in answer.stderr
    found = json.loads(run("status", "--format", "json", code=3).stdout)
    truth = {row: measure(*row) for row in ROWS}
    feasible = {row: each for row, each in truth.items() if each["impurity"] <= 0.5}
    best = {
        row
        for row, a in feasible.items()
        if not any(b["yield"] >= a["yield"] and b["cost"] <= a["cost"] and b != a for b in feasible.values())
    }
    named = {(each["params"]["solvent"], each["params"]["T"]) for each in found["front"]}
    assert named <= set(feasible)
    assert len(named & best) >= len(best) - 1
    assert all(each["prob_feasible"] >= 0.9 for each in found["front"])
    assert all(each["values"]["impurity"] <= 0.5 for each in found["best_trials"])
    text = run("status", code=3).stdout
    assert "Front by the models, mean ± sd:" in text
    assert "Front by measurement:" in text
    assert "every other candidate is within" in text
    assert "suggestions match" in run("replay").stderr
    run("report", "--html", "report.html")
    page = (lab / "report.html").read_text()
    for title in ("Regret left", "Hypervolume so far", "The front", "to yield", "to cost", "to impurity"):
        assert title in page
    assert "weights 0." in page


def test_the_loop_in_workbooks(run, lab):
    book = Workbook()
    for row in [["T", "yield", "impurity"], *([T, None, None] for T in range(20, 100, 10))]:
        book.active.append(row)
    book.save(lab / "scope.xlsx")
    run("init", "scope.xlsx", "--objective", "yield", "--constraint", "impurity <= 0.4", "--batch", 3, "--seed", 1)
    run("suggest", "--out", "round.xlsx")
    book = load_workbook(lab / "round.xlsx")
    sheet = book.active
    assert [cell.value for cell in sheet[1]] == ["trial", "line", "T", "yield", "impurity"]
    for line in range(2, sheet.max_row + 1):
        sheet.cell(line, 4, float(sheet.cell(line, 3).value))
        sheet.cell(line, 5, "failed" if line == 2 else round(sheet.cell(line, 3).value / 150, 3))
    sheet.cell(3, 5).value = None
    book.save(lab / "round.xlsx")
    assert "round.xlsx: 3 recorded, 1 filled in part." in run("record", "round.xlsx").stderr
    first, second, third = trials(lab)
    assert (first.values["impurity"], second.status) == (None, "pending")
    assert third.values == {"yield": third.params["T"], "impurity": round(third.params["T"] / 150, 3)}
    text = run("status").stdout
    assert "Constraint     impurity <= 0.4" in text
    assert "feasible with probability" in text


def test_without_a_feasible_result_that_is_said(run, lab):
    (lab / "scope.csv").write_text("T,yield,impurity\n20,8,0.7\n30,9,0.8\n40,9,0.9\n50,,\n60,,\n")
    said = run("audit", "scope.csv", "--objective", "yield", "--constraint", "impurity <= 0.1").stdout
    assert "Best measured  None: no experiment has satisfied the constraints yet" in said
    assert "Violations     impurity <= 0.1 in 3 of 3" in said
    assert "less than was asked for" in said
    found = json.loads(
        run("audit", "scope.csv", "--objective", "yield", "--constraint", "impurity <= 0.1", "--format", "json").stdout
    )
    assert found["best_measured"] is None
    assert found["recommended"]["qualified"] is False


@pytest.mark.parametrize("command", ["init", "next", "audit"])
def test_a_factor_is_not_taken_for_a_result(run, lab, scope, command):
    """As a result it would be no factor any more, and every row would be half measured."""
    said = run(
        command,
        "scope.csv",
        "--objective",
        "yield",
        "--constraint",
        "T <= 50",
        "--ignore",
        "cost",
        "--ignore",
        "impurity",
        code=2,
    ).stderr
    assert "column 'T' of scope.csv has a value in every row" in said
    assert not (lab / "scope.study.db").exists()


def test_constraints_of_a_file_are_of_the_space_where_they_name_a_parameter(run, lab):
    (lab / "model.py").write_text("def f(p):\n    return {'speed': p['x'] + p['y'], 'memory': p['x']}\n")
    (lab / "tune.toml").write_text(
        'python = "model:f"\nobjective = "speed"\nconstraints = ["x + y <= 1", "memory <= 0.25"]\n'
        "budget = 6\nseed = 1\n[space]\nx = { low = 0.0, high = 1.0 }\ny = { low = 0.0, high = 1.0 }\n"
    )
    assert read_config(str(lab / "tune.toml")).aims.constraints == {"memory": ("<=", 0.25)}
    assert "Constraint     memory <= 0.25" in run("optimize", "tune.toml").stdout
    assert all(trial.params["x"] + trial.params["y"] <= 1.0 for trial in trials(lab, "tune"))
    run("optimize", "tune.toml")  # the same file goes on with the same study


def test_next_and_audit_keep_no_state(run, lab, scope):
    assert "holds no result yet" in run("audit", "scope.csv", *AIMS, code=2).stderr
    rows = read(lab / "scope.csv")
    for row in rows[::3]:
        row.update(measure(row["solvent"], float(row["T"])))
    rows[1]["yield"] = "12"
    write(lab / "scope.csv", rows)
    said = run("next", "scope.csv", *AIMS, "-n", 2).stdout
    assert "expected cost" in said
    assert "Front by the models" in said
    record = json.loads(run("next", "scope.csv", *AIMS, "--format", "json").stdout)
    assert set(record["suggestions"][0]["expected"]) == {"yield", "cost", "impurity"}
    assert record["hypervolume"] > 0.0
    met = run("audit", "scope.csv", *AIMS, "--stop-hypervolume", "10000%", "--patience", 1, code=3).stdout
    assert "You can stop" in met
    assert (
        "no column 'cots'"
        in run("next", "scope.csv", "--objective", "yield", "--objective", "cots:minimize", code=2).stderr
    )


def test_the_stop_rule_is_kept_and_can_be_replaced(run, lab, scope):
    run("init", "scope.csv", *AIMS, "--stop-hypervolume", "2%", "--batch", 10, "--seed", 1)
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert kept_stop(study) == HypervolumeLeft(relative=0.02)
    run("suggest", "--out", "round.csv")
    fill(lab / "round.csv")
    run("record", "round.csv")
    assert "more than the 2 % of it at which to stop" in advice(run("status", "--format", "json"))
    by_width = advice(run("status", "--stop", "0.1%", "--format", "json"))
    assert "more than the 0.1 % of the front's width at which to stop" in by_width
    assert "no common unit" in run("status", "--stop", "3", code=2).stderr


PROGRAM = """
import sys
x = float(sys.argv[1])
print("working")
{}
"""


@pytest.mark.parametrize(
    "prints",
    [
        "print('speed=%r' % x); print('note = 3'); print('memory = %r' % (x * x))",
        "import json; print(json.dumps({'speed': x, 'memory': x * x, 'other': 1}))",
    ],
)
def test_a_program_prints_several_outcomes(run, lab, prints):
    (lab / "simulate.py").write_text(PROGRAM.format(prints))
    (lab / "tune.toml").write_text(
        'command = ["python3", "simulate.py", "{x}"]\nobjective = "speed"\nconstraints = ["memory <= 0.25"]\n'
        "risk = 0.2\nbudget = 6\nseed = 1\n[space]\nx = { low = 0.0, high = 1.0 }\n"
    )
    said = run("optimize", "tune.toml").stdout
    assert "Constraint     memory <= 0.25" in said
    for trial in trials(lab, "tune"):
        x = trial.params["x"]
        assert trial.values == {"speed": x, "memory": x * x}


@pytest.mark.parametrize(
    "prints", ["print('speed=%r' % x); print('memory=nan')", 'print(\'{"speed": %r, "memory": null}\' % x)']
)
def test_an_outcome_of_a_program_may_fail_alone(run, lab, prints):
    (lab / "simulate.py").write_text(PROGRAM.format(prints))
    (lab / "tune.toml").write_text(
        'command = ["python3", "simulate.py", "{x}"]\nobjective = "speed"\nconstraints = ["memory <= 0.25"]\n'
        "budget = 3\nseed = 1\n[space]\nx = { low = 0.0, high = 1.0 }\n"
    )
    run("optimize", "tune.toml")
    assert [trial.values for trial in trials(lab, "tune")] == [
        {"speed": trial.params["x"], "memory": None} for trial in trials(lab, "tune")
    ]


def test_what_a_program_does_not_print_is_an_error(run, lab):
    (lab / "simulate.py").write_text(PROGRAM.format("print('speed=1')"))
    (lab / "tune.toml").write_text(
        'command = ["python3", "simulate.py", "{x}"]\nobjective = "speed"\nconstraints = ["memory <= 0.25"]\n'
        "budget = 6\nseed = 1\n[space]\nx = { low = 0.0, high = 1.0 }\n"
    )
    said = run("optimize", "tune.toml", code=1).stderr
    assert "it printed no 'memory': print a line per outcome, such as speed=81.2" in said


def test_a_function_returns_several_outcomes(run, lab):
    (lab / "model.py").write_text(
        "def f(p):\n    x = p['x']\n    return {'speed': [x, x + 0.1], 'cost': x * x if x < 0.8 else float('nan')}\n"
    )
    (lab / "tune.toml").write_text(
        'python = "model:f"\nobjectives = { speed = "maximize", cost = "minimize" }\nstop_hypervolume = "1%"\n'
        "reference = { speed = 0.0, cost = 1.0 }\nbudget = 6\nseed = 1\n[space]\nx = { low = 0.0, high = 1.0 }\n"
    )
    said = run("optimize", "tune.toml").stdout
    assert "Pareto-optimal" in said
    for trial in trials(lab, "tune"):
        x = trial.params["x"]
        assert trial.noise["speed"] == {"replicates": [x, x + 0.1]}
        assert trial.values["cost"] == (x * x if x < 0.8 else None)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('objectives = { a = "up" }', "direction must be"),
        ('objective = "a"\nobjectives = { a = "maximize", b = "minimize" }', "give either objective and direction"),
        ('constraints = "a <= 1"', "constraints must be a list of texts"),
        ('constraints = ["value <= 1"]', "each is named once"),
        ('constraints = ["a <= 1", "a >= 0"]', "each is named once"),
        ('stop_hypervolume = "1%"', "hypervolume is of several objectives"),
        ('objectives = { a = "maximize", b = "minimize" }\nstop = 0.5', "no common unit"),
        ('objectives = { a = "maximize", b = "minimize" }\nstop = "5%"\nstop_hypervolume = 1', "either stop or"),
    ],
)
def test_what_a_file_cannot_want(lab, line, says):
    (lab / "tune.toml").write_text(f'python = "m:f"\nbudget = 5\n{line}\n[space]\nx = {{ low = 0.0, high = 1.0 }}\n')
    with pytest.raises(Exception, match=says):
        read_config(str(lab / "tune.toml"))


@pytest.mark.slow
@pytest.mark.skipif(bool(missing(["crossed-barrel"])), reason="needs the table of crossed barrels")
def test_the_loop_on_the_crossed_barrels(run, lab):
    """Toughness against plastic on measured data, with a bound on the width of a column."""
    with locate("crossed-barrel").open(encoding="utf-8-sig", newline="") as file:
        known = {(row["n"], row["theta"], row["r"], row["t"]): float(row["toughness"]) for row in csv.DictReader(file)}
    head = ["n", "theta", "r", "t", "toughness", "plastic", "width"]
    write(lab / "barrels.csv", [dict(zip(head, (*key, "", "", ""), strict=True)) for key in known])
    aims = ("--objective", "toughness", "--objective", "plastic:minimize", "--constraint", "width <= 5")
    run("init", "barrels.csv", *aims, "--batch", 6, "--seed", 1)
    for n in range(4):
        run("suggest", "--out", f"round_{n}.csv")
        rows = read(lab / f"round_{n}.csv")
        for row in rows:
            n_, r, t = float(row["n"]), float(row["r"]), float(row["t"])
            key = (row["n"], row["theta"], row["r"], row["t"])
            row.update(toughness=known[key], plastic=round(n_ * t * (2 * r - t), 4), width=2 * r)
        write(lab / f"round_{n}.csv", rows)
        run("record", f"round_{n}.csv")
    found = json.loads(run("status", "--format", "json").stdout)
    assert found["counts"]["measured"] == 24
    assert found["hypervolume"] > 0.0
    assert "24 of 24 suggestions match" in run("replay").stderr
