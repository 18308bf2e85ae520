"""The figures of a report as text that stands in the page: no file beside it, no connection."""

import io
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.lab.looks import certificates
from regretless.lab.main_effects import Effect
from regretless.lab.text import objectives_of
from regretless.plots import plot_certificate, plot_front, plot_hypervolume, plot_region, plot_regret
from regretless.plots.canvas import BLUE, SKY, load
from regretless.plots.page import image
from regretless.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["certificate_figure", "effects_figure", "front_figure", "progress_figure", "region_figure"]


def progress_figure(study: Study) -> str:
    """The best value so far; of several objectives the hypervolume."""
    figure, ax = _figure((7.0, 3.4))
    if len(objectives_of(study)) > 1:
        plot_hypervolume(study, ax=ax)
        return _embedded(figure, "The hypervolume of the measured front, by evaluation")
    plot_regret(study, ax=ax)
    ax.set_ylabel(study.objective)
    return _embedded(figure, "The best value so far, by evaluation")


def front_figure(study: Study) -> str:
    """What was measured and what is recommended, for each pair of objectives."""
    pairs = list(combinations([outcome.name for outcome in objectives_of(study)], 2))
    columns = min(len(pairs), 2)
    rows = -(-len(pairs) // columns)
    figure = load("matplotlib.figure").Figure(figsize=(6.4 * columns, 4.6 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, pair in zip(axes, pairs, strict=False):
        plot_front(study, ax, over=pair)
    for ax in axes[len(pairs) :]:
        ax.set_visible(False)
    return _embedded(figure, "Measured and recommended points, one objective against another")


def region_figure(study: Study) -> str:
    """How probably the level is reached: over the factors where one or two vary, else over all rows in order.

    A space of more factors that is no list is drawn over the first two, the others held at the best measured trial.
    """
    varying = [name for name in study.space.names if name not in study.space.constants]
    figure, ax = _figure((7.0, 4.0))
    plot_region(study, ax, over=varying[:2] if study.space.dimensions else None)
    return _embedded(figure, "How probably the level is reached")


def certificate_figure(study: Study) -> str:
    """The regret that was left, or of a level set how many were on the wrong side, by evaluation."""
    looks, counts = certificates(study)
    if not looks:
        return "<p>There was no certificate to draw.</p>"
    figure, ax = _figure((7.0, 3.4))
    plot_certificate(looks, ax=ax, evaluations=counts)
    ax.set_xlabel("results")
    what = "How much regret was left" if study.goal is None else "How many candidates are on the wrong side"
    return _embedded(figure, f"{what}, by number of results")


def effects_figure(found: Sequence[Effect], objective: str) -> str:
    """One small panel per factor, all on one scale."""
    columns = 3
    rows = -(-len(found) // columns)
    figure, grid = _figure((9.0, 2.6 * rows), rows, columns)
    axes = np.atleast_1d(grid).ravel()
    for ax, effect in zip(axes, found, strict=False):
        _panel(ax, effect)
    for ax in axes[len(found) :]:
        ax.set_visible(False)
    for ax in axes[::columns]:
        ax.set_ylabel(f"expected {objective}", fontsize=9)
    return _embedded(figure, "Expected value by factor")


def _panel(ax: Any, effect: Effect) -> None:
    at = [level.at for level in effect.levels]
    mean = [level.mean for level in effect.levels]
    low, high = ([getattr(level, side) for level in effect.levels] for side in ("low", "high"))
    if effect.numeric:
        ax.fill_between(at, low, high, color=SKY, alpha=0.35, linewidth=0)
        ax.plot(at, mean, color=BLUE, linewidth=1.8, marker="o", markersize=3.5)
    else:
        ax.vlines(at, low, high, color=SKY, linewidth=6, alpha=0.5)
        ax.scatter(at, mean, color=BLUE, s=26, zorder=3)
        ax.set_xticks(at, [_short(level.label) for level in effect.levels], rotation=30 if len(at) > 3 else 0)
        ax.margins(x=0.15)
    ax.set_xlabel(_short(effect.name, 30))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    ax.grid(visible=True, color="#E6E6E6", linewidth=0.8)
    ax.set_axisbelow(True)


def _short(text: str, most: int = 14) -> str:
    text = text.replace("$", r"\$")  # matplotlib would set it as mathematics
    return text if len(text) <= most else text[: most - 1] + "…"


def _figure(size: tuple[float, float], rows: int = 1, columns: int = 1) -> "tuple[Figure, Any]":
    """A figure of its own, which no window and no list of open figures knows of."""
    figure = load("matplotlib.figure").Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, sharey=True)


def _embedded(figure: "Figure", says: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=160)
    return image(buffer.getvalue(), says)
