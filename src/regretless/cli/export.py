"""``regretless export``: everything on record, for spreadsheets and for programs."""

import json
from pathlib import Path
from typing import Literal

import click

from regretless.cli._output import print_csv, print_json, say
from regretless.cli._study import Lab, open_lab, study_options
from regretless.errors import InvalidInput
from regretless.lab.export import trials_record, trials_table
from regretless.sheets import check_new, whole_file, write_new

__all__ = ["command"]


@click.command(
    epilog="Example: regretless export --out trials.csv",
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
            names, rows = trials_table(lab)
            if out is None:
                print_csv(names, rows, lab.dialect)
            else:
                write_new(out, names, rows, lab.dialect)
        if out is not None:
            say(f"Wrote {len(lab.study)} trials to {out}.")


def _write_json(lab: Lab, out: str | None) -> None:
    if out is None:
        print_json(trials_record(lab))
    else:
        text = json.dumps(trials_record(lab), indent=2, ensure_ascii=False)
        with whole_file(out) as file:
            file.write(f"{text}\n".encode())
