"""Bounds with less growth than log t: values at high precision, order among each other, and runs that keep them."""

import math

import numpy as np
import pytest
from scipy import stats

from regretless import theory
from regretless.confidence import AnytimeBand, ShiftedExponential
from regretless.gp import Kernel, posterior, table_posterior

KNOWN = {"n_candidates": 49, "info_gain": 37.1, "noise_var": 0.1}


def test_known_values():
    assert theory.anytime_regret(150, delta=0.1, **KNOWN) == pytest.approx(576.79708726, rel=1e-11)
    assert theory.second_moment_regret(150, **KNOWN) == pytest.approx(414.62505849, rel=1e-11)
    assert theory.constant_beta_simple_regret(150, delta=0.1, **KNOWN) == pytest.approx(3.96987963456, rel=1e-11)


def test_one_candidate_has_no_regret():
    alone = {**KNOWN, "n_candidates": 1}
    assert theory.anytime_regret(10, delta=0.1, **alone) == 0.0
    assert theory.second_moment_regret(10, **alone) == 0.0
    assert theory.constant_beta_simple_regret(10, delta=0.1, **alone) == 0.0


def test_less_than_the_growing_parameter_and_less_than_markov():
    others = {**KNOWN, "delta": 0.1}
    assert theory.anytime_regret(150, **others) < theory.high_probability_regret_gp_ucb_anytime(150, **others)
    expected = theory.expected_regret_table(150, **KNOWN)
    assert theory.second_moment_regret(150, **KNOWN) >= expected  # a root mean square is at least the mean
    rare = 0.001
    assert theory.second_moment_regret_fixed(150, delta=rare, **KNOWN) < expected / rare


X = np.linspace(0.0, 1.0, 10)[:, None]
KERNEL = Kernel("rbf", np.array([0.25]), 1.0)
NOISE_VAR, STEPS = 0.1, 30


def regrets(choose, seed: int) -> np.ndarray:
    """Regret of every step on a function drawn from the model; ``choose(table, rng)`` gives the row."""
    rng = np.random.default_rng(seed)
    f = np.linalg.cholesky(KERNEL(X, X) + 1e-10 * np.eye(len(X))) @ rng.standard_normal(len(X))
    table = table_posterior(posterior(KERNEL, noise_var=NOISE_VAR, X=np.empty((0, 1)), y=np.empty(0)), X)
    steps = []
    for _ in range(STEPS):
        row = choose(table, rng)
        steps.append(f.max() - f[row])
        table = table.condition_at(row, f[row] + math.sqrt(NOISE_VAR) * rng.standard_normal())
    return np.array(steps)


GAIN = theory.information_gain(KERNEL, X, STEPS, noise_var=NOISE_VAR).upper


def settings(T: int = STEPS) -> dict[str, float]:
    return {"n_candidates": len(X), "info_gain": GAIN[T], "noise_var": NOISE_VAR}


def test_runs_of_the_anytime_rule_keep_its_bound_at_every_T():
    """120 runs at delta = 0.2: more violations than a binomial law of 0.2 allows once in 10^4 times is an error."""
    band = AnytimeBand(delta=0.2)

    def choose(table, _):
        return int(np.argmax(table.mean + np.sqrt(band.zeta(table.sd**2, len(X))) * table.sd))

    bounds = np.array([theory.anytime_regret(T, delta=0.2, **settings(T)) for T in range(1, STEPS + 1)])
    violated = sum(bool(np.any(np.cumsum(regrets(choose, seed)) > bounds)) for seed in range(120))
    assert violated <= stats.binom.ppf(1.0 - 1e-4, 120, 0.2)


def test_the_root_mean_square_of_irgp_ucb_is_below_its_bound():
    law = ShiftedExponential.for_table(len(X))

    def choose(table, rng):
        return int(np.argmax(table.mean + math.sqrt(law.draw(1, rng)) * table.sd))

    total = np.array([regrets(choose, seed).sum() for seed in range(120)])
    squares = total**2
    upper = squares.mean() + 4.0 * squares.std(ddof=1) / math.sqrt(len(squares))  # four standard errors
    assert math.sqrt(upper) < theory.second_moment_regret(STEPS, **settings())
    assert total.mean() > 1.0  # there was something to bound


def test_the_least_regret_with_one_beta_for_ever():
    """At delta = 0.2, as above."""
    known = settings()
    root = -stats.norm.ppf(0.2 / (2 * (len(X) + 1)))
    bound = theory.constant_beta_simple_regret(STEPS, delta=0.2, **known)
    violated = sum(
        regrets(lambda table, _: int(np.argmax(table.mean + root * table.sd)), seed).min() > bound
        for seed in range(120)
    )
    assert violated <= stats.binom.ppf(1.0 - 1e-4, 120, 0.2)


def test_where_nothing_can_be_learnt_nothing_is_lost():
    """One candidate, or no information; with v = 1 there is a bound as for any other."""
    known = {"delta": 0.1, "noise_var": 1.0}
    assert theory.anytime_regret(5, n_candidates=1, info_gain=2.0, **known) == 0.0
    assert theory.anytime_regret(5, n_candidates=9, info_gain=0.0, **known) == 0.0
    gain = 0.5 * math.log(2.0)  # C_1 gamma = 1 with C_1 = 2 / log 2
    assert theory.variance_sum(gain, noise_var=1.0) == pytest.approx(1.0)
    nearby = theory.anytime_regret(5, n_candidates=9, info_gain=1.0001 * gain, **known)
    assert theory.anytime_regret(5, n_candidates=9, info_gain=gain, **known) == pytest.approx(nearby, rel=1e-3)
