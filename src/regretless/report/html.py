"""The report of a study as one page of HTML: where it stands, figures, and every suggestion explained."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from html import escape
from typing import Any

from regretless._version import __version__
from regretless.drawing.page import html_page
from regretless.lab.explanation import Explanation, Pick, expected, explain, measured_before, score_words
from regretless.lab.fronts import front_tables
from regretless.lab.status import status_of
from regretless.lab.text import interval, is_measured, number, objectives_of, pairs, plus_minus, results, utc
from regretless.optimizer import LevelSet, StopRule
from regretless.report.figures import figures
from regretless.report.tables import table
from regretless.study import Event, Study, Trial

__all__ = ["GENERATOR", "html_report"]

#: Marks a page as one of ours.
GENERATOR = '<meta name="generator" content="regretless'


def html_report(
    study: Study,
    facts: Iterable[tuple[str, str]] | None = None,
    *,
    stop: StopRule | None = None,
    row_name: str = "row",
    now: datetime | None = None,
    progress: Callable[[], Any] = lambda: None,
) -> str:
    """The report of a study as one page.

    Parameters
    ----------
    study
        What is reported on.
    facts
        Labelled sentences for the head of the page; by default where the study stands (see `status_of`).
    stop
        The stop rule whose target is drawn, and by which the advice is given.
    row_name
        What the lab calls the names of its rows.
    now
        The time to put on the page; the present by default.
    progress
        Called once for every trial that is explained.
    """
    title = f"{study.name or 'Study'}: {', '.join(outcome.name for outcome in objectives_of(study))}"
    when = (now or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(when)} · regretless {escape(__version__)}</p>',
        _facts(status_of(study, stop, row_name).facts() if facts is None else facts),
        *_fronts(study, row_name),
        *figures(study, stop),
        "<h2>Every suggestion, explained</h2>",
        _explained(study),
        *_again(study),
        *_away(study),
        _suggestions(study, row_name, progress),
        "<h2>Every trial</h2>",
        _trials(study, row_name),
        *_corrections(study),
    ]
    return html_page(title, "\n".join(parts), generator=f"regretless {__version__}")


def _explained(study: Study) -> str:
    """How suggestions are chosen, in words."""
    if study.aim is not None:
        return _EXPLAINED_ROBUST
    if len(study.outcomes) > 1:
        return _EXPLAINED_SEVERAL
    return _EXPLAINED.format(score_words(study), _NEAR if isinstance(study.goal, LevelSet) else _BONUS)


_EXPLAINED_ROBUST = """<p>The next decision is the one with the largest <b>bound on what it is worth over its
environments</b>: what the model expects, and √ζ times the sd of that, with ζ drawn at random each time. It is then
measured in the environment that tells most about its worth. <b>Expected</b> is what the measurement should have given
by the results there were: the median, and in brackets where nine of ten should fall.</p>"""
_EXPLAINED = """<p>The next experiment is the one with the <b>{}</b> of the model: {}. ζ is drawn at
random each time. A <b>cautious</b> draw (one in twenty is smaller) would have trusted what is known, a <b>bold</b> one
(one in twenty is larger) would have looked where least is known. Where all three name the same experiment, luck had no
part in it. <b>Expected</b> is what the measurement should have given by the results there were: the median, and in
brackets where nine of ten should fall.</p>"""
_BONUS = "what it expects there, and a bonus for not knowing"
_NEAR = "near the level, or too little known to say on which side of it"
_EXPLAINED_SEVERAL = """<p>Every outcome has a model of its own. An experiment is tried where the objectives may be good
and the constraints may hold: each model's mean, and √ζ standard deviations for not knowing. ζ is drawn at random each
time, once for all outcomes. Several objectives are weighed with weights that are drawn too: other weights lead to
another part of the front. <b>Expected</b> is what the measurements should have given by the results there were: the
median, and in brackets where nine of ten should fall.</p>"""
_REPEATED = """<p>Some experiments were suggested again although they had a result: by the rule's score another one was
worth more than a result anywhere else, as happens where measurements are noisy. A study made with repeats "never"
measures nothing twice.</p>"""
_EXCURSIONS = """<p>An <b>excursion</b> looks elsewhere: it goes by a second model that keeps to the scale of the whole
space, where the first one has come to know its best place closely and would stay there. In turns it takes what promises
the largest improvement, without any draw, and the best by mean and ζ; what a cautious and a bold draw would have picked
is then by the second model, too. There are none while the results look like the slopes of one hill. Where a sum of
functions of one parameter each explains the results clearly better, an excursion takes the best value of every
parameter by mean and ζ instead.</p>"""


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(text)}</td></tr>" for label, text in facts)
    return f'<table class="facts">{rows}</table>'


def _fronts(study: Study, row_name: str) -> list[str]:
    """With several objectives what to choose from, by the models and by measurement."""
    if len(objectives_of(study)) == 1 or not is_measured(study):
        return []
    parts = ["<h2>What to choose from</h2>"]
    for title, names, rows in front_tables(study, study.front, row_name):
        cells = [[number(row.get(name)) for name in names] for row in rows]
        parts += [f"<p>{escape(title)}</p>", table(names, cells)]
    return parts


def _suggestions(study: Study, row_name: str, progress: Callable[[], Any]) -> str:
    rows = []
    for trial in study.trials:
        if trial.source == "added":
            continue
        hoped, why = expected(study, trial), explain(study, trial)
        progress()
        before = measured_before(study, trial)
        again = f" (measured {before}\u00d7 before)" if before else ""
        where = _where(trial.row, trial.params, row_name) + again
        rows.append([str(trial.number), where, _hoped(hoped), *_why(study, trial, why, row_name)])
    if not rows:
        return "<p>Nothing was suggested yet.</p>"
    draws = ["a cautious draw", "a bold draw"] if len(study.outcomes) == 1 and study.aim is None else []
    return table(["trial", "suggested", "expected", "ζ", *draws, "came out"], rows)


def _hoped(hoped: Mapping[str, tuple[float, float, float]] | None) -> str:
    if hoped is None:
        return "–"
    texts = {name: interval(*ends) for name, ends in hoped.items()}
    return "; ".join(text if len(texts) == 1 else f"{name} {text}" for name, text in texts.items())


def _again(study: Study) -> list[str]:
    """Why some suggestions name what has a result already."""
    repeats = [trial for trial in study.trials if trial.source == "rule" and measured_before(study, trial)]
    return [_REPEATED] if repeats else []


def _away(study: Study) -> list[str]:
    """What an excursion is, where there was one."""
    return [_EXCURSIONS] if any("excursion" in trial.details for trial in study.trials) else []


def _why(study: Study, trial: Trial, why: Explanation | None, row_name: str) -> list[str]:
    if len(study.outcomes) > 1 or study.aim is not None:
        return [_drawn(trial), results(study, trial) or trial.status]
    if why is None:
        reason = {"design": "initial design: nothing to model yet", "random": trial.fallback or "at random"}
        if "excursion" in trial.details:
            reason["rule"] = "excursion: the largest expected improvement"
        zeta = number(trial.zeta) if trial.zeta is not None else reason.get(trial.source, "–")
        return [zeta, "–", "–", _outcome(trial)]
    picks = (_other(trial, pick, row_name) for pick in (why.cautious, why.bold))
    kind = f"{why.draw}, excursion" if why.excursion else why.draw
    return [f"{trial.zeta:.3g}, {kind}", *picks, _outcome(trial)]


def _drawn(trial: Trial) -> str:
    """What was drawn for a suggestion with several outcomes: zeta, and the weights of the objectives."""
    if trial.zeta is None:
        return {"design": "initial design: nothing to model yet"}.get(trial.source, trial.fallback or "–")
    weights = [f"{value:.2f}" for key, value in trial.details.items() if key.startswith("weight_")]
    return f"{trial.zeta:.3g}" + (f"; weights {', '.join(weights)}" if weights else "")


def _other(trial: Trial, pick: Pick, row_name: str) -> str:
    if dict(pick.params) == dict(trial.params):
        return f"the same (ζ {pick.zeta:.3g})"
    return f"{_where(pick.row, pick.params, row_name)}; {plus_minus(pick.mean, pick.sd)} (ζ {pick.zeta:.3g})"


def _trials(study: Study, row_name: str) -> str:
    names = list(study.parameters)
    has_rows = any(trial.row is not None for trial in study.trials)
    rows = []
    for trial in study.trials:
        note = f"{trial.source}{', excluded' if trial.excluded else ''}{f'; {trial.note}' if trial.note else ''}"
        cells = [number(trial.params[name]) for name in names]
        came = [_outcome(trial)] if len(study.outcomes) == 1 else [_part(trial, each.name) for each in study.outcomes]
        rows.append([str(trial.number), *([str(trial.row)] if has_rows else []), *cells, *came, note])
    outcomes = [outcome.name for outcome in study.outcomes]
    return table(["trial", *([row_name] if has_rows else []), *names, *outcomes, ""], rows)


def _corrections(study: Study) -> list[str]:
    """What was corrected, excluded, released or added to the table, by whom and why."""
    kinds = ("extended", "amended", "excluded", "included", "row_excluded", "row_included", "released")
    rows = [
        [
            utc(event.time),
            event.author,
            event.kind.replace("_", " "),
            _about(event),
            _values(event),
            str(event.data.get("reason", "")),
        ]
        for event in study.events()
        if event.kind in kinds
    ]
    if not rows:
        return []
    return ["<h2>Corrections</h2>", table(["when", "who", "what", "trial or row", "value", "why"], rows)]


def _values(event: Event) -> str:
    several = event.data.get("values")
    if not several:
        return number(event.value)
    return ", ".join(f"{name} {'failed' if value is None else number(value)}" for name, value in several.items())


def _about(event: Event) -> str:
    """The trial or the row it happened to, or how many rows came."""
    if event.kind == "extended":
        return f"{len(next(iter(event.data['columns'].values())))} rows"
    return str(event.number if event.number is not None else event.data.get("row", ""))


def _outcome(trial: Trial) -> str:
    if trial.value is not None:
        return number(trial.value)
    return trial.status


def _part(trial: Trial, outcome: str) -> str:
    if outcome not in trial.values:
        return trial.status
    value = trial.values[outcome]
    return "failed" if value is None else number(value)


def _where(row: Any, params: Any, row_name: str) -> str:
    return f"{row_name} {row}: {pairs(params)}" if row is not None else pairs(params)
