"""``regretless exclude``: rows not to suggest any more, results not to use any more."""

import click

from regretless.cli._output import say
from regretless.cli._study import check_rows, open_lab, study_options
from regretless.errors import InvalidInput

__all__ = ["command"]


@click.command(
    epilog='Example: regretless exclude A7 A8 --reason "out of stock"',
)
@click.argument("rows", nargs=-1)
@click.option("--trial", "trials", type=click.IntRange(min=0), multiple=True, help="A result not to use. Repeatable.")
@click.option("--reason", required=True, help="Why, for the record.")
@study_options
def command(rows: tuple[str, ...], trials: tuple[int, ...], reason: str, where: str | None, name: str | None) -> None:
    """Take ROWS off the list of what may be suggested; what was measured there is still used.

    With --trial, the result of a trial is excluded instead: it stays on record and the model does not see it. Both are
    undone by include.
    """
    if not rows and not trials:
        raise InvalidInput("name rows, or trials with --trial.")
    with open_lab(where, name) as lab:
        check_rows(lab, rows)
        for row in rows:
            lab.study.exclude_row(row, reason)
            say(f"{lab.row_name} {row} will not be suggested.")
        for number in trials:
            trial = lab.study.exclude(number, reason)
            say(f"The result of trial {trial.number} is not used.")
