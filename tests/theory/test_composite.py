"""The bound by draws: above the simulated maximum of any function, and near the closed form where there is one."""

import numpy as np
import pytest

from regretless.confidence import certified_threshold, expected_excess
from regretless.theory import simulated_tail_sum


def test_of_the_unknowns_themselves_it_is_the_tail_sum():
    mean, sd = np.array([0.0, 0.8, 1.0, -0.5]), np.array([1.0, 0.5, 0.2, 1.5])
    z = np.random.default_rng(0).standard_normal((4, 200_000))
    F = mean[:, None] + sd[:, None] * z
    found = simulated_tail_sum(lambda: [F[:2], F[2:]], 8, around=1.0, below=0.0, above=6.0)
    u = certified_threshold(mean, sd)[0]
    exact = u + expected_excess(u, mean, sd)
    assert abs(found.value - exact) < 5.0 * found.error + 0.01  # the level is one of a grid
    assert 0.0 < found.error < 0.02


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("around", [0.0, 2.0])
def test_it_is_in_the_units_of_the_function(scale, around):
    """Whether the best level lies above ``around`` or below it."""
    F = np.random.default_rng(1).standard_normal((5, 4_000))
    found = simulated_tail_sum(lambda: [F], 8, around=around, below=-3.0, above=4.0)
    assert (found.level > around) == (around == 0.0)
    scaled = simulated_tail_sum(lambda: [scale * F], 8, around=scale * around, below=-3.0 * scale, above=4.0 * scale)
    assert (scaled.value, scaled.error, scaled.level) == pytest.approx(
        (scale * found.value, scale * found.error, scale * found.level), rel=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_it_is_above_the_expected_maximum_whatever_the_function(seed):
    """Correlated candidates, two outcomes, a function that is not monotone: at 4 standard errors."""
    rng = np.random.default_rng(seed)
    n, R = 7, 40_000
    g = [rng.standard_normal(n) + rng.standard_normal((R, n)) @ (rng.standard_normal((n, n)) / 3.0) for _ in range(2)]
    F = -((g[0] - 0.5) ** 2) + np.sin(g[1]) * g[0]
    best = F.max(axis=1)
    marginal = np.column_stack([rng.permutation(column) for column in F.T])  # only the law at each candidate is used
    found = simulated_tail_sum(
        lambda: [marginal.T], 8, around=float(F.mean(axis=0).max()), below=-3.0, above=float(F.max())
    )
    assert found.value + 4.0 * found.error >= best.mean() - 4.0 * best.std() / np.sqrt(R)
