from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from regretless.acquisition import EI, IRGPUCB, Chebyshev, ConstrainedEI, Optimistic, Penalised
from regretless.acquisition.constrained import InSet
from regretless.acquisition.outputs import OfFirst
from regretless.acquisition.ucb import UpperBound
from regretless.confidence import Schedule
from regretless.errors import InvalidInput
from regretless.search import Objective, search_product
from regretless.spaces import Box

from .joint import outputs, with_moments
from .views import rng

# The worked example of the reference values: one constraint, threshold 0, c = 1.7.
MEAN = np.array([[0.2, -0.4], [0.9, 0.2], [-0.1, -1.0], [0.5, 0.05]])
SD = np.array([[0.5, 0.3], [0.3, 0.4], [0.8, 0.5], [0.1, 0.02]])
ROOT = 1.7
CONSTANT = Schedule.constant(ROOT**2)


def example(threshold=0.0):
    return with_moments(outputs("table", 1, 1, threshold=threshold, N=4, n=0, signal_var=1.0), MEAN, SD)


def test_penalised_known_values():
    values = Penalised(2.0, law=CONSTANT).draw(example(), 1, rng()).on(example())
    np.testing.assert_allclose(values, [1.05, 1.41, 1.26, 0.638], rtol=1e-12)


def test_optimistic_known_set():
    score = Optimistic(law=CONSTANT).draw(example(), 1, rng())
    values = score.on(example())
    inside = np.array([True, True, True, False])
    np.testing.assert_array_equal(score.formula.missing(MEAN, SD)[:, 0] <= 0.0, inside)
    np.testing.assert_allclose(values[inside], (MEAN[:, 0] + ROOT * SD[:, 0])[inside], rtol=1e-15)
    assert values[~inside].max() < values[inside].min()
    assert set(score.record) == {"zeta"}


def test_an_empty_set_takes_what_misses_least_and_says_so():
    out = example(threshold=-5.0)
    score = Optimistic(law=CONSTANT).draw(out, 1, rng())
    assert score.record["empty"] == 1.0
    assert score.record["feasible_at_most"] == pytest.approx(4 * stats.norm.sf(ROOT))
    assert score.on(out).argmax() == (MEAN[:, 1] - ROOT * SD[:, 1]).argmin() == 2
    # On a box it is said of the candidates, and nothing is proved.
    score = Optimistic(law=CONSTANT).draw(outputs("box", 1, 1, threshold=-50.0), 1, rng())
    assert "empty" in score.record
    assert "feasible_at_most" not in score.record


def test_several_constraints_are_compared_in_their_own_scales():
    mean, sd = np.array([[0.0, 1.0, 0.1], [0.0, 0.2, 0.5]]), np.full((2, 3), 1e-7)
    formula = InSet(OfFirst(UpperBound(1.0)), 1.0, np.zeros(2), np.array([1.0, 0.1]), floor=-3.0)
    np.testing.assert_allclose(formula.value(mean, sd), [-4.0, -8.0], atol=1e-5)


@given(st.integers(0, 50), st.floats(-1.0, 1.0))
def test_known_constraints_filter_the_table(seed, threshold):
    """With sd = 0 the rule is UCB over the rows that are feasible."""
    random = rng(seed)
    mean, sd = random.standard_normal((12, 2)), random.random((12, 2))
    sd[:, 1] = 0.0
    out = with_moments(outputs("table", 1, 1, threshold=threshold, N=12), mean, sd)
    best = Optimistic(law=CONSTANT).draw(out, 1, rng()).on(out).argmax()
    feasible = mean[:, 1] <= threshold
    if feasible.any():
        assert best == np.where(feasible, mean[:, 0] + ROOT * sd[:, 0], -np.inf).argmax()
    else:
        assert best == mean[:, 1].argmin()


@pytest.mark.parametrize("kind", ["table", "box"])
def test_the_steps_between_two_optimistic_ones(kind):
    """Cautious by one sd, at the means in the middle, improvement between; a given law is optimistic at every step."""
    out = outputs(kind, 1, 2)
    for t in range(1, 13):
        score = Optimistic().draw(out, t, rng(t))
        if t % 6 in (2, 4):
            np.testing.assert_array_equal(score.on(out), ConstrainedEI().draw(out, t, rng(t)).on(out))
            continue
        root = np.sqrt(score.record["zeta"])
        assert score.formula.root == {0: root, 1: -1.0, 3: 0.0, 5: -1.0}[t % 6]
        assert score.formula.aim.formula.root == root
        assert Optimistic(law=CONSTANT).draw(out, t, rng(t)).formula.root == pytest.approx(ROOT)


