"""Where matplotlib is imported, and how every figure looks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from regretless.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

__all__ = [
    "ADDED",
    "BLACK",
    "BLUE",
    "GREEN",
    "GREY",
    "INITIAL",
    "ORANGE",
    "SKY",
    "VERMILLION",
    "VIOLATES",
    "load",
    "mark",
    "new_axes",
    "new_figure",
    "plain_log_ticks",
    "ticks",
    "tidy",
]

# The palette of Okabe and Ito (2008): eight colours that people with any colour vision tell apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION = "#0072B2", "#D55E00"
GREY = "#767676"

#: Evaluations that no rule chose, as legends call them.
INITIAL, ADDED = "initial design", "added by the user"
#: Evaluations whose measured constraints do not all hold.
VIOLATES = "violates a constraint"


def load(module: str) -> Any:
    """A module of matplotlib, or an error that names the extra."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra("plots need matplotlib; install it with: pip install 'regretless[plots]'") from error


def mark(label: str) -> dict[str, Any]:
    """How an evaluation is marked, by the label of its group: shapes as well as colours tell the groups apart."""
    shapes = {INITIAL: "s", ADDED: "D"}
    if label == VIOLATES:
        return {"marker": "x", "color": GREY}
    return {
        "marker": shapes.get(label, "o"),
        "facecolor": "white" if label in shapes else VERMILLION,
        "edgecolor": BLACK if label in shapes else "none",
    }


def new_axes(ax: "Axes | None") -> "Axes":
    """The axes handed in, or new ones in a figure of their own."""
    if ax is not None:
        return ax
    return new_figure(1, (6.0, 4.2))[1][0]


def new_figure(panels: int, size: tuple[float, float]) -> "tuple[Figure, list[Axes]]":
    """A figure with its panels side by side."""
    figure, axes = load("matplotlib.pyplot").subplots(1, panels, figsize=size, layout="constrained", squeeze=False)
    return figure, list(axes[0])


def ticks(*, whole: bool) -> "Locator":
    """A few round numbers; whole ones for counts."""
    locator: Locator = load("matplotlib.ticker").MaxNLocator(nbins=6, integer=whole, steps=[1, 2, 5, 10])
    return locator


def plain_log_ticks(ax: "Axes") -> None:
    """10, 20, 50, 100 instead of powers, for a log scale of one or two decades."""
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("{x:g}")
    ax.yaxis.set_minor_locator(load("matplotlib.ticker").LogLocator(subs=(2.0, 5.0)))


def tidy(ax: "Axes", *, grid: bool) -> None:
    """Thin frame, quiet ticks, a pale grid behind the data, and the legend above."""
    for side, spine in ax.spines.items():
        spine.set_color(GREY)
        spine.set_linewidth(0.8)
        spine.set_visible(not grid or side in ("left", "bottom"))
    ax.tick_params(which="both", color=GREY, labelsize=9)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(visible=True, which="major", color="#E6E6E6", linewidth=0.8)
    ax.legend(
        frameon=False,
        fontsize=9,
        ncols=3,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        handletextpad=0.4,
        columnspacing=1.4,
    )
