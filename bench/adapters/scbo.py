"""SCBO (Eriksson and Poloczek 2021), from the parts of BoTorch's tutorial: a trust region and Thompson sampling.

Its settings: lengths 0.8 within 0.5^7 and 1.6, ten successes or max(4, d) failures in a row, 2,000 candidates. The GPs
are BoTorch's default ones: the tutorial's, with bounds instead of priors, could not always be fitted. When the region
has shrunk away it starts again at 0.8, with all data kept.
"""

import gpytorch
import numpy as np
import torch
from botorch.generation.sampling import ConstrainedMaxPosteriorSampling
from torch.quasirandom import SobolEngine

from bench.adapters import Aims, Floats
from bench.adapters.botorch_outcomes import Data, fitted

LENGTH, LENGTH_MIN, LENGTH_MAX = 0.8, 0.5**7, 1.6
SUCCESSES, CANDIDATES = 10, 2000


class Outcomes:
    """On a box, with one objective."""

    def __init__(self, bounds: Floats, aims: Aims, seed: int, X0: Floats, Y0: Floats) -> None:
        self.low, self.width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        self.data = Data(aims, seed, (X0 - self.low) / self.width, Y0)
        self.sobol = SobolEngine(len(bounds), scramble=True, seed=seed)
        self.length, self.successes, self.failures = LENGTH, 0, 0

    def ask(self) -> Floats:
        """The best candidate of one draw from the posterior, inside the trust region."""
        X, Y = self.data.X, self.data.scaled()
        centre, d = X[self._best()], X.shape[1]
        low = torch.clamp(centre - 0.5 * self.length, 0.0, 1.0)
        high = torch.clamp(centre + 0.5 * self.length, 0.0, 1.0)
        candidates = low + (high - low) * self.sobol.draw(CANDIDATES).to(torch.double)
        moved = torch.rand(CANDIDATES, d, dtype=torch.double) <= min(20.0 / d, 1.0)
        candidates = torch.where(moved, candidates, centre)
        with gpytorch.settings.max_cholesky_size(float("inf")):
            objective, constraints = fitted(X, Y[:, :1]), fitted(X, Y[:, 1:])
            draw = ConstrainedMaxPosteriorSampling(model=objective, constraint_model=constraints, replacement=False)
            with torch.no_grad():
                best = draw(candidates, num_samples=1)
        return np.clip(self.low + self.width * best[0].numpy(), self.low, self.low + self.width)

    def tell(self, x: Floats, y: Floats) -> None:
        """What was measured there; the trust region grows after successes and shrinks after failures."""
        before = self._best()
        self.data.observe(torch.tensor((x - self.low) / self.width, dtype=torch.double), y)
        if self._improves(before):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        if self.successes == SUCCESSES:
            self.length, self.successes = min(2.0 * self.length, LENGTH_MAX), 0
        elif self.failures == max(4, self.data.X.shape[1]):
            self.length, self.failures = 0.5 * self.length, 0
        if self.length < LENGTH_MIN:
            self.length = LENGTH

    def _best(self) -> int:
        """The best feasible point, else the one that violates least."""
        Y = self.data.scaled()
        violation = Y[:, 1:].clamp(min=0.0).sum(dim=1)
        if (violation == 0.0).any():
            return int(torch.where(violation == 0.0, Y[:, 0], -torch.inf).argmax())
        return int(violation.argmin())

    def _improves(self, before: int) -> bool:
        """Whether the last point is better than ``before``: less violation, or feasible and better by a thousandth."""
        Y = self.data.scaled()
        violation = Y[[before, -1], 1:].clamp(min=0.0).sum(dim=1)
        if violation[0] > 0.0:
            return bool(violation[1] < violation[0])
        return bool(violation[1] == 0.0 and Y[-1, 0] > Y[before, 0] + 1e-3 * abs(Y[before, 0]))
