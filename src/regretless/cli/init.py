"""``regretless init``: a study of the experiments in a file, which then lasts."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from regretless.cli._options import (
    experiments_of,
    file_table_of,
    in_file,
    range_option,
    seed_option,
    sheet_options,
    stop_option,
    stop_rule,
)
from regretless.cli._outcomes import outcome_options
from regretless.cli._output import print_rows, say
from regretless.cli._results import add_results
from regretless.cli._study import command_of, place_beside
from regretless.errors import InvalidInput
from regretless.lab.aims import Aims, read_fidelity
from regretless.lab.columns import read_as, wanted
from regretless.lab.lab import lab_metadata
from regretless.optimizer import StopRule
from regretless.spaces import Repeats
from regretless.study import Study

__all__ = ["command"]


@click.command(
    epilog="Example: regretless init scope.csv --objective yield --maximize --batch 3",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@outcome_options("What is measured; results in a column of that name count.")
@click.option("--batch", type=click.IntRange(1, 1000), default=1, show_default=True, help="Experiments per round.")
@click.option(
    "--fidelity",
    metavar="TEXT",
    help='Cheaper levels of an experiment with their costs, what is wanted last: "mesh: coarse=0.1, fine=1".',
)
@stop_option
@range_option
@click.option(
    "--repeats",
    type=click.Choice(["all", "allow", "auto", "never"]),
    default="auto",
    show_default=True,
    help="Whether an experiment may be suggested again. auto: where measurements turn out to be noisy.",
)
@sheet_options
@seed_option
@click.option(
    "--study", "where", metavar="PLACE", help="Where to keep it: a file, or a postgresql:// URL. Default: beside FILE."
)
@click.option("--name", metavar="NAME", help="What to call it. Default: the name of FILE.")
def command(
    file: str,
    aims: Aims,
    batch: int,
    fidelity: str | None,
    stop: StopRule | None,
    patience: int | None,
    repeats: Repeats,
    seed: int | None,
    where: str | None,
    name: str | None,
    **reading: Any,
) -> None:
    """Make a study of the experiments in FILE, one per row. It is kept beside FILE, which is not changed.

    How each column was read is printed: look at it before you go on. Of several outcomes each has a column of results.
    """
    if fidelity is not None:
        aims = replace(aims, fidelity=read_fidelity(fidelity))
    rule = stop_rule(stop, patience, several=aims.several, level_set=aims.goal is not None)
    if in_file(file):
        _of_rows_in_file(file, aims, batch, rule, repeats, seed, where, name, reading)
        return
    experiments = experiments_of(file, aims.names, reading, must_have=False)
    aims.check_measured(experiments)
    table = experiments.table(repeats)
    place, name = _place(file, where, name)
    row_name, dialect = experiments.row_name, experiments.dialect
    said = lab_metadata(file=Path(file).name, row_name=row_name, batch=batch, stop=rule, dialect=dialect)
    with Study.open(
        place,
        name,
        space=table,
        **aims.settings(),
        seed=seed,
        metadata=said,
    ) as study:
        done = add_results(study, experiments)
    print_rows(["column", "read as"], read_as(experiments), "table")
    click.echo()
    again = f" ({len(experiments)} rows, some of them equal)" if len(experiments) > table.n_candidates else ""
    click.echo(f"{table.n_candidates} possible experiments{again}; {wanted(aims)}.")
    if done:
        click.echo("1 result was added." if done == 1 else f"{done} results were added.")
    say(f"Made {name if '://' in place else place}. Next: {command_of(place, name, 'suggest')}")


def _place(file: str, where: str | None, name: str | None) -> tuple[str, str]:
    """Where the study is to be kept and what it is called; an error where there is one."""
    place = place_beside(file) if where is None else where
    name = Path(file).stem if name is None else name
    if name in Study.names(place):
        raise InvalidInput(
            f"there is a study {name!r} already. Go on with it: {command_of(place, name, 'suggest')}\nAdd "
            f"results to it: {command_of(place, name, 'import', file)}\nOr give another --name."
        )
    return place, name


def _of_rows_in_file(
    file: str,
    aims: Aims,
    batch: int,
    rule: StopRule | None,
    repeats: Repeats,
    seed: int | None,
    where: str | None,
    name: str | None,
    reading: Mapping[str, Any],
) -> None:
    """A study of rows that stay in their file, of which there may be hundreds of millions."""
    place, name = _place(file, where, name)
    table = file_table_of(file, aims.names, reading, repeats)
    said = lab_metadata(file=Path(file).name, row_name=table.id or "row", batch=batch, stop=rule, dialect=None)
    with Study.open(place, name, space=table, **aims.settings(), seed=seed, metadata=said):
        pass
    print_rows(["column", "read as"], table.described(), "table")
    click.echo()
    click.echo(f"{table.n_candidates:,} possible experiments, which stay in {file}; {wanted(aims)}.")
    say(f"Made {name if '://' in place else place}. Next: {command_of(place, name, 'suggest')}")
