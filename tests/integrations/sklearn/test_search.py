"""What scikit-learn's checks do not cover: the search itself, and its place among scikit-learn's own."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'regretless[sklearn]'")

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RandomizedSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from regretless import Regret
from regretless.integrations.sklearn import RegretlessSearchCV

X, y = load_iris(return_X_y=True)
SVM = {"C": (1e-2, 1e3, "log"), "gamma": (1e-4, 1.0, "log")}


def search(estimator=None, space=None, **settings):
    chosen = {"n_iter": 6, "cv": 3, "random_state": 1, **settings}
    return RegretlessSearchCV(SVC() if estimator is None else estimator, SVM if space is None else space, **chosen)


class Bowl(ClassifierMixin, BaseEstimator):
    """Its score is known: -(a - 0.3)^2; it fails where ``a`` is above ``limit``, in all folds or in one."""

    def __init__(self, a=0.0, limit=np.inf, first_fold_only=False):
        self.a, self.limit, self.first_fold_only = a, limit, first_fold_only

    def fit(self, X, y):  # noqa: ARG002
        if self.a > self.limit and not (self.first_fold_only and 0 in y):
            raise RuntimeError("no convergence")
        self.classes_ = np.unique(y)
        return self

    def score(self, X, y):  # noqa: ARG002
        return -((self.a - 0.3) ** 2)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_it_finds_the_optimum():
    found = search(Bowl(), {"a": (0.0, 1.0)}, n_iter=12).fit(X, y)
    assert abs(found.best_params_["a"] - 0.3) < 0.02
    assert abs(found.recommended_params_["a"] - 0.3) < 0.02
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    assert "score" in found.certificate_.sentence


def test_results_are_those_of_a_randomized_search():
    ours, theirs = (
        search().fit(X, y),
        RandomizedSearchCV(SVC(), {"C": [1, 2, 3], "gamma": [0.1, 1.0]}, cv=3, n_iter=2).fit(X, y),
    )
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert {len(column) for column in ours.cv_results_.values()} == {6}
    fitted = {name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")}
    assert fitted <= set(vars(ours))


def test_workers_change_nothing():
    one, two = (search(n_jobs=n, n_points=2).fit(X, y) for n in (1, 2))
    assert one.cv_results_["params"] == two.cv_results_["params"]
    assert (one.cv_results_["mean_test_score"] == two.cv_results_["mean_test_score"]).all()


def test_a_seed_repeats_the_search():
    first, second = search().fit(X, y), search().fit(X, y)
    assert first.cv_results_["params"] == second.cv_results_["params"]
    rng = np.random.RandomState(3)
    assert search(random_state=rng).fit(X, y).study_.seed != search(random_state=rng).fit(X, y).study_.seed


def test_pickles_and_clones():
    fitted = search().fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.recommended_params_ == fitted.recommended_params_
    assert (again.predict(X) == fitted.predict(X)).all()
    assert clone(fitted).get_params()["n_iter"] == 6
    for name in ("study_", "certificate_", "recommended_params_"):
        assert not hasattr(clone(fitted), name)
    with pytest.raises(NotFittedError):
        _ = search().certificate_


def test_inside_others():
    pipeline = make_pipeline(StandardScaler(), SVC())
    inner = search(pipeline, {"svc__C": (0.1, 100.0, "log")}, n_iter=3)
    assert cross_val_score(inner, X, y, cv=3).mean() > 0.9
    outer = make_pipeline(StandardScaler(), search(n_iter=3)).fit(X, y)
    assert outer.score(X, y) > 0.9


def test_choices_of_any_kind():
    space = {"hidden_layer_sizes": [(4,), (3, 3)], "activation": ["relu", "tanh"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, in two iterations
        found = search(MLPClassifier(max_iter=2, random_state=0), space, n_iter=50, cv=2).fit(X, y)
    assert len(found.cv_results_["params"]) == 4  # all of them, each once
    assert {type(params["hidden_layer_sizes"]) for params in found.cv_results_["params"]} == {tuple}
    steps = make_pipeline(StandardScaler(), GaussianNB())
    swapped = search(steps, {"standardscaler": [StandardScaler(), None, "passthrough"]}, cv=2).fit(X, y)
    assert len(swapped.cv_results_["params"]) == 3


def test_lists_of_spaces():
    spaces = [{"kernel": ["linear"], "C": (0.1, 10.0)}, {"kernel": ["rbf"], "gamma": (1e-3, 1.0, "log")}]
    found = search(space=spaces, n_iter=10).fit(X, y)
    tried = found.cv_results_["params"]
    assert all(("gamma" in params) == (params["kernel"] == "rbf") for params in tried)
    assert {params["kernel"] for params in tried} == {"linear", "rbf"}


def test_it_stops_when_little_regret_is_left():
    found = search(Bowl(), {"a": (0.0, 1.0)}, n_iter=40, stop_when=Regret(0.01, patience=2)).fit(X, y)
    assert len(found.study_) < 40
    assert found.stopped_by_.bound <= 0.01
    assert search().fit(X, y).stopped_by_ is None


# Failures ------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize("first_fold_only", [False, True])
def test_failed_fits_are_kept_away_from_and_stay_in_the_results(first_fold_only):
    estimator = Bowl(limit=0.5, first_fold_only=first_fold_only)
    found = search(estimator, {"a": (0.0, 1.0)}, n_iter=14, cv=KFold(3)).fit(X, y)
    failed = np.isnan(found.cv_results_["mean_test_score"])
    too_far = np.array([params["a"] > 0.5 for params in found.cv_results_["params"]])
    assert (failed == too_far).all()
    assert 1 <= failed.sum() <= 5
    assert sum(trial.status == "failed" for trial in found.study_.trials) == failed.sum()
    assert len(failed) == 14
    told = {trial.params["a"]: trial.value for trial in found.study_.trials if trial.status == "told"}
    rows = zip(found.cv_results_["params"], found.cv_results_["mean_test_score"], strict=True)
    assert told == {params["a"]: score for params, score in rows if np.isfinite(score)}


def test_where_everything_fails_the_error_is_scikit_learns():
    with pytest.raises(ValueError, match="All the 3 fits failed"):
        search(Bowl(limit=-1.0), {"a": (0.0, 1.0)}).fit(X, y)
    with pytest.raises(RuntimeError, match="no convergence"):
        search(Bowl(limit=-1.0), {"a": (0.0, 1.0)}, error_score="raise").fit(X, y)


def test_failures_at_the_end_are_said():
    """Nothing comes after them that scikit-learn could put beside them."""
    with pytest.warns(FitFailedWarning, match="1 candidates failed in every fold after the last"):
        found = search(Bowl(limit=0.5), {"a": [0.1, 0.9]}, n_iter=2, n_initial=2, random_state=_low_first()).fit(X, y)
    assert len(found.cv_results_["params"]) == 1
    assert len(found.study_) == 2


def _low_first():
    """A seed whose design begins with 0.1."""
    from regretless import Study

    space = {"a": [0.1, 0.9]}
    return next(seed for seed in range(50) if Study(space, n_initial=2, seed=seed).ask().params["a"] == 0.1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_a_number_as_error_score_is_a_value():
    estimator = Bowl(limit=0.5, first_fold_only=True)
    found = search(estimator, {"a": (0.0, 1.0)}, n_iter=8, cv=KFold(3), error_score=-5.0).fit(X, y)
    assert all(trial.status == "told" for trial in found.study_.trials)
    assert min(trial.value for trial in found.study_.trials) < -1.0


def _first(_results):
    return 0


# Metrics -------------------------------------------------------------------------------------------------------------


def test_of_several_metrics_the_one_of_refit_is_searched_by():
    both = ["accuracy", "neg_log_loss"]
    space = {"C": (1e-3, 1e2, "log")}
    model = LogisticRegression(max_iter=2000)
    found = search(model, space, scoring=both, refit="neg_log_loss").fit(X, y)
    assert [trial.value for trial in found.study_.trials] == found.cv_results_["mean_test_neg_log_loss"].tolist()
    chosen = search(model, space, scoring=both, refit=_first, metric="accuracy").fit(X, y)
    assert [trial.value for trial in chosen.study_.trials] == chosen.cv_results_["mean_test_accuracy"].tolist()
    with pytest.raises(ValueError, match="give metric= one of 'accuracy', 'neg_log_loss'"):
        search(model, space, scoring=both, refit=False).fit(X, y)


def test_folds_that_change_are_warned_of():
    with pytest.warns(UserWarning, match="Give the splitter a random_state"):
        search(Bowl(), {"a": (0.0, 1.0)}, n_iter=2, cv=KFold(3, shuffle=True)).fit(X, y)


def test_progress_is_told_to_callbacks():
    """Callbacks of scikit-learn 1.9: a task for the search, one for each batch, one for each candidate and fold."""
    seen = []

    class Watch:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **more):  # noqa: ARG002
            seen.append(context.task_name)

        def on_fit_task_end(self, estimator, context, **more):  # noqa: ARG002
            return False

    watched = search(DummyClassifier(), {"strategy": ["prior", "uniform"]}, n_iter=2, cv=2).set_callbacks(Watch())
    watched.fit(X, y)
    assert seen.count("search") == 1
    assert seen.count("batch") == 2
    assert seen.count("candidate-split-evaluation") == 4
