"""The few statistics behind the regret tables."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import rankdata, wilcoxon

__all__ = ["FLOOR", "holm", "mean_ranks", "paired_p"]

#: Regrets below this are equal: the noise has a standard deviation of 0.01.
FLOOR = 1e-9


def paired_p(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Two-sided Wilcoxon signed-rank test on the differences of logarithms, seed by seed; 1 if nothing differs."""
    difference = np.log(np.maximum(ours, FLOOR)) - np.log(np.maximum(theirs, FLOOR))
    if not difference.any():
        return 1.0
    return float(wilcoxon(difference, zero_method="pratt").pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """P-values adjusted for their number after Holm (1979): reject where the result is at most the level.

    >>> [round(q, 6) for q in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted, running = [0.0] * len(p), 0.0
    for rank, i in enumerate(np.argsort(p, kind="stable").tolist()):
        running = max(running, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = running
    return adjusted


def mean_ranks(final: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, float]:
    """Rank of each peer (1 is best, ties share) among all of them, averaged over problems and seeds.

    ``final[problem][peer]`` is one number a seed, smaller is better. A peer that misses a problem is not ranked.
    """
    peers = list(dict.fromkeys(peer for by_peer in final.values() for peer in by_peer))
    peers = [peer for peer in peers if all(peer in by_peer for by_peer in final.values())]
    if not peers:
        return {}
    ranks = [
        rankdata(np.maximum([by_peer[peer] for peer in peers], FLOOR), axis=0).mean(axis=1)
        for by_peer in final.values()
    ]
    return dict(zip(peers, np.mean(ranks, axis=0).tolist(), strict=True))
