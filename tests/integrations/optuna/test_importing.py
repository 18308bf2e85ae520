import math

import pytest

optuna = pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")

from optuna.distributions import CategoricalDistribution, FloatDistribution  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402

from regretless import Categorical, Float, Mixed  # noqa: E402
from regretless.errors import InvalidInput  # noqa: E402
from regretless.integrations.optuna import from_optuna  # noqa: E402

X = {"x": FloatDistribution(0.0, 1.0)}


def trial(x, value=None, state=TrialState.COMPLETE, **more):
    return create_trial(params={"x": x}, distributions=X, value=value, state=state, **more)


def test_every_row_is_accounted_for():
    study = optuna.create_study(direction="maximize")
    study.add_trials([trial(0.1, 1.0), trial(0.5, 2.0), trial(0.9, -math.inf)])
    study.add_trials([trial(0.7, state=TrialState.FAIL), trial(0.8, state=TrialState.PRUNED)])
    study.add_trial(create_trial(state=TrialState.FAIL))
    study.add_trial(trial(0.6, state=TrialState.RUNNING))
    imported = from_optuna(study, seed=1)
    assert [t.status for t in imported.study.trials] == ["told", "told", "failed", "failed", "failed"]
    assert imported.study.best.value == study.best_value == 2.0
    assert (imported.taken, [(left.row, left.why) for left in imported.left]) == (
        5,
        [("trial 5", "it has not all parameters"), ("trial 6", "it is running")],
    )
    assert str(imported).startswith("5 of 7 rows taken. Left: 1, it has not all parameters (trial 5).")


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")  # of metric names
def test_outcomes_and_names_come_along():
    study = optuna.create_study(directions=["maximize", "minimize"])
    study.set_metric_names(["yield", "cost"])
    for x in (0.2, 0.6):
        study.add_trial(
            create_trial(params={"x": x}, distributions=X, values=[x, 1 - x], constraints={"heat": x - 0.5})
        )
    study.add_trial(create_trial(params={"x": 0.4}, distributions=X, values=[0.4, math.inf]))
    ours = from_optuna(study, seed=1).study
    assert [outcome.wanted for outcome in ours.outcomes] == [
        "yield, to be maximised",
        "cost, to be minimised",
        "heat <= 0",
    ]
    assert dict(ours.trials[2].values) == {"yield": 0.4, "cost": None, "heat": None}


def test_conditions_are_given_by_hand_or_left_out():
    study = optuna.create_study()
    kind = CategoricalDistribution(["a", "b"])
    study.add_trial(create_trial(params={"kind": "a", "x": 0.5}, distributions={"kind": kind, **X}, value=1.0))
    study.add_trial(create_trial(params={"kind": "b"}, distributions={"kind": kind}, value=2.0))
    assert "were left out: x" in str(from_optuna(study, seed=1))
    space = Mixed({"kind": Categorical(["a", "b"]), "x": Float(0.0, 1.0, when={"kind": "a"})})
    imported = from_optuna(study, space, seed=1)
    assert imported.left == ()
    assert [dict(t.params) for t in imported.study.trials] == [{"kind": "a", "x": 0.5}, {"kind": "b"}]


def test_what_lies_too_far_away_is_left():
    study = optuna.create_study()
    study.add_trials([trial(0.1, 1.0), trial(0.5, 2.0)])
    imported = from_optuna(study, {"x": (0.0, 0.02)}, seed=1)
    assert imported.taken == 1
    assert "it has no place in the space" in imported.left[0].why


def test_an_empty_study_is_refused():
    with pytest.raises(InvalidInput, match="nothing to learn from"):
        from_optuna(optuna.create_study())
