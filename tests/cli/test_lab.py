"""The lab's loop: init, suggest, record, status, and everything that goes wrong in between."""

import json
import re

import pytest

from regretless import Regret, Study
from regretless.gp import Surrogate
from regretless.lab.text import interval
from regretless.optimizer.wording import rounded

from .bench import SCOPE, fill_in, trials, yield_of


def test_the_loop(run, lab, made):
    before = made.read_bytes()
    for k in range(4):
        run("suggest", "--out", f"round_{k}.csv")
        fill_in(lab / f"round_{k}.csv")
        said = run("record", f"round_{k}.csv").stderr
        assert "3 recorded" in said
    done = trials(lab)
    assert [trial.number for trial in done] == list(range(12))
    assert all(trial.value == yield_of(trial.params["solvent"], trial.params["T"]) for trial in done)
    lines = SCOPE.splitlines()
    assert all(lines[trial.row - 1] == f"{trial.params['solvent']},{trial.params['T']}," for trial in done)
    status = json.loads(run("status", "--format", "json").stdout)
    assert status["best_measured"]["value"] == max(trial.value for trial in done)
    assert status["counts"]["measured"] == 12
    assert "12 of 12 suggestions match" in run("replay").stderr
    run("status", "--stop", 1000, code=3)
    assert made.read_bytes() == before


def test_a_study_is_the_same_by_command_line_and_by_python(run, lab, made):
    run("suggest", "-n", 3)
    for k in range(3):
        run("record", k, 10.0 + k)
    with Study.open(lab / "scope.study.db", "scope") as study:
        twin = Study(study.space, objective="yield", seed=1)
        for k, trial in enumerate(twin.ask(3)):
            twin.tell(trial, 10.0 + k)
        expected = twin.ask(2)
    shown = json.loads(run("suggest", "-n", 2, "--format", "json").stdout)["suggestions"]
    assert [row["params"] for row in shown] == [dict(trial.params) for trial in expected]
    assert [row.get("zeta") for row in shown] == [trial.zeta for trial in expected]


def test_a_round_may_be_recorded_bit_by_bit(run, lab, made):
    run("suggest", "--out", "r.csv")
    fill_in(lab / "r.csv", rows=1)
    assert "1 recorded, 2 still empty" in run("record", "r.csv").stderr
    fill_in(lab / "r.csv", rows=3)
    assert "2 recorded, 1 on record already" in run("record", "r.csv").stderr
    assert "0 recorded, 3 on record already" in run("record", "r.csv").stderr
    assert len(trials(lab)) == 3


def test_a_changed_round_is_noticed_before_anything_is_recorded(run, lab, made):
    run("suggest", "--out", "r.csv")
    path = fill_in(lab / "r.csv")
    head, first, second, third = path.read_text().splitlines()
    cells = third.split(",")
    path.write_text("\n".join([head, first, second, ",".join([*cells[:3], "99", cells[4]])]) + "\n")
    said = run("record", "r.csv", code=2).stderr
    assert "T is '99'" in said
    assert "regretless ran --trial 2 --set T=99" in said
    assert all(trial.status == "pending" for trial in trials(lab))
    path.write_text("\n".join([head, first, first]) + "\n")
    assert "lines 2 and 3 are the same in every cell" in run("record", "r.csv", code=2).stderr
    path.write_text("\n".join([head, first.replace("0,", "7,", 1)]) + "\n")
    assert "no trial 7" in run("record", "r.csv", code=2).stderr
    assert "not the file of a round" in run("record", "scope.csv", code=2).stderr
    assert all(trial.status == "pending" for trial in trials(lab))


def test_a_contradiction_records_nothing_and_names_the_way_out(run, lab, made):
    run("suggest", "--out", "r.csv")
    run("record", 0, 1.0)
    fill_in(lab / "r.csv")
    assert "regretless amend 0 --value" in run("record", "r.csv", code=1).stderr
    assert [trial.status for trial in trials(lab)] == ["told", "pending", "pending"]
    run("record", 0, 2.0, code=1)
    run("record", 0, "--failed", code=1)
    run("record", 0, 1.0)
    assert "was 1, is now 81.2" in run("amend", 0, "--value", 81.2, "--reason", "typo").stderr
    assert trials(lab)[0].value == 81.2
    run("amend", 0, "--failed", "--reason", "broken vial")
    assert trials(lab)[0].status == "failed"
    run("amend", 0, "--reason", "nothing said", code=2)
    run("amend", 1, "--value", 3, "--reason", "still pending", code=1)


