"""What a rule sees, and what it returns.

A rule draws everything random first (``draw``) and hands back a `Score`: a deterministic map from points to numbers,
to be maximised. Values are those of the model (standardised, maximised).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp import BlockPosterior, Expansion, Posterior, TablePosterior
from regretless.linalg import Factor
from regretless.risk import Aim
from regretless.spaces import Point, Scenarios

__all__ = ["Ascent", "Climb", "Formula", "MomentScore", "Rule", "Score", "View"]

#: (X, start numbers) -> (values, gradients): one batched evaluation of an ascent from many starts.
Ascent: TypeAlias = Callable[[Floats, npt.NDArray[np.intp]], tuple[Floats, Floats]]
#: (ascent, starts) -> (points, values): where each ascent ends.
Climb: TypeAlias = Callable[[Ascent, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True)
class View:
    """The posterior over the candidates, as a rule sees it.

    On a table ``X`` is every candidate. On a box it is a candidate set: a dense sample with the best observed points
    and their surroundings, on which thresholds and maxima of paths are computed and from which the search climbs.
    """

    posterior: Posterior
    X: Floats  # (N, d) candidates
    mean: Floats  # (N,)
    sd: Floats  # (N,)
    told: Floats  # (k, d) candidates with a measured value, or pending, which count at their posterior mean
    best_told: float  # the largest measured value of a candidate
    n_levels: tuple[int, ...]
    climb: Climb | None = None  # boxes: ascent from candidates
    table: TablePosterior | None = None  # set where X is the whole space
    # Table: candidate index of each observation of the posterior, those of told first; negative for data of no row.
    observed: npt.NDArray[np.intp] | None = None
    prior_factor: Callable[[], Factor] | None = None  # table: for exact draws
    level: float | None = None  # where the goal is a level set: the level, in the units of the model
    blocks: BlockPosterior | None = None  # a table too long to be seen as a whole: X, mean and sd are empty
    scenarios: Scenarios | None = None  # where a decision is measured in environments: which, and what it is worth
    aim: Aim | None = None
    expansion: Expansion | None = None  # the inverse of compression, where values are summed over environments

    @property
    def dim(self) -> int:
        """Columns of an encoded point."""
        return int(self.X.shape[1])

    def mean_at_told(self) -> Floats:
        """Posterior mean at the points of ``told``."""
        return self.posterior.mean(self.told) if self.observed is None else self.mean[self.told_rows]

    @property
    def told_rows(self) -> npt.NDArray[np.intp]:
        """Table: candidate index of each point of ``told``."""
        assert self.observed is not None
        return self.observed[self.observed >= 0][: len(self.told)]

    def moments_at(self, point: Point) -> tuple[float, float]:
        """Posterior mean and sd at one point."""
        if self.blocks is not None and point.index is not None:
            return self.blocks.moments_at(point.index)
        if self.table is not None and point.index is not None:
            return float(self.mean[point.index]), float(self.sd[point.index])
        mean, sd = self.posterior.mean_sd(point.x[None, :])
        return float(mean[0]), float(sd[0])

    @property
    def n_candidates(self) -> int | None:
        """N where the space is finite and known, otherwise None."""
        if self.blocks is not None:
            return len(self.blocks.codes)
        return None if self.table is None else len(self.X)


class Score(Protocol):
    """A deterministic map from points to numbers; ``record`` says what was drawn for it."""

    @property
    def record(self) -> Mapping[str, float]:
        """Numbers that explain the suggestion, such as zeta."""
        ...

    def on(self, view: View) -> Floats:
        """The score of every candidate of the view it was drawn for, shape (N,)."""
        ...

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X, shape (m,)."""
        ...

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The score and its gradient at the rows of X, shapes (m,) and (m, d)."""
        ...


class Formula(Protocol):
    """A score that depends on a point through its posterior mean and sd only."""

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The score."""
        ...

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats | float, Floats | float]:
        """Its derivatives with respect to the mean and the sd."""
        ...


@dataclass(frozen=True, slots=True)
class MomentScore:
    """A `Formula` of a posterior, with the chain rule done."""

    posterior: Posterior
    formula: Formula
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, view: View) -> Floats:
        """The score of every candidate, from moments already known."""
        return self.formula.value(view.mean, view.sd)

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X."""
        return self.formula.value(*self.posterior.mean_sd(X))

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The score and its gradient at the rows of X."""
        mean, sd, pull = self.posterior.mean_sd_pull(X)
        return self.formula.value(mean, sd), pull(*self.formula.slopes(mean, sd))


class Rule(ABC):
    """How the next point is chosen. A rule of your own derives from this class and defines ``name`` and ``draw``."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    def blockwise(self) -> bool:
        """Whether its scores grow with mean and sd, and can be bounded where these are out of date.

        They are then `MomentScore` of a `regretless.gp.blocks.Monotone`, and the argmax over a huge table need not look
        at every row.
        """
        return False

    @abstractmethod
    def draw(self, view: View, t: int, rng: np.random.Generator) -> Score:
        """Draw what is random, for the paper's iteration ``t`` = 1, 2, ..., and return the score to maximise."""
