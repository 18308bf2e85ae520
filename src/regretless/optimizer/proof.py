"""Bounds on the regret of the recommendation, averaged over the models that are plausible given the data."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

import numpy as np
import numpy.typing as npt

from regretless.acquisition.ucb import UpperBound
from regretless.arrays import Floats
from regretless.errors import NumericalError
from regretless.gp import BlockPosterior, PointMoments
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.history import History
from regretless.optimizer.model import told_key
from regretless.optimizer.outcomes import Outcome
from regretless.optimizer.recommendation import Choice
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import points_around
from regretless.spaces import Point
from regretless.theory import AveragedCertificate, Calibration, averaged_regret, remaining_regret_in_blocks

__all__ = ["Proof", "certify", "certify_sums", "finite_only", "limits_of", "refuse_infinite"]

#: Limits are contradicted where f is outside by so many standard deviations, and by such a share of the values' range.
_SURE = 4.0
_SLACK = 0.05
#: Limits closer to each other than this share of the prior's standard deviation are lost in rounding errors.
_APART = 1e-9


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate in the model's units, of which ``scale`` is one in those of y, and the trust in the model.

    The posteriors rest on ``used`` results. ``mean`` is the expected value of the recommendation in the units of y.
    """

    certificate: AveragedCertificate
    calibration: Calibration
    scale: float
    mean: float
    point: Point = field(compare=False)  # the certificate says which it is
    used: int
    limits_hold: bool = True  # False where the data contradict the limits, which then are not used


def certify(
    task: Task,
    history: History,
    choice: Choice | None,
    belief: Averaged,
    *,
    limits: tuple[float, float] = (-math.inf, math.inf),
    eps: float | None = None,
    draws: int = 0,
) -> Proof:
    """Certificate of ``choice``, or without one of the largest mean, given everything told.

    As proved on a table, for the rows that are not excluded; in a product space on points that stand for it: some all
    over it, and clouds around the best. ``eps`` and ``limits``, which the objective cannot leave, are in the units of
    y.
    """
    with finite_only():
        units, candidates = belief.units, task.domain.candidates
        rng = stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE)
        low, high = belief.inside(limits)
        usable, holds = _usable(belief, low, high)
        blocks = None if belief.fitted is None else belief.fitted.belief.blocks
        if blocks is not None:
            return _in_blocks(task, history, choice, belief, blocks, (low, high, usable, holds), eps=eps, draws=draws)
        among, index = None, None if choice is None else choice.point.index
        if candidates is not None:
            settings = belief.on_table(candidates)
            allowed = history.allowed(len(candidates))
            among = allowed if 0 < np.count_nonzero(allowed) < len(allowed) else None
        else:
            X = points_around(task.domain, belief.mean, belief.told.X, rng)
            if choice is not None:
                X, index = np.vstack([choice.point.x, X]), 0
            settings = belief.at(X)
        certificate = averaged_regret(
            settings,
            index=index,
            among=among,
            limits=(low, high) if usable else (-math.inf, math.inf),
            knee=belief.knee,
            eps=None if eps is None else min(eps / units.scale, sys.float_info.max),
            draws=draws,
            rng=rng,
        )
        point = task.domain.at_index(certificate.index) if candidates is not None else Point(X[certificate.index])
        mean = float(units.linear(np.array(certificate.mean), np.array(0.0))[0])
        return _finite(Proof(certificate, belief.trust(), units.scale, mean, point, belief.used, holds))