def test_failed_words_and_empty_cells(run, lab, made):
    run("suggest", "--out", "r.csv")
    head, first, second, third = (lab / "r.csv").read_text().splitlines()
    (lab / "r.csv").write_text("\n".join([head, f"{first}failed", f"{second}PENDING", third]) + "\n")
    run("record", "r.csv")
    run("record", 2, "--failed")
    assert [trial.status for trial in trials(lab)] == ["failed", "pending", "failed"]


def test_ran(run, lab, made):
    run("suggest", "-n", 1)
    base = trials(lab)[0]
    other = 20 if base.params["T"] != 20 else 30
    run("ran", "--set", f"T={other}", 33.5)
    first, second = trials(lab)
    assert first.status == "released"
    assert second.params == {**base.params, "T": other}
    assert second.value == 33.5
    run("ran", "--row", 5, "--failed")
    run("ran", "--set", "T=20", "--set", "solvent=water", -4)
    assert [trial.value for trial in trials(lab)[2:]] == [None, -4.0]
    said = run("ran", "--set", "T=20", 5, code=2).stderr
    assert "solvent is not set" in said
    assert "no row of the table has" in run("ran", "--set", "T=20", "--set", "solvent=watr", 5, code=2).stderr
    assert "NAME of solvent, T" in run("ran", "--set", "temp=21", 5, code=2).stderr
    run("ran", "--set", "T=hot", "--set", "solvent=water", 5, code=2)
    run("ran", 5, code=2)
    run("ran", "--row", 5, code=2)
    run("ran", "--row", 5, "--trial", 99, 1, code=2)
    assert len(trials(lab)) == 4


def test_exclude_and_include(run, lab, made):
    rows = [str(line) for line in range(2, 26) if line != 7]
    run("exclude", *rows, "--reason", "out of stock")
    for _ in range(2):
        shown = json.loads(run("suggest", "-n", 1, "--format", "json").stdout)["suggestions"]
        assert [row["row"] for row in shown] == [7]
        run("record", shown[0]["trial"], 5)
    assert "Excluded rows" in run("status").stdout
    run("include", *rows)
    run("exclude", "--trial", 0, "--reason", "wrong bottle")
    assert trials(lab)[0].excluded
    assert "1 excluded" in run("status").stdout
    run("include", "--trial", 0)
    assert not trials(lab)[0].excluded
    run("exclude", "5", "999", "--reason", "one of them is not a row", code=2)
    assert json.loads(run("status", "--format", "json").stdout)["excluded_rows"] == []
    run("exclude", "--reason", "nothing named", code=2)
    run("exclude", "999", "--reason", "no such row", code=2)
    run("exclude", "--trial", 99, "--reason", "no such trial", code=2)


def test_pending_trials_are_said_and_can_be_written_again(run, lab, made):
    run("suggest", "--out", "r.csv")
    assert "trial 0, 1, 2" in run("suggest", "-n", 1).stderr
    run("suggest", "--pending", "--out", "again.csv")
    again = (lab / "again.csv").read_text().splitlines()
    assert again[:4] == (lab / "r.csv").read_text().splitlines()
    assert len(again) == 5
    assert len(trials(lab)) == 4
    run("suggest", "--out", "r.csv", code=2)
    assert len(trials(lab)) == 4


@pytest.fixture
def repeated(run, lab):
    """Two rows, one of them measured twice: with every row tried the next suggestion is a repeat."""
    (lab / "two.csv").write_text("name,y\na,1.5\nb,\na,3.5\n")
    run("init", "two.csv", "--objective", "y", "--seed", 1, "--repeats", "allow")
    for k in range(4):
        run("suggest", "-n", 1)
        run("record", k + 2, 2.0 + k)


