import numpy as np
import pytest

from regretless.errors import InvalidInput
from regretless.problems import FeasibleProblem, FrontProblem
from regretless.spaces import Box


def corners(X):
    return np.stack([X[:, 0] + X[:, 1], X[:, 0], X[:, 1]], axis=1)


def two_sided(**changes):
    """Largest a + b with a <= 0.5 and b >= 0.25."""
    settings = {
        "objective": "sum",
        "direction": "maximize",
        "constraints": {"first": ("<=", 0.5), "second": (">=", 0.25)},
        "optimum": 1.5,
        "optimizers": [[0.5, 1.0]],
    }
    return FeasibleProblem("corner", Box({"a": (0, 1), "b": (0, 1)}), corners, **(settings | changes))


def test_outcomes_come_by_name_from_dicts_and_arrays():
    problem = two_sided()
    assert problem({"b": 1.0, "a": 0.25}) == {"sum": 1.25, "first": 0.25, "second": 1.0}
    assert problem([0.25, 1.0]) == problem({"b": 1.0, "a": 0.25})
    with pytest.raises(InvalidInput, match="missing: a"):
        problem({"b": 1.0})
    with pytest.raises(InvalidInput, match="2 coordinates"):
        problem.evaluate([[1.0, 2.0, 3.0]])


def test_constraints_have_two_senses_and_their_bounds_are_feasible():
    problem = two_sided()
    Y = problem.evaluate([[0.5, 0.25], [0.75, 0.25], [0.5, 0.125], [0.5, 1.0]])
    assert problem.slack(Y).tolist() == [[0.0, 0.0], [-0.25, 0.0], [0.0, -0.125], [0.0, 0.75]]
    assert problem.feasible(Y).tolist() == [True, False, False, True]
    assert problem.regret(Y).tolist() == [0.75, np.inf, np.inf, 0.0]
    assert two_sided(direction="minimize", optimum=0.25).regret(Y).tolist() == [0.5, np.inf, np.inf, 1.25]
    with pytest.raises(InvalidInput, match="outcomes sum, first, second"):
        problem.feasible([[1.0, 2.0]])


@pytest.mark.parametrize("changes", [{"optimum": np.nan}, {"optimizers": [[0.5]]}, {"optimizers": np.empty((0, 2))}])
def test_inconsistent_problems_are_refused(changes):
    with pytest.raises(InvalidInput):
        two_sided(**changes)


def test_what_a_problem_says_cannot_be_changed():
    problem = two_sided()
    with pytest.raises(ValueError):
        problem.optimizers[0, 0] = 0.0
    with pytest.raises(TypeError):
        problem.constraints["first"] = ("<=", 9.0)


def test_gains_turn_minimised_objectives_around():
    objectives = {"high": "maximize", "low": "minimize", "other": "maximize"}
    problem = FrontProblem(
        "mixed", Box([(0, 1), (0, 1)]), corners, objectives, {"other": -1.0, "low": 2.0, "high": 1.0}, 10.0
    )
    assert problem.gains([[3.0, 0.5, 0.0]]).tolist() == [[2.0, 1.5, 1.0]]
    assert problem.hypervolume([[3.0, 0.5, 0.0], [3.0, 2.5, 0.0]]) == 3.0
    with pytest.raises(InvalidInput, match="must name high, low, other"):
        FrontProblem("mixed", Box([(0, 1), (0, 1)]), corners, objectives, {"high": 1.0}, 10.0)
