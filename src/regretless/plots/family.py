"""All figures by name: what `Study.plot` draws."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from regretless.errors import InvalidInput
from regretless.plots.front import plot_front, plot_hypervolume
from regretless.plots.models import (
    plot_contour,
    plot_importance,
    plot_parallel,
    plot_parity,
    plot_regret_left,
    plot_slice,
)
from regretless.plots.posterior import plot_posterior
from regretless.plots.records import as_study, objectives_of
from regretless.plots.region import plot_region
from regretless.plots.regret import plot_regret
from regretless.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FAMILY", "plot"]

#: Each takes a study or a result, and returns the axes it drew into.
FAMILY: dict[str, Callable[..., "Axes"]] = {
    "history": plot_regret,
    "regret_left": plot_regret_left,
    "slice": plot_slice,
    "contour": plot_contour,
    "parallel": plot_parallel,
    "importance": plot_importance,
    "parity": plot_parity,
    "front": plot_front,
    "hypervolume": plot_hypervolume,
    "posterior": plot_posterior,
    "region": plot_region,
}


def plot(source: Study | Result, what: str = "history", *args: Any, **options: Any) -> "Axes":
    """Draw one of the `FAMILY`, with its own arguments. The history of several objectives is their hypervolume."""
    if what not in FAMILY:
        raise InvalidInput(f"what must be one of {', '.join(FAMILY)}, got {what!r}.")
    several = len(objectives_of(as_study(source))) > 1
    return FAMILY["hypervolume" if what == "history" and several else what](source, *args, **options)
