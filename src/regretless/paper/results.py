"""What was measured in one experiment, and the curves that figures, CSV files and verdicts are made from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.arrays import Floats
from regretless.paper.jobs import Columns
from regretless.paper.methods import Method
from regretless.paper.settings import Settings
from regretless.paper.simulations import STOPPING, checkpoints
from regretless.theory import (
    anytime_regret,
    conditional_regret_table_anytime,
    conditional_regret_table_as_printed,
    expected_regret_table,
    high_probability_regret_gp_ucb_anytime,
)

__all__ = [
    "Curve",
    "Results",
    "arms_tail",
    "beyond_curves",
    "beyond_tables",
    "bound_curves",
    "bound_tables",
    "conditional_curves",
    "confidence_tables",
    "figure_curves",
    "mean_and_error",
    "race_curves",
    "race_tables",
    "stopping_tables",
    "stops",
    "two_point_curves",
    "two_point_tables",
]


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


def confidence_tables(results: Results) -> dict[str, Columns]:
    """One table per problem: mean, lower and upper end for each method."""
    tables = {}
    for problem in results.problems:
        table: Columns = {}
        for method in results.racing(problem):
            run = results.runs(problem, method.key)[0]
            table.setdefault("t", run["t"])
            table.update({f"{method.key} {name}": run[name] for name in ("mean", "lower", "upper")})
        tables[f"confidence-{problem}"] = table
    return tables


def race_tables(results: Results) -> dict[str, Columns]:
    """Two tables per problem, simple and cumulative regret: mean and standard error for each method."""
    name = results.settings.experiment
    return {
        f"{name}-{problem}-{what}": _side_by_side(
            {method.label: curves[method.key] for method in results.racing(problem)}
        )
        for problem in results.problems
        for what in ("simple", "cumulative")
        if (curves := race_curves(results, problem, what))
    }


def _side_by_side(curves: dict[str, Curve]) -> Columns:
    table: Columns = {}
    for label, curve in curves.items():
        table.setdefault("t", curve.t)
        table.update({f"{label} mean": curve.mean, f"{label} error": curve.error})
    return table


def two_point_curves(results: Results, problem: str) -> dict[str, Curve]:
    """Cumulative regret at the checkpoints for each method."""
    marks = results.settings.numbers["checkpoints"]
    curves = {}
    for method in results.racing(problem):
        runs = results.runs(problem, method.key)
        found = np.concatenate([np.stack([run[str(T)] for T in marks], axis=1) for run in runs])
        curves[method.key] = mean_and_error(np.array(marks, dtype=np.float64), found)
    return curves


def two_point_tables(results: Results) -> dict[str, Columns]:
    """One table per problem."""
    return {
        f"linear-regret-{problem}": _side_by_side(two_point_curves(results, problem)) for problem in results.problems
    }


def bound_curves(results: Results, problem: str) -> Columns:
    """BCR with its standard error, the step bound and the theorem's bound at the checkpoints."""
    blocks = results.runs(problem, "irgp-ucb")
    t, n, mean, error = _of_blocks(blocks)
    upper = results.runs(problem, "gain")[0]["upper"]
    case = results.settings.numbers["cases"][problem]
    bound = [
        expected_regret_table(
            int(T),
            n_candidates=case["levels"] ** case["dim"],
            info_gain=float(upper[int(T) - 1]),
            noise_var=case["noise_var"],
        )
        for T in t
    ]
    return {
        "t": t,
        "regret": mean,
        "error": error,
        "step": np.sum([block["steps"] for block in blocks], axis=0) / n,
        "bound": np.array(bound),
    }


def _of_blocks(blocks: list[Columns]) -> tuple[Floats, Floats, Floats, Floats]:
    """Checkpoints, number of runs, mean and its standard error, from the sums of all blocks."""
    n, total, squares = (np.sum([block[name] for block in blocks], axis=0) for name in ("runs", "sum", "squares"))
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * n / (n - 1.0)
    return blocks[0]["t"], n, mean, np.sqrt(variance / n)


def beyond_curves(results: Results) -> dict[str, Columns]:
    """Per rule on the grid: mean cumulative regret with its error, its bound (NaN where there is none) and zeta."""
    numbers, gain = results.settings.numbers, results.runs("grid", "gain")[0]["upper"]
    N = numbers["levels"] ** 2
    curves = {}
    for method in results.methods:
        blocks = results.runs("grid", method.key)
        t, _, mean, error = _of_blocks(blocks)
        zeta = np.mean([block["zeta"] for block in blocks], axis=0)
        bound = [_bound_of(method.key, int(T), N, float(g), numbers) for T, g in zip(t, gain, strict=True)]
        curves[method.key] = {"t": t, "regret": mean, "error": error, "bound": np.array(bound), "zeta": zeta}
    return curves


def _bound_of(method: str, T: int, N: int, info_gain: float, numbers: Mapping[str, Any]) -> float:
    """In expectation for the randomised rules; with probability 1 - delta, for all T at once, for the other two."""
    model = {"info_gain": info_gain, "noise_var": numbers["noise_var"]}
    if method in ("irgp-ucb", "tight"):
        return expected_regret_table(T, n_candidates=N, tight=method == "tight", **model)
    if method == "anytime":
        return anytime_regret(T, n_candidates=N, delta=numbers["delta"], **model)
    if method == "gp-ucb":
        return high_probability_regret_gp_ucb_anytime(T, n_candidates=N, delta=numbers["delta"], **model)
    return math.nan


