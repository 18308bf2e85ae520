"""Outputs as the optimizer makes them: several outcomes on the same candidates, each with its own model and data."""

from dataclasses import replace

import numpy as np

from regretless.acquisition import Outputs
from regretless.gp import table_posterior

from .views import box_view, fitted, space_of, table_view


def outcome(view, k, d, **model):
    """The same candidates and points, another function measured there."""
    if not k:
        return view
    post = view.posterior
    y = np.cos(4.0 * post.X + k).sum(axis=1)
    y = y - y.mean() if len(y) else y
    y = np.broadcast_to(model.pop("y", y), len(y)).astype(float)
    other = fitted(space_of(d), post.X, y, **{"lengthscale": 0.3 + 0.1 * k, **model})
    best = float(y.max()) if len(y) else 0.0
    if view.table is None:
        mean, sd = other.mean_sd(view.X)
        return replace(view, posterior=other, mean=mean, sd=sd, best_told=best)
    table = table_posterior(other, view.X)
    return replace(view, posterior=other, mean=table.mean, sd=table.sd, best_told=best, table=table)


def outputs(kind="table", K=1, J=0, *, threshold=0.0, d=2, seed=0, reference=-2.0, **model):
    """``K`` objectives and ``J`` constraints on a table or a box."""
    view = table_view(d=d, seed=seed, **model) if kind == "table" else box_view(d, seed=seed, **model)
    rest = {name: model[name] for name in ("noise_var", "signal_var", "y") if name in model}
    views = tuple(outcome(view, k, d, **rest) for k in range(K + J))
    return Outputs(views, K, (threshold,) * J, None if K == 1 else np.full(K, reference))


def with_moments(out, mean, sd):
    """The same outputs with other means and sds on their candidates."""
    mean, sd = np.asarray(mean, dtype=float), np.asarray(sd, dtype=float)
    views = [replace(v, mean=mean[:, k], sd=sd[:, k], X=v.X[: len(mean)]) for k, v in enumerate(out.views)]
    return Outputs(tuple(views), out.n_objectives, out.thresholds, out.reference)
