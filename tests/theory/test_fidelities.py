"""Fidelities: known values, the steps of the proof, and runs that buy levels by information per cost."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtri

from regretless.errors import InvalidInput
from regretless.theory import (
    best_level,
    c1,
    expected_regret_budget,
    information_gain_of_matrix,
    level_information,
    weighted_variance_sum,
)

from .joint_runs import assert_below

GRID = np.linspace(0.0, 1.0, 6)
X = np.stack(np.meshgrid(GRID, GRID), axis=-1).reshape(-1, 2)
N = len(X)
K_X = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2) / 0.25**2)
NOISE_VAR = 0.01


def test_known_values():
    told = level_information([0.7, 0.8], target_var=0.8, level_vars=[0.9, 0.8], noise_var=[0.02, 0.05])
    np.testing.assert_allclose(told, [0.547949291398, 1.41660667203], rtol=1e-11)
    assert level_information([0.0], target_var=0.0, level_vars=[1.0], noise_var=0.1).tolist() == [0.0]
    exact = level_information([1.0], target_var=1.0, level_vars=[1.0], noise_var=0.0)
    assert 10.0 < exact[0] < np.inf


def test_information_is_that_of_two_normal_variables():
    rng = np.random.default_rng(1)
    for _ in range(20):
        A = rng.standard_normal((2, 2))
        S, noise = A @ A.T, rng.uniform(0.01, 1.0)
        joint = S + np.diag([0.0, noise])  # f at the target, y at the level
        expected = 0.5 * math.log(joint[0, 0] * joint[1, 1] / np.linalg.det(joint))
        told = level_information([S[0, 1]], target_var=S[0, 0], level_vars=[S[1, 1]], noise_var=noise)
        assert told[0] == pytest.approx(expected, rel=1e-8)


def test_the_best_level_and_its_ties():
    assert best_level([0.5, 1.4], [0.1, 1.0]) == 0
    assert best_level([0.1, 1.4], [0.1, 1.0]) == 1
    assert best_level([1.0, 2.0, 1.0], [1.0, 2.0, 1.0]) == 1  # of equals the dearest
    for bad in ({"information": [1.0], "costs": [1.0, 2.0]}, {"information": [1.0], "costs": [0.0]}):
        with pytest.raises(InvalidInput):
            best_level(**bad)


def test_a_larger_noise_for_the_comparison_makes_cheap_levels_more_attractive():
    case = {"covariance": [0.9, 1.0], "target_var": 1.0, "level_vars": [1.0, 1.0]}
    assert best_level(level_information(**case, noise_var=1e-8), [0.2, 1.0]) == 1
    assert best_level(level_information(**case, noise_var=1e-2), [0.2, 1.0]) == 0
    small, large = (level_information(**case, noise_var=v) for v in (1e-8, 1e-2))
    assert (large <= small).all()  # which is why the bound holds with the constant of the larger one


def test_the_bound_and_its_limits():
    case = {"n_candidates": 49, "info_gain": 20.0, "noise_var": 0.01}
    one = expected_regret_budget(100.0, costs=[1.0], **case)
    T, s = 101, 2.0 * math.log(49 / 2)
    by_hand = math.sqrt(c1(0.01) * 20.0 * T) / 100.0 * (math.sqrt(s + 2.0 * sum(1 / t for t in range(1, T + 1))) + 1.0)
    assert one == pytest.approx(by_hand, rel=1e-12)
    assert expected_regret_budget(100.0, costs=[5.0], **case) > one  # a dearer target
    # the unit of cost does not matter
    both = [expected_regret_budget(100.0 * u, costs=[0.1 * u, 1.0 * u], **case) for u in (1.0, 7.0)]
    assert both[0] == pytest.approx(both[1], rel=1e-12)
    assert expected_regret_budget(1e3, costs=[0.1, 1.0], **case) < both[0]
    assert expected_regret_budget(9.0, costs=[0.1, 1.0], n_candidates=1, info_gain=3.0, noise_var=0.1) == 0.0
    # the harmonic number of many evaluations is continuous where its asymptotic form begins
    near = [expected_regret_budget(b, costs=[0.01, 1.0], **case) for b in (99.985, 100.005)]
    assert near[0] == pytest.approx(near[1], rel=1e-3)
    with pytest.raises(InvalidInput, match="target"):
        expected_regret_budget(9.0, costs=[2.0, 1.0], **case)


def test_the_largest_bound_varies_less_than_its_slope():
    """Brascamp and Lieb for the law of sqrt(zeta), which the covariance term of the proof rests on."""
    rng = np.random.default_rng(5)
    worst = 0.0
    for shift in (0.0, 4.0):
        c = np.sqrt(shift - 2.0 * np.log((np.arange(4000) + 0.5) / 4000))
        for _ in range(100):
            mean, sd = rng.normal(0.0, rng.uniform(0.1, 3.0), 12), rng.uniform(0.05, 1.0, 12)
            bounds = mean + c[:, None] * sd
            slope = sd[bounds.argmax(axis=1)]
            worst = max(worst, bounds.max(axis=1).var() / (slope**2).mean())
    assert worst <= 1.0


@dataclass(frozen=True)
class Spent:
    """The regret of what is recommended, and of every step its cost, variance at the target and information."""

    regret: float
    costs: np.ndarray
    variances: np.ndarray
    information: np.ndarray


def spend(correlation, costs, budget, rng, *, shift, noise_var=NOISE_VAR, compared_by=NOISE_VAR):
    """The rule written out on the full covariance of all candidates at two levels, the target last."""
    B = np.array([[1.0, correlation], [correlation, 1.0]])
    prior = np.kron(B, K_X)
    f = np.linalg.cholesky(prior + 1e-9 * np.eye(2 * N)) @ rng.standard_normal(2 * N)
    mean, C = np.zeros(2 * N), prior.copy()
    paid, variances, information = [], [], []
    while sum(paid) < budget:
        zeta = shift + rng.exponential(2.0)
        var = np.maximum(C.diagonal(), 0.0)
        x = int((mean[N:] + math.sqrt(zeta) * np.sqrt(var[N:])).argmax())
        at = np.array([x, N + x])
        told = level_information(C[N + x, at], target_var=var[N + x], level_vars=var[at], noise_var=compared_by)
        m = best_level(told, costs) if len(costs) == 2 else 1
        j = at[m]
        paid.append(costs[m] if len(costs) == 2 else costs[0])
        variances.append(var[N + x])
        information.append(told[m])
        y = f[j] + math.sqrt(noise_var) * rng.standard_normal()
        column = C[:, j].copy()
        mean = mean + column * (y - mean[j]) / (C[j, j] + noise_var)
        C = C - np.outer(column, column) / (column[j] + noise_var)
    regret = f[N:].max() - f[N + int(mean[N:].argmax())]
    return Spent(float(regret), np.array(paid), np.array(variances), np.array(information))


SHIFT = 2.0 * math.log(N / 2)
COSTS = (0.1, 1.0)


@pytest.mark.parametrize("compared_by", [NOISE_VAR, 0.1])
def test_runs_keep_the_lemma_on_every_path_and_the_bound_in_the_mean(compared_by):
    budget = 6.0
    runs = [
        spend(0.9, COSTS, budget, np.random.default_rng(seed), shift=SHIFT, compared_by=compared_by)
        for seed in range(100)
    ]
    for run in runs:
        own = float(run.information.sum())
        bound = weighted_variance_sum(own, target_cost=1.0, noise_var=compared_by)
        assert (run.costs * run.variances).sum() <= bound * (1.0 + 1e-9)
        assert budget <= run.costs.sum() < budget + 1.0
    most = math.floor(budget / 0.1) + 1
    joint = np.kron(np.array([[1.0, 0.9], [0.9, 1.0]]), K_X)
    gain = float(information_gain_of_matrix(joint, most, noise_var=NOISE_VAR).upper[most])
    assert max(run.information.sum() for run in runs) <= gain
    bound = expected_regret_budget(budget, costs=COSTS, n_candidates=N, info_gain=gain, noise_var=compared_by)
    assert_below([run.regret for run in runs], bound)


def test_no_correlation_never_buys_low_and_a_perfect_one_always_does():
    never = spend(0.0, COSTS, 6.0, np.random.default_rng(1), shift=SHIFT)
    always = spend(1.0 - 1e-9, COSTS, 2.0, np.random.default_rng(1), shift=SHIFT)
    assert set(never.costs) == {1.0}
    assert set(always.costs) == {0.1}


def test_a_good_approximation_saves_most_of_the_budget():
    """Of 80 runs with a correlation of 0.95 the mean regret is lower with two levels, by a paired test at 1e-3."""
    two, alone = (
        np.array([spend(0.95, costs, 6.0, np.random.default_rng(s), shift=SHIFT).regret for s in range(80)])
        for costs in (COSTS, (1.0,))
    )
    saved = alone - two
    assert saved.mean() > -ndtri(1e-3) * saved.std() / math.sqrt(80)


def test_the_shift_is_needed_with_levels():
    """Of 120 runs with a correlation of 0.8 the mean regret at a cost of 12 is lower with it, by a test at 1e-2."""
    shifted, without = (
        np.array([spend(0.8, COSTS, 12.0, np.random.default_rng(s), shift=shift).regret for s in range(120)])
        for shift in (SHIFT, 0.0)
    )
    error = math.hypot(shifted.std(), without.std()) / math.sqrt(120)
    assert without.mean() - shifted.mean() > -ndtri(1e-2) * error


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"level_vars": [0.9]}, "an entry per level, got 2 and 1"),
        ({"noise_var": [0.1, 0.1, 0.1]}, "one per level"),
        ({"noise_var": -0.1}, ">= 0"),
    ],
)
def test_levels_that_do_not_fit_together(more, says):
    right = {"target_var": 0.8, "level_vars": [0.9, 0.8], "noise_var": 0.1}
    with pytest.raises(InvalidInput, match=says):
        level_information([0.7, 0.8], **(right | more))
