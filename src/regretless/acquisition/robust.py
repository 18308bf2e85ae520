r"""Robust decisions: an upper bound on the worth of a decision over its environments, and where to measure it.

A decision x has values f(x, w) in environments w, and is worth F(f(x, .)), see :mod:`regretless.risk`. With l the
tangent of F at some values that the data fix, F <= l . f, one normal variable with moments l . mu and l' S l, where mu
and S are those of f(x, .):

.. math:: x_t = \arg\max_x \; l_x \cdot \mu(x, \cdot) + \sqrt{\zeta_t\; l_x' S(x)\, l_x}, \qquad
          \zeta_t \sim \text{law with one event per decision}

The tangent is taken at the upper bounds mu + sqrt(zeta) sd of a coherent aim, so that the score is never above F of
these, and is the usual min_w of the worst case; of the mean less the standard deviation it is taken at mu. Which
environment to measure is the business of `RobustScore.environment`. Proofs are in :mod:`regretless.theory.robust`.

Where the model sees low values compressed, the aim is that of the values e(f), with e increasing and concave: F(e(.))
is concave for a coherent aim, and its tangent, F(e(u)) + l e'(u) . (f - u) at the upper bounds u, lies above it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from regretless.acquisition.base import Rule, View
from regretless.acquisition.ucb import BOX_SHIFT
from regretless.arrays import Floats, show
from regretless.confidence import Interleaved, Law, ShiftedExponential
from regretless.confidence.schedules import EVERY
from regretless.errors import InvalidInput
from regretless.gp import Expansion
from regretless.gp.groups import Grouped, grouped
from regretless.gp.regression import Posterior
from regretless.risk import Aim, Expectation
from regretless.spaces import Scenarios

__all__ = ["RobustScore", "RobustUCB"]

#: Points of the joint space whose moments are computed at once: their covariances within groups stay small.
_POINTS = 1 << 14


@dataclass(frozen=True, slots=True)
class RobustScore:
    """The upper bound of F at decisions, for one draw of zeta (squared); ``lower`` is that of the environment."""

    posterior: Posterior
    scenarios: Scenarios
    aim: Aim
    root: float
    lower: float = 0.0
    record: Mapping[str, float] = field(default_factory=dict)
    expansion: Expansion | None = None

    def on(self, view: View) -> Floats:
        """The score of every decision of a list, or of those from which a search starts."""
        X = self.scenarios.decisions.candidates
        return self.at(view.X if X is None else X)

    def at(self, X: Floats) -> Floats:
        """The score at decisions, the rows of X."""
        step = max(1, _POINTS // len(self.scenarios.weights))
        parts = [self._value(self._grouped(X[begin : begin + step]))[0] for begin in range(0, len(X), step)]
        return np.concatenate(parts) if parts else np.empty(0)

    def value_and_gradient(self, X: Floats) -> tuple[Floats, Floats]:
        """The score and its gradient at decisions; away from ties, where the tangent jumps."""
        group, p = self._grouped(X), self.scenarios.weights
        value, tangent, sd = self._value(group)
        along = self.root * group.cov_with(tangent) / sd[:, None]  # d(sqrt(zeta) sd_l) / dl
        by_mean, by_sds = tangent, np.zeros_like(tangent)
        if not self.aim.coherent:  # the tangent turns with the means
            by_mean = tangent + self.aim.turn(group.mean, p, along)
        elif self.expansion is not None:  # it turns with the upper bounds
            upper = group.mean + self.root * group.sd
            law = self.aim.tangent(self.expansion(upper), p)
            turned = (along - self.root * group.sd) * law * self.expansion.curve(upper)
            by_mean, by_sds = tangent + turned, self.root * turned
        by_cov = (0.5 * self.root / sd)[:, None, None] * tangent[:, :, None] * tangent[:, None, :]
        np.einsum("mww->mw", by_cov)[...] += 0.5 * by_sds / group.sd
        return value, self.scenarios.pull(X, group.pull(by_mean, by_cov))

    def environment(self, x: Floats, open_: npt.NDArray[np.bool_] | None = None) -> int:
        r"""The number of the environment to measure a decision in, among those that are ``open_``; of equals the first.

        For the mean, what tells most about it: the largest :math:`\mathrm{cov}(F, f_w)^2 / (v_w + \sigma^2)`. For
        another coherent aim, the largest sd among those with weight in the tangent at mu - sqrt(zeta') sd: in the worst
        case the smallest lower bound. Else the largest sd.
        """
        group, p = self._grouped(x[None, :]), self.scenarios.weights
        mean, sd = group.mean, group.sd
        steep = np.ones_like(mean) if self.expansion is None else self.expansion.slope(mean)
        if isinstance(self.aim, Expectation):
            worth = group.cov_with(p * steep)[0] ** 2 / (sd[0] ** 2 + self.posterior.noise_var)
        else:
            worth = (steep * sd)[0]
            if self.aim.coherent:
                weight = self.aim.tangent(self._linear(mean - self.lower * sd), p)[0]
                worth[weight <= 0.0] -= 2.0 * worth.max()  # only if no other is open
        if open_ is not None and open_.any():
            worth = np.where(open_, worth, -np.inf)
        return int(worth.argmax())

    def _grouped(self, X: Floats) -> Grouped:
        return grouped(self.posterior, self.scenarios.points(X), rigid=self.scenarios.rigid)

    def _linear(self, z: Floats) -> Floats:
        return z if self.expansion is None else self.expansion(z)

    def _value(self, group: Grouped) -> tuple[Floats, Floats, Floats]:
        """The score, the tangent it rests on, and the sd of that."""
        at = group.mean + self.root * group.sd if self.aim.coherent else group.mean
        linear = self._linear(at)
        law = tangent = self.aim.tangent(linear, self.scenarios.weights)
        if self.expansion is not None:
            tangent = law * self.expansion.slope(at)
        sd = group.sd_of(tangent)
        level = np.einsum("mw,mw->m", law, linear) + np.einsum("mw,mw->m", tangent, group.mean - at)
        return level + self.root * sd, tangent, sd


@dataclass(frozen=True, slots=True)
class RobustUCB(Rule):
    """The rule of robust decisions: one zeta for the decision, and an independent one for the environment.

    Without a ``law`` zeta is s + Exp(rate 1/2) with s = 0, but at every fourth step that of the theorem for the number
    of decisions on a list, 4 elsewhere, as `IRGPUCB` has it. It needs an environment: a study has one by
    ``environment=Environment("humidity", [20, 40, 60])``.
    """

    name: ClassVar[str] = "robust-ucb"
    law: Law | None = None

    def __post_init__(self) -> None:
        if self.law is not None and not hasattr(self.law, "draw"):
            raise InvalidInput(f"{self.name}: law must be a law of zeta such as TightUnion(200), got {show(self.law)}.")

    def law_for(self, n_decisions: int | None) -> Law:
        """The law of zeta for a list of so many decisions; None: a space that is no list."""
        if self.law is not None:
            return self.law
        if n_decisions is None:
            return ShiftedExponential(Interleaved(BOX_SHIFT, EVERY))
        return ShiftedExponential.for_table(n_decisions, every=EVERY)

    def draw(self, view: View, t: int, rng: np.random.Generator) -> RobustScore:
        """One zeta for the decision, one for the environment: a bound fails if they are the same."""
        scenarios = view.scenarios
        assert scenarios is not None  # a task with this rule has environments
        zeta = float(self.law_for(scenarios.decisions.n_candidates).draw(t, rng))
        if not 0.0 <= zeta < math.inf:
            raise InvalidInput(f"{self.name}: a law must draw a finite zeta >= 0, got {zeta} from {self.law!r}.")
        lower = float(ShiftedExponential.for_table(len(scenarios.weights)).draw(t, rng))
        assert view.aim is not None
        expansion = view.expansion if view.aim.coherent else None
        drawn = {"zeta": zeta, "zeta_environment": lower}
        return RobustScore(view.posterior, scenarios, view.aim, math.sqrt(zeta), math.sqrt(lower), drawn, expansion)