def test_a_repeat_is_marked_and_explained(run, lab, repeated):
    out = run("suggest", "-n", 1, "--out", "r.csv")
    trial = trials(lab, "two")[-1]
    before = sum(t.params == trial.params for t in trials(lab, "two")[:-1])
    assert before >= 1
    assert f"trial {trial.number} measures line {trial.row} again ({before} result" in out.stderr
    assert "noisy" in out.stderr
    assert "--repeats never" in out.stderr
    assert "measured before" in out.stdout
    head, row = (lab / "r.csv").read_text().splitlines()
    assert head == "trial,line,name,measured before,y"
    assert row.split(",")[3] == str(before)
    again = json.loads(run("suggest", "--pending", "--format", "json").stdout)["suggestions"]
    assert [entry["measured_before"] for entry in again] == [before]
    assert run("suggest", "--pending", "--format", "csv").stdout.splitlines()[1].endswith(f",{before}")
    (lab / "r.csv").write_text(f"{head}\n{row}7.5\n")
    assert "1 recorded" in run("record", "r.csv").stderr
    run("report", "--html", "r.html")
    page = (lab / "r.html").read_text()
    assert f"(measured {before}× before)" in page
    assert "suggested again although they had a result" in page


def test_what_was_not_measured_before_is_not_marked(run, lab, made):
    out = run("suggest", "--out", "r.csv")
    assert "again" not in out.stderr
    assert "measured before" not in out.stdout + (lab / "r.csv").read_text()
    csv = run("suggest", "--pending", "--format", "csv").stdout.splitlines()
    assert csv[0].endswith(",measured before")
    assert all(line.endswith(",0") for line in csv[1:])
    run("record", 0, 5)
    run("exclude", "--trial", 0, "--reason", "wrong bottle")
    run("suggest", "-n", 1)
    assert all(
        entry["measured_before"] == 0
        for entry in json.loads(run("suggest", "--pending", "--format", "json").stdout)["suggestions"]
    )


def test_a_repeat_of_the_design_is_not_said_to_be_the_rules(run, lab):
    (lab / "one.csv").write_text("T,y\n1,5\n2,\n3,\n4,\n")
    run("init", "one.csv", "--objective", "y", "--seed", 1, "--repeats", "allow")
    said = run("suggest").stderr
    assert trials(lab, "one")[1].source == "design"
    assert "initial design" in said
    assert "score" not in said


def test_no_file_is_made_for_no_suggestion(run, lab, made):
    run("suggest", "--pending", "--out", "r.csv")
    assert not (lab / "r.csv").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda head: head.replace("T,", "Temp,"), "lacks 'T' of the columns.*and has 'Temp' instead"),
        (lambda head: head.replace("solvent,T", "Lösung,Temp"), "lacks 'solvent', 'T'.*'Lösung', 'Temp'"),
        (lambda head: head.replace("yield", "Yield"), "lacks 'yield'.*'Yield'"),
        (lambda head: head.replace("trial", "Trial"), "no column 'trial'"),
    ],
)
def test_a_round_with_renamed_columns_is_refused(run, lab, made, change, says):
    run("suggest", "--out", "r.csv")
    path = fill_in(lab / "r.csv")
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([change(head), *rows]) + "\n", encoding="utf-8")
    assert re.search(says, run("record", "r.csv", code=2).stderr)
    assert all(trial.status == "pending" for trial in trials(lab))


def test_a_round_without_a_factor_is_refused_and_one_with_notes_is_not(run, lab, made):
    run("suggest", "--out", "r.csv")
    path = fill_in(lab / "r.csv")
    lines = [line.split(",") for line in path.read_text().splitlines()]
    path.write_text("\n".join(",".join([*line[:3], *line[4:]]) for line in lines))
    said = run("record", "r.csv", code=2).stderr
    assert "lacks 'T'" in said
    path.write_text(
        "\n".join(",".join([*line, note]) for line, note in zip(lines, ["note", "", "a b", "x"], strict=True))
    )
    assert "3 recorded" in run("record", "r.csv").stderr


def test_where_the_study_is(run, lab, made):
    (lab / "other.csv").write_text(SCOPE)
    run("init", "other.csv", "--objective", "yield")
    assert "other.study.db, scope.study.db" in run("status", code=2).stderr
    assert "other (other.study.db)" in run("status", "--study", "other.csv").stdout
    assert "scope (scope.study.db)" in run("status", "--study", "scope.study.db").stdout
    assert "already" in run("init", "scope.csv", "--objective", "yield", code=2).stderr
    run("status", "--study", "missing.csv", code=2)
    run("status", "--study", "scope.study.db", "--name", "missing", code=1)
    assert sorted(path.name for path in lab.iterdir() if path.suffix == ".db") == ["other.study.db", "scope.study.db"]


