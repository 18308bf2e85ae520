"""Bounds for several objectives: lemmas by simulation, runs of the shipped rules, identities."""

import math

import numpy as np
import pytest
from scipy import stats

from regretless.acquisition import BoundingBoxes, Chebyshev
from regretless.acquisition.bounding_boxes import reach
from regretless.confidence import ShiftedExponential, TightUnion
from regretless.errors import InvalidInput
from regretless.pareto import front_rows, hypervolume
from regretless.theory import (
    epsilon_of_boxes,
    expected_hypervolume_scalarisation,
    expected_regret_chebyshev,
    hypervolume_constant,
    hypervolume_regret_of_run,
    hypervolume_scalarisation,
)

from .joint_runs import N, X, assert_below, run, variance_sums
from .test_constraints import DRAWS, moments, multipliers


@pytest.mark.parametrize("seed", range(12))
def test_chebyshev_lemma_needs_one_event_per_candidate(seed):
    """E max_x min_k lambda_k f_k <= E max_x of the same at the upper bounds; three objectives."""
    rng, n, mean, sd = moments(seed)
    c, lam = multipliers(n, rng)[:, None, None], rng.dirichlet(np.ones(3), (DRAWS, 1))
    f = mean + sd * rng.standard_normal((DRAWS, n, 3))
    assert_below((lam * f).min(axis=2).max(axis=1), (lam * (mean + c * sd)).min(axis=2).max(axis=1))


@pytest.mark.parametrize("seed", range(8))
def test_hypervolume_lemma_needs_one_event_per_candidate(seed):
    """E HV(f(X)) <= E HV of the upper bounds; two objectives, at 4 errors of 3000 draws."""
    rng, n, mean, sd = moments(seed)
    mean, sd, z = mean[:, :2], sd[:, :2], np.full(2, -1.0)
    c = multipliers(n, rng)[:3000]
    real = [hypervolume(mean + sd * rng.standard_normal((n, 2)), z) for _ in c]
    assert_below(real, np.array([hypervolume(mean + level * sd, z) for level in c]))


@pytest.mark.parametrize("seed", range(8))
def test_box_lemma_needs_one_event_per_candidate_and_objective(seed):
    """E epsilon of the Pareto set of the means <= E of the furthest box."""
    rng, n, mean, sd = moments(seed)
    if seed % 4 == 3:  # one that is known, and others as good that are not
        mean, sd = np.full((n, 3), -1e-9), np.ones((n, 3))
        mean[0] = sd[0] = 0.0
    rows = front_rows(mean)
    c = multipliers(3 * n, rng)[:5000]
    f = mean + sd * rng.standard_normal((5000, n, 3))
    real = np.maximum((f[:, :, None] - f[:, None, rows]).max(axis=3).min(axis=2).max(axis=1), 0.0)
    assert_below(real, np.array([reach(mean + level * sd, (mean - level * sd)[rows]).max() for level in c]))


@pytest.mark.parametrize("tight", [False, True])
def test_chebyshev_rule_within_its_bound(tight):
    """Scalarised regret <= widths <= theorem. The rule scales by the front: its own weights are compared with."""
    T = 12
    law = TightUnion(N) if tight else ShiftedExponential.for_table(N)
    rng, z = np.random.default_rng(7), np.full(2, -2.0)
    regret, width = [], []
    for _ in range(80):
        done = run(Chebyshev(law=law), 2, 0, T, rng, reference=z)
        total = widths = 0.0
        for (mean, sd), row, record in zip(done.before, done.rows, done.records, strict=True):
            front = mean[front_rows(mean)]
            r = np.where(np.ptp(front, axis=0) > 0.0, np.ptp(front, axis=0), 1.0)
            r = np.where((np.ptp(front, axis=0) == 0.0) & (np.ptp(mean, axis=0) > 0.0), np.ptp(mean, axis=0), r)
            w, c = np.array([record["weight_0"], record["weight_1"]]) / r, math.sqrt(record["zeta"])
            scalarised = (w * (done.F - z)).min(axis=1)
            total += scalarised.max() - scalarised[row]
            widths += (w * (mean + c * sd - z)).min(axis=1).max() - scalarised[row]
        regret.append(total)
        width.append(widths)
    assert_below(regret, np.array(width))


