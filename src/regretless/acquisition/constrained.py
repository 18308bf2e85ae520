r"""One objective under constraints :math:`g_j(x) \le h_j` on outcomes that are unknown too, each with its own model.

With c = sqrt(zeta), one draw for all outcomes, and lower bounds :math:`\mu_j - c\,\sigma_j` of the constraints:

.. math:: S = \{x : \mu_j(x) - c\,\sigma_j(x) \le h_j \text{ for all } j\}, \qquad
          x_t = \arg\max_{x \in S} \mu_f(x) + c\,\sigma_f(x)

The theorems are in :mod:`regretless.theory.constraints`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr

from regretless.acquisition.ei import LogImprovement
from regretless.acquisition.outputs import (
    EVERY_SIXTH,
    Edged,
    JointFormula,
    JointMomentScore,
    JointRule,
    JointUCB,
    OfFirst,
    Outputs,
)
from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats, as_positive
from regretless.confidence.normal import inverse_mills_lower, tail
from regretless.confidence.schedules import EVERY

__all__ = ["ConstrainedEI", "InSet", "Optimistic", "Penalised", "in_optimistic_set"]

#: On a box the score falls before the edge of S: by how much, in standard deviations of the score over the candidates,
#: per prior standard deviation of a constraint, and from how far before the edge.
_WEIGHT = 1.0
_MARGIN = 0.02


#: Steps between two optimistic ones: by how many sd constraints are relaxed, which steps use improvement, and at
#: which constraints are to hold as measured. A function with jumps looks noisy to its model: where the model trusts its
#: mean it may measure on the wrong side of a bound forever.
_LEVELS = {1: -1.0, 3: 0.0, 5: -1.0}
_IMPROVING = (2, 4)
_MEASURED = 5


@dataclass(frozen=True, slots=True)
class InSet:
    r"""A score inside the optimistic set S; outside, how little is missing, and lower than anywhere in S.

    .. math:: a(x) - w \sum_j \frac{\big((v_j + m)^+\big)^2}{2 m} \text{ in } S, \quad
              \text{floor} - \max_j v_j \text{ elsewhere}, \qquad v_j = (\mu_j - c\,\sigma_j - h_j)/\kappa_j

    On a table m = 0 and nothing is subtracted. On a box an ascent that meets the edge of S would stop there; with the
    margin m the edge is felt before it is met, and the ascent turns along it.
    """

    aim: JointFormula
    root: float
    thresholds: Floats
    scales: Floats
    floor: float
    weight: float = 0.0
    margin: float = 0.0
    noise_var: Floats | float = 0.0  # of each constraint, where its measurements have to hold too

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The score."""
        v = self.missing(mean, sd)
        worst = v.max(axis=1)
        inside = self.aim.value(mean, sd)
        if self.margin:
            inside = inside - self.weight * (np.maximum(v + self.margin, 0.0) ** 2).sum(axis=1) / (2.0 * self.margin)
        return np.where(worst <= 0.0, inside, self.floor - worst)

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """Those of the aim less those of what is subtracted; outside S, of the constraint that misses most."""
        v = self.missing(mean, sd)
        outside = v.max(axis=1) > 0.0
        by_mean, by_sd = self.aim.slopes(mean, sd)
        by_v = np.zeros_like(v)
        if self.margin:
            by_v = -self.weight * np.maximum(v + self.margin, 0.0) / self.margin
        by_v[outside] = 0.0
        by_v[outside, v[outside].argmax(axis=1)] = -1.0
        by_mean[outside] = by_sd[outside] = 0.0
        J = v.shape[1]
        by_mean[:, -J:] += by_v / self.scales
        by_sd[:, -J:] -= self.root * by_v / self.scales * (sd[:, -J:] / self.spread(sd))
        return by_mean, by_sd

    def missing(self, mean: Floats, sd: Floats) -> Floats:
        """What the lower bounds are above the thresholds, in prior standard deviations, (N, J)."""
        J = len(self.thresholds)
        return ((mean[:, -J:] - self.root * self.spread(sd)) - self.thresholds) / self.scales

    def spread(self, sd: Floats) -> Floats:
        """Standard deviation of each constraint, of its measurements where noise counts, (N, J)."""
        sd = sd[:, -len(self.thresholds) :]
        return np.sqrt(sd * sd + self.noise_var) if np.any(self.noise_var) else sd


