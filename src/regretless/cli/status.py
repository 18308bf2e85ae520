"""``regretless status``: where a study stands."""

from typing import Any

import click

from regretless.cli._options import stop_option, stop_rule
from regretless.cli._output import MET, Format, averaging, format_option, print_status, waiting
from regretless.cli._study import open_lab, study_options
from regretless.cli.suggest import print_trials
from regretless.lab.status import status_of
from regretless.optimizer import LevelSet, StopRule
from regretless.study import Trial

__all__ = ["command"]


@click.command(
    epilog="Example: regretless status --stop 0.5",
)
@stop_option
@click.option(
    "--certify",
    is_flag=True,
    default=None,
    help="Compute the certificate of a table in a file too: it takes a pass over all its rows.",
)
@study_options
@format_option
def command(
    stop: StopRule | None,
    patience: int | None,
    certify: bool | None,
    where: str | None,
    name: str | None,
    format: Format,
) -> None:
    """Print the best measured, the recommended, what settling on it may cost, how far to trust that, and the
    pending.

    Best measured is the largest (or smallest) single result, which noise favours; recommended is where the model
    expects the best, all results considered. With several objectives both are fronts, and are printed as tables. Exit
    code 3 says that the stop rule is met.
    """
    with open_lab(where, name) as lab:
        with waiting(averaging(lab.study)):
            rule = stop_rule(
                stop, patience, lab.stop, several=lab.several, level_set=isinstance(lab.study.goal, LevelSet)
            )
            view = status_of(lab.study, rule, lab.row_name, certify=certify)
        pending = lab.pending
        waits = [_waiting(trial) for trial in pending]
        print_status(
            view,
            format,
            about={"study": lab.study.name, "pending": waits, "excluded_rows": lab.study.excluded_rows},
            head=[("Study", f"{lab.study.name} ({lab.place})")],
        )
        if format == "table" and pending:
            click.echo("\nPending:")
            print_trials(lab, pending, format)
    if view.met:
        raise SystemExit(MET)


def _waiting(trial: Trial) -> dict[str, Any]:
    """A pending trial for machines; with the results it has in part."""
    found = {"trial": trial.number, "row": trial.row, "params": trial.params}
    return {**found, "values": dict(trial.values)} if trial.values else found