def test_a_cautious_set_says_nothing_about_feasibility():
    out = outputs("table", 1, 1, threshold=-50.0)
    assert "empty" not in Optimistic().draw(out, 1, rng()).record
    assert Optimistic().draw(out, 6, rng()).record["empty"] == 1.0


@pytest.mark.parametrize("beyond", [-1e-6, 1e-6, 0.4])
def test_a_set_is_empty_as_soon_as_every_lower_bound_is_beyond_its_threshold(beyond):
    out = outputs("table", 1, 1)
    least = (out.mean[:, 1] - ROOT * out.sd[:, 1]).min()
    score = Optimistic(law=CONSTANT).draw(replace(out, thresholds=(float(least - beyond),)), 1, rng())
    assert ("empty" in score.record) == (beyond > 0.0)


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("t", [1, 4])
@pytest.mark.parametrize("rule", [Optimistic(), Penalised()])
def test_without_constraints_it_is_irgp_ucb_to_the_last_bit(kind, t, rule):
    out = outputs(kind, 1, 0)
    view = out.views[0]
    joint, plain = rule.draw(out, t, rng(8)), IRGPUCB().draw(view, t, rng(8))
    assert dict(joint.record) == dict(plain.record)
    np.testing.assert_array_equal(joint.on(out), plain.on(view))
    np.testing.assert_array_equal(joint.at(view.X), plain.at(view.X))
    for one, other in zip(joint.value_and_gradient(view.X), plain.value_and_gradient(view.X), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("n", [0, 6])
def test_without_constraints_constrained_ei_is_ei_to_the_last_bit(kind, n):
    out = outputs(kind, 1, 0, n=n)
    joint, plain = ConstrainedEI().draw(out, 1, rng()), EI().draw(out.views[0], 1, rng())
    assert dict(joint.record) == dict(plain.record)
    np.testing.assert_array_equal(joint.on(out), plain.on(out.views[0]))


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("known", [True, False])
def test_constrained_ei_by_its_definition(kind, known):
    told = outputs(kind, 1, 1, n=8)
    told, post = told.views[0].told, told.posteriors
    means = np.column_stack([p.mean(told) for p in post])
    threshold = float(means[means[:, 0].argmax(), 1]) - 1e-3 if known else -60.0  # the best point is not feasible
    out = outputs(kind, 1, 1, n=8, threshold=threshold)
    score = ConstrainedEI().draw(out, 1, rng())
    holds = means[:, 1] <= threshold
    assert holds.any() == known == ("incumbent" in score.record)
    mean, sd = out.mean, out.sd
    expected = stats.norm.logcdf((threshold - mean[:, 1]) / sd[:, 1])
    if known:
        best = means[holds, 0].max()
        assert score.record["incumbent"] == pytest.approx(best, rel=1e-9)
        assert best < means[:, 0].max()
        z = (mean[:, 0] - best) / sd[:, 0]
        expected = expected + np.log(sd[:, 0] * (z * stats.norm.cdf(z) + stats.norm.pdf(z)))
    np.testing.assert_allclose(score.on(out), expected, rtol=1e-6)


def test_weights_are_checked():
    for weight in (0.0, -1.0, np.nan, "much"):
        with pytest.raises(InvalidInput, match="penalised: weight must be"):
            Penalised(weight)


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize(("share", "counts"), [(1e-2, True), (1e-4, True), (1e-6, False)])
def test_the_fifth_step_keeps_the_distance_of_a_measurement(kind, share, counts):
    """One sd of the model and of its noise, where the noise is more than what a fit leaves without any."""
    out = outputs(kind, 1, 2, noise_var=1.3 * share)
    for t in range(1, 13):
        formula = Optimistic().draw(out, t, rng(t)).formula
        if t % 6 != 5:
            assert not np.any(getattr(formula, "noise_var", 0.0))
            continue
        sd = np.sqrt(out.sd[:, 1:] ** 2 + (1.3 * share if counts else 0.0))
        np.testing.assert_allclose(
            formula.missing(out.mean, out.sd), (out.mean[:, 1:] + sd - out.thresholds) / np.sqrt(1.3), rtol=1e-12
        )


@pytest.mark.parametrize("rule", [Optimistic(), Chebyshev()])
@pytest.mark.parametrize("t", [5, 6])
def test_aim_and_edges_with_gradients(rule, t):
    """By the definition, and by central differences."""
    out = outputs("box", 1 if isinstance(rule, Optimistic) else 2, 2, d=3, n=12, threshold=0.2)
    score = rule.draw(out, t, rng(t))
    X, h = rng(1).random((6, 3)), 1e-5
    for x in X:
        aim, gradient, missing, gradients = score.edges(x)
        moments = [
            np.column_stack(part) for part in zip(*(post.mean_sd(x[None, :]) for post in out.posteriors), strict=True)
        ]
        assert aim == pytest.approx(score.formula.aim.value(*moments)[0], rel=1e-9)
        np.testing.assert_allclose(missing, score.formula.missing(*moments)[0], rtol=1e-9)
        for j in range(3):
            up, down = (score.edges(x + sign * h * np.eye(3)[j]) for sign in (1.0, -1.0))
            assert gradient[j] == pytest.approx((up[0] - down[0]) / (2 * h), rel=1e-4, abs=1e-6)
            np.testing.assert_allclose(gradients[:, j], (up[2] - down[2]) / (2 * h), rtol=1e-4, atol=1e-6)


def test_along_the_edges_the_search_finds_more():
    """Against the same search without them, in three columns: never less by more than rounding, and inside the set."""
    gain, space = [], Box([(0.0, 1.0)] * 3)
    for seed in range(20):
        out = outputs("box", 1, 2, threshold=-0.3, seed=seed, d=3, n=20, n_candidates=200)
        score = Optimistic(law=Schedule.constant(1.0)).draw(out, 1, rng(seed))
        aims = []
        for edges in (score.edges, None):
            objective = Objective(score.at, score.value_and_gradient, 1e-6, edges)
            x = search_product(space, objective, out.views[0].X, score.on(out), blocked=np.empty((0, 3)))[0]
            aim, _, missing, _ = score.edges(x)
            assert missing.max() <= 1e-6
            aims.append(aim)
        gain.append(aims[0] - aims[1])
    assert np.min(gain) > -1e-9
    assert np.mean(gain) > 1e-4


def found_by(out, score, formula, d):
    """The point that a search of ``formula`` finds."""
    searched = replace(score, formula=formula)
    objective, space = Objective(searched.at, searched.value_and_gradient), Box([(0.0, 1.0)] * d)
    return search_product(space, objective, out.views[0].X, searched.on(out), blocked=np.empty((0, d)))[0][None, :]


def test_the_best_point_found_on_a_box_is_the_best_of_the_set():
    """Against a fine grid: inside the set whenever there is one, and short of the best by little."""
    grid = np.linspace(0.0, 1.0, 201)
    G = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    for seed in range(8):
        out = outputs("box", 1, 1 + seed % 2, threshold=-0.5, seed=seed, n=8, n_candidates=300)
        score = Optimistic(law=Schedule.constant(1.0)).draw(out, seed + 1, rng(seed))
        assert "empty" not in score.record
        X = np.vstack([found_by(out, score, score.formula, 2), G])
        (mean, sd), *rest = (post.mean_sd(X) for post in out.posteriors)
        inside = np.all([m - s <= -0.5 for m, s in rest], axis=0)
        assert inside[0]
        assert (mean + sd)[inside].max() - (mean + sd)[0] < 0.01 * np.ptp(mean + sd)


def test_the_margin_helps_the_search():
    """Without it an ascent stops where it meets the edge of the set."""
    gain = []
    for seed in range(30):
        out = outputs("box", 1, 1, threshold=-0.3, seed=seed, d=3, n=20, n_candidates=200)
        score = Optimistic(law=Schedule.constant(1.0)).draw(out, 1, rng(seed))
        plain = replace(score.formula, weight=0.0, margin=0.0)
        sharp = replace(score, formula=plain)
        both = [sharp.at(found_by(out, score, formula, 3))[0] for formula in (score.formula, plain)]
        gain.append(both[0] - both[1])
    assert np.mean(gain) > 0.0
    assert np.min(gain) > -0.01
