"""How much regret is left, in the user's units and in one sentence; and when that is little enough to stop."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from regretless.arrays import as_whole, show
from regretless.errors import InvalidInput
from regretless.optimizer.limits import Given, as_limits
from regretless.optimizer.wording import amount
from regretless.theory import BestProbability, Calibration

__all__ = ["Regret", "RemainingRegret", "check_stop"]


@dataclass(frozen=True, slots=True)
class RemainingRegret:
    """An upper bound on what recommending the best posterior mean costs, in the user's units.

    Attributes
    ----------
    params, row
        What is recommended.
    mean, sd
        Posterior mean (within the limits) and sd of the objective there, under the model of the certificate: on a table
        it is more cautious than the one that recommends and predicts.
    bound
        Upper bound on the expected regret given the data: the smaller of ``tail_sum`` and ``pairwise``. It may be
        looked at after every trial and used to stop.
    lemma
        The bound of the paper's key lemma, for comparison.
    eps, exceeds
        Upper bound on the probability that the regret is more than ``eps``; None where no eps was given.
    best
        Probability that the recommendation is the best candidate, by joint draws; None where none were asked for.
    exact
        True where every candidate was counted (a table); False where a dense sample stands for the space.
    trust
        Whether the model predicts its own data within its error bars: ``trust.light`` and ``trust.message``.
    objective, model
        What is measured, and whether the model's parameters were ``"fitted"`` to the data or ``"given"``.
    used, told
        How many of how many results the model rests on: a subset, and the sentence says so, where there are very many.
    limits, limits_hold
        What the objective cannot leave, None where nothing is known. Limits that the data contradict are not used, and
        ``limits_hold`` is False.
    sentence
        All of it in plain words, with the unit that the objective's name ends with, as in ``yield [%]``.
    """

    params: Mapping[str, Any]
    row: Any
    mean: float
    sd: float
    bound: float
    tail_sum: float
    pairwise: float
    lemma: float
    eps: float | None
    exceeds: float | None
    best: BestProbability | None
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    limits: Given | None = None
    limits_hold: bool = True

    @property
    def sentence(self) -> str:
        """What is promised, under which assumption, and whether the data speak against that."""
        told = self.trust.light in ("amber", "red", "too few data")
        return f"{self.promise()} {self.trust.message}" if told else self.promise()

    def promise(self, row_name: str = "row") -> str:
        """What is promised and under which assumption; ``row_name`` is what rows of the table are called."""
        what = f"{row_name} {self.row}" if self.row is not None else _point(self.params)
        rests_on = "" if self.used == self.told else f" of {self.used} of the {self.told} results"
        text = f"Under the {self.model} model{rests_on}, recommending {what} costs {self.cost} in expectation"
        text += "." if self.exact else " (an estimate: a dense sample stands for the space)."
        if not self.limits_hold:
            text += f" The limits ({as_limits(self.limits)}) were not used: the results contradict them."
        return text

    @property
    def cost(self) -> str:
        """The bound in words, such as ``at most 4.2 percentage points of yield``."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)}"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        left_out = ("params", "best", "trust")
        names = [part.name for part in fields(self) if part.name not in left_out]
        best = None if self.best is None else asdict(self.best)
        return {
            "params": dict(self.params),
            **{name: getattr(self, name) for name in names},
            "sentence": self.sentence,
            "best": best,
            "trust": {"light": self.trust.light, "message": self.trust.message},
        }

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Regret:
    """Stop when the expected regret that is left is certified to be small.

    Parameters
    ----------
    eps
        In the units of the objective: ``Regret(0.5)``.
    relative
        As a share of the size of the recommended value: ``Regret(relative=0.01)``.
    patience
        So many certificates in a row must be small enough, the last told values left out one after the other. A fitted
        model may be too sure of itself for a moment; it seldom stays so while new values come in.

    One of the first two is given. `Study.should_stop` applies the rule, for Python and for every command. A study never
    stops on a certificate that its own data speak against (red light), nor before there are enough data to tell.

    >>> Regret(0.5)
    Regret(eps=0.5, relative=None, patience=5)
    """

    eps: float | None = None
    relative: float | None = None
    patience: int = 5

    def __post_init__(self) -> None:
        given = [value for value in (self.eps, self.relative) if value is not None]
        if len(given) != 1:
            raise InvalidInput("Regret needs either eps, in the units of the objective, or relative=.")
        if isinstance(given[0], bool) or not isinstance(given[0], int | float) or not 0.0 < given[0] < math.inf:
            raise InvalidInput(f"Regret needs a positive finite number, got {show(given[0])}.")
        as_whole(self.patience, "patience", least=1)

    def threshold(self, left: RemainingRegret) -> float:
        """The bound at which to stop, in the units of the objective, where ``left`` is the certificate now."""
        return self.eps if self.eps is not None else (self.relative or 0.0) * abs(left.mean)


def check_stop(when: object) -> None:
    """Refuse what is no rule for stopping."""
    if not isinstance(when, Regret):
        raise InvalidInput(f"stop_when must be a Regret, such as Regret(0.5), got {show(when)}.")


def _point(params: Mapping[str, Any]) -> str:
    values = (
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in params.items()
    )
    return "(" + ", ".join(values) + ")"
