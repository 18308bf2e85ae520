"""What holds for every rule for several outcomes: a rule added to JOINT_RULES is tested by being there."""

import numpy as np
import pytest

from regretless.acquisition import JOINT_RULES, BoundingBoxes, Chebyshev, JointRule, JointUCB, Outputs, as_joint_rule
from regretless.confidence import Schedule, ShiftedExponential, TightUnion
from regretless.errors import InvalidInput

from .joint import outputs
from .test_every_rule import DEGENERATE, SPACES, STEP, inner_points
from .views import rng

#: Rule, objectives, constraints, threshold.
CASES = [
    *(
        (name, 1, J, h)
        for name in ("optimistic", "penalised", "constrained-ei")
        for J, h in ((0, 0.0), (1, 0.3), (2, -9.0))
    ),
    *(
        (name, K, J, 0.3)
        for name in ("chebyshev", "hvi", "ehvi")
        for K, J in ((1, 0), (1, 1), (2, 0), (3, 0), (2, 1), (4, 2))
    ),
    ("boxes", 1, 0, 0.0),
    ("boxes", 2, 0, 0.0),
    ("boxes", 3, 0, 0.0),
]
ON_BOXES = [case for case in CASES if case[0] != "boxes"]
CASE = pytest.mark.parametrize(("name", "K", "J", "threshold"), CASES)
ON_BOX = pytest.mark.parametrize(("name", "K", "J", "threshold"), ON_BOXES)


def test_every_rule_has_cases():
    assert {case[0] for case in CASES} == set(JOINT_RULES)


@pytest.mark.parametrize("name", JOINT_RULES)
def test_by_name(name):
    assert as_joint_rule(name.upper()) == JOINT_RULES[name]()
    assert hash(as_joint_rule(name)) == hash(JOINT_RULES[name]())
    assert as_joint_rule(as_joint_rule(name)) == JOINT_RULES[name]()
    assert JOINT_RULES[name].name == name
    assert issubclass(JOINT_RULES[name], JointRule)


def test_unknown_names():
    with pytest.raises(InvalidInput, match=r"must be a JointRule or one of optimistic.*Did you mean 'chebyshev'"):
        as_joint_rule("chebishev")
    with pytest.raises(InvalidInput, match="got 3"):
        as_joint_rule(3)


@pytest.mark.parametrize(
    ("name", "K", "J", "threshold", "kind"),
    [*((*case, "table") for case in CASES), *((*case, "box") for case in ON_BOXES)],
)
def test_draw_is_deterministic_and_score_is_pure(name, K, J, threshold, kind):
    out, rule = outputs(kind, K, J, threshold=threshold), JOINT_RULES[name]()
    one, two = rule.draw(out, 2, rng(5)), rule.draw(out, 2, rng(5))
    assert dict(one.record) == dict(two.record)
    assert all(isinstance(v, float) and np.isfinite(v) for v in one.record.values())
    np.testing.assert_array_equal(one.on(out), two.on(out))
    np.testing.assert_array_equal(one.on(out), one.on(out))
    assert one.on(out).shape == (len(out.views[0].X),)


@ON_BOX
@pytest.mark.parametrize("kind", ["table", "box"])
def test_on_the_candidates_is_at_their_points(name, K, J, threshold, kind):
    out = outputs(kind, K, J, threshold=threshold)
    score = JOINT_RULES[name]().draw(out, 2, rng(1))
    np.testing.assert_allclose(score.on(out), score.at(out.views[0].X), rtol=1e-9, atol=1e-9)


@ON_BOX
@pytest.mark.parametrize("d", SPACES)
def test_gradient_by_central_differences(name, K, J, threshold, d):
    out = outputs("box", K, J, threshold=threshold, d=d, seed=3)
    view = out.views[0]
    X = inner_points(view, 12)
    for t in (1, 4, 6):
        score = JOINT_RULES[name]().draw(out, t, rng(t))
        value, gradient = score.value_and_gradient(X)
        np.testing.assert_allclose(value, score.at(X), rtol=1e-9, atol=1e-10)
        for j, count in enumerate(view.n_levels):
            if count:
                np.testing.assert_array_equal(gradient[:, j], 0.0)
                continue
            e = STEP * np.eye(X.shape[1])[j]
            up, down = score.at(X + e), score.at(X - e)
            # Where the score has an edge between the two points, its one-sided slopes differ by far more than rounding.
            slope = (up - down) / (2.0 * STEP)
            smooth = np.abs((up - value) - (value - down)) < 1e-2 * STEP * (1.0 + np.abs(slope))
            assert smooth.sum() >= 8
            np.testing.assert_allclose(
                gradient[smooth, j], slope[smooth], rtol=1e-4, atol=1e-5 * (1.0 + np.abs(slope[smooth]).max())
            )


