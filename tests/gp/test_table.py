from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.gp import table as module
from regretless.gp.kernels import FAMILIES, Kernel
from regretless.gp.regression import posterior
from regretless.gp.table import table_posterior


def setting(family="matern52", *, n=5, N=40, d=2, seed=0, noise_var=1e-3, categories=0):
    """A table posterior after n observations, and more observations to come: candidates and their values."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, d))
    if categories:
        X[:, 0] = rng.integers(categories, size=N)
    kernel = Kernel(family, np.full(d, 0.4), 1.5, (categories > 0, *([False] * (d - 1))))
    rows = rng.integers(N, size=n)
    post = posterior(kernel, noise_var=noise_var, X=X[rows], y=rng.standard_normal(n), prior_mean=0.2)
    later = [(X[i], float(rng.standard_normal())) for i in rng.integers(N, size=200)]
    return table_posterior(post, X), later


def after(table, observations):
    for x, y in observations:
        table = table.condition(x, y)
    return table


def rebuilt(table):
    """The slow twin: everything from the observations alone."""
    post = table.posterior
    fresh = posterior(post.kernel, noise_var=post.noise_var, X=post.X, y=post.y, prior_mean=post.prior_mean)
    return table_posterior(fresh, table.X)


def everything(table):
    """All a table posterior can say."""
    w = np.cos(np.arange(len(table)))
    index = len(table.X) // 3
    return table.mean, table.var, table.sd, table.covariance_with(index), table.project(w)


def assert_right(table, **tolerance):
    tolerance = {"rtol": 1e-8, "atol": 1e-9} | tolerance
    twin = rebuilt(table)
    for a, b in zip(everything(table), everything(twin), strict=True):
        np.testing.assert_allclose(a, b, **tolerance)
    mean, sd = twin.posterior.mean_sd(table.X)
    np.testing.assert_allclose(table.mean, mean, **tolerance)
    np.testing.assert_allclose(table.sd, sd, **tolerance)


@pytest.fixture(params=[1, 3, 32])
def rows(request, monkeypatch):
    monkeypatch.setattr(module, "ROWS", request.param)
    return request.param


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("categories", [0, 3])
def test_mean_and_sd_are_those_of_the_posterior(family, categories):
    table, _ = setting(family, categories=categories)
    mean, sd = table.posterior.mean_sd(table.X)
    np.testing.assert_allclose(table.mean, mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(table.sd, sd, rtol=1e-10)
    assert len(table) == 5


@pytest.mark.parametrize("block", [1, 7, 39, 40, 41])
def test_blocks_do_not_show(block, monkeypatch):
    whole, later = setting()
    monkeypatch.setattr(module, "BLOCK", block)
    parts = table_posterior(whole.posterior, whole.X)
    for a, b in zip(everything(after(parts, later[:4])), everything(after(whole, later[:4])), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("family", FAMILIES)
def test_many_appended_rows_equal_a_rebuilt_table(rows, n, family):
    table, later = setting(family, n=n)
    for observation in later[: 3 * 3 + 1]:
        table = table.condition(*observation)
        assert_right(table)
    table = after(table, later[10:50])
    assert len(table) == n + 50
    assert_right(table)


@settings(max_examples=25, deadline=None)
@given(
    family=st.sampled_from(FAMILIES),
    n=st.integers(0, 6),
    more=st.integers(0, 12),
    categories=st.sampled_from([0, 4]),
    seed=st.integers(0, 10**6),
)
def test_appending_equals_rebuilding_for_any_data(family, n, more, categories, seed):
    table, later = setting(family, n=n, N=25, seed=seed, categories=categories)
    assert_right(after(table, later[:more]))


def test_conditioning_on_a_point_that_is_no_candidate(rows):
    table, later = setting()
    outside = [(np.array([0.123, 0.456]), 0.5), (np.array([0.9, 1.3]), -2.0)]
    assert_right(after(table, [later[0], *outside, *later[1:4]]))


@pytest.mark.parametrize("before", [0, 1, 2, 3, 4])
def test_branches_are_both_right_and_the_parent_is_unchanged(rows, before):
    base, later = setting()
    parent = after(base, later[:before])
    snapshot = [np.array(part) for part in everything(parent)]

    left = parent.condition(*later[10])
    right = parent.condition(*later[20])  # a row where the left child has already written one
    third = parent.condition(*later[30])
    assert_right(left)
    assert_right(right)
    assert_right(third)

    # Grandchildren, interleaved, each across the end of a piece of memory.
    family = {10: left, 20: right, 30: third}
    for step in range(1, 6):
        for key in family:
            family[key] = family[key].condition(*later[key + step])
    for key, grandchild in family.items():
        assert_right(grandchild)
        np.testing.assert_array_equal(grandchild.posterior.y[5:], [y for _, y in later[:before] + later[key : key + 6]])
    for child in (left, right, third):
        assert_right(child)
    for part, old in zip(everything(parent), snapshot, strict=True):
        np.testing.assert_array_equal(part, old)
    assert len(parent) == 5 + before


def test_a_branch_of_a_branch(rows):
    base, later = setting(n=0)
    stem = after(base, later[:2])
    left = stem.condition(*later[2])
    left_left, left_right = left.condition(*later[3]), left.condition(*later[4])
    right = stem.condition(*later[5])
    right_left, right_right = right.condition(*later[6]), right.condition(*later[7])
    for table in (base, stem, left, right, left_left, left_right, right_left, right_right):
        assert_right(table)


def test_a_base_with_a_branch_of_every_candidate_stays_as_it_was():
    base, _ = setting(N=20)
    parent = base.condition(base.X[0], 1.0)
    snapshot = [np.array(part) for part in everything(parent)]
    for x in parent.X:
        assert_right(parent.condition(x, 0.0).condition(x, 1.0))
    for part, old in zip(everything(parent), snapshot, strict=True):
        np.testing.assert_array_equal(part, old)


@pytest.mark.parametrize("before", [0, 1, 2, 3, 5])
def test_the_same_observations_from_the_same_base_give_the_same_bits(rows, before):
    base, later = setting(n=7, N=300)
    parent = after(base, later[:before])
    runs = [after(parent, later[50:60]) for _ in range(3)]
    # A study that was resumed never had the other branches: it starts from its own base.
    runs.append(after(table_posterior(base.posterior, base.X), later[:before] + later[50:60]))
    for a, b in pairwise(runs):
        for left, right in zip(everything(a), everything(b), strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("more", [0, 4])
def test_covariance_with_one_candidate_is_a_column_of_the_covariance(rows, family, more):
    base, later = setting(family)
    table = after(base, later[:more])
    covariance = table.posterior.covariance(table.X, table.X)
    for index in (0, 17, 39):
        np.testing.assert_allclose(table.covariance_with(index), covariance[index], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(table.covariance_with(index)[index], table.var[index], rtol=1e-8, atol=1e-10)


def test_project_is_the_product_with_V(rows):
    base, later = setting()
    table = after(base, later[:7])
    post = table.posterior
    K = post.kernel(post.X, table.X)
    V = np.linalg.inv(post.factor.L) @ K
    w = np.random.default_rng(1).standard_normal(12)
    np.testing.assert_allclose(table.project(w), V.T @ w, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(post.prior_mean + table.project(post.u), table.mean, rtol=1e-9, atol=1e-9)


def test_a_table_without_observations_is_the_prior():
    table, later = setting(n=0)
    np.testing.assert_array_equal(table.mean, 0.2)
    np.testing.assert_array_equal(table.var, 1.5)
    np.testing.assert_array_equal(table.project(np.empty(0)), np.zeros(40))
    np.testing.assert_array_equal(table.covariance_with(3), table.posterior.kernel(table.X[3:4], table.X)[0])
    assert_right(table.condition(*later[0]))


def test_the_same_candidate_again_and_again_stays_finite(rows):
    table, _ = setting(noise_var=1e-6)
    for _ in range(40):
        table = table.condition(table.X[3], 1.0)
    for part in everything(table):
        assert np.isfinite(part).all()
    assert (table.sd > 0).all()
    assert table.mean[3] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("start", [0, 3])
def test_a_row_that_needs_jitter_renews_the_table(rows, start):
    # Without noise, the second observation of a candidate makes the covariance singular: all rows of L and V change.
    base, later = setting("rbf", n=start, noise_var=0.0)
    seen = [(x, y) for i, (x, y) in enumerate(later[:8]) if not any((x == z).all() for z, _ in later[:i])]
    parent = after(base, seen)
    snapshot = [np.array(part) for part in everything(parent)]
    assert parent.posterior.jitter == 0.0
    left = parent.condition(seen[0][0], seen[0][1])
    right = parent.condition(np.array([0.5, 0.5]), 1.0)
    assert left.posterior.jitter > 0.0
    assert right.posterior.jitter == 0.0
    for table in (left, right, after(left, later[20:24]), after(right, later[20:24])):
        assert_right(table, rtol=1e-3, atol=1e-3)
    for part, old in zip(everything(parent), snapshot, strict=True):
        np.testing.assert_array_equal(part, old)


def test_memory_of_a_table_is_not_shared_with_its_answers():
    base, later = setting()
    table = base.condition(*later[0])
    before = table.mean.copy()
    table.covariance_with(0)[:] = np.nan
    table.project(np.ones(6))[:] = np.nan
    table.sd[:] = np.nan
    np.testing.assert_array_equal(table.mean, before)
    assert_right(table)


@pytest.mark.parametrize("family", FAMILIES)
def test_observing_a_candidate_by_its_number_is_observing_its_point(rows, family):
    table, later = setting(family, n=3)
    by_number = table
    for x, y in later[:40]:
        index = int(np.flatnonzero((x == table.X).all(axis=1))[0])
        by_number = by_number.condition_at(index, y)
    assert_right(by_number)
    np.testing.assert_allclose(by_number.posterior.factor.L, after(table, later[:40]).posterior.factor.L, atol=1e-9)


def test_observing_a_known_candidate_again_by_its_number_records_jitter(rows):
    table, _ = setting("rbf", n=3, noise_var=0.0)
    index = int(np.flatnonzero((table.posterior.X[0] == table.X).all(axis=1))[0])
    again = table.condition_at(index, float(table.posterior.y[0]))
    assert again.posterior.jitter > 0.0
    assert np.isfinite(again.mean).all()
    np.testing.assert_allclose(again.mean, table.mean, atol=1e-3)


def test_columns_of_V(rows):
    table, later = setting(n=4)
    table, indices = after(table, later[:5]), np.array([3, 0, 39, 3])
    V = table.posterior.factor.half_solve(table.posterior.kernel(table.X[indices], table.posterior.X).T)
    np.testing.assert_allclose(table.columns(indices), V, atol=1e-10)


def test_long_columns_are_handled_in_smaller_blocks(monkeypatch):
    table, _ = setting(n=7)
    monkeypatch.setattr(module, "_ENTRIES", 20)
    assert len(module._blocks(40, 7)) == 1  # never as thin as that
    monkeypatch.setattr(module, "_NARROWEST", 1)
    assert len(module._blocks(40, 7)) == 20
    for a, b in zip(everything(rebuilt(table)), everything(table), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
