"""How much regret is left, in the user's units and in one sentence.

What every certificate says is `Certified`. The usual one is here; that of another goal stands beside what computes it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast

from regretless.optimizer.limits import Given, as_limits
from regretless.optimizer.notebook import Shown
from regretless.optimizer.wording import amount
from regretless.theory import BestProbability, Calibration, SimulatedRegret

__all__ = ["Certificate", "Certified", "chance_words", "limits_unused", "named"]


class Certified(Shown, ABC):
    """A certificate of any kind: a frozen dataclass with these fields, and what is said with them.

    Attributes
    ----------
    bound
        What is left, in expectation: the number that is drawn, and that `Regret` looks at.
    exact
        True where every candidate was counted (a table); False where a dense sample stands for the space.
    trust
        Whether the model predicts its own data within its error bars: ``trust.light`` and ``trust.message``.
    objective, model
        What is measured, and whether the model's parameters were ``"fitted"`` to the data or ``"given"``.
    used, told
        How many of how many results the model rests on.
    settings, unsure
        Over how many settings of the model the bound is averaged, and the share of it that comes from not knowing which
        is right.
    limits, limits_hold
        What the objective cannot leave, None where nothing is known or it is not used; False: the data contradict it.
    """

    __slots__ = ()

    bound: float
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    settings: int
    unsure: float
    limits: Any = None
    limits_hold: bool = True

    @abstractmethod
    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        speaks = self.trust.light in ("amber", "red", "too few data")
        return f"{self.promise()} {self.trust.message}" if speaks else self.promise()

    @property
    def cost(self) -> str:
        """The bound in words, such as ``at most 4.2 percentage points of yield``."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)}"

    def beside(self) -> str:
        """What is said beside the bound: how much of it comes from not knowing the model."""
        return "; ".join(self.unsure_words)

    @property
    def size(self) -> float:
        """What ``Regret(relative=...)`` is a share of: the size of the mean at what is recommended."""
        mean: float = self.mean  # type: ignore[attr-defined]  # where it is one point; else this is defined anew
        return abs(mean)

    @property
    def unsure_words(self) -> list[str]:
        """The share of the bound that comes from not knowing the model; nothing where there is one setting."""
        return [f"{100.0 * self.unsure:.0f} % of the bound from not knowing the model"] if self.settings > 1 else []

    @property
    def rests_on(self) -> str:
        """On how many of the results the model rests; nothing where it is all of them."""
        return "" if self.used == self.told else f" of {self.used} of the {self.told} results"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        said = {part.name: getattr(self, part.name) for part in fields(cast(Any, self)) if part.name != "trust"}
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in said.items()}
        return {**plain, "sentence": self.sentence, "trust": {"light": self.trust.light, "message": self.trust.message}}

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Certificate(Certified):
    """An upper bound on what recommending the best posterior mean costs, in the user's units.

    Attributes
    ----------
    params, row
        What is recommended.
    mean, sd
        Posterior mean (within the limits) and sd of the objective there, averaged over the settings.
    bound
        Upper bound on the expected regret given the data, averaged over ``settings`` of the model that the data leave
        possible: under each the smallest of three bounds. It may be looked at after every trial and used to stop.
    tail_sum, pairwise, tree, lemma
        The three, averaged, and the bound of the paper's key lemma, for comparison.
    simulated
        The mean regret over joint draws, with its error: what the bound would be if nothing were lost in proving it.
        None where no draws were asked for.
    settings, unsure
        How many settings there are, and the share of the bound that comes from not knowing which is right: by so much
        it is above that of the median setting.
    eps, exceeds
        Upper bound on the probability that the regret is more than ``eps``; None where no eps was given.
    best
        Probability that the recommendation is the best candidate, by joint draws; None where there were none.
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
    tree: float
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
    simulated: SimulatedRegret | None = None
    settings: int = 1
    unsure: float = 0.0

    def beside(self) -> str:
        """What joint draws say beside the bound, and how much of it comes from not knowing the model."""
        found = []
        if self.best is not None:
            found.append(f"best with probability {chance_words(self.best.estimate)}")
        if self.simulated is not None:
            found.append(f"simulated regret {amount(self.simulated.estimate, self.objective)}")
        return "; ".join([*found, *self.unsure_words])

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = named(self.row, self.params, row_name)
        text = f"Under the {self.model} model{self.rests_on}, recommending {what} costs {self.cost} in expectation"
        text += "." if self.exact else " (an estimate: a dense sample stands for the space)."
        return text + limits_unused(self.limits, self.limits_hold)

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        data = Certified.to_data(self)
        trust = data.pop("trust")
        best, simulated = data.pop("best"), data.pop("simulated")
        return {
            **data,
            "best": None if best is None else asdict(best),
            "simulated": None if simulated is None else asdict(simulated),
            "trust": trust,
        }


def limits_unused(limits: Given | None, hold: bool) -> str:
    """A sentence for limits that the results contradict, nothing for others."""
    return "" if hold else f" The limits ({as_limits(limits)}) were not used: the results contradict them."


def named(row: Any, params: Mapping[str, Any], row_name: str) -> str:
    """A row by its id, or a point by its values."""
    if row is not None:
        return f"{row_name} {row}"
    values = (
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in params.items()
    )
    return "(" + ", ".join(values) + ")"


def chance_words(p: float) -> str:
    """Two digits, and no certainty that rounding made.

    >>> chance_words(0.9996), chance_words(0.4), chance_words(0.0)
    ('above 0.999', '0.4', 'below 0.001')
    """
    if p < 0.001:
        return "below 0.001"
    return "above 0.999" if p > 0.999 else f"{p:.2g}" if p < 0.99 else f"{p:.3f}"
