"""What was measured in one experiment, and the curves that figures, CSV files and verdicts are made from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from regretless.arrays import Floats
from regretless.paper.jobs import Columns
from regretless.paper.methods import Method
from regretless.paper.settings import Settings

__all__ = ["Curve", "Results", "mean_and_error", "race_curves"]


@dataclass(frozen=True, slots=True)
class Results:
    """The columns of every finished unit, by (problem, method, seed)."""

    settings: Settings
    methods: tuple[Method, ...]
    columns: Mapping[tuple[str, str, int], Columns]

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems that have results, in the order of the settings."""
        present = {problem for problem, _, _ in self.columns}
        return tuple(name for name in self.settings.problems if name in present)

    def runs(self, problem: str, method: str) -> list[Columns]:
        """The runs of one method on one problem, by seed."""
        return [self.columns[key] for key in sorted(k for k in self.columns if k[:2] == (problem, method))]

    def racing(self, problem: str) -> tuple[Method, ...]:
        """Methods that have runs on a problem."""
        present = {method for name, method, _ in self.columns if name == problem}
        return tuple(method for method in self.methods if method.key in present)


@dataclass(frozen=True, slots=True)
class Curve:
    """Mean over runs with its standard error, at each ``t``."""

    t: Floats
    mean: Floats
    error: Floats
    runs: Floats  # (runs, len(t))

    def at(self, t: float) -> float:
        """The mean at the last point that is not behind ``t``."""
        return float(self.mean[int(np.searchsorted(self.t, t, side="right")) - 1])


def mean_and_error(t: Floats, runs: Floats) -> Curve:
    r"""Mean and standard error over the rows of ``runs``.

    .. math:: \bar r_t = \frac1n \sum_i r_{it}, \qquad
              \mathrm{se}_t = \sqrt{\frac{1}{n(n-1)} \sum_i (r_{it} - \bar r_t)^2}

    One run has no standard error: NaN.

    >>> curve = mean_and_error(np.array([1.0]), np.array([[1.0], [3.0]]))
    >>> float(curve.mean[0]), float(curve.error[0])
    (2.0, 1.0)
    """
    n = len(runs)
    error = runs.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.full(runs.shape[1], np.nan)
    return Curve(t, runs.mean(axis=0), error, runs)


def race_curves(results: Results, problem: str, what: str) -> dict[str, Curve]:
    """Per method the ``simple`` regret (the initial points count) or the ``cumulative`` one (they do not)."""
    curves = {}
    for method in results.racing(problem):
        found = []
        for run in results.runs(problem, method.key):
            later = run["t"] > 0
            if what == "simple":
                found.append(np.minimum.accumulate(run["regret"])[np.count_nonzero(~later) - 1 :])
            else:
                found.append(np.concatenate([[0.0], np.cumsum(run["regret"][later])]))
        curves[method.key] = mean_and_error(np.arange(len(found[0]), dtype=np.float64), np.array(found))
    return curves
