"""Robust decisions: known values, the lemma for every aim, runs against the bounds, certificates against simulation.

Statistical tests are one-sided at four standard errors: a true bound fails one with probability below 4e-5.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtri

from regretless.confidence import ShiftedExponential, certified_threshold
from regretless.errors import InvalidInput
from regretless.gp import Expansion
from regretless.risk import CVaR, Expectation, MeanMinusStd, WeightSet, WorstCase
from regretless.theory import (
    c1,
    environment_information,
    expected_aim,
    expected_regret_coherent,
    expected_regret_mean,
    expected_regret_mean_std,
    information_gain_of_matrix,
    robust_regret,
    squared_multipliers,
)

from .joint_runs import assert_below
from .robust_runs import GRID, N_W, N_X, NOISE_VAR, K, groups, run, scores

P = np.array([0.4, 0.3, 0.2, 0.1])
LAWS = np.random.default_rng(3).dirichlet(np.ones(N_W), 3)
AIMS = [Expectation(), WorstCase(), CVaR(0.3), WeightSet(LAWS), MeanMinusStd(0.5), MeanMinusStd(0.0)]


def test_known_values():
    S = [
        [0.3, 0.240221220875, 0.123333687152, 0.040600584971],
        [0.240221220875, 0.3, 0.240221220875, 0.123333687152],
        [0.123333687152, 0.240221220875, 0.3, 0.240221220875],
        [0.040600584971, 0.123333687152, 0.240221220875, 0.3],
    ]
    expected = [0.515621242389, 0.809158691344, 0.407053531061, 0.129054993902]
    np.testing.assert_allclose(environment_information(S, P, noise_var=0.05), expected, rtol=1e-11)
    assert squared_multipliers(12, 4) == pytest.approx(17.2552023274, rel=1e-11)


def test_bounds_by_hand():
    case = {"info_gain": 25.0, "noise_var": 0.05, "signal_var": 1.3}
    s = 2.0 * math.log(6.0)
    law = ShiftedExponential(s)
    assert expected_regret_mean(60, n_decisions=12, **case) == pytest.approx(math.sqrt(2 * 1.35 * (s + 2) * 60 * 25))
    by_sd = expected_regret_mean(60, n_decisions=12, information=False, **case)
    assert by_sd == pytest.approx(math.sqrt(c1(0.05, 1.3) * (s + 2) * 60 * 25))
    both = expected_regret_coherent(60, n_decisions=12, n_environments=4, **case)
    assert both == pytest.approx(math.sqrt(c1(0.05, 1.3) * 25 * 60 * squared_multipliers(12, 4)))
    less = expected_regret_mean_std(60, n_decisions=12, share=0.25, **case)
    squared = s + 2 + 1.5 * law.mean_sqrt(t=1) + 0.5625
    assert less == pytest.approx(math.sqrt(c1(0.05, 1.3) * 25 * 60 * squared))
    mean = expected_regret_mean_std(60, n_decisions=12, share=1.0, **case)
    assert mean == pytest.approx(by_sd)  # no standard deviation: the mean
    for bound in (expected_regret_mean, expected_regret_mean_std):
        assert bound(60, n_decisions=1, **case) == 0.0
    assert expected_regret_coherent(60, n_decisions=1, n_environments=4, **case) == 0.0


def test_multipliers_without_a_shift_are_rayleigh():
    """With one decision and one environment c and c' have mean sqrt(pi/2) and mean square 2."""
    assert squared_multipliers(1, 1) == pytest.approx(4.0 + math.pi, rel=1e-12)
    for none in ((0, 1), (1, 0)):
        with pytest.raises(InvalidInput, match=">= 1, got 0"):
            squared_multipliers(*none)


def posterior_of(rng, n):
    """Mean and covariance of all points given n noisy values at random."""
    lengths = rng.uniform([0.1, 0.2], [0.4, 0.8])
    prior = np.exp(-0.5 * (((GRID[:, None] - GRID) / lengths) ** 2).sum(axis=2))
    at = rng.integers(0, len(GRID), n)
    f = np.linalg.cholesky(prior + 1e-9 * np.eye(len(GRID))) @ rng.standard_normal(len(GRID))
    solved = np.linalg.solve(prior[np.ix_(at, at)] + NOISE_VAR * np.eye(n), prior[at])
    y = f[at] + math.sqrt(NOISE_VAR) * rng.standard_normal(n)
    return solved.T @ y, prior - prior[:, at] @ solved


