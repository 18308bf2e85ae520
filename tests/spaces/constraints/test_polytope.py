import numpy as np
import pytest
from scipy.optimize import linprog

from regretless.spaces import Box, Mixed, Mixture
from regretless.spaces.constraints.lattices import nearest_lattice_point
from regretless.spaces.constraints.polytope import polytope
from regretless.spaces.constraints.projections import projected, pulled
from regretless.spaces.constraints.walks import hit_and_run


def made(A=(), b=(), E=(), k=(), d=2):
    return polytope(
        np.array(A, float).reshape(-1, d),
        np.array(b, float),
        np.array(E, float).reshape(-1, d),
        np.array(k, float),
        np.zeros(d),
        np.ones(d),
    )


def test_the_centre_is_that_of_the_largest_ball():
    P = made([[1, 1]], [1])  # a triangle: the incircle
    radius = 1 / (2 + np.sqrt(2))
    assert P.centre == pytest.approx([radius, radius], abs=1e-6)
    assert made([[1, 1]], [-0.1]) is None
    assert made(E=[[1, 1]], k=[3]) is None


def test_inequalities_without_room_are_equalities():
    P = made([[1, 1], [-1, -1]], [1, -1])
    assert P.basis.shape == (2, 1)
    assert P.centre.sum() == pytest.approx(1.0, abs=1e-12)
    corner = made([[-1, -1]], [-2])
    assert corner.basis.shape == (2, 0)
    assert corner.centre.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("by_mixture", [False, True])
def test_uniform_moments_on_the_simplex(by_mixture):
    """E = 1/3, Var = 1/18, Cov = -1/36. Level: five standard errors of 256 walkers, about 6e-7 for each of nine."""
    if by_mixture:
        space = Mixed({"recipe": Mixture(["a", "b", "c"])})
    else:
        space = Box([(0, 1)] * 3, constraints="x0 + x1 + x2 == 1")
    m = 20_000
    X = space.sample(m, np.random.default_rng(5))
    assert X.sum(axis=1) == pytest.approx(np.ones(m), abs=1e-12)
    walkers = m / 20  # what correlated states of a walker are worth, at least
    assert X.mean(axis=0) == pytest.approx(np.full(3, 1 / 3), abs=5 * np.sqrt(1 / 18 / walkers))
    want = np.full((3, 3), -1 / 36) + np.eye(3) / 12
    assert np.cov(X.T) == pytest.approx(want, abs=5 * 0.075 / np.sqrt(walkers))
    # the law beyond moments: the smallest part has P(min > t) = (1 - 3t)^2
    smallest = np.sort(X.min(axis=1))
    cdf = 1 - (1 - 3 * smallest) ** 2
    assert np.abs(cdf - np.arange(m) / m).max() < 1.95 / np.sqrt(walkers)  # Kolmogorov, level 0.001


def test_a_thin_polytope_is_filled_to_its_ends():
    P = made([[1, -1], [-1, 1]], [0.001, 0.001])
    W = hit_and_run(P, 4000, np.random.default_rng(0))
    assert W.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.05)
    assert np.var(W[:, 0]) == pytest.approx(1 / 12, abs=0.01)
    assert np.abs(W[:, 0] - W[:, 1]).max() <= 0.001 + 1e-12


def test_part_of_a_polytope_by_shrinking_chords():
    """Uniform on a quarter disc: E r^2 = 1/2."""
    P = made()

    def inside(W, which):
        return (W**2).sum(axis=1) <= 1.0

    W = hit_and_run(P, 8000, np.random.default_rng(1), starts=np.array([[0.1, 0.1]]), inside=inside)
    r2 = (W**2).sum(axis=1)
    assert r2.max() <= 1.0
    assert r2.mean() == pytest.approx(0.5, abs=0.03)
    assert np.mean(r2 < 0.25) == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("seed", range(10))
def test_projections_end_inside(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    A, E = rng.normal(size=(3, d)), rng.normal(size=(1, d))
    P = made(A, A.sum(axis=1) / 2 + 0.2, E, E.sum(axis=1) / 2, d=d)
    W = rng.uniform(-1, 2, (50, d))
    for V in (projected(P, W, np.ones(d, bool), rounds=2000), pulled(P, W)):
        assert (P.h + 1e-9 >= V @ P.G.T).all()
        assert np.abs(V @ P.E.T - P.k).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_the_nearest_lattice_point_is_that_of_a_scan(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.2, 1, 3), float(rng.uniform(0.4, 1.2))
    target = rng.random(3)
    spacing = np.array([0.1, 0.25, 0.0])
    levels = {}
    empty = (np.zeros((0, 3)), np.zeros(0))
    found = nearest_lattice_point((a[None, :], np.array([b]), *empty, np.zeros(3), np.ones(3)), target, spacing, levels)

    def cost(i, j):
        left = b - a[0] * i / 10 - a[1] * j / 4
        best = min(target[2], left / a[2])
        return abs(i / 10 - target[0]) + abs(j / 4 - target[1]) + abs(best - target[2]) if left >= 0 else np.inf

    want = min(cost(i, j) for i in range(11) for j in range(5))
    assert np.abs(found - target).sum() == pytest.approx(want, abs=1e-6)


def test_the_sample_reaches_every_vertex():
    """As far as a linear program says."""
    space = Box([(0, 1)] * 3, constraints=["x0 + x1 <= 1", "x1 + 2*x2 <= 1.5"])
    X = space.sample(3000, np.random.default_rng(2))
    for c in np.eye(3):
        best = -linprog(-c, A_ub=[[1, 1, 0], [0, 1, 2]], b_ub=[1, 1.5], bounds=[(0, 1)] * 3).fun
        assert (X @ c).max() > best - 0.08
