"""Decisions in environments through a study: asking, recording, stores, replay, recommendations and certificates."""

import numpy as np
import pytest

from regretless import (
    EI,
    IRGPUCB,
    Certificate,
    Composite,
    CVaR,
    Environment,
    Expectation,
    Fidelity,
    InvalidInput,
    LevelSet,
    MeanMinusStd,
    Perturbation,
    Regret,
    RobustRegret,
    RobustUCB,
    Study,
    StudyConflict,
    Surrogate,
    Table,
    WeightSet,
    WorstCase,
    replay,
)
from regretless.confidence import Schedule, TightUnion
from regretless.gp import Kernel
from regretless.optimizer.decision import _open_decisions
from regretless.problems import robust_problem
from regretless.search import Allowed
from regretless.theory import remaining_regret

HUMIDITY = Environment("humidity", [20, 40, 80], weights=[0.5, 0.3, 0.2])
LAWS = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
AIMS = [Expectation(), WorstCase(), CVaR(0.3), WeightSet(LAWS), MeanMinusStd(0.5)]
TABLE = [{"T": T} for T in range(20, 80, 5)]


def measured(params):
    """The best T falls with humidity: at 20 it is 70, at 80 it is 40."""
    return 10.0 - 0.01 * (params["T"] - 80.0 + 0.5 * params["humidity"]) ** 2


def worth(aim, T):
    f = np.array([[measured({"T": T, "humidity": h}) for h in HUMIDITY.values]])
    return float(aim.value(f, np.array(HUMIDITY.weights))[0])


def run(count=24, space=TABLE, seed=1, f=measured, **more):
    study = Study(space, environment=HUMIDITY, seed=seed, **more)
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


@pytest.mark.parametrize("aim", AIMS, ids=str)
def test_the_best_decision_of_a_table_is_found(aim):
    study = run(goal=aim)
    best = max(TABLE, key=lambda row: worth(aim, row["T"]))
    found = study.recommend()
    assert found.params == best
    assert found.row == TABLE.index(best)  # of the user's table
    assert found.mean == pytest.approx(worth(aim, best["T"]), abs=0.2)
    assert study.aim == aim
    assert study.environment == HUMIDITY
    assert {trial.params["humidity"] for trial in study.trials} <= set(HUMIDITY.values)
    ruled = [trial for trial in study.trials if trial.source == "rule"]
    assert ruled
    assert all({"zeta", "zeta_environment", "environment"} <= set(trial.details) for trial in ruled)


@pytest.mark.parametrize("aim", AIMS, ids=str)
def test_certificates(aim):
    study = run(goal=aim)
    left = study.certificate()
    assert isinstance(left, Certificate if isinstance(aim, Expectation) else RobustRegret)
    assert left.exact
    assert left.params == study.recommend().params
    true = max(worth(aim, row["T"]) for row in TABLE) - worth(aim, left.params["T"])
    assert true <= left.bound < 3.0
    assert "costs at most" in left.sentence
    assert left.to_data()["sentence"] == left.sentence
    assert left.beside()
    earlier = study.certificate(leave_out=12)
    assert earlier.bound > left.bound
    if isinstance(aim, Expectation):
        assert study.certificate(eps=0.5).exceeds is not None
    else:
        assert left.aim in left.sentence
        with pytest.raises(InvalidInput, match="eps and draws"):
            study.certificate(eps=0.5)


