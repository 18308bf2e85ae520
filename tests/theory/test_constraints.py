"""Bounds under constraints: lemmas by simulation, runs of the shipped rules, closed forms."""

import math

import numpy as np
import pytest

from regretless.acquisition import Optimistic, Penalised
from regretless.confidence import ShiftedExponential, TightUnion
from regretless.confidence.normal import psi
from regretless.theory import (
    expected_regret_optimistic,
    expected_regret_penalised,
    expected_regret_table,
    expected_violation_optimistic,
    variance_sum,
)
from regretless.theory.constraints import mean_square_width

from .joint_runs import N, assert_below, run, variance_sums

DRAWS = 20_000


def moments(seed, *, known=9.0):
    """Candidates that are alike, that are of any kind, or of which one outcome is unknown and the others ``known``.

    The last kind is where the union bound is tightest: too small a law fails there.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    spread = (0.0, 0.3, 1.0, None)[seed % 4]
    if spread is not None:
        return rng, n, spread * rng.standard_normal((n, 3)), np.exp(0.5 * spread * rng.standard_normal((n, 3)))
    n, unknown = 11, np.arange(11) % 3
    mean, sd = np.tile(np.broadcast_to(known, 3), (n, 1)).astype(float), np.zeros((n, 3))
    mean[np.arange(n), unknown], sd[np.arange(n), unknown] = 0.0, 1.0
    return rng, n, mean, sd


def multipliers(n_events, rng):
    law = TightUnion(n_events)  # the smaller of the two laws
    return np.sqrt([law.draw(1, rng) for _ in range(DRAWS)])


@pytest.mark.parametrize("seed", range(12))
def test_optimistic_lemma_needs_one_event_per_candidate(seed):
    """E max(f_0, best feasible f) <= E max(f_0, largest upper bound in S); outcomes independent, at 4 errors."""
    rng, n, mean, sd = moments(seed, known=(-5.0, -1.0, -1.0))
    mean[sd[:, 0] == 0.0, 0] = 1.0  # known to be good, if feasible
    mean[:, 1:][sd[:, 1:] == 1.0] = 2.0  # which it hardly is
    f0, c = float(rng.normal(-1.0, 1.0)), multipliers(n, rng)
    draws = mean + sd * rng.standard_normal((DRAWS, n, 3))
    feasible = (draws[:, :, 1:] <= 0.0).all(axis=2)
    best = np.where(feasible, draws[:, :, 0], f0).max(axis=1)
    inside = (mean[:, 1:] - c[:, None, None] * sd[:, 1:] <= 0.0).all(axis=2)
    bound = np.where(inside, mean[:, 0] + c[:, None] * sd[:, 0], f0).max(axis=1)
    assert_below(np.maximum(best, f0), np.maximum(bound, f0))
    # An empty set proves that none is feasible, with probability 1 - n tail(c) at least.
    for level in np.quantile(c, [0.1, 0.5, 0.9]):
        if not (mean[:, 1:] - level * sd[:, 1:] <= 0.0).all(axis=1).any():
            assert feasible.any(axis=1).mean() <= n * 0.5 * math.erfc(level / math.sqrt(2.0)) + 0.02


@pytest.mark.parametrize("seed", range(12))
def test_penalised_lemma(seed):
    """E max V <= E max of V at the bounds, with N (J + 1) events."""
    rng, n, mean, sd = moments(seed)
    c, weight = multipliers(3 * n, rng)[:, None], float(rng.choice([0.5, 3.0]))
    draws = mean + sd * rng.standard_normal((DRAWS, n, 3))
    V = draws[:, :, 0] - weight * np.maximum(draws[:, :, 1:], 0.0).sum(axis=2)
    lower = np.maximum(mean[:, 1:] - c[:, :, None] * sd[:, 1:], 0.0).sum(axis=2)
    bound = mean[:, 0] + c * sd[:, 0] - weight * lower
    assert_below(V.max(axis=1), bound.max(axis=1))


@pytest.mark.parametrize("tight", [False, True])
def test_mean_square_width_by_simulation(tight):
    rng = np.random.default_rng(0)
    law = TightUnion(30) if tight else ShiftedExponential.for_events(30)
    c = np.sqrt([law.draw(1, rng) for _ in range(DRAWS)])
    square = (c + psi(c)) ** 2
    assert mean_square_width(law) == pytest.approx(square.mean(), abs=4.0 * square.std() / math.sqrt(DRAWS))
    # The excess of a bound over its value is sd (c + psi(c)) in the mean.
    excess = np.maximum(c - rng.standard_normal(DRAWS), 0.0) - (c + psi(c))
    assert abs(excess.mean()) < 4.0 * excess.std() / math.sqrt(DRAWS)


@pytest.mark.parametrize("tight", [False, True])
def test_optimistic_rule_within_its_bounds(tight):
    """Regret <= sum of the widths <= theorem, and the same for violations; 80 runs, J = 2, at 4 errors."""
    T, f0 = 15, 0.0
    law = TightUnion(N) if tight else ShiftedExponential.for_table(N)
    rng = np.random.default_rng(5)
    regret, width, violation, missed = [], [], [], []
    for _ in range(80):
        done = run(Optimistic(law=law), 1, 2, T, rng, thresholds=(0.2, 0.2))
        F, rows = done.F, np.array(done.rows)
        best = max(f0, F[(F[:, 1:] <= 0.2).all(axis=1), 0].max(initial=-np.inf))
        c = np.sqrt([record["zeta"] for record in done.records])
        upper = np.array([m[row, 0] + ci * s[row, 0] for (m, s), row, ci in zip(done.before, rows, c, strict=True)])
        filled = np.array(["empty" not in record for record in done.records])
        offers = filled & (upper > f0)
        sds = np.array(done.sds)
        regret.append((best - np.where(offers, F[rows, 0], f0)).sum())
        width.append((c * sds[:, 0])[offers].sum())
        violation.append((np.maximum(F[rows, 1] - 0.2, 0.0) * filled).sum())
        missed.append(((c + psi(c)) * sds[:, 1])[filled].sum())
    sums = variance_sums(2, T)
    assert_below(regret, np.array(width))
    assert_below(width, expected_regret_optimistic(T, n_candidates=N, objective=sums[0], tight=tight), errors=0.0)
    assert_below(violation, np.array(missed))
    bound = expected_violation_optimistic(T, n_candidates=N, constraint=sums[1], tight=tight)
    assert_below(missed, bound, errors=0.0)


def test_penalised_rule_within_its_bound():
    T, weight = 15, 2.0
    rng = np.random.default_rng(6)
    law = ShiftedExponential.for_events(2 * N)
    regret = []
    for _ in range(60):
        done = run(Penalised(weight, law=law), 1, 1, T, rng, thresholds=(0.0,))
        V = done.F[:, 0] - weight * np.maximum(done.F[:, 1], 0.0)
        regret.append((V.max() - V[done.rows]).sum())
    sums = variance_sums(2, T)
    bound = expected_regret_penalised(T, n_candidates=N, weight=weight, objective=sums[0], constraints=sums[1:])
    assert_below(regret, bound)


def test_without_constraints_they_are_theorem_4_1():
    case = {"n_candidates": 100, "info_gain": 20.0, "noise_var": 0.1}
    total = variance_sum(20.0, noise_var=0.1)
    plain = expected_regret_table(50, **case)
    assert expected_regret_optimistic(50, n_candidates=100, objective=total) == pytest.approx(plain)
    assert expected_regret_penalised(
        50, n_candidates=100, weight=1.0, objective=total, constraints=[]
    ) == pytest.approx(plain)
    tight = expected_regret_optimistic(50, n_candidates=100, objective=total, tight=True)
    assert tight / plain == pytest.approx(0.856, abs=5e-4)  # the table of the tight law
