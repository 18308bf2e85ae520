from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from regretless.acquisition import EHVI, EI, ConstrainedEI
from regretless.acquisition.hypervolume import ExpectedImprovement
from regretless.pareto import free_boxes, hypervolume, non_dominated

from .joint import outputs, with_moments
from .views import rng


def random_case(seed, K, n=6, N=8):
    random = rng(seed)
    front = random.standard_normal((n, K))
    return front, np.full(K, -1.5), random.standard_normal((N, K)), random.uniform(0.2, 1.0, (N, K))


@pytest.mark.parametrize("K", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_expectation_of_the_improvement(K, seed):
    """Against 20,000 draws, where at least 100 of them improve: all within five standard errors."""
    front, z, mean, sd = random_case(seed, K)
    boxes = free_boxes(front, z)
    values = np.exp(ExpectedImprovement(boxes).value(mean, sd))
    for i in range(len(mean)):
        gains = boxes.improvement(mean[i] + sd[i] * rng(seed + 50).standard_normal((20_000, K)))
        if np.count_nonzero(gains) < 100:
            assert values[i] < 0.01
            continue
        assert abs(gains.mean() - values[i]) < 5.0 * gains.std() / np.sqrt(20_000)


@pytest.mark.parametrize("seed", range(3))
def test_by_the_hypervolume_itself(seed):
    """The twin that knows no boxes: hypervolume with a point less hypervolume without, on a grid of the normal law."""
    front, z, mean, sd = random_case(seed, 2, n=4, N=3)
    grid = stats.norm.ppf((np.arange(200) + 0.5) / 200)
    nodes = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    values = np.exp(ExpectedImprovement(free_boxes(front, z)).value(mean, sd))
    without = hypervolume(front, z)
    for i in range(2):
        gain = [hypervolume(np.vstack([front, y]), z) - without for y in (mean[i] + sd[i] * nodes)[::7]]
        assert np.mean(gain) == pytest.approx(values[i], rel=0.05, abs=1e-3)


def test_one_free_box_is_a_product_of_expected_improvements():
    """Nothing is above the reference point: the improvement is the volume above it."""
    mean, sd = np.array([[0.3, -0.4], [-6.0, 2.0]]), np.array([[0.5, 0.2], [0.1, 0.1]])
    value = ExpectedImprovement(free_boxes([[-3.0, -3.0]], [0.1, 0.0])).value(mean, sd)
    laws = [stats.norm(mean[0, k], sd[0, k]) for k in range(2)]
    sides = [
        quad(lambda f, z=z, law=law: (f - z) * law.pdf(f), z, 9.0)[0] for z, law in zip((0.1, 0.0), laws, strict=True)
    ]
    assert value[0] == pytest.approx(np.log(np.prod(sides)), rel=1e-7)
    # At 61 sd below it is -1866.8: log sd + log psi(61), and log(2) for the other side.
    psi_61 = -0.5 * 61.0**2 - 0.5 * np.log(2 * np.pi) - 2.0 * np.log(61.0) - 3.0 / 61.0**2
    assert value[1] == pytest.approx(np.log(0.1) + psi_61 + np.log(2.0), rel=1e-6)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.sampled_from([1e-2, 1.0]), st.sampled_from([1.0, 40.0]))
def test_slopes_by_central_differences(seed, K, width, distance):
    """Near the front and far below it, for wide laws and narrow ones, where the improvement itself underflows."""
    front, z, mean, sd = random_case(seed, K)
    formula, sd = ExpectedImprovement(free_boxes(front, z)), width * sd
    mean = mean - distance * sd
    by_mean, by_sd = formula.slopes(mean, sd)
    assert np.isfinite(by_mean).all()
    assert np.isfinite(by_sd).all()
    value = formula.value(mean, sd)
    for k in range(K):
        h = 1e-5 * sd[:, k]
        e = np.zeros_like(mean)
        e[:, k] = h
        for slope, up, down in (
            (by_mean[:, k], formula.value(mean + e, sd), formula.value(mean - e, sd)),
            (by_sd[:, k], formula.value(mean, sd + e), formula.value(mean, sd - e)),
        ):
            central = (up - down) / (2.0 * h)
            # Far from the front one box takes over from another within a step: there the one-sided slopes differ.
            rounding = 1e-14 * np.abs(value).max()
            bend = np.abs((up - value) - (value - down))
            smooth = bend <= 1e-3 * h * np.abs(central) + 1e-8 + rounding
            assert smooth.sum() >= 5
            np.testing.assert_allclose(
                slope[smooth],
                central[smooth],
                rtol=1e-3,
                atol=1e-3 / sd.min() + (rounding / h).max(),
            )


