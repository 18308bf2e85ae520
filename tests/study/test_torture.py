"""Every stored case under every rule where that is cheap: a sensible suggestion, whatever came before."""

import sys
import time
import tracemalloc

import numpy as np
import pytest
from tests.study.torture import CASES, Case, build, check, rules

from regretless import Study, Surrogate
from regretless.acquisition import RULES, MomentScore, Rule
from regretless.errors import NumericalError

OTHERS = sorted(set(RULES) - {"irgp-ucb"})
#: In a normal run each cheap case meets, beside IRGP-UCB, two other rules, in turns; `slow` tries all of them.
IN_TURNS = [
    (name, rule)
    for i, name in enumerate(name for name, case in CASES.items() if case.cheap)
    for rule in (OTHERS[(2 * i) % len(OTHERS)], OTHERS[(2 * i + 1) % len(OTHERS)])
]
ALL = [(name, rule) for name, case in CASES.items() if case.cheap for rule in OTHERS]


def drive(case: Case, rule: str) -> None:
    began = time.process_time()
    check(case, build(case, rules()[rule]))
    assert time.process_time() - began < case.seconds


@pytest.mark.parametrize("name", CASES)
def test_irgp_ucb_survives(name):
    drive(CASES[name], "irgp-ucb")


@pytest.mark.parametrize(("name", "rule"), IN_TURNS)
def test_other_rules_survive(name, rule):
    drive(CASES[name], rule)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule"), ALL)
def test_every_rule_survives(name, rule):
    drive(CASES[name], rule)


def test_every_rule_gets_its_turn():
    assert {rule for _, rule in IN_TURNS} == set(OTHERS)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.cheap])
def test_memory_is_bounded(name):
    case = CASES[name]
    tracemalloc.start()
    try:
        check(case, build(case))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < case.megabytes * 2**20


def test_jitter_is_recorded():
    """Without noise, one point twice makes the matrix singular: what had to be added is in the trial."""
    trial = build(CASES["no noise, one point again and again"]).ask()
    assert trial.source == "rule"
    assert trial.jitter > 0.0
    assert build(CASES["one observation and no design"]).ask().jitter == 0.0


def test_a_model_that_fails_is_replaced_by_chance_and_the_trial_says_so(monkeypatch):
    """The factorisation gives up: suggestions go on, random, in the space, not pending twice, and marked."""

    def give_up(matrix):
        raise NumericalError("made to fail")

    for space in ([(0.0, 1.0)] * 2, np.random.default_rng(0).random((30, 2)), {"x": (0.0, 1.0), "c": ["a", "b"]}):
        study = Study(space, seed=3, n_initial=2)
        for trial in study.ask(2):
            study.tell(trial, 1.0)
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules["regretless.gp.regression"], "cholesky", give_up)
            asked = [study.ask() for _ in range(5)]
        assert {trial.source for trial in asked} == {"random"}
        assert {trial.fallback for trial in asked} == {"made to fail"}
        assert len({tuple(trial.params.values()) for trial in asked}) == 5
        assert study.ask().source == "rule"  # and it recovers


@pytest.mark.parametrize("space", [[(0.0, 1.0)], np.linspace(0.0, 1.0, 9)[:, None]])
def test_a_score_that_is_nowhere_finite_is_replaced_by_chance(space):
    class Nonsense:
        def value(self, mean, _sd):
            return np.full_like(mean, np.nan)

        def slopes(self, mean, _sd):
            return np.zeros_like(mean), np.zeros_like(mean)

    class Broken(Rule):
        name = "broken"

        def draw(self, view, _t, _rng):
            return MomentScore(view.posterior, Nonsense())

    study = Study(space, rule=Broken(), seed=0, n_initial=2)
    for trial in study.ask(2):
        study.tell(trial, 1.0)
    trial = study.ask()
    assert trial.source == "random"
    assert "finite score" in trial.fallback
    assert study.space.check(trial.params) == trial.params


def test_values_too_large_for_a_raw_model_are_refused():
    study = Study([(0.0, 1.0)], surrogate=Surrogate.known("rbf", 0.3, signal_var=1.0, noise_var=0.1), seed=0)
    trial = study.ask()
    with pytest.raises(ValueError, match="standardise"):
        study.tell(trial, 1e60)
    assert study.trials[0].status == "pending"
