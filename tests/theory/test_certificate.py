"""Certificates against Monte Carlo truth, closed forms and each other; every bound must be one."""

import math
import sys
import time
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, table_posterior
from regretless.theory import lemma_bound, remaining_regret


def finite(certificate):
    numbers = [getattr(certificate, field.name) for field in fields(certificate)]
    return all(math.isfinite(x) for x in numbers if isinstance(x, float))


def joint_draws(table, size, rng):
    K = table.posterior.covariance(table.X, table.X)
    w, Q = np.linalg.eigh(K)
    return table.mean + rng.standard_normal((size, len(w))) @ (Q * np.sqrt(np.maximum(w, 0.0))).T


def two_candidates(mean, sd, cov):
    """A posterior over two candidates with these moments: the pairwise bound only needs them and one covariance."""

    post = posterior(Kernel("rbf", np.array([1.0]), 1.0), noise_var=1.0, X=np.empty((0, 1)), y=np.empty(0))
    table = table_posterior(post, np.array([[0.0], [1.0]]))
    object.__setattr__(table, "mean", np.array(mean))
    object.__setattr__(table, "var", np.array(sd) ** 2)
    return table, np.array([[sd[0] ** 2, cov], [cov, sd[1] ** 2]])


def test_two_candidates(values, monkeypatch):
    case = values["two_candidates_exact"]
    table, K = two_candidates(case["inputs"]["mu"], case["inputs"]["sd"], case["inputs"]["cov"])
    monkeypatch.setattr(type(table), "covariance_with", lambda _, index: K[index].copy())
    certificate, outputs = remaining_regret(table), case["outputs"]
    assert certificate.index == 0
    assert certificate.pairwise == pytest.approx(outputs["pairwise_bound"], rel=1e-10)
    assert certificate.pairwise == pytest.approx(outputs["expected_simple_regret"], rel=1e-10)
    assert certificate.tail_sum == pytest.approx(outputs["tailsum_bound"], rel=1e-10)
    assert certificate.lemma == pytest.approx(outputs["lemma_B"], rel=1e-10)
    assert certificate.bound == certificate.pairwise


@pytest.mark.parametrize("seed", range(20))
def test_pairwise_is_exact_for_two_candidates(random_table, seed):
    table, _ = random_table(seed, N=2)
    K = table.posterior.covariance(table.X, table.X)
    theta = math.sqrt(max(K[0, 0] + K[1, 1] - 2.0 * K[0, 1], 1e-300))
    gap = abs(float(table.mean[0] - table.mean[1]))
    z = gap / theta
    exact = theta * math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) - gap * 0.5 * math.erfc(z / math.sqrt(2))
    assert remaining_regret(table).pairwise == pytest.approx(exact, rel=1e-5, abs=1e-9)


def check_against_truth(random_table, seeds, size):
    """How often each bound lies more than 4 standard errors below the Monte Carlo truth; never, if it is one.

    Level: each comparison is wrong by chance with probability 3e-5, four of them a GP.
    """
    for seed in seeds:
        table, _ = random_table(seed)
        rng = np.random.default_rng(10_000 + seed)
        eps = float(rng.uniform(0.0, 1.0))
        certificate = remaining_regret(table, eps=eps, draws=500, rng=rng)
        f = joint_draws(table, size, rng)
        regret = f.max(axis=1) - f[:, certificate.index]
        error = 4.0 * regret.std() / math.sqrt(size) + 1e-6
        for bound in (certificate.pairwise, certificate.tail_sum, certificate.lemma, certificate.bound):
            assert bound >= regret.mean() - error
        share = float(np.mean(regret > eps + 1e-9))
        assert certificate.exceeds >= share - 4.0 * math.sqrt(max(share, 1.0 / size) / size)
        assert certificate.tail_sum <= certificate.lemma * (1 + 1e-12)
        best = float(np.mean(regret <= 1e-5))
        spread = math.hypot(certificate.best.se, math.sqrt(max(best * (1 - best), 1 / size) / size))
        assert abs(certificate.best.estimate - best) <= 4.5 * spread + certificate.best.left_out + 0.01
        assert finite(certificate)


def test_bounds_cover_the_truth(random_table):
    check_against_truth(random_table, range(200), 2000)


@pytest.mark.slow
def test_bounds_cover_the_truth_on_many_gps(random_table):
    check_against_truth(random_table, range(100, 500), 20_000)


