"""TuRBO (Eriksson et al. 2019), from the parts of BoTorch's tutorial: a trust region and Thompson sampling.

Its settings: lengths 0.8 within 0.5^7 and 1.6, ten successes or max(4, d) failures in a row, candidates of which each
coordinate leaves the centre with probability min(1, 20/d), sides by the length scales; Matérn 5/2 with length scales
within 0.005 and 4 and noise within 1e-8 and 1e-3. Not its settings: 2,000 candidates where the tutorial has up to 5,000
(a joint draw takes their cube), and one point at a time. When the region has shrunk away it starts again at 0.8, with
all data kept: at a hundred evaluations in so many dimensions that has no time to happen.
"""

from contextlib import suppress

import gpytorch
import numpy as np
import torch
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

from bench.adapters import Floats

LENGTH, LENGTH_MIN, LENGTH_MAX = 0.8, 0.5**7, 1.6
SUCCESSES, CANDIDATES = 10, 2000


class Box:
    """On a box."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats) -> None:
        torch.manual_seed(seed)
        self.low, self.width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        self.X = torch.tensor((X0 - self.low) / self.width, dtype=torch.double)
        self.y = torch.tensor(y0, dtype=torch.double)
        self.sobol = SobolEngine(len(bounds), scramble=True, seed=seed)
        self.length, self.successes, self.failures = LENGTH, 0, 0

    def ask(self) -> Floats:
        """The best candidate of one draw from the posterior, inside the trust region."""
        d = self.X.shape[1]
        model = self._fitted()
        scales = model.covar_module.base_kernel.lengthscale.squeeze().detach()
        scales = scales / scales.mean()
        sides = self.length * scales / torch.prod(scales.pow(1.0 / d))
        centre = self.X[self.y.argmax()]
        low = torch.clamp(centre - 0.5 * sides, 0.0, 1.0)
        high = torch.clamp(centre + 0.5 * sides, 0.0, 1.0)
        candidates = low + (high - low) * self.sobol.draw(CANDIDATES, dtype=torch.double)
        moved = torch.rand(CANDIDATES, d, dtype=torch.double) <= min(20.0 / d, 1.0)
        still = torch.where(moved.sum(dim=1) == 0)[0]
        moved[still, torch.randint(0, d, (len(still),))] = True
        candidates = torch.where(moved, candidates, centre)
        with torch.no_grad(), gpytorch.settings.max_cholesky_size(float("inf")):
            best = MaxPosteriorSampling(model=model, replacement=False)(candidates, num_samples=1)
        return np.clip(self.low + self.width * best[0].numpy(), self.low, self.low + self.width)

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there; the trust region grows after successes and shrinks after failures."""
        best = float(self.y.max())
        self.X = torch.cat([self.X, torch.tensor((x - self.low) / self.width, dtype=torch.double)[None, :]])
        self.y = torch.cat([self.y, torch.tensor([y], dtype=torch.double)])
        if y > best + 1e-3 * abs(best):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        if self.successes == SUCCESSES:
            self.length, self.successes = min(2.0 * self.length, LENGTH_MAX), 0
        elif self.failures == max(4, len(x)):
            self.length, self.failures = 0.5 * self.length, 0
        if self.length < LENGTH_MIN:
            self.length = LENGTH

    def _fitted(self) -> SingleTaskGP:
        d = self.X.shape[1]
        z = (self.y - self.y.mean()) / self.y.std()
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=d, lengthscale_constraint=Interval(0.005, 4.0)))
        likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        model = SingleTaskGP(self.X, z[:, None], covar_module=kernel, likelihood=likelihood, outcome_transform=None)
        with suppress(ModelFittingError), gpytorch.settings.max_cholesky_size(float("inf")):
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model
