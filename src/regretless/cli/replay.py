"""``regretless replay``: compute every suggestion again and compare."""

import click

from regretless.cli._output import Format, format_option, print_json, print_rows, say, waiting
from regretless.cli._study import open_lab, study_options
from regretless.lab.text import pairs
from regretless.study import replay

__all__ = ["command"]


@click.command(
    epilog="Example: regretless replay",
)
@study_options
@format_option
def command(where: str | None, name: str | None, format: Format) -> None:
    """Compute every suggestion of the study again from what is on record, and say whether it matches.

    Exit code 1 says that one does not: the record was changed, or another version or kind of machine made it.
    """
    with open_lab(where, name) as lab:
        with waiting("Computing every suggestion again"):
            entries = replay(lab.study)
        differing = [entry for entry in entries if not entry.matches]
        if format == "json":
            print_json(
                {
                    "suggestions": len(entries),
                    "matching": len(entries) - len(differing),
                    "differing": [{"trial": e.number, "stored": e.expected, "found": e.found} for e in differing],
                }
            )
        else:
            rows = [
                {"trial": e.number, "stored": pairs(e.expected["params"]), "computed": _found(e.found)}
                for e in differing
            ]
            if rows or format == "csv":
                print_rows(["trial", "stored", "computed"], rows, format)
            say(f"{len(entries) - len(differing)} of {len(entries)} suggestions match.")
    if differing:
        raise SystemExit(1)


def _found(found: object) -> str:
    assert isinstance(found, dict)
    return str(found["error"]) if "error" in found else pairs(found["params"])
