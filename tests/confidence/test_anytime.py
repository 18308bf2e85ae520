"""The anytime band: values at high precision, its slope, and whether it holds for all t and all candidates at once."""

import numpy as np
import pytest
from scipy import stats

from regretless.confidence import AnytimeBand
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, table_posterior


def test_known_values():
    band = AnytimeBand(delta=0.1, rho=0.1)
    c = np.sqrt(band.zeta(np.array([1.0, 0.1, 0.001]), n_candidates=49))
    np.testing.assert_allclose(c, [4.03303566318, 4.14414896113, 4.64773182039], rtol=1e-11)


@pytest.mark.parametrize("rho", [0.01, 0.1, 2.0])
def test_the_elasticity_is_the_slope_in_log_q(rho):
    band, q, h = AnytimeBand(0.05, rho), np.geomspace(1e-8, 1.0, 9), 1e-5
    slope = (band.zeta(q * np.exp(h), 30) - band.zeta(q * np.exp(-h), 30)) / (2.0 * h)
    np.testing.assert_allclose(band.elasticity(q, 30), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("bad", [{"delta": 0.0}, {"delta": 1.0}, {"rho": 0.0}, {"rho": np.nan}])
def test_what_is_no_probability_is_refused(bad):
    with pytest.raises(InvalidInput):
        AnytimeBand(**bad)


def leaves_the_band(band: AnytimeBand, seed: int, steps: int) -> bool:
    """One run of the rule itself on a function drawn from the model: whether f is ever outside anywhere."""
    rng, X = np.random.default_rng(seed), np.linspace(0.0, 1.0, 12)[:, None]
    kernel = Kernel("matern52", np.array([0.2]), 1.0)
    f = np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(len(X))) @ rng.standard_normal(len(X))
    table = table_posterior(posterior(kernel, noise_var=0.05, X=np.empty((0, 1)), y=np.empty(0)), X)
    for _ in range(steps):
        reach = np.sqrt(band.zeta(table.sd**2, len(X))) * table.sd
        if np.any(np.abs(f - table.mean) > reach):
            return True
        best = int(np.argmax(table.mean + reach))
        table = table.condition_at(best, f[best] + np.sqrt(0.05) * rng.standard_normal())
    return False


def test_f_stays_inside_for_all_t_and_x():
    """200 runs at delta = 0.3: more failures than a binomial law of 0.3 allows once in 10^4 times is an error."""
    left = sum(leaves_the_band(AnytimeBand(delta=0.3), seed, steps=40) for seed in range(200))
    assert left <= stats.binom.ppf(1.0 - 1e-4, 200, 0.3)


def test_a_band_of_a_third_of_the_width_does_not_hold():
    """The test above can fail: it does with bands that are too narrow."""

    class Narrow(AnytimeBand):
        def zeta(self, q, n_candidates):
            return AnytimeBand.zeta(self, q, n_candidates) / 9.0

    left = sum(leaves_the_band(Narrow(delta=0.3), seed, steps=40) for seed in range(60))
    assert left > stats.binom.ppf(1.0 - 1e-4, 60, 0.3)
