"""One try, from asked to told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Recommendation", "Status", "Trial"]

Status = Literal["pending", "told", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One try and its record. Frozen: telling makes a new one.

    Attributes
    ----------
    number
        Counts from 0 in the order of asking.
    params
        The user's values, by name.
    row
        Id of the row on a table, else None.
    status
        ``"pending"`` until told, then ``"told"`` or ``"failed"``; ``"lost"`` once it was released.
    value
        What was measured, in the user's units and sign.
    source
        ``"design"`` (initial design), ``"rule"``, ``"random"`` (the model could not be used: see ``fallback``) or
        ``"added"`` (a result that was not asked for).
    record
        Why this point: what the rule drew (``zeta``, squared; thresholds and maxima in the model's standardised units)
        and what the model expected (``mean``, ``sd``, in the user's units and sign); where there are very many results,
        on how many (``used``) of how many (``told``) the model rests.
    hyperparameters
        The model behind the suggestion, None for the initial design.
    jitter
        What had to be added to the diagonal of the covariance matrix, 0 if nothing.
    fallback
        Why the rule was not followed, None if it was.
    excluded
        Whether the result was set aside: it stays on record and is not used.
    note
        Set where the point is not a candidate: data for the model, never suggested or recommended. None otherwise.
    """

    number: int
    params: Mapping[str, Any]
    row: Any = None
    status: Status = "pending"
    value: float | None = None
    source: str = "rule"
    record: Mapping[str, float] = field(default_factory=dict)
    hyperparameters: Mapping[str, Any] | None = None
    jitter: float = 0.0
    fallback: str | None = None
    excluded: bool = False
    note: str | None = None

    @property
    def zeta(self) -> float | None:
        """The drawn confidence parameter (squared), where the rule has one."""
        return self.record.get("zeta")


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Where the posterior mean is best, with that mean and sd of f in the user's units and sign."""

    params: Mapping[str, Any]
    row: Any
    mean: float
    sd: float
