"""BoTorch: its default Gaussian process, fitted after every observation, with LogEI or UCB."""

import math

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction, LogExpectedImprovement, UpperConfidenceBound
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf, optimize_acqf_discrete
from gpytorch.mlls import ExactMarginalLogLikelihood

from bench.adapters import Floats


class _BoTorch:
    """Observations in the unit cube, and the acquisition function they lead to."""

    def __init__(self, seed: int, X0: Floats, y0: Floats, acquisition: str) -> None:
        torch.manual_seed(seed)
        self.X = torch.tensor(X0, dtype=torch.double)
        self.y = torch.tensor(y0, dtype=torch.double)[:, None]
        self.acquisition = acquisition
        self.asked = 0

    def _observe(self, x: torch.Tensor, y: float) -> None:
        self.X = torch.cat([self.X, x[None, :]])
        self.y = torch.cat([self.y, torch.tensor([[y]], dtype=torch.double)])

    def _score(self) -> AcquisitionFunction:
        self.asked += 1
        model = SingleTaskGP(self.X, self.y, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        if self.acquisition == "logei":
            return LogExpectedImprovement(model, best_f=self.y.max())
        # beta_t = 0.2 d log(2 t) of Kandasamy et al. (2015); squared, as BoTorch takes it.
        return UpperConfidenceBound(model, beta=0.2 * self.X.shape[1] * math.log(2 * self.asked))


class Box(_BoTorch):
    """Ten restarts from 512 raw samples, the setting of BoTorch's tutorials."""

    def __init__(self, bounds: Floats, seed: int, X0: Floats, y0: Floats, acquisition: str) -> None:
        self.low, self.width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        super().__init__(seed, (X0 - self.low) / self.width, y0, acquisition)
        d = len(bounds)
        self.cube = torch.stack([torch.zeros(d, dtype=torch.double), torch.ones(d, dtype=torch.double)])

    def ask(self) -> Floats:
        """The next point."""
        x, _ = optimize_acqf(self._score(), bounds=self.cube, q=1, num_restarts=10, raw_samples=512)
        return np.clip(self.low + self.width * x[0].numpy(), self.low, self.low + self.width)

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there."""
        self._observe(torch.tensor((x - self.low) / self.width, dtype=torch.double), y)


class BoTorchTable(_BoTorch):
    """The best of all rows that have not been measured."""

    def __init__(self, X: Floats, seed: int, index0: list[int], y0: Floats, acquisition: str) -> None:
        low, high = X.min(axis=0), X.max(axis=0)
        codes = (X - low) / np.where(high > low, high - low, 1.0)
        super().__init__(seed, codes[index0], y0, acquisition)
        self.codes = torch.tensor(codes, dtype=torch.double)
        self.open = torch.ones(len(X), dtype=torch.bool)
        self.open[index0] = False

    def ask(self) -> int:
        """The next row."""
        choices = self.codes[self.open]
        x, _ = optimize_acqf_discrete(self._score(), q=1, choices=choices)
        within = int((choices == x[0]).all(dim=1).nonzero()[0, 0])
        return int(self.open.nonzero()[within, 0])

    def tell(self, index: int, y: float) -> None:
        """What was measured there."""
        self.open[index] = False
        self._observe(self.codes[index], y)
