"""Tables in blocks against the n x N matrix, their slow twin; bounds against simulation; engines against each other."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.acquisition.ei import LogImprovement
from regretless.acquisition.ucb import UpperBound
from regretless.engines import silent
from regretless.gp import Kernel, block_posterior, posterior, table_posterior
from regretless.gp.blocks import BLOCK, GRID, Envelopes, exact_moments
from regretless.gp.blocks import moments as block_moments
from regretless.gp.blocks.bounds import envelope
from regretless.gp.blocks.law import CANON
from regretless.gp.blocks.rough import rough

NONE = np.empty(0, dtype=np.intp)


class Split:
    """Several workers in this process, each with a part of the rows. One may be lost: its dict is emptied."""

    shares_memory = True

    def __init__(self, workers: int, lose: int | None = None) -> None:
        self.workers, self.unused, self._lose, self._calls, self.progress = workers, [], lose, 0, silent
        self.states: list[dict] = [{} for _ in range(workers)]
        self.touched: list[list[int]] = []  # rows that each worker looked at, call by call

    def call(self, task, *args):
        self._calls += 1
        if self._lose is not None and self._calls % 3 == 0:
            self.states[self._lose].clear()
        answers = [task(state, (i, self.workers), *args) for i, state in enumerate(self.states)]
        self.touched.append([getattr(answer, "touched", 0) for answer in answers])
        return answers


def rows_of(N: int, d: int, *, levels: int = 0, seed: int = 0):
    X = np.random.default_rng(seed).random((N, d)).astype(np.float32)
    if levels:
        X[:, -1] = np.floor(X[:, -1] * levels)
    return X


def wavy(X) -> np.ndarray:
    return np.sin(5.0 * np.asarray(X, dtype=float)).sum(axis=-1)


def prior(X, family: str, *, levels: int = 0, noise_var: float = 1e-2, seed: int = 0, n: int = 6):
    d = X.shape[1]
    kernel = Kernel(family, np.full(d, 0.3 * np.sqrt(d)), 1.3, tuple([False] * (d - 1) + [levels > 0]))
    at = np.random.default_rng(seed).choice(len(X), n, replace=False)
    told = X[at].astype(float)
    return posterior(kernel, noise_var=noise_var, X=told, y=wavy(told), prior_mean=0.2)


def formulas(N: int, count: int, rng):
    """Draws of the default law of zeta, some of the incumbents of EI, and the mean alone."""
    for t in range(count):
        if t % 5 == 2:
            yield LogImprovement(float(rng.normal(1.0, 0.5)))
        elif t % 5 == 4:
            yield UpperBound(0.0)
        else:
            yield UpperBound(np.sqrt(rng.exponential(2.0) + (2.0 * np.log(N / 2) if t % 4 == 3 else 0.0)))


def walk(X, base, steps: int, *, engine=None, anew_at: int | None = None, seed: int = 1, twin: bool = True):
    """Ask and be told in turns; what is found is that of the full scan. The found rows, scores and moments."""
    rng, closed, found = np.random.default_rng(seed), [], []
    fast = block_posterior(base, X, engine)
    slow = table_posterior(base, X.astype(float)) if twin else None
    for t, formula in enumerate(formulas(len(X), steps, rng)):
        if t == anew_at:  # as after a restart: all moments are to be computed
            fast = replace(fast, rows=block_posterior(base, X, engine).rows)
        best = fast.argmax(formula, np.array(sorted(closed), dtype=np.intp))
        if slow is not None:
            scores = formula.value(slow.mean, slow.sd)
            scores[closed] = -np.inf
            top = scores.max()
            assert best.score == pytest.approx(top, rel=1e-7, abs=1e-7)
            assert scores[best.row] >= top - 1e-8 * (1.0 + abs(top))  # no other, but for rounding
            assert (best.mean, best.sd) == pytest.approx((slow.mean[best.row], slow.sd[best.row]), abs=1e-7)
        found.append((best.row, best.score, best.mean, best.sd))
        if t % 3 == 0:
            closed.append(best.row)
        x = X[best.row].astype(float)
        value = float(wavy(x) + 0.1 * rng.normal())
        fast = fast.condition(x, value)
        slow = None if slow is None else slow.condition(x, value)
    return found


@pytest.mark.parametrize("family", ["rbf", "matern32", "matern52"])
@pytest.mark.parametrize(("d", "levels"), [(2, 0), (3, 4), (6, 0)])
def test_the_argmax_is_that_of_the_full_scan(family, d, levels):
    X = rows_of(5_000, d, levels=levels)
    walk(X, prior(X, family, levels=levels), 25, anew_at=15)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["rbf", "matern52"])
def test_the_argmax_is_that_of_the_full_scan_of_many_rows(family):
    X = rows_of(100_000, 5)
    walk(X, prior(X, family), 120, anew_at=60)


def test_values_without_noise_change_nothing():
    X = rows_of(4_000, 2)
    walk(X, prior(X, "rbf", noise_var=1e-6), 30)


def test_the_answer_does_not_depend_on_workers_order_or_losses():
    """More rows than one worker's stripe, so that all have some."""
    X = rows_of(40_000, 3)
    base = prior(X, "matern52")
    alone = walk(X, base, 12, twin=False)
    for engine in (Split(2), Split(3), Split(3, lose=1)):
        assert walk(X, base, 12, engine=engine, twin=False) == alone
    assert walk(X, base, 12, anew_at=6, twin=False) == alone  # nor on what was computed before


