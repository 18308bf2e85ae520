"""``regretless suggest``: the next experiments of a study."""

from collections.abc import Sequence
from typing import Any

import click

from regretless.cli._output import MET, Format, format_option, print_json, print_rows, say, waiting
from regretless.cli._study import AGAIN, Lab, open_lab, study_options
from regretless.lab.explanation import Expected, expectations, measured_before
from regretless.lab.results import result_cells
from regretless.lab.status import status_of
from regretless.lab.text import interval, number, pairs
from regretless.sheets import check_new, write_new
from regretless.study import Study, Trial

__all__ = [
    "command",
    "expected_cells",
    "expected_names",
    "expected_record",
    "print_trials",
    "write_round",
]


@click.command(
    epilog="Example: regretless suggest -n 3 --out round_04.csv",
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

    With --out they are written to a file as your spreadsheet wrote the scope: fill in the last column (of several
    outcomes, one column each) and hand it to record. What the measurement should give is printed with each: the median,
    and in brackets where nine of ten should fall, noise included. The first few cover the scope evenly.
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
            columns = " and ".join(map(repr, lab.outcomes))
            say(f"Wrote {out}: fill in {columns}, then: {lab.command('record', out)}")
        if any(measured_before(lab.study, trial) for trial in trials):
            say(_why_again(lab, trials))
        print_trials(lab, trials, format)
        if lab.study.fidelity is not None and not pending:
            say(f"Spent so far, with these: {lab.study.spent:g}.")
        if view is not None and view.met:
            say(f"{view.advice()} (suggest goes on all the same)")
    if view is not None and view.met:
        raise SystemExit(MET)


def write_round(path: str, lab: Lab, trials: Sequence[Trial]) -> None:
    """The file of a round: trial, row, factors, what is measured again, and a column for each result.

    Results that a pending trial has already are filled in. Where the study has known standard deviations of an outcome,
    there is a column for them too.
    """
    names, rows = _marked(lab, trials)
    errors = lab.error_names
    filled = [
        {**row, **result_cells(trial, errors, lab.dialect.decimal)} for row, trial in zip(rows, trials, strict=True)
    ]
    write_new(path, [*names, *lab.result_names], filled, lab.dialect)


def print_trials(lab: Lab, trials: Sequence[Trial], format: Format) -> None:
    """Suggestions with what the model expects of them now."""
    expected = expectations(lab.study, trials)
    if format == "json":
        found = [_record(lab, trial, ranges) for trial, ranges in zip(trials, expected, strict=True)]
        print_json({"suggestions": found})
        return
    if format == "csv":
        names, rows = _columns(lab, trials)
        print_rows([*names, lab.title(AGAIN)], rows, format, dialect=lab.dialect)
    elif trials:
        names, rows = _marked(lab, trials)
        cells = [expected_cells(lab.study, trial, ranges) for trial, ranges in zip(trials, expected, strict=True)]
        print_rows(
            [*names, *expected_names(lab.study)],
            [{**row, **more} for row, more in zip(rows, cells, strict=True)],
            format,
        )


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
    names = [lab.trial_name, *([lab.row_name] if lab.has_rows else []), *lab.study.parameters]
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


def expected_names(study: Study) -> list[str]:
    """The heads of the columns that say what is expected, one per outcome; short ones where there are several."""
    several = len(study.outcomes) > 1
    return [f"expected {outcome.name}{'' if several else ' (9 of 10)'}" for outcome in study.outcomes]


def expected_cells(study: Study, trial: Trial, expected: Expected | None) -> dict[str, str]:
    """What is expected of each outcome, or how the trial came about; or the result, where there is one."""
    source = "(initial design)" if trial.source == "design" else f"({trial.source})"
    cells = {}
    for name, head in zip((outcome.name for outcome in study.outcomes), expected_names(study), strict=True):
        text = source if expected is None else interval(*expected[name], digits=2 if len(study.outcomes) == 1 else 1)
        if name in trial.values:
            value = trial.values[name]
            text = f"{'failed' if value is None else number(value)} (measured)"
        cells[head] = text
    return cells


def _record(lab: Lab, trial: Trial, expected: Expected | None) -> dict[str, Any]:
    return {
        "trial": trial.number,
        "row": trial.row,
        "params": trial.params,
        "source": trial.source,
        "measured_before": measured_before(lab.study, trial),
        "expected": expected_record(expected),
        **trial.details,
    }


def expected_record(expected: Expected | None) -> dict[str, Any] | None:
    """The same for machines; by outcome, where there are several."""
    if expected is None:
        return None
    found = {name: dict(zip(("median", "low", "high"), ends, strict=True)) for name, ends in expected.items()}
    return found if len(found) > 1 else next(iter(found.values()))
