"""The tree certificate: against quadrature, joint draws, any forest, and numbers computed elsewhere."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from regretless.confidence import certified_threshold
from regretless.confidence.normal import psi
from regretless.gp import Kernel, posterior
from regretless.theory import expected_rise, nearest_before, remaining_regret, tree_bound, tree_excess

#: Bivariate normal probabilities and one edge, from another program (mpmath and scipy.stats).
EDGE = {"mean": [0.4, 0.1], "cov": [[0.5, 0.3], [0.3, 0.6]], "u": 0.2, "value": 0.0923346903101}


def by_quadrature(u, mean, sd, parent_mean, parent_sd, cov):
    """E(X - max(Y, u))^+ by an integral over Y, X being normal given Y."""
    slope = cov / parent_sd**2
    rest = math.sqrt(sd**2 - slope * cov)

    def inner(z):
        y = parent_mean + parent_sd * z
        return norm.pdf(z) * rest * float(psi((max(y, u) - mean - slope * (y - parent_mean)) / rest))

    kink = (u - parent_mean) / parent_sd
    ends = [-12.0, *([kink] if abs(kink) < 12.0 else []), 12.0]
    return sum(quad(inner, a, b, epsabs=1e-14, limit=200)[0] for a, b in pairwise(ends))


def random_law(rng, m, rank=None):
    A = rng.standard_normal((m, rank or m + 2)) / math.sqrt(m)
    return rng.normal(-0.3, 0.5, m), A @ A.T


def random_forest(rng, m):
    """The parent of each comes before it in some order, or there is none."""
    order = rng.permutation(m)
    parent = np.full(m, -1, dtype=np.intp)
    for place, x in enumerate(order):
        choice = rng.integers(-1, place) if place else -1
        parent[x] = -1 if choice < 0 else order[choice]
    return parent


def test_the_edge_computed_elsewhere():
    (parent_mean, mean), C = EDGE["mean"], np.array(EDGE["cov"])
    moments = (mean, C[1, 1] ** 0.5, parent_mean, C[0, 0] ** 0.5, C[0, 1])
    found = expected_rise(EDGE["u"], *(np.array([value]) for value in moments))
    assert found[0] == pytest.approx(EDGE["value"], rel=1e-10)


@given(
    st.floats(-3.0, 3.0),
    st.floats(-3.0, 3.0),
    st.floats(0.05, 3.0),
    st.floats(-3.0, 3.0),
    st.floats(0.05, 3.0),
    st.floats(-0.98, 0.98),
)
@settings(deadline=None, max_examples=80)
def test_an_edge_is_the_integral(u, mean, sd, parent_mean, parent_sd, r):
    moments = (mean, sd, parent_mean, parent_sd, r * sd * parent_sd)
    found = float(expected_rise(u, *(np.array([value]) for value in moments))[0])
    assert found == pytest.approx(by_quadrature(u, *moments), rel=1e-6, abs=2e-9 * sd)
    assert 0.0 <= found <= sd * float(psi((u - mean) / sd)) * (1 + 1e-12)


def test_edges_at_the_border():
    one, none = np.ones(1), np.zeros(1)
    assert expected_rise(0.0, none, one, none, one, one)[0] < 1e-4  # a parent that is the row itself
    assert expected_rise(0.0, none, one, none, one, -one)[0] == pytest.approx(float(psi(0.0)), rel=1e-6)  # X = -Y
    assert expected_rise(0.0, -50.0 * one, one, none, one, none)[0] == 0.0
    assert expected_rise(9.0, none, one, none, one, none)[0] == pytest.approx(float(psi(9.0)), rel=1e-12)
    assert expected_rise(-40.0, none, one, none, one, none)[0] == pytest.approx(2**0.5 * float(psi(0.0)), rel=1e-9)
    assert expected_rise(0.0, 40.0 * one, one, none, one, none)[0] == pytest.approx(40.0 - float(psi(0.0)), rel=1e-9)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=100)
def test_the_inequality_holds_for_any_values_any_level_and_any_forest(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 12))
    f, u, parent = rng.standard_normal(m), rng.standard_normal(), random_forest(rng, m)
    above = [max(f[x] - (u if parent[x] < 0 else max(f[parent[x]], u)), 0.0) for x in range(m)]
    assert max(u, f.max()) <= u + sum(above) + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_no_forest_promises_less_than_joint_draws(seed):
    rng = np.random.default_rng(seed)
    mean, C = random_law(rng, 25, rank=6)
    sd = np.sqrt(np.diag(C))
    f = rng.multivariate_normal(mean, C, 20_000, method="eigh")
    forests = [(parent, C[np.arange(25), parent]) for parent in (random_forest(rng, 25) for _ in range(3))]
    for u in (-1.0, 0.0, 0.7):
        gains = np.maximum(f.max(axis=1) - u, 0.0)
        least = gains.mean() - 4.0 * gains.std() / math.sqrt(len(gains))
        for parent, cov in [*forests, nearest_before(mean, sd, C)]:
            assert tree_excess(u, mean, sd, cov, parent) >= least


def test_a_forest_of_roots_is_the_tail_sum():
    rng = np.random.default_rng(3)
    mean, C = random_law(rng, 9)
    sd = np.sqrt(np.diag(C))
    u, bound = certified_threshold(mean, sd)
    roots = np.full(9, -1)
    assert u + tree_excess(u, mean, sd, np.zeros(9), roots) == pytest.approx(bound, rel=1e-9)


def test_a_chain_of_neighbours_hardly_grows_when_an_interval_is_divided_further():
    """The values of the reference: 1.116, 1.121, 1.122 where the maximum is 1.098; the tail sum goes to 1.40."""
    X, y = np.array([[0.1], [0.35], [0.6], [0.9]]), np.array([0.2, 1.0, -0.3, 0.4])
    belief = posterior(Kernel("rbf", np.array([0.2]), 1.0), noise_var=0.01, X=X, y=y)
    found, sums, chosen = [], [], []
    for n in (21, 51, 201):
        at = belief.on(np.linspace(0.0, 1.0, n)[:, None])
        C = belief.covariance(at.X, at.X)
        here, top = np.arange(n), int(at.mean.argmax())
        parent = np.where(here < top, here + 1, here - 1)
        parent[top] = -1
        for results, (over, cov) in ((found, (parent, C[here, parent])), (chosen, nearest_before(at.mean, at.sd, C))):

            def level(u, over=over, cov=cov, at=at):
                return u + tree_excess(u, at.mean, at.sd, cov, over)

            results.append(minimize_scalar(level, bounds=(0.0, 2.0), method="bounded").fun)
        sums.append(certified_threshold(at.mean, at.sd)[1])
    np.testing.assert_allclose(found, [1.116, 1.121, 1.122], atol=5e-4)
    np.testing.assert_allclose(sums, [1.188, 1.274, 1.399], atol=5e-4)
    assert max(chosen) < 1.15


def test_the_parent_is_the_nearest_of_those_that_promise_more():
    rng = np.random.default_rng(5)
    mean, C = random_law(rng, 30)
    sd = np.sqrt(np.diag(C))
    parent, cov = nearest_before(mean, sd, C)
    promise = sd * psi(-mean / sd)
    for x in range(30):
        before = np.flatnonzero(promise > promise[x])
        apart = sd[x] ** 2 + sd[before] ** 2 - 2.0 * C[x, before]
        if len(before) and apart.min() < sd[x] ** 2:
            assert parent[x] == before[apart.argmin()]
            assert cov[x] == C[x, parent[x]]
        else:
            assert parent[x] == -1


@pytest.mark.parametrize("seed", range(5))
def test_candidates_that_are_left_out_of_the_tree_count_as_roots(seed):
    rng = np.random.default_rng(seed)
    mean, C = random_law(rng, 20, rank=5)
    sd = np.sqrt(np.diag(C))
    whole = tree_bound(mean, sd, C, np.empty(0), np.empty(0))
    some = tree_bound(mean[:12], sd[:12], C[:12, :12], mean[12:], sd[12:])
    none = tree_bound(np.empty(0), np.empty(0), np.empty((0, 0)), mean, sd)
    f = np.maximum(rng.multivariate_normal(mean, C, 20_000, method="eigh").max(axis=1), 0.0)
    least = f.mean() - 4.0 * f.std() / math.sqrt(len(f))
    assert least <= whole <= none
    assert least <= some


@pytest.mark.parametrize("seed", range(5))
def test_a_certificate_is_the_smallest_of_its_three_bounds_and_no_draw_beats_it(random_table, seed, monkeypatch):
    table, _ = random_table(seed, N=60, n=6)
    found = remaining_regret(table)
    assert found.tree <= found.pairwise
    assert found.bound == min(found.tail_sum, found.tree)
    monkeypatch.setattr("regretless.theory.certificate._IN_TREE", 20)
    fewer = remaining_regret(table)
    rng = np.random.default_rng(seed)
    K = table.posterior.covariance(table.X, table.X)
    f = rng.multivariate_normal(table.mean, K, 10_000, method="eigh")
    regret = f.max(axis=1) - f[:, found.index]
    least = regret.mean() - 4.0 * regret.std() / math.sqrt(len(regret))
    assert least <= found.tree
    assert least <= fewer.tree <= fewer.pairwise


def test_a_tree_is_far_below_the_sum_over_a_dense_sample():
    rng = np.random.default_rng(0)
    X = rng.random((8, 2))
    belief = posterior(Kernel("rbf", np.full(2, 0.3), 1.0), noise_var=0.01, X=X, y=np.sin(6.0 * X[:, 0]))
    found = remaining_regret(belief, rng.random((250, 2)))
    assert found.tree < 0.8 * min(found.tail_sum, found.pairwise)
