"""Search spaces: tables of candidates, boxes and mixed products, with one codec to arrays."""

from regretless.spaces.box import Box
from regretless.spaces.compare import difference, same_rows
from regretless.spaces.dimensions import Categorical, Dimension, Fixed, Float, Int, Ordinal, as_dimension
from regretless.spaces.domain import UNLISTED, Domain, Place, Point
from regretless.spaces.environment import Environment, Perturbation, Scenarios, scenarios_of
from regretless.spaces.latin import latin_hypercube
from regretless.spaces.mixture import Mixture
from regretless.spaces.params import NOISE_FREE, Repeats, as_argument, check_repeats, with_repeats
from regretless.spaces.parse import Space, as_space, repeats_of, with_constraints
from regretless.spaces.product import Mixed
from regretless.spaces.record import space_from_data, space_to_data
from regretless.spaces.table import (
    FileTable,
    Raw,
    Rows,
    Table,
    as_table,
    columns_in_file,
    extended_table,
    further_rows,
    listed_domain,
    read_rows,
)

__all__ = [
    "NOISE_FREE",
    "UNLISTED",
    "Box",
    "Categorical",
    "Dimension",
    "Domain",
    "Environment",
    "FileTable",
    "Fixed",
    "Float",
    "Int",
    "Mixed",
    "Mixture",
    "Ordinal",
    "Perturbation",
    "Place",
    "Point",
    "Raw",
    "Repeats",
    "Rows",
    "Scenarios",
    "Space",
    "Table",
    "as_argument",
    "as_dimension",
    "as_space",
    "as_table",
    "check_repeats",
    "columns_in_file",
    "difference",
    "extended_table",
    "further_rows",
    "latin_hypercube",
    "listed_domain",
    "read_rows",
    "repeats_of",
    "same_rows",
    "scenarios_of",
    "space_from_data",
    "space_to_data",
    "with_constraints",
    "with_repeats",
]
