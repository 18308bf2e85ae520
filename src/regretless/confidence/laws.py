"""The laws of zeta_t, all that the rules of the UCB family differ in; zeta is squared: mean + sqrt(zeta) * sd."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import gammaincinv, ndtri

from regretless.arrays import as_finite_float, as_whole, show
from regretless.confidence.normal import mills, psi_ratio
from regretless.confidence.schedules import (
    BoxShift,
    HighProbabilityShift,
    Interleaved,
    LogGrowth,
    OfTime,
    TableBeta,
    TableShape,
    check_t,
    expected_lipschitz_bound,
    value_at,
)
from regretless.errors import InvalidInput

__all__ = ["GammaLaw", "Law", "Schedule", "ShiftedExponential", "TightUnion"]


class Law(Protocol):
    """Law of zeta (squared: ``mean + sqrt(zeta) * sd``) at each ``t = 1, 2, ...``, the paper's count of evaluations."""

    def draw(self, t: int, rng: np.random.Generator) -> float:
        """One zeta_t."""
        ...

    def mean(self, t: int) -> float:
        """E[zeta_t]."""
        ...

    def var(self, t: int) -> float:
        """Var[zeta_t]."""
        ...

    def quantile(self, t: int, p: float) -> float:
        """Smallest value that zeta_t stays at or below with probability ``p``, 0 <= p < 1."""
        ...

    def interval(self, t: int, p: float = 0.95) -> tuple[float, float]:
        """Central interval: zeta_t is below and above it with probability (1 - p)/2 each."""
        ...


