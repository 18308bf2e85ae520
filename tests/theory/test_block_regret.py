"""Certificates by one pass over the rows against those of the whole table."""

import numpy as np
import pytest

from regretless import Study, Surrogate, Table
from regretless.errors import InvalidInput
from regretless.gp import Kernel, block_posterior, posterior, table_posterior
from regretless.theory import pass_seconds, remaining_regret, remaining_regret_in_blocks

NONE = np.empty(0, dtype=np.intp)


class Split:
    """Several workers in this process."""

    shares_memory, unused, workers = True, [], 3

    def __init__(self) -> None:
        self.said = []

    def progress(self, *said) -> None:
        self.said.append(said)

    def call(self, task, *args):
        return [task({}, (i, self.workers), *args) for i in range(self.workers)]


def beliefs(N: int, n: int, engine=None, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.random((N, 3)).astype(np.float32)
    told = X[:n].astype(float)
    base = posterior(Kernel("matern32", np.full(3, 0.4), 1.2), noise_var=1e-2, X=told, y=np.sin(5 * told).sum(axis=1))
    return table_posterior(base, X.astype(float)), block_posterior(base, X, engine)


@pytest.mark.parametrize("n", [3, 40, 150])
def test_bounds_are_valid_and_close_to_the_least(n):
    whole, blocks = beliefs(20_000, n)
    exact = remaining_regret(whole, eps=1.0)
    found = remaining_regret_in_blocks(blocks, index=exact.index, closed=NONE, eps=1.0)
    assert (found.mean, found.sd) == pytest.approx((exact.mean, exact.sd))
    for name in ("tail_sum", "pairwise", "lemma"):
        least = getattr(exact, name)
        assert least * (1.0 - 1e-9) <= getattr(found, name) <= 1.02 * least
    assert found.exceeds == pytest.approx(exact.exceeds, rel=1e-6, abs=1e-12)


def test_closed_rows_and_limits_count():
    whole, blocks = beliefs(5_000, 30)
    closed = np.flatnonzero(whole.mean > np.quantile(whole.mean, 0.9))
    among = np.ones(5_000, dtype=bool)
    among[closed] = False
    exact = remaining_regret(whole, among=among)
    found = remaining_regret_in_blocks(blocks, index=exact.index, closed=closed)
    assert exact.bound * (1 - 1e-9) <= found.bound <= 1.02 * exact.bound
    assert found.n_candidates == among.sum()
    high = exact.mean + 0.1
    limited = remaining_regret_in_blocks(blocks, index=exact.index, closed=closed, limits=(-np.inf, high))
    assert remaining_regret(whole, among=among, limits=(-np.inf, high)).bound <= limited.bound < found.bound


@pytest.mark.parametrize(("below", "above", "eps"), [(0.05, 0.5, 0.2), (np.inf, 0.5, 0.4), (0.05, 0.1, 0.2)])
def test_limits_bound_the_probability_of_more_than_eps(below, above, eps):
    whole, blocks = beliefs(5_000, 30)
    index = remaining_regret(whole).index
    limits = (float(whole.mean[index]) - below, float(whole.mean[index]) + above)
    exact = remaining_regret(whole, index=index, limits=limits, eps=eps)
    found = remaining_regret_in_blocks(blocks, index=index, closed=NONE, limits=limits, eps=eps)
    assert found.exceeds == pytest.approx(exact.exceeds, rel=1e-6, abs=1e-12)
    assert (found.exceeds == 0.0) == (above + below < eps)  # no two values are that far apart


def test_workers_and_progress():
    _, alone = beliefs(60_000, 20)
    engine = Split()
    _, shared = beliefs(60_000, 20, engine)
    one, three = (remaining_regret_in_blocks(each, index=5, closed=NONE, eps=0.5) for each in (alone, shared))
    assert one == three
    assert [done for _, done, _, _ in engine.said] == sorted({done for _, done, _, _ in engine.said})
    assert engine.said[-1][1:3] == (60_000, 60_000)
    assert pass_seconds(shared) > 0.0
    with pytest.raises(InvalidInput, match="leave draws= out"):
        remaining_regret_in_blocks(alone, index=5, closed=NONE, draws=10)


def test_the_certificate_of_a_study_is_that_of_the_table_in_memory(tmp_path):
    X = np.random.default_rng(0).integers(0, 1025, (3_000, 2)) / 1024
    X[0], X[1] = 0.0, 1.0
    np.save(tmp_path / "x.npy", X)
    model = Surrogate.known("matern52", 0.4, signal_var=1.0, noise_var=1e-2)
    found = []
    for space in (Table(X), Table.from_npy(tmp_path / "x.npy")):
        study = Study(space, surrogate=model, seed=1)
        for row in range(20):
            study.add(row=row, value=float(np.sin(5.0 * X[row]).sum()))
        found.append((study.certificate(eps=0.5), study.certificate(leave_out=2)))
    for memory, file in zip(*found, strict=True):
        least = min(memory.tail_sum, memory.pairwise)  # one pass hangs no row on another
        assert least * (1 - 1e-9) <= file.bound <= 1.02 * least
        assert file.row == memory.row
        assert file.exact
