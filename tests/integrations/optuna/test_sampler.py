"""What Optuna's suite does not cover: restarts, workers, failures, conditions, constraints, exhausted spaces."""

import logging
import math
import pickle
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402

from regretless import Study  # noqa: E402
from regretless.errors import InvalidInput  # noqa: E402
from regretless.integrations.optuna import RegretlessSampler  # noqa: E402
from regretless.integrations.optuna.distributions import Codec, groups_of  # noqa: E402
from regretless.integrations.optuna.notes import read_note, write_note  # noqa: E402

BOX = {"x": FloatDistribution(-5.0, 10.0), "y": FloatDistribution(0.0, 15.0)}


def branin(trial):
    x, y = trial.suggest_float("x", -5.0, 10.0), trial.suggest_float("y", 0.0, 15.0)
    ridge = y - 5.1 / (4.0 * math.pi**2) * x**2 + 5.0 / math.pi * x - 6.0
    return ridge**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * math.cos(x) + 10.0


def points(study):
    return [tuple(sorted(trial.params.items())) for trial in study.trials]


def run(n_trials, objective=branin, *, directions=None, **settings):
    study = optuna.create_study(sampler=RegretlessSampler(**{"seed": 3, **settings}), directions=directions)
    study.optimize(objective, n_trials=n_trials, catch=(ValueError,))
    return study


# The record is Optuna's ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, None])
def test_a_restart_changes_nothing(tmp_path, seed):
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    optuna.create_study(study_name="branin", storage=url)

    def go_on(n_trials):
        study = optuna.load_study(study_name="branin", storage=url, sampler=RegretlessSampler(seed=seed))
        study.optimize(branin, n_trials=n_trials)
        return study

    go_on(11)
    resumed = go_on(19)
    drawn = resumed._storage.get_study_system_attrs(resumed._study_id).get("regretless:seed")
    assert points(resumed) == points(run(30, seed=seed if drawn is None else drawn))
    assert (drawn is None) == (seed is not None)


def test_with_a_known_space_it_is_a_study_of_ours():
    theirs = run(16, search_space=BOX)
    ours = Study({"x": (-5.0, 10.0), "y": (0.0, 15.0)}, direction="minimize", seed=3)
    for _ in range(16):
        trial = ours.ask()
        ours.tell(trial, branin(optuna.trial.FixedTrial(dict(trial.params))))
    assert points(theirs) == [tuple(sorted(trial.params.items())) for trial in ours.trials]
    notes = [read_note(trial) for trial in theirs.trials]
    assert [note["groups"][0]["source"] for note in notes] == [trial.source for trial in ours.trials]
    assert notes[-1]["groups"][0]["record"]["zeta"] == ours.trials[-1].zeta


def test_a_sampler_that_was_pickled_goes_on():
    study = run(9)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(branin, n_trials=4)
    assert points(study) == points(run(13))


def test_one_sampler_for_two_studies_keeps_them_apart():
    sampler = RegretlessSampler(seed=3)
    for objective in (branin, lambda trial: -branin(trial)):
        study = optuna.create_study(study_name="the same name", sampler=sampler)
        study.optimize(objective, n_trials=10)
        assert points(study) == points(run(10, objective))


def test_results_of_others_count():
    study = optuna.create_study(sampler=RegretlessSampler(seed=1, n_startup_trials=4))
    for x in (0.0, 0.3, 0.7, 1.0):
        study.add_trial(
            create_trial(params={"x": x}, distributions={"x": FloatDistribution(0, 1)}, value=(x - 0.4) ** 2)
        )
    trial = study.ask({"x": FloatDistribution(0, 1)})
    assert read_note(study.trials[-1])["groups"][0]["source"] == "rule"
    assert trial.params["x"] not in (0.0, 0.3, 0.7, 1.0)


def test_long_notes_are_cut_to_pieces_and_rewritten_ones_leave_nothing_behind():
    study = optuna.create_study()
    trial = study.ask()
    frozen = study._storage.get_trial(trial._trial_id)
    n = write_note(study, frozen, {"params": {f"parameter {i}": i / 7 for i in range(200)}})
    assert n > 2
    assert max(map(len, study._storage.get_trial(trial._trial_id).system_attrs.values())) <= 2045
    write_note(study, frozen, {"params": {"x": 1.0}}, n)
    assert read_note(study._storage.get_trial(trial._trial_id)) == {"params": {"x": 1.0}}


