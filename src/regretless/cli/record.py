"""``regretless record``: results, from the file of a round or from the keyboard."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from regretless.cli._output import MET, say, waiting
from regretless.cli._prompt import error_option, typed_results, typed_trial
from regretless.cli._results import say_stray
from regretless.cli._study import AGAIN, Lab, open_lab, study_options
from regretless.errors import InvalidInput, TrialConflict
from regretless.lab.results import contradicted, in_words, told
from regretless.lab.status import status_of
from regretless.lab.text import number
from regretless.sheets import Measurement, Reading, RoundRow, Value, numbers_of, read_round

__all__ = ["command"]


@click.command(
    epilog="Examples: regretless record round_04.csv; regretless record 17 81.2; regretless record 17 80.1 81.3 79.8; "
    "regretless record 17 81.2 --sd 0.4; regretless record 17 --failed",
    context_settings={"ignore_unknown_options": True},  # so that record 17 -5 is a value
)
@click.argument("what", metavar="FILE | TRIAL [VALUE | NAME=VALUE ...]", nargs=-1, required=True)
@error_option
@click.option("--failed", is_flag=True, help="The experiment was done and gave no result.")
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark of FILE, where it leaves a doubt.")
@click.option("--worksheet", metavar="NAME", help="The worksheet of FILE, if it is a workbook with several.")
@study_options
def command(
    what: tuple[str, ...],
    errors: tuple[str, ...],
    failed: bool,
    decimal: str | None,
    worksheet: str | None,
    where: str | None,
    name: str | None,
) -> None:
    """Record what came out. A FILE is one that suggest --out made, filled in as far as results are known.

    In a file, leave the cell empty while there is no result, and write failed where the experiment gave none. The file
    may be recorded again when more is filled in: what is on record already stays. All of it is checked first. Of
    several outcomes some may come later or fail alone: record 17 yield=81.2 impurity=failed.

    Several numbers are the same experiment measured several times: record 17 80.1 81.3 79.8, in a cell "80.1; 81.3",
    or further lines of the same trial. A known standard deviation is --sd, in a file the column "yield sd".
    """
    with open_lab(where, name) as lab:
        first = what[0]
        is_file = not (first.isascii() and first.isdecimal())
        if is_file and not Path(first).is_file():
            typed_trial(first)
        if is_file:
            if len(what) > 1 or failed or errors:
                raise InvalidInput(f"{first} is a file: its results stand in it, nothing follows. One file at a time.")
            # A file that was written with commas is read with commas: 1,5 and 7 are numbers in it.
            mark = decimal or ("," if lab.dialect.decimal == "," else None)
            _record_file(lab, first, Reading(decimal=mark, worksheet=worksheet, asked_in="prompt"))
        else:
            _record_one(lab, typed_trial(first), what[1:], errors, failed)
        with waiting("Fitting the model"):
            view = status_of(lab.study, lab.stop, lab.row_name, record=True)
        if view.met:
            say(view.advice())
    if view.met:
        raise SystemExit(MET)


def _record_one(lab: Lab, trial: int, rest: tuple[str, ...], errors: tuple[str, ...], failed: bool) -> None:
    if failed == bool(rest):
        several = " ".join(f"{name}={value}" for name, value in zip(lab.outcomes, ("81.2", "0.3"), strict=False))
        example = "a value, record 17 81.2" if len(lab.outcomes) == 1 else f"results by name, record 17 {several}"
        raise InvalidInput(f"write either {example}, or record 17 --failed.")
    found = typed_results(rest, lab.outcomes, lab.dialect.decimal, errors)
    said: dict[str, Any] = {"failed": True} if failed else told(found)
    say(f"Recorded trial {trial}: {lab.described(lab.study.tell(trial, **said))}")


def _record_file(lab: Lab, path: str, reading: Reading) -> None:
    factors, outcomes = lab.study.parameters, lab.outcomes
    ours = (lab.row_name, lab.title(AGAIN))
    rows = read_round(path, trial=lab.trial_name, factors=factors, outcomes=outcomes, ours=ours, reading=reading)
    say_stray(path, rows[0].cells if rows else (), outcomes)
    new = [row for row in rows if _checked(lab, row, path)]
    for row in new:
        trial = lab.study.tell(row.trial, **told(row.filled))
        say(f"Recorded trial {trial.number}: {lab.described(trial)}")
    empty = sum(not row.filled for row in rows)
    known = len(rows) - empty - len(new)
    partly = sum(0 < len(row.filled) < len(outcomes) for row in rows)
    parts = [
        f"{len(new)} recorded",
        f"{known} on record already" * bool(known),
        f"{partly} filled in part" * bool(partly),
        f"{empty} still empty" * bool(empty),
    ]
    say(f"{path}: {', '.join(part for part in parts if part)}.")


def _checked(lab: Lab, row: RoundRow, path: str) -> bool:
    """Whether the row holds something new; an error if it does not belong to its trial or contradicts the record."""
    trials = lab.study.trials
    if row.trial >= len(trials):
        raise InvalidInput(
            f"{path}, line {row.line}: there is no trial {row.trial} in this study. Is it of another one?"
        )
    trial = trials[row.trial]
    expected = {**dict.fromkeys(lab.study.parameters), **trial.params}  # None of one that does not exist there
    changed = row.changed(expected)
    if changed:
        cells = " and ".join(f"{name} is {row.cells[name]!r}" for name in changed)
        suggested = " and ".join(number(trial.params[name]) if name in trial.params else "none" for name in changed)
        settings = [word for name in changed for word in ("--set", f"{name}={row.plain(name)}")]
        raise InvalidInput(
            f"{path}, line {row.line}: {cells}, but trial {row.trial} was suggested with {suggested}. Nothing was "
            "recorded. If it was run so, use: "
            f"{lab.command('ran', '--trial', str(row.trial), *settings, *_typed(row.filled, lab.outcomes))}"
        )
    if trial.status == "released":
        return bool(row.filled)
    had = contradicted(trial, row.filled)
    if had:
        now = {name: row.filled[name] for name in had}
        value = [word for text in _typed(now, lab.outcomes) for word in _option(text)]
        raise TrialConflict(
            f"{path}, line {row.line}: trial {row.trial} is on record as {_named(had, lab.outcomes)}, the file says "
            f"{_named(now, lab.outcomes)}. Nothing was recorded. To correct it: "
            f"{lab.command('amend', str(row.trial), *value, '--reason', 'WHY')}"
        )
    return not set(row.filled) <= set(trial.values)


def _typed(values: Mapping[str, Value], outcomes: Sequence[str]) -> list[str]:
    """Results as they are typed at the prompt, every digit of them; with their names where there are several."""
    if not values:
        return ["VALUE"] if len(outcomes) == 1 else [f"{name}=VALUE" for name in outcomes]
    if all(value == "failed" for value in values.values()) and len(values) == len(outcomes):
        return ["--failed"]
    named = {name: "" if len(outcomes) == 1 else f"{name}=" for name in values}
    words = []
    for name, value in values.items():
        texts = ["failed"] if value == "failed" else [repr(each).removesuffix(".0") for each in numbers_of(value)]
        words += [f"{named[name]}{text}" for text in texts]
    known = {name: each.sd for name, each in values.items() if isinstance(each, Measurement) and each.sd}
    return [*words, *(f"--sd={named[name]}{sd!r}".removesuffix(".0") for name, sd in known.items())]


def _option(text: str) -> list[str]:
    """A result as an option of amend."""
    return [text] if text.startswith(("--failed", "--sd=")) else ["--value", text]


def _named(values: Mapping[str, Value], outcomes: Sequence[str]) -> str:
    """Results in words, with their names where there are several."""
    return ", ".join(
        in_words(value) if len(outcomes) == 1 else f"{name} {in_words(value)}" for name, value in values.items()
    )
