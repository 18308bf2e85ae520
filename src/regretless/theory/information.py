r"""Maximum information gain on a finite set: what T noisy evaluations can tell about f at most.

.. math:: \gamma_T = \max_{x_1, \dots, x_T} F(x_1, \dots, x_T), \qquad F = \tfrac12 \log\det(I + \sigma^{-2} K_{AA})

Points may repeat. Taking the largest posterior variance again and again (greedy) gives a **lower** bound. From the same
run, with v_j the variances and F_j the gain after the greedy prefix A_j, for every j:

- submodular: :math:`F_j + \max_{\sum m = T} \sum_x \tfrac12 \log(1 + m_x v_j(x)/\sigma^2)`, all gains given A_j;
- dual: :math:`F_j + (T \max_x v_j(x) - \sum_{a \in A_j} v_j(a)) / (2\sigma^2)`, as F is concave in real counts;

and from the spectrum, where it is affordable, water filling. The least of all of them is the upper bound. Regret bounds
need the upper one. Also the known rates on boxes, which are rates and not bounds.

A table for which the run would take too much memory is read block by block. Of its variances only the largest is known,
so the submodular bound is :math:`F_j + \tfrac T2 \log(1 + \max_x v_j(x)/\sigma^2)` there: hardly more, where many rows
are alike.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_positive, as_whole
from regretless.engines import memory_budget
from regretless.errors import InvalidInput
from regretless.gp import Kernel, Posterior, block_posterior, posterior
from regretless.gp.blocks import Envelopes
from regretless.theory.allocation import Allocation, water_filling

__all__ = [
    "InformationGain",
    "information_gain",
    "information_gain_given",
    "information_gain_of_matrix",
    "matern_gain_rate",
    "rbf_gain_rate",
]

#: Tables up to this size have their spectrum computed at once; larger ones where T is at least half the table.
_SMALL = 256
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class InformationGain:
    """Bounds ``lower[t] <= gamma_t <= upper[t]`` for t = 0..T; entry 0 is 0.

    ``bounds`` holds each upper bound by its name, "submodular", "dual" and, where the spectrum was computed, "water
    filling"; ``upper`` is the least of them and ``by[t]`` the name of the one that it was ("" at t = 0). ``chosen`` are
    the candidates of the greedy run, in order; it is longer than T, since later prefixes serve too.
    """

    lower: Floats
    upper: Floats
    by: tuple[str, ...]
    bounds: Mapping[str, Floats]
    chosen: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.upper) - 1


def information_gain(
    kernel: Kernel,
    X: npt.ArrayLike,
    T: int,
    *,
    noise_var: float,
    steps: int | None = None,
    spectrum: bool | None = None,
) -> InformationGain:
    r"""Bounds on gamma_1..gamma_T for the rows of ``X`` (encoded candidates), from one greedy run.

    .. math:: F(A_t) \le \gamma_t \le \min(\text{submodular}, \text{dual}, \text{water filling})

    The run takes ``steps`` >= T points (1.5 T unless told), O(steps^2 N) time and O(steps N) memory. An array of so
    many rows that this is more than an eighth of the machine's memory may be mapped from a file: it is not copied, and
    20 bytes per row are enough. ``spectrum`` asks for water filling, O(N^3); left open, it is computed where it is
    cheap or likely to be the least.

    >>> gain = information_gain(Kernel("rbf", np.array([0.5]), 1.0), [[0.0], [0.3], [1.0]], 4, noise_var=0.1)
    >>> gain.lower.round(4).tolist(), gain.upper.round(4).tolist(), gain.by[4]
    ([0.0, 1.1989, 2.3903, 3.0799, 3.3986], [0.0, 1.1989, 2.3979, 3.1235, 3.4628], 'water filling')
    """
    if is_huge(X, T, steps) and not spectrum:
        assert isinstance(X, np.ndarray)
        return _bounds_in_blocks(kernel, X, T, noise_var, steps)
    X = _candidates(X, len(kernel.lengthscale))
    var = np.full(len(X), kernel.signal_var)
    return _bounds(lambda i: kernel(X[i][None, :], X)[0], var, np.empty((0, len(X))), T, noise_var, steps, spectrum)


def information_gain_given(
    posterior: Posterior, X: npt.ArrayLike, T: int, *, steps: int | None = None, spectrum: bool | None = None
) -> InformationGain:
    r"""Bounds on the gain of T further evaluations given the data of ``posterior``, whose kernel and noise are used.

    .. math:: \gamma_T(D_0) = \max_A I(f; y_A \mid y_{D_0}) \le \gamma_T

    The information gain of the posterior covariance. For the bounds on the regret after initial data.

    >>> from regretless.gp import posterior
    >>> data = posterior(Kernel("rbf", np.array([0.5]), 1.0), noise_var=0.1, X=np.array([[0.3]]), y=np.array([1.0]))
    >>> information_gain_given(data, [[0.0], [0.3], [1.0]], 2).upper.round(3).tolist()
    [0.0, 1.137, 1.906]
    """
    kernel = posterior.kernel
    X = _candidates(X, len(kernel.lengthscale))
    V = np.empty((len(posterior), len(X)))
    for begin in range(0, len(X), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        V[:, part] = posterior.factor.half_solve(kernel(posterior.X, X[part]))
    var = np.maximum(kernel.signal_var - np.einsum("ij,ij->j", V, V), 0.0)
    return _bounds(lambda i: kernel(X[i][None, :], X)[0], var, V, T, posterior.noise_var, steps, spectrum)


def information_gain_of_matrix(
    K: npt.ArrayLike, T: int, *, noise_var: float, steps: int | None = None, spectrum: bool | None = None
) -> InformationGain:
    """Bounds on gamma_1..gamma_T for candidates whose covariance matrix is ``K``; else as :func:`information_gain`.

    >>> gain = information_gain_of_matrix([[1.0, 0.5], [0.5, 0.99]], 5, noise_var=1.0)
    >>> print(f"{gain.lower[5]:.6f} {gain.upper[5]:.6f} {gain.by[5]}")
    1.171864 1.189115 dual
    """
    K = as_matrix(K, "K")
    if (
        not len(K)
        or K.shape[0] != K.shape[1]
        or not np.allclose(K, K.T, rtol=1e-9, atol=1e-12)
        or K.diagonal().min() < 0
    ):
        raise InvalidInput(f"K must be a covariance matrix: square, symmetric, diagonal >= 0. Its shape is {K.shape}.")
    return _bounds(lambda i: np.array(K[i]), K.diagonal().copy(), np.empty((0, len(K))), T, noise_var, steps, spectrum)


def rbf_gain_rate(T: float, dim: int) -> float:
    r"""How gamma_T of an RBF kernel on a box grows. A **rate, not a bound**: the constant is unknown.

    .. math:: \gamma_T = O(\log^{d+1} T)

    Srinivas et al. (2010). Only ratios between different T mean something.

    >>> rbf_gain_rate(100.0, 1) / rbf_gain_rate(10.0, 1)
    4.0
    """
    return math.log(_large(T)) ** (as_whole(dim, "dim", least=1) + 1)


def matern_gain_rate(T: float, dim: int, *, nu: float) -> float:
    r"""How gamma_T of a Matern kernel on a box grows. A **rate, not a bound**: the constant is unknown.

    .. math:: \gamma_T = O\big(T^{d/(2\nu + d)} \log^{2\nu/(2\nu + d)} T\big)

    Vakili et al. (2021). Only ratios between different T mean something.

    >>> round(matern_gain_rate(1e4, 2, nu=2.5), 1)
    67.9
    """
    T, d, smooth = _large(T), as_whole(dim, "dim", least=1), 2.0 * as_positive(nu, "nu")
    return float(T ** (d / (smooth + d)) * math.log(T) ** (smooth / (smooth + d)))


def _bounds(
    column: Callable[[int], Floats],
    var: Floats,
    V: Floats,
    T: int,
    noise_var: float,
    steps: int | None,
    spectrum: bool | None,
) -> InformationGain:
    """Greedy run and its upper bounds; the covariance of candidate i is ``column(i) - V[:, i] @ V``."""
    T, N, known = as_whole(T, "T", least=1), len(var), len(V)
    noise, steps = as_positive(noise_var, "noise_var"), _steps(T, steps)
    rows = np.empty((known + steps, N))
    rows[:known] = V
    allocation = Allocation.up_to(T, N)
    times = np.arange(T + 1.0)
    submodular, dual = np.full(T + 1, np.inf), np.full(T + 1, np.inf)
    gains, chosen, gain = np.zeros(steps + 1), np.empty(steps, dtype=np.intp), 0.0
    for j in range(steps + 1):
        top = int(var.argmax())
        np.minimum(submodular, gain + allocation.largest(var, noise), out=submodular)
        np.minimum(dual, gain + (times * var[top] - var[chosen[:j]].sum()) / (2.0 * noise), out=dual)
        if j == steps:
            break
        # One more row of V = L^-1 K: the same update as that of a table posterior.
        row, done = column(top), known + j
        row -= rows[:done, top] @ rows[:done]
        row /= math.sqrt(var[top] + noise)
        gain += 0.5 * math.log1p(var[top] / noise)
        gains[j + 1], chosen[j], rows[done] = gain, top, row
        var = np.maximum(var - row * row, 0.0)
    bounds = {"submodular": submodular, "dual": dual}
    if spectrum or (spectrum is None and (N <= _SMALL or N <= 2 * T)):
        K = np.array([column(i) for i in range(N)]) - V.T @ V
        bounds["water filling"] = water_filling(np.asarray(np.linalg.eigvalsh(K), dtype=np.float64), times, noise)
    return _least(gains[: T + 1].copy(), bounds, chosen)


def _least(lower: Floats, bounds: Mapping[str, Floats], chosen: npt.NDArray[np.intp]) -> InformationGain:
    stacked, names = np.array(list(bounds.values())), list(bounds)
    upper = np.maximum(stacked.min(axis=0), lower)  # equal up to rounding where greedy is optimal
    upper[0] = 0.0
    by = ("", *(names[i] for i in stacked.argmin(axis=0)[1:]))
    return InformationGain(lower, upper, by, bounds, chosen)


def is_huge(X: npt.ArrayLike, T: int, steps: int | None = None) -> bool:
    """Whether a run over these rows would take more than an eighth of the machine's memory."""
    return isinstance(X, np.ndarray) and 8 * len(X) * _steps(T, steps) > memory_budget() // 2


