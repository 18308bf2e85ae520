"""Networks of stages with measured outputs: telling, models of stages, asking, recommending, certificates, record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import (
    Composite,
    CompositeRegret,
    Network,
    Quantile,
    Regret,
    Study,
    Surrogate,
    Table,
    Target,
    replay,
)
from regretless.errors import InvalidInput, StudyConflict, UntrustedCode

from . import networks

ROWS = [{"x": round(float(x), 3), "y": round(float(y), 3)} for x in np.linspace(0, 1, 15) for y in np.linspace(0, 1, 9)]
LINE = Network({"a": ["x"], "b": ["a", "y"]})


def measure(p, size=40.0, shift=100.0):
    """b is best where a is half way up, which a narrow band of x gives, and at y = 0.25."""
    a = np.sin(5.0 * p["x"])
    return {"a": float(shift + size * a), "b": float(-20.0 * (a - 0.5) ** 2 - (p["y"] - 0.25) ** 2)}


def run(study, n, f=measure):
    for _ in range(n):
        trial = study.ask()
        study.tell(trial, f(trial.params))
    return study


@pytest.mark.parametrize(
    ("rule", "box"),
    [
        (None, False),
        ("ts", True),
        pytest.param(None, True, marks=pytest.mark.slow),
        pytest.param("ts", False, marks=pytest.mark.slow),
    ],
)
def test_the_best_is_found(rule, box):
    rule = rule or Quantile(draws=128)
    study = run(Study({"x": (0.0, 1.0), "y": (0.0, 1.0)} if box else ROWS, objective=LINE, rule=rule, seed=1), 16)
    best = max(measure(row)["b"] for row in ROWS)
    assert study.best.value >= best - 0.01
    assert study.best.values["final b"] == study.best.values["b"]
    found = study.recommend()
    assert measure(found.params)["b"] >= best - 0.02
    assert found.mean == pytest.approx(measure(found.params)["b"], abs=0.05)
    left = study.certificate()
    assert isinstance(left, CompositeRegret)
    assert left.exact is not box
    assert left.bound >= 0.0
    assert "by draws" in left.sentence


def test_a_model_sees_its_own_inputs_as_they_were_measured():
    study = run(Study(ROWS, objective=LINE, seed=1), 5)
    history, trials = study._history(), study.trials
    a, b = history.series(1), history.series(2)
    x, y = zip(*(trial.params.values() for trial in trials), strict=True)
    np.testing.assert_allclose(a.told.X[:, 0], x)
    np.testing.assert_allclose(b.told.X, np.column_stack([y, [trial.values["a"] for trial in trials]]))
    assert (a.n_outputs, b.n_outputs) == (0, 1)


def test_outputs_come_one_after_the_other_and_fail_alone():
    study = Study(ROWS, objective=LINE, seed=1)
    trial = study.ask()
    half = study.tell(trial, {"a": 110.0})
    assert (half.status, half.value) == ("pending", None)
    whole = study.tell(trial, {"b": -3.0})
    assert (whole.status, whole.value) == ("told", -3.0)
    failed = study.tell(study.ask(), {"a": 120.0}, failed="b")
    assert failed.values == {"final b": None, "a": 120.0, "b": None}
    early = study.tell(study.ask(), {"b": -1.0}, failed="a")  # known, but not of which input
    assert early.values == {"final b": None, "a": None, "b": -1.0}
    history = study._history()
    assert history.series(1).told.trials.tolist() == [0, 1]
    assert history.series(2).told.trials.tolist() == [0]
    assert np.isnan(history.series(2).failed.X).sum() == 0  # its input was measured
    run(study, 4)
    assert study.amend(trial, {"b": -2.0}, reason="typo").value == -2.0
    assert study.add(ROWS[3], {"a": 100.0, "b": -9.0}).value == -9.0
    study.ask()


def test_a_corrected_output_is_a_corrected_input_of_the_next_stage():
    """Beliefs that were carried along are those of a study that was told so at once."""
    one, other = run(Study(ROWS, objective=LINE, seed=1), 7), Study(ROWS, objective=LINE, seed=1)
    one.recommend()
    one.amend(2, {"a": 77.0}, reason="typo")
    for trial in one.trials:
        other.add(trial.params, {"a": trial.values["a"], "b": trial.values["b"]})
    for mine, yours in zip(one.predict(ROWS[:9], "b"), other.predict(ROWS[:9], "b"), strict=True):
        np.testing.assert_array_equal(mine, yours)
    assert one.certificate().bound == other.certificate().bound


@pytest.mark.parametrize("box", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_units_of_an_output_in_between_make_no_difference(box):
    """In millimetres or metres, from zero or not: the same suggestions, but for rounding."""
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)} if box else ROWS
    one, other = (Study(space, objective=LINE, rule=Quantile(draws=64), seed=3) for _ in range(2))
    for _ in range(9):
        mine, yours = one.ask(), other.ask()
        assert list(mine.params.values()) == pytest.approx(list(yours.params.values()), abs=1e-4)
        one.tell(mine, measure(mine.params, 40.0, 100.0))
        other.tell(yours, measure(mine.params, 0.04, -2.0))
    assert one.certificate().bound == pytest.approx(other.certificate().bound, rel=0.02, abs=1e-6)


def test_stages_without_a_chain_are_a_composite_objective():
    """The same models and the same draws: the same suggestions."""
    target = Target({"density": 1.5, "hardness": (30, 5)})
    chained = Network({"density": ["x", "y"], "hardness": ["y", "x"]}, target)
    space, rule = {"x": (0.0, 2.0), "y": (0.0, 2.0)}, Quantile(draws=512)
    one = Study(space, objective=target, rule=rule, seed=2)
    other = Study(space, objective=Network({**chained.stages, "hardness": ["x", "y"]}, target), seed=2)
    assert other.rule == rule
    for _ in range(9):
        a, b = one.ask(), other.ask()
        assert list(a.params.values()) == pytest.approx(list(b.params.values()), abs=1e-5)
        p = a.params
        values = {"density": 1.0 + np.sin(3 * p["x"]) + 0.3 * p["y"], "hardness": 60.0 * np.cos(p["x"] - p["y"])}
        assert one.tell(a, values).value == pytest.approx(other.tell(b, values).value)


def test_a_known_identity_is_the_plain_study():
    """One stage, its output the objective, under a given model: what the plain rule suggests, or what comes close."""
    known = Surrogate.known(kernel="rbf", lengthscale=0.4, signal_var=1.0, noise_var=1e-4)
    one = Study(ROWS, objective=Network({"f": ["x", "y"]}), rule=Quantile(draws=4096), surrogate=known, seed=4)
    plain = Study(ROWS, surrogate=known, seed=4)
    same = 0
    for _ in range(12):
        a, b = one.ask(), plain.ask()
        assert a.zeta == b.zeta
        same += a.params == b.params
        y = float(np.sin(5 * b.params["x"]) * b.params["y"])
        plain.tell(b, y)
        one.release(a) if a.params != b.params else one.tell(a, {"f": y})
        if a.params != b.params:
            one.add(b.params, {"f": y})
            break
    assert same >= 5
    assert one.predict(ROWS)[0] == pytest.approx(one.predict(ROWS, "f")[0])


def test_minimising_is_maximising_the_negative():
    low = Study(ROWS, objective=LINE, direction="minimize", seed=3)
    high = Study(ROWS, objective=Network(LINE.stages, lambda y: -y["b"], "final b"), seed=3)
    for _ in range(9):
        a, b = low.ask(), high.ask()
        assert a.params == b.params
        values = {name: -value if name == "b" else value for name, value in measure(a.params).items()}
        assert low.tell(a, values).value == -high.tell(b, values).value
    assert low.recommend().mean == pytest.approx(-high.recommend().mean)


def test_what_is_pending_is_expected_to_be_its_mean():
    """Several suggestions at once lie apart, also where only a part of a trial has come."""
    study = run(Study(ROWS, objective=LINE, seed=1), 8)
    asked = study.ask(4)
    assert len({tuple(trial.params.items()) for trial in asked}) == 4
    study.tell(asked[0], {"a": measure(asked[0].params)["a"]})
    study.tell(asked[1], failed=True)
    more = study.ask(2)
    assert len({tuple(trial.params.items()) for trial in (*asked, *more)}) == 6
    study.tell(asked[0], {"b": measure(asked[0].params)["b"]})
    study.ask()


def test_predictions_say_that_earlier_stages_are_not_known_either():
    study = run(Study(ROWS, objective=LINE, seed=1), 10)
    mean, sd = study.predict(ROWS)
    b, sd_b = study.predict(ROWS, "b")
    np.testing.assert_allclose(mean, b)
    np.testing.assert_allclose(sd, sd_b)
    a, sd_a = study.predict(ROWS, "a")
    assert a == pytest.approx([measure(row)["a"] for row in ROWS], abs=25.0)
    inside = np.abs(b - [measure(row)["b"] for row in ROWS]) < 3.0 * sd_b + 0.05
    assert inside.mean() > 0.9
    median, low, high = study.predict_measurement(ROWS, "b")
    assert ((low <= median) & (median <= high)).all()
    trials, measured, *_ = study.predict_left_out("b")
    assert measured == pytest.approx([study.trials[i].values["b"] for i in trials])
    assert (sd_a >= 0.0).all()


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(None, marks=pytest.mark.slow),
        networks.profit,
        pytest.param(Target({"a": 110.0, "b": (0.0, 2.0)}), marks=pytest.mark.slow),
    ],
)
def test_a_stored_network_goes_on_to_the_last_bit(tmp_path, function):
    path, objective = tmp_path / "lab.db", Network(LINE.stages, function)
    with Study.open(path, "one", space=ROWS, objective=objective, seed=1) as study:
        run(study, 6)
    whole = run(Study(ROWS, objective=objective, seed=1), 8)
    with Study.open(path, "one", trust=[networks.__name__]) as again:
        assert again.outcomes[0].composite == objective
        assert again.rule == Quantile(draws=512)
        run(again, 2)
        assert [t.params for t in again.trials] == [t.params for t in whole.trials]
        assert again.certificate().bound == whole.certificate().bound
        assert all(step.matches for step in replay(again))
        again.certificate(record=True)
    with Study.open(path, "one", objective=objective) as again:  # whoever hands it in has imported it
        assert len(again.trials) == 8
    for other in (Network({"a": ["x"], "b": ["y", "a"]}, function), Composite(networks.profit, of=["a", "b"])):
        with pytest.raises((StudyConflict, UntrustedCode)):
            Study.open(path, "one", objective=other)
    if function is networks.profit:
        with pytest.raises(UntrustedCode, match="networks:profit"):
            Study.open(path, "one")


def test_optimize_takes_a_function_of_the_outputs():
    result = Study(ROWS, objective=LINE, seed=2).optimize(measure, 25, stop_when=Regret(0.05, patience=2))
    assert result.study.best.value >= max(measure(row)["b"] for row in ROWS) - 0.05


def test_categories_constants_and_conditions_are_inputs_too():
    space = {"oven": ["A", "B", "C"], "x": (0.0, 1.0), "batch": 7, "n": (1, 5)}
    net = Network({"a": ["x", "oven", "batch"], "b": ["a", "n"], "c": ["a", "b"]})
    heat = {"A": 0.0, "B": 0.7, "C": 0.3}

    def three(p):
        a = p["x"] + heat[p["oven"]]
        return {"a": a, "b": a * p["n"], "c": -((a * p["n"] - 3.0) ** 2)}

    study = run(Study(space, objective=net, rule="ts", seed=1), 14, three)
    assert study.best.value > -0.5
    assert study.recommend().mean > -0.5


def test_a_table_may_grow():
    study = run(Study(Table(ROWS, id=None), objective=LINE, seed=1), 6)
    study.extend([{"x": 1.2, "y": 0.5}])
    run(study, 2)
    assert study.recommend().params in [*ROWS, {"x": 1.2, "y": 0.5}]


def test_what_cannot_be_is_said():
    cases = {
        "needs stages": lambda: Network({}),
        "list of different": lambda: Network({"a": "x"}),
        "different names": lambda: Network({"a": ["x", "x"]}),
        "wait for each other": lambda: Network({"a": ["b"], "b": ["a"]}),
        "one must be the last": lambda: Network({"a": ["x"], "b": ["x"]}),
        "unlike its outcomes": lambda: Network({"a": ["x"]}, name="a"),
        "input of a stage": lambda: Network({"a": ["x"]}, name="x"),
        "is a parameter": lambda: Study(ROWS, objective=Network({"x": ["y"]})),
        "neither a parameter": lambda: Study(ROWS, objective=Network({"a": ["x", "z"], "b": ["a", "y"]})),
        "an input of no stage": lambda: Study(ROWS, objective=Network({"a": ["x"]})),
        "constant inputs": lambda: Study({"x": (0.0, 1.0), "k": 3}, objective=Network({"a": ["k"], "b": ["a", "x"]})),
        "by name": lambda: Study([(0.0, 1.0)], objective=Network({"a": ["x0"]})),
        "one number": lambda: Study(ROWS, objective=LINE, surrogate=Surrogate(lengthscale=(0.3, 0.4))),
        "a Network is one objective": lambda: Study(ROWS, objective=LINE, constraints={"c": ("<=", 1)}),
        "no rule of composite": lambda: Study(ROWS, objective=LINE, rule="ei"),
    }
    for words, bad in cases.items():
        with pytest.raises(InvalidInput, match=words):
            bad()
    earlier = run(Study(ROWS, objective=LINE, seed=1), 5)
    with pytest.raises(InvalidInput, match="earlier study"):
        Study(ROWS, objective=LINE, seed=2).add_study(earlier)
    with pytest.raises(InvalidInput, match="no outcome"):
        earlier.tell(earlier.ask(), {"final b": 1.0})


def test_stages_are_put_in_order():
    net = Network({"c": ["b", "y"], "b": ["a"], "a": ["x"]})
    assert net.of == ("a", "b", "c")
    assert net == Network({"a": ["x"], "b": ["a"], "c": ["b", "y"]})
    assert Network.from_data(net.to_data(), lambda _: None) == net


@settings(max_examples=8, deadline=None)
@given(
    values=st.lists(st.one_of(st.none(), st.floats(-1e4, 1e4)), min_size=3, max_size=8),
    box=st.booleans(),
)
def test_any_results_leave_a_suggestion_and_a_bound(values, box):
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)} if box else ROWS[::7]
    study = Study(space, objective=LINE, seed=5)
    for value in values:
        trial = study.ask()
        study.tell(trial, failed=True) if value is None else study.tell(trial, {"a": value, "b": value / 7.0})
    study.ask()
    if any(value is not None for value in values):
        assert study.certificate().bound >= 0.0
        assert np.isfinite(study.recommend().mean)


@pytest.mark.parametrize(("unit", "offset"), [(1e-9, 0.0), (1e9, 0.0), (1.0, 1e6), (1e-300, 0.0)])
def test_outputs_may_have_any_units(unit, offset):
    study = Study({"x": (0.0, 1.0), "y": (0.0, 1.0)}, objective=LINE, seed=3)
    for _ in range(8):
        trial = study.ask()
        a = np.sin(4.0 * trial.params["x"])
        study.tell(trial, {"a": offset + unit * a, "b": -((a - 0.6) ** 2)})
    assert np.isfinite(study.recommend().mean)
