"""Figures as SVG, drawn without any other package: for the page at the bench, the HTML report and notebooks.

A drawing has no script and no style of its own: it takes the colour of the text around it, and accents that can be read
on light and on dark paper. Behind every figure stands the table it was drawn from.
"""

from regretless.drawing.effects import effect_figures
from regretless.drawing.figure import Figure
from regretless.drawing.front import front_figures, hypervolume_figure
from regretless.drawing.gauges import gauge, gauge_of, sparkline
from regretless.drawing.maps import map_figure
from regretless.drawing.overview import Overview, overview_of
from regretless.drawing.parity import parity_figure
from regretless.drawing.progress import history_figure, regret_figure
from regretless.drawing.region import region_figure
from regretless.drawing.svg import Drawing

__all__ = [
    "Drawing",
    "Figure",
    "Overview",
    "effect_figures",
    "front_figures",
    "gauge",
    "gauge_of",
    "history_figure",
    "hypervolume_figure",
    "map_figure",
    "overview_of",
    "parity_figure",
    "region_figure",
    "regret_figure",
    "sparkline",
]
