"""A claim of the paper in our words, our number beside it, and whether it held.

A claim about a race is a statement about mean curves, and means of ten runs vary. So it is judged on resamples of the
runs: it holds if it is true in at least 97.5 % of them, it does not hold if it is true in at most 2.5 %, or a part of
it is, and otherwise it cannot be judged.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy.stats import binomtest

from regretless.arrays import Floats
from regretless.paper.results import Curve

__all__ = [
    "PAPERS",
    "VERDICTS",
    "Claim",
    "Means",
    "Verdict",
    "decided",
    "first_at_most",
    "grows_linearly",
    "mostly",
    "ours",
    "paired",
    "resampled",
    "seen_in_ten",
    "share_among",
    "verdict_of",
]

Verdict = Literal["holds", "does not hold", "cannot be judged"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: A mean curve for each method.
Means: TypeAlias = Mapping[str, Floats]

#: The methods of the paper's own figures; ATS and EST came later and do not count in its claims.
PAPERS = ("ei", "ts", "mes", "jes", "pims", "gp-ucb", "rgp-ucb", "irgp-ucb")

_RESAMPLES = 2000
_SURE = 0.975


@dataclass(frozen=True, slots=True)
class Claim:
    """``says``: the claim; ``number``: what we measured; ``note``: what there is to add, such as the reason."""

    says: str
    number: str
    verdict: Verdict
    note: str = ""


def verdict_of(holds: bool | None) -> Verdict:
    """None cannot be judged.

    >>> verdict_of(None), verdict_of(True)
    ('cannot be judged', 'holds')
    """
    return "cannot be judged" if holds is None else "holds" if holds else "does not hold"


def ours(curves: Mapping[str, Curve]) -> dict[str, Curve]:
    """The curves of the paper's methods."""
    return {key: curve for key, curve in curves.items() if key in PAPERS}


def resampled(curves: Mapping[str, Curve], seed: int = 0) -> list[Means]:
    r"""Mean curves of runs drawn with replacement: each time the same runs for all methods, which share their luck.

    One run fewer is drawn than there are. Then a mean varies between resamples by exactly its standard error,
    :math:`\sum_i (r_i - \bar r)^2 / (n (n-1))`; with all n the variance would be too small by 1 - 1/n. From a single
    run there are no resamples.
    """
    n = min(len(curve.runs) for curve in curves.values())
    if n < 2:
        return []
    weights = np.random.default_rng(seed).multinomial(n - 1, np.full(n, 1.0 / n), _RESAMPLES) / (n - 1.0)
    means = {key: weights @ curve.runs[:n] for key, curve in curves.items()}
    return [{key: rows[i] for key, rows in means.items()} for i in range(_RESAMPLES)]


def decided(truths: Sequence[bool | Sequence[bool]]) -> tuple[float, bool | None]:
    """In which share of the resamples a statement is true, and what follows.

    ``truths`` has one entry per resample; a statement of several parts has one truth for each. It does not hold if
    some part of it does not: all together may seldom be true with none of them in doubt. For that the 2.5 % are
    divided by the number of parts.

    >>> decided([True] * 99 + [False])[1], decided([True, False])[1], decided([False] * 99 + [True])[1]
    (True, None, False)
    >>> decided([(True, False), (False, True)])  # never both, but either may well be
    (0.0, None)
    """
    if not len(truths):
        return math.nan, None
    parts = np.array(truths, dtype=bool).reshape(len(truths), -1)
    share = float(parts.all(axis=1).mean())
    if share >= _SURE:
        return share, True
    return share, False if (parts.mean(axis=0) <= (1.0 - _SURE) / parts.shape[1]).any() else None


def share_among(means: Means, key: str, begin: int, end: int, *, best: int = 1) -> float:
    """Share of the iterations from ``begin`` to ``end`` in which a method is among the ``best`` so many.

    It is if fewer others have a lower mean; equal means, such as zero, are shared.
    """
    span = slice(min(begin, end), end + 1)
    limit = means[key][span] * (1.0 - 1e-12)
    lower = np.sum([means[other][span] < limit for other in means], axis=0)
    return float(np.mean(lower < best))


def mostly(means: Means, key: str, begin: int, end: int) -> bool:
    """Whether a method has the lowest mean in most of the iterations from ``begin`` to ``end``."""
    return share_among(means, key, begin, end) > 0.5


def paired(a: Curve, b: Curve, span: slice) -> tuple[float, float]:
    """Mean over runs of ``a - b``, averaged over some iterations, and its standard error (0 for identical runs)."""
    return _mean_and_error((a.runs[:, span] - b.runs[:, span]).mean(axis=1))


def first_at_most(curve: Curve, level: float) -> list[int | None]:
    """For each run the first ``t`` at which it is at most ``level``; None where it never is."""
    reached = curve.runs <= level
    return [int(curve.t[row.argmax()]) if row.any() else None for row in reached]


def seen_in_ten(count: int, runs: int) -> bool | None:
    r"""Whether ten runs would sooner than not show at least one such as ``count`` of our ``runs`` were.

    What the slowest of ten runs does is not a mean, and resampling says nothing of it: no resample is slower. But ten
    runs show at least one of a kind with probability :math:`1 - (1-p)^{10}`, p the share of that kind, which is more
    than 1/2 where p > 0.067. That is decided by the exact 95 % interval of p (Clopper and Pearson).

    >>> seen_in_ten(4, 10), seen_in_ten(1, 10), seen_in_ten(0, 10), seen_in_ten(0, 60)
    (True, None, None, False)
    """
    needed = 1.0 - 0.5**0.1
    interval = binomtest(count, runs).proportion_ci(2.0 * _SURE - 1.0, method="exact")
    return True if interval.low > needed else False if interval.high < needed else None


def grows_linearly(early: Floats, late: Floats, root: float) -> bool | None:
    r"""Whether regret grows linearly (True) or more slowly (False), from its gain per step in two windows of each run.

    Linear growth does not mean that the gain stays: what is lost while learning adds to it, less and less. So
    :math:`R_T = aT + b\sqrt T`, where the square root is what the theorem allows IRGP-UCB on a finite set, and the
    question is whether a > 0. The square root alone leaves the share ``root`` of the early gain, so a has the sign of
    late - root early. That difference is taken within each run and decides by two of its standard errors.
    """
    difference, error = _mean_and_error(late - root * early)
    rounding = 1e-9 * float(np.abs(early).mean())
    return None if abs(difference) <= 2.0 * error + rounding else difference > 0.0


def _mean_and_error(values: Floats) -> tuple[float, float]:
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return float(values.mean()), error
