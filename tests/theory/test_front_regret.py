"""Certificates of Pareto sets: brute force, degenerate cases and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from regretless.errors import InvalidInput
from regretless.pareto import front_rows, hypervolume
from regretless.theory import epsilon_bound, hypervolume_bound, remaining_regret, simulated_front_regret
from regretless.theory import front_regret as module


def beliefs(random_table, seed, K, N=15):
    tables = [random_table(100 * seed + k, N=N, n=4 + k)[0] for k in range(K)]
    mean, sd = np.column_stack([t.mean for t in tables]), np.column_stack([t.sd for t in tables])
    return tables, mean, sd, front_rows(mean)


def missed_in_cells(mean, sd, rows, z, cells):
    """The first of the two bounds alone."""
    rest = np.setdiff1d(np.arange(len(mean)), rows)
    return module._missed_in_cells(
        mean, sd, np.ones(len(mean)), rows, rest, z, cells, module._limits(None, mean.shape[1])
    )


def matrices(tables):
    N = len(tables[0].X)
    return [np.array([t.covariance_with(i) for i in range(N)]) for t in tables]


@pytest.mark.parametrize(("K", "draws"), [(2, 600), (3, 150)])
def test_they_bound_what_joint_draws_say(random_table, K, draws):
    """Every case at 5 standard errors of the draws."""
    for seed in range(6):
        tables, mean, sd, rows = beliefs(random_table, seed, K)
        z = mean.min(axis=0) - 0.3
        found = simulated_front_regret(mean, matrices(tables), rows, z, draws=draws, rng=np.random.default_rng(seed))
        columns = [t.covariance_with for t in tables]
        epsilon = epsilon_bound(mean, sd, rows, columns)
        missed = hypervolume_bound(mean, sd, rows, z, columns)
        assert found.epsilon <= epsilon + 5.0 * found.epsilon_se + 1e-6
        assert found.hypervolume <= missed + 5.0 * found.hypervolume_se + 1e-6
        assert epsilon < 6.0 * found.epsilon + 0.1  # and they say something
        assert missed < 20.0 * found.hypervolume + 0.1


def test_only_feasible_candidates_count(random_table):
    for seed in range(6):
        tables, mean, sd, rows = beliefs(random_table, seed, 2)
        rng = np.random.default_rng(seed)
        weight, z = rng.random(15), mean.min(axis=0) - 0.3
        columns = [t.covariance_with for t in tables]
        bounds = (
            epsilon_bound(mean, sd, rows, columns, weight=weight),
            hypervolume_bound(mean, sd, rows, z, columns, weight=weight),
        )
        draws = []
        for C, mu in zip(matrices(tables), mean.T, strict=True):
            w, V = np.linalg.eigh(0.5 * (C + C.T))
            draws.append(mu + rng.standard_normal((800, 15)) @ (V * np.sqrt(np.maximum(w, 0.0))).T)
        F = np.stack(draws, axis=2)
        feasible = rng.random((800, 15)) < weight
        values = np.zeros((800, 2))
        for f, ok, value in zip(F, feasible, values, strict=True):
            if ok.any():
                gaps = (f[ok][:, None] - f[rows]).max(axis=2).min(axis=1)
                value[0] = max(gaps.max(), 0.0)
                both = np.vstack([f[ok], f[rows]])
                value[1] = hypervolume(both, z) - hypervolume(f[rows], z)
        for value, bound in zip(values.T, bounds, strict=True):
            assert value.mean() <= bound + 5.0 * value.std() / math.sqrt(800)


def test_epsilon_of_one_objective_is_the_pairwise_certificate(random_table):
    for seed in range(10):
        (table,), mean, sd, rows = beliefs(random_table, seed, 1)
        found = epsilon_bound(mean, sd, rows, [table.covariance_with])
        assert found == pytest.approx(remaining_regret(table).pairwise, rel=1e-6, abs=1e-9)


def test_hypervolume_against_quadrature(random_table):
    """With one candidate beside the recommended one the integral is known; cells only add to it, and less if finer."""
    mean, sd, rows, z = (
        np.array([[1.0, 0.5], [0.2, 0.8]]),
        np.array([[0.3, 0.2], [0.4, 0.1]]),
        np.array([0]),
        np.zeros(2),
    )
    a, b = np.meshgrid(*[np.linspace(0.0, 3.0, 1501)[:-1] + 0.001] * 2, indexing="ij")
    p = [stats.norm.sf((a - m[0]) / s[0]) * stats.norm.sf((b - m[1]) / s[1]) for m, s in zip(mean, sd, strict=True)]
    exact = np.minimum(p[1], 1.0 - p[0]).sum() * 4e-6
    coarse, fine, finest = (missed_in_cells(mean, sd, rows, z, cells) for cells in (10, 40, 400))
    assert exact <= finest + 1e-6
    assert exact < finest < fine < coarse
    assert finest == pytest.approx(exact, rel=2e-3)
    assert fine == pytest.approx(exact, rel=0.05)


def test_more_recommended_points_than_are_compared_with(random_table, monkeypatch):
    tables, mean, sd, rows = beliefs(random_table, 3, 3, N=39)
    assert len(rows) > 5
    columns, z = [t.covariance_with for t in tables], mean.min(axis=0) - 0.1
    epsilon, missed = epsilon_bound(mean, sd, rows, columns), hypervolume_bound(mean, sd, rows, z, columns, cells=20)
    monkeypatch.setattr(module, "_REFERENCES", (3, 3))
    assert epsilon_bound(mean, sd, rows, columns) >= epsilon
    assert hypervolume_bound(mean, sd, rows, z, columns, cells=20) >= missed


def test_blocks_change_nothing(random_table, monkeypatch):
    for K in (2, 3):
        _, mean, sd, rows = beliefs(random_table, 5, K)
        whole = missed_in_cells(mean, sd, rows, mean.min(axis=0), 15)
        monkeypatch.setattr(module, "_BLOCK", 4)
        assert missed_in_cells(mean, sd, rows, mean.min(axis=0), 15) == pytest.approx(whole, rel=1e-12)
        monkeypatch.undo()


def test_the_best_comparison_is_looked_for_at_the_best_level(random_table):
    """The x-hat that is best at u = 0 need not be at the best u: a second look never makes the bound larger."""
    better = 0
    for seed in range(15):
        tables, mean, sd, rows = beliefs(random_table, seed, 3, N=30)
        columns, rest = [t.covariance_with for t in tables], np.setdiff1d(np.arange(30), rows)
        delta, q, _ = module._compared(mean, sd, rest, rows, columns, np.ones(3), 0.0)
        first = module.weighted_threshold(np.ones(delta.size), delta.ravel(), q.ravel(), least=0.0)[1]
        found = epsilon_bound(mean, sd, rows, columns)
        assert found <= first + 1e-12
        better += found < first - 1e-3
    assert better > 0


def test_weights_in_both_forms(random_table):
    for K in (2, 3):
        tables, mean, sd, rows = beliefs(random_table, 4, K)
        rest, z = np.setdiff1d(np.arange(15), rows), mean.min(axis=0) - 0.3
        assert (
            module._missed_in_cells(mean, sd, np.zeros(15), rows, rest, z, 10, module._limits(None, mean.shape[1]))
            == 0.0
        )
        half = module._missed_in_cells(
            mean, sd, np.full(15, 0.5), rows, rest, z, 10, module._limits(None, mean.shape[1])
        )
        assert 0.0 < half < missed_in_cells(mean, sd, rows, z, 10)
        columns = [t.covariance_with for t in tables]
        assert hypervolume_bound(mean, sd, rows, z, columns, weight=np.zeros(15)) == 0.0
        assert epsilon_bound(mean, sd, rows, columns, weight=np.zeros(15)) == 0.0


def test_scale_is_the_unit(random_table):
    tables, mean, sd, rows = beliefs(random_table, 1, 2)
    columns = [t.covariance_with for t in tables]
    one = epsilon_bound(mean, sd, rows, columns)
    assert epsilon_bound(mean, sd, rows, columns, scale=[0.5, 0.5]) == pytest.approx(2.0 * one, rel=1e-6)


def test_nothing_left_to_find():
    known = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 0.0]])
    rows, none = np.array([0, 1]), np.zeros((3, 2))
    columns = [lambda _: np.zeros(3)] * 2
    assert epsilon_bound(known, none, rows, columns) == 0.0
    assert hypervolume_bound(known, none, rows, [0.0, 0.0], columns) == pytest.approx(0.0, abs=1e-12)
    everything = np.arange(3)
    assert epsilon_bound(known, none + 0.1, everything, columns) == 0.0
    assert hypervolume_bound(known, none + 0.1, everything, [0.0, 0.0], columns) == 0.0


def test_known_values_that_are_not_recommended():
    """What is known exactly: the bound is the distance, and the volume, up to the cells."""
    known, rows = np.array([[1.0, 2.0], [2.0, 1.5]]), np.array([0])
    columns = [lambda _: np.zeros(2)] * 2
    assert epsilon_bound(known, np.zeros((2, 2)), rows, columns) == pytest.approx(1.0)
    assert missed_in_cells(known, np.zeros((2, 2)), rows, np.zeros(2), 400) == pytest.approx(1.5, rel=0.02)


def test_many_objectives(random_table):
    for seed in range(4):
        tables, mean, sd, rows = beliefs(random_table, seed, 4, N=10)
        z, covariances = mean.min(axis=0) - 0.1, matrices(tables)
        found, again = (
            simulated_front_regret(mean, covariances, rows, z, draws=200, rng=np.random.default_rng(1))
            for _ in range(2)
        )
        assert found == again
        bound = hypervolume_bound(mean, sd, rows, z, [t.covariance_with for t in tables])
        assert found.hypervolume <= bound + 5.0 * found.hypervolume_se


def test_pairwise_hypervolume_by_its_definition(random_table):
    """Loops over candidates, recommended points and objectives; and one recommended point beside one other."""
    tables, mean, sd, rows = beliefs(random_table, 2, 3)
    z, C = mean.min(axis=0) - 0.2, matrices(tables)

    def excess(gap, s):
        return s * (stats.norm.pdf(gap / s) - gap / s * stats.norm.sf(gap / s))

    total = 0.0
    for x in set(range(15)) - set(rows):
        sums = []
        for h in rows:
            a, a_hat = (excess(z - mean[i], sd[i]) for i in (x, h))
            volume = 0.0
            for k in range(3):
                q = math.sqrt(sd[x, k] ** 2 + sd[h, k] ** 2 - 2.0 * C[k][x, h])
                share = min(excess(mean[h, k] - mean[x, k], q), a[k])
                volume += np.prod(np.minimum(a, a_hat)[:k]) * share * np.prod(a[k + 1 :])
            sums.append(volume)
        total += min(sums)
    rest, columns = np.setdiff1d(np.arange(15), rows), [t.covariance_with for t in tables]
    found = module._missed_pairwise(mean, sd, rest, rows, columns, z, module._limits(None, mean.shape[1]))
    assert found.sum() == pytest.approx(total, rel=1e-8)


def test_refusals():
    mean, sd, columns = np.zeros((3, 2)), np.ones((3, 2)), [lambda _: np.zeros(3)] * 2
    with pytest.raises(InvalidInput, match="rows must be numbers"):
        hypervolume_bound(mean, sd, np.array([3]), [0.0, 0.0], columns)
    with pytest.raises(InvalidInput, match="one per objective, 2, got 1"):
        epsilon_bound(mean, sd, np.array([0]), [lambda _: np.zeros(3)])
    with pytest.raises(InvalidInput, match="weight must be a probability"):
        hypervolume_bound(mean, sd, np.array([0]), [0.0, 0.0], columns, weight=np.full(3, 2.0))
    with pytest.raises(InvalidInput, match="one shape"):
        hypervolume_bound(mean, sd[:2], np.array([0]), [0.0, 0.0], columns)
    with pytest.raises(InvalidInput, match="need one per objective, 2, got 3 and 2"):
        hypervolume_bound(mean, sd, np.array([0]), [0.0, 0.0, 0.0], columns)
