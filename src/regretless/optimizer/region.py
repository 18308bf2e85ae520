"""Level sets: which candidates reach the level, with what probability, and how many are misclassified."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from regretless.acquisition import RandomStraddle, Rule
from regretless.arrays import Floats, as_finite_float
from regretless.errors import InvalidInput
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.certificate import Certified
from regretless.optimizer.goal import Asked, Goal
from regretless.optimizer.history import History
from regretless.optimizer.model import told_key
from regretless.optimizer.proof import finite_only, refuse_infinite
from regretless.optimizer.state import State
from regretless.optimizer.task import Task
from regretless.optimizer.trust import footing
from regretless.optimizer.wording import amount, rounded
from regretless.rng import Purpose, stream
from regretless.search import dense_sample
from regretless.spaces import Point
from regretless.theory import Calibration, careful_mean, misclassification, share_unsure

__all__ = ["Classified", "LevelSet", "RegionLoss", "classify", "everywhere"]

#: Points that represent a space that is not a list.
_DENSE = 2000


@dataclass(frozen=True, slots=True)
class LevelSet(Goal):
    """The goal of knowing which candidates reach a level, in place of finding the best one.

    ``above`` asks for those with at least that value, ``below`` for those with at most that; one of them is given, in
    the units of the objective.

    >>> LevelSet(above=80).words("yield")
    'yield >= 80'
    """

    rules: ClassVar[tuple[type[Rule], ...]] = (RandomStraddle,)
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        if (self.above is None) == (self.below is None):
            raise InvalidInput("LevelSet needs either above= or below=, a level in the units of the objective.")
        name = "below" if self.above is None else "above"
        object.__setattr__(self, name, as_finite_float(getattr(self, name), name) + 0.0)

    @property
    def direction(self) -> Literal["maximize", "minimize"]:
        """Into the set."""
        return "maximize" if self.below is None else "minimize"

    @property
    def level(self) -> float:
        """The level, in the user's units."""
        found = self.below if self.above is None else self.above
        assert found is not None
        return found

    def worth(self, value: float) -> float:
        """How far inside the set, or nearest to it."""
        return value if self.below is None else -value

    def holds(self, value: float) -> bool:
        """Whether a value reaches the level.

        >>> LevelSet(below=3).holds(2.5)
        True
        """
        return value >= self.level if self.below is None else value <= self.level

    def words(self, objective: str) -> str:
        """The goal in words."""
        return f"{objective} {'<=' if self.above is None else '>='} {self.level:g}"

    def recommend(self, task: Task, history: History, state: State) -> "Classified":
        """All candidates, each by the probability that it reaches the level."""
        return recommend_region(task, history, state)

    def is_own_choice(self, task: Task, state: State) -> bool:  # noqa: ARG002
        """The belief of the certificate classifies."""
        return True

    def certify(self, task: Task, history: History, state: State, chosen: Any, asked: Asked) -> "RegionLoss":
        """How many are on the wrong side."""
        assert chosen is None
        asked.refuse()
        return certify_region(task, history, state, self)


@dataclass(frozen=True, slots=True)
class Classified:
    """Points, with the probability that each reaches the level; ``listed`` if they are all candidates of a list.

    A point is taken to be inside where that is at least an even chance: no other answer is wrong less often.
    """

    X: Floats
    probability: Floats  # (N,)
    listed: bool

    @property
    def inside(self) -> npt.NDArray[np.bool_]:
        """Which are taken to reach the level."""
        found: npt.NDArray[np.bool_] = self.probability >= 0.5
        return found


