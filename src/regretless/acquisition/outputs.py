"""Rules for several outcomes: what they see, and what they return.

As for one outcome, a rule draws everything random first and hands back a score, a deterministic map from points to
numbers. Every objective is maximised, and a constraint holds where its outcome is at most its threshold. Values are
those of each outcome's model.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from regretless.acquisition.base import Formula, View
from regretless.acquisition.cascade import Cascade
from regretless.acquisition.ucb import BOX_SHIFT
from regretless.arrays import Floats, show
from regretless.confidence import Interleaved, Law, ShiftedExponential
from regretless.confidence.schedules import EVERY
from regretless.errors import InvalidInput
from regretless.gp import Posterior
from regretless.pareto import non_dominated

__all__ = [
    "EVERY_SIXTH",
    "Edged",
    "JointFormula",
    "JointMomentScore",
    "JointRule",
    "JointScore",
    "JointUCB",
    "OfFirst",
    "Outer",
    "Outputs",
]

#: With several outcomes every sixth step is the theorem's. Chosen on benchmarks (ADR 52), not by a theorem.
EVERY_SIXTH = 6
#: A noise variance of this share of the signal's is noise; less is what a fit leaves where there is none.
_NOISY = 1e-5


@dataclass(frozen=True, slots=True)
class Outer:
    """A known function of measured outcomes, to be maximised: (..., K) in the units of their models -> (...).

    ``signs`` where it is monotone in each outcome: 1 where it does not fall, -1 where it does not rise.
    """

    function: Callable[[Floats], Floats]
    signs: Floats | None = None  # (K,)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a rule for several outcomes sees: one View per outcome, all on the same candidates X."""

    views: tuple[View, ...]  # objectives first (each maximised), then constraints
    n_objectives: int
    thresholds: tuple[float, ...] = ()  # one per constraint, in its model's units: it holds where g_j(x) <= threshold_j
    reference: Floats | None = None  # of the objectives, in their models' units; None where there is one objective
    outer: Outer | None = None  # the objective, first of the views, is this function of all others
    cascade: Cascade | None = None  # the objective, the only view, is that of these stages

    def __post_init__(self) -> None:
        K, J = self.n_objectives, len(self.thresholds)
        if self.outer is not None:
            if len(self.views) < 2 or K != 1 or J:
                raise InvalidInput("a composite objective is one objective with views of its parts, and nothing else.")
            return
        if K < 1 or len(self.views) != K + J:
            raise InvalidInput(f"{K} objectives and {J} constraints need as many views, got {len(self.views)}.")
        if K > 1 and (self.reference is None or np.shape(self.reference) != (K,)):
            raise InvalidInput(f"{K} objectives need a reference point of {K} numbers, got {show(self.reference)}.")

    @property
    def n_constraints(self) -> int:
        """Number of outcomes with a threshold."""
        return len(self.thresholds)

    @property
    def n_candidates(self) -> int | None:
        """N where the space is finite and known, otherwise None."""
        return self.views[0].n_candidates

    @property
    def mean(self) -> Floats:
        """Posterior means of all outcomes on the candidates, (N, m)."""
        return np.column_stack([view.mean for view in self.views])

    @property
    def sd(self) -> Floats:
        """Posterior standard deviations of all outcomes on the candidates, (N, m)."""
        return np.column_stack([view.sd for view in self.views])

    @property
    def posteriors(self) -> tuple[Posterior, ...]:
        """The posterior of each outcome."""
        return tuple(view.posterior for view in self.views)

    @property
    def scales(self) -> Floats:
        """Prior standard deviation of each constraint's outcome, (J,)."""
        priors = [view.posterior.kernel.signal_var for view in self.views[self.n_objectives :]]
        return np.sqrt(np.array(priors, dtype=np.float64))

    @property
    def noise_var(self) -> Floats:
        """Noise variance of each constraint's outcome where that is more than rounding, (J,)."""
        posteriors = self.posteriors[self.n_objectives :]
        shares = np.array([posterior.noise_var / posterior.kernel.signal_var for posterior in posteriors])
        return np.where(shares >= _NOISY, [posterior.noise_var for posterior in posteriors], 0.0)

    def front_of_means(self) -> Floats:
        """Pareto front of the objectives' means, over the candidates whose constraints hold at their means.

        Over all candidates where there are no such.
        """
        mean = self.mean
        K = self.n_objectives
        holds = (mean[:, K:] <= np.array(self.thresholds)).all(axis=1)
        Y = mean[holds, :K] if holds.any() else mean[:, :K]
        return np.unique(Y[non_dominated(Y)], axis=0)

    def means_at_told(self) -> Floats:
        """Means of all outcomes at the points where an objective is measured or pending, (k, m)."""
        objectives = self.views[: self.n_objectives]
        if objectives[0].observed is not None:
            rows = np.concatenate([view.told_rows for view in objectives])
            found: Floats = self.mean[rows if len(objectives) == 1 else np.unique(rows)]
            return found
        told = np.vstack([view.told for view in objectives])
        if len(objectives) > 1:
            told = np.unique(told, axis=0)
        return np.column_stack([view.posterior.mean(told) for view in self.views])

    def ranges(self, front: Floats) -> Floats:
        """Width of the front in each objective, (K,); where it has none, that of all means, or else 1."""
        everywhere = np.ptp(self.mean[:, : self.n_objectives], axis=0)
        return _first_positive(np.ptp(front, axis=0), everywhere)


