"""Problems with several outcomes whose answer is known: an optimum under constraints, or the hypervolume of a front.

Directions, bounds and reference points stand in the words of a study, so they can be handed to one as they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_finite_float, as_matrix, as_vector
from regretless.errors import InvalidInput
from regretless.pareto import hypervolume
from regretless.problems.problem import check_optimizers
from regretless.spaces import Box, Table

__all__ = ["Constraint", "Direction", "FeasibleProblem", "FrontProblem"]

Direction: TypeAlias = Literal["maximize", "minimize"]
Constraint: TypeAlias = tuple[Literal["<=", ">="], float]


@dataclass(frozen=True, slots=True, eq=False)
class _Outcomes:
    """What both kinds share: a space, and a function of its points with one column per outcome."""

    name: str
    space: Box | Table
    function: Callable[[Floats], Floats]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of the outcomes, in the order of the columns."""
        raise NotImplementedError

    def __call__(self, params: Mapping[str, Any] | npt.ArrayLike) -> dict[str, float]:
        """Every outcome by name at one point, given as a dict by name or as an array."""
        if isinstance(params, Mapping):
            missing = [name for name in self.space.names if name not in params]
            if missing:
                raise InvalidInput(f"{self.name} needs {', '.join(self.space.names)}; missing: {', '.join(missing)}.")
            params = [params[name] for name in self.space.names]
        values = self.evaluate(as_vector(params, "params")[None, :])[0]
        return dict(zip(self.outcomes, values.tolist(), strict=True))

    def evaluate(self, X: npt.ArrayLike) -> Floats:
        """The (m, k) outcomes at the rows of an (m, d) array in the user's units."""
        rows = as_matrix(X, "X")
        if rows.shape[1] != len(self.space.names):
            raise InvalidInput(f"{self.name} has {len(self.space.names)} coordinates, got rows of {rows.shape[1]}.")
        return self.function(rows)

    def _columns(self, Y: npt.ArrayLike) -> Floats:
        columns = as_matrix(Y, "Y")
        if columns.shape[1] != len(self.outcomes):
            raise InvalidInput(
                f"{self.name} has the outcomes {', '.join(self.outcomes)}, got {columns.shape[1]} columns."
            )
        return columns


@dataclass(frozen=True, slots=True, eq=False)
class FeasibleProblem(_Outcomes):
    r"""One objective under constraints on other outcomes, with the best feasible value and where it is reached.

    .. math:: \texttt{optimum} = \min f(x) \quad\text{subject to}\quad g_j(x) \le b_j

    or the largest value, as ``direction`` says. ``function`` gives the objective in the first column and the
    constrained outcomes after it, in the order of ``constraints``.

    >>> from regretless.problems import feasible_problem
    >>> problem = feasible_problem("gramacy")
    >>> problem.constraints["c1"], round(problem.optimum, 6)
    (('<=', 0.0), 0.599788)
    >>> problem([0.2, 0.4])["f"], bool(problem.feasible(problem.evaluate([[0.2, 0.4]]))[0])
    (0.6000000000000001, False)
    """

    objective: str
    direction: Direction
    constraints: Mapping[str, Constraint]
    optimum: float
    optimizers: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "optimizers", check_optimizers(self.optimizers, self.space))
        object.__setattr__(self, "optimum", as_finite_float(self.optimum, "optimum"))
        object.__setattr__(self, "constraints", MappingProxyType(dict(self.constraints)))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The objective, then the constrained outcomes."""
        return (self.objective, *self.constraints)

    def slack(self, Y: npt.ArrayLike) -> Floats:
        """How far each constraint is from being violated, (m, J); negative where it is violated."""
        Y = self._columns(Y)
        sign = np.array([1.0 if sense == "<=" else -1.0 for sense, _ in self.constraints.values()])
        bounds = np.array([bound for _, bound in self.constraints.values()])
        return np.asarray(sign * (bounds - Y[:, 1:]), dtype=np.float64)

    def feasible(self, Y: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which rows of outcomes keep every constraint, exactly."""
        return np.asarray((self.slack(Y) >= 0.0).all(axis=1), dtype=np.bool_)

    def regret(self, Y: npt.ArrayLike) -> Floats:
        """How far the objective stays behind the optimum in each row; infinite where a constraint is violated."""
        Y = self._columns(Y)
        sign = 1.0 if self.direction == "maximize" else -1.0
        return np.where(self.feasible(Y), sign * (self.optimum - Y[:, 0]), np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class FrontProblem(_Outcomes):
    """Several objectives, with a reference point and the hypervolume of the whole front over it.

    ``function`` gives the objectives in the order of ``objectives``.

    >>> from regretless.problems import front_problem
    >>> problem = front_problem("zdt1")
    >>> dict(problem.objectives), round(problem.hypervolume([[0.0, 1.0], [1.0, 0.0]]), 6)
    ({'f1': 'minimize', 'f2': 'minimize'}, 120.0)
    """

    objectives: Mapping[str, Direction]
    reference: Mapping[str, float]
    best_hypervolume: float

    def __post_init__(self) -> None:
        if set(self.reference) != set(self.objectives):
            raise InvalidInput(f"reference must name {', '.join(self.objectives)}, got {', '.join(self.reference)}.")
        object.__setattr__(self, "objectives", MappingProxyType(dict(self.objectives)))
        object.__setattr__(
            self, "reference", MappingProxyType({name: self.reference[name] for name in self.objectives})
        )
        object.__setattr__(self, "best_hypervolume", as_finite_float(self.best_hypervolume, "best_hypervolume"))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The objectives."""
        return tuple(self.objectives)

    def gains(self, Y: npt.ArrayLike) -> Floats:
        """By how much each outcome is better than the reference point: everything to be maximised, from zero."""
        sign = np.array([1.0 if direction == "maximize" else -1.0 for direction in self.objectives.values()])
        return np.asarray(sign * (self._columns(Y) - np.array(list(self.reference.values()))), dtype=np.float64)

    def hypervolume(self, Y: npt.ArrayLike) -> float:
        """Volume between the reference point and the rows of outcomes."""
        return hypervolume(self.gains(Y), np.zeros(len(self.objectives)))
