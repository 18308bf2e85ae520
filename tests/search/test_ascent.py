"""The ascent inside polytopes beside SciPy's SLSQP and linear programs."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from regretless.search import Objective, climb, climb_in, search_product
from regretless.spaces import Box, Categorical, Float, Int, Mixed, Mixture


def quadratic(A, centre):
    def value_and_gradient(X, which):
        gap = X - centre
        return -0.5 * np.einsum("ni,ij,nj->n", gap, A, gap), -gap @ A

    return value_and_gradient


def random_problem(d, q, e, rng):
    """A concave quadratic, and inequalities and equalities that the middle of the cube satisfies."""
    Q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    A = Q * np.geomspace(1.0, 30.0, d) @ Q.T
    rows = rng.normal(size=(q, d)).round(2)
    texts = [_text(row, "<=", round(float(row.sum() / 2 + rng.uniform(0.05, 0.4)), 3)) for row in rows]
    equal = rng.normal(size=(e, d)).round(2)
    texts += [_text(row, "==", round(float(row.sum() / 2), 4)) for row in equal]
    return 0.5 * (A + A.T), rng.uniform(-0.5, 1.5, d), texts


def _text(row, op, bound):
    return " + ".join(f"({c})*x{i}" for i, c in enumerate(row)) + f" {op} {bound}"


def matrices(texts, d):
    """The oracle reads the texts by Python."""
    ineq, equal = [], []
    for text in texts:
        left, right = text.split("==" if "==" in text else "<=")
        row = [eval(left, {f"x{j}": float(i == j) for j in range(d)}) for i in range(d)]
        (equal if "==" in text else ineq).append((row, float(right)))
    return ineq, equal


def slsqp(A, centre, ineq, equal, d):
    best = -np.inf
    for start in (np.full(d, 0.5), np.clip(centre, 0, 1)):
        found = minimize(
            lambda x: 0.5 * (x - centre) @ A @ (x - centre),
            start,
            jac=lambda x: A @ (x - centre),
            bounds=[(0, 1)] * d,
            method="SLSQP",
            constraints=[{"type": "ineq", "fun": lambda x, r=r, b=b: b - np.dot(r, x)} for r, b in ineq]
            + [{"type": "eq", "fun": lambda x, r=r, b=b: np.dot(r, x) - b} for r, b in equal],
            options={"maxiter": 500, "ftol": 1e-13},
        )
        if found.success:
            best = max(best, -found.fun)
    return best


@pytest.mark.parametrize(
    ("d", "q", "e"), [(2, 1, 0), (2, 3, 0), (3, 2, 1), (5, 4, 0), (5, 3, 2), (8, 6, 1), (10, 5, 3)]
)
@pytest.mark.parametrize("seed", range(6))
def test_concave_quadratics_end_where_slsqp_does(d, q, e, seed):
    rng = np.random.default_rng([seed, d, q, e])
    A, centre, texts = random_problem(d, q, e, rng)
    space = Box([(0, 1)] * d, constraints=texts)
    starts = space.sample(6, rng)
    X, values = climb_in(space, quadratic(A, centre), starts, tolerance=1e-10)
    ineq, equal = matrices(texts, d)
    want = slsqp(A, centre, ineq, equal, d)
    assert np.isfinite(want)
    assert values == pytest.approx(np.full(6, want), abs=1e-6)
    for x in X:
        assert all(np.dot(r, x) <= b + 1e-9 for r, b in ineq)
        assert all(abs(np.dot(r, x) - b) <= 1e-9 for r, b in equal)
        assert x.min() >= -1e-12
        assert x.max() <= 1 + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_linear_scores_end_at_the_optimum_of_the_linear_program(seed):
    rng = np.random.default_rng(seed)
    d = 4
    c = rng.normal(size=d)
    _, _, texts = random_problem(d, 4, 1, rng)
    ineq, equal = matrices(texts, d)
    want = linprog(
        -c,
        A_ub=[r for r, _ in ineq],
        b_ub=[b for _, b in ineq],
        A_eq=[r for r, _ in equal],
        b_eq=[b for _, b in equal],
        bounds=[(0, 1)] * d,
    )
    space = Box([(0, 1)] * d, constraints=texts)
    _, values = climb_in(space, lambda X, _: (X @ c, np.tile(c, (len(X), 1))), space.sample(4, rng), tolerance=1e-10)
    assert values == pytest.approx(np.full(4, -want.fun), abs=1e-7)


def test_without_constraints_it_is_the_plain_climb_to_the_last_bit():
    rng = np.random.default_rng(0)
    A, centre, _ = random_problem(3, 1, 0, rng)
    starts = rng.random((5, 3))
    plain = climb(quadratic(A, centre), starts, movable=np.ones(3, bool), tolerance=1e-4, race=True)
    same = climb_in(Box([(0, 1)] * 3), quadratic(A, centre), starts, tolerance=1e-4, race=True)
    assert plain[0].tobytes() == same[0].tobytes()
    assert plain[1].tobytes() == same[1].tobytes()


def test_a_curved_border_is_a_wall():
    space = Box([(-1, 1)] * 2, constraints="x0**2 + x1**2 <= 0.25")
    c = np.array([1.0, 0.5])
    starts = space.sample(20, np.random.default_rng(1))
    X, values = climb_in(space, lambda X, _: (X @ c, np.tile(c, (len(X), 1))), starts)
    assert (values >= starts @ c).all()
    assert ((2 * X - 1) ** 2).sum(axis=1).max() <= 0.25 + 1e-8


def test_inactive_columns_do_not_move():
    space = Mixed({"k": Categorical(["a", "b"]), "g": Float(0, 1, when={"k": "a"}), "x": (0.0, 1.0)})
    starts = np.array([[0.0, 0.2, 0.3], [1.0, 0.5, 0.3]])
    X, _ = climb_in(space, lambda X, _: (X[:, 1] + X[:, 2], np.tile([0.0, 1.0, 1.0], (len(X), 1))), starts)
    assert X.tolist() == [[0.0, 1.0, 1.0], [1.0, 0.5, 1.0]]


def objective(f, step=1e-6):
    def both(X):
        g = [(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(X.shape[1])]
        return f(X), np.stack(g, axis=1)

    return Objective(f, both)


def search(space, f, seed=0):
    X = space.sample(100, np.random.default_rng(seed))
    found = search_product(space, objective(f), X, f(X), blocked=np.empty((0, space.dim)))
    return space.decode(found[0])


def test_a_search_in_a_mixture_changes_components():
    """The best support of 6 components, 2 present, is found although no start has it."""
    names = "ABCDEF"
    worth = np.array([0.1, 0.2, 1.0, 0.3, 0.95, 0.1])
    space = Mixed({"recipe": Mixture(list(names), at_most=2)})
    X = space.sample(100, np.random.default_rng(0))
    X = X[(X[:, 2] == 0) & (X[:, 4] == 0)]

    def f(X):
        return X @ worth - 2 * ((X - 0.5) ** 2 * (worth > 0.9)).sum(axis=1)

    found = search_product(space, objective(f), X, f(X), blocked=np.empty((0, 6)))
    best = space.decode(found[0])
    assert {name for name, amount in best.items() if amount > 0} == {"C", "E"}
    assert best["C"] == pytest.approx(0.5 + 0.05 / 8, abs=1e-3)


def test_whole_numbers_and_real_ones_share_a_budget():
    space = Mixed({"n": Int(0, 50), "m": Int(0, 50), "x": (0.0, 50.0)}, constraints=["n + m + x <= 60", "n + m >= 20"])

    def f(X):
        n, m, x = 50 * X[:, 0], 50 * X[:, 1], 50 * X[:, 2]
        return -((n - 33) ** 2) - (m - 21) ** 2 - (x - 30.5) ** 2

    best = search(space, f)
    want = max(
        -((n - 33) ** 2) - (m - 21) ** 2 - (min(30.5, 60 - n - m) - 30.5) ** 2
        for n in range(51)
        for m in range(51)
        if 20 <= n + m <= 60
    )
    got = -((best["n"] - 33) ** 2) - (best["m"] - 21) ** 2 - (best["x"] - 30.5) ** 2
    assert got >= want - 6.0  # one unit of a step in each of two columns
    assert space.feasible(best)
