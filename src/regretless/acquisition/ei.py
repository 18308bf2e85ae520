r"""Expected improvement, as its logarithm, which has a gradient where the improvement underflows.

.. math:: \log \mathrm{EI}(x) = \log \sigma(x) + \log \psi\big(-z\big), \qquad z = (\mu(x) - y^+)/\sigma(x)
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from regretless.acquisition.base import MomentScore, Rule, View
from regretless.arrays import Floats, show
from regretless.confidence.normal import log_psi, mills, psi, psi_ratio, tail
from regretless.errors import InvalidInput

__all__ = ["EI"]

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True, slots=True)
class LogImprovement:
    """``log E[(f - incumbent)^+]``."""

    incumbent: float

    def value(self, mean: Floats, sd: Floats) -> Floats:
        """Log expected improvement."""
        log_ei: Floats = np.log(sd) + log_psi((self.incumbent - mean) / sd)
        return log_ei

    def slopes(self, mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
        """``Phi(z) / EI`` and ``phi(z) / EI``; below the incumbent as ratios to the density, which never underflow."""
        z = (mean - self.incumbent) / sd
        down, up = np.maximum(-z, 0.0), np.maximum(z, 0.0)
        below, above = sd * psi_ratio(down), sd * psi(-up)
        density = np.exp(-0.5 * np.minimum(up, 40.0) ** 2 - _LOG_SQRT_2PI)
        by_mean = np.where(z < 0.0, mills(down) / below, tail(-up) / above)
        by_sd = np.where(z < 0.0, 1.0 / below, density / above)
        return by_mean, by_sd


@dataclass(frozen=True, slots=True)
class EI(Rule):
    """Expected improvement over y+ (Mockus 1978).

    ``incumbent``: ``"mean"`` takes the best posterior mean at a measured point (for noisy values), ``"value"`` the best
    measured value.
    """

    name: ClassVar[str] = "ei"
    incumbent: Literal["mean", "value"] = "mean"

    def __post_init__(self) -> None:
        if self.incumbent not in ("mean", "value"):
            raise InvalidInput(f"EI: incumbent must be 'mean' or 'value', got {show(self.incumbent)}.")

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is random."""
        best = view.best_told
        if self.incumbent == "mean" and len(view.told):
            best = float(view.mean_at_told().max())
        return MomentScore(view.posterior, LogImprovement(best), {"incumbent": best})
