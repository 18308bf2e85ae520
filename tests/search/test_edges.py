"""Sequential quadratic programming along the edges of a set, against optima known in closed form."""

import numpy as np
import pytest

from regretless.search import Allowed, Objective, argmax
from regretless.search.edges import along_edges
from regretless.spaces import Box, Mixed

SQUARE = Box([(0.0, 1.0)] * 2)


def disc(x, radius=0.5):
    """The sum of the columns inside a disc around 0: the best point is (r, r)/sqrt(2)."""
    v = np.array([x[0] ** 2 + x[1] ** 2 - radius**2])
    return float(x.sum()), np.ones_like(x), v, np.array([[2.0 * x[0], 2.0 * x[1], *np.zeros(len(x) - 2)]])


@pytest.mark.parametrize("start", [(0.1, 0.1), (0.499, 0.01), (0.01, 0.499), (0.0, 0.5), (0.9, 0.8)])
def test_it_goes_along_a_curved_edge(start):
    """From inside, from the edge itself, and from outside."""
    found = along_edges(SQUARE, disc, np.array(start))
    np.testing.assert_allclose(found, 0.5 * np.sqrt([0.5, 0.5]), atol=1e-5)


def test_a_corner_of_two_edges():
    def two(x):
        value, gradient, v, G = disc(x)
        return value, gradient, np.array([*v, x[1] - 0.2]), np.vstack([G, [0.0, 1.0]])

    np.testing.assert_allclose(along_edges(SQUARE, two, np.array([0.1, 0.1])), [np.sqrt(0.21), 0.2], atol=1e-6)


def test_nothing_better_is_none():
    best = 0.5 * np.sqrt([0.5, 0.5])
    assert along_edges(SQUARE, disc, best - 1e-15) is None
    assert along_edges(SQUARE, lambda x: (*disc(x)[:2], np.ones(1), np.zeros((1, 2))), best) is None  # empty
    nan = lambda x: (np.nan, np.full(2, np.nan), np.zeros(1), np.zeros((1, 2)))  # noqa: E731, ARG005
    assert along_edges(SQUARE, nan, best) is None


def test_the_walls_of_the_cube_and_columns_that_stay():
    space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0), "kind": ["p", "q"], "k": (0, 5)})
    found = along_edges(space, lambda x: disc(x, 1.2), np.array([0.3, 0.2, 1.0, 0.4]))
    np.testing.assert_allclose(found[:2], np.full(2, 1.2 / np.sqrt(2.0)), atol=1e-5)
    np.testing.assert_array_equal(found[2:], [1.0, 0.4])
    np.testing.assert_array_equal(along_edges(SQUARE, lambda x: disc(x, 3.0), np.full(2, 0.3)), [1.0, 1.0])
    discrete = Mixed({"kind": ["p", "q"], "k": (0, 5)})
    assert along_edges(discrete, disc, np.array([1.0, 0.4])) is None


def test_linear_constraints_of_the_space_are_edges_too():
    space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x <= 0.3"])
    np.testing.assert_allclose(along_edges(space, disc, np.array([0.1, 0.1])), [0.3, 0.4], atol=1e-6)
    space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x == 2*y"])
    np.testing.assert_allclose(along_edges(space, disc, np.array([0.2, 0.1])), np.sqrt([0.2, 0.05]), atol=1e-5)


def test_a_point_beyond_a_wall_is_refused():
    """A curved constraint is no edge here: what it forbids is not returned."""
    space = Mixed({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x*y <= 0.1"])
    assert along_edges(space, disc, np.array([0.1, 0.1])) is None
    np.testing.assert_allclose(
        along_edges(space, lambda x: disc(x, 0.3), np.array([0.1, 0.1])), 0.3 * np.sqrt([0.5, 0.5]), atol=1e-5
    )


def test_a_search_goes_on_along_the_edges_unless_it_is_blocked():
    def at(X):
        v = (X**2).sum(axis=1) - 0.25
        return np.where(v <= 0.0, X.sum(axis=1), -1.0 - v)

    def slopes(X):
        v = (X**2).sum(axis=1) - 0.25
        return at(X), np.where(v[:, None] <= 0.0, 1.0, -2.0 * X)

    X = SQUARE.sample(20, np.random.default_rng(0))
    best = 0.5 * np.sqrt([0.5, 0.5])
    objective = Objective(at, slopes, edges=disc)
    found = argmax(SQUARE, objective, X, at(X), Allowed(None, np.empty((0, 2))))
    np.testing.assert_allclose(found.x, best, atol=1e-5)
    other = argmax(SQUARE, objective, X, at(X), Allowed(None, found.x[None, :]))
    assert np.abs(other.x - best).max() > 1e-6
