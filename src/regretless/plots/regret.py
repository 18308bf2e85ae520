"""How fast the best value improves: alone, and beside the posterior."""

from typing import TYPE_CHECKING

import numpy as np

from regretless.arrays import as_finite_float
from regretless.plots.canvas import BLUE, mark, new_axes, new_figure, ticks, tidy
from regretless.plots.posterior import plot_posterior
from regretless.plots.records import as_study, evaluations, one_objective
from regretless.study import Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_regret", "plot_run"]


def plot_regret(source: Study | Result, optimum: float | None = None, ax: "Axes | None" = None) -> "Axes":
    r"""Draw simple regret by evaluation where the optimum is known, else the best value so far.

    .. math:: r_n = f(x^*) - \max_{i \le n} y_i

    Parameters
    ----------
    source
        A study with one objective, or the result of a run. Failed trials count as evaluations; pending ones are left
        out. Under constraints the best so far is the best that satisfies them all; other trials are crosses.
    optimum
        The best value there is, in the units and sign of the study. Regret is drawn on a log scale; a scale that is
        linear near 0 is used where regret is 0, or below 0 as noise can make it.
    ax
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.
    """
    study = as_study(source)
    one_objective(study, "plot_regret")
    seen = evaluations(study)
    ax = new_axes(ax)
    sign = 1.0 if study.direction == "maximize" else -1.0
    drawn, values = seen.best, seen.value
    if optimum is not None:
        best = as_finite_float(optimum, "optimum")
        drawn, values = sign * (best - seen.best), sign * (best - seen.value)
    before = int(np.argmax([*seen.chosen, True]))  # evaluations before the rule's first choice
    ax.axvspan(0.5, before + 0.5, color="#F1F1F1", linewidth=0, zorder=0)
    best_so_far = "best so far" if len(study.outcomes) == 1 else "best feasible so far"
    ax.step(seen.number, drawn, where="post", color=BLUE, linewidth=2.0, label=best_so_far)
    for label, which in seen.groups.items():
        ax.scatter(seen.number[which], values[which], s=18, label=label, zorder=3, linewidth=0.9, **mark(label))
    ax.set_xlabel("evaluation")
    ax.xaxis.set_major_locator(ticks(whole=True))
    if optimum is None:
        ax.set_ylabel(study.objective)
    else:
        ax.set_ylabel("simple regret")
        known = np.concatenate([drawn, values])
        known = known[np.isfinite(known)]
        if (known > 0.0).all():
            ax.set_yscale("log")
        else:
            ax.set_yscale("symlog", linthresh=float(known[known > 0.0].min(initial=1.0)))
    ax.set_xlim(0.5, len(seen.number) + 0.5)
    tidy(ax, grid=True)
    return ax


def plot_run(source: Study | Result, optimum: float | None = None) -> "Figure":
    """Draw a run in two panels: `plot_regret` on the left, `plot_posterior` on the right.

    The space must have one or two parameters that vary, each real or whole.
    """
    study = as_study(source)
    figure, (left, right) = new_figure(2, (11.5, 4.6))
    plot_regret(study, optimum, left)
    plot_posterior(study, right)
    return figure
