"""``regretless release``: pending experiments that will not be run."""

import click

from regretless.cli._output import say
from regretless.cli._study import Lab, check_rows, open_lab, study_options
from regretless.errors import InvalidInput, TrialConflict
from regretless.lab.text import point
from regretless.study import Trial

__all__ = ["command"]


@click.command(
    epilog='Example: regretless release 17 --reason "the vial broke"',
)
@click.argument("trials", type=click.IntRange(min=0), nargs=-1)
@click.option("--row", "rows", multiple=True, metavar="ROW", help="All that is pending at a row. Repeatable.")
@click.option("--all", "everything", is_flag=True, help="All that is pending.")
@click.option("--reason", default="", help="Why, for the record.")
@study_options
def command(
    trials: tuple[int, ...], rows: tuple[str, ...], everything: bool, reason: str, where: str | None, name: str | None
) -> None:
    """Release pending TRIALS, by their numbers: they will not be run, and may be suggested again.

    If a result comes in after all, record still takes it. To keep an experiment from being suggested again, exclude
    its row.
    """
    if everything == bool(trials or rows):
        raise InvalidInput("name pending trials by their numbers, or by --row; or all of them by --all.")
    with open_lab(where, name) as lab:
        check_rows(lab, rows)
        named = [lab.pending_trial(number) for number in trials] + [trial for row in rows for trial in _at(lab, row)]
        chosen = lab.pending if everything else list({trial.number: trial for trial in named}.values())
        for trial in chosen:
            if trial.values:
                missing = [f"{outcome}=failed" for outcome in lab.outcomes if outcome not in trial.values]
                raise TrialConflict(
                    f"trial {trial.number} has a result of {', '.join(trial.values)} already, so it is not released. "
                    f"If there will be no more: {lab.command('record', str(trial.number), *missing)}"
                )
        for trial in chosen:
            lab.study.release(trial.number, reason)
            say(f"Trial {trial.number}, {point(trial.row, trial.params, lab.row_name)}, is released.")
        what = "They" if len(chosen) > 1 else "It"
        say(f"{what} may be suggested again." if chosen else "No experiment is pending.")


def _at(lab: Lab, row: str) -> list[Trial]:
    """What is pending at a row, at least one trial."""
    space = lab.study.space
    row_id = space.name_of(space.candidate_of(row))
    found = [trial for trial in lab.pending if trial.row == row_id]
    if not found:
        raise InvalidInput(f"nothing is pending at {lab.row_name} {row} (pending: {lab.pending_numbers}).")
    return found
