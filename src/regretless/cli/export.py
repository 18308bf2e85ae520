"""``regretless export``: everything on record, for spreadsheets and for programs."""

import json
from pathlib import Path
from typing import Any, Literal

import click

from regretless.cli._output import print_csv, print_json, say
from regretless.cli._results import result_cells
from regretless.cli._study import Lab, open_lab, study_options
from regretless.errors import InvalidInput
from regretless.report.text import utc
from regretless.sheets import check_new, write_new

__all__ = ["command"]


@click.command(
    epilog="Example: regretless export --out trials.csv",
    short_help="Write every trial, or the whole record, to a file.",
)
@click.option("--out", type=click.Path(dir_okay=False), help="A new file, .csv or .xlsx; stdout by default.")
@click.option(
    "--format",
    "format",
    type=click.Choice(["csv", "json"]),
    default="csv",
    show_default=True,
    help="csv: one row per trial, as CSV or .xlsx. json: the settings and every event as well.",
)
@study_options
def command(out: str | None, format: Literal["csv", "json"], where: str | None, name: str | None) -> None:
    """Write every trial: what was run, what came out, why it was suggested, who recorded it and when (UTC).

    Replicates stand in one cell, "80.1; 81.3", and known standard deviations in a column "yield sd": import reads both.
    CSV is written as the scope was: same separator, decimal mark and line ends. Cells that a spreadsheet would run as
    formulas get an apostrophe in front, which import takes off again; in a workbook they are text.
    """
    if out is not None:
        check_new(out)
        if format == "json" and Path(out).suffix.lower() == ".xlsx":
            raise InvalidInput(f"{out} would be a workbook, and --format json writes JSON. End the name in .json.")
    with open_lab(where, name) as lab:
        if format == "json":
            _write_json(lab, out)
        else:
            names, rows = _table(lab)
            if out is None:
                print_csv(names, rows, lab.dialect)
            else:
                write_new(out, names, rows, lab.dialect)
        if out is not None:
            say(f"Wrote {len(lab.study)} trials to {out}.")


def _table(lab: Lab) -> tuple[list[str], list[dict[str, Any]]]:
    errors = lab.error_names
    own = [lab.trial_name, *([lab.row_name] if lab.has_rows else []), *lab.study.space.names, *lab.result_names]
    keys = {outcome: "" if len(lab.outcomes) == 1 else f" {outcome}" for outcome in lab.outcomes}
    models = [f"{word}{key}" for key in keys.values() for word in ("expected", "expected sd")]
    said = ("status", "excluded", "source", *models, "zeta", "asked", "ended", "author", "note")
    title = {word: lab.title(word) for word in said}
    times: dict[int, dict[str, Any]] = {}
    for event in lab.study.events():
        if event.number is None:
            continue
        entry = times.setdefault(event.number, {})
        if event.kind == "asked":
            entry["asked"] = utc(event.time)
        if event.kind in ("told", "failed", "added", "added_outside", "amended"):
            entry.update(ended=utc(event.time), author=event.author)
    rows = []
    for trial in lab.study.trials:
        facts = {
            "status": trial.status,
            "excluded": "yes" if trial.excluded else None,
            "source": trial.source,
            **{f"expected{key}": trial.record.get(_key("mean", name, lab)) for name, key in keys.items()},
            **{f"expected sd{key}": trial.record.get(_key("sd", name, lab)) for name, key in keys.items()},
            "zeta": trial.zeta,
            "note": trial.note,
            **times.get(trial.number, {}),
        }
        ids = {lab.trial_name: trial.number, lab.row_name: trial.row}
        results = result_cells(trial, errors, lab.dialect.decimal)
        rows.append({**trial.params, **ids, **results, **{title[word]: value for word, value in facts.items()}})
    return own + [title[word] for word in said], rows


def _key(word: str, outcome: str, lab: Lab) -> str:
    """What the record of a suggestion calls what was expected of an outcome."""
    return word if outcome == lab.study.objective else f"{word}[{outcome}]"


def _write_json(lab: Lab, out: str | None) -> None:
    study = lab.study
    record = {
        "study": study.name,
        "objective": study.objective,
        "direction": study.direction,
        "outcomes": [outcome.wanted for outcome in study.outcomes],
        "rule": study.rule.name,
        "seed": study.seed,
        "about": study.about,
        "trials": [
            {
                "trial": trial.number,
                "row": trial.row,
                "params": trial.params,
                "status": trial.status,
                "value": trial.value,
                "values": trial.values,
                "noise": trial.noise,
                "excluded": trial.excluded,
                "source": trial.source,
                "note": trial.note,
                "record": trial.record,
                "hyperparameters": trial.hyperparameters,
            }
            for trial in study.trials
        ],
        "events": [
            {
                "seq": event.seq,
                "time": utc(event.time),
                "author": event.author,
                "kind": event.kind,
                "trial": event.number,
                "value": event.value,
                "data": event.data,
            }
            for event in study.events()
        ],
    }
    if out is None:
        print_json(record)
    else:
        with Path(out).open("x", encoding="utf-8") as stream:
            json.dump(record, stream, indent=2, ensure_ascii=False)
            stream.write("\n")
