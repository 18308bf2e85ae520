"""BoTorch with several outcomes: independent GPs of all of them, fitted after every observation.

As in its tutorials on constraints and on several objectives: 128 quasi-random samples, ten restarts from 512 raw
samples, inferior points pruned. Constrained outcomes are divided by the standard deviation of their data, zero kept,
because the temperature of the smoothed indicators has no units of its own.
"""

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.parego import qLogNParEGO
from botorch.acquisition.objective import GenericMCObjective
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf, optimize_acqf_discrete
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

from bench.adapters import Aims, Floats

SAMPLES = 128


class Data:
    """Observations, points in the unit cube."""

    def __init__(self, aims: Aims, seed: int, X0: Floats, Y0: Floats) -> None:
        torch.manual_seed(seed)
        self.aims = aims
        self.X = torch.tensor(X0, dtype=torch.double)
        self.Y = torch.tensor(Y0, dtype=torch.double)

    def observe(self, x: torch.Tensor, y: Floats) -> None:
        """One observation more."""
        self.X = torch.cat([self.X, x[None, :]])
        self.Y = torch.cat([self.Y, torch.tensor(y, dtype=torch.double)[None, :]])

    def scaled(self) -> torch.Tensor:
        """Outcomes with the constrained ones in units of their standard deviation."""
        K = self.aims.n_objectives
        sd = self.Y[:, K:].std(dim=0)
        return torch.cat([self.Y[:, :K], self.Y[:, K:] / torch.where(sd > 0.0, sd, 1.0)], dim=1)


def fitted(X: torch.Tensor, Y: torch.Tensor) -> SingleTaskGP:
    """One GP per column of ``Y``; where every attempt to fit them fails, with the hyperparameters they start with."""
    model = SingleTaskGP(X, Y, outcome_transform=Standardize(m=Y.shape[1]))
    with suppress(ModelFittingError):
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def score(data: Data, acquisition: str) -> AcquisitionFunction:
    """The acquisition function of that name, with the data there are."""
    Y, K, J = data.scaled(), data.aims.n_objectives, data.aims.n_constraints
    model = fitted(data.X, Y)
    if acquisition == "logcei":
        feasible = (Y[:, K:] <= 0.0).all(dim=1)
        best = Y[feasible, 0].max() if feasible.any() else Y[:, 0].min()  # nothing feasible: anything improves
        bounds = {K + j: (None, 0.0) for j in range(J)}
        return LogConstrainedExpectedImprovement(model, best_f=best, objective_index=0, constraints=bounds)
    sampler = SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=len(Y))
    if acquisition == "qlognei":
        return qLogNoisyExpectedImprovement(
            model,
            data.X,
            sampler,
            objective=GenericMCObjective(lambda Z, X=None: Z[..., 0]),  # noqa: ARG005
            constraints=[_column(K + j) for j in range(J)],
            prune_baseline=True,
        )
    if acquisition == "qlognparego":
        return qLogNParEGO(model, data.X, sampler=sampler, prune_baseline=True)
    reference = torch.tensor(data.aims.reference, dtype=torch.double)
    return qLogNoisyExpectedHypervolumeImprovement(model, reference, data.X, sampler, prune_baseline=True)


def _column(k: int) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda Z: Z[..., k]


class Outcomes:
    """On a box."""

    def __init__(self, bounds: Floats, aims: Aims, seed: int, X0: Floats, Y0: Floats, acquisition: str) -> None:
        self.low, self.width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        self.data = Data(aims, seed, (X0 - self.low) / self.width, Y0)
        self.acquisition = acquisition
        d = len(bounds)
        self.cube = torch.stack([torch.zeros(d, dtype=torch.double), torch.ones(d, dtype=torch.double)])

    def ask(self) -> Floats:
        """The next point."""
        best, _ = optimize_acqf(
            score(self.data, self.acquisition), bounds=self.cube, q=1, num_restarts=10, raw_samples=512
        )
        return np.clip(self.low + self.width * best[0].numpy(), self.low, self.low + self.width)

    def tell(self, x: Floats, y: Floats) -> None:
        """What was measured there."""
        self.data.observe(torch.tensor((x - self.low) / self.width, dtype=torch.double), y)


class Composite(Outcomes):
    """qLogNEI of a known function of the outcomes, by a `GenericMCObjective`: BoTorch's tutorial on composites."""

    def __init__(
        self, bounds: Floats, outer: Callable[[torch.Tensor, object], torch.Tensor], seed: int, X0: Floats, Y0: Floats
    ) -> None:
        super().__init__(bounds, Aims(Y0.shape[1], 0), seed, X0, Y0, "composite")
        self.outer = outer

    def ask(self) -> Floats:
        """The next point."""
        data = self.data
        noisy = qLogNoisyExpectedImprovement(
            fitted(data.X, data.Y),
            data.X,
            SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=len(data.Y)),
            objective=GenericMCObjective(lambda Z, X=None: self.outer(Z, torch)),  # noqa: ARG005
            prune_baseline=True,
        )
        best, _ = optimize_acqf(noisy, bounds=self.cube, q=1, num_restarts=10, raw_samples=512)
        return np.clip(self.low + self.width * best[0].numpy(), self.low, self.low + self.width)


class OutcomesTable:
    """The best of all rows that have not been measured."""

    def __init__(self, X: Floats, aims: Aims, seed: int, index0: list[int], Y0: Floats, acquisition: str) -> None:
        low, high = X.min(axis=0), X.max(axis=0)
        codes = (X - low) / np.where(high > low, high - low, 1.0)
        self.data = Data(aims, seed, codes[index0], Y0)
        self.acquisition = acquisition
        self.codes = torch.tensor(codes, dtype=torch.double)
        self.open = torch.ones(len(X), dtype=torch.bool)
        self.open[index0] = False

    def ask(self) -> int:
        """The next row."""
        choices = self.codes[self.open]
        best, _ = optimize_acqf_discrete(score(self.data, self.acquisition), q=1, choices=choices)
        within = int((choices == best[0]).all(dim=1).nonzero()[0, 0])
        return int(self.open.nonzero()[within, 0])

    def tell(self, index: int, y: Floats) -> None:
        """What was measured there."""
        self.open[index] = False
        self.data.observe(self.codes[index], y)
