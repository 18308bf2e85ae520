"""The recommendation: the point with the largest posterior mean, on a list under the averaged belief."""

from dataclasses import dataclass

import numpy as np

from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.history import History
from regretless.optimizer.model import Fitted, in_use, told_key
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import Allowed, Objective, argmax, points_around
from regretless.spaces import Point

__all__ = ["Choice", "predict", "recommend", "recommend_row"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A point with its posterior mean and sd, as maximised, in the units of y.

    Under constraints it has the probability that all of them hold, and whether that is as large as was asked for.
    """

    point: Point
    mean: float
    sd: float
    prob_feasible: float | None = None
    qualified: bool = True


def recommend(task: Task, history: History, fitted: Fitted) -> Choice:
    """Argmax of the posterior mean: exact on a list, by search elsewhere. Pending and failed points play no part.

    Excluded candidates are not recommended, unless all are excluded.
    """
    with single_thread():
        domain, posterior, table = task.domain, fitted.belief.posterior, fitted.belief.table
        if fitted.belief.blocks is not None:
            blocks, excluded = fitted.belief.blocks, np.unique(history.excluded)
            closed = excluded[: 0 if len(excluded) == task.domain.n_candidates else None]
            best = blocks.argmax(UpperBound(0.0), closed)
            assert best is not None  # means are finite
            point, mean, sd = domain.at_index(best.row), best.mean, best.sd
        elif table is not None:
            allowed = history.allowed(len(table.X))
            index = int(np.argmax(np.where(allowed, table.mean, -np.inf) if allowed.any() else table.mean))
            point, mean, sd = domain.at_index(index), float(table.mean[index]), float(table.sd[index])
        else:
            series = history.series()
            rng = stream(task.seed, told_key(series), Purpose.CANDIDATES)
            X = points_around(domain, posterior.mean, in_use(series, fitted).told.X, rng)

            def mean_and_gradient(rows: Floats) -> tuple[Floats, Floats]:
                value, _, pull = posterior.mean_sd_pull(rows)
                return value, pull(1.0, 0.0)

            anywhere = Allowed(None, np.empty((0, X.shape[1])))
            found = argmax(domain, Objective(posterior.mean, mean_and_gradient), X, posterior.mean(X), anywhere)
            point = Point(X[0]) if found is None else found
            mean, sd = (float(moment[0]) for moment in posterior.mean_sd(point.x[None, :]))
        mean_y, sd_y = fitted.fit.hyperparameters.units.restored(mean, sd)
        return Choice(point, float(mean_y), float(sd_y))


def recommend_row(task: Task, history: History, belief: Averaged) -> Choice:
    """The row of a list with the largest mean of the mixture, which the certificate is about."""
    with single_thread():
        X = task.domain.candidates
        assert X is not None
        settings, allowed = belief.on_table(X), history.allowed(len(X))
        mixture = np.mean([each.mean for each in settings], axis=0)
        index = int(np.argmax(np.where(allowed, mixture, -np.inf) if allowed.any() else mixture))
        means = np.array([each.mean[index : index + 1] for each in settings])
        mean, sd = belief.spread(means, np.array([each.sd[index : index + 1] for each in settings]))
        return Choice(task.domain.at_index(index), float(mean[0]), float(sd[0]))


def predict(fitted: Fitted, X: Floats) -> tuple[Floats, Floats]:
    """Posterior mean and sd of f at encoded points under the model to search by, in the units of y."""
    with single_thread():
        return fitted.fit.hyperparameters.units.restored(*fitted.belief.posterior.mean_sd(X))
