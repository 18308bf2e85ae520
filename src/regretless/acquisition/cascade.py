r"""Stages of which each has some parameters and outputs of earlier stages for inputs, each with a model of its own.

.. math:: g_l(x) = f_l(x_{I_l}, g_{J_l}(x)), \qquad F(x) = h(g_1(x), \ldots, g_K(x))

Every output is measured, so given the data the functions f_l are independent normal processes. At one point x the law
of the outputs is sampled stage by stage, with one standard normal number for each stage:

.. math:: g_l = \mu_l(x_{I_l}, g_{J_l}) + \sigma_l(x_{I_l}, g_{J_l})\, z_l
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.gp import Posterior

__all__ = ["Cascade", "Stage", "blocks_of", "derivatives"]

#: Numbers that are held at a time.
_ROOM = 2_000_000
#: Step of the differences by which h is differentiated, in the units of the models.
_STEP = 1e-5


def blocks_of(n: int, size: int) -> list[slice]:
    """Parts of n rows that can be held at a time, where each takes ``size`` numbers."""
    rows = max(1, _ROOM // max(size, 1))
    return [slice(i, i + rows) for i in range(0, max(n, 1), rows)]


def derivatives(outer: Callable[[Floats], Floats], g: Floats) -> Floats:
    """Partial derivatives of h at points (..., K), by central differences."""
    found = np.empty_like(g)
    for k in range(g.shape[-1]):
        step = np.zeros(g.shape[-1])
        step[k] = _STEP
        found[..., k] = (outer(g + step) - outer(g - step)) / (2.0 * _STEP)
    return found


@dataclass(frozen=True, slots=True)
class Stage:
    """The model of one stage. Its inputs are columns of x, then outputs of earlier stages as they are measured.

    ``posteriors`` are equally likely; there is one to search by. An output as measured is ``shift + scale g``.
    """

    posteriors: tuple[Posterior, ...]
    columns: tuple[int, ...]
    earlier: tuple[int, ...]
    shift: float = 0.0
    scale: float = 1.0
    n_levels: tuple[int, ...] = ()  # of each input the number of its categories, 0 where it is ordered

    def measured(self, g: Floats) -> Floats:
        """Outputs in the units of measurements."""
        return self.shift + self.scale * g


@dataclass(frozen=True, slots=True)
class Cascade:
    """Stages, each after those it depends on, and the function h of their outputs: (..., K) -> (...), to be maximised.

    Outputs are in the units of their models, as h takes them.
    """

    stages: tuple[Stage, ...]
    outer: Callable[[Floats], Floats]

    def __len__(self) -> int:
        return len(self.stages)

    def inputs(self, k: int, X: Floats, g: Floats) -> Floats:
        """What stage k sees at points (..., d) where the stages before gave g (..., K)."""
        stage = self.stages[k]
        outputs = [self.stages[j].measured(g[..., j : j + 1]) for j in stage.earlier]
        return np.concatenate([X[..., list(stage.columns)], *outputs], axis=-1)

    def outputs(self, X: Floats, z: Floats) -> Floats:
        """Draws of all outputs at the rows of X, (m, R, K), from normal numbers (R, K) that all points share.

        The draws take the models of a stage in turns.
        """
        m, (R, K) = len(X), z.shape
        g = np.empty((m, R, K))
        for k, stage in enumerate(self.stages):
            H = len(stage.posteriors)
            for h, posterior in enumerate(stage.posteriors):
                turns = slice(h, R, H)
                if stage.earlier:
                    each = np.broadcast_to(X[:, None, :], (m, len(z[turns]), X.shape[1]))
                    inputs = self.inputs(k, each, g[:, turns])
                    mean, sd = posterior.mean_sd(inputs.reshape(-1, inputs.shape[2]))
                    g[:, turns, k] = mean.reshape(m, -1) + sd.reshape(m, -1) * z[turns, k]
                else:
                    mean, sd = posterior.mean_sd(X[:, list(stage.columns)])
                    g[:, turns, k] = mean[:, None] + sd[:, None] * z[turns, k]
        return g

    def values(self, X: Floats, z: Floats) -> Iterator[Floats]:
        """Draws of F at the rows of X, block by block: (rows, R)."""
        for rows in blocks_of(len(X), z.size):
            yield self.outer(self.outputs(X[rows], z))

    def value_and_gradient(self, X: Floats, z: Floats) -> tuple[Floats, Floats]:
        """F and its gradient at the rows of X, each with normal numbers of its own, (m, K), under one model each."""
        g, pulls = np.zeros((len(X), len(self))), []
        for k, stage in enumerate(self.stages):
            mean, sd, pull = stage.posteriors[0].mean_sd_pull(self.inputs(k, X, g))
            g[:, k] = mean + sd * z[:, k]
            pulls.append(pull)
        by_output = derivatives(self.outer, g)
        return self.outer(g), self.chained(X, by_output, lambda k, slope: pulls[k](slope, slope * z[:, k]))

    def chained(self, X: Floats, by_output: Floats, back: Callable[[int, Floats], Floats]) -> Floats:
        """The gradient of F in X: the last stage first, each hands its slope on to its inputs.

        ``back(k, slope)`` is the gradient in the inputs of stage k of what depends on its output with that slope.
        """
        gradient, slopes = np.zeros_like(X), by_output.copy()
        for k, stage in reversed(list(enumerate(self.stages))):
            by_input, first = back(k, slopes[:, k]), len(stage.columns)
            gradient[:, list(stage.columns)] += by_input[:, :first]
            for i, j in enumerate(stage.earlier, start=first):
                slopes[:, j] += self.stages[j].scale * by_input[:, i]
        return gradient
