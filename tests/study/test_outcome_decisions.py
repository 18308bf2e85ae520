"""What is decided where there are several outcomes: each decision with a test that fails when it is undone."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.study.helpers import SPACES, all_bits, bits, smooth
from tests.study.outcomes import BOTH, BOUND, LINE, TWO, measured, run, step

from regretless import Study, Surrogate
from regretless.acquisition import Optimistic
from regretless.optimizer import Outcome, State, believed, suggest
from regretless.optimizer.model import imagine
from regretless.optimizer.scene import scene_of

ALL = sorted(SPACES)


class TestOneOutcomeIsThePlainRule:
    """K = 1 and J = 0, bit for bit, through every way to say so and to tell it."""

    @pytest.mark.parametrize("space", ALL)
    def test_however_it_is_named(self, space):
        ways = [
            {"objective": "loss", "direction": "minimize"},
            {"objectives": {"loss": "minimize"}},
            {"objectives": {"loss": "minimize"}, "constraints": {}},
        ]
        studies = [Study(SPACES[space](), seed=3, **way) for way in ways]
        for i in range(14):
            for study, name in zip(studies, ("loss", "loss", "loss"), strict=True):
                trial = study.ask()
                value = smooth(trial.params)
                study.tell(trial, {name: value} if i % 2 else value)
        first, *others = studies
        assert all(all_bits(other) == all_bits(first) for other in others)
        assert all(other.certificate() == first.certificate() for other in others)
        assert all(other.recommend() == first.recommend() for other in others)
        stored = [[(e.kind, e.value, sorted(e.data)) for e in study.events()] for study in studies]
        assert stored[0] == stored[1] == stored[2]
        assert not any("values" in event.data or "noise" in event.data for event in first.events())

    @pytest.mark.parametrize("space", ALL)
    def test_batches_failures_and_corrections_too(self, space):
        studies = [
            Study(SPACES[space](), seed=5, objective="a", n_initial=3),
            Study(SPACES[space](), seed=5, objectives={"a": "maximize"}, n_initial=3),
        ]
        for study in studies:
            for trial in study.ask(5):
                study.tell(trial, {"a": smooth(trial.params)} if study is studies[0] else smooth(trial.params))
            study.tell(study.ask(), failed=True if study is studies[0] else ["a"])
            study.amend(2, {"a": 0.5} if study is studies[0] else 0.5, reason="typo")
            study.ask(3)
        assert all_bits(studies[0]) == all_bits(studies[1])


class TestConstraints:
    @pytest.mark.parametrize("space", ALL)
    def test_the_model_of_the_objective_knows_nothing_of_them(self, space):
        """Same trials told to a study without constraints: the same fit of the objective, bit for bit."""
        study = run(space, 12, **BOUND)
        plain = Study(SPACES[space](), seed=3, objective="yield")
        for trial in study.trials:
            plain.add(trial.params, trial.values["yield"])
        params = [trial.params for trial in study.trials]
        far = Study(SPACES[space](), seed=3, objective="yield", constraints={"impurity": ("<=", 1e9)})
        for trial in study.trials:
            far.add(trial.params, dict(trial.values))
        for mine, theirs in zip(plain.predict(params), far.predict(params), strict=True):
            assert mine.tolist() == theirs.tolist()

    def test_a_bound_far_away_never_binds(self):
        """Then the set is everything, and the score is the upper confidence bound of the objective."""
        far = run("table", 8, objective="yield", constraints={"impurity": ("<=", 1e9)})
        task, history = far._task, far._history()
        state = believed(task, history, 8, State.empty(task))
        scene = scene_of(task, history, 8, state)
        _, values, record = scene.draw(task.rule, 3, np.random.default_rng(1))
        view = scene.views[0]
        assert np.argmax(values) == np.argmax(view.mean + math.sqrt(record["zeta"]) * view.sd)

    @pytest.mark.parametrize("space", ["table", "box"])
    def test_greater_is_less_of_minus(self, space):
        """Maximise f with g <= b; minimise -f with -g >= -b: the same suggestions, bit for bit."""
        up = Study(SPACES[space](), seed=3, objective="f", constraints={"g": ("<=", 0.25)}, fallback=-3.0)
        down = Study(
            SPACES[space](), seed=3, objective="f", direction="minimize", constraints={"g": (">=", -0.25)}, fallback=3.0
        )
        for _ in range(14):
            a, b = up.ask(), down.ask()
            assert a.params == b.params
            assert a.details.get("zeta") == b.details.get("zeta")
            f, g = measured(up, a.params).values()
            up.tell(a, {"f": f, "g": g})
            down.tell(b, {"f": -f, "g": -g})
        mine, theirs = up.recommend(), down.recommend()
        assert (mine.params, mine.mean, mine.sd) == (theirs.params, -theirs.mean, theirs.sd)
        assert mine.prob_feasible == theirs.prob_feasible
        left, other = up.certificate(), down.certificate()
        assert (left.bound, left.gain, left.fallback) == (other.bound, other.gain, -other.fallback)

    @pytest.mark.parametrize("space", ["table", "box"])
    def test_objectives_upside_down(self, space):
        up = Study(SPACES[space](), seed=3, objectives={"a": "maximize", "b": "maximize"})
        down = Study(SPACES[space](), seed=3, objectives={"a": "minimize", "b": "maximize"})
        for _ in range(14):
            a, b = up.ask(), down.ask()
            assert a.params == b.params
            f, g = measured(up, a.params).values()
            up.tell(a, {"a": f, "b": g})
            down.tell(b, {"a": -f, "b": g})
        assert up.hypervolume == down.hypervolume
        assert up.certificate().hypervolume_left == down.certificate().hypervolume_left

    def test_the_risk_is_respected(self):
        """The larger the risk, the more candidates qualify, and none below the level is recommended."""
        found = {risk: run("table", 12, **BOUND, risk=risk).recommend() for risk in (0.01, 0.1, 0.3, 0.49)}
        assert all(at.prob_feasible >= 1.0 - risk for risk, at in found.items() if at.qualified)
        means = [at.mean for at in found.values() if at.qualified]
        assert means == sorted(means)
        assert len(means) > 1


class TestUnits:
    """Objectives that are compared with a reference point are not compressed; constraints are, around their bound."""

    def knees(self, study):
        state = study._carried.believe(study._history())
        return [state.believed(k).fit.hyperparameters.units.knee for k in range(len(study.outcomes))]

    @pytest.mark.parametrize("space", ["table", "box"])
    def test_a_single_objective_at_its_median_a_constraint_at_its_bound(self, space):
        plain = self.knees(run(space, 12, objective="yield"))
        assert plain[0] is not None
        knees = self.knees(run(space, 12, **BOUND))
        assert knees[0] not in (None, 0.5)
        assert knees[1] == 0.5

    @pytest.mark.parametrize("space", ["table", "box"])
    def test_of_several_objectives_none_is(self, space):
        assert self.knees(run(space, 12, **BOTH)) == [None, None, 1.0]  # inside, -impurity <= 1


class TestWhatIsMissing:
    @pytest.fixture
    def study(self):
        return run("table", 9, **BOUND)

    def beliefs(self, study):
        task, history = study._task, study._history()
        state = believed(task, history, len(study), State.empty(task))
        return history, state

    def test_failed_points_are_poor_for_the_objective_and_at_their_mean_for_a_constraint(self, study):
        untried = sorted(set(range(40)) - {trial.row for trial in study.trials})
        domain = study._task.domain
        mean, _ = study.predict([domain.params_of(domain.at_index(i)) for i in untried])
        study.add(row=untried[int(np.argmax(mean))], failed=True)
        history, state = self.beliefs(study)
        x = history.points.X[-1:]
        for k in range(2):
            series, fitted = history.series(k), state.believed(k)
            before = fitted.belief.posterior.mean(x)[0]
            after = imagine(series, fitted, objective=k == 0).posterior.mean(x)[0]
            quartile = np.quantile(fitted.fit.hyperparameters.units.standardised(series.y), 0.25)
            if k == 0:
                assert before > quartile + 0.2
                assert after - quartile < 0.5 * (before - quartile)
            else:
                assert after == pytest.approx(before, abs=1e-9)
        scene = scene_of(study._task, history, len(study), state)
        assert scene.views[0].posterior.mean(x)[0] < state.believed(0).belief.posterior.mean(x)[0]
        assert scene.views[1].posterior.mean(x)[0] == pytest.approx(state.believed(1).belief.posterior.mean(x)[0])

    def test_a_pending_part_is_pending_for_that_outcome_only(self, study):
        trial = study.ask()
        study.tell(trial, {"yield": measured(study, trial.params)["yield"]})
        history, state = self.beliefs(study)
        assert [len(state.believed(k).used) for k in range(2)] == [10, 9]
        views = scene_of(study._task, history, len(study), state).views
        assert [len(view.posterior) for view in views] == [10, 10]  # told, and imagined
        x = history.points.X[-1:]
        assert views[1].posterior.mean(x)[0] == pytest.approx(state.believed(1).belief.posterior.mean(x)[0])
        assert views[1].posterior.mean_sd(x)[1][0] < 0.2 * state.believed(1).belief.posterior.mean_sd(x)[1][0] + 0.05
        assert study.ask().row != trial.row  # it is not asked for again before the rest is there

    def test_a_failed_part_is_no_failed_trial(self, study):
        trial = study.ask()
        study.tell(trial, {"impurity": 0.1}, failed="yield")
        history = study._history()
        assert (len(history.told), len(history.failed)) == (10, 0)
        assert len(history.series(0).failed) == 1
        assert len(history.series(1).y) == 10

    def test_no_value_of_an_outcome_at_all(self):
        """The rule goes on by what there is; of the other outcome it has the prior."""
        for more in (BOUND, TWO, BOTH):
            study = Study(LINE, **more, seed=1)
            for _ in range(7):
                trial = study.ask()
                assert trial.fallback is None
                study.tell(trial, {"yield": float(trial.params["t"])}, failed=[o.name for o in study.outcomes[1:]])
            assert [trial.source for trial in study.trials].count("rule") > 0


class TestRepeats:
    def test_the_noisiest_outcome_decides_whether_a_row_is_worth_repeating(self, monkeypatch):
        module, seen = sys.modules["regretless.optimizer.suggestion"], []
        original = module.worth_trying
        monkeypatch.setattr(module, "worth_trying", lambda *given: seen.append(given[3]) or original(*given))
        study = run("table", 6, **BOUND)
        for trial in study.trials:
            study.add(row=trial.row, value={**trial.values, "impurity": trial.values["impurity"] + 1.0})
        study.ask()
        fits = study._ledger.fits
        shares = [fit.hyperparameters.noise_var / fit.hyperparameters.signal_var for fit in fits]
        assert seen[-1] == max(shares)
        assert shares[1] > 10.0 * shares[0]


class TestFits:
    def test_each_outcome_has_its_own_on_record(self):
        study = run("table", 12, **BOTH)
        asked = [event for event in study.events() if event.kind == "asked" and event.data["source"] == "rule"]
        assert all(set(event.data["fits"]) == {"cost", "impurity"} for event in asked)
        assert set(study.trials[-1].hyperparameters) == {"yield", "cost", "impurity"}
        assert [fit is not None for fit in study._ledger.fits] == [True] * 3

    def test_a_correction_undoes_the_fit_of_its_outcome_alone(self):
        study = run("table", 12, **BOTH)
        fits = study._ledger.fits
        number = fits[0].trials[0]
        study.amend(number, {"cost": 9.0}, reason="typo")
        assert study._ledger.fits == (fits[0], None, fits[2])
        study.exclude(number, reason="why")
        assert study._ledger.fits == (None, None, None)

    def test_a_trial_that_a_fit_did_not_see_undoes_nothing(self):
        study = run("table", 12, **BOTH)
        fits = study._ledger.fits
        study.amend(11, {"cost": 9.0}, reason="typo")
        assert study._ledger.fits == tuple(None if 11 in fit.trials else fit for fit in fits)

    def test_parts_are_fitted_by_their_own_number(self):
        """Fits of an outcome that is told seldom are made seldom, and each knows the trials it saw."""
        study = Study(SPACES["table"](), **BOUND, seed=3)
        for i in range(14):
            trial = study.ask()
            values = measured(study, trial.params)
            study.tell(trial, {"yield": values["yield"]} if i % 2 else values, failed="impurity" if i % 2 else False)
        study.ask()
        yields, impurity = study._ledger.fits
        assert set(impurity.trials) <= set(range(0, 14, 2))
        assert len(yields.trials) > len(impurity.trials)


@pytest.mark.parametrize("space", ALL)
def test_what_is_carried_along_changes_nothing(space):
    """With a state, without one, and after a restart: the same bits."""
    study, twin = (Study(SPACES[space](), **BOTH, seed=4) for _ in range(2))
    for i in range(14):
        twin._carried.forget()
        a, b = study.ask(), twin.ask()
        assert bits(a) == bits(b)
        for each, trial in ((study, a), (twin, b)):
            values = measured(each, trial.params)
            if i == 7:
                each.tell(trial, {"yield": values.pop("yield")}, failed="cost")
            elif i == 9:
                each.tell(trial, failed=True)
            else:
                each.tell(trial, values)
        if i > 8:
            study.certificate()  # looking in between changes nothing either
            _ = study.front


def test_the_task_of_one_outcome():
    task = Study(LINE, **BOUND, seed=1)._task
    assert task.of(0).surrogate == task.surrogate
    assert task.of(1).surrogate == replace(task.surrogate, compress=False)
    assert [outcome.name for outcome in task.of(1).outcomes] == ["impurity"]
    plain = Study(LINE, seed=1)._task
    assert plain.of(0) is plain
    assert Outcome("g", "constraint", sense=">=", bound=0.5).holds(0.5)
    assert not Outcome("g", "constraint", sense="<=", bound=0.5).holds(0.6)


def test_a_rule_of_the_study_is_the_joint_one():
    assert isinstance(Study(LINE, **BOUND, seed=1).rule, Optimistic)
    assert Study(LINE, **TWO, seed=1).rule.name == "chebyshev"
    assert Study(LINE, **BOUND, rule="ei", seed=1).rule.name == "constrained-ei"


def test_a_known_model_is_known_for_every_outcome():
    study = run("table", 8, **BOUND, surrogate=Surrogate.known("rbf", 0.3, signal_var=2.0, noise_var=0.01))
    assert {fit.hyperparameters.lengthscale for fit in study._ledger.fits} == {(0.3, 0.3)}
    step(study)
    suggestion, _ = suggest(study._task, study._history(), 9, None)
    assert bits(study.ask())[1] == tuple(
        (name, repr(v)) for name, v in study._task.domain.params_of(suggestion.point).items()
    )
