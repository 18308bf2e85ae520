"""Data of other programs: one file per release, every row taken or left for a stated reason."""

import csv
import io
import json
import math
import pickle
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from regretless import InvalidInput, Study, Table
from regretless.cli import main
from regretless.integrations.ax import from_ax
from regretless.integrations.baybe import from_baybe
from regretless.integrations.cv_results import from_cv_results
from regretless.integrations.edbo import from_edbo
from regretless.integrations.files import load
from regretless.integrations.physbo import from_physbo
from regretless.integrations.skopt import from_skopt

DATA = Path(__file__).parent / "data"


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


# Ax -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("release", ["1.2.4", "1.3.1"])
def test_an_experiment_of_ax(release):
    found = from_ax(DATA / f"ax-{release}.json", seed=1)
    study = found.study
    assert [(outcome.name, outcome.direction) for outcome in study.outcomes[:1]] == [("loss", "minimize")]
    assert (study.outcomes[1].name, study.outcomes[1].sense, study.outcomes[1].bound) == ("size", "<=", 6.5)
    assert [trial.status for trial in study.trials] == ["told"] * 3 + ["failed"] * 3 + ["told"]
    assert {trial.source for trial in study.trials} == {"added"}
    assert (found.taken, [left.row for left in found.left]) == (7, ["arm 7_0"])
    assert str(found) == "7 of 8 rows taken. Left: 1, it is running (arm 7_0)."
    for trial in study.trials:
        if trial.status == "told":
            p = trial.params
            assert trial.value == pytest.approx((p["x"] - 0.3) ** 2 + p["n"] * 0.1 + p["rate"], abs=1e-9)
            assert trial.values["size"] == p["n"]
    assert [dict(trial.noise) for trial in study.trials if trial.noise] == [{"loss": {"sd": 0.1}}]
    kinds = {name: type(part).__name__ for name, part in study.space.dimensions.items()}
    assert kinds == {"x": "Float", "z": "Float", "n": "Int", "rate": "Float", "width": "Ordinal", "act": "Categorical"}
    assert study.space.dimensions["rate"].log
    assert not study.space.feasible({**study.trials[0].params, "x": 0.9, "z": 0.7})
    assert study.certificate().bound > 0


def test_steps_and_fetches_of_ax_the_last_counts_and_batches_have_arms():
    experiment = read("ax-1.3.1.json")["experiment"]
    trial = experiment["trials"]["0"]
    arm = trial["generator_run"]["arms"][0]
    other = {**arm, "name": "0_1", "parameters": {**arm["parameters"], "x": 0.25}}
    batch = {**trial, "generator_runs": [{"arms": [arm, other]}]}
    table = {
        "arm_name": {"0": "0_0", "1": "0_0", "2": "0_1"},
        "metric_name": {"0": "loss", "1": "loss", "2": "loss"},
        "mean": {"0": 5.0, "1": 4.0, "2": 3.0},
        "sem": {"0": 0.5, "1": None, "2": None},
    }
    data = {"value": [[0, {"df": {"value": json.dumps(table)}}]]}
    experiment |= {"trials": {"0": batch}, "data_by_trial": {"0": data}}
    experiment["optimization_config"] = {"objective": {"expression": "loss"}}
    study = from_ax(experiment, seed=1).study
    assert [(trial.params["x"], trial.value) for trial in study.trials] == [(0.5, 4.0), (0.25, 3.0)]
    assert study.direction == "maximize"
    assert not study.trials[0].noise


@pytest.mark.parametrize(
    ("objective", "wanted"),
    [
        ({"expression": "-1.0 * loss"}, {"loss": "minimize"}),
        ({"expression": "-loss, size"}, {"loss": "minimize", "size": "maximize"}),
        ({"objectives": [{"metric": {"name": "loss"}, "minimize": True}]}, {"loss": "minimize"}),
    ],
)
def test_objectives_of_ax(objective, wanted):
    experiment = read("ax-1.3.1.json")["experiment"]
    experiment["optimization_config"] = {"objective": objective}
    study = from_ax(experiment, seed=1).study
    assert {outcome.name: outcome.direction for outcome in study.outcomes} == wanted


