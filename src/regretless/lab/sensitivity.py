"""The importance of each factor: by the length scales of the model, or by the variance of its predictions."""

from typing import Literal

import numpy as np

from regretless.errors import InvalidInput
from regretless.lab.slices import axis_of
from regretless.study import Study

__all__ = ["importance"]

#: Points at which the model is asked, and groups of equal size into which the values of a factor are cut.
_ASKED, _GROUPS = 2000, 10


def importance(
    study: Study, outcome: str | None = None, by: Literal["lengthscale", "variance"] = "variance"
) -> dict[str, float]:
    r"""The share of each factor that varies, the largest first.

    ``"variance"`` is the first-order index of what the model expects over the candidates,

    .. math:: S_j = \operatorname{Var}\big(\mathbb{E}[\mu(x) \mid x_j]\big) / \operatorname{Var}(\mu(x)),

    what factor j explains alone; the rest is interaction. ``"lengthscale"`` is the inverse length scale of the newest
    fit of the (first) objective, as a share of their sum: along which factors the model changes fast.

    >>> study = Study([{"a": a, "b": b} for a in range(5) for b in ("x", "y")], seed=1)
    >>> for _ in range(10):
    ...     trial = study.ask()
    ...     told = study.tell(trial, 10 * (trial.params["b"] == "x") + trial.params["a"])
    >>> list(importance(study)), list(importance(study, by="lengthscale"))
    (['b', 'a'], ['b', 'a'])
    """
    if by not in ("lengthscale", "variance"):
        raise InvalidInput(f'by must be "lengthscale" or "variance", got {by!r}.')
    found = _lengthscales(study, outcome) if by == "lengthscale" else _variances(study, outcome)
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def _varying(study: Study) -> list[str]:
    return [name for name in study.space.names if name not in study.space.constants]


def _lengthscales(study: Study, outcome: str | None) -> dict[str, float]:
    if outcome not in (None, study.objective):
        raise InvalidInput('by="lengthscale" is for the (first) objective; use by="variance" for other outcomes.')
    own = [trial for trial in study.trials if "excursion" not in trial.details]  # others go by another model
    fits = [trial.hyperparameters for trial in own if trial.hyperparameters is not None]
    names = _varying(study)
    if not fits or len(fits[-1]["lengthscale"]) != len(names):
        raise InvalidInput(
            'there is no fitted model of these factors yet: ask for a suggestion first, or by="variance".'
        )
    inverse = [1.0 / scale for scale in fits[-1]["lengthscale"]]
    return {name: value / sum(inverse) for name, value in zip(names, inverse, strict=True)}


def _variances(study: Study, outcome: str | None) -> dict[str, float]:
    points = study.space.representatives(_ASKED, np.random.default_rng(0))
    mean = study.predict(points, outcome)[0]
    whole, found = float(mean.var()), {}
    for name in _varying(study):
        there = np.array([name in point for point in points])
        values = [point[name] for point in points if name in point]
        if axis_of(study, name).numeric:
            x = np.array(values, dtype=np.float64)
            edges = np.unique(np.quantile(x, np.linspace(0.0, 1.0, _GROUPS + 1)[1:-1]))
            group = np.searchsorted(edges, x, side="right")
        else:
            known = {value: i for i, value in enumerate(dict.fromkeys(values))}
            group = np.array([known[value] for value in values])
        y = mean[there]
        between = sum((group == g).mean() * (y[group == g].mean() - y.mean()) ** 2 for g in np.unique(group))
        found[name] = float(between / whole) if whole > 0.0 else 0.0
    return found