# Workers -------------------------------------------------------------------------------------------------------------


def test_threads_never_share_a_point():
    study = optuna.create_study(sampler=RegretlessSampler(seed=1))
    study.optimize(branin, n_trials=24, n_jobs=4)
    assert len(set(points(study))) == 24


def test_processes_with_one_seed_never_share_a_point(tmp_path):
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    optuna.create_study(study_name="shared", storage=url)
    worker = textwrap.dedent(f"""
        import optuna
        from regretless.integrations.optuna import RegretlessSampler
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.load_study(study_name="shared", storage={url!r}, sampler=RegretlessSampler(seed=7))
        study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 0.3) ** 2 + t.suggest_int("n", 1, 5), n_trials=8)
    """)
    workers = [subprocess.Popen([sys.executable, "-c", worker]) for _ in range(3)]
    assert [process.wait() for process in workers] == [0, 0, 0]
    study = optuna.load_study(study_name="shared", storage=url)
    assert len(study.trials) == len(set(points(study))) == 24


@pytest.mark.parametrize("finished", [False, True])
def test_a_point_that_another_worker_took_meanwhile_is_given_up(monkeypatch, finished):
    """Between reading and writing somebody else writes the same point, and may even have ended its trial."""
    study = run(8, search_space=BOX)
    sampler = study.sampler
    rival = study._storage.get_trial(study._storage.create_new_trial(study._study_id))
    mine = study._storage.get_trial(study._storage.create_new_trial(study._study_id))
    suggest, first = sampler._suggest, []

    def slow(*args):
        params, note = suggest(*args)
        if not first:
            first.append(params)
            write_note(study, rival, note)
            if finished:
                study._storage.set_trial_state_values(rival._trial_id, TrialState.COMPLETE, [1.0])
        return params, note

    monkeypatch.setattr(sampler, "_suggest", slow)
    assert sampler.sample_relative(study, mine, BOX) != first[0]


def test_what_runs_or_waits_elsewhere_is_pending():
    study = run(8, search_space=BOX)
    study.enqueue_trial({"x": 3.0, "y": 2.0})
    sampler, trials = study.sampler, study.get_trials(deepcopy=False)
    codecs = {name: Codec.of(each) for name, each in BOX.items()}
    known = sampler._known(study, trials, "", codecs, whole=True)
    history = sampler._history(study, known, codecs, "", trials, number=99)
    assert history.pending.trials.tolist() == [8]
    assert history.told.trials.tolist() == list(range(8))


# Failures ------------------------------------------------------------------------------------------------------------


def cliff(trial, ending="fail"):
    """Best at the border beyond which it fails: whoever ignores failures goes there for ever."""
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    if x <= 0.6:
        return -x + (y - 0.5) ** 2
    if ending == "infinite":
        return math.inf
    raise ValueError if ending == "fail" else optuna.TrialPruned


@pytest.mark.parametrize("ending", ["fail", "prune", "infinite"])
def test_failures_are_kept_away_from(ending):
    study = run(25, lambda trial: cliff(trial, ending), seed=1)
    assert sum(trial.params["x"] > 0.6 for trial in study.trials) <= 6
    assert len(set(points(study))) == 25


def test_whatever_the_seed_fewer_fail_than_where_failures_are_ignored():
    """Of 25 trials GPSampler fails in 15 (`test_beside_gp`); points at random fail in 10 on average."""
    failed = [sum(trial.params["x"] > 0.6 for trial in run(25, cliff, seed=seed).trials) for seed in range(5)]
    assert max(failed) < 15
    assert sum(failed) < 5 * 8