@given(st.integers(0, 1000), st.floats(-8.0, 8.0))
def test_finite_where_boxes_are_thin_or_far(seed, exponent):
    """Points of a front that nearly coincide, and sds from 1e-8 to 1e8."""
    front, z, mean, _ = random_case(seed, 2)
    front = np.vstack([front, front + 1e-15, front + np.array([1e-13, -1e-13])])
    formula, sd = ExpectedImprovement(free_boxes(front, z)), np.full_like(mean, 10.0**exponent)
    assert np.isfinite(formula.value(mean, sd)).all()
    assert all(np.isfinite(slope).all() for slope in formula.slopes(mean, sd))


def test_in_parts_it_is_the_same(monkeypatch):
    front, z, mean, sd = random_case(1, 3)
    formula = ExpectedImprovement(free_boxes(front, z))
    value, slopes = formula.value(mean, sd), formula.slopes(mean, sd)
    monkeypatch.setattr("regretless.pareto._ENTRIES", 3 * formula.boxes.lower.size)
    assert len(formula.boxes.parts(len(mean))) == 3
    np.testing.assert_allclose(formula.value(mean, sd), value, rtol=1e-14)
    np.testing.assert_allclose(formula.slopes(mean, sd), slopes, rtol=1e-13)


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("J", [0, 1])
def test_the_front_is_that_of_the_means_at_measured_points(kind, J):
    out = outputs(kind, 2, J, n=8, threshold=0.3)
    score = EHVI().draw(out, 1, rng())
    told = out.views[0].told
    means = np.column_stack([post.mean(told) for post in out.posteriors])
    holds = means[:, 2] <= 0.3 if J else np.ones(len(told), dtype=bool)
    assert J == 0 or 0 < holds.sum() < len(told)
    front = means[holds, :2][non_dominated(means[holds, :2])]
    expected = ExpectedImprovement(free_boxes(front, out.reference)).value(out.mean, out.sd)
    if J:
        expected += stats.norm.logcdf((0.3 - out.mean[:, 2]) / out.sd[:, 2])
    np.testing.assert_allclose(score.on(out), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("kind", ["table", "box"])
def test_points_with_one_objective_measured_belong_to_the_front(kind):
    """In whatever order the objectives come: a point counts if any of them is measured there."""
    out = outputs(kind, 2, n=8)
    first, second = out.views
    few = {"told": first.told[:3]} if kind == "box" else {"told": first.told[:3], "observed": first.observed[:3]}
    for views in ((replace(first, **few), second), (first, replace(second, **few))):
        np.testing.assert_allclose(
            np.sort(replace(out, views=views).means_at_told(), axis=0), np.sort(out.means_at_told(), axis=0), rtol=1e-9
        )


@pytest.mark.parametrize("kind", ["table", "box"])
@pytest.mark.parametrize("n", [0, 6])
def test_one_objective_is_expected_improvement_to_the_last_bit(kind, n):
    out = outputs(kind, 1, 0, n=n)
    joint, plain = EHVI().draw(out, 1, rng()), EI().draw(out.views[0], 1, rng())
    assert dict(joint.record) == dict(plain.record)
    np.testing.assert_array_equal(joint.on(out), plain.on(out.views[0]))
    constrained = outputs(kind, 1, 1, n=n)
    np.testing.assert_array_equal(
        EHVI().draw(constrained, 1, rng()).on(constrained), ConstrainedEI().draw(constrained, 1, rng()).on(constrained)
    )


def test_what_is_dominated_for_certain_is_worth_least():
    mean = np.array([[1.0, 1.0], [0.9, 0.9], [0.2, 1.2]])
    out = outputs("table", 2, N=3, n=0)
    views = [replace(view, told=view.X[:1], observed=np.array([0])) for view in out.views]
    out = with_moments(replace(out, views=tuple(views)), mean, np.full((3, 2), 0.05))
    assert EHVI().draw(out, 1, rng()).on(out).argsort().tolist() == [1, 0, 2]
