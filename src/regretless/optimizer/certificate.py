"""How much regret is left, in the user's units and in one sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias

from regretless.optimizer.limits import Given, as_limits
from regretless.optimizer.notebook import Shown
from regretless.optimizer.wording import amount, rounded
from regretless.theory import BestProbability, Calibration, SimulatedRegret

__all__ = [
    "Certificate",
    "Certified",
    "CompositeRegret",
    "FeasibleRegret",
    "FrontRegret",
    "RegionLoss",
    "RobustRegret",
]


@dataclass(frozen=True, slots=True)
class Certificate(Shown):
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

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        return _with_trust(self.promise(), self.trust)

    def beside(self) -> str:
        """What joint draws say beside the bound, and how much of it comes from not knowing the model."""
        found = []
        if self.best is not None:
            found.append(f"best with probability {_probability(self.best.estimate)}")
        if self.simulated is not None:
            found.append(f"simulated regret {amount(self.simulated.estimate, self.objective)}")
        return "; ".join([*found, *_unsure(self)])

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = _named(self.row, self.params, row_name)
        text = f"Under the {self.model} model{_rests_on(self)}, recommending {what} costs {self.cost} in expectation"
        text += "." if self.exact else " (an estimate: a dense sample stands for the space)."
        return text + _not_used(self.limits, self.limits_hold)

    @property
    def cost(self) -> str:
        """The bound in words, such as ``at most 4.2 percentage points of yield``."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)}"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        left_out = ("params", "best", "simulated", "trust")
        names = [part.name for part in fields(self) if part.name not in left_out]
        best = None if self.best is None else asdict(self.best)
        simulated = None if self.simulated is None else asdict(self.simulated)
        return {
            "params": dict(self.params),
            **{name: getattr(self, name) for name in names},
            "sentence": self.sentence,
            "best": best,
            "simulated": simulated,
            "trust": {"light": self.trust.light, "message": self.trust.message},
        }

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class FeasibleRegret(Shown):
    """An upper bound on what recommending a point costs against the best feasible candidate, in the user's units.

    Attributes
    ----------
    params, row
        What is recommended: the best mean among candidates that are feasible with probability ``1 - risk``.
    expected
        Mean and sd of every outcome there, by name, under the models of the certificate.
    prob_feasible, qualified
        The probability that all constraints hold there, and whether it is at least ``1 - risk``. Where no candidate
        qualifies, the one that is most probably feasible is named.
    violation
        The expected excess over each bound there, by name.
    fallback, fallback_given
        What is to be had without any candidate: as given, or else the worst result so far.
    gain
        Upper bound on what the best feasible candidate is expected to be above the fallback.
    bound
        Upper bound on the expected distance from the objective at the recommendation to the best feasible candidate or
        the fallback, whichever is better: the smaller of ``tail_sum`` and ``pairwise``.
    exact, trust, objective, model, used, told, limits, limits_hold
        As for `Certificate`; the light is that of the outcome whose model is trusted least.
    """

    params: Mapping[str, Any]
    row: Any
    expected: Mapping[str, tuple[float, float]]
    prob_feasible: float
    qualified: bool
    risk: float
    violation: Mapping[str, float]
    fallback: float
    fallback_given: bool
    gain: float
    bound: float
    tail_sum: float
    pairwise: float
    exact: bool
    trust: Calibration
    objective: str
    wanted: tuple[str, ...]
    model: Literal["fitted", "given"]
    used: int
    told: int
    limits: Given | None = None
    limits_hold: bool = True
    settings: int = 1
    unsure: float = 0.0

    def beside(self) -> str:
        """How much of the bound comes from not knowing the model."""
        return "; ".join(_unsure(self))

    @property
    def mean(self) -> float:
        """The expected objective there."""
        return self.expected[self.objective][0]

    @property
    def sd(self) -> float:
        """The sd of the objective there."""
        return self.expected[self.objective][1]

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        return _with_trust(self.promise(), self.trust)

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = _named(self.row, self.params, row_name)
        chance = f"{_probability(self.prob_feasible)} ({', '.join(self.wanted)})"
        if not self.qualified:
            level = _probability(1.0 - self.risk)
            return (
                f"Under the {self.model} models{_rests_on(self)}, no candidate is feasible with probability {level} "
                f"yet; {what} is the most probable one, with {chance}. The best feasible candidate is expected to gain "
                f"at most {amount(self.gain, self.objective)} over {self._fallback()}."
                f"{_not_used(self.limits, self.limits_hold)}"
            )
        text = (
            f"Under the {self.model} models{_rests_on(self)}, {what} is feasible with probability {chance}, and "
            f"recommending it costs {self.cost} in expectation, against the best feasible candidate"
        )
        text += "." if self.exact else " (an estimate: a dense sample stands for the space)."
        return text + _not_used(self.limits, self.limits_hold)

    @property
    def cost(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)}"

    def _fallback(self) -> str:
        return f"{'the fallback' if self.fallback_given else 'the worst result so far'}, {rounded(self.fallback)}"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        return _data(self, left_out=("params", "trust"), params=dict(self.params))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class FrontRegret(Shown):
    """What a recommended Pareto set misses at most, in expectation, given the data.

    Attributes
    ----------
    rows, params, expected
        What is recommended, point by point: ids of rows, parameters, and mean and sd of every outcome by name.
    epsilon, ranges
        Every candidate is within ``epsilon`` of a recommended point in all objectives at once, each counted in widths
        of the recommended front, ``ranges``: an upper bound on its expectation.
    hypervolume
        Of the expected values of the recommended points, above the reference point, in the units of the objectives.
    hypervolume_left
        Upper bound on the expected hypervolume that the recommended points miss.
    reference
        The reference point, by objective.
    limits, contradicted
        What objectives cannot leave, by name, None where nothing is known; and those whose limits were not used, as the
        data contradict them.
    exact, trust, model, used, told
        As for `Certificate`; the light is that of the outcome whose model is trusted least.
    """

    rows: tuple[Any, ...]
    params: tuple[Mapping[str, Any], ...]
    expected: tuple[Mapping[str, tuple[float, float]], ...]
    epsilon: float
    ranges: Mapping[str, float]
    hypervolume: float
    hypervolume_left: float
    reference: Mapping[str, float]
    exact: bool
    trust: Calibration
    objectives: tuple[str, ...]
    model: Literal["fitted", "given"]
    used: int
    told: int
    limits: Mapping[str, Given] | None = None
    contradicted: tuple[str, ...] = ()
    settings: int = 1
    unsure: float = 0.0

    def beside(self) -> str:
        """How much of the bound comes from not knowing the model."""
        return "; ".join(_unsure(self))

    @property
    def bound(self) -> float:
        """What `Regret` looks at: the additive epsilon, in widths of the front."""
        return self.epsilon

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        return _with_trust(self.promise(), self.trust)

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        n, of_rows = len(self.params), self.rows[0] is not None
        ignored = "".join(
            f" The limits of {name} ({as_limits(limits)}) were not used: the results contradict them."
            for name, limits in (self.limits or {}).items()
            if name in self.contradicted
        )
        what = f"{row_name}{'s' if n > 1 else ''}" if of_rows else f"point{'s' if n > 1 else ''}"
        return (
            f"Under the {self.model} models{_rests_on(self)}, the {n} recommended {what} miss{'' if n > 1 else 'es'} "
            f"{self.cost} in expectation; every other candidate is within {100.0 * self.epsilon:.3g} % of the front's "
            f"width of one of them, in all objectives at once"
            + ("." if self.exact else " (estimates: a dense sample stands for the space).")
            + ignored
        )

    @property
    def cost(self) -> str:
        """The hypervolume left in words."""
        share = f" ({100.0 * self.hypervolume_left / self.hypervolume:.3g} %)" if self.hypervolume > 0.0 else ""
        most = "at most" if self.exact else "about"
        return f"{most} {rounded(self.hypervolume_left)} of hypervolume{share}"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        return _data(self, left_out=("trust",))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class RegionLoss(Shown):
    """What a classification of all candidates by a level gets wrong, in expectation, given the data.

    Attributes
    ----------
    inside, candidates
        How many of how many candidates are taken to reach the level. Elsewhere than on a list these are points that
        stand for the space.
    wrong
        The expected number of candidates on the wrong side, exactly, averaged over the settings of the model.
    mean_loss, worst_loss
        The loss of a candidate is its distance from the level if it is on the wrong side, else 0: the expected mean
        over all candidates, exactly, and an upper bound on the expected loss of the worst one.
    above, below
        The level; one of them is None.
    exact, trust, objective, model, used, told, settings, unsure
        As for `Certificate`.
    """

    inside: int
    candidates: int
    wrong: float
    mean_loss: float
    worst_loss: float
    above: float | None
    below: float | None
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    settings: int = 1
    unsure: float = 0.0
    limits: None = None
    limits_hold: bool = True

    @property
    def share(self) -> float:
        """The expected share of candidates on the wrong side."""
        return self.wrong / self.candidates

    @property
    def all_right(self) -> float:
        """Lower bound on the probability that every candidate is on the right side."""
        return max(0.0, 1.0 - self.wrong)

    @property
    def bound(self) -> float:
        """What is drawn: the expected number wrong; where candidates only stand for the space, their share."""
        return self.wrong if self.exact else self.share

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        return _with_trust(self.promise(), self.trust)

    def beside(self) -> str:
        """The losses, the probability that all is right, and what comes from not knowing the model."""
        name = self.objective
        worst = f"worst loss at most {amount(self.worst_loss, name)}" if self.exact else ""
        right = f"all right with probability at least {self.all_right:.2g}" if self.exact and self.wrong < 1.0 else ""
        mean = f"mean loss {amount(self.mean_loss, name)}"
        return "; ".join(part for part in (mean, worst, right, *_unsure(self)) if part)

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        side = f"at least {self.above:g}" if self.above is not None else f"at most {self.below:g}"
        head = f"Under the {self.model} model{_rests_on(self)}, "
        if not self.exact:
            taken = 100.0 * self.inside / self.candidates
            return (
                f"{head}{taken:.3g} % of the space have {self.objective} {side}; {self.cost} in expectation "
                "(estimates: a dense sample stands for the space)."
            )
        rows = f"{row_name}s" if self.candidates > 1 else row_name
        return (
            f"{head}{self.inside} of {self.candidates} {rows} have {self.objective} {side}; {self.cost} in expectation."
        )

    @property
    def cost(self) -> str:
        """What is wrong, in words."""
        if self.exact:
            return f"{rounded(self.wrong)} of them {'are' if self.wrong > 1.0 else 'is'} on the wrong side"
        return f"{100.0 * self.share:.3g} % of it are on the wrong side"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        return _data(self, left_out=("trust", "limits", "limits_hold"))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class RobustRegret(Shown):
    """An upper bound on what a decision loses against the best one, by an aim over environments, in the user's units.

    It is for the worst case, a set of weights, CVaR and the mean less the standard deviation. The mean over
    environments has a `Certificate`, which is sharper: it is a Gaussian process itself.

    Attributes
    ----------
    params, row
        The decision.
    worth, best
        What it is expected to be worth, at least, and what the best decision is expected to be worth, at most, averaged
        over the settings of the model; of what is minimised the other way round.
    bound
        Upper bound on the expected regret: under each setting the difference of the two, averaged with care. It does
        not vanish before the worth of the decision itself is known.
    aim
        What a decision is worth, in words.
    exact, trust, objective, model, used, told, settings, unsure
        As for `Certificate`.
    """

    params: Mapping[str, Any]
    row: Any
    worth: float
    best: float
    bound: float
    aim: str
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    settings: int = 1
    unsure: float = 0.0
    limits: None = None
    limits_hold: bool = True

    @property
    def mean(self) -> float:
        """What the decision is expected to be worth, at least."""
        return self.worth

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        return _with_trust(self.promise(), self.trust)

    def beside(self) -> str:
        """What the bound is made of, and how much of it comes from not knowing the model."""
        worth, best = (amount(abs(value), self.objective) for value in (self.worth, self.best))
        signs = ["-" if value < 0.0 else "" for value in (self.worth, self.best)]
        said = f"expected worth {signs[0]}{worth}, of the best decision {signs[1]}{best}, as far as can be proved"
        return "; ".join([said, *_unsure(self)])

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = _named(self.row, self.params, row_name)
        text = f"Under the {self.model} model{_rests_on(self)}, recommending {what} costs {self.cost} in expectation"
        return text + ("." if self.exact else " (an estimate: a dense sample stands for the space).")

    @property
    def cost(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)} ({self.aim})"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        return _data(self, left_out=("trust", "limits", "limits_hold"))

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class CompositeRegret(Shown):
    """What recommending a point costs against the best value of a composite objective, in the user's units.

    Attributes
    ----------
    params, row, mean, sd
        What is recommended, and mean and sd of the objective there, by draws.
    bound, error
        An upper bound on the expected regret given the data, whatever the function, estimated by draws from the models
        of the measured outcomes; and the standard error of that estimate.
    exact
        True where every candidate was counted (a table); False where a sample stands for the space.
    trust, objective, model, used, told
        As for `Certificate`; the light is that of the outcome whose model is trusted least.
    """

    params: Mapping[str, Any]
    row: Any
    mean: float
    sd: float
    bound: float
    error: float
    exact: bool
    trust: Calibration
    objective: str
    model: Literal["fitted", "given"]
    used: int
    told: int
    settings: int = 1
    unsure: float = 0.0
    limits: None = None
    limits_hold: bool = True

    @property
    def sentence(self) -> str:
        """The bound in a sentence, with its assumption, and whether the data contradict that."""
        return _with_trust(self.promise(), self.trust)

    def beside(self) -> str:
        """How far the draws may be off."""
        return f"by draws, with a standard error of {rounded(self.error)}"

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = _named(self.row, self.params, row_name)
        text = f"Under the {self.model} models{_rests_on(self)}, recommending {what} costs {self.cost} in expectation"
        return text + (" (by draws)." if self.exact else " (an estimate by draws: a sample stands for the space).")

    @property
    def cost(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.exact else 'about'} {amount(self.bound, self.objective)}"

    def to_data(self) -> dict[str, Any]:
        """As plain JSON, for the record."""
        return _data(self, left_out=("trust", "params", "limits", "limits_hold"), params=dict(self.params))

    def __str__(self) -> str:
        return self.sentence


