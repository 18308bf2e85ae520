"""Functions of the paper's ``t = 1, 2, ...`` that the laws take as shift, shape or value.

Each is a tiny frozen object, so that two laws made alike compare equal and print what they are.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

from scipy.special import erfc

from regretless.arrays import as_finite_float, as_nonnegative, as_positive, as_whole, show
from regretless.errors import InvalidInput

__all__ = [
    "EVERY",
    "BoxShift",
    "HighProbabilityShift",
    "Interleaved",
    "LogGrowth",
    "OfTime",
    "TableBeta",
    "TableShape",
    "check_delta",
    "check_t",
    "expected_lipschitz_bound",
    "expected_lipschitz_bound_printed",
    "value_at",
]

#: The default law has the theorem's shift at every fourth step. Chosen on benchmarks (ADR 22), not by a theorem.
EVERY = 4


class OfTime(Protocol):
    """Any deterministic function of ``t >= 1`` with values >= 0; make it frozen and comparable."""

    def __call__(self, t: int) -> float:
        """Value at the paper's ``t``, counted from 1."""
        ...


@dataclass(frozen=True, slots=True)
class BoxShift:
    r"""Shift of zeta (squared: ``mean + sqrt(zeta) * sd``) that the theory asks for on a box ``[0, side]^dim``.

    .. math:: s_t = \max\big(0,\; 2 d \log(d\, r\, t^2 \bar L) - 2 \log 2\big)

    d is ``dim``, r is ``side``, and L-bar is any upper bound of the expected largest partial derivative of f. Takeno et
    al. 2023, the theorem for continuous domains, clamped at 0 where the printed value is negative.

    >>> round(BoxShift(dim=3, side=1.0, lipschitz_bound=3.3371896867479127)(t=1), 6)
    12.436154
    """

    dim: int
    side: float
    lipschitz_bound: float

    def __post_init__(self) -> None:
        as_whole(self.dim, "dim", least=1)
        as_positive(self.side, "side")
        as_positive(self.lipschitz_bound, "lipschitz_bound")

    def __call__(self, t: int) -> float:
        """Shift at ``t``."""
        tau = math.log(self.dim) + math.log(self.side) + math.log(self.lipschitz_bound) + 2.0 * math.log(t)
        return max(0.0, 2.0 * self.dim * tau - 2.0 * math.log(2.0))


@dataclass(frozen=True, slots=True)
class Interleaved:
    r"""A shift at every so many steps, none in between (squared: ``mean + sqrt(zeta) * sd``).

    .. math:: s_t = s \; [t \equiv 0 \bmod k]

    With the theorem's shift at every k-th step the recommendation has the theorem's guarantee at T/k evaluations, and
    the cumulative regret keeps the theorem's order: :func:`regretless.theory.simple_regret_interleaved`,
    :func:`regretless.theory.expected_regret_interleaved`.

    >>> [Interleaved(12.4, every=4)(t) for t in (1, 2, 3, 4, 5)]
    [0.0, 0.0, 0.0, 12.4, 0.0]
    """

    shift: float
    every: int

    def __post_init__(self) -> None:
        as_whole(self.every, "every", least=1)
        as_nonnegative(self.shift, "shift")

    def __call__(self, t: int) -> float:
        """Shift at ``t``, counted from 1."""
        return 0.0 if check_t(t) % self.every else self.shift


@dataclass(frozen=True, slots=True)
class HighProbabilityShift:
    r"""Shift of zeta (squared: ``mean + sqrt(zeta) * sd``) for regret bounds that hold with probability 1 - delta.

    .. math:: s_t = 2 \log\frac{N t^2 \pi^2}{6 \delta}

    Takeno et al. 2023, the high-probability corollary. Always positive, and grows with t.

    >>> round(HighProbabilityShift(n_candidates=500, delta=0.1)(t=100), 6)
    36.450468
    """

    n_candidates: int
    delta: float

    def __post_init__(self) -> None:
        as_whole(self.n_candidates, "n_candidates", least=1)
        check_delta(self.delta)

    def __call__(self, t: int) -> float:
        """Shift at ``t``."""
        return 2.0 * (math.log(self.n_candidates * math.pi**2 / (6.0 * self.delta)) + 2.0 * math.log(t))


