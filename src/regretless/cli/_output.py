"""How commands speak: results on stdout as a table, CSV or JSON, messages on stderr."""

import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from regretless.lab.status import StudyStatus
from regretless.lab.text import number
from regretless.sheets import Dialect, write_csv
from regretless.spaces import FileTable
from regretless.study import Study

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "MET",
    "Format",
    "format_option",
    "print_csv",
    "print_facts",
    "print_json",
    "print_rows",
    "print_status",
    "print_view",
    "progress",
    "say",
    "waiting",
]

Format = Literal["table", "csv", "json"]
Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")

#: Exit code of a command whose stop rule is met.
MET = 3
#: Without a terminal nothing is cut to its width.
_WIDE = 240


def format_option(command: Command) -> Command:
    """``--format table|csv|json``, handed on as ``format``."""
    option = click.option(
        "--format",
        "format",
        type=click.Choice(["table", "csv", "json"]),
        default="table",
        help="How results are printed. Messages go to stderr.",
    )
    return option(command)


def say(text: str) -> None:
    """A message to the user; never part of the result."""
    click.echo(text, err=True)


def averaging(study: Study) -> str:
    """What takes time before a certificate is there, with its price where that is more than a second.

    A pass over a table in a file tells its price by itself, if it is asked for.
    """
    if isinstance(study.space, FileTable):
        return "Fitting a model"
    seconds = study.certificate_seconds()
    return "Averaging over models" + (f", about {seconds:.0f} s on one core" if seconds > 1.0 else "")


def waiting(text: str) -> AbstractContextManager[Any]:
    """A sign on a terminal that work is going on; gone when it is done."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def progress(items: Sequence[Item], label: str) -> AbstractContextManager[Iterable[Item]]:
    """The items, with a bar on a terminal that says how many are left."""
    return click.progressbar(items, label=label, file=sys.stderr, hidden=not sys.stderr.isatty())


def print_json(record: Mapping[str, Any]) -> None:
    """One JSON object; numbers that JSON has no word for become null."""
    click.echo(json.dumps(_jsonable(record), indent=2, ensure_ascii=False))


def print_csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]], dialect: Dialect | None = None) -> None:
    """CSV on stdout, byte by byte what a file would hold: in UTF-8, line ends as they are."""
    sys.stdout.flush()
    stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    try:
        write_csv(stream, names, rows, dialect)
        stream.flush()
    finally:
        stream.detach()


def print_rows(
    names: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    format: Format,
    *,
    shown: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
) -> None:
    """Rows under their names. ``shown`` renames columns of a table for people; ``dialect`` is that of CSV."""
    if format == "csv":
        print_csv(names, rows, dialect)
        return
    from rich.table import Table

    titles = {name: (shown or {}).get(name, name) for name in names}
    texts = [[_cell(row.get(name)) for name in names] for row in rows]
    console = _console()
    natural = sum(max(len(text[j]) for text in [list(titles.values()), *texts]) + 3 for j in range(len(names)))
    table = Table(box=_box(), pad_edge=False, header_style="bold")
    if natural <= console.width or len(rows) > 6:
        for name in names:
            right = all(_is_numeric(row.get(name)) for row in rows)
            table.add_column(_escape(titles[name]), justify="right" if right else "left", overflow="fold")
        for cells in texts:
            table.add_row(*map(_escape, cells))
    else:  # too many columns for the width: each row becomes a column
        table.add_column(_escape(titles[names[0]]), style="bold")
        for cells in texts:
            table.add_column(_escape(cells[0]), overflow="fold")
        for j, name in enumerate(names[1:], 1):
            table.add_row(_escape(titles[name]), *(_escape(cells[j]) for cells in texts))
    _print(console, table)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Labelled sentences, one below the other; long ones are wrapped beside their label."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in facts:
        grid.add_row(_escape(label), _escape(text))
    _print(_console(100), grid)


def print_status(
    status: StudyStatus, format: Format, *, about: Mapping[str, Any], head: Iterable[tuple[str, str]] = ()
) -> None:
    """Where a study stands: for machines after the entries of ``about``, for people after the facts of ``head``."""
    if format == "json":
        print_json({**about, **status.record()})
    elif format == "csv":
        print_rows(["what", "says"], [{"what": what, "says": says} for what, says in status.facts()], format)
    else:
        print_view(status, head)


def print_view(status: StudyStatus, head: Iterable[tuple[str, str]] = ()) -> None:
    """Where a study stands, for people: facts, and fronts as tables."""
    print_facts([*head, *status.facts()])
    for title, names, rows in status.tables():
        click.echo(f"\n{title}:")
        print_rows(names, rows, "table")


def _console(at_most: int | None = None) -> "Console":
    from rich.console import Console

    free = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE
    console = Console(width=free, highlight=False, soft_wrap=False)
    return console if at_most is None or console.width <= at_most else Console(width=at_most, highlight=False)


def _print(console: "Console", drawn: Any) -> None:
    """Without the blanks that fill up lines to the width."""
    with console.capture() as captured:
        console.print(drawn)
    lines = [line.rstrip() for line in captured.get().split("\n")]
    click.echo("\n".join(lines).strip("\n"))


def _box() -> Any:
    from rich import box

    return box.SIMPLE_HEAD


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape("".join(character if character.isprintable() else " " for character in text))


def _cell(value: Any) -> str:
    return number(value)


def _is_numeric(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