@dataclass(frozen=True, slots=True)
class ShiftedExponential:
    r"""Law of zeta of IRGP-UCB (zeta is squared: ``mean + sqrt(zeta) * sd``).

    .. math:: \zeta_t = s_t + 2 E, \qquad E \sim \mathrm{Exp}(1)

    On a table of N candidates s = 2 log(N/2) and nothing grows with t (Takeno et al. 2023, Lemma 4.2): it is the union
    bound 2 log(N / (2 delta)) with a fresh uniform draw in place of delta. ``Exp(rate 1/2)`` has scale 2, mean 2
    and variance 4. ``shift`` is a number >= 0 or a function of t; a larger shift than required is always allowed.

    >>> law = ShiftedExponential.for_table(n_candidates=200)
    >>> round(law.mean(t=1), 3)
    11.21
    """

    shift: float | OfTime

    def __post_init__(self) -> None:
        _check_now(self.shift, "shift")

    @classmethod
    def for_table(cls, n_candidates: int, *, every: int = 1) -> "ShiftedExponential":
        r"""The law on ``n_candidates`` distinct rows, :math:`s = \max(0, 2 \log(N/2))`.

        With ``every`` > 1 only at t = every, 2 every, ..., and s = 0 in between: see :class:`Interleaved`.

        >>> ShiftedExponential.for_table(1)
        ShiftedExponential(shift=0.0)
        >>> ShiftedExponential.for_table(2000, every=4).mean(t=1)
        2.0
        """
        return cls.for_events(as_whole(n_candidates, "n_candidates", least=1), every=every)

    @classmethod
    def for_events(cls, n_events: int, *, every: int = 1) -> "ShiftedExponential":
        r"""The law for m one-sided events :math:`g_i > \mu_i + \sqrt\zeta\,\sigma_i`, s = max(0, 2 log(m/2)).

        What depends on several unknowns, in the same direction on each, is below its value at their upper bounds in
        law, if each way to be above it is one of the m events: on a table with one outcome there are N. ``every`` as
        for :meth:`for_table`. :class:`TightUnion` is smaller on every draw.

        >>> round(ShiftedExponential.for_events(98).mean(t=1), 6)
        9.783641
        """
        shift = max(0.0, 2.0 * math.log(as_whole(n_events, "n_events", least=1) / 2.0))
        return cls(shift if as_whole(every, "every", least=1) == 1 else Interleaved(shift, every))

    @classmethod
    def for_box(
        cls,
        dim: int,
        *,
        side: float = 1.0,
        a: float | None = None,
        b: float | None = None,
        lipschitz_bound: float | None = None,
    ) -> "ShiftedExponential":
        """The theory's law on ``[0, side]^dim``; see :class:`BoxShift`.

        Give either ``lipschitz_bound``, any upper bound of E[max_j sup_x abs(df/dx_j)], or ``a`` and ``b`` of the tail
        assumption, from which the sharp bound :func:`expected_lipschitz_bound` is made.

        >>> ShiftedExponential.for_box(2, lipschitz_bound=4.0).shift
        BoxShift(dim=2, side=1.0, lipschitz_bound=4.0)
        """
        if lipschitz_bound is None and a is not None and b is not None:
            return cls(BoxShift(dim, side, expected_lipschitz_bound(dim, a, b)))
        if lipschitz_bound is not None and a is None and b is None:
            return cls(BoxShift(dim, side, lipschitz_bound))
        raise InvalidInput(
            f"for_box takes either both a and b or lipschitz_bound alone, got a={a!r}, b={b!r}, "
            f"lipschitz_bound={lipschitz_bound!r}. Without any of them, use ShiftedExponential.heuristic(dim)."
        )

    @classmethod
    def heuristic(cls, dim: int) -> "ShiftedExponential":
        """The paper's experiments on boxes, s = d/2; no guarantee comes with it.

        >>> ShiftedExponential.heuristic(4)
        ShiftedExponential(shift=2.0)
        """
        return cls(as_whole(dim, "dim", least=1) / 2.0)

    @classmethod
    def high_probability(cls, n_candidates: int, delta: float) -> "ShiftedExponential":
        """The law whose regret bound holds with probability 1 - delta; see :class:`HighProbabilityShift`."""
        return cls(HighProbabilityShift(n_candidates, delta))

    def draw(self, t: int, rng: np.random.Generator) -> float:
        """One zeta_t."""
        return value_at(self.shift, t, "shift") + float(rng.exponential(2.0))  # ~ s_t + Exp(rate 1/2)

    def mean(self, t: int) -> float:
        """E[zeta_t] = s_t + 2."""
        return value_at(self.shift, t, "shift") + 2.0

    def var(self, t: int) -> float:
        """Var[zeta_t] = 4."""
        value_at(self.shift, t, "shift")
        return 4.0

    def quantile(self, t: int, p: float) -> float:
        """s_t - 2 log(1 - p), for 0 <= p < 1."""
        return value_at(self.shift, t, "shift") - 2.0 * math.log1p(-_probability(p))

    def interval(self, t: int, p: float = 0.95) -> tuple[float, float]:
        """Central interval of probability ``p``."""
        return _central(self, t, p)

    def mean_u(self, t: int) -> float:
        r"""Mean of U_t in zeta_t = 2 log(1/U_t), :math:`E[e^{-\zeta_t/2}] = e^{-s_t/2}/2`.

        On a table of N >= 2 candidates it is 1/N.

        >>> round(ShiftedExponential.for_table(1000).mean_u(t=1), 6)
        0.001
        """
        return 0.5 * math.exp(-0.5 * value_at(self.shift, t, "shift"))

    def mean_sqrt(self, t: int) -> float:
        r"""Mean of the multiplier itself, :math:`E\sqrt{\zeta_t} = c + M(c)`, c = sqrt(s_t), M the Mills ratio.

        >>> round(ShiftedExponential.for_table(1000).mean_sqrt(t=1), 6)
        3.790378
        """
        c = math.sqrt(value_at(self.shift, t, "shift"))
        return c + float(mills(c))

    def var_sqrt(self, t: int) -> float:
        r"""Variance of the multiplier, :math:`2 (1 - c M(c)) - M(c)^2` with c = sqrt(s_t).

        Equal to s + 2 - (E sqrt(zeta))^2, without its cancellation for large s.

        >>> round(ShiftedExponential.for_table(1000).var_sqrt(t=1), 6)
        0.062251
        """
        c = math.sqrt(value_at(self.shift, t, "shift"))
        return 2.0 * float(psi_ratio(c)) - float(mills(c)) ** 2


