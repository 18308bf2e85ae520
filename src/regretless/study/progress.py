"""Progress of a run: a bar on a terminal or in a notebook, a line now and then elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib import import_module
from time import monotonic
from typing import Any, Protocol

__all__ = ["TICK", "Now", "Progress", "progress_bar"]

#: Seconds between two lines, where there is no terminal.
TICK = 10.0


@dataclass(frozen=True, slots=True)
class Now:
    """The present state of a run: evaluations done, running and failed, and the best value if there is one."""

    done: int = 0
    running: int = 0
    failed: int = 0
    best: float | None = None

    def words(self, *, workers: int) -> str:
        """What is worth saying.

        >>> Now(12, running=3, failed=1, best=0.25).words(workers=4)
        '3 running, 1 failed, best 0.25'
        """
        running = f"{self.running} running, " if workers > 1 else ""
        failed = f"{self.failed} failed, " if self.failed or workers > 1 else ""
        return f"{running}{failed}best {'-' if self.best is None else format(self.best, '.6g')}"


class Progress(Protocol):
    """Receives the progress of a run."""

    def __call__(self, now: Now, /) -> None:
        """Where it stands."""

    def say(self, text: str, /) -> None:
        """Something that is not to be missed."""


@contextmanager
def progress_bar(total: int, *, show: bool | None, workers: int = 1) -> Iterator[Progress]:
    """A bar in a notebook, a bar with time left on a terminal, else a line every ten seconds, both on stderr.

    ``show=None`` has lines for several workers only: such runs are long, and their output is a log.
    """
    terminal, display = sys.stderr.isatty(), _display()
    if show is not False and display is not None:
        yield _InNotebook(total, workers, display)
    elif show is False or (show is None and not terminal and workers == 1):
        yield _Lines(total, workers, every=float("inf"))
    elif not terminal:
        lines = _Lines(total, workers)
        yield lines
        if show:
            lines.last()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("[bold]regretless"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(),
        )
        with Bar(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("trials", total=total, words=Now().words(workers=workers))
            yield _OnTerminal(
                lambda now: bar.update(task, completed=now.done, words=now.words(workers=workers)),
                lambda text: bar.console.print(text, markup=False, highlight=False),
            )


@dataclass(frozen=True, slots=True)
class _OnTerminal:
    update: Callable[[Now], None]
    print: Callable[[str], None]

    def __call__(self, now: Now, /) -> None:
        self.update(now)

    def say(self, text: str, /) -> None:
        self.print(text)


class _Lines:
    """A line at most every so many seconds."""

    def __init__(self, total: int, workers: int, every: float = TICK) -> None:
        self._total, self._workers, self._every = total, workers, every
        self._said, self._now = monotonic(), Now()

    def __call__(self, now: Now, /) -> None:
        self._now = now
        if monotonic() - self._said >= self._every:
            self.last()

    def last(self) -> None:
        """Where the run stands now."""
        self._said = monotonic()
        self.say(f"regretless: {self._now.done}/{self._total} trials, {self._now.words(workers=self._workers)}")

    def say(self, text: str, /) -> None:
        print(text, file=sys.stderr, flush=True)


class _InNotebook:
    """A plain bar of HTML, drawn anew after each trial: it needs neither widgets nor a terminal."""

    def __init__(self, total: int, workers: int, display: Any) -> None:
        self._total, self._workers, self._display, self._now = total, workers, display, Now()
        self._handle = display(self, display_id=True)

    def __call__(self, now: Now, /) -> None:
        self._now = now
        self._handle.update(self)

    def say(self, text: str, /) -> None:
        print(text, file=sys.stderr, flush=True)

    def _repr_html_(self) -> str:
        return f'<progress value="{self._now.done}" max="{max(self._total, 1)}"></progress> {escape(repr(self))}'

    def __repr__(self) -> str:
        return f"{self._now.done}/{self._total} trials, {self._now.words(workers=self._workers)}"


def _display() -> Any:
    """IPython's updatable display in a notebook; else None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return import_module("IPython.display").display if hasattr(shell, "kernel") else None
