"""Figures of both benchmarks; colours that the colour-blind can tell apart (Okabe and Ito), and line styles."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.adapters import OURS, PEERS, Floats
from bench.statistics import FLOOR

__all__ = ["draw_cost", "draw_found", "draw_losses", "draw_medians", "draw_regret", "draw_targets", "draw_wrong"]

#: Of each package its colour in every figure: Okabe and Ito's, then Paul Tol's. Vermillion is ours.
_OF_PEER = {
    "botorch-logei": "#0072B2",
    "botorch-ucb": "#56B4E9",
    "ax": "#332288",
    "optuna-gp": "#009E73",
    "optuna-tpe": "#44AA99",
    "scikit-optimize": "#CC79A7",
    "bayes-opt": "#000000",
    "smac": "#999933",
    "baybe": "#E69F00",
    "hebo": "#882255",
    "random": "#767676",
}
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#999933")
_OWN_STYLES = ("-", "--", ":", "-.", (0, (1, 3)), (0, (8, 3)))
_OWN_COLOUR = "#D55E00"


class CostRow(Protocol):
    """What a figure needs of a line of the cost table."""

    work: str
    peer: str
    value: float
    unit: str


def style(peer: str) -> dict[str, Any]:
    """Colour, line style and width of a peer, the same in every figure; our default stands out."""
    if peer in OURS:
        return {
            "color": _OWN_COLOUR,
            "linestyle": _OWN_STYLES[OURS.index(peer)],
            "linewidth": 2.4 if peer == OURS[0] else 1.5,
            "zorder": 3 if peer == OURS[0] else 2,
        }
    number = [name for name in PEERS if name not in OURS].index(peer)
    return {
        "color": _OF_PEER.get(peer, _COLOURS[number % len(_COLOURS)]),
        "linestyle": "-",
        "linewidth": 1.4,
        "zorder": 1,
    }


def draw_cost(rows: Sequence[CostRow], path: Path, titles: Mapping[str, str]) -> None:
    """Seconds per suggestion on a log scale, one panel per work; a method has its colour."""
    works = list(dict.fromkeys(row.work for row in rows if row.unit == "s"))
    if not works:
        return
    figure, axes = _grid(len(works), height=3.2)
    for axis, work in zip(axes, works, strict=False):
        shown = [row for row in rows if row.work == work][::-1]
        labels = [PEERS[row.peer].label if row.peer in PEERS else row.peer for row in shown]
        colours = [style(row.peer)["color"] if row.peer in PEERS else _other(row.peer) for row in shown]
        axis.scatter([row.value for row in shown], labels, c=colours, s=40, zorder=3)
        axis.set(xscale="log", xlabel="CPU seconds per suggestion")
        axis.set_title(textwrap.fill(titles.get(work, work), 44), fontsize=9)
        low, high = min(row.value for row in shown), max(row.value for row in shown)
        axis.set_xlim(10.0 ** np.floor(np.log10(0.8 * low)), 10.0 ** np.ceil(np.log10(1.25 * high)))
        axis.xaxis.set_minor_formatter("")  # decades are enough; the labels between them run into each other
        axis.margins(y=0.15)
        axis.grid(axis="x", alpha=0.3)
    _save(figure, path)


def draw_regret(curves: Mapping[str, Mapping[str, Floats]], path: Path) -> None:
    """A panel per peer beside our default over all problems, then a panel per problem with the regret at the end.

    ``curves[problem][peer]`` is (seeds, t), relative to the distance from the optimum to the median of f.
    """
    everywhere = [peer for peer in next(iter(curves.values())) if all(peer in by_peer for by_peer in curves.values())]
    others = [peer for peer in everywhere if peer != OURS[0]]
    figure, axes = _grid(len(others) + len(curves), columns=4, height=2.5, width=3.6)
    used = np.linspace(0.0, 1.0, 101)

    def mean_of(peer: str) -> Floats:
        return np.mean([_at(by_peer[peer], used).mean(axis=0) for by_peer in curves.values()], axis=0)

    ends = [mean_of(peer) for peer in everywhere]
    span = (0.8 * min(end.min() for end in ends), 1.2 * max(end.max() for end in ends))
    for axis, peer in zip(axes, others, strict=False):
        if OURS[0] in everywhere:
            axis.plot(used, mean_of(OURS[0]), **style(OURS[0]))
        axis.plot(used, mean_of(peer), **{**style(peer), "linewidth": 2.0})
        axis.set(yscale="log", ylim=span, xlabel="share of the evaluations", ylabel="mean relative regret")
        axis.set_title(PEERS[peer].label, color=style(peer)["color"], fontsize=10)
        axis.grid(alpha=0.3)
    for axis, (problem, by_peer) in zip(axes[len(others) :], curves.items(), strict=False):
        final = {peer: np.maximum(regret[:, -1], FLOOR) for peer, regret in by_peer.items()}
        _dots(axis, final)
        axis.set(xscale="log", xlabel="relative regret at the end")
        axis.xaxis.set_minor_formatter("")
        axis.set_title(problem_title(problem), fontsize=10)
    meaning = (
        f"Above: {PEERS[OURS[0]].label} (vermillion, thick) beside one peer each, mean over {len(curves)} problems. "
        "Below: each problem alone; dot: median of the seeds, bar: their middle half."
    )
    figure.suptitle(meaning, fontsize=10)
    _save(figure, path)


def draw_found(evaluations: Mapping[str, Mapping[str, Sequence[int]]], path: Path) -> None:
    """Evaluations until the optimum of a table is found, one panel per table."""
    figure, axes = _grid(len(evaluations), width=4.6)
    for axis, (table, by_peer) in zip(axes, evaluations.items(), strict=False):
        _dots(axis, {peer: np.asarray(counts, dtype=np.float64) for peer, counts in by_peer.items()})
        axis.set(xlabel="evaluations until the optimum is found")
        axis.set_xlim(left=0.0)
        axis.set_title(problem_title(table), fontsize=10)
    figure.suptitle("Dot: median of the seeds; bar: their middle half. Farther left is better.", fontsize=10)
    _save(figure, path)


def draw_targets(shares: Mapping[str, Mapping[str, Sequence[float]]], path: Path) -> None:
    """Share of targets reached against evaluations / d; ``shares["2"][peer]`` has one number per evaluation, d = 2."""
    figure, axes = _grid(len(shares))
    for axis, (d, by_peer) in zip(axes, shares.items(), strict=False):
        for peer, share in by_peer.items():
            axis.step(
                np.arange(1, len(share) + 1) / int(d), share, where="post", label=PEERS[peer].label, **style(peer)
            )
        axis.set(title=f"BBOB, d = {d}", xlabel="evaluations / d", ylabel="share of targets reached", ylim=(0.0, None))
    _legend(figure, axes)
    _save(figure, path)


def draw_losses(
    curves: Mapping[str, Mapping[str, Floats]], path: Path, loss: str, peers: Sequence[str], floor: float = 1e-6
) -> None:
    """Median loss over evaluations, one panel per problem; a peer has the colour of its place in ``peers``."""
    figure, axes = _grid(len(curves))
    colours = dict(zip((peer for peer in peers if peer not in OURS), _COLOURS, strict=False))
    for axis, (problem, by_peer) in zip(axes, curves.items(), strict=False):
        for peer, values in by_peer.items():
            middle = np.maximum(np.median(values, axis=0), floor)
            look = style(peer) | ({"color": colours[peer], "linestyle": "-"} if peer in colours else {})
            axis.plot(np.arange(1, len(middle) + 1), middle, label=PEERS[peer].label, **look)
        axis.set(title=problem, yscale="log", xlabel="evaluations", ylabel=f"median {loss}")
        axis.grid(axis="y", alpha=0.3)
    _legend(figure, axes)
    _save(figure, path)


def draw_medians(curves: Mapping[str, Mapping[str, Floats]], path: Path, loss: str) -> None:
    """Median over seeds by evaluation on a log scale, one panel per problem; labels that begin with ours stand out."""
    figure, axes = _grid(len(curves))
    labels = list(dict.fromkeys(label for by_label in curves.values() for label in by_label))
    ours = [label for label in labels if label.startswith("Regretless")]
    others = dict(zip((label for label in labels if label not in ours), _COLOURS, strict=False))
    for axis, (problem, by_label) in zip(axes, curves.items(), strict=False):
        for label, values in by_label.items():
            if label in ours:
                place = ours.index(label)
                look: dict[str, Any] = {"color": _OWN_COLOUR, "linestyle": _OWN_STYLES[place], "zorder": 3}
                look["linewidth"] = 2.4 if place == 0 else 1.6
            else:
                look = {"color": others[label], "linewidth": 1.3}
            axis.plot(np.arange(1, values.shape[1] + 1), np.median(values, axis=0), label=label, **look)
        axis.set(title=problem, yscale="log", xlabel="evaluations", ylabel=f"median {loss}")
        axis.grid(axis="y", alpha=0.3)
    _legend(figure, axes)
    _save(figure, path)


def draw_wrong(curves: Mapping[str, Mapping[str, Floats]], at: Sequence[int], path: Path) -> None:
    """Mean share on the wrong side by evaluation, one panel per problem; the first label is our own."""
    figure, axes = _grid(len(curves))
    for axis, (problem, by_rule) in zip(axes, curves.items(), strict=False):
        looks = [{"color": _OWN_COLOUR, "linewidth": 2.4, "zorder": 3}] + [
            {"color": colour, "linewidth": 1.3, "linestyle": line}
            for colour, line in zip(_COLOURS, ("-", "--", "-.", ":", (0, (6, 2))), strict=False)
        ]
        for (rule, values), look in zip(by_rule.items(), looks, strict=False):
            axis.plot(at, 100.0 * values.mean(axis=0), label=rule, **look)
        axis.set(title=problem, xlabel="evaluations", ylabel="% of candidates wrong", ylim=(0.0, None))
        axis.grid(axis="y", alpha=0.3)
    _legend(figure, axes)
    _save(figure, path)


_TITLES = {
    "agnp": "AgNP",
    "autoam": "AutoAM",
    "bukin6": "Bukin no. 6",
    "cross-in-tray": "Cross-in-tray",
    "p3ht": "P3HT/CNT",
    "styblinski-tang": "Styblinski-Tang",
}


def problem_title(problem: str) -> str:
    """A test function or table as people write it: ``ackley-4`` is *Ackley, d = 4*."""
    found = re.fullmatch(r"(.+?)-?(\d*)", problem)
    assert found is not None
    name, dim = (problem, "") if problem in _TITLES else found.groups()
    words = _TITLES.get(name, name.replace("-", " "))
    return words[:1].upper() + words[1:] + (f", d = {dim}" if dim else "")


def _other(label: str) -> str:
    """The colour of a line of the cost table that is no method: our own at a size, or what it is compared with."""
    return _OWN_COLOUR if label.startswith("Regretless") else "#767676"


def _dots(axis: Any, values: Mapping[str, Floats]) -> None:
    """A row per method: median and middle half."""
    for row, (peer, each) in enumerate(reversed(values.items())):
        low, middle, high = np.quantile(each, (0.25, 0.5, 0.75))
        look = style(peer)
        axis.plot([low, high], [row, row], color=look["color"], linewidth=3.0 if peer == OURS[0] else 1.6, alpha=0.6)
        axis.plot(middle, row, "o", color=look["color"], markersize=7 if peer == OURS[0] else 5)
    axis.set_yticks(range(len(values)), [PEERS[peer].label for peer in reversed(values)], fontsize=8)
    axis.grid(axis="x", alpha=0.3)


def _at(regret: Floats, used: Floats) -> Floats:
    """Columns of (seeds, t) after each share of the evaluations."""
    return regret[:, np.ceil(used * (regret.shape[1] - 1)).astype(int)]


def _grid(n: int, *, height: float = 3.0, width: float = 4.4, columns: int = 3) -> tuple[Any, list[Any]]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    columns = min(n, columns)
    rows = -(-n // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(width * columns, height * rows + 0.6), squeeze=False, layout="constrained"
    )
    flat = list(axes.flat)
    for axis in flat[n:]:
        axis.set_axis_off()
    return figure, flat


def _legend(figure: Any, axes: list[Any]) -> None:
    entries = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=4, frameon=False)


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
