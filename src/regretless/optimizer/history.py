"""What is known when a suggestion is made, as arrays in the order of trial numbers."""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from regretless.arrays import Floats
from regretless.gp import Hyperparameters
from regretless.spaces import OUTSIDE

__all__ = ["Fit", "History", "Points", "only", "without_last"]


@dataclass(frozen=True, slots=True)
class Points:
    """Encoded points with their trial numbers, ascending.

    ``index`` holds candidate numbers on a table, else -1; `OUTSIDE` for data of a point that is not a candidate.
    """

    trials: npt.NDArray[np.intp]
    X: Floats
    index: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def inside(self) -> npt.NDArray[np.bool_]:
        """Which of them are candidates: the others are data and no more."""
        inside: npt.NDArray[np.bool_] = self.index != OUTSIDE
        return inside

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """The candidate numbers of those that are rows of a table."""
        return self.index[self.index >= 0]


@dataclass(frozen=True, slots=True)
class Fit:
    """Hyperparameters, the trial whose suggestion asked for them, and the told trials they were fitted to."""

    hyperparameters: Hyperparameters
    at_trial: int
    trials: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class History:
    """Everything a suggestion depends on, beside the setup."""

    told: Points
    y: Floats  # value of each told point; always maximised
    pending: Points
    failed: Points
    n_designed: int  # suggestions of the initial design so far
    n_ruled: int  # suggestions of the rule so far: the paper's t is one more
    fit: Fit | None  # the newest
    closed: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # rows that are excluded

    def allowed(self, n_candidates: int) -> npt.NDArray[np.bool_]:
        """Which rows of a table are not excluded."""
        allowed = np.ones(n_candidates, dtype=np.bool_)
        allowed[self.closed] = False
        return allowed


def only(history: History, rows: npt.NDArray[np.intp]) -> History:
    """The history with these rows of what was told, ascending, and no others."""
    told = history.told
    return replace(history, told=Points(told.trials[rows], told.X[rows], told.index[rows]), y=history.y[rows])


def without_last(history: History, count: int) -> History:
    """The history as if the last ``count`` told values had not come yet."""
    kept, told = len(history.y) - count, history.told
    return replace(history, told=Points(told.trials[:kept], told.X[:kept], told.index[:kept]), y=history.y[:kept])