def test_what_ax_has_and_we_have_not_is_refused_with_the_reason():
    def refused(match, **changes):
        with pytest.raises(InvalidInput, match=match):
            from_ax({**read("ax-1.3.1.json")["experiment"], **changes})

    refused("no single metric", optimization_config={"objective": {"expression": "a + 2.0 * b"}})
    refused("no objective", optimization_config=None)
    parameter = read("ax-1.3.1.json")["experiment"]["search_space"]["parameters"][0]
    refused("fidelity", search_space={"parameters": [{**parameter, "is_fidelity": True}]})
    refused("has no counterpart", search_space={"parameters": [{**parameter, "__type": "DerivedParameter"}]})
    with pytest.raises(InvalidInput, match="no experiment of Ax"):
        from_ax({"experiment": 3})


# PHYSBO ---------------------------------------------------------------------------------------------------------------


def test_a_history_of_physbo_beside_its_candidates():
    found = from_physbo(DATA / "physbo-3.2.1.npz", DATA / "physbo-candidates.csv", objective="gap", seed=1)
    assert str(found) == "5 of 5 rows taken."
    for trial in found.study.trials:
        assert trial.value == pytest.approx(-((trial.params["a"] - 0.3) ** 2) - (trial.params["b"] - 0.3) ** 2)
        assert trial.row is not None
    assert found.study.objective == "gap"


def test_rows_of_physbo_that_the_table_lacks_are_left_and_equal_rows_are_one(tmp_path):
    path = tmp_path / "h.npz"
    np.savez(path, chosen_actions=np.array([0, 2, 7, 1]), fx=np.array([1.0, math.nan, 2.0, 3.0]))
    found = from_physbo(path, np.array([[0.0], [1.0], [0.0]]), seed=1)
    assert [(trial.params["x0"], trial.status) for trial in found.study.trials] == [
        (0.0, "told"),
        (0.0, "failed"),
        (1.0, "told"),
    ]
    assert str(found) == "3 of 4 rows taken. Left: 1, the table has no row 7 (probe 2)."


class Bomb:
    def __reduce__(self):
        return (Path("went_off").write_text, ("boom",))


def test_pickles_are_never_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "history.npz").write_bytes(pickle.dumps(Bomb()))
    np.savez(tmp_path / "inside.npz", chosen_actions=np.array([0]), fx=np.array([Bomb()], dtype=object))
    (tmp_path / "result.pkl").write_bytes(pickle.dumps(Bomb()))
    shutil.copy(DATA / "baybe-0.15.0.json", tmp_path / "campaign.json")
    for name in ("history.npz", "inside.npz", "result.pkl", "campaign.json"):
        with pytest.raises(InvalidInput, match="pickle"):
            load(name, candidates=[{"a": 1.0}, {"a": 2.0}] if name.endswith("npz") else None)
    assert not (tmp_path / "went_off").exists()


# Objects: scikit-optimize, scikit-learn, BayBE ------------------------------------------------------------------------


def skopt_result():
    """An object of the shape that scikit-optimize 0.10.2 returned."""
    kept = read("skopt-0.10.2.json")
    kinds = {kind: type(kind, (SimpleNamespace,), {}) for kind in ("Real", "Integer", "Categorical")}
    dimensions = [kinds[each.pop("kind")](**each) for each in kept["dimensions"]]
    values = np.array(kept["func_vals"])
    return SimpleNamespace(x_iters=kept["x_iters"], func_vals=values, space=SimpleNamespace(dimensions=dimensions))


def test_a_result_of_scikit_optimize():
    result = skopt_result()
    result.func_vals[3] = math.inf
    found = from_skopt(result, objective="loss", seed=1)
    study = found.study
    assert (found.taken, found.left, study.direction, study.objective) == (12, (), "minimize", "loss")
    assert [trial.status for trial in study.trials].count("failed") == 1
    assert study.best.value == min(result.func_vals)
    assert study.space.names == ("x", "rate", "n", "x3")
    assert study.space.dimensions["rate"].log
    assert [list(trial.params.values()) for trial in study.trials] == result.x_iters
    with pytest.raises(InvalidInput, match="x_iters"):
        from_skopt({"x": 1})