def test_pending_points_are_forgotten_again():
    X = rows_of(4_000, 2)
    base = prior(X, "matern52")
    fast, slow = block_posterior(base, X), table_posterior(base, X.astype(float))
    formula = UpperBound(2.0)
    fast.argmax(formula, NONE)
    imagined, twin = fast.branch(), slow.branch()
    for row in (3, 99, 1234):
        x = X[row].astype(float)
        imagined, twin = imagined.condition(x, 0.4), twin.condition(x, 0.4)
        best = imagined.argmax(formula, NONE)
        scores = formula.value(twin.mean, twin.sd)
        assert (best.row, best.score) == (int(scores.argmax()), pytest.approx(scores.max(), abs=1e-9))
    again = fast.argmax(formula, NONE)
    scores = formula.value(slow.mean, slow.sd)
    assert (again.row, again.score) == (int(scores.argmax()), pytest.approx(scores.max(), abs=1e-9))


def test_most_rows_are_not_looked_at():
    X = rows_of(60_000, 3)
    fast, rng, shares = block_posterior(prior(X, "rbf", n=10), X), np.random.default_rng(0), []
    for _ in range(40):
        best = fast.argmax(UpperBound(np.sqrt(rng.exponential(2.0))), NONE)
        shares.append(best.updated / len(X))
        x = X[best.row].astype(float)
        fast = fast.condition(x, float(wavy(x) + 0.1 * rng.normal()))
    assert shares[0] == 1.0
    assert np.mean(shares[20:]) < 0.2


def told(fast, best, X, rng):
    x = X[best.row].astype(float)
    return fast.condition(x, float(wavy(x) + 0.1 * rng.normal()))


def test_workers_tell_each_other_what_they_found():
    """One has all the good rows. The other does not go on among its own, though they may be better than its best."""
    stripe = 128 * BLOCK
    X = rows_of(4 * stripe, 2)
    X[stripe : 2 * stripe, 0] *= 0.1  # sin(5 x) is small there
    X[3 * stripe :, 0] *= 0.1
    engine, formula = Split(2), UpperBound(0.1)
    fast = block_posterior(prior(X, "matern52", n=10), X, engine)
    fast.argmax(UpperBound(4.0), NONE)
    for row in range(40):  # all bounds are out of date
        fast = fast.condition(X[row].astype(float), float(wavy(X[row])))
    engine.touched.clear()
    found = fast.argmax(formula, NONE)
    assert found.row // stripe % 2 == 0
    first, second = np.sum(engine.touched, axis=0)
    assert 0 < second <= 64 * BLOCK < first  # what is looked at before all compare