def test_the_certificate_of_the_mean_is_that_of_the_posterior_of_the_mean():
    """With a known model: means, covariances and the bound from scratch, on the joint table."""
    known = Surrogate.known(kernel="rbf", lengthscale=(0.4, 0.6), signal_var=1.0, noise_var=0.01)
    study = run(12, surrogate=known, f=lambda params: 0.1 * measured(params))
    left = study.certificate(draws=0)
    X = np.array([[(row["T"] - 20) / 55, (h - 20) / 60] for row in TABLE for h in HUMIDITY.values])
    told = [trial for trial in study.trials if trial.status == "told"]
    Z = np.array([[(t.params["T"] - 20) / 55, (t.params["humidity"] - 20) / 60] for t in told])
    y = np.array([t.value for t in told])

    def k(A, B):
        return np.exp(-0.5 * (((A[:, None] - B) / [0.4, 0.6]) ** 2).sum(axis=2))

    solve = np.linalg.solve(k(Z, Z) + 0.01 * np.eye(len(y)), np.column_stack([k(Z, X), y]))
    mean, S = k(X, Z) @ solve[:, -1], k(X, X) - k(X, Z) @ solve[:, :-1]
    A = np.kron(np.eye(len(TABLE)), HUMIDITY.weights)
    mean, S = A @ mean, A @ S @ A.T
    best = int(mean.argmax())
    assert left.params == TABLE[best]
    assert left.mean == pytest.approx(mean[best], rel=1e-8)
    assert left.sd == pytest.approx(np.sqrt(S[best, best]), rel=1e-6)

    class Posterior:
        kernel = Kernel("rbf", np.array([0.4, 0.6]), 1.0)

        def covariance(self, A, B):
            return S[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]

    class Moments:
        posterior = Posterior()
        X = np.arange(float(len(mean)))[:, None]  # candidates by number
        candidates = X
        sd = np.sqrt(np.diag(S))

        def on(self, X=None):
            del X
            return self

        def covariance_with(self, index):
            return S[index].copy()

    moments = Moments()
    moments.mean = mean
    assert left.bound == pytest.approx(remaining_regret(moments).bound, rel=1e-6)


def test_the_same_suggestions_after_a_resume_and_in_a_store(tmp_path):
    whole = run(20, goal=WorstCase())
    path = tmp_path / "lab.db"
    for begin in (0, 9):
        with Study.open(path, "one", space=TABLE, environment=HUMIDITY, goal=WorstCase(), seed=1) as study:
            for _ in range(9 if begin == 0 else 11):
                trial = study.ask()
                study.tell(trial, measured(trial.params))
    with Study.open(path, "one") as study:
        assert [t.params for t in study.trials] == [t.params for t in whole.trials]
        assert [t.details for t in study.trials] == [t.details for t in whole.trials]
        assert study.recommend() == whole.recommend()
        assert study.certificate() == whole.certificate()
        assert all(each.matches for each in replay(study))


@pytest.mark.parametrize(
    ("space", "environment", "aim"),
    [
        ({"a": (0.0, 1.0), "b": ["u", "v"]}, Environment("site", ["north", "south"]), WeightSet([[0.5, 0.5], [1, 0]])),
        ({"a": (0.0, 1.0)}, Perturbation.normal({"a": 0.1}, count=4), MeanMinusStd(0.3)),
        ({"n": (1, 30)}, HUMIDITY, CVaR(0.5)),
    ],
    ids=["mixed", "shifts", "listed"],
)
def test_what_is_stored_comes_back(tmp_path, space, environment, aim):
    path = tmp_path / "lab.db"
    with Study.open(path, "one", space=space, environment=environment, goal=aim, seed=3) as study:
        asked = [study.ask().params for _ in range(3)]
    with Study.open(path, "one", space=space, environment=environment, goal=aim) as study:
        assert study.environment == environment
        assert study.aim == aim
        assert [trial.params for trial in study.trials] == asked
    for other in ({"goal": WorstCase()}, {"environment": Environment("other", [1, 2])}, {"space": {"z": (0.0, 1.0)}}):
        with pytest.raises(StudyConflict):
            Study.open(path, "one", **other)


def test_input_perturbation_measures_shifted_points():
    problem = robust_problem("dh3")
    study = Study(problem.space, environment=problem.environment, goal=problem.aim, seed=1)
    for _ in range(40):
        trial = study.ask()
        assert set(trial.params) == {"x0", "x1", "x2"}
        study.tell(trial, problem(trial.params))
    assert problem.regret(study.recommend().params) < 0.3
    assert not study.certificate().exact


