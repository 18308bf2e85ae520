"""``regretless status``: where a study stands."""

import click

from regretless.cli._options import stop_option, stop_rule
from regretless.cli._output import Format, format_option, print_facts, print_json, print_rows, waiting
from regretless.cli._standing import MET, standing
from regretless.cli._study import open_lab, study_options
from regretless.cli.suggest import print_trials
from regretless.study import Regret

__all__ = ["command"]


@click.command(
    epilog="Example: regretless status --stop 0.5",
    short_help="Where the study stands, and whether to stop.",
)
@stop_option
@study_options
@format_option
def command(stop: Regret | None, patience: int | None, where: str | None, name: str | None, format: Format) -> None:
    """Print the best measured, the recommended, what settling on it may cost, how far to trust that, and the
    pending.

    Best measured is the largest (or smallest) single result, which noise favours; recommended is where the model
    expects the best, all results considered. Exit code 3 says that the stop rule is met.
    """
    with open_lab(where, name) as lab:
        with waiting("Fitting the model"):
            view = standing(lab.study, stop_rule(stop, patience, lab.stop), lab.row_name)
        pending = lab.pending
        closed = lab.study.excluded_rows
        if format == "json":
            waits = [{"trial": trial.number, "row": trial.row, "params": trial.params} for trial in pending]
            print_json({"study": lab.study.name, **view.record(), "pending": waits, "excluded_rows": closed})
        elif format == "csv":
            print_rows(["what", "says"], [{"what": what, "says": says} for what, says in view.facts()], format)
        else:
            facts = [("Study", f"{lab.study.name} ({lab.place})"), *view.facts()]
            if closed:
                facts.insert(3, ("Not suggested", f"{lab.row_name} {', '.join(map(str, closed))}"))
            print_facts(facts)
            if pending:
                click.echo("\nPending:")
                print_trials(lab, pending, format)
    if view.met:
        raise SystemExit(MET)
