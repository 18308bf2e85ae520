"""Very many results: how many a posterior holds, which ones, and that it is the same however it came about."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.study.helpers import SPACES, all_bits, bits, smooth

from regretless import IRGPUCB, Box, Study, Surrogate, Table
from regretless.acquisition import RULES
from regretless.gp import Kernel, TablePosterior, posterior
from regretless.optimizer import History, as_task, averaged, certify, model, recommend, suggest, without_last
from regretless.optimizer.subset import base_of, chosen, largest
from regretless.study.replays import asked_from

from .single import believe, heeded, history_of, in_use, outdated, points

KERNEL = Kernel("rbf", np.array([0.3, 0.6]), 1.0)
ROWS = np.random.default_rng(1).random((90, 2))
SOME = Surrogate(refit_every=9, restarts=0)
#: Excursions column by column rest on all results: subsets are for the models of the whole space.
WHOLE = IRGPUCB(additive=False)
KNOWN = Surrogate.known("rbf", 0.4, signal_var=1.0, noise_var=1e-2)


@pytest.fixture
def few(monkeypatch):
    """A posterior holds 16 results at the most."""
    monkeypatch.setattr(sys.modules["regretless.optimizer.subset"], "LARGEST", 16)
    monkeypatch.setattr(sys.modules["regretless.optimizer.average"], "_MOST", (16, 16))


def wavy(X) -> np.ndarray:
    return np.sin(5.0 * np.asarray(X)).sum(axis=1)


def history(n: int, y=None, fit=None, failed=None) -> History:
    """The first rows of the table, told in their order."""
    told = points(ROWS[:n], 0, np.arange(n))
    return history_of(
        told, wavy(ROWS[:n]) if y is None else y, points([]), points([]) if failed is None else failed, 3, n, fit
    )


def same(one, two) -> bool:
    """Whether two states hold the same posterior, bit for bit."""
    if one.used != two.used or one.fit != two.fit:
        return False
    a, b = (s.belief.posterior if isinstance(s.belief, TablePosterior) else s.belief for s in (one, two))
    moments = [(a.weights, b.weights), (a.factor.L, b.factor.L)]
    if isinstance(one.belief, TablePosterior):
        moments += [(one.belief.mean, two.belief.mean), (one.belief.var, two.belief.var)]
    return all(np.array_equal(x, y) for x, y in moments)


# How many -------------------------------------------------------------------------------------------------------------


def test_the_matrix_of_a_table_stays_within_its_memory():
    for N in (1, 9_999, 67_108, 67_109, 500_000, 3_000_000, 8_388_608):
        assert largest(N, 4 << 30) == 4000 or largest(N, 4 << 30) * N * 8 <= 2 << 30
        assert (largest(N, 4 << 30) + 1) * N * 8 > 2 << 30 or largest(N, 4 << 30) == 4000
    assert largest(10**9, 4 << 30) == 32  # whatever that takes


@settings(max_examples=300, deadline=None)
@given(n=st.integers(0, 400), fit=st.floats(0.0, 1.0), most=st.integers(32, 200))
def test_a_posterior_is_never_larger_and_seldom_built_anew(n, fit, most):
    n_fit = round(fit * n)
    n_base, count = base_of(n, n_fit, most)
    if n <= most:
        assert (n_base, count) == (n_fit, n_fit)  # as if there were no limit
        return
    assert n_fit <= n_base <= n
    assert count < n_base
    assert count + n - n_base < most
    if n - n_base + 1 < most // 4:
        assert base_of(n + 1, n_fit, most) == (n_base, count)


# Which ones -----------------------------------------------------------------------------------------------------------


def test_the_recent_and_the_best_are_kept_and_the_rest_is_spread():
    rng = np.random.default_rng(0)
    X, y = rng.random((600, 2)), rng.standard_normal(600)
    kept = chosen(KERNEL, 0.1, X, y, 80)
    assert len(kept) == 80
    assert (np.diff(kept) > 0).all()
    assert set(range(580, 600)) <= set(kept.tolist())
    assert int(y.argmax()) in kept
    # A quarter of them spread out: they leave smaller gaps than as many as all, taken at random.
    gap = np.sqrt(KERNEL.squared_distance(X, X[kept]).min(axis=1)).max()
    at_random = [
        np.sqrt(KERNEL.squared_distance(X, X[rng.choice(600, 80, replace=False)]).min(axis=1)).max() for _ in range(20)
    ]
    assert gap < np.median(at_random)


def test_the_spread_is_the_greedy_one():
    """A slow twin, with all distances at once."""
    rng = np.random.default_rng(3)
    X, y = rng.random((70, 2)), rng.standard_normal(70)
    D = KERNEL.squared_distance(X, X)
    half = [*range(60, 70), int(np.argsort(-y)[0])]
    half = list(dict.fromkeys(half))
    while len(half) < 20:
        gap = D[:, half].min(axis=1)
        gap[half] = -1.0
        half.append(int(gap.argmax()))
    model = posterior(KERNEL, noise_var=0.1, X=X[sorted(half)], y=y[sorted(half)])
    rest = [i for i in range(70) if i not in half]
    expected = model.mean(X[rest])
    best = [rest[i] for i in np.argsort(-expected, kind="stable")[:20]]
    assert chosen(KERNEL, 0.1, X, y, 40).tolist() == sorted(half + best)


def test_lucky_measurements_are_not_preferred():
    """2000 measurements of one point: those kept average to what all do, but for the few best. Level below 1e-4."""
    y = np.random.default_rng(5).standard_normal(2000)
    kept = chosen(KERNEL, 1.0, np.full((2000, 2), 0.5), y, 1000)
    assert abs(y[kept].mean() - y.mean()) < 4.0 / np.sqrt(1000)
    assert np.sort(y)[-1000:].mean() > 0.7  # what a choice by value would make of it


def test_categories_and_equal_points_do():
    kernel = Kernel("matern52", np.array([0.3, 1.0]), 1.0, (False, True))
    X = np.stack([np.repeat([0.1, 0.9], 30), np.tile([0.0, 1.0, 2.0], 20)], axis=1)
    kept = chosen(kernel, 0.1, X, np.zeros(60), 24)
    assert len(np.unique(X[kept], axis=0)) == 6


# The posterior --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surrogate", [SOME, KNOWN, replace(SOME, refit_every=None)])
@pytest.mark.parametrize("space", [Box([(0.0, 1.0)] * 2), Table(ROWS)])
def test_carried_along_and_built_anew_are_the_same_bits(few, space, surrogate):
    """At every number of results, through fits, choices and the first step beyond the limit."""
    s = as_task(space, surrogate=surrogate, seed=0)
    state, fit = None, None
    for n in range(2, 70):
        now = history(n, fit=fit)
        gone = state is not None and outdated(s, now, state)
        after = believe(s, now, n, state)
        assert same(after, believe(s, now, n, None))
        assert len(after.belief) == len(after.used) <= 16
        assert after.trials == tuple(range(n))
        assert (after.used == after.trials) == (n <= 16)
        if state is not None:
            assert gone == (after.base is not state.base)
        state, fit = after, after.fit


def test_up_to_the_limit_nothing_changes(monkeypatch):
    studies = [Study([(0.0, 1.0)] * 2, rule=WHOLE, seed=3) for _ in range(2)]
    for n in range(18):
        for study, most in zip(studies, (16, 4000), strict=True):
            monkeypatch.setattr(sys.modules["regretless.optimizer.subset"], "LARGEST", most)
            trial = study.ask()
            study.tell(trial, smooth(trial.params))
        if n <= 16:
            assert bits(studies[0].trials[n]) == bits(studies[1].trials[n])
            assert "used" not in trial.details
    assert studies[0].trials[17].details["used"] == 13.0
    assert studies[0].trials[17].details["told"] == 17.0
    assert bits(studies[0].trials[17]) != bits(studies[1].trials[17])


def test_a_result_that_was_not_kept_and_changes_counts_in_the_choice(few):
    s = as_task(Box([(0.0, 1.0)] * 2), surrogate=KNOWN, seed=0)
    y = wavy(ROWS[:40])
    state = believe(s, history(40, y), 40, None)
    left_out = next(i for i in range(40) if i not in state.used)
    y = y.copy()
    y[left_out] = 9.0
    after = believe(s, history(40, y, state.fit), 40, state)
    assert left_out in after.used
    assert same(after, believe(s, history(40, y, state.fit), 40, None))


def test_what_is_computed_from_told_points_takes_those_in_use(few):
    s = as_task(Box([(0.0, 1.0)] * 2), surrogate=KNOWN, seed=0)
    now = history(40)
    state = believe(s, now, 40, None)
    part = in_use(now, state)
    assert part.told.trials.tolist() == sorted(state.used)
    assert (ROWS[sorted(state.used)] == part.told.X).all()
    assert (part.y == now.series().y[sorted(state.used)]).all()
    assert in_use(history(10), believe(s, history(10), 10, None)).told.trials.tolist() == list(range(10))


@pytest.mark.parametrize("space", [Box([(0.0, 1.0)] * 2), Table(ROWS)])
def test_doubt_rests_on_a_subset_too_and_on_what_was_told_alone(few, space):
    s, h = as_task(space, seed=3), history(45)
    carried = None
    for left in (20, 19, 12, 3, 2, 1, 0, 9, 0):
        part = without_last(h, left)
        carried = averaged(s, part.series(), carried)
        alone = averaged(s, part.series(), None)
        assert carried.told.trials.tolist() == alone.told.trials.tolist()
        proof = certify(s, part, None, carried)
        assert proof == certify(s, part, None, alone)
        assert proof.used == carried.used <= 16


# Studies --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_suggestions_are_the_same_after_a_restart(few, space):
    study = Study(SPACES[space](), rule=WHOLE, seed=7, surrogate=replace(SOME, refit_every=11), repeats="allow")
    for n in range(50):
        if n % 13 == 12:
            pending = study.ask()
            trial = study.ask()
            study.tell(trial, smooth(trial.params))
            study.tell(pending, smooth(pending.params))  # later, with a lower number
        else:
            trial = study.ask()
            study.tell(trial, smooth(trial.params))
    for k in (16, 17, 18, 25, 33, 40, 52):
        made, _ = suggest(*asked_from(study, k), k, None)
        trial = study.trials[k]
        assert made.record.items() <= trial.details.items()
        assert (*made.expected[0], made.jitter) == (trial.details["mean"], trial.details["sd"], trial.jitter)
    assert study.trials[-1].details["used"] <= 16
    assert study.trials[-1].details["told"] == len(study) - 1
    again = Study(SPACES[space](), seed=7, surrogate=replace(SOME, refit_every=11), repeats="allow")
    for trial in study.trials[:30]:
        again.add(trial.params, trial.value)
    assert len(again.trials) == 30
    assert again.recommend() == again.recommend()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("space", [ROWS[:30], [(0.0, 1.0)] * 2], ids=["table", "box"])
def test_every_rule_lives_with_it(few, rule, space):
    study = Study(space, rule=rule, surrogate=KNOWN, seed=1)
    for x in ROWS[:30]:
        study.add(x, float(wavy(x[None, :])[0]))
    for trial in study.ask(3):
        assert trial.source == "rule"
        assert (trial.details["used"], trial.details["told"]) == (12.0, 30.0)


@pytest.mark.parametrize("space", [ROWS[:30], [(0.0, 1.0)] * 2], ids=["table", "box"])
def test_results_of_no_candidate_are_counted_in_the_record(few, space):
    study = Study(space, surrogate=KNOWN, seed=1)
    for x in ROWS[:10]:
        study.add(x, float(wavy(x[None, :])[0]))
    for x in ROWS[60:80] + 1.0:
        assert study.add(x, float(wavy(x[None, :])[0])).note
    record = study.ask().details
    assert (record["used"], record["told"]) == (12.0, 30.0)


def test_certificates_say_that_they_rest_on_a_subset(few):
    study = Study(ROWS, seed=1, objective="yield")
    for n, x in enumerate(ROWS[:40]):
        study.add(x, float(wavy(x[None, :])[0]))
        if n == 15:
            left = study.certificate()
            assert (left.used, left.told) == (16, 16)
            assert left.sentence.startswith("Under the fitted model, recommending row")
    left = study.certificate(record=True)
    assert left.used <= 16 < left.told == 40
    assert left.sentence.startswith(f"Under the fitted model of {left.used} of the 40 results, recommending row")
    assert study.events()[-1].data["used"] == left.used
    assert study.events()[-1].data["told"] == 40


def test_the_recommendation_hardly_suffers(monkeypatch):
    """400 noisy results of which the model holds at most 64: what is recommended is nearly as good as given all."""
    lost = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.random((400, 2))
        now = history_of(points(X), wavy(X) + 0.1 * rng.standard_normal(400), points([]), points([]), 3, 400, None)
        s = as_task(Box([(0.0, 1.0)] * 2), surrogate=KNOWN, rule=IRGPUCB(), seed=seed)
        values = []
        for most in (64, 4000):
            monkeypatch.setattr(sys.modules["regretless.optimizer.subset"], "LARGEST", most)
            values.append(wavy(recommend(s, now, believe(s, now, 400, None)).point.x[None, :])[0])
        lost.append(values[1] - values[0])
    assert np.mean(lost) < 0.02  # of a range of 4, with noise of 0.1


def test_a_small_model_of_many_results_still_finds_the_maximum(few):
    study = Study([(0.0, 1.0)] * 2, seed=2, surrogate=replace(SOME, refit_every=8))
    for _ in range(60):
        trial = study.ask()
        study.tell(trial, -((trial.params["x0"] - 0.3) ** 2) - (trial.params["x1"] - 0.8) ** 2)
    assert study.best.value > -1e-4
    assert len(all_bits(study)) == 60


@pytest.mark.parametrize("space", ["box", "table"])
def test_a_value_too_large_to_compute_with_is_no_part_of_a_base_either(few, space):
    of = as_task(Box([(0.0, 1.0)] * 2) if space == "box" else Table(ROWS), rule=WHOLE, surrogate=SOME, seed=1)
    fit = believe(of, history(60), 60, None).fit
    y = wavy(ROWS[:68])
    y[61] = 1e60  # told after the fit, and chosen with the next base, at 64
    suggestion, _ = suggest(of, history(68, y, fit), 68, None)
    assert suggestion.source == "random"
    assert "1e+60" in (suggestion.fallback or "")


def test_the_record_says_that_it_rests_on_a_subset_though_results_are_no_rows(few):
    study = Study([{"a": a} for a in range(10)], seed=1)
    for a in range(9):
        study.add({"a": a + 0.5}, -abs(a - 4.0))
    for a in range(8):
        study.add({"a": a}, -abs(a - 4.0))
    record = study.ask().details
    assert (record["used"], record["told"]) == (12, 17)


# Failed ones ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["box", "table"])
@pytest.mark.parametrize("rule", ["irgp-ucb", "ts"])
def test_failed_points_do_not_make_the_posterior_larger_without_end(few, space, rule):
    study = Study(Box([(0.0, 1.0)] * 2) if space == "box" else Table(ROWS), rule=rule, seed=1)
    for row in range(10):
        study.add(
            ROWS[row].tolist() if space == "box" else study.space.params(row), float(wavy(ROWS[row : row + 1])[0])
        )
    for row in range(10, 70):
        study.add(ROWS[row].tolist() if space == "box" else study.space.params(row), failed=True)
    trial = study.ask()
    assert trial.source == "rule"
    at, state = study._history().series(), study._carried.state
    fitted = state.believed()
    assert len(model.heeded(study._task, at, fitted).failed) == 2
    assert len(model.imagine(model.heeded(study._task, at, fitted), fitted)) == 10 + 1 + 2  # told, pending, failed
    of, known = asked_from(study, trial.number)
    fresh, carried = (suggest(of, known, trial.number, each)[0] for each in (None, state))
    assert fresh.point.x.tolist() == carried.point.x.tolist()
    if space == "table":
        assert trial.row >= 70  # a failed one is not suggested, whether it is imagined or not


def test_few_failed_points_all_count(few):
    of = as_task(Table(ROWS), surrogate=SOME, seed=1)
    for n, n_failed, heard in ((12, 4, 4), (12, 5, 2), (40, 2, 2), (40, 5, 2)):
        failed = points(ROWS[n : n + n_failed], n, np.arange(n, n + n_failed))
        all_of = history(n, failed=failed)
        assert len(heeded(of, all_of, believe(of, all_of, 60, None)).failed) == heard
