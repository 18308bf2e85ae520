from dataclasses import replace

import numpy as np
import pytest

from regretless.acquisition import EHVI, HVI, IRGPUCB, BoundingBoxes, Chebyshev, Optimistic
from regretless.acquisition import bounding_boxes as module
from regretless.acquisition.bounding_boxes import reach
from regretless.acquisition.hypervolume import expected_improvement
from regretless.acquisition.objectives import ChebyshevBound
from regretless.confidence import Schedule, ShiftedExponential
from regretless.pareto import hypervolume, non_dominated
from regretless.search import Objective, search_product
from regretless.spaces import Box

from .joint import outputs, with_moments
from .views import rng

LAW = Schedule.constant(4.0)


def random_outputs(seed, K, J=0, N=25):
    random = rng(seed)
    mean, sd = random.standard_normal((N, K + J)), random.uniform(0.1, 0.6, (N, K + J))
    return with_moments(outputs("table", K, J, N=N, n=3, threshold=0.2), mean, sd)


def test_chebyshev_known_values():
    mean = np.array([[0.3, 0.8], [0.9, 0.1], [0.5, 0.5]])
    sd = np.array([[0.4, 0.2], [0.3, 0.3], [0.1, 0.6]])
    formula = ChebyshevBound(2.0, np.array([0.3, 0.7]), np.array([-1.0, -1.0]))
    np.testing.assert_allclose(formula.value(mean, sd), [0.63, 0.75, 0.51], rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_chebyshev_by_its_definition(seed):
    out = random_outputs(seed, 3)
    score = Chebyshev(law=LAW).draw(out, 1, rng(seed))
    lam = [score.record[f"weight_{k}"] for k in range(3)]
    front = out.mean[non_dominated(out.mean)]
    r = front.max(axis=0) - front.min(axis=0)
    expected = [
        min(lam[k] * (out.mean[i, k] + 2.0 * out.sd[i, k] - out.reference[k]) / r[k] for k in range(3))
        for i in range(25)
    ]
    np.testing.assert_allclose(score.on(out), expected, rtol=1e-12)


def test_weights_are_uniform_on_the_simplex():
    out = random_outputs(0, 3)
    random = rng(1)
    lam = np.array([list(Chebyshev().draw(out, 6, random).record.values())[1:] for _ in range(3000)])
    np.testing.assert_allclose(lam.mean(axis=0), 1 / 3, atol=0.02)
    np.testing.assert_allclose((lam**2).mean(axis=0), 2 / 12, atol=0.015)


def test_the_softness_goes_to_zero():
    out = random_outputs(2, 2)
    sharp = ChebyshevBound(1.0, np.array([0.4, 0.6]), np.zeros(2))
    value = sharp.value(out.mean, out.sd)
    for softness in (0.1, 1e-3, 1e-9):
        soft = replace(sharp, softness=softness).value(out.mean, out.sd)
        assert (soft <= value).all()
        assert (soft >= value - softness * np.log(2.0) - 1e-15).all()


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_hvi_is_a_difference_of_hypervolumes(K, seed):
    out = random_outputs(seed, K)
    values = HVI(law=LAW).draw(out, 1, rng()).on(out)
    front = out.mean[non_dominated(out.mean)]
    r = np.ptp(front, axis=0)
    upper = out.mean + 2.0 * out.sd
    gain = [
        hypervolume(np.vstack([front, u]) / r, out.reference / r) - hypervolume(front / r, out.reference / r)
        for u in upper
    ]
    positive = np.array(gain) > 1e-12
    assert positive.any()
    np.testing.assert_allclose(values[positive], np.array(gain)[positive], rtol=1e-9)
    assert (values[~positive] <= 1e-12).all()


def test_where_nothing_improves_what_misses_least_is_best():
    """Far below the reference point: the one that is closest to it in its worst objective."""
    mean = np.array([[-9.0, -4.0], [-5.0, -5.0], [-4.0, -7.0]])
    out = with_moments(outputs("table", 2, N=3, n=0), mean, np.full((3, 2), 1e-3))
    assert HVI(law=LAW).draw(out, 1, rng()).on(out).argmax() == 1


@pytest.mark.parametrize("rule", [Chebyshev(law=LAW), HVI(law=LAW)])
@pytest.mark.parametrize("seed", range(4))
def test_constraints_restrict_to_the_optimistic_set(rule, seed):
    out = random_outputs(seed, 2, 1)
    free = with_moments(outputs("table", 2, 0, N=25, n=3), out.mean[:, :2], out.sd[:, :2])
    assert rule.draw(free, 1, rng(seed)).record.keys() <= rule.draw(out, 1, rng(seed)).record.keys()
    score = rule.draw(out, 1, rng(seed))
    values, inside = score.on(out), out.mean[:, 2] - 2.0 * out.sd[:, 2] <= 0.2
    assert 0 < inside.sum() < 25
    assert values[inside].min() > values[~inside].max()
    np.testing.assert_array_equal(values[inside], score.formula.aim.value(out.mean, out.sd)[inside])


def test_the_front_is_that_of_feasible_means():
    out = random_outputs(1, 2, 1)
    holds = out.mean[:, 2] <= 0.2
    expected = out.mean[holds, :2][non_dominated(out.mean[holds, :2])]
    np.testing.assert_array_equal(out.front_of_means(), np.unique(expected, axis=0))
    none = with_moments(out, np.column_stack([out.mean[:, :2], np.full(25, 9.0)]), out.sd)
    np.testing.assert_array_equal(
        none.front_of_means(), np.unique(out.mean[non_dominated(out.mean[:, :2]), :2], axis=0)
    )


def test_a_front_without_width_is_scaled_by_all_means():
    mean = np.array([[1.0, 1.0], [0.0, 0.5], [-1.0, 0.0]])
    out = with_moments(outputs("table", 2, N=3, n=0), mean, np.ones((3, 2)))
    np.testing.assert_array_equal(out.ranges(out.front_of_means()), [2.0, 1.0])
    flat = with_moments(out, np.zeros((3, 2)), np.ones((3, 2)))
    np.testing.assert_array_equal(flat.ranges(flat.front_of_means()), [1.0, 1.0])


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("rule", [Chebyshev, HVI])
def test_one_objective_is_ucb_to_the_last_bit(kind, rule):
    out = outputs(kind, 1, 0)
    view = out.views[0]
    law = ShiftedExponential.for_table(30, every=2)
    joint, plain = rule(law=law).draw(out, 2, rng(8)), IRGPUCB(law).draw(view, 2, rng(8))
    assert dict(joint.record) == dict(plain.record)
    np.testing.assert_array_equal(joint.on(out), plain.on(view))
    for one, other in zip(joint.value_and_gradient(view.X), plain.value_and_gradient(view.X), strict=True):
        np.testing.assert_array_equal(one, other)
    constrained = outputs(kind, 1, 1)
    np.testing.assert_array_equal(
        rule(law=law).draw(constrained, 2, rng(8)).on(constrained),
        Optimistic(law=law).draw(constrained, 2, rng(8)).on(constrained),
    )


def test_one_objective_in_boxes_is_ucb():
    out = outputs("table", 1, 0)
    np.testing.assert_array_equal(
        BoundingBoxes(law=LAW).draw(out, 1, rng()).on(out), IRGPUCB(LAW).draw(out.views[0], 1, rng()).on(out.views[0])
    )


@pytest.mark.parametrize("seed", range(20))
def test_bounding_boxes_by_their_definition(seed, monkeypatch):
    out = random_outputs(seed, 2)
    score = BoundingBoxes(law=LAW).draw(out, 1, rng())
    mean, sd = out.mean, out.sd
    U, L = mean + 2.0 * sd, mean - 2.0 * sd
    rows = np.flatnonzero(non_dominated(mean))
    a = np.array([min(max(0.0, *(U[x] - L[h])) for h in rows) for x in range(25)])
    assert score.record["gap"] == pytest.approx(a.max())
    far, chosen = a.argmax(), score.on(out).argmax()
    if chosen != far:
        assert chosen in rows
        assert (mean[chosen] >= mean[far]).all()
        assert sd[chosen].max() > sd[far].max()
    others = np.arange(25) != chosen
    np.testing.assert_allclose(score.on(out)[others], a[others])
    small = with_moments(out, 1e-3 * mean, 1e-3 * sd)
    assert BoundingBoxes(law=LAW).draw(small, 1, rng()).on(small).argmax() == chosen  # whatever the units
    monkeypatch.setattr(module, "_ENTRIES", 2 * len(rows) * 2)  # in parts
    np.testing.assert_allclose(reach(U, L[rows]), a)


def shortfall(out, score, formula, sharp):
    """What the point found by a search of ``formula`` lacks to the best of ``sharp`` on a fine grid."""
    space, grid = Box([(0.0, 1.0)] * 2), np.linspace(0.0, 1.0, 101)
    G = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    searched = replace(score, formula=formula)
    objective = Objective(searched.at, searched.value_and_gradient)
    found = search_product(space, objective, out.views[0].X, searched.on(out), blocked=np.empty((0, 2)))
    moments = [post.mean_sd(np.vstack([found[0], G])) for post in out.posteriors]
    values = sharp.value(*(np.column_stack(columns) for columns in zip(*moments, strict=True)))
    return (values[1:].max() - values[0]) / np.ptp(values)


@pytest.mark.parametrize("kind", ["table", "box"])
def test_the_minimum_is_softened_only_where_a_search_follows_slopes(kind):
    out = outputs(kind, 2)
    score = Chebyshev(law=LAW).draw(out, 1, rng())
    assert (score.formula.softness > 0.0) == (kind == "box")


@pytest.mark.parametrize("K", [2, 3])
def test_the_best_point_found_on_a_box(K):
    for seed in range(4):
        out = outputs("box", K, seed=seed, n=8, n_candidates=200)
        score = HVI().draw(out, seed + 1, rng(seed))
        assert shortfall(out, score, score.formula, score.formula) < 1e-3


def test_the_soft_minimum_leads_to_the_sharp_one():
    """In five columns; in two a search of the sharp minimum does as well."""
    space, gain = Box([(0.0, 1.0)] * 5), []
    for seed in range(20):
        out = outputs("box", 3, seed=seed, d=5, n=30, n_candidates=200, lengthscale=0.3)
        score = Chebyshev().draw(out, 6 * (seed + 1), rng(seed))
        sharp = replace(score, formula=replace(score.formula, softness=0.0))
        both = []
        for searched in (score, sharp):
            objective = Objective(searched.at, searched.value_and_gradient)
            found = search_product(space, objective, out.views[0].X, searched.on(out), blocked=np.empty((0, 5)))
            both.append(sharp.at(found[0][None, :])[0])
        gain.append((both[0] - both[1]) / np.ptp(sharp.on(out)))
    assert np.mean(gain) > 0.0
    assert np.min(gain) > -5e-3


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("K", [2, 3])
def test_between_scalarisations_the_default_takes_expected_hypervolume(kind, K):
    out, unshifted = outputs(kind, K), ShiftedExponential(0.0)
    for t in range(1, 13):
        score = Chebyshev().draw(out, t, rng(t))
        if t % 6:
            np.testing.assert_array_equal(score.on(out), EHVI().draw(out, t, rng(t)).on(out))
            assert not score.record
        else:
            assert "weight_0" in score.record
        assert "weight_0" in Chebyshev(law=unshifted).draw(out, t, rng(t)).record  # a given law: always


@pytest.mark.parametrize("kind", ["table", "box"])
def test_under_constraints_expected_hypervolume_is_taken_in_the_optimistic_set(kind):
    """Of a zeta without the theorem's shift; on a box less what keeps an ascent off the edge."""
    out, unshifted = outputs(kind, 2, 1, threshold=0.3), ShiftedExponential(0.0)
    for t in range(1, 6):
        score = Chebyshev().draw(out, t, rng(t))
        assert score.record["zeta"] == unshifted.draw(t, rng(t))
        assert score.formula.root == np.sqrt(score.record["zeta"])
        inside = out.mean[:, 2] - score.formula.root * out.sd[:, 2] <= 0.3
        assert inside.any()
        aim = expected_improvement(out).value(out.mean, out.sd)
        np.testing.assert_array_equal(score.formula.aim.value(out.mean, out.sd), aim)
        assert not inside[score.on(out).argmin()] or inside.all()


def test_with_four_objectives_the_default_always_scalarises():
    out = outputs("table", 4)
    assert all("weight_3" in Chebyshev().draw(out, t, rng(t)).record for t in range(1, 5))


def test_of_the_two_points_compared_the_less_known_is_measured():
    """The second candidate's box reaches furthest; the first, recommended and above its means, is known less."""
    mean, sd = np.array([[1.0, 1.0], [0.9, 0.9], [2.0, 0.5]]), np.array([[0.5, 0.1], [0.1, 0.4], [0.0, 0.0]])
    for scale, chosen in ((1.0, 0), (0.5, 1)):
        out = with_moments(outputs("table", 2, N=3, n=0), mean, sd * [[scale], [1.0], [1.0]])
        values = BoundingBoxes(law=LAW).draw(out, 1, rng()).on(out)
        half = 2.0 * out.sd
        assert reach(mean + half, (mean - half)[[0, 2]]).argmax() == 1
        assert values.argmax() == chosen
