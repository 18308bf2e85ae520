"""The argmax of a score on any domain: a scan of a table, or ascents and sweeps in a product of parameters."""

from regretless.search.ascent import climb_in
from regretless.search.bfgs import climb
from regretless.search.columns import best_of_columns
from regretless.search.design import Design
from regretless.search.domain import (
    Allowed,
    argmax,
    as_tried,
    climber,
    dense_sample,
    designed_point,
    is_allowed,
    points_around,
    search_table,
    undirected_point,
)
from regretless.search.product import COARSE, FINE, Objective, near, search_product
from regretless.search.subbox import Subbox, best_inside

__all__ = [
    "COARSE",
    "FINE",
    "Allowed",
    "Design",
    "Objective",
    "Subbox",
    "argmax",
    "as_tried",
    "best_inside",
    "best_of_columns",
    "climb",
    "climb_in",
    "climber",
    "dense_sample",
    "designed_point",
    "is_allowed",
    "near",
    "points_around",
    "search_product",
    "search_table",
    "undirected_point",
]