def draws_of(mean, S, count, rng):
    values, vectors = np.linalg.eigh(S)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return (mean + rng.standard_normal((count, len(mean))) @ root.T).reshape(count, -1, N_W)


@pytest.mark.parametrize("aim", AIMS, ids=str)
def test_the_lemma_has_one_event_per_decision(aim):
    """E max F is at most that of the scores, by the paper's law and by the tight one, on random posteriors."""
    rng = np.random.default_rng(11)
    U = (np.arange(400) + 0.5) / 400
    for n in (0, 3, 8, 20):
        mean, S = posterior_of(rng, n)
        best = aim.value(draws_of(mean, S, 3000, rng), P).max(axis=1)
        for c in (np.sqrt(max(0.0, 2.0 * math.log(N_X / 2)) - 2.0 * np.log(U)), -ndtri(U / N_X)):
            bound = np.mean([scores(aim, mean, S, P, each).max() for each in c])
            assert_below(best, bound)


@pytest.mark.parametrize("aim", [aim for aim in AIMS if aim.coherent], ids=str)
def test_the_lemma_holds_for_expanded_values(aim):
    """Where the model sees compressed values, the tangent of F(e(.)) at the upper bounds lies above it."""
    rng, U = np.random.default_rng(12), (np.arange(400) + 0.5) / 400
    e = Expansion(0.2, 0.4)
    for n in (0, 6, 20):
        mean, S = posterior_of(rng, n)
        mu, cov = groups(mean, S)
        sd = np.sqrt(np.maximum(np.einsum("xww->xw", cov), 0.0))
        best = aim.value(e(draws_of(mean, S, 3000, rng)), P).max(axis=1)
        bounds = []
        for c in -ndtri(U / N_X):
            at = mu + c * sd
            law = aim.tangent(e(at), P)
            tangent = law * e.slope(at)
            level = (law * e(at) + tangent * (mu - at)).sum(axis=1)
            var = np.einsum("xv,xvw,xw->x", tangent, cov, tangent)
            bounds.append((level + c * np.sqrt(np.maximum(var, 0.0))).max())
        assert_below(best, np.mean(bounds))


def test_the_lemma_is_not_empty():
    """For two decisions and independent environments the tight law is close: one event would be too few."""
    rng = np.random.default_rng(5)
    aim, mean, S = Expectation(), np.zeros(2 * N_W), np.eye(2 * N_W)
    best = aim.value(draws_of(mean, S, 200_000, rng), P).max(axis=1)
    sd = math.sqrt(float(P @ P))
    U = (np.arange(20_000) + 0.5) / 20_000

    def bound(n_events):
        return float(np.mean([scores(aim, mean, S, P, c).max() for c in np.maximum(-ndtri(U[::50] / n_events), 0.0)]))

    assert best.mean() == pytest.approx(sd / math.sqrt(math.pi), rel=0.02)
    assert bound(1) < best.mean() < bound(2) < 1.5 * best.mean()


def informed(mu, cov, lower):
    del mu, lower
    return int(environment_information(cov, P, noise_var=NOISE_VAR).argmax())


def uncertain(mu, cov, lower):
    del mu, lower
    return int(np.diag(cov).argmax())


def active(aim):
    def measure(mu, cov, lower):
        sd = np.sqrt(np.maximum(np.diag(cov), 0.0))
        return int(np.where(aim.tangent(mu - lower * sd, P) > 0.0, sd, -1.0).argmax())

    return measure


RUNS = [
    (Expectation(), informed, "mean"),
    (Expectation(), uncertain, "mean by sd"),
    (WorstCase(), active(WorstCase()), "coherent"),
    (CVaR(0.3), active(CVaR(0.3)), "coherent"),
    (WeightSet(LAWS), active(WeightSet(LAWS)), "coherent"),
    (MeanMinusStd(0.5), uncertain, "mean less std"),
]


