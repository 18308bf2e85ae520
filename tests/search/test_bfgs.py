import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from regretless.acquisition import EI, GPUCB, MomentScore, View
from regretless.confidence import Schedule
from regretless.gp import Kernel, posterior
from regretless.search import climb


def free(d):
    return np.ones(d, dtype=bool)


def lbfgsb(value_and_gradient, x):
    """The slow twin: SciPy, from one start."""

    def negative(x):
        value, gradient = value_and_gradient(x[None, :], np.zeros(1, int))
        return -value[0], -gradient[0]

    options = {"maxiter": 200, "ftol": 1e-12, "gtol": 1e-8}
    return -minimize(negative, x, jac=True, bounds=[(0, 1)] * len(x), method="L-BFGS-B", options=options).fun


def quadratic(A, centre):
    """-1/2 (x - c)' A (x - c), row by row, in sums that do not depend on the number of rows."""

    def value_and_gradient(X, which):
        gap = X - centre
        pull = (gap[:, None, :] * A).sum(axis=2)
        return -0.5 * (gap * pull).sum(axis=1), -pull

    return value_and_gradient


def random_quadratic(d, rng, condition=30.0):
    Q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    A = Q * np.geomspace(1.0, condition, d) @ Q.T
    return quadratic(0.5 * (A + A.T), rng.uniform(-0.5, 1.5, d))


def gp_score(d, n, seed, rule, lengthscale):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    kernel = Kernel("matern52", lengthscale * np.exp(rng.normal(0, 0.4, d)), 1.0)
    y = np.linalg.cholesky(kernel(X, X) + 1e-6 * np.eye(n)) @ rng.standard_normal(n)
    belief = posterior(kernel, noise_var=1e-6, X=X, y=y)
    mean, sd = belief.mean_sd(X)
    score = rule.draw(View(belief, X, mean, sd, X, float(y.max()), (0,) * d), 1, rng)
    assert isinstance(score, MomentScore)
    candidates = rng.random((400, d))
    starts = candidates[np.argsort(-score.at(candidates))[:8]]
    return lambda Z, _: score.value_and_gradient(Z), starts


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10, 20])
def test_concave_quadratics_are_solved(d):
    """One constrained optimum, all starts of one batch reach it."""
    rng = np.random.default_rng(d)
    for _ in range(3):
        f = random_quadratic(d, rng)
        starts = np.vstack([rng.random((12, d)), np.zeros(d), np.ones(d)])
        best = lbfgsb(f, starts[0])
        X, values = climb(f, starts, movable=free(d), max_steps=100, tolerance=1e-9)
        np.testing.assert_allclose(values, best, atol=1e-6 * max(1.0, abs(best)))
        assert (X >= 0.0).all()
        assert (X <= 1.0).all()
        np.testing.assert_array_equal(values, f(X, None)[0])


@pytest.mark.parametrize("d", [1, 3, 10])
def test_separable_quadratics_end_at_the_clipped_centre(d):
    rng = np.random.default_rng(d)
    centre = rng.uniform(-0.5, 1.5, d)
    f = quadratic(np.diag(np.geomspace(1.0, 10.0, d)), centre)
    X, _ = climb(f, rng.random((20, d)), movable=free(d), max_steps=100, tolerance=1e-10)
    np.testing.assert_allclose(X, np.broadcast_to(np.clip(centre, 0.0, 1.0), X.shape), atol=1e-4)


@pytest.mark.parametrize(("d", "n", "lengthscale"), [(2, 20, 0.3), (5, 40, 0.5), (10, 60, 0.8), (10, 60, 2.0)])
@pytest.mark.parametrize("rule", [GPUCB(Schedule.constant(6.0)), EI()])
def test_gp_scores_against_lbfgsb(d, n, lengthscale, rule):
    """40 ascents: none ends below its start, 95 % where L-BFGS-B finds no 1e-3 more; 25 to 35 evaluations do it."""
    left, gap, evaluations = [], [], []
    for seed in range(5):
        f, starts = gp_score(d, n, seed, rule, lengthscale)
        calls = [0]

        def counted(X, which, f=f, calls=calls):
            calls[0] += 1
            return f(X, which)

        X, values = climb(counted, starts, movable=free(d))
        assert (values >= f(starts, None)[0]).all()
        assert (X >= 0.0).all()
        assert (X <= 1.0).all()
        left += [lbfgsb(f, x) - value for x, value in zip(X, values, strict=True)]
        gap.append(max(lbfgsb(f, x) for x in starts) - values.max())
        evaluations.append(calls[0])
    assert np.mean(np.array(left) > 1e-3) <= 0.05
    assert np.mean(np.array(gap) > 1e-3) <= 1 / 5  # the best of the batch: at most one of five misses SciPy's best
    assert np.mean(evaluations) <= 36
    assert max(evaluations) <= 41


