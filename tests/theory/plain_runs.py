"""Randomised GP-UCB written out, many runs at once by full covariance updates: an oracle for the bounds."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Runs:
    """One row per run, one column per step t = 1..T."""

    regret: np.ndarray  # r_t
    recommended: np.ndarray  # regret of argmax mu_{t-1}, before the step
    width: np.ndarray  # sqrt(zeta_t) sd_{t-1}(x_t)
    var: np.ndarray  # sd_{t-1}(x_t)^2
    chosen: np.ndarray
    left: np.ndarray  # whether abs(f - mu_{t-1}) > sqrt(zeta_t) sd_{t-1} somewhere
    last: np.ndarray  # regret of argmax mu_T, one per run
    best: np.ndarray  # max f, one per run


def plain_runs(K, noise_var, T, runs, rng, *, zeta=None, every=1, repeats=True):
    """Functions ~ N(0, K). ``zeta``: a constant, or a function of t, instead of the law with the theorem's shift.

    That law has the shift at every k-th step; a function of t is a shift too, and Exp(rate 1/2) is added.

    Without ``repeats`` the measured candidates are left out of the argmax while there are others.
    """
    n = len(K)
    L = np.linalg.cholesky(K + 1e-10 * np.eye(n))
    f = rng.standard_normal((runs, n)) @ L.T
    mean, C, who = np.zeros((runs, n)), np.broadcast_to(K, (runs, n, n)).copy(), np.arange(runs)
    best, measured = f.max(axis=1), np.zeros((runs, n), dtype=bool)
    regret, recommended, width, of_x, chosen = (np.empty((runs, T)) for _ in range(5))
    left = np.zeros((runs, T), dtype=bool)
    s = max(0.0, 2.0 * math.log(n / 2.0))
    for t in range(T):
        shift = zeta(t + 1) if callable(zeta) else 0.0 if (t + 1) % every else s
        drawn = np.full(runs, zeta) if isinstance(zeta, float) else shift + rng.exponential(2.0, runs)
        var = np.maximum(np.einsum("rii->ri", C), 0.0)
        band = np.sqrt(drawn)[:, None] * np.sqrt(var)
        left[:, t] = np.any(np.abs(f - mean) > band, axis=1)
        score = mean + band
        if not repeats and not measured.all():
            score[measured] = -np.inf
        x = score.argmax(axis=1)
        measured[who, x] = True
        recommended[:, t] = best - f[who, mean.argmax(axis=1)]
        regret[:, t] = best - f[who, x]
        of_x[:, t], chosen[:, t] = var[who, x], x
        width[:, t] = np.sqrt(drawn * of_x[:, t])
        y = f[who, x] + math.sqrt(noise_var) * rng.standard_normal(runs)
        column = C[who, x]
        scale = var[who, x] + noise_var
        mean += column * ((y - mean[who, x]) / scale)[:, None]
        C -= column[:, :, None] * (column / scale[:, None])[:, None, :]
    last = best - f[who, mean.argmax(axis=1)]
    return Runs(regret, recommended, width, of_x, chosen.astype(int), left, last, best)
