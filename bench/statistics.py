"""The few statistics behind the regret tables."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import rankdata, wilcoxon

__all__ = ["AWAY", "FLOOR", "holm", "mean_ranks", "paired_p", "relative", "share_away"]

#: Regrets below this are equal: the noise has a standard deviation of 0.01.
FLOOR = 1e-9

#: A run that ends with a larger relative regret has not arrived: it is in a lower local maximum or still climbing.
AWAY = 0.01


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

    ``final[problem][peer]`` is one number per seed, smaller is better. A peer that misses a problem is not ranked.
    """
    peers = _complete(final)
    if not peers:
        return {}
    ranks = [
        rankdata(np.maximum([by_peer[peer] for peer in peers], FLOOR), axis=0).mean(axis=1)
        for by_peer in final.values()
    ]
    return dict(zip(peers, np.mean(ranks, axis=0).tolist(), strict=True))


def relative(final: Mapping[str, Mapping[str, Sequence[float]]], spread: Mapping[str, float]) -> dict[str, float]:
    """Mean over seeds and problems of regret / (optimum - median of f), by peer; one who misses a problem has none.

    >>> relative({"a": {"x": [0.0, 2.0]}, "b": {"x": [1.0, 1.0]}}, {"a": 10.0, "b": 2.0})
    {'x': 0.3}
    """
    return _averages(final, lambda problem, regret: float(np.mean(regret)) / spread[problem])


def share_away(final: Mapping[str, Mapping[str, Sequence[float]]], spread: Mapping[str, float]) -> dict[str, float]:
    """Share of the runs whose relative regret is more than `AWAY`, averaged over problems, by peer.

    >>> share_away({"a": {"x": [0.0, 2.0]}, "b": {"x": [1.0, 1.0]}}, {"a": 10.0, "b": 2.0})
    {'x': 0.75}
    """
    return _averages(final, lambda problem, regret: float(np.mean(np.asarray(regret) > AWAY * spread[problem])))


def _averages(
    final: Mapping[str, Mapping[str, Sequence[float]]], statistic: Callable[[str, Sequence[float]], float]
) -> dict[str, float]:
    """Mean of a statistic over the problems, for the peers that have them all."""
    return {
        peer: float(np.mean([statistic(problem, by_peer[peer]) for problem, by_peer in final.items()]))
        for peer in _complete(final)
    }


def _complete(final: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
    """The peers that miss no problem."""
    peers = dict.fromkeys(peer for by_peer in final.values() for peer in by_peer)
    return [peer for peer in peers if all(peer in by_peer for by_peer in final.values())]
