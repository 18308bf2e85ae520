"""Certificates of several outcomes within limits, against joint draws that are cut off there."""

import math

import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.pareto import front_rows, hypervolume
from regretless.theory import epsilon_bound, hypervolume_bound, remaining_feasible_regret

INF = math.inf
DRAWS = 4000


def draw(table, rng, count=DRAWS):
    """Joint draws of f on a table."""
    N = len(table.X)
    C = np.array([table.covariance_with(i) for i in range(N)])
    w, V = np.linalg.eigh(0.5 * (C + C.T))
    return table.mean + rng.standard_normal((count, N)) @ (V * np.sqrt(np.maximum(w, 0.0))).T


def beliefs(random_table, seed, K, N=15):
    tables = [random_table(100 * seed + k, N=N, n=4 + k)[0] for k in range(K)]
    return tables, np.column_stack([t.mean for t in tables]), np.column_stack([t.sd for t in tables])


LIMITS = [(-INF, 0.2), (-0.4, 0.4), (-0.1, INF), (-INF, 1.0), (0.3, 2.0), (-INF, -0.3), (-INF, INF), (-9.0, 9.0)]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("fallback", [-0.6, 0.1])
def test_feasible_regret_within_limits(random_table, limits, fallback):
    """Mean over 4,000 joint draws; a bound is refused where it lies 4 standard errors below."""
    for seed in range(4):
        (objective, constraint), mean, sd = beliefs(random_table, seed, 2)
        rng = np.random.default_rng(seed)
        f, g = np.clip(draw(objective, rng), *limits), draw(constraint, rng)
        threshold = float(np.median(mean[:, 1]))
        f0 = float(np.clip(fallback, *limits))
        best = np.maximum(np.where(g <= threshold, f, -INF).max(axis=1), f0)
        for index in (None, 3):
            proof = remaining_feasible_regret(
                mean,
                sd,
                [threshold],
                fallback=fallback,
                covariance_with=objective.covariance_with,
                index=index,
                limits=limits,
            )
            regret = best - f[:, proof.index]
            for value, bounds in ((regret, (proof.tail_sum, proof.pairwise, proof.bound)), (best - f0, (proof.gain,))):
                error = 4.0 * value.std() / math.sqrt(DRAWS)
                for bound in bounds:
                    assert value.mean() - error <= bound + 1e-9
            assert proof.mean == pytest.approx(f[:, proof.index].mean(), abs=0.05)
            assert proof.bound <= limits[1] - proof.mean + 1e-9
            assert proof.fallback == f0


def test_without_limits_nothing_changes_and_far_ones_change_nothing(random_table):
    for seed in range(6):
        (objective, _), mean, sd = beliefs(random_table, seed, 2)
        said = {"fallback": -0.5, "covariance_with": objective.covariance_with}
        free = remaining_feasible_regret(mean, sd, [0.0], **said)
        assert remaining_feasible_regret(mean, sd, [0.0], **said, limits=(-INF, INF)) == free
        far = remaining_feasible_regret(mean, sd, [0.0], **said, limits=(-1e6, 1e6))
        assert (far.bound, far.gain) == pytest.approx((free.bound, free.gain), rel=1e-9)


def test_an_upper_limit_shrinks_the_certificate(random_table):
    for seed in range(6):
        (objective, _), mean, sd = beliefs(random_table, seed, 2)
        said = {"fallback": -2.0, "covariance_with": objective.covariance_with}
        free = remaining_feasible_regret(mean, sd, [9.0], **said)
        near = remaining_feasible_regret(mean, sd, [9.0], **said, limits=(-INF, float(mean[free.index, 0])))
        assert near.bound < 0.8 * free.bound


PAIRS = [
    ((-INF, 0.3), (-INF, INF)),
    ((-0.5, 0.5), (-INF, 0.2)),
    ((-INF, INF), (0.0, INF)),
    ((0.2, 0.9), (0.1, 1.5)),
    ((-INF, INF), (-INF, INF)),
    ((-7.0, 7.0), (-INF, 7.0)),
]


