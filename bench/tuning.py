"""Five tuning tasks on data that scikit-learn ships, searched by scikit-learn's, scikit-optimize's or our classes.

The folds are drawn from the seed and are the same for every search. Scores are continuous, so that ranks seldom tie. A
budget is so many cross-validations of the whole data set; successive halving spends it as 3 n candidates on a ninth of
the data, n on a third of it and n / 3 on all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

__all__ = ["TASKS", "tune"]

_FOLDS = 3


@dataclass(frozen=True)
class Tuning:
    """Data, an estimator behind a scaler, its parameters as (low, high, is log) or choices, and a metric."""

    data: str
    module: str
    estimator: str
    fixed: Mapping[str, Any]
    space: Mapping[str, Any]
    scoring: str


TASKS = {
    "svc-breast-cancer": Tuning(
        "breast_cancer", "svm", "SVC", {}, {"C": (1e-3, 1e4, True), "gamma": (1e-6, 1e1, True)}, "roc_auc"
    ),
    "svr-diabetes": Tuning(
        "diabetes",
        "svm",
        "SVR",
        {},
        {"C": (1e-2, 1e4, True), "gamma": (1e-5, 1e1, True), "epsilon": (1e-2, 1e2, True)},
        "r2",
    ),
    "boosting-diabetes": Tuning(
        "diabetes",
        "ensemble",
        "GradientBoostingRegressor",
        {"random_state": 0},
        {
            "learning_rate": (1e-3, 1.0, True),
            "n_estimators": (5, 80, True),
            "max_depth": (1, 6, False),
            "subsample": (0.3, 1.0, False),
            "min_samples_leaf": (1, 40, False),
        },
        "r2",
    ),
    "mlp-wine": Tuning(
        "wine",
        "neural_network",
        "MLPClassifier",
        {"random_state": 0, "max_iter": 40},
        {
            "alpha": (1e-6, 1e1, True),
            "learning_rate_init": (1e-4, 1e-1, True),
            "hidden_layer_sizes": (2, 64, True),
            "activation": ["relu", "tanh", "logistic"],
        },
        "neg_log_loss",
    ),
    "forest-breast-cancer": Tuning(
        "breast_cancer",
        "ensemble",
        "ExtraTreesClassifier",
        {"random_state": 0, "n_estimators": 15},
        {
            "max_depth": (1, 20, False),
            "min_samples_leaf": (1, 30, False),
            "max_features": (0.05, 1.0, False),
            "criterion": ["gini", "entropy"],
        },
        "neg_log_loss",
    ),
}


def tune(peer: str, seed: int, task: str, budget: int) -> dict[str, Any]:
    """The cross-validation score, on all data, of the parameters that a search with this budget chose."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

    chosen = TASKS[task]
    X, y, estimator = _problem(chosen)
    cv = (StratifiedKFold if is_classifier(estimator) else KFold)(_FOLDS, shuffle=True, random_state=seed)
    begin = process_time()
    search = _search(peer, estimator, chosen, cv, seed, budget, len(X)).fit(X, y)
    seconds = process_time() - begin
    estimator.set_params(**search.best_params_)
    score = float(np.mean(cross_val_score(estimator, X, y, cv=cv, scoring=chosen.scoring)))
    return {"score": score, "seconds": seconds, "candidates": len(search.cv_results_["params"])}


def _problem(chosen: Tuning) -> tuple[Any, Any, Any]:
    from sklearn import datasets
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = getattr(datasets, f"load_{chosen.data}")(return_X_y=True)
    kind = getattr(import_module(f"sklearn.{chosen.module}"), chosen.estimator)
    return X, y, make_pipeline(StandardScaler(), kind(**chosen.fixed))


def _search(peer: str, estimator: Any, chosen: Tuning, cv: Any, seed: int, budget: int, n: int) -> Any:
    prefix = chosen.estimator.lower()
    common = {"scoring": chosen.scoring, "cv": cv, "random_state": seed, "refit": True}
    named = {f"{prefix}__{name}": entry for name, entry in chosen.space.items()}
    if peer == "search-regretless":
        from regretless.integrations.sklearn import RegretlessSearchCV

        return RegretlessSearchCV(estimator, {k: _ours(v) for k, v in named.items()}, n_iter=budget, **common)
    if peer == "search-bayes":
        from skopt import BayesSearchCV

        return BayesSearchCV(estimator, {k: _skopt(v) for k, v in named.items()}, n_iter=budget, **common)
    distributions = {k: _scipy(v) for k, v in named.items()}
    if peer == "search-random":
        from sklearn.model_selection import RandomizedSearchCV

        return RandomizedSearchCV(estimator, distributions, n_iter=budget, **common)
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingRandomSearchCV

    return HalvingRandomSearchCV(
        estimator, distributions, factor=3, n_candidates=3 * budget, min_resources=n // 9, max_resources=n, **common
    )


def _ours(entry: Any) -> Any:
    if isinstance(entry, list):
        return entry
    low, high, log = entry
    return (low, high, "log") if log else (low, high)


def _skopt(entry: Any) -> Any:
    if isinstance(entry, list):
        return entry
    low, high, log = entry
    return low, high, "log-uniform" if log else "uniform"


def _scipy(entry: Any) -> Any:
    from scipy import stats

    if isinstance(entry, list):
        return entry
    low, high, log = entry
    if isinstance(low, int):
        return (
            np.unique(np.geomspace(low, high, 500).round().astype(int)).tolist()
            if log
            else stats.randint(low, high + 1)
        )
    return stats.loguniform(low, high) if log else stats.uniform(low, high - low)
