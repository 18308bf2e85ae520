"""``regretless generate``: a scope of possible experiments from a short description."""

from pathlib import Path

import click

from regretless.cli._output import print_csv, say
from regretless.errors import InvalidInput
from regretless.sheets import read_scope, write_new

__all__ = ["command"]


@click.command(
    epilog="Example: regretless generate scope.toml --out scope.csv",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--out", type=click.Path(dir_okay=False), help="The file to make, .csv or .xlsx; stdout by default.")
@click.option("--dry-run", is_flag=True, help="Print the size and stop.")
@click.option("--max-rows", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Refuse more rows.")
def command(file: str, out: str | None, dry_run: bool, max_rows: int) -> None:
    """Build the scope that FILE, in TOML, describes. Its size is printed before it is built.

    \b
    [factors]
    solvent = ["water", "ethanol"]
    temperature = { from = 20, to = 100, step = 5 }
    [[mixture]]                     # parts that sum to one
    parts = ["A", "B", "C"]
    step = 0.05
    at_most = 2                     # so many of them not zero
    """  # noqa: D301
    scope = read_scope(file)
    say(f"{scope.size} rows: " + " x ".join(f"{count} ({name})" for name, count in scope.sizes().items()))
    if dry_run:
        return
    if scope.size > max_rows:
        raise InvalidInput(
            f"{scope.size} rows are more than {max_rows}. Take larger steps or fewer values, or raise --max-rows."
        )
    if out is None:
        print_csv(scope.names, scope.rows())
        return
    write_new(out, scope.names, scope.rows())
    say(f"Wrote {Path(out)}.")
