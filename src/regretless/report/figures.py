"""The figures of a report: those of the page, each with the table behind it."""

from collections.abc import Iterable
from html import escape

from regretless.drawing import Figure, Overview, map_figure, overview_of
from regretless.lab.text import is_measured, objectives_of
from regretless.optimizer import StopRule
from regretless.report.tables import table
from regretless.study import Study

__all__ = ["figures"]

#: Larger results are listed and not drawn.
_LARGEST_DRAWN = 1e150


def figures(study: Study, stop: StopRule | None = None) -> list[str]:
    """Progress, answers, effects, a map and a check of the model, for every outcome."""
    if not is_measured(study):
        return ["<p>Nothing was measured yet, so there is nothing to draw.</p>"]
    if not _drawable(study):
        return [f'<p class="note">Without figures: there are results beyond {_LARGEST_DRAWN:g}.</p>']
    found = {outcome.name: overview_of(study, outcome.name, stop) for outcome in study.outcomes}
    first = found[study.objective]
    several = len(objectives_of(study)) > 1
    progress = [*first.progress, *(each.progress[-1] for name, each in found.items() if name != study.objective)]
    parts = ["<h2>Progress</h2>", _grid(progress)]
    if first.answers:
        parts += [f"<h2>{'The front' if several else 'The answer so far'}</h2>", _grid(first.answers)]
    for name, each in found.items():
        parts += _effects(study, name, each, of=f" to {name}" if len(found) > 1 else "")
    checks = [figure for each in found.values() for figure in each.checks]
    return [*parts, *(["<h2>Can it be trusted?</h2>", _grid(checks)] if checks else [])]


def _effects(study: Study, outcome: str, found: Overview, *, of: str) -> list[str]:
    if not found.effects:
        return []
    caption = f"{found.effects[0].caption} The largest effect comes first."
    parts = [f"<h2>What each factor does{escape(of)}</h2>", f"<p>{escape(caption)}</p>"]
    parts.append(_grid(found.effects, small=True))
    if len(found.pair) == 2:
        first, second = found.pair
        parts.append(_grid([map_figure(study, first, second, outcome)]))
    return parts


def _grid(drawn: Iterable[Figure], *, small: bool = False) -> str:
    inside = "".join(_figure(each, caption=not small) for each in drawn)
    return f'<div class="figures{" small-figures" if small else ""}">{inside}</div>'


def _figure(figure: Figure, *, caption: bool) -> str:
    said = f"<p>{escape(figure.caption)}</p>" if caption else ""
    behind = f"<details><summary>As a table</summary>{table(figure.columns, figure.rows)}</details>"
    return (
        f"<figure><figcaption><b>{escape(figure.title)}</b>{said}</figcaption>{figure.drawing.markup}{behind}</figure>"
    )


def _drawable(study: Study) -> bool:
    """Whether averages of the results, and axes for them, are finite numbers."""
    values = (value for trial in study.trials for value in trial.values.values() if value is not None)
    return all(abs(value) <= _LARGEST_DRAWN for value in values)
