"""``regretless next``: from one file to the next rows to run, with no state at all."""

from typing import Any

import click

from regretless.cli._options import (
    experiments_of,
    range_option,
    seed_option,
    sheet_options,
    stop_option,
    stop_rule,
)
from regretless.cli._outcomes import outcome_options
from regretless.cli._output import MET, Format, format_option, print_json, print_rows, print_view, say, waiting
from regretless.cli._results import study_of
from regretless.cli.suggest import expected_cells, expected_names, expected_record
from regretless.errors import Exhausted
from regretless.lab.aims import Aims
from regretless.lab.explanation import Expected, expectations
from regretless.lab.status import status_of
from regretless.optimizer import StopRule
from regretless.sheets import Experiments
from regretless.study import Trial

__all__ = ["command"]


@click.command(
    epilog="Example: regretless next experiments.csv --objective yield -n 3",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@outcome_options("The column of results, filled as far as known.")
@click.option("-n", "count", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many rows.")
@stop_option
@range_option
@sheet_options
@seed_option
@format_option
def command(
    file: str,
    aims: Aims,
    count: int,
    stop: StopRule | None,
    patience: int | None,
    seed: int | None,
    format: Format,
    **reading: Any,
) -> None:
    """Print the next rows of FILE to run.

    Rows whose result is filled in are data, the others are candidates. Nothing is stored and FILE is not changed: fill
    in results as they come, and ask again. The same file gives the same answer.
    """
    rule = stop_rule(stop, patience, several=aims.several, level_set=aims.goal is not None)
    experiments = experiments_of(file, aims.names, reading)
    aims.check_measured(experiments)
    with waiting("Choosing the next rows"):
        study = study_of(experiments, aims, repeats="never", seed=seed or 0)
        view = status_of(study, rule, experiments.row_name)
        try:
            trials = study.ask(count)
        except Exhausted:
            trials = []
    again = _repeats(experiments)
    if again:
        say(f"Rows without a result that repeat a measured experiment are not suggested ({again}).")
    if not trials:
        say("Every experiment has a result: there is nothing left to suggest.")
    elif len(trials) < count:
        say(f"Only {len(trials)} rows are left without a result.")
    expected = expectations(study, trials)
    rows = [
        {experiments.row_name: trial.row, **trial.params, **expected_cells(study, trial, ranges)}
        for trial, ranges in zip(trials, expected, strict=True)
    ]
    if format == "json":
        found = [_record(trial, ranges) for trial, ranges in zip(trials, expected, strict=True)]
        print_json({"suggestions": found, **view.record()})
    else:
        names = [experiments.row_name, *experiments.factors, *(expected_names(study) if format == "table" else ())]
        if rows or format == "csv":
            print_rows(names, rows, format, dialect=experiments.dialect)
        if format == "table":
            click.echo()
            print_view(view)
    if view.met:
        raise SystemExit(MET)


def _repeats(experiments: Experiments) -> int:
    """Empty rows whose factors equal those of a row with a result."""
    rows = list(zip(*experiments.factors.values(), strict=True))
    is_done = [bool(experiments.measured(i)) for i in range(len(experiments))]
    done = {row for row, known in zip(rows, is_done, strict=True) if known}
    return sum(not known and row in done for row, known in zip(rows, is_done, strict=True))


def _record(trial: Trial, expected: Expected | None) -> dict[str, Any]:
    return {
        "row": trial.row,
        "params": trial.params,
        "source": trial.source,
        "expected": expected_record(expected),
        **trial.details,
    }
