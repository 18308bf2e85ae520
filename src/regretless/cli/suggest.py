"""``regretless suggest``: the next experiments of a study."""

from collections.abc import Sequence
from typing import Any

import click

from regretless.cli._output import Format, format_option, print_json, print_rows, say, waiting
from regretless.cli._standing import MET, standing
from regretless.cli._study import Lab, open_lab, study_options
from regretless.report.text import plus_minus
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
        if out is not None:
            write_round(out, lab, trials)
            say(f"Wrote {out}: fill in {lab.study.objective!r}, then: regretless record {out}")
        print_trials(lab, trials, format)
        if view is not None and view.met:
            say(f"{view.advice()} (suggest goes on all the same)")
    if view is not None and view.met:
        raise SystemExit(MET)


def write_round(path: str, lab: Lab, trials: Sequence[Trial]) -> None:
    """The file of a round: trial, row, factors, and a column for the result."""
    names = [lab.trial_name, *([lab.row_name] if lab.has_rows else []), *lab.study.space.names, lab.study.objective]
    rows = [{**trial.params, lab.trial_name: trial.number, lab.row_name: trial.row} for trial in trials]
    write_new(path, names, rows, lab.dialect)


def print_trials(lab: Lab, trials: Sequence[Trial], format: Format) -> None:
    """Suggestions with what the model expected of them."""
    if format == "json":
        print_json({"suggestions": [_record(trial) for trial in trials]})
        return
    expected = f"expected {lab.study.objective}"
    names = [lab.trial_name, *([lab.row_name] if lab.has_rows else []), *lab.study.space.names, expected]
    rows = [
        {**trial.params, lab.trial_name: trial.number, lab.row_name: trial.row, expected: _expected(trial)}
        for trial in trials
    ]
    if format == "csv":
        print_rows(names[:-1], rows, format, dialect=lab.dialect)
    elif rows:
        print_rows(names, rows, format)


def _expected(trial: Trial) -> str:
    if "mean" in trial.record:
        return plus_minus(trial.record["mean"], trial.record["sd"])
    return "(initial design)" if trial.source == "design" else f"({trial.source})"


def _record(trial: Trial) -> dict[str, Any]:
    return {
        "trial": trial.number,
        "row": trial.row,
        "params": trial.params,
        "source": trial.source,
        **trial.record,
    }
