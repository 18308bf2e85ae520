"""What happened to a study, one event after the other; nothing is ever changed or taken away."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Event", "Kind"]

Kind = Literal[
    "asked",  # a suggestion was made
    "offered",  # a trial whose lease had ended was handed to another worker
    "renewed",  # a lease began anew
    "told",
    "failed",
    "late",  # a result of a trial that was offered again and had ended by then; kept, not used
    "added",  # a result that was not asked for
    "added_outside",  # one of a point that is not a candidate
    "amended",  # a result was corrected
    "excluded",  # a result is not used any more
    "included",  # it is used again
    "row_excluded",  # a candidate is not suggested any more
    "row_included",  # it is suggested again
    "extended",  # the table got further candidates
    "lost",  # a pending trial was given up
    "certified",  # a certificate was put on record
    "linked",  # an earlier study became data of the model
]


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a study's record.

    Attributes
    ----------
    seq
        Counts from 1, without gaps.
    time
        Seconds since 1970, UTC, by the clock of the machine that wrote it. For people: nothing is decided by it.
    author
        Who did it.
    kind
        What happened.
    number
        The trial it happened to, None for rows and certificates.
    value
        What was measured, in the user's units and sign, where a value is part of it.
    data
        Everything else, as plain JSON.
    """

    seq: int
    time: float
    author: str
    kind: Kind
    number: int | None = None
    value: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
