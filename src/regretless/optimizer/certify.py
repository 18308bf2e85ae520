"""What the data prove about the recommendation, under the cautious model."""

from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.gp import TablePosterior
from regretless.linalg import single_thread
from regretless.optimizer.beliefs import State, told_key
from regretless.optimizer.candidates import candidate_set
from regretless.optimizer.history import Fit, History
from regretless.optimizer.recommend import recommend
from regretless.optimizer.setup import Setup
from regretless.rng import Purpose, stream
from regretless.spaces import Mixed
from regretless.theory import Calibration, Certificate, calibration, remaining_regret

__all__ = ["Proof", "certify"]

#: Points of a product space that stand for it.
_DENSE = 4000


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate in the model's units, the trust in the model, and the recommended point."""

    certificate: Certificate
    calibration: Calibration
    x: Floats
    index: int  # candidate number on a table, else -1
    fit: Fit


def certify(setup: Setup, history: History, state: State, *, eps: float | None = None, draws: int = 0) -> Proof:
    """Certificate of ``argmax mean`` given everything told: as proved on a table, on a dense sample of a product space.

    ``state`` is the doubt; ``eps`` is in the units of y.
    """
    with single_thread():
        belief = state.belief
        rng = stream(setup.seed, told_key(history), Purpose.CERTIFICATE)
        eps_model = None if eps is None else eps / state.fit.hyperparameters.scale
        if isinstance(belief, TablePosterior):
            certificate = remaining_regret(belief, eps=eps_model, draws=draws, rng=rng)
            x, index, posterior = belief.X[certificate.index], certificate.index, belief.posterior
        else:
            assert isinstance(setup.domain, Mixed)
            chosen = recommend(setup, history, state).x
            around = candidate_set(setup.domain, belief, history.told.X, rng)
            X = np.vstack([chosen, around, setup.domain.sample(_DENSE, rng)])
            certificate = remaining_regret(belief, X, eps=eps_model, draws=draws, rng=rng)
            x, index, posterior = X[certificate.index], -1, belief
        return Proof(certificate, calibration(posterior), x, index, state.fit)
