"""``regretless amend``: correct a result; what it was before stays on record."""

from typing import Any

import click

from regretless.cli._output import say
from regretless.cli._prompt import error_option, typed_results
from regretless.cli._study import open_lab, study_options
from regretless.errors import InvalidInput
from regretless.lab.results import in_words, on_record, told

__all__ = ["command"]


@click.command(
    epilog='Example: regretless amend 17 --value 81.2 --reason "typo: 812"',
)
@click.argument("trial", type=click.IntRange(min=0))
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="VALUE | NAME=VALUE",
    help="What it should have been. Repeatable: several outcomes, or replicates of one.",
)
@error_option
@click.option("--failed", is_flag=True, help="It should have been recorded as failed.")
@click.option("--reason", required=True, help="Why, for the record.")
@study_options
def command(
    trial: int,
    values: tuple[str, ...],
    errors: tuple[str, ...],
    failed: bool,
    reason: str,
    where: str | None,
    name: str | None,
) -> None:
    """Correct the result of TRIAL. Both results, the reason, who and when stay on record."""
    if failed == bool(values):
        raise InvalidInput("give either --value or --failed.")
    with open_lab(where, name) as lab:
        before = on_record(lab.study.trials[trial]) if trial < len(lab.study) else {}
        found = typed_results(values, lab.outcomes, lab.dialect.decimal, errors)
        result: dict[str, Any] = {"failed": True} if failed else told(found)
        after = on_record(lab.study.amend(trial, **result, reason=reason))
        for outcome in after if failed else found:
            was, now = in_words(before.get(outcome)), in_words(after[outcome])
            say(f"Trial {trial}: {outcome} was {was}, is now {now}.")
