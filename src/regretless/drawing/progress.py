"""How far a study has come: the best so far, and how much regret was left."""

import math
from collections.abc import Mapping, Sequence

from regretless.drawing.axes import Axes, Scale, legend, scale_of
from regretless.drawing.figure import Figure
from regretless.drawing.svg import BLUE, GREEN, GREY, ORANGE, VERMILLION, Canvas, Marker
from regretless.lab.slices import line_of
from regretless.lab.text import number, objectives_of, pairs
from regretless.optimizer import Certified, FrontRegret, HypervolumeLeft, RegionLoss, StopRule
from regretless.study import Study

__all__ = ["LIGHTS", "history_figure", "regret_figure"]

#: Words, colour and shape of each light: none of them says it alone.
LIGHTS: dict[str, tuple[str, str, Marker]] = {
    "green": ("model trusted", GREEN, "circle"),
    "amber": ("with care", ORANGE, "diamond"),
    "red": ("not trusted", VERMILLION, "cross"),
    "too few data": ("too few data", GREY, "square"),
}
_WIDE, _HIGH = 410.0, 270.0


def history_figure(study: Study, outcome: str | None = None) -> Figure | None:
    """Every result of an outcome in the order of trials, with the best so far; None where there is none."""
    wanted = {each.name: each for each in study.outcomes}[study.objective if outcome is None else outcome]
    used = [t for t in study.trials if not t.excluded and study.at_target(t)]
    told = [(t, v) for t in used if (v := t.values.get(wanted.name)) is not None]
    if not told:
        return None
    values = [value for _, value in told]
    # single results in one environment or another show no progress of a decision
    ranked = wanted.role == "objective" and wanted.goal is None and study.aim is None
    ranked = ranked and len(objectives_of(study)) == 1
    title = "Best so far" if ranked else f"{wanted.name} by trial"
    says = f"{title}: {len(values)} results of {wanted.name}, {number(min(values))} to {number(max(values))}"
    canvas, line = Canvas(_WIDE, _HIGH, says), line_of(study, wanted.name)
    numbers = [float(trial.number) for trial, _ in told]
    drawn = [*values, *([] if line is None else [line[0]])]
    axes = Axes(canvas, Scale(min(numbers) - 0.5, max(numbers) + 0.5), scale_of(drawn))
    axes.frame("trial", wanted.name)
    if line is not None:
        axes.level(*line, GREEN)
    good = [_feasible(study, trial.values) for trial, _ in told]
    best = _running_best(values, good, larger=wanted.direction == "maximize")
    if ranked:
        axes.steps(numbers, best, BLUE)
    for (trial, value), feasible in zip(told, good, strict=True):
        x, y = axes.at(float(trial.number), value)
        marker: Marker = "cross" if not feasible else "circle" if trial.source == "rule" else "square"
        colour = GREY if not feasible or trial.source != "rule" else VERMILLION
        canvas.mark(x, y, colour, marker, hollow=colour == GREY, says=f"trial {trial.number}: {number(value)}")
    entries: list[tuple[str, str, Marker | None]] = [(BLUE, "best so far", None)] if ranked else []
    entries += [(VERMILLION, "by the rule", "circle"), (GREY, "design or added", "square")]
    entries += [(GREY, "infeasible", "cross")] if not all(good) else []
    legend(canvas, axes.left, 15, entries)
    rows = [
        [str(trial.number), number(value), *([number(so_far)] if ranked else []), trial.source, pairs(trial.params)]
        for (trial, value), so_far in zip(told, best, strict=True)
    ]
    columns = ["trial", wanted.name, *(["best so far"] if ranked else []), "source", "settings"]
    caption = "Each mark is a result." + (" The line is the best so far." if ranked else "")
    return Figure(title, caption, canvas.drawing(), columns, rows)


def regret_figure(looks: Sequence[Certified], counts: Sequence[int], stop: StopRule | None = None) -> Figure | None:
    """How much regret was left after so many results, with the target; None where no certificate could be had."""
    if not looks:
        return None
    title, unit, caption = _words(looks[-1], stop)
    amounts = [look.bound if stop is None else stop.measure(look) for look in looks]
    target = None if stop is None else stop.threshold(looks[-1])
    drawn = [*amounts, *([] if target is None else [target])]
    says = f"{title}, from {number(amounts[0])} after {counts[0]} results to {number(amounts[-1])} after {counts[-1]}"
    canvas = Canvas(_WIDE, _HIGH, says)
    log = min(drawn) > 0.0 and max(drawn) > 5.0 * min(drawn)
    axes = Axes(canvas, Scale(counts[0] - 0.5, counts[-1] + 0.5), scale_of(drawn, log=log))
    axes.frame("results", unit)
    if target is not None:
        axes.level(target, "stop here", GREEN)
    axes.line([float(count) for count in counts], amounts, BLUE)
    seen = dict.fromkeys(look.trust.light for look in looks)
    for look, count, amount in zip(looks, counts, amounts, strict=True):
        words, colour, marker = LIGHTS[look.trust.light]
        x, y = axes.at(float(count), amount)
        canvas.mark(x, y, colour, marker, size=4.2, hollow=colour == GREY, says=f"{number(amount)}, {words}")
    legend(canvas, axes.left, 15, [(LIGHTS[light][1], LIGHTS[light][0], LIGHTS[light][2]) for light in seen])
    rows = [
        [str(n), number(amount), LIGHTS[look.trust.light][0]]
        for n, amount, look in zip(counts, amounts, looks, strict=True)
    ]
    return Figure(title, f"{caption} {_MARKS}", canvas.drawing(), ["results", unit, "model"], rows)


_MARKS = "The marks say whether the data speak against the model."


def _words(left: Certified, stop: StopRule | None) -> tuple[str, str, str]:
    """Title, unit and caption of what a certificate says."""
    if isinstance(left, RegionLoss):
        counted = left.exact if stop is None else stop.eps is not None
        unit = "candidates, expected" if counted else "share, expected"
        what = "How many candidates" if counted else "What share of all"
        return (
            "On the wrong side",
            unit,
            f"{what} the model expects on the wrong side of the level, after so many results.",
        )
    if isinstance(left, FrontRegret) and isinstance(stop, HypervolumeLeft):
        text = "What going on may still add to the hypervolume, after so many results."
        return "Hypervolume left", "at most (hypervolume)", text
    if isinstance(left, FrontRegret):
        text = (
            "How far another candidate may be beyond all recommended ones, in all objectives at once: at most, in "
            "widths of the recommended front, in expectation and under the fitted models, after so many results."
        )
        return "Regret left", "at most (widths of the front)", text
    text = (
        "What settling on the recommended experiment costs at most, in expectation and under the fitted model, after "
        "so many results."
    )
    return "Regret left", f"at most ({left.objective})", text


def _running_best(values: Sequence[float], good: Sequence[bool], *, larger: bool) -> list[float]:
    """The best of the good values so far; not a number before the first."""
    found, reached = [], math.nan
    for value, feasible in zip(values, good, strict=True):
        if feasible and (math.isnan(reached) or (value > reached) == larger):
            reached = value
        found.append(reached)
    return found


def _feasible(study: Study, values: Mapping[str, float | None]) -> bool:
    bounds = [each for each in study.outcomes if each.role == "constraint"]
    found = [(each, values.get(each.name)) for each in bounds]
    return all(value is not None and each.holds(value) for each, value in found)
