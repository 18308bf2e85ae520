"""Certificates under constraints: known values, brute force, degenerate cases and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from regretless.errors import InvalidInput
from regretless.theory import (
    expected_violation,
    feasible_choice,
    log_prob_feasible,
    remaining_feasible_regret,
    remaining_regret,
)
from regretless.theory import feasible_regret as module
from regretless.theory.feasible_regret import weighted_threshold

MEAN = np.array([[0.2, -0.4], [0.9, 0.2], [-0.1, -1.0], [0.5, 0.05]])
SD = np.array([[0.5, 0.3], [0.3, 0.4], [0.8, 0.5], [0.1, 0.02]])


def test_known_values():
    feasible = np.exp(log_prob_feasible(MEAN[:, 1:], SD[:, 1:], [0.0]))
    np.testing.assert_allclose(feasible, [0.908788780274, 0.308537538726, 0.977249868052, 0.00620966532578], rtol=1e-10)
    violation = expected_violation(MEAN[:, 1:], SD[:, 1:], [0.0])[:, 0]
    np.testing.assert_allclose(
        violation, [0.0127185345125, 0.279118622961, 0.00424535130841, 0.0500400827436], rtol=1e-10
    )
    u, bound = weighted_threshold(feasible, MEAN[:, 0], SD[:, 0], least=0.3)
    assert (u, bound) == (0.3, pytest.approx(0.781244167486, rel=1e-11))
    certificate = remaining_feasible_regret(MEAN, SD, [0.0], fallback=0.3)
    assert (certificate.index, certificate.qualified) == (0, True)
    assert certificate.gain == pytest.approx(0.481244167486, rel=1e-11)
    assert certificate.bound == certificate.tail_sum == pytest.approx(0.581244167486, rel=1e-11)
    assert certificate.pairwise == math.inf
    assert certificate.prob_feasible == pytest.approx(0.908788780274)
    assert certificate.violation == pytest.approx((0.0127185345125,))


def test_many_constraints_do_not_underflow():
    log_pf = log_prob_feasible(np.full((1, 400), 3.0), np.ones((1, 400)), np.zeros(400))
    assert log_pf[0] == pytest.approx(400 * stats.norm.logcdf(-3.0))
    assert log_prob_feasible([[1.0]], [[0.0]], [0.0])[0] == -math.inf
    assert log_prob_feasible([[0.0]], [[0.0]], [0.0])[0] == 0.0  # the threshold itself is allowed


def test_choice():
    assert feasible_choice([1.0, 2.0, 3.0], np.log([0.95, 0.91, 0.5])) == (1, True)
    assert feasible_choice([1.0, 2.0, 3.0], np.log([0.95, 0.91, 0.5]), risk=0.6) == (2, True)
    assert feasible_choice([1.0, 2.0, 3.0], np.log([0.1, 0.3, 0.2])) == (1, False)
    assert feasible_choice([1.0, 2.0], [-math.inf, -math.inf]) == (0, False)


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_weighted_threshold_against_a_general_minimiser(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    w, mean, sd = rng.random(n), rng.standard_normal(n), rng.uniform(0.05, 2.0, n) * (rng.random(n) > 0.2)
    least = float(rng.normal())

    def h(u):
        z = (u - mean) / np.where(sd > 0.0, sd, 1.0)
        excess = np.where(sd > 0.0, sd * (stats.norm.pdf(z) - z * stats.norm.sf(z)), np.maximum(mean - u, 0.0))
        return u + w @ excess

    u, bound = weighted_threshold(w, mean, sd, least=least)
    assert u >= least
    assert bound == pytest.approx(h(u), rel=1e-9, abs=1e-12)
    best = optimize.minimize_scalar(h, bounds=(least, least + 20.0), method="bounded", options={"xatol": 1e-9}).fun
    assert bound <= min(best, h(least)) + 1e-7


def test_without_constraints_it_is_the_plain_certificate(random_table):
    for seed in range(20):
        table, _ = random_table(seed)
        plain = remaining_regret(table)
        mean, sd = table.mean[:, None], table.sd[:, None]
        found = remaining_feasible_regret(mean, sd, [], fallback=-50.0, covariance_with=table.covariance_with)
        assert found.index == plain.index
        assert found.qualified
        assert found.prob_feasible == 1.0
        assert found.tail_sum == pytest.approx(plain.tail_sum, rel=1e-6, abs=1e-9)
        assert found.pairwise == pytest.approx(plain.pairwise, rel=1e-6, abs=1e-9)


def test_known_constraints_are_a_filter(random_table):
    """Where sd_g = 0 the certificate is that of the feasible rows alone."""
    for seed in range(10):
        table, _ = random_table(seed, N=20)
        feasible = np.random.default_rng(seed).random(20) < 0.6
        mean = np.column_stack([table.mean, np.where(feasible, -1.0, 1.0)])
        sd = np.column_stack([table.sd, np.zeros(20)])
        found = remaining_feasible_regret(mean, sd, [0.0], fallback=-50.0, covariance_with=table.covariance_with)
        plain = remaining_regret(table, among=feasible)
        assert (found.index, found.violation) == (plain.index, (0.0,))
        without_tree = min(plain.tail_sum, plain.pairwise)  # constraints have no tree form
        assert found.bound == pytest.approx(without_tree, rel=1e-6, abs=1e-9)
        among = remaining_feasible_regret(mean[:, :1], sd[:, :1], [], fallback=-50.0, among=feasible)
        assert among.n_candidates == feasible.sum()
        assert among.tail_sum == pytest.approx(plain.tail_sum, rel=1e-6, abs=1e-9)


def test_a_good_fallback_leaves_nothing_to_gain():
    certificate = remaining_feasible_regret(MEAN, SD, [0.0], fallback=50.0)
    assert certificate.gain == pytest.approx(0.0, abs=1e-12)
    assert certificate.bound == pytest.approx(50.0 - 0.2)


def test_many_candidates_go_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    mean, sd = rng.standard_normal((100, 2)), rng.random((100, 2))
    whole = remaining_feasible_regret(mean, sd, [0.0], fallback=0.0)
    monkeypatch.setattr(module, "_BLOCK", 7)
    assert remaining_feasible_regret(mean, sd, [0.0], fallback=0.0).bound == pytest.approx(whole.bound, rel=1e-12)


def test_it_bounds_what_joint_draws_say(random_table):
    """Every case at 5 standard errors of 20000 draws; f and two constraints, each with its own table posterior."""
    for seed in range(12):
        rng = np.random.default_rng(1000 + seed)
        tables = [random_table(3 * seed + k, N=15)[0] for k in range(3)]
        mean, sd = np.column_stack([t.mean for t in tables]), np.column_stack([t.sd for t in tables])
        h, f0 = rng.normal(0.3, 0.3, 2), float(rng.normal(0.0, 0.5))
        certificate = remaining_feasible_regret(mean, sd, h, fallback=f0, covariance_with=tables[0].covariance_with)
        draws = []
        for table in tables:
            C = np.array([table.covariance_with(i) for i in range(15)])
            w, V = np.linalg.eigh(0.5 * (C + C.T))
            draws.append(table.mean + rng.standard_normal((20000, 15)) @ (V * np.sqrt(np.maximum(w, 0.0))).T)
        f, *g = draws
        feasible = np.all([g[j] <= h[j] for j in range(2)], axis=0)
        best = np.maximum(np.where(feasible, f, -np.inf).max(axis=1), f0)
        se = best.std() / math.sqrt(len(best))
        assert best.mean() - f0 <= certificate.gain + 5.0 * se + 1e-9
        regret = best - f[:, certificate.index]
        se = regret.std() / math.sqrt(len(best))
        assert regret.mean() <= certificate.tail_sum + 5.0 * se + 1e-9
        assert np.maximum(regret, 0.0).mean() <= certificate.pairwise + 5.0 * se + 1e-9
        assert feasible[:, certificate.index].mean() == pytest.approx(certificate.prob_feasible, abs=0.02)


def test_refusals():
    with pytest.raises(InvalidInput, match=r"1 \+ 2 columns"):
        remaining_feasible_regret(MEAN, SD, [0.0, 0.0], fallback=0.0)
    with pytest.raises(InvalidInput, match="fallback must be finite"):
        remaining_feasible_regret(MEAN, SD, [0.0], fallback=-math.inf)
    with pytest.raises(InvalidInput, match="candidate that counts"):
        remaining_feasible_regret(MEAN, SD, [0.0], fallback=0.0, index=1, among=np.array([True, False, True, True]))
    with pytest.raises(InvalidInput, match="risk must lie"):
        feasible_choice([1.0], [0.0], risk=1.0)
    with pytest.raises(InvalidInput, match="a column per threshold"):
        log_prob_feasible(MEAN, SD, [0.0])


@pytest.mark.parametrize("mean", [[], [1.0], [1.0, 2.0, 3.0]])
def test_a_choice_needs_a_probability_per_candidate(mean):
    with pytest.raises(InvalidInput, match=f"an entry per candidate, got {len(mean)} and 2"):
        feasible_choice(mean, [-0.1, -0.2])
