"""What to settle on: the point with the largest posterior mean."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.history import History
from regretless.optimizer.model import Fitted, in_use, told_key
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import Allowed, Objective, argmax, points_around
from regretless.spaces import Point
from regretless.theory import leave_one_out

__all__ = ["Choice", "predict", "predict_left_out", "predict_measurement", "recommend"]

#: The share of measurements that an interval should hold, under a model that is given.
_SHARE = 0.9
#: The level under a fitted model: nine of ten were inside on functions and tables (ADR 37).
_SHARE_FITTED = 0.95


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


def predict(fitted: Fitted, X: Floats) -> tuple[Floats, Floats]:
    """Posterior mean and sd of f at encoded points, in the units of y."""
    with single_thread():
        return fitted.fit.hyperparameters.units.restored(*fitted.belief.posterior.mean_sd(X))


def predict_measurement(
    task: Task, fitted: Fitted, X: Floats, *, limits: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[Floats, Floats, Floats]:
    """Median, lower and upper end of what nine of ten measurements at encoded points should give, in the units of y.

    y = f(x) + noise ~ N(mean, sd^2 + noise_var) where the model is given. Where length scales and amplitude were
    fitted, it is Student's law with as many degrees of freedom less. ``fitted`` is the doubt: it rests on told values
    alone, none of them imagined. Where f cannot leave ``limits``, only noise carries a measurement beyond; where the
    model expects f beyond a limit, f is at the limit, with noise to both sides.
    """
    with single_thread():
        posterior, hyperparameters = fitted.belief.posterior, fitted.fit.hyperparameters
        mean, sd = posterior.mean_sd(X)
        quantile = _quantile(task, fitted)
        reach = quantile * np.sqrt(sd * sd + hyperparameters.noise_var)
        noise = quantile * math.sqrt(hyperparameters.noise_var)
        with np.errstate(over="ignore"):  # a limit that is past the largest float here is none
            lowest, highest = hyperparameters.units.standardised(np.array(limits)).tolist()
        ends = (
            np.clip(mean, lowest, highest),
            np.clip(mean - reach, lowest - noise, highest - noise),
            np.clip(mean + reach, lowest + noise, highest + noise),
        )
        median, low, high = (hyperparameters.units.restored(z, 0.0)[0] for z in ends)
        return median, low, high


def predict_left_out(task: Task, fitted: Fitted) -> tuple[tuple[int, ...], Floats, Floats, Floats, Floats]:
    """Each told value beside what the others predict of it: trials, value, median and the ends, in the units of y.

    The hyperparameters are those fitted to all of them (see `leave_one_out`); the ends are as in `predict_measurement`.
    """
    with single_thread():
        posterior, units = fitted.belief.posterior, fitted.fit.hyperparameters.units
        loo = leave_one_out(posterior)
        reach = _quantile(task, fitted) * loo.sd
        ends = (posterior.y[posterior.n_source :], loo.mean, loo.mean - reach, loo.mean + reach)
        value, median, low, high = (units.restored(z, 0.0)[0] for z in ends)
        return fitted.used, value, median, low, high


def _quantile(task: Task, fitted: Fitted) -> float:
    """How many standard deviations hold nine of ten measurements to one side and the other.

    On a scale that is compressed on both sides the tails are long as it is: no Student's law on top.
    """
    posterior = fitted.belief.posterior
    if task.surrogate.method == "fixed" or fitted.fit.hyperparameters.units.both:
        return float(ndtri(0.5 + 0.5 * _SHARE))
    freedom = max(len(posterior) - posterior.n_source - task.domain.dim - 1, 2)
    return float(stdtrit(freedom, 0.5 + 0.5 * _SHARE_FITTED))
