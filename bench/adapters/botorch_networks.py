"""Expected improvement of a function network (EI-FN, Astudillo and Frazier 2021) with BoTorch's models and optimiser.

Written down here after the publication; it is not the authors' code. One GP per stage on its own inputs, inputs scaled
to the unit cube and outputs standardised; 64 quasi-random draws that all points share, pushed through stage by stage;
the improvement is over the best value measured. Four restarts from 128 raw samples.
"""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_normal_samples
from gpytorch.mlls import ExactMarginalLogLikelihood

from bench.adapters import Floats

_SAMPLES = 64
#: Inputs of every stage: columns of x, and earlier stages.
Inputs = Sequence[tuple[Sequence[int], Sequence[int]]]


class ExpectedImprovement(AcquisitionFunction):
    """Of the last stage over ``best``."""

    def __init__(self, models: Sequence[SingleTaskGP], inputs: Inputs, best: float, z: torch.Tensor) -> None:
        super().__init__(models[0])
        self.stages = torch.nn.ModuleList(models)
        self.inputs, self.best, self.z = inputs, best, z

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """At points (b, 1, d): (b,)."""
        b, R = len(X), len(self.z)
        outputs: list[torch.Tensor] = []
        for k, (model, (columns, earlier)) in enumerate(zip(self.stages, self.inputs, strict=True)):
            own = X[:, 0, list(columns)].expand(R, b, len(columns))
            seen = torch.cat([own, *(outputs[j][..., None] for j in earlier)], dim=-1)
            law = model.posterior(seen.reshape(R * b, 1, -1))
            mean, sd = law.mean.reshape(R, b), law.variance.clamp_min(1e-16).sqrt().reshape(R, b)
            outputs.append(mean + sd * self.z[:, k, None])
        return (outputs[-1] - self.best).clamp_min(0.0).mean(dim=0)


class Networks:
    """On a box."""

    def __init__(self, bounds: Floats, inputs: Inputs, seed: int, X0: Floats, Y0: Floats) -> None:
        torch.manual_seed(seed)
        self.low, self.width = bounds[:, 0], bounds[:, 1] - bounds[:, 0]
        self.X, self.Y = torch.tensor((X0 - self.low) / self.width), torch.tensor(Y0)
        self.inputs = inputs
        self.cube = torch.stack([torch.zeros(len(bounds)), torch.ones(len(bounds))]).double()

    def ask(self) -> Floats:
        """The next point."""
        models = [self._fitted(k) for k in range(len(self.inputs))]
        z = draw_sobol_normal_samples(len(models), _SAMPLES, dtype=torch.double, seed=len(self.Y))
        score = ExpectedImprovement(models, self.inputs, float(self.Y[:, -1].max()), z)
        best, _ = optimize_acqf(score, bounds=self.cube, q=1, num_restarts=4, raw_samples=128)
        return np.clip(self.low + self.width * best[0].numpy(), self.low, self.low + self.width)

    def tell(self, x: Floats, y: Floats) -> None:
        """What was measured there."""
        self.X = torch.cat([self.X, torch.tensor((x - self.low) / self.width)[None, :]])
        self.Y = torch.cat([self.Y, torch.tensor(y)[None, :]])

    def _fitted(self, k: int) -> SingleTaskGP:
        columns, earlier = self.inputs[k]
        seen = torch.cat([self.X[:, list(columns)], self.Y[:, list(earlier)]], dim=1)
        model = SingleTaskGP(
            seen, self.Y[:, k : k + 1], input_transform=Normalize(seen.shape[1]), outcome_transform=Standardize(1)
        )
        with suppress(ModelFittingError):
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model
