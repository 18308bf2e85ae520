r"""A known function of several measured outcomes, F(x) = h(g_1(x), ..., g_K(x)), each outcome with a model of its own.

Quantile rule: with c = sqrt(zeta) drawn as for upper confidence bounds,

.. math:: x_t = \arg\max_x Q_x(\bar\Phi(c)), \qquad Q_x(p) = \inf\{u : P(F(x) > u) \le p\}

F need not be normal: the maximum of F over N candidates is in law at most max_x Q_x(U/N), U uniform, whatever the joint
law, which is the key lemma with quantiles in the place of mean + c sd. If h is linear it is the plain rule. Where h is
monotone in every outcome, with given signs, h at the bounds of the outcomes will do: see `regretless.theory.events`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from regretless.acquisition.cascade import blocks_of, derivatives
from regretless.acquisition.network import PathOfCascade, QuantileOfCascade, path_of_cascade
from regretless.acquisition.outputs import Edged, JointRule, JointScore, JointUCB, Outputs
from regretless.acquisition.paths import Sample, draw_sample
from regretless.arrays import Floats, as_whole
from regretless.confidence.normal import tail
from regretless.confidence.quantiles import Draws, tail_draws, upper_quantile
from regretless.errors import InvalidInput
from regretless.gp import Posterior

__all__ = ["CompositeTS", "Expectation", "OfParts", "Quantile"]

Function = Callable[[Floats], Floats]


class PartsFormula(Protocol):
    """A number that depends on a point through means and sds of the parts, one column each."""

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """It, (N,)."""
        ...

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats, Floats]:
        """It, and its derivatives with respect to means and sds, (N, K) each."""
        ...


@dataclass(frozen=True, slots=True)
class QuantileOf:
    """The quantile of h by draws that all points share."""

    outer: Function
    draws: Draws
    p: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """Q(p) at every row of the moments."""
        blocks = blocks_of(len(mean), self.draws.z.size)
        return np.concatenate([self._of(mean[rows], sd[rows]) for rows in blocks])

    def _of(self, mean: Floats, sd: Floats) -> Floats:
        F = self.outer(mean[:, None, :] + sd[:, None, :] * self.draws.z)
        return F[np.arange(len(F)), upper_quantile(F, self.draws.weights, self.p)]

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats, Floats]:
        """Those of h at the draw where its quantile lies."""
        F = self.outer(mean[:, None, :] + sd[:, None, :] * self.draws.z)
        draw = upper_quantile(F, self.draws.weights, self.p)
        z = self.draws.z[draw]
        by_mean = derivatives(self.outer, mean + sd * z)
        return F[np.arange(len(F)), draw], by_mean, by_mean * z


@dataclass(frozen=True, slots=True)
class Expectation:
    """The mean of h by draws that all points share."""

    outer: Function
    z: Floats  # (R, K)

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """E h at every row of the moments."""
        blocks = blocks_of(len(mean), self.z.size)
        return np.concatenate([self._of(mean[rows], sd[rows]) for rows in blocks])

    def _of(self, mean: Floats, sd: Floats) -> Floats:
        found: Floats = self.outer(mean[:, None, :] + sd[:, None, :] * self.z).mean(axis=1)
        return found

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats, Floats]:
        """Means of those of h."""
        each = derivatives(self.outer, mean[:, None, :] + sd[:, None, :] * self.z)
        return self._of(mean, sd), each.mean(axis=1), (each * self.z).mean(axis=1)


@dataclass(frozen=True, slots=True)
class AtBounds:
    """h at upper bounds of the outcomes in which it rises, and lower bounds of those in which it falls."""

    outer: Function
    root: float
    signs: Floats  # (K,)

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The function h at the bounds."""
        return self.outer(mean + self.root * self.signs * sd)

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats, Floats]:
        """Those of h at the bounds."""
        g = mean + self.root * self.signs * sd
        by_mean = derivatives(self.outer, g)
        return self.outer(g), by_mean, by_mean * self.root * self.signs


