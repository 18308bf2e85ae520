"""What the data prove about the recommendation, under a model that is more cautious than the one to search by."""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp import Posterior
from regretless.linalg import single_thread
from regretless.optimizer.history import Fit, History
from regretless.optimizer.model import Fitted, in_use, told_key
from regretless.optimizer.outcomes import Outcome
from regretless.optimizer.recommendation import Choice
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import dense_sample, points_around
from regretless.spaces import Point
from regretless.theory import Calibration, Certificate, calibration, remaining_regret, remaining_regret_in_blocks

__all__ = ["Proof", "certify", "finite_only", "limits_of", "refuse_infinite"]

#: Points of a product space that stand for it.
_DENSE = 4000
#: Limits are contradicted where f is outside by so many standard deviations, and by such a share of the values' range.
_SURE = 4.0
_SLACK = 0.05
#: Limits closer to each other than this share of the prior's standard deviation are lost in rounding errors.
_APART = 1e-9


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate in the model's units, the trust in the model, and the fit that says what those units are.

    The posterior rests on ``used`` results.
    """

    certificate: Certificate
    calibration: Calibration
    fit: Fit
    point: Point = field(compare=False)  # the certificate says which it is
    used: int
    limits_hold: bool = True  # False where the data contradict the limits, which then are not used


def certify(
    task: Task,
    history: History,
    choice: Choice | None,
    fitted: Fitted,
    *,
    limits: tuple[float, float] = (-math.inf, math.inf),
    eps: float | None = None,
    draws: int = 0,
) -> Proof:
    """Certificate of ``choice``, or without one of the largest mean, given everything told.

    As proved on a table, for the rows that are not excluded; on a dense sample of a product space. ``fitted`` is the
    doubt; ``eps`` and ``limits``, which the objective cannot leave, are in the units of y.
    """
    with finite_only():
        belief, units, used = fitted.belief, fitted.fit.hyperparameters.units, len(fitted.used)
        posterior, series = belief.posterior, history.series()
        rng = stream(task.seed, told_key(series), Purpose.CERTIFICATE)
        low, high = units.standardised(np.array(limits)).tolist()
        usable, holds = _usable(posterior, low, high)
        prove = partial(
            remaining_regret,
            belief,
            limits=(low, high) if usable else (-math.inf, math.inf),
            eps=None if eps is None else min(eps / units.scale, sys.float_info.max),
            draws=draws,
            rng=rng,
        )
        if belief.blocks is not None:
            excluded = np.unique(history.excluded)
            closed = excluded[: 0 if len(excluded) == task.domain.n_candidates else None]
            if choice is not None:
                index = choice.point.index
            else:
                best = belief.blocks.argmax(UpperBound(0.0), closed)
                index = None if best is None else best.row
            assert index is not None
            certificate = remaining_regret_in_blocks(
                belief.blocks,
                index=index,
                closed=closed,
                limits=(low, high) if usable else (-math.inf, math.inf),
                eps=None if eps is None else min(eps / units.scale, sys.float_info.max),
                draws=draws,
            )
            point = task.domain.at_index(index)
        elif belief.table is not None:
            index = None if choice is None else choice.point.index
            allowed = history.allowed(len(belief.table.X))
            among = allowed if 0 < np.count_nonzero(allowed) < len(allowed) else None
            certificate = prove(index=index, among=among)
            point = task.domain.at_index(certificate.index)
        else:
            around = points_around(task.domain, posterior.mean, in_use(series, fitted).told.X, rng)
            X: Floats = np.vstack([around, dense_sample(task.domain, _DENSE, rng)])
            if choice is not None:
                X = np.vstack([choice.point.x, X])
            certificate = prove(X, index=None if choice is None else 0)
            point = Point(X[certificate.index])
        return _finite(Proof(certificate, calibration(posterior), fitted.fit, point, used, holds))


def limits_of(outcome: Outcome, fitted: Fitted) -> tuple[tuple[float, float], bool]:
    """The limits of an outcome as maximised, infinite where they are not used; and whether the data allow for them."""
    limits = outcome.limits.maximised(outcome.sign)
    low, high = fitted.fit.hyperparameters.units.standardised(np.array(limits)).tolist()
    usable, holds = _usable(fitted.belief.posterior, low, high)
    return limits if usable else (-math.inf, math.inf), holds


def _usable(posterior: Posterior, low: float, high: float) -> tuple[bool, bool]:
    """Whether limits in the model's units are used, and whether the data allow for them."""
    apart = high - low > _APART * math.sqrt(posterior.kernel.signal_var)
    holds = _within(posterior, low, high, apart)
    return holds and apart, holds


def _within(posterior: Posterior, low: float, high: float, apart: bool) -> bool:
    """Whether the data allow for the limits: what lies outside does so by little, or may be noise.

    Beside limits that are hardly apart in the model's units, it does not do so by little.
    """
    if low == -math.inf and high == math.inf:
        return True
    own = posterior.n_source  # the first rows are those of an earlier study
    X, y = posterior.X[own:, : len(posterior.kernel.lengthscale)], posterior.y[own:]
    if low <= y.min() and y.max() <= high:
        return True
    if not apart:
        return False
    mean, sd = posterior.mean_sd(X)
    slack = _SLACK * float(y.max() - y.min())
    return bool(np.all(mean - _SURE * sd <= high + slack) and np.all(mean + _SURE * sd >= low - slack))


def _finite(proof: Proof) -> Proof:
    """The proof, if all its numbers are finite, in the model's units and in those of y."""
    found, scale = proof.certificate, proof.fit.hyperparameters.units.scale
    sizes = [scale * value for value in (found.bound, found.tail_sum, found.pairwise, found.lemma)]
    refuse_infinite(*sizes, found.mean, found.sd, found.exceeds or 0.0, proof.calibration.rms)
    return proof


@contextmanager
def finite_only() -> Iterator[None]:
    """Where a certificate is computed: numbers too large for a float are an error of ours, not a warning."""
    try:
        with single_thread(), np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused at the end
            yield
    except OverflowError as error:
        raise _not_finite() from error


def refuse_infinite(*numbers: float) -> None:
    """Raise NumericalError where a number of a certificate is not finite."""
    if not all(map(math.isfinite, numbers)):
        raise _not_finite()


def _not_finite() -> NumericalError:
    return NumericalError(
        "there is no certificate: the values told are so large, or so far from what the model can explain, that "
        "the regret left is not a finite number. Scale the values, or correct or exclude those that are mistakes."
    )
