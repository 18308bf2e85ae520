"""Certificates of several outcomes keep their promise: functions drawn from the model, regret realised at the stop.

A certificate bounds an expectation given the data, so it may be looked at after every trial and used to stop. Over runs
that stop by it, the mean of (realised less certified) is at most 0; a test refuses it at three standard errors, a level
of 0.00135 for each claim.
"""

import math
from functools import cache

import numpy as np
import pytest

from regretless import HypervolumeLeft, Regret, Study, Surrogate
from regretless.gp import Kernel
from regretless.pareto import hypervolume

N, SCALE, NOISE_VAR = 40, 0.08, 0.01
X = np.linspace(0.0, 1.0, N)
SPACE = [{"x": float(x)} for x in X]
MODEL = Surrogate.known("matern52", SCALE, signal_var=1.0, noise_var=NOISE_VAR)


@cache
def root() -> np.ndarray:
    K = Kernel("matern52", np.array([SCALE]), 1.0)(X[:, None], X[:, None])
    return np.linalg.cholesky(K + 1e-10 * np.eye(N))


def truth(seed: int, names) -> tuple[dict[str, np.ndarray], np.random.Generator]:
    """f ~ GP(0, k) for each outcome, independently."""
    rng = np.random.default_rng([11, seed])
    return {name: root() @ rng.normal(size=N) for name in names}, rng


def stop(seed: int, when, most: int, **more):
    """The functions, and the certificate at which a run on them stops."""
    study = Study(SPACE, surrogate=MODEL, seed=seed, **more)
    functions, rng = truth(seed, [outcome.name for outcome in study.outcomes])
    for _ in range(most):
        trial = study.ask()
        noise = math.sqrt(NOISE_VAR) * rng.normal(size=len(functions))
        study.tell(
            trial, {name: float(f[trial.row] + e) for (name, f), e in zip(functions.items(), noise, strict=True)}
        )
        left = study.should_stop(when)
        if left is not None:
            return functions, left, len(study)
    return functions, study.certificate(), most


def refused(difference) -> bool:
    """Whether a mean is above 0 by more than three standard errors."""
    return np.mean(difference) > 3.0 * np.std(difference, ddof=1) / math.sqrt(len(difference))


def feasible_runs(count: int) -> None:
    eps, risk, gaps, violated, evaluations = 0.25, 0.1, [], [], []
    for seed in range(count):
        more = {"objective": "f", "constraints": {"g": ("<=", 0.3)}, "fallback": -3.0, "risk": risk}
        functions, left, n = stop(seed, Regret(eps), 80, **more)
        f, g = functions["f"], functions["g"]
        best = max(float(f[g <= 0.3].max(initial=-math.inf)), left.fallback)
        gaps.append(best - f[left.row] - left.bound)
        evaluations.append(n)
        if left.qualified:
            violated.append(float(g[left.row] > 0.3) - (1.0 - left.prob_feasible))
    assert not refused(gaps)
    assert not refused(violated)
    assert len(violated) > count // 2
    assert np.mean(evaluations) < 60  # and it is worth something


def front_runs(count: int) -> None:
    missed, volumes, evaluations = [], [], []
    reference = {"a": -2.0, "b": 2.0}
    for seed in range(count):
        more = {"objectives": {"a": "maximize", "b": "minimize"}, "reference": reference}
        functions, left, n = stop(seed, HypervolumeLeft(relative=0.25), 60, **more)
        F = np.column_stack([functions["a"], -functions["b"]])
        chosen = F[list(left.rows)]
        ranges = np.array(list(left.ranges.values()))
        epsilon = ((F[:, None, :] - chosen[None, :, :]) / ranges).max(axis=2).min(axis=1).max()
        missed.append(epsilon - left.epsilon)
        volumes.append(hypervolume(F, [-2.0, -2.0]) - hypervolume(chosen, [-2.0, -2.0]) - left.hypervolume_left)
        evaluations.append(n)
    assert not refused(missed)
    assert not refused(volumes)
    assert np.mean(evaluations) < 55


def drawn_given(study: Study, count: int = 4000) -> dict[str, np.ndarray]:
    """f ~ posterior on the grid, by the textbook's formulas: (count, N) for each outcome."""
    rows = [trial.row for trial in study.trials]
    K = Kernel("matern52", np.array([SCALE]), 1.0)(X[:, None], X[:, None])
    W = np.linalg.solve(K[np.ix_(rows, rows)] + NOISE_VAR * np.eye(len(rows)), K[rows])
    L = np.linalg.cholesky(K - K[rows].T @ W + 1e-9 * np.eye(N))
    rng = np.random.default_rng(3)
    told = {o.name: np.array([trial.values[o.name] for trial in study.trials]) for o in study.outcomes}
    return {name: W.T @ y + rng.normal(size=(count, N)) @ L.T for name, y in told.items()}


def half_done(seed: int, count: int, **more) -> Study:
    study = Study(SPACE, surrogate=MODEL, seed=seed, **more)
    functions, rng = truth(seed, [outcome.name for outcome in study.outcomes])
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, {name: float(f[trial.row] + 0.1 * rng.normal()) for name, f in functions.items()})
    return study


@pytest.mark.parametrize("seed", range(4))
def test_given_the_data_under_a_constraint(seed):
    """The bound is above the posterior's own expectation, by joint draws, and not far above."""
    study = half_done(seed, 9, objective="f", constraints={"g": ("<=", 0.3)}, fallback=-3.0)
    left, drawn = study.certificate(), drawn_given(study)
    feasible = np.where(drawn["g"] <= 0.3, drawn["f"], -math.inf)
    regret = np.maximum(feasible.max(axis=1), left.fallback) - drawn["f"][:, left.row]
    assert not refused(regret - left.bound)
    assert left.bound <= 4.0 * np.mean(regret)
    assert left.prob_feasible == pytest.approx(np.mean(drawn["g"][:, left.row] <= 0.3), abs=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_given_the_data_of_a_front(seed):
    study = half_done(seed, 9, objectives={"a": "maximize", "b": "minimize"}, reference={"a": -2.0, "b": 2.0})
    left, drawn = study.certificate(), drawn_given(study, 600)
    F = np.stack([drawn["a"], -drawn["b"]], axis=2)
    chosen = F[:, list(left.rows)]
    ranges = np.array(list(left.ranges.values()))
    epsilon = ((F[:, :, None, :] - chosen[:, None, :, :]) / ranges).max(axis=3).min(axis=2).max(axis=1)
    volume = [hypervolume(f, [-2.0, -2.0]) - hypervolume(c, [-2.0, -2.0]) for f, c in zip(F, chosen, strict=True)]
    assert not refused(epsilon - left.epsilon)
    assert not refused(np.array(volume) - left.hypervolume_left)
    assert left.epsilon <= 6.0 * np.mean(epsilon)
    assert left.hypervolume_left <= 8.0 * np.mean(volume)


def test_under_a_constraint():
    feasible_runs(12)


def test_of_a_front():
    front_runs(8)


@pytest.mark.slow
def test_under_a_constraint_over_many_runs():
    feasible_runs(120)


@pytest.mark.slow
def test_of_a_front_over_many_runs():
    front_runs(100)
