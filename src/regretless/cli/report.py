"""``regretless report``: the whole study as one HTML page."""

import sys
from pathlib import Path

import click

from regretless.cli._output import say
from regretless.cli._study import open_lab, study_options
from regretless.errors import InvalidInput
from regretless.lab.status import status_of
from regretless.report.html import GENERATOR, html_report

__all__ = ["command"]


@click.command(
    epilog="Example: regretless report --html report.html",
)
@click.option("--html", "out", required=True, type=click.Path(dir_okay=False), help="The file to write.")
@study_options
def command(out: str, where: str | None, name: str | None) -> None:
    """Write a page with progress, certificate, the effect of each factor, and every suggestion explained.

    The page needs nothing else: no file beside it, no connection, no script. Behind each figure is the table it was
    drawn from. A report that is there is replaced, any other file is not.
    """
    _check_free(Path(out))
    with open_lab(where, name) as lab:
        facts = status_of(lab.study, lab.stop, lab.row_name).facts()
        asked = sum(trial.source != "added" for trial in lab.study.trials)
        with click.progressbar(
            length=asked, label="Explaining suggestions", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar:
            page = html_report(lab.study, facts, stop=lab.stop, row_name=lab.row_name, progress=lambda: bar.update(1))
    Path(out).write_text(page, encoding="utf-8")
    say(f"Wrote {out}.")


def _check_free(path: Path) -> None:
    if path.exists() and GENERATOR not in path.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise InvalidInput(
            f"{path} exists and is no report of regretless, so it is not written over. Give another name."
        )
