"""An earlier study as data of the model: its results as this task sees them."""

from regretless.arrays import Floats
from regretless.gp import Source
from regretless.linalg import single_thread
from regretless.optimizer.task import Task
from regretless.rng import Purpose, stream

__all__ = ["source_of"]


def source_of(task: Task, outcome: int, trial: int, X: Floats, y: Floats) -> Source:
    """Results of an earlier study as the `Source` of one outcome, under a model that is fitted to them alone.

    ``X`` are codes of this task's domain, ``y`` values as they are inside; ``trial`` is the number of trials so far.
    """
    of = task.of(outcome)
    with single_thread():
        rng = stream(task.seed, trial, Purpose.FIT)
        fitted = of.surrogate.fit(X, y, categorical=task.categorical, start=None, rng=rng, knee=of.knee)
        return fitted.as_source(X, y)
