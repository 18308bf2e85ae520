"""Names of rows: one per source row, never shared by two candidates."""

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import InvalidInput
from regretless.spaces.scalars import Scalar, as_level

__all__ = ["as_ids", "other_spelling"]


def as_ids(raw: Any, name: str, candidate: npt.NDArray[np.intp]) -> tuple[Scalar, ...]:
    """The ids of all source rows; two different candidates may not share one."""
    values = raw.tolist() if isinstance(raw, np.ndarray) else raw
    ids = tuple(as_level(value, f"row {row} of id column {name!r}") for row, value in enumerate(values))
    owner: dict[Scalar, int] = {}
    for row, (row_id, i) in enumerate(zip(ids, candidate.tolist(), strict=True)):
        if row_id is None:
            raise InvalidInput(f"row {row} has no id in column {name!r}. Fill it, or choose another id column.")
        if owner.setdefault(row_id, i) != i:
            raise InvalidInput(f"id {row_id!r} in column {name!r} names two different rows. Ids must be unique.")
    return ids


def other_spelling(row_id: Scalar) -> tuple[Scalar, ...]:
    """The same id as it looks after a trip through a text field, or before one.

    >>> other_spelling("12"), other_spelling(12), other_spelling("A7")
    ((12,), ('12',), ())
    """
    if isinstance(row_id, str):
        return (int(row_id),) if row_id.isdecimal() and len(row_id) < 19 else ()
    return (str(row_id),) if isinstance(row_id, int) else ()
