import logging

import pytest

optuna = pytest.importorskip("optuna", reason="needs Optuna: pip install 'regretless[optuna]'")

from optuna.samplers import RandomSampler  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from regretless import HypervolumeLeft, Regret  # noqa: E402
from regretless.errors import InvalidInput  # noqa: E402
from regretless.integrations.optuna import RegretlessSampler, StopByRegret  # noqa: E402


def bowl(trial):
    return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2 + (trial.suggest_float("y", 0.0, 1.0) - 0.6) ** 2


def stopped(sampler, objective=bowl, n_trials=60, **settings):
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=n_trials, callbacks=[StopByRegret(0.01, **settings)])
    return study


def test_it_stops_with_a_sentence_and_the_promise_holds():
    study = stopped(RegretlessSampler(seed=1))
    assert len(study.trials) < 60
    assert "costs about" in study.user_attrs["regretless:stopped"]
    at = study.user_attrs["regretless:recommended"]
    assert (at["x"] - 0.3) ** 2 + (at["y"] - 0.6) ** 2 < 0.01


def test_the_recommended_point_is_run_before_it_stops():
    """Of any sampler: the best trial of a random search is not what the certificate is about."""
    confirmed = stopped(RandomSampler(seed=3))
    last = confirmed.trials[-1]
    assert last.user_attrs == {"regretless:confirms": True}
    assert last.state == TrialState.COMPLETE
    assert confirmed.best_trial.number == last.number
    plain = stopped(RandomSampler(seed=3), confirm=False)
    assert len(plain.trials) == len(confirmed.trials) - 1
    assert plain.best_value > confirmed.best_value


def test_a_disappointing_confirmation_does_not_stop():
    """The recommended point gives another value than promised: the certificate is gone, the study goes on."""

    def objective(trial):
        value = bowl(trial)
        return 5.0 if "regretless:confirms" in trial.user_attrs and trial.number < 40 else value

    study = stopped(RandomSampler(seed=3), objective, n_trials=34)
    asked = [trial.number for trial in study.trials if "regretless:confirms" in trial.user_attrs]
    assert asked
    assert len(study.trials) > asked[0] + 1


def test_other_workers_stop_when_they_read_it():
    study = optuna.create_study(sampler=RandomSampler(seed=1))
    study.set_user_attr("regretless:stopped", "Another worker says so.")
    study.optimize(bowl, n_trials=10, callbacks=[StopByRegret(1e-9)])
    assert len(study.trials) == 1


def test_conditional_parameters_have_no_certificate(caplog):
    def objective(trial):
        extra = trial.suggest_float("z", 0.0, 1.0) if trial.number % 2 else 0.0
        return trial.suggest_float("x", 0.0, 1.0) + extra

    with caplog.at_level(logging.WARNING, logger="regretless"):
        study = optuna.create_study(sampler=RandomSampler(seed=1))
        study.optimize(objective, n_trials=12, callbacks=[StopByRegret(100.0)])
    assert len(study.trials) == 12
    assert sum("no certificate" in record.message for record in caplog.records) == 1


@pytest.mark.slow
def test_several_objectives_stop_by_what_the_front_misses():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=RandomSampler(seed=1))
    space = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    for x in (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9):
        study.add_trial(optuna.create_trial(params={"x": x}, distributions=space, values=[x, 1.0 - x]))
    rule = HypervolumeLeft(relative=0.9, patience=1)  # one look: the certificate of a front takes its time
    study.optimize(lambda t: ((x := t.suggest_float("x", 0, 1)), 1.0 - x), n_trials=2, callbacks=[StopByRegret(rule)])
    assert len(study.trials) == 8
    assert "regretless:recommended" not in study.user_attrs


def test_under_constraints_it_stops_too():
    def objective(trial):
        trial.set_constraint("c", trial.suggest_float("x", 0.0, 1.0) - 0.5)
        return -trial.params["x"]

    study = optuna.create_study(sampler=RegretlessSampler(seed=1))
    study.optimize(objective, n_trials=40, callbacks=[StopByRegret(Regret(0.05, patience=2))])
    assert len(study.trials) < 40
    assert study.user_attrs["regretless:recommended"]["x"] <= 0.55


def test_what_is_no_rule_is_refused():
    with pytest.raises(InvalidInput, match="stop_when must be"):
        StopByRegret("soon")