@pytest.mark.parametrize(("aim", "measure", "kind"), RUNS, ids=[f"{kind} {aim}" for aim, _, kind in RUNS])
def test_runs_stay_below_their_bounds(aim, measure, kind):
    T = 40
    gain = float(information_gain_of_matrix(K, T, noise_var=NOISE_VAR).upper[T])
    case = {"n_decisions": N_X, "info_gain": gain, "noise_var": NOISE_VAR}
    bound = {
        "mean": lambda: expected_regret_mean(T, **case),
        "mean by sd": lambda: expected_regret_mean(T, information=False, **case),
        "coherent": lambda: expected_regret_coherent(T, n_environments=N_W, **case),
        "mean less std": lambda: expected_regret_mean_std(T, **case),
    }[kind]()
    found = [run(aim, measure, P, T, np.random.default_rng(100 + seed)) for seed in range(40)]
    regret = np.array([each.regret.sum() for each in found])
    assert_below(regret, bound)
    if kind != "mean less std":  # the bound of each step, which the theorem adds up
        assert_below(regret - np.array([each.steps.sum() for each in found]), 0.0)
    assert max(each.information.sum() for each in found) <= gain
    recommended = np.array([each.recommended for each in found])
    assert_below(recommended, bound / T)
    assert recommended.mean() < 0.1 * regret.mean() / T  # it learns


@pytest.mark.parametrize("aim", AIMS, ids=str)
def test_certificates_hold_and_are_of_use(aim):
    rng = np.random.default_rng(21)
    bounds = []
    for n in (4, 12, 30, 60):
        mean, S = posterior_of(rng, n)
        mu, cov = groups(mean, S)
        found = robust_regret(mu, cov, aim, P)
        F = aim.value(draws_of(mean, S, 3000, rng), P)
        assert_below(F.max(axis=1), found.upper)
        assert_below(found.lower - F[:, found.index], 0.0)
        lost = F.max(axis=1) - F[:, found.index]
        assert_below(lost, found.bound)
        bounds.append(found.bound)
    assert bounds[-1] < 0.25 * bounds[0]


def test_a_certificate_of_a_known_function_is_zero():
    mu = np.random.default_rng(1).standard_normal((N_X, N_W))
    for aim in AIMS:
        found = robust_regret(mu, np.zeros((N_X, N_W, N_W)), aim, P)
        assert found.index == int(aim.value(mu, P).argmax())
        assert found.bound == pytest.approx(0.0, abs=1e-9)
        assert robust_regret(mu[:1], np.eye(N_W)[None], aim, P).bound == 0.0  # one decision


def test_one_environment_is_the_plain_case():
    rng = np.random.default_rng(2)
    mean, sd = rng.standard_normal(9), rng.uniform(0.1, 1.0, 9)
    for aim in (Expectation(), WorstCase(), CVaR(0.3), WeightSet([[1.0]])):
        found = robust_regret(mean[:, None], (sd**2)[:, None, None], aim, [1.0])
        assert found.upper == pytest.approx(certified_threshold(mean, sd)[1], rel=1e-12)
        if not isinstance(aim, CVaR):  # whose form from below is that of a law with several values
            assert found.lower == pytest.approx(mean.max(), abs=1e-6)


def test_the_expected_aim_is_that_of_the_draws():
    rng = np.random.default_rng(8)
    mean, S = posterior_of(rng, 6)
    mu, cov = groups(mean, S)
    normals = rng.standard_normal((4000, N_W))
    f = draws_of(mean, S, 4000, rng)
    for aim in AIMS:
        F = aim.value(f, P)
        error = F.std(axis=0) / math.sqrt(4000)
        np.testing.assert_array_less(np.abs(expected_aim(mu, cov, aim, P, normals=normals) - F.mean(axis=0)), 7 * error)
    np.testing.assert_allclose(expected_aim(mu, cov, Expectation(), P), mu @ P)
    with pytest.raises(InvalidInput, match="normals"):
        expected_aim(mu, cov, WorstCase(), P)
    with pytest.raises(InvalidInput, match="shape"):
        robust_regret(mu, cov[:3], WorstCase(), P)
