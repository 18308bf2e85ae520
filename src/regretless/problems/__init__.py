"""Problems whose answer is known: test functions, GP sample paths, tables of measurements; one outcome or several."""

from regretless.problems.constrained import feasible_names, feasible_problem
from regretless.problems.fidelities import FidelityProblem, fidelity_names, fidelity_problem
from regretless.problems.functions import by_name, names
from regretless.problems.gp_samples import gp_sample, grid
from regretless.problems.measurements import load, missing, table_names
from regretless.problems.multiobjective import front_names, front_problem
from regretless.problems.outcomes import FeasibleProblem, FrontProblem
from regretless.problems.problem import Noisy, Problem
from regretless.problems.robust import RobustProblem, robust_names, robust_problem
from regretless.problems.tradeoffs import load_tradeoff, tradeoff_names

__all__ = [
    "FeasibleProblem",
    "FidelityProblem",
    "FrontProblem",
    "Noisy",
    "Problem",
    "RobustProblem",
    "by_name",
    "feasible_names",
    "feasible_problem",
    "fidelity_names",
    "fidelity_problem",
    "front_names",
    "front_problem",
    "gp_sample",
    "grid",
    "load",
    "load_tradeoff",
    "missing",
    "names",
    "robust_names",
    "robust_problem",
    "table_names",
    "tradeoff_names",
]
