import numpy as np
import pytest
from bench.functions import function, spread, uniform
from bench.regret import Comparison, compare
from bench.statistics import AWAY, FLOOR, holm, mean_ranks, paired_p, relative, share_away

from regretless.problems import by_name


def test_holm_against_the_definition():
    p = [0.02, 0.001, 0.5, 0.03]
    # sorted: 0.001*4, 0.02*3, 0.03*2, 0.5*1, then the running maximum
    assert holm(p) == pytest.approx([0.06, 0.004, 0.5, 0.06])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_paired_test_sees_a_constant_factor_and_no_difference():
    theirs = np.geomspace(1e-3, 1.0, 10)
    assert paired_p((0.5 * theirs * np.linspace(0.9, 1.1, 10)).tolist(), theirs.tolist()) == pytest.approx(2 / 2**10)
    assert paired_p(theirs.tolist(), theirs.tolist()) == 1.0
    # below the floor nothing can be told apart
    assert paired_p([FLOOR / 10] * 10, [FLOOR / 100] * 10) == 1.0


def test_mean_ranks_share_ties_and_leave_out_who_misses_a_problem():
    final = {
        "a": {"x": [1.0, 1.0], "y": [2.0, 1.0], "z": [3.0, 3.0]},
        "b": {"x": [1.0, 1.0], "y": [0.5, 0.5]},
    }
    assert mean_ranks(final) == {"x": 1.625, "y": 1.375}  # a: 1 2, 1½ 1½; b: 2 1, 2 1
    assert mean_ranks({}) == {}


def test_the_default_is_compared_with_the_peer_of_lowest_median():
    ours = np.geomspace(1e-4, 1e-3, 10)
    final = {
        "p": {"regretless": ours.tolist(), "regretless-ei": [1e-9] * 10, "smac": (9 * ours).tolist(), "ax": [1.0] * 10}
    }
    (entry,) = compare(final)
    assert (entry.peer, entry.verdict) == ("smac", "better")  # our other rules are not peers
    assert Comparison("p", 1.0, "smac", 0.5, 0.01, 0.06).verdict == "-"
    assert Comparison("p", 1.0, "smac", 0.5, 0.01, 0.05).verdict == "worse"


def test_relative_regret_weighs_problems_equally_and_leaves_out_who_misses_one():
    final = {"a": {"x": [1.0, 3.0], "y": [0.0, 0.0]}, "b": {"x": [0.0] * 4, "z": [1.0] * 4}}
    spread = {"a": 4.0, "b": 1.0}
    assert relative(final, spread) == {"x": 0.25}  # a: 0.5, b: 0
    assert share_away(final, spread) == {"x": 0.5}
    assert share_away({"a": {"x": [AWAY * 4.0, 1.01 * AWAY * 4.0]}}, spread) == {"x": 0.5}  # 1 % itself has arrived
    assert relative({}, {}) == share_away({}, {}) == {}


def test_a_spread_is_optimum_less_median_and_the_same_every_time():
    # Styblinski-Tang in one dimension is symmetric but for its slope: count the median on a fine grid instead
    grid = np.linspace(-5.0, 5.0, 1_000_001)[:, None]
    problem = by_name("styblinski-tang", 1)
    exact = problem.optimum - np.median(problem.evaluate(grid))
    assert spread("styblinski-tang", 1) == pytest.approx(exact, rel=0.02)
    assert spread.__wrapped__("styblinski-tang", 1) == spread("styblinski-tang", 1)
    f = function("branin")
    X = uniform(f, 1000, np.random.default_rng(0))
    assert (f.bounds[:, 0] <= X).all()
    assert (f.bounds[:, 1] >= X).all()
    assert (X.max(axis=0) - X.min(axis=0) > 14.5).all()
    assert f.evaluate(f.optimizer[None, :])[0] == pytest.approx(f.optimum)