@dataclass(frozen=True, slots=True)
class TableShape:
    r"""Shape of the gamma law of zeta (squared: ``mean + sqrt(zeta) * sd``) of RGP-UCB on a table.

    .. math:: \kappa_t = \log(N t^2) / \log 1.5

    It makes E[exp(-zeta/2)] equal 1/(N t^2). 0 for N = 1 at t = 1.

    >>> round(TableShape(n_candidates=1000)(t=10), 3)
    28.394
    """

    n_candidates: int

    def __post_init__(self) -> None:
        as_whole(self.n_candidates, "n_candidates", least=1)

    def __call__(self, t: int) -> float:
        """Shape at ``t``."""
        return (math.log(self.n_candidates) + 2.0 * math.log(t)) / math.log(1.5)


@dataclass(frozen=True, slots=True)
class TableBeta:
    r"""GP-UCB's beta (squared: ``mean + sqrt(beta) * sd``) for expected regret on a table.

    .. math:: \beta_t = \max\big(0,\; 2 \log(N t^2 / \sqrt{2\pi})\big)

    >>> round(TableBeta(n_candidates=1000)(t=10), 3)
    21.188
    """

    n_candidates: int

    def __post_init__(self) -> None:
        as_whole(self.n_candidates, "n_candidates", least=1)

    def __call__(self, t: int) -> float:
        """Beta at ``t``."""
        return max(0.0, 2.0 * (math.log(self.n_candidates) + 2.0 * math.log(t)) - math.log(2.0 * math.pi))


@dataclass(frozen=True, slots=True)
class LogGrowth:
    r"""The heuristic (squared: ``mean + sqrt(beta) * sd``) the experiments use for GP-UCB and RGP-UCB on a box.

    .. math:: \beta_t = 0.2\, d \log(2 t)

    >>> round(LogGrowth(dim=2)(t=1), 6)
    0.277259
    """

    dim: int

    def __post_init__(self) -> None:
        as_whole(self.dim, "dim", least=1)

    def __call__(self, t: int) -> float:
        """Value at ``t``."""
        return 0.2 * self.dim * math.log(2.0 * t)


def expected_lipschitz_bound(dim: int, a: float, b: float) -> float:
    r"""Upper bound of the expected largest partial derivative of a sample path, the sharp form.

    .. math:: E[L_{\max}] \le b\Big(\ell + a d \tfrac{\sqrt\pi}{2} \operatorname{erfc}(\ell)\Big),
              \qquad \ell = \sqrt{\log^+(a d)}

    a and b are those of the tail assumption ``P(sup |df/dx_j| > L) <= a exp(-(L/b)^2)``: integrate the smaller of 1 and
    the union bound over the d coordinates. Never above :func:`expected_lipschitz_bound_printed`.

    >>> round(expected_lipschitz_bound(3, a=2.0, b=1.5), 6)
    2.473295
    """
    ad, scale = _union(dim, a, b)
    level = math.sqrt(max(0.0, math.log(ad)))
    return scale * (level + ad * 0.5 * math.sqrt(math.pi) * float(erfc(level)))


def expected_lipschitz_bound_printed(dim: int, a: float, b: float) -> float:
    r"""Upper bound of the expected largest partial derivative of a sample path, the form the paper prints.

    .. math:: E[L_{\max}] \le b\big(\sqrt{\log^+(a d)} + \sqrt\pi/2\big)

    Kept for comparison with the paper; :func:`expected_lipschitz_bound` is never larger.

    >>> round(expected_lipschitz_bound_printed(3, a=2.0, b=1.5), 6)
    3.33719
    """
    ad, scale = _union(dim, a, b)
    return scale * (math.sqrt(max(0.0, math.log(ad))) + 0.5 * math.sqrt(math.pi))


def value_at(value: float | OfTime, t: int, what: str) -> float:
    """The constant, or the function's value at ``t``; finite and >= 0, otherwise refused."""
    t = check_t(t)
    number = as_finite_float(value(t) if callable(value) else value, what)
    if number < 0.0:
        raise InvalidInput(f"{what} must be >= 0 at every t, got {number} at t = {t}. Clamp it: max(0, value).")
    return number


def check_t(t: Any) -> int:
    """The paper's t: a whole number from 1 on."""
    return as_whole(t, "t", least=1, hint="It counts evaluations after the initial design, from 1.")


def check_delta(delta: float) -> float:
    """A failure probability strictly between 0 and 1."""
    number = as_finite_float(delta, "delta")
    if not 0.0 < number < 1.0:
        raise InvalidInput(f"delta must lie strictly between 0 and 1, got {show(delta)}. 0.1 is usual.")
    return number


def _union(dim: int, a: float, b: float) -> tuple[float, float]:
    return as_positive(a, "a") * as_whole(dim, "dim", least=1), as_positive(b, "b")
