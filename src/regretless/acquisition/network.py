"""Scores of a network of stages: a quantile, an expectation, or one sample path of every stage.

The quantile lemma asks for nothing but the law of F(x) at each x, so it holds for a cascade as it does for a known
function of outcomes. Thompson sampling needs F as a function: one path of each stage, pushed through.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from regretless.acquisition.cascade import Cascade, derivatives
from regretless.acquisition.outputs import Edged, Outputs
from regretless.acquisition.paths import BLOCK, EXACT_UP_TO
from regretless.arrays import Floats
from regretless.confidence.quantiles import Draws, upper_quantile
from regretless.errors import InvalidInput
from regretless.gp import Paths, draw_paths
from regretless.linalg import cholesky

__all__ = ["ExpectedOfCascade", "PathOfCascade", "QuantileOfCascade", "path_of_cascade"]


@dataclass(frozen=True, slots=True)
class QuantileOfCascade:
    """The quantile of F by draws that all points share."""

    cascade: Cascade
    draws: Draws
    p: float
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:
        """The score of every candidate."""
        return self.at(outputs.views[0].X)

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X."""
        return np.concatenate([F[np.arange(len(F)), self._draws(F)] for F in self.cascade.values(X, self.draws.z)])

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """Those of F at the draw where its quantile lies."""
        F = np.vstack(list(self.cascade.values(X, self.draws.z)))
        return self.cascade.value_and_gradient(X, self.draws.z[self._draws(F)])

    def _draws(self, F: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        return upper_quantile(F, self.draws.weights, self.p)

    @property
    def edges(self) -> Edged | None:
        """None: it is defined everywhere."""
        return None


@dataclass(frozen=True, slots=True)
class ExpectedOfCascade:
    """The mean of F by draws that all points share."""

    cascade: Cascade
    z: Floats  # (R, K)
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:
        """The score of every candidate."""
        return self.at(outputs.views[0].X)

    def at(self, X: Floats) -> Floats:
        """The score at the rows of X."""
        return np.concatenate([F.mean(axis=1) for F in self.cascade.values(X, self.z)])

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """Means of those of F."""
        R = len(self.z)
        value, gradient = self.cascade.value_and_gradient(np.repeat(X, R, axis=0), np.tile(self.z, (len(X), 1)))
        return value.reshape(-1, R).mean(axis=1), gradient.reshape(len(X), R, -1).mean(axis=1)

    @property
    def edges(self) -> Edged | None:
        """None: it is defined everywhere."""
        return None


@dataclass(frozen=True, slots=True)
class PathOfCascade:
    """F as a function: one sample path of each stage. On a short table it is known on the candidates alone."""

    cascade: Cascade
    values: Floats  # on the candidates
    paths: tuple[Paths, ...] | None
    record: Mapping[str, float] = field(default_factory=dict)

    def on(self, outputs: Outputs) -> Floats:  # noqa: ARG002
        """On the candidates that the paths were drawn on."""
        return self.values

    def at(self, X: Floats) -> Floats:
        """At the rows of X."""
        return _pushed(self.cascade, self._paths, X)

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The value and its gradient at the rows of X."""
        cascade, first = self.cascade, np.zeros(len(X), dtype=np.intp)
        g, gradients = np.zeros((len(X), len(cascade))), []
        for k, path in enumerate(self._paths):
            g[:, k], gradient = path.value_and_gradient(cascade.inputs(k, X, g), first)
            gradients.append(gradient)
        by_output = derivatives(cascade.outer, g)
        return cascade.outer(g), cascade.chained(X, by_output, lambda k, slope: slope[:, None] * gradients[k])

    @property
    def _paths(self) -> tuple[Paths, ...]:
        if self.paths is None:
            raise InvalidInput("Paths drawn exactly on a table have no values between its candidates.")
        return self.paths

    @property
    def edges(self) -> Edged | None:
        """None: it is defined everywhere."""
        return None


def path_of_cascade(outputs: Outputs, rng: np.random.Generator, *, n_features: int) -> PathOfCascade:
    """One path of each stage: exact on a table of up to `EXACT_UP_TO` candidates, else with random features."""
    cascade, X = outputs.cascade, outputs.views[0].X
    assert cascade is not None
    if outputs.n_candidates is not None and len(X) <= EXACT_UP_TO:
        return PathOfCascade(cascade, _exact(cascade, X, rng), None)
    paths = tuple(
        draw_paths(stage.posteriors[0], 1, rng, n_features=n_features, n_levels=stage.n_levels)
        for stage in cascade.stages
    )
    parts = [_pushed(cascade, paths, X[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
    return PathOfCascade(cascade, np.concatenate(parts), paths)


def _pushed(cascade: Cascade, paths: tuple[Paths, ...], X: Floats) -> Floats:
    g = np.zeros((len(X), len(cascade)))
    for k, path in enumerate(paths):
        g[:, k] = path(cascade.inputs(k, X, g))[:, 0]
    return cascade.outer(g)


def _exact(cascade: Cascade, X: Floats, rng: np.random.Generator) -> Floats:
    """Stage by stage, all candidates together: given the outputs before, a stage is drawn at inputs that are known."""
    g = np.zeros((len(X), len(cascade)))
    for k, stage in enumerate(cascade.stages):
        inputs, which = np.unique(cascade.inputs(k, X, g), axis=0, return_inverse=True)  # the same input, one output
        posterior = stage.posteriors[0]
        L = cholesky(posterior.covariance(inputs, inputs)).L
        g[:, k] = (posterior.mean(inputs) + L @ rng.standard_normal(len(inputs)))[which.reshape(-1)]
    return cascade.outer(g)
