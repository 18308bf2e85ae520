"""Known constraints of a space: read from text, which is never executed, or given as functions."""

from regretless.spaces.constraints.atoms import Kind
from regretless.spaces.constraints.constraint import (
    Bound,
    Constraint,
    Formula,
    Function,
    as_constraints,
    bind,
    constraint_to_data,
    named,
)
from regretless.spaces.constraints.region import Region
from regretless.spaces.constraints.rows import rows_left, violated_by

__all__ = [
    "Bound",
    "Constraint",
    "Formula",
    "Function",
    "Kind",
    "Region",
    "as_constraints",
    "bind",
    "constraint_to_data",
    "named",
    "rows_left",
    "violated_by",
]
