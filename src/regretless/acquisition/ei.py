r"""Expected improvement, as its logarithm, which has a gradient where the improvement underflows.

.. math:: \log \mathrm{EI}(x) = \log \sigma(x) + \log \psi\big(-z\big), \qquad z = (\mu(x) - y^+)/\sigma(x)
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import log_ndtr

from regretless.acquisition.base import MomentScore, Rule, View
from regretless.arrays import Floats
from regretless.confidence.normal import log_psi
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
        """``Phi(z) / EI`` and ``phi(z) / EI``."""
        z = (mean - self.incumbent) / sd
        log_ei = np.log(sd) + log_psi(-z)
        return np.exp(log_ndtr(z) - log_ei), np.exp(-0.5 * z * z - _LOG_SQRT_2PI - log_ei)


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
            raise InvalidInput(f"EI: incumbent must be 'mean' or 'value', got {self.incumbent!r}.")

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is random."""
        at_told = self.incumbent == "mean" and len(view.told) > 0
        best = float(view.posterior.mean(view.told).max()) if at_told else view.best_told
        return MomentScore(view.posterior, LogImprovement(best), {"incumbent": best})
