"""Progress of a pass over the rows of a huge table."""

import sys

__all__ = ["PassLine", "duration"]

#: Shorter passes show no progress.
_SHORT = 3.0


class PassLine:
    """One line on a terminal, silence elsewhere. It begins with an estimate of the duration."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, what: str, done: int, total: int, seconds: float) -> None:
        """Show progress, if the pass is long enough and stderr is a terminal."""
        if not sys.stderr.isatty() or (not self._shown and seconds < _SHORT):
            return
        if not self._shown:
            sys.stderr.write(f"{what}: one pass over {total:,} rows, about {duration(seconds)}\n")
        self._shown = done < total
        cells = 30 * done // total
        left = f"{duration(seconds)} left" if self._shown else "done"
        sys.stderr.write(f"\r{what} [{'#' * cells}{'.' * (30 - cells)}] {100 * done // total} %, {left}    ")
        sys.stderr.write("" if self._shown else "\n")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """An approximate duration in words.

    >>> duration(0.4), duration(75), duration(400), duration(9000)
    ('1 s', '75 s', '7 min', '2.5 h')
    """
    if seconds < 100.0:
        return f"{max(seconds, 1.0):.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"
