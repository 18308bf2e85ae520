import numpy as np
import pytest
from scipy import stats

from regretless.errors import InvalidInput
from regretless.problems import Problem, by_name
from regretless.problems.problem import Lookup
from regretless.spaces import Box


def negative_square(X):
    return -np.sum((X - 1.0) ** 2, axis=1)


def test_named_parameters_arrive_in_the_order_of_the_space():
    def first_minus_second(X):
        return X[:, 0] - X[:, 1]

    problem = Problem("difference", Box({"b": (0, 1), "a": (0, 2)}), first_minus_second, 1.0, [[1.0, 0.0]])
    assert problem({"a": 2.0, "b": 0.5}) == -1.5
    assert problem(problem.space.argument({"a": 0.0, "b": 1.0})) == problem.optimum
    with pytest.raises(InvalidInput, match="missing: a"):
        problem({"b": 0.5})


def test_regret_is_zero_at_the_optimum():
    problem = by_name("branin")
    assert problem.regret(problem.optimum) == 0.0
    assert problem.regret(-10.0) > 0.0
    with pytest.raises(InvalidInput):
        problem.regret(float("nan"))


def test_noise_has_the_variance_asked_for_and_leaves_the_function_alone():
    problem = Problem("square", Box([(0, 2)]), negative_square, 0.0, [[1.0]], noise_var=0.25)
    rng = np.random.default_rng(1)
    observe = problem.noisy(rng)
    sample = np.array([observe([1.5]) for _ in range(5000)])
    assert stats.kstest(sample, stats.norm(-0.25, 0.5).cdf).pvalue > 1e-4
    assert problem([1.5]) == -0.25
    assert problem.noisy(rng, noise_var=0.0)([1.5]) == -0.25
    with pytest.raises(InvalidInput, match="variance"):
        problem.noisy(rng, noise_var=-1.0)


def test_optimisers_cannot_be_changed():
    problem = by_name("branin")
    with pytest.raises(ValueError):
        problem.optimizers[0, 0] = 0.0


@pytest.mark.parametrize(
    ("optimum", "optimizers", "noise_var"),
    [(np.inf, [[1.0]], 0.0), (0.0, [[1.0, 2.0]], 0.0), (0.0, np.empty((0, 1)), 0.0), (0.0, [[1.0]], -0.1)],
)
def test_inconsistent_problems_are_refused(optimum, optimizers, noise_var):
    with pytest.raises(InvalidInput):
        Problem("square", Box([(0, 2)]), negative_square, optimum, optimizers, noise_var)


def test_lookup_knows_its_rows_only():
    lookup = Lookup(np.array([[0.1, 0.0], [0.2, 1.0]]), np.array([1.0, 2.0]))
    assert lookup(np.array([[0.2, 1.0], [0.1, -0.0]])).tolist() == [2.0, 1.0]
    with pytest.raises(InvalidInput, match="not a row"):
        lookup(np.array([[0.2, 0.0]]))
    with pytest.raises(InvalidInput, match="occur twice"):
        Lookup(np.array([[0.1], [0.1]]), np.array([1.0, 2.0]))
