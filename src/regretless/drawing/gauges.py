"""A certificate against the target: how far down the regret has come, on a scale of factors of ten."""

import math
from collections.abc import Sequence
from typing import Any

from regretless.drawing.svg import BLUE, GREEN, GREY, INK, ORANGE, VERMILLION, Canvas, Drawing
from regretless.lab.text import number
from regretless.optimizer import Certified, FrontRegret, HypervolumeLeft, RegionLoss, StopRule

__all__ = ["gauge", "gauge_of", "sparkline"]

_LIGHT = {"green": GREEN, "amber": ORANGE, "red": VERMILLION, "too few data": GREY}


def gauge_of(left: Certified, stop: StopRule | None = None) -> Drawing:
    """The gauge of a certificate, against the target of a stop rule."""
    shown, target = (left.bound, None) if stop is None else (stop.measure(left), stop.threshold(left))
    unit, what = "left", "regret: at most"
    if isinstance(left, FrontRegret):
        unit = "of hypervolume left" if isinstance(stop, HypervolumeLeft) else "of the front's width left"
    if isinstance(left, RegionLoss):
        counted = left.exact if stop is None else stop.eps is not None
        unit, what = f"{'candidates' if counted else 'of all'} on the wrong side", "expected:"
    return gauge(shown, target, left.trust.light, unit=unit, what=what)


def gauge(
    bound: float, target: float | None, light: str, *, unit: str = "left", what: str = "regret: at most"
) -> Drawing:
    """A bar that shrinks towards the target; without a target it only says how much there is, in words ``unit``.

    The scale is logarithmic: from a tenth of the target to a hundred times it, or to the bound where that is more.
    """
    left_over = f"{_three(bound)} {unit}"
    says = f"{what} {left_over}"
    says += "" if target is None else f"; stop at {_three(target)}"
    canvas = Canvas(380.0, 62.0, says)
    left, right, y, tall = 2.0, 378.0, 24.0, 12.0
    goal = bound if target is None else target
    low = 0.1 * goal if goal > 0.0 else 0.1
    high = max(100.0 * goal, bound, 10.0 * low)
    reached = GREEN if target is not None and bound <= target else BLUE

    def at(value: float) -> float:
        share = math.log(max(value, low) / low) / math.log(high / low)
        return left + (right - left) * min(max(share, 0.0), 1.0)

    def words(x: float, height: float, text: str, **look: Any) -> None:
        half = 0.31 * look["size"] * len(text)  # about half as wide as it is: no word leaves the canvas
        canvas.text(min(max(x, left + half), right - half), height, text, anchor="middle", **look)

    canvas.box(left, y, right - left, tall, INK, opacity=0.1, radius=6)
    if target is not None:
        canvas.box(left, y, at(target) - left, tall, GREEN, opacity=0.22, radius=6)
    canvas.box(left, y, max(at(bound) - left, tall), tall, reached, radius=6)
    canvas.mark(min(max(at(bound), left + 6), right - 8), y + tall / 2, _LIGHT[light], "diamond", size=7.5)
    if target is not None:
        x = at(target)
        canvas.line([(x, y - 7), (x, y + tall + 7)], GREEN, width=2.0)
        words(x, y + tall + 21, f"stop at {_three(target)}", size=12, quiet=True)
    words(at(bound), 13, left_over, size=13, bold=True)
    return canvas.drawing()


def _three(value: float) -> str:
    """Three significant digits."""
    return number(float(f"{value:.3g}"))


def sparkline(values: Sequence[float], says: str) -> Drawing:
    """A few values as a line without axes, for a list of studies."""
    canvas = Canvas(120.0, 28.0, says)
    low, high = min(values), max(values)
    points = [
        (3.0 + 114.0 * i / max(len(values) - 1, 1), 25.0 - 22.0 * ((v - low) / (high - low) if high > low else 0.5))
        for i, v in enumerate(values)
    ]
    canvas.line(points, BLUE, width=1.8)
    if points:
        canvas.mark(*points[-1], VERMILLION, size=2.8)
    return canvas.drawing()
