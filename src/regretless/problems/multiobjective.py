"""Test problems with several objectives, all to be minimised, with a reference point and the best hypervolume.

Every formula maps an (m, d) array to (m, K) objectives. Definitions and reference points as in BoTorch's
``test_functions.multi_objective``, where that agrees with the source; VLMOP2 after its own. The best hypervolume is
exact where the front is known. For Branin-Currin it is an integral over minima of one objective under bounds on the
other, good to seven digits. For vehicle safety it is the double integral over (a, b) of what the smallest intrusion
under weight <= a and acceleration <= b leaves below the reference: adaptive Simpson rules, which close in on the jumps
of a broken front, over minima by SLSQP from every local minimum that a grid leads to. At tolerances 1e-3 and 1e-4 it
is 247.3733 and 247.3734; that the minima are global is not proved. Both are larger than the 59.36012 and 246.816
that BoTorch records, which come from evolutionary searches.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.problems.outcomes import FrontProblem
from regretless.problems.surfaces import branin
from regretless.spaces import Box

__all__ = ["front_names", "front_problem"]


def branin_currin(X: Floats) -> Floats:
    r"""Branin's function on the unit square beside Currin's exponential function [Belakaria2019]_.

    .. math:: f_1 = \mathrm{Branin}(15x - 5, 15y), \qquad f_2 = \big(1 - e^{-1/(2y)}\big)
              \frac{2300x^3 + 1900x^2 + 2092x + 60}{100x^3 + 500x^2 + 4x + 20}

    >>> branin_currin(np.array([[0.5, 0.0]])).round(4).tolist()
    [[10.3079, 11.7147]]
    """
    x, y = X.T
    rise = (2300.0 * x**3 + 1900.0 * x**2 + 2092.0 * x + 60.0) / (100.0 * x**3 + 500.0 * x**2 + 4.0 * x + 20.0)
    fall = -np.expm1(-0.5 / np.maximum(y, 1e-300))  # 1 at y = 0
    return np.stack([branin(np.stack([15.0 * x - 5.0, 15.0 * y], axis=1)), fall * rise], axis=1)


@dataclass(frozen=True, slots=True)
class Dtlz2:
    r"""DTLZ2 with K objectives, whose front is the positive part of the unit sphere [Deb2005]_.

    .. math:: f_k = (1 + g) \prod_{i \le K-k} \cos\tfrac{\pi x_i}2 \; \sin\tfrac{\pi x_{K-k+1}}2, \qquad
              g = \sum_{i \ge K} (x_i - \tfrac12)^2

    without the sine for k = 1.

    >>> Dtlz2(2)(np.array([[0.0, 0.5, 0.5]])).tolist()
    [[1.0, 0.0]]
    """

    n_objectives: int

    def __call__(self, X: Floats) -> Floats:
        """Objectives at the rows of ``X``."""
        K = self.n_objectives
        radius = 1.0 + np.sum((X[:, K - 1 :] - 0.5) ** 2, axis=1)
        angle = 0.5 * np.pi * X[:, : K - 1]
        columns = [radius * np.prod(np.cos(angle[:, :i]), axis=1) for i in range(K - 1, -1, -1)]
        for k in range(1, K):
            columns[k] = columns[k] * np.sin(angle[:, K - 1 - k])
        return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True)
class Zdt:
    r"""ZDT1, ZDT2 and ZDT3: a convex, a concave and a broken front [Zitzler2000]_.

    .. math:: f_1 = x_1, \qquad f_2 = g\, h(f_1, f_1/g), \qquad g = 1 + \tfrac{9}{d-1} \textstyle\sum_{i \ge 2} x_i

    with h = 1 - sqrt(r), 1 - r^2 and 1 - sqrt(r) - r sin(10 pi f_1) for r = f_1/g. (BoTorch leaves the factor g out of
    ZDT3; the front, where g = 1, is the same.)

    >>> Zdt(2)(np.array([[0.5, 0.0], [0.5, 1.0]])).round(6).tolist()
    [[0.5, 0.75], [0.5, 9.975]]
    """

    number: int

    def __call__(self, X: Floats) -> Floats:
        """Objectives at the rows of ``X``."""
        f = X[:, 0]
        g = 1.0 + 9.0 * np.mean(X[:, 1:], axis=1)
        r = f / g
        if self.number == 2:
            return np.stack([f, g * (1.0 - r**2)], axis=1)
        wave = r * np.sin(10.0 * np.pi * f) if self.number == 3 else 0.0
        return np.stack([f, g * (1.0 - np.sqrt(r) - wave)], axis=1)


def vehicle_safety(X: Floats) -> Floats:
    """Weight, acceleration in a crash and intrusion of a car's front, by five thicknesses [Tanabe2020]_ (RE3-5-4).

    >>> vehicle_safety(np.array([[1.0, 1.0, 1.0, 1.0, 1.0]])).round(4).tolist()
    [[1661.7078, 8.3046, 0.0708]]
    """
    a, b, c, d, e = X.T
    weight = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
    acceleration = (
        6.5856
        + (1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d)
        + (-0.3695 * a * d + 0.0861 * a * e + 0.3628 * b * d)
        + (-0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2)
    )
    intrusion = (
        -0.0551
        + (0.0181 * a + 0.1024 * b + 0.0421 * c)
        + (-0.0073 * a * b + 0.024 * b * c - 0.0118 * b * d - 0.0204 * c * d - 0.008 * c * e)
        + (-0.0241 * b**2 + 0.0109 * d**2)
    )
    return np.stack([weight, acceleration, intrusion], axis=1)


def vlmop2(X: Floats) -> Floats:
    r"""Two bells of Fonseca and Fleming, VLMOP2 of [VanVeldhuizen1999]_.

    .. math:: f_{1,2} = 1 - \exp\Big(-\sum_i \big(x_i \mp d^{-1/2}\big)^2\Big)

    >>> vlmop2(np.array([[0.0, 0.0]])).round(6).tolist()
    [[0.632121, 0.632121]]
    """
    centre = X.shape[1] ** -0.5
    return np.stack([-np.expm1(-np.sum((X - sign * centre) ** 2, axis=1)) for sign in (1.0, -1.0)], axis=1)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A formula with its box, its reference point, and the hypervolume of its front."""

    function: Callable[[Floats], Floats]
    bounds: tuple[tuple[float, float], ...]
    reference: tuple[float, ...]
    best_hypervolume: float