#: A certificate of any kind.
Certified: TypeAlias = Certificate | FeasibleRegret | FrontRegret | RegionLoss | RobustRegret | CompositeRegret


def _with_trust(promise: str, trust: Calibration) -> str:
    return f"{promise} {trust.message}" if trust.light in ("amber", "red", "too few data") else promise


def _unsure(left: Certified) -> list[str]:
    return [f"{100.0 * left.unsure:.0f} % of the bound from not knowing the model"] if left.settings > 1 else []


def _rests_on(left: Certified) -> str:
    return "" if left.used == left.told else f" of {left.used} of the {left.told} results"


def _not_used(limits: Given | None, hold: bool) -> str:
    return "" if hold else f" The limits ({as_limits(limits)}) were not used: the results contradict them."


def _named(row: Any, params: Mapping[str, Any], row_name: str) -> str:
    return f"{row_name} {row}" if row is not None else _point(params)


def _probability(p: float) -> str:
    """Two digits, and no certainty that rounding made.

    >>> _probability(0.9996), _probability(0.4), _probability(0.0)
    ('above 0.999', '0.4', 'below 0.001')
    """
    if p < 0.001:
        return "below 0.001"
    return "above 0.999" if p > 0.999 else f"{p:.2g}" if p < 0.99 else f"{p:.3f}"


def _data(
    left: "FeasibleRegret | FrontRegret | RegionLoss | RobustRegret | CompositeRegret",
    left_out: tuple[str, ...],
    **more: Any,
) -> dict[str, Any]:
    named = {part.name: getattr(left, part.name) for part in fields(left) if part.name not in left_out}
    trust = {"light": left.trust.light, "message": left.trust.message}
    return {**more, **named, "sentence": left.sentence, "trust": trust}


def _point(params: Mapping[str, Any]) -> str:
    values = (
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in params.items()
    )
    return "(" + ", ".join(values) + ")"
