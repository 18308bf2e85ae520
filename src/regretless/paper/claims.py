"""A claim of the paper in our words, our number beside it, and whether it held."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from regretless.arrays import Floats
from regretless.paper.results import Curve

__all__ = ["PAPERS", "VERDICTS", "Claim", "Verdict", "first_at_most", "leads", "ours", "paired", "verdict_of"]

Verdict = Literal["holds", "does not hold", "cannot be judged"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

#: The methods of the paper's own figures; ATS and EST came later and do not count in its claims.
PAPERS = ("ei", "ts", "mes", "jes", "pims", "gp-ucb", "rgp-ucb", "irgp-ucb")


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


def leads(curves: Mapping[str, Curve], key: str, begin: int, end: int) -> tuple[float, bool | None]:
    """Share of the iterations from ``begin`` to ``end`` in which a method has the lowest mean, and what follows.

    It holds where that is most of them. Where it is not, it cannot be judged as long as no other method is lower on
    average over these iterations by two standard errors of the paired difference; with one run it never can.
    """
    span = slice(min(begin, end), end + 1)
    means = {name: curve.mean[span] for name, curve in curves.items()}
    lowest = np.min(list(means.values()), axis=0)
    share = float(np.mean(means[key] <= lowest * (1.0 + 1e-12)))
    if share > 0.5:
        return share, True
    better = False
    for name in curves:
        difference, error = paired(curves[name], curves[key], span)
        better |= bool(difference < -2.0 * error)
    return share, False if better else None


def paired(a: Curve, b: Curve, span: slice) -> tuple[float, float]:
    """Mean over runs of ``a - b``, averaged over some iterations, and its standard error (0 for identical runs)."""
    gap: Floats = (a.runs[:, span] - b.runs[:, span]).mean(axis=1)
    error = float(gap.std(ddof=1) / np.sqrt(len(gap))) if len(gap) > 1 else np.inf
    return float(gap.mean()), error


def first_at_most(curve: Curve, level: float) -> list[int | None]:
    """For each run the first ``t`` at which it is at most ``level``; None where it never is."""
    reached = curve.runs <= level
    return [int(curve.t[row.argmax()]) if row.any() else None for row in reached]
