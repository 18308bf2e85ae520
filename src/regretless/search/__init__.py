"""Where a score is largest: scan of a table, climb in a box, climb and sweep in a mixed space."""

from regretless.search.ascent import climb_in
from regretless.search.climb import climb
from regretless.search.product import Objective, near, search_product
from regretless.search.table import search_table

__all__ = ["Objective", "climb", "climb_in", "near", "search_product", "search_table"]
