"""``regretless record``: results, from the file of a round or from the keyboard."""

from pathlib import Path

import click

from regretless.cli._output import MET, say, waiting
from regretless.cli._prompt import typed_number, typed_trial
from regretless.cli._study import AGAIN, Lab, open_lab, study_options
from regretless.errors import InvalidInput, TrialConflict
from regretless.report.status import status_of
from regretless.report.text import number, point
from regretless.sheets import Reading, RoundRow, Value, read_round
from regretless.study import Trial

__all__ = ["command"]


@click.command(
    epilog="Examples: regretless record round_04.csv; regretless record 17 81.2; regretless record 17 --failed",
    short_help="Record results: the file of a round, or one trial.",
    context_settings={"ignore_unknown_options": True},  # so that record 17 -5 is a value
)
@click.argument("what", metavar="FILE | TRIAL [VALUE]", nargs=-1, required=True)
@click.option("--failed", is_flag=True, help="The experiment was done and gave no result.")
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark of FILE, where it leaves a doubt.")
@click.option("--worksheet", metavar="NAME", help="The worksheet of FILE, if it is a workbook with several.")
@study_options
def command(
    what: tuple[str, ...],
    failed: bool,
    decimal: str | None,
    worksheet: str | None,
    where: str | None,
    name: str | None,
) -> None:
    """Record what came out. A FILE is one that suggest --out made, filled in as far as results are known.

    In a file, leave the cell empty while there is no result, and write failed where the experiment gave none. The file
    may be recorded again when more is filled in: what is on record already stays. All of it is checked first.
    """
    with open_lab(where, name) as lab:
        first = what[0]
        is_file = not (first.isascii() and first.isdecimal())
        if is_file and not Path(first).is_file():
            typed_trial(first)
        if is_file:
            if len(what) > 1 or failed:
                raise InvalidInput(f"{first} is a file: its results stand in it, nothing follows. One file at a time.")
            # A file that was written with commas is read with commas: 1,5 and 7 are numbers in it.
            mark = decimal or ("," if lab.dialect.decimal == "," else None)
            _record_file(lab, first, Reading(decimal=mark, worksheet=worksheet, asked_in="prompt"))
        else:
            _record_one(lab, typed_trial(first), what[1:], failed)
        with waiting("Fitting the model"):
            view = status_of(lab.study, lab.stop, lab.row_name, record=True)
        if view.met:
            say(view.advice())
    if view.met:
        raise SystemExit(MET)


def _record_one(lab: Lab, trial: int, rest: tuple[str, ...], failed: bool) -> None:
    if len(rest) > 1 or (failed and rest) or not (failed or rest):
        raise InvalidInput("write either one value, record 17 81.2, or record 17 --failed.")
    told = (
        lab.study.tell(trial, failed=True)
        if failed
        else lab.study.tell(trial, typed_number(rest[0], lab.study.objective, lab.dialect.decimal))
    )
    say(f"Recorded {_described(lab, told)}")


def _record_file(lab: Lab, path: str, reading: Reading) -> None:
    factors, objective = lab.study.space.names, lab.study.objective
    ours = (lab.row_name, lab.title(AGAIN))
    rows = read_round(path, trial=lab.trial_name, factors=factors, objective=objective, ours=ours, reading=reading)
    new = [row for row in rows if _checked(lab, row, path)]
    for row in new:
        failed = row.value == "failed"
        told = lab.study.tell(row.trial, None if failed else row.value, failed=failed)
        say(f"Recorded {_described(lab, told)}")
    empty = sum(row.value is None for row in rows)
    known = len(rows) - empty - len(new)
    parts = [f"{len(new)} recorded", f"{known} on record already" * bool(known), f"{empty} still empty" * bool(empty)]
    say(f"{path}: {', '.join(part for part in parts if part)}.")


def _checked(lab: Lab, row: RoundRow, path: str) -> bool:
    """Whether the row holds something new; an error if it does not belong to its trial or contradicts the record."""
    trials = lab.study.trials
    if row.trial >= len(trials):
        raise InvalidInput(
            f"{path}, line {row.line}: there is no trial {row.trial} in this study. Is it of another one?"
        )
    trial = trials[row.trial]
    changed = row.changed(trial.params)
    if changed:
        cells = " and ".join(f"{name} is {row.cells[name]!r}" for name in changed)
        suggested = " and ".join(number(trial.params[name]) for name in changed)
        settings = [word for name in changed for word in ("--set", f"{name}={row.plain(name)}")]
        raise InvalidInput(
            f"{path}, line {row.line}: {cells}, but trial {row.trial} was suggested with {suggested}. Nothing was "
            "recorded. If it was run so, use: "
            f"{lab.command('ran', '--trial', str(row.trial), *settings, _typed(row.value))}"
        )
    if row.value is None:
        return False
    if trial.status in ("pending", "lost"):
        return True
    had = trial.value if trial.status == "told" else "failed"
    if had != row.value:
        value = ("--failed",) if row.value == "failed" else ("--value", _typed(row.value))
        raise TrialConflict(
            f"{path}, line {row.line}: trial {row.trial} is on record as {number(had)}, the file says "
            f"{number(row.value)}. Nothing was recorded. To correct it: "
            f"{lab.command('amend', str(row.trial), *value, '--reason', 'WHY')}"
        )
    return False


def _typed(value: Value) -> str:
    """A result as it is typed at the prompt, every digit of it."""
    if value is None:
        return "VALUE"
    return "--failed" if value == "failed" else repr(value).removesuffix(".0")


def _described(lab: Lab, trial: Trial) -> str:
    result = "failed" if trial.value is None else f"{lab.study.objective} {number(trial.value)}"
    at = point(trial.row, trial.params, lab.row_name)
    return f"trial {trial.number}: {result} at {at}{lab.outside(trial.value)}"
