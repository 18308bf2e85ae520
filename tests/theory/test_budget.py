"""Plans: the number is the first at which the bound suffices, the sentence fits, simulations repeat."""

import math
import tracemalloc

import numpy as np
import pytest

from regretless.acquisition import IRGPUCB
from regretless.confidence import ShiftedExponential, certified_threshold
from regretless.confidence.schedules import EVERY
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, prior_factor, table_posterior
from regretless.rng import Purpose, stream
from regretless.theory import (
    expected_regret_table,
    information_gain,
    plan,
    remaining_regret,
    run_ucb,
    simple_regret_interleaved,
    simulate,
)
from regretless.theory.budget import _without_data

LINE = np.linspace(0.0, 1.0, 20)[:, None]
SMOOTH = Kernel("rbf", np.array([0.3]), 1.0)


def test_needed_is_the_first_at_which_the_bound_suffices():
    found = plan(LINE, SMOOTH, 0.1, 0.6, every=1, max_T=300)
    gain = information_gain(SMOOTH, LINE, 300, noise_var=0.1)
    by_hand = [
        expected_regret_table(T, n_candidates=20, info_gain=gain.upper[T], noise_var=0.1) / T for T in range(1, 301)
    ]
    np.testing.assert_allclose(found.bound[1:], by_hand, rtol=1e-12)
    assert found.needed == 1 + next(i for i, value in enumerate(by_hand) if value <= 0.6)
    assert found.bound[found.needed] <= 0.6 < found.bound[found.needed - 1]
    assert f"After {found.needed} evaluations" in found.message
    assert 0 < found.informative_from < found.needed
    assert found.law == "the theorem's law at every step (IRGP-UCB)"
    assert found.law in found.message


