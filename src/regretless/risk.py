r"""What a decision is worth when the environment is not ours to choose: functionals of its values over environments.

``f`` holds the values of a decision in the n_w environments, in the last axis, and ``weights`` the probabilities p of
these. Every aim F here is concave and positively homogeneous: a minimum of linear functionals l,

.. math:: F(f) = \min_{l \in A} l \cdot f, \qquad F(f) \le l \cdot f \text{ for every } l \in A

`tangent` is an l that attains the minimum at given values. As l . f is one normal variable where f is a Gaussian
process, one event per decision is all that a bound on the largest F needs, whatever the number of environments:
:mod:`regretless.theory.robust`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats, as_finite_float, as_matrix, as_vector, show
from regretless.errors import InvalidInput

__all__ = ["AIMS", "Aim", "CVaR", "Expectation", "MeanMinusStd", "WeightSet", "WorstCase", "as_weights"]

#: Weights that add up to one but for this are made to.
_SLACK = 1e-6
_EXACT = 1e-12


class Aim(ABC):
    """What is maximised over the decisions."""

    __slots__ = ()
    #: Whether every l is a law on the environments: F then does not fall where f rises.
    coherent: ClassVar[bool] = True

    @abstractmethod
    def tangent(self, f: Floats, weights: Floats) -> Floats:
        """A functional l in A with l . f = F(f), same shape as f."""

    def value(self, f: Floats, weights: Floats) -> Floats:
        """``F(f)``, one number for each row of f."""
        found: Floats = np.einsum("...w,...w->...", self.tangent(f, weights), f)
        return found

    def turn(self, f: Floats, weights: Floats, by: Floats) -> Floats:  # noqa: ARG002
        """The gradient in f of ``by . tangent(f)``: 0 where the tangent stays as it is in a neighbourhood."""
        return np.zeros_like(f)

    def shortfall(self, weights: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Rows r_k and factors b_k with ``F(f) >= v - sum_k b_k (v - r_k . f)^+`` for every v; None: there are none."""
        return None

    def check(self, n_environments: int) -> None:  # noqa: B027
        """Raise `InvalidInput` where there is no such aim for so many environments."""

    @abstractmethod
    def words(self, objective: str, environment: str, *, larger: bool = True) -> str:
        """What is looked for, where ``larger`` values or smaller ones are."""


@dataclass(frozen=True, slots=True)
class Expectation(Aim):
    """The mean over the environments, weighted by their probabilities.

    >>> float(Expectation().value(np.array([1.0, 4.0]), np.array([0.75, 0.25])))
    1.75
    """

    def tangent(self, f: Floats, weights: Floats) -> Floats:
        """The probabilities."""
        return np.broadcast_to(weights, f.shape)

    def words(self, objective: str, environment: str, *, larger: bool = True) -> str:  # noqa: ARG002
        """What is looked for."""
        return f"mean {objective} over {environment}"


@dataclass(frozen=True, slots=True)
class WorstCase(Aim):
    """The smallest value over the environments, whatever their probabilities.

    >>> float(WorstCase().value(np.array([1.0, 4.0]), np.array([0.75, 0.25])))
    1.0
    """

    def tangent(self, f: Floats, weights: Floats) -> Floats:  # noqa: ARG002
        """All weight on the first of the smallest values."""
        found: Floats = np.eye(f.shape[-1])[f.argmin(axis=-1)]
        return found

    def shortfall(self, weights: Floats) -> tuple[Floats, Floats]:
        """Each environment once."""
        return np.eye(len(weights)), np.ones(len(weights))

    def words(self, objective: str, environment: str, *, larger: bool = True) -> str:  # noqa: ARG002
        """What is looked for."""
        return f"worst {objective} over {environment}"


@dataclass(frozen=True, slots=True)
class CVaR(Aim):
    r"""The mean of the worst share of the environments, by probability: the conditional value at risk.

    .. math:: \mathrm{CVaR}_\alpha(f) = \min\Big\{ \sum_w q_w f_w : 0 \le q_w \le p_w/\alpha, \sum_w q_w = 1 \Big\}

    ``share`` is alpha: 1 is the mean, and one of at most the smallest probability the worst case.

    >>> float(CVaR(0.5).value(np.array([1.0, 4.0]), np.array([0.25, 0.75])))
    2.5
    """

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", as_finite_float(self.share, "share"))
        if not 0.0 < self.share <= 1.0:
            raise InvalidInput(f"share must be a probability in (0, 1], such as 0.2, got {show(self.share)}.")

    def tangent(self, f: Floats, weights: Floats) -> Floats:
        """Probabilities over the share, from the smallest value on until they add up to one."""
        order = np.argsort(f, axis=-1, kind="stable")
        p = np.broadcast_to(weights, f.shape)
        sorted_p = np.take_along_axis(p, order, axis=-1)
        before = np.cumsum(sorted_p, axis=-1) - sorted_p
        q = np.clip(self.share - before, 0.0, sorted_p) / self.share
        found = np.empty_like(f)
        np.put_along_axis(found, order, q, axis=-1)
        return found

    def shortfall(self, weights: Floats) -> tuple[Floats, Floats]:
        """Each environment by p over the share: with the best v it is the aim itself (Rockafellar and Uryasev 2000)."""
        return np.eye(len(weights)), weights / self.share

    def words(self, objective: str, environment: str, *, larger: bool = True) -> str:  # noqa: ARG002
        """What is looked for."""
        return f"mean {objective} of the worst {100.0 * self.share:g} % over {environment}"


