r"""Random straddle: where the posterior is near a level, or too little is known to say on which side of it.

.. math:: x_t = \arg\max_x \; \sqrt{\zeta_t}\, \sigma(x) - |\mu(x) - h|, \qquad \zeta_t \sim \chi^2_2

The bound is in :mod:`regretless.theory.level_set` (Inatsu et al. 2024). No number of candidates enters, nothing grows.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from regretless.acquisition.base import MomentScore, Rule, View
from regretless.arrays import Floats

__all__ = ["RandomStraddle"]


@dataclass(frozen=True, slots=True)
class Straddling:
    """``root * sd - |mean - level|``."""

    root: float
    level: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """By how much the interval of ``root`` sds reaches beyond the level, on its nearer side."""
        return self.root * sd - np.abs(mean - self.level)

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, float]:  # noqa: ARG002
        """Minus the sign of the distance, and the root."""
        return -np.sign(mean - self.level), self.root


@dataclass(frozen=True, slots=True)
class RandomStraddle(Rule):
    """The rule of level sets: a fresh chi-square multiplier with two degrees of freedom for each suggestion.

    It needs a level: a study has one by ``goal=LevelSet(above=0.5)``.
    """

    name: ClassVar[str] = "random-straddle"

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """One zeta, squared as always."""
        assert view.level is not None  # a task with this rule has a level
        zeta = float(rng.exponential(2.0))  # ~ Exp(rate 1/2)
        return MomentScore(view.posterior, Straddling(math.sqrt(zeta), view.level), {"zeta": zeta})
