"""Histories with one outcome, and the steps of its model applied to them."""

import numpy as np

from regretless.optimizer import FAILED, PENDING, TOLD, Fit, History, Points, Task, model
from regretless.spaces import UNLISTED


def points(X, first: int = 0, index=None) -> Points:
    """Points with trial numbers from ``first``; candidates of a list if they have numbers."""
    X = np.asarray(X, dtype=float).reshape(-1, 2)
    index = np.full(len(X), UNLISTED) if index is None else np.asarray(index, dtype=int).reshape(len(X))
    return Points(np.arange(first, first + len(X)), X, index, np.ones(len(X), dtype=bool))


def history_of(told: Points, y, pending: Points, failed: Points, n_designed, n_ruled, fit: Fit | None) -> History:
    """The history of these trials, whichever order they came in."""
    parts = [told, pending, failed]
    numbers = np.concatenate([part.trials for part in parts])
    order = np.argsort(numbers, kind="stable")
    together = Points(
        numbers[order],
        np.vstack([part.X for part in parts])[order],
        np.concatenate([part.index for part in parts])[order],
        np.concatenate([part.inside for part in parts])[order],
    )
    status = np.repeat(np.array([TOLD, PENDING, FAILED], dtype=np.int8), [len(part) for part in parts])[order]
    Y = np.concatenate([np.asarray(y, dtype=float), np.full(len(pending) + len(failed), np.nan)])[order]
    return History(together, status[:, None], Y[:, None], n_designed, n_ruled, (fit,))


def believe(task: Task, history: History, trial: int, state):
    return model.believe(task, history.series(), trial, state)


def doubt(task: Task, history: History, state):
    return model.doubt(task, history.series(), state)


def outdated(task: Task, history: History, state):
    return model.outdated(task, history.series(), state)


def imagine(history: History, state):
    return model.imagine(history.series(), state)


def heeded(task: Task, history: History, state):
    return model.heeded(task, history.series(), state)


def in_use(history: History, state):
    return model.in_use(history.series(), state)


def told_key(history: History) -> int:
    return model.told_key(history.series())
