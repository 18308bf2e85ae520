r"""The regret bounds beside what they bound.

Three parts, told apart by a unit's method. ``irgp-ucb``: expected cumulative regret over functions, noise and zeta
(BCR), with :math:`\sum_t \sqrt{\zeta_t}\,\sigma_{t-1}(x_t)`, what remains of the proof before Cauchy and Schwarz.
``conditional``: one sequence of zetas a seed, regret averaged over functions and noise. ``zeta``: how often the sum of
the zetas exceeds what is said to bound it. ``gain``: certified upper bounds on the information gain.
"""

import math

import numpy as np

from regretless.arrays import Floats
from regretless.confidence import ShiftedExponential
from regretless.confidence.schedules import value_at
from regretless.gp import Kernel, prior_factor
from regretless.paper.jobs import Columns, Unit
from regretless.problems import grid
from regretless.rng import Purpose, stream
from regretless.theory import information_gain, zeta_sum_as_printed, zeta_sum_bound

__all__ = ["bounds_unit", "checkpoints"]


def bounds_unit(unit: Unit) -> Columns:
    """The part that the unit's method names."""
    return {"irgp-ucb": _expected, "conditional": _conditional, "zeta": _zeta_sums, "gain": _gain}[unit.method](unit)


def checkpoints(horizon: int) -> np.ndarray:
    """Ten times a decade, from 1 to ``horizon``.

    >>> checkpoints(10).tolist()
    [1, 2, 3, 4, 5, 6, 8, 10]
    """
    count = round(10 * math.log10(horizon)) + 1
    return np.unique(np.geomspace(1.0, horizon, count).round().astype(int))


def _case(unit: Unit) -> tuple[Kernel, Floats, float, int]:
    """Kernel, candidates (100 of them), noise variance and horizon of a problem."""
    case = unit.settings["cases"][unit.problem]
    X = grid(np.linspace(0.0, 1.0, case["levels"]), case["dim"])
    return Kernel("rbf", np.full(case["dim"], case["lengthscale"]), 1.0), X, case["noise_var"], case["horizon"]


def _expected(unit: Unit) -> Columns:
    """Sums over a block of runs, so that blocks add up."""
    kernel, X, noise_var, horizon = _case(unit)
    rule, world = (stream(unit.stream_seed(), 0, purpose) for purpose in (Purpose.RULE, Purpose.PROBLEM))
    runs = unit.settings["block"]
    zeta = _shift(len(X)) + rule.exponential(2.0, (horizon, runs))  # ~ s + Exp(rate 1/2)
    regret, step = _regrets(kernel, X, noise_var, zeta, world)
    at = checkpoints(horizon)
    return {
        "t": at.astype(np.float64),
        "runs": np.full(len(at), float(runs)),
        "sum": regret[at - 1].sum(axis=1),
        "squares": (regret[at - 1] ** 2).sum(axis=1),
        "steps": step[at - 1].sum(axis=1),
    }


def _conditional(unit: Unit) -> Columns:
    """Regret given one sequence of zetas, averaged over functions and noise."""
    kernel, X, noise_var, _ = _case(unit)
    horizon, functions = unit.settings["conditional_horizon"], unit.settings["conditional_functions"]
    rule, world = (stream(unit.stream_seed("conditional", unit.seed), 0, p) for p in (Purpose.RULE, Purpose.PROBLEM))
    zeta = _shift(len(X)) + rule.exponential(2.0, horizon)
    regret, _ = _regrets(kernel, X, noise_var, np.tile(zeta[:, None], (1, functions)), world)
    at = checkpoints(horizon)
    return {
        "t": at.astype(np.float64),
        "regret": regret[at - 1].mean(axis=1),
        "error": regret[at - 1].std(axis=1, ddof=1) / math.sqrt(functions),
        "zeta": np.cumsum(zeta)[at - 1],
    }


def _regrets(
    kernel: Kernel, X: Floats, noise_var: float, zeta: Floats, world: np.random.Generator
) -> tuple[Floats, Floats]:
    """Cumulative regret and summed ``sqrt(zeta) sd``, (T, runs); all runs at once by updates of their covariances."""
    T, runs = zeta.shape
    N, who = len(X), np.arange(runs)
    f = world.standard_normal((runs, N)) @ prior_factor(kernel, X).L.T  # ~ N(0, K)
    gap = f.max(axis=1, keepdims=True) - f
    mean, C = np.zeros((runs, N)), np.broadcast_to(kernel(X, X), (runs, N, N)).copy()
    var = np.ones((runs, N))
    regret, step = np.empty((T, runs)), np.empty((T, runs))
    for t in range(T):
        root = np.sqrt(zeta[t])
        sd = np.sqrt(np.maximum(var, 0.0))
        x = (mean + root[:, None] * sd).argmax(axis=1)
        regret[t], step[t] = gap[who, x], root * sd[who, x]
        y = f[who, x] + math.sqrt(noise_var) * world.standard_normal(runs)
        column = C[who, x]
        scale = np.maximum(column[who, x], 0.0) + noise_var
        mean += column * ((y - mean[who, x]) / scale)[:, None]
        unit_column = column / np.sqrt(scale)[:, None]
        for r in range(runs):  # one run's covariance fits the cache
            C[r] -= np.outer(unit_column[r], unit_column[r])
        var -= unit_column**2
    return np.cumsum(regret, axis=0), np.cumsum(step, axis=0)


def _zeta_sums(unit: Unit) -> Columns:
    """Share of simulated sequences that have exceeded the printed and the corrected bound on their sum by T."""
    s = unit.settings
    horizon, delta = s["zeta_horizon"], s["delta"]
    law = ShiftedExponential.for_table(1000)
    drawn = stream(unit.stream_seed(), 0, Purpose.RULE).exponential(2.0, (s["zeta_paths"], horizon))
    sums = np.cumsum(_shift(1000) + drawn, axis=1)
    at = np.arange(1, horizon + 1)
    failure = [3.0 * delta / (math.pi * T) ** 2 for T in at]
    printed = np.array([zeta_sum_as_printed(law, int(T), failure=p) for T, p in zip(at, failure, strict=True)])
    corrected = np.array([zeta_sum_bound(law, int(T), failure=p) for T, p in zip(at, failure, strict=True)])
    return {
        "t": at.astype(np.float64),
        "printed": np.maximum.accumulate(sums > printed, axis=1).mean(axis=0),
        "corrected": np.maximum.accumulate(sums > corrected, axis=1).mean(axis=0),
    }


def _shift(n_candidates: int) -> float:
    return value_at(ShiftedExponential.for_table(n_candidates).shift, 1, "shift")


def _gain(unit: Unit) -> Columns:
    kernel, X, noise_var, horizon = _case(unit)
    gain = information_gain(kernel, X, horizon, noise_var=noise_var)
    return {"t": np.arange(1.0, horizon + 1), "upper": gain.upper[1:]}
