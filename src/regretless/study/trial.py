"""One evaluation, from suggestion to result; what is recommended; a region."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.deprecation import renamed_property
from regretless.optimizer.notebook import Shown

__all__ = ["Recommendation", "Region", "Status", "Trial", "pairs_of"]

Status = Literal["pending", "told", "failed", "released"]


@dataclass(frozen=True, slots=True)
class Trial(Shown):
    """One evaluation, from suggestion to result. It is frozen: telling makes a new one.

    Attributes
    ----------
    number
        Counts from 0 in the order of asking.
    params
        The user's values, by name.
    row
        Id of the row on a table, else None.
    status
        ``"pending"`` until told, then ``"told"`` or ``"failed"``; ``"released"`` once it was released.
    value
        The measured value of the first objective, in the user's units and sign; the mean of replicates.
    values
        The measured value of each outcome, by name; None if it failed. Outcomes not named are not measured yet.
    noise
        Known noise of the values, by outcome: ``{"sd": 0.4}``, ``{"replicates": [80.1, 81.3]}`` or both.
    source
        ``"design"`` (initial design), ``"rule"``, ``"random"`` (the model could not be used: see ``fallback``) or
        ``"added"`` (a result that was not asked for).
    details
        Why this point: what the rule drew (``zeta``, squared; thresholds and maxima in the model's standardised units)
        and what the model expected (``mean``, ``sd``, in the user's units and sign); ``excursion`` is 1 if the
        step was taken by the model that explores away from the best point, ``additive`` is 1 if that model is a sum
        over columns; with very many results, the model uses ``used`` of the ``told`` ones.
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
    details: Mapping[str, float] = field(default_factory=dict)
    hyperparameters: Mapping[str, Any] | None = None
    jitter: float = 0.0
    fallback: str | None = None
    excluded: bool = False
    note: str | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    noise: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def zeta(self) -> float | None:
        """The drawn confidence parameter (squared), where the rule has one."""
        return self.details.get("zeta")

    record = renamed_property("record", "details")

    def __str__(self) -> str:
        """In one line; everything is in the ``repr``.

        >>> print(Trial(4, {"T": 85.28005996, "acid": "HCl"}, status="told", value=81.2, values={"yield": 81.2}))
        trial 4: yield 81.2 at T=85.2801, acid=HCl
        >>> print(Trial(5, {"T": 60.0}, row="S3"))
        trial 5: pending at row S3 (T=60)
        """
        measured = [f"{name} {_short(value)}" for name, value in self.values.items() if value is not None]
        what = ", ".join(measured) if measured and self.status != "released" else str(self.status)
        return f"trial {self.number}: {what} at {_at(self.row, self.params)}"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A recommended point, in the user's units and sign: with one objective, where its posterior mean is best.

    ``mean`` and ``sd`` are those of the first objective. With several outcomes ``expected`` has mean and sd of each by
    name. Under constraints ``prob_feasible`` is the probability that all of them hold there, and ``qualified`` says
    whether that is as large as was asked for; where no point qualifies, the most probably feasible one is named.
    """

    params: Mapping[str, Any]
    row: Any
    mean: float
    sd: float
    expected: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    prob_feasible: float | None = None
    qualified: bool = True

    def __str__(self) -> str:
        """In one line; everything is in the ``repr``.

        >>> print(Recommendation({"T": 80.0}, "S3", 81.24, 0.4512))
        row S3 (T=80): 81.24 ± 0.4512 expected
        """
        several = [f"{name} {_short(mean)} ± {_short(sd)}" for name, (mean, sd) in self.expected.items()]
        what = ", ".join(several) if len(several) > 1 else f"{_short(self.mean)} ± {_short(self.sd)}"
        chance = "" if self.prob_feasible is None else f", feasible with probability {self.prob_feasible:.3g}"
        return f"{_at(self.row, self.params)}: {what} expected{chance}"


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Candidates or other points, with the probability that each reaches the level of a study, in the user's units."""

    params: tuple[Mapping[str, Any], ...]
    rows: tuple[Any, ...]  # ids of rows; None of what is no row
    probability: Floats  # (N,)
    mean: Floats  # (N,)
    sd: Floats  # (N,)

    def __len__(self) -> int:
        return len(self.params)

    @property
    def inside(self) -> npt.NDArray[np.bool_]:
        """Which points are classified as reaching it: those with probability at least 1/2."""
        found: npt.NDArray[np.bool_] = self.probability >= 0.5
        return found

    @property
    def expected_wrong(self) -> float:
        """The expected number of those on the wrong side."""
        return float(np.minimum(self.probability, 1.0 - self.probability).sum())


def pairs_of(params: Mapping[str, Any]) -> str:
    """Parameters in one line."""
    return ", ".join(f"{name}={_short(value)}" for name, value in params.items())


def _at(row: Any, params: Mapping[str, Any]) -> str:
    return pairs_of(params) if row is None else f"row {row} ({pairs_of(params)})"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