def test_minimising_is_maximising_the_negative():
    """Trial by trial, for every aim: the worst case of a cost is the largest cost."""
    for aim in (Expectation(), WorstCase(), MeanMinusStd(0.5)):
        up = run(12, goal=aim)
        down = run(12, goal=aim, direction="minimize", f=lambda params: -measured(params))
        assert [t.params for t in up.trials] == [t.params for t in down.trials]
        assert up.recommend().params == down.recommend().params
        assert down.recommend().mean == pytest.approx(-up.recommend().mean)
        assert down.certificate().bound == pytest.approx(up.certificate().bound)


def test_scale_and_shift_of_the_objective_do_not_matter():
    for aim in (WorstCase(), MeanMinusStd(0.5)):
        one = run(12, goal=aim)
        other = run(12, goal=aim, f=lambda params: 1000.0 + 8.0 * measured(params))
        assert [t.params for t in one.trials] == [t.params for t in other.trials]
        share = aim.share if isinstance(aim, MeanMinusStd) else 1.0
        assert other.recommend().mean == pytest.approx(1000.0 * share + 8.0 * one.recommend().mean, rel=1e-6)


def test_one_environment_is_the_plain_study():
    plain = Surrogate(compress=False)
    alone = Study(TABLE, environment=Environment("humidity", [20]), surrogate=plain, seed=5)
    usual = Study(TABLE, rule=IRGPUCB(excursions=False), surrogate=plain, seed=5)
    for _ in range(12):
        one, other = alone.ask(), usual.ask()
        assert one.params == {**other.params, "humidity": 20}
        alone.tell(one, measured(one.params))
        usual.tell(other, measured({**other.params, "humidity": 20}))
    assert alone.recommend().params == usual.recommend().params
    assert alone.certificate(draws=0).bound == pytest.approx(usual.certificate(draws=0).bound, rel=1e-6)


def test_batches_repeats_failures_and_data_from_elsewhere():
    study = Study(TABLE, environment=HUMIDITY, goal=WorstCase(), repeats="never", seed=2)
    study.add({"T": 50, "humidity": 40}, measured({"T": 50, "humidity": 40}))
    seen = {(50, 40)}
    while True:
        trials = study.ask(5)
        for trial in trials:
            at = (trial.params["T"], trial.params["humidity"])
            assert at not in seen
            seen.add(at)
            study.tell(trial, failed=True) if at == (20, 20) else study.tell(trial, measured(trial.params))
        if len(seen) == 3 * len(TABLE):
            break
    assert len(study.trials) == 3 * len(TABLE)
    assert study.recommend().params == max(TABLE, key=lambda row: worth(WorstCase(), row["T"]))


def test_a_corner_of_a_box_is_measured_in_every_environment_and_then_left():
    study = Study({"a": (0.0, 1.0)}, environment=HUMIDITY, goal=WorstCase(), seed=1)
    for _ in range(30):
        trial = study.ask()
        study.tell(trial, trial.params["a"] + 0.001 * trial.params["humidity"])
    points = [(trial.params["a"], trial.params["humidity"]) for trial in study.trials]
    assert len(set(points)) == 30
    assert study.recommend().params["a"] == pytest.approx(1.0, abs=1e-3)
    assert not any(trial.fallback for trial in study.trials)


def test_a_decision_is_closed_once_it_is_in_every_environment():
    scenarios = Study({"a": (0.0, 1.0)}, environment=HUMIDITY, seed=1)._task.scenarios
    Z = scenarios.points(np.array([[0.25], [0.75]]))
    blocked = np.vstack([Z[0], Z[1, :2]])
    closed = _open_decisions(scenarios, Allowed(None, blocked)).blocked
    np.testing.assert_array_equal(closed, [[0.25]])


