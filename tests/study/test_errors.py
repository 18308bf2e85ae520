"""Bad input: a clear error of the right kind that names the thing, and a study as it was before."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from tests.study.helpers import MIXED, snapshot

from regretless import GPUCB, InvalidInput, RegretlessError, Study, Surrogate, Table, TrialConflict, UnknownTrial
from regretless import maximize as find_max

BOX = [(0.0, 1.0), (0.0, 1.0)]


def study_of(space, told: int = 5, **more) -> Study:
    study = Study(space, seed=1, **more)
    for trial in study.ask(told):
        study.tell(trial, float(trial.number))
    study.ask()
    return study


# Bad settings ---------------------------------------------------------------------------------------------------------

BAD_STUDIES = [
    ("no space", {"space": None}, "space"),
    ("an empty list", {"space": []}, "space"),
    ("an empty mapping", {"space": {}}, "at least one parameter"),
    ("an empty table", {"space": np.empty((0, 2))}, "at least one row"),
    ("a table without columns", {"space": np.empty((2, 0))}, "at least one column"),
    ("a table with NaN", {"space": np.array([[0.0], [math.nan]])}, "row 1"),
    ("bounds reversed", {"space": [(1.0, 0.0)]}, "x0.*below"),
    ("bounds equal", {"space": {"a": (1.0, 1.0)}}, "'a'"),
    ("bounds NaN", {"space": [(0.0, math.nan)]}, "x0.*finite"),
    ("bounds infinite", {"space": [(0.0, math.inf)]}, "x0.*finite"),
    ("whole-number bounds reversed", {"space": {"n": (5, 1)}}, "'n'.*below"),
    ("whole numbers too large", {"space": {"n": (0, 2**53 + 1)}}, r"2\*\*53"),
    ("log of zero", {"space": {"a": (0.0, 1.0, "log")}}, "'a'.*low > 0"),
    ("no choices", {"space": {"a": []}}, "'a'.*empty"),
    ("a text file that is not there", {"space": "no such file.csv"}, "no such file"),
    ("an unknown direction", {"direction": "up"}, "direction.*'up'"),
    ("an unknown preset", {"preset": "best"}, "preset.*'best'"),
    ("an unknown rule", {"rule": "irgpucb"}, "irgp-ucb"),
    ("a rule that is none", {"rule": 7}, "rule"),
    ("a rule's class", {"rule": GPUCB}, "rule"),
    ("a law no box has", {"rule": GPUCB("theory")}, "continuous"),
    ("a surrogate by name", {"surrogate": "rbf"}, "surrogate.*'rbf'"),
    ("length scales of another space", {"surrogate": Surrogate(lengthscale=(0.1,) * 3)}, "3 length scales.*2 columns"),
    ("n_initial negative", {"n_initial": -1}, "n_initial.*-1"),
    ("n_initial a fraction", {"n_initial": 2.5}, "n_initial.*2.5"),
    ("n_initial a bool", {"n_initial": True}, "n_initial.*True"),
    ("unknown repeats", {"repeats": "sometimes"}, "repeats.*'sometimes'"),
    ("seed negative", {"seed": -1}, "seed.*-1"),
    ("seed text", {"seed": "one"}, "seed.*'one'"),
    ("seed a fraction", {"seed": 1.0}, "seed.*1.0"),
]


@pytest.mark.parametrize(
    ("settings", "says"), [case[1:] for case in BAD_STUDIES], ids=[case[0] for case in BAD_STUDIES]
)
def test_a_study_that_cannot_be(settings, says):
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        Study(**{"space": BOX, **settings})


class Broken:
    def __repr__(self):
        raise RuntimeError("no text")


class BrokenNumber(float):
    def __float__(self):
        raise RuntimeError("no number")


# Bad calls ------------------------------------------------------------------------------------------------------------

BAD_VALUES = [
    ("NaN", math.nan, "finite.*nan.*failed=True"),
    ("infinity", math.inf, "finite.*inf"),
    ("minus infinity", -np.inf, "finite.*inf"),
    ("NaN of NumPy", np.float32("nan"), "finite"),
    ("an int too large for a float", 10**400, "finite"),
    ("text", "3", "real number.*'3'"),
    ("None", None, "value"),
    ("a bool", True, "real number.*True"),
    ("a bool of NumPy", np.True_, "real number"),
    ("complex", 1j, "real number.*1j"),
    ("no replicates", [], "some replicates, got none"),
    ("a list with text", [1.0, "2"], "real number.*'2'"),
    ("a list with NaN", [1.0, math.nan], "finite.*nan"),
    ("a matrix", np.ones((2, 2)), "real number"),
    ("another outcome", {"velue": 1.0}, "no outcome 'velue'; there are value.*Did you mean 'value'"),
    ("no outcome", {}, "needs a value of one of value"),
    ("a decimal", Decimal("1.5"), "real number.*Decimal"),
    ("an object", object(), "real number"),
    ("a duration", np.timedelta64(3, "s"), "real number.*timedelta64"),
    ("a duration in no unit", np.timedelta64(3), "real number.*timedelta64"),
    ("an int too long to print", 10**5000, "finite.*cannot be shown"),
    ("an object without a text", Broken(), "real number.*Broken that cannot be shown"),
    ("a number that breaks", BrokenNumber(1.0), "real number.*RuntimeError"),
    ("a list of it", [Broken()], "real number.*Broken that cannot be shown"),
]


@pytest.mark.parametrize(("value", "says"), [case[1:] for case in BAD_VALUES], ids=[case[0] for case in BAD_VALUES])
def test_values_that_are_none(value, says):
    study = study_of(BOX)
    before = snapshot(study)
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        study.tell(5, value)
    with pytest.raises(InvalidInput):
        study.add([0.5, 0.5], value)
    with pytest.raises(InvalidInput):
        study.amend(0, value, reason="typo")
    if value is not None:
        with pytest.raises(InvalidInput, match="both fail"):
            study.tell(5, value, failed=True)
    assert snapshot(study) == before
    assert study.tell(5, 2.0).value == 2.0


odd = st.one_of(
    st.none(), st.booleans(), st.text(max_size=9), st.binary(max_size=9), st.complex_numbers(), st.decimals(),
    st.fractions(), st.integers(), st.integers(4000, 9000).map(lambda n: 10**n), st.floats(), st.timedeltas(),
    st.dates(), st.just(Broken()), st.floats().map(BrokenNumber), st.lists(st.floats(), max_size=2),
    npst.from_dtype(np.dtype("m8[s]")), npst.from_dtype(np.dtype("M8[s]")), npst.from_dtype(np.dtype("f4")),
    npst.arrays(st.sampled_from(["f8", "i4", "m8[s]", "U3", "?", "O"]), st.sampled_from([(), (1,), (2, 2)])),
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(odd, min_size=1, max_size=4))
def test_no_value_raises_anything_raw_or_leaves_a_trial_pending(values):
    """`tell` and a function that returns the value agree on what is a number; NaN and infinities are failed trials."""
    for value in values:
        study = Study(BOX, seed=0)
        trial = study.ask()
        try:
            told = study.tell(trial, value)
        except InvalidInput:
            told = study.tell(trial, failed=True)
        run = Study(BOX, seed=0)
        if isinstance(value, list) and 0 < sum(map(math.isfinite, value)) < len(value):
            continue  # `tell` refuses them, of a function's replicates those without a value are left out
        try:
            run.optimize(lambda _, value=value: value, 1)
        except InvalidInput:
            assert told.status == "failed"
        else:
            assert run.trials[0].status == told.status
            assert run.trials[0].value == told.value
        assert run.trials[0].status != "pending"


@pytest.mark.parametrize("value", [3, np.float32(0.5), np.int8(-3), np.array(2.5), Fraction(1, 4), -0.0, 1e-320])
def test_values_that_are_one(value):
    study = study_of(BOX)
    told = study.tell(5, value)
    assert type(told.value) is float
    assert told.value == float(value)
    assert study.tell(5, value) == told


TABLE = Table([{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}, {"a": 3.0, "b": "x"}])

BAD_PARAMS = [
    ("an unknown name", MIXED, {"x": 0.1, "l": 1.0, "n": 3, "c": "a", "depth": 3}, "unknown parameter 'depth'"),
    ("a misspelt name", MIXED, {"x": 0.1, "l": 1.0, "n": 3, "C": "a"}, "'C'"),
    ("a missing name", MIXED, {"x": 0.1, "l": 1.0, "n": 3}, "missing 'c'"),
    ("far out of range", MIXED, {"x": 11.5, "l": 1.0, "n": 3, "c": "a"}, "x is 11.5, more than 10 times"),
    ("NaN", MIXED, {"x": math.nan, "l": 1.0, "n": 3, "c": "a"}, "x must be finite.*nan"),
    ("infinite", MIXED, {"x": 0.5, "l": math.inf, "n": 3, "c": "a"}, "l must be finite.*inf"),
    ("zero on a log scale", MIXED, {"x": 0.5, "l": 0.0, "n": 3, "c": "a"}, "l is on a log scale.*0.0"),
    ("a fraction for a whole number", MIXED, {"x": 0.5, "l": 1.0, "n": 2.5, "c": "a"}, "n must be a whole.*2.5"),
    ("a whole number far out of range", MIXED, {"x": 0.5, "l": 1.0, "n": 3100, "c": "a"}, "n is 3100, more"),
    ("an unknown choice", MIXED, {"x": 0.5, "l": 1.0, "n": 3, "c": "A"}, "c must be one of.*'A'"),
    ("text for a number", MIXED, {"x": "0.5", "l": 1.0, "n": 3, "c": "a"}, "x must be a real number.*'0.5'"),
    ("a bool for a number", MIXED, {"x": True, "l": 1.0, "n": 3, "c": "a"}, "x must be a real number.*True"),
    ("a list for a choice", MIXED, {"x": 0.5, "l": 1.0, "n": 3, "c": ["a"]}, r"c must be one of.*\['a'\]"),
    ("no mapping", MIXED, [0.5, 1.0, 3, "a"], "mapping"),
    ("text", MIXED, "x", "mapping.*'x'"),
    ("None among bounds", BOX, [0.5, None], "x1 must be a real number.*None"),
    ("too few numbers", BOX, [0.5], "2 numbers"),
    ("too many numbers", BOX, [0.5] * 3, "2 numbers"),
    ("numbers in a matrix", BOX, np.full((2, 2), 0.5), "2 numbers"),
    ("a level the table lacks", TABLE, {"a": 1.0, "b": "z"}, "b is 'z', which no row of the table has"),
    ("a column the table lacks", TABLE, {"a": 1.0, "b": "x", "z": 0}, "unknown parameter 'z'"),
]


@pytest.mark.parametrize(
    ("space", "params", "says"), [case[1:] for case in BAD_PARAMS], ids=[case[0] for case in BAD_PARAMS]
)
def test_params_that_cannot_be(space, params, says):
    study = study_of(space, told=2)
    before = snapshot(study)
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        study.add(params, 1.0)
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        study.predict([params])
    assert snapshot(study) == before


BAD_CALLS = [
    ("add nothing", lambda s: s.add(), InvalidInput, "params or row"),
    ("add without a value", lambda s: s.add([0.5, 0.5]), InvalidInput, "value or failed"),
    ("add both", lambda s: s.add([0.5, 0.5], 1.0, failed=True), InvalidInput, "value or failed"),
    ("add a word for failed", lambda s: s.add([0.5, 0.5], 1.0, failed="no"), InvalidInput, "no outcome 'no'"),
    ("add params and row", lambda s: s.add([0.5, 0.5], 1.0, row=3), InvalidInput, "params or row"),
    ("add a row to a box", lambda s: s.add(row=3, value=1.0), InvalidInput, "not a table"),
    ("ask for none", lambda s: s.ask(0), InvalidInput, "n must.*0"),
    ("ask for less than none", lambda s: s.ask(-1), InvalidInput, "n must.*-1"),
    ("ask for a half", lambda s: s.ask(1.5), InvalidInput, "n must.*1.5"),
    ("ask for text", lambda s: s.ask("3"), InvalidInput, "n must.*'3'"),
    ("ask for a bool", lambda s: s.ask(True), InvalidInput, "n must.*True"),
    ("tell nothing", lambda s: s.tell(5), InvalidInput, "trial 5"),
    ("tell both", lambda s: s.tell(5, 1.0, failed=True), InvalidInput, "trial 5.*1.0"),
    ("tell a word for failed", lambda s: s.tell(5, failed="yes"), InvalidInput, "no outcome 'yes'"),
    ("tell a trial to come", lambda s: s.tell(6, 1.0), UnknownTrial, "no trial 6.*6"),
    ("tell a trial before", lambda s: s.tell(-1, 1.0), UnknownTrial, "no trial -1"),
    ("tell a huge number", lambda s: s.tell(2**70, 1.0), UnknownTrial, "no trial"),
    ("tell params", lambda s: s.tell({"x0": 0.5}, 1.0), InvalidInput, "Trial or its number"),
    ("tell text", lambda s: s.tell("5", 1.0), InvalidInput, "Trial or its number"),
    ("tell None", lambda s: s.tell(None, 1.0), InvalidInput, "Trial or its number"),
    ("tell a bool", lambda s: s.tell(True, 1.0), InvalidInput, "Trial or its number"),
    ("tell another value", lambda s: s.tell(2, 2.5), TrialConflict, "trial 2.*2.0.*2.5"),
    ("fail what was told", lambda s: s.tell(2, failed=True), TrialConflict, "trial 2.*2.0"),
    ("predict a number", lambda s: s.predict(3), InvalidInput, "list of params.*3"),
    ("predict text", lambda s: s.predict("x"), InvalidInput, "list of params"),
    ("predict one mapping", lambda s: s.predict({"x0": 0.5, "x1": 0.5}), InvalidInput, "list of params"),
]


@pytest.mark.parametrize(
    ("call", "kind", "says"), [case[1:] for case in BAD_CALLS], ids=[case[0] for case in BAD_CALLS]
)
def test_calls_that_are_refused(call, kind, says):
    study = study_of(BOX)
    before = snapshot(study)
    with pytest.raises(kind, match=f"(?s){says}") as caught:
        call(study)
    assert isinstance(caught.value, RegretlessError)
    assert snapshot(study) == before
    following, twin = study.ask(), study_of(BOX).ask()
    assert (following.params, following.details) == (twin.params, twin.details)


ODD_CALLS = {
    "ask": lambda study, odd: study.ask(odd),
    "a key": lambda study, odd: study.ask(key=odd),
    "tell": lambda study, odd: study.tell(odd, 1.0),
    "tell failed": lambda study, odd: study.tell(5, 1.0, failed=odd),
    "add": lambda study, odd: study.add({"x0": odd, "x1": 0.5}, 1.0),
    "add a list": lambda study, odd: study.add([odd, 0.5], 1.0),
    "a reason": lambda study, odd: study.amend(0, 1.0, reason=odd),
    "certificate": lambda study, odd: study.certificate(odd),
    "draws": lambda study, odd: study.certificate(draws=odd),
    "should_stop": lambda study, odd: study.should_stop(odd),
    "predict": lambda study, odd: study.predict(odd),
    "predict a list": lambda study, odd: study.predict([odd]),
    "events": lambda study, odd: study.events(odd),
    "exclude_row": lambda study, odd: study.exclude_row(odd, "out of stock"),
    "no function": lambda study, odd: study.optimize(odd, 1),
    "n_trials": lambda study, odd: study.optimize(len, odd),
    "until": lambda study, odd: study.optimize(len, until=odd),
    "callback": lambda study, odd: study.optimize(len, 1, callback=odd),
    "on_error": lambda study, odd: study.optimize(len, 1, on_error=odd),
    "stop_when": lambda study, odd: study.optimize(len, 1, stop_when=odd),
    "a space": lambda _, odd: Study(odd),
    "bounds": lambda _, odd: Study([(0.0, odd)]),
    "choices": lambda _, odd: Study({"a": [odd]}),
    "a cell": lambda _, odd: Study([{"a": odd}]),
    "a seed": lambda _, odd: Study(BOX, seed=odd),
    "a rule": lambda _, odd: Study(BOX, rule=odd),
    "a direction": lambda _, odd: Study(BOX, direction=odd),
    "an objective": lambda _, odd: Study(BOX, objective=odd),
    "a preset": lambda _, odd: Study(BOX, preset=odd),
    "a surrogate": lambda _, odd: Study(BOX, surrogate=odd),
    "n_initial": lambda _, odd: Study(BOX, n_initial=odd),
    "repeats": lambda _, odd: Study(BOX, repeats=odd),
    "a store": lambda _, odd: Study.open(odd, "name"),
    "a name": lambda _, odd: Study.open("never-made.db", odd),
    "an author": lambda _, odd: Study.open("never-made.db", "name", author=odd),
    "a lease": lambda _, odd: Study.open("never-made.db", "name", lease=odd),
}


@pytest.mark.parametrize("call", ODD_CALLS.values(), ids=ODD_CALLS)
def test_an_object_that_cannot_even_be_shown_is_refused_everywhere(call):
    study = study_of(BOX)
    before = snapshot(study)
    with pytest.raises(RegretlessError):
        call(study, Broken())
    assert snapshot(study) == before


def test_a_failed_trial_stays_failed():
    study = study_of(BOX)
    failed = study.tell(5, failed=True)
    assert study.tell(5, failed=True) == failed
    with pytest.raises(TrialConflict, match=r"trial 5.*failed.*1\.0"):
        study.tell(5, 1.0)
    assert study.trials[5] == failed


def test_telling_the_same_again_changes_nothing():
    study = study_of(BOX)
    before = snapshot(study)
    assert study.tell(study.trials[2], 2.0) == study.trials[2]
    assert study.tell(2, 2) == study.trials[2]
    assert snapshot(study) == before


def test_a_trial_of_another_study():
    study, other = study_of(BOX), Study(BOX, seed=99)
    before = snapshot(study)
    stranger = other.ask(6)[5]
    with pytest.raises(UnknownTrial, match="another study"):
        study.tell(stranger, 1.0)
    assert snapshot(study) == before


@pytest.mark.parametrize("row", ["nine", 9, -1, None, math.nan, (0,)])
def test_rows_that_are_not_there(row):
    study = Study(TABLE, seed=0)
    with pytest.raises(InvalidInput):
        study.add(row=row, value=1.0)
    assert len(study) == 0


def test_nothing_told_nothing_known():
    study = Study(BOX, seed=0)
    study.tell(study.ask(), failed=True)
    before = snapshot(study)
    for call in (study.recommend, lambda: study.predict([[0.5, 0.5]])):
        with pytest.raises(InvalidInput, match="at least one told value"):
            call()
    assert study.best is None
    assert snapshot(study) == before


def test_an_error_within_a_batch_leaves_no_trial_behind():
    """The rule breaks at its first suggestion, after the designed ones of the same batch."""
    from regretless.acquisition import Rule

    class Broken(Rule):
        name = "broken"

        def draw(self, _view, _t, _rng):
            raise ZeroDivisionError("mine")

    study = Study(BOX, rule=Broken(), seed=0, n_initial=3)
    before = snapshot(study)
    with pytest.raises(ZeroDivisionError):
        study.ask(5)
    assert snapshot(study) == before
    assert [trial.number for trial in study.ask(3)] == [0, 1, 2]
    with pytest.raises(ZeroDivisionError):
        study.ask()
    assert len(study) == 3


RUNS = [
    ("no function", {"f": 3}, "f must be callable.*3"),
    ("no trials", {"n_trials": 0}, "n_trials.*0"),
    ("half a trial", {"n_trials": 1.5}, "n_trials.*1.5"),
    ("True trials", {"n_trials": True}, "n_trials.*True"),
    ("a callback that cannot be called", {"callback": 3}, "callback.*3"),
    ("an error that is none", {"on_error": "ValueError"}, "on_error.*'ValueError'"),
    ("bounds reversed", {"space": [(1.0, 0.0)]}, "x0"),
]


@pytest.mark.parametrize(("arguments", "says"), [case[1:] for case in RUNS], ids=[case[0] for case in RUNS])
def test_runs_that_cannot_start(arguments, says):
    calls = []
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        find_max(**{"f": lambda x: calls.append(x) or 0.0, "space": BOX, "n_trials": 3, **arguments})
    assert not calls
