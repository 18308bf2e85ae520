"""Cheap approximations: at each step the rule chooses a point at the target, then what to buy there per cost.

Functions are drawn from a Gaussian process that has the target and a level below it, a tenth of its price:

    f(x, low) = f(x) + discrepancy(x)

The point is that of IRGP-UCB with the theorem's shift at the target. Then `level_information` says how much a
measurement at each level tells about the target there, and `best_level` takes the most per cost. Printed is the mean
regret of the point with the largest posterior mean at the target, by what was spent, beside runs that buy the target
alone. The model is known here: studies do not buy levels, this is the rule by hand.
"""

import math

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import ShiftedExponential
from regretless.gp import FidelityKernel, LevelDiscrepancy, posterior, table_posterior
from regretless.theory import best_level, level_information

GRID = np.linspace(0.0, 1.0, 6)
X = np.stack(np.meshgrid(GRID, GRID), axis=-1).reshape(-1, 2)  # 36 candidates
COSTS = np.array([0.1, 1.0])  # of the level below, and of the target
BELOW = np.array([1.0, 0.0])  # how many levels below the target
NOISE_VAR = 0.01


def kernel_with(correlation: float) -> FidelityKernel:
    """The kernel under which the level has this correlation with the target: 1/sqrt(1 + w)."""
    return FidelityKernel("rbf", np.full(2, 0.25), 1.0, discrepancy=LevelDiscrepancy((correlation**-2 - 1.0,)))


def regrets(kernel: FidelityKernel, budgets: Floats, rng: np.random.Generator, *, levels: bool) -> Floats:
    """Regret of the recommendation once each of the budgets was spent, in one run on one function."""
    N = len(X)
    rows = np.vstack([np.column_stack([X, np.full(N, z)]) for z in BELOW])
    f = np.linalg.cholesky(kernel(rows, rows) + 1e-9 * np.eye(2 * N)) @ rng.standard_normal(2 * N)
    target = f[N:]
    law = ShiftedExponential.for_table(N)
    given = table_posterior(posterior(kernel, noise_var=NOISE_VAR, X=np.empty((0, 3)), y=np.empty(0)), X)
    spent, t, left = 0.0, 0, np.full(len(budgets), math.nan)
    while spent < budgets[-1]:
        t += 1
        x = int((given.mean + math.sqrt(law.draw(t, rng)) * given.sd).argmax())
        m = 1
        if levels:
            at = np.column_stack([np.tile(X[x], (2, 1)), BELOW])
            C = given.covariance(at, at)
            told = level_information(C[1], target_var=C[1, 1], level_vars=C.diagonal(), noise_var=NOISE_VAR)
            m = best_level(told, COSTS)
        y = f[m * N + x] + math.sqrt(NOISE_VAR) * rng.standard_normal()
        given = given.condition(np.append(X[x], BELOW[m]), float(y))
        spent += float(COSTS[m])
        left[np.isnan(left) & (budgets <= spent + 1e-9)] = target.max() - target[int(given.mean.argmax())]
    return left


def means(correlation: float, budgets: Floats, runs: int) -> tuple[Floats, Floats]:
    """Mean regret by budget with both levels, and with the target alone; the same functions for both."""
    kernel = kernel_with(correlation)
    both, alone = (
        np.array([regrets(kernel, budgets, np.random.default_rng(seed), levels=levels) for seed in range(runs)])
        for levels in (True, False)
    )
    return both.mean(axis=0), alone.mean(axis=0)


if __name__ == "__main__":
    budgets = np.array([3.0, 6.0, 12.0])
    print("correlation   spent   both levels   target alone")
    for correlation in (0.95, 0.5):
        both, alone = means(correlation, budgets, runs=40)
        for spent, with_levels, without in zip(budgets, both, alone, strict=True):
            print(f"{correlation:11.2f} {spent:7.0f} {with_levels:13.3f} {without:14.3f}")