def fixed_scale_runs(T, runs, rng, score):
    """Runs on two objectives by the argmax of ``score(mean, sd, c, lam)``, written out with full covariances."""
    from .joint_runs import KERNELS, NOISE_VAR

    K = [kernel(X, X) + 1e-9 * np.eye(N) for kernel in KERNELS[:2]]
    law = ShiftedExponential.for_table(N)
    for _ in range(runs):
        F = np.column_stack([np.linalg.cholesky(k) @ rng.standard_normal(N) for k in K])
        mean, C = np.zeros((N, 2)), [k.copy() for k in K]
        steps = []
        for t in range(1, T + 1):
            sd = np.sqrt(np.column_stack([c.diagonal() for c in C]))
            root, lam, values = score(mean, sd, math.sqrt(law.draw(t, rng)))
            row = int(values.argmax())
            steps.append((mean.copy(), sd, root, lam, row))
            for k in range(2):
                y = F[row, k] + math.sqrt(NOISE_VAR) * rng.standard_normal()
                column = C[k][row].copy()
                scale = column[row] + NOISE_VAR
                mean[:, k] += column * (y - mean[row, k]) / scale
                C[k] -= np.outer(column, column) / scale
        yield F, steps, mean, np.sqrt(np.column_stack([c.diagonal() for c in C]))


def test_chebyshev_theorem_with_fixed_scales():
    T, rng = 12, np.random.default_rng(8)

    def score(mean, sd, c):
        lam = rng.dirichlet(np.ones(2))
        return c, lam, (lam * (mean + c * sd)).min(axis=1)

    regret = []
    for F, steps, *_ in fixed_scale_runs(T, 60, rng, score):
        regret.append(sum((lam * F).min(axis=1).max() - (lam * F[row]).min() for *_, lam, row in steps))
    assert_below(regret, expected_regret_chebyshev(T, n_candidates=N, objectives=variance_sums(2, T)))


def sphere(K, rng, size=()):
    lam = np.abs(rng.standard_normal((*size, K)))
    return lam / np.linalg.norm(lam, axis=-1, keepdims=True)


@pytest.mark.slow
def test_hypervolume_scalarisation_bounds_the_hypervolume_missed():
    """What the recommended map misses, averaged over runs, is below what the runs show; at 3 errors."""
    T, rng, z = 12, np.random.default_rng(9), np.full(2, -1.0)

    def score(mean, sd, c):
        lam = sphere(2, rng)
        return c, lam, hypervolume_scalarisation(mean + c * sd, lam, z)

    missed, shown = [], []
    for F, steps, mean, sd in fixed_scale_runs(T, 30, rng, score):
        upper = [hypervolume_scalarisation(m + c * s, lam, z).max() for m, s, c, lam, _ in steps]
        expected = [expected_hypervolume_scalarisation(m[row], s[row], lam, z) for m, s, _, lam, row in steps]
        shown.append(hypervolume_regret_of_run(upper, expected, n_objectives=2))
        rows = set()
        for lam in sphere(2, rng, (15,)):
            rows.add(int(np.argmax([expected_hypervolume_scalarisation(mean[i], sd[i], lam, z) for i in range(N)])))
        missed.append(hypervolume(F, z) - hypervolume(F[sorted(rows)], z))
    assert_below(missed, np.array(shown), errors=3.0)


def test_boxes_within_their_bound():
    """Mean epsilon <= mean gap <= theorem, over 60 runs of the shipped rule."""
    T, rng, epsilon, gap = 12, np.random.default_rng(10), [], []
    for _ in range(60):
        done = run(BoundingBoxes(), 2, 0, T, rng, reference=np.full(2, -2.0))
        each = []
        for mean, _ in done.before:
            rows = front_rows(mean)
            each.append(max((done.F[:, None] - done.F[rows]).max(axis=2).min(axis=1).max(), 0.0))
        epsilon.append(np.mean(each))
        gap.append(np.mean([record["gap"] for record in done.records]))
    assert_below(epsilon, np.array(gap))
    assert_below(gap, epsilon_of_boxes(T, n_candidates=N, objectives=variance_sums(2, T)), errors=0.0)


