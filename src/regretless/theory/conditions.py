"""The conditions under which the theorems speak, checked in one place."""

import math
from collections.abc import Iterable

import numpy as np

from regretless.arrays import Floats, as_finite_float, as_vector, show
from regretless.confidence.schedules import OfTime, check_positive, check_whole, value_at
from regretless.errors import InvalidInput

__all__ = ["check_delta", "check_nonnegative", "check_not_alone", "check_zeta", "shifts_until", "variance_sum"]


def check_delta(delta: float) -> float:
    """A failure probability strictly between 0 and 1."""
    number = as_finite_float(delta, "delta")
    if not 0.0 < number < 1.0:
        raise InvalidInput(f"delta must lie strictly between 0 and 1, got {show(delta)}. 0.1 is usual.")
    return number


def check_nonnegative(value: float, what: str) -> float:
    """A finite number >= 0."""
    number = as_finite_float(value, what)
    if number < 0.0:
        raise InvalidInput(f"{what} must be >= 0, got {number}.")
    return number


def check_not_alone(n_candidates: int) -> int:
    """Two candidates at least: with one, the printed law of zeta is negative with probability 1/2."""
    if check_whole(n_candidates, "n_candidates") == 1:
        raise InvalidInput("the printed form needs n_candidates >= 2. With one candidate the regret is 0.")
    return int(n_candidates)


def check_zeta(zeta: Iterable[float], shifts: Floats) -> Floats:
    """The zetas drawn at t = 1..T, none of them below the shift of its law."""
    drawn = as_vector(list(zeta), "zeta")
    if len(drawn) != len(shifts):
        raise InvalidInput(f"zeta must hold one value per evaluation, T = {len(shifts)}, got {len(drawn)}.")
    below = np.flatnonzero(drawn < shifts * (1.0 - 1e-12))
    if len(below):
        t = int(below[0])
        raise InvalidInput(
            f"zeta at t = {t + 1} is {drawn[t]}, below the shift {shifts[t]} of the theorem's law. "
            "The theorem does not hold for a run whose zeta was drawn from a smaller law."
        )
    return drawn


def shifts_until(shift: float | OfTime, T: int) -> Floats:
    """``s_1..s_T``, each finite and >= 0."""
    if not callable(shift):
        return np.full(T, value_at(shift, 1, "shift"))
    return np.array([value_at(shift, t, "shift") for t in range(1, T + 1)])


def variance_sum(info_gain: float, *, noise_var: float, signal_var: float = 1.0) -> float:
    r"""Upper bound of the sum of the posterior variances at the points evaluated.

    .. math:: \sum_{t \le T} \sigma_{t-1}^2(x_t) \le C_1 \gamma_T, \qquad
              C_1 = \frac{2 \kappa^2}{\log(1 + \kappa^2/\sigma^2)}

    ``signal_var`` is the largest variance before the first evaluation that is counted: k(x, x), or, given initial data,
    the largest posterior variance of a candidate; ``info_gain`` then may be the gain given those data. Without noise
    the gain is infinite, and nothing can be said.

    >>> round(variance_sum(1.0, noise_var=0.3, signal_var=2.5), 6)
    2.238546
    """
    noise = check_nonnegative(noise_var, "noise_var")
    if noise == 0.0:
        raise InvalidInput("noise_var must be > 0: without noise the information gain is infinite and bounds nothing.")
    signal = check_positive(signal_var, "signal_var")
    ratio = float(np.logaddexp(0.0, math.log(signal) - math.log(noise)))  # log(1 + signal/noise), never overflowing
    return 2.0 * signal / ratio * check_nonnegative(info_gain, "info_gain")
