"""One figure of a whole run."""

from typing import TYPE_CHECKING

from regretless.plots.canvas import new_figure
from regretless.plots.posterior import plot_posterior
from regretless.plots.records import as_study
from regretless.plots.regret import plot_regret
from regretless.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_run"]


def plot_run(source: Study | Result, optimum: float | None = None) -> "Figure":
    """Draw a run in two panels: `plot_regret` on the left, `plot_posterior` on the right.

    The space must have one or two parameters that vary, each real or whole.
    """
    study = as_study(source)
    figure, (left, right) = new_figure(2, (11.5, 4.6))
    plot_regret(study, optimum, left)
    plot_posterior(study, right)
    return figure
