"""The two-point theorem: constants by another order of integration and by runs, the condition at its ends."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from tests.theory.plain_runs import plain_runs

from regretless.errors import InvalidInput
from regretless.theory import (
    LARGEST_RHO,
    constant_beta_probability,
    constant_beta_regret,
    constant_beta_threshold,
    steady_noise_probability,
    steady_noise_probability_as_printed,
    two_point_covariance,
)

#: P(E) of the reference sheet, to the digits it has.
STATED = {
    (0.0, 1): 1.4e-8,
    (0.0, 2): 8.6e-17,
    (0.5, 1): 3.7e-12,
    (0.5, 2): 5.2e-30,
    (-0.5, 1): 1.5e-10,
    (0.9, 1): 3e-111,
}


@pytest.mark.parametrize(("rho", "c"), STATED)
def test_the_stated_values(rho, c):
    assert constant_beta_probability(c * c, rho=rho) == pytest.approx(STATED[rho, c], rel=0.12)


@pytest.mark.parametrize("rho", [-0.9, -0.5, 0.0, 0.3, 0.6])
@pytest.mark.parametrize("beta", [0.01, 1.0, 4.0])
def test_the_other_order_of_integration(rho, beta):
    """Over g = f2 - f1 ~ N(0, v) outside and f1 given g inside."""
    v = 1.99 - 2.0 * rho
    a, slope = constant_beta_threshold(beta, rho=rho), (rho - 1.0) / v
    sd = math.sqrt(1.0 - (rho - 1.0) ** 2 / v)
    inner, _ = integrate.quad(
        lambda g: stats.norm.pdf(g, scale=math.sqrt(v)) * stats.norm.sf((a - slope * g) / sd),
        1.0,
        1.0 + 12.0 * math.sqrt(v),
        epsabs=0.0,
        epsrel=1e-11,
        limit=200,
    )
    expected = inner * steady_noise_probability()
    assert constant_beta_probability(beta, rho=rho) == pytest.approx(expected, rel=1e-9)


def test_threshold():
    assert constant_beta_threshold(0.25, rho=0.0) == 3.0  # max(1, c) is 1
    assert constant_beta_threshold(9.0, rho=-0.5) == pytest.approx(6.0 / 1.5 + 1.0)
    # a larger constant and a larger correlation make the event rarer
    for more in ({"beta": 2.0, "rho": 0.0}, {"beta": 1.0, "rho": 0.2}):
        assert constant_beta_probability(**more) < constant_beta_probability(1.0, rho=0.0)


def test_steady_noise_by_simulation():
    """Paths of 60 steps, after which leaving has a probability below 1e-14; two-sided level 6e-5."""
    paths = np.random.default_rng(0).standard_normal((20_000, 60)).cumsum(axis=1) / np.arange(1.0, 61.0)
    stays = np.mean(np.all(paths >= -1.0, axis=1))
    exact = steady_noise_probability()
    assert stays == pytest.approx(exact, abs=4.0 * math.sqrt(exact * (1.0 - exact) / len(paths)))
    assert steady_noise_probability_as_printed() == pytest.approx(1.0 - 0.771, abs=5e-4)
    assert steady_noise_probability_as_printed() < exact


def test_on_the_event_the_worse_point_is_chosen_for_ever():
    """The deterministic part of the proof, with f and noise on the edge of the event and the posterior written out."""
    rng = np.random.default_rng(1)
    for rho in (-0.9, 0.0, 0.9):
        for c in (0.5, 1.0, 3.0):
            K = two_point_covariance(rho)
            first = constant_beta_threshold(c * c, rho=rho)
            noise = np.maximum(rng.standard_normal(50).cumsum(), -np.arange(1.0, 51.0))  # sums, never below -t
            for t in range(51):
                y = first * t + (noise[t - 1] if t else 0.0)  # the sum of t results at x1
                mean = K[:, 0] * y / (t + 1.0)
                var = np.diag(K) - t / (t + 1.0) * K[:, 0] ** 2
                upper = mean + c * np.sqrt(var)
                assert upper[0] > upper[1]


def test_the_lower_bound_is_below_what_runs_show():
    """Mean regret of 400 runs minus 4 standard errors; the bound is tiny."""
    found = plain_runs(two_point_covariance(0.0), 1.0, 300, 400, np.random.default_rng(0), zeta=1.0).regret.sum(axis=1)
    bound = constant_beta_regret(300, beta=1.0, rho=0.0)
    assert 0.0 < bound < found.mean() - 4.0 * found.std() / 20.0
    assert bound == 300 * constant_beta_probability(1.0, rho=0.0)


def test_the_condition():
    assert pytest.approx(0.99499, abs=5e-6) == LARGEST_RHO
    for rho in (LARGEST_RHO, -LARGEST_RHO, 0.999, -1.0, 1.0, math.nan):
        for ask in (
            lambda rho: two_point_covariance(rho),
            lambda rho: constant_beta_threshold(1.0, rho=rho),
            lambda rho: constant_beta_probability(1.0, rho=rho),
        ):
            with pytest.raises(InvalidInput, match="rho"):
                ask(rho)
    for rho in (0.9949, -0.9949):
        assert np.linalg.eigvalsh(two_point_covariance(rho)).min() > 0.0
        assert 0.0 <= constant_beta_probability(1.0, rho=rho) < 1e-5
    for beta in (0.0, -1.0, math.inf):
        with pytest.raises(InvalidInput, match="beta"):
            constant_beta_threshold(beta, rho=0.0)
    assert constant_beta_probability(1e300, rho=0.0) == 0.0  # below the smallest double, no warning


def test_at_the_end_points_the_theorem_is_false():
    """f2 = sqrt(0.99) f1 and f2 = -sqrt(0.99) f1: the slope of a constant beta falls to nothing. Level: 4 errors."""
    for sign in (1.0, -1.0):
        K = np.array([[1.0, sign * LARGEST_RHO], [sign * LARGEST_RHO, 0.99]])
        regret = plain_runs(K, 1.0, 1500, 300, np.random.default_rng(3), zeta=1.0).regret
        early, late = regret[:, 100:400].mean(axis=1), regret[:, 1200:].mean(axis=1)
        assert late.mean() + 4.0 * late.std() / math.sqrt(300) < 0.002
        assert late.mean() <= early.mean()
