"""Several objectives: what was measured and what is recommended, one objective against another."""

from collections.abc import Sequence
from itertools import combinations

from regretless.drawing.axes import Axes, Scale, legend, scale_of
from regretless.drawing.figure import Figure
from regretless.drawing.svg import BLUE, GREY, VERMILLION, Canvas
from regretless.lab.fronts import hypervolumes
from regretless.lab.text import number, objectives_of, pairs, plus_minus
from regretless.study import Recommendation, Study

__all__ = ["front_figures", "hypervolume_figure"]


def front_figures(study: Study, front: Sequence[Recommendation]) -> list[Figure]:
    """A figure for each pair of objectives; none where there is one objective or nothing measured."""
    names = [outcome.name for outcome in objectives_of(study)]
    return [figure for pair in combinations(names, 2) if (figure := _pair(study, front, *pair)) is not None]


def hypervolume_figure(study: Study) -> Figure | None:
    """How the hypervolume of all results grew; None where there is one objective or nothing measured."""
    found = hypervolumes(study)
    if not found:
        return None
    numbers, volumes = [float(n) for n, _ in found], [volume for _, volume in found]
    canvas = Canvas(
        410.0, 270.0, f"Hypervolume of the measured front, {number(volumes[-1])} after {len(found)} results"
    )
    ends = (numbers[0] - 0.5, numbers[-1] + 0.5)
    axes = Axes(canvas, Scale(*ends), Scale(0.0, 1.05 * max(volumes) or 1.0))
    axes.frame("trial", "hypervolume")
    axes.steps(numbers, volumes, BLUE)
    names = " × ".join(each.name for each in objectives_of(study))
    above = pairs(study.reference or {})
    caption = f"What the measured front dominates ({names}), above the reference {above}. Noise makes it larger."
    rows = [[str(n), number(volume)] for n, volume in found]
    return Figure("Hypervolume so far", caption, canvas.drawing(), ["trial", "hypervolume"], rows)


def _pair(study: Study, front: Sequence[Recommendation], first: str, second: str) -> Figure | None:
    told = [
        (trial, u, v)
        for trial in study.trials
        if not trial.excluded
        and (u := trial.values.get(first)) is not None
        and (v := trial.values.get(second)) is not None
    ]
    if not told:
        return None
    expected = [(each, each.expected[first], each.expected[second]) for each in front]
    xs = [u for _, u, _ in told] + [mean for _, (mean, _), _ in expected]
    ys = [v for _, _, v in told] + [mean for _, _, (mean, _) in expected]
    best = {trial.number for trial in study.best_trials}
    canvas = Canvas(430.0, 310.0, f"{second} against {first}: {len(told)} results, {len(best)} of them Pareto-optimal")
    axes = Axes(canvas, scale_of(xs), scale_of(ys))
    axes.frame(first, second)
    rows = []
    for trial, u, v in told:
        optimal = trial.number in best
        canvas.mark(*axes.at(u, v), VERMILLION if optimal else GREY, hollow=not optimal, says=f"trial {trial.number}")
        what = "measured, Pareto-optimal" if optimal else "measured"
        rows.append([f"trial {trial.number}", number(u), number(v), what, pairs(trial.params)])
    for each, (u, su), (v, sv) in sorted(expected, key=lambda entry: entry[1][0]):
        x, y = axes.at(u, v)
        canvas.line([axes.at(max(u - su, axes.x.low), v), axes.at(min(u + su, axes.x.high), v)], BLUE, width=1.2)
        canvas.line([axes.at(u, max(v - sv, axes.y.low)), axes.at(u, min(v + sv, axes.y.high))], BLUE, width=1.2)
        canvas.mark(x, y, BLUE, "diamond", says=pairs(each.params))
        where = "" if each.row is None else str(each.row)
        rows.append([where, plus_minus(u, su), plus_minus(v, sv), "recommended", pairs(each.params)])
    legend(
        canvas,
        axes.left,
        15,
        [
            (BLUE, "recommended (± sd)", "diamond"),
            (VERMILLION, "Pareto-optimal", "circle"),
            (GREY, "measured", "circle"),
        ],
    )
    caption = (
        "No recommended experiment is better than another in everything; bars are one standard deviation of the model."
    )
    return Figure(f"{second} against {first}", caption, canvas.drawing(), ["", first, second, "", "settings"], rows)
