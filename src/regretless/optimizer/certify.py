"""What the data prove about the recommendation, under a model that is more cautious than the one to search by."""

import math
import sys
from dataclasses import dataclass, field

import numpy as np

from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp import TablePosterior
from regretless.linalg import single_thread
from regretless.optimizer.beliefs import State, in_use, told_key
from regretless.optimizer.candidates import candidate_set
from regretless.optimizer.history import Fit, History
from regretless.optimizer.recommend import Choice
from regretless.optimizer.setup import Setup
from regretless.rng import Purpose, stream
from regretless.spaces import Mixed
from regretless.theory import Calibration, Certificate, calibration, remaining_regret

__all__ = ["Proof", "certify"]

#: Points of a product space that stand for it.
_DENSE = 4000


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate in the model's units, the trust in the model, and the fit that says what those units are.

    ``x`` is the code of the certified point, ``index`` its candidate number on a table, else -1. The posterior rests on
    ``used`` results.
    """

    certificate: Certificate
    calibration: Calibration
    fit: Fit
    x: Floats = field(compare=False)  # the certificate says which it is
    index: int
    used: int


def certify(
    setup: Setup, history: History, choice: Choice | None, state: State, *, eps: float | None = None, draws: int = 0
) -> Proof:
    """Certificate of ``choice``, or without one of the largest mean, given everything told.

    As proved on a table, for the rows that are not excluded; on a dense sample of a product space. ``state`` is the
    doubt; ``eps`` is in the units of y.
    """
    with single_thread(), np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused at the end
        belief, used = state.belief, len(state.used)
        rng = stream(setup.seed, told_key(history), Purpose.CERTIFICATE)
        eps_model = None if eps is None else min(eps / state.fit.hyperparameters.units.scale, sys.float_info.max)
        if isinstance(belief, TablePosterior):
            index = None if choice is None else choice.index
            allowed = history.allowed(len(belief.X))
            among = allowed if 0 < np.count_nonzero(allowed) < len(allowed) else None
            certificate = remaining_regret(belief, index=index, among=among, eps=eps_model, draws=draws, rng=rng)
            at = certificate.index
            return _finite(Proof(certificate, calibration(belief.posterior), state.fit, belief.X[at], at, used))
        assert isinstance(setup.domain, Mixed)
        around = candidate_set(setup.domain, belief, in_use(history, state).told.X, rng)
        X: Floats = np.vstack([around, setup.domain.sample(_DENSE, rng)])
        if choice is not None:
            X = np.vstack([choice.x, X])
        index = None if choice is None else 0
        certificate = remaining_regret(belief, X, index=index, eps=eps_model, draws=draws, rng=rng)
        return _finite(Proof(certificate, calibration(belief), state.fit, X[certificate.index], -1, used))


def _finite(proof: Proof) -> Proof:
    """The proof, if all its numbers are finite, in the model's units and in those of y."""
    found, scale = proof.certificate, proof.fit.hyperparameters.units.scale
    sizes = [scale * value for value in (found.bound, found.tail_sum, found.pairwise, found.lemma)]
    if not all(map(math.isfinite, (*sizes, found.mean, found.sd, found.exceeds or 0.0, proof.calibration.rms))):
        raise NumericalError(
            "there is no certificate: the values told are so large, or so far from what the model can explain, that "
            "the regret left is no finite number. Scale the values, or correct or exclude those that are mistakes."
        )
    return proof
