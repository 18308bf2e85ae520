"""What holds for every rule: a rule added to RULES is tested by being there."""

import numpy as np
import pytest

from regretless.acquisition import RULES, TS, MomentScore, Rule
from regretless.errors import InvalidInput

from .views import box_view, rng, table_view

RULE = pytest.mark.parametrize("name", RULES)
#: Those whose score is a formula of mean and sd.
FORMULAS = [name for name, rule in RULES.items() if isinstance(rule().draw(box_view(), 1, rng()), MomentScore)]
FORMULA = pytest.mark.parametrize("name", FORMULAS)
#: d real columns, or the mixed space (real, category, real, whole number).
SPACES = [1, 2, 3, 4, "mixed"]
STEP = np.finfo(float).eps ** (1 / 3)

DEGENERATE = {
    "no observation": {"n": 0},
    "one observation": {"n": 1},
    "constant y": {"n": 6, "y": 0.7},
    "all zero": {"n": 6, "y": 0.0},
    "hardly any noise": {"n": 6, "noise_var": 1e-12},
    "much noise": {"n": 6, "noise_var": 10.0},
    "short lengthscale": {"n": 6, "lengthscale": 1e-3},
    "long lengthscale": {"n": 6, "lengthscale": 50.0, "noise_var": 1e-8},
    "large values": {"n": 6, "y": 1e3, "noise_var": 1e-6},
    "small values": {"n": 6, "y": -1e3, "noise_var": 1e-6},
    "tiny signal": {"n": 6, "signal_var": 1e-8, "noise_var": 1e-12},
}


def inner_points(view, m, seed=7):
    """Rows where central differences are possible: real columns away from the cube's faces."""
    X = view.X[np.random.default_rng(seed).integers(0, len(view.X), m)].copy()
    shift = np.random.default_rng(seed + 1).uniform(0.05, 0.95, X.shape)
    real = [j for j, count in enumerate(view.n_levels) if not count]
    X[:, real] = shift[:, real]
    return X


@RULE
def test_is_a_rule_with_its_name(name):
    assert issubclass(RULES[name], Rule)
    assert RULES[name].name == name
    assert RULES[name]() == RULES[name]()
    assert hash(RULES[name]()) == hash(RULES[name]())


def beside_table():
    """A table of which something was measured that is not a row of it."""
    return table_view(30, 9, outside=5)


@RULE
@pytest.mark.parametrize("make", [box_view, table_view, beside_table])
def test_draw_is_deterministic_and_score_is_pure(name, make):
    view, rule = make(), RULES[name]()
    one, two = rule.draw(view, 3, rng(5)), rule.draw(view, 3, rng(5))
    assert dict(one.record) == dict(two.record)
    np.testing.assert_array_equal(one.on(view), two.on(view))
    np.testing.assert_array_equal(one.on(view), one.on(view))
    if make is box_view:
        np.testing.assert_array_equal(one.at(view.X), two.at(view.X))
    assert all(isinstance(v, float) and np.isfinite(v) for v in one.record.values())


@RULE
@pytest.mark.parametrize("d", SPACES)
@pytest.mark.parametrize("seed", [0, 1])
def test_on_the_view_is_at_its_points(name, d, seed):
    view = box_view(d, seed=seed)
    score = RULES[name]().draw(view, 2, rng(seed))
    np.testing.assert_allclose(score.on(view), score.at(view.X), rtol=1e-9, atol=1e-9)


@RULE
@pytest.mark.parametrize("outside", [0, 5])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_on_a_table_is_at_its_rows(name, seed, outside):
    view = table_view(30, 4 + outside, seed=seed, d="mixed" if seed == 2 else 2, outside=outside)
    score = RULES[name]().draw(view, 2, rng(seed))
    if name == TS.name:  # an exact path has no values between the candidates
        with pytest.raises(InvalidInput, match="between its candidates"):
            score.at(view.X)
        return
    np.testing.assert_allclose(score.on(view), score.at(view.X), rtol=1e-9, atol=1e-9)