def test_cv_results_of_scikit_learn():
    results = read("cv-1.9.1.json")
    space = {"alpha": (1e-3, 1e1, "log"), "fit_intercept": [True, False]}
    found = from_cv_results(results, space, seed=1)
    study = found.study
    scores = [score for score in results["mean_test_score"] if not math.isnan(score)]
    assert study.best.value == max(scores)
    assert found.taken == len(scores) == 6  # the others have a negative alpha, which has no place on a log scale
    assert len(found.left) == 2
    assert all("no place in the space" in left.why for left in found.left)
    wide = from_cv_results(results, {**space, "alpha": (-2.0, 10.0)}, seed=1)
    assert [trial.status for trial in wide.study.trials].count("failed") == 2
    with pytest.raises(InvalidInput, match="no metric 'f1'; it has score"):
        from_cv_results(results, space, metric="f1")
    with pytest.raises(InvalidInput, match="does not say what may be tried"):
        from_cv_results(results)


def test_values_of_a_grid_may_be_of_any_kind():
    grid = {"hidden": [(100,), (50, 50)], "solver": ["adam", None]}
    results = {
        "params": [{"hidden": (50, 50), "solver": None}, {"hidden": (7,), "solver": "adam"}],
        "mean_test_score": [0.5, 0.6],
    }
    found = from_cv_results(results, grid, seed=1)
    assert [dict(trial.params) for trial in found.study.trials] == [{"hidden": "(50, 50)", "solver": None}]
    assert "(7,)" in found.left[0].why


def baybe_campaign():
    """An object of the shape of a campaign of BayBE 0.15.0."""
    target = SimpleNamespace(name="cost", minimize=True, transformation=type("IdentityTransformation", (), {})())
    discrete = SimpleNamespace(is_empty=False, exp_rep=pd.read_csv(DATA / "baybe-0.15.0-space.csv"))
    return SimpleNamespace(
        measurements=pd.read_csv(DATA / "baybe-0.15.0-measurements.csv"),
        objective=SimpleNamespace(targets=(target,)),
        searchspace=SimpleNamespace(discrete=discrete, continuous=SimpleNamespace(parameters=())),
    )


def test_a_campaign_of_baybe_and_its_frames():
    campaign = baybe_campaign()
    found = from_baybe(campaign, seed=1)
    assert (found.taken, found.study.direction, found.study.space.n_candidates) == (4, "minimize", 6)
    assert all(trial.value == trial.params["T"] / 10 and trial.row is not None for trial in found.study.trials)
    frame = from_baybe(
        campaign.measurements, campaign.searchspace.discrete.exp_rep, objectives={"cost": "minimize"}, seed=1
    )
    assert [dict(t.params) for t in frame.study.trials] == [dict(t.params) for t in found.study.trials]
    with pytest.raises(InvalidInput, match="pickles"):
        from_baybe((DATA / "baybe-0.15.0.json").read_text(encoding="utf-8"))
    with pytest.raises(InvalidInput, match="give objectives="):
        from_baybe(campaign.measurements)


def test_a_continuous_campaign_of_baybe_and_a_target_to_match():
    campaign = baybe_campaign()
    parts = [SimpleNamespace(name="T", bounds=SimpleNamespace(lower=0, upper=100))]
    campaign.measurements = campaign.measurements.drop(columns="solvent")
    campaign.searchspace = SimpleNamespace(
        discrete=SimpleNamespace(is_empty=True), continuous=SimpleNamespace(parameters=parts)
    )
    assert from_baybe(campaign, seed=1).study.space.dimensions["T"].high == 100.0
    campaign.objective.targets[0].transformation = type("BellTransformation", (), {})()
    with pytest.raises(InvalidInput, match="BellTransformation"):
        from_baybe(campaign)


def test_a_file_of_edbo(tmp_path):
    path = tmp_path / "edbo.csv"
    path.write_text("T,solvent,yield,priority\n20,a,40.5,-1\n40,a,PENDING,1\n60,b,PENDING,0\n80,b,61,-1\n")
    found = from_edbo(path, {"yield": "maximize"}, seed=1)
    assert str(found) == "2 of 2 rows taken."
    assert [(trial.params["T"], trial.value) for trial in found.study.trials] == [(20, 40.5), (80, 61.0)]
    assert (found.study.space.n_candidates, found.study.space.names) == (4, ("T", "solvent"))


# Into a study that there is, and at the prompt ------------------------------------------------------------------------