def beyond_tables(results: Results) -> dict[str, Columns]:
    """One table per rule on the grid, the tail of the regret on two arms, the gaps, and the parameters of figure 1."""
    tables = {f"beyond-grid-{key}": curve for key, curve in beyond_curves(results).items()}
    tables |= {f"beyond-figure-1-{key}": curve for key, curve in figure_curves(results).items()}
    return {**tables, "beyond-two-arms": arms_tail(results), "beyond-gaps": results.runs("gaps", "gaps")[0]}


def figure_curves(results: Results) -> dict[str, Columns]:
    """Mean and central 95 % interval of zeta by t, per rule of figure 1; of ATS over windows of ten steps."""
    curves = {key: results.runs("figure-1", key)[0] for key in ("gp-ucb", "rgp-ucb", "irgp-ucb", "tight")}
    blocks = results.runs("figure-1", "ats")
    zeta = np.column_stack([block[name] for block in blocks for name in block if name != "t"])
    windows = np.array_split(np.arange(len(zeta)), max(len(zeta) // 10, 1))
    lower, upper = np.array([np.quantile(zeta[window], (0.025, 0.975)) for window in windows]).T
    return curves | {
        "ats": {
            "t": np.array([blocks[0]["t"][window].mean() for window in windows]),
            "mean": np.array([zeta[window].mean() for window in windows]),
            "lower": lower,
            "upper": upper,
            "error": np.array([zeta[window].mean(axis=0).std(ddof=1) for window in windows]) / math.sqrt(zeta.shape[1]),
        }
    }


def arms_tail(results: Results) -> Columns:
    """Share of the runs on two arms whose cumulative regret exceeds r, for r = 5, 10, 20, ..., while ten runs do."""
    regret = np.concatenate([run["regret"] for run in results.runs("two-arms", "irgp-ucb")])
    levels = 5.0 * 2.0 ** np.arange(12)
    above = (regret[:, None] > levels).sum(axis=0)
    shown = above >= 10
    return {"r": levels[shown], "share": above[shown] / len(regret), "runs": above[shown].astype(np.float64)}


def conditional_curves(results: Results) -> dict[str, Floats]:
    """Regret given the zetas, (sequences, checkpoints), and the printed and corrected U(T, delta)."""
    runs = results.runs("square", "conditional")
    numbers = results.settings.numbers
    case, upper = numbers["cases"]["square"], results.runs("square", "gain")[0]["upper"]
    t = checkpoints(numbers["conditional_horizon"])
    forms: dict[str, list[float]] = {"printed": [], "corrected": []}
    for T in t.tolist():
        model = {
            "n_candidates": case["levels"] ** case["dim"],
            "delta": numbers["delta"],
            "info_gain": float(upper[T - 1]),
            "noise_var": case["noise_var"],
        }
        forms["printed"].append(conditional_regret_table_as_printed(T, **model))
        forms["corrected"].append(conditional_regret_table_anytime(T, **model))
    found = {"t": t.astype(np.float64), "regret": np.array([run["regret"] for run in runs])}
    return {**found, **{form: np.array(values) for form, values in forms.items()}}


def bound_tables(results: Results) -> dict[str, Columns]:
    """One table per problem, the conditional regret, and the sums of zeta."""
    tables = {f"bounds-{problem}": bound_curves(results, problem) for problem in results.problems}
    found = conditional_curves(results)
    sequences = {f"sequence {k}": row for k, row in enumerate(found.pop("regret"))}
    return {**tables, "bounds-conditional": {**found, **sequences}, "bounds-zeta": results.runs("square", "zeta")[0]}


def stops(results: Results, rule: str, eps: float) -> tuple[Floats, Floats, int]:
    """When each run that stopped did so, the true regret there, and the number of all runs."""
    when, regret = [], []
    runs = results.runs("gp-sample", "irgp-ucb")
    for run in runs:
        small = run[rule] <= eps
        if small.any():
            when.append(run["t"][small.argmax()])
            regret.append(run["regret"][small.argmax()])
    return np.array(when), np.array(regret), len(runs)


def stopping_tables(results: Results) -> dict[str, Columns]:
    """What each rule thinks is left on average, beside the truth; and where they stop."""
    runs = results.runs("gp-sample", "irgp-ucb")
    left: Columns = {"t": runs[0]["t"]}
    for name in ("regret", *STOPPING):
        curve = mean_and_error(runs[0]["t"], np.array([run[name] for run in runs]))
        left.update({f"{name} mean": curve.mean, f"{name} error": curve.error})
    rows = []
    for eps in results.settings.numbers["targets"]:
        for number, rule in enumerate(STOPPING):
            when, regret, total = stops(results, rule, eps)
            some = len(when) > 0
            rows.append(
                (eps, number, len(when) / total, when.mean() if some else math.nan, regret.mean() if some else math.nan)
            )
    names = ("eps", "rule number", "share stopped", "mean stop", "mean regret")
    return {"stopping-left": left, "stopping-stops": dict(zip(names, np.array(rows).T, strict=True))}
