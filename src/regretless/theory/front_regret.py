r"""How much a recommended Pareto set can still be improved: bounds given the data, for several objectives.

Recommended is X-hat, the Pareto set of the means. f is maximised in every objective, each with its own model,
independent given the data. Two measures of what is missing:

- the additive epsilon, :math:`\varepsilon = \max_x \min_{\hat x} \max_k (f_k(x) - f_k(\hat x))^+`: every candidate is
  within it of some recommended point, in all objectives at once;
- the hypervolume above a reference point that all candidates have and the recommended ones have not.

Everything holds given the data, under the models, on the candidates, and may be looked at after every evaluation. Where
not every candidate is feasible, ``weight`` has the probabilities of feasibility, independent of the objectives, and the
measures are about feasible candidates.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_matrix, as_vector, as_whole
from regretless.confidence.normal import psi
from regretless.errors import InvalidInput
from regretless.linalg import cholesky
from regretless.pareto import hypervolume, non_dominated
from regretless.theory.feasible_regret import weighted_threshold

__all__ = ["FrontEstimate", "epsilon_bound", "hypervolume_bound", "simulated_front_regret"]

#: Recommended points compared with at the most; fewer give a valid bound, only larger.
_REFERENCES = 200
#: Products that the cells of the hypervolume may cost, and cells per axis.
_WORK = 1e9
_CELLS = (12, 100)
#: The finite cells end so many standard deviations above the highest mean.
_FAR = 4.5
_BLOCK = 1 << 12  # candidates worked on at once
_SAME = 1e-6  # share of a prior's standard deviation that rounding may take away


@dataclass(frozen=True, slots=True)
class FrontEstimate:
    """Means over joint draws, and their standard errors."""

    epsilon: float
    epsilon_se: float
    hypervolume: float
    hypervolume_se: float
    draws: int


def epsilon_bound(
    mean: npt.ArrayLike,
    sd: npt.ArrayLike,
    rows: npt.NDArray[np.intp],
    covariances: Sequence[Callable[[int], Floats]],
    *,
    scale: npt.ArrayLike | None = None,
    weight: Floats | None = None,
) -> float:
    r"""Bound on the expected additive epsilon of the recommended ``rows``.

    .. math:: E[\varepsilon \mid D] \le \min_{u \ge 0} u + \sum_{x \notin \hat X} \mathrm{PF}(x)
              \min_{\hat x} \sum_k q_k \psi\big((u - \Delta_k)/q_k\big)

    :math:`\Delta_k = \mu_k(x) - \mu_k(\hat x)`, and q_k is the standard deviation of f_k(x) - f_k(x-hat). Any choice of
    x-hat for each x is valid; the one that x exceeds with the fewest standard deviations is taken, and where more than
    200 are recommended, 200 of them are compared with. O(n N) per recommended point and objective.

    Parameters
    ----------
    mean, sd
        (N, K), one column per objective.
    rows
        Candidate numbers of X-hat.
    covariances
        For each objective, posterior covariances between one candidate and all of them, as
        ``TablePosterior.covariance_with``.
    scale
        Unit in which each objective is counted; all 1 by default.
    weight
        Probability that each candidate is feasible; all 1 by default.
    """
    mu, sigma, w = _moments(mean, sd, rows, weight)
    if len(covariances) != mu.shape[1]:
        raise InvalidInput(f"covariances must be one per objective, {mu.shape[1]}, got {len(covariances)}.")
    units = np.ones(mu.shape[1]) if scale is None else as_vector(scale, "scale")
    rest = np.setdiff1d(np.arange(len(mu)), rows)
    if not len(rest):
        return 0.0
    compared = _spread(mu, rows)
    u, best = 0.0, math.inf
    for _ in range(2):  # the best x-hat for each x depends on u, and the best u on them
        delta, q = _compared(mu, sigma, rest, compared, covariances, units, u)
        u, bound = weighted_threshold(np.repeat(w[rest], mu.shape[1]), delta.ravel(), q.ravel(), least=0.0)
        best = min(best, bound)
    return best


def _compared(
    mu: Floats,
    sigma: Floats,
    rest: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    covariances: Sequence[Callable[[int], Floats]],
    units: Floats,
    u: float,
) -> tuple[Floats, Floats]:
    """Differences and their sds (N - h, K) to the x-hat whose smallest (u - delta)/q is largest."""
    most = np.full(len(rest), -np.inf)
    delta, q = np.zeros((len(rest), mu.shape[1])), np.zeros((len(rest), mu.shape[1]))
    for row in rows:
        d = (mu[rest] - mu[row]) / units
        column = np.column_stack([covariance(int(row))[rest] for covariance in covariances])
        s = np.sqrt(np.maximum(sigma[rest] ** 2 + sigma[row] ** 2 - 2.0 * column, 0.0)) / units
        z = np.where(d > u, -np.inf, np.inf)
        np.divide(u - d, s, out=z, where=s > 0.0)
        least = z.min(axis=1)
        better = (least > most) | (row == rows[0])
        most[better], delta[better], q[better] = least[better], d[better], s[better]
    return delta, q


def hypervolume_bound(
    mean: npt.ArrayLike,
    sd: npt.ArrayLike,
    rows: npt.NDArray[np.intp],
    reference: npt.ArrayLike,
    *,
    weight: Floats | None = None,
    cells: int | None = None,
) -> float:
    r"""Bound on the expected hypervolume that the recommended ``rows`` miss, for two or three objectives.

    .. math:: E[\mathrm{HV}(f(X)) - \mathrm{HV}(f(\hat X)) \mid D] \le \int_{y \ge z} \min\Big(
              \sum_{x \notin \hat X} \mathrm{PF}(x)\, p_x(y),\; 1 - \max_{\hat x} p_{\hat x}(y)\Big) dy, \qquad
              p_x(y) = \prod_k \bar\Phi\big((y_k - \mu_k)/\sigma_k\big)

    A point y is missed only if a candidate that is not recommended lies above it and no recommended one does. The
    integral is bounded from above, cell by cell: the mean of the smaller of two is at most the smaller of their means,
    and the mean of the largest at least the largest of the means, which are known in closed form. ``cells`` per axis;
    by default up to 100, fewer for very many candidates. For more objectives use :func:`simulated_front_regret`.
    """
    mu, sigma, w = _moments(mean, sd, rows, weight)
    z = as_vector(reference, "reference")
    N, K = mu.shape
    if K not in (2, 3) or len(z) != K:
        raise InvalidInput(
            f"hypervolume_bound is for two or three objectives and a reference point of as many numbers, got {K} and "
            f"{len(z)}. For more objectives use simulated_front_regret, for one remaining_regret."
        )
    if cells is None:
        cells = int(np.clip((_WORK / N) ** (1.0 / K), *_CELLS))
    edges = [_edges(mu[:, k], sigma[:, k], rows, float(z[k]), as_whole(cells, "cells", least=1)) for k in range(K)]
    shape = tuple(len(edge) for edge in edges)  # the last cell of each axis has no end
    more = np.zeros(shape)
    rest = np.setdiff1d(np.arange(N), rows)
    for begin in range(0, len(rest), _BLOCK):
        part = rest[begin : begin + _BLOCK]
        sides = [_integrals(edges[k], mu[part, k], sigma[part, k]) for k in range(K)]
        sides[0] = sides[0] * w[part]
        if K == 3:
            pairs = (sides[0][:, None, :] * sides[1]).reshape(-1, len(part))
            more += (pairs @ sides[2].T).reshape(shape)
        else:
            more += sides[0] @ sides[1].T
    covered = np.zeros(shape)
    for row in _spread(mu, rows):
        volume = np.ones(())
        for k in range(K):
            volume = np.multiply.outer(volume, _integrals(edges[k], mu[[row], k], sigma[[row], k])[:, 0])
        np.maximum(covered, volume, out=covered)
    volume = np.ones(())
    for edge in edges:
        volume = np.multiply.outer(volume, np.append(np.diff(edge), np.inf))
    return math.fsum(np.minimum(more, np.maximum(volume - covered, 0.0)).ravel())


def simulated_front_regret(
    mean: npt.ArrayLike,
    covariances: Sequence[Floats],
    rows: npt.NDArray[np.intp],
    reference: npt.ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    scale: npt.ArrayLike | None = None,
) -> FrontEstimate:
    """Expected additive epsilon and hypervolume missed of the recommended ``rows``, by joint draws: an estimate.

    For any number of objectives. ``covariances`` has a matrix (N, N) per objective, so N is some thousands at the most;
    of a larger table hand in the candidates that matter, ``rows`` counted among them.
    """
    mu = as_matrix(mean, "mean")
    N, K = mu.shape
    z, units = as_vector(reference, "reference"), np.ones(K) if scale is None else as_vector(scale, "scale")
    draws = as_whole(draws, "draws", least=2)
    factors = []
    for covariance in covariances:
        C = np.array(covariance)
        C[np.diag_indices(N)] += _SAME**2 * max(float(C.diagonal().max()), np.finfo(np.float64).tiny)
        factors.append(cholesky(C).L)
    epsilon, missed = np.empty(draws), np.empty(draws)
    for i in range(draws):
        f = mu + np.column_stack([L @ rng.standard_normal(N) for L in factors])  # ~ N(mean, covariance), each column
        front = f[non_dominated(f)]  # what is dominated has no larger distance
        gaps = ((front[:, None, :] - f[rows]) / units).max(axis=2).min(axis=1)
        epsilon[i] = max(float(gaps.max()), 0.0)
        missed[i] = max(hypervolume(front, z) - hypervolume(f[rows], z), 0.0)
    root = math.sqrt(draws)
    return FrontEstimate(
        float(epsilon.mean()), float(epsilon.std()) / root, float(missed.mean()), float(missed.std()) / root, draws
    )


def _edges(mean: Floats, sd: Floats, rows: npt.NDArray[np.intp], z: float, cells: int) -> Floats:
    """Edges of the finite cells of one axis: one cell where all that is recommended reaches, then equal ones."""
    top = max(float((mean + _FAR * sd).max()), z + 1e-9 * max(abs(z), 1.0))
    low = float((mean[rows] - _FAR * sd[rows]).min())
    if not z < low < top:
        return np.linspace(z, top, cells + 1)
    return np.append(z, np.linspace(low, top, cells))


def _integrals(edges: Floats, mean: Floats, sd: Floats) -> Floats:
    """Integrals of P(f > y) over each cell and beyond the last edge, (cells + 1, N)."""
    gap = edges[:, None] - mean
    z = np.divide(gap, sd, out=np.zeros_like(gap), where=sd > 0.0)
    beyond = np.where(sd > 0.0, sd * psi(z), np.maximum(-gap, 0.0))  # E(f - edge)^+
    cells = np.clip(beyond[:-1] - beyond[1:], 0.0, np.diff(edges)[:, None])
    return np.vstack([cells, beyond[-1:]])


def _spread(mu: Floats, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """At most so many of the recommended rows, evenly along the first objective."""
    ordered = rows[np.argsort(mu[rows, 0], kind="stable")]
    if len(rows) <= _REFERENCES:
        return ordered
    return ordered[np.linspace(0, len(rows) - 1, _REFERENCES).round().astype(np.intp)]


def _moments(
    mean: npt.ArrayLike, sd: npt.ArrayLike, rows: npt.NDArray[np.intp], weight: Floats | None
) -> tuple[Floats, Floats, Floats]:
    mu, sigma = as_matrix(mean, "mean"), as_matrix(sd, "sd")
    if mu.shape != sigma.shape or sigma.min(initial=0.0) < 0.0:
        raise InvalidInput(f"mean and sd >= 0 must have one shape (N, K), got {mu.shape} and {sigma.shape}.")
    if not len(rows) or rows.min() < 0 or rows.max() >= len(mu):
        raise InvalidInput(f"rows must be numbers of one candidate or more, 0 to {len(mu) - 1}.")
    w = np.ones(len(mu)) if weight is None else as_vector(weight, "weight")
    if w.shape != (len(mu),) or w.min() < 0.0 or w.max() > 1.0:
        raise InvalidInput(f"weight must be a probability per candidate, {len(mu)} in [0, 1].")
    return mu, sigma, w
