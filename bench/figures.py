"""Figures of both benchmarks; colours that the colour-blind can tell apart (Okabe and Ito), and line styles."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.adapters import OURS, PEERS, Floats
from bench.statistics import AWAY, FLOOR

__all__ = ["draw_cost", "draw_found", "draw_losses", "draw_regret", "draw_targets", "draw_wrong"]

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#999933")
_STYLES = ("-", "--", ":")
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
        "color": _COLOURS[number % len(_COLOURS)],
        "linestyle": _STYLES[number // len(_COLOURS)],
        "linewidth": 1.2,
        "zorder": 1,
    }


def draw_cost(rows: Sequence[CostRow], path: Path) -> None:
    """Seconds per suggestion on a log scale, one panel a work."""
    works = list(dict.fromkeys(row.work for row in rows if row.unit == "s"))
    if not works:
        return
    figure, axes = _grid(len(works), height=3.2)
    for axis, work in zip(axes, works, strict=False):
        shown = [row for row in rows if row.work == work][::-1]
        labels = [PEERS[row.peer].label if row.peer in PEERS else row.peer for row in shown]
        ours = [row.peer in OURS or row.peer.startswith("Regretless") for row in shown]
        axis.scatter([row.value for row in shown], labels, c=[_OWN_COLOUR if own else _COLOURS[0] for own in ours])
        axis.set(title=work, xscale="log", xlabel="CPU seconds per suggestion")
        low, high = min(row.value for row in shown), max(row.value for row in shown)
        axis.set_xlim(10.0 ** np.floor(np.log10(0.8 * low)), 10.0 ** np.ceil(np.log10(1.25 * high)))
        axis.xaxis.set_minor_formatter("")  # decades are enough; the labels between them run into each other
        axis.margins(y=0.15)
        axis.grid(axis="x", alpha=0.3)
    _save(figure, path)


def draw_regret(curves: Mapping[str, Mapping[str, Floats]], path: Path) -> None:
    """Relative regret over all problems, then median and quartiles on each; ``curves[problem][peer]`` is (seeds, t)."""
    figure, (mean, away, *axes) = _grid(len(curves) + 2)
    for peer in dict.fromkeys(peer for by_peer in curves.values() for peer in by_peer):
        if all(peer in by_peer for by_peer in curves.values()):
            used = np.linspace(0.0, 1.0, 101)
            paths = [_at(by_peer[peer], used) for by_peer in curves.values()]
            mean.plot(
                used, np.mean([path.mean(axis=0) for path in paths], axis=0), label=PEERS[peer].label, **style(peer)
            )
            away.plot(used, np.mean([(path > AWAY).mean(axis=0) for path in paths], axis=0), **style(peer))
    share = "share of the evaluations"
    mean.set(title="all: mean relative regret", yscale="log", xlabel=share, ylabel="of (optimum - median of f)")
    away.set(title="all: runs more than 1 % away", ylim=(0.0, 1.0), xlabel=share, ylabel="share of the runs")
    for axis, (problem, by_peer) in zip(axes, curves.items(), strict=False):
        for peer, regret in by_peer.items():
            low, middle, high = np.maximum(np.quantile(regret, (0.25, 0.5, 0.75), axis=0), FLOOR)
            t = np.arange(1, len(middle) + 1)
            look = style(peer)
            axis.plot(t, middle, label=PEERS[peer].label, **look)
            axis.fill_between(t, low, high, color=look["color"], alpha=0.08, linewidth=0)
        axis.set(title=problem, yscale="log", xlabel="evaluations", ylabel="relative regret")
    _legend(figure, [mean, *axes])
    _save(figure, path)


def draw_found(evaluations: Mapping[str, Mapping[str, Sequence[int]]], path: Path) -> None:
    """Share of the seeds that have found the optimum of a table, by evaluations."""
    figure, axes = _grid(len(evaluations))
    for axis, (table, by_peer) in zip(axes, evaluations.items(), strict=False):
        last = max(max(counts) for counts in by_peer.values())
        for peer, counts in by_peer.items():
            share = np.arange(len(counts) + 2) / len(counts)
            share[-1] = 1.0
            axis.step([0, *sorted(counts), last], share, where="post", label=PEERS[peer].label, **style(peer))
        axis.set(title=table, xlabel="evaluations", ylabel="optimum found")
    _legend(figure, axes)
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


def _at(regret: Floats, used: Floats) -> Floats:
    """Columns of (seeds, t) after each share of the evaluations."""
    return regret[:, np.ceil(used * (regret.shape[1] - 1)).astype(int)]


def _grid(n: int, height: float = 3.0) -> tuple[Any, list[Any]]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    columns = min(n, 3)
    rows = -(-n // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.4 * columns, height * rows + 0.6), squeeze=False, layout="constrained"
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