@pytest.mark.parametrize("command", ["status", "suggest", "replay"])
def test_a_study_named_without_its_option(run, lab, made, command):
    assert "--study PLACE" in run(command, "scope.study.db", code=2).stderr


def test_no_study_here(run, lab):
    assert "regretless init" in run("status", code=2).stderr
    assert list(lab.iterdir()) == []


def test_a_damaged_study_is_a_sentence(run, lab):
    (lab / "scope.study.db").write_bytes(b"this is not a database" * 100)
    said = run("status", code=1).stderr
    assert said.startswith("Error: ")
    assert "Traceback" not in said


def test_results_in_the_scope_are_added(run, lab):
    lines = SCOPE.splitlines()
    lines[3] += "12.5"
    lines[7] += "failed"
    (lab / "scope.csv").write_text("\n".join(lines))
    assert "2 results were added" in run("init", "scope.csv", "--objective", "yield").stdout
    assert [(trial.row, trial.value, trial.status) for trial in trials(lab)] == [(4, 12.5, "told"), (8, None, "failed")]


def test_import_brings_each_result_once(run, lab, made):
    run("suggest", "-n", 1)
    first = trials(lab)[0]
    lines = SCOPE.splitlines()
    lines[first.row - 1] += "33.25"
    other = 5 if first.row != 5 else 6
    lines[other - 1] += "failed"
    (lab / "results.csv").write_text("\n".join([*lines, lines[first.row - 1].replace("33.25", "34.5")]))
    said = run("import", "results.csv").stderr
    assert "3 results recorded, 1 of them of pending trials" in said
    assert sorted((trial.row, trial.value, trial.source) for trial in trials(lab) if trial.value) == [
        (first.row, 33.25, "design"),
        (first.row, 34.5, "added"),
    ]
    assert "0 results recorded; 3 were on record already" in run("import", "results.csv").stderr
    assert len(trials(lab)) == 3
    (lab / "bad.csv").write_text("solvent,T,yield\nwater,20,5\nwater,21,6\n")
    assert "line 3" in run("import", "bad.csv", code=2).stderr
    assert len(trials(lab)) == 3
    (lab / "less.csv").write_text("T,yield\n20,5\n")
    assert "no column 'solvent'" in run("import", "less.csv", code=2).stderr


def test_export_and_import_are_inverse(run, lab):
    (lab / "odd.csv").write_text('name,f,y\n"=cmd|x",1,2.5\n@sum,2,\n\'=q,3,-7\n+a,4,failed\n-b,5,\n')
    run("init", "odd.csv", "--objective", "y", "--categorical", "name")
    run("export", "--out", "out.csv")
    cells = [line.split(",")[2] for line in (lab / "out.csv").read_text().splitlines()[1:]]
    assert all(cell[0] == "'" for cell in cells)
    (lab / "empty.csv").write_text('name,f\n"=cmd|x",1\n@sum,2\n\'=q,3\n+a,4\n-b,5\n')
    run("init", "empty.csv", "--objective", "y", "--categorical", "name")
    assert "3 results recorded" in run("import", "out.csv", "--study", "empty.csv").stderr
    assert [(dict(t.params), t.value) for t in trials(lab, "empty")] == [
        (dict(t.params), t.value) for t in trials(lab, "odd")
    ]
    run("export", "--study", "odd.csv", "--out", "out.csv", code=2)
    record = json.loads(run("export", "--study", "odd.csv", "--format", "json").stdout)
    assert [event["kind"] for event in record["events"]] == ["added"] * 3


def test_columns_that_share_our_names(run, lab):
    (lab / "names.csv").write_text(
        "trial,line,status,zeta\n" + "".join(f"{i},{i * i},{i % 3},{-i}\n" for i in range(8))
    )
    run("init", "names.csv", "--objective", "sd", "--batch", 2)
    run("suggest", "--out", "r.csv")
    head, *lines = (lab / "r.csv").read_text().splitlines()
    assert head == "regretless trial,line of the file,trial,line,status,zeta,sd"
    (lab / "r.csv").write_text("\n".join([head, *(f"{line}{i}" for i, line in enumerate(lines))]))
    run("record", "r.csv")
    assert [trial.value for trial in trials(lab, "names")] == [0.0, 1.0]
    head = run("export").stdout.splitlines()[0].split(",")
    assert len(set(head)) == len(head)


