"""What may be tried: tables of candidates, boxes and mixed products, with one codec to arrays."""

from regretless.spaces.dimensions import Categorical, Dimension, Fixed, Float, Int, Ordinal, as_dimension
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.natural import Space, as_space
from regretless.spaces.params import NOISE_FREE, Repeats, check_repeats, with_repeats
from regretless.spaces.product import Box, Mixed
from regretless.spaces.record import space_from_data, space_to_data
from regretless.spaces.table import Table, as_table

__all__ = [
    "NOISE_FREE",
    "Box",
    "Categorical",
    "Dimension",
    "Fixed",
    "Float",
    "Int",
    "Mixed",
    "Ordinal",
    "Repeats",
    "Space",
    "Table",
    "as_dimension",
    "as_space",
    "as_table",
    "check_repeats",
    "latin_hypercube",
    "space_from_data",
    "space_to_data",
    "with_repeats",
]
