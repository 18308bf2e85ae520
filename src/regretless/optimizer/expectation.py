"""Predictions at a point, of the function and of a measurement, both by the belief behind certificates."""

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.task import Task
from regretless.theory import leave_one_out

__all__ = ["expect", "expect_left_out", "expect_measurement"]

#: Under one fitted setting a share of 0.9 is asked for at this level: nine of ten were inside then (ADR 37).
_FITTED = 0.95


def expect(belief: Averaged, X: Floats, index: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Mean and sd of f at encoded points, in the units of y; ``index`` are the numbers of those that are candidates."""
    with single_thread():
        return belief.expected(belief.numbered(X, index))


def expect_measurement(
    task: Task,
    belief: Averaged,
    X: Floats,
    index: npt.NDArray[np.intp],
    *,
    share: float = 0.9,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[Floats, Floats, Floats]:
    """Median and ends of the interval that should hold this share of measurements at encoded points.

    y = f(x) + noise ~ N(mean, sd^2 + noise_var) under each setting, and their mixture: see `Averaged.quantile`. Where
    the model has one setting that was fitted, it is Student's law with as many degrees of freedom less. It rests on
    told values alone, none of them imagined. Where f cannot leave ``limits``, only noise carries a measurement beyond;
    where the model expects f beyond a limit, f is at the limit, with noise to both sides.
    """
    with single_thread():
        units = belief.units
        means, sds = belief.moments(belief.numbered(X, index))
        noise_vars = np.array(belief.noise_vars)
        whole = np.sqrt(sds**2 + noise_vars[:, None])
        median, below, above = _interval(task, belief, means, whole, share)
        noise = _reach(task, belief, share) * math.sqrt(float(noise_vars.mean()))
        with np.errstate(over="ignore"):  # a limit that is past the largest float here is none
            lowest, highest = belief.inside(limits)
        found = (
            np.clip(median, lowest, highest),
            np.clip(below, lowest - noise, highest - noise),
            np.clip(above, lowest + noise, highest + noise),
        )
        middle, low, high = (units.restored(z, 0.0)[0] for z in found)
        return middle, low, high


def expect_left_out(task: Task, belief: Averaged) -> tuple[tuple[int, ...], Floats, Floats, Floats, Floats]:
    """Leave-one-out predictions: trials, values, medians and interval ends, in the units of y.

    The settings are those drawn given all of them (see `leave_one_out`); nine of ten values should be inside.
    """
    with single_thread():
        found = [leave_one_out(posterior) for posterior in belief.posteriors]
        means, sds = np.array([loo.mean for loo in found]), np.array([loo.sd for loo in found])
        posterior = belief.posteriors[0]
        ends = (posterior.y[posterior.n_source :], *_interval(task, belief, means, sds, 0.9))
        value, median, low, high = (belief.units.restored(z, 0.0)[0] for z in ends)
        trials = belief.told.trials.tolist() if belief.fitted is None else belief.fitted.used
        return tuple(trials), value, median, low, high


def _interval(task: Task, belief: Averaged, means: Floats, sds: Floats, share: float) -> tuple[Floats, Floats, Floats]:
    """Median and ends of the interval that holds this share, in the model's units."""
    if belief.drawn:
        median, below, above = (belief.quantile(p, means, sds) for p in (0.5, 0.5 - 0.5 * share, 0.5 + 0.5 * share))
        return median, below, above
    reach = _reach(task, belief, share) * sds[0]
    return means[0], means[0] - reach, means[0] + reach


def _reach(task: Task, belief: Averaged, share: float) -> float:
    """The number of standard deviations that hold this share under one setting.

    On a scale that is compressed on both sides the tails are long as it is: no Student's law on top.
    """
    if belief.drawn or task.surrogate.method == "fixed" or belief.units.both:
        return float(ndtri(0.5 + 0.5 * share))
    freedom = max(belief.used - task.domain.dim - 1, 2)
    return float(stdtrit(freedom, 0.5 + 0.5 * (1.0 - (1.0 - share) * (1.0 - _FITTED) / 0.1)))
