"""Test functions of the literature, in the literature's minimisation form, and as maximisation problems by name.

Every function maps an (m, d) array to (m,) values. Minima and minimisers were polished in 40-digit arithmetic.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from regretless.arrays import Floats, as_whole
from regretless.errors import InvalidInput
from regretless.problems.problem import Problem
from regretless.problems.surfaces import (
    ackley,
    branin,
    bukin6,
    cross_in_tray,
    drop_wave,
    eggholder,
    griewank,
    hartmann3,
    himmelblau,
    holder_table,
    levy,
    michalewicz,
    rastrigin,
    rosenbrock,
    shekel,
    styblinski_tang,
)
from regretless.spaces import Box

__all__ = ["by_name", "names"]

_MIRRORS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))

# Minimiser and minimum of the i-th term of the Michalewicz function, i = 1 .. 10.
_MICHALEWICZ_AT = (
    2.2029055201726093,
    0.5 * np.pi,
    1.2849915705529244,
    1.9230584698663628,
    1.7204697725658413,
    0.5 * np.pi,
    1.454413971362379,
    1.7560865209450264,
    1.6557174168210291,
    0.5 * np.pi,
)
_MICHALEWICZ = (
    -0.80130341009855253,
    -1.0,
    -0.95909126989600595,
    -0.93846241847208341,
    -0.98880108062150436,
    -1.0,
    -0.9932271353558816,
    -0.9828720362722106,
    -0.99639436492510296,
    -1.0,
)


@dataclass(frozen=True, slots=True)
class Negated:
    """The function with its sign turned: the one place where minimisation becomes maximisation.

    >>> Negated(himmelblau)(np.array([[3.0, 2.0]])).tolist()
    [0.0]
    """

    function: Callable[[Floats], Floats]

    def __call__(self, X: Floats) -> Floats:
        """Values at the rows of ``X``."""
        return 0.0 - self.function(X)  # not -f, which turns an optimum of 0 into -0


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A function of a fixed number of coordinates."""

    function: Callable[[Floats], Floats]
    bounds: tuple[tuple[float, float], ...]
    minimum: float
    at: tuple[tuple[float, ...], ...]

    def problem(self, name: str, dim: int | None) -> Problem:
        if dim not in (None, len(self.bounds)):
            raise InvalidInput(f"{name} has {len(self.bounds)} coordinates, got dim={dim!r}. Leave dim out.")
        return _problem(name, self.function, self.bounds, self.minimum, self.at)


@dataclass(frozen=True, slots=True)
class _Scalable:
    """A function of any number d >= ``least`` of coordinates; its minimum, ``minimum`` d, lies on the diagonal."""

    function: Callable[[Floats], Floats]
    side: tuple[float, float]
    at: float
    minimum: float = 0.0
    least: int = 1

    def problem(self, name: str, dim: int | None) -> Problem:
        d = _check_dim(name, dim, self.least, None)
        return _problem(f"{name}-{d}", self.function, (self.side,) * d, self.minimum * d, ((self.at,) * d,))


@dataclass(frozen=True, slots=True)
class _Michalewicz:
    """A sum of one term per coordinate, so the minimum is known for every dimension whose terms are."""

    def problem(self, name: str, dim: int | None) -> Problem:
        d = _check_dim(name, dim, 1, len(_MICHALEWICZ))
        return _problem(f"{name}-{d}", michalewicz, ((0.0, np.pi),) * d, sum(_MICHALEWICZ[:d]), (_MICHALEWICZ_AT[:d],))


_FUNCTIONS: Mapping[str, _Fixed | _Scalable | _Michalewicz] = MappingProxyType(
    {
        "ackley": _Scalable(ackley, (-32.768, 32.768), 0.0),
        "branin": _Fixed(
            branin,
            ((-5.0, 10.0), (0.0, 15.0)),
            10.0 / (8.0 * np.pi),
            ((-np.pi, 12.275), (np.pi, 2.275), (3.0 * np.pi, 2.475)),
        ),
        "bukin6": _Fixed(bukin6, ((-15.0, -5.0), (-3.0, 3.0)), 0.0, ((-10.0, 1.0),)),
        "cross-in-tray": _Fixed(
            cross_in_tray,
            ((-10.0, 10.0),) * 2,
            -2.06261187082274,
            tuple((a * 1.34940661715391, b * 1.34940661715391) for a, b in _MIRRORS),
        ),
        "drop-wave": _Fixed(drop_wave, ((-5.12, 5.12),) * 2, -1.0, ((0.0, 0.0),)),
        "eggholder": _Fixed(eggholder, ((-512.0, 512.0),) * 2, -959.640662720851, ((512.0, 404.231805113758),)),
        "griewank": _Scalable(griewank, (-600.0, 600.0), 0.0),
        "hartmann3": _Fixed(
            hartmann3,
            ((0.0, 1.0),) * 3,
            -3.86277978733266,
            ((0.114588876655, 0.555648894617, 0.852546984687),),
        ),
        "himmelblau": _Fixed(
            himmelblau,
            ((-5.0, 5.0),) * 2,
            0.0,
            (
                (3.0, 2.0),
                (-2.80511808695274, 3.13131251825057),
                (-3.77931025337775, -3.28318599128617),
                (3.58442834033049, -1.8481265269644),
            ),
        ),
        "holder-table": _Fixed(
            holder_table,
            ((-10.0, 10.0),) * 2,
            -19.2085025678867,
            tuple((a * 8.05502347573656, b * 9.66459001924127) for a, b in _MIRRORS),
        ),
        "levy": _Scalable(levy, (-10.0, 10.0), 1.0),
        "michalewicz": _Michalewicz(),
        "rastrigin": _Scalable(rastrigin, (-5.12, 5.12), 0.0),
        "rosenbrock": _Scalable(rosenbrock, (-5.0, 10.0), 1.0, least=2),
        "shekel": _Fixed(
            shekel,
            ((0.0, 10.0),) * 4,
            -10.5364431534835,
            ((4.00074686827, 3.99950948009, 4.00074686827, 3.99950948009),),
        ),
        "styblinski-tang": _Scalable(styblinski_tang, (-5.0, 5.0), -2.90353402777118, -39.1661657037714),
    }
)


def names() -> tuple[str, ...]:
    """All names that :func:`by_name` knows, in alphabetical order.

    >>> "holder-table" in names()
    True
    """
    return tuple(_FUNCTIONS)


def by_name(name: str, dim: int | None = None) -> Problem:
    r"""The test function of that name as a problem on its usual box, to be maximised.

    .. math:: f_{\text{problem}}(x) = -f_{\text{literature}}(x)

    ``dim`` is for the functions of any dimension (2 if left out); Michalewicz goes up to 10.

    >>> problem = by_name("ackley", dim=4)
    >>> problem.name, problem.space.dim, problem.optimum
    ('ackley-4', 4, 0.0)
    """
    if name not in _FUNCTIONS:
        raise InvalidInput(f"no test function is called {name!r}. Known are: {', '.join(names())}.")
    return _FUNCTIONS[name].problem(name, dim)


def _problem(
    name: str,
    function: Callable[[Floats], Floats],
    bounds: tuple[tuple[float, float], ...],
    minimum: float,
    at: tuple[tuple[float, ...], ...],
) -> Problem:
    return Problem(name, Box(bounds), Negated(function), 0.0 - minimum, np.array(at))


def _check_dim(name: str, dim: Any, least: int, most: int | None) -> int:
    if dim is None:
        return 2
    return as_whole(dim, f"dim of {name}", least=least, most=most)
