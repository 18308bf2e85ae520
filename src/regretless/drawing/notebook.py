"""Fragments for notebooks: a study, a result, a certificate, a trial. No script, everything escaped, nothing computed.

They survive untrusted notebooks, nbviewer and GitHub, and take the colours of the page they stand in.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from regretless.drawing.gauges import gauge_of
from regretless.drawing.progress import LIGHTS, history_figure
from regretless.lab.status import counts_of
from regretless.lab.text import number, pairs, plus_minus, results, share
from regretless.optimizer import Certificate, Certified, LevelSet, RegionLoss
from regretless.study import Result, Study, Trial

__all__ = ["html_of"]

_CELL = ' style="text-align:left;padding:.15em .9em .15em 0;vertical-align:top"'
_BOX = ' style="border:1px solid rgba(128,128,128,.35);border-radius:10px;padding:.8em 1em;max-width:46em"'
#: Trials of a study that are listed.
_LISTED = 5


def html_of(thing: Any) -> str:
    """The fragment for anything that a notebook may show.

    >>> study = Study({"x": (0.0, 1.0)}, objective="<b>", seed=1)
    >>> "&lt;b&gt;" in html_of(study.tell(study.ask(), 0.5)) or "0.5" in html_of(study.trials[0])
    True
    """
    if isinstance(thing, Study):
        return _study(thing)
    if isinstance(thing, Result):
        return _result(thing)
    return _trial(thing) if isinstance(thing, Trial) else _certificate(thing)


def _study(study: Study) -> str:
    counted = " · ".join(f"{count} {word}" for word, count in counts_of(study).items() if count) or "nothing yet"
    aims = "; ".join(outcome.wanted for outcome in study.outcomes)
    head = [("Objective" if len(study.outcomes) == 1 else "Outcomes", aims), ("Space", repr(study.space))]
    head += [("Rule", study.rule.name), ("Trials", counted), *_best(study)]
    parts = [_title(f"Study {study.name}" if study.name else "Study"), _facts(head)]
    return _box([*parts, *_history(study), *_last(study)])


def _result(result: Result) -> str:
    head = [("Ended", result.message), ("Evaluations", str(result.nfev)), *_best(result.study)]
    if result.stopped_by is not None:
        head.append(("Certificate", result.stopped_by.sentence))
    return _box([_title("Result"), _facts(head), *_history(result.study)])


def _certificate(left: Certified) -> str:
    words, _, _ = LIGHTS[left.trust.light]
    title = "On the wrong side" if isinstance(left, RegionLoss) else "Regret left"
    facts = [("Model", f"{words}. {left.trust.message}"), ("Results", f"{left.used} of {left.told} used")]
    if isinstance(left, Certificate):
        facts.insert(0, ("Expected", plus_minus(left.mean, left.sd)))
        facts += [] if left.exceeds is None else [(f"P(regret > {number(left.eps)})", f"at most {share(left.exceeds)}")]
    facts += [("Beside the bound", left.beside())] if left.beside() else []
    drawn = gauge_of(left).markup
    return _box([f"<div>{_title(title)}</div>", drawn, f"<p>{escape(left.promise())}</p>", _facts(facts)])


def _trial(trial: Trial) -> str:
    facts = [(name, number(value)) for name, value in trial.params.items()]
    facts += [("row", str(trial.row))] if trial.row is not None else []
    known = [(name, "failed" if value is None else number(value)) for name, value in trial.values.items()]
    facts += [("status", trial.status + (", excluded" if trial.excluded else "")), *known, ("source", trial.source)]
    facts += [("zeta", f"{trial.zeta:.3g}")] if trial.zeta is not None else []
    if "mean" in trial.details and "sd" in trial.details:
        facts.append(("expected", plus_minus(trial.details["mean"], trial.details["sd"])))
    facts += [("note", text) for text in (trial.note, trial.fallback) if text]
    return _box([_title(f"Trial {trial.number}"), _facts(facts)])


def _best(study: Study) -> list[tuple[str, str]]:
    best, goal = study.best, study.goal
    if isinstance(goal, LevelSet):
        told = [t.value for t in study.trials if not t.excluded and t.value is not None]
        reached = sum(map(goal.holds, told))
        return [("Reached", f"{reached} of {len(told)} results have {goal.words(study.objective)}")] if told else []
    if best is not None:
        return [("Best", f"{number(best.value)} at {pairs(best.params)}")]
    return [("Best", f"{len(study.best_trials)} Pareto-optimal")] if study.best_trials else []


def _history(study: Study) -> list[str]:
    figure = history_figure(study)
    return [] if figure is None else [figure.drawing.markup]


def _last(study: Study) -> list[str]:
    rows = [[str(t.number), pairs(t.params), t.status, results(study, t)] for t in study.trials[-_LISTED:]]
    return [_table(["trial", "settings", "status", "result"], rows)] if rows else []


def _title(text: str) -> str:
    return f"<b>{escape(text)}</b>"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th{_CELL}>{escape(name)}</th><td{_CELL}>{escape(text)}</td></tr>" for name, text in facts)
    return f"<table>{rows}</table>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th{_CELL}>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td{_CELL}>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _box(parts: Iterable[str]) -> str:
    return f"<div{_BOX}>{''.join(parts)}</div>"
