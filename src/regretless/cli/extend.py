"""``regretless extend``: further experiments for a study."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from regretless.cli._output import say
from regretless.cli._results import read_for
from regretless.cli._study import open_lab, study_options
from regretless.errors import InvalidInput

__all__ = ["command"]


@click.command(
    epilog="Example: regretless extend scope.csv",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--reason", default="", help="Why, for the record.")
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark, where the file leaves a doubt.")
@click.option("--worksheet", metavar="NAME", help="The worksheet of an Excel workbook with several.")
@study_options
def command(file: str, reason: str, where: str | None, name: str | None, **reading: Any) -> None:
    """Add the experiments of FILE that the study does not have: the scope with rows added to it, or a file of new ones.

    FILE has the columns of the scope; others are left out. No row of the study is changed, and columns keep their
    scale. From then on suggestions and certificates are about all experiments. Results in FILE are not read: import
    adds them.
    """
    with open_lab(where, name) as lab:
        before = lab.study.space
        if not before.has_rows:
            raise InvalidInput("this study has no table to extend: its space is the product of its parameters.")
        found, left_out = read_for(lab, file, needs_objective=False, **reading)
        added = lab.study.extend(found.table(), reason=reason)
        after = lab.study.space
        if left_out:
            say(f"Left out, as they are not factors of this study: {', '.join(left_out)}.")
        if not added:
            say(f"{file}: every experiment is in the study already. Nothing was changed.")
            return
        what = "1 experiment" if len(added) == 1 else f"{len(added)} experiments"
        say(f"{file}: {what} added; there are {after.n_candidates} now.")
        had = [before.params_of(before.at_index(i)) for i in range(before.n_candidates or 0)]
        for line in _news(had, [after.place_of_row(row).params for row in added]):
            say(line)
        if not set(added) <= set(found.ids):
            names = ", ".join(map(str, added[:5])) + (f", ... {added[-1]}" if len(added) > 5 else "")
            say(f"The lines of {file} are names of other rows already, so these are called {lab.row_name} {names}.")
        if any(found.measured(i) for i in range(len(found))):
            say(f"Results in it were not read. To add them: {lab.command('import', file)}")


def _news(before: Sequence[Mapping[str, Any]], added: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the new rows have that none had before, for the eye: a new name may be a spelling mistake."""
    lines = []
    for name in (name for name, value in before[0].items() if isinstance(value, str)):
        had = {row[name] for row in before}
        new = [str(value) for value in dict.fromkeys(row[name] for row in added) if value not in had]
        if new:
            lines.append(f"New in {name}: {', '.join(new)}.")
    return lines
