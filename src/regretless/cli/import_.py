"""``regretless import``: results of another file."""

from typing import Any

import click

from regretless.cli._merge import incoming, store
from regretless.cli._output import say
from regretless.cli._study import open_lab, study_options

__all__ = ["command"]


@click.command(
    "import",
    epilog="Example: regretless import results_2023.csv",
    short_help="Bring results of another file along.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark, where the file leaves a doubt.")
@click.option("--worksheet", metavar="NAME", help="The worksheet of an Excel workbook with several.")
@study_options
def command(file: str, where: str | None, name: str | None, **reading: Any) -> None:
    """Bring the results in FILE along: the scope with results filled in, an older table, or what export wrote.

    Rows are found by the name of the row where FILE has it, else by their factors. A pending trial of the same
    experiment is answered. What is on record already, the same experiment with the same value, is not recorded twice.
    All of FILE is checked before anything is stored.
    """
    with open_lab(where, name) as lab:
        results, known = incoming(lab, file, **reading)
        stored = store(lab, results)
        answered = sum(result.answers is not None for result in results)
        say(
            f"{file}: {len(stored)} results recorded"
            + (f", {answered} of them of pending trials" if answered else "")
            + (f"; {known} were on record already" if known else "")
            + "."
        )