def test_into_a_study_that_lasts(tmp_path):
    found = from_ax(DATA / "ax-1.3.1.json", seed=1)
    with Study.open(
        tmp_path / "s.db",
        "kept",
        space=found.study.space,
        objective="loss",
        direction="minimize",
        constraints={"size": ("<=", 6.5)},
    ) as study:
        again = from_ax(DATA / "ax-1.3.1.json", into=study)
        assert again.study is study
        assert (len(study), str(again)) == (7, str(found))
        with pytest.raises(InvalidInput, match="give into= alone"):
            from_ax(DATA / "ax-1.3.1.json", into=study, seed=3)
    with pytest.raises(InvalidInput, match="the outcome 'loss'; the study has 'yield'"):
        from_ax(DATA / "ax-1.3.1.json", into=Study(found.study.space, objective="yield"))


def test_audit_takes_files_of_other_programs():
    said = run("audit", DATA / "ax-1.3.1.json", "--format", "json")
    answer = json.loads(said.stdout)
    assert (answer["taken"], answer["left"]) == (7, 1)
    assert "7 of 8 rows taken. Left: 1, it is running" in said.stderr
    direct = from_ax(DATA / "ax-1.3.1.json", seed=0).study.certificate()
    assert answer["certificate"]["bound"] == direct.bound
    physbo = (DATA / "physbo-3.2.1.npz", "--candidates", DATA / "physbo-candidates.csv")
    assert "yield, to be maximised" in run("audit", *physbo, "--objective", "yield").stdout
    assert run("audit", *physbo, "--stop", "10").exit_code in (0, 3)
    for arguments, why in [
        ((DATA / "physbo-3.2.1.npz",), "--candidates"),
        ((DATA / "ax-1.3.1.json", "--objective", "loss"), "Leave --objective out"),
        ((*physbo, "--objective", "cost:minimize"), "PHYSBO maximises"),
        ((DATA / "baybe-0.15.0.json",), "pickles"),
        ((DATA / "physbo-candidates.csv",), "--objective"),
        ((DATA / "ax-1.3.1.json", "--risk", "0.2"), "go with --objective"),
        ((DATA / "ax-1.3.1.json", "--candidates", DATA / "physbo-candidates.csv"), "--candidates goes with"),
    ]:
        assert why in run("audit", *arguments, code=2).stderr


def test_import_takes_them_into_a_study_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "physbo-candidates.csv", "scope.csv")
    run("init", "scope.csv", "--objective", "gap")
    assert "5 results recorded" in run("import", DATA / "physbo-3.2.1.npz").stderr
    assert "0 results recorded; 5 were on record already" in run("import", DATA / "physbo-3.2.1.npz").stderr
    with Study.open("scope.study.db", "scope") as study:
        assert [trial.row for trial in study.trials] == [
            trial.row for trial in from_physbo(DATA / "physbo-3.2.1.npz", Table.from_csv("scope.csv")).study.trials
        ]
    assert "must be called the same" in run("import", DATA / "ax-1.3.1.json", code=2).stderr


def test_a_database_of_optuna(tmp_path):
    optuna = pytest.importorskip("optuna", reason="Optuna is not installed")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = tmp_path / "optuna.db"
    for name in ("first", "second"):
        theirs = optuna.create_study(
            storage=f"sqlite:///{path}", study_name=name, sampler=optuna.samplers.RandomSampler(seed=1)
        )
        theirs.optimize(lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2, n_trials=5)
    assert "holds 2 studies: first, second" in run("audit", path, code=2).stderr
    said = run("audit", path, "--optuna", "first", "--format", "json")
    assert json.loads(said.stdout)["best_measured"]["value"] == theirs.best_value
    Study.open(tmp_path / "ours.db", "s", space={"x": (0.0, 1.0)}).close()
    assert "no database of Optuna" in run("audit", tmp_path / "ours.db", code=2).stderr


def test_frames_of_ours_come_back_as_rows(tmp_path):
    study = Study([{"T": T} for T in (20, 40, 60)], seed=1)
    for trial in study.ask(3):
        study.tell(trial, float(trial.params["T"]))
    frame = study.to_frame()[["params_T", "value"]].rename(columns={"params_T": "T"})
    again = from_baybe(frame, study.space, objectives={"value": "maximize"}, seed=1)
    assert [trial.value for trial in again.study.trials] == [trial.value for trial in study.trials]
    assert csv.DictReader(io.StringIO(frame.to_csv(index=False))).fieldnames == ["T", "value"]
