"""Why each suggestion was made, and how it depends on the draw of zeta: what other draws would have picked."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from regretless.acquisition import GPUCB, IRGPUCB, UCB, JointRule, RandomStraddle, Rule
from regretless.acquisition.base import MomentScore, View
from regretless.acquisition.straddle import Straddling
from regretless.confidence import Law, Schedule, ShiftedExponential
from regretless.errors import NumericalError, RegretlessError
from regretless.lab.text import is_measured
from regretless.optimizer import (
    History,
    LevelSet,
    State,
    Task,
    believed,
    doubted,
    excursion,
    measurement_of,
    params_of,
    suggest,
)
from regretless.spaces import UNLISTED
from regretless.study import Study, Trial
from regretless.study.replays import asked_from

__all__ = ["Expected", "Explanation", "Pick", "expectations", "expected", "explain", "measured_before", "score_words"]

#: Median, lower and upper end of what a measurement should give, by outcome.
Expected: TypeAlias = Mapping[str, tuple[float, float, float]]

#: A cautious draw of zeta is one that nineteen of twenty exceed; a bold one exceeds nineteen of twenty.
CAUTIOUS, BOLD = 0.05, 0.95


@dataclass(frozen=True, slots=True)
class Pick:
    """The pick of a draw of zeta (squared), with the model's prediction there in the user's units."""

    zeta: float
    params: Mapping[str, Any]
    row: Any
    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A suggestion made with a random zeta: the draw in words, and what a cautious and a bold one would have picked."""

    trial: Trial
    draw: Literal["cautious", "middling", "bold"]
    cautious: Pick
    bold: Pick
    excursion: bool = False  # whether it was an excursion, as the two others then are


def explain(study: Study, trial: Trial) -> Explanation | None:
    """Explain a suggestion from the record at the time it was made.

    None for the initial design and for rules without a random zeta: there is no draw to compare with.

    >>> study = Study([{"t": t} for t in range(20)], seed=1)
    >>> for _ in range(6):
    ...     asked = study.ask()
    ...     told = study.tell(asked, -abs(asked.params["t"] - 7))
    >>> why = explain(study, study.trials[-1])
    >>> why.cautious.zeta < why.bold.zeta, why.cautious.sd <= why.bold.sd
    (True, True)
    """
    zeta = trial.zeta
    if zeta is None or trial.source != "rule":
        return None
    try:
        task, history = asked_from(study, trial.number)
        elsewhere, state = excursion(task, history, State.empty(task))
        law, t = _law(task, task.rule if elsewhere is None else elsewhere.rule), history.n_ruled + 1
        if law is None:
            return None
        low, third, two_thirds, high = (law.quantile(t, p) for p in (CAUTIOUS, 1 / 3, 2 / 3, BOLD))
        if not low < high:
            return None
        away = elsewhere is not None
        if not away:
            state = believed(task, history, trial.number, state)  # the model does not depend on the draw
        cautious, bold = (_pick(task, history, trial.number, value, state, away=away) for value in (low, high))
    except RegretlessError:  # a model that could not be fitted then cannot be asked now
        return None
    draw: Literal["cautious", "middling", "bold"] = (
        "cautious" if zeta < third else "middling" if zeta < two_thirds else "bold"
    )
    return Explanation(trial, draw, cautious, bold, away)


def score_words(study: Study) -> str:
    """The formula that a suggestion with one outcome maximises."""
    if isinstance(study.goal, LevelSet):
        return "largest √ζ · sd − |mean − level|"
    if study.goal is not None:
        return f"largest score of {study.rule.name}"
    return "largest mean + √ζ · sd" if study.direction == "maximize" else "smallest mean − √ζ · sd"


def measured_before(study: Study, trial: Trial) -> int:
    """How many earlier trials have a result of the same experiment; excluded ones do not count."""
    return sum(
        other.status == "told" and not other.excluded and other.params == trial.params
        for other in study.trials[: trial.number]
    )


def expected(study: Study, trial: Trial) -> dict[str, tuple[float, float, float]] | None:
    """The prediction of each outcome when it was suggested: see `Study.predict_measurement`. None for a design.

    >>> study = Study([{"t": t} for t in range(20)], seed=1)
    >>> for _ in range(6):
    ...     asked = study.ask()
    ...     told = study.tell(asked, -abs(asked.params["t"] - 7))
    >>> median, low, high = expected(study, study.trials[-1])["value"]
    >>> low <= median <= high
    True
    """
    if trial.source != "rule":
        return None
    try:
        task, history = asked_from(study, trial.number)
        if not all(len(history.series(k).y) for k in range(len(task.outcomes))):
            return None  # of a batch that was asked for before there was any result
        state = doubted(task, history, State.empty(task))
        place, found = task.place(trial.params), {}
        X, index = (
            np.array([[*place.x, *place.context]]),
            np.array([UNLISTED if place.index is None else place.index], dtype=np.intp),
        )
        for k, outcome in enumerate(task.outcomes):
            median, low, high = measurement_of(task, history, state, X, index, k)
            found[outcome.name] = float(median[0]), float(low[0]), float(high[0])
    except RegretlessError:
        return None
    return found


def expectations(study: Study, trials: Sequence[Trial]) -> list[Expected | None]:
    """The predicted measurement of each outcome; None without a model."""
    asked = [trial for trial in trials if trial.source == "rule"]
    if not asked or not is_measured(study):
        return [None] * len(trials)
    params, ranges = [trial.params for trial in asked], {}
    try:
        for outcome in study.outcomes:
            columns = study.predict_measurement(params, outcome.name)
            ranges[outcome.name] = list(zip(*(column.tolist() for column in columns), strict=True))
    except NumericalError:
        return [None] * len(trials)
    of = {trial.number: {name: every[i] for name, every in ranges.items()} for i, trial in enumerate(asked)}
    return [of.get(trial.number) for trial in trials]


def _law(task: Task, rule: Rule | JointRule) -> Law | None:
    """The law that a rule draws zeta from; None of a rule without one."""
    if isinstance(rule, RandomStraddle):
        return ShiftedExponential(0.0)  # chi-square with two degrees of freedom
    return rule.law(task.domain.n_candidates, task.domain.dim) if isinstance(rule, UCB) else None


@dataclass(frozen=True, slots=True)
class _GivenStraddle(RandomStraddle):
    """Straddle with a zeta that was not drawn."""

    zeta: float = 0.0

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        assert view.level is not None
        return MomentScore(view.posterior, Straddling(math.sqrt(self.zeta), view.level), {"zeta": self.zeta})


def _pick(task: Task, history: History, number: int, zeta: float, state: State, *, away: bool) -> Pick:
    """The same suggestion with this zeta in place of a draw."""
    constant = Schedule.constant(zeta)
    additive = isinstance(task.rule, IRGPUCB) and task.rule.additive
    rule: Rule = IRGPUCB(constant, excursions=True, additive=additive) if away else GPUCB(constant)
    if task.level is not None:
        rule = _GivenStraddle(zeta)
    made, _ = suggest(replace(task, rule=rule), history, number, state)
    params, row = params_of(task, made.point, made.context)
    mean, sd = made.expected[0]
    return Pick(zeta, params, row, task.objective.outward(mean), sd)