@dataclass(frozen=True, slots=True)
class TightUnion:
    r"""The smallest law of zeta (squared: ``mean + sqrt(zeta) * sd``) that the union bound over m events allows.

    .. math:: \zeta = \big(\bar\Phi^{-1}(U/m)\big)^2, \qquad U \sim \mathrm{Uniform}(0, 1]

    The key lemma of Takeno et al. (2023, Lemma 4.2) needs P(N > sqrt(zeta)) <= U/m only; the paper's law uses an upper
    bound of that tail. With the same U this zeta is smaller on every draw, and the theorem holds with its mean in the
    place of s + 2. On a table with one outcome m is the number of candidates. One event, as nothing can be better than
    the only candidate, gives 0. It does not change with t.

    >>> round(TightUnion(1000).mean(t=1), 6)
    11.405091
    """

    n_events: int

    def __post_init__(self) -> None:
        as_whole(self.n_events, "n_events", least=1)

    def draw(self, t: int, rng: np.random.Generator) -> float:
        """One zeta_t."""
        check_t(t)
        return self._squared(1.0 - rng.random())  # U in (0, 1]

    def mean(self, t: int) -> float:
        r""":math:`E\zeta = 1 + m z \phi(z)` with z the tail's quantile at 1/m."""
        z, density = self._start(t)
        return 1.0 + z * density if self.n_events > 1 else 0.0

    def var(self, t: int) -> float:
        r""":math:`E\zeta^2 - (E\zeta)^2` with :math:`E\zeta^2 = 3 + m (z^3 + 3 z) \phi(z)`."""
        z, density = self._start(t)
        return 3.0 + z * (z * z + 3.0) * density - self.mean(t) ** 2 if self.n_events > 1 else 0.0

    def quantile(self, t: int, p: float) -> float:
        """The squared quantile of the tail at (1 - p)/m, for 0 <= p < 1."""
        check_t(t)
        return self._squared(1.0 - _probability(p))

    def interval(self, t: int, p: float = 0.95) -> tuple[float, float]:
        """Central interval of probability ``p``."""
        return _central(self, t, p)

    def mean_sqrt(self, t: int) -> float:
        r"""Mean of the multiplier itself, :math:`E\sqrt\zeta = m \phi(z)`.

        >>> round(TightUnion(1000).mean_sqrt(t=1), 6)
        3.36709
        """
        return self._start(t)[1] if self.n_events > 1 else 0.0

    def _squared(self, uniform: float) -> float:
        return float(ndtri(uniform / self.n_events)) ** 2 if self.n_events > 1 else 0.0

    def _start(self, t: int) -> tuple[float, float]:
        """The smallest multiplier z, P(N > z) = 1/m, and m phi(z)."""
        check_t(t)
        z = -float(ndtri(1.0 / self.n_events)) if self.n_events > 1 else 0.0
        return z, self.n_events * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


