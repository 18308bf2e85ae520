"""Sums of independent functions: information, regret, and why each part cannot have an upper bound of its own."""

import numpy as np
import pytest
from tests.theory.plain_runs import plain_runs

from regretless import InvalidInput
from regretless.gp import Additive, Units
from regretless.theory import (
    c1,
    expected_regret_table,
    information_gain_of_matrix,
    information_gain_of_sum,
)

GRID = np.linspace(0.0, 1.0, 6)
#: Both columns of every point of the 6 x 6 grid.
ROWS = np.array([(a, b) for a in range(6) for b in range(6)])


def rbf(lengthscale, signal_var=1.0):
    return signal_var * np.exp(-0.5 * ((GRID[:, None] - GRID) / lengthscale) ** 2)


def of_sum(parts):
    return sum(K[np.ix_(ROWS[:, j], ROWS[:, j])] for j, K in enumerate(parts))


@pytest.mark.parametrize(("times", "whole", "apart"), [(1, 0.054, 0.924), (10, 0.017, 0.920), (100, 0.0055, 0.919)])
def test_no_measurement_says_to_which_part_a_constant_belongs(times, whole, apart):
    """Every point of the grid measured so often: the sd of the sum goes to 0, the sum of the sds does not."""
    parts = [K[np.ix_(ROWS[:, j], ROWS[:, j])] for j, K in enumerate([rbf(0.3), rbf(0.3)])]
    inverse = np.linalg.inv(sum(parts) + 0.01 / times * np.eye(36))

    def sd(K):
        return np.sqrt(np.maximum(np.diag(K - K @ inverse @ K), 0.0))

    assert sd(sum(parts)).mean() == pytest.approx(whole, abs=5e-4)
    assert sum(sd(K) for K in parts).mean() == pytest.approx(apart, abs=5e-4)


def test_the_model_of_excursions_knows_the_sd_of_the_sum():
    """The same with `regretless.gp.Additive`: its sd at points is that of the sum, and not what its parts add up to."""
    X = np.tile(np.column_stack([GRID[ROWS[:, 0]], GRID[ROWS[:, 1]]]), (10, 1))
    setting = Additive((0.3, 0.3), (1.0, 1.0), 0.01, Units())
    given = setting.posterior((False, False), X, np.zeros(len(X)))
    _, whole = given.mean_sd(X[:36])
    apart = sum(given.part(j, X[:36, j])[1] for j in range(2))
    assert whole.mean() == pytest.approx(0.0175, abs=5e-4)
    assert apart.mean() == pytest.approx(0.927, abs=5e-3)


@pytest.mark.parametrize("noise_var", [0.01, 1.0])
@pytest.mark.parametrize("scales", [(0.3, 0.3), (0.1, 1.0)])
def test_the_gain_of_a_sum_is_at_most_that_of_its_parts(noise_var, scales):
    parts = [rbf(scales[0]), rbf(scales[1], 0.5)]
    whole = information_gain_of_matrix(of_sum(parts), 60, noise_var=noise_var)
    bound = information_gain_of_sum(parts, 60, noise_var=noise_var)
    assert (whole.lower <= bound + 1e-9).all()
    assert (np.diff(bound) >= 0.0).all()
    assert bound[0] == 0.0


def test_one_part_is_the_function_itself():
    alone = information_gain_of_matrix(rbf(0.3), 12, noise_var=0.1).upper
    np.testing.assert_array_equal(information_gain_of_sum([rbf(0.3)], 12, noise_var=0.1), alone)


def test_any_set_of_points_tells_no_more_than_the_parts_can():
    """The first inequality itself, on random sets with repeats: no maximum over sets in between."""
    rng = np.random.default_rng(5)
    parts = [rbf(0.2), rbf(0.6)]
    for _ in range(50):
        A = rng.integers(0, 36, 15)
        K = [part[np.ix_(ROWS[A, j], ROWS[A, j])] for j, part in enumerate(parts)]
        gain = [0.5 * np.linalg.slogdet(np.eye(15) + one / 0.1)[1] for one in (sum(K), *K)]
        assert gain[0] <= gain[1] + gain[2] + 1e-9


def test_regret_of_a_sum_stays_below_the_theorem_with_the_parts_gain():
    """IRGP-UCB by the sd of the sum, 300 functions: the mean regret at five standard errors, and the widths' sum."""
    parts, T, noise_var = [rbf(0.3), rbf(0.3)], 80, 0.1
    runs = plain_runs(of_sum(parts), noise_var, T, 300, np.random.default_rng(11))
    gain = float(information_gain_of_sum(parts, T, noise_var=noise_var)[T])
    bound = expected_regret_table(T, n_candidates=36, info_gain=gain, noise_var=noise_var, signal_var=2.0)
    total = runs.regret.sum(axis=1)
    assert total.mean() + 5.0 * total.std() / np.sqrt(len(total)) < bound
    assert runs.var.sum(axis=1).max() <= c1(noise_var, 2.0) * gain  # holds run by run


def test_a_sum_has_parts():
    with pytest.raises(InvalidInput, match="at least one part"):
        information_gain_of_sum([], 3, noise_var=0.1)
