"""``regretless amend``: correct a result; what it was before stays on record."""

import click

from regretless.cli._output import say
from regretless.cli._prompt import typed_number
from regretless.cli._study import open_lab, study_options
from regretless.errors import InvalidInput
from regretless.report.text import number

__all__ = ["command"]


@click.command(
    epilog='Example: regretless amend 17 --value 81.2 --reason "typo: 812"',
    short_help="Correct a result that was recorded.",
)
@click.argument("trial", type=click.IntRange(min=0))
@click.option("--value", help="What it should have been.")
@click.option("--failed", is_flag=True, help="It should have been recorded as failed.")
@click.option("--reason", required=True, help="Why, for the record.")
@study_options
def command(trial: int, value: str | None, failed: bool, reason: str, where: str | None, name: str | None) -> None:
    """Correct the result of TRIAL. Both results, the reason, who and when stay on record."""
    if failed == (value is not None):
        raise InvalidInput("give either --value or --failed.")
    with open_lab(where, name) as lab:
        before = lab.study.trials[trial].value if trial < len(lab.study) else None
        result = None if value is None else typed_number(value, lab.study.objective, lab.dialect.decimal)
        after = lab.study.amend(trial, result, failed=failed, reason=reason)
        was, now = ("failed" if one is None else number(one) for one in (before, after.value))
        say(f"Trial {trial}: {lab.study.objective} was {was}, is now {now}.")
