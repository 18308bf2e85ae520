"""BoTorch's risk measures: decisions under input perturbations or environments, by qLogNEI of the risk measure.

As in its tutorials on risk-averse optimisation: one GP, fitted after every observation, whose input transform gives all
perturbed inputs (`InputPerturbation`) or all environments (`AppendFeatures`) of a decision; the objective is the risk
measure over them. A suggested decision is evaluated as it is, without a perturbation; the environment it is measured in
is drawn from its law. What is recommended is the largest expected risk measure of the posterior.
"""

from contextlib import suppress

import numpy as np
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.monte_carlo import qSimpleRegret
from botorch.acquisition.risk_measures import CVaR, Expectation, RiskMeasureMCObjective, WorstCase
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.models.transforms.input import AppendFeatures, InputPerturbation
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

from bench.adapters import Floats

SAMPLES, RESTARTS, RAW = 32, 2, 64


class RiskAverse:
    """Observations in the unit cube. ``shifts`` (w, d) or ``features`` (w, 1) stand for equally likely scenarios."""

    def __init__(
        self,
        dim: int,
        aim: str,
        share: float,
        seed: int,
        X0: Floats,
        y0: Floats,
        *,
        shifts: Floats | None = None,
        features: Floats | None = None,
    ) -> None:
        torch.manual_seed(seed)
        self.rng = np.random.default_rng([seed, 5])
        self.dim, self.shifts, self.features = dim, shifts, features
        self.X, self.y = torch.tensor(X0, dtype=torch.double), torch.tensor(y0, dtype=torch.double)[:, None]
        self.aim, self.share = aim, share
        self.cube = torch.stack([torch.zeros(dim, dtype=torch.double), torch.ones(dim, dtype=torch.double)])

    def ask(self) -> Floats:
        """The next point, with an environment in the last column where there is one."""
        model = self._fitted()
        score = qLogNoisyExpectedImprovement(
            model, self._decisions(), self._sampler(), objective=self._risk(), prune_baseline=True
        )
        x = self._argmax(score)
        if self.features is None:
            return x
        return np.append(x, self.rng.choice(self.features[:, 0]))

    def tell(self, x: Floats, y: float) -> None:
        """What was measured there."""
        self.X = torch.cat([self.X, torch.tensor(x, dtype=torch.double)[None, :]])
        self.y = torch.cat([self.y, torch.tensor([[y]], dtype=torch.double)])

    def recommend(self) -> Floats:
        """The decision with the largest expected risk measure."""
        return self._argmax(qSimpleRegret(self._fitted(), self._sampler(), objective=self._risk()))

    def _argmax(self, score: torch.nn.Module) -> Floats:
        x, _ = optimize_acqf(score, bounds=self.cube, q=1, num_restarts=RESTARTS, raw_samples=RAW)
        return x[0].numpy()

    def _decisions(self) -> torch.Tensor:
        return torch.unique(self.X[:, : self.dim], dim=0)

    def _sampler(self) -> SobolQMCNormalSampler:
        return SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=len(self.y))

    def _risk(self) -> RiskMeasureMCObjective:
        n_w = len(self.shifts) if self.features is None else len(self.features)
        if self.aim == "WorstCase":
            return WorstCase(n_w=n_w)
        return Expectation(n_w=n_w) if self.aim == "Expectation" else CVaR(alpha=1.0 - self.share, n_w=n_w)

    def _fitted(self) -> SingleTaskGP:
        if self.features is None:
            spread = InputPerturbation(torch.tensor(self.shifts, dtype=torch.double), bounds=self.cube)
        else:
            spread = AppendFeatures(feature_set=torch.tensor(self.features, dtype=torch.double))
        model = SingleTaskGP(self.X, self.y, outcome_transform=Standardize(m=1), input_transform=spread)
        with suppress(ModelFittingError):
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model.eval()
