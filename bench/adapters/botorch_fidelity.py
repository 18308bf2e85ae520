"""BoTorch with fidelities, as in its tutorials: one GP on point and level, max-value entropy or knowledge gradient.

``SingleTaskMultiFidelityGP`` with its linear truncated kernel, fitted after every observation; utilities are divided by
the cost of the level, and every level is tried by ``optimize_acqf_mixed``. The recommendation is the largest posterior
mean at the target.
"""

from contextlib import suppress
from typing import Any

import numpy as np
import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.fixed_feature import FixedFeatureAcquisitionFunction
from botorch.acquisition.knowledge_gradient import qMultiFidelityKnowledgeGradient
from botorch.acquisition.max_value_entropy_search import qMultiFidelityMaxValueEntropy
from botorch.acquisition.utils import project_to_target_fidelity
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskMultiFidelityGP
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf, optimize_acqf_mixed
from gpytorch.mlls import ExactMarginalLogLikelihood

from bench.adapters import Floats


class Fidelities:
    """On a box; the level, a number from 0 to the target's 1, is a last column."""

    def __init__(
        self,
        bounds: Floats,
        levels: tuple[float, ...],
        costs: tuple[float, ...],
        seed: int,
        X0: Floats,
        at0: list[int],
        y0: Floats,
        acquisition: str,
    ) -> None:
        torch.manual_seed(seed)
        self.low, self.width, self.acquisition = bounds[:, 0], bounds[:, 1] - bounds[:, 0], acquisition
        self.levels = (np.array(levels) - levels[0]) / (levels[-1] - levels[0])
        self.d = len(bounds)
        self.X = torch.tensor(self._inputs(X0, at0), dtype=torch.double)
        self.y = torch.tensor(y0, dtype=torch.double)[:, None]
        self.cube = torch.stack([torch.zeros(self.d + 1), torch.ones(self.d + 1)]).double()
        weights = np.polyfit(self.levels, costs, len(costs) - 1)  # through the cost of every level
        cost = GenericDeterministicModel(lambda X: _polynomial(weights, X[..., -1:]))
        self.utility = InverseCostWeightedUtility(cost_model=cost)
        self._model: Any = None

    def ask(self) -> tuple[Floats, int]:
        """The next point and the number of its level."""
        fixed = [{self.d: float(level)} for level in self.levels]
        best, _ = optimize_acqf_mixed(
            self._score(), bounds=self.cube, q=1, fixed_features_list=fixed, num_restarts=5, raw_samples=128
        )
        x = best[0].detach().numpy()
        at = int(np.abs(self.levels - x[-1]).argmin())
        return np.clip(self.low + self.width * x[:-1], self.low, self.low + self.width), at

    def tell(self, x: Floats, at: int, y: float) -> None:
        """What was measured there."""
        self.X = torch.cat([self.X, torch.tensor(self._inputs(x[None, :], [at]), dtype=torch.double)])
        self.y = torch.cat([self.y, torch.tensor([[y]], dtype=torch.double)])
        self._model = None

    def recommend(self) -> Floats:
        """The largest posterior mean at the target."""
        mean = FixedFeatureAcquisitionFunction(PosteriorMean(self._fitted()), self.d + 1, [self.d], [1.0])
        best, _ = optimize_acqf(mean, bounds=self.cube[:, :-1], q=1, num_restarts=10, raw_samples=512)
        return np.clip(self.low + self.width * best[0].detach().numpy(), self.low, self.low + self.width)

    def _fitted(self) -> Any:
        if self._model is None:
            self._model = SingleTaskMultiFidelityGP(
                self.X, self.y, data_fidelities=[self.d], outcome_transform=Standardize(m=1)
            )
            with suppress(ModelFittingError):
                fit_gpytorch_mll(ExactMarginalLogLikelihood(self._model.likelihood, self._model))
        return self._model

    def _score(self) -> Any:
        model, target = self._fitted(), {self.d: 1.0}

        def project(X: torch.Tensor) -> torch.Tensor:
            return project_to_target_fidelity(X=X, target_fidelities=target, d=self.d + 1)

        if self.acquisition == "mes":
            some = torch.rand(1000, self.d + 1, dtype=torch.double)
            return qMultiFidelityMaxValueEntropy(
                model, some, num_fantasies=16, cost_aware_utility=self.utility, project=project
            )
        mean = FixedFeatureAcquisitionFunction(PosteriorMean(model), self.d + 1, [self.d], [1.0])
        _, current = optimize_acqf(mean, bounds=self.cube[:, :-1], q=1, num_restarts=10, raw_samples=512)
        return qMultiFidelityKnowledgeGradient(
            model, num_fantasies=32, current_value=current, cost_aware_utility=self.utility, project=project
        )

    def _inputs(self, X: Floats, at: list[int]) -> Floats:
        return np.column_stack([(X - self.low) / self.width, self.levels[at]])


def _polynomial(weights: Floats, s: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(s)
    for weight in weights.tolist():
        total = total * s + weight
    return total
