"""Objectives that are known functions of measured outcomes: telling, asking, recommending, certificates, record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import (
    IRGPUCB,
    Composite,
    CompositeRegret,
    CompositeTS,
    Quantile,
    Regret,
    Study,
    Surrogate,
    Target,
    replay,
)
from regretless.confidence import TightUnion
from regretless.errors import InvalidInput, StudyConflict, UntrustedCode

from . import composites

ROWS = [{"x": round(float(x), 3), "y": round(float(y), 3)} for x in np.linspace(0, 2, 9) for y in np.linspace(0, 2, 9)]
WANTED = Target({"density": 1.5, "hardness": (30, 5)})


def measure(p):
    return {"density": 1.0 + np.sin(3 * p["x"]) + 0.3 * p["y"], "hardness": 60.0 * np.cos(p["x"] - p["y"])}


def match(p):
    return float(WANTED({name: np.array(value) for name, value in measure(p).items()}))


def run(study, n, f=measure):
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


@pytest.mark.parametrize("rule", [None, "ts"])
@pytest.mark.parametrize("box", [False, True])
def test_the_target_is_found(rule, box):
    study = run(Study({"x": (0.0, 2.0), "y": (0.0, 2.0)} if box else ROWS, objective=WANTED, rule=rule, seed=1), 20)
    best = max(match(row) for row in ROWS)
    assert study.best.value >= best - 1e-9
    assert study.best.value == pytest.approx(match(study.best.params))
    found = study.recommend()
    assert match(found.params) >= best - 1e-9
    assert found.mean == pytest.approx(match(found.params), abs=0.05)
    left = study.certificate()
    assert isinstance(left, CompositeRegret)
    assert left.exact is not box
    assert 0.0 <= left.bound < 0.5
    assert "by draws" in left.sentence


def test_the_objective_is_computed_and_outcomes_come_in_any_order():
    study = Study(ROWS, objective=WANTED, seed=1)
    trial = study.ask()
    half = study.tell(trial, {"density": 1.0})
    assert (half.status, half.value) == ("pending", None)
    whole = study.tell(trial, {"hardness": 35.0})
    assert whole.status == "told"
    assert whole.value == pytest.approx(-(0.5**2) - 1.0)
    assert study.tell(trial, {"density": 1.0, "hardness": 35.0}) == whole
    amended = study.amend(trial, {"density": 1.5}, reason="typo")
    assert amended.value == pytest.approx(-1.0)
    for bad, words in (({"match": 1.0}, "no outcome"), (1.0, "by name"), ({"density": np.nan}, "finite")):
        with pytest.raises(InvalidInput, match=words):
            study.tell(study.ask(), bad)
    failed = study.tell(study.ask(), {"density": 1.0}, failed="hardness")
    assert failed.values == {"match": None, "density": 1.0, "hardness": None}
    added = study.add(ROWS[3], {"density": 1.5, "hardness": 30.0})
    assert added.value == 0.0


def test_optimize_takes_a_function_of_the_outcomes_alone():
    result = Study(ROWS, objective=WANTED, seed=2).optimize(measure, 12, stop_when=Regret(0.2, patience=2))
    assert result.study.best.value >= max(match(row) for row in ROWS) - 0.2
    with pytest.raises(InvalidInput, match="hardness"):
        Study(ROWS, objective=WANTED, seed=2).optimize(lambda _: {"density": 1.0}, 3)


def test_one_outcome_and_its_value_is_the_plain_study_under_a_known_model():
    """h(y) = y, said to rise: the same suggestions as the plain rule with the same law, to the last bit."""
    known = Surrogate.known(kernel="rbf", lengthscale=0.4, signal_var=1.0, noise_var=1e-4)
    value = Composite(lambda y: y["f"], of=["f"], monotone={"f": "up"})
    rule = IRGPUCB(TightUnion(len(ROWS)))
    one = Study(ROWS, objective=value, rule=rule, surrogate=known, seed=4)
    plain = Study(ROWS, rule=rule, surrogate=known, seed=4)
    for _ in range(10):
        a, b = one.ask(), plain.ask()
        assert a.params == b.params
        assert a.zeta == b.zeta
        y = float(np.sin(3 * a.params["x"]) * a.params["y"])
        one.tell(a, {"f": y})
        plain.tell(b, y)
    assert one.recommend().params == plain.recommend().params
    assert one.certificate().bound == pytest.approx(plain.certificate().tail_sum, rel=0.1, abs=1e-6)


def test_minimising_is_maximising_the_negative():
    least = Composite(lambda y: y["f"] ** 2, of=["f"], name="square")
    most = Composite(lambda y: -(y["f"] ** 2), of=["f"], name="square")
    low, high = (
        Study(ROWS, objective=each, direction=direction, seed=3)
        for each, direction in ((least, "minimize"), (most, "maximize"))
    )
    for _ in range(9):
        a, b = low.ask(), high.ask()
        assert a.params == b.params
        f = {"f": a.params["x"] - 0.7 * a.params["y"]}
        assert low.tell(a, f).value == -high.tell(b, f).value
    assert low.recommend().mean == pytest.approx(-high.recommend().mean)
    assert low.certificate().bound == pytest.approx(high.certificate().bound)


def test_a_target_is_stored_as_numbers_and_goes_on(tmp_path):
    path = tmp_path / "lab.db"
    with Study.open(path, "one", space=ROWS, objective=WANTED, seed=1) as study:
        run(study, 7)
    whole = run(Study(ROWS, objective=WANTED, seed=1), 11)
    with Study.open(path, "one", objective=WANTED) as again:
        assert again.rule == Quantile()
        run(again, 4)
        assert [t.params for t in again.trials] == [t.params for t in whole.trials]
        assert all(step.matches for step in replay(again))
        again.certificate(record=True)
    with pytest.raises(StudyConflict, match="objective"):
        Study.open(path, "one", objective=Target({"density": 1.5, "hardness": 30}))


def test_a_function_is_stored_by_name_and_needs_trust(tmp_path):
    path, objective = tmp_path / "lab.db", Composite(composites.worth, of=["yield", "cost"], name="worth")
    with Study.open(path, "one", space=ROWS, objective=objective, seed=1) as study:
        run(study, 5, lambda p: {"yield": p["x"], "cost": p["y"]})
    with pytest.raises(UntrustedCode, match="composites:worth"):
        Study.open(path, "one")
    with Study.open(path, "one", trust=[composites.__name__]) as again:
        assert again.outcomes[0].composite.function is composites.worth
    with Study.open(path, "one", objective=objective) as again:  # whoever hands it in has imported it
        assert again.best.value == pytest.approx(max(t.value for t in again.trials))
    with pytest.raises((StudyConflict, UntrustedCode)):
        Study.open(path, "one", objective=Composite(composites.other, of=["yield", "cost"], name="worth"))
    with pytest.raises(InvalidInput, match="top of a module"):
        Study.open(path, "two", space=ROWS, objective=Composite(lambda y: y["a"], of=["a"]))


def test_what_cannot_be_is_said():
    for bad in (
        lambda: Target({}),
        lambda: Target({"a": (1.0, 0.0)}),
        lambda: Composite(3, of=["a"]),
        lambda: Composite(lambda y: y["a"], of="a"),
        lambda: Composite(lambda y: y["a"], of=["a", "a"]),
        lambda: Composite(lambda y: y["a"], of=["a"], name="a"),
        lambda: Composite(lambda y: y["a"], of=["a"], monotone={"a": "sideways"}),
        lambda: Study(ROWS, objective=Target({"x": 1.0})),
        lambda: Study(ROWS, objective=WANTED, constraints={"c": ("<=", 1)}),
        lambda: Study(ROWS, objective=WANTED, rule="ei"),
        lambda: Study(ROWS, objective=WANTED, rule="chebyshev"),
        lambda: Study(ROWS, rule="quantile"),
    ):
        with pytest.raises(InvalidInput):
            bad()
    with pytest.raises(InvalidInput, match="same shape"):
        Composite(lambda _: 1.0, of=["a"])({"a": np.ones(3)})
    logarithm = Composite(lambda y: np.log(y["a"]), of=["a"])
    study = run(Study(ROWS, objective=logarithm, seed=1), 2, lambda p: {"a": 1 + p["x"]})
    with pytest.raises(InvalidInput, match="Guard it"), np.errstate(invalid="ignore"):
        run(study, 6, lambda p: {"a": 0.01 + p["x"]})
    assert Study(ROWS, objective=WANTED, rule=CompositeTS(100), seed=1).rule.n_features == 100


@settings(max_examples=10, deadline=None)
@given(
    values=st.lists(st.one_of(st.none(), st.floats(-1e4, 1e4)), min_size=3, max_size=8),
    target=st.floats(-1e4, 1e4),
    box=st.booleans(),
)
def test_any_results_leave_a_suggestion_and_a_bound(values, target, box):
    space = {"x": (0.0, 1.0)} if box else ROWS[::7]
    study = Study(space, objective=Target({"a": target, "b": (1.0, 2.0)}), seed=5)
    for value in values:
        trial = study.ask()
        study.tell(trial, failed=True) if value is None else study.tell(trial, {"a": value, "b": value / 7.0})
    study.ask()
    if any(value is not None for value in values):
        assert study.certificate().bound >= 0.0
        assert np.isfinite(study.recommend().mean)


def test_what_is_expected_of_the_objective_is_computed_too():
    """Minus a squared distance is never expected above 0, nor a measurement of it, whatever a model would say."""
    study = run(Study(ROWS, objective=WANTED, seed=1), 8)
    trial = study.ask()
    assert trial.details["mean"] <= 0.0
    median, low, high = study.predict_measurement(ROWS)
    assert (high <= 0.0).all()
    assert (low <= median).all()
    inside = np.array([lo - 1e-6 <= match(row) <= hi + 1e-6 for row, lo, hi in zip(ROWS, low, high, strict=True)])
    assert inside.mean() > 0.6