@dataclass(frozen=True, slots=True)
class GammaLaw:
    r"""Law of zeta of RGP-UCB (zeta is squared: ``mean + sqrt(zeta) * sd``).

    .. math:: \zeta_t \sim \mathrm{Gamma}(\text{shape } \kappa_t, \text{scale } 1)

    ``shape`` is a number >= 0 or a function of t; shape 0 is the point mass at 0. The shape carries the growth: a law
    with shape 1 and scale kappa_t has the same mean and is another rule.

    >>> round(GammaLaw.for_table(n_candidates=1000).mean(t=1), 3)
    17.037
    """

    shape: float | OfTime

    def __post_init__(self) -> None:
        _check_now(self.shape, "shape")

    @classmethod
    def for_table(cls, n_candidates: int) -> "GammaLaw":
        """The law on ``n_candidates`` distinct rows; see :class:`TableShape`."""
        return cls(TableShape(n_candidates))

    @classmethod
    def heuristic(cls, dim: int) -> "GammaLaw":
        """The paper's experiments on boxes; see :class:`LogGrowth`."""
        return cls(LogGrowth(dim))

    def draw(self, t: int, rng: np.random.Generator) -> float:
        """One zeta_t."""
        return float(rng.gamma(value_at(self.shape, t, "shape"), 1.0))

    def mean(self, t: int) -> float:
        """E[zeta_t], the shape."""
        return value_at(self.shape, t, "shape")

    def var(self, t: int) -> float:
        """Var[zeta_t], the shape too."""
        return value_at(self.shape, t, "shape")

    def quantile(self, t: int, p: float) -> float:
        """Inverse of the regularised incomplete gamma function, for 0 <= p < 1."""
        shape = value_at(self.shape, t, "shape")
        return float(gammaincinv(shape, _probability(p))) if shape > 0.0 else 0.0

    def mean_u(self, t: int) -> float:
        r"""Mean of U_t in zeta_t = 2 log(1/U_t), :math:`E[e^{-\zeta_t/2}] = 1.5^{-\kappa_t}`.

        >>> round(GammaLaw.for_table(n_candidates=1000).mean_u(t=1), 6)
        0.001
        """
        return float(1.5 ** -value_at(self.shape, t, "shape"))

    def interval(self, t: int, p: float = 0.95) -> tuple[float, float]:
        """Central interval of probability ``p``."""
        return _central(self, t, p)


@dataclass(frozen=True, slots=True)
class Schedule:
    r"""Law of zeta of GP-UCB (zeta is squared: ``mean + sqrt(zeta) * sd``): no randomness at all.

    .. math:: P(\zeta_t = \beta_t) = 1

    ``beta`` is a number >= 0 or a function of t. Drawing leaves the generator as it was.

    >>> Schedule.constant(4.0).interval(t=3)
    (4.0, 4.0)
    """

    beta: float | OfTime

    def __post_init__(self) -> None:
        _check_now(self.beta, "beta")

    @classmethod
    def for_table(cls, n_candidates: int) -> "Schedule":
        """GP-UCB for expected regret on ``n_candidates`` distinct rows; see :class:`TableBeta`."""
        return cls(TableBeta(n_candidates))

    @classmethod
    def heuristic(cls, dim: int) -> "Schedule":
        """The paper's experiments on boxes; see :class:`LogGrowth`."""
        return cls(LogGrowth(dim))

    @classmethod
    def constant(cls, beta: float) -> "Schedule":
        """A constant beta; its regret can grow linearly (Takeno et al. 2024, Theorem 4.6)."""
        return cls(as_finite_float(beta, "beta"))

    def draw(self, t: int, rng: np.random.Generator) -> float:  # noqa: ARG002 (a law is asked with a generator)
        """beta_t."""
        return value_at(self.beta, t, "beta")

    def mean(self, t: int) -> float:
        """beta_t."""
        return value_at(self.beta, t, "beta")

    def var(self, t: int) -> float:
        """0."""
        value_at(self.beta, t, "beta")
        return 0.0

    def quantile(self, t: int, p: float) -> float:
        """beta_t, for 0 <= p < 1."""
        _probability(p)
        return value_at(self.beta, t, "beta")

    def mean_u(self, t: int) -> float:
        """U_t itself, exp(-beta_t/2)."""
        return math.exp(-0.5 * value_at(self.beta, t, "beta"))

    def interval(self, t: int, p: float = 0.95) -> tuple[float, float]:
        """(beta_t, beta_t)."""
        return _central(self, t, p)


def _central(law: Law, t: int, p: float) -> tuple[float, float]:
    p = _probability(p)
    return law.quantile(t, 0.5 * (1.0 - p)), law.quantile(t, 0.5 * (1.0 + p))


def _probability(p: float) -> float:
    number = as_finite_float(p, "p")
    if not 0.0 <= number < 1.0:
        raise InvalidInput(f"p must be a probability with 0 <= p < 1, got {show(p)}. For 95 percent give 0.95.")
    return number


def _check_now(value: float | OfTime, what: str) -> None:
    """A bad constant fails when the law is made, not at the first draw; a function is checked when it is called."""
    if not callable(value):
        value_at(value, 1, what)