_UNIT = (0.0, 1.0)
_ENTRIES: Mapping[str, _Entry] = MappingProxyType(
    {
        "branin-currin": _Entry(branin_currin, (_UNIT,) * 2, (18.0, 6.0), 59.40661),
        "dtlz2-2": _Entry(Dtlz2(2), (_UNIT,) * 6, (1.1,) * 2, 1.1**2 - np.pi / 4.0),
        "dtlz2-3": _Entry(Dtlz2(3), (_UNIT,) * 6, (1.1,) * 3, 1.1**3 - np.pi / 6.0),
        "vehicle-safety": _Entry(vehicle_safety, ((1.0, 3.0),) * 5, (1864.72022, 11.81993945, 0.2903999384), 247.3734),
        "vlmop2": _Entry(vlmop2, ((-2.0, 2.0),) * 2, (1.1,) * 2, 0.55211559311989394),
        "zdt1": _Entry(Zdt(1), (_UNIT,) * 6, (11.0,) * 2, 120.0 + 2.0 / 3.0),
        "zdt2": _Entry(Zdt(2), (_UNIT,) * 6, (11.0,) * 2, 120.0 + 1.0 / 3.0),
        "zdt3": _Entry(Zdt(3), (_UNIT,) * 6, (11.0,) * 2, 128.77811613069076),
    }
)


def front_names() -> tuple[str, ...]:
    """All names that :func:`front_problem` knows, in alphabetical order.

    >>> front_names()
    ('branin-currin', 'dtlz2-2', 'dtlz2-3', 'vehicle-safety', 'vlmop2', 'zdt1', 'zdt2', 'zdt3')
    """
    return tuple(_ENTRIES)


def front_problem(name: str) -> FrontProblem:
    """The test problem of that name: minimise ``f1``, ``f2``, ... in the usual number of dimensions.

    >>> problem = front_problem("dtlz2-3")
    >>> problem.space.dim, problem.outcomes, round(problem.best_hypervolume, 6)
    (6, ('f1', 'f2', 'f3'), 0.807401)
    """
    if name not in _ENTRIES:
        raise InvalidInput(f"no problem with several objectives is called {name!r}. Known are: {', '.join(_ENTRIES)}.")
    entry = _ENTRIES[name]
    names = [f"f{k}" for k in range(1, len(entry.reference) + 1)]
    return FrontProblem(
        name,
        Box(entry.bounds),
        entry.function,
        objectives=dict.fromkeys(names, "minimize"),
        reference=dict(zip(names, entry.reference, strict=True)),
        best_hypervolume=entry.best_hypervolume,
    )
