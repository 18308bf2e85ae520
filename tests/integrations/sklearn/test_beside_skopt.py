"""In place of BayesSearchCV: the same call, with the spaces of scikit-optimize itself."""

import pytest

skopt = pytest.importorskip("skopt", reason="scikit-optimize is not installed: make test-integrations")

from sklearn.datasets import load_iris  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from skopt.space import Categorical, Integer, Real  # noqa: E402

from regretless import Categorical as Choice  # noqa: E402
from regretless import Float, Int  # noqa: E402
from regretless.integrations.sklearn import RegretlessSearchCV  # noqa: E402
from regretless.integrations.sklearn.spaces import as_search_space  # noqa: E402
from regretless.integrations.skopt import from_skopt  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize(
    ("entry", "dimension"),
    [
        (Real(1e-6, 1e2, prior="log-uniform"), Float(1e-6, 1e2, log=True)),
        (Real(0, 1), Float(0.0, 1.0)),
        (Integer(1, 8), Int(1, 8)),
        (Integer(1, 64, prior="log-uniform"), Int(1, 64, log=True)),
        (Categorical(["linear", "rbf"]), Choice(["linear", "rbf"])),
    ],
)
def test_their_dimensions_are_ours(entry, dimension):
    assert as_search_space({"p": entry}).space.dimensions["p"] == dimension


def test_one_call_for_both_classes():
    space = {"C": Real(1e-2, 1e3, prior="log-uniform"), "gamma": (1e-4, 1.0, "log-uniform"), "kernel": ["rbf", "poly"]}
    X, y = load_iris(return_X_y=True)
    theirs, ours = (
        kind(SVC(), space, n_iter=12, cv=3, random_state=1, n_points=2).fit(X, y)
        for kind in (skopt.BayesSearchCV, RegretlessSearchCV)
    )
    assert len(ours.cv_results_["params"]) == len(theirs.cv_results_["params"]) == 12
    assert set(ours.best_params_) == set(theirs.best_params_)
    assert min(ours.best_score_, theirs.best_score_) > 0.95


def test_a_real_result_is_imported():
    result = skopt.gp_minimize(lambda x: (x[0] - 0.3) ** 2, [Real(0.0, 1.0, name="x")], n_calls=11, random_state=1)
    study = from_skopt(result, seed=1).study
    assert study.best.value == result.fun
    assert study.best.params["x"] == result.x[0]
