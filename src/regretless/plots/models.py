"""What the model says of any space, tables and categories too: slices, contours, importance, left-out results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from regretless.errors import InvalidInput
from regretless.lab.looks import certificates
from regretless.lab.sensitivity import importance
from regretless.lab.slices import Axis, anchor_of, anchor_words, axis_of, edges_of, line_of, slice_of, surface_of
from regretless.optimizer import LevelSet
from regretless.plots.canvas import BLUE, GREEN, GREY, ORANGE, SKY, VERMILLION, load, mark, new_axes, ticks, tidy
from regretless.plots.certificate import plot_certificate
from regretless.plots.records import as_study, evaluations
from regretless.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_contour", "plot_importance", "plot_parallel", "plot_parity", "plot_regret_left", "plot_slice"]

_PALE_TO_BLUE = ["#ECF3F9", "#00548F"]


def plot_regret_left(source: Study | Result, ax: "Axes | None" = None, *, looks: int = 12) -> "Axes":
    """Draw how much regret was left after some of the results: `plot_certificate` of so many ``looks``.

    Each is computed as the study is corrected today, and needs a fit.
    """
    found, counts = certificates(as_study(source), looks)
    if not found:
        raise InvalidInput("there is nothing to draw: no certificate could be computed yet.")
    ax = plot_certificate(found, ax=ax, evaluations=counts)
    ax.set_xlabel("results")
    return ax


def plot_slice(source: Study | Result, name: str, ax: "Axes | None" = None, *, outcome: str | None = None) -> "Axes":
    """Draw the posterior of an outcome along one factor, the others as recommended: mean and two sd to each side.

    Of a table too: its numbers between their ends, its names one by one. Circles are results, wherever the other
    factors were.
    """
    study = as_study(source)
    anchor, named = anchor_of(study), outcome or study.objective
    if name in study.space.names and name not in anchor:
        raise InvalidInput(f"{name} does not exist where {_called(study)}; there are {', '.join(anchor)}.")
    along = slice_of(study, _axis(study, name), anchor, outcome)
    axis, mean, sd = along.axis, np.array(along.mean), np.array(along.sd)
    seen, ax = evaluations(study, named), new_axes(ax)
    at = _places(axis, axis.values)
    if axis.numeric:
        ax.fill_between(at, mean - 2 * sd, mean + 2 * sd, color=SKY, alpha=0.3, linewidth=0, label="mean ± 2 sd")
        ax.plot(at, mean, color=BLUE, linewidth=2.0, label="posterior mean")
        ax.set_xscale("log" if axis.log else "linear")
    else:
        ax.errorbar(at, mean, 2 * sd, fmt="D", color=BLUE, ecolor=SKY, elinewidth=6, label="mean ± 2 sd")
        _name_ticks(ax, axis, "x")
    there = [i for i, params in enumerate(seen.params) if name in params and np.isfinite(seen.value[i])]
    x = _places(axis, [seen.params[i][name] for i in there])
    ax.scatter(x, seen.value[there], s=22, zorder=3, label="results", facecolor="white", edgecolor=GREY)
    ax.axvline(_places(axis, [anchor[name]])[0], color=GREEN, linestyle="--", linewidth=1.5, label=_called(study))
    _draw_line(ax, study, named)
    ax.set_xlabel(name)
    ax.set_ylabel(named)
    _keep_shape(ax, [*mean, *seen.value[there]])
    tidy(ax, grid=True)
    return ax


def _keep_shape(ax: "Axes", shown: Sequence[float]) -> None:
    """Cut bands off that would make means and results flat."""
    (low, high), width = ax.get_ylim(), max(shown) - min(shown)
    if width > 0.0:
        ax.set_ylim(max(low, min(shown) - width), min(high, max(shown) + width))


def plot_contour(
    source: Study | Result,
    over: Sequence[str],
    ax: "Axes | None" = None,
    *,
    outcome: str | None = None,
    n_grid: int = 41,
) -> "Axes":
    """Draw the posterior mean of an outcome over two factors, the others as recommended, with the results on it."""
    study = as_study(source)
    if isinstance(over, str) or len(over) != 2 or over[0] == over[1]:
        raise InvalidInput(f"over must name two different factors, got {over!r}.")
    first, second = (_axis(study, name, n_grid) for name in over)
    anchor, named = anchor_of(study), outcome or study.objective
    mean, inside = surface_of(study, first, second, anchor, outcome)
    ax, ramp = new_axes(ax), load("matplotlib.colors").LinearSegmentedColormap.from_list("mean", _PALE_TO_BLUE)
    drawn = ax.pcolormesh(edges_of(first), edges_of(second), mean, cmap=ramp, rasterized=True)
    bar: Any = ax.figure.colorbar(drawn, ax=ax, label=f"posterior mean of {named}", pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    seen = evaluations(study, named)
    for label, group in seen.groups.items():
        rows = [params for params, chosen in zip(seen.params, group, strict=True) if chosen]
        rows = [params for params in rows if first.name in params and second.name in params]
        x, y = (_places(axis, [params[axis.name] for params in rows]) for axis in (first, second))
        look: dict[str, Any] = {**mark(label), "s": 26, "zorder": 3, "linewidth": 0.9}
        ax.scatter(x, y, label=label, **look)
    if inside is not None and min(inside.shape) > 1 and inside.any() and not inside.all():
        edge: dict[str, Any] = {"colors": [ORANGE], "linewidths": 1.8}
        ax.contour(_places(first, first.values), _places(second, second.values), inside, levels=[0.5], **edge)
        ax.plot([], [], color=ORANGE, linewidth=1.8, label=f"edge of {study.outcomes[0].wanted.removeprefix('where ')}")
    if all(axis.name in anchor for axis in (first, second)):
        star = [_places(axis, [anchor[axis.name]]) for axis in (first, second)]
        look = {"s": 150, "marker": "*", "facecolor": GREEN, "edgecolor": "white", "zorder": 5}
        ax.scatter(star[0], star[1], label=_called(study), **look)
    for side, axis in (("x", first), ("y", second)):
        getattr(ax, f"set_{side}label")(axis.name)
        if not axis.numeric:
            _name_ticks(ax, axis, side)
        elif axis.log:
            getattr(ax, f"set_{side}scale")("log")
    tidy(ax, grid=False)
    return ax


def plot_parallel(source: Study | Result, ax: "Axes | None" = None, *, outcome: str | None = None) -> "Axes":
    """Draw every result as a line through its factors, each on its own scale; good results are dark and on top."""
    study = as_study(source)
    named = outcome or study.objective
    wanted = {each.name: each for each in study.outcomes}[named]
    seen = evaluations(study, named)
    names = [name for name in study.space.names if name not in study.space.constants]
    axes_of = [_axis(study, name) for name in names]
    ax, ramp = new_axes(ax), load("matplotlib.colors").LinearSegmentedColormap.from_list("value", _PALE_TO_BLUE)
    good = np.array([wanted.inward(float(value)) for value in seen.value])
    low, high = np.nanmin(good), np.nanmax(good)
    for i in np.argsort(np.where(np.isnan(good), -np.inf, good), kind="stable"):
        if np.isfinite(good[i]):
            share = (good[i] - low) / (high - low) if high > low else 1.0
            heights = [_height(axis, seen.params[i].get(axis.name)) for axis in axes_of]
            ax.plot(range(len(names)), heights, color=ramp(share), linewidth=0.8 + 1.4 * share, alpha=0.9)
    scale = load("matplotlib.colors").Normalize(*sorted((wanted.outward(low), wanted.outward(high))))
    shown = load("matplotlib.cm").ScalarMappable(scale, ramp if wanted.direction == "maximize" else ramp.reversed())
    bar: Any = ax.figure.colorbar(shown, ax=ax, label=named, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks([])
    for j, axis in enumerate(axes_of):
        ends = (axis.values[0], axis.values[-1])
        for value, y, va in ((ends[0], -0.03, "top"), (ends[1], 1.03, "bottom")):
            text = f"{value:.4g}" if axis.numeric else str(value)
            ax.text(j, y, text, ha="center", va=va, fontsize=8, color=GREY)
        ax.axvline(j, color=GREY, linewidth=0.8)
    ax.set_ylim(-0.14, 1.14)
    ax.tick_params(axis="x", length=0, pad=10)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def plot_importance(
    source: Study | Result,
    ax: "Axes | None" = None,
    *,
    by: Literal["lengthscale", "variance"] = "variance",
    outcome: str | None = None,
) -> "Axes":
    """Draw how much each factor matters: see `regretless.lab.importance`."""
    study = as_study(source)
    found = importance(study, outcome, by)
    ax = new_axes(ax)
    names, shares = list(found)[::-1], list(found.values())[::-1]
    ax.barh(names, shares, color=BLUE, height=0.6)
    for i, share in enumerate(shares):
        ax.text(share, i, f" {share:.0%}", va="center", fontsize=9)
    ax.set_xlabel(
        "share of variance explained alone" if by == "variance" else "inverse length scale, share of their sum"
    )
    ax.set_xlim(0.0, 1.08 * max([*shares, 1e-9]))
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(GREY)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", color=GREY, labelsize=9)
    return ax


def plot_parity(source: Study | Result, ax: "Axes | None" = None, *, outcome: str | None = None) -> "Axes":
    """Draw each result against what all others predict of it, with the interval that should hold nine of ten."""
    study = as_study(source)
    _, measured, median, low, high = study.predict_left_out(outcome)
    inside = (low <= measured) & (measured <= high)
    ax = new_axes(ax)
    ends = [min(measured.min(), median.min()), max(measured.max(), median.max())]
    room = 0.06 * (ends[1] - ends[0]) or 1.0
    limits = (ends[0] - room, ends[1] + room)
    ax.plot(limits, limits, color=GREY, linewidth=1.0, linestyle=":", label="as predicted")
    ax.hlines(measured, low, high, color=SKY, linewidth=1.6, label="nine of ten")
    ax.scatter(median[inside], measured[inside], s=24, color=BLUE, zorder=3, label="inside")
    if not inside.all():
        ax.scatter(median[~inside], measured[~inside], s=30, color=VERMILLION, marker="D", zorder=3, label="outside")
    named = outcome or study.objective
    ax.set(xlim=limits, ylim=limits, xlabel=f"predicted {named}", ylabel=f"measured {named}")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(ticks(whole=False))
    tidy(ax, grid=True)
    return ax


def _axis(study: Study, name: str, n_grid: int = 81) -> Axis:
    varying = [each for each in study.space.names if each not in study.space.constants]
    if name not in varying:
        raise InvalidInput(f"there is no factor {name!r} that varies; there are {', '.join(varying)}.")
    return axis_of(study, name, n_grid)


def _called(study: Study) -> str:
    """What the point is called that slices and contours go through."""
    return (
        "best measured"
        if isinstance(study.goal, LevelSet)
        else anchor_words(study).removeprefix("as ").removeprefix("in ")
    )


def _draw_line(ax: "Axes", study: Study, outcome: str) -> None:
    """The level, or the bound of a constraint."""
    line = line_of(study, outcome)
    if line is not None:
        ax.axhline(line[0], color=VERMILLION, linewidth=1.2, linestyle=":", label=line[1])


def _places(axis: Axis, values: Sequence[Any]) -> "list[float]":
    """Where values lie on an axis: themselves, or the place of a name in the list; NaN of one that is not there."""
    if axis.numeric:
        return [float(value) for value in values]
    return [float(axis.values.index(value)) if value in axis.values else float("nan") for value in values]


def _height(axis: Axis, value: Any) -> float:
    """Where a value lies between the ends of its axis, on the axis' own scale; not a number where it is absent."""
    if value is None or (axis.numeric and axis.log and value <= 0):
        return float("nan")
    low, high, at = _places(axis, [axis.values[0], axis.values[-1], value])
    if axis.log:
        low, high, at = np.log([low, high, at])
    return float((at - low) / (high - low)) if high > low else 0.5


def _name_ticks(ax: "Axes", axis: Axis, side: str) -> None:
    labels = [str(value) for value in axis.values]
    getattr(ax, f"set_{side}ticks")(
        range(len(labels)), [text if len(text) < 16 else text[:15] + "…" for text in labels]
    )
