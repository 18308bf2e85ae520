"""Advice can be pasted: commands in messages are run as they stand, in a folder and with names that need quoting."""

import csv
import re
import shlex

import pytest

from regretless import Study
from regretless.spaces.scalars import pasteable

FOLDER, FACTOR, NOTES = "Tom's lab", 'T "bath" [°C]', "Ann's notes"
ACIDS = ("HCl $(x)", "H2SO4; b")
SCOPE = f'"{FACTOR.replace(chr(34), chr(34) * 2)}",acid,yield\n' + "".join(
    f"{t},{acid},\n" for t in range(20, 28) for acid in ACIDS
)


@pytest.fixture
def folder(lab):
    (lab / FOLDER).mkdir()
    (lab / FOLDER / "my plan.csv").write_text(SCOPE, encoding="utf-8")
    (lab / "other.csv").write_text("a\n1\n2\n")
    return lab / FOLDER


@pytest.fixture
def paste(run):
    """Run the command that a message ends a line with; other words than the message's may be put in."""

    def call(said, which, **words):
        found = re.search(rf"regretless {which}\b.*", said)
        assert found, said
        return run(*[words.get(word, word) for word in shlex.split(found[0])[1:]])

    return call


def trials(folder):
    with Study.open(folder / "my plan.study.db", "my plan") as study:
        return study.trials


def edit(path, column, value):
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows[0][column] = value
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_the_loop_by_pasting(run, lab, folder, paste):
    run("init", "other.csv", "--objective", "y")  # so that the study is not the only one
    path = f"{FOLDER}/my plan.csv"
    made = run("init", path, "--objective", "yield", "--seed", 1).stderr
    paste(made, "suggest")
    again = run("init", path, "--objective", "yield", code=2).stderr
    paste(again, "suggest")
    paste(again, "import")
    out = folder / "round 1.csv"
    said = run("suggest", "--pending", "--out", out, "--study", path).stderr
    edit(out, "yield", "12.34567890123")
    assert "1 recorded" in paste(said, "record").stderr
    edit(out, "yield", "-0.1234567890123")
    paste(run("record", out, "--study", path, code=1).stderr, "amend")
    assert trials(folder)[0].value == -0.1234567890123
    edit(out, "yield", "failed")
    paste(run("record", out, "--study", path, code=1).stderr, "amend")
    assert trials(folder)[0].status == "failed"


@pytest.mark.parametrize("value", ["", "81.23456789", "-5", "failed"])
def test_what_was_run_otherwise_by_pasting(run, folder, paste, value):
    path = f"{FOLDER}/my plan.csv"
    run("init", path, "--objective", "yield", "--seed", 1)
    out = folder / "r.csv"
    run("suggest", "--out", out, "--study", path)
    was = trials(folder)[0].params
    other = 20 if was[FACTOR] != 20 else 21
    edit(out, FACTOR, str(other))
    edit(out, "yield", value)
    paste(run("record", out, "--study", path, code=2).stderr, "ran", VALUE="3")
    last = trials(folder)[-1]
    assert last.params == {**was, FACTOR: other}
    assert last.value == (None if value == "failed" else float(value or 3))


def test_every_factor_that_was_changed_is_in_the_advice(run, folder, paste):
    """Factors in the line of another trial, as after sorting some columns only: one of them alone is no experiment."""
    path = f"{FOLDER}/my plan.csv"
    run("init", path, "--objective", "yield", "--seed", 1)
    out = folder / "r.csv"
    run("suggest", "--out", out, "--study", path)
    was = trials(folder)[0].params
    other = {FACTOR: 20 if was[FACTOR] != 20 else 21, "acid": next(a for a in ACIDS if a != was["acid"])}
    for name, value in {**other, "yield": 4.5}.items():
        edit(out, name, str(value))
    paste(run("record", out, "--study", path, code=2).stderr, "ran")
    assert trials(folder)[-1].params == other


def test_options_by_pasting(run, lab, folder):
    """Each message names an option; with it the file is read."""
    path = f"{FOLDER}/doubt.csv"
    head = f'"{NOTES}",T,yield\n'
    doubts = {
        "--ignore": head + ",1,\nx,2,\n",
        "--categorical": head + "20 C,1,\n40 C,2,\n",
        "--id": head + "".join(f"text {i},{i},\n" for i in range(12)),
        "--decimal": head + 'a,"1,5",\na,"2,5",\n',
    }
    for option, text in doubts.items():
        (lab / path).write_text(text)
        said = run("next", path, "--objective", "yield", code=2).stderr
        found = re.search(rf"{option} (?:'[^']*'(?:\"'\"'[^']*')*|\S+)", said)
        run("next", path, "--objective", "yield", *shlex.split(found[0]))


def test_studies_that_share_a_place_by_pasting(run, lab, folder, paste):
    for name in ("first one", "it's"):
        said = run("init", "other.csv", "--objective", "y", "--name", name).stderr
        paste(said, "suggest")
    assert "--name 'first one'" in run("status", code=2).stderr
    with Study.open(lab / "b.study.db", "b", space={"x": (0.0, 1.0)}):
        pass
    assert "--study b.study.db" in run("status", code=2).stderr


def test_a_password_is_not_in_advice(monkeypatch):
    from regretless.cli._study import _naming

    place = "postgresql://me:secret@host/db"
    monkeypatch.delenv("REGRETLESS_STUDY", raising=False)
    assert _naming(place, "a", ["a"]) == ("--study", "postgresql://me:***@host/db")
    monkeypatch.setenv("REGRETLESS_STUDY", place)
    assert _naming(place, "a", ["a", "b"]) == ("--name", "a")


def test_quotes_are_those_of_the_system(monkeypatch):
    words = ["record", "my plan.csv", "--set", "T=85"]
    assert pasteable(words) == "record 'my plan.csv' --set T=85"
    monkeypatch.setattr("sys.platform", "win32")
    assert pasteable(words) == 'record "my plan.csv" --set T=85'