@dataclass(frozen=True, slots=True)
class RegionLoss(Certified):
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

    @property
    def share(self) -> float:
        """The expected share of candidates on the wrong side."""
        return self.wrong / self.candidates

    @property
    def all_right(self) -> float:
        """Lower bound on the probability that every candidate is on the right side."""
        return max(0.0, 1.0 - self.wrong)

    @property
    def bound(self) -> float:  # type: ignore[override]  # computed, and frozen as the field is
        """What is drawn: the expected number wrong; where candidates only stand for the space, their share."""
        return self.wrong if self.exact else self.share

    def beside(self) -> str:
        """The losses, the probability that all is right, and what comes from not knowing the model."""
        name = self.objective
        worst = f"worst loss at most {amount(self.worst_loss, name)}" if self.exact else ""
        right = f"all right with probability at least {self.all_right:.2g}" if self.exact and self.wrong < 1.0 else ""
        mean = f"mean loss {amount(self.mean_loss, name)}"
        return "; ".join(part for part in (mean, worst, right, *self.unsure_words) if part)

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        side = f"at least {self.above:g}" if self.above is not None else f"at most {self.below:g}"
        head = f"Under the {self.model} model{self.rests_on}, "
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


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Candidates of a list, or points that stand for the space, and f there under each setting of the model."""

    X: Floats  # (N, d)
    mean: Floats  # (settings, N), in the units of the model, as sd
    sd: Floats
    listed: bool  # whether X are all candidates
    allowed: npt.NDArray[np.bool_]  # (N,) which count: not those that are excluded, unless all are

    def point(self, i: int) -> Point:
        """The point of row ``i``."""
        return Point(self.X[i], i if self.listed else None)


def everywhere(task: Task, history: History, state: State) -> Everywhere:
    """What is believed of the one outcome of a task, at every candidate. ``state`` has been doubted."""
    belief, X = state.doubted(), task.domain.candidates
    if X is None:
        X = dense_sample(task.domain, _DENSE, stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE))
        settings, allowed = belief.at(X), np.ones(len(X), dtype=np.bool_)
    else:
        settings, allowed = belief.on_table(X), history.allowed(len(X))
    mean, sd = np.array([each.mean for each in settings]), np.array([each.sd for each in settings])
    counted = allowed if allowed.any() else np.ones_like(allowed)
    return Everywhere(X, mean, sd, task.domain.candidates is not None, counted)


def classify(task: Task, belief: Averaged, X: Floats, index: npt.NDArray[np.intp]) -> Floats:
    """The probability that f reaches the level, averaged over the settings, at encoded points: ``(N,)``.

    ``index`` are the numbers of those points that are candidates of a list.
    """
    with single_thread():
        return _probability(*belief.moments(belief.numbered(X, index)), _level(task, belief))


def recommend_region(task: Task, history: History, state: State) -> Classified:
    """All candidates of a list, or points that stand for the space, with their probabilities."""
    with single_thread():
        found = everywhere(task, history, state)
        probability = _probability(found.mean, found.sd, _level(task, state.doubted()))
        return Classified(found.X, probability, found.listed)


def certify_region(task: Task, history: History, state: State, goal: LevelSet) -> RegionLoss:
    """How many candidates are expected on the wrong side, and the loss of the worst, averaged over the settings.

    Excluded candidates are not counted.
    """
    with finite_only():
        belief, objective = state.doubted(), task.objective
        found = everywhere(task, history, state)
        means, sds = found.mean[:, found.allowed], found.sd[:, found.allowed]
        level, scale = _level(task, belief), belief.units.scale
        inside = _probability(means, sds, level) >= 0.5
        losses = [misclassification(mean, sd, level=level, above=inside) for mean, sd in zip(means, sds, strict=True)]
        each = np.array([one.expected_wrong for one in losses])
        wrong = float(each.mean())  # the mean over equally likely settings is the expectation itself
        worst = scale * careful_mean(np.array([one.worst_loss for one in losses]))
        loss = scale * float(np.mean([one.loss.mean() for one in losses]))
        refuse_infinite(wrong, worst, loss)
        return RegionLoss(
            inside=int(inside.sum()),
            candidates=len(inside),
            wrong=wrong,
            mean_loss=loss,
            worst_loss=worst,
            above=goal.above,
            below=goal.below,
            exact=found.listed,
            objective=objective.name,
            **footing(task, history, state),
            settings=len(each),
            unsure=share_unsure(wrong, each.tolist()),
        )


def _probability(means: Floats, sds: Floats, level: float) -> Floats:
    """The mean over settings of Phi((mean - level) / sd); where sd is 0, f is known."""
    known = sds <= 0.0
    z = (means - level) / np.where(known, 1.0, sds)
    chance: Floats = np.where(known, means >= level, ndtr(z)).mean(axis=0)
    return chance


def _level(task: Task, belief: Averaged) -> float:
    assert task.level is not None
    return float(belief.units.standardised(np.array(task.level)))
