"""The formulas of the test functions, vectorised: (m, d) rows to (m,) values, to be minimised.

Definitions as in Surjanovic and Bingham's collection and BoTorch's ``test_functions.synthetic``, where the two agree.
"""

import numpy as np

from regretless.arrays import Floats

__all__ = [
    "ackley",
    "branin",
    "bukin6",
    "cross_in_tray",
    "drop_wave",
    "eggholder",
    "griewank",
    "hartmann3",
    "himmelblau",
    "holder_table",
    "levy",
    "michalewicz",
    "rastrigin",
    "rosenbrock",
    "shekel",
    "styblinski_tang",
]

_HARTMANN_WEIGHT = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMANN_A = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
# The last row begins with 0.0381; a misprint 0.03815 is in circulation and moves the optimum.
_HARTMANN_P = np.array(
    [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]]
)

_SHEKEL_BETA = np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5])
_SHEKEL_C = np.array(
    [
        [4.0, 1.0, 8.0, 6.0, 3.0, 2.0, 5.0, 8.0, 6.0, 7.0],
        [4.0, 1.0, 8.0, 6.0, 7.0, 9.0, 3.0, 1.0, 2.0, 3.6],
        [4.0, 1.0, 8.0, 6.0, 3.0, 2.0, 5.0, 8.0, 6.0, 7.0],
        [4.0, 1.0, 8.0, 6.0, 7.0, 9.0, 3.0, 1.0, 2.0, 3.6],
    ]
)


def ackley(X: Floats) -> Floats:
    r"""Ackley's function, minimum 0 at the origin.

    .. math:: 20 - 20 \exp\Big(-0.2 \sqrt{\tfrac1d \textstyle\sum x_i^2}\Big) + e
              - \exp\Big(\tfrac1d \textstyle\sum \cos 2\pi x_i\Big)

    >>> ackley(np.array([[0.0, 0.0]])).round(5).tolist()
    [0.0]
    """
    radius = np.sqrt(np.mean(X**2, axis=1))
    return _floats((20.0 - 20.0 * np.exp(-0.2 * radius)) + (np.e - np.exp(np.mean(np.cos(2.0 * np.pi * X), axis=1))))


def branin(X: Floats) -> Floats:
    r"""Branin's function, three equal minima.

    .. math:: \Big(y - \frac{5.1 x^2}{4 \pi^2} + \frac{5 x}{\pi} - 6\Big)^2 + 10\Big(1 - \frac1{8\pi}\Big)\cos x + 10

    >>> branin(np.array([[np.pi, 2.275]])).round(5).tolist()
    [0.39789]
    """
    x, y = X.T
    valley = y - 5.1 / (4.0 * np.pi**2) * x**2 + 5.0 / np.pi * x - 6.0
    return _floats(valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0)


def bukin6(X: Floats) -> Floats:
    r"""Bukin's function no. 6, a ridge with no slope along it to follow.

    .. math:: 100 \sqrt{|y - 0.01 x^2|} + 0.01 |x + 10|

    >>> bukin6(np.array([[-10.0, 1.0]])).round(5).tolist()
    [0.0]
    """
    x, y = X.T
    return _floats(100.0 * np.sqrt(np.abs(y - 0.01 * x**2)) + 0.01 * np.abs(x + 10.0))


def cross_in_tray(X: Floats) -> Floats:
    r"""Cross-in-tray function, four equal minima.

    .. math:: -10^{-4} \Big(\Big|\sin x \sin y\; \exp\Big|100 - \frac{\sqrt{x^2 + y^2}}{\pi}\Big|\Big| + 1\Big)^{0.1}

    >>> cross_in_tray(np.array([[1.349407, 1.349407]])).round(5).tolist()
    [-2.06261]
    """
    x, y = X.T
    bump = np.sin(x) * np.sin(y) * np.exp(np.abs(100.0 - np.hypot(x, y) / np.pi))
    return _floats(-1e-4 * (np.abs(bump) + 1.0) ** 0.1)


def drop_wave(X: Floats) -> Floats:
    r"""Drop-wave function, rings around the minimum -1 at the origin.

    .. math:: -\frac{1 + \cos 12 r}{r^2/2 + 2}, \qquad r^2 = x^2 + y^2

    >>> drop_wave(np.array([[0.0, 0.0]])).round(5).tolist()
    [-1.0]
    """
    r = np.hypot(*X.T)
    return _floats(-(1.0 + np.cos(12.0 * r)) / (0.5 * r**2 + 2.0))


def eggholder(X: Floats) -> Floats:
    r"""Eggholder function, whose minimum lies on the edge x = 512.

    .. math:: -(y + 47) \sin\sqrt{|y + x/2 + 47|} - x \sin\sqrt{|x - y - 47|}

    >>> eggholder(np.array([[512.0, 404.231805]])).round(5).tolist()
    [-959.64066]
    """
    x, y = X.T
    return _floats(
        -(y + 47.0) * np.sin(np.sqrt(np.abs(y + 0.5 * x + 47.0))) - x * np.sin(np.sqrt(np.abs(x - y - 47.0)))
    )


def griewank(X: Floats) -> Floats:
    r"""Griewank's function, a bowl with ripples, minimum 0 at the origin.

    .. math:: 1 + \tfrac1{4000} \textstyle\sum x_i^2 - \prod \cos(x_i/\sqrt i)

    >>> griewank(np.array([[0.0, 0.0, 0.0]])).round(5).tolist()
    [0.0]
    """
    i = np.arange(1.0, X.shape[1] + 1.0)
    return _floats(np.sum(X**2, axis=1) / 4000.0 + (1.0 - np.prod(np.cos(X / np.sqrt(i)), axis=1)))


