"""Level sets: how probably each candidate reaches the level."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.errors import InvalidInput
from regretless.lab.slices import Axis, anchor_of, axis_of
from regretless.optimizer import LevelSet
from regretless.plots.canvas import BLACK, BLUE, GREY, SKY, VERMILLION, load, new_axes, ticks, tidy
from regretless.plots.records import as_study, evaluations
from regretless.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_region"]

#: From surely outside, through an even chance, to surely inside: dark is inside, in grey too.
_RAMP = ["#FFFFFF", "#DCEAF5", "#9CC7E4", BLUE, "#00436B"]


def plot_region(
    source: Study | Result, ax: "Axes | None" = None, *, over: str | Sequence[str] | None = None, n_grid: int = 61
) -> "Axes":
    """Draw how probably the level is reached, with what was measured; a line bounds the region.

    Over one factor: a curve. Over two: a map, with a line at an even chance. Filled marks reached the level when they
    were measured, open ones did not. With more factors, and none named, the candidates of a list stand side by side in
    the order of their probabilities.

    Parameters
    ----------
    source
        A study with ``goal=LevelSet(...)``, or the result of its run.
    ax
        Where to draw; new axes by default.
    over
        The name of one factor, or of two. It may be left out where only one or two vary. The others are held at the
        best measured trial: what is drawn is a slice, and results are projected onto it.
    n_grid
        Grid points along each factor.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.
    """
    study = as_study(source)
    if not isinstance(study.goal, LevelSet):
        raise InvalidInput("plot_region draws a level set; this study looks for an optimum: use plot_posterior.")
    names = _factors(study, over)
    ax = new_axes(ax)
    if names is None:
        return _draw_ranks(ax, study)
    axes_of = [axis_of(study, name, n_grid) for name in names]
    return _draw_line(ax, study, axes_of[0]) if len(axes_of) == 1 else _draw_map(ax, study, *axes_of)


def _factors(study: Study, over: str | Sequence[str] | None) -> list[str] | None:
    """The factors to draw over, or None for all candidates of a list side by side."""
    varying = [name for name in study.space.names if name not in study.space.constants]
    names = varying if over is None else [over] if isinstance(over, str) else list(over)
    if over is None and len(names) > 2:
        if study.space.dimensions:
            raise InvalidInput(f"{len(names)} factors: name one or two of them, such as over={names[:2]!r}.")
        return None
    if not 1 <= len(set(names)) == len(names) <= 2 or not set(names) <= set(varying):
        raise InvalidInput(f"over must name one or two different factors of {', '.join(varying)}, got {over!r}.")
    return names


def _draw_line(ax: "Axes", study: Study, axis: Axis) -> "Axes":
    at = np.arange(len(axis.values)) if not axis.numeric else np.array(axis.values, dtype=np.float64)
    chance = study.region([{**anchor_of(study), axis.name: value} for value in axis.values]).probability
    inside = (chance >= 0.5).tolist()
    if axis.numeric:
        ax.fill_between(at, 0.0, 1.0, where=inside, color=SKY, alpha=0.25, linewidth=0, label="taken to be inside")
        ax.plot(at, chance, color=BLUE, linewidth=2.0, label="probability")
    else:
        ax.scatter(at, chance, marker="D", color=BLUE, s=40, label="probability", zorder=3)
    ax.axhline(0.5, color=GREY, linewidth=1.0, linestyle=":")
    seen, reached = _measured(study, [axis])
    for label, which, height, look in _marks(reached):
        ax.scatter(seen[0][which], np.full(which.sum(), height), label=label, clip_on=False, zorder=4, **look)
    _scale(ax, "x", axis)
    ax.set(ylim=(-0.03, 1.03), ylabel=f"probability of {_words(study)}")
    tidy(ax, grid=True)
    return ax


def _draw_map(ax: "Axes", study: Study, first: Axis, second: Axis) -> "Axes":
    anchor = anchor_of(study)
    many = [{**anchor, first.name: u, second.name: v} for v in second.values for u in first.values]
    chance = study.region(many).probability.reshape(len(second.values), len(first.values))
    x, y = (_places(axis, axis.values) for axis in (first, second))
    ramp = load("matplotlib.colors").LinearSegmentedColormap.from_list("probability", _RAMP)
    drawn = ax.pcolormesh(x, y, chance, cmap=ramp, vmin=0.0, vmax=1.0, shading="nearest", rasterized=True)
    bar: Any = ax.figure.colorbar(drawn, ax=ax, label=f"probability of {_words(study)}", pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    if first.numeric and second.numeric and chance.min() < 0.5 < chance.max():
        ax.contour(x, y, chance, levels=[0.5], colors=BLACK, linewidths=1.4)
        ax.plot([], [], color=BLACK, linewidth=1.4, label="even chance")
    seen, reached = _measured(study, [first, second])
    for label, which, _, look in _marks(reached):
        ax.scatter(seen[0][which], seen[1][which], label=label, zorder=4, **look)
    for side, axis in (("x", first), ("y", second)):
        _scale(ax, side, axis)
    tidy(ax, grid=False)
    return ax


def _draw_ranks(ax: "Axes", study: Study) -> "Axes":
    region = study.region()
    chance = np.sort(region.probability)[::-1]
    at = np.arange(1, len(chance) + 1)
    inside = int(region.inside.sum())
    ax.axvspan(0.5, inside + 0.5, color=SKY, alpha=0.25, linewidth=0, label=f"taken to be inside: {inside}")
    ax.step(at, chance, where="mid", color=BLUE, linewidth=2.0, label="probability")
    ax.axhline(0.5, color=GREY, linewidth=1.0, linestyle=":")
    ax.set(xlabel="candidates, the most probable first", ylabel=f"probability of {_words(study)}", ylim=(-0.03, 1.03))
    ax.set_xlim(0.5, len(chance) + 0.5)
    ax.xaxis.set_major_locator(ticks(whole=True))
    tidy(ax, grid=True)
    return ax


def _measured(study: Study, axes_of: Sequence[Axis]) -> tuple[list[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    """Where results lie on the axes, and whether each reached the level."""
    seen, level = evaluations(study), study.goal.level if study.goal is not None else 0.0
    there = [
        i
        for i, params in enumerate(seen.params)
        if np.isfinite(seen.value[i]) and all(axis.name in params for axis in axes_of)
    ]
    value = seen.value[there]
    above = isinstance(study.goal, LevelSet) and study.goal.above is not None
    at = [np.array(_places(axis, [seen.params[i][axis.name] for i in there])) for axis in axes_of]
    return at, value >= level if above else value <= level


def _marks(reached: np.ndarray[Any, Any]) -> list[tuple[str, np.ndarray[Any, Any], float, dict[str, Any]]]:
    looks: list[dict[str, Any]] = [
        {"marker": "o", "s": 30, "facecolor": VERMILLION, "edgecolor": "white", "linewidth": 0.7},
        {"marker": "s", "s": 26, "facecolor": "white", "edgecolor": BLACK, "linewidth": 0.9},
    ]
    groups = zip(("measured: reached it", "measured: did not"), (reached, ~reached), (1.0, 0.0), looks, strict=True)
    return [(label, which, height, look) for label, which, height, look in groups if which.any()]


def _places(axis: Axis, values: Sequence[Any]) -> list[float]:
    return [float(value if axis.numeric else axis.values.index(value)) for value in values]


def _scale(ax: "Axes", side: str, axis: Axis) -> None:
    getattr(ax, f"set_{side}label")(axis.name)
    if not axis.numeric:
        getattr(ax, f"set_{side}ticks")(range(len(axis.values)), [str(value) for value in axis.values])
    elif axis.log:
        getattr(ax, f"set_{side}scale")("log")


def _words(study: Study) -> str:
    return "" if study.goal is None else study.goal.words(study.objective)