def certify_sums(
    task: Task,
    history: History,
    belief: Averaged,
    settings: Sequence[PointMoments],
    point_of: Callable[[int], Point],
    *,
    index: int | None,
    among: npt.NDArray[np.bool_] | None,
    eps: float | None,
    draws: int,
) -> Proof:
    """Certificate of sums of f over environments, which have the limits of f; ``settings`` have their moments."""
    with finite_only():
        units, objective = belief.units, task.objective
        low, high = belief.inside(objective.limits.maximised(objective.sign))
        usable, holds = _usable(belief, low, high)
        certificate = averaged_regret(
            settings,
            index=index,
            among=among,
            limits=(low, high) if usable else (-math.inf, math.inf),
            eps=None if eps is None else min(eps / units.scale, sys.float_info.max),
            draws=draws,
            rng=stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE),
        )
        mean = float(units.linear(np.array(certificate.mean), np.array(0.0))[0])
        point = point_of(certificate.index)
        return _finite(Proof(certificate, belief.trust(), units.scale, mean, point, belief.used, holds))


def _in_blocks(
    task: Task,
    history: History,
    choice: Choice | None,
    belief: Averaged,
    blocks: BlockPosterior,
    limits: tuple[float, float, bool, bool],
    *,
    eps: float | None,
    draws: int,
) -> Proof:
    """Of a table that is too long for more than one setting: one pass over its rows."""
    low, high, usable, holds = limits
    units, excluded = belief.units, np.unique(history.excluded)
    closed = excluded[: 0 if len(excluded) == task.domain.n_candidates else None]
    if choice is not None:
        index = choice.point.index
    else:
        best = blocks.argmax(UpperBound(0.0), closed)
        index = None if best is None else best.row
    assert index is not None
    found = remaining_regret_in_blocks(
        blocks,
        index=index,
        closed=closed,
        limits=(low, high) if usable else (-math.inf, math.inf),
        eps=None if eps is None else min(eps / units.scale, sys.float_info.max),
        draws=draws,
    )
    known = {part.name: getattr(found, part.name) for part in fields(found)}
    certificate = AveragedCertificate(**known, each=(found.bound,))
    mean = float(units.linear(np.array(found.mean), np.array(0.0))[0])
    point = task.domain.at_index(index)
    return _finite(Proof(certificate, belief.trust(), units.scale, mean, point, belief.used, holds))


def limits_of(outcome: Outcome, belief: Averaged) -> tuple[tuple[float, float], bool]:
    """The limits of an outcome as maximised, infinite where they are not used; and whether the data allow for them."""
    limits = outcome.limits.maximised(outcome.sign)
    low, high = belief.inside(limits)
    usable, holds = _usable(belief, low, high)
    return limits if usable else (-math.inf, math.inf), holds


def _usable(belief: Averaged, low: float, high: float) -> tuple[bool, bool]:
    """Whether limits in the model's units are used, and whether the data allow for them."""
    apart = high - low > _APART * math.sqrt(max(each.kernel.signal_var for each in belief.posteriors))
    holds = _within(belief, low, high, apart)
    return holds and apart, holds


def _within(belief: Averaged, low: float, high: float, apart: bool) -> bool:
    """Whether the data are consistent with the limits: values outside are so by little, or may be noise.

    Beside limits that are hardly apart in the model's units, it does not do so by little.
    """
    if low == -math.inf and high == math.inf:
        return True
    posterior = belief.posteriors[0]
    own = posterior.n_source  # the first rows are those of an earlier study
    y = posterior.y[own:]
    if low <= y.min() and y.max() <= high:
        return True
    if not apart:
        return False
    X: Floats = posterior.X[own:]
    means, sds = belief.moments(X if belief.drawn else X[:, : len(posterior.kernel.lengthscale)])
    mean, sd = means.mean(axis=0), np.sqrt((sds**2).mean(axis=0) + means.var(axis=0))
    slack = _SLACK * float(y.max() - y.min())
    return bool(np.all(mean - _SURE * sd <= high + slack) and np.all(mean + _SURE * sd >= low - slack))


def _finite(proof: Proof) -> Proof:
    """The proof, if all its numbers are finite, in the model's units and in those of y."""
    found, scale = proof.certificate, proof.scale
    sizes = [scale * value for value in (found.bound, found.tail_sum, found.pairwise, found.tree, found.lemma)]
    refuse_infinite(*sizes, proof.mean, found.sd, found.exceeds or 0.0, proof.calibration.rms)
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
