"""Robust decisions on a small joint process, written out on its full covariance: independent of the rules' code."""

from dataclasses import dataclass

import numpy as np

N_X, N_W = 12, 4
GRID = np.array([(x, w) for x in np.linspace(0.0, 1.0, N_X) for w in np.linspace(0.0, 1.0, N_W)])
K = np.exp(-0.5 * (((GRID[:, None] - GRID) / [0.2, 0.4]) ** 2).sum(axis=2))
NOISE_VAR = 0.05


@dataclass(frozen=True)
class Robust:
    """Of every step the regret and its bound, the information measured; and the regret of what is recommended."""

    regret: np.ndarray
    steps: np.ndarray
    information: np.ndarray
    recommended: float


def groups(mean, S):
    """Means (n_x, n_w) and covariances within decisions (n_x, n_w, n_w)."""
    n_x, n_w = len(mean) // N_W, N_W
    blocks = S.reshape(n_x, n_w, n_x, n_w)
    return mean.reshape(n_x, n_w), np.array([blocks[x, :, x, :] for x in range(n_x)])


def scores(aim, mean, S, p, c):
    """The bound of every decision, straight from the formula."""
    mu, cov = groups(mean, S)
    sd = np.sqrt(np.maximum(np.einsum("xww->xw", cov), 0.0))
    tangent = aim.tangent(mu + c * sd if aim.coherent else mu, p)
    var = np.einsum("xv,xvw,xw->x", tangent, cov, tangent)
    return np.einsum("xw,xw->x", tangent, mu) + c * np.sqrt(np.maximum(var, 0.0))


def multiplier(n_events, rng):
    """sqrt(zeta), zeta = s + Exp(rate 1/2)."""
    return np.sqrt(max(0.0, 2.0 * np.log(n_events / 2.0)) + 2.0 * rng.exponential())


def run(aim, measure, p, T, rng, *, same_draw=False):
    """T steps; ``measure(mu, cov, c')`` says which environment of the decision."""
    f = np.linalg.cholesky(K + 1e-9 * np.eye(len(K))) @ rng.standard_normal(len(K))
    worth = aim.value(f.reshape(N_X, N_W), p)
    mean, S = np.zeros(len(K)), K.copy()
    regret, steps, information = np.empty(T), np.empty(T), np.empty(T)
    for t in range(T):
        c = multiplier(N_X, rng)
        lower = c if same_draw else multiplier(N_W, rng)
        values = scores(aim, mean, S, p, c)
        x = int(values.argmax())
        mu, cov = (part[x] for part in groups(mean, S))
        w = measure(mu, cov, lower)
        sd = np.sqrt(np.maximum(np.diag(cov), 0.0))
        regret[t] = worth.max() - worth[x]
        low = aim.value(mu - lower * sd, p) if aim.coherent else 0.0
        steps[t] = values[x] - low
        i = x * N_W + w
        information[t] = 0.5 * np.log1p(S[i, i] / NOISE_VAR)
        y = f[i] + np.sqrt(NOISE_VAR) * rng.standard_normal()
        gain = S[:, i] / (S[i, i] + NOISE_VAR)
        mean, S = mean + gain * (y - mean[i]), S - np.outer(gain, S[i])
    best = int(aim.value(mean.reshape(N_X, N_W), p).argmax())
    return Robust(regret, steps, information, float(worth.max() - worth[best]))
