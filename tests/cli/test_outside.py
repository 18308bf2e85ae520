"""What a lab does beside the suggestions: other experiments, released ones, further ones."""

import json

from regretless import Study

from .bench import SCOPE, trials, yield_of


def measure(run, lab, n):
    for _ in range(n):
        shown = json.loads(run("suggest", "-n", 1, "--format", "json").stdout)["suggestions"][0]
        solvent, T = shown["params"]["solvent"], shown["params"]["T"]
        run("record", shown["trial"], 1.0 if solvent == "dmf" else yield_of(solvent, T))


def test_ran_what_is_no_row(run, lab, made):
    run("suggest", "-n", 1)
    base = trials(lab)[0]
    said = run("ran", "--set", "T=85", 33.5).stderr
    assert "Recorded trial 1: yield 33.5 at" in said
    assert "Note: not a row of the table: used as data, never suggested (the nearest is line" in said
    assert "regretless exclude --trial 1 --reason 'typing error'" in said
    assert "Trial 0 is released" in said
    added = trials(lab)[1]
    assert (added.row, added.params, added.value) == (None, {**base.params, "T": 85}, 33.5)
    measure(run, lab, 5)
    assert all(trial.params["T"] % 10 == 0 for trial in trials(lab) if trial.source != "added")
    assert "6 of 6 suggestions match" in run("replay").stderr
    assert run("status").stdout
    run("ran", "--set", "T=85", "--set", "solvent=water", "--failed")
    run("exclude", "--trial", 1, "--reason", "typing error")
    assert trials(lab)[1].excluded
    said = run("ran", "--set", "T=8500", "--set", "solvent=water", 3, code=2).stderr
    assert "more than 10 times the width" in said
    assert (
        "there are 'water', 'ethanol', 'toluene'"
        in run("ran", "--set", "T=20", "--set", "solvent=dmf", 3, code=2).stderr
    )


def test_it_is_marked_wherever_it_is_shown(run, lab, made):
    measure(run, lab, 4)
    run("ran", "--set", "T=85", "--set", "solvent=ethanol", 99)
    assert "99 at solvent=ethanol, T=85 (not a row of the table" in run("status").stdout
    assert "not a row" in json.loads(run("status", "--format", "json").stdout)["best_measured"]["note"]
    run("export", "--out", "out.csv")
    head, *lines = (lab / "out.csv").read_text().splitlines()
    last = dict(zip(head.split(","), lines[-1].split(",", maxsplit=head.count(",")), strict=True))
    assert (last["line"], last["source"]) == ("", "added")
    assert "not a row of the table" in last["note"]
    assert last["author"]
    record = json.loads(run("export", "--format", "json").stdout)
    assert [bool(trial["note"]) for trial in record["trials"]] == [False] * 4 + [True]
    run("report", "--html", "report.html")
    assert "not a row of the table: used as data, never suggested" in (lab / "report.html").read_text()


def test_import_refuses_it_unless_asked(run, lab, made):
    measure(run, lab, 2)
    (lab / "other.csv").write_text("solvent,T,yield\nwater,20,5\nwater,25,6\n")
    said = run("import", "other.csv", code=2).stderr
    assert "line 3" in said
    assert "nearest" in said
    assert "import --outside" in said
    assert len(trials(lab)) == 2
    assert "1 of them of no row: used as data" in run("import", "other.csv", "--outside").stderr
    assert "2 were on record already" in run("import", "other.csv", "--outside").stderr
    (lab / "typo.csv").write_text("solvent,T,yield\nwatr,20,5\n")
    assert "--outside" not in run("import", "typo.csv", code=2).stderr
    run("import", "typo.csv", "--outside", code=2)


def test_what_export_wrote_goes_back_in(run, lab):
    (lab / "named.csv").write_text("name,T\n" + "".join(f"r{i},{10 * i}\n" for i in range(6)))
    run("init", "named.csv", "--objective", "y", "--id", "name", "--seed", 1)
    run("ran", "--row", "r2", 5)
    run("ran", "--set", "T=35", 7)
    run("export", "--out", "out.csv")
    (lab / "again.csv").write_text((lab / "named.csv").read_text())
    run("init", "again.csv", "--objective", "y", "--id", "name", "--seed", 1)
    run("import", "out.csv", "--study", "again.csv", "--outside")
    one, other = (trials(lab, name) for name in ("named", "again"))
    assert [(t.row, t.params, t.value, t.note) for t in one] == [(t.row, t.params, t.value, t.note) for t in other]


