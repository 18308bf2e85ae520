"""What pages show, as plain data: cards of experiments, lines of tables, histories of trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regretless.lab.explanation import Expected, Explanation, explain, measured_before, score_words
from regretless.lab.lab import Lab
from regretless.lab.results import in_words, on_record
from regretless.lab.text import interval, number, pairs, plus_minus, utc
from regretless.optimizer import LevelSet
from regretless.study import Event, Study, Trial

__all__ = ["Card", "Line", "Why", "best_words", "cards_of", "history_of", "lines_of", "status_word", "why_of"]

_ENDS = ("told", "failed", "added", "added_outside", "amended")
_WORDS = {"told": "measured"}
_EVENTS = {
    "asked": "suggested",
    "offered": "offered to another",
    "renewed": "lease renewed",
    "told": "recorded",
    "failed": "recorded as failed",
    "late": "came late, not used",
    "added": "recorded without a suggestion",
    "added_outside": "recorded, not a candidate",
    "amended": "corrected",
    "excluded": "set aside",
    "included": "used again",
    "released": "released",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A pending experiment, for the bench."""

    trial: Trial
    where: str
    settings: Sequence[tuple[str, str]]
    expected: Sequence[tuple[str, str]]  # of each outcome the median and where nine of ten fall
    source: str
    before: int
    asked_by: str
    asked_at: str


@dataclass(frozen=True, slots=True)
class Line:
    """A trial as a line of a table."""

    trial: Trial
    status: str
    where: str
    result: str
    expected: str
    author: str
    when: str


@dataclass(frozen=True, slots=True)
class Why:
    """Why an experiment was suggested, in a sentence, and what other draws would have picked."""

    sentence: str
    picks: Sequence[tuple[str, str, str, str]]  # draw, zeta, experiment, expected
    note: str = ""


def status_word(trial: Trial) -> str:
    """What became of a trial, as people say it."""
    return "excluded" if trial.excluded else _WORDS.get(trial.status, trial.status)


def best_words(study: Study) -> tuple[str, str]:
    """The best so far for a list: of several objectives how many, of a level set how many results reach it."""
    if isinstance(study.goal, LevelSet):
        told = [trial.value for trial in study.trials if not trial.excluded and trial.value is not None]
        return "reached", f"{sum(map(study.goal.holds, told))} of {len(told)}" if told else "nothing yet"
    if study.best is not None:
        return "best", number(study.best.value)
    optimal = len(study.best_trials)
    return "best", f"{optimal} Pareto-optimal" if optimal else "nothing yet"


def cards_of(
    lab: Lab, trials: Sequence[Trial], expected: Mapping[int, Expected | None], events: Mapping[int, Sequence[Event]]
) -> list[Card]:
    """Pending experiments, each with what is expected of it as far as that is known."""
    found = []
    for trial in trials:
        asked = next((event for event in events.get(trial.number, ()) if event.kind in ("asked", "offered")), None)
        ends = expected.get(trial.number)
        found.append(
            Card(
                trial=trial,
                where="" if trial.row is None else f"{lab.row_name} {trial.row}",
                settings=[(name, number(value)) for name, value in trial.params.items()],
                expected=[] if ends is None else [(name, interval(*each)) for name, each in ends.items()],
                source=trial.source,
                before=measured_before(lab.study, trial),
                asked_by="" if asked is None else asked.author,
                asked_at="" if asked is None else utc(asked.time)[:16],
            )
        )
    return found


def lines_of(lab: Lab, events: Mapping[int, Sequence[Event]]) -> list[Line]:
    """Every trial, the newest first, with who recorded it and when."""
    return [_line(lab, trial, events.get(trial.number, ())) for trial in reversed(lab.study.trials)]