@RULE
@pytest.mark.parametrize(("d", "family"), [*((d, "matern52") for d in SPACES), (2, "rbf"), ("mixed", "matern32")])
def test_gradient_by_central_differences(name, d, family):
    view = box_view(d, family=family, seed=3)
    K = view.posterior.kernel(view.posterior.X, view.posterior.X)
    assert np.linalg.cond(K + view.posterior.noise_var * np.eye(len(K))) < 1e8
    X = inner_points(view, 12)
    for seed in (0, 1):  # ATS has two branches
        score = RULES[name]().draw(view, 2, rng(seed))
        value, gradient = score.value_and_gradient(X)
        np.testing.assert_allclose(value, score.at(X), rtol=1e-9, atol=1e-10)
        for j, count in enumerate(view.n_levels):
            if count:
                np.testing.assert_array_equal(gradient[:, j], 0.0)
                continue
            e = STEP * np.eye(X.shape[1])[j]
            slope = (score.at(X + e) - score.at(X - e)) / (2.0 * STEP)
            np.testing.assert_allclose(gradient[:, j], slope, rtol=1e-5, atol=1e-6 * (1.0 + np.abs(slope).max()))


@RULE
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("d", [2, "mixed"])
def test_finite_everywhere_on_a_box(name, case, d):
    view = box_view(d, **DEGENERATE[case])
    for seed in (0, 1):
        score = RULES[name]().draw(view, 1 + seed, rng(seed))
        assert np.isfinite(score.on(view)).all()  # the view holds the observed points too
        for X in (view.X, view.X[:1], view.told, view.told + 1e-9):
            value, gradient = score.value_and_gradient(X)
            assert value.shape == (len(X),)
            assert gradient.shape == X.shape
            assert np.isfinite(value).all()
            assert np.isfinite(gradient).all()


@RULE
@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("N", [1, 2, 40])
def test_finite_everywhere_on_a_table(name, case, N):
    view = table_view(N, **DEGENERATE[case])
    for seed in range(3):
        score = RULES[name]().draw(view, 1 + seed, rng(seed))
        values = score.on(view)
        assert values.shape == (N,)
        assert np.isfinite(values).all()


@RULE
@pytest.mark.parametrize("case", DEGENERATE)
def test_finite_with_data_of_no_row(name, case):
    changes = {**DEGENERATE[case], "n": 7}
    for inside in (0, 1, 4):  # also where no candidate was measured at all
        view = table_view(20, **{**changes, "n": inside + 3, "outside": 3})
        score = RULES[name]().draw(view, 1, rng(0))
        assert np.isfinite(score.on(view)).all()
        assert all(np.isfinite(v) for v in score.record.values())


def test_an_incumbent_is_a_candidate():
    """Of data of no row neither the value nor the mean is what a candidate has to improve on."""
    view = table_view(30, 9, outside=5, y=np.array([0.1, 0.4, 0.2, 0.3, 9.0, 9.0, 9.0, 9.0, 9.0]))
    for incumbent in ("mean", "value"):
        assert RULES["ei"](incumbent=incumbent).draw(view, 1, rng()).record["incumbent"] < 5.0
    np.testing.assert_allclose(view.mean_at_told(), view.posterior.mean(view.told))
    maxima = RULES["mes"](n_samples=200).draw(view, 1, rng()).formula.maxima
    assert maxima.min() < 9.0  # at least the best value of a candidate, and no other


@FORMULA
def test_formulas_are_finite_in_the_far_tails(name):
    view = box_view()
    score = RULES[name]().draw(view, 1, rng(0))
    level = score.record.get("threshold", score.record.get("incumbent", score.record.get("mean_maximum", 0.0)))
    for sd_value in (1e-7, 1e-3, 1.0, 1e3):
        z = np.array([-1e8, -1e5, -1e3, -40.0, -30.0, -5.0, 0.0, 5.0, 30.0, 40.0, 1e3, 1e5, 1e8])
        sd = np.full(len(z), sd_value)
        value = score.formula.value(level + z * sd, sd)
        by_mean, by_sd = (np.broadcast_to(slope, z.shape) for slope in score.formula.slopes(level + z * sd, sd))
        assert np.isfinite(value).all()
        assert np.isfinite(by_mean).all()
        assert np.isfinite(by_sd).all()
        assert (np.diff(value) >= 0.0).all(), "at equal sd a larger mean is never worse"
        assert (by_mean >= 0.0).all()


@FORMULA
def test_candidates_of_equal_moments_get_equal_scores_wherever_they_stand(name):
    view = table_view(20, 0)
    values = RULES[name]().draw(view, 2, rng(1)).on(view)
    np.testing.assert_allclose(values, values[0], rtol=1e-12)
