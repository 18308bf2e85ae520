"""Axes: from the user's values to places on the canvas, with a few round numbers beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from regretless.drawing.svg import GREY, Canvas, Marker
from regretless.lab.text import number

__all__ = ["Axes", "Scale", "legend", "names_scale", "scale_of", "short"]


@dataclass(frozen=True, slots=True)
class Scale:
    """An interval of values, linear or logarithmic, or names at whole numbers."""

    low: float
    high: float
    log: bool = False
    names: tuple[str, ...] = ()

    def share(self, value: float) -> float:
        """Where a value lies between the ends, 0 to 1."""
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return (at - low) / (high - low) if high > low else 0.5

    def ticks(self, most: int = 6) -> list[tuple[float, str]]:
        """Values with their labels: every name, or a few round numbers.

        >>> [label for _, label in Scale(0.0, 10.0).ticks()]
        ['0', '2', '4', '6', '8', '10']
        >>> [label for _, label in Scale(0.1, 100.0, log=True).ticks()]
        ['0.1', '1', '10', '100']
        """
        if self.names:
            return [(float(i), name) for i, name in enumerate(self.names)]
        return [(value, number(float(f"{value:.12g}"))) for value in (self._decades(most) or self._round(most))]

    def _decades(self, most: int) -> list[float]:
        if not self.log:
            return []
        low, high = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        steps = (1.0,) if high - low > 2 else (1.0, 2.0, 5.0)
        every = max(1, math.ceil((high - low) / most))
        found = [m * 10.0**k for k in range(low, high + 1, every) for m in steps]
        inside = [value for value in found if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]
        return inside if len(inside) > 1 else []

    def _round(self, most: int) -> list[float]:
        width = (self.high - self.low) / max(most - 1, 1)
        if not width > 0.0:
            return [self.low]
        size = 10.0 ** math.floor(math.log10(width))
        step = next(m * size for m in (1.0, 2.0, 5.0, 10.0) if 1.35 * m * size >= width)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]


def scale_of(values: Sequence[float], *, log: bool = False, pad: float = 0.05) -> Scale:
    """An interval that holds the values, with a little room; log only where all are positive."""
    low, high = min(values), max(values)
    if log and low > 0.0:
        room = (high / low) ** pad if high > low else 1.5
        return Scale(low / room, high * room, log=True)
    room = pad * (high - low) if high > low else 0.5 * abs(low) or 1.0
    return Scale(low - room, high + room)


def names_scale(names: Sequence[str]) -> Scale:
    """One place per name."""
    return Scale(-0.5, len(names) - 0.5, names=tuple(names))


@dataclass(slots=True)
class Axes:
    """A canvas with a frame: what is handed over in the user's values is drawn where it belongs."""

    canvas: Canvas
    x: Scale
    y: Scale
    left: float = 72.0
    right: float = 14.0
    top: float = 26.0
    bottom: float = 44.0
    _marks: list[str] = field(default_factory=list)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A place on the canvas."""
        wide = self.canvas.width - self.left - self.right
        high = self.canvas.height - self.top - self.bottom
        return self.left + wide * self.x.share(x), self.top + high * (1.0 - self.y.share(y))

    def frame(self, x_label: str, y_label: str, *, x_ticks: int = 6, y_ticks: int = 5, grid: bool = True) -> None:
        """Grid, ticks and labels; to be drawn first."""
        canvas, bottom = self.canvas, self.canvas.height - self.bottom
        right = canvas.width - self.right
        for value, label in self.y.ticks(y_ticks):
            _, y = self.at(self.x.low, value)
            canvas.grid(self.left - (0 if grid else 4), y, right if grid else self.left, y, strong=not grid)
            canvas.text(
                self.left - 8, y + 4, short(label, int((self.left - 30) / 6)), anchor="end", size=11, quiet=True
            )
        room = (right - self.left) / max(len(self.x.ticks(x_ticks)), 1)
        for value, label in self.x.ticks(x_ticks):
            if not label:  # places without a name
                continue
            x, _ = self.at(value, self.y.low)
            canvas.grid(x, bottom, x, bottom + 4, strong=True)
            canvas.text(x, bottom + 17, short(label, max(int(room / 6.2), 3)), anchor="middle", size=11, quiet=True)
        canvas.grid(self.left, bottom, right, bottom, strong=True)
        canvas.text((self.left + right) / 2, canvas.height - 7, short(x_label, 60), anchor="middle", size=12)
        canvas.text(14, (self.top + bottom) / 2, short(y_label, 34), anchor="middle", size=12, turned=True)

    def line(
        self, xs: Sequence[float], ys: Sequence[float], colour: str, *, width: float = 2.0, dashes: str = ""
    ) -> None:
        """A line through values; gaps where one is not finite."""
        run: list[tuple[float, float]] = []
        for x, y in zip(xs, ys, strict=True):
            if math.isfinite(x) and math.isfinite(y):
                run.append(self.at(x, y))
            else:
                self.canvas.line(run, colour, width=width, dashes=dashes)
                run = []
        self.canvas.line(run, colour, width=width, dashes=dashes)

    def steps(self, xs: Sequence[float], ys: Sequence[float], colour: str) -> None:
        """A line that keeps its value until the next."""
        corners = [(x, y) for i, x in enumerate(xs) for y in ([ys[i - 1]] if i else []) + [ys[i]]]
        self.line([x for x, _ in corners], [y for _, y in corners], colour)

    def level(self, value: float, words: str, colour: str) -> None:
        """A dashed line across at a value, with its words at the left end; nothing beyond the frame."""
        if not self.y.low <= value <= self.y.high:
            return
        right, (_, y) = self.canvas.width - self.right, self.at(self.x.low, value)
        self.canvas.line([(self.left, y), (right, y)], colour, width=1.6, dashes="6 5")
        below = y - self.top < 14.0
        self.canvas.text(self.left + 4, y + (13 if below else -6), short(words, 40), size=11, quiet=True)

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str) -> None:
        """Between two lines; what is beyond the frame is cut off."""
        over = [self.at(x, self._inside(y)) for x, y in zip(xs, high, strict=True)]
        under = [self.at(x, self._inside(y)) for x, y in zip(xs, low, strict=True)]
        self.canvas.area([*over, *reversed(under)], colour)

    def bar(self, x: float, low: float, high: float, colour: str, *, wide: float) -> None:
        """An upright bar between two values; what is beyond the frame is cut off."""
        (at, over), (_, under) = self.at(x, self._inside(high)), self.at(x, self._inside(low))
        self.canvas.box(at - wide / 2, over, wide, under - over, colour, opacity=0.35, radius=min(3.0, wide / 4))

    def _inside(self, y: float) -> float:
        return min(max(y, self.y.low), self.y.high)


def legend(canvas: Canvas, x: float, y: float, entries: Sequence[tuple[str, str, Marker | None]]) -> None:
    """Colour, mark (None: a line) and label of each group, in one row that begins further left where it is long."""
    x = max(min(x, canvas.width - sum(28 + 5.9 * len(label) for _, label, _ in entries)), 4.0)
    for colour, marker, label in ((colour, marker, label) for colour, label, marker in entries):
        if marker is None:
            canvas.line([(x, y - 4), (x + 16, y - 4)], colour, width=2.4)
        else:
            canvas.mark(x + 8, y - 4, colour, marker, hollow=colour == GREY)
        canvas.text(x + 21, y, label, size=11, quiet=True)
        x += 28 + 5.9 * len(label)


def short(text: str, most: int) -> str:
    """Text that fits.

    >>> short("a long name", 6)
    'a lon…'
    """
    return text if len(text) <= most else text[: max(most - 1, 1)] + "…"
