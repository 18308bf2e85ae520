r"""How much a recommended Pareto set can still be improved: bounds given the data, for several objectives.

Recommended is X-hat, the Pareto set of the means. f is maximised in every objective, each with its own model,
independent given the data. Two measures of what is missing:

- the additive epsilon, :math:`\varepsilon = \max_x \min_{\hat x} \max_k (f_k(x) - f_k(\hat x))^+`: every candidate is
  within it of some recommended point, in all objectives at once;
- the hypervolume above a reference point that all candidates have and the recommended ones have not.

Everything holds given the data, under the models, on the candidates, and may be looked at after every evaluation. Where
not every candidate is feasible, ``weight`` has the probabilities of feasibility, independent of the objectives, and the
measures are about feasible candidates.

Where objectives cannot leave known ``limits`` (L, U), F = min(max(f, L), U) takes the place of f. Cutting off is
monotone and stretches nothing: F(x) - F(x-hat) <= (f(x) - f(x-hat))^+, so the bound on epsilon holds for F as it is.
Beyond that no difference is more than U - F(x-hat), no volume lies beyond U, and below L every candidate covers all.
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
from regretless.theory.limited import limited_mean

__all__ = ["FrontEstimate", "epsilon_bound", "hypervolume_bound", "simulated_front_regret"]

#: Pairs of a candidate and a recommended point that are compared, and of the latter at least and at most. Fewer give a
#: valid bound, only larger.
_PAIRS = 1e7
_REFERENCES = (20, 200)
#: Products that the cells of the hypervolume may cost, and cells per axis.
_WORK = 1e9
_CELLS = (12, 60)
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
    limits: Sequence[tuple[float, float]] | None = None,
) -> float:
    r"""Bound on the expected additive epsilon of the recommended ``rows``.

    .. math:: E[\varepsilon \mid D] \le \min_{u \ge 0} u + \sum_{x \notin \hat X} \mathrm{PF}(x)
              \min_{\hat x} \sum_k q_k \psi\big((u - \Delta_k)/q_k\big)

    :math:`\Delta_k = \mu_k(x) - \mu_k(\hat x)`, and q_k is the standard deviation of f_k(x) - f_k(x-hat). Any choice of
    x-hat for each x is valid; the one that x exceeds with the fewest standard deviations is taken. Of more than
    200 recommended points 200 are compared with, fewer on a very large table. O(n N) per such point and objective.

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
    limits
        What each objective cannot leave. All x that are compared with one x-hat in objective k together add at most
        min(1, sum PF) E(U_k - F_k(x-hat) - u)^+, which takes the place of their terms where it is less.
    """
    mu, sigma, w = _moments(mean, sd, rows, weight)
    ends = _limits(limits, mu.shape[1])
    if len(covariances) != mu.shape[1]:
        raise InvalidInput(f"covariances must be one per objective, {mu.shape[1]}, got {len(covariances)}.")
    units = np.ones(mu.shape[1]) if scale is None else as_vector(scale, "scale")
    rest = np.setdiff1d(np.arange(len(mu)), rows)
    if not len(rest):
        return 0.0
    compared = _spread(mu, rows)
    u, best = 0.0, math.inf
    for _ in range(2):  # the best x-hat for each x depends on u, and the best u on them
        delta, q, chosen = _compared(mu, sigma, rest, compared, covariances, units, u)
        weights = np.repeat(w[rest][:, None], mu.shape[1], axis=1)
        at, bound = weighted_threshold(weights.ravel(), delta.ravel(), q.ravel(), least=0.0)
        best = min(best, bound)
        if np.isfinite(ends[:, 1]).any():
            capped = _capped(mu, sigma, ends, units, (weights, delta, q), chosen, at)
            best = min(best, weighted_threshold(*capped, least=0.0)[1])
        u = at
    return best


def _capped(
    mu: Floats,
    sigma: Floats,
    ends: Floats,
    units: Floats,
    terms: tuple[Floats, Floats, Floats],
    chosen: npt.NDArray[np.intp],
    u: float,
) -> tuple[Floats, Floats, Floats]:
    """Terms of the epsilon bound, those of one x-hat in one objective replaced by its cap where that is less at u."""
    weights, delta, q = terms
    now = weights * _expected_excess(u - delta, q)
    kept = np.ones(delta.shape, dtype=np.bool_)
    caps: list[tuple[float, float, float]] = []
    for row in np.unique(chosen):
        mine = chosen == row
        weight = min(1.0, float(weights[mine, 0].sum()))
        gap, sd = (ends[:, 1] - mu[row]) / units, sigma[row] / units
        cost = weight * _expected_excess(np.where(np.isfinite(gap), u - gap, -np.inf), sd)
        for k in np.flatnonzero(np.isfinite(gap) & (cost < now[mine].sum(axis=0))):
            kept[mine, k] = False
            caps.append((weight, float(gap[k]), float(sd[k])))
    more = np.array(caps).reshape(-1, 3).T
    return tuple(np.concatenate([term[kept], extra]) for term, extra in zip(terms, more, strict=True))  # type: ignore[return-value]


def _compared(
    mu: Floats,
    sigma: Floats,
    rest: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    covariances: Sequence[Callable[[int], Floats]],
    units: Floats,
    u: float,
) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
    """Differences and their sds (N - h, K) to the x-hat whose smallest (u - delta)/q is largest, and which that is."""
    chosen = np.full(len(rest), rows[0])
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
        most[better], delta[better], q[better], chosen[better] = least[better], d[better], s[better], row
    return delta, q, chosen


def hypervolume_bound(
    mean: npt.ArrayLike,
    sd: npt.ArrayLike,
    rows: npt.NDArray[np.intp],
    reference: npt.ArrayLike,
    covariances: Sequence[Callable[[int], Floats]],
    *,
    weight: Floats | None = None,
    cells: int | None = None,
    limits: Sequence[tuple[float, float]] | None = None,
) -> float:
    r"""Bound on the expected hypervolume that the recommended ``rows`` miss: the smaller of two, given the data.

    The first, for two and three objectives, does not use covariances. A point y is missed only if a candidate that is
    not recommended lies above it and no recommended one does, so with
    :math:`p_x(y) = \prod_k \bar\Phi((y_k - \mu_k)/\sigma_k)`

    .. math:: E[\mathrm{HV}(f(X)) - \mathrm{HV}(f(\hat X)) \mid D] \le \int_{y \ge z} \min\Big(
              \sum_{x \notin \hat X} \mathrm{PF}(x)\, p_x(y),\; 1 - \max_{\hat x} p_{\hat x}(y)\Big) dy

    The integral is bounded from above, cell by cell: the mean of the smaller of two is at most the smaller of their
    means, and the mean of the largest at least the largest of the means, which are known in closed form. ``cells`` per
    axis; by default up to 60, fewer for very many candidates.

    The second is for any number of objectives, and the smaller one where candidates are strongly correlated. What x has
    above z and x-hat has not is a product less a smaller product, so that

    .. math:: \ldots \le \sum_{x \notin \hat X} \mathrm{PF}(x) \min_{\hat x} \sum_k \prod_{l < k} b_l\,
              \min\big(q_k \psi(-\Delta_k/q_k), a_k\big) \prod_{l > k} a_l, \qquad a_l = E(f_l(x) - z_l)^+

    with b_l the smaller of a_l at x and at x-hat; q and Delta as in :func:`epsilon_bound`, whose parameters these are.

    Within ``limits`` the integral ends at U and has P(f_k > y_k) = 1 below L; in the second bound a_l = E(F_l(x) -
    z_l)^+, and no difference is larger than U_k - E F_k(x-hat).
    """
    mu, sigma, w = _moments(mean, sd, rows, weight)
    ends = _limits(limits, mu.shape[1])
    z = as_vector(reference, "reference")
    K = mu.shape[1]
    if not len(z) == len(covariances) == K:
        raise InvalidInput(
            f"reference and covariances need one per objective, {K}, got {len(z)} and {len(covariances)}."
        )
    rest = np.setdiff1d(np.arange(len(mu)), rows)
    if not len(rest):
        return 0.0
    if (ends[:, 1] <= z).any():
        return 0.0  # nothing can lie above the reference
    pairwise = math.fsum(w[rest] * _missed_pairwise(mu, sigma, rest, _spread(mu, rows), covariances, z, ends))
    return min(pairwise, _missed_in_cells(mu, sigma, w, rows, rest, z, cells, ends)) if K in (2, 3) else pairwise


def _missed_pairwise(
    mu: Floats,
    sigma: Floats,
    rest: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    covariances: Sequence[Callable[[int], Floats]],
    z: Floats,
    ends: Floats,
) -> Floats:
    """For each x of ``rest``, the smallest bound on the volume that it has and some x-hat has not, (N - h,)."""
    a, a_hat = _above(mu[rest], sigma[rest], z, ends), _above(mu[rows], sigma[rows], z, ends)
    room = ends[:, 1] - np.where(np.isfinite(ends[:, 1]), _limited_means(mu[rows], sigma[rows], ends), 0.0)
    after = np.cumprod(np.column_stack([np.ones(len(rest)), a[:, :0:-1]]), axis=1)[:, ::-1]  # prod of a_l, l > k
    least = np.full(len(rest), np.inf)
    for row, here, most in zip(rows, a_hat, room, strict=True):
        column = np.column_stack([covariance(int(row))[rest] for covariance in covariances])
        q = np.sqrt(np.maximum(sigma[rest] ** 2 + sigma[row] ** 2 - 2.0 * column, 0.0))
        gain = np.minimum(np.minimum(_expected_excess(mu[row] - mu[rest], q), a), most)
        b = np.minimum(a, here)
        before = np.cumprod(np.column_stack([np.ones(len(rest)), b[:, :-1]]), axis=1)
        np.minimum(least, (before * gain * after).sum(axis=1), out=least)
    return least


def _missed_in_cells(
    mu: Floats,
    sigma: Floats,
    w: Floats,
    rows: npt.NDArray[np.intp],
    rest: npt.NDArray[np.intp],
    z: Floats,
    cells: int | None,
    ends: Floats,
) -> float:
    """The integral over cells; the last cell of each axis has no end, unless there is a limit."""
    N, K = mu.shape
    if cells is None:
        cells = int(np.clip((_WORK / N) ** (1.0 / K), *_CELLS))
    n = as_whole(cells, "cells", least=1)
    edges = [_edges(mu[:, k], sigma[:, k], rows, float(z[k]), n, ends[k].tolist()) for k in range(K)]
    shape = tuple(len(edge) for edge in edges)
    more = np.zeros(shape)
    for begin in range(0, len(rest), _BLOCK):
        part = rest[begin : begin + _BLOCK]
        sides = [_integrals(edges[k], mu[part, k], sigma[part, k], ends[k].tolist()) for k in range(K)]
        sides[0] = sides[0] * w[part]
        if K == 3:
            sides[:2] = [(sides[0][:, None, :] * sides[1]).reshape(-1, len(part))]
        more += (sides[0] @ sides[1].T).reshape(shape)
    covered = np.zeros(shape)
    for row in _spread(mu, rows):
        sides = [_integrals(edges[k], mu[[row], k], sigma[[row], k], ends[k].tolist())[:, 0] for k in range(K)]
        np.maximum(covered, _product(sides), out=covered)
    last = [0.0 if edge[-1] == end else math.inf for edge, (_, end) in zip(edges, ends, strict=True)]
    with np.errstate(invalid="ignore"):  # no cell beyond a limit, however far the others reach
        volume = np.nan_to_num(
            _product([np.append(np.diff(edge), size) for edge, size in zip(edges, last, strict=True)]),
            nan=0.0,
            posinf=math.inf,
        )
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


def _edges(mean: Floats, sd: Floats, rows: npt.NDArray[np.intp], z: float, cells: int, ends: Sequence[float]) -> Floats:
    """Edges of the finite cells of one axis: one cell where all that is recommended reaches, then equal ones.

    They end at the upper limit, and one of them is at the lower.
    """
    top = min(max(float((mean + _FAR * sd).max()), z + 1e-9 * max(abs(z), 1.0)), ends[1])
    low = float((mean[rows] - _FAR * sd[rows]).min())
    edges = np.append(z, np.linspace(low, top, cells)) if z < low < top else np.linspace(z, top, cells + 1)
    return np.union1d(edges, ends[0]) if z < ends[0] < top else edges


def _integrals(edges: Floats, mean: Floats, sd: Floats, ends: Sequence[float]) -> Floats:
    """Integrals of P(F > y) over each cell and beyond the last edge, (cells + 1, N)."""
    beyond = _expected_excess(edges[:, None] - mean, np.broadcast_to(sd, (len(edges), len(sd))))
    cells = np.clip(beyond[:-1] - beyond[1:], 0.0, np.diff(edges)[:, None])
    cells = np.where((edges[1:] <= ends[0])[:, None], np.diff(edges)[:, None], cells)  # F is above for certain
    return np.vstack([cells, beyond[-1:] if edges[-1] < ends[1] else np.zeros((1, len(mean)))])


def _limits(limits: Sequence[tuple[float, float]] | None, K: int) -> Floats:
    """(K, 2): the limits of each objective, infinite without any."""
    ends = np.tile([-math.inf, math.inf], (K, 1)) if limits is None else np.array(limits, dtype=np.float64)
    if ends.shape != (K, 2) or not (ends[:, 0] < ends[:, 1]).all():
        raise InvalidInput(f"limits must be a lower and a larger upper one for each of {K} objectives.")
    return ends


def _above(mean: Floats, sd: Floats, z: Floats, ends: Floats) -> Floats:
    """``E(F - z)^+``, of each objective (m, K)."""
    floor = np.maximum(z, ends[:, 0])
    over = _expected_excess(floor - mean, sd)
    with np.errstate(invalid="ignore"):
        cut = np.where(np.isfinite(ends[:, 1]), _expected_excess(ends[:, 1] - mean, sd), 0.0)
    above: Floats = floor - z + np.maximum(over - np.nan_to_num(cut), 0.0)
    return above


def _limited_means(mean: Floats, sd: Floats, ends: Floats) -> Floats:
    """``E F`` of each objective (m, K)."""
    return np.array(
        [
            [limited_mean(m, s, *end) for m, s, end in zip(*pair, ends.tolist(), strict=True)]
            for pair in zip(mean, sd, strict=True)
        ]
    )


def _expected_excess(gap: Floats, sd: Floats) -> Floats:
    """``E(sd N - gap)^+``, also where sd = 0."""
    z = np.divide(gap, sd, out=np.zeros(gap.shape), where=sd > 0.0)
    return np.where(sd > 0.0, sd * psi(z), np.maximum(-gap, 0.0))


def _product(sides: Sequence[Floats]) -> Floats:
    """Outer product of one vector per axis."""
    total: Floats = sides[0]
    for side in sides[1:]:
        total = np.multiply.outer(total, side)
    return total


def _spread(mu: Floats, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The recommended rows; of too many some, evenly along the first objective."""
    most = int(np.clip(_PAIRS / len(mu), *_REFERENCES))
    ordered = rows[np.argsort(mu[rows, 0], kind="stable")]
    if len(rows) <= most:
        return ordered
    return ordered[np.linspace(0, len(rows) - 1, most).round().astype(np.intp)]


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
