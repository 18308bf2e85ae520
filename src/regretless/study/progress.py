"""A progress bar on a terminal, silence elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Report", "progress_bar"]


class Report(Protocol):
    """Called after each trial with the best value so far (None before there is one)."""

    def __call__(self, best: float | None, /) -> None:
        """Move on by one."""


@contextmanager
def progress_bar(total: int, *, show: bool | None) -> Iterator[Report]:
    """A bar with time left and the best value; ``show=None`` shows it on a terminal only."""
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda _best: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("[bold]regretless"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("best {task.fields[best]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("trials", total=total, best="-")

        def report(best: float | None) -> None:
            bar.update(task, advance=1, best="-" if best is None else f"{best:.6g}")

        yield report