def test_rows_keep_their_names():
    table = Table([{"id": f"A{i}", **row} for i, row in enumerate(TABLE)], id="id")
    study = run(16, space=table)
    assert study.trials[-1].row.startswith("A")
    assert study.trials[-1].row.endswith(f"humidity={study.trials[-1].params['humidity']}")
    assert study.recommend().row in table.ids
    assert study.space.n_candidates == 36
    assert study.decisions.n_candidates == 12
    assert "humidity" in study.to_frame("pandas").filter(like="params_").columns[-1]


def test_a_run_passes_the_environment_to_the_function_and_stops_by_regret():
    result = Study(TABLE, environment=HUMIDITY, goal=CVaR(0.3), seed=1).optimize(measured, 20)
    best = max(TABLE, key=lambda row: worth(CVaR(0.3), row["T"]))
    assert result.recommended.params == best
    assert f"recommended T={best['T']}" in str(result)
    study = Study(TABLE, environment=HUMIDITY, seed=1)
    stopped = study.optimize(measured, 40, stop_when=Regret(0.5, patience=2))
    assert len(study.trials) < 40
    assert stopped.stopped_by.bound <= 0.5


def test_rules_and_laws():
    assert Study(TABLE, environment=HUMIDITY).rule == RobustUCB()
    assert Study(TABLE, environment=HUMIDITY, rule="irgp-ucb").rule == RobustUCB()
    assert Study(TABLE, environment=HUMIDITY, rule=IRGPUCB(TightUnion(12))).rule == RobustUCB(TightUnion(12))
    run(12, rule=RobustUCB(Schedule.constant(4.0)))
    for rule in ("ei", EI(), "hvi"):
        with pytest.raises(InvalidInput, match="knows no environments"):
            Study(TABLE, environment=HUMIDITY, rule=rule)
    with pytest.raises(InvalidInput, match="give environment="):
        Study(TABLE, rule="robust-ucb")


def test_what_does_not_go_together():
    for more, message in (
        ({"objectives": {"a": "maximize", "b": "maximize"}}, "one objective"),
        ({"constraints": {"impurity": ("<=", 0.5)}}, "one objective"),
        ({"goal": LevelSet(above=0.5)}, "level set"),
        ({"objective": Composite(lambda y: y["a"], of=["a"])}, "composite"),
        ({"fidelity": Fidelity("mesh", levels=["coarse", "fine"], cost=[0.1, 1.0])}, "fidelity or an environment"),
        ({"goal": WeightSet([[0.5, 0.5]])}, "one weight per environment"),
        ({"goal": WorstCase(), "limits": (0, 1)}, "limits"),
        ({"objective": "humidity"}, "is the objective"),
        ({"environment": 3}, "must be an Environment"),
        ({"goal": "worst"}, "goal must be"),
    ):
        with pytest.raises(InvalidInput, match=message):
            Study(TABLE, **{"environment": HUMIDITY, **more})
    with pytest.raises(InvalidInput, match="aim over environments"):
        Study(TABLE, goal=WorstCase())
    with pytest.raises(InvalidInput, match="cannot be extended"):
        Study(TABLE, environment=HUMIDITY).extend([{"T": 90, "humidity": 20}])
    with pytest.raises(InvalidInput, match="humidity"):
        Study(TABLE, environment=HUMIDITY).add({"T": 50}, 1.0)


def test_low_values_are_compressed_where_the_mean_is_searched_for_and_nowhere_else():
    for aim in AIMS:
        study = run(9, goal=aim)
        knee = study.trials[-1].hyperparameters["knee"]
        assert (knee is not None) == isinstance(aim, Expectation)
        assert study._carried.doubt(study._history()).doubted().units.knee is None


def test_limits_hold_for_the_mean():
    left = run(8, limits=(None, 10.0)).certificate(draws=0)
    assert left.bound <= 10.0 - left.mean + 1e-9
