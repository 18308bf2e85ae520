"""What each factor does, with the uncertainty of the model."""

from collections.abc import Sequence

from regretless.drawing.axes import Axes, Scale, names_scale, scale_of
from regretless.drawing.figure import Figure
from regretless.drawing.svg import BLUE, GREEN, SKY, VERMILLION, Canvas
from regretless.lab.slices import Slice, anchor_words, line_of, mixed_with, slices
from regretless.lab.text import number, plus_minus
from regretless.study import Study

__all__ = ["effect_figures"]

_WIDE, _HIGH = 320.0, 220.0
#: Standard deviations to each side of the mean; room for them above and below the means, in widths of these.
_REACH, _ROOM = 2.0, 0.75


def effect_figures(study: Study, outcome: str | None = None) -> list[Figure]:
    """One small figure per factor, all on one scale, so that the sizes of the effects can be compared.

    The largest first. Several objectives of which no trial has all yet have none.
    """
    if not study.best_trials:
        return []
    name, found, line = study.objective if outcome is None else outcome, slices(study, outcome), line_of(study, outcome)
    y = _common_scale(found)
    held = f"with all other factors {anchor_words(study)} (green for this one)"
    held += "; the other components of a mixture share what is left" if mixed_with(study, study.space.names) else ""
    return [_figure(each, name, y, held, line) for each in found]


def _common_scale(found: Sequence[Slice]) -> Scale:
    """Room for all means, and for their bands as far as these do not make them flat."""
    means = [mean for each in found for mean in each.mean]
    if not means:
        return Scale(0.0, 1.0)
    ends = [
        m + side * _REACH * s for each in found for m, s in zip(each.mean, each.sd, strict=True) for side in (-1, 1)
    ]
    low, high, most = min(means), max(means), _ROOM * (max(means) - min(means))
    if not most > 0.0:
        return scale_of(ends)
    return scale_of([max(min(ends), low - most), min(max(ends), high + most)])


def _figure(found: Slice, outcome: str, y: Scale, held: str, line: tuple[float, str] | None) -> Figure:
    axis, mean, sd = found.axis, found.mean, found.sd
    low, high = ([m + side * _REACH * s for m, s in zip(mean, sd, strict=True)] for side in (-1, 1))
    says = f"{outcome} by {axis.name}: the expected value goes from {number(min(mean))} to {number(max(mean))}"
    canvas = Canvas(_WIDE, _HIGH, says)
    if axis.numeric:
        xs = [float(value) for value in axis.values]
        axes = Axes(canvas, scale_of(xs, log=axis.log, pad=0.02), y, top=12)
        axes.frame(axis.name, outcome, x_ticks=5)
        axes.band(xs, low, high, SKY)
        axes.line(xs, mean, BLUE)
        x, top = axes.at(float(found.at), y.high)
        canvas.line([(x, top), (x, _HIGH - axes.bottom)], GREEN, width=1.6, dashes="5 4")
    else:
        labels = [str(value) for value in axis.values]
        axes = Axes(canvas, names_scale(labels), y, top=12)
        axes.frame(axis.name, outcome)
        for i, (m, a, b) in enumerate(zip(mean, low, high, strict=True)):
            axes.bar(i, a, b, SKY, wide=14)
            chosen = axis.values[i] == found.at
            canvas.mark(*axes.at(i, m), GREEN if chosen else BLUE, "diamond" if chosen else "circle", size=4.5)
    if line is not None:
        axes.level(*line, VERMILLION)
    rows = [[number(value), plus_minus(m, s)] for value, m, s in zip(axis.values, mean, sd, strict=True)]
    caption = f"Expected value, and two standard deviations of the model to each side, {held}."
    return Figure(axis.name, caption, canvas.drawing(), [axis.name, f"expected {outcome} (± sd)"], rows)
