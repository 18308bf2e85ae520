"""Where does a function cross a level? A rule of one's own that looks for that instead of the largest value.

`own_rule.py` says how rules are written. The rule here is the randomised straddle. It scores a point by

    sqrt(zeta) * sd - abs(mean - level),     zeta ~ Exp(rate 1/2), fresh for each suggestion

so points that are near the level, or not known well enough to say, come first.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from regretless import Rule, Study, Surrogate
from regretless.acquisition import MomentScore, View
from regretless.arrays import Floats


@dataclass(frozen=True)
class StraddleFormula:
    root: float  # sqrt(zeta)
    level: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        return self.root * sd - np.abs(mean - self.level)

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:  # by mean, by sd
        return -np.sign(mean - self.level), np.full_like(sd, self.root)


@dataclass(frozen=True)
class Straddle(Rule):
    name: ClassVar[str] = "straddle"
    level: float = 0.0

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002 (t is for schedules)
        zeta = float(rng.exponential(2.0))  # ~ Exp(rate 1/2): NumPy's argument is the scale
        return MomentScore(view.posterior, StraddleFormula(math.sqrt(zeta), self.level), {"zeta": zeta})


def f(params: dict[str, float]) -> float:
    return params["x"] ** 2 + params["y"] ** 2  # equals 1 on a circle


# A rule sees the values as the model does. Without standardising, those are the user's own, and so is the level.
study = Study(
    {"x": (-2.0, 2.0), "y": (-2.0, 2.0)}, rule=Straddle(level=1.0), surrogate=Surrogate(standardize=False), seed=5
)
study.optimize(f, 40)

chosen = [trial for trial in study.trials if trial.source == "rule"]
radii = np.array([math.hypot(*trial.params.values()) for trial in chosen])
print(f"{len(chosen)} points chosen by {study.rule.name!r}")
print(f"half of them lie within {np.median(abs(radii - 1.0)):.4f} of the circle where f is 1")
ring = [{"x": math.cos(a), "y": math.sin(a)} for a in np.linspace(0.0, 2 * math.pi, 100)]
mean, sd = study.predict(ring)
print(f"around the circle the model says 1 to within {np.abs(mean - 1.0).max():.4f}, its sd is {sd.max():.4f} at most")