@pytest.mark.parametrize("seed", range(12))
def test_any_candidate_can_be_certified(random_table, seed):
    """Its expected regret, by 20,000 joint draws, is below every bound (level 3e-5 each); no other beats the argmax."""
    table, _ = random_table(seed, N=8)
    f = joint_draws(table, 20_000, np.random.default_rng(seed))
    best = remaining_regret(table)
    assert remaining_regret(table, index=best.index) == best
    for index in range(8):
        certificate = remaining_regret(table, index=index, eps=0.1)
        regret = f.max(axis=1) - f[:, index]
        room = 4.0 * regret.std() / math.sqrt(len(f)) + 1e-9
        assert certificate.index == index
        assert certificate.bound >= regret.mean() - room
        assert certificate.tail_sum <= certificate.lemma + 1e-9
        assert certificate.tail_sum >= best.tail_sum - 1e-12
        assert certificate.exceeds >= np.mean(regret > 0.1) - 0.02
    for wrong in (-1, 8):
        with pytest.raises(InvalidInput, match="index must be that of a candidate, 0 to 7"):
            remaining_regret(table, index=wrong)


def test_table_posterior_and_posterior_agree(random_table):
    for seed in range(10):
        table, _ = random_table(seed)
        one = remaining_regret(table, eps=0.3)
        other = remaining_regret(table.posterior, table.X, eps=0.3)
        assert one.index == other.index
        for name in ("mean", "sd", "bound", "tail_sum", "pairwise", "lemma", "exceeds"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-6, abs=1e-7), name
        assert one.lemma == lemma_bound(table.mean - table.mean.max(), table.sd)


def test_candidates_in_blocks(random_table, monkeypatch):
    table, _ = random_table(3, N=37, n=6)
    whole = remaining_regret(table.posterior, table.X)
    monkeypatch.setattr(sys.modules["regretless.gp.regression"], "BLOCK", 5)
    parts = remaining_regret(table.posterior, table.X)
    assert parts.bound == pytest.approx(whole.bound, rel=1e-9)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_inequalities(random_table, seed):
    table, _ = random_table(seed)
    certificate = remaining_regret(table, eps=0.2)
    assert 0.0 <= certificate.bound == min(certificate.tail_sum, certificate.tree)
    assert certificate.tree <= certificate.pairwise
    assert certificate.tail_sum <= certificate.lemma * (1 + 1e-12) + 1e-15
    assert 0.0 <= certificate.exceeds <= 1.0
    assert certificate.mean == table.mean.max()
    more = remaining_regret(table, eps=0.5)
    assert more.exceeds <= certificate.exceeds


def test_the_probability_of_being_best_is_deterministic_by_seed_and_right(random_table):
    table, _ = random_table(8, N=12, n=3)
    one = remaining_regret(table, draws=4000, rng=np.random.default_rng(1)).best
    assert one == remaining_regret(table, draws=4000, rng=np.random.default_rng(1)).best
    f = joint_draws(table, 200_000, np.random.default_rng(2))
    truth = float(np.mean(f.argmax(axis=1) == table.mean.argmax()))
    assert abs(one.estimate - truth) < 4.5 * one.se + one.left_out
    assert one.se == pytest.approx(math.sqrt(truth * (1 - truth) / 4000), rel=0.2)
    assert 1 < one.drawn <= 12


def test_few_draws_of_many_candidates_say_what_was_left_out(random_table, monkeypatch):
    table, _ = random_table(4, N=39, n=0)
    monkeypatch.setattr("regretless.theory.certificate._JOINTLY", 5)
    best = remaining_regret(table, draws=12, rng=np.random.default_rng(0)).best
    assert best.drawn == 5
    assert best.left_out == 1.0  # 35 candidates of equal chances, each better with probability one half
    assert best.draws == 12


def test_the_most_dangerous_rivals_are_drawn_and_the_rest_is_accounted_for(random_table, monkeypatch):
    table, _ = random_table(10, N=39, n=60)
    everyone = remaining_regret(table, draws=20, rng=np.random.default_rng(0))
    h, K = everyone.index, table.posterior.covariance(table.X, table.X)
    q = np.sqrt(np.maximum(K.diagonal() + K[h, h] - 2.0 * K[h], 1e-300))
    better = np.array(
        [0.5 * math.erfc((table.mean[h] - m) / (s * math.sqrt(2.0))) for m, s in zip(table.mean, q, strict=True)]
    )
    better[h] = 0.0
    assert everyone.best.left_out <= 1e-6
    assert np.sort(better)[: 39 - everyone.best.drawn].sum() <= 1e-6
    monkeypatch.setattr("regretless.theory.certificate._JOINTLY", 8)
    few = remaining_regret(table, draws=20, rng=np.random.default_rng(0)).best
    assert few.drawn == 8
    assert 0.0 < few.left_out < 1.0
    assert few.left_out == pytest.approx(np.sort(better)[:-7].sum(), rel=1e-6)


