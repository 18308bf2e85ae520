"""Delayed results: known values, the steps of the proof, and runs with pending points."""

import math

import numpy as np
import pytest

from regretless.confidence import ShiftedExponential
from regretless.errors import InvalidInput
from regretless.gp import Kernel, posterior, table_posterior
from regretless.theory import (
    delayed_step,
    expected_regret_batch,
    expected_regret_delayed,
    expected_regret_table,
    information_gain,
    regret_of_delayed_run,
)

from .joint_runs import KERNELS, NOISE_VAR, N, X, assert_below

CASE = {"n_candidates": 49, "info_gain": 28.4, "noise_var": 0.1}


def test_known_values():
    assert expected_regret_delayed(60, delay=0, **CASE) == expected_regret_table(60, **CASE)
    assert expected_regret_delayed(60, delay=0, **CASE) == pytest.approx(109.246043507, rel=1e-10)
    penalty = expected_regret_delayed(60, delay=3, **CASE) - expected_regret_delayed(60, delay=0, **CASE)
    assert penalty == pytest.approx(245.396619293, rel=1e-10)
    assert expected_regret_delayed(60, delay=3, n_candidates=1, info_gain=3.0, noise_var=0.1) == 0.0
    assert expected_regret_batch(60, batch_gain=0.0, **CASE) == expected_regret_table(60, **CASE)


def test_pending_points_narrow_the_sd_and_leave_the_mean():
    at = np.array([[0.0], [0.3], [0.6], [1.0]])
    told = table_posterior(
        posterior(Kernel("rbf", np.array([0.3]), 1.0), noise_var=0.04, X=at[1:2], y=np.array([0.7])), at
    )
    np.testing.assert_allclose(told.mean, [0.408241790191, 0.673076923077, 0.408241790191, 0.0442403557996], rtol=1e-9)
    pending = told.condition_at(2, float(told.mean[2]))
    np.testing.assert_allclose(pending.mean, told.mean, rtol=1e-12)
    np.testing.assert_allclose(pending.sd, [0.759453018257, 0.194083887327, 0.194083887327, 0.890703986981], rtol=1e-9)
    np.testing.assert_allclose(told.condition_at(2, 9.0).sd, pending.sd, rtol=1e-12)
    assert delayed_step(told.sd, pending.sd) == pytest.approx(0.609825167296, rel=1e-9)


def random_state(seed):
    """A table with some data and some pending points."""
    rng = np.random.default_rng(seed)
    table = table_posterior(posterior(KERNELS[0], noise_var=NOISE_VAR, X=np.empty((0, 2)), y=np.empty(0)), X)
    for row in rng.integers(N, size=int(rng.integers(0, 6))):
        table = table.condition_at(int(row), float(rng.standard_normal()))
    pending = table
    rows = rng.integers(N, size=int(rng.integers(1, 5)))
    for row in rows:
        pending = pending.condition_at(int(row), float(pending.mean[row]))
    return rng, table, pending, rows


@pytest.mark.parametrize("seed", range(10))
def test_one_step(seed):
    """E f* <= E max(mu_D + c sd_H) + E c Delta given the data, and Delta is below kappa times the information."""
    rng, told, pending, rows = random_state(seed)
    delta = delayed_step(told.sd, pending.sd)
    C = np.array([told.covariance_with(i) for i in range(N)]) + 1e-10 * np.eye(N)
    best = (told.mean + rng.standard_normal((20000, N)) @ np.linalg.cholesky(C).T).max(axis=1)
    law = ShiftedExponential.for_table(N)
    c = np.sqrt([law.draw(1, rng) for _ in range(20000)])[:, None]
    assert_below(best, (told.mean + c * pending.sd).max(axis=1) + c[:, 0] * delta)
    K = np.array([[told.covariance_with(int(i))[j] for j in rows] for i in rows])
    information = 0.5 * np.linalg.slogdet(np.eye(len(rows)) + K / NOISE_VAR)[1]
    assert delta <= information  # kappa = 1


@pytest.mark.parametrize("hallucinate", [True, False])
@pytest.mark.parametrize("order", ["batches", "random"])
def test_runs_with_delays(hallucinate, order):
    """Regret <= what the run shows <= theorem, 60 runs; batches of 4, and results that come back in any order."""
    T, law = 16, ShiftedExponential.for_table(N)
    rng = np.random.default_rng(3)
    L = np.linalg.cholesky(KERNELS[0](X, X) + 1e-9 * np.eye(N))
    none = table_posterior(posterior(KERNELS[0], noise_var=NOISE_VAR, X=np.empty((0, 2)), y=np.empty(0)), X)
    regret, shown, longest = [], [], 0
    for _ in range(60):
        f, table, waiting = L @ rng.standard_normal(N), none, []
        zetas, sds, deltas, rows = [], [], [], []
        for t in range(1, T + 1):
            pending = table
            for row, _ in waiting:
                pending = pending.condition_at(row, float(pending.mean[row]))
            zeta = law.draw(t, rng)
            row = int((table.mean + math.sqrt(zeta) * (pending if hallucinate else table).sd).argmax())
            zetas.append(zeta)
            sds.append(pending.sd[row])
            deltas.append(delayed_step(table.sd, pending.sd))
            rows.append(row)
            waiting.append((row, t))
            back = t % 4 == 0 if order == "batches" else rng.random(len(waiting)) < 0.4
            come = [
                w for w, yes in zip(waiting, np.broadcast_to(back, len(waiting)), strict=True) if yes or t - w[1] > 5
            ]
            for w in come:
                longest = max(longest, t - w[1])
                table = table.condition_at(w[0], float(f[w[0]]) + math.sqrt(NOISE_VAR) * rng.standard_normal())
            waiting = [w for w in waiting if w not in come]
        regret.append((f.max() - f[rows]).sum())
        shown.append(regret_of_delayed_run(zetas, sds, deltas))
    gain = float(information_gain(KERNELS[0], X, T, noise_var=NOISE_VAR).upper[T])
    bound = expected_regret_delayed(T, delay=longest, n_candidates=N, info_gain=gain, noise_var=NOISE_VAR)
    assert_below(regret, np.array(shown))
    assert_below(shown, bound, errors=0.0)


def test_refusals():
    with pytest.raises(InvalidInput, match="delay must be a whole number"):
        expected_regret_delayed(60, delay=-1, **CASE)
    with pytest.raises(InvalidInput, match="batch_gain must be >= 0"):
        expected_regret_batch(60, batch_gain=-1.0, **CASE)
    with pytest.raises(InvalidInput, match="an entry per candidate"):
        delayed_step([1.0], [])
    with pytest.raises(InvalidInput, match="per suggestion"):
        regret_of_delayed_run([1.0], [1.0], [])