@dataclass(frozen=True, slots=True)
class SetScore(JointMomentScore):
    """The score of `InSet`, with its aim and the edges of the set separate, for a search along them."""

    formula: InSet

    @property
    def edges(self) -> Edged | None:
        """The aim and what is missing, with gradients."""
        return self._at_edges

    def _at_edges(self, x: Floats) -> tuple[float, Floats, Floats, Floats]:
        means, sds, pulls = zip(*(posterior.mean_sd_pull(x[None, :]) for posterior in self.posteriors), strict=True)
        mean, sd = np.column_stack(means), np.column_stack(sds)
        within, J = self.formula, len(self.formula.thresholds)
        by_mean, by_sd = within.aim.slopes(mean, sd)
        gradient = np.zeros(len(x))
        for k, pull in enumerate(pulls[:-J]):
            gradient += pull(by_mean[:, k], by_sd[:, k])[0]
        gradients = [
            pull(1.0 / scale, -within.root / scale * share)[0]
            for pull, scale, share in zip(pulls[-J:], within.scales, sd[0, -J:] / within.spread(sd)[0], strict=True)
        ]
        return float(within.aim.value(mean, sd)[0]), gradient, within.missing(mean, sd)[0], np.array(gradients)


def in_optimistic_set(
    outputs: Outputs, aim: JointFormula, root: float, record: dict[str, float], *, measured: bool = False
) -> JointMomentScore:
    """The aim in the optimistic set of the level ``root``; the aim itself where nothing is constrained.

    A level below 0 makes the set a cautious one: of points whose constraints hold by so many sd, of the measurements
    with their noise if they are to hold as ``measured``. ``record`` gets ``empty`` = 1.0 where no candidate is in the
    optimistic set. On a table that proves that some candidate is feasible with probability at most
    N P(N(0, 1) > root), which is recorded as ``feasible_at_most``.
    """
    if not outputs.n_constraints:
        return JointMomentScore(outputs.posteriors, aim, record)
    mean, sd = outputs.mean, outputs.sd
    values = aim.value(mean, sd)
    low, high = float(values.min()), float(values.max())
    on_box = outputs.n_candidates is None
    weight, margin = (_WEIGHT * float(values.std()), _MARGIN) if on_box else (0.0, 0.0)
    floor = low - (high - low) - 0.5 * weight * margin * outputs.n_constraints - 1.0
    noise_var = outputs.noise_var if measured else 0.0
    formula = InSet(aim, root, np.array(outputs.thresholds), outputs.scales, floor, weight, margin, noise_var)
    if root > 0.0 and formula.missing(mean, sd).max(axis=1).min() > 0.0:
        record["empty"] = 1.0
        if outputs.n_candidates is not None:
            record["feasible_at_most"] = min(1.0, outputs.n_candidates * float(tail(root)))
    return SetScore(outputs.posteriors, formula, record)


@dataclass(frozen=True, slots=True)
class Optimistic(JointUCB):
    r"""The largest upper bound of the objective among points that may be feasible; by default with exploiting steps.

    If no candidate may be feasible at this level, the one that misses least: argmin of the largest
    :math:`(\mu_j - c\,\sigma_j - h_j)/\kappa_j`. The theorem needs N events only, one per candidate, however many
    constraints there are: a candidate outside S is excluded by one of its constraints, one inside is bounded by its
    objective. Without constraints it is IRGP-UCB.

    That step alone ends up just outside the bounds again and again, where upper bounds are largest. So by default it is
    taken at every sixth step, with the theorem's law. Those in between exploit: the largest upper bound where all
    constraints hold by one sd, then where all hold at their means, then where all hold by one sd of a measurement;
    between these, expected improvement under constraints. They were chosen on benchmarks (ADR 52). Whoever gives a
    ``law`` gets the optimistic step always.
    """

    name: ClassVar[str] = "optimistic"

    def period(self, outputs: Outputs) -> int:
        """Six under constraints, four without, as for one outcome."""
        return EVERY_SIXTH if outputs.n_constraints else EVERY

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointMomentScore:
        """One draw of zeta."""
        self.check_one_objective(outputs)
        zeta = self.draw_zeta(outputs, t, rng)
        root = math.sqrt(zeta)
        turn = t % EVERY_SIXTH if self.law is None and outputs.n_constraints else 0
        if turn in _IMPROVING:
            return ConstrainedEI().draw(outputs, t, rng)
        level = _LEVELS.get(turn, root)
        return in_optimistic_set(outputs, OfFirst(UpperBound(root)), level, {"zeta": zeta}, measured=turn == _MEASURED)


