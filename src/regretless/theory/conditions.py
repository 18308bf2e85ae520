"""The conditions under which the theorems speak, checked in one place."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats, as_nonnegative, as_positive, as_vector, as_whole
from regretless.confidence import BoxShift, expected_lipschitz_bound_printed
from regretless.confidence.schedules import OfTime, value_at
from regretless.errors import InvalidInput

__all__ = [
    "BoxConditions",
    "box_conditions",
    "check_not_alone",
    "check_zeta",
    "shifts_until",
    "variance_sum",
]


@dataclass(frozen=True, slots=True)
class BoxConditions:
    """What the theorem for boxes assumes without saying so, for one box and one tail assumption.

    ``log_ad`` is log(a d), whose root the printed bound on E[L_max] takes: where it is negative, 0 stands in its place.
    ``clamped_until`` is the last t at which the printed shift is negative, and 0 stands in its place; 0 if there is
    none. ``shift`` is the shift with both repairs, never negative and never falling.
    """

    log_ad: float
    clamped_until: int
    shift: BoxShift

    @property
    def hold_as_printed(self) -> bool:
        """Whether the theorem can be used as it is printed, without a repair."""
        return self.log_ad >= 0.0 and self.clamped_until == 0

    def grid_points(self, t: int) -> int:
        r"""Points per axis of the grid behind step t, :math:`m = \max(1, \lfloor \tau_t \rfloor)`.

        tau_t = d r t^2 E[L_max] is not a whole number, but needs no ceiling: the grid r/(m+1), ..., m r/(m+1) leaves
        no point further than r/(m+1) < r/tau_t away, so that passing to it costs at most 1/t^2, and its m^d points need
        no larger shift than s_t. One point in the middle is enough where tau_t < 1.
        """
        return max(1, math.floor(_tau(self.shift, as_whole(t, "t", least=1))))


def box_conditions(dim: int, *, a: float, b: float, side: float = 1.0) -> BoxConditions:
    r"""Check the conditions of the theorem for boxes (Takeno et al. 2023, Theorem 4.2) on [0, side]^dim.

    .. math:: \log(a d) \ge 0, \qquad s_t = 2 d \log(\tau_t) - 2 \log 2 \ge 0, \qquad
              \tau_t = d\, r\, t^2\, b \big(\sqrt{\log^+(a d)} + \sqrt\pi/2\big)

    a and b are those of the tail assumption ``P(sup |df/dx_j| > L) <= a exp(-(L/b)^2)``. The first holds by itself if a
    derivative of f is not 0 everywhere: with L -> 0 the assumption says a >= 1. The second fails at small t on a small
    or flat box; clamped at 0 the theorem holds, but :func:`conditional_regret_box_as_printed` need not. X may be any
    compact convex part of the box: projected onto it, no point of the grid moves away from a point of X.

    >>> box_conditions(2, a=2.0, b=1.5).hold_as_printed
    True
    >>> box_conditions(2, a=2.0, b=0.01, side=0.5).clamped_until
    8
    """
    shift = BoxShift(dim, side, expected_lipschitz_bound_printed(dim, a, b))
    last = math.ceil(math.sqrt(2.0 ** (1.0 / dim) / _tau(shift, 1))) - 1  # s_t < 0 where tau_t^d < 2
    return BoxConditions(math.log(a * dim), last, shift)


def check_not_alone(n_candidates: int) -> int:
    """Two candidates at least: with one, the printed law of zeta is negative with probability 1/2."""
    if as_whole(n_candidates, "n_candidates", least=1) == 1:
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
    noise = as_nonnegative(noise_var, "noise_var")
    if noise == 0.0:
        raise InvalidInput("noise_var must be > 0: without noise the information gain is infinite and bounds nothing.")
    signal = as_positive(signal_var, "signal_var")
    ratio = float(np.logaddexp(0.0, math.log(signal) - math.log(noise)))  # log(1 + signal/noise), never overflowing
    return 2.0 * signal / ratio * as_nonnegative(info_gain, "info_gain")


def _tau(shift: BoxShift, t: int) -> float:
    return shift.dim * shift.side * shift.lipschitz_bound * t**2