@pytest.mark.parametrize(("K", "value"), [(2, 0.785398163397), (3, 0.523598775598), (4, 0.308425137534)])
def test_hypervolume_constant(K, value):
    assert hypervolume_constant(K) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("K", [2, 3, 4])
def test_the_scalarisation_averages_to_the_hypervolume(K):
    rng = np.random.default_rng(K)
    Y, z = rng.uniform(-0.2, 1.0, (8, K)), np.zeros(K)
    best = hypervolume_constant(K) * np.array(
        [hypervolume_scalarisation(Y, lam, z).max() for lam in sphere(K, rng, (20000,))]
    )
    assert abs(best.mean() - hypervolume(Y, z)) < 4.0 * best.std() / math.sqrt(len(best))


def test_scalarisation_known_values():
    Y = [[1.0, 4.0], [2.0, 3.0], [3.0, 1.5], [4.0, 0.5], [1.5, 2.0]]
    expected = [2.77777777778, 11.1111111111, 3.515625, 0.390625, 6.25]
    np.testing.assert_allclose(hypervolume_scalarisation(Y, [0.6, 0.8], [0.0, 0.0]), expected, rtol=1e-10)
    with pytest.raises(InvalidInput, match="number per objective"):
        hypervolume_scalarisation(Y, [0.6, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("seed", range(6))
def test_expected_scalarisation_by_simulation(seed):
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 4))
    mean, sd = rng.standard_normal(K), rng.uniform(0.05, 1.0, K)
    lam, z = sphere(K, rng), rng.normal(-1.0, 1.0, K)
    values = hypervolume_scalarisation(mean + sd * rng.standard_normal((100_000, K)), lam, z)
    found = expected_hypervolume_scalarisation(mean, sd, lam, z)
    assert abs(found - values.mean()) < 4.5 * values.std() / math.sqrt(len(values)) + 1e-9


def test_chebyshev_values_of_one_point():
    """E(min_k lam_k (f_k - z_k) - 0)^+ at three candidates, by the tail's integral, as in the reference values."""
    mean, sd = np.array([[0.3, 0.8], [0.9, 0.1], [0.5, 0.5]]), np.array([[0.4, 0.2], [0.3, 0.3], [0.1, 0.6]])
    lam, z = np.array([0.3, 0.7]), np.full(2, -1.0)
    v = np.linspace(0.0, 5.0, 200_001)
    for i, expected in enumerate([0.390018402975, 0.546006361691, 0.436230597737]):
        p = np.prod(stats.norm.sf((z + v[:, None] / lam - mean[i]) / sd[i]), axis=1)
        assert np.trapezoid(p, v) == pytest.approx(expected, rel=1e-6)


def test_one_objective_in_boxes_and_weights():
    assert expected_regret_chebyshev(9, n_candidates=5, objectives=[4.0], scale=[2.0]) == pytest.approx(
        0.5 * expected_regret_chebyshev(9, n_candidates=5, objectives=[4.0])
    )
    with pytest.raises(InvalidInput, match="scale must have a positive number per objective, 2"):
        expected_regret_chebyshev(9, n_candidates=5, objectives=[4.0, 4.0], scale=[1.0])


@pytest.mark.parametrize("wrong", [{"T": 0}, {"n_candidates": 0}, {"objectives": [-1.0, 1.0]}])
def test_boxes_of_no_run_have_no_bound(wrong):
    right = {"T": 1, "n_candidates": 1, "objectives": [1.0, 1.0]}
    assert epsilon_of_boxes(**right) > 0.0
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        epsilon_of_boxes(**(right | wrong))
