"""``regretless ran``: an experiment that was not the suggested one."""

from collections.abc import Mapping
from typing import Any

import click

from regretless.cli._output import say
from regretless.cli._prompt import error_option, typed_params, typed_results
from regretless.cli._results import conditional
from regretless.cli._study import Lab, open_lab, study_options
from regretless.errors import InvalidInput, TrialConflict
from regretless.lab.results import told
from regretless.lab.text import point
from regretless.spaces.conditions import existing
from regretless.study import Trial

__all__ = ["command"]


@click.command(
    epilog="Examples: regretless ran --set T=85 81.2; regretless ran --row A7 81.2",
    context_settings={"ignore_unknown_options": True},  # so that a value may be negative
)
@click.argument("values", metavar="[VALUE | NAME=VALUE ...]", nargs=-1)
@error_option
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A factor as it was run. Repeatable.")
@click.option("--row", metavar="ROW", help="The row that was run, by its name or line.")
@click.option("--trial", type=click.IntRange(min=0), help="The pending trial it was run instead of, which is released.")
@click.option("--failed", is_flag=True, help="It was run and gave no result.")
@study_options
def command(
    values: tuple[str, ...],
    errors: tuple[str, ...],
    settings: tuple[str, ...],
    row: str | None,
    trial: int | None,
    failed: bool,
    where: str | None,
    name: str | None,
) -> None:
    """Record a result of an experiment that was run without or instead of a suggestion, or of one run once more.

    Factors that are not set are those of the trial it was run instead of: --trial, or the only one that is pending. An
    experiment that is not a row of the table counts as data for the model; it is never suggested. Several values are
    the same experiment measured several times.
    """
    if failed == bool(values):
        raise InvalidInput("give either a value or --failed.")
    if (row is None) == (not settings):
        raise InvalidInput("say what was run: --set NAME=VALUE for each factor that differs, or --row.")
    with open_lab(where, name) as lab:
        found = typed_results(values, lab.outcomes, lab.dialect.decimal, errors)
        result: dict[str, Any] = {"failed": True} if failed else told(found)
        if row is not None:
            instead = None if trial is None else _given_up(lab, lab.pending_trial(trial))
            added = lab.study.add(row=row, **result)
        else:
            given = typed_params(settings, lab.study, lab.dialect.decimal)
            instead = _given_up(lab, _base(lab, given, trial))
            params = _merged(lab.study.space, instead.params if instead else {}, given)
            added = lab.study.add(params, **result)
        say(f"Recorded trial {added.number}: {lab.described(added)}")
        if added.note is not None:
            undo = lab.command("exclude", "--trial", str(added.number), "--reason", "typing error")
            say(f"Note: {added.note}{_nearest(lab, added)}. If it was typed wrong: {undo}")
        if instead is not None:
            lab.study.release(instead.number, f"trial {added.number} was run instead")
            say(f"Trial {instead.number} is released; it may be suggested again.")


def _given_up(lab: Lab, trial: Trial | None) -> Trial | None:
    """The trial that something else was run instead of, which must not have been run in part."""
    if trial is not None and trial.values:
        missing = [f"{outcome}=failed" for outcome in lab.outcomes if outcome not in trial.values]
        raise TrialConflict(
            f"trial {trial.number} has a result of {', '.join(trial.values)}, so nothing was run instead of it. "
            "Nothing was recorded. Set all factors; if there will be no more of that trial: "
            f"{lab.command('record', str(trial.number), *missing)}"
        )
    return trial


def _base(lab: Lab, given: dict[str, Any], trial: int | None) -> Trial | None:
    """The trial that fills in what is not set; None where all is set and none was named."""
    if trial is not None:
        return lab.pending_trial(trial)
    space = lab.study.space
    absent = {name for name in conditional(space) if name not in _merged(space, dict.fromkeys(space.names), given)}
    missing = [name for name in space.names if name not in given and name not in absent]
    if not missing:
        return None
    if len(lab.pending) != 1:
        raise InvalidInput(
            f"{', '.join(missing)} is not set. Set all factors, or say with --trial instead of which pending trial it "
            f"was run (pending: {lab.pending_numbers})."
        )
    return lab.pending[0]


def _merged(space: Any, base: Mapping[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """What was run: the base with what is set, without what does not exist under a condition that was set."""
    params = {**base, **given}
    found = existing(getattr(space, "dimensions", {}), params)  # the columns of a table exist in every row
    return {name: value for name, value in params.items() if name in found or name in given}


def _nearest(lab: Lab, trial: Trial) -> str:
    """The row that may have been meant."""
    space = lab.study.space
    index = space.nearest({name: value for name, value in trial.params.items() if name in space.names})
    if index is None:
        return ""
    return f" (the nearest is {point(space.name_of(index), space.params_of(space.at_index(index)), lab.row_name)})"