def test_release(run, lab, made):
    run("suggest", "-n", 3)
    assert "2 suggested earlier still wait" not in run("release", 1, "--reason", "the vial broke").stderr
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.events()[-1].data["reason"] == "the vial broke"
    assert [trial.status for trial in trials(lab)] == ["pending", "released", "pending"]
    said = run("release", "--row", trials(lab)[2].row).stderr
    assert "Trial 2, line" in said
    assert "may be suggested again" in said
    assert "trial 2 is not pending (pending: 0)" in run("release", 0, 2, code=2).stderr
    assert trials(lab)[0].status == "pending"  # nothing of it was done
    assert "nothing is pending at line" in run("release", "--row", trials(lab)[2].row, code=2).stderr
    run("release", code=2)
    run("release", 0, "--all", code=2)
    run("release", "--row", "nowhere", code=2)
    run("release", "--all")
    assert {trial.status for trial in trials(lab)} == {"released"}
    assert "No experiment is pending" in run("release", "--all").stderr
    run("record", 0, 12.5)  # it came in after all
    assert trials(lab)[0].value == 12.5


def test_extend_with_the_scope_that_has_grown(run, lab, made):
    measure(run, lab, 4)
    before = [trial.row for trial in trials(lab)]
    made.write_text(SCOPE + "water,100,\nwater,110,3.5\ndmf,60,\n")
    said = run("extend", "scope.csv", "--reason", "dmf came in").stderr
    assert "3 experiments added; there are 27 now" in said
    assert "New in solvent: dmf." in said
    assert "To add them: regretless import scope.csv" in said
    assert "lines of" not in said
    assert "every experiment is in the study already" in run("extend", "scope.csv").stderr
    with Study.open(lab / "scope.study.db", "scope") as study:
        assert study.space.ids[-3:] == (26, 27, 28)
        assert study.space.params(26) == {"solvent": "dmf", "T": 60}
        assert study.events()[-1].data["reason"] == "dmf came in"
    assert "1 result recorded" in run("import", "scope.csv").stderr
    assert trials(lab)[-1].row == 27
    measure(run, lab, 3)
    assert [trial.row for trial in trials(lab)][:4] == before
    assert "7 of 7 suggestions match" in run("replay").stderr
    assert "27 experiments" not in run("status").stdout
    run("report", "--html", "report.html")
    page = (lab / "report.html").read_text()
    assert "extended" in page
    assert "dmf came in" in page


def test_extend_with_a_file_of_new_rows(run, lab, made):
    (lab / "more.csv").write_text("remark,T,solvent\nnew,100,water\nnew,20,water\n")
    said = run("extend", "more.csv").stderr
    assert "1 experiment added; there are 25 now" in said
    assert "Left out, as they are not factors of this study: remark." in said
    assert "lines of more.csv are names of other rows already, so these are called line 26." in said
    (lab / "bad.csv").write_text("T,solvent\nhot,water\n")
    assert "holds numbers" in run("extend", "bad.csv", code=2).stderr
    (lab / "bad.csv").write_text("T\n100\n")
    assert "no column 'solvent'" in run("extend", "bad.csv", code=2).stderr
    (lab / "bad.csv").write_text("T,solvent\n9000,water\n")
    assert "more than 10 times" in run("extend", "bad.csv", code=2).stderr
    run("exclude", 26, "--reason", "not today")


def test_extend_rows_with_names(run, lab):
    (lab / "named.csv").write_text("name;T\n" + "".join(f"r{i};{i},5\n" for i in range(6)))
    run("init", "named.csv", "--objective", "y", "--id", "name", "--seed", 1)
    (lab / "more.csv").write_text("name;T\nr5;5,5\nr6;6,5\n")
    assert "1 experiment added; there are 7 now" in run("extend", "more.csv").stderr
    (lab / "more.csv").write_text("name;T\nr5;9,5\n")
    assert "row 'r5' is in the table already" in run("extend", "more.csv", code=2).stderr
    (lab / "more.csv").write_text("T\n9.5\n")
    assert "no column 'name'" in run("extend", "more.csv", code=2).stderr
    run("ran", "--row", "r6", 5)
    assert trials(lab, "named")[0].params == {"T": 6.5}