def test_products_go_to_memory_that_is_there():
    """Where malloc returns freed memory at once, as on Dask workers, to get it again took as long as the products."""
    X = rows_of(6_000, 3)
    fast, rng = block_posterior(prior(X, "matern52", n=120), X), np.random.default_rng(0)
    fast.argmax(UpperBound(1.0), NONE)
    for root in (9.0, 7.0):  # all rows are looked at: variances are completed, then observations are caught up with
        fast = told(fast, fast.argmax(UpperBound(root), NONE), X, rng)
    tracemalloc.start()
    try:
        found = fast.argmax(UpperBound(9.0), NONE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.touched > 1_000
    assert peak < 1_000_000  # kernel values of one tile are two megabytes


def test_ties_are_broken_by_the_smallest_row():
    X = np.tile(rows_of(300, 2), (20, 1))
    base = prior(X[:300], "matern52")
    slow = table_posterior(base, X[:300].astype(float))
    formula = UpperBound(1.5)
    first = int(formula.value(slow.mean, slow.sd).argmax())
    assert block_posterior(base, X).argmax(formula, NONE).row == first
    assert block_posterior(base, X).argmax(formula, np.array([first])).row == first + 300


def test_rows_that_are_all_alike_are_no_trouble():
    X = np.full((1_000, 2), 0.25, dtype=np.float32)
    base = posterior(Kernel("rbf", np.ones(2), 1.0), noise_var=0.1, X=np.array([[0.5, 0.5]]), y=np.array([1.0]))
    assert block_posterior(base, X).argmax(UpperBound(1.0), NONE).row == 0
    assert block_posterior(base, X).argmax(UpperBound(1.0), np.arange(999)).row == 999
    assert block_posterior(base, X).argmax(UpperBound(1.0), np.arange(1_000)) is None


def test_without_data_the_first_open_row_is_found():
    X = rows_of(700, 2)
    empty = posterior(Kernel("rbf", np.ones(2), 1.0), noise_var=0.1, X=np.empty((0, 2)), y=np.empty(0))
    assert block_posterior(empty, X).argmax(UpperBound(1.0), np.array([0])).row == 1


def test_moments_do_not_depend_on_the_rows_beside():
    X = rows_of(1_000, 4).astype(float)
    law = block_posterior(prior(X, "matern52", n=37), X).law
    mean, sd = exact_moments(law, X)
    order = np.random.default_rng(3).permutation(len(X))
    for rows in (order, order[:5], order[100:170]):
        again = exact_moments(law, X[rows])
        assert np.array_equal(again[0], mean[rows])
        assert np.array_equal(again[1], sd[rows])


@pytest.mark.parametrize("noise_var", [1e-6, 1e-2])
def test_rounding_stays_within_what_is_allowed_for(noise_var):
    """Moments by one observation after the other against those computed by themselves, also where it is hard."""
    X = rows_of(2_000, 2)
    fast = block_posterior(prior(X, "rbf", noise_var=noise_var), X)
    for row in range(60):
        fast.argmax(UpperBound(30.0), NONE)
        fast = fast.condition(X[row].astype(float), float(wavy(X[row])))
    fast.argmax(UpperBound(30.0), NONE)
    (moments,) = [kept for name, kept in fast.rows.engine._state.items() if name == fast.rows.key]
    above, sd_above, seen = (part.ravel() for part in moments.state_of(np.arange(16)))
    some = np.flatnonzero((seen == len(fast)) & (np.arange(len(seen)) < len(X)))
    mean, sd = exact_moments(fast.law, X[some].astype(float))
    of_mean, of_var = fast.law.rounding()
    assert len(some) > 100
    assert (above[some] >= mean - of_mean).all()
    assert (above[some] - mean).max() < 2.0 * rough(fast.law).of_mean + of_mean + 1e-6
    assert (sd_above[some] ** 2 >= sd**2 - of_var).all()


@pytest.mark.parametrize(
    ("family", "noise_var", "precision"),
    [("rbf", 1e-2, "f4"), ("matern32", 1e-2, "f4"), ("matern52", 1e-2, "f4"), ("rbf", 1e-8, "f8")],
)
def test_single_precision_is_used_where_its_rounding_is_small_and_stays_within_what_is_allowed_for(
    family, noise_var, precision
):
    X = rows_of(3_000, 3, levels=4).astype(float)
    law = block_posterior(prior(X, family, levels=4, noise_var=noise_var, n=90), X).law
    low = rough(law)
    assert low.dtype == precision
    K, mean = low.kernel_values(90, X, lambda _, dtype, rows, columns: np.empty((rows, columns), dtype=dtype))
    V = low.R @ K
    exact, sd = exact_moments(law, X)
    assert (mean >= exact).all()
    assert (mean - exact).max() <= 2.0 * low.of_mean
    assert (low.sd_above(law.kernel.signal_var - np.einsum("ij,ij->j", V, V)) >= sd).all()
    assert max(low.of_mean, low.of_var) < 0.1


def test_a_question_that_was_broken_off_leaves_nothing_behind(monkeypatch):
    """Ctrl-C in a pass or between two calls: the next question begins anew."""
    monkeypatch.setattr(block_moments, "_PIECE", 20)
    X = rows_of(20_000, 2)
    base = prior(X, "matern52")
    formula = UpperBound(1.0)
    expected = block_posterior(base, X).argmax(formula, NONE)

    class Broken(Split):
        def call(self, task, *args):
            if self._calls == 2:
                self._calls += 1
                raise KeyboardInterrupt
            return super().call(task, *args)

    fast = block_posterior(base, X, Broken(1))
    with pytest.raises(KeyboardInterrupt):
        fast.argmax(UpperBound(5.0), NONE)
    assert fast.argmax(formula, NONE) == expected

    class Fails(UpperBound):
        __slots__ = ()

        def value(self, mean, sd):
            if len(mean) == CANON:
                raise KeyboardInterrupt
            return super().value(mean, sd)

    fast = block_posterior(base, X)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            fast.argmax(Fails(5.0), NONE)
        assert fast.argmax(formula, NONE) == expected


moments = st.tuples(st.floats(-3.0, 3.0), st.floats(0.01, 2.0))


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(moments, min_size=1, max_size=6),
    u=st.lists(st.floats(-8.0, 8.0), min_size=0, max_size=4),
    incumbent=st.floats(-2.0, 6.0),
    root=st.floats(0.0, 25.0),
    seed=st.integers(0, 2**31),
)
def test_no_update_leads_above_the_bounds(rows, u, incumbent, root, seed):
    """Any v with |v|^2 <= var may come: mean + v'u and var - |v|^2 stay below the bounds of the block."""
    rng = np.random.default_rng(seed)
    mean, sd = (np.array([row[k] for row in rows]) for k in (0, 1))
    found = envelope(mean[None, :], sd[None, :], np.zeros((1, len(mean))))
    envelopes = Envelopes(found[:, :-1], found[:, -1], 0.0, 0.0)
    u = np.array(u)
    growth = np.array([u @ u])
    for formula in (UpperBound(root), LogImprovement(incumbent)):
        bound = formula.stale(envelopes, growth)[0]
        for m, s in rows:
            towards = u if len(u) and rng.random() < 0.7 else rng.normal(size=max(len(u), 1))
            v = towards / (np.linalg.norm(towards) + 1e-300) * s * np.sqrt(rng.random())
            now = m + (v @ u if len(u) else 0.0), np.sqrt(max(s * s - v @ v, 1e-16))
            value = float(formula.value(np.array([now[0]]), np.array([now[1]]))[0])
            assert value <= bound + 1e-7 * (1.0 + abs(bound))
            alone = float(formula.upper(np.array([m]), np.array([s]), growth)[0])
            assert value <= alone + 1e-7 * (1.0 + abs(alone))
            assert alone <= bound + 1e-7 * (1.0 + abs(bound))


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(st.tuples(moments, st.floats(0.0, 30.0)), min_size=1, max_size=6),
    later=st.floats(0.0, 40.0),
    root=st.floats(0.0, 25.0),
    precision=st.sampled_from([np.float32, np.float64]),
)
def test_an_envelope_of_rows_that_are_out_of_date_by_different_amounts_bounds_each(rows, later, root, precision):
    mean, sd, growth = (np.array(part)[None, :] for part in zip(*((*row, lacks) for row, lacks in rows), strict=True))
    found = envelope(*(part.astype(precision) for part in (mean, sd, growth))).astype(float)
    bound = UpperBound(root).stale(Envelopes(found[:, :-1], found[:, -1], 0.0, 0.0), np.array([later]))[0]
    assert bound >= UpperBound(root).upper(mean, sd, growth + later).max() - 1e-9


