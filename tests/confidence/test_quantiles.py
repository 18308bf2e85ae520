"""Draws far into the tail: probabilities and quantiles against what is known in closed form."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from regretless.confidence.quantiles import latin_normals, tail_draws, upper_quantile


def quantile(values, weights, p):
    return values[np.arange(len(values)), upper_quantile(values, weights, p)]


def test_latin_normals_have_one_draw_in_every_cell():
    z = latin_normals(200, 3, np.random.default_rng(1))
    for column in z.T:
        assert sorted(np.floor(200 * norm.cdf(column)).astype(int)) == list(range(200))
    assert abs(np.corrcoef(z.T)[0, 1]) < 0.25


@pytest.mark.parametrize("dim", [1, 2, 4, 6])
@pytest.mark.parametrize("c", [0.3, 2.0, 3.5, 4.5])
def test_the_weights_are_those_of_the_tail(dim, c):
    """Of a half-space in any direction, and of the whole: within 5 estimated standard errors, means over 20 sets."""
    rng = np.random.default_rng(dim)
    direction = rng.standard_normal(dim)
    direction /= np.linalg.norm(direction)
    found = []
    for _ in range(20):
        draws = tail_draws(c, 2048, dim, rng)
        found.append(draws.weights[draws.z @ direction > c].sum())
    error = np.std(found, ddof=1) / np.sqrt(20)
    assert abs(np.mean(found) - norm.sf(c)) < 5.0 * error + 1e-3 * norm.sf(c)
    # Of one set. A relative error r of the probability is one of r / c of the quantile: here at most 5 % of c.
    assert np.std(found, ddof=1) < max(0.3, 0.05 * c * c) * norm.sf(c)


def test_a_linear_function_has_mean_plus_c_sd():
    rng, a, mean, sd, c = (
        np.random.default_rng(3),
        np.array([1.0, -2.0, 0.5]),
        np.ones(3),
        np.array([0.3, 0.2, 1.0]),
        3.2,
    )
    draws = tail_draws(c, 4096, 3, rng)
    values = ((mean + sd * draws.z) @ a)[None, :]
    exact = mean @ a + c * np.linalg.norm(a * sd)
    assert quantile(values, draws.weights, norm.sf(c))[0] == pytest.approx(exact, rel=0.02)


def test_minus_the_squared_distance():
    """-|z|^2 is near 0 with probability p: minus the quantile of chi-square at p."""
    p = 1e-3
    draws = tail_draws(norm.isf(p), 2**18, 2, np.random.default_rng(4))
    found = quantile(-(draws.z**2).sum(axis=1)[None, :], draws.weights, p)[0]
    assert found == pytest.approx(-chi2.ppf(p, 2), rel=0.2)


def test_the_quantile_by_its_definition():
    rng = np.random.default_rng(5)
    values, weights = rng.standard_normal((6, 40)).round(1), rng.random(40)
    for p in (0.0, 0.3, 4.0, 100.0):
        for row, q in zip(values, quantile(values, weights, p), strict=True):
            assert weights[row > q].sum() <= p * (1 + 1e-9)
            below = row[row < q]
            if p < weights.sum() and len(below):
                assert weights[row > below.max()].sum() > p
