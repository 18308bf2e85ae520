"""``regretless suggest``: the next experiments of a study."""

from collections.abc import Sequence
from typing import Any

import click

from regretless.cli._output import Format, format_option, print_json, print_rows, say, waiting
from regretless.cli._standing import MET, standing
from regretless.cli._study import AGAIN, Lab, open_lab, study_options
from regretless.report.explain import measured_before
from regretless.report.text import pairs, plus_minus
from regretless.sheets import check_new, write_new
from regretless.study import Trial

__all__ = ["command"]


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
    record. What the model expects is printed with each; the first few cover the scope evenly.
    """
    if out is not None:
        check_new(out)
    with open_lab(where, name) as lab:
        waits = lab.pending
        with waiting("Choosing the next experiments"):
            trials = waits if pending else lab.study.ask(count or lab.batch)
            view = standing(lab.study, lab.stop, lab.row_name) if lab.stop is not None else None
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
    names, rows = _columns(lab, trials)
    again = lab.title(AGAIN)
    before = [again] if any(row[again] for row in rows) else []
    write_new(path, [*names, *before, lab.study.objective], rows, lab.dialect)


def print_trials(lab: Lab, trials: Sequence[Trial], format: Format) -> None:
    """Suggestions with what the model expected of them."""
    if format == "json":
        print_json({"suggestions": [_record(lab, trial) for trial in trials]})
        return
    expected, again = f"expected {lab.study.objective}", lab.title(AGAIN)
    names, rows = _columns(lab, trials)
    if format == "csv":
        print_rows([*names, again], rows, format, dialect=lab.dialect)
    elif rows:
        before = [again] if any(row[again] for row in rows) else []
        rows = [{**row, expected: _expected(trial)} for row, trial in zip(rows, trials, strict=True)]
        print_rows([*names, *before, expected], rows, format)


def _why_again(lab: Lab, trials: Sequence[Trial]) -> str:
    """Which suggestions measure again what has a result, why, and how to forbid it."""
    said = []
    for trial in trials:
        count = measured_before(lab.study, trial)
        if count:
            point = f"{lab.row_name} {trial.row}" if trial.row is not None else pairs(trial.params)
            said.append(f"trial {trial.number} measures {point} again ({count} result{'s' * (count > 1)} so far)")
    return (
        f"Repeats: {', '.join(said)}. By the rule's score another result there is worth more than one anywhere else, "
        "as happens where measurements are noisy. A study made with init --repeats never measures nothing twice."
    )


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


def _expected(trial: Trial) -> str:
    if "mean" in trial.record:
        return plus_minus(trial.record["mean"], trial.record["sd"])
    return "(initial design)" if trial.source == "design" else f"({trial.source})"


def _record(lab: Lab, trial: Trial) -> dict[str, Any]:
    return {
        "trial": trial.number,
        "row": trial.row,
        "params": trial.params,
        "source": trial.source,
        "measured_before": measured_before(lab.study, trial),
        **trial.record,
    }
