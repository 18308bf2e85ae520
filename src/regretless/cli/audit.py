"""``regretless audit``: the certificate of a table that is partly measured, or of another program's study."""

from typing import Any

import click

from regretless.cli._foreign import foreign_options, is_foreign, load_foreign
from regretless.cli._options import (
    experiments_of,
    range_option,
    sheet_options,
    stop_option,
    stop_rule,
)
from regretless.cli._outcomes import outcome_options
from regretless.cli._output import MET, Format, format_option, print_status, waiting
from regretless.cli._results import study_of
from regretless.errors import InvalidInput
from regretless.lab.aims import Aims
from regretless.lab.status import status_of
from regretless.optimizer import StopRule
from regretless.sheets import numbers_of

__all__ = ["command"]


@click.command(
    epilog="Example: regretless audit results.csv --objective yield --stop 1%",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@outcome_options("The column of results of a table, filled as far as known.", required=False)
@foreign_options
@stop_option
@range_option
@sheet_options
@format_option
def command(
    file: str,
    aims: Aims | None,
    candidates: str | None,
    optuna: str | None,
    stop: StopRule | None,
    patience: int | None,
    format: Format,
    **reading: Any,
) -> None:
    """Print what the results in FILE say: the best measured, the recommended, and what settling on it may still cost.

    Rows without a result are the candidates that are left. Files of EDBO+ can be read as they are: PENDING means no
    result, and its column of priorities is left out. FILE is not changed.

    FILE may also be an experiment of Ax (.json), a history of PHYSBO (.npz, with --candidates) or a database of Optuna
    (.db): what was measured and what is wanted is then read from it.
    """
    if is_foreign(file):
        found = load_foreign(file, candidates, optuna, aims)
        rule = stop_rule(stop, patience, several=sum(each.role == "objective" for each in found.study.outcomes) > 1)
        with waiting("Fitting the model"):
            view = status_of(found.study, rule)
        print_status(view, format, about={"file": file, "taken": found.taken, "left": len(found.left)})
        if view.met:
            raise SystemExit(MET)
        return
    if aims is None:
        raise InvalidInput(f"{file}: say which column holds the results: --objective yield.")
    rule = stop_rule(stop, patience, several=aims.several, level_set=aims.goal is not None)
    experiments = experiments_of(file, aims.names, reading)
    aims.check_measured(experiments)
    for name, column in experiments.results.items():
        if not any(map(numbers_of, column)):
            raise InvalidInput(f"{file}: column {name!r} holds no result yet. Fill in at least one, then audit.")
    with waiting("Fitting the model"):
        view = status_of(study_of(experiments, aims), rule, experiments.row_name)
    print_status(view, format, about={"file": file, "candidates": len(set(experiments.ids))})
    if view.met:
        raise SystemExit(MET)
