"""One objective under constraints: what to recommend, and what is certified about it."""

import math

import numpy as np
from scipy.special import ndtri

from regretless.acquisition import Outputs, View
from regretless.acquisition.constrained import in_optimistic_set
from regretless.acquisition.outputs import OfFirst
from regretless.acquisition.threshold import Mean
from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.certificate import FeasibleRegret
from regretless.optimizer.history import History
from regretless.optimizer.joint import expected_at, moments_at, moments_everywhere
from regretless.optimizer.model import Fitted
from regretless.optimizer.proof import finite_only, limits_of, refuse_infinite
from regretless.optimizer.recommendation import Choice
from regretless.optimizer.scene import objective_of, thresholds_of
from regretless.optimizer.state import State
from regretless.optimizer.task import Task, params_of
from regretless.optimizer.trust import least_trusted
from regretless.rng import Purpose
from regretless.search import Allowed, argmax
from regretless.spaces import Point
from regretless.theory import feasible_choice, log_prob_feasible, remaining_feasible_regret

__all__ = ["certify_feasible", "recommend_feasible"]

#: Quantiles by which an expected violation is computed.
_QUANTILES = 200


def recommend_feasible(task: Task, history: History, state: State) -> Choice:
    """The largest mean of the objective among points that are feasible with probability 1 - risk; or none qualifies.

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
    outputs = Outputs(views, 1, thresholds_of(task, fitted))
    level = -float(ndtri(1.0 - task.risk / len(task.constraints)))
    score = in_optimistic_set(outputs, OfFirst(Mean()), level, {})
    return argmax(task.domain, objective_of(score), X, score.on(outputs), Allowed(None, X[:0]))


def _view(task: Task, fitted: Fitted, X: Floats) -> View:
    """The posterior of an outcome at the rows of X, without anything imagined."""
    posterior = fitted.belief.posterior
    mean, sd = posterior.mean_sd(X)
    return View(posterior, X, mean, sd, told=X[:0], best_told=0.0, n_levels=task.domain.n_levels)


def certify_feasible(task: Task, history: History, state: State, choice: Choice | None) -> FeasibleRegret:
    """The certificate of ``choice``, or of what the models of the certificate themselves recommend."""
    with finite_only():
        fitted = tuple(state.doubted(k) for k in range(len(task.outcomes)))
        also = [] if choice is None else [choice.point.x[None, :]]
        found = moments_everywhere(task, history, fitted, Purpose.CERTIFICATE, *also)
        index = None if choice is None else (choice.point.index if found.listed else 0)
        among = None
        if found.listed:
            allowed = history.allowed(len(found.X))
            among = allowed if 0 < np.count_nonzero(allowed) < len(allowed) else None
        objective, y = task.objective, history.series().y
        fallback = task.fallback if task.fallback is not None else float(y.min())
        limits, hold = limits_of(objective, fitted[0])
        proof = remaining_feasible_regret(
            found.mean,
            found.sd,
            _thresholds(task),
            fallback=fallback,
            covariance_with=found.covariances[0],
            index=index,
            risk=task.risk,
            among=among,
            limits=limits,
        )
        refuse_infinite(proof.gain, proof.bound, *proof.violation, *found.mean[proof.index], *found.sd[proof.index])
        params, row = params_of(task, found.point(proof.index))
        expected = expected_at(task, fitted, found.X[proof.index])
        if limits != (-math.inf, math.inf):
            expected[objective.name] = (objective.outward(proof.mean), proof.sd)
        return FeasibleRegret(
            params=params,
            row=row,
            expected=expected,
            prob_feasible=proof.prob_feasible,
            qualified=proof.qualified,
            risk=task.risk,
            violation=_violation(task, fitted, found.X[proof.index]),
            fallback=float(objective.outward(proof.fallback)),
            fallback_given=task.fallback is not None,
            gain=proof.gain,
            bound=proof.bound,
            tail_sum=proof.tail_sum,
            pairwise=proof.pairwise,
            exact=found.listed,
            trust=least_trusted(task, fitted),
            objective=objective.name,
            wanted=tuple(outcome.wanted for outcome in task.constraints),
            model="given" if task.surrogate.method == "fixed" else "fitted",
            used=len(fitted[0].used),
            told=len(y),
            limits=objective.limits.given,
            limits_hold=hold,
        )


def _violation(task: Task, fitted: tuple[Fitted, ...], x: Floats) -> dict[str, float]:
    """The expected excess over each bound at a point, in the user's units: the mean over quantiles of the model."""
    normal = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    found = {}
    for outcome, each in zip(task.constraints, fitted[1:], strict=True):
        mean, sd = each.belief.posterior.mean_sd(x[None, :])
        values, _ = each.fit.hyperparameters.units.restored(mean + sd * normal, 0.0)
        found[outcome.name] = float(np.maximum(values - outcome.threshold, 0.0).mean())
    return found


def _thresholds(task: Task) -> list[float]:
    return [outcome.threshold for outcome in task.constraints]
