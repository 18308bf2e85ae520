r"""The certificate of a table that is too long to be seen as a whole: one pass over its rows, sums kept and no rows.

Both bounds of `regretless.theory.certificate` hold for every threshold u,

.. math:: u + \sum_x E[(f(x) - u)^+] - \mu_{\hat x}, \qquad u + \sum_x E[(f(x) - f(\hat x) - u)^+]

so the sums are taken at a few u at once, chosen by a sample of the rows, and the least bound counts. It is valid
whatever the sample was; the sample only decides how close it comes to the least of all u.
"""

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_nonnegative
from regretless.confidence import ShiftedExponential, expected_excess, tail_sum
from regretless.confidence.normal import mills
from regretless.confidence.schedules import value_at
from regretless.errors import InvalidInput
from regretless.gp.blocks import BlockPosterior, Law, exact_moments
from regretless.linalg import single_thread
from regretless.theory.certificate import Certificate
from regretless.theory.limited import limited_exceedance, limited_mean

__all__ = ["pass_seconds", "remaining_regret_in_blocks"]

#: Rows whose sums are taken together. They are added up in the order of the table, whoever worked on them.
_STRIPE = 1 << 14
#: Rows whose kernel values are computed at once.
_ROWS = 512
#: Rows that a worker passes between two reports.
_PIECE = 64
#: Rows of the sample that chooses the thresholds.
_SAMPLED = 1 << 15
#: Thresholds around the sample's, in standard deviations of a row.
_AROUND = np.array([-0.4, -0.2, -0.1, -0.04, 0.0, 0.04, 0.1, 0.2, 0.4, 0.8])
#: Roots at which the largest upper bound is noted, for the bound of the lemma.
_ROOTS = 24
_FAR = 72.0


@dataclass(frozen=True, slots=True)
class _Pass:
    """What the sums of a pass are about: everything is counted from the recommendation."""

    law: Law
    closed: npt.NDArray[np.intp]
    index: int
    x: Floats  # the recommendation
    mean: float
    sd: float
    v: Floats  # L^-1 k(X, x)
    thresholds: Floats
    pair_thresholds: Floats
    eps: float | None
    roots: Floats


def remaining_regret_in_blocks(
    blocks: BlockPosterior,
    *,
    index: int,
    closed: npt.NDArray[np.intp],
    limits: tuple[float, float] = (-math.inf, math.inf),
    eps: float | None = None,
    draws: int = 0,
) -> Certificate:
    """Certificate of row ``index`` among the rows that are not ``closed``, by one pass over all of them, O(n^2 N).

    Of the limits only the upper one is used: nothing can be gained beyond it.
    """
    if draws:
        raise InvalidInput("draws of all rows together are not possible on a table in a file: leave draws= out.")
    law, N = blocks.law, len(blocks.codes)
    s = value_at(ShiftedExponential.for_table(max(N, 1)).shift, 1, "shift")
    roots = np.sqrt(np.linspace(s, s + _FAR, _ROOTS))
    x = np.asarray(blocks.codes[index : index + 1], dtype=np.float64)
    mean, sd = (float(moment[0]) for moment in exact_moments(law, x))
    v = law.R @ law.kernel(law.X, x)[:, 0]
    blank = _Pass(law, closed, index, x[0], mean, sd, v, np.empty(0), np.empty(0), eps, roots)
    with single_thread():
        job = _with_thresholds(blank, blocks.codes, N)
    tails, pairs, more, tops, steepest = _totals(blocks, job)
    tail_bound = float((job.thresholds + tails).min())
    pairwise = float((job.pair_thresholds + pairs).min())
    here = limited_mean(mean, sd, *limits)
    if limits[1] < math.inf:
        tail_bound, pairwise = min(tail_bound, limits[1] - here), min(pairwise, limits[1] - here)
    exceeds = None
    if eps is not None:
        beyond = limited_exceedance(as_nonnegative(eps, "eps"), sd, limits[0] - mean, limits[1] - mean)
        exceeds = min(1.0, more, beyond)
    return Certificate(
        index=index,
        mean=here,
        sd=sd,
        n_candidates=N - len(closed),
        bound=min(tail_bound, pairwise),
        tail_sum=tail_bound,
        pairwise=pairwise,
        tree=pairwise,  # a tree too, with the recommendation as the parent of all
        lemma=_lemma(roots, tops, steepest, s),
        eps=None if eps is None else float(eps),
        exceeds=exceeds,
        best=None,
    )


def pass_seconds(blocks: BlockPosterior) -> float:
    """About how long a certificate takes: one stripe per worker is timed."""
    x = np.asarray(blocks.codes[:1], dtype=np.float64)
    law, engine, some = blocks.law, blocks.rows.engine, np.linspace(0.0, 1.0, len(_AROUND))
    v = law.R @ law.kernel(law.X, x)[:, 0]
    none = np.empty(0, dtype=np.intp)
    job = _Pass(law, none, 0, x[0], 0.0, 1.0, v, some, some, None, np.ones(_ROOTS))
    began = time.perf_counter()
    engine.call(stripe_sums, blocks.rows.address, job, 0, engine.workers)
    passed = min(engine.workers * _STRIPE, len(blocks.codes))
    return (time.perf_counter() - began) * len(blocks.codes) / passed