def _steps(T: int, steps: int | None) -> int:
    return T + T // 2 if steps is None else max(T, as_whole(steps, "steps", least=1))


class _Spread:
    """The sd as a score: no observation makes it larger."""

    def value(self, mean: Floats, sd: Floats) -> Floats:  # noqa: ARG002
        return np.array(sd)

    def stale(self, envelopes: Envelopes, growth: Floats) -> Floats:  # noqa: ARG002
        bound: Floats = envelopes.steepest + envelopes.of_sd
        return bound

    def upper(self, mean: Floats, sd: Floats, growth: Floats) -> Floats:  # noqa: ARG002
        return sd


def _bounds_in_blocks(
    kernel: Kernel, codes: npt.NDArray[np.floating], T: int, noise_var: float, steps: int | None
) -> InformationGain:
    """Greedy run over rows that are read where their variance may be the largest, and what it says alone."""
    T, noise, steps, dim = (
        as_whole(T, "T", least=1),
        as_positive(noise_var, "noise_var"),
        _steps(T, steps),
        len(kernel.lengthscale),
    )
    if codes.ndim != 2 or codes.shape[1] != dim:
        raise InvalidInput(f"X must have one row per candidate and {dim} columns, as the kernel; got {codes.shape}.")
    belief = block_posterior(posterior(kernel, noise_var=noise, X=np.empty((0, dim)), y=np.empty(0)), codes)
    times, none = np.arange(T + 1.0), np.empty(0, dtype=np.intp)
    submodular, dual = np.full(T + 1, np.inf), np.full(T + 1, np.inf)
    gains, chosen, gain = np.zeros(steps + 1), np.empty(steps, dtype=np.intp), 0.0
    for j in range(steps + 1):
        found = belief.argmax(_Spread(), none)
        assert found is not None
        largest, at_chosen = found.sd**2, belief.mean_sd(belief.posterior.X)[1] ** 2
        np.minimum(submodular, gain + times * 0.5 * math.log1p(largest / noise), out=submodular)
        np.minimum(dual, gain + (times * largest - at_chosen.sum()) / (2.0 * noise), out=dual)
        if j == steps:
            break
        gain += 0.5 * math.log1p(largest / noise)
        gains[j + 1], chosen[j] = gain, found.row
        belief = belief.condition(np.asarray(codes[found.row], dtype=np.float64), 0.0)
    return _least(gains[: T + 1].copy(), {"submodular": submodular, "dual": dual}, chosen)


def _candidates(X: npt.ArrayLike, dim: int) -> Floats:
    rows = as_matrix(X, "X")
    if not len(rows) or rows.shape[1] != dim:
        raise InvalidInput(f"X must have one row per candidate and {dim} columns, as the kernel; got {rows.shape}.")
    return rows


def _large(T: float) -> float:
    number = as_positive(T, "T")
    if number < 2.0:
        raise InvalidInput(f"a rate speaks of large T; T must be >= 2, got {T!r}.")
    return number