def test_a_study_that_python_made(run, lab):
    """No notes, no rows: parameters of several kinds, through every command of the loop."""
    space = {"rate": (1e-4, 1.0, "log"), "n": (1, 9), "size": [8, 16, 32], "mode": ["fast", "exact"], "epochs": 5}
    with Study.open(lab / "made.study.db", "made", space=space, direction="minimize", objective="loss", seed=1):
        pass
    run("suggest", "-n", 6, "--out", "r.csv")
    head, *lines = (lab / "r.csv").read_text().splitlines()
    assert head == "trial,rate,n,size,mode,epochs,loss"
    (lab / "r.csv").write_text("\n".join([head, *(f"{line}{i}" for i, line in enumerate(lines))]))
    run("record", "r.csv")
    settings = [f"--set={setting}" for setting in ("rate=0.5", "n=3", "size=16", "mode=exact", "epochs=5")]
    run("ran", *settings, -1.5)
    assert trials(lab, "made")[6].params == {"rate": 0.5, "n": 3, "size": 16, "mode": "exact", "epochs": 5}
    run("ran", "--set", "rate=-1", *settings[1:], 1, code=2)
    run("ran", "--set", "n=3.5", settings[0], *settings[2:], 1, code=2)
    status = json.loads(run("status", "--format", "json").stdout)
    assert status["best_measured"]["value"] == -1.5
    assert "row" in run("exclude", "5", "--reason", "no rows", code=2).stderr
    run("export", "--out", "out.csv")
    assert "0 results recorded; 7 were on record already" in run("import", "out.csv").stderr
    run("report", "--html", "r.html")
    assert "mode=exact" in (lab / "r.html").read_text()
    assert "6 of 6" in run("replay").stderr
    assert "outside the space: used as data" in run("ran", "--set", "rate=2", *settings[1:], 1).stderr


def test_what_was_certified_is_on_record(run, lab, made):
    run("suggest", "-n", 1)
    run("record", 0, 5)
    with Study.open(lab / "scope.study.db", "scope") as study:
        before = [event.kind for event in study.events()]
        assert before[-2:] == ["told", "certified"]
    run("status")  # looking leaves no trace
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert [event.kind for event in study.events()] == before


def measured(run, lab, n, *options):
    """A study with n results, by command line."""
    run("init", "scope.csv", "--objective", "yield", "--maximize", "--seed", 1, *options)
    with Study.open(lab / "scope.study.db", "scope") as study:
        for _ in range(n):
            trial = study.ask()
            study.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))


def first_small(lab, eps):
    """After how many results the certificate is small for the first time, and after how many the study stops."""
    with Study.open(lab / "scope.study.db", "scope") as study:
        twin = Study(study.space, objective="yield", seed=1)
        small = None
        for n in range(1, 25):
            trial = twin.ask()
            twin.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))
            if small is None and n >= 8 and twin.certificate().bound <= eps:
                small = n
            if twin.should_stop(Regret(eps)) is not None:
                return small, n
    raise AssertionError("never")


def test_the_command_line_stops_by_the_rule_of_python(run, lab, scope):
    """At the first small certificate it goes on, as `Study.should_stop` does; so do all commands that advise."""
    eps = 1.0
    measured(run, lab, 0, "--stop", eps)
    small, stop = first_small(lab, eps)
    assert 8 <= small < stop
    with Study.open(lab / "scope.study.db", "scope") as study:
        for _ in range(stop):
            trial = study.ask()
            study.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))
            n = len(study)
            if n < small:
                continue
            code = 3 if n == stop else 0
            said = run("status", code=code).stdout
            assert json.loads(run("status", "--format", "json", code=code).stdout)["stop"] == (n == stop)
            run("suggest", "--pending", code=code)
            run("record", 0, study.trials[0].value, code=code)
            assert ("You can stop" if n == stop else "not yet 5 times in a row") in said
            assert run("status", "--patience", 1, code=3).stdout.count("You can stop") == 1


def test_patience_is_kept_with_the_study(run, lab, scope):
    eps = 1.0
    measured(run, lab, 0, "--stop", eps, "--patience", 1)
    small, _ = first_small(lab, eps)
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.metadata["stop"] == {"eps": eps, "relative": None, "patience": 1}
        for _ in range(small):
            trial = study.ask()
            study.tell(trial, yield_of(trial.params["solvent"], trial.params["T"]))
    run("status", code=3)
    run("status", "--patience", 5)
    run("status", "--stop", 2 * eps, code=3)  # another amount, the same patience
    said = run("next", "scope.csv", "--objective", "yield", "--patience", 2, code=2).stderr
    assert "--patience goes with --stop" in said


