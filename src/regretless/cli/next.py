"""``regretless next``: from one file to the next rows to run, with no state at all."""

from typing import Any

import click

from regretless.cli._options import (
    direction_option,
    experiments_of,
    range_option,
    seed_option,
    sheet_options,
    stop_option,
    stop_rule,
)
from regretless.cli._output import MET, Format, format_option, print_facts, print_json, print_rows, say, waiting
from regretless.cli._results import study_of
from regretless.cli.suggest import expectations, expected_name, expected_record, expected_text
from regretless.errors import Exhausted
from regretless.report.status import status_of
from regretless.sheets import Experiments
from regretless.study import Regret, Trial

__all__ = ["command"]


@click.command(
    epilog="Example: regretless next experiments.csv --objective yield -n 3",
    short_help="Print the next rows of a file to run; keeps no state.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--objective", required=True, metavar="COLUMN", help="The column of results, filled as far as known.")
@direction_option
@click.option("-n", "count", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many rows.")
@stop_option
@range_option
@sheet_options
@seed_option
@format_option
def command(
    file: str,
    objective: str,
    maximize: bool,
    count: int,
    stop: Regret | None,
    patience: int | None,
    limits: tuple[float, float] | None,
    seed: int | None,
    format: Format,
    **reading: Any,
) -> None:
    """Print the next rows of FILE to run.

    Rows whose result is filled in are data, the others are candidates. Nothing is stored and FILE is not changed: fill
    in results as they come, and ask again. The same file gives the same answer.
    """
    rule = stop_rule(stop, patience)
    experiments = experiments_of(file, objective, reading)
    with waiting("Choosing the next rows"):
        study = study_of(experiments, objective, maximize=maximize, limits=limits, repeats="never", seed=seed or 0)
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
    head = expected_name(objective)
    rows = [
        {experiments.row_name: trial.row, **trial.params, head: expected_text(trial, range_)}
        for trial, range_ in zip(trials, expected, strict=True)
    ]
    if format == "json":
        found = [_record(trial, range_) for trial, range_ in zip(trials, expected, strict=True)]
        print_json({"suggestions": found, **view.record()})
    else:
        names = [experiments.row_name, *experiments.factors, *((head,) if format == "table" else ())]
        if rows or format == "csv":
            print_rows(names, rows, format, dialect=experiments.dialect)
        if format == "table":
            click.echo()
            print_facts(view.facts())
    if view.met:
        raise SystemExit(MET)


def _repeats(experiments: Experiments) -> int:
    """Empty rows whose factors equal those of a row with a result."""
    rows = list(zip(*experiments.factors.values(), strict=True))
    done = {row for row, value in zip(rows, experiments.values, strict=True) if value is not None}
    return sum(value is None and row in done for row, value in zip(rows, experiments.values, strict=True))


def _record(trial: Trial, expected: tuple[float, float, float] | None) -> dict[str, Any]:
    return {
        "row": trial.row,
        "params": trial.params,
        "source": trial.source,
        "expected": expected_record(expected),
        **trial.record,
    }