@dataclass(frozen=True, slots=True)
class OfParts:
    """A formula of the parts' posteriors as a score; its gradient by differences of h and the chain rule."""

    posteriors: tuple[Posterior, ...]
    formula: PartsFormula
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:
        """The score of every candidate, from moments already known."""
        return self.formula.value(outputs.mean[:, 1:], outputs.sd[:, 1:])

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X."""
        moments = [posterior.mean_sd(X) for posterior in self.posteriors]
        return self.formula.value(*(np.column_stack(columns) for columns in zip(*moments, strict=True)))

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The score and its gradient at the rows of X."""
        means, sds, pulls = zip(*(posterior.mean_sd_pull(X) for posterior in self.posteriors), strict=True)
        value, by_mean, by_sd = self.formula.slopes(np.column_stack(means), np.column_stack(sds))
        gradient = np.zeros_like(X)
        for k, pull in enumerate(pulls):
            gradient = gradient + pull(by_mean[:, k], by_sd[:, k])
        return value, gradient

    @property
    def edges(self) -> Edged | None:
        """None: it is defined everywhere."""
        return None


@dataclass(frozen=True, slots=True)
class Quantile(JointUCB):
    """The quantile rule for a known function of measured outcomes or a network of stages, one zeta for each suggestion.

    zeta is squared. ``draws`` are those by which quantiles are computed: simulated, but for a function said to be
    monotone.
    """

    name: ClassVar[str] = "quantile"
    draws: int = 1024

    def __post_init__(self) -> None:
        JointUCB.__post_init__(self)
        as_whole(self.draws, "draws", least=64)

    def events_each(self, outputs: Outputs) -> int:
        """One: F(x) exceeds its quantile; K where bounds of all outcomes have to hold at once."""
        outer = outputs.outer
        return 1 if outer is None or outer.signs is None else len(outputs.views) - 1

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointScore:
        """One zeta, and the draws of the quantiles."""
        outer, posteriors, cascade = outputs.outer, outputs.posteriors[1:], outputs.cascade
        if cascade is not None:
            zeta = self.draw_zeta(outputs, t, rng)
            root = math.sqrt(zeta)
            found = tail_draws(root, self.draws, len(cascade), rng)
            return QuantileOfCascade(cascade, found, float(tail(root)), {"zeta": zeta})
        if outer is None:
            raise InvalidInput("quantile is the rule of composite objectives: give objective=Composite(...) with it.")
        zeta = self.draw_zeta(outputs, t, rng)
        root, record = math.sqrt(zeta), {"zeta": zeta}
        if outer.signs is not None:
            return OfParts(posteriors, AtBounds(outer.function, root, outer.signs), record)
        found = tail_draws(root, self.draws, len(posteriors), rng)
        return OfParts(posteriors, QuantileOf(outer.function, found, float(tail(root))), record)


@dataclass(frozen=True, slots=True)
class PathsOfParts:
    """h of one sample path of each outcome."""

    outer: Function
    samples: tuple[Sample, ...]
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:  # noqa: ARG002
        """On the candidates that the paths were drawn on."""
        return self.outer(np.column_stack([sample.values[:, 0] for sample in self.samples]))

    def at(self, X: Floats) -> Floats:
        """At the rows of X."""
        return self.outer(self._paths(X)[0])

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The value and its gradient at the rows of X."""
        g, gradients = self._paths(X)
        by_part = derivatives(self.outer, g)
        return self.outer(g), sum((by_part[:, k, None] * each for k, each in enumerate(gradients)), np.zeros_like(X))

    def _paths(self, X: Floats) -> tuple[Floats, list[Floats]]:
        values, gradients = [], []
        for sample in self.samples:
            if sample.paths is None:
                raise InvalidInput("A path drawn exactly on a table has no values between its candidates.")
            value, gradient = sample.paths.value_and_gradient(X, np.zeros(len(X), dtype=np.intp))
            values.append(value)
            gradients.append(gradient)
        return np.column_stack(values), gradients

    @property
    def edges(self) -> Edged | None:
        """None: it is defined everywhere."""
        return None


@dataclass(frozen=True, slots=True)
class CompositeTS(JointRule):
    """Thompson sampling of a composite objective: the maximiser of h of one posterior path of each outcome.

    Of a network: of one path of each stage, pushed through.
    """

    name: ClassVar[str] = "composite-ts"
    n_features: int = 1000

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> PathsOfParts | PathOfCascade:  # noqa: ARG002
        """One path of each outcome."""
        if outputs.cascade is not None:
            return path_of_cascade(outputs, rng, n_features=self.n_features)
        if outputs.outer is None:
            raise InvalidInput("composite-ts is a rule of composite objectives: give objective=Composite(...) with it.")
        samples = tuple(draw_sample(view, 1, rng, n_features=self.n_features) for view in outputs.views[1:])
        return PathsOfParts(outputs.outer.function, samples)
