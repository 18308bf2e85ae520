"""An objective whose optimum is known, so that regret can be measured instead of bounded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_finite_float, as_matrix, as_nonnegative, as_vector
from regretless.errors import InvalidInput
from regretless.spaces import Box, Table

__all__ = ["Lookup", "Noisy", "Problem", "check_optimizers", "check_variance", "table_problem"]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    r"""A function to maximise on a space, with its optimum and all the points where it is reached.

    .. math:: \texttt{optimum} = \max_x f(x) = f(x^*) \quad \text{for every row } x^* \text{ of } \texttt{optimizers}

    ``function`` maps (m, d) rows in the user's units, columns in the order of ``space.names``, to (m,) values without
    noise. Calling the problem takes what the space hands to a user's function, an array or a dict, and is noise-free
    too; ``noise_var`` says with which noise it is meant to be observed, see :meth:`noisy`.

    >>> from regretless.problems import by_name
    >>> problem = by_name("himmelblau")
    >>> problem(np.array([3.0, 2.0])), problem.regret(-5.0)
    (0.0, 5.0)
    """

    name: str
    space: Box | Table
    function: Callable[[Floats], Floats]
    optimum: float
    optimizers: Floats
    noise_var: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "optimizers", check_optimizers(self.optimizers, self.space))
        object.__setattr__(self, "optimum", as_finite_float(self.optimum, "optimum"))
        object.__setattr__(self, "noise_var", check_variance(self.noise_var, "noise_var"))

    def __call__(self, params: Mapping[str, Any] | npt.ArrayLike) -> float:
        """The value at one point, given as a dict by name or as an array."""
        if isinstance(params, Mapping):
            missing = [name for name in self.space.names if name not in params]
            if missing:
                raise InvalidInput(f"{self.name} needs {', '.join(self.space.names)}; missing: {', '.join(missing)}.")
            params = [params[name] for name in self.space.names]
        return float(self.evaluate(as_vector(params, "params")[None, :])[0])

    def evaluate(self, X: npt.ArrayLike) -> Floats:
        """The values at the rows of an (m, d) array in the user's units."""
        rows = as_matrix(X, "X")
        if rows.shape[1] != len(self.space.names):
            raise InvalidInput(f"{self.name} has {len(self.space.names)} coordinates, got rows of {rows.shape[1]}.")
        return self.function(rows)

    def regret(self, value: float) -> float:
        """How far a value of the function stays below the optimum."""
        return self.optimum - as_finite_float(value, "value")

    def noisy(self, rng: np.random.Generator, noise_var: float | None = None) -> "Noisy":
        r"""The function as an experiment sees it, :math:`y = f(x) + \varepsilon`; ``noise_var`` or else the problem's.

        >>> from regretless.problems import by_name
        >>> observe = by_name("branin").noisy(np.random.default_rng(0), noise_var=0.01)
        >>> abs(observe([np.pi, 2.275]) + 0.397887) < 0.5
        True
        """
        return Noisy(self, rng, self.noise_var if noise_var is None else check_variance(noise_var, "noise_var"))


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """A problem observed with Gaussian noise: each call draws once from ``rng``."""

    problem: Problem
    rng: np.random.Generator
    noise_var: float

    def __call__(self, params: Mapping[str, Any] | npt.ArrayLike) -> float:
        """One observation; ~ N(f(x), noise_var)."""
        return self.problem(params) + float(self.rng.normal(0.0, np.sqrt(self.noise_var)))


class Lookup:
    """A function known on the rows of a table and nowhere else; rows are matched exactly.

    >>> Lookup(np.array([[0.0], [1.0]]), np.array([5.0, 7.0]))(np.array([[1.0], [0.0]])).tolist()
    [7.0, 5.0]
    """

    __slots__ = ("_value_at",)

    def __init__(self, rows: Floats, values: Floats) -> None:
        self._value_at = dict(zip(map(tuple, rows.tolist()), values.tolist(), strict=True))
        if len(self._value_at) != len(rows):
            raise InvalidInput(f"{len(rows) - len(self._value_at)} rows of the table occur twice. Average them first.")

    def __call__(self, X: Floats) -> Floats:
        """Values at the rows of ``X``."""
        try:
            return np.array([self._value_at[tuple(row)] for row in X.tolist()], dtype=np.float64)
        except KeyError as error:
            raise InvalidInput(f"{error.args[0]} is not a row of the table. Only its own rows have values.") from None


def table_problem(name: str, space: Table, rows: Floats, values: Floats, noise_var: float = 0.0) -> Problem:
    """A problem from a column of values; every row that reaches the largest is an optimiser."""
    best = values.max()
    return Problem(name, space, Lookup(rows, values), float(best), rows[values == best], noise_var)


def check_optimizers(optimizers: npt.ArrayLike, space: Box | Table) -> Floats:
    """The points where an optimum is reached, one per row in the user's units; not to be written to."""
    rows = as_matrix(optimizers, "optimizers")
    if len(rows) == 0 or rows.shape[1] != len(space.names):
        raise InvalidInput(f"optimizers must have one row or more and {len(space.names)} columns, got {rows.shape}.")
    rows.flags.writeable = False
    return rows


def check_variance(value: Any, what: str) -> float:
    """A finite number >= 0."""
    return as_nonnegative(value, what, hint="It is a variance, not a standard deviation.")