def test_the_plan_is_for_the_law_of_the_default_rule():
    """That of a default study on a table; it needs exactly k times as many, and says both."""
    law = IRGPUCB().law(n_candidates=20, dim=1)
    assert law == ShiftedExponential.for_table(20, every=EVERY)
    default, theorem = plan(LINE, SMOOTH, 0.1, 0.6, max_T=1200), plan(LINE, SMOOTH, 0.1, 0.6, every=1, max_T=300)
    assert default.needed == EVERY * theorem.needed
    for T in (4, 7, 100, 1200):
        expected = simple_regret_interleaved(
            T, every=4, n_candidates=20, info_gain=float(theorem.info_gain.upper[T // 4]), noise_var=0.1
        )
        assert default.bound[T] == pytest.approx(expected, rel=1e-9)
    assert np.all(default.bound[:4] == default.bound[0])  # until the first step with the theorem's law
    assert (default.every, theorem.every) == (4, 1)
    assert default.law in default.message
    assert "default" in default.law
    assert "every fourth step" in default.law
    assert f"The theorem's law at every step needs {theorem.needed}." in default.message
    for eps, words in ((0.05, "not enough"), (5.0, "No evaluation")):
        assert words in plan(LINE, SMOOTH, 0.1, eps, max_T=100).message
    assert "every third step" in plan(LINE, SMOOTH, 0.1, 0.05, every=3, max_T=30).message
    assert "every 7th step" in plan(LINE, SMOOTH, 0.1, 0.05, every=7, max_T=3).message  # not one theorem step yet


def test_a_plan_without_repeats_has_one_more_term():
    for noise_var, auto_leaves_out in ((0.1, False), (1e-4, True)):
        allow, auto, never = (
            plan(LINE, SMOOTH, noise_var, 0.01, repeats=word, max_T=60) for word in ("allow", "auto", "never")
        )
        extra = (2.0 * math.log(10.0) + 2.0) * noise_var
        np.testing.assert_allclose(never.bound[4:20] ** 2 - allow.bound[4:20] ** 2, extra, rtol=1e-6)
        assert np.all(never.bound[20:] == never.bound[20])  # all 20 are measured, and nothing comes after
        np.testing.assert_array_equal(auto.bound[:20], (never if auto_leaves_out else allow).bound[:20])
        assert ("left out" in auto.law) == auto_leaves_out
        assert "left out" in never.law
        assert "left out" not in allow.law


def test_small_noise_and_many_independent_points_say_nothing():
    kernel = Kernel("rbf", np.array([0.01]), 1.0)
    found = plan(LINE, kernel, 1e-4, 0.5, every=1, max_T=15)
    assert found.needed is None
    assert found.informative_from is None
    assert "says nothing up to 15 evaluations" in found.message
    # linear in T: all points are news, the bound is about sqrt(s + 2) at every T
    assert found.bound[1:] == pytest.approx(np.full(15, math.sqrt(2.0 + 2.0 * math.log(10.0))), rel=0.02)


def test_not_enough_evaluations():
    found = plan(LINE, SMOOTH, 0.1, 0.05, max_T=100)
    assert found.needed is None
    assert found.informative_from is not None
    assert "100 evaluations are not enough" in found.message


def test_nothing_to_do():
    found = plan(LINE, SMOOTH, 0.1, 5.0, max_T=3)
    assert found.needed == 0
    assert "No evaluation is needed" in found.message
    assert plan([[0.5]], SMOOTH, 0.1, 1e-9, max_T=2).needed == 0  # one candidate is the best


def test_equal_rows_are_one_candidate():
    twice = plan(np.vstack([LINE, LINE]), SMOOTH, 0.1, 0.6, max_T=50)
    once = plan(LINE, SMOOTH, 0.1, 0.6, max_T=50)
    np.testing.assert_array_equal(twice.bound, once.bound)
    runs = [simulate(X, SMOOTH, 0.1, 0.5, n_functions=3, max_T=30) for X in (np.vstack([LINE, LINE]), LINE)]
    np.testing.assert_array_equal(runs[0].certified, runs[1].certified)


def test_simulations_repeat_and_extend():
    one = simulate(LINE, SMOOTH, 0.1, 0.5, n_functions=6, max_T=60, seed=3)
    again = simulate(LINE, SMOOTH, 0.1, 0.5, n_functions=9, max_T=60, seed=3)
    for name in ("certified", "reached", "regret"):
        np.testing.assert_array_equal(getattr(one, name), getattr(again, name)[:6])
    other = simulate(LINE, SMOOTH, 0.1, 0.5, n_functions=6, max_T=60, seed=4)
    assert not np.array_equal(one.regret, other.regret)


@pytest.mark.parametrize("every", [None, 1, 3])
def test_a_simulation_is_a_run_with_certificates(every):
    eps, seed = 0.3, 5
    said = {} if every is None else {"every": every}
    runs = simulate(LINE, SMOOTH, 0.1, eps, n_functions=4, max_T=40, seed=seed, **said)
    L = prior_factor(SMOOTH, LINE).L
    none = posterior(SMOOTH, noise_var=0.1, X=np.empty((0, 1)), y=np.empty(0))
    for i in range(4):
        problem = stream(seed, i, Purpose.PROBLEM)
        f = L @ problem.standard_normal(20)
        law = IRGPUCB().law(20, 1) if every is None else ShiftedExponential.for_table(20, every=every)
        rule = stream(seed, i, Purpose.RULE)
        run = run_ucb(table_posterior(none, LINE), law, f, rule=rule, noise=problem)
        after = [step.after for step, _ in zip(run, range(40), strict=False)]
        certified = [t for t, table in enumerate(after, 1) if remaining_regret(table).bound <= eps]
        reached = [t for t, table in enumerate(after, 1) if f.max() - f[table.mean.argmax()] <= eps]
        assert runs.certified[i] == min(certified, default=math.inf)
        assert runs.reached[i] == min(reached, default=math.inf)
        last = after[int(min(runs.certified[i], 40)) - 1]
        assert runs.regret[i] == f.max() - f[last.mean.argmax()]
    assert np.any(np.isfinite(runs.certified))


def test_a_part_that_stands_for_a_larger_table_has_its_law():
    part, same = (simulate(LINE, SMOOTH, 0.1, 0.2, n_functions=4, max_T=40, n_candidates=n) for n in (10**6, 20))
    alone = simulate(LINE, SMOOTH, 0.1, 0.2, n_functions=4, max_T=40)
    np.testing.assert_array_equal(same.regret, alone.regret)
    np.testing.assert_array_equal(same.certified, alone.certified)
    assert not np.array_equal(part.reached, alone.reached)  # it explores more
    with pytest.raises(InvalidInput, match="at least the 20 distinct rows"):
        simulate(LINE, SMOOTH, 0.1, 0.2, n_candidates=19)


def test_quantiles_and_runs_that_do_not_finish():
    runs = simulate(LINE, SMOOTH, 0.1, 0.02, n_functions=8, max_T=2)
    assert runs.quantile(1.0)[0] == math.inf
    assert np.all(np.isfinite(runs.regret))
    assert np.all(runs.regret >= 0.0)
    runs = simulate(LINE, SMOOTH, 0.1, 0.5, n_functions=10, max_T=80)
    assert runs.quantile(0.5) == (np.sort(runs.certified)[4], np.sort(runs.reached)[4])
    assert runs.quantile(0.05)[0] == runs.certified.min()
    for p in (0.0, 1.1):
        with pytest.raises(InvalidInput):
            runs.quantile(p)


def test_certified_stops_keep_their_word_and_come_long_before_the_guarantee():
    eps = 0.4
    runs = simulate(LINE, SMOOTH, 0.1, eps, n_functions=60, max_T=150, seed=1)
    assert np.all(np.isfinite(runs.certified))
    assert np.all(runs.reached <= 150)
    # mean regret at the stop is at most eps; one-sided level 3e-5
    assert runs.regret.mean() - 4 * runs.regret.std() / math.sqrt(60) <= eps
    guaranteed = plan(LINE, SMOOTH, 0.1, eps, every=1, max_T=800).needed
    assert runs.quantile(0.9)[0] < guaranteed / 5


def test_a_simulation_leaves_out_what_the_study_leaves_out():
    """Little noise, a default study: nothing is measured twice while others are left. "allow" measures again."""
    kernel, X = Kernel("rbf", np.array([0.2]), 1.0), LINE[:8]
    law, none = IRGPUCB().law(8, 1), posterior(kernel, noise_var=1e-4, X=np.empty((0, 1)), y=np.empty(0))
    f = prior_factor(kernel, X).L @ np.random.default_rng(0).standard_normal(8)

    def chosen(*, repeats, steps):
        seeds = {"rule": np.random.default_rng(1), "noise": np.random.default_rng(2)}
        run = run_ucb(table_posterior(none, X), law, f, **seeds, repeats=repeats)
        return [step.index for step, _ in zip(run, range(steps), strict=False)]

    assert sorted(chosen(repeats=False, steps=8)) == list(range(8))
    assert len(chosen(repeats=False, steps=12)) == 12  # then all are open again
    assert len(set(chosen(repeats=True, steps=8))) < 8
    case = {"X": X, "kernel": kernel, "eps": 1e-6, "n_functions": 3, "max_T": 12}
    allow, auto, never = (simulate(noise_var=1e-4, **case, repeats=word) for word in ("allow", "auto", "never"))
    assert ("left out" in allow.law, "left out" in auto.law, "left out" in never.law) == (False, True, True)
    many = {**case, "n_functions": 20}
    short, long = (simulate(**{**many, "max_T": T}, noise_var=0.5, repeats="never") for T in (8, 60))
    assert np.all(long.certified == math.inf)
    np.testing.assert_array_equal(short.regret, long.regret)  # it ends after eight
    asked_again = simulate(**{**many, "max_T": 8}, noise_var=0.5, repeats="allow")
    assert not np.array_equal(short.regret, asked_again.regret)
    noisy = [simulate(noise_var=0.1, **case, repeats=word).regret.tolist() for word in ("allow", "auto", "never")]
    assert noisy[0] == noisy[1]
    with pytest.raises(InvalidInput, match="repeats"):
        simulate(noise_var=0.1, **case, repeats="often")


def test_the_loop_is_the_algorithm():
    """Each step takes the largest mean + sqrt(zeta) sd of the posterior of all steps before, built from nothing."""
    f, law = np.sin(7.0 * LINE[:, 0]), ShiftedExponential.for_table(20)
    none = posterior(SMOOTH, noise_var=0.1, X=np.empty((0, 1)), y=np.empty(0))
    run = run_ucb(table_posterior(none, LINE), law, f, rule=np.random.default_rng(0), noise=np.random.default_rng(1))
    before, draws, noise = none, np.random.default_rng(0), np.random.default_rng(1)
    for t, step in zip(range(1, 26), run, strict=False):
        zeta = law.draw(t, draws)
        mean, sd = before.mean_sd(LINE)
        assert (step.t, step.zeta) == (t, zeta)
        scores = mean + np.sqrt(zeta) * sd
        assert scores[step.index] == pytest.approx(scores.max(), rel=1e-9)
        assert step.sd == pytest.approx(sd[step.index], rel=1e-6)
        post = step.after.posterior
        assert post.y[-1] == pytest.approx(f[step.index] + np.sqrt(0.1) * noise.standard_normal(), rel=1e-12)
        before = posterior(SMOOTH, noise_var=0.1, X=post.X, y=post.y)


def test_refusals():
    for wrong in (
        {"every": 0},
        {"repeats": "x"},
        {"eps": 0.0},
        {"noise_var": 0.0},
        {"max_T": 0},
        {"X": np.empty((0, 1))},
        {"X": [[math.nan]]},
    ):
        with pytest.raises(InvalidInput):
            plan(**{"X": LINE, "kernel": SMOOTH, "noise_var": 0.1, "eps": 0.5, **wrong})
        with pytest.raises(InvalidInput):
            simulate(**{"X": LINE, "kernel": SMOOTH, "noise_var": 0.1, "eps": 0.5, "n_functions": 1, **wrong})
    for wrong in ({"seed": -1}, {"n_functions": 0}):
        with pytest.raises(InvalidInput):
            simulate(LINE, SMOOTH, 0.1, 0.5, **wrong)


@pytest.mark.parametrize("n", [1, 2, 3, 50, 4_000])
def test_what_holds_without_data_is_the_tail_sum_bound(n):
    assert _without_data(n, 1.7) == pytest.approx(certified_threshold(np.zeros(n), np.full(n, 1.7))[1], rel=1e-9)


def test_a_plan_of_a_huge_table_copies_nothing(tmp_path, monkeypatch):
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).random((30_000, 3), dtype=np.float32))
    rows = np.load(tmp_path / "rows.npy", mmap_mode="r")
    kernel = Kernel("rbf", np.full(3, 2.0), 1.0)
    whole = plan(np.array(rows, dtype=float), kernel, 0.1, 0.5, max_T=80)
    monkeypatch.setattr("regretless.theory.information.memory_budget", lambda: 1 << 16)
    tracemalloc.start()
    try:
        blocks = plan(rows, kernel, 0.1, 0.5, max_T=80)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200 * len(rows)  # and the memory of one tile; the run would take 240 bytes a row, its copies more
    assert (blocks.bound >= whole.bound - 1e-9).all()
    assert blocks.bound == pytest.approx(whole.bound, rel=0.05)