@dataclass(frozen=True, slots=True)
class Hinged:
    r""":math:`\mu_f + c\,\sigma_f - \Lambda \sum_j (\mu_j - c\,\sigma_j - h_j)^+`."""

    root: float
    weight: float
    thresholds: Floats

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """The upper bound of the penalised objective."""
        bound = UpperBound(self.root).value(mean[:, 0], sd[:, 0])
        bound -= self.weight * np.maximum(self._missing(mean, sd), 0.0).sum(axis=1)
        return bound

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """(1, c) for the objective; (-weight, weight c) for a constraint whose lower bound is above its threshold."""
        active = self.weight * (self._missing(mean, sd) > 0.0)
        one = np.ones((len(mean), 1))
        return np.hstack([one, -active]), self.root * np.hstack([one, active])

    def _missing(self, mean: Floats, sd: Floats) -> Floats:
        return (mean[:, 1:] - self.root * sd[:, 1:]) - self.thresholds


@dataclass(frozen=True, slots=True)
class Penalised(JointUCB):
    r"""The largest upper bound of the objective less ``weight`` times what the constraints are violated by.

    .. math:: x_t = \arg\max_x \mu_f + c\,\sigma_f - \Lambda \sum_j (\mu_j - c\,\sigma_j - h_j)^+

    Its theorem is about V(x) = f(x) - Lambda sum_j (g_j(x) - h_j)^+, with J + 1 events per candidate. ``weight`` is
    Lambda, in units of the objective's model per unit of a constraint's.
    """

    name: ClassVar[str] = "penalised"
    weight: float = 10.0

    def __post_init__(self) -> None:
        JointUCB.__post_init__(self)
        as_positive(self.weight, f"{self.name}: weight")

    def events_each(self, outputs: Outputs) -> int:
        """The objective's and one per constraint."""
        return 1 + outputs.n_constraints

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointMomentScore:
        """One draw of zeta."""
        self.check_one_objective(outputs)
        zeta = self.draw_zeta(outputs, t, rng)
        formula: JointFormula = OfFirst(UpperBound(math.sqrt(zeta)))
        if outputs.n_constraints:
            formula = Hinged(math.sqrt(zeta), float(self.weight), np.array(outputs.thresholds))
        return JointMomentScore(outputs.posteriors, formula, {"zeta": zeta})


@dataclass(frozen=True, slots=True)
class LogFeasible:
    r"""Log improvement, where there is an incumbent, plus :math:`\sum_j \log \Phi\big((h_j - \mu_j)/\sigma_j\big)`."""

    improvement: JointFormula | None
    thresholds: Floats

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """Log of the improvement times the probability of feasibility."""
        J = len(self.thresholds)
        total: Floats = log_ndtr((self.thresholds - mean[:, -J:]) / sd[:, -J:]).sum(axis=1)
        return total if self.improvement is None else total + self.improvement.value(mean, sd)

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """With r = phi/Phi at z = (h - mean)/sd: -r/sd and -z r/sd for each constraint."""
        J = len(self.thresholds)
        by_mean, by_sd = np.zeros_like(mean), np.zeros_like(sd)
        if self.improvement is not None:
            by_mean, by_sd = self.improvement.slopes(mean, sd)
        z = (self.thresholds - mean[:, -J:]) / sd[:, -J:]
        by_mean[:, -J:] = -inverse_mills_lower(z) / sd[:, -J:]
        by_sd[:, -J:] = by_mean[:, -J:] * z
        return by_mean, by_sd


@dataclass(frozen=True, slots=True)
class ConstrainedEI(JointRule):
    """Expected improvement times the probability of feasibility, as its logarithm (Gardner et al. 2014).

    The incumbent is the best posterior mean among the measured points whose constraints hold at their means. Without
    such a point the probability of feasibility alone is maximised. Fewer violations than the rules of upper bounds,
    and no theorem. For constraints that cost something when they are violated.
    """

    name: ClassVar[str] = "constrained-ei"

    def draw(self, outputs: Outputs, t: int, rng: np.random.Generator) -> JointMomentScore:  # noqa: ARG002
        """Nothing is random."""
        self.check_one_objective(outputs)
        thresholds = np.array(outputs.thresholds)
        means = outputs.means_at_told()
        holds = (means[:, 1:] <= thresholds).all(axis=1)
        if not holds.any():
            if not outputs.n_constraints:  # nothing is measured: as EI
                improvement = LogImprovement(outputs.views[0].best_told)
                return JointMomentScore(outputs.posteriors, OfFirst(improvement), {"incumbent": improvement.incumbent})
            return JointMomentScore(outputs.posteriors, LogFeasible(None, thresholds), {})
        best = float(means[holds, 0].max())
        formula: JointFormula = OfFirst(LogImprovement(best))
        if outputs.n_constraints:
            formula = LogFeasible(formula, thresholds)
        return JointMomentScore(outputs.posteriors, formula, {"incumbent": best})
