"""The rules beside random straddle: their formulas, and that a run counts what it says."""

import numpy as np
import pytest
from bench.levels import LAST, PROBLEMS, RULES, Feasible, Score, measure


@pytest.mark.parametrize("delta", [1, 2])
def test_expected_feasibility_against_draws(delta):
    mean, sd, level = np.array([0.1, 0.9, -2.0]), np.array([0.5, 0.3, 1.4]), 0.4
    f = mean + sd * np.random.default_rng(delta).standard_normal((400_000, 3))
    gain = np.maximum(sd**delta - np.abs(f - level) ** delta, 0.0)
    error = gain.std(axis=0) / np.sqrt(len(f))
    assert np.all(np.abs(Feasible(level, delta).value(mean, sd) - gain.mean(axis=0)) < 4.5 * error)
    assert Feasible(level, delta).value(np.array([0.4]), np.array([0.0])).tolist() == [0.0]


def test_the_ambiguity_is_the_nearer_end_of_the_interval():
    """Gotovos et al.: min(max C - h, h - min C)."""
    mean, sd, h, root = np.array([0.1, 0.9]), np.array([0.5, 0.3]), 0.4, 2.2
    low, high = mean - root * sd, mean + root * sd
    np.testing.assert_allclose(Score(root, h).value(mean, sd), np.minimum(high - h, h - low))


def test_a_run_of_every_rule_starts_alike_and_finds_most_of_the_set():
    runs = {rule: measure("GP sample, l = 0.4", rule, 3) for rule in RULES}
    assert all(len(run["wrong"]) == LAST // 5 - 1 for run in runs.values())
    assert all(run["wrong"][-1] < 0.1 for run in runs.values())


def test_the_sets_are_neither_empty_nor_everything():
    for name, make in PROBLEMS.items():
        if "fifth" not in name:
            share = make(0).inside.mean()
            assert 0.02 < share < 0.98, name
