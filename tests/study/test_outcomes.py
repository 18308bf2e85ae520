"""Several outcomes of a trial: how they are named, told in parts, corrected, recommended, certified."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm
from tests.study.helpers import all_bits, snapshot
from tests.study.outcomes import BOTH, BOUND, KINDS, LINE, TWO, measured, run, step

from regretless import (
    Certificate,
    FeasibleRegret,
    FrontRegret,
    HypervolumeLeft,
    InvalidInput,
    Regret,
    Study,
    Surrogate,
    TrialConflict,
    maximize,
    minimize,
    replay,
)
from regretless.errors import NumericalError
from regretless.optimizer import FAILED, PENDING, TOLD
from regretless.pareto import front_rows
from regretless.study.journal import MemoryStore

BOX = {"x": (0.0, 1.0)}


class TestNaming:
    def test_objectives_come_first_then_constraints(self):
        study = Study(BOX, **BOTH)
        assert [outcome.wanted for outcome in study.outcomes] == [
            "yield, to be maximised",
            "cost, to be minimised",
            "impurity >= -1",
        ]
        assert (study.objective, study.direction, study.limits) == ("yield", "maximize", None)

    def test_limits_by_name(self):
        study = Study(BOX, **TWO, limits={"cost": (0, None)})
        assert [outcome.limits.given for outcome in study.outcomes] == [None, (0.0, None)]
        assert Study(BOX, **BOUND, limits=(0, 100)).limits == (0.0, 100.0)

    def test_one_of_several_is_the_plain_study(self):
        study = Study(BOX, objectives={"loss": "minimize"})
        assert (study.objective, study.direction, len(study.outcomes)) == ("loss", "minimize", 1)
        assert study.tell(study.ask(), 1.0).value == 1.0

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"objective": ""}, "objective must be the name of what is measured, got ''"),
            ({"objective": 3}, "objective must be the name of what is measured, got 3"),
            ({"direction": "up"}, "direction must be 'maximize' or 'minimize', got 'up'"),
            ({"objectives": {"a": "up"}}, "direction must be 'maximize' or 'minimize', got 'up'"),
            ({"objectives": {}}, "objectives must map names to 'maximize' or 'minimize'"),
            ({"objectives": ["a", "b"]}, "objectives must map names to 'maximize' or 'minimize'"),
            ({**TWO, "objective": "a"}, r"give either objective \(and direction\) or objectives"),
            ({**TWO, "direction": "minimize"}, r"give either objective \(and direction\) or objectives"),
            ({**TWO, "limits": (0, 1)}, r"limits must map names of objectives to pairs such as \(0, 100\)"),
            ({**TWO, "limits": {"other": (0, 1)}}, "limits must map names of objectives to pairs"),
            ({"constraints": [("a", "<=", 1)]}, "a constraint is a text such as 'x \\+ y <= 1' or a function"),
            ({"constraints": {"": ("<=", 1)}}, "a constraint needs the name of what is measured, got ''"),
            ({"constraints": {"a": ("<", 1)}}, r"the constraint on 'a' must be a pair such as \('<=', 0.5\)"),
            ({"constraints": {"a": 0.5}}, r"the constraint on 'a' must be a pair such as \('<=', 0.5\)"),
            ({"constraints": {"a": ("<=", math.inf)}}, "the bound of 'a' must be .*finite"),
            ({"objective": "a", "constraints": {"a": ("<=", 1)}}, "'a' is named twice"),
            ({**BOUND, "reference": {"yield": 0}}, "reference is for several objectives; this study has one"),
            ({**TWO, "reference": {"yield": 0}}, "reference must name a value for each of yield, cost"),
            ({**TWO, "reference": [0, 0]}, "reference must name a value for each of yield, cost"),
            ({**TWO, "reference": {"yield": 0, "cost": "a"}}, "the reference of cost must be"),
            ({"fallback": 1.0}, "fallback is for one objective with constraints"),
            ({**TWO, "fallback": 1.0}, "fallback is for one objective with constraints"),
            ({**BOUND, "fallback": math.nan}, "fallback must be .*finite"),
            ({**BOUND, "risk": 0.0}, "risk must be a probability between 0 and 1"),
            ({**BOUND, "risk": 1.0}, "risk must be a probability between 0 and 1"),
            ({**TWO, "rule": "magic"}, "rule must be a JointRule or one of optimistic"),
            ({"rule": "chebyshev"}, "is a rule for several outcomes; this study has one"),
            ({**TWO, "rule": "ei"}, "ei is a rule for one outcome; this study has 2"),
        ],
    )
    def test_what_is_wrong_is_said(self, more, message):
        with pytest.raises(InvalidInput, match=message):
            Study(BOX, **more)


class TestWrongValues:
    @pytest.mark.parametrize(
        ("value", "more", "message"),
        [
            (
                1.0,
                {},
                r"trial 0 has 2 outcomes: tell them by name, such as \{'yield': 81.2, 'impurity': 0.3\}",
            ),
            ({"yeild": 1.0}, {}, "trial 0: no outcome 'yeild'; there are yield, impurity. Did you mean 'yield'?"),
            ({}, {}, "trial 0 needs a value of one of yield, impurity, got none"),
            (None, {"failed": []}, "trial 0 needs a value, or failed=True"),
            (None, {}, "needs a value, or failed=True"),
            (None, {"failed": 3}, "failed must be True, False, or names of outcomes that failed, got 3"),
            (None, {"failed": "purity"}, "trial 0: no outcome 'purity'"),
            ({"yield": 1.0}, {"failed": True}, "trial 0 cannot both fail and have the value"),
            ({"yield": 1.0}, {"failed": "yield"}, "trial 0: yield cannot both fail and have the value 1.0"),
            ({"yield": math.nan}, {}, "yield of trial 0 must be .*A trial without a result is told as failed=True"),
            ({"yield": []}, {}, "yield of trial 0 must be a number or some replicates, got none"),
            ({"yield": [1.0, "2"]}, {}, "yield of trial 0 must be"),
            ({"yield": 1.0, "impurity": 0.1}, {"sd": 0.1}, "sd of several outcomes must name them"),
            ({"yield": 1.0}, {"sd": {"impurity": 0.1}}, "sd of trial 0: no outcome 'impurity'; there are yield"),
            ({"yield": 1.0}, {"sd": 0.0}, "sd of trial 0 must be"),
            ({"yield": 1.0}, {"sd": -1.0}, "sd of trial 0 must be"),
        ],
    )
    def test_they_are_refused_and_nothing_changes(self, value, more, message):
        study = Study(BOX, **BOUND, seed=1)
        study.ask()
        before = snapshot(study)
        with pytest.raises(InvalidInput, match=message):
            study.tell(0, value, **more)
        assert snapshot(study) == before

    def test_nothing_is_added_without_a_result(self):
        study = Study(BOX, **BOUND, seed=1)
        with pytest.raises(InvalidInput, match="this result needs a value, or failed=True"):
            study.add({"x": 0.5}, failed=[])
        assert len(study) == 0

    def test_a_function_must_return_each_outcome(self):
        with pytest.raises(InvalidInput, match=r"has no 'impurity'. Return a value for each outcome"):
            maximize(lambda p: {"yield": p["x"]}, BOX, 2, **BOUND, progress=False)


class TestParts:
    def test_in_any_order(self):
        """Whatever the order, the same trial, the same arrays, the same next suggestion."""
        seen = []
        parts = {"yield": 1.5, "cost": 2.5, "impurity": 0.25}
        for order in itertools.permutations(parts):
            study = run("table", 6, **BOTH)
            study.ask()
            for i, name in enumerate(order):
                trial = study.tell(6, {name: parts[name]})
                assert trial.status == ("told" if i == 2 else "pending")
                assert trial.value == trial.values.get("yield")
            seen.append((list(trial.values.items()), all_bits(study)[:6], study.ask().params))
            assert all(entry.matches for entry in replay(study))
        assert all(each == seen[0] for each in seen)
        assert list(trial.values) == ["yield", "cost", "impurity"]

    def test_the_arrays_of_a_part(self):
        study = run("table", 5, **BOTH)
        study.ask()
        study.tell(5, {"cost": 2.5}, failed="impurity")
        history = study._history()
        assert history.status[5].tolist() == [PENDING, TOLD, FAILED]
        assert np.isnan(history.Y[5, [0, 2]]).all()
        assert history.Y[5, 1] == -2.5
        assert (len(history.told), len(history.pending), len(history.failed)) == (5, 1, 0)
        assert [len(history.series(k).y) for k in range(3)] == [5, 6, 5]
        assert [len(history.series(k).pending) for k in range(3)] == [1, 0, 0]

    def test_the_same_again_changes_nothing(self):
        study = Study(BOX, **BOUND, seed=1)
        study.ask()
        study.tell(0, {"yield": 1.0})
        events = study.events()
        study.tell(0, {"yield": 1.0})
        assert study.events() == events
        assert study.tell(0, {"yield": 1.0, "impurity": 0.3}).status == "told"
        assert study.events()[-1].data["values"] == {"impurity": 0.3}  # what is new, and no more
        study.tell(0, {"impurity": 0.3})
        study.tell(0, {"yield": 1.0, "impurity": 0.3})
        assert len(study.events()) == len(events) + 1

    def test_something_else_is_a_conflict(self):
        study = Study(BOX, **BOUND, seed=1)
        study.ask()
        study.tell(0, {"yield": 1.0})
        before = snapshot(study)
        message = "trial 0 was already told yield 1.0; telling yield 2.0 now would change the past. Use amend"
        with pytest.raises(TrialConflict, match=message):
            study.tell(0, {"yield": 2.0, "impurity": 0.3})  # not even the part that is new is stored
        with pytest.raises(TrialConflict, match=r"was already told yield 1.0; failing it now would"):
            study.tell(0, failed="yield")
        assert snapshot(study) == before
        study.tell(0, failed="impurity")
        with pytest.raises(TrialConflict, match=r"already told impurity failed; telling impurity 0.3 now"):
            study.tell(0, {"impurity": 0.3})

    def test_what_failed(self):
        study = Study(BOX, **BOUND, seed=1)
        study.ask(4)
        assert study.tell(0, failed=True).status == "failed"
        assert study.tell(1, failed=["yield", "impurity"]).values == {"yield": None, "impurity": None}
        assert study.tell(2, failed="yield").status == "pending"
        assert study.tell(2, {"impurity": 0.1}).status == "told"
        study.tell(3, {"yield": 1.0})
        assert study.tell(3, failed=True).values == {"yield": 1.0, "impurity": None}  # the rest of it
        assert [trial.status for trial in study.trials] == ["failed", "failed", "told", "told"]
        assert [event.kind for event in study.events()[-6:]] == ["failed", "failed", "failed", "told", "told", "failed"]
        assert study.best is None  # one without a value, one whose constraint was not measured

    def test_a_partly_told_trial_is_not_released(self):
        study = Study(BOX, **BOUND, seed=1)
        study.ask(2)
        study.tell(0, {"yield": 1.0})
        with pytest.raises(TrialConflict, match=r"a result of yield already. Tell impurity, or that it failed: tell"):
            study.release(0)
        assert study.release(1).status == "released"
        assert study.tell(1, {"impurity": 0.2}).status == "pending"  # a released trial may still be told
        for wrong in (study.exclude, study.include):
            with pytest.raises(TrialConflict, match="trial 0 has no result: it is pending"):
                wrong(0, reason="why")

    def test_a_part_keeps_the_trial(self):
        """Whoever tells a part is at work: no other worker is offered the trial when the lease would have ended."""
        store, now = MemoryStore(), [1000.0]
        study = Study.open(store, "s", space=BOX, seed=1, lease=10.0, **BOUND)
        study._recorder.journal.now = lambda: now[0]
        study.ask(2)
        study.tell(0, {"yield": 1.0})
        assert set(study._ledger.leases) == {1}

    def test_an_added_result_in_parts_and_outside(self):
        study = Study(LINE, **BOUND, seed=1)
        inside = study.add(LINE[3], {"yield": 1.0, "impurity": 0.2})
        assert (inside.status, inside.row, inside.value) == ("told", 3, 1.0)
        outside = study.add({"t": 12}, {"yield": 2.0})
        assert (outside.status, outside.row, outside.source) == ("pending", None, "added")
        assert outside.note is not None
        assert study.tell(outside, {"impurity": 0.4}).status == "told"
        assert study.add(row=5, failed=True).status == "failed"
        assert study.add(row=6, value={"yield": 1.5}, failed="impurity").values == {"yield": 1.5, "impurity": None}
        assert study.add({"t": 4}, {"yield": 0.5, "impurity": 0.1}, key="k").number == 4
        assert study.add({"t": 4}, {"yield": 0.5, "impurity": 0.1}, key="k").number == 4
        assert len(study) == 5
        assert study.best.number == outside.number


class TestLateParts:
    """A trial whose lease ended was offered to a second worker; both may tell, one outcome after the other."""

    @pytest.fixture
    def study(self):
        store, now = MemoryStore(), [1000.0]
        study = Study.open(store, "s", space=BOX, seed=1, lease=10.0, **BOUND)
        study._recorder.journal.now = lambda: now[0]
        study._ledger.passed_on.add(study.ask().number)
        return study

    def test_the_first_result_of_each_outcome_counts(self, study):
        study.tell(0, {"yield": 1.0})
        trial = study.tell(0, {"yield": 1.1, "impurity": 0.3})
        assert (dict(trial.values), trial.status) == ({"yield": 1.0, "impurity": 0.3}, "told")
        late, told = study.events()[-2:]
        assert (late.kind, late.data["values"]) == ("late", {"yield": 1.1})
        assert (told.kind, told.data["values"]) == ("told", {"impurity": 0.3})

    def test_what_is_late_and_what_is_new_are_stored_together(self, study, monkeypatch):
        """One transaction: a crash in between cannot lose the half that counts."""
        study.tell(0, {"yield": 1.0})
        written, write = [], study._recorder.journal.write

        def counted(after, decide):
            written.append(list(write(after, decide)))
            return written[-1]

        monkeypatch.setattr(study._recorder.journal, "write", counted)
        study.tell(0, {"yield": 1.1, "impurity": 0.3})
        assert [[event.kind for event in events] for events in written] == [["late", "told"]]
        assert [event.seq for event in study.events()] == list(range(1, len(study.events()) + 1))

    def test_again_it_is_nothing_new(self, study):
        study.tell(0, {"yield": 1.0})
        study.tell(0, {"yield": 1.1, "impurity": 0.3})
        events = study.events()
        study.tell(0, {"yield": 1.1, "impurity": 0.3})
        study.tell(0, {"yield": 1.1})
        assert study.events() == events
        study.tell(0, {"impurity": 0.9})
        assert study.events()[-1].kind == "late"
        assert study.trials[0].values["impurity"] == 0.3

    def test_the_end_of_the_last_lease_leaves_what_was_told(self):
        store = MemoryStore()
        study = Study.open(store, "s", space=BOX, seed=1, lease=1e-6, retries=0, **BOUND)
        study.ask()
        study.tell(0, {"yield": 1.0})
        study.renew(0)
        study.ask()
        assert dict(study.trials[0].values) == {"yield": 1.0, "impurity": None}
        assert study.trials[0].status == "told"


class TestCorrections:
    def test_of_a_part(self):
        study = run("table", 8, **BOUND)
        before = dict(study.trials[2].values)
        trial = study.amend(2, {"impurity": 0.9}, reason="typo")
        assert dict(trial.values) == {**before, "impurity": 0.9}
        assert study.events()[-1].data["values"] == {"impurity": 0.9}
        events = study.events()
        study.amend(2, {"impurity": 0.9}, reason="again")
        assert study.events() == events

    def test_of_both_stores_what_changed(self):
        study = run("table", 8, **BOUND)
        had = study.trials[2].values["yield"]
        study.amend(2, {"yield": had, "impurity": 0.9}, reason="typo")
        assert study.events()[-1].data["values"] == {"impurity": 0.9}

    def test_of_what_is_not_there(self):
        study = Study(BOX, **BOUND, seed=1)
        study.ask()
        with pytest.raises(TrialConflict, match=r"trial 0 has no result to amend: it is pending. Use tell"):
            study.amend(0, {"yield": 1.0}, reason="why")
        study.tell(0, {"yield": 1.0})
        with pytest.raises(TrialConflict, match=r"trial 0 has no result of impurity to amend. Use tell"):
            study.amend(0, {"impurity": 1.0}, reason="why")
        assert study.amend(0, failed=True, reason="why").values == {"yield": None}  # what there is of it
        assert study.amend(0, {"yield": 3.0}, reason="why").values == {"yield": 3.0}

    def test_whoever_tells_what_was_amended_tells_nothing_new(self):
        study = Study(BOX, **BOUND, seed=1)
        study.ask()
        study.tell(0, {"yield": 1.0})
        study.amend(0, {"yield": 2.0}, reason="typo")
        study.tell(0, {"impurity": 0.3})
        study.amend(0, {"impurity": 0.4}, reason="typo")
        study.tell(0, {"yield": 1.0, "impurity": 0.3})  # the worker tells again what it once told
        assert dict(study.trials[0].values) == {"yield": 2.0, "impurity": 0.4}

    def test_excluded_trials_count_nowhere(self):
        study = run("table", 9, **BOTH)
        number = study.best_trials[0].number
        study.exclude(number, reason="contaminated")
        assert number not in [trial.number for trial in study.best_trials]
        assert number not in study._history().points.trials
        study.include(number)
        assert number in [trial.number for trial in study.best_trials]


class TestKnowing:
    def test_best_is_the_best_feasible_one(self):
        study = Study(LINE, **BOUND, seed=1)
        for t, (value, impurity) in enumerate([(9.0, 0.6), (5.0, 0.5), (5.0, 0.1), (4.0, 0.0)]):
            study.add(LINE[t], {"yield": value, "impurity": impurity})
        study.add(LINE[4], {"yield": 8.0}, failed="impurity")
        study.add(LINE[5], {"yield": 7.0})
        assert (study.best.number, study.best_trials) == (1, (study.trials[1],))  # of equals the first; a bound is kept

    def test_the_front_of_measurements(self):
        study = Study(LINE, **BOTH, seed=1)
        told = [(1.0, 1.0, 0.0), (2.0, 2.0, 0.0), (2.0, 3.0, 0.0), (9.0, 0.0, -1.5), (2.0, 2.0, 0.0)]
        for t, (value, cost, impurity) in enumerate(told):
            study.add(LINE[t], {"yield": value, "cost": cost, "impurity": impurity})
        study.add(LINE[5], {"yield": 99.0, "impurity": 0.0})
        assert [trial.number for trial in study.best_trials] == [0, 1, 4]
        assert study.best is None
        with pytest.raises(InvalidInput, match="several objectives have no single best point"):
            study.recommend()

    def test_with_one_objective_there_is_no_front(self):
        study = run("table", 4, **BOUND)
        for wrong in ("front", "hypervolume"):
            with pytest.raises(InvalidInput, match="takes several objectives; this study has one"):
                getattr(study, wrong)
        assert study.reference is None

    @pytest.mark.parametrize("K", [2, 3])
    def test_hypervolume_by_inclusion_and_exclusion(self, K):
        names = ["a", "b", "c"][:K]
        directions = dict(zip(names, ["maximize", "minimize", "maximize"], strict=False))
        reference = dict(zip(names, [-1.0, 1.5, -0.5], strict=False))
        study = Study(LINE, objectives=directions, reference=reference, seed=1)
        assert study.hypervolume == 0.0
        rng = np.random.default_rng(4)
        signs = np.array([1.0, -1.0, 1.0])[:K]
        Y = rng.normal(size=(7, K))
        for t, y in enumerate(Y):
            study.add(LINE[t], dict(zip(names, (y * signs).tolist(), strict=True)))
        sides = np.maximum(Y - np.array(list(reference.values())) * signs, 0.0)
        total = 0.0
        for r in range(1, 8):
            for some in itertools.combinations(range(7), r):
                total -= (-1) ** r * float(np.prod(sides[list(some)].min(axis=0)))
        assert study.hypervolume == pytest.approx(total, rel=1e-9)
        assert total > 0.1

    def test_the_reference_point_is_inferred_once_and_stays(self):
        study = Study([{"t": t / 19.0} for t in range(20)], **TWO, n_initial=8, seed=2)
        assert study.reference is None
        while not study._ledger.reference:
            step(study)
        fixed = study.reference
        whole = np.array([[t.values["yield"], -t.values["cost"]] for t in study.trials[:-1]])
        front = np.array([y for y in whole if not ((whole >= y).all(1) & (whole > y).any(1)).any()])
        wanted = front.min(axis=0) - 0.1 * np.ptp(front, axis=0)
        assert len(front) > 1
        assert fixed == pytest.approx({"yield": wanted[0], "cost": -wanted[1]})
        study.add({"t": 0.51}, {"yield": -50.0, "cost": -50.0})
        study.add({"t": 0.61}, {"yield": 50.0, "cost": 50.0})
        study.ask()
        assert study.reference == fixed

    def test_a_large_first_batch_does_not_settle_it(self):
        """Nothing was measured when the rule first spoke: the reference point waits for results."""
        study = Study(LINE, **TWO, seed=2)
        batch = study.ask(7)
        assert [trial.source for trial in batch].count("rule") > 0
        assert study.reference is None
        study.tell(0, {"yield": 80.0})
        assert study.reference is None  # nothing whole yet
        for trial in batch:
            study.tell(trial, {"yield": 80.0 + trial.number, "cost": 300.0 - trial.number**2})
        study.ask()
        assert study.reference["yield"] > 70.0
        assert study.reference["cost"] > 200.0

    def test_a_given_reference_is_kept(self):
        study = run("table", 8, **TWO, reference={"cost": 4, "yield": -3})
        assert study.reference == {"yield": -3.0, "cost": 4.0}

    @pytest.mark.parametrize("space", ["box", "table", "mixed", "listed"])
    def test_predictions_of_each_outcome(self, space):
        study = run(space, 12, **BOTH)
        params = [trial.params for trial in study.trials]
        for outcome in study.outcomes:
            mean, sd = study.predict(params, outcome=outcome.name)
            told = [trial.values[outcome.name] for trial in study.trials]
            assert np.abs(mean - told).max() <= 0.05 + 4.0 * sd.max()
            median, low, high = study.predict_measurement(params, outcome=outcome.name)
            assert (low <= median).all()
            assert (median <= high).all()
        assert study.predict(params)[0].tolist() == study.predict(params, outcome="yield")[0].tolist()
        with pytest.raises(InvalidInput, match="outcome must be one of yield, cost, impurity, got 'purity'"):
            study.predict(params, outcome="purity")

    def test_every_outcome_needs_a_value_first(self):
        study = Study(LINE, **BOUND, seed=1)
        study.add(LINE[0], {"yield": 1.0})
        for look in (study.recommend, study.certificate, lambda: study.predict(LINE)):
            with pytest.raises(InvalidInput, match="needs at least one told value of impurity; tell or add one first"):
                look()

    @pytest.mark.parametrize("space", ["box", "table", "mixed", "listed"])
    def test_the_recommendation_is_feasible_or_says_so(self, space):
        study = run(space, 14, **BOUND)
        found = study.recommend()
        assert found.qualified == (found.prob_feasible >= 0.9)
        assert found.expected["yield"] == (found.mean, found.sd)
        hopeless = run(space, 14, objective="yield", constraints={"impurity": ("<=", -1e6)}).recommend()
        assert not hopeless.qualified
        assert hopeless.prob_feasible < 0.9

    def test_a_recommendation_on_a_table_by_hand(self):
        """The largest mean among rows with P(feasible) >= 1 - risk, from the predictions of each outcome."""
        for risk in (0.05, 0.4):
            study = run("table", 12, **BOUND, risk=risk)
            params = [study._task.domain.params_of(study._task.domain.at_index(i)) for i in range(40)]
            (mean, _), (g, s) = study.predict(params), study.predict(params, outcome="impurity")
            good = norm.cdf((0.5 - g) / s) >= 1.0 - risk
            assert good.any()
            assert study.recommend().row == int(np.argmax(np.where(good, mean, -np.inf)))

    def test_limits_hold_in_all_of_a_recommendation(self):
        model = Surrogate.known("rbf", 0.6, signal_var=9.0, noise_var=1e-4)
        study = Study(LINE, **BOUND, surrogate=model, limits=(None, 2.0), seed=1)
        for t, value in enumerate([0.0, 0.4, 0.8, 1.2, 1.6, 2.0]):
            study.add(LINE[t], {"yield": value, "impurity": -9.0})
        found = study.recommend()
        assert found.row > 5
        assert found.mean == 2.0  # the model expects more of a row that was not tried
        assert found.expected["yield"] == (found.mean, found.sd)

    @pytest.mark.parametrize("space", ["box", "table", "mixed", "listed"])
    def test_the_front_is_not_dominated_by_itself(self, space):
        study = run(space, 12, **BOTH)
        front = study.front
        Y = np.array([[p.expected["yield"][0], -p.expected["cost"][0]] for p in front])
        assert np.array_equal(front_rows(Y), np.arange(len(Y)))
        assert all(point.qualified == (point.prob_feasible >= 0.9) for point in front)
        assert run(space, 8, **TWO).front[0].prob_feasible is None


class TestCertificates:
    @pytest.mark.parametrize("kind", sorted(KINDS))
    @pytest.mark.parametrize("space", ["box", "table", "mixed", "listed"])
    def test_of_each_kind(self, space, kind):
        study = run(space, 12, **KINDS[kind])
        left = study.certificate(record=True)
        assert isinstance(left, FeasibleRegret if kind == "constraint" else FrontRegret)
        assert left == study.certificate()
        assert left.bound >= 0.0
        assert left.exact == (space in ("table", "listed"))
        assert ("estimate" in left.sentence) != (left.exact or "no candidate is feasible" in left.sentence)
        assert left.trust.message.startswith(tuple(f"{outcome.name}: " for outcome in study.outcomes))
        event = study.events()[-1]
        assert (event.kind, event.data["sentence"]) == ("certified", left.sentence)
        if kind == "constraint":
            at = study.recommend()
            assert (left.params, left.row) == (at.params, at.row)
        else:
            assert left.params == tuple(point.params for point in study.front)
        with pytest.raises(InvalidInput, match="eps and draws are for one objective that is optimised"):
            study.certificate(0.1)
        with pytest.raises(InvalidInput, match="eps and draws are for one objective that is optimised"):
            study.certificate(draws=10)

    def test_the_sentences(self):
        study = run("table", 14, **BOUND)
        left = study.certificate()
        assert f"row {left.row} is feasible with probability" in left.sentence
        assert "(impurity <= 0.5), and recommending it costs at most" in left.sentence
        assert left.cost.endswith(" yield")
        none = run("table", 14, objective="yield", constraints={"impurity": ("<=", -1e3)}, fallback=-7.0).certificate()
        assert "no candidate is feasible with probability 0.9 yet" in none.sentence
        assert "over the fallback, -7." in none.sentence
        assert (none.qualified, none.fallback, none.fallback_given) == (False, -7.0, True)
        front = run("table", 14, **TWO).certificate()
        n = len(front.rows)
        assert f"the {n} recommended rows miss at most" in front.sentence
        assert "of hypervolume" in front.sentence
        assert "of the front's width of one of them, in all objectives at once" in front.sentence

    def test_the_fallback_is_the_worst_result_so_far(self):
        study = run("table", 10, **BOUND)
        left = study.certificate()
        assert left.fallback == min(trial.value for trial in study.trials)
        assert not left.fallback_given
        down = run("table", 10, **BOUND, direction="minimize")
        assert down.certificate().fallback == max(trial.value for trial in down.trials)

    @pytest.mark.parametrize("kind", sorted(KINDS))
    def test_in_other_units(self, kind):
        """Every value a thousand times as large: so is the regret left, and hypervolumes a million times."""
        told, size = run("table", 12, **KINDS[kind]), 1000.0
        sense = "<=" if kind == "constraint" else ">="

        def scaled(by: float) -> Study:
            bound = {} if kind == "objectives" else {"constraints": {"impurity": (sense, 0.2 * by)}}
            study = Study(told.space, seed=3, **{**KINDS[kind], **bound})
            for trial in told.trials:
                study.add(trial.params, {name: by * value for name, value in trial.values.items()})
            return study

        left, right = scaled(1.0).certificate(), scaled(size).certificate()
        if kind == "constraint":
            assert right.row == left.row
            assert right.bound == pytest.approx(size * left.bound, rel=1e-5)
            assert right.gain == pytest.approx(size * left.gain, rel=1e-5)
            assert right.prob_feasible == pytest.approx(left.prob_feasible, rel=1e-5)
        else:
            assert right.rows == left.rows
            assert right.epsilon == pytest.approx(left.epsilon, rel=1e-5)
            assert right.hypervolume_left == pytest.approx(size**2 * left.hypervolume_left, rel=1e-5)

    @pytest.mark.parametrize("size", [1e160, 1e300])
    @pytest.mark.parametrize("kind", sorted(KINDS))
    def test_finite_or_refused(self, kind, size):
        study = Study(LINE, **KINDS[kind], seed=1)
        for _ in range(7):
            trial = study.ask()
            study.tell(trial, {name: size * value for name, value in measured(study, trial.params).items()})
        with pytest.raises(NumericalError, match="there is no certificate: the values told are so large"):
            study.certificate()
        assert study.should_stop(Regret(relative=0.5)) is None
        if kind == "constraint":
            assert math.isfinite(study.recommend().mean)
        else:
            assert len(study.front) > 0
            assert study.hypervolume > 0.0


class TestStopping:
    def test_by_regret_under_a_constraint(self):
        study = run("table", 14, **BOUND)
        left = study.should_stop(Regret(1e3))
        assert left == study.certificate()
        assert study.should_stop(Regret(1e-9)) is None
        with pytest.raises(InvalidInput, match="HypervolumeLeft is for several objectives; with one, stop by Regret"):
            study.should_stop(HypervolumeLeft(0.1))

    def test_by_hypervolume_or_by_widths_of_the_front(self):
        study = run("table", 14, **TWO)
        assert study.should_stop(HypervolumeLeft(1e3)) == study.certificate()
        assert study.should_stop(HypervolumeLeft(1e-12)) is None
        assert study.should_stop(Regret(relative=1e3)) is not None
        assert study.should_stop(HypervolumeLeft(relative=1e3)) is not None
        with pytest.raises(InvalidInput, match="several objectives have no common unit: stop by"):
            study.should_stop(Regret(0.5))

    def test_not_while_an_outcome_was_never_measured(self):
        study = Study(LINE, **BOUND, seed=1)
        for t in range(9):
            study.add(LINE[t], {"yield": float(t)}, failed="impurity")
        assert study.should_stop(Regret(1e6)) is None
        result = study.optimize(
            lambda _: {"yield": 1.0, "impurity": math.nan}, 2, stop_when=Regret(1e6), progress=False
        )
        assert (result.nfev, result.stopped_by) == (2, None)

    def test_looks_know_of_the_noise_that_was_told(self):
        """Certificates of the past are remembered by all they depend on: an amended error is another history."""
        study = run("table", 12, surrogate=None)
        first = study._carried.look(study._history())
        for trial in study.trials:
            study.amend(trial, trial.value, sd=2.0, reason="the error became known")
        assert study._carried.look(study._history()) != first

    def test_looks_know_of_an_earlier_study(self):
        earlier, store = Study(LINE, seed=9), MemoryStore()
        study = Study.open(store, "s", space=LINE, seed=1)
        for t in range(10):
            earlier.add(LINE[t], math.sin(t / 2.0))
        for t in (0, 2, 3, 5, 6, 8, 9):
            study.add(LINE[t], math.sin(t / 2.0) + 0.05 * t)
        first = study._carried.look(study._history())
        study.add_study(earlier)
        again = Study.open(store, "s")
        assert study._carried.look(study._history()) == again._carried.look(again._history()) != first


class TestFunctions:
    def f(self, p):
        return {"yield": -((p["x"] - 0.7) ** 2), "impurity": p["x"]}

    def test_maximize_under_a_constraint(self):
        result = maximize(self.f, BOX, 20, **BOUND, seed=1, progress=False)
        assert result.best.values["impurity"] <= 0.5
        assert result.x["x"] == pytest.approx(0.5, abs=0.01)
        assert result.fun == result.best.value
        assert result.recommended.params["x"] == pytest.approx(0.5, abs=0.05)
        assert str(result).startswith("20 trials done: best ")

    def test_minimize_is_maximize_of_minus(self):
        down = minimize(lambda p: {"yield": -self.f(p)["yield"], "impurity": p["x"]}, BOX, 12, **BOUND, seed=1)
        up = maximize(self.f, BOX, 12, **BOUND, seed=1)
        assert [t.params for t in down.history] == [t.params for t in up.history]

    def test_several_objectives(self):
        def f(p):
            return {"yield": -((p["x"] - 0.7) ** 2), "cost": (p["x"] - 0.2) ** 2}

        result = maximize(f, BOX, 15, **TWO, seed=1, stop_when=HypervolumeLeft(relative=0.9), progress=False)
        assert (result.best, result.x, result.fun, result.recommended) == (None, None, None, None)
        assert all(0.1 <= point.params["x"] <= 0.8 for point in result.front)
        assert result.success
        if result.stopped_by is not None:
            assert isinstance(result.stopped_by, FrontRegret)
            assert result.message.endswith(result.stopped_by.sentence)
        assert "Pareto-optimal trials" in str(result)

    def test_outcomes_that_fail_and_replicates(self):
        def f(p):
            return {"yield": [p["x"], p["x"] + 0.1, math.nan], "impurity": math.inf if p["x"] > 0.5 else 0.1}

        result = maximize(f, BOX, 8, **BOUND, seed=1, progress=False)
        for trial in result.history:
            assert trial.status == "told"
            assert (trial.values["impurity"] is None) == (trial.params["x"] > 0.5)
            assert trial.value == pytest.approx(trial.params["x"] + 0.05)
            assert len(trial.noise["yield"]["replicates"]) == 2
        failed = maximize(lambda _: {"yield": math.nan, "impurity": math.nan}, BOX, 3, **BOUND, seed=1, progress=False)
        assert [trial.status for trial in failed.history] == ["failed"] * 3
        assert not failed.success

    def test_nothing_feasible_is_said(self):
        result = maximize(lambda p: {"yield": p["x"], "impurity": 1.0}, BOX, 4, **BOUND, seed=1, progress=False)
        assert str(result) == "4 trials done: no trial satisfies the constraints yet"
        assert isinstance(result.study.certificate(), FeasibleRegret)
        assert isinstance(maximize(lambda p: p["x"], BOX, 5, seed=1, progress=False).study.certificate(), Certificate)