@dataclass(frozen=True, slots=True)
class WeightSet(Aim):
    """The smallest mean over a set of possible probabilities: distributionally robust.

    ``weights`` has one row per law of the environments; the set is all mixtures of them.

    >>> float(WeightSet([[1.0, 0.0], [0.5, 0.5]]).value(np.array([1.0, 4.0]), np.array([0.5, 0.5])))
    1.0
    """

    weights: tuple[tuple[float, ...], ...]

    def __init__(self, weights: npt.ArrayLike | Sequence[Sequence[float]]) -> None:
        rows = as_matrix(weights, "weights")
        object.__setattr__(self, "weights", tuple(tuple(as_weights(row, len(row)).tolist()) for row in rows))
        if not self.weights:
            raise InvalidInput("weights needs at least one row of probabilities, one per environment.")

    def tangent(self, f: Floats, weights: Floats) -> Floats:  # noqa: ARG002
        """The row with the smallest mean, the first of equals."""
        rows = np.array(self.weights)
        found: Floats = rows[(f @ rows.T).argmin(axis=-1)]
        return found

    def shortfall(self, weights: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Each law once."""
        return np.array(self.weights), np.ones(len(self.weights))

    def check(self, n_environments: int) -> None:
        """A row has a weight per environment."""
        if len(self.weights[0]) != n_environments:
            raise InvalidInput(
                f"a row of WeightSet needs one weight per environment: {n_environments}, got {len(self.weights[0])}."
            )

    def words(self, objective: str, environment: str, *, larger: bool = True) -> str:  # noqa: ARG002
        """What is looked for."""
        return f"smallest mean {objective} over {len(self.weights)} laws of {environment}"


@dataclass(frozen=True, slots=True)
class MeanMinusStd(Aim):
    r"""The mean over the environments less their standard deviation, each with a share.

    .. math:: F(f) = a\, E_p f - (1 - a)\, \mathrm{std}_p f, \qquad
              \mathrm{std}_p f = \max\{E_p v f : E_p v = 0,\, E_p v^2 \le 1\}

    ``share`` is a. More of f in one environment may make it worse: it is not monotone.

    >>> float(MeanMinusStd(0.5).value(np.array([1.0, 3.0]), np.array([0.5, 0.5])))
    0.5
    """

    coherent: ClassVar[bool] = False
    share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", as_finite_float(self.share, "share"))
        if not 0.0 <= self.share <= 1.0:
            raise InvalidInput(f"share must lie in [0, 1], such as 0.5, got {show(self.share)}.")

    def tangent(self, f: Floats, weights: Floats) -> Floats:
        """``p_w (a - (1 - a) v_w)`` with v the standardised values; 0 where all are the same."""
        v, _ = _standardised(f, weights)
        return weights * (self.share - (1.0 - self.share) * v)

    def turn(self, f: Floats, weights: Floats, by: Floats) -> Floats:
        """``-(1 - a) p_w (by_w - E_p by - v_w E_p[v by]) / std``."""
        v, std = _standardised(f, weights)
        along = by - (by @ weights)[..., None] - v * ((v * by) @ weights)[..., None]
        return np.divide(
            -(1.0 - self.share) * weights * along, std[..., None], out=np.zeros_like(f), where=std[..., None] > 0.0
        )

    def words(self, objective: str, environment: str, *, larger: bool = True) -> str:
        """What is looked for."""
        a = self.share
        return f"{a:g} mean {'-' if larger else '+'} {1.0 - a:g} std of {objective} over {environment}"


#: Every aim by the name of its class.
AIMS: dict[str, type[Aim]] = {aim.__name__: aim for aim in (Expectation, WorstCase, CVaR, WeightSet, MeanMinusStd)}


def as_weights(weights: npt.ArrayLike | None, count: int) -> Floats:
    """Probabilities of so many environments: equal where none are given, and made to add up to one.

    >>> as_weights(None, 4).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    if weights is None:
        return np.full(count, 1.0 / count)
    p = as_vector(weights, "weights")
    if len(p) != count or p.min() < 0.0 or abs(p.sum() - 1.0) > _SLACK:
        raise InvalidInput(
            f"weights must be {count} probabilities, one per environment, that add up to 1; got {show(p.tolist())}."
        )
    return p if abs(p.sum() - 1.0) <= _EXACT else np.asarray(p / p.sum())  # what was read back stays as it is


def _standardised(f: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Values less their mean over their standard deviation, and that; 0 where it is lost in rounding."""
    mean = (f @ weights)[..., None]
    away = f - mean
    std = np.sqrt((away * away) @ weights)
    std = np.where(std > 1e-14 * (1.0 + np.abs(mean[..., 0])), std, 0.0)
    return np.divide(away, std[..., None], out=np.zeros_like(f), where=std[..., None] > 0.0), std
