"""What the model believes, with the points it learnt it from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.arrays import Floats, as_whole
from regretless.errors import InvalidInput
from regretless.lab.slices import in_usual_environment
from regretless.optimizer import Outcome
from regretless.plots.canvas import (
    ADDED,
    BLACK,
    BLUE,
    GREEN,
    INITIAL,
    ORANGE,
    SKY,
    VERMILLION,
    VIOLATES,
    load,
    mark,
    new_axes,
    ticks,
    tidy,
)
from regretless.plots.records import Evaluations, as_study, evaluations, objectives_of
from regretless.spaces import Float, Int
from regretless.study import Recommendation, Result, Study, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_posterior"]

Dimension = Float | Int

# Lightness runs one way in both ramps, so they read in grey and with any colour vision.
_PALE_TO_BLUE = ["#FFFFFF", "#CFE3F1", "#7FB6DA", BLUE, "#00436B"]
_YELLOW_TO_BROWN = ["#F0E442", ORANGE, VERMILLION, "#5A1F00"]
_POINT: dict[str, Any] = {"s": 30, "edgecolor": BLACK, "linewidth": 0.7, "clip_on": False, "zorder": 4}


def plot_posterior(
    source: Study | Result,
    ax: "Axes | None" = None,
    *,
    over: str | Sequence[str] | None = None,
    outcome: str | None = None,
    n_grid: int = 81,
) -> "Axes":
    """Draw the posterior over one or two parameters, with the points that were evaluated.

    Over one parameter: the mean, a band of two standard deviations of f, and the points. Over two: filled contours of
    the mean, and the points coloured by the order of their evaluation. The initial design is marked apart, and so is
    the recommended point. Trials that violate a constraint are crosses; the bound of a constraint that is drawn is a
    line.

    Parameters
    ----------
    source
        A study, or the result of a run, over real and whole-number parameters (not a table).
    ax
        Where to draw; new axes by default.
    over
        The name of one real or whole-number parameter, or of two. It may be left out where only one or two vary. The
        others are held at the recommended point: what is drawn is a slice, and points are projected onto it. With
        several objectives they are held at the first of the Pareto-optimal trials.
    outcome
        Which outcome to draw; the (first) objective by default.
    n_grid
        Grid points along each parameter.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.
    """
    study = as_study(source)
    drawn = _outcome(study, outcome)
    seen = evaluations(study, drawn.name)
    axes_of = _chosen(study, over)
    recommended = _anchor(study)
    ax = new_axes(ax)
    grids = [_grid(part, n_grid) for part in axes_of.values()]
    if len(axes_of) == 1:
        _draw_line(ax, study, drawn, seen, recommended, next(iter(axes_of)), grids[0])
    else:
        _draw_map(ax, study, drawn, seen, recommended, list(axes_of), grids)
    for axis, part, grid in zip("xy", axes_of.values(), grids, strict=False):
        ax.set(**{f"{axis}scale": "log" if part.log else "linear", f"{axis}lim": (grid[0], grid[-1])})
        if not part.log:
            getattr(ax, f"{axis}axis").set_major_locator(ticks(whole=isinstance(part, Int)))
    held = [name for name in _varying(study) if name not in axes_of]
    if held:
        where = "slice at " + ", ".join(f"{name} = {_short(recommended.params[name])}" for name in held)
        frame = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8}
        ax.text(0.015, 0.02, where, transform=ax.transAxes, fontsize=8, bbox=frame, zorder=6)
    return ax


def _outcome(study: Study, name: str | None) -> Outcome:
    known = {each.name: each for each in study.outcomes}
    if name is not None and name not in known:
        raise InvalidInput(f"outcome must be one of {', '.join(known)}, got {name!r}.")
    return study.outcomes[0] if name is None else known[name]


def _anchor(study: Study) -> Recommendation | Trial:
    """Where what is not drawn is held: the recommended point, or one of several that are Pareto-optimal."""
    if len(objectives_of(study)) == 1:
        found = study.recommend()
        return replace(found, params=in_usual_environment(study, found.params))
    if not study.best_trials:
        raise InvalidInput("there is nothing to draw: no trial has every outcome and satisfies the constraints yet.")
    return study.best_trials[0]


def _draw_line(
    ax: "Axes",
    study: Study,
    outcome: Outcome,
    seen: Evaluations,
    recommended: Recommendation | Trial,
    name: str,
    grid: list[Any],
) -> None:
    mean, sd = study.predict([{**recommended.params, name: value} for value in grid], outcome.name)
    ax.fill_between(grid, mean - 2.0 * sd, mean + 2.0 * sd, color=SKY, alpha=0.3, linewidth=0, label="mean ± 2 sd")
    ax.plot(grid, mean, color=BLUE, linewidth=2.0, label="posterior mean")
    x, measured = seen.column(name), np.isfinite(seen.value)
    measured &= (grid[0] <= x) & (x <= grid[-1])  # data beyond the bounds are not in the picture
    for label, group in seen.groups.items():
        which = group & measured
        if which.any():
            ax.scatter(x[which], seen.value[which], label=label, **_look(label))
    if isinstance(recommended, Recommendation):
        ax.axvline(recommended.params[name], color=GREEN, linestyle="--", linewidth=1.5, label="recommended")
    if outcome.role == "constraint":
        ax.axhline(outcome.bound, color=VERMILLION, linewidth=1.2, linestyle=":", label=outcome.wanted)
    ax.set_xlabel(name)
    ax.set_ylabel(outcome.name)
    tidy(ax, grid=True)


def _draw_map(
    ax: "Axes",
    study: Study,
    outcome: Outcome,
    seen: Evaluations,
    recommended: Recommendation | Trial,
    names: list[str],
    grids: list[list[Any]],
) -> None:
    a, b = names
    many = [{**recommended.params, a: u, b: v} for v in grids[1] for u in grids[0]]
    mean: Floats = study.predict(many, outcome.name)[0].reshape(len(grids[1]), len(grids[0]))
    ramp = load("matplotlib.colors").LinearSegmentedColormap.from_list
    filled = ax.contourf(grids[0], grids[1], mean, levels=24, cmap=ramp("mean", _PALE_TO_BLUE))
    filled.set_edgecolor("face")  # no hairlines between the bands in vector formats
    x, y = seen.column(a), seen.column(b)
    shown = (grids[0][0] <= x) & (x <= grids[0][-1]) & (grids[1][0] <= y) & (y <= grids[1][-1])
    for label, group in seen.groups.items():
        which, look = group & shown, _look(label)
        if not which.any():
            continue
        if label not in (INITIAL, ADDED, VIOLATES):  # chosen by the rule: coloured by their order
            del look["facecolor"]
            look |= {"c": seen.number[which], "cmap": ramp("order", _YELLOW_TO_BROWN)}
        dots = ax.scatter(x[which], y[which], label=label, **look)
        if "c" in look:
            _bar(ax, dots, "evaluation", whole=True)
    told = "posterior mean" if len(study.outcomes) == 1 else f"posterior mean of {outcome.name}"
    _bar(ax, filled, told, whole=False)
    if outcome.role == "constraint" and mean.min() < outcome.bound < mean.max():
        edge: dict[str, Any] = {"colors": [VERMILLION], "linewidths": 1.6, "linestyles": "--"}
        ax.contour(grids[0], grids[1], mean, levels=[outcome.bound], **edge)
        ax.plot([], [], color=VERMILLION, linewidth=1.6, linestyle="--", label=f"edge of {outcome.wanted}")
    if isinstance(recommended, Recommendation):
        star: dict[str, Any] = {"marker": "*", "facecolor": GREEN, "edgecolor": "white", "clip_on": False, "zorder": 5}
        ax.scatter([recommended.params[a]], [recommended.params[b]], s=150, linewidth=0.9, label="recommended", **star)
    ax.set_xlabel(a)
    ax.set_ylabel(b)
    tidy(ax, grid=False)


def _look(label: str) -> dict[str, Any]:
    """How a group of points is drawn; a cross has no edge."""
    look = {**mark(label), **_POINT}
    if label == VIOLATES:
        del look["edgecolor"]
        look["linewidth"] = 1.4
    return look


def _bar(ax: "Axes", drawn: Any, label: str, *, whole: bool) -> None:
    bar: Any = ax.figure.colorbar(drawn, ax=ax, label=label, pad=0.02, aspect=30, ticks=ticks(whole=whole))
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=9, length=2)


def _varying(study: Study) -> dict[str, Any]:
    space = study.space
    if space.has_rows:
        raise InvalidInput(
            "plot_posterior draws real and whole-number parameters; this study's space is a table. "
            "Use study.predict for its rows and plot_regret for its progress."
        )
    return {name: part for name, part in space.dimensions.items() if name not in space.constants}


def _chosen(study: Study, over: str | Sequence[str] | None) -> dict[str, Dimension]:
    varying = _varying(study)
    known = ", ".join(name for name, part in varying.items() if isinstance(part, Float | Int))
    wanted = list(varying) if over is None else [over] if isinstance(over, str) else list(over)
    if over is None and len(wanted) > 2:
        raise InvalidInput(
            f"{len(wanted)} parameters vary. Name one or two of them, such as over={wanted[:2]!r}; the others are held "
            "at the recommended point."
        )
    if not 1 <= len(wanted) <= 2 or len(set(wanted)) != len(wanted):
        raise InvalidInput(f"over must name one or two different parameters, got {over!r}.")
    axes_of: dict[str, Dimension] = {}
    for name in wanted:
        part = varying.get(name)
        if not isinstance(part, Float | Int):
            raise InvalidInput(f"over: {name!r} is no real or whole-number parameter; there are: {known or 'none'}.")
        axes_of[name] = part
    return axes_of


def _grid(part: Dimension, n_grid: int) -> list[Any]:
    """Values along an axis, evenly spaced on its own scale; all of them where they are few."""
    codes = np.linspace(0.0, 1.0, as_whole(n_grid, "n_grid", least=2)).tolist()
    return sorted({part.decode(code) for code in codes})


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