def test_failures_of_workers_can_be_ignored():
    """A point whose trial was killed may be suggested again; a pruned one may not."""
    space = {"c": CategoricalDistribution(["a", "b"])}
    for failures, state, tried in (("avoid", "FAIL", 2), ("ignore", "FAIL", 1), ("ignore", "PRUNED", 2)):
        study = optuna.create_study(sampler=RegretlessSampler(seed=1, failures=failures))
        study.add_trial(create_trial(params={"c": "a"}, distributions=space, value=1.0))
        study.add_trial(create_trial(params={"c": "b"}, distributions=space, state=TrialState[state]))
        codecs = {"c": Codec.of(space["c"])}
        known = study.sampler._known(study, study.trials, "", codecs, whole=True)
        assert len(study.sampler._history(study, known, codecs, "", study.trials, number=9).points) == tried
    with pytest.raises(InvalidInput, match="'avoid' or 'ignore'"):
        RegretlessSampler(failures="raise")


def test_hyperband_has_brackets_that_are_studies_of_their_own():
    def objective(trial):
        x, n = trial.suggest_float("x", 0.0, 1.0), trial.suggest_int("n", 1, 4)
        for step in range(9):
            trial.report((x - 0.3) ** 2 + n / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return (x - 0.3) ** 2 + n / 9

    pruner = optuna.pruners.HyperbandPruner(max_resource=9)
    study = optuna.create_study(sampler=RegretlessSampler(seed=1), pruner=pruner)
    study.optimize(objective, n_trials=30)
    assert len(set(points(study))) == 30
    assert study.best_value < 0.13  # the optimum is 1/9


# Spaces --------------------------------------------------------------------------------------------------------------


def test_conditional_parameters_are_modelled_by_groups():
    def objective(trial):
        if trial.suggest_categorical("kind", ["a", "b"]) == "a":
            return (trial.suggest_float("xa", 0.0, 1.0) - 0.3) ** 2
        return (trial.suggest_float("xb", 0.0, 1.0) - 0.7) ** 2 - 0.1

    study = run(25, objective, seed=1)
    assert study.best_value < -0.0999
    assert groups_of(["kind", "xa", "xb"], study.trials) == [["kind"], ["xa"], ["xb"]]


def test_groups_are_what_occurs_together():
    trials = [
        create_trial(params={"a": 1, "b": 1}, distributions=dict.fromkeys("ab", IntDistribution(0, 9)), value=0.0),
        create_trial(
            params={"a": 1, "c": 1, "d": 1}, distributions=dict.fromkeys("acd", IntDistribution(0, 9)), value=0.0
        ),
    ]
    assert groups_of("abcdef", trials) == [["a"], ["b"], ["c", "d"], ["e", "f"]]


def test_ranges_may_move_and_old_results_stay_data():
    study = optuna.create_study(sampler=RegretlessSampler(seed=1, n_startup_trials=4))
    study.optimize(lambda t: (t.suggest_float("x", 0.0, 1.0) - 1.4) ** 2, n_trials=8)
    study.optimize(lambda t: (t.suggest_float("x", 0.0, 2.0) - 1.4) ** 2, n_trials=8)
    assert study.best_value < 1e-3


def test_a_parameter_without_a_model_is_sampled_at_random_and_said_once(caplog):
    def objective(trial):
        extra = trial.suggest_float("late", 0.0, 1.0) if trial.number > 2 else 0.0
        return trial.suggest_float("x", 0.0, 1.0) + extra

    with caplog.at_level(logging.WARNING, logger="regretless"):
        run(8, objective)
    said = [record.message for record in caplog.records if "late" in record.message]
    assert said == ["Parameter 'late' of trial 3 is sampled at random: no completed trial has it yet."]


@pytest.mark.parametrize(
    ("distribution", "value", "inside"),
    [
        (FloatDistribution(0.0, 1.0, step=0.25), 0.5, 0.5),
        (FloatDistribution(0.0, 1.0, step=1e-10), 0.1234567891, 0.1234567891),
        (IntDistribution(1, 9, step=2), 3, 3),
        (IntDistribution(1, 100, log=True), 10, 10),
        (CategoricalDistribution(["a", None, 2.5]), None, None),
        (CategoricalDistribution([1, True, "1"]), "1", "1"),
        (CategoricalDistribution([1, True, "1"]), 1, 1),
    ],
)
def test_values_go_in_and_come_out(distribution, value, inside):
    codec = Codec.of(distribution)
    assert codec.inward(value) == inside
    assert codec.outward(codec.inward(value)) == value
    assert type(codec.outward(codec.inward(value))) is type(value)


def test_what_float64_cannot_tell_apart_is_left_to_the_other_sampler():
    narrow = FloatDistribution(1.0, 1.0 + 1e-15)
    assert Codec.of(narrow) is None
    study = run(4, lambda t: t.suggest_float("x", 1.0, 1.0 + 1e-15) + t.suggest_float("y", 0.0, 1.0))
    assert len(study.trials) == 4


def test_a_finite_space_is_tried_once_and_the_study_stops():
    def objective(trial):
        return trial.suggest_int("i", 0, 3) + (trial.suggest_categorical("c", [None, 1, True]) is None)

    study = run(50, objective, repeats="never")
    assert len(study.trials) == len(set(points(study))) == 8  # 1 and True are one choice
    assert len(run(12, lambda t: t.suggest_int("i", 0, 3), repeats=None).trials) == 12
    trial = study.ask()  # outside of a loop there is nothing to stop: the trial repeats a point
    assert trial.suggest_int("i", 0, 3) in range(4)


def test_an_enqueued_trial_is_run_as_it_is_and_is_not_counted_as_the_rule():
    study = run(8, search_space=BOX)
    study.enqueue_trial({"x": 1.0, "y": 2.0})
    study.enqueue_trial({"x": 1.5})
    study.optimize(branin, n_trials=2)
    assert study.trials[8].params == {"x": 1.0, "y": 2.0}
    assert study.trials[9].params["x"] == 1.5
    assert read_note(study.trials[8]) == {}
    assert read_note(study.trials[9])["groups"][0]["source"] == "enqueued"


# Outcomes ------------------------------------------------------------------------------------------------------------


def test_constraints_are_modelled():
    def objective(trial):
        x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
        trial.set_constraint("sum", x + y - 1.2)
        return -(2.0 * x + y)

    study = run(25, objective, seed=1)
    assert study.best_trial.value < -2.19  # optimum -2.2 on the border
    assert set(read_note(study.trials[-1])["groups"][0]["fits"]) <= {"value", "sum"}


def test_several_objectives():
    def objective(trial):
        x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
        return x, (1.0 - x) ** 2 + y

    study = run(24, objective, directions=["minimize", "minimize"], seed=1, reference=(1.1, 1.1))
    assert len(study.best_trials) >= 12  # y = 0 is optimal: random sampling has 5 of 24 on its front
    study.sampler = RegretlessSampler(reference=(1.0,))
    with pytest.raises(ValueError, match="one number for each of 2 objectives"):
        study.optimize(objective, n_trials=1)


def test_infinite_values_of_one_objective_do_not_hide_the_other():
    study = run(
        8, lambda t: (t.suggest_float("x", 0, 1), math.inf if t.number == 3 else 1.0), directions=["minimize"] * 2
    )
    assert len(study.trials) == 8


def test_it_costs_little_beside_an_evaluation():
    """A hundredth of a second of CPU, with much room for a busy machine; beside GPSampler: `test_beside_gp`."""
    begin = time.process_time()
    run(30)
    assert (time.process_time() - begin) / 30 < 0.1


def test_the_module_says_what_to_install(tmp_path):
    (tmp_path / "optuna.py").write_text("raise ImportError('not here')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import regretless.integrations\n"
        "assert 'optuna' not in sys.modules\n"
        "try:\n    import regretless.integrations.optuna\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'regretless[optuna]'" in done.stdout


def test_random_draws_are_uniform():
    """Kolmogorov-Smirnov, level 1e-3: streams keyed by trial and name must not be correlated."""
    from scipy.stats import kstest

    study = optuna.create_study(sampler=RegretlessSampler(seed=5))
    trials = [study._storage.get_trial(study._storage.create_new_trial(study._study_id)) for _ in range(300)]
    draws = {
        name: np.array([study.sampler.sample_independent(study, t, name, FloatDistribution(0, 1)) for t in trials])
        for name in ("x", "y")
    }
    assert all(kstest(each, "uniform").pvalue > 1e-3 for each in draws.values())
    assert abs(np.corrcoef(draws["x"], draws["y"])[0, 1]) < 0.19  # 3.29 / sqrt(300)
