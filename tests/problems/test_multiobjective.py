"""Values at 37 % of every range were computed by BoTorch's test functions; hypervolumes by quadrature of the front."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from regretless.errors import InvalidInput
from regretless.problems import front_names, front_problem

AT_37 = {
    "branin-currin": [18.3352439961, 9.44495170486],
    "dtlz2-2": [0.906433083404, 0.595415246119],
    "dtlz2-3": [0.745797544021, 0.48989741919, 0.586136760495],
    "zdt1": [0.37, 3.06425911024],
    "zdt2": [0.37, 4.29838337182],
    "zdt3": [0.37, 4.33 * 0.776811870245],  # BoTorch leaves out the factor g = 1 + 9 * 0.37
    "vehicle-safety": [1677.56270915, 9.3210714, 0.11671108],
}


def box(problem):
    return np.array([(side.low, side.high) for side in problem.space.dimensions.values()]).T


@pytest.mark.parametrize("name", AT_37)
def test_values_at_37_percent(name):
    problem = front_problem(name)
    low, high = box(problem)
    assert problem.evaluate((low + 0.37 * (high - low))[None, :])[0] == pytest.approx(AT_37[name], rel=1e-10)


def test_vlmop2_has_its_minima_at_the_two_centres():
    problem = front_problem("vlmop2")
    c = np.sqrt(0.5)
    assert problem.evaluate([[c, c], [-c, -c]]) == pytest.approx(
        np.array([[0.0, 1.0 - np.exp(-4.0)], [1.0 - np.exp(-4.0), 0.0]]), abs=1e-15
    )


@pytest.mark.parametrize("name", front_names())
def test_random_points_stay_below_the_best_hypervolume(name):
    problem = front_problem(name)
    low, high = box(problem)
    Y = problem.evaluate(low + (high - low) * np.random.default_rng(0).random((1500, len(low))))
    assert 0.1 * problem.best_hypervolume < problem.hypervolume(Y) < problem.best_hypervolume


def over(front, reference, ends):
    """Area between a falling curve f2 = front(f1) and the reference point, after the curve ends at its last f1."""
    inside = quad(lambda f: reference - front(f), *ends, epsabs=1e-12, limit=200)[0]
    return inside + (reference - ends[1]) * (reference - front(ends[1]))


@pytest.mark.parametrize(
    ("name", "front"),
    [("zdt1", lambda f: 1.0 - np.sqrt(f)), ("zdt2", lambda f: 1.0 - f**2), ("dtlz2-2", lambda f: np.sqrt(1.0 - f**2))],
)
def test_hypervolume_of_fronts_in_closed_form(name, front):
    problem = front_problem(name)
    reference = problem.reference["f1"]
    assert problem.best_hypervolume == pytest.approx(over(front, reference, (0.0, 1.0)), rel=1e-9)


def fine(name):
    """Many points of the front itself, computed by the problem."""
    problem, s = front_problem(name), np.linspace(0.0, 1.0, 20_001)
    if name == "vlmop2":
        return problem.evaluate(np.sqrt(0.5) * (2.0 * s[:, None] - 1.0) * np.ones(2))
    rest = 0.5 if name.startswith("dtlz") else 0.0
    return problem.evaluate(np.hstack([s[:, None], np.full((len(s), 5), rest)]))


@pytest.mark.parametrize("name", ["dtlz2-2", "vlmop2", "zdt1", "zdt2", "zdt3"])
def test_a_dense_front_reaches_the_best_hypervolume_from_below(name):
    problem = front_problem(name)
    volume = problem.hypervolume(fine(name))
    assert volume <= problem.best_hypervolume
    assert volume == pytest.approx(problem.best_hypervolume, rel=2e-4)


def test_the_sphere_of_dtlz2_with_three_objectives():
    """A volume above the surface f1^2 + f2^2 + f3^2 = 1, by a grid of columns."""
    problem = front_problem("dtlz2-3")
    a, b = np.meshgrid(*[np.linspace(0.0, 1.0, 41)] * 2)
    Y = problem.evaluate(np.hstack([a.reshape(-1, 1), b.reshape(-1, 1), np.full((a.size, 4), 0.5)]))
    assert (Y**2).sum(axis=1) == pytest.approx(1.0)
    mid = (np.arange(1100) + 0.5) / 1000.0
    x, y = np.meshgrid(mid, mid)
    column = 1.1 - np.sqrt(np.maximum(0.0, 1.0 - x**2 - y**2))
    assert problem.best_hypervolume == pytest.approx(column.sum() * 1e-6, rel=1e-4)
    assert 0.9 * problem.best_hypervolume < problem.hypervolume(Y) < problem.best_hypervolume


def branin_bounded(x, a):
    """Largest y in [0, 15] with Branin(x, y) <= a, which is quadratic in y; NaN where there is none."""
    centre = 5.1 / (4.0 * np.pi**2) * x**2 - 5.0 / np.pi * x + 6.0
    room = a - 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) - 10.0
    half = np.sqrt(np.where(room >= 0.0, room, np.nan))
    y = np.minimum(centre + half, 15.0)
    return np.where((centre - half <= y) & (y >= 0.0), y, np.nan)


def test_hypervolume_of_branin_currin():
    """Currin falls with y, so its minimum under Branin <= a lies on the upper edge: one search along x for each a."""
    problem = front_problem("branin-currin")
    least = 10.0 / (8.0 * np.pi)
    s = (np.arange(400) + 0.5) / 400.0
    volume = 0.0
    for t in s:
        low, high, a = -5.0, 10.0, least + (18.0 - least) * t**2
        for _ in range(6):
            x = np.linspace(low, high, 4001 if (low, high) == (-5.0, 10.0) else 41)
            y = branin_bounded(x, a)
            X = np.stack([(x + 5.0) / 15.0, y / 15.0], axis=1)[~np.isnan(y)]
            currin = problem.evaluate(X)[:, 1]
            best, step = 15.0 * X[currin.argmin(), 0] - 5.0, x[1] - x[0]
            low, high = max(best - step, -5.0), min(best + step, 10.0)
        volume += max(6.0 - currin.min(), 0.0) * 2.0 * t * (18.0 - least) / len(s)
    assert problem.best_hypervolume == pytest.approx(volume, rel=1e-5)


@pytest.mark.slow
def test_hypervolume_of_vehicle_safety_by_a_search():
    """Points bred from their own front: they pass the 246.816 that is on record, stay below ours and come close."""
    problem = front_problem("vehicle-safety")
    reference = np.array(list(problem.reference.values()))
    rng = np.random.default_rng(0)
    X = 1.0 + 2.0 * rng.random((20_000, 5))
    corner = np.where(X[:10_000] < 2.0, 1.0, 3.0)
    X[:10_000] = np.where(rng.random((10_000, 5)) < 0.5, corner, X[:10_000])
    for _ in range(8):
        X = X[_front(problem.evaluate(X))]
        X = X[rng.permutation(len(X))[:8000]]
        moved = np.repeat(X, max(1, 15_000 // len(X)), axis=0)
        moved = moved + 0.15 * rng.standard_normal(moved.shape) * (rng.random(moved.shape) < 0.5)
        X = np.vstack([X, np.clip(moved, 1.0, 3.0)])
    Y = problem.evaluate(X)
    volume = stacked(reference - Y[_front(Y)])
    assert 246.82 < volume < problem.best_hypervolume
    assert volume == pytest.approx(problem.best_hypervolume, rel=2e-3)


#: Weight, acceleration and intrusion of vehicle safety as k + g.x + x'Qx, typed once more from the source.
QUADRATICS = [
    (1640.2823, [2.3573285, 2.3220035, 4.5688768, 7.7213633, 4.4559504], {}),
    (
        6.5856,
        [1.15, -1.0427, 0.9738, 0.8364, 0.0],
        {(0, 3): -0.3695, (0, 4): 0.0861, (1, 3): 0.3628, (0, 0): -0.1106, (2, 2): -0.3437, (3, 3): 0.1764},
    ),
    (
        -0.0551,
        [0.0181, 0.1024, 0.0421, 0.0, 0.0],
        {
            (0, 1): -0.0073,
            (1, 2): 0.024,
            (1, 3): -0.0118,
            (2, 3): -0.0204,
            (2, 4): -0.008,
            (1, 1): -0.0241,
            (3, 3): 0.0109,
        },
    ),
]
SIZES = (40.0, 5.0, 0.3)


def quadratic(k):
    constant, linear, products = QUADRATICS[k]
    Q, g = np.zeros((5, 5)), np.array(linear)
    for (i, j), value in products.items():
        Q[i, j] += value / 2.0
        Q[j, i] += value / 2.0
    return (lambda x: (constant + g @ x + x @ Q @ x) / SIZES[k]), (lambda x: (g + 2.0 * Q @ x) / SIZES[k])


FUNCTIONS = [quadratic(k) for k in range(3)]


def least(k, bounds, starts):
    """The smallest objective k under bounds on others, and where; infinite where no start leads to a point inside."""
    f, slope = FUNCTIONS[k]
    constraints = [
        {
            "type": "ineq",
            "fun": lambda x, j=j, b=b: b / SIZES[j] - FUNCTIONS[j][0](x),
            "jac": lambda x, j=j: -FUNCTIONS[j][1](x),
        }
        for j, b in bounds.items()
    ]
    found = []
    for start in starts:
        answer = minimize(
            f,
            start,
            jac=slope,
            bounds=[(1.0, 3.0)] * 5,
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        x = np.clip(answer.x, 1.0, 3.0)
        inside = all(FUNCTIONS[j][0](x) <= b / SIZES[j] + 1e-9 for j, b in bounds.items())
        found.append((f(x) * SIZES[k] if inside else np.inf, x))
    return min(found, key=lambda pair: pair[0])


def simpson(f, low, high, tolerance, pieces, depth):
    """Adaptive; jumps are closed in on."""
    known = {}

    def at(x):
        if x not in known:
            known[x] = f(x)
        return known[x]

    def rule(a, b):
        return (b - a) / 6.0 * (at(a) + 4.0 * at((a + b) / 2.0) + at(b))

    def part(a, b, whole, allowed, left):
        m = (a + b) / 2.0
        halves = rule(a, m), rule(m, b)
        if abs(sum(halves) - whole) <= 15.0 * allowed or not left or (b - a) * abs(at(a) - at(b)) < 0.1 * allowed:
            return sum(halves)
        return part(a, m, halves[0], allowed / 2.0, left - 1) + part(m, b, halves[1], allowed / 2.0, left - 1)

    edges = np.linspace(low, high, pieces + 1).tolist()
    return sum(part(a, b, rule(a, b), tolerance / pieces, depth) for a, b in itertools.pairwise(edges))


@pytest.mark.slow
def test_hypervolume_of_vehicle_safety_by_quadrature():
    """Volume = integral over bounds on weight and acceleration of what the smallest intrusion leaves; coarsely."""
    problem = front_problem("vehicle-safety")
    top = np.array(list(problem.reference.values()))
    corners = np.array(list(itertools.product([1.0, 2.0, 3.0], repeat=5)))
    Y = problem.evaluate(corners)
    some = corners[np.random.default_rng(1).permutation(len(corners))[:40]]

    def area(weight, tolerance):
        bound = {} if weight >= Y[:, 0].max() - 1e-9 else {0: weight}
        best, start = least(1, bound, some)
        light = corners[Y[:, 0] <= weight + 1e-9]
        near = [start, least(2, bound, some)[1]]

        def left(t):
            limit = best + (top[1] - best) * t * t
            inside = light[problem.evaluate(light)[:, 1] <= limit]
            tried = [*near[-3:], near[0], near[1], *inside[np.argsort(problem.evaluate(inside)[:, 2])[:4]]]
            value, x = least(2, {**bound, 1: limit}, tried)
            if np.isfinite(value):
                near.append(x)
            return 2.0 * t * (top[1] - best) * max(top[2] - value, 0.0) if np.isfinite(value) else 0.0

        return simpson(left, 0.0, 1.0, tolerance, 16, 30)

    low, high = Y[:, 0].min(), Y[:, 0].max()
    volume = (top[0] - high) * area(high, 1e-4) + simpson(lambda a: area(a, 3e-3), low, high, 0.1, 8, 6)
    assert volume == pytest.approx(problem.best_hypervolume, abs=0.05)


def stacked(gains):
    """Volume below the rows of three gains, slice by slice of the last: a slow twin of the package's boxes."""
    gains = gains[(gains > 0.0).all(axis=1)]
    gains = gains[np.argsort(-gains[:, 2])]
    volume = 0.0
    for i, depth in enumerate(gains[:, 2] - np.append(gains[1:, 2], 0.0)):
        layer = gains[: i + 1][np.argsort(-gains[: i + 1, 0])]
        height = np.maximum.accumulate(layer[:, 1])
        volume += depth * np.sum(layer[:, 0] * np.diff(height, prepend=0.0))
    return volume


def test_the_hypervolume_of_three_objectives_slice_by_slice():
    problem = front_problem("vehicle-safety")
    Y = problem.evaluate(1.0 + 2.0 * np.random.default_rng(3).random((60, 5)))
    reference = np.array(list(problem.reference.values()))
    assert problem.hypervolume(Y) == pytest.approx(stacked(reference - Y), rel=1e-12)


def _front(Y):
    """Rows that no other row is at most as large as."""
    kept, rows = np.empty((0, Y.shape[1])), []
    for i in np.lexsort(Y.T[::-1]):
        if not (kept <= Y[i]).all(axis=1).any():
            kept = np.vstack([kept, Y[i]])
            rows.append(i)
    return rows


def test_currin_at_the_edge_is_finite():
    assert np.isfinite(front_problem("branin-currin").evaluate([[0.0, 0.0], [1.0, 0.0]])).all()


def test_an_unknown_name_is_refused():
    with pytest.raises(InvalidInput, match="Known are: branin-currin"):
        front_problem("zdt9")
