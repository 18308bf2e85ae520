"""Every test function: its optimum is reached where it is said to be, and nothing found by search is better."""

import math
import pickle

import numpy as np
import pytest
from scipy.optimize import minimize, rosen

from regretless.errors import InvalidInput
from regretless.problems import by_name, names, surfaces

ALL = [(name, None) for name in names()] + [
    ("ackley", 4),
    ("griewank", 1),
    ("levy", 1),
    ("levy", 5),
    ("michalewicz", 5),
    ("michalewicz", 10),
    ("rastrigin", 3),
    ("rosenbrock", 4),
    ("styblinski-tang", 4),
]
# name, number of optimisers, optimum of the maximisation problem; from the literature, to the digits usually given
PUBLISHED = [
    ("ackley", 1, 0.0),
    ("branin", 3, -0.397887),
    ("bukin6", 1, 0.0),
    ("cross-in-tray", 4, 2.06261),
    ("drop-wave", 1, 1.0),
    ("eggholder", 1, 959.6407),
    ("griewank", 1, 0.0),
    ("hartmann3", 1, 3.86278),
    ("himmelblau", 4, 0.0),
    ("holder-table", 4, 19.2085),
    ("levy", 1, 0.0),
    ("michalewicz", 1, 1.8013),
    ("rastrigin", 1, 0.0),
    ("rosenbrock", 1, 0.0),
    ("shekel", 1, 10.5364),
    ("styblinski-tang", 1, 78.33233),
]


def bounds_of(problem):
    low = np.array(list(problem.space.decode(np.zeros(problem.space.dim)).values()))
    high = np.array(list(problem.space.decode(np.ones(problem.space.dim)).values()))
    return low, high


@pytest.mark.parametrize(("name", "dim"), ALL)
def test_optimum_is_reached_at_every_optimiser_inside_the_box(name, dim):
    problem = by_name(name, dim)
    low, high = bounds_of(problem)
    assert np.all((problem.optimizers >= low) & (problem.optimizers <= high))
    np.testing.assert_allclose(problem.evaluate(problem.optimizers), problem.optimum, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "dim"), ALL)
def test_no_search_beats_the_optimum(name, dim):
    problem = by_name(name, dim)
    low, high = bounds_of(problem)
    rng = np.random.default_rng(8)
    far = rng.uniform(low, high, size=(20_000, len(low)))
    close = problem.optimizers[0] + rng.normal(size=(2000, len(low))) * (high - low) * 1e-3
    close = np.clip(close, low, high)
    slack = 1e-12 * max(1.0, abs(problem.optimum))
    values = problem.evaluate(far)
    assert max(values.max(), problem.evaluate(close).max()) <= problem.optimum + slack
    for start in far[np.argsort(values)[-12:]]:
        found = minimize(
            lambda x: -float(problem.function(x[None])[0]),
            start,
            method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
        )
        assert -found.fun <= problem.optimum + slack


@pytest.mark.parametrize(("name", "count", "optimum"), PUBLISHED)
def test_published_optima(name, count, optimum):
    problem = by_name(name)
    assert len(np.unique(problem.optimizers, axis=0)) == count
    assert problem.optimum == pytest.approx(optimum, rel=2e-5, abs=1e-12)
    assert math.copysign(1.0, problem.optimum) > 0 or problem.optimum != 0.0  # 0, not -0


def test_michalewicz_optima_by_dimension():
    for dim, minimum in [(2, -1.80130341009855), (5, -4.68765817908815), (10, -9.66015171564134)]:
        assert by_name("michalewicz", dim).optimum == pytest.approx(-minimum, rel=1e-14)


def test_every_listed_optimum_was_tested():
    assert tuple(row[0] for row in PUBLISHED) == names()


