"""The events law: known cases, and simulations of what it bounds."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri

from regretless.confidence import TightUnion
from regretless.errors import InvalidInput
from regretless.theory import expected_at_bounds


def draws(mean, cov, n, rng):
    return mean + rng.standard_normal((n, len(mean))) @ np.linalg.cholesky(cov).T


def test_equal_candidates_have_the_mean_of_the_tight_law():
    """max of m equal bounds is mean + c sd: E c in closed form."""
    found = expected_at_bounds(np.max, np.full(30, 0.5), np.full(30, 2.0))
    assert found == pytest.approx(0.5 + 2.0 * TightUnion(30).mean_sqrt(1), rel=0.01)
    assert found >= 0.5 + 2.0 * TightUnion(30).mean_sqrt(1)  # an upper sum


def test_by_quadrature():
    mean, sd = np.array([0.3, -0.2, 1.0]), np.array([0.4, 1.0, 0.1])

    def psi(g):
        return g[0] - np.exp(g[1]) + max(g[2], 0.0)

    rises = [True, False, True]

    def integrand(e):
        c = -ndtri(np.exp(-e) / 3)
        return psi(mean + c * sd * np.where(rises, 1.0, -1.0)) * np.exp(-e)

    assert expected_at_bounds(psi, mean, sd, rises=rises) == pytest.approx(quad(integrand, 0, 40)[0], rel=0.03)


@pytest.mark.parametrize("seed", range(8))
def test_the_expectation_is_below_whatever_the_correlations(seed):
    """0.3: Psi up in some unknowns, down in others; 0.4: a maximum of minima needs one event per decision. At 4 se."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((6, 6)) / 2.0
    mean, cov = rng.standard_normal(6), root @ root.T + 0.01 * np.eye(6)
    sd, g = np.sqrt(np.diag(cov)), draws(mean, cov, 40_000, rng)

    def mixed(v):
        return np.max(v[..., :3], axis=-1) - np.maximum(v[..., 3], 0.0) * 0.7 - np.min(v[..., 4:], axis=-1)

    rises = np.array([True] * 3 + [False] * 3)
    assert np.all(mixed(g + rises) >= mixed(g))  # it is as it says
    true = mixed(g)
    bound = expected_at_bounds(mixed, mean, sd, rises=rises)
    assert true.mean() - 4.0 * true.std() / 200.0 <= bound

    def maximin(v):
        return v.reshape(*v.shape[:-1], 3, 2).min(axis=-1).max(axis=-1)

    true = maximin(g)
    few = expected_at_bounds(maximin, mean, sd, n_events=3)
    assert true.mean() - 4.0 * true.std() / 200.0 <= few < expected_at_bounds(maximin, mean, sd)


def test_one_unknown_is_exact_and_known_ones_are_known():
    assert expected_at_bounds(lambda g: float(g[0]), [0.7], [2.0]) == pytest.approx(0.7, abs=0.06)
    assert expected_at_bounds(np.max, [1.0, 3.0], [0.0, 0.0]) == pytest.approx(3.0)
    for bad in (([], []), ([1.0], [1.0, 2.0]), ([1.0], [-1.0])):
        with pytest.raises(InvalidInput):
            expected_at_bounds(np.max, *bad)
    with pytest.raises(InvalidInput, match="finite"):
        expected_at_bounds(lambda _: np.inf, [0.0], [1.0])
