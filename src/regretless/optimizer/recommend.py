"""What to settle on: the point with the largest posterior mean."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from regretless.arrays import Floats
from regretless.gp import TablePosterior
from regretless.linalg import single_thread
from regretless.optimizer.history import History
from regretless.optimizer.model import State, in_use, told_key
from regretless.optimizer.setup import Setup
from regretless.optimizer.starts import candidate_set
from regretless.rng import Purpose, stream
from regretless.search import Objective, search_product, search_table
from regretless.spaces import Mixed

__all__ = ["Choice", "predict", "predict_measurement", "recommend"]

#: The share of measurements that an interval should hold, under a model that is given.
_SHARE = 0.9
#: The level under a fitted model: nine of ten were inside on functions and tables (ADR 37).
_SHARE_FITTED = 0.95


@dataclass(frozen=True, slots=True)
class Choice:
    """A point with its posterior mean and sd, in the units of y."""

    x: Floats
    index: int
    mean: float
    sd: float


def recommend(setup: Setup, history: History, state: State) -> Choice:
    """Argmax of the posterior mean: exact on a table, by search elsewhere. Pending and failed points play no part.

    Excluded rows of a table are not recommended, unless all are excluded.
    """
    with single_thread():
        belief = state.belief
        if isinstance(belief, TablePosterior):
            index = search_table(belief.mean, history.allowed(len(belief.X)))
            index = int(np.argmax(belief.mean)) if index is None else index
            x, mean, sd = belief.X[index], float(belief.mean[index]), float(belief.sd[index])
        else:
            assert isinstance(setup.domain, Mixed)
            told = in_use(history, state).told.X
            X = candidate_set(setup.domain, belief, told, stream(setup.seed, told_key(history), Purpose.CANDIDATES))
            posterior = belief

            def mean_and_gradient(rows: Floats) -> tuple[Floats, Floats]:
                value, _, pull = posterior.mean_sd_pull(rows)
                return value, pull(1.0, 0.0)

            none: Floats = np.empty((0, X.shape[1]))
            found = search_product(
                setup.domain, Objective(belief.mean, mean_and_gradient), X, belief.mean(X), blocked=none
            )
            index, x = -1, found[0] if found is not None else X[0]
            mean, sd = (float(moment[0]) for moment in belief.mean_sd(x[None, :]))
        mean_y, sd_y = state.fit.hyperparameters.units.restored(mean, sd)
        return Choice(x, index, float(mean_y), float(sd_y))


def predict(state: State, X: Floats) -> tuple[Floats, Floats]:
    """Posterior mean and sd of f at encoded points, in the units of y."""
    with single_thread():
        belief = state.belief
        posterior = belief.posterior if isinstance(belief, TablePosterior) else belief
        return state.fit.hyperparameters.units.restored(*posterior.mean_sd(X))


def predict_measurement(
    setup: Setup, state: State, X: Floats, *, limits: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[Floats, Floats, Floats]:
    """Median, lower and upper end of what nine of ten measurements at encoded points should give, in the units of y.

    y = f(x) + noise ~ N(mean, sd^2 + noise_var) where the model is given. Where length scales and amplitude were
    fitted, it is Student's law with as many degrees of freedom less. ``state`` is the doubt: it rests on told values
    alone, none of them imagined. Where f cannot leave ``limits``, only noise carries a measurement beyond; where the
    model expects f beyond a limit, f is at the limit, with noise to both sides.
    """
    with single_thread():
        belief, hyperparameters = state.belief, state.fit.hyperparameters
        posterior = belief.posterior if isinstance(belief, TablePosterior) else belief
        mean, sd = posterior.mean_sd(X)
        if setup.surrogate.method == "fixed":
            quantile = float(ndtri(0.5 + 0.5 * _SHARE))
        else:
            freedom = max(len(posterior) - X.shape[1] - 1, 2)
            quantile = float(stdtrit(freedom, 0.5 + 0.5 * _SHARE_FITTED))
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
