"""Pareto fronts and hypervolumes against brute force and against moocore."""

import itertools

import moocore
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless import pareto
from regretless.errors import InvalidInput
from regretless.pareto import free_boxes, hypervolume, non_dominated

FRONT_2 = np.array([[1.0, 4.0], [2.0, 3.0], [3.0, 1.5], [4.0, 0.5], [1.5, 2.0]])
FRONT_3 = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [2.0, 2.0, 2.0], [0.5, 0.5, 0.5]])


@st.composite
def points(draw, most_objectives=4, most=7):
    """Few values per objective, so that ties and equal points are common."""
    K, n = draw(st.integers(1, most_objectives)), draw(st.integers(0, most))
    return draw(arrays(np.float64, (n, K), elements=st.integers(-1, 4).map(float)))


def sphere(n, K, seed=0):
    Y = np.abs(np.random.default_rng(seed).standard_normal((n, K)))
    return Y / np.linalg.norm(Y, axis=1)[:, None]


@given(points(most_objectives=5, most=12))
def test_non_dominated_by_comparing_all_pairs(Y):
    dominates = (Y[:, None] >= Y).all(axis=2) & (Y[:, None] > Y).any(axis=2)
    np.testing.assert_array_equal(non_dominated(Y), ~dominates.any(axis=0))


def test_non_dominated_where_sums_round():
    # The second dominates the first, and their sums are equal in floating point.
    assert non_dominated([[1e17, 1.0, 0.0], [1e17, 2.0, 0.0]]).tolist() == [False, True]


@settings(deadline=None)
@given(points())
def test_hypervolume_by_counting_unit_cells(Y):
    corners = itertools.product(range(4), repeat=Y.shape[1])
    cells = sum(bool((np.array(corner) < Y).all(axis=1).any()) for corner in corners)
    assert hypervolume(Y, np.zeros(Y.shape[1])) == cells


@settings(deadline=None)
@given(points(), st.data())
def test_improvement_is_the_difference_of_two_hypervolumes(Y, data):
    K = Y.shape[1]
    u, z = data.draw(arrays(np.float64, K, elements=st.integers(-1, 5).map(float))), np.zeros(K)
    boxes = free_boxes(Y, z)
    improvement = boxes.improvement(u[None, :])[0]
    assert improvement == hypervolume(np.vstack([Y, u]), z) - hypervolume(Y, z)
    depth, _ = boxes.depth(u[None, :], np.ones(K))
    assert (depth[0] > 0.0) == (improvement > 0.0)


@pytest.mark.parametrize(("n", "K"), [(200, 2), (100, 3), (60, 4), (40, 5), (30, 6)])
def test_hypervolume_against_moocore(n, K):
    Y, z = sphere(n, K), np.full(K, -0.1)
    assert hypervolume(Y, z) == pytest.approx(moocore.hypervolume(-Y, ref=-z), rel=1e-12)


def test_known_values():
    assert hypervolume(FRONT_2, [0.0, 0.0]) == 9.0
    candidates = np.array([[2.5, 3.5], [5.0, 0.2], [0.5, 0.5], [3.5, 1.2], [2.0, 3.0]])
    found = free_boxes(FRONT_2, [0.0, 0.0]).improvement(candidates)
    np.testing.assert_allclose(found, [1.5, 0.2, 0.0, 0.35, 0.0], atol=1e-15)
    assert hypervolume(FRONT_3, [0.0, 0.0, 0.0]) == 14.0
    assert free_boxes(FRONT_3, np.zeros(3)).improvement(np.array([[2.5, 2.2, 1.7]]))[0] == pytest.approx(1.3)


@pytest.mark.parametrize("K", [1, 2, 3, 4])
def test_slopes_by_central_differences(K):
    rng = np.random.default_rng(K)
    boxes, U = free_boxes(sphere(12, K, seed=K), np.zeros(K)), rng.uniform(-0.2, 1.3, (50, K))
    value, slopes = boxes.improvement_and_slopes(U)
    np.testing.assert_array_equal(value, boxes.improvement(U))
    h, scale = 1e-6, rng.uniform(0.5, 2.0, K)
    by_depth = boxes.depth(U, scale)[1]
    for k in range(K):
        step = h * np.eye(K)[k]
        np.testing.assert_allclose(
            slopes[:, k], (boxes.improvement(U + step) - boxes.improvement(U - step)) / (2 * h), atol=1e-6
        )
        ends = boxes.depth(U + step, scale)[0] - boxes.depth(U - step, scale)[0]
        np.testing.assert_allclose(by_depth[:, k], ends / (2 * h), atol=1e-6)


def test_boxes_are_disjoint_and_many_candidates_go_in_parts(monkeypatch):
    boxes = free_boxes(sphere(15, 3), np.zeros(3))
    U = np.random.default_rng(1).uniform(0.0, 1.5, (500, 3))
    inside = ((U[:, None] > boxes.lower) & (U[:, None] < boxes.upper)).all(axis=2)
    assert inside.sum(axis=1).max() == 1
    whole, slopes, depth = boxes.improvement(U), boxes.improvement_and_slopes(U)[1], boxes.depth(U, np.ones(3))
    monkeypatch.setattr(pareto, "_ENTRIES", 7 * boxes.lower.size)
    np.testing.assert_array_equal(boxes.improvement(U), whole)
    np.testing.assert_array_equal(boxes.improvement_and_slopes(U)[1], slopes)
    for one, other in zip(boxes.depth(U, np.ones(3)), depth, strict=True):
        np.testing.assert_array_equal(one, other)


def test_refusals(monkeypatch):
    with pytest.raises(InvalidInput, match="one number per objective, 2, got 3"):
        hypervolume(FRONT_2, [0.0, 0.0, 0.0])
    monkeypatch.setattr(pareto, "_MOST", 10)
    with pytest.raises(InvalidInput, match="more than 10 boxes"):
        hypervolume(sphere(30, 4), np.zeros(4))
