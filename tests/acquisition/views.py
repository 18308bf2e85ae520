"""Views as the optimizer makes them, small enough for brute force."""

import numpy as np

from regretless.acquisition import View
from regretless.gp import Kernel, posterior, prior_factor, table_posterior
from regretless.search import climb
from regretless.spaces import Box, Mixed

MIXED = {"a": (0.0, 1.0), "kind": ["u", "v", "w"], "b": (0.0, 1.0), "level": (0, 4)}


def space_of(d):
    return Mixed(MIXED) if d == "mixed" else Box([(0.0, 1.0)] * d)


def observations(space, n, seed, y=None):
    rng = np.random.default_rng(seed)
    X = space.sample(n, rng)
    smooth = np.sin(5.0 * X).sum(axis=1) if n else np.empty(0)
    return X, (smooth - smooth.mean() if n else smooth) if y is None else np.broadcast_to(y, n).astype(float)


def fitted(space, X, y, *, family="matern52", noise_var=1e-2, lengthscale=0.4, signal_var=1.3):
    scales = lengthscale * (1.0 + 0.3 * np.arange(space.dim))
    kernel = Kernel(family, scales, signal_var, tuple(count > 0 for count in space.n_levels))
    return posterior(kernel, noise_var=noise_var, X=X, y=y)


def box_view(d=2, n=6, *, seed=0, n_candidates=50, y=None, **model):
    """A product space: ``d`` real columns, or the mixed space with a category and a whole number."""
    space = space_of(d)
    X, y = observations(space, n, seed, y)
    belief = fitted(space, X, y, **model)
    candidates = np.vstack([space.sample(n_candidates, np.random.default_rng(seed + 1000)), X])
    mean, sd = belief.mean_sd(candidates)
    movable = space.continuous
    return View(
        posterior=belief,
        X=candidates,
        mean=mean,
        sd=sd,
        told=X,
        best_told=float(y.max()) if n else 0.0,
        n_levels=space.n_levels,
        climb=lambda f, starts: climb(f, starts, movable=movable),
    )


def table_view(N=30, n=4, *, d=2, seed=0, y=None, outside=0, **model):
    """A table of N candidates, of which ``n`` (with repeats if n > N) are observed, the last ``outside`` of no row.

    Two of those are observed twice, and some lie outside the unit cube.
    """
    space = space_of(d)
    rng = np.random.default_rng(seed)
    X = space.sample(N, rng)
    observed = np.arange(n) % N
    at = X[observed]
    if outside:
        others = space.sample(outside, rng)
        real = [j for j, count in enumerate(space.n_levels) if not count]
        others[:, real] = 1.6 * others[:, real] - 0.3
        others[-2:] = others[:2]
        at[-outside:], observed = others, np.where(np.arange(n) < n - outside, observed, -2)
    smooth = np.sin(5.0 * at).sum(axis=1)
    y = smooth - smooth.mean() if y is None and n else np.broadcast_to(0.0 if y is None else y, n).astype(float)
    belief = fitted(space, at, y, **model)
    table = table_posterior(belief, X)
    factor = prior_factor(belief.kernel, X)
    return View(
        posterior=belief,
        X=X,
        mean=table.mean,
        sd=table.sd,
        told=X[observed[observed >= 0]],
        best_told=float(y[observed >= 0].max()) if (observed >= 0).any() else 0.0,
        n_levels=space.n_levels,
        table=table,
        observed=observed,
        prior_factor=lambda: factor,
    )


def joint_posterior(view, X=None):
    """Mean and covariance of f at X (the candidates) by the textbook inverse, without the package's algebra."""
    X = view.X if X is None else X
    post = view.posterior
    K = post.kernel(post.X, post.X) + post.noise_var * np.eye(len(post.y))
    K_xX = post.kernel(X, post.X)
    inverse = np.linalg.inv(K)
    return K_xX @ inverse @ post.y, post.kernel(X, X) - K_xX @ inverse @ K_xX.T


def rng(seed=0):
    return np.random.default_rng(seed)
