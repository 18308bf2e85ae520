"""Level sets: which candidates reach the level, with what probability, and how many are misclassified."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from regretless.arrays import Floats
from regretless.linalg import single_thread
from regretless.optimizer.average import Averaged
from regretless.optimizer.certificate import RegionLoss
from regretless.optimizer.history import History
from regretless.optimizer.model import told_key
from regretless.optimizer.proof import finite_only, refuse_infinite
from regretless.optimizer.state import State
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream
from regretless.search import dense_sample
from regretless.theory import careful_mean, misclassification, share_unsure

__all__ = ["Classified", "certify_region", "classify", "recommend_region"]

#: Points that represent a space that is not a list.
_DENSE = 2000


@dataclass(frozen=True, slots=True)
class Classified:
    """Points, with the probability that each reaches the level; ``listed`` if they are all candidates of a list.

    A point is taken to be inside where that is at least an even chance: no other answer is wrong less often.
    """

    X: Floats
    probability: Floats  # (N,)
    listed: bool

    @property
    def inside(self) -> npt.NDArray[np.bool_]:
        """Which are taken to reach the level."""
        found: npt.NDArray[np.bool_] = self.probability >= 0.5
        return found


def classify(task: Task, belief: Averaged, X: Floats, index: npt.NDArray[np.intp]) -> Floats:
    """The probability that f reaches the level, averaged over the settings, at encoded points: ``(N,)``.

    ``index`` are the numbers of those points that are candidates of a list.
    """
    with single_thread():
        return _probability(*belief.moments(belief.numbered(X, index)), _level(task, belief))


def recommend_region(task: Task, history: History, state: State) -> Classified:
    """All candidates of a list, or points that stand for the space, with their probabilities."""
    with single_thread():
        X, means, sds = _everywhere(task, history, state.doubted())
        probability = _probability(means, sds, _level(task, state.doubted()))
        return Classified(X, probability, task.domain.candidates is not None)


def certify_region(task: Task, history: History, state: State) -> RegionLoss:
    """How many candidates are expected on the wrong side, and the loss of the worst, averaged over the settings.

    Excluded candidates are not counted.
    """
    with finite_only():
        belief, objective = state.doubted(), task.objective
        X, means, sds = _everywhere(task, history, belief)
        level, scale = _level(task, belief), belief.units.scale
        if task.domain.candidates is not None:
            allowed = history.allowed(len(X))
            if allowed.any():
                means, sds = means[:, allowed], sds[:, allowed]
        inside = _probability(means, sds, level) >= 0.5
        found = [misclassification(mean, sd, level=level, above=inside) for mean, sd in zip(means, sds, strict=True)]
        each = np.array([one.expected_wrong for one in found])
        wrong = float(each.mean())  # the mean over equally likely settings is the expectation itself
        worst = scale * careful_mean(np.array([one.worst_loss for one in found]))
        loss = scale * float(np.mean([one.loss.mean() for one in found]))
        refuse_infinite(wrong, worst, loss)
        assert objective.goal is not None
        return RegionLoss(
            inside=int(inside.sum()),
            candidates=len(inside),
            wrong=wrong,
            mean_loss=loss,
            worst_loss=worst,
            above=objective.goal.above,
            below=objective.goal.below,
            exact=task.domain.candidates is not None,
            trust=belief.trust(),
            objective=objective.name,
            model="given" if task.surrogate.method == "fixed" else "fitted",
            used=belief.used,
            told=len(history.series().y),
            settings=len(each),
            unsure=share_unsure(wrong, each.tolist()),
        )


def _everywhere(task: Task, history: History, belief: Averaged) -> tuple[Floats, Floats, Floats]:
    """Candidates of a list, or points that stand for the space; mean and sd there under each setting, ``(H, N)``."""
    X = task.domain.candidates
    if X is None:
        X = dense_sample(task.domain, _DENSE, stream(task.seed, told_key(history.series()), Purpose.CERTIFICATE))
        settings = belief.at(X)
    else:
        settings = belief.on_table(X)
    return X, np.array([each.mean for each in settings]), np.array([each.sd for each in settings])


def _probability(means: Floats, sds: Floats, level: float) -> Floats:
    """The mean over settings of Phi((mean - level) / sd); where sd is 0, f is known."""
    known = sds <= 0.0
    z = (means - level) / np.where(known, 1.0, sds)
    chance: Floats = np.where(known, means >= level, ndtr(z)).mean(axis=0)
    return chance


def _level(task: Task, belief: Averaged) -> float:
    assert task.level is not None
    return float(belief.units.standardised(np.array(task.level)))
