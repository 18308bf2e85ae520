"""One objective under constraints: recommendation and certificate."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from regretless.acquisition import Outputs, View
from regretless.acquisition.constrained import in_optimistic_set
from regretless.acquisition.outputs import OfFirst
from regretless.acquisition.threshold import Mean
from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.certificate import Certified, chance_words, limits_unused, named
from regretless.optimizer.history import History
from regretless.optimizer.joint import (
    expected_at,
    log_feasible,
    moments_at,
    moments_everywhere,
    objective_moments,
    points_everywhere,
)
from regretless.optimizer.limits import Given
from regretless.optimizer.model import Fitted, told_key
from regretless.optimizer.proof import finite_only, limits_of, refuse_infinite
from regretless.optimizer.recommendation import Choice
from regretless.optimizer.scene import objective_of, thresholds_of
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, params_of
from regretless.optimizer.trust import footing
from regretless.optimizer.wording import amount, rounded
from regretless.rng import Purpose, stream
from regretless.search import Allowed, argmax
from regretless.spaces import UNLISTED, Point
from regretless.theory import (
    Calibration,
    careful_mean,
    feasible_choice,
    lifted,
    log_prob_feasible,
    remaining_feasible_regret,
    share_unsure,
)

__all__ = ["FeasibleRegret", "certify_feasible", "recommend_feasible"]

#: Quantiles by which an expected violation is computed.
_QUANTILES = 200


@dataclass(frozen=True, slots=True)
class FeasibleRegret(Certified):
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

    @property
    def mean(self) -> float:
        """The expected objective there."""
        return self.expected[self.objective][0]

    @property
    def sd(self) -> float:
        """The sd of the objective there."""
        return self.expected[self.objective][1]

    def promise(self, row_name: str = "row") -> str:
        """The bound and its assumption; ``row_name`` is what rows of the table are called."""
        what = named(self.row, self.params, row_name)
        chance = f"{chance_words(self.prob_feasible)} ({', '.join(self.wanted)})"
        if not self.qualified:
            level = chance_words(1.0 - self.risk)
            return (
                f"Under the {self.model} models{self.rests_on}, no candidate is feasible with probability {level} "
                f"yet; {what} is the most probable one, with {chance}. The best feasible candidate is expected to gain "
                f"at most {amount(self.gain, self.objective)} over {self._fallback()}."
                f"{limits_unused(self.limits, self.limits_hold)}"
            )
        text = (
            f"Under the {self.model} models{self.rests_on}, {what} is feasible with probability {chance}, and "
            f"recommending it costs {self.cost} in expectation, against the best feasible candidate"
        )
        text += "." if self.exact else " (an estimate: a dense sample stands for the space)."
        return text + limits_unused(self.limits, self.limits_hold)

    def _fallback(self) -> str:
        return f"{'the fallback' if self.fallback_given else 'the worst result so far'}, {rounded(self.fallback)}"


def recommend_feasible(task: Task, history: History, state: State) -> Choice:
    """The largest mean of the objective among points that are feasible with probability 1 - risk, if any qualifies.

    Then it is the point that is most probably feasible, and the choice says so.
    """
    with single_thread():
        fitted = tuple(state.believed(k) for k in range(len(task.outcomes)))
        thresholds = _thresholds(task)
        found = moments_everywhere(task, history, fitted, Purpose.CANDIDATES)
        if found.listed:
            allowed = history.allowed(len(found.X))
            rows = np.flatnonzero(allowed) if allowed.any() else np.arange(len(found.X))
        else:
            climbed = _climbed(task, fitted, found.X)
            if climbed is not None:
                found = moments_at(task, fitted, np.vstack([climbed.x, found.X]), listed=False)
            rows = np.arange(len(found.X))
        log_pf = log_prob_feasible(found.mean[:, 1:], found.sd[:, 1:], thresholds)
        best, qualified = feasible_choice(found.mean[rows, 0], log_pf[rows], risk=task.risk)
        i = int(rows[best])
        return Choice(
            found.point(i), float(found.mean[i, 0]), float(found.sd[i, 0]), float(np.exp(log_pf[i])), qualified
        )


def _climbed(task: Task, fitted: tuple[Fitted, ...], X: Floats) -> Point | None:
    """The best mean of the objective inside the set where every constraint holds with enough probability, by ascent.

    With J constraints each is to hold with probability 1 - risk/J, which is enough for all of them together: a
    cautious set in place of the optimistic one.
    """
    views = tuple(_view(task, each, X) for each in fitted)
    units = [each.fit.hyperparameters.units for each in fitted]
    outputs = Outputs(views, 1, thresholds_of(task, units))
    level = -float(ndtri(1.0 - task.risk / len(task.constraints)))
    score = in_optimistic_set(outputs, OfFirst(Mean()), level, {})
    return argmax(task.domain, objective_of(score), X, score.on(outputs), Allowed(None, X[:0]))


def _view(task: Task, fitted: Fitted, X: Floats) -> View:
    """The posterior of an outcome at the rows of X, without anything imagined."""
    posterior = fitted.belief.posterior
    mean, sd = posterior.mean_sd(X)
    return View(posterior, X, mean, sd, told=X[:0], best_told=0.0, n_levels=task.domain.n_levels)


def certify_feasible(task: Task, history: History, state: State, choice: Choice | None) -> FeasibleRegret:
    """The certificate of ``choice``, or of what the models of the certificate themselves recommend.

    Given the setting of the objective the bound holds with the probabilities of feasibility, which are averaged over
    the settings of the constraints; it is averaged over those of the objective.
    """
    with finite_only():
        beliefs, candidates = state.all_doubted(), task.domain.candidates
        belief, objective, y = beliefs[0], task.objective, history.series().y
        rng = stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE)
        also = [] if choice is None else [choice.point.x[None, :]]
        X = points_everywhere(task, beliefs, rng, *also)
        log_pf = log_feasible(task, beliefs, X)
        settings = objective_moments(task, belief, X)
        among = _among(task, history, len(X))
        if choice is not None:
            index = choice.point.index if candidates is not None else 0
            assert index is not None
        else:
            index = _own_choice(task, [mean for mean, _, _ in settings], log_pf, among)
        fallback = task.fallback if task.fallback is not None else float(y.min())
        limits, hold = limits_of(objective, belief)
        units, (lower, upper) = belief.units, belief.inside(limits)
        ends = (units.shift + units.scale * lower, units.shift + units.scale * upper)
        proofs = [
            remaining_feasible_regret(
                mean[:, None],
                sd[:, None],
                [],
                fallback=units.shift + units.scale * float(units.standardised(np.array(fallback))),
                covariance_with=covariance_with,
                index=index,
                risk=task.risk,
                among=among,
                limits=ends,
                log_feasible=log_pf,
            )
            for mean, sd, covariance_with in settings
        ]
        # What compression lifts the recommendation, and the fallback, counts too: see `regretless.theory.averaged`.
        lift = _lifts(
            belief,
            [(float(mean[index]), proof.sd) for (mean, _, _), proof in zip(settings, proofs, strict=True)],
            lower,
        )
        each = np.array([proof.bound for proof in proofs]) + lift
        shown = min(max(fallback, limits[0]), limits[1])
        gain = float(np.mean([proof.gain for proof in proofs])) + max(proofs[0].fallback - shown, 0.0)
        point = Point(X[index], index if candidates is not None else None)
        expected, bound = expected_at(task, beliefs, point), careful_mean(each)
        if limits != (-math.inf, math.inf):
            mean = float(np.mean([proof.mean for proof in proofs]) - lift.mean())
            expected[objective.name] = (objective.outward(mean), expected[objective.name][1])
            bound = min(bound, max(limits[1] - mean, 0.0))
        violation = _violation(task, beliefs, point)
        refuse_infinite(gain, bound, *violation.values(), *(v for pair in expected.values() for v in pair))
        params, row = params_of(task, point)
        return FeasibleRegret(
            params=params,
            row=row,
            expected=expected,
            prob_feasible=proofs[0].prob_feasible,
            qualified=proofs[0].qualified,
            risk=task.risk,
            violation=violation,
            fallback=float(objective.outward(shown)),
            fallback_given=task.fallback is not None,
            gain=gain,
            bound=bound,
            tail_sum=float(np.mean([proof.tail_sum for proof in proofs]) + lift.mean()),
            pairwise=float(np.mean([proof.pairwise for proof in proofs]) + lift.mean()),
            exact=candidates is not None,
            objective=objective.name,
            wanted=tuple(outcome.wanted for outcome in task.constraints),
            **footing(task, history, state),
            limits=objective.limits.given,
            limits_hold=hold,
            settings=len(each),
            unsure=share_unsure(bound, each.tolist()),
        )


def _among(task: Task, history: History, N: int) -> npt.NDArray[np.bool_] | None:
    """The candidates that count, where these are some but not all."""
    if task.domain.candidates is None:
        return None
    allowed = history.allowed(N)
    return allowed if 0 < np.count_nonzero(allowed) < N else None


def _own_choice(task: Task, means: list[Floats], log_pf: Floats, among: npt.NDArray[np.bool_] | None) -> int:
    """What the models of the certificate themselves recommend."""
    counted = np.arange(len(log_pf)) if among is None else np.flatnonzero(among)
    mixture = np.mean(means, axis=0)
    return int(counted[feasible_choice(mixture[counted], log_pf[counted], risk=task.risk)[0]])


def _lifts(belief: Averaged, moments: list[tuple[float, float]], lower: float) -> Floats:
    """By how much compression lifts the mean under each setting, whose mean and sd these are; 0 without."""
    units, knee = belief.units, belief.knee
    if knee is None:
        return np.zeros(len(moments))
    pairs = [((mean - units.shift) / units.scale, sd / units.scale) for mean, sd in moments]
    return units.scale * np.array([lifted(mean, sd, knee, lower) for mean, sd in pairs])


def _violation(task: Task, beliefs: tuple[Averaged, ...], point: Point) -> dict[str, float]:
    """The expected excess over each bound at a point, in the user's units: the mean over quantiles of the models."""
    normal = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    index = np.array([UNLISTED if point.index is None else point.index], dtype=np.intp)
    found = {}
    for outcome, belief in zip(task.constraints, beliefs[1:], strict=True):
        means, sds = belief.moments(belief.numbered(point.x[None, :], index))
        values, _ = belief.units.restored(means + sds * normal, 0.0)
        found[outcome.name] = float(np.maximum(values - outcome.threshold, 0.0).mean())
    return found


def _thresholds(task: Task) -> list[float]:
    return [outcome.threshold for outcome in task.constraints]
