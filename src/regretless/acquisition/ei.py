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
from regretless.gp.blocks import GRID, Envelopes

__all__ = ["EI"]

#: Sums of positive terms are exact to this.
_ROUNDED_UP = 1.0 + 1e-9
#: An improvement that is no number any more is not told apart from this one.
_TINY = 1e-300

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
#: psi(0), the density at 0.
_PSI_0 = 1.0 / np.sqrt(2.0 * np.pi)


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
        if (z < 0.0).all():  # as a rule
            below = sd * psi_ratio(-z)
            return mills(-z) / below, 1.0 / below
        down, up = np.maximum(-z, 0.0), np.maximum(z, 0.0)
        below, above = sd * psi_ratio(down), sd * psi(-up)
        density = np.exp(-0.5 * np.minimum(up, 40.0) ** 2 - _LOG_SQRT_2PI)
        by_mean = np.where(z < 0.0, mills(down) / below, tail(-up) / above)
        by_sd = np.where(z < 0.0, 1.0 / below, density / above)
        return by_mean, by_sd

    def stale(self, envelopes: Envelopes, growth: Floats) -> Floats:
        r"""The logarithm of a bound on the improvement, for moments that lack innovations u with this |u|^2.

        Now mean + c sd <= g(sqrt(c^2 + |u|^2)) <= g(c + |u|) for c >= 0, with g the envelope of a block, which does
        not fall. For c < 0 it is no larger than at c = 0, so with Z standard normal

        .. math:: \mathrm{EI} = E[(\mu + Z \sigma - y^+)^+] \le E\big[(g(\max(Z, 0) + \|u\|) - y^+)^+\big]
                  \le h(\|u\|) + \sum_k h'_k \big(\psi(t_k - \|u\|) - \psi(t_{k+1} - \|u\|)\big)

        where h is the chord of :math:`(g - y^+)^+` between the points t_k of the grid, with slope h'_k, and the sum is
        over what lies behind |u|. Replacing the bound by EI(mean, sd sqrt(1 + |u|^2)) would be wrong: with mean at the
        incumbent, sd = 1 and |u| = 10, one update can make the improvement 10, and that expression is 4.
        """
        h = np.maximum(envelopes.on_grid() - self.incumbent, 0.0)
        shift = np.minimum(np.sqrt(growth), GRID[-1])[:, None]
        slopes = np.diff(h, axis=1) / np.diff(GRID)
        ends = np.maximum(GRID, shift)
        start = h[:, 0] + (slopes * np.diff(np.minimum(GRID, shift), axis=1)).sum(axis=1)
        beyond = envelopes.steepest + envelopes.of_sd
        bound = start + (slopes * -np.diff(psi(ends - shift), axis=1)).sum(axis=1)
        bound += beyond * (psi(GRID[-1] - shift[:, 0]) + np.maximum(np.sqrt(growth) - GRID[-1], 0.0))
        log_bound: Floats = np.log(np.maximum(bound * _ROUNDED_UP, _TINY))
        return log_bound

    def upper(self, mean: Floats, sd: Floats, growth: Floats) -> Floats:
        r"""The same for single rows, where g is a line.

        .. math:: \mathrm{EI} \le E\big[(a + \sigma \max(Z, 0))^+\big]
                  = \max(a, 0) + \sigma \psi\big(\max(-a, 0)/\sigma\big), \qquad a = \mu + \sigma \|u\| - y^+
        """
        z = (mean - self.incumbent) / sd + np.sqrt(growth)
        log_bound: Floats = np.log(sd) + log_psi(np.maximum(-z, 0.0))
        above = z > 0.0
        log_bound[above] = np.log(sd[above] * (z[above] + _PSI_0))
        log_bound += _ROUNDED_UP - 1.0
        return log_bound


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

    @property
    def blockwise(self) -> bool:
        """It has a bound of its own, see `LogImprovement.stale`."""
        return True

    def draw(self, view: View, t: int, rng: np.random.Generator) -> MomentScore:  # noqa: ARG002
        """Nothing is random."""
        best = view.best_told
        if self.incumbent == "mean" and len(view.told):
            best = float(view.mean_at_told().max())
        return MomentScore(view.posterior, LogImprovement(best), {"incumbent": best})
