"""``regretless paper``: the paper's experiments, figures and claims."""

import os
import sys
from collections import Counter
from pathlib import Path

import click

__all__ = ["command"]


@click.command("paper")
@click.argument("experiments", nargs=-1)
@click.option("--quick", is_flag=True, help="Small versions of everything, in well under a minute.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes to work with.  [default: one for each core]")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write to.  [default: out/paper]"
)
@click.option(
    "--rule", "rules", multiple=True, metavar="MODULE:CLASS", help="Also race a rule of your own; repeatable."
)
@click.option("--dask", metavar="ADDRESS", help="Send the work to the Dask cluster whose scheduler is there.")
@click.option("--list", "listed", is_flag=True, help="Say which experiments there are, and stop.")
def command(
    experiments: tuple[str, ...],
    quick: bool,
    jobs: int | None,
    out: Path | None,
    rules: tuple[str, ...],
    dask: str | None,
    listed: bool,
) -> None:
    """Run the paper's EXPERIMENTS again (all of them, if none is named) and judge its claims.

    Figures (PNG, PDF), curves (CSV) and report.html, which needs no connection, are written. What is finished is kept:
    stopped and started again, the command continues.
    """
    from regretless.paper import EXPERIMENTS, VERDICTS, read_settings, reproduce

    if listed:
        for name in EXPERIMENTS:
            click.echo(f"{name:14} {read_settings(name).title}")
        return
    os.environ.setdefault("MPLBACKEND", "Agg")  # figures go to files, whatever screen there is
    sys.path.insert(0, str(Path.cwd()))  # a rule in a file of the current folder is found, as with python -m
    folder = out if out is not None else Path("out", "paper-quick" if quick else "paper")
    done = reproduce(experiments, out=folder, quick=quick, jobs=jobs or os.cpu_count() or 1, rules=rules, dask=dask)
    for name, claims in done.claims.items():
        counts = Counter(claim.verdict for claim in claims)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        click.echo(f"{name:14} {done.core_seconds[name]:8.1f} core-s   {verdicts}")
    for note in done.notes:
        click.echo(note, err=True)
    click.echo(f"report: {done.report}")