def _first_positive(one: Floats, other: Floats) -> Floats:
    tiny = np.finfo(np.float64).tiny  # a quotient by less is not finite
    return np.where(one > tiny, one, np.where(other > tiny, other, 1.0))


#: x -> (aim, its gradient, what is missing to each edge, the gradients of that), shapes (), (d,), (J,), (J, d).
Edged: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats, Floats]]


class JointScore(Protocol):
    """A deterministic map from points to numbers; ``record`` says what was drawn for it."""

    @property
    def record(self) -> Mapping[str, float]:
        """Numbers that explain the suggestion, such as zeta."""
        ...

    def on(self, outputs: Outputs) -> Floats:
        """The score of every candidate of the outputs it was drawn for, shape (N,)."""
        ...

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X, shape (m,)."""
        ...

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The score and its gradient at the rows of X, shapes (m,) and (m, d)."""
        ...

    @property
    def edges(self) -> Edged | None:
        """Aim and edges, where the score is the largest aim inside a set; None otherwise."""
        ...


class JointFormula(Protocol):
    """A score that depends on a point through the means and sds of its outcomes, one column each."""

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The score, (N,)."""
        ...

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """Its derivatives with respect to the means and the sds, (N, m) each."""
        ...


@dataclass(frozen=True, slots=True)
class OfFirst:
    """A formula of the first outcome alone."""

    formula: Formula

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """Its value."""
        return self.formula.value(mean[:, 0], sd[:, 0])

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """Its slopes, and zeros for the other outcomes."""
        by_mean, by_sd = np.zeros_like(mean), np.zeros_like(sd)
        by_mean[:, 0], by_sd[:, 0] = self.formula.slopes(mean[:, 0], sd[:, 0])
        return by_mean, by_sd


@dataclass(frozen=True, slots=True)
class JointMomentScore:
    """A `JointFormula` of several posteriors, with the chain rule done: a sum over the outcomes."""

    posteriors: tuple[Posterior, ...]
    formula: JointFormula
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:
        """The score of every candidate, from moments already known."""
        return self.formula.value(outputs.mean, outputs.sd)

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X."""
        moments = [posterior.mean_sd(X) for posterior in self.posteriors]
        return self.formula.value(*(np.column_stack(columns) for columns in zip(*moments, strict=True)))

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The score and its gradient at the rows of X."""
        means, sds, pulls = zip(*(posterior.mean_sd_pull(X) for posterior in self.posteriors), strict=True)
        mean, sd = np.column_stack(means), np.column_stack(sds)
        by_mean, by_sd = self.formula.slopes(mean, sd)
        gradient = pulls[0](by_mean[:, 0], by_sd[:, 0])
        for k, pull in enumerate(pulls[1:], start=1):
            if by_mean[:, k].any() or by_sd[:, k].any():  # a constraint that does not bind costs nothing
                gradient = gradient + pull(by_mean[:, k], by_sd[:, k])
        return self.formula.value(mean, sd), gradient

    @property
    def edges(self) -> Edged | None:
        """None: it is defined everywhere."""
        return None


class JointRule(ABC):
    """How the next point is chosen where there are several outcomes."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    def blockwise(self) -> bool:
        """False: see `Rule.blockwise`."""
        return False

    @abstractmethod
    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointScore:
        """Draw what is random, for the iteration ``t`` = 1, 2, ..., and return the score to maximise."""

    def check_one_objective(self, outputs: Outputs) -> None:
        """Refuse several objectives."""
        if outputs.n_objectives > 1:
            raise InvalidInput(
                f"{self.name} has one objective, got {outputs.n_objectives}. For several, with or without constraints, "
                "use 'chebyshev' or 'hvi'."
            )


@dataclass(frozen=True, slots=True)
class JointUCB(JointRule):
    """A rule that draws one zeta (squared: ``mean + sqrt(zeta) * sd``) for all outcomes of a suggestion.

    Without a ``law`` zeta is s + Exp(rate 1/2), with s = 0 but at every so many steps: there it is that of the theorem
    on a table, ``events_each`` events per candidate, and `BOX_SHIFT` elsewhere.
    """

    law: Law | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.law is not None and not hasattr(self.law, "draw"):
            raise InvalidInput(f"{self.name}: law must be a law of zeta such as TightUnion(200), got {show(self.law)}.")

    def period(self, outputs: Outputs) -> int:  # noqa: ARG002
        """Steps from one with the theorem's shift to the next, where no law is given."""
        return EVERY

    def events_each(self, outputs: Outputs) -> int:  # noqa: ARG002
        """One-sided events per candidate that the theorem is about."""
        return 1

    def law_for(self, outputs: Outputs) -> Law:
        """The law of zeta."""
        if self.law is not None:
            return self.law
        if outputs.n_candidates is None:
            return ShiftedExponential(Interleaved(BOX_SHIFT, self.period(outputs)))
        events = outputs.n_candidates * self.events_each(outputs)
        return ShiftedExponential.for_events(events, every=self.period(outputs))

    def draw_zeta(self, outputs: Outputs, t: int, rng: np.random.Generator) -> float:
        """One draw of zeta a suggestion."""
        zeta = float(self.law_for(outputs).draw(t, rng))
        if not 0.0 <= zeta < math.inf:
            raise InvalidInput(f"{self.name}: a law must draw a finite zeta >= 0, got {zeta} from {self.law!r}.")
        return zeta