def test_one_candidate():
    post = posterior(Kernel("rbf", np.array([1.0]), 2.0), noise_var=0.1, X=np.empty((0, 1)), y=np.empty(0))
    certificate = remaining_regret(post, np.array([[0.5]]), eps=0.0, draws=10, rng=np.random.default_rng(0))
    assert certificate.bound == certificate.tail_sum == certificate.pairwise == certificate.exceeds == 0.0
    assert certificate.lemma == pytest.approx(math.sqrt(2.0 * math.pi / 2.0))
    assert certificate.best.estimate == 1.0
    assert certificate.best.se > 0.0


def test_equal_candidates_are_all_best():
    """The same row three times: means tie, the first is recommended, and no other can be better."""
    kernel = Kernel("rbf", np.array([0.3]), 1.0)
    post = posterior(kernel, noise_var=0.1, X=np.array([[0.1]]), y=np.array([1.0]))
    certificate = remaining_regret(post, np.full((3, 1), 0.5), eps=0.01, draws=100, rng=np.random.default_rng(0))
    assert certificate.index == 0
    assert certificate.pairwise < 1e-6
    assert certificate.exceeds == pytest.approx(0.0, abs=1e-9)
    assert certificate.best.estimate == 1.0
    assert certificate.tail_sum > 0.1  # it does not see the correlation


def test_nearly_known_everywhere():
    rng = np.random.default_rng(0)
    X = np.linspace(0.0, 1.0, 15)[:, None]
    kernel = Kernel("matern52", np.array([0.3]), 1.0)
    post = posterior(kernel, noise_var=1e-12, X=np.repeat(X, 3, axis=0), y=np.repeat(np.sin(9.0 * X[:, 0]), 3))
    certificate = remaining_regret(table_posterior(post, X), eps=1e-3, draws=50, rng=rng)
    assert finite(certificate)
    assert certificate.bound < 1e-5
    assert certificate.best.estimate == 1.0


def test_refusals(random_table):
    table, _ = random_table(0)
    for ask in (
        lambda: remaining_regret(table, table.X),
        lambda: remaining_regret(table.posterior),
        lambda: remaining_regret(table.posterior, table.X[:0]),
        lambda: remaining_regret(table, eps=-0.1),
        lambda: remaining_regret(table, eps=math.nan),
        lambda: remaining_regret(table, draws=10),
        lambda: remaining_regret(table, draws=-1, rng=np.random.default_rng(0)),
    ):
        with pytest.raises(InvalidInput):
            ask()


@pytest.mark.slow
def test_a_million_candidates_in_less_than_ten_updates():
    N, n = 1_000_000, 200
    rng = np.random.default_rng(0)
    X, kernel = rng.random((N, 4)), Kernel("matern52", np.full(4, 0.4), 1.0)
    rows = X[rng.integers(N, size=n)]
    post = posterior(kernel, noise_var=1e-2, X=rows, y=np.sin(5.0 * rows).sum(axis=1))
    table = table_posterior(post, X)

    def seconds(work):
        begin = time.process_time()
        work()
        return time.process_time() - begin

    update = seconds(lambda: table.condition(X[5], 1.0))
    assert seconds(lambda: remaining_regret(table, eps=0.05)) < 10.0 * update
    early = table_posterior(posterior(kernel, noise_var=1e-2, X=rows[:1], y=np.ones(1)), X)  # all lines on one curve
    assert seconds(lambda: remaining_regret(early)) < 10.0 * update


@pytest.mark.parametrize("seed", range(5))
def test_only_the_candidates_that_are_marked_count(random_table, seed):
    table, _ = random_table(seed, N=30)
    among = np.random.default_rng(seed).random(30) < 0.5
    among[7] = True
    kept = np.flatnonzero(among)
    part = remaining_regret(table_posterior(table.posterior, table.X[kept]), eps=0.3)
    of_all = remaining_regret(table, among=among, eps=0.3, draws=2000, rng=np.random.default_rng(1))
    assert of_all.index == kept[part.index]
    assert of_all.n_candidates == len(kept)
    for name in ("mean", "sd", "bound", "tail_sum", "pairwise", "lemma", "exceeds"):
        assert getattr(of_all, name) == pytest.approx(getattr(part, name), rel=1e-6, abs=1e-9), name
    assert of_all.best.drawn <= len(kept)
    named = remaining_regret(table, index=7, among=among)
    assert (named.index, named.mean) == (7, table.mean[7])


def test_marks_must_fit_the_candidates(random_table):
    table, _ = random_table(0, N=5)
    first = np.array([True, False, False, False, False])
    for among, index in ((np.ones(4, dtype=bool), None), (np.zeros(5, dtype=bool), None), (first, 1)):
        with pytest.raises(InvalidInput, match="among"):
            remaining_regret(table, index=index, among=among)
