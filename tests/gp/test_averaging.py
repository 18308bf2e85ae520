"""Settings drawn given the data: the kernel, its density and the sampler, each against an independent computation."""

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from regretless.gp import Drawn, Kernel, Noise, Settings, draw_settings, posterior
from regretless.gp import averaging as module
from regretless.gp.averaging import _Likelihood
from regretless.gp.effects import EffectsKernel

RNG = np.random.default_rng(5)
X = np.column_stack([RNG.random((9, 2)), RNG.integers(3, size=9)])
X[7] = X[2]  # a row that was measured twice
CATEGORICAL = (False, False, True)
ROWS = np.array([0, 1, 2, 3, 4, 5, 6, 2, 8])
Z = np.sin(3.0 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * (X[:, 2] == 1) + 0.05 * RNG.standard_normal(9)
NUMBERED = np.column_stack([X, ROWS])


def covariance(drawn, A, B):
    """From scratch, entry by entry."""
    plain = Kernel(drawn.family, np.array(drawn.lengthscale), drawn.amplitude, CATEGORICAL)
    same = np.array([[a[3] == b[3] for b in B] for a in A], dtype=float)
    return plain(A[:, :3], B[:, :3]) + drawn.mean_var + drawn.row_var * same


def some(P, rng, **options):
    settings = Settings(CATEGORICAL, **options)
    return settings, rng.integers(3, size=P), rng.standard_normal((P, settings.size))


@pytest.mark.parametrize("family", ["rbf", "matern32", "matern52"])
def test_the_kernel_has_a_constant_and_a_row_effect(family):
    drawn = Drawn(family, (0.3, 0.5, 0.8), 1.7, 1.0, 0.2, 0.01)
    kernel = drawn.kernel(CATEGORICAL)
    K = kernel(NUMBERED, NUMBERED)
    np.testing.assert_allclose(K, covariance(drawn, NUMBERED, NUMBERED), atol=1e-12)
    assert K[2, 7] == pytest.approx(kernel.signal_var)
    assert kernel.signal_var == pytest.approx(2.9)
    # Without numbers no two points are the same row: in a product space there is no row effect.
    assert kernel(X, X)[2, 7] == pytest.approx(2.7)


def test_an_integrated_mean_is_that_of_k_plus_11():
    """f = m + g, m ~ N(0, v): the posterior of both by the formulas of a linear model (Rasmussen and Williams, 2.7)."""
    drawn = Drawn("matern52", (0.4, 0.4, 0.9), 0.8, 1.0, 0.0, 0.02)
    belief = posterior(drawn.kernel(CATEGORICAL), noise_var=drawn.noise_var, X=NUMBERED, y=Z)
    plain = Kernel("matern52", np.array(drawn.lengthscale), 0.8, CATEGORICAL)
    at = np.column_stack([RNG.random((5, 2)), RNG.integers(3, size=5)])
    K = plain(X, X) + 0.02 * np.eye(9)
    inverse, ones, K_s = np.linalg.inv(K), np.ones(9), plain(X, at)
    precision = ones @ inverse @ ones + 1.0
    m = ones @ inverse @ Z / precision
    rest = 1.0 - ones @ inverse @ K_s
    mean, sd = belief.mean_sd(np.column_stack([at, -1.0 - np.arange(5)]))
    np.testing.assert_allclose(mean, m + K_s.T @ inverse @ (Z - m), rtol=1e-9)
    np.testing.assert_allclose(sd**2, 0.8 - np.einsum("ij,ij->j", K_s, inverse @ K_s) + rest**2 / precision, rtol=1e-7)


def test_gradients_are_those_of_the_smooth_part():
    drawn = Drawn("matern32", (0.3, 0.6, 0.9), 1.1, 1.0, 0.3, 0.01)
    belief = posterior(drawn.kernel(CATEGORICAL), noise_var=drawn.noise_var, X=NUMBERED, y=Z)
    at, step = np.array([[0.31, 0.62, 1.0, -5.0]]), 1e-6
    _, _, dmean, dsd = belief.mean_sd_gradient(at)
    for j in range(2):
        ahead, back = at.copy(), at.copy()
        ahead[0, j] += step
        back[0, j] -= step
        (m1, s1), (m0, s0) = belief.mean_sd(ahead), belief.mean_sd(back)
        assert dmean[0, j] == pytest.approx((m1[0] - m0[0]) / (2 * step), rel=1e-4)
        assert dsd[0, j] == pytest.approx((s1[0] - s0[0]) / (2 * step), rel=1e-4)


@pytest.mark.parametrize("known", [False, True])
def test_the_density_of_many_settings_at_once_is_that_of_each(known):
    settings, family, E = some(7, np.random.default_rng(1))
    count = np.array([1.0, 1, 3, 1, 1, 2, 1, 1, 1])
    noise = Noise(np.full(9, 0.1), count, np.where(count > 1, 0.2, 0.0)) if known else None
    found = _Likelihood.of(settings, X, Z, ROWS, noise)(family, E)
    for value, drawn in zip(found, settings.drawn(family, E), strict=True):
        variances = np.full(9, drawn.noise_var) if noise is None else noise.variances(drawn.noise_var)
        K = covariance(drawn, NUMBERED, NUMBERED) + np.diag(variances)
        wanted = multivariate_normal(np.zeros(9), K, allow_singular=True).logpdf(Z) + 4.5 * math.log(2 * math.pi)
        wanted += noise.log_density_within(drawn.noise_var)[0] if noise is not None else 0.0
        assert value == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_a_matrix_that_rounding_made_indefinite_does_not_spoil_the_others():
    good, bad = np.eye(3) * 2.0, np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 9.0]])
    found = module._log_density(np.array([good, bad, good]))
    assert np.isfinite(found[[0, 2]]).all()
    assert found[1] == -np.inf


