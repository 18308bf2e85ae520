"""Predicted against measured: each result beside what all others say of it."""

from regretless.drawing.axes import Axes, scale_of
from regretless.drawing.figure import Figure
from regretless.drawing.svg import BLUE, INK, SKY, VERMILLION, Canvas
from regretless.lab.text import number
from regretless.study import Study

__all__ = ["parity_figure"]


def parity_figure(study: Study, outcome: str | None = None) -> Figure:
    """Each result against its prediction from the others, with the interval that should hold nine of ten."""
    name = study.objective if outcome is None else outcome
    trials, measured, median, low, high = study.predict_left_out(outcome)
    inside = (low <= measured) & (measured <= high)
    ends = [*measured.tolist(), *median.tolist()]
    reach = scale_of(ends, pad=0.08)
    canvas = Canvas(
        430.0, 360.0, f"Predicted against measured {name}: {inside.sum()} of {len(trials)} in their interval"
    )
    axes = Axes(canvas, reach, reach, top=14, right=26)
    axes.frame(f"predicted {name}", "measured", x_ticks=5)
    canvas.line([axes.at(reach.low, reach.low), axes.at(reach.high, reach.high)], INK, width=1.0, dashes="4 5")
    rows = []
    for i, trial in enumerate(trials):
        y, middle, ends_of = float(measured[i]), float(median[i]), (float(low[i]), float(high[i]))
        shown = [axes.at(min(max(end, reach.low), reach.high), y) for end in ends_of]
        canvas.line(shown, SKY, width=1.6)
        rows.append([str(trial), number(y), number(middle), f"{number(ends_of[0])} to {number(ends_of[1])}"])
    for i, trial in enumerate(trials):
        place = axes.at(float(median[i]), float(measured[i]))
        if inside[i]:
            canvas.mark(*place, BLUE, says=f"trial {trial}")
        else:
            canvas.mark(*place, VERMILLION, "diamond", says=f"trial {trial}")
    caption = (
        "Each result beside what all other results predict of it; bars should hold nine of ten, and hold "
        f"{inside.sum()} of {len(trials)}. Diamonds are outside of theirs."
    )
    columns = ["trial", f"measured {name}", "predicted", "nine of ten"]
    return Figure("Predicted against measured", caption, canvas.drawing(), columns, rows)
