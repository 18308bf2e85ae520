"""Test problems with constraints on outcomes, in the literature's form: minimise f subject to every c_j <= 0.

Every formula maps an (m, d) array to (m, 1 + J) outcomes, the objective first. Optima were found by SLSQP from many
starts and polished in 40-digit arithmetic on their active constraints. Where BoTorch has another formula or records
another value, the docstring says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.problems.outcomes import FeasibleProblem
from regretless.spaces import Box

__all__ = ["feasible_names", "feasible_problem"]


def gramacy(X: Floats) -> Floats:
    r"""Gramacy's problem: a line over a wavy and a round constraint [Gramacy2016]_.

    .. math:: f = x + y, \quad c_1 = \tfrac32 - x - 2y - \tfrac12 \sin 2\pi(x^2 - 2y), \quad c_2 = x^2 + y^2 - \tfrac32

    >>> gramacy(np.array([[0.5, 0.5]])).tolist()
    [[1.0, -0.5, -1.0]]
    """
    x, y = X.T
    wave = 1.5 - x - 2.0 * y - 0.5 * np.sin(2.0 * np.pi * (x**2 - 2.0 * y))
    return _columns(x + y, wave, x**2 + y**2 - 1.5)


def townsend(X: Floats) -> Floats:
    r"""Townsend's function inside a heart-shaped curve, the modified form in common use [Townsend2014]_.

    .. math:: f = -\cos^2\big((x - 0.1)\, y\big) - x \sin(3x + y), \qquad c_1 = x^2 + y^2
              - \big(2\cos t - \tfrac12 \cos 2t - \tfrac14 \cos 3t - \tfrac18 \cos 4t\big)^2 - (2 \sin t)^2

    with t the angle of the point from the y axis, ``arctan2(x, y)``.

    >>> townsend(np.array([[0.0, 1.0]])).round(6).tolist()
    [[-0.990033, -0.265625]]
    """
    x, y = X.T
    t = np.arctan2(x, y)
    radius = 2.0 * np.cos(t) - 0.5 * np.cos(2.0 * t) - 0.25 * np.cos(3.0 * t) - 0.125 * np.cos(4.0 * t)
    f = -(np.cos((x - 0.1) * y) ** 2) - x * np.sin(3.0 * x + y)
    return _columns(f, x**2 + y**2 - radius**2 - (2.0 * np.sin(t)) ** 2)


def tension_spring(X: Floats) -> Floats:
    r"""Weight of a tension spring: wire and coil diameter w, D and number N of turns [Hedar2006]_.

    .. math:: f = (N + 2) D w^2, \quad c_1 = 1 - \frac{D^3 N}{71785\, w^4}, \quad
              c_2 = \frac{4 D^2 - w D}{12566\, (D - w) w^3} + \frac{1}{5108\, w^2} - 1, \quad
              c_3 = 1 - \frac{140.45\, w}{D^2 N}, \quad c_4 = \frac{w + D}{1.5} - 1

    Constraints are cut off at -100 and 100, far from where they matter (BoTorch cuts off at 100 only): c_2 has a pole
    at D = w, and c_3 falls to -1e8 in a corner.

    >>> tension_spring(np.array([[0.1, 0.1, 10.0]])).round(6).tolist()
    [[0.012, 0.998607, 100.0, -100.0, -0.866667]]
    """
    w, D, N = X.T
    gap = np.where(w == D, np.finfo(np.float64).tiny, D - w)  # the pole itself counts as above it
    with np.errstate(over="ignore"):  # an infinite constraint is cut off like any other
        c2 = (4.0 * D**2 - w * D) / (12566.0 * w**3 * gap) + 1.0 / (5108.0 * w**2) - 1.0
    c1 = 1.0 - D**3 * N / (71785.0 * w**4)
    c3 = 1.0 - 140.45 * w / (N * D**2)
    return _columns(w**2 * D * (N + 2.0), *np.clip([c1, c2, c3, (w + D) / 1.5 - 1.0], -100.0, 100.0))


def pressure_vessel(X: Floats) -> Floats:
    r"""Cost of a pressure vessel: thickness of shell s and head h, radius R and length L [CoelloCoello2002]_.

    .. math:: f = 0.6224\, s R L + 1.7781\, h R^2 + 3.1661\, s^2 L + 19.84\, s^2 R, \quad c_1 = 0.0193\, R - s, \quad
              c_2 = 0.00954\, R - h, \quad c_3 = 1296000 - \pi R^2 L - \tfrac43 \pi R^3, \quad c_4 = L - 240

    Steel comes in sixteenths of an inch: s and h are rounded to them first, for cost and constraints alike. (BoTorch
    rounds for the cost only, so that a vessel may pay for a thinner wall than it is checked with.)

    >>> pressure_vessel(np.array([[0.8, 0.45, 42.0, 177.0]])).round(3).tolist()
    [[6051.669, -0.002, -0.037, 4767.72, -63.0]]
    """
    R, L = X[:, 2], X[:, 3]
    s, h = np.round(X[:, :2].T * 16.0) / 16.0
    f = 0.6224 * s * R * L + 1.7781 * h * R**2 + 3.1661 * s**2 * L + 19.84 * s**2 * R
    volume = np.pi * R**2 * L + 4.0 / 3.0 * np.pi * R**3
    return _columns(f, 0.0193 * R - s, 0.00954 * R - h, 1296000.0 - volume, L - 240.0)


def welded_beam(X: Floats) -> Floats:
    r"""Cost of a welded beam: weld h x l, beam of height t and width b, load P = 6000 at L = 14 [CoelloCoello2002]_.

    .. math:: f = 1.10471\, h^2 l + 0.04811\, t b (14 + l), \quad c_1 = \tau - 13600, \quad c_2 = \sigma - 30000, \quad
              c_3 = h - b, \quad c_4 = 0.10471\, h^2 + 0.04811\, t b (14 + l) - 5, \quad c_5 = \delta - 0.25, \quad
              c_6 = P - P_c

    The buckling load is :math:`P_c = \frac{4.013 E}{L^2} \frac{t b^3}{6} \big(1 - \frac{t}{4 L} \sqrt{E/G}\big)`.
    BoTorch multiplies by 6 where the source divides, which makes its c_6 idle: SLSQP goes to 1.587 there, below the
    1.728226 on record. With the source's formula the optimum is 1.7248523.

    >>> welded_beam(np.array([[0.25, 4.0, 8.0, 0.25]])).round(3).tolist()
    [[2.008, -2586.438, 1500.0, 0.0, -3.261, -0.233, -3906.109]]
    """
    h, l, t, b = X.T  # noqa: E741
    P, L, E, G = 6000.0, 14.0, 30e6, 12e6
    R = np.sqrt(0.25 * (l**2 + (h + t) ** 2))
    J = 2.0 * np.sqrt(2.0) * h * l * (l**2 / 12.0 + 0.25 * (h + t) ** 2)
    shear, bending = P / (np.sqrt(2.0) * h * l), P * (L + 0.5 * l) * R / J
    tau = np.sqrt(shear**2 + shear * bending * l / R + bending**2)
    sigma = 6.0 * P * L / (b * t**2)
    delta = 4.0 * P * L**3 / (E * t**3 * b)
    P_c = 4.013 * E / L**2 * t * b**3 / 6.0 * (1.0 - 0.25 * t / L * np.sqrt(E / G))
    beam = 0.04811 * t * b * (14.0 + l)
    f = 1.10471 * h**2 * l + beam
    return _columns(f, tau - 13600.0, sigma - 30000.0, h - b, 0.10471 * h**2 + beam - 5.0, delta - 0.25, P - P_c)


def speed_reducer(X: Floats) -> Floats:
    r"""Weight of a speed reducer: face b, module m, teeth z, shafts of length l_i and diameter d_i [Lemonge2010]_.

    .. math:: f = 0.7854\, b m^2 (3.3333 z^2 + 14.9334 z - 43.0934) - 1.508\, b (d_1^2 + d_2^2)
              + 7.4777 (d_1^3 + d_2^3) + 0.7854 (l_1 d_1^2 + l_2 d_2^2)

    and eleven constraints on stresses, deflections and proportions. The number of teeth is a real number here, as in
    BoTorch; it is 17 at the optimum.

    >>> speed_reducer(np.array([[3.5, 0.7, 17.0, 7.3, 7.8, 3.4, 5.3]])).round(3)[0, :4].tolist()
    [3017.714, -0.074, -0.198, -0.528]
    """
    b, m, z, l1, l2, d1, d2 = X.T
    f = (
        0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934)
        - 1.508 * b * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    )
    return _columns(
        f,
        27.0 / (b * m**2 * z) - 1.0,
        397.5 / (b * m**2 * z**2) - 1.0,
        1.93 * l1**3 / (m * z * d1**4) - 1.0,
        1.93 * l2**3 / (m * z * d2**4) - 1.0,
        10.0 / d1**3 * np.sqrt((745.0 * l1 / (m * z)) ** 2 + 16.9e6) - 1100.0,
        10.0 / d2**3 * np.sqrt((745.0 * l2 / (m * z)) ** 2 + 157.5e6) - 850.0,
        m * z - 40.0,
        5.0 - b / m,
        b / m - 12.0,
        (1.5 * d1 + 1.9) / l1 - 1.0,
        (1.1 * d2 + 1.9) / l2 - 1.0,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A formula with its box, the number of its constraints, and its minimum."""

    function: Callable[[Floats], Floats]
    bounds: Mapping[str, tuple[float, float]]
    n_constraints: int
    minimum: float
    at: tuple[float, ...]