def test_draws_follow_the_law_given_the_data():
    """Against quadrature over length scale and amplitude, the noise being given; refused at 4.5 standard errors."""
    x = np.linspace(0.0, 1.0, 8)[:, None]
    z = np.sin(5.0 * x[:, 0])
    settings = Settings((False,), families=("matern52",), noise_var=0.01, row_effect=False)
    grid = np.linspace(-4.0, 4.0, 161)
    E = np.array([(a, b, 0.0, 0.0) for a in grid for b in grid])
    value = _Likelihood.of(settings, x, z, np.arange(8), None)(np.zeros(len(E), dtype=np.intp), E)
    weight = np.exp(value - value.max()) * norm.pdf(E[:, 0]) * norm.pdf(E[:, 1])
    weight /= weight.sum()
    wanted = np.array([weight @ E[:, 0], weight @ E[:, 1], weight @ E[:, 0] ** 2])
    found = []
    for seed in range(24):
        drawn = draw_settings(settings, x, z, np.arange(8), count=32, rng=np.random.default_rng(seed))
        a = np.log(np.array([d.lengthscale[0] for d in drawn]) / module.LENGTHSCALE[0]) / module.LENGTHSCALE[1]
        b = np.log([d.amplitude for d in drawn])
        found.append([a.mean(), np.mean(b), (a**2).mean()])
    found = np.array(found)
    se = found.std(axis=0, ddof=1) / math.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - wanted) <= 4.5 * se).all()
    assert (se < 0.1).all()


def test_families_are_chosen_by_the_data():
    """A smooth function is RBF's; |x| with kinks is not."""
    x = np.linspace(0.0, 1.0, 24)[:, None]
    share = {}
    for name, z in (("smooth", np.sin(6.0 * x[:, 0])), ("kinked", np.abs(np.sin(9.0 * x[:, 0])))):
        drawn = draw_settings(
            Settings((False,)), x, (z - z.mean()) / z.std(), np.arange(24), count=32, rng=np.random.default_rng(3)
        )
        share[name] = np.mean([d.family == "rbf" for d in drawn])
    assert share["smooth"] > 0.9
    assert share["kinked"] < 0.1


def test_a_row_effect_is_told_from_noise_by_repeats():
    """Rows measured three times each: what differs between rows and not within them belongs to the row."""
    rng = np.random.default_rng(8)
    x = np.repeat(rng.random((12, 2)), 3, axis=0)
    rows = np.repeat(np.arange(12), 3)
    effect = rng.standard_normal(12)[rows]
    for persistent in (True, False):
        z = effect if persistent else rng.standard_normal(36)
        drawn = draw_settings(Settings((False, False)), x, z + 0.01 * rng.standard_normal(36), rows, count=24, rng=rng)
        noise = np.median([d.noise_var for d in drawn])
        assert noise < 0.01 if persistent else noise > 0.3


@pytest.mark.parametrize("n", [1, 2, 150])
def test_a_draw_depends_on_the_data_and_the_seed_alone(n):
    rng = np.random.default_rng(0)
    x, z = rng.random((n, 2)), rng.standard_normal(n)
    first, again, other = (
        draw_settings(Settings((False, False)), x, z, np.arange(n), count=8, rng=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert len(first) == 8
    assert all(np.isfinite([*d.lengthscale, d.amplitude, d.row_var, d.noise_var]).all() for d in first)


def test_what_is_given_is_kept():
    rng = np.random.default_rng(0)
    settings = Settings((False,), families=("matern32",), mean_var=0.0, noise_var=0.25, row_effect=False)
    x = rng.random((6, 1))
    for drawn in draw_settings(settings, x, rng.standard_normal(6), np.arange(6), count=8, rng=rng):
        assert (drawn.family, drawn.mean_var, drawn.row_var) == ("matern32", 0.0, 0.0)
        assert drawn.noise_var == pytest.approx(0.25)


def test_kernels_without_the_effects_are_plain():
    plain = Kernel("rbf", np.array([0.3, 0.4]), 1.3)
    effects = EffectsKernel("rbf", np.array([0.3, 0.4]), 1.3)
    np.testing.assert_allclose(effects(X[:, :2], X[:, :2]), plain(X[:, :2], X[:, :2]))
