"""``regretless import``: results of another file."""

from typing import Any

import click

from regretless.cli._foreign import foreign_options, is_foreign, load_foreign
from regretless.cli._output import say
from regretless.cli._results import incoming, incoming_trials, store
from regretless.cli._study import open_lab, study_options

__all__ = ["command"]


@click.command(
    "import",
    epilog="Example: regretless import results_2023.csv",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark, where the file leaves a doubt.")
@click.option("--worksheet", metavar="NAME", help="The worksheet of an Excel workbook with several.")
@click.option("--outside", is_flag=True, help="Take experiments that are not rows of the table too, as data only.")
@foreign_options
@study_options
def command(
    file: str,
    outside: bool,
    candidates: str | None,
    optuna: str | None,
    where: str | None,
    name: str | None,
    **reading: Any,
) -> None:
    """Add the results in FILE: the scope with results filled in, an older table, or what export wrote.

    Rows are found by the name of the row where FILE has it, else by their factors. A pending trial of the same
    experiment is answered. What is on record already, the same experiment with the same value, is not recorded twice.
    All of FILE is checked before anything is stored.

    An experiment that is not a row of the table is refused: it may be a typing error. With --outside rows are found by
    their factors, and such an experiment counts as data for the model that is never suggested.

    FILE may also be an experiment of Ax (.json), a history of PHYSBO (.npz) or a database of Optuna (.db) with the same
    parameters and outcomes.
    """
    with open_lab(where, name) as lab:
        if is_foreign(file):
            theirs = load_foreign(file, candidates, optuna, lab=lab)
            results, known = incoming_trials(lab, file, theirs.study, outside=outside)
        else:
            results, known = incoming(lab, file, outside=outside, **reading)
        stored = store(lab, results)
        beyond = sum(trial.note is not None for trial in stored)
        answered = sum(result.answers is not None for result in results)
        say(
            f"{file}: {len(stored)} result{'s' * (len(stored) != 1)} recorded"
            + (f", {answered} of them of pending trials" if answered else "")
            + (f", {beyond} of them of no row: used as data, never suggested" if beyond else "")
            + (f"; {known} were on record already" if known else "")
            + "."
        )