_ENTRIES: Mapping[str, _Entry] = MappingProxyType(
    {
        "gramacy": _Entry(
            gramacy,
            {"x": (0.0, 1.0), "y": (0.0, 1.0)},
            2,
            0.59978805201006756,
            (0.19512268347207176, 0.4046653685379958),
        ),
        "pressure-vessel": _Entry(
            pressure_vessel,
            {"shell": (0.0, 10.0), "head": (0.0, 10.0), "radius": (10.0, 50.0), "length": (150.0, 200.0)},
            4,
            6059.7143350484354,
            (0.8125, 0.4375, 42.098445595854922, 176.63659584243938),
        ),
        "speed-reducer": _Entry(
            speed_reducer,
            {
                "face": (2.6, 3.6),
                "module": (0.7, 0.8),
                "teeth": (17.0, 28.0),
                "length1": (7.3, 8.3),
                "length2": (7.8, 8.3),
                "diameter1": (2.9, 3.9),
                "diameter2": (5.0, 5.5),
            },
            11,
            2996.3481649685297,
            (3.5, 0.7, 17.0, 7.3, 7.8, 3.3502146660964473, 5.2866832297579161),
        ),
        "tension-spring": _Entry(
            tension_spring,
            {"wire": (0.01, 1.0), "coil": (0.01, 1.0), "turns": (0.01, 20.0)},
            4,
            0.012665232788319417,
            (0.051689061082763456, 0.35671773979944084, 11.28896575161334),
        ),
        "townsend": _Entry(
            townsend,
            {"x": (-2.25, 2.25), "y": (-2.5, 1.75)},
            1,
            -2.0239883623257626,
            (2.0052927155540174, 1.1944528838793893),
        ),
        "welded-beam": _Entry(
            welded_beam,
            {"weld": (0.125, 10.0), "length": (0.1, 10.0), "height": (0.1, 10.0), "width": (0.1, 10.0)},
            6,
            1.724852308597365,
            (0.20572963978607946, 3.470488665628002, 9.0366239103576337, 0.20572963978607946),
        ),
    }
)


