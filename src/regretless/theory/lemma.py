r"""The bound of the paper's key lemma in closed form: expected largest upper confidence bound.

Each candidate is a line ``c -> mean + c sd``; c = sqrt(zeta) lies above sqrt(s) with survival exp(-(c^2 - s)/2). The
upper envelope of the lines is piecewise linear, and on each piece the integral is elementary.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_vector
from regretless.confidence import ShiftedExponential
from regretless.confidence.normal import mills
from regretless.confidence.schedules import value_at
from regretless.errors import InvalidInput

__all__ = ["Envelope", "lemma_bound", "upper_envelope"]

#: exp(-36) is 2e-16: from c = sqrt(s + 72) on, the law of sqrt(zeta) has no mass that double precision could see.
_FAR = 72.0
#: Pieces found by passing over all lines before they are sorted instead.
_WALK = 32


@dataclass(frozen=True, slots=True)
class Envelope:
    """Upper envelope of the lines from ``breaks[0]`` on: line ``index[k]`` is the highest from ``breaks[k]`` on."""

    breaks: tuple[float, ...]
    index: tuple[int, ...]


def upper_envelope(mean: npt.ArrayLike, sd: npt.ArrayLike, start: float, until: float = math.inf) -> Envelope:
    r"""Walk along the highest line from c = ``start`` on: next comes the line of larger slope that crosses first.

    .. math:: c_{k+1} = \min_{j : \sigma_j > \sigma_i} (\mu_i - \mu_j)/(\sigma_j - \sigma_i)

    O(N) per piece while there are few pieces, as in practice, and O(N log N) in all where there are many, as after one
    observation, when the candidates lie on a curve. Break points beyond ``until`` are left out. Ties: the larger slope.

    >>> upper_envelope([0.0, 0.8, 1.0, -0.5], [1.0, 0.5, 0.2, 1.5], start=1.0)
    Envelope(breaks=(1.0, 1.3), index=(1, 3))
    """
    mu, sigma = as_vector(mean, "mean"), as_vector(sd, "sd")
    if not len(mu) or len(mu) != len(sigma) or sigma.min() < 0.0:
        raise InvalidInput(f"mean and sd >= 0 must have one entry per candidate, got {len(mu)} and {len(sigma)}.")
    height = mu + start * sigma
    ties = np.flatnonzero(height == height.max())
    at = int(ties[sigma[ties].argmax()])
    breaks, index = [start], [at]
    rows = np.flatnonzero(sigma > sigma[at])
    while len(rows):
        if len(index) == _WALK:
            return _finish(breaks, index, mu, sigma, rows, until)
        with np.errstate(over="ignore"):  # slopes that hardly differ meet at infinity
            crossing = (mu[at] - mu[rows]) / (sigma[rows] - sigma[at])
        c = float(crossing.min())
        if c > until:
            break
        first = rows[crossing == c]
        at = int(first[sigma[first].argmax()])
        breaks.append(max(c, breaks[-1]))
        index.append(at)
        rows = rows[sigma[rows] > sigma[at]]
    return Envelope(tuple(breaks), tuple(index))


def lemma_bound(mean: npt.ArrayLike, sd: npt.ArrayLike) -> float:
    r"""Bound of the key lemma on the expected simple regret of ``argmax mean`` (Takeno et al. 2023, Lemma 4.2).

    .. math:: B = E\big[\max_x \mu_x + \sqrt\zeta\, \sigma_x\big] - \max_x \mu_x, \qquad
              E[\cdot] = \max_x(\mu_x + c_0 \sigma_x) + \sum_k \sigma_{(k)} \big(g(c_k) - g(c_{k+1})\big)

    with c_0 = sqrt(s), break points c_k of the envelope, and g(c) = exp(-(c^2 - s)/2) M(c), M the Mills ratio. Never
    below the tail-sum bound of :func:`regretless.confidence.certified_threshold`; kept for comparison with the paper.

    >>> round(lemma_bound([0.0, 0.8, 1.0, -0.5], [1.0, 0.5, 0.2, 1.5]), 6)
    1.173573
    """
    mu, sigma = as_vector(mean, "mean"), as_vector(sd, "sd")
    s = value_at(ShiftedExponential.for_table(max(len(mu), 1)).shift, 1, "shift")
    start, until = math.sqrt(s), math.sqrt(s + _FAR)
    envelope = upper_envelope(mu, sigma, start, until)
    lines = np.array(envelope.index)
    # Behind ``until`` the largest slope there is stands for pieces left out: the sum stays an upper bound.
    c = np.append(envelope.breaks, until)
    slopes = np.append(sigma[lines], sigma.max())
    g = np.append(np.exp(-0.5 * (c - start) * (c + start)) * mills(c), 0.0)
    first = (float(mu[lines[0]]) - float(mu.max())) + start * float(sigma[lines[0]])
    return first + math.fsum(slopes * -np.diff(g))  # all terms >= 0


def _finish(
    breaks: list[float], index: list[int], mu: Floats, sigma: Floats, rows: npt.NDArray[np.intp], until: float
) -> Envelope:
    """The rest of the envelope by one sweep over the lines in order of slope (Andrew's monotone chain)."""
    if math.isfinite(until):  # lines steeper than the one that is highest at ``until`` take over only behind it
        last = rows[(mu[rows] + until * sigma[rows]).argmax()]
        rows = rows[sigma[rows] <= sigma[last]]
    rows = rows[np.lexsort((mu[rows], sigma[rows]))]
    # A line with another of no smaller slope above it is never the highest.
    ahead = np.append(np.maximum.accumulate(mu[rows][::-1])[::-1][1:], -np.inf)
    rows = rows[mu[rows] > ahead]
    fixed = len(index)
    heights, slopes = mu[index].tolist(), sigma[index].tolist()
    for row, height, slope in zip(rows.tolist(), mu[rows].tolist(), sigma[rows].tolist(), strict=True):
        c = max((heights[-1] - height) / (slope - slopes[-1]), breaks[fixed - 1])
        while len(index) > fixed and c <= breaks[-1]:
            for stack in (breaks, index, heights, slopes):
                stack.pop()
            c = max((heights[-1] - height) / (slope - slopes[-1]), breaks[fixed - 1])
        breaks.append(c)
        index.append(row)
        heights.append(height)
        slopes.append(slope)
    seen = int(np.searchsorted(breaks, until, side="right"))
    return Envelope(tuple(breaks[:seen]), tuple(index[:seen]))