@CASE
@pytest.mark.parametrize("case", DEGENERATE)
def test_finite_everywhere(name, K, J, threshold, case):
    for kind, size in (("table", {"N": 1}), ("table", {"N": 12}), ("box", {})):
        if name == "boxes" and kind == "box":
            continue
        out = outputs(kind, K, J, threshold=threshold, **size, **DEGENERATE[case])
        for t in (1, 2, 3, 6):
            score = JOINT_RULES[name]().draw(out, t, rng(t))
            assert np.isfinite(score.on(out)).all()
            if kind == "box":
                for X in (out.views[0].X, out.views[0].told):
                    value, gradient = score.value_and_gradient(X)
                    assert np.isfinite(value).all()
                    assert np.isfinite(gradient).all()
                    assert gradient.shape == X.shape


@pytest.mark.parametrize("name", [name for name, rule in JOINT_RULES.items() if issubclass(rule, JointUCB)])
def test_a_law_of_ones_own(name):
    out = outputs("table", 1 if name in ("optimistic", "penalised") else 2)
    rule = JOINT_RULES[name](law=Schedule.constant(2.5))
    assert rule.draw(out, 1, rng()).record["zeta"] == 2.5
    with pytest.raises(InvalidInput, match="law must be a law of zeta"):
        JOINT_RULES[name](law=4.0)

    class Bad:
        def draw(self, *_):
            return -1.0

    with pytest.raises(InvalidInput, match="finite zeta >= 0"):
        JOINT_RULES[name](law=Bad()).draw(out, 1, rng())


@pytest.mark.parametrize(
    ("name", "K", "J", "events", "every"),
    [
        ("optimistic", 1, 2, 30, 6),
        ("optimistic", 1, 0, 30, 4),
        ("penalised", 1, 2, 90, 4),
        ("chebyshev", 3, 1, 30, 6),
        ("chebyshev", 2, 0, 30, 6),
        ("chebyshev", 1, 0, 30, 4),
        ("chebyshev", 4, 0, 30, 4),
        ("hvi", 3, 1, 30, 2),
        ("boxes", 3, 0, 90, 1),
    ],
)
def test_the_default_law(name, K, J, events, every):
    rule = JOINT_RULES[name]()
    assert rule.law_for(outputs("table", K, J)) == ShiftedExponential.for_events(events, every=every)
    law = rule.law_for(outputs("box", K, J))
    assert [law.mean(t) for t in range(1, 7)] == [2.0 if t % every else 6.0 for t in range(1, 7)]
    assert JOINT_RULES[name](law=TightUnion(7)).law_for(outputs("table", K, J)) == TightUnion(7)


def test_outputs_are_checked():
    views = outputs("table", 2).views
    with pytest.raises(InvalidInput, match="2 objectives and 1 constraints need as many views, got 2"):
        Outputs(views, 2, (0.0,), np.zeros(2))
    for reference in (None, np.zeros(3)):
        with pytest.raises(InvalidInput, match="reference point of 2 numbers"):
            Outputs(views, 2, (), reference)


@pytest.mark.parametrize("name", ["optimistic", "penalised", "constrained-ei"])
def test_one_objective_only(name):
    with pytest.raises(InvalidInput, match="has one objective, got 2"):
        JOINT_RULES[name]().draw(outputs("table", 2, 1), 1, rng())


def test_boxes_are_for_tables_without_constraints():
    for out in (outputs("box", 2), outputs("table", 2, 1)):
        with pytest.raises(InvalidInput, match="for tables without constraints only"):
            BoundingBoxes().draw(out, 1, rng())
    score = BoundingBoxes().draw(outputs("table", 2), 1, rng())
    with pytest.raises(InvalidInput, match="candidates of a table"):
        score.value_and_gradient(np.zeros((3, 2)))


def test_weights_and_zeta_are_recorded():
    record = Chebyshev().draw(outputs("table", 3), 6, rng(2)).record
    assert set(record) == {"zeta", "weight_0", "weight_1", "weight_2"}
    assert sum(record[f"weight_{k}"] for k in range(3)) == pytest.approx(1.0)
