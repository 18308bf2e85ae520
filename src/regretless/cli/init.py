"""``regretless init``: a study of the experiments in a file, which then lasts."""

from pathlib import Path
from typing import Any

import click

from regretless.cli._options import (
    direction_option,
    experiments_of,
    range_option,
    seed_option,
    sheet_options,
    stop_option,
    stop_rule,
)
from regretless.cli._output import print_rows, say
from regretless.cli._results import add_results
from regretless.cli._study import about, command_of, place_beside
from regretless.errors import InvalidInput
from regretless.report.text import number
from regretless.sheets import Experiments
from regretless.spaces import Repeats
from regretless.study import Regret, Study

__all__ = ["command"]


@click.command(
    epilog="Example: regretless init scope.csv --objective yield --maximize --batch 3",
    short_help="Make a study of the experiments in a spreadsheet.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--objective", required=True, metavar="NAME", help="What is measured; results in a column of that name count."
)
@direction_option
@click.option("--batch", type=click.IntRange(1, 1000), default=1, show_default=True, help="Experiments per round.")
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
    objective: str,
    maximize: bool,
    batch: int,
    stop: Regret | None,
    patience: int | None,
    limits: tuple[float, float] | None,
    repeats: Repeats,
    seed: int | None,
    where: str | None,
    name: str | None,
    **reading: Any,
) -> None:
    """Make a study of the experiments in FILE, one per row. It is kept beside FILE, which is not changed.

    How each column was read is printed: look at it before you go on.
    """
    rule = stop_rule(stop, patience)
    experiments = experiments_of(file, objective, reading, must_have_objective=False)
    table = experiments.table(repeats)
    place = place_beside(file) if where is None else where
    name = Path(file).stem if name is None else name
    if name in Study.names(place):
        raise InvalidInput(
            f"there is a study {name!r} already. Go on with it: {command_of(place, name, 'suggest')}\nAdd "
            f"results to it: {command_of(place, name, 'import', file)}\nOr give another --name."
        )
    row_name, dialect = experiments.row_name, experiments.dialect
    said = about(file=Path(file).name, row_name=row_name, batch=batch, stop=rule, dialect=dialect)
    with Study.open(
        place,
        name,
        space=table,
        direction="maximize" if maximize else "minimize",
        objective=objective,
        limits=limits,
        seed=seed,
        about=said,
    ) as study:
        done = add_results(study, experiments)
    print_rows(["column", "read as"], _columns(experiments), "table")
    click.echo()
    again = f" ({len(experiments)} rows, some of them equal)" if len(experiments) > table.n_candidates else ""
    aim = "maximised" if maximize else "minimised"
    click.echo(f"{table.n_candidates} possible experiments{again}; {objective} is to be {aim}.")
    if done:
        click.echo("1 result was added." if done == 1 else f"{done} results were added.")
    say(f"Made {name if '://' in place else place}. Next: {command_of(place, name, 'suggest')}")


def _columns(experiments: Experiments) -> list[dict[str, Any]]:
    rows = []
    for name in experiments.factors:
        values = list(dict.fromkeys(experiments.factors[name]))
        if len(values) == 1:
            kind = f"always {number(values[0])}"
        elif isinstance(values[0], str):
            kind = f"{len(values)} names: {', '.join(map(str, values[:4]))}{', ...' if len(values) > 4 else ''}"
        else:
            numbers = [value for value in values if isinstance(value, int | float)]
            kind = f"numbers from {number(min(numbers))} to {number(max(numbers))}, {len(numbers)} different"
        rows.append({"column": name, "read as": kind})
    if experiments.id is not None:
        rows.insert(0, {"column": experiments.id, "read as": "the names of the rows"})
    return rows
