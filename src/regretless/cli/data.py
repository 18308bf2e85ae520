"""``regretless data``: the tables of measurements that the paper's experiments use."""

import click

from regretless.problems.measurements import FOLDER_VARIABLE, fetch, file_name, locate, missing, table_names

__all__ = ["command"]


@click.group("data")
def command() -> None:
    """Tables of materials experiments: which there are, where they are, and how to get them.

    They were collected by Liang et al., npj Computational Materials 7, 188 (2021), and come from the folder that the
    environment variable REGRETLESS_DATA names, or from a checksummed download into your cache.
    """


@command.command("list")
def list_() -> None:
    """Say which tables there are and whether their files are here."""
    absent = missing(table_names())
    for name in table_names():
        state = "not here" if name in absent else str(locate(name))
        click.echo(f"{name:15} {file_name(name):28} {state}")
    if absent:
        click.echo(
            f"Get what is missing with `regretless data fetch`, or set {FOLDER_VARIABLE} to the folder of the files."
        )


@command.command("fetch")
@click.argument("names", nargs=-1)
def fetch_(names: tuple[str, ...]) -> None:
    """Download tables (all of them, if none is named) into your cache and check their SHA-256."""
    for name in names or table_names():
        click.echo(f"{name:15} {fetch(name)}")


@command.command("path")
@click.argument("name")
def path(name: str) -> None:
    """Print where the file of a table is."""
    if name in missing([name]):
        where = locate(name)
        at = f"{where} does not exist" if where is not None else f"{file_name(name)} is not here"
        raise click.ClickException(
            f"{at}. Get it with `regretless data fetch {name}`, or set {FOLDER_VARIABLE} to the folder that holds it."
        )
    click.echo(locate(name))