@pytest.mark.parametrize("limits", PAIRS)
def test_fronts_within_limits(random_table, limits):
    """Epsilon and hypervolume missed over 1,000 joint draws that are cut off; at 4 standard errors."""
    low, high = np.array(limits).T
    for seed in range(4):
        tables, mean, sd = beliefs(random_table, seed, 2)
        rng = np.random.default_rng(seed)
        rows, z = front_rows(mean), mean.min(axis=0) - 0.3
        F = np.clip(np.stack([draw(t, rng, 1000) for t in tables], axis=2), low, high)
        weight = rng.random(15)
        weight[rows] = 1.0
        feasible = rng.random((1000, 15)) < weight
        values = np.zeros((1000, 2))
        for f, ok, value in zip(F, feasible, values, strict=True):
            gaps = (f[ok][:, None] - f[rows]).max(axis=2).min(axis=1)
            both = np.vstack([f[ok], f[rows]])
            value[:] = max(gaps.max(), 0.0), hypervolume(both, z) - hypervolume(f[rows], z)
        columns = [t.covariance_with for t in tables]
        epsilon = epsilon_bound(mean, sd, rows, columns, weight=weight, limits=limits)
        missed = hypervolume_bound(mean, sd, rows, z, columns, weight=weight, limits=limits)
        for value, bound in zip(values.T, (epsilon, missed), strict=True):
            assert value.mean() <= bound + 4.0 * value.std() / math.sqrt(1000) + 1e-9
        assert epsilon <= epsilon_bound(mean, sd, rows, columns, weight=weight) + 1e-12
        assert missed <= 1.001 * hypervolume_bound(mean, sd, rows, z, columns, weight=weight) + 1e-9 or low.max() > -INF


@pytest.mark.parametrize("K", [2, 3, 4])
def test_limits_of_fronts_say_something(random_table, K):
    for seed in range(4):
        tables, mean, sd = beliefs(random_table, seed, K)
        rows, z = front_rows(mean), mean.min(axis=0) - 0.3
        columns = [t.covariance_with for t in tables]
        near = [(-INF, float(mean[:, k].max())) for k in range(K)]
        free = hypervolume_bound(mean, sd, rows, z, columns)
        assert hypervolume_bound(mean, sd, rows, z, columns, limits=near) < 0.98 * free
        assert epsilon_bound(mean, sd, rows, columns, limits=near) <= epsilon_bound(mean, sd, rows, columns)
        none = [(-INF, INF)] * K
        assert hypervolume_bound(mean, sd, rows, z, columns, limits=none) == free
        below = [(-INF, float(z[0])), *none[1:]]
        assert hypervolume_bound(mean, sd, rows, z, columns, limits=below) == 0.0  # nothing above the reference


def test_the_cap_of_a_recommended_point_counts_once(random_table):
    """A point that is known to be near the limit in both objectives leaves no more than the distance to it."""
    mean, sd = np.vstack([[0.95, 0.9], np.zeros((40, 2))]), np.vstack([np.zeros((1, 2)), np.ones((40, 2))])
    columns = [lambda i: np.eye(41)[i] * sd[i, 0] ** 2] * 2
    limits = [(-INF, 1.0)] * 2
    free = epsilon_bound(mean, sd, np.array([0]), columns)
    found = epsilon_bound(mean, sd, np.array([0]), columns, limits=limits)
    assert free > 1.0
    assert found <= 0.15 + 1e-12  # 0.05 in one objective and 0.1 in the other


def test_bad_limits(random_table):
    tables, mean, sd = beliefs(random_table, 0, 2)
    columns = [t.covariance_with for t in tables]
    for bad in ([(1.0, 0.0), (-INF, INF)], [(0.0, 1.0)]):
        with pytest.raises(InvalidInput, match="limits"):
            epsilon_bound(mean, sd, front_rows(mean), columns, limits=bad)
