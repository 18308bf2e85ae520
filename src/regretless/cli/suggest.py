"""``regretless suggest``: the next experiments of a study."""

from collections.abc import Sequence
from typing import Any

import click

from regretless.cli._output import MET, Format, format_option, print_json, print_rows, say, waiting
from regretless.cli._study import AGAIN, Lab, open_lab, study_options
from regretless.errors import NumericalError
from regretless.report.explain import measured_before
from regretless.report.status import status_of
from regretless.report.text import interval, pairs
from regretless.sheets import check_new, write_new
from regretless.study import Study, Trial

__all__ = [
    "command",
    "expectations",
    "expected_name",
    "expected_record",
    "expected_text",
    "print_trials",
    "write_round",
]


@click.command(
    epilog="Example: regretless suggest -n 3 --out round_04.csv",
    short_help="Suggest the next experiments.",
)
@click.option("-n", "count", type=click.IntRange(1, 1000), help="How many; as many as init said if left out.")
@click.option("--out", type=click.Path(dir_okay=False), help="A new file, .csv or .xlsx: fill it in for record.")
@click.option("--pending", is_flag=True, help="Ask for none; print those that wait for a result.")
@study_options
@format_option
def command(
    count: int | None, out: str | None, pending: bool, where: str | None, name: str | None, format: Format
) -> None:
    """Suggest the next experiments, which are pending from then on.

    With --out they are written to a file as your spreadsheet wrote the scope: fill in the last column and hand it to
    record. What the measurement should give is printed with each: the median, and in brackets where nine of ten should
    fall, noise included. The first few cover the scope evenly.
    """
    if out is not None:
        check_new(out)
    with open_lab(where, name) as lab:
        waits = lab.pending
        with waiting("Choosing the next experiments"):
            trials = waits if pending else lab.study.ask(count or lab.batch)
            view = status_of(lab.study, lab.stop, lab.row_name) if lab.stop is not None else None
        if not pending and waits:
            numbers = ", ".join(str(trial.number) for trial in waits)
            say(f"{len(waits)} suggested earlier still wait for a result: trial {numbers}.")
        if not trials:
            say("No experiment is pending.")
        if out is not None and trials:
            write_round(out, lab, trials)
            say(f"Wrote {out}: fill in {lab.study.objective!r}, then: {lab.command('record', out)}")
        if any(measured_before(lab.study, trial) for trial in trials):
            say(_why_again(lab, trials))
        print_trials(lab, trials, format)
        if view is not None and view.met:
            say(f"{view.advice()} (suggest goes on all the same)")
    if view is not None and view.met:
        raise SystemExit(MET)


def write_round(path: str, lab: Lab, trials: Sequence[Trial]) -> None:
    """The file of a round: trial, row, factors, what is measured again, and a column for the result."""
    names, rows = _marked(lab, trials)
    write_new(path, [*names, lab.study.objective], rows, lab.dialect)


def print_trials(lab: Lab, trials: Sequence[Trial], format: Format) -> None:
    """Suggestions with what the model expects of them now."""
    expected = expectations(lab.study, trials)
    if format == "json":
        found = [_record(lab, trial, range_) for trial, range_ in zip(trials, expected, strict=True)]
        print_json({"suggestions": found})
        return
    if format == "csv":
        names, rows = _columns(lab, trials)
        print_rows([*names, lab.title(AGAIN)], rows, format, dialect=lab.dialect)
    elif trials:
        head = expected_name(lab.study.objective)
        names, rows = _marked(lab, trials)
        texts = map(expected_text, trials, expected)
        print_rows([*names, head], [{**row, head: text} for row, text in zip(rows, texts, strict=True)], format)


_REASONS = {
    "rule": "By the rule's score another result there is worth more than one anywhere else, as happens where "
    "measurements are noisy.",
    "design": "The initial design covers the scope evenly, whatever was measured before.",
    "random": "The model could not be used, and a random draw does not look at what was measured.",
}


def _why_again(lab: Lab, trials: Sequence[Trial]) -> str:
    """Which suggestions measure again what has a result, why, and how to forbid it."""
    said, sources = [], []
    for trial in trials:
        count = measured_before(lab.study, trial)
        if count:
            point = f"{lab.row_name} {trial.row}" if trial.row is not None else pairs(trial.params)
            said.append(f"trial {trial.number} measures {point} again ({count} result{'s' * (count > 1)} so far)")
            sources.append(trial.source)
    reasons = " ".join(reason for source, reason in _REASONS.items() if source in sources)
    return f"Repeats: {', '.join(said)}. {reasons} A study made with init --repeats never measures nothing twice."


def _columns(lab: Lab, trials: Sequence[Trial]) -> tuple[list[str], list[dict[str, Any]]]:
    """What every suggestion is told by, and how often each was measured before."""
    names = [lab.trial_name, *([lab.row_name] if lab.has_rows else []), *lab.study.space.names]
    rows = [
        {
            **trial.params,
            lab.trial_name: trial.number,
            lab.row_name: trial.row,
            lab.title(AGAIN): measured_before(lab.study, trial),
        }
        for trial in trials
    ]
    return names, rows


def _marked(lab: Lab, trials: Sequence[Trial]) -> tuple[list[str], list[dict[str, Any]]]:
    """The same for people: a mark where something is measured again, and a column for it only then."""
    names, rows = _columns(lab, trials)
    again = lab.title(AGAIN)
    marks = [again] if any(row[again] for row in rows) else []
    return [*names, *marks], [{**row, again: row[again] or None} for row in rows]


def expectations(study: Study, trials: Sequence[Trial]) -> list[tuple[float, float, float] | None]:
    """Median, lower and upper end of what each measurement should give; None where a model has no say."""
    asked = [trial for trial in trials if trial.source == "rule"]
    if not asked or study.best is None:
        return [None] * len(trials)
    try:
        columns = study.predict_measurement([trial.params for trial in asked])
    except NumericalError:
        return [None] * len(trials)
    of = dict(zip((trial.number for trial in asked), zip(*(c.tolist() for c in columns), strict=True), strict=True))
    return [of.get(trial.number) for trial in trials]


def expected_name(objective: str) -> str:
    """The head of the column that says what is expected."""
    return f"expected {objective} (9 of 10)"


def expected_text(trial: Trial, expected: tuple[float, float, float] | None) -> str:
    """What is expected, or how the trial came about."""
    if expected is not None:
        return interval(*expected)
    return "(initial design)" if trial.source == "design" else f"({trial.source})"


def _record(lab: Lab, trial: Trial, expected: tuple[float, float, float] | None) -> dict[str, Any]:
    return {
        "trial": trial.number,
        "row": trial.row,
        "params": trial.params,
        "source": trial.source,
        "measured_before": measured_before(lab.study, trial),
        "expected": expected_record(expected),
        **trial.record,
    }


def expected_record(expected: tuple[float, float, float] | None) -> dict[str, float] | None:
    """The same for machines."""
    return None if expected is None else dict(zip(("median", "low", "high"), expected, strict=True))