def test_faces_of_the_cube_do_not_slow_it_down():
    """Coordinates held at a face couple with the others: the inverse of a block is not the block of the inverse."""
    rng = np.random.default_rng(0)
    steps = []
    for _ in range(10):
        d = 10
        f = random_quadratic(d, rng, condition=1e3)
        calls = [0]

        def counted(X, which, f=f, calls=calls):
            calls[0] += 1
            return f(X, which)

        starts = rng.random((6, d))
        best = lbfgsb(f, starts[0])
        _, values = climb(counted, starts, movable=free(d), max_steps=60, tolerance=1e-8)
        np.testing.assert_allclose(values, best, atol=1e-4 * abs(best))
        steps.append(calls[0])
    assert np.mean(steps) < 50


def test_a_step_over_the_top_is_not_the_end():
    """A doubled step may land on the other side at the same height: it gains next to nothing far from the top."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        f = random_quadratic(3, rng, condition=5.0)
        starts = rng.random((5, 3))
        _, values = climb(f, starts, movable=free(3))
        np.testing.assert_allclose(values, lbfgsb(f, starts[0]), atol=2e-5)


def test_frozen_columns_keep_every_bit():
    rng = np.random.default_rng(1)
    f = random_quadratic(5, rng)
    starts = rng.random((9, 5))
    starts[:, 3] = rng.integers(0, 7, 9)  # a category: outside the cube
    movable = np.array([True, False, True, False, True])

    def at_categories(X, which):
        shifted = X.copy()
        shifted[:, 3] /= 7.0
        return f(shifted, which)

    with_category = climb(at_categories, starts, movable=movable)[0]
    np.testing.assert_array_equal(with_category[:, ~movable], starts[:, ~movable])
    assert (with_category[:, movable] != starts[:, movable]).any(axis=1).all()


def test_nothing_movable_or_no_start():
    f = random_quadratic(3, np.random.default_rng(2))
    starts = np.random.default_rng(3).random((4, 3))
    X, values = climb(f, starts, movable=np.zeros(3, bool))
    np.testing.assert_array_equal(X, starts)
    np.testing.assert_array_equal(values, f(starts, None)[0])
    X, values = climb(f, np.empty((0, 3)), movable=free(3))
    assert X.shape == (0, 3)
    assert values.shape == (0,)


def test_starts_are_left_as_they_were():
    starts = np.random.default_rng(3).random((4, 3))
    before = starts.copy()
    climb(random_quadratic(3, np.random.default_rng(2)), starts, movable=free(3))
    np.testing.assert_array_equal(starts, before)


@pytest.mark.parametrize("centre", [[0.3, 0.6], [-0.4, 0.6], [-0.4, 1.7]])
def test_a_start_at_the_maximum_stays(centre):
    f = quadratic(np.eye(2), np.array(centre))
    start = np.clip(centre, 0.0, 1.0)[None, :]
    calls = []

    def counted(X, which):
        calls.append(len(X))
        return f(X, which)

    X, values = climb(counted, start, movable=free(2))
    np.testing.assert_array_equal(X, start)
    np.testing.assert_array_equal(values, f(start, None)[0])
    assert len(calls) == 1


def test_a_constant_stays():
    starts = np.random.default_rng(0).random((3, 2))
    X, values = climb(lambda X, _: (np.zeros(len(X)), np.zeros(X.shape)), starts, movable=free(2))
    np.testing.assert_array_equal(X, starts)
    np.testing.assert_array_equal(values, 0.0)


def wavy(X, which):
    """Many local maxima, row by row."""
    inner = 9.0 * X + np.arange(X.shape[1])
    value = (np.sin(inner) - (X - 0.4) ** 2).sum(axis=1) + X.prod(axis=1)
    others = np.stack([np.delete(X, j, axis=1).prod(axis=1) for j in range(X.shape[1])], axis=1)
    return value, 9.0 * np.cos(inner) - 2.0 * (X - 0.4) + others


@pytest.mark.parametrize("f", [wavy, random_quadratic(4, np.random.default_rng(8))])
def test_a_start_does_not_notice_the_others(f):
    """Alone or in a batch, with whatever company: the same point, to rounding."""
    starts = np.random.default_rng(4).random((10, 4))
    X, values = climb(f, starts, movable=free(4))
    for i in range(len(starts)):
        alone, value = climb(f, starts[i : i + 1], movable=free(4))
        np.testing.assert_allclose(alone[0], X[i], rtol=0, atol=1e-12)
        np.testing.assert_allclose(value[0], values[i], rtol=1e-12)
    backwards, _ = climb(f, starts[::-1], movable=free(4))
    np.testing.assert_allclose(backwards[::-1], X, rtol=0, atol=1e-12)


def test_rows_know_their_start():
    """Each start may climb a function of its own, also after others have arrived."""
    centres = np.random.default_rng(5).random((6, 3))
    widths = np.geomspace(1.0, 1e3, 6)

    def own(X, which):
        gap = X - centres[which]
        return -widths[which] * (gap**2).sum(axis=1), -2.0 * widths[which][:, None] * gap

    starts = np.full((6, 3), 0.5)
    starts[[0, 3]] = centres[[0, 3]]  # these arrive at once
    X, _ = climb(own, starts, movable=free(3), tolerance=1e-10)
    np.testing.assert_allclose(X, centres, atol=1e-4)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_walked_around(bad):
    f = quadratic(np.eye(2), np.array([0.9, 0.5]))

    def holed(X, which):
        value, gradient = f(X, which)
        hole = X[:, 0] > 0.7
        return np.where(hole, bad, value), np.where(hole[:, None], np.nan, gradient)

    starts = np.array([[0.1, 0.1], [0.65, 0.9], [0.8, 0.5], [0.3, 1.0]])
    X, values = climb(holed, starts, movable=free(2))
    np.testing.assert_array_equal(X[2], starts[2])
    good = [0, 1, 3]
    assert np.isfinite(values[good]).all()
    assert (values[good] > holed(starts, None)[0][good]).all()
    assert (X[good, 0] <= 0.7).all()


def test_gradients_that_are_not_finite_do_not_spread():
    def half(X, which):
        gradient = np.stack([np.full(len(X), np.nan), 0.8 - X[:, 1]], axis=1)
        return -0.5 * (X[:, 1] - 0.8) ** 2, gradient

    X, _ = climb(half, np.array([[0.2, 0.1], [0.4, 0.9]]), movable=free(2), tolerance=1e-10)
    np.testing.assert_array_equal(X[:, 0], [0.2, 0.4])
    np.testing.assert_allclose(X[:, 1], 0.8, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(scale=st.sampled_from([1e-12, 1e-3, 1.0, 1e6, 1e14]), shift=st.sampled_from([0.0, 1.0]), seed=st.integers(0, 99))
def test_any_scale(scale, shift, seed):
    """Never below the start, in the cube, whatever the score's scale; and on the scale's own terms at the optimum."""
    rng = np.random.default_rng(seed)
    f = random_quadratic(3, rng, condition=5.0)

    def scaled(X, which):
        value, gradient = f(X, which)
        return scale * (value + shift), scale * gradient

    starts = rng.random((5, 3))
    X, values = climb(scaled, starts, movable=free(3))
    assert (values >= scaled(starts, None)[0]).all()
    assert ((X >= 0.0) & (X <= 1.0)).all()
    np.testing.assert_allclose(values / scale - shift, lbfgsb(f, starts[0]), atol=1e-4)
