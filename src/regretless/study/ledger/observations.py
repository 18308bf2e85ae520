"""Trials as arrays: points and results."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp import Noise, pooled
from regretless.optimizer import FAILED, PENDING, TOLD, Outcome, Points, Task
from regretless.spaces import UNLISTED, Table
from regretless.study.trial import Trial

__all__ = ["Observations"]

#: Unknown noise: no standard error, one replicate, no spread.
_UNKNOWN = (0.0, 1.0, 0.0)


class Observations:
    """One row per trial, by number. Rows after the last trial are spare, or of drafts that were undone."""

    def __init__(self, task: Task) -> None:
        self._outcomes, self._beside = task.outcomes, task.context
        m = len(task.outcomes)
        self._X: Floats = np.empty((0, task.domain.dim))
        self._context: Floats | None = np.empty((0, task.context_width)) if task.context_width else None
        self._index: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._inside: npt.NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._used: npt.NDArray[np.bool_] = np.empty(0, dtype=np.bool_)  # neither released nor set aside
        self._status: npt.NDArray[np.int8] = np.empty((0, m), dtype=np.int8)
        self._Y: Floats = np.empty((0, m))
        self._noise: dict[int, Floats] = {}  # by outcome, where something is known: sd, count and spread of each trial

    def place(self, number: int, x: Floats, index: int | None, *, inside: bool, context: Sequence[float] = ()) -> None:
        """Write the point of a trial."""
        if number >= len(self._used):
            self._grow()
        self._X[number] = x
        self._index[number] = UNLISTED if index is None else index
        self._inside[number] = inside
        if self._context is not None:
            self._context[number] = context

    def write(self, trial: Trial) -> None:
        """Write the results of a trial so far."""
        number = trial.number
        self._used[number] = not trial.excluded and trial.status != "released"
        for k, outcome in enumerate(self._outcomes):
            value = trial.values.get(outcome.name)
            code = PENDING if outcome.name not in trial.values else FAILED if value is None else TOLD
            self._status[number, k] = code
            self._Y[number, k] = np.nan if value is None else outcome.inward(value)
            if k in self._noise or outcome.name in trial.noise:
                known = self._noise.setdefault(k, np.tile(_UNKNOWN, (len(self._used), 1)))
                known[number] = _noise_of(trial.noise.get(outcome.name))

    def used(self, count: int) -> npt.NDArray[np.intp]:
        """The numbers of the used trials among the first ``count``."""
        return np.flatnonzero(self._used[:count])

    def told(self, count: int, outcomes: Sequence[Outcome]) -> npt.NDArray[np.intp]:
        """The used trials among the first ``count`` that have a value of all these outcomes; objectives come first."""
        used = self.used(count)
        whole: npt.NDArray[np.bool_] = (self._status[used, : len(outcomes)] == TOLD).all(axis=1)
        return np.compress(whole, used)

    def points(self, rows: npt.NDArray[np.intp]) -> Points:
        """The points of these trials."""
        context = None if self._context is None else self._context[rows]
        return Points(rows, self._X[rows], self._index[rows], self._inside[rows], context)

    def status(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.int8]:
        """(n, m): pending, failed or told."""
        return self._status[rows]

    def values(self, rows: npt.NDArray[np.intp]) -> Floats:
        """(n, m): values as maximised, NaN where there are none."""
        return self._Y[rows]

    def noise(self, rows: npt.NDArray[np.intp]) -> tuple[Noise | None, ...]:
        """The known noise of each outcome; empty if there is none."""
        if not self._noise:
            return ()
        each = (self._noise.get(k) for k in range(len(self._outcomes)))
        return tuple(None if known is None else Noise(*known[rows].T.copy()) for known in each)

    def recode(self, table: Table, trials: Sequence[Trial]) -> list[tuple[int, Any]]:
        """After an extension of the table: new codes of rows, and which points outside have become candidates.

        Existing candidates keep number and codes, unless a constant column begins to vary.
        """
        if table.dim != self._X.shape[1]:
            self._X = np.zeros((len(self._used), table.dim))
        index = self._index[: len(trials)]
        rows = np.flatnonzero(index != UNLISTED)
        self._X[rows] = table.X[index[rows]]
        found = []
        for number in np.flatnonzero(index == UNLISTED).tolist():
            beside = () if self._beside is None else (self._beside.name,)
            place = table.place({name: v for name, v in trials[number].params.items() if name not in beside})
            self._X[number] = place.x
            if place.index is not None:
                self._index[number], self._inside[number] = place.index, True
                found.append((number, table.row_of(place.point)))
        return found

    def _grow(self) -> None:
        more, m = max(64, len(self._used)), len(self._outcomes)
        self._X = np.vstack([self._X, np.zeros((more, self._X.shape[1]))])
        if self._context is not None:
            self._context = np.vstack([self._context, np.zeros((more, self._context.shape[1]))])
        self._index = np.concatenate([self._index, np.zeros(more, dtype=np.intp)])
        self._inside = np.concatenate([self._inside, np.ones(more, dtype=np.bool_)])
        self._used = np.concatenate([self._used, np.zeros(more, dtype=np.bool_)])
        self._status = np.vstack([self._status, np.full((more, m), PENDING, dtype=np.int8)])
        self._Y = np.vstack([self._Y, np.full((more, m), np.nan)])
        self._noise = {k: np.vstack([known, np.tile(_UNKNOWN, (more, 1))]) for k, known in self._noise.items()}


def _noise_of(known: Mapping[str, Any] | None) -> tuple[float, float, float]:
    """Standard error of a value, number of replicates, and their spread; ``sd`` is that of a single measurement."""
    if known is None:
        return _UNKNOWN
    _, count, spread = pooled(np.array(known["replicates"])) if "replicates" in known else (0.0, 1, 0.0)
    return known.get("sd", 0.0) / math.sqrt(count), float(count), spread