def _line(lab: Lab, trial: Trial, events: Sequence[Event]) -> Line:
    ended = [event for event in events if event.kind in _ENDS]
    last = ended[-1] if ended else events[0] if events else None
    mean, sd = trial.details.get("mean"), trial.details.get("sd")
    return Line(
        trial=trial,
        status=status_word(trial),
        where="" if trial.row is None else str(trial.row),
        result=_result(lab, trial),
        expected="" if mean is None or sd is None else plus_minus(mean, sd),
        author="" if last is None else last.author,
        when="" if last is None else utc(last.time)[:16],
    )


def _result(lab: Lab, trial: Trial) -> str:
    known = on_record(trial)
    if trial.status == "failed" and len(lab.outcomes) == 1:
        return "failed"
    parts = [(name, in_words(known[name])) for name in lab.outcomes if name in known]
    return ", ".join(text if len(lab.outcomes) == 1 else f"{name} {text}" for name, text in parts)


def history_of(events: Sequence[Event]) -> list[tuple[str, str, str, str, str]]:
    """What happened to a trial: when, who, what, the value, why."""
    return [
        (
            utc(event.time)[:16],
            event.author,
            _EVENTS.get(event.kind, event.kind),
            _value(event),
            str(event.data.get("reason", "")),
        )
        for event in events
    ]


def _value(event: Event) -> str:
    several = event.data.get("values")
    if not several:
        return number(event.value)
    return ", ".join(f"{name} {'failed' if value is None else number(value)}" for name, value in several.items())


def why_of(lab: Lab, trial: Trial) -> Why:
    """Why a trial was suggested; its zeta, and what a cautious and a bold draw would have picked."""
    if trial.source == "design":
        return Why(
            "It is part of the first experiments, which cover the scope evenly: there was nothing to model yet.", ()
        )
    if trial.source == "added":
        return Why("Nobody suggested it: somebody ran it, and recorded the result.", ())
    if trial.source == "random":
        return Why(f"The model could not be used, so it was drawn at random. {trial.fallback or ''}".strip(), ())
    found = explain(lab.study, trial)
    if found is not None:
        return _drawn(lab, trial, found)
    if trial.zeta is None:
        return Why(f"The rule {lab.study.rule.name} gave it the largest score.", ())
    if lab.study.aim is not None:
        return Why(
            f"ζ = {trial.zeta:.3g} was drawn. This decision had the largest bound on what it is worth over its "
            "environments, and is measured where that tells most about its worth.",
            (),
        )
    weights = [f"{value:.2f}" for key, value in trial.details.items() if key.startswith("weight_")]
    drawn = f" and the weights {', '.join(weights)}" if weights else ""
    were = "were" if weights else "was"
    return Why(
        f"ζ = {trial.zeta:.3g}{drawn} {were} drawn. Of all experiments this one may be best, when every model is given "
        "√ζ standard deviations for not knowing.",
        (),
    )


def _drawn(lab: Lab, trial: Trial, found: Explanation) -> Why:
    said = {
        "cautious": "a cautious draw, which trusts what is known",
        "middling": "a middling draw",
        "bold": "a bold draw, which looks where little is known",
    }
    mean, sd = trial.details.get("mean"), trial.details.get("sd")
    here = "" if mean is None or sd is None else plus_minus(mean, sd)
    rows = [("this draw", f"{trial.zeta:.3g}", "this experiment", here)]
    for name, pick in (("a cautious draw", found.cautious), ("a bold draw", found.bold)):
        same = dict(pick.params) == dict(trial.params)
        where = "the same" if same else _where(lab, pick.row, pick.params)
        rows.append((name, f"{pick.zeta:.3g}", where, plus_minus(pick.mean, pick.sd)))
    alike = all(row[2] == "the same" for row in rows[1:])
    sentence = f"ζ = {trial.zeta:.3g} was drawn: {said[found.draw]}. This experiment had the {score_words(lab.study)}."
    note = "All draws name the same experiment: luck had no part in it." if alike else ""
    return Why(sentence, (rows[1], rows[0], rows[2]), note)


def _where(lab: Lab, row: Any, params: Mapping[str, Any]) -> str:
    return pairs(params) if row is None else f"{lab.row_name} {row}: {pairs(params)}"