def _with_thresholds(job: _Pass, codes: Any, N: int) -> _Pass:
    """The pass with thresholds around those that would be best if the sample stood for the table."""
    step = max(1, N // _SAMPLED)
    below, sd, difference = _moments(job, np.asarray(codes[::step], dtype=np.float64))
    one = len(sd) / N
    spread = float(np.median(sd))
    u, paired = (_root(below, s, one) + _AROUND * spread for s in (sd, difference))
    return replace(job, thresholds=u, pair_thresholds=np.maximum(paired, 0.0))


def _root(below: Floats, sd: Floats, target: float) -> float:
    """Where the tail sum is ``target``, by bisection; it only has to be close."""
    low, high = float(below.min()), float((below + 9.0 * sd).max()) + 1e-9
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if tail_sum(middle, below, sd) > target else (low, middle)
    return high


def _totals(blocks: BlockPosterior, job: _Pass) -> tuple[Floats, Floats, float, Floats, float]:
    """Sums of the excesses at each threshold and of the tails at eps; largest upper bounds; largest sd."""
    engine, N = blocks.rows.engine, len(blocks.codes)
    stripes = -(-N // _STRIPE)
    found: dict[int, Floats] = {}
    first, piece, began = 0, 1, time.perf_counter()
    while first < stripes:
        last = min(first + piece * engine.workers, stripes)
        for answer in engine.call(stripe_sums, blocks.rows.address, job, first, last):
            found.update(answer)
        done = min(last * _STRIPE, N)
        engine.progress("certificate", done, N, (time.perf_counter() - began) * (N / done - 1.0))
        first, piece = last, _PIECE  # the first piece is small: it says how long the rest will take
    table = np.array([found[stripe] for stripe in range(stripes)])
    m = len(job.thresholds)
    sums = [math.fsum(column) for column in table[:, : 2 * m + 1].T]
    tops = table[:, 2 * m + 1 :].max(axis=0)
    return np.array(sums[:m]), np.array(sums[m : 2 * m]), sums[2 * m], tops[:-1], float(tops[-1])


def stripe_sums(
    worker: dict[Any, Any], share: tuple[int, int], codes: Any, job: _Pass, first: int, last: int
) -> dict[int, Floats]:
    """The sums of each of a worker's stripes."""
    if isinstance(codes, str):
        if codes not in worker:
            worker[codes] = np.load(codes, mmap_mode="r")
        codes = worker[codes]
    number, workers = share
    with single_thread():
        return {i: _stripe(job, codes, i * _STRIPE) for i in range(first, last) if i % workers == number}


def _stripe(job: _Pass, codes: Any, begin: int) -> Floats:
    X = np.asarray(codes[begin : begin + _STRIPE], dtype=np.float64)
    below, sd, difference = _moments(job, X)
    rows = np.arange(begin, begin + len(X))
    difference[rows == job.index] = 0.0
    open_ = ~np.isin(rows, job.closed)
    if not open_.all():
        below, sd, difference = below[open_], sd[open_], difference[open_]
    if not len(below):
        return np.array([*[0.0] * (2 * len(job.thresholds) + 1), *[-np.inf] * len(job.roots), 0.0])
    sums = [expected_excess(u, below, sd) for u in job.thresholds.tolist()]
    sums += [expected_excess(u, below, difference) for u in job.pair_thresholds.tolist()]
    sums.append(0.0 if job.eps is None else tail_sum(job.eps, below, difference))
    tops = [float((below + c * sd).max()) for c in job.roots.tolist()]
    return np.array([*sums, *tops, float(sd.max())])


def _moments(job: _Pass, X: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean less that of the recommendation, sd, and sd of the difference from it, for the rows of X."""
    law = job.law
    below, sd, difference = np.empty(len(X)), np.empty(len(X)), np.empty(len(X))
    weights = law.weights(len(law))
    memory = np.empty(2 * len(law) * _ROWS)
    for begin in range(0, len(X), _ROWS):
        part = slice(begin, begin + _ROWS)
        size = len(law) * len(X[part])
        out, spare = (memory[i * size : (i + 1) * size].reshape(len(law), -1) for i in range(2))
        K = law.kernel.into(law.X, X[part], out, spare)
        V = law.R @ K
        below[part] = law.prior_mean + weights @ K - job.mean
        var = np.maximum(law.kernel.signal_var - np.einsum("ij,ij->j", V, V), law.floor)
        cov = law.kernel(job.x[None, :], X[part])[0] - job.v @ V
        sd[part] = np.sqrt(var)
        difference[part] = np.sqrt(np.maximum(var + job.sd**2 - 2.0 * cov, 0.0))
    return below, sd, difference


def _lemma(roots: Floats, tops: Floats, steepest: float, s: float) -> float:
    """The bound of the key lemma with chords in place of the envelope, see `regretless.theory.lemma`."""
    g = np.append(np.exp(-0.5 * (roots * roots - s)) * mills(roots), 0.0)
    slopes = np.append(np.diff(tops) / np.diff(roots), steepest)
    return float(tops[0]) + math.fsum(slopes * -np.diff(g))
