"""The kernel of all levels: positive definite, plain at the target, and the posterior of the textbook."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from regretless.errors import InvalidInput
from regretless.gp import (
    FidelityKernel,
    Kernel,
    LevelDiscrepancy,
    Surrogate,
    TruncatedDiscrepancy,
    fit,
    posterior,
    table_posterior,
)
from regretless.gp.evidence import Levels, column_distances, log_evidence, log_evidence_gradient

SCALES = np.array([0.3, 0.6])
LEVELS = FidelityKernel("matern52", SCALES, 1.7, discrepancy=LevelDiscrepancy((0.1, 0.4)), offset=0.5)
RANGE = FidelityKernel("rbf", SCALES, 0.8, discrepancy=TruncatedDiscrepancy(0.6, power=2), offset=1.0)
KERNELS = pytest.mark.parametrize("kernel", [LEVELS, RANGE], ids=["levels", "range"])


def rows(kernel, n, rng):
    z = rng.integers(3, size=n) if kernel is LEVELS else rng.random(n)
    return np.column_stack([rng.random((n, 2)), z])


def by_hand(kernel, a, b):
    """One entry of the covariance, term by term."""
    plain = Kernel(kernel.family, kernel.lengthscale, kernel.signal_var)(a[None, :2], b[None, :2])[0, 0]
    if kernel is LEVELS:  # the discrepancies that both have on their way down
        D = sum(w for j, w in enumerate(kernel.discrepancy.variances, 1) if j <= min(a[2], b[2]))
    else:
        s, t = 1.0 - a[2], 1.0 - b[2]
        D = kernel.discrepancy.variance * (1.0 - s) * (1.0 - t) * (1.0 + s * t) ** 2
    return plain + D * (plain + kernel.offset * kernel.signal_var)


@KERNELS
def test_entries_and_variances(kernel):
    rng = np.random.default_rng(1)
    A, B = rows(kernel, 5, rng), rows(kernel, 7, rng)
    expected = np.array([[by_hand(kernel, a, b) for b in B] for a in A])
    np.testing.assert_allclose(kernel(A, B), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.into(A, B, np.empty((5, 7)), np.empty((5, 7))), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.with_slope(A, B)[0], expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.variances(A), [by_hand(kernel, a, a) for a in A], rtol=1e-12)


@KERNELS
@pytest.mark.parametrize("seed", range(5))
def test_positive_definite(kernel, seed):
    A = rows(kernel, 60, np.random.default_rng(seed))
    A[30:, :2] = A[:30, :2]  # the same points at other levels
    assert np.linalg.eigvalsh(kernel(A, A)).min() > -1e-9


@KERNELS
def test_the_target_has_the_plain_kernel_and_so_has_everything_between_it_and_a_level(kernel):
    rng = np.random.default_rng(2)
    A, X = rows(kernel, 6, rng), rng.random((4, 2))
    plain = Kernel(kernel.family, kernel.lengthscale, kernel.signal_var)
    assert np.array_equal(kernel(X, A), plain(X, A[:, :2]))
    assert np.array_equal(kernel(np.column_stack([X, np.zeros(4)]), A), plain(X, A[:, :2]))
    assert kernel.variances(X) == kernel.signal_var
    W = rng.random((4, 6))
    assert np.array_equal(kernel.gradient(X, A, W), plain.gradient(X, A[:, :2], W))


def test_limits():
    """Without discrepancy all levels are one function; with a very large one they say nothing of the target."""
    X, z = np.random.default_rng(3).random((8, 2)), np.arange(8) % 2
    A = np.column_stack([X, z.astype(float)])
    plain = Kernel("rbf", SCALES, 1.0)
    same = FidelityKernel("rbf", SCALES, 1.0, discrepancy=LevelDiscrepancy((0.0,)))
    np.testing.assert_array_equal(same(A, A), plain(X, X))
    useless = FidelityKernel("rbf", SCALES, 1.0, discrepancy=LevelDiscrepancy((1e9,)))
    y = np.sin(5.0 * X[:, 0])
    given_all = posterior(useless, noise_var=0.01, X=A, y=y).mean_sd(X)
    given_target = posterior(plain, noise_var=0.01, X=X[z == 0], y=y[z == 0]).mean_sd(X)
    np.testing.assert_allclose(given_all, given_target, atol=1e-6)


@KERNELS
def test_posterior_is_that_of_the_textbook_at_the_target_and_at_levels(kernel):
    rng = np.random.default_rng(4)
    A, Q = rows(kernel, 9, rng), rows(kernel, 5, rng)
    y, noise = rng.standard_normal(9), 0.05
    inverse = np.linalg.inv(np.array([[by_hand(kernel, a, b) for b in A] for a in A]) + noise * np.eye(9))
    at_target = np.column_stack([Q[:, :2], np.zeros(5)])
    given = posterior(kernel, noise_var=noise, X=A, y=y)
    for asked, full in ((Q, Q), (Q[:, :2], at_target)):
        K_q = np.array([[by_hand(kernel, q, a) for a in A] for q in full])
        var = np.array([by_hand(kernel, q, q) for q in full]) - np.einsum("ij,jk,ik->i", K_q, inverse, K_q)
        mean, sd = given.mean_sd(asked)
        np.testing.assert_allclose(mean, K_q @ inverse @ y, rtol=1e-8)
        np.testing.assert_allclose(sd, np.sqrt(var), rtol=1e-8)


@KERNELS
def test_observations_of_levels_one_by_one_on_a_table_and_all_at_once(kernel):
    rng = np.random.default_rng(5)
    A, y, table = rows(kernel, 8, rng), rng.standard_normal(8), rng.random((11, 2))
    grown = table_posterior(posterior(kernel, noise_var=0.1, X=A[:3], y=y[:3]), table)
    for a, value in zip(A[3:], y[3:], strict=True):
        grown = grown.condition(a, value)
    mean, sd = posterior(kernel, noise_var=0.1, X=A, y=y).mean_sd(table)
    np.testing.assert_allclose(grown.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(grown.sd, sd, rtol=1e-9)
    # a row without a level is one at the target
    last = table[4]
    np.testing.assert_allclose(grown.condition(last, 0.3).mean, grown.condition(np.append(last, 0.0), 0.3).mean)


@KERNELS
def test_gradients_at_the_target(kernel):
    rng = np.random.default_rng(6)
    A, X, h = rows(kernel, 7, rng), rng.random((3, 2)), 6e-6
    given = posterior(kernel, noise_var=0.1, X=A, y=rng.standard_normal(7))
    _, _, by_mean, by_sd = given.mean_sd_gradient(X)
    for j in range(2):
        step = h * np.eye(2)[j]
        up, down = given.mean_sd(X + step), given.mean_sd(X - step)
        np.testing.assert_allclose(by_mean[:, j], (up[0] - down[0]) / (2 * h), atol=1e-7)
        np.testing.assert_allclose(by_sd[:, j], (up[1] - down[1]) / (2 * h), atol=1e-7)


def test_bad_discrepancies():
    with pytest.raises(InvalidInput, match="variances"):
        LevelDiscrepancy((0.1, -1.0))
    with pytest.raises(InvalidInput, match="power"):
        TruncatedDiscrepancy(0.1, power=-1)


def levels_of(kernel, A, log_tail):
    *variances, offset, noise_var = np.exp(log_tail)
    return Levels(kernel.discrepancy.parts(A[:, 2]), np.array(variances), offset, noise_var)


def slow_evidence(kernel, A, y, log_theta):
    """The density of the textbook, the covariance entry by entry."""
    d = 2
    *variances, offset, noise_below = np.exp(log_theta[d + 2 :])
    moved = replace(
        kernel,
        lengthscale=np.exp(log_theta[:d]),
        signal_var=float(np.exp(log_theta[d])),
        discrepancy=kernel.discrepancy.with_variances(tuple(variances)),
        offset=offset,
    )
    noise = np.exp(log_theta[d + 1]) + np.where(A[:, 2] > 0.0, noise_below, 0.0)
    return multivariate_normal.logpdf(y, np.zeros(len(y)), moved(A, A) + np.diag(noise))


@KERNELS
@pytest.mark.parametrize("held", [True, False])
def test_evidence_is_the_density_and_its_gradient_the_difference(kernel, held):
    rng = np.random.default_rng(7)
    A, y = rows(kernel, 14, rng), rng.standard_normal(14)
    tail = np.log([*kernel.discrepancy.variances, kernel.offset, 0.03])
    log_theta = np.concatenate([np.log(SCALES), [np.log(kernel.signal_var), np.log(0.05)], tail])
    plain = Kernel(kernel.family, SCALES, kernel.signal_var)
    levels = levels_of(kernel, A, tail)
    D = column_distances(A[:, :2], (False, False)) if held else None
    value, gradient = log_evidence_gradient(plain, 0.05, A[:, :2], y, D, levels=levels)
    assert value == pytest.approx(slow_evidence(kernel, A, y, log_theta), rel=1e-10)
    assert log_evidence(plain, 0.05, A[:, :2], y, levels=levels) == pytest.approx(value, rel=1e-10)
    h = np.finfo(float).eps ** (1 / 3)
    up, down = ([slow_evidence(kernel, A, y, log_theta + s * e) for e in h * np.eye(len(log_theta))] for s in (1, -1))
    np.testing.assert_allclose(gradient, (np.array(up) - down) / (2 * h), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_tells_a_close_level_from_a_far_one(seed):
    """Of functions drawn with discrepancies of 1 % and of 400 % the fit tells which is which, by a factor of ten."""
    rng, found = np.random.default_rng(seed), []
    for variance in (0.01, 4.0):
        kernel = FidelityKernel("matern52", SCALES, 1.0, discrepancy=LevelDiscrepancy((variance,)), offset=0.5)
        X = rng.random((20, 2))
        A = np.vstack([np.column_stack([X, np.full(20, z)]) for z in (0.0, 1.0)])
        y = np.linalg.cholesky(kernel(A, A) + 1e-8 * np.eye(40)) @ rng.standard_normal(40)
        h = fit(
            Surrogate(compress=False),
            A,
            y,
            categorical=(False, False),
            start=None,
            rng=rng,
            discrepancy=LevelDiscrepancy((1.0,)),
        )
        found.append(h.discrepancy.variances[0])
        again = fit(Surrogate(), A, y, categorical=(False, False), start=h, rng=rng, discrepancy=h.discrepancy)
        assert isinstance(again.kernel((False, False)), FidelityKernel)
    assert found[0] * 10.0 < found[1]


def test_noise_below_the_target_is_not_taken_for_noise_at_it():
    rng = np.random.default_rng(1)
    X = rng.random((25, 1))
    A = np.vstack([np.column_stack([X, np.full(25, z)]) for z in (0.0, 1.0)])
    y = np.sin(6.0 * A[:, 0]) + np.where(A[:, 1] > 0.0, rng.standard_normal(50), 0.0)
    h = fit(Surrogate(), A, y, categorical=(False,), start=None, rng=rng, discrepancy=LevelDiscrepancy((1.0,)))
    assert h.noise_var < 0.01 < 0.1 < h.level_noise_var
    np.testing.assert_array_equal(h.noise_vars(y, None, A) > 0.1, A[:, 1] > 0.0)
