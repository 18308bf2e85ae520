"""Runs of the rules for several outcomes on a table whose GPs are known, with functions drawn from them."""

import math
from dataclasses import dataclass, field

import numpy as np

from regretless.acquisition import Outputs, View
from regretless.gp import Kernel, posterior, table_posterior
from regretless.theory import information_gain, variance_sum

GRID = np.linspace(0.0, 1.0, 5)
X = np.stack(np.meshgrid(GRID, GRID), axis=-1).reshape(-1, 2)
N = len(X)
NOISE_VAR = 0.05
KERNELS = [Kernel("rbf", np.full(2, scale), 1.0) for scale in (0.3, 0.4, 0.25)]
_FACTORS = [np.linalg.cholesky(kernel(X, X) + 1e-9 * np.eye(N)) for kernel in KERNELS]


@dataclass
class Run:
    """F is (N, m), the true outcomes; the rest has an entry per step."""

    F: np.ndarray
    rows: list = field(default_factory=list)
    records: list = field(default_factory=list)
    sds: list = field(default_factory=list)  # (m,) at the point chosen
    before: list = field(default_factory=list)  # means and sds of all candidates, (N, m) each


def run(rule, K, J, T, rng, *, thresholds=(), reference=None):
    """T steps of a rule; every outcome is measured at every point."""
    m = K + J
    f = np.column_stack([_FACTORS[k] @ rng.standard_normal(N) for k in range(m)])
    none = {"X": np.empty((0, 2)), "y": np.empty(0)}
    tables = [table_posterior(posterior(KERNELS[k], noise_var=NOISE_VAR, **none), X) for k in range(m)]
    done = Run(f)
    for t in range(1, T + 1):
        views = tuple(
            View(table.posterior, X, table.mean, table.sd, none["X"], 0.0, (0, 0), table=table) for table in tables
        )
        outputs = Outputs(views, K, thresholds, reference)
        score = rule.draw(outputs, t, rng)
        row = int(score.on(outputs).argmax())
        done.rows.append(row)
        done.records.append(score.record)
        done.sds.append(outputs.sd[row])
        done.before.append((outputs.mean, outputs.sd))
        y = f[row] + math.sqrt(NOISE_VAR) * rng.standard_normal(m)
        tables = [table.condition_at(row, value) for table, value in zip(tables, y, strict=True)]
    return done


def variance_sums(m, T):
    """C_1 gamma_T of each outcome."""
    gains = [information_gain(KERNELS[k], X, T, noise_var=NOISE_VAR).upper[T] for k in range(m)]
    return [variance_sum(float(gain), noise_var=NOISE_VAR) for gain in gains]


def assert_below(sample, bound, *, errors=4.0):
    """The mean of the sample is at most that of the bound, a number or a sample paired with it, within its error."""
    excess = np.asarray(sample, dtype=float) - bound
    assert excess.mean() <= errors * excess.std() / math.sqrt(len(excess)) + 1e-12