def test_formulas_at_other_points():
    # by hand, or from another implementation
    assert by_name("branin")([0.0, 0.0]) == pytest.approx(-(36.0 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) + 10.0))
    assert by_name("himmelblau")([0.0, 0.0]) == -170.0
    assert by_name("bukin6")([-10.0, 0.0]) == -100.0
    assert by_name("rastrigin", 1)([0.5]) == pytest.approx(-20.25)
    assert by_name("griewank", 1)([2.0 * np.pi]) == pytest.approx(-(4.0 * np.pi**2 / 4000.0), rel=1e-9)
    assert by_name("styblinski-tang", 3)([1.0, 1.0, 1.0]) == pytest.approx(15.0)
    assert by_name("ackley", 3)([1.0, 1.0, 1.0]) == pytest.approx(-3.6253849384403627, rel=1e-12)
    assert by_name("levy", 2)([-3.0, -3.0]) == pytest.approx(-(0.0 + 1.0 + 10.0 * math.sin(1.0) ** 2 + 1.0), rel=1e-12)
    assert by_name("drop-wave")([3.0, 4.0]) == pytest.approx((1.0 + math.cos(60.0)) / 14.5)
    assert by_name("eggholder")([0.0, 0.0]) == pytest.approx(47.0 * math.sin(math.sqrt(47.0)))
    assert by_name("holder-table")([np.pi / 2.0, 0.0]) == pytest.approx(math.exp(0.5))
    assert by_name("cross-in-tray")([0.0, 3.0]) == pytest.approx(1e-4)
    assert by_name("michalewicz", 1)([np.pi / 2.0]) == pytest.approx(math.sin(np.pi / 4.0) ** 20)
    X = np.random.default_rng(0).uniform(-5.0, 10.0, size=(50, 4))
    np.testing.assert_allclose(by_name("rosenbrock", 4).evaluate(X), -rosen(X.T), rtol=1e-12)


def test_shekel_and_hartmann_term_by_term():
    wells = [(4, 4, 0.1), (1, 1, 0.2), (8, 8, 0.2), (6, 6, 0.4), (3, 7, 0.4)]
    wells += [(2, 9, 0.6), (5, 3, 0.3), (8, 1, 0.7), (6, 2, 0.5), (7, 3.6, 0.5)]
    peaks = [(1.0, (3, 10, 30), (3689, 1170, 2673)), (1.2, (0.1, 10, 35), (4699, 4387, 7470))]
    peaks += [(3.0, (3, 10, 30), (1091, 8732, 5547)), (3.2, (0.1, 10, 35), (381, 5743, 8828))]
    for x in np.random.default_rng(6).random((20, 4)):
        y = 10.0 * x
        depth = sum(
            1.0 / (w + (y[0] - a) ** 2 + (y[1] - b) ** 2 + (y[2] - a) ** 2 + (y[3] - b) ** 2) for a, b, w in wells
        )
        assert by_name("shekel")(y) == pytest.approx(depth, rel=1e-13)
        height = sum(
            w * math.exp(-sum(a * (v - 1e-4 * p) ** 2 for a, v, p in zip(A, x[:3], P, strict=True)))
            for w, A, P in peaks
        )
        assert by_name("hartmann3")(x[:3]) == pytest.approx(height, rel=1e-13)


@pytest.mark.parametrize(("name", "dim"), ALL)
def test_rows_are_evaluated_independently(name, dim):
    problem = by_name(name, dim)
    low, high = bounds_of(problem)
    X = np.random.default_rng(2).uniform(low, high, size=(7, len(low)))
    one_by_one = [problem(problem.space.argument(x)) for x in X]
    np.testing.assert_allclose(problem.evaluate(X), one_by_one, rtol=1e-14, atol=1e-13)
    assert problem.evaluate(X[:0]).shape == (0,)


def test_names_say_the_dimension_where_it_can_be_chosen():
    assert by_name("ackley", dim=4).name == "ackley-4"
    assert by_name("levy").name == "levy-2"
    assert by_name("branin", dim=2).name == "branin"


def test_problems_can_be_sent_to_other_processes():
    problem = by_name("hartmann3")
    twin = pickle.loads(pickle.dumps(problem))
    assert twin.evaluate(problem.optimizers) == problem.evaluate(problem.optimizers)


@pytest.mark.parametrize(
    ("name", "dim"),
    [
        ("ackly", None),
        ("branin", 3),
        ("ackley", 0),
        ("ackley", 2.0),
        ("ackley", True),
        ("rosenbrock", 1),
        ("michalewicz", 11),
    ],
)
def test_wrong_names_and_dimensions_are_refused(name, dim):
    with pytest.raises(InvalidInput):
        by_name(name, dim)


def test_wrong_dimension_is_refused_at_evaluation():
    with pytest.raises(InvalidInput, match="2 coordinates"):
        by_name("branin")([1.0, 2.0, 3.0])


def test_formulas_are_those_listed():
    assert len(surfaces.__all__) == len(names())
