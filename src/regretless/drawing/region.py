"""A level set: which candidates reach the level, by how much, and which of them are in doubt."""

import numpy as np

from regretless.drawing.axes import Axes, legend, names_scale, scale_of
from regretless.drawing.figure import Figure
from regretless.drawing.svg import BLUE, GREEN, GREY, ORANGE, SKY, Canvas, Marker
from regretless.lab.text import number, pairs, plus_minus, share
from regretless.optimizer import LevelSet
from regretless.study import Region, Study

__all__ = ["region_figure"]

#: Candidates that the model is asked about, and those that are drawn; of more, so many stand for them.
_ASKED, _DRAWN = 2000, 120
#: In doubt where the other side is as probable as this.
_DOUBT = 0.05
_REACH = 2.0


def region_figure(study: Study) -> Figure | None:
    """Candidates of a level set in the order of their expected values, with the level; None for another goal."""
    goal = study.goal
    if not isinstance(goal, LevelSet):
        return None
    region, whole = _region(study)
    order = np.lexsort((region.probability, region.mean))
    some = order[np.unique(np.linspace(0, len(order) - 1, _DRAWN).round().astype(np.intp))]
    inside, doubtful = int(region.inside.sum()), int(sum(_word(p) == "in doubt" for p in region.probability))
    low, high = (region.mean[some] + side * _REACH * region.sd[some] for side in (-1, 1))
    says = f"{inside} of {len(region)} candidates have {goal.words(study.objective)}, {doubtful} are in doubt"
    canvas = Canvas(430.0, 300.0, says)
    axes = Axes(canvas, names_scale([""] * len(some)), scale_of([*low.tolist(), *high.tolist(), goal.level]))
    axes.frame("candidates, by expected value", study.objective)
    for k, i in enumerate(some.tolist()):
        wide = min(0.7 * (canvas.width - axes.left - axes.right) / len(some), 9.0)
        axes.bar(k, float(low[k]), float(high[k]), SKY, wide=wide)
        colour, marker = _LOOK[_word(float(region.probability[i]))]
        canvas.mark(*axes.at(k, float(region.mean[i])), colour, marker, hollow=colour == GREY, says=_said(region, i))
    axes.level(goal.level, f"level {goal.level:g}", GREEN)
    legend(canvas, axes.left, 15, [(colour, word, marker) for word, (colour, marker) in _LOOK.items()])
    rows = [
        [_name(region, i), number(round(float(region.probability[i]), 4)), *_moments(region, i)]
        for i in some[np.argsort(np.abs(region.probability[some] - 0.5), kind="stable")].tolist()
    ]
    every = f"{len(region)} candidates" if whole else f"{len(region)} points that stand for all"
    caption = (
        f"{inside} of {every} have {goal.words(study.objective)}; {doubtful} are in doubt: the other side has a "
        f"probability above {_DOUBT:g}. Bars are two standard deviations of the model to each side."
    )
    columns = ["candidate", "probability", f"expected {study.objective} (± sd)", ""]
    return Figure("Which reach the level", caption, canvas.drawing(), columns, rows)


_LOOK: dict[str, tuple[str, Marker]] = {
    "inside": (BLUE, "circle"),
    "in doubt": (ORANGE, "diamond"),
    "outside": (GREY, "circle"),
}


def _region(study: Study) -> tuple[Region, bool]:
    """Of a short list every candidate, else points that stand for the space."""
    n = study.space.n_candidates
    if n is not None and n <= _ASKED:
        return study.region(), True
    return study.region(study.space.representatives(_ASKED, np.random.default_rng(0))), False


def _word(probability: float) -> str:
    if _DOUBT < probability < 1.0 - _DOUBT:
        return "in doubt"
    return "inside" if probability >= 0.5 else "outside"


def _name(region: Region, i: int) -> str:
    return pairs(region.params[i]) if region.rows[i] is None else f"{region.rows[i]}: {pairs(region.params[i])}"


def _moments(region: Region, i: int) -> tuple[str, str]:
    return plus_minus(float(region.mean[i]), float(region.sd[i])), _word(float(region.probability[i]))


def _said(region: Region, i: int) -> str:
    return f"{_name(region, i)}; probability {share(float(region.probability[i]))}"
