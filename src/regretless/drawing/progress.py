"""How far a study has come: the best so far, and how much regret was left."""

import math
from collections.abc import Mapping, Sequence

from regretless.drawing.axes import Axes, Scale, legend, scale_of
from regretless.drawing.figure import Figure
from regretless.drawing.svg import BLUE, GREEN, GREY, ORANGE, VERMILLION, Canvas, Marker
from regretless.lab.text import number, objectives_of, pairs
from regretless.optimizer import Certified, FrontRegret, RegionLoss
from regretless.study import Study

__all__ = ["LIGHTS", "history_figure", "regret_figure"]

#: Words, colour and shape of each light: none of them says it alone.
LIGHTS: dict[str, tuple[str, str, Marker]] = {
    "green": ("model trusted", GREEN, "circle"),
    "amber": ("with care", ORANGE, "diamond"),
    "red": ("not trusted", VERMILLION, "cross"),
    "too few data": ("too few data", GREY, "square"),
}
_WIDE, _HIGH = 470.0, 280.0


def history_figure(study: Study, outcome: str | None = None) -> Figure | None:
    """Every result of an outcome in the order of trials, with the best so far; None where there is none."""
    wanted = {each.name: each for each in study.outcomes}[study.objective if outcome is None else outcome]
    told = [(t, v) for t in study.trials if not t.excluded and (v := t.values.get(wanted.name)) is not None]
    if not told:
        return None
    values = [value for _, value in told]
    several = len(objectives_of(study)) > 1
    title = f"{wanted.name} by trial" if several else "Best so far"
    canvas = Canvas(_WIDE, _HIGH, f"{title}: {len(values)} results of {wanted.name}, best {_best(study, values)}")
    numbers = [float(trial.number) for trial, _ in told]
    axes = Axes(canvas, Scale(min(numbers) - 0.5, max(numbers) + 0.5), scale_of(values))
    axes.frame("trial", wanted.name)
    rows, best, reached = [], [], math.nan
    constrained = any(each.role == "constraint" for each in study.outcomes)
    good = [_feasible(study, trial.values) for trial, _ in told]
    for (trial, value), feasible in zip(told, good, strict=True):
        better = math.isnan(reached) or (value > reached) == (wanted.direction == "maximize")
        reached = value if feasible and better else reached
        best.append(reached)
        rows.append([str(trial.number), number(value), number(reached), trial.source, pairs(trial.params)])
    if not several:
        axes.steps(numbers, best, BLUE)
    for (trial, value), feasible in zip(told, good, strict=True):
        x, y = axes.at(float(trial.number), value)
        marker: Marker = "cross" if not feasible else "circle" if trial.source == "rule" else "square"
        colour = GREY if not feasible or trial.source != "rule" else VERMILLION
        canvas.mark(x, y, colour, marker, hollow=colour == GREY, says=f"trial {trial.number}: {number(value)}")
    entries: list[tuple[str, str, Marker | None]] = [] if several else [(BLUE, "best so far", None)]
    entries += [(VERMILLION, "chosen by the rule", "circle"), (GREY, "design or added", "square")]
    entries += [(GREY, "violates a constraint", "cross")] if constrained else []
    legend(canvas, axes.left, 15, entries)
    caption = "Each mark is a result." + ("" if several else " The line is the best so far.")
    return Figure(title, caption, canvas.drawing(), ["trial", wanted.name, "best so far", "source", "settings"], rows)


def regret_figure(looks: Sequence[Certified], counts: Sequence[int], target: float | None = None) -> Figure | None:
    """How much regret was left after so many results, with the target; None where no certificate could be had."""
    if not looks:
        return None
    last, bound = looks[-1], [look.bound for look in looks]
    unit = "widths of the front" if isinstance(last, FrontRegret) else last.objective
    if isinstance(last, RegionLoss):
        unit = "candidates wrong" if last.exact else "share wrong"
    drawn = [*bound, *([] if target is None else [target])]
    says = f"Regret left, from {number(bound[0])} after {counts[0]} results to {number(bound[-1])} after {counts[-1]}"
    canvas = Canvas(_WIDE, _HIGH, says)
    log = min(drawn) > 0.0 and max(drawn) > 5.0 * min(drawn)
    axes = Axes(canvas, Scale(counts[0] - 0.5, counts[-1] + 0.5), scale_of(drawn, log=log))
    axes.frame("results", f"at most ({unit})")
    if target is not None:
        _, y = axes.at(counts[0], target)
        canvas.line([(axes.left, y), (canvas.width - axes.right, y)], GREEN, width=1.6, dashes="6 5")
        canvas.text(canvas.width - axes.right, y - 6, "stop here", anchor="end", size=11, quiet=True)
    axes.line([float(count) for count in counts], bound, BLUE)
    seen = dict.fromkeys(look.trust.light for look in looks)
    for look, count in zip(looks, counts, strict=True):
        words, colour, marker = LIGHTS[look.trust.light]
        x, y = axes.at(float(count), look.bound)
        canvas.mark(x, y, colour, marker, size=4.2, hollow=colour == GREY, says=f"{number(look.bound)}, {words}")
    legend(canvas, axes.left, 15, [(LIGHTS[light][1], LIGHTS[light][0], LIGHTS[light][2]) for light in seen])
    rows = [[str(n), number(look.bound), LIGHTS[look.trust.light][0]] for n, look in zip(counts, looks, strict=True)]
    caption = (
        "What settling on the recommended experiment costs at most, in expectation and under the fitted model, after "
        "so many results. The marks say whether the data speak against the model."
    )
    return Figure("Regret left", caption, canvas.drawing(), ["results", f"at most ({unit})", "model"], rows)


def _feasible(study: Study, values: Mapping[str, float | None]) -> bool:
    bounds = [each for each in study.outcomes if each.role == "constraint"]
    found = [(each, values.get(each.name)) for each in bounds]
    return all(value is not None and each.holds(value) for each, value in found)


def _best(study: Study, values: Sequence[float]) -> str:
    return number(max(values) if study.direction == "maximize" else min(values))