def test_a_bound_of_improvement_by_a_larger_sd_alone_would_be_wrong():
    """Why EI has a bound of its own: EI(mean, sd sqrt(1 + |u|^2)) is too small."""
    m, s, u = 0.0, 1.0, 10.0
    now = float(np.exp(LogImprovement(0.0).value(np.array([m + u * s]), np.array([1e-6]))[0]))
    wrong = float(np.exp(LogImprovement(0.0).value(np.array([m]), np.array([s * np.sqrt(1 + u * u)]))[0]))
    found = envelope(np.array([[m]]), np.array([[s]]), np.zeros((1, 1)))
    envelopes = Envelopes(found[:, :-1], found[:, -1], 0.0, 0.0)
    right = float(np.exp(LogImprovement(0.0).stale(envelopes, np.array([u * u]))[0]))
    assert wrong < now <= right < 1.1 * now


def test_envelopes_bound_the_lines_between_and_behind_the_grid():
    rng = np.random.default_rng(2)
    mean, sd = rng.normal(size=(20, 50)), rng.random((20, 50))
    found = envelope(mean, sd, np.zeros(mean.shape))
    envelopes = Envelopes(found[:, :-1], found[:, -1], 0.0, 0.0)
    for c in (*GRID, 0.1, 3.7, 11.0, 33.0):
        exact = (mean + c * sd).max(axis=1)
        bound = envelopes.at(np.full(20, c))
        assert (bound >= exact - 1e-12).all()
        if c in GRID:
            assert bound == pytest.approx(exact)