def test_a_study_made_before_patience_was_kept_opens(run, lab, scope):
    with Study.open(
        lab / "scope.study.db", "scope", space=[{"x": 1.0}], metadata={"stop": {"eps": 0.5, "relative": None}}
    ) as study:
        study.add({"x": 1.0}, 2.0)
    assert "too few data" in run("status").stdout


def test_a_command_fits_each_model_once(run, lab, scope, monkeypatch):
    """One fit to search by; what is said of regret and results is averaged over draws, and fits nothing."""
    measured(run, lab, 12)
    made, fit = [], Surrogate.fit
    monkeypatch.setattr(Surrogate, "fit", lambda *args, **more: (made.append(len(args[2])), fit(*args, **more))[1])
    run("status")
    assert made == [12]
    made.clear()
    run("suggest")
    assert made == [12]
    made.clear()
    run("status")
    assert made == []  # the fit of the suggestion is on record


def test_what_is_expected_is_the_measurement_by_real_results(run, lab, scope):
    """The table shows what `Study.predict_measurement` says, whatever else is pending."""
    measured(run, lab, 9)
    shown = json.loads(run("suggest", "-n", 2, "--format", "json").stdout)["suggestions"]
    with Study.open(lab / "scope.study.db", "scope") as study:
        columns = study.predict_measurement([row["params"] for row in shown])
    for row, median, low, high in zip(shown, *columns, strict=True):
        assert row["expected"] == {"median": median, "low": low, "high": high}
    again = json.loads(run("suggest", "--pending", "--format", "json").stdout)["suggestions"]
    assert [row["expected"] for row in again] == [row["expected"] for row in shown]
    said = run("suggest", "--pending").stdout
    assert "expected yield (9 of 10)" in said
    assert all(interval(*row["expected"].values()) in said for row in shown)
    assert all(interval(*row["expected"].values()) in run("status").stdout for row in shown)


def test_the_range_of_the_objective(run, lab, scope):
    """A yield cannot exceed 100 %: the certificate knows it, and says what it says in the unit of the name."""
    (lab / "plan.csv").write_text(SCOPE.replace("yield", "yield [%]"))
    run("init", "plan.csv", "--objective", "yield [%]", "--range", 0, 100, "--seed", 1)
    with Study.open(lab / "plan.study.db", "plan") as study:
        assert study.limits == (0.0, 100.0)
        for _ in range(9):
            trial = study.ask()
            study.tell(trial, 29.5 + yield_of(trial.params["solvent"], trial.params["T"]))
        left, free = study.certificate(), Study(study.space, seed=1)
        for trial in study.trials:
            free.add(trial.params, trial.value)
    assert left.bound < 0.5 * free.certificate().bound
    assert left.bound <= 100.0 - left.mean
    said = run("status").stdout
    assert f"costs at most {rounded(left.bound)} percentage points of yield" in " ".join(said.split())
    assert "Limits         0 to 100\n" in said
    assert "gain at most" in said
    assert "outside of 0 to 100: taken as noise" in run("ran", "--row", 2, 101.5).stderr
    said = " ".join(run("status").stdout.split())
    assert "Limits 0 to 100; outside: 101.5 (trial 9); taken as noise" in said
    assert json.loads(run("status", "--format", "json").stdout)["certificate"]["limits"] == [0.0, 100.0]
    run("report", "--html", "r.html")
    assert "percentage points of yield" in (lab / "r.html").read_text()


def test_ranges_with_one_end_and_none(run, lab, scope):
    run("init", "scope.csv", "--objective", "yield", "--range", "-inf", "100")
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.limits == (None, 100.0)
    run("init", "scope.csv", "--objective", "yield", "--range", "-5", "inf", "--name", "b")
    with Study.open(lab / "scope.study.db", "b") as study:
        assert study.limits == (-5.0, None)
    for bad in (("5", "1"), ("a", "1"), ("nan", "1"), ("inf", "inf")):
        assert (
            "limit" in run("init", "scope.csv", "--objective", "yield", "--name", "c", "--range", *bad, code=2).stderr
        )
