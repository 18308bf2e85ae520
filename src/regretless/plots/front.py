"""Several objectives: what can be had together, and how the hypervolume grew."""

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.arrays import Floats
from regretless.errors import InvalidInput
from regretless.optimizer import Outcome
from regretless.pareto import hypervolume
from regretless.plots.canvas import (
    BLACK,
    BLUE,
    GREEN,
    VIOLATES,
    mark,
    new_axes,
    new_figure,
    ticks,
    tidy,
)
from regretless.plots.records import as_study, evaluations, objectives_of
from regretless.study import Recommendation, Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_front", "plot_fronts", "plot_hypervolume"]


def plot_front(source: Study | Result, ax: "Axes | None" = None, *, over: Sequence[str] | None = None) -> "Axes":
    """Draw two objectives against each other: what was measured, and the front that the models recommend.

    Bars are one standard deviation of what the models expect, without noise. With two objectives the line is the edge
    of what the recommended points dominate. Trials that violate a constraint are crosses.

    Parameters
    ----------
    source
        A study with several objectives, or the result of a run.
    ax
        Where to draw; new axes by default.
    over
        The names of two objectives; it may be left out where there are two. Of more, the front is projected.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.
    """
    study = as_study(source)
    return _draw(new_axes(ax), study, _pair(study, over), study.front)


def plot_fronts(source: Study | Result) -> "Figure":
    """Draw every pair of objectives side by side, as `plot_front` does."""
    study = as_study(source)
    pairs = list(combinations(_several(study, "plot_fronts"), 2))
    front = study.front
    figure, axes = new_figure(len(pairs), (5.4 * len(pairs), 4.4))
    for ax, pair in zip(axes, pairs, strict=True):
        _draw(ax, study, pair, front)
    return figure


def plot_hypervolume(source: Study | Result, ax: "Axes | None" = None) -> "Axes":
    """Draw the hypervolume that the trials so far have above the reference point, by evaluation.

    Trials that violate a constraint add nothing. It is of measured values: noise makes it larger than the truth. The
    reference point is the one of now, for the whole curve.

    Parameters
    ----------
    source
        A study with several objectives, or the result of a run. Failed trials count as evaluations; pending ones are
        left out.
    ax
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.
    """
    study = as_study(source)
    objectives = _several(study, "plot_hypervolume")
    seen, reference = evaluations(study), study.reference
    if reference is None:
        raise InvalidInput("there is nothing to draw: no trial has all objectives yet.")
    Y = np.column_stack([each.inward(evaluations(study, each.name).value) for each in objectives])
    counted = seen.feasible & np.isfinite(Y).all(axis=1)
    z = [each.inward(reference[each.name]) for each in objectives]
    volumes, last = [], 0.0
    for n in range(len(Y)):
        if counted[n]:
            last = hypervolume(Y[: n + 1][counted[: n + 1]], z)
        volumes.append(last)
    ax = new_axes(ax)
    before = int(np.argmax([*seen.chosen, True]))  # evaluations before the rule's first choice
    if before:
        ax.axvspan(0.5, before + 0.5, color="#F1F1F1", linewidth=0, zorder=0, label="before the rule's first choice")
    ax.step(seen.number, volumes, where="post", color=BLUE, linewidth=2.0, label="front of the measured values")
    ax.set_xlabel("evaluation")
    ax.set_ylabel(f"hypervolume ({' × '.join(each.name for each in objectives)})")
    ax.xaxis.set_major_locator(ticks(whole=True))
    ax.set_xlim(0.5, max(len(Y), 2) + 0.5)
    ax.set_ylim(bottom=0.0)
    tidy(ax, grid=True)
    return ax


def _draw(ax: "Axes", study: Study, pair: tuple[Outcome, Outcome], front: Sequence[Recommendation]) -> "Axes":
    x, y = (evaluations(study, each.name) for each in pair)
    measured = np.isfinite(x.value) & np.isfinite(y.value)
    for label, which in (("measured", measured & x.feasible), (VIOLATES, measured & ~x.feasible)):
        if which.any():
            look: dict[str, Any] = {"marker": "o", "facecolor": "white", "edgecolor": BLACK}
            look = mark(VIOLATES) if label == VIOLATES else look
            ax.scatter(x.value[which], y.value[which], s=26, linewidth=0.9, label=label, zorder=3, **look)
    points = sorted(front, key=lambda point: point.expected[pair[0].name][0])
    (x_mean, x_sd), (y_mean, y_sd) = (_moments(points, each) for each in pair)
    if len(objectives_of(study)) == 2:
        way: Any = "steps-pre" if pair[0].direction == "maximize" else "steps-post"
        ax.plot(x_mean, y_mean, drawstyle=way, color=BLUE, linewidth=1.2, alpha=0.6, zorder=2)
    bars: dict[str, Any] = {"color": BLUE, "ecolor": BLUE, "elinewidth": 1.0, "capsize": 2.0, "fmt": "D", "zorder": 4}
    ax.errorbar(x_mean, y_mean, xerr=x_sd, yerr=y_sd, markersize=5, label="recommended: mean ± sd", **bars)
    reference = study.reference
    if reference is not None:
        x_worst, y_worst = (reference[each.name] for each in pair)
        ax.scatter([x_worst], [y_worst], marker="P", s=55, color=GREEN, linewidth=0, label="reference point", zorder=4)
    for axis, each in zip("xy", pair, strict=True):
        better = "larger" if each.direction == "maximize" else "smaller"
        ax.set(**{f"{axis}label": f"{each.name} ({better} is better)"})
        getattr(ax, f"{axis}axis").set_major_locator(ticks(whole=False))
    tidy(ax, grid=True)
    return ax


def _moments(points: Sequence[Recommendation], outcome: Outcome) -> tuple[Floats, Floats]:
    found = np.array([point.expected[outcome.name] for point in points]).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _several(study: Study, what: str) -> tuple[Outcome, ...]:
    objectives = objectives_of(study)
    if len(objectives) == 1:
        raise InvalidInput(f"{what} draws several objectives; this study has one: use plot_regret.")
    return objectives


def _pair(study: Study, over: Sequence[str] | None) -> tuple[Outcome, Outcome]:
    known = {each.name: each for each in _several(study, "plot_front")}
    names = list(known) if over is None else list(over)
    if over is None and len(names) > 2:
        raise InvalidInput(
            f"{len(names)} objectives: name two of them, such as over={names[:2]!r}, or draw all pairs by plot_fronts."
        )
    if isinstance(over, str) or len(set(names)) != 2 or not set(names) <= set(known):
        raise InvalidInput(f"over must name two different objectives of {', '.join(known)}, got {over!r}.")
    return known[names[0]], known[names[1]]