def feasible_names() -> tuple[str, ...]:
    """All names that :func:`feasible_problem` knows, in alphabetical order.

    >>> feasible_names()
    ('gramacy', 'pressure-vessel', 'speed-reducer', 'tension-spring', 'townsend', 'welded-beam')
    """
    return tuple(_ENTRIES)


def feasible_problem(name: str) -> FeasibleProblem:
    """The constrained test problem of that name: minimise ``f``, every ``c1``, ``c2``, ... at most 0.

    >>> problem = feasible_problem("tension-spring")
    >>> problem.space.names, problem.outcomes
    (('wire', 'coil', 'turns'), ('f', 'c1', 'c2', 'c3', 'c4'))
    """
    if name not in _ENTRIES:
        raise InvalidInput(f"no constrained problem is called {name!r}. Known are: {', '.join(feasible_names())}.")
    entry = _ENTRIES[name]
    return FeasibleProblem(
        name,
        Box(entry.bounds),
        entry.function,
        objective="f",
        direction="minimize",
        constraints={f"c{j}": ("<=", 0.0) for j in range(1, entry.n_constraints + 1)},
        optimum=entry.minimum,
        optimizers=np.array([entry.at]),
    )


def _columns(*columns: Floats) -> Floats:
    return np.stack(columns, axis=1)
