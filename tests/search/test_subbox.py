"""The search inside a box of a product space, against a search of the whole space and brute force."""

import numpy as np
import pytest
from tests.search.test_product import BOX, MIXED, nothing, path_on

from regretless.search import Objective, Subbox, best_inside
from regretless.spaces import Mixed


def grid_inside(space, box, m=41):
    """All levels, and a fine grid of the real columns inside the box."""
    axes = [
        np.linspace(box.low[j], box.low[j] + box.width[j], m)
        if real
        else np.unique(space.sample(200, np.random.default_rng(0))[:, j])
        for j, real in enumerate(space.continuous)
    ]
    return np.column_stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")])


@pytest.mark.parametrize("space", [BOX, MIXED], ids=["box", "mixed"])
def test_the_best_of_a_grid_inside_is_no_better(space):
    """In all of eight functions on a box, in seven of eight where categories make more hills than there are starts."""
    hits = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        objective = path_on(space, seed, 0.2 if space is BOX else 0.5)
        box = Subbox.around(space, space.sample(1, rng)[0], np.full(space.dim, 0.3))
        found = best_inside(space, box, objective, box.points(space, rng), blocked=nothing(space))
        real = space.continuous
        assert (found.x >= box.low - 1e-12)[real].all()
        assert (found.x <= box.low + box.width + 1e-12)[real].all()
        grid = objective.at(grid_inside(space, box, 41 if space is BOX else 9))
        hits += objective.at(found.x[None, :])[0] >= grid.max() - 1e-3 * np.ptp(grid)
    assert hits >= (8 if space is BOX else 7)


def test_points_are_in_the_box_and_the_centre_is_the_first():
    space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0), "c": ["a", "b", "c"]})
    centre = np.array([0.05, 0.5, 2.0])
    box = Subbox.around(space, centre, np.array([0.2, 0.1, 0.1]))
    X = box.points(space, np.random.default_rng(1))
    np.testing.assert_array_equal(X[0], centre)
    assert X[:, 0].min() >= 0.0
    assert X[:, 0].max() <= 0.15
    assert np.abs(X[:, 1] - 0.5).max() <= 0.05
    assert set(X[:, 2]) == {0.0, 1.0, 2.0}  # what is not real is searched whole


def test_a_blocked_point_is_not_returned():
    objective = Objective(lambda X: -np.abs(X).sum(axis=1), lambda X: (-np.abs(X).sum(axis=1), -np.sign(X)))
    corner = np.zeros(2)
    box = Subbox.around(BOX, corner, np.full(2, 0.5))
    X = box.points(BOX, np.random.default_rng(1))
    np.testing.assert_array_equal(best_inside(BOX, box, objective, X, blocked=nothing(BOX)).x, corner)
    other = best_inside(BOX, box, objective, X, blocked=corner[None, :])
    assert 0.0 < other.x.max() <= 0.25


def test_a_box_around_everything_finds_what_the_whole_search_finds():
    for seed in range(5):
        objective = path_on(BOX, seed, 0.3)
        box = Subbox.around(BOX, np.full(2, 0.5), np.full(2, 5.0))
        np.testing.assert_array_equal(np.concatenate([box.low, box.width]), [0.0, 0.0, 1.0, 1.0])
        found = best_inside(BOX, box, objective, box.points(BOX, np.random.default_rng(2)), blocked=nothing(BOX))
        grid = objective.at(grid_inside(BOX, box, 101))
        assert objective.at(found.x[None, :])[0] >= grid.max() - 1e-3 * np.ptp(grid)


def test_one_start_climbs_to_the_maximum_of_a_narrow_box():
    """Gradients are those in the coordinates of the box: with the others the search would stop short."""
    peak, weights = np.array([0.502, 0.8]), np.array([1e4, 1.0])

    def value_and_gradient(X):
        return -((X - peak) ** 2) @ weights, -2.0 * (X - peak) * weights

    box = Subbox.around(BOX, np.full(2, 0.5), np.array([0.01, 0.9]))
    objective = Objective(lambda X: value_and_gradient(X)[0], value_and_gradient)
    found = best_inside(BOX, box, objective, np.full((1, 2), 0.5), blocked=nothing(BOX))
    assert (np.abs(found.x - peak) < [1e-4, 1e-2]).all()
