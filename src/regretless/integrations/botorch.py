"""Regretless inside BoTorch: the randomised upper confidence bound as an acquisition function of its own."""

import math
from typing import Any

from regretless.acquisition import IRGPUCB
from regretless.arrays import as_whole, show
from regretless.confidence import Law
from regretless.errors import InvalidInput, MissingExtra
from regretless.rng import Purpose, check_seed, stream

try:
    import torch
    from botorch.acquisition.analytic import AnalyticAcquisitionFunction
    from botorch.acquisition.input_constructors import acqf_input_constructor
    from botorch.models.model import Model
    from botorch.utils.transforms import average_over_ensemble_models, t_batch_mode_transform
    from gpytorch.likelihoods.gaussian_likelihood import FixedNoiseGaussianLikelihood
    from torch import Tensor
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("torch", "botorch", "gpytorch"):
        raise
    raise MissingExtra("this needs BoTorch; install it with: pip install 'regretless[botorch]'") from error

__all__ = ["RandomizedUpperConfidenceBound"]


class RandomizedUpperConfidenceBound(AnalyticAcquisitionFunction):
    r"""IRGP-UCB, ``mean + sqrt(zeta) * sd`` with zeta drawn at random, once per suggestion; zeta is squared as beta is.

    .. math:: \alpha(x) = \mu(x) + \sqrt{\zeta}\, \sigma(x), \qquad \zeta = s + 2E, \quad E \sim \mathrm{Exp}(1)

    zeta is drawn when the object is built, and anew when pending points are set: a batch has one zeta per point, which
    is how the regret bound for batches has it [Takeno2023]_. So ``optimize_acqf(q=k, sequential=True)``,
    ``optimize_acqf_discrete`` and ``optimize_acqf_list`` work; a joint optimisation of q points is refused by BoTorch,
    since one zeta for all of them is another method.

    Parameters
    ----------
    model
        A fitted single-outcome model. Pending points count as observed at their posterior mean.
    seed
        Same seed and same trial, same zeta: bit for bit that of a `regretless.Study`, in a box of one without
        excursions, ``rule=IRGPUCB(excursions=False)``. None draws one; it is kept.
    trial
        How many suggestions came before, from 0, without the pending points that are set here: those count on.
    t
        How many of them were the rule's, plus one, where that is another number; None is ``trial + 1``.
    law
        A setting of `regretless.IRGPUCB` (``"auto"``, ``"theory"``, ``"paper"``, ``"heuristic"``) or a law of zeta.
    n_candidates
        How many candidates there are, where they are a finite set: the law depends on it. None: a box.
    posterior_transform, maximize
        As for BoTorch's ``UpperConfidenceBound``.
    """

    zeta: float

    def __init__(
        self,
        model: Model,
        *,
        seed: int | None = None,
        trial: int = 0,
        t: int | None = None,
        law: str | Law = "auto",
        n_candidates: int | None = None,
        posterior_transform: Any = None,
        maximize: bool = True,
        X_pending: Tensor | None = None,
    ) -> None:
        super().__init__(model=model, posterior_transform=posterior_transform)
        self.seed, self.trial = check_seed(seed), as_whole(trial, "trial")
        self.t = self.trial + 1 if t is None else as_whole(t, "t", least=1)
        self.law = IRGPUCB(law).law(n_candidates, _dim(model, law))  # type: ignore[arg-type]
        self.maximize = maximize
        self._fitted = model
        self.X_pending: Tensor | None = None
        self.set_X_pending(X_pending)

    def set_X_pending(self, X_pending: Tensor | None = None) -> None:
        """Points without a result: each counts as observed at its posterior mean, and as a suggestion: zeta is new."""
        count = 0 if X_pending is None else X_pending.shape[-2]
        self.X_pending = X_pending if count else None
        self.model = self._fitted if self.X_pending is None else _observed(self._fitted, self.X_pending)
        rng = stream(self.seed, self.trial + count, Purpose.RULE)
        self.zeta = float(self.law.draw(self.t + count, rng))

    @t_batch_mode_transform(expected_q=1)
    @average_over_ensemble_models
    def forward(self, X: Tensor) -> Tensor:
        """The upper bound at X, of shape ``(b1 x ... bk) x 1 x d``; minus the lower bound where small is wanted."""
        mean, sd = self._mean_and_sigma(X)
        bound: Tensor = (mean if self.maximize else -mean) + math.sqrt(self.zeta) * sd
        return bound.squeeze(-1)


@acqf_input_constructor(RandomizedUpperConfidenceBound)  # type: ignore[untyped-decorator]
def construct_inputs(
    model: Model,
    training_data: Any = None,
    posterior_transform: Any = None,
    X_pending: Tensor | None = None,
    seed: int | None = None,
    trial: int | None = None,
    law: str | Law = "auto",
    n_candidates: int | None = None,
    maximize: bool = True,
) -> dict[str, Any]:
    """Arguments for Ax's modular BoTorch generator; without a ``trial`` the number of observations stands for it."""
    return {
        "model": model,
        "posterior_transform": posterior_transform,
        "X_pending": X_pending,
        "seed": seed,
        "trial": _n_observed(training_data) if trial is None else trial,
        "law": law,
        "n_candidates": n_candidates,
        "maximize": maximize,
    }


def _observed(model: Model, X: Tensor) -> Model:
    """The model given that each pending point returns its posterior mean, with the noise that is usual."""
    with torch.no_grad():
        mean = model.posterior(X).mean  # fills the caches that conditioning needs, too
        if not isinstance(getattr(model, "likelihood", None), FixedNoiseGaussianLikelihood):
            return model.condition_on_observations(X=X, Y=mean)
        usual = model.likelihood.noise.mean(dim=-1)  # as BoTorch's fantasies have it; in transformed units
        usual = usual[..., None, None] if model.num_outputs == 1 else usual.unsqueeze(-2)
        return model.condition_on_observations(X=X, Y=mean, noise=usual.expand_as(mean))


def _dim(model: Model, law: Any) -> int:
    """Columns of X, which only the heuristic laws need."""
    try:
        return int(model.train_inputs[0].shape[-1])
    except (AttributeError, TypeError, IndexError):
        if law in ("heuristic", "paper"):
            raise InvalidInput(f"law={show(law)} needs the dimension, which this model does not say.") from None
        return 1


def _n_observed(training_data: Any) -> int:
    if training_data is None:
        return 0
    sets = training_data.values() if isinstance(training_data, dict) else [training_data]
    return max(int(each.X.shape[-2]) for each in sets)
