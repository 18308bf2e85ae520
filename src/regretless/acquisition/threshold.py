r"""Rules with a threshold: PIMS, ATS, ATSc and EST differ only in how the threshold is chosen.

.. math:: x_t = \arg\min_x \; \frac{u - \mu(x)}{\sigma(x)}

PIMS takes for u the maximum of a posterior sample path; ATS a random level u(U) that lies above the maximum in law,
computed from the tail sum S(u) = sum_x P(f(x) > u) without drawing a path; EST the smallest certified bound on E max f.
On a box the sums run over the view's candidate set.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from regretless.acquisition.base import MomentScore, Rule, View
from regretless.acquisition.paths import draw_sample
from regretless.arrays import Floats
from regretless.confidence import certified_threshold, random_threshold, tail_sum

__all__ = ["ATS", "EST", "PIMS", "ATSc"]


@dataclass(frozen=True, slots=True)
class Reach:
    """``(mean - u) / sd``: minus the multiplier needed to reach u."""

    u: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """Minus the multiplier."""
        return (mean - self.u) / sd

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """``1/sd`` and ``(u - mean)/sd^2``."""
        inverse: Floats = 1.0 / sd
        return inverse, (self.u - mean) * inverse * inverse


@dataclass(frozen=True, slots=True)
class Mean:
    """The posterior mean alone: pure exploitation, multiplier zero."""

    def value(self, mean: Floats, sd: Floats) -> Floats:  # noqa: ARG002
        """The mean."""
        return mean

    def slopes(self, mean: Floats, sd: Floats) -> tuple[float, float]:  # noqa: ARG002
        """One and zero."""
        return 1.0, 0.0


@dataclass(frozen=True, slots=True)
class PIMS(Rule):
    """Probability of improvement from the maximum of a sample path (Takeno et al. 2024)."""

    name: ClassVar[str] = "pims"
    n_features: int = 1000

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """One path; its maximum is the threshold."""
        level = float(draw_sample(view, 1, rng, n_features=self.n_features).maxima(view).values[0])
        return MomentScore(view.posterior, Reach(level), {"threshold": level})


@dataclass(frozen=True, slots=True)
class ATS(Rule):
    """Adaptive threshold from one uniform draw; its multiplier is below IRGP-UCB's on every draw, same bound."""

    name: ClassVar[str] = "ats"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Smallest u with S(u) <= U; where u <= max mean the mean itself is maximised."""
        uniform = 1.0 - rng.random()  # in (0, 1]
        u = random_threshold(view.mean, view.sd, uniform)
        exploit = u <= view.mean.max()
        return MomentScore(view.posterior, Mean() if exploit else Reach(u), {"uniform": uniform, "threshold": u})


@dataclass(frozen=True, slots=True)
class ATSc(Rule):
    """ATS with U drawn below S(max mean), so that it never exploits for nothing."""

    name: ClassVar[str] = "atsc"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """U uniform on (0, min(1, S(max mean))]."""
        top = min(1.0, tail_sum(float(view.mean.max()), view.mean, view.sd))
        uniform = (1.0 - rng.random()) * top if top > 0.0 else 1.0
        u = random_threshold(view.mean, view.sd, uniform)
        return MomentScore(view.posterior, Reach(u), {"uniform": uniform, "threshold": u})


@dataclass(frozen=True, slots=True)
class EST(Rule):
    """Certified threshold u = min_u h(u) >= E max f: deterministic, and its step bound is known beforehand."""

    name: ClassVar[str] = "est"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is random."""
        _, u = certified_threshold(view.mean, view.sd)
        return MomentScore(view.posterior, Reach(u), {"threshold": u})
