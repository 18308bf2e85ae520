"""A study against a plain model of it: hypothesis calls whatever it likes in whatever order."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.study.helpers import bits, snapshot
from tests.study.torture import check_trial

from regretless import Exhausted, InvalidInput, Mixed, Study, Surrogate, Table, TrialConflict, UnknownTrial

ROWS = np.random.default_rng(0).integers(0, 4, (9, 2)).astype(float)

SPACES = {
    "table, never": lambda: Table(ROWS, repeats="never"),
    "table, allow": lambda: Table(ROWS, repeats="allow"),
    "one row": lambda: Table(ROWS[:1], repeats="never"),
    "listed, never": lambda: Mixed({"n": (1, 3), "c": ["a", "b"]}, repeats="never"),
    "listed, allow": lambda: Mixed({"n": (1, 3), "c": ["a", "b"]}),
    "box": lambda: [(0.0, 1.0), (-1e3, 1e6)],
    "mixed": lambda: {"x": (0.0, 1.0), "c": ["a", "b", "c"], "n": (1, 10**6), "l": (1e-9, 1e9, "log"), "k": 0},
}

VALUES = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(-1e3, 1e3),
    st.floats(allow_nan=False, allow_infinity=False),
)
BAD_VALUES = st.sampled_from([math.nan, math.inf, -math.inf, "1", None, True, [], ["1"], np.ones((2, 1)), 1j, {}])
BAD_PARAMS = st.sampled_from([None, {"zz": 1}, "x", 3, [math.nan], [0.5] * 9, {"x0": math.nan, "x1": 1.0}])


class StudyMachine(RuleBasedStateMachine):
    """``model`` holds what the study should: number -> [params, status, value]; ``twin`` never carries a state."""

    @initialize(name=st.sampled_from(sorted(SPACES)), seed=st.integers(0, 99), down=st.booleans(), design=st.booleans())
    def start(self, name, seed, down, design):
        more = {
            "seed": seed,
            "direction": "minimize" if down else "maximize",
            "surrogate": Surrogate(restarts=0),
            "n_initial": None if design else 0,
        }
        self.study, self.twin = self.make(SPACES[name](), **more), Study(SPACES[name](), **more)
        self.sign = -1.0 if down else 1.0
        self.size = self.study.space.size
        self.never = self.study.space.repeats == "never"
        self.model: dict[int, list] = {}
        self.first: dict[int, tuple] = {}  # what amended trials had been told
        self.excluded: set[int] = set()
        self.outside: set[int] = set()  # data of points that are not candidates

    def make(self, space, **more):
        return Study(space, **more)

    # What is allowed --------------------------------------------------------------------------------------------------

    @rule()
    def ask(self):
        self.twin._carried.forget()
        if self.dry:
            self.refused(Exhausted, lambda s: s.ask())
            return
        self.asked(self.study.ask(), self.twin.ask())

    @rule(n=st.integers(1, 5))
    def ask_many(self, n):
        self.twin._carried.forget()
        if self.dry:
            self.refused(Exhausted, lambda s: s.ask(n))
            return
        left = self.size - len(self.tried) if self.never and self.size is not None else n
        batch, other = self.study.ask(n), self.twin.ask(n)
        assert len(batch) == len(other) == min(n, left)
        for trial, twin in zip(batch, other, strict=True):
            self.asked(trial, twin)

    @precondition(lambda self: self.numbers("pending", "released"))
    @rule(data=st.data(), value=VALUES, by_number=st.booleans())
    def tell(self, data, value, by_number):
        number = data.draw(st.sampled_from(self.numbers("pending", "released")))
        for study in (self.study, self.twin):
            told = study.tell(number if by_number else study.trials[number], value)
            assert (told.number, told.status, told.value) == (number, "told", value)
        self.model[number][1:] = ["told", value]

    @precondition(lambda self: self.numbers("pending"))
    @rule(data=st.data())
    def fail(self, data):
        number = data.draw(st.sampled_from(self.numbers("pending")))
        for study in (self.study, self.twin):
            assert study.tell(number, failed=True).status == "failed"
        self.model[number][1:] = ["failed", None]

    @rule(seed=st.integers(0, 999), value=st.one_of(st.none(), VALUES))
    def add(self, seed, value):
        params = self.some_params(seed)
        for study in (self.study, self.twin):
            trial = study.add(params, failed=True) if value is None else study.add(params, value)
            assert (trial.source, trial.params) == ("added", self.study.space.check(params))
        self.model[trial.number] = [dict(trial.params), "failed" if value is None else "told", value]

    @precondition(lambda self: self.study.space.dim)
    @rule(seed=st.integers(0, 999), value=st.one_of(st.none(), VALUES))
    def add_outside(self, seed, value):
        params = self.some_params(seed)
        name = next(name for name in self.study.space.names if self.varies(name))
        params[name] = params[name] + 0.37 if isinstance(self.study.space, Table) else 4 if name == "n" else 1.37
        for study in (self.study, self.twin):
            trial = study.add(params, failed=True) if value is None else study.add(params, value)
            assert (trial.source, trial.params, trial.row, bool(trial.note)) == ("added", params, None, True)
        self.model[trial.number] = [dict(trial.params), "failed" if value is None else "told", value]
        self.outside.add(trial.number)

    @precondition(lambda self: isinstance(self.study.space, Table))
    @rule(seed=st.integers(0, 999))
    def extend(self, seed):
        rows = np.random.default_rng(seed).integers(-2, 7, (2, 2)).astype(float)
        one, other = (study.extend(rows) for study in (self.study, self.twin))
        assert one == other
        self.size = self.study.space.size

    @precondition(lambda self: self.numbers("told", "failed"))
    @rule(data=st.data(), value=st.one_of(st.none(), VALUES))
    def amend(self, data, value):
        number = data.draw(st.sampled_from(self.numbers("told", "failed")))
        result = ["failed" if value is None else "told", value]
        if self.model[number][1:] != result:
            self.first.setdefault(number, tuple(self.model[number][1:]))
        for study in (self.study, self.twin):
            more = {"failed": True} if value is None else {"value": value}
            assert study.amend(number, **more, reason="typo").value == value
        self.model[number][1:] = result

    @precondition(lambda self: self.numbers("told", "failed"))
    @rule(data=st.data())
    def exclude_or_include(self, data):
        number = data.draw(st.sampled_from(self.numbers("told", "failed")))
        for study in (self.study, self.twin):
            trial = study.include(number) if number in self.excluded else study.exclude(number, "doubtful")
        assert trial.excluded == (number not in self.excluded)
        self.excluded ^= {number}

    @precondition(lambda self: self.numbers("pending"))
    @rule(data=st.data())
    def release(self, data):
        number = data.draw(st.sampled_from(self.numbers("pending")))
        for study in (self.study, self.twin):
            assert study.release(number).status == "released"
        self.model[number][1] = "released"

    @precondition(lambda self: set(self.numbers("told")) - self.excluded)
    @rule()
    def look(self):
        before = snapshot(self.study)
        recommendation = self.study.recommend()
        assert self.study.space.check(recommendation.params) == recommendation.params
        assert math.isfinite(recommendation.mean)
        assert math.isfinite(recommendation.sd)
        mean, sd = self.study.predict([recommendation.params])
        assert np.isfinite(mean).all()
        assert (sd >= 0.0).all()
        assert snapshot(self.study) == before

    @precondition(lambda self: self.numbers("told", "failed"))
    @rule(data=st.data())
    def tell_again(self, data):
        number = data.draw(st.sampled_from(self.numbers("told", "failed")))
        before = snapshot(self.study)
        if self.model[number][1] == "failed":
            self.study.tell(number, failed=True)
        else:
            self.study.tell(number, self.model[number][2])
        assert snapshot(self.study) == before

    # What is not ------------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.numbers("told", "failed"))
    @rule(data=st.data(), value=VALUES)
    def tell_otherwise(self, data, value):
        number = data.draw(st.sampled_from(self.numbers("told", "failed")))
        _, status, had = self.model[number]
        first = self.first.get(number)
        if (status == "failed" or had != value) and first != ("told", value):
            self.refused(TrialConflict, lambda s: s.tell(number, value))
        if status == "told" and first != ("failed", None):
            self.refused(TrialConflict, lambda s: s.tell(number, failed=True))

    @precondition(lambda self: self.model)
    @rule(data=st.data(), value=BAD_VALUES)
    def tell_nonsense(self, data, value):
        number = data.draw(st.sampled_from(sorted(self.model)))
        self.refused(InvalidInput, lambda s: s.tell(number, value))

    @rule(params=BAD_PARAMS, value=VALUES)
    def add_nonsense(self, params, value):
        self.refused(InvalidInput, lambda s: s.add(params, value))

    @rule(seed=st.integers(0, 999), value=BAD_VALUES)
    def add_nonsense_value(self, seed, value):
        self.refused(InvalidInput, lambda s: s.add(self.some_params(seed), value))

    @rule(beyond=st.integers(0, 3), value=VALUES)
    def tell_a_stranger(self, beyond, value):
        self.refused(UnknownTrial, lambda s: s.tell(len(self.model) + beyond, value))

    # What always holds ------------------------------------------------------------------------------------------------

    @invariant()
    def the_study_is_the_model(self):
        if not hasattr(self, "study"):
            return
        trials = self.study.trials
        assert [trial.number for trial in trials] == list(range(len(self.model)))
        assert [[dict(t.params), t.status, t.value] for t in trials] == [self.model[i] for i in range(len(trials))]
        assert {trial.number for trial in trials if trial.excluded} == self.excluded
        told = [(self.sign * self.model[i][2], -i) for i in self.numbers("told") if i not in self.excluded]
        assert (None if self.study.best is None else self.study.best.number) == (-max(told)[1] if told else None)

    # Helpers ----------------------------------------------------------------------------------------------------------

    @property
    def tried(self) -> set:
        unused = self.excluded | self.outside | set(self.numbers("released"))
        used = (number for number in self.model if number not in unused)
        return {tuple(self.model[number][0].items()) for number in used}

    @property
    def dry(self) -> bool:
        return self.never and self.size is not None and len(self.tried) == self.size

    def numbers(self, *statuses) -> list[int]:
        return [i for i, (_, status, _) in getattr(self, "model", {}).items() if status in statuses]

    def varies(self, name) -> bool:
        space = self.study.space
        if isinstance(space, Table):
            return len({space.params(i)[name] for i in range(space.n_candidates)}) > 1
        return space.dimensions[name].size != 1

    def some_params(self, seed):
        domain, rng = self.study._task.domain, np.random.default_rng(seed)
        if isinstance(domain, Table):
            return domain.params(int(rng.integers(domain.n_candidates)))
        return domain.decode(domain.sample(1, rng)[0])

    def asked(self, trial, twin):
        assert bits(trial) == bits(twin)
        check_trial(self.study, trial)
        key = tuple(trial.params.items())
        if self.never:
            assert key not in self.tried
        if self.size is None or len(self.tried) < self.size:
            assert key not in {tuple(self.model[i][0].items()) for i in self.numbers("pending")}
        assert trial.number == len(self.model)
        self.model[trial.number] = [dict(trial.params), "pending", None]

    def refused(self, kind, call):
        before = snapshot(self.study)
        with pytest.raises(kind):
            call(self.study)
        assert snapshot(self.study) == before


COMMON = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


def test_a_study_is_its_model():
    run_state_machine_as_test(
        StudyMachine, settings=settings(max_examples=20, stateful_step_count=25, derandomize=True, **COMMON)
    )


@pytest.mark.slow
def test_a_study_is_its_model_thousands_of_times():
    run_state_machine_as_test(StudyMachine, settings=settings(max_examples=2000, stateful_step_count=30, **COMMON))
