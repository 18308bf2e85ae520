"""SVG, element by element: the one place where markup is made of what users wrote, and it escapes all of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

__all__ = [
    "BLUE",
    "DARK",
    "GREEN",
    "GREY",
    "INK",
    "ORANGE",
    "SKY",
    "VERMILLION",
    "Anchor",
    "Canvas",
    "Drawing",
    "Marker",
]

# The palette of Okabe and Ito, as in `regretless.plots`; a page may lighten a colour by its class, such as ``f-blue``.
BLUE, SKY, GREEN, ORANGE, VERMILLION, GREY = "blue", "sky", "green", "orange", "vermillion", "grey"
INK = "ink"  # the colour of the text around the drawing
_HEX = {
    BLUE: "#0072B2",
    SKY: "#56B4E9",
    GREEN: "#009E73",
    ORANGE: "#E69F00",
    VERMILLION: "#D55E00",
    GREY: "#767676",
    INK: "currentColor",
}

_LIGHTER = {
    BLUE: "#5fb3ee",
    SKY: "#4d93c4",
    GREEN: "#46cfa0",
    ORANGE: "#f2b53c",
    VERMILLION: "#ff8a4c",
    GREY: "#9aa4b1",
}
#: Rules of a style sheet for dark paper; that of the page has the same.
DARK = "\n".join(f"  .s-{name} {{ stroke: {c}; }} .f-{name} {{ fill: {c}; }}" for name, c in _LIGHTER.items())

Anchor = Literal["start", "middle", "end"]
Marker = Literal["circle", "square", "diamond", "cross", "star"]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Finished markup. Templates and notebooks take it as it is: `Canvas` is the only one that makes it."""

    markup: str

    def __html__(self) -> str:
        return self.markup

    def __str__(self) -> str:
        return self.markup

    _repr_html_ = __html__


@dataclass(slots=True)
class Canvas:
    """A sheet of so many units; ``says`` is for readers who cannot see it.

    >>> canvas = Canvas(20, 10, "a <dot>")
    >>> canvas.mark(5, 5)
    >>> "a &lt;dot&gt;" in str(canvas.drawing())
    True
    """

    width: float
    height: float
    says: str
    elements: list[str] = field(default_factory=list)

    def line(
        self, points: Sequence[tuple[float, float]], colour: str = BLUE, *, width: float = 2.0, dashes: str = ""
    ) -> None:
        """A line through points; nothing for fewer than two."""
        if len(points) > 1:
            d = "M" + " L".join(f"{_n(x)} {_n(y)}" for x, y in points)
            dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
            self._add(
                f'<path class="s-{colour}" d="{d}" fill="none" stroke="{_HEX[colour]}" stroke-width="{_n(width)}"'
                f' stroke-linejoin="round" stroke-linecap="round"{dashed}/>'
            )

    def area(self, points: Sequence[tuple[float, float]], colour: str = SKY, *, opacity: float = 0.3) -> None:
        """A closed shape without an edge."""
        d = "M" + " L".join(f"{_n(x)} {_n(y)}" for x, y in points) + " Z"
        self._add(f'<path class="f-{colour}" d="{d}" fill="{_HEX[colour]}" fill-opacity="{_n(opacity)}"/>')

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: str = INK,
        *,
        opacity: float = 1.0,
        radius: float = 0.0,
    ) -> None:
        """A rectangle; ``colour`` is one of the palette."""
        self._add(
            f'<rect class="f-{colour}" x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0.0))}" '
            f'height="{_n(max(height, 0.0))}" rx="{_n(radius)}" fill="{_HEX[colour]}" fill-opacity="{_n(opacity)}"/>'
        )

    def shade(self, x: float, y: float, width: float, height: float, share: float) -> None:
        """A cell of a map: pale where ``share`` is 0, deep blue where it is 1."""
        pale, deep = (236, 243, 249), (0, 84, 143)
        red, green, blue = (round(a + (b - a) * min(max(share, 0.0), 1.0)) for a, b in zip(pale, deep, strict=True))
        self._add(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" '
            f'fill="rgb({red},{green},{blue})"/>'
        )

    def mark(
        self,
        x: float,
        y: float,
        colour: str = VERMILLION,
        marker: Marker = "circle",
        *,
        size: float = 3.5,
        hollow: bool = False,
        says: str = "",
    ) -> None:
        """A point; shapes as well as colours tell groups apart. ``says`` is shown under the pointer."""
        style = (
            f'class="s-{colour}" fill="none" stroke="{_HEX[colour]}" stroke-width="1.6"'
            if hollow or marker == "cross"
            else f'class="f-{colour} halo" fill="{_HEX[colour]}"'
        )
        title = f"<title>{escape(says)}</title>" if says else ""
        if marker == "circle":
            self._add(f'<circle {style} cx="{_n(x)}" cy="{_n(y)}" r="{_n(size)}">{title}</circle>')
        else:
            self._add(f'<path {style} d="{_shape(marker, x, y, size)}">{title}</path>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: Anchor = "start",
        size: float = 12.0,
        quiet: bool = False,
        bold: bool = False,
        turned: bool = False,
    ) -> None:
        """Words, escaped; ``turned`` reads upwards."""
        turn = f' transform="rotate(-90 {_n(x)} {_n(y)})"' if turned else ""
        faint = ' fill-opacity="0.72"' if quiet else ""
        weight = ' font-weight="600"' if bold else ""
        self._add(
            f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" font-size="{_n(size)}" fill="currentColor"{faint}'
            f"{weight}{turn}>{escape(words)}</text>"
        )

    def grid(self, x1: float, y1: float, x2: float, y2: float, *, strong: bool = False) -> None:
        """A thin line of the frame or the grid behind the data."""
        self._add(
            f'<path d="M{_n(x1)} {_n(y1)} L{_n(x2)} {_n(y2)}" stroke="currentColor" '
            f'stroke-opacity="{0.45 if strong else 0.13}" stroke-width="1"/>'
        )

    def drawing(self) -> Drawing:
        """The whole, which scales with the place it stands in."""
        inside = "".join(self.elements)
        return Drawing(
            f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(self.width)} {_n(self.height)}" '
            f'width="{_n(self.width)}" height="{_n(self.height)}" role="img" aria-label="{escape(self.says)}">'
            f"{inside}</svg>"
        )

    def _add(self, element: str) -> None:
        self.elements.append(element)


def _n(value: float) -> str:
    """A coordinate, to a hundredth."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _shape(marker: Marker, x: float, y: float, r: float) -> str:
    if marker == "cross":
        return f"M{_n(x - r)} {_n(y - r)} L{_n(x + r)} {_n(y + r)} M{_n(x - r)} {_n(y + r)} L{_n(x + r)} {_n(y - r)}"
    return "M" + " L".join(f"{_n(x + r * u)} {_n(y + r * v)}" for u, v in _CORNERS[marker]) + " Z"


def _star() -> Iterable[tuple[float, float]]:
    from math import cos, pi, sin

    for i in range(10):
        radius = 1.9 if i % 2 == 0 else 0.8
        yield radius * sin(pi * i / 5), -radius * cos(pi * i / 5)


_CORNERS = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)),
    "star": tuple(_star()),
}
