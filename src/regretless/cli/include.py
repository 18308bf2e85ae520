"""``regretless include``: undo exclude."""

import click

from regretless.cli._output import say
from regretless.cli._study import check_rows, open_lab, study_options
from regretless.errors import InvalidInput

__all__ = ["command"]


@click.command(
    epilog="Example: regretless include A7",
)
@click.argument("rows", nargs=-1)
@click.option("--trial", "trials", type=click.IntRange(min=0), multiple=True, help="A result to use again. Repeatable.")
@click.option("--reason", default="", help="Why, for the record.")
@study_options
def command(rows: tuple[str, ...], trials: tuple[int, ...], reason: str, where: str | None, name: str | None) -> None:
    """Let ROWS be suggested again; with --trial, use the result of a trial again."""
    if not rows and not trials:
        raise InvalidInput("name rows, or trials with --trial.")
    with open_lab(where, name) as lab:
        check_rows(lab, rows)
        for row in rows:
            lab.study.include_row(row, reason)
            say(f"{lab.row_name} {row} may be suggested again.")
        for number in trials:
            trial = lab.study.include(number, reason)
            say(f"The result of trial {trial.number} is used again.")
