"""scikit-learn's own checks of estimators."""

import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'regretless[sklearn]'")

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RandomizedSearchCV
from sklearn.utils.estimator_checks import check_supervised_y_2d, parametrize_with_checks

from regretless.integrations.sklearn import RegretlessSearchCV

SMALL = {"n_iter": 3, "cv": 2, "random_state": 1, "error_score": "raise"}


def _expected(search):
    """What `test_a_randomized_search_fails_it_too` shows: Ridge takes y in two dimensions."""
    return {"check_supervised_y_2d": "Ridge takes 2-D y"} if isinstance(search.estimator, Ridge) else {}


@parametrize_with_checks(
    [
        RegretlessSearchCV(Ridge(), {"alpha": (0.1, 10.0, "log")}, **SMALL),
        RegretlessSearchCV(LogisticRegression(), {"C": [0.1, 1.0, 3.0, 10.0]}, **SMALL),
    ],
    expected_failed_checks=_expected,
)
@pytest.mark.filterwarnings("default")  # of scikit-learn itself, on data that are meant to be odd
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("default")
def test_a_randomized_search_fails_it_too():
    theirs = RandomizedSearchCV(Ridge(), {"alpha": [0.1, 1.0, 10.0]}, **SMALL)
    with pytest.raises(AssertionError):
        check_supervised_y_2d("RandomizedSearchCV", theirs)