def hartmann3(X: Floats) -> Floats:
    r"""Hartmann's function of three coordinates.

    .. math:: -\sum_k w_k \exp\Big(-\sum_j A_{kj} (x_j - P_{kj})^2\Big)

    >>> hartmann3(np.array([[0.114589, 0.555649, 0.852547]])).round(5).tolist()
    [-3.86278]
    """
    distance = np.sum(_HARTMANN_A * (X[:, None, :] - _HARTMANN_P) ** 2, axis=2)
    return _floats(-np.exp(-distance) @ _HARTMANN_WEIGHT)


def himmelblau(X: Floats) -> Floats:
    r"""Himmelblau's function, four minima of value 0.

    .. math:: (x^2 + y - 11)^2 + (x + y^2 - 7)^2

    >>> himmelblau(np.array([[3.0, 2.0], [0.0, 0.0]])).round(5).tolist()
    [0.0, 170.0]
    """
    x, y = X.T
    return _floats((x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2)


def holder_table(X: Floats) -> Floats:
    r"""Holder table function, four equal minima near the corners.

    .. math:: -\Big|\sin x \cos y\; \exp\Big|1 - \frac{\sqrt{x^2 + y^2}}{\pi}\Big|\Big|

    >>> holder_table(np.array([[8.055023, 9.66459]])).round(5).tolist()
    [-19.2085]
    """
    x, y = X.T
    return _floats(-np.abs(np.sin(x) * np.cos(y) * np.exp(np.abs(1.0 - np.hypot(x, y) / np.pi))))


def levy(X: Floats) -> Floats:
    r"""Levy's function, minimum 0 at (1, ..., 1), with :math:`w = 1 + (x - 1)/4`.

    .. math:: \sin^2 \pi w_1 + \sum_{i<d} (w_i - 1)^2 \big(1 + 10 \sin^2(\pi w_i + 1)\big)
              + (w_d - 1)^2 \big(1 + \sin^2 2 \pi w_d\big)

    >>> levy(np.array([[1.0, 1.0]])).round(5).tolist()
    [0.0]
    """
    v = 0.25 * (X - 1.0)  # w - 1; sin^2(pi w) = sin^2(pi v), which is 0 at the minimum and not 1e-32
    inner = np.sum(v[:, :-1] ** 2 * (1.0 + 10.0 * np.sin(np.pi * (v[:, :-1] + 1.0) + 1.0) ** 2), axis=1)
    last = v[:, -1] ** 2 * (1.0 + np.sin(2.0 * np.pi * v[:, -1]) ** 2)
    return _floats(np.sin(np.pi * v[:, 0]) ** 2 + inner + last)


def michalewicz(X: Floats) -> Floats:
    r"""Michalewicz's function with steepness m = 10: narrow valleys, flat elsewhere.

    .. math:: -\sum_i \sin x_i \, \sin^{20}(i x_i^2/\pi)

    >>> michalewicz(np.array([[2.202906, 1.570796]])).round(5).tolist()
    [-1.8013]
    """
    i = np.arange(1.0, X.shape[1] + 1.0)
    return _floats(-np.sum(np.sin(X) * np.sin(i * X**2 / np.pi) ** 20, axis=1))


def rastrigin(X: Floats) -> Floats:
    r"""Rastrigin's function, a lattice of local minima, the lowest 0 at the origin.

    .. math:: \sum_i x_i^2 + 10 (1 - \cos 2 \pi x_i)

    >>> rastrigin(np.array([[0.0], [1.0]])).round(5).tolist()
    [0.0, 1.0]
    """
    return _floats(np.sum(X**2 + 10.0 * (1.0 - np.cos(2.0 * np.pi * X)), axis=1))


def rosenbrock(X: Floats) -> Floats:
    r"""Rosenbrock's function, a bent valley, minimum 0 at (1, ..., 1).

    .. math:: \sum_{i<d} 100 (x_{i+1} - x_i^2)^2 + (x_i - 1)^2

    >>> rosenbrock(np.array([[1.0, 1.0], [0.0, 0.0]])).round(5).tolist()
    [0.0, 1.0]
    """
    head = X[:, :-1]
    return _floats(np.sum(100.0 * (X[:, 1:] - head**2) ** 2 + (head - 1.0) ** 2, axis=1))


def shekel(X: Floats) -> Floats:
    r"""Shekel's function of four coordinates with ten wells.

    .. math:: -\sum_{k=1}^{10} \Big(\beta_k + \sum_j (x_j - C_{jk})^2\Big)^{-1}

    >>> shekel(np.array([[4.0, 4.0, 4.0, 4.0]])).round(5).tolist()
    [-10.53628]
    """
    distance = np.sum((X[:, :, None] - _SHEKEL_C) ** 2, axis=1)
    return _floats(-np.sum(1.0 / (distance + _SHEKEL_BETA), axis=1))


def styblinski_tang(X: Floats) -> Floats:
    r"""Styblinski and Tang's function, one of its 2^d minima the lowest.

    .. math:: \tfrac12 \sum_i x_i^4 - 16 x_i^2 + 5 x_i

    >>> styblinski_tang(np.array([[-2.903534]])).round(5).tolist()
    [-39.16617]
    """
    return _floats(0.5 * np.sum(X**4 - 16.0 * X**2 + 5.0 * X, axis=1))


def _floats(values: object) -> Floats:
    return np.asarray(values, dtype=np.float64)
