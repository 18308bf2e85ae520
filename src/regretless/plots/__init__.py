"""Figures from records. Needs matplotlib: ``pip install 'regretless[plots]'``.

Every function draws into the axes handed in, or into new ones, and returns what it drew into. No setting of matplotlib
is changed.
"""

from regretless.plots.certificate import plot_certificate
from regretless.plots.family import plot
from regretless.plots.front import plot_front, plot_fronts, plot_hypervolume
from regretless.plots.models import (
    plot_contour,
    plot_importance,
    plot_parallel,
    plot_parity,
    plot_regret_left,
    plot_slice,
)
from regretless.plots.posterior import plot_posterior
from regretless.plots.region import plot_region
from regretless.plots.regret import plot_regret, plot_run

__all__ = [
    "plot",
    "plot_certificate",
    "plot_contour",
    "plot_front",
    "plot_fronts",
    "plot_hypervolume",
    "plot_importance",
    "plot_parallel",
    "plot_parity",
    "plot_posterior",
    "plot_region",
    "plot_regret",
    "plot_regret_left",
    "plot_run",
    "plot_slice",
]
