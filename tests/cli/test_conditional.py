"""Parameters that exist under a condition only, in files: an empty cell where they do not."""

import pytest

from regretless import Study
from regretless.spaces import Categorical, Float, Int, Mixture

from .bench import trials

SPACE = {
    "kernel": Categorical(["linear", "rbf", "poly"]),
    "gamma": Float(0.1, 10.0, log=True, when={"kernel": ["rbf", "poly"]}),
    "degree": Int(2, 5, when={"kernel": "poly"}),
    "shape": Categorical(["up", "down"], when={"degree": [2, 3]}),
    "C": (0.1, 5.0),
}
LINEAR = ("--set", "kernel=linear", "--set", "C=1")


@pytest.fixture
def made(lab):
    for name in ("scope", "twin"):
        with Study.open(lab / f"{name}.study.db", name, space=SPACE, objective="acc", seed=1):
            pass


def results(lab, name):
    return [(dict(trial.params), trial.values) for trial in trials(lab, name)]


@pytest.mark.parametrize("end", ["csv", "xlsx"])
def test_what_is_exported_is_imported(run, lab, made, end):
    run("suggest", "-n", 12, "--study", "scope.study.db")
    assert {trial.params["kernel"] for trial in trials(lab)} == {"linear", "rbf", "poly"}
    for trial in trials(lab):
        run("record", trial.number, 0.1 * trial.number, "--study", "scope.study.db")
    run("export", "--out", f"out.{end}", "--study", "scope.study.db")
    run("import", f"out.{end}", "--study", "twin.study.db")
    assert results(lab, "twin") == results(lab, "scope")
    assert "12 were on record already" in run("import", f"out.{end}", "--study", "twin.study.db").stderr


def test_a_file_in_which_a_parameter_never_exists(run, lab, made):
    (lab / "old.csv").write_text("kernel,gamma,degree,shape,C,acc\nlinear,,,,1.5,0.7\nlinear,,,,2.5,0.8\n")
    run("import", "old.csv", "--study", "twin.study.db")
    assert results(lab, "twin")[0] == ({"kernel": "linear", "C": 1.5}, {"acc": 0.7})


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("rbf,,,,1.5,0.7", "missing 'gamma', which exists where kernel is 'rbf' or 'poly'"),
        ("linear,1.0,,,1.5,0.7", "'gamma' exists only where kernel is 'rbf' or 'poly'"),
        ("linear,,,,,0.7", "column 'C' is empty"),
        (",,,,1.5,0.7", "column 'kernel' is empty"),
    ],
)
def test_an_empty_cell_is_refused_where_there_must_be_a_value(run, lab, made, row, says):
    (lab / "old.csv").write_text(f"kernel,gamma,degree,shape,C,acc\npoly,1,2,up,1,0.5\n{row}\n")
    assert says in run("import", "old.csv", "--study", "twin.study.db", code=2).stderr
    assert not trials(lab, "twin")


def test_a_cell_that_should_be_empty_is_a_change(run, lab, made):
    run("suggest", "-n", 6, "--out", "r.csv", "--study", "scope.study.db")
    head, *lines = (lab / "r.csv").read_text().splitlines()
    line = next(line for line in lines if ",linear,," in line)
    (lab / "r.csv").write_text(f"{head}\n{line.replace(',linear,,', ',linear,0.5,')}0.7\n")
    said = run("record", "r.csv", "--study", "scope.study.db", code=2).stderr
    assert "gamma is '0.5', but trial" in said
    assert "was suggested with none" in said
    (lab / "r.csv").write_text(f"{head}\n{line}0.7\n")
    run("record", "r.csv", "--study", "scope.study.db")


def test_ran(run, lab, made):
    run("ran", *LINEAR, 0.7, "--study", "twin.study.db")
    assert (
        "gamma is not set"
        in run("ran", "--set", "kernel=rbf", "--set", "C=1", 0.7, "--study", "twin.study.db", code=2).stderr
    )
    said = run("ran", *LINEAR, "--set", "degree=3", 0.7, "--study", "twin.study.db", code=2).stderr
    assert "'degree' exists only where kernel is 'poly'" in said
    run("suggest", "-n", 8, "--study", "twin.study.db")
    poly = next(trial for trial in trials(lab, "twin") if trial.params["kernel"] == "poly")
    run("ran", "--trial", poly.number, "--set", "kernel=linear", 0.6, "--study", "twin.study.db")
    assert trials(lab, "twin")[-1].params == {"kernel": "linear", "C": poly.params["C"]}


def test_mixtures_and_constants_stay_as_they_are(run, lab):
    with Study.open(lab / "mix.study.db", "mix", space={"m": Mixture(["a", "b"]), "seed": 7}, objective="y", seed=1):
        pass
    (lab / "old.csv").write_text("a,b,y\n0.25,0.75,1\n")
    run("import", "old.csv", "--study", "mix.study.db")
    assert trials(lab, "mix")[0].params == {"a": 0.25, "b": 0.75, "seed": 7}
