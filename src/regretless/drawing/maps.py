"""A map of two factors by the model, with the experiments on it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.drawing.axes import Axes, Scale, names_scale, scale_of, short
from regretless.drawing.figure import Figure
from regretless.drawing.svg import GREEN, INK, ORANGE, VERMILLION, Canvas
from regretless.lab.slices import Axis, anchor_of, anchor_words, axis_of, edges_of, mixed_with, surface_of
from regretless.lab.text import number, objectives_of, pairs
from regretless.optimizer import LevelSet
from regretless.study import Study

__all__ = ["map_figure"]

_WIDE, _HIGH = 430.0, 310.0
_GRID = 25


def map_figure(study: Study, first: str, second: str, outcome: str | None = None) -> Figure:
    """The expected outcome over two factors, the others as recommended; categories and log scales as they are."""
    name, anchor = study.objective if outcome is None else outcome, anchor_of(study)
    across, up = axis_of(study, first, _GRID), axis_of(study, second, _GRID)
    mean, inside = surface_of(study, across, up, anchor, outcome)
    low, high = float(np.nanmin(mean)), float(np.nanmax(mean))
    canvas = Canvas(_WIDE, _HIGH, f"Expected {name} over {first} and {second}, from {number(low)} to {number(high)}")
    room = 72.0 if up.numeric else min(36.0 + 6.4 * max(len(str(value)) for value in up.values), 130.0)
    axes = Axes(canvas, _scale(across), _scale(up), top=14, right=88, left=room)
    edges_x, edges_y = edges_of(across), edges_of(up)
    for j in range(len(up.values)):
        for i in range(len(across.values)):
            x, y = axes.at(edges_x[i], edges_y[j + 1])
            right, below = axes.at(edges_x[i + 1], edges_y[j])
            expected = float(mean[j, i])
            if math.isnan(expected):  # no experiment has these two values
                continue
            share = (expected - low) / (high - low) if high > low else 0.5
            canvas.shade(x, y, right - x + 0.6, below - y + 0.6, share)
    axes.frame(first, second, grid=False)
    if inside is not None:
        _outline(axes, inside, edges_x, edges_y)
    rows = []
    for trial in study.trials:
        value = trial.values.get(name)
        places = [_place(axis, trial.params.get(axis.name)) for axis in (across, up)]
        if value is None or trial.excluded or not study.at_target(trial) or any(place is None for place in places):
            continue
        u, v = (float(place or 0.0) for place in places)
        if axes.x.low <= u <= axes.x.high and axes.y.low <= v <= axes.y.high:
            canvas.mark(
                *axes.at(u, v), VERMILLION, says=f"trial {trial.number}: {number(value)} at {pairs(trial.params)}"
            )
        rows.append([str(trial.number), number(trial.params[first]), number(trial.params[second]), number(value)])
    at = [_place(axis, anchor.get(axis.name)) for axis in (across, up)]
    recommended = not isinstance(study.goal, LevelSet) and len(objectives_of(study)) == 1
    if None not in at and recommended:
        canvas.mark(*axes.at(float(at[0] or 0.0), float(at[1] or 0.0)), GREEN, "star", size=5.0, says="recommended")
    _bar(canvas, name, low, high)
    moving = {first, second, *mixed_with(study, (first, second))}
    held = {key: value for key, value in anchor.items() if key not in moving}
    held_at = f" Other factors are held {anchor_words(study)}: {pairs(held)}." if held else ""
    held_at += " The other components of the mixture share what is left." if len(moving) > 2 else ""
    star = ", the star is recommended" if recommended else ""
    edge = "" if not isinstance(study.goal, LevelSet) else f" The line goes around what has {study.goal.words(name)}."
    caption = f"Dark is large. Dots are results{star}.{edge}{held_at}"
    return Figure(f"{first} and {second}", caption, canvas.drawing(), ["trial", first, second, name], rows)


def _outline(axes: Axes, inside: npt.NDArray[np.bool_], edges_x: Sequence[float], edges_y: Sequence[float]) -> None:
    """A line between cells of which one is inside and the other is not."""
    rows, columns = inside.shape
    for j in range(rows):
        for i in range(columns):
            if i + 1 < columns and inside[j, i] != inside[j, i + 1]:
                ends = [axes.at(edges_x[i + 1], edges_y[j]), axes.at(edges_x[i + 1], edges_y[j + 1])]
                axes.canvas.line(ends, ORANGE, width=2.4)
            if j + 1 < rows and inside[j, i] != inside[j + 1, i]:
                ends = [axes.at(edges_x[i], edges_y[j + 1]), axes.at(edges_x[i + 1], edges_y[j + 1])]
                axes.canvas.line(ends, ORANGE, width=2.4)


def _bar(canvas: Canvas, name: str, low: float, high: float) -> None:
    x, top, tall = canvas.width - 76, 30.0, 200.0
    for i in range(20):
        canvas.shade(x, top + tall * i / 20, 14, tall / 20 + 0.5, 1.0 - i / 19)
    for value, y in ((high, top + 8), (low, top + tall)):
        canvas.text(x + 20, y, number(float(f"{value:.3g}")), size=11, quiet=True)
    canvas.text(x, top - 8, short(name, 13), size=11)
    canvas.box(x, top, 14, tall, INK, opacity=0.0)


def _scale(axis: Axis) -> Scale:
    if not axis.numeric:
        return names_scale([str(value) for value in axis.values])
    edges = edges_of(axis)
    return scale_of([edges[0], edges[-1]], log=axis.log, pad=0.0)


def _place(axis: Axis, value: Any) -> float | None:
    """Where a value lies on the axis; None where it does not."""
    if not axis.numeric:
        return float(axis.values.index(value)) if value in axis.values else None
    if not isinstance(value, int | float) or (axis.log and value <= 0):
        return None
    return float(value)
